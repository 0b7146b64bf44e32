//! The transport over standard input and output.

use crate::lines::JsonLines;
use rmcp::ServerHandler;
use rmcp::service::{ServerInitializeError, ServiceExt as _};
use rmcp::transport::io::stdio_pipes;
use std::future::Future;
use tokio::io::{AsyncRead, AsyncWrite};

/// Serves the client that started this process until it disconnects or exits.
///
/// # Errors
/// Fails when the client violates the protocol.
pub async fn serve(handler: impl ServerHandler) -> anyhow::Result<()> {
    serve_until(handler, stdio_pipes(), parent_exited()).await
}

/// Serves a client on a pair of streams until it disconnects or `parent_exit` completes.
///
/// # Errors
/// Fails when the client violates the protocol.
pub async fn serve_until<R, W>(
    handler: impl ServerHandler,
    (reader, writer): (R, W),
    parent_exit: impl Future<Output = ()>,
) -> anyhow::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let serving = async {
        match handler.serve(JsonLines::new(reader, writer)).await {
            Ok(running) => {
                running.waiting().await?;
                Ok(())
            }
            // The client disconnected without a message.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    tokio::select! {
        result = serving => result,
        () = parent_exit => Ok(()),
    }
}

/// Completes when the parent process has exited; other processes can keep its pipes open.
#[cfg(unix)]
async fn parent_exited() {
    use std::os::unix::process::parent_id;

    /// Polling interval.
    const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_secs(3);
    let parent = parent_id();
    while parent_id() == parent {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// On other systems the pipes close with the parent process.
#[cfg(not(unix))]
async fn parent_exited() {
    std::future::pending().await
}
