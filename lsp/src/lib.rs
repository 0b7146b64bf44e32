//! The language server: findings of the engine over the Language Server Protocol.

pub mod actions;
pub mod client;
pub mod commands;
pub mod completion;
pub mod convert;
mod diagnostics;
pub mod documents;
pub mod edits;
pub mod examples;
mod expand;
mod features;
mod framing;
pub mod hover;
mod inbox;
pub mod lens;
mod lifecycle;
pub mod links;
pub mod memory;
pub mod page;
mod pages;
mod pass_thread;
mod path_list;
mod program_pages;
mod progress;
pub mod project_wide;
mod roots;
mod schedule;
mod server;
pub mod snapshot;
mod state;
mod symbols;
mod unreported;
pub mod uri;
pub mod workspace;
mod workspace_pass;

use aidd_engine::check::Distribution;
use framing::ValidFrames;
use inbox::Inbox;
use lifecycle::Settings;
use server::Server;
use state::State;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tower_lsp_server::LspService;

/// Maximum number of threads for blocking work: reading, writing, checks and one pass over the
/// workspace.
const MAX_THREADS: usize = 8;

/// Maximum number of concurrent requests; most of them wait for a check that is already running.
const MAX_REQUESTS: usize = 64;

/// How long the server keeps its output open after `exit` or the end of the input, so that the last
/// responses are delivered.
const GRACE_PERIOD: Duration = Duration::from_millis(500);

/// Serves one client on standard input and output until it exits. `config` is the configuration
/// file, relative to the root of each project, unless the client sets another file. Returns the
/// exit code: 0 after `shutdown`, otherwise 1.
///
/// # Errors
/// Fails when the threads cannot be started.
pub fn run(distribution: &'static Distribution, config: Option<PathBuf>) -> io::Result<u8> {
    let runtime =
        Builder::new_current_thread().enable_time().max_blocking_threads(MAX_THREADS).build()?;
    let code =
        runtime.block_on(serve(tokio::io::stdin(), tokio::io::stdout(), distribution, config));
    // A thread can be blocked in a read, or in a check whose result is no longer needed.
    runtime.shutdown_background();
    Ok(code)
}

/// Serves one client on a pair of streams; see [`run`].
pub async fn serve<I, O>(
    input: I,
    output: O,
    distribution: &'static Distribution,
    config: Option<PathBuf>,
) -> u8
where
    I: AsyncRead + Unpin,
    O: AsyncWrite,
{
    let exited = Arc::new(Notify::new());
    let mut shared = None;
    let (inner, socket) = LspService::new(|client| {
        let settings = Settings { config, ..Settings::default() };
        let state = Arc::new(State::new(client, distribution, settings));
        shared = Some(state.clone());
        Server { state, exited: exited.clone() }
    });
    let state = shared.expect("the service was just created");
    let inbox = Inbox { inner, state: state.clone(), exited: exited.clone() };
    let input = Input { inner: ValidFrames::new(input), exited: exited.clone() };
    let serving = tower_lsp_server::Server::new(input, output, socket)
        .concurrency_level(MAX_REQUESTS)
        .serve(inbox);
    let grace_period = async {
        exited.notified().await;
        tokio::time::sleep(GRACE_PERIOD).await;
    };
    tokio::select! {
        () = serving => {}
        () = grace_period => {}
    }
    u8::from(!state.is_shut_down.load(Ordering::SeqCst))
}

/// Input that notifies `exited` at its end; otherwise a request that waits for changes would wait
/// forever.
struct Input<I> {
    inner: I,
    exited: Arc<Notify>,
}

impl<I: AsyncRead + Unpin> AsyncRead for Input<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over {
            self.exited.notify_one();
        }
        read
    }
}

/// The embedded distribution, for tests.
#[cfg(test)]
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
