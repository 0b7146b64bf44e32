//! The agent door: the engine's checks and the project's memory over the Model Context Protocol.

pub mod arguments;
pub mod catalog;
pub mod context;
pub mod http;
mod instructions;
pub mod schema;
pub mod server;
pub mod stdio;
#[cfg(test)]
mod testing;
pub mod tool;
pub mod tools;

use aidd_engine::memory::project::system_clock;
use aidd_engine::memory::store::Wanted;
use anyhow::{Context as _, Result, ensure};
use catalog::Catalog;
use context::{Context, Environment, Setup};
use http::Door;
use server::Server;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;
use tokio::runtime::Builder;
use tool::Profile;

/// Threads for what blocks: tools, most of which wait for the one memory.
const THREADS: usize = 8;

/// How long a tool may take to finish what it writes when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The project's folder.
    pub root: PathBuf,
    /// The configuration, instead of that of the project.
    pub config: Option<PathBuf>,
    /// Which tools are listed.
    pub profile: Profile,
    /// Over HTTP instead of standard input and output.
    pub http: Option<Door>,
    /// The environment.
    pub environment: Environment,
}

/// Serves agents until the client leaves, or, over HTTP, until the process is told to end. Returns
/// the exit code.
///
/// # Errors
/// When the folder is missing, the address cannot be used, or the client does not speak the protocol.
pub fn run(options: &Options) -> Result<u8> {
    ensure!(options.root.is_dir(), "{} is no folder", options.root.display());
    let context = Context::new(Setup {
        root: &options.root,
        config: options.config.as_deref(),
        wanted: Wanted::Auto,
        clock: system_clock,
        environment: options.environment,
    });
    let server = Server::new(Catalog::new(tools::all(), options.profile), context);
    let runtime =
        Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
    let served = match &options.http {
        None => runtime.block_on(stdio::serve(server)),
        Some(door) => runtime.block_on(http::serve(server, door, say, told_to_end())),
    };
    runtime.shutdown_timeout(GRACE);
    served.map(|()| 0)
}

/// Where the server can be reached; standard output is not for people.
fn say(address: std::net::SocketAddr) {
    let _ = writeln!(io::stderr(), "aidd: listening on http://{address}{}", http::PATH);
}

/// Ends when the process is told to end.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut told) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = told.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The token that guards a server: the first line of a file, or the variable `AIDD_MCP_TOKEN`.
///
/// # Errors
/// When the file cannot be read.
pub fn token(file: Option<&std::path::Path>, environment: Environment) -> Result<Option<String>> {
    let Some(file) = file else {
        return Ok(environment("AIDD_MCP_TOKEN").filter(|token| !token.is_empty()));
    };
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(Some(text.lines().next().unwrap_or_default().trim().to_owned()))
}
