//! The MCP server: the engine's checks and the project's memory over the Model Context Protocol.

mod agent_text;
pub mod arguments;
pub mod catalog;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod context;
mod dynamic;
pub mod http;
mod instructions;
mod lines;
pub mod list;
pub mod older;
pub mod profile;
pub mod prompts;
mod recorder;
pub mod resources;
pub mod schema;
pub mod server;
pub mod stdio;
#[cfg(test)]
mod testing;
pub mod tool;
pub mod tools;

pub use context::Environment;
pub use http::HttpOptions;
pub use tool::Profile;

use aidd_engine::check::Distribution;
use aidd_memory::project::system_clock;
use aidd_memory::store::BackendChoice;
use anyhow::{Result, bail, ensure};
use catalog::Catalog;
use context::{Context, Setup};
use server::Server;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Maximum number of threads for tool calls, most of which wait for the lock of the memory.
const TOOL_THREADS: usize = 8;

/// Number of threads reserved for the transport: one reads standard input, one writes responses.
const TRANSPORT_THREADS: usize = 2;

/// Maximum time to wait for running tools to finish writing when the server shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Message for users who start a server in a terminal.
const TERMINAL_MESSAGE: &str = "aidd: waiting for an MCP client; clients start this command themselves, as with \
                          `claude mcp add aidd -- aidd mcp`. Press Ctrl-C to exit.";

/// Options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Rules shipped with the program.
    pub distribution: &'static Distribution,
    /// Project root.
    pub root: PathBuf,
    /// Configuration file, if it is not the project's default.
    pub config: Option<PathBuf>,
    /// Profile that selects the listed tools.
    pub profile: Profile,
    /// Whether to print the tool list and exit.
    pub is_list: bool,
    /// Whether to move the tools for the current task to the front of the list, for clients that
    /// start with `initialize`.
    pub is_dynamic: bool,
    /// HTTP settings; `None` for standard input and output.
    pub http: Option<HttpOptions>,
    /// Lookup of environment variables.
    pub environment: Environment,
}

/// Serves clients until the client disconnects or, over HTTP, until a shutdown signal. Returns the
/// exit code.
///
/// # Errors
/// Fails when the root is missing, the address cannot be used, or the client violates the protocol.
pub fn run(options: &Options) -> Result<u8> {
    if options.is_list {
        io::stdout().write_all(list::table(options.profile).as_bytes())?;
        return Ok(0);
    }
    ensure_project(&options.root, options.environment)?;
    let address = options.http.as_ref().map(|http| format!("http at {}", http.address));
    let context = Context::new(Setup {
        distribution: options.distribution,
        root: &options.root,
        config: options.config.as_deref(),
        storage: BackendChoice::Auto,
        clock: system_clock,
        environment: options.environment,
        profile: options.profile,
        transport: address.as_deref().unwrap_or("stdio"),
    });
    let mut server = Server::new(Catalog::new(tools::all(), options.profile), context);
    if options.is_dynamic {
        server = server.with_dynamic_order();
    }
    let runtime = runtime()?;
    let recording = server.clone();
    let result = match &options.http {
        None => {
            if io::stdin().is_terminal() {
                let _ = writeln!(io::stderr(), "{TERMINAL_MESSAGE}");
            }
            runtime.block_on(stdio::serve(server))
        }
        Some(http) => runtime.block_on(http::serve(
            server,
            http,
            options.environment,
            print_address,
            shutdown_signal(),
        )),
    };
    recording.store_usage();
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    result.map(|()| 0)
}

/// The runtime: one async thread, and a pool for blocking work.
fn runtime() -> io::Result<Runtime> {
    let threads = TOOL_THREADS + TRANSPORT_THREADS;
    Builder::new_current_thread().enable_all().max_blocking_threads(threads).build()
}

/// Rejects directories that cannot be a project: clients start servers in their own working
/// directory, where no memory must be created.
fn ensure_project(root: &Path, environment: Environment) -> Result<()> {
    ensure!(root.is_dir(), "{} is not a directory", root.display());
    let homes = ["HOME", "USERPROFILE"].into_iter().filter_map(environment);
    let is_home = homes.into_iter().any(|home| is_same(Path::new(&home), root));
    let has_marker = root.join(".git").exists() || root.join(".aidd").is_dir();
    if root.parent().is_none() || is_home && !has_marker {
        bail!(
            "{} is not a project\nhint: set the project root with aidd mcp --root DIR, or AIDD_ROOT",
            root.display()
        );
    }
    Ok(())
}

/// Whether two paths are the same directory after resolving symbolic links: `/home` can be a
/// symbolic link.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    a == b || real(a) == real(b)
}

/// Prints the address to standard error.
fn print_address(address: std::net::SocketAddr) {
    let _ = writeln!(io::stderr(), "aidd: listening on http://{address}{}", http::PATH);
}

/// Completes on a shutdown signal.
async fn shutdown_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// The shipped rules, for tests.
#[cfg(test)]
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_home_directory_behind_a_symbolic_link_is_recognised() {
        let folder = tempfile::tempdir().expect("a directory");
        let (home, link) = (folder.path().join("var"), folder.path().join("home"));
        std::fs::create_dir(&home).expect("created");
        std::os::unix::fs::symlink(&home, &link).expect("linked");
        assert!(is_same(&link, &home) && is_same(&home, &link) && is_same(&home, &home));
        assert!(!is_same(&home, folder.path()));
        assert!(!is_same(Path::new("gone"), &home));
    }
}
