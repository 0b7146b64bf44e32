//! The agent door: the engine's checks and the project's memory over the Model Context Protocol.

pub mod arguments;
pub mod catalog;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod context;
mod dynamic;
pub mod http;
mod instructions;
pub mod list;
pub mod older;
pub mod profile;
pub mod prompts;
pub mod resources;
pub mod schema;
pub mod server;
pub mod stdio;
#[cfg(test)]
mod testing;
pub mod tool;
pub mod tools;

pub use context::Environment;
pub use http::Door;
pub use tool::Profile;

use aidd_engine::check::Distribution;
use aidd_memory::project::system_clock;
use aidd_memory::store::Wanted;
use anyhow::{Result, bail, ensure};
use catalog::Catalog;
use context::{Context, Setup};
use server::Server;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Threads for tools, most of which wait for the one memory.
const THREADS: usize = 8;

/// Threads that no tool takes: one reads standard input, one writes the answers.
const DOOR_THREADS: usize = 2;

/// How long a tool may take to finish what it writes when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// What somebody is told who starts a server by hand.
const FOR_PEOPLE: &str = "aidd: waiting for an agent; agents start this command by themselves, as in \
                          `claude mcp add aidd -- aidd mcp`. Ctrl-C ends it.";

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The rules that the program ships.
    pub distribution: &'static Distribution,
    /// The project's folder.
    pub root: PathBuf,
    /// The configuration, instead of that of the project.
    pub config: Option<PathBuf>,
    /// Which tools are listed.
    pub profile: Profile,
    /// Whether to say what is listed, and serve nobody.
    pub is_list: bool,
    /// Whether the tools that fit what the agent is about come first in the list, for clients that
    /// begin with `initialize`.
    pub is_dynamic: bool,
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
    if options.is_list {
        io::stdout().write_all(list::table(options.profile).as_bytes())?;
        return Ok(0);
    }
    is_project(&options.root, options.environment)?;
    let context = Context::new(Setup {
        distribution: options.distribution,
        root: &options.root,
        config: options.config.as_deref(),
        wanted: Wanted::Auto,
        clock: system_clock,
        environment: options.environment,
    });
    let mut server = Server::new(Catalog::new(tools::all(), options.profile), context);
    if options.is_dynamic {
        server = server.dynamic();
    }
    let runtime = runtime()?;
    let served = match &options.http {
        None => {
            if io::stdin().is_terminal() {
                let _ = writeln!(io::stderr(), "{FOR_PEOPLE}");
            }
            runtime.block_on(stdio::serve(server))
        }
        Some(door) => {
            runtime.block_on(http::serve(server, door, options.environment, say, told_to_end()))
        }
    };
    runtime.shutdown_timeout(GRACE);
    served.map(|()| 0)
}

/// What serves: one thread, and those for what blocks.
fn runtime() -> io::Result<Runtime> {
    let threads = THREADS + DOOR_THREADS;
    Builder::new_current_thread().enable_all().max_blocking_threads(threads).build()
}

/// Whether the folder may be a project's: clients start servers wherever they are themselves, and a
/// memory is not to be scattered there.
fn is_project(root: &Path, environment: Environment) -> Result<()> {
    ensure!(root.is_dir(), "{} is no folder", root.display());
    let homes = ["HOME", "USERPROFILE"].into_iter().filter_map(environment);
    let is_home = homes.into_iter().any(|home| is_same(Path::new(&home), root));
    let is_marked = root.join(".git").exists() || root.join(".aidd").is_dir();
    if root.parent().is_none() || is_home && !is_marked {
        bail!(
            "{} is no project\nhint: name its folder: aidd mcp --root DIR, or AIDD_ROOT",
            root.display()
        );
    }
    Ok(())
}

/// Whether two paths lead to one folder, links followed: `/home` may be one.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
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

/// What the program ships, for tests.
#[cfg(test)]
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_home_is_known_behind_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let (home, link) = (folder.path().join("var"), folder.path().join("home"));
        std::fs::create_dir(&home).expect("made");
        std::os::unix::fs::symlink(&home, &link).expect("linked");
        assert!(is_same(&link, &home) && is_same(&home, &link) && is_same(&home, &home));
        assert!(!is_same(&home, folder.path()));
        assert!(!is_same(Path::new("gone"), &home));
    }
}
