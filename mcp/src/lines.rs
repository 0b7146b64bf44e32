//! Responds with an error to input lines that are not JSON. rmcp ignores such lines, so the client
//! would wait for a response forever.

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::IgnoredAny;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Maximum length of a line in bytes, as in rmcp.
const MAX_LINE: usize = 16 << 20;

/// A transport of JSON lines.
pub(crate) struct JsonLines<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Inspected<R>, W>,
    /// Receives, for each input line that cannot be parsed, the reason.
    faults: UnboundedReceiver<String>,
}

impl<R, W> JsonLines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W) -> Self {
        let (sender, faults) = unbounded_channel();
        let reader = Inspected { inner: reader, line: Vec::new(), length: 0, faults: sender };
        Self { inner: AsyncRwTransport::new(reader, writer), faults }
    }

    /// Sends the error for a line that cannot be parsed. The error has no id, because the id of the
    /// request is unknown.
    #[expect(clippy::needless_pass_by_value, reason = "the future must not borrow the message")]
    fn answer(&mut self, why: String) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let _ = writeln!(io::stderr(), "aidd mcp: {why}; the line is ignored");
        self.inner.send(TxJsonRpcMessage::<RoleServer>::error(
            ErrorData::parse_error(format!("Parse error: {why}"), None),
            None,
        ))
    }
}

impl<R, W> Transport<RoleServer> for JsonLines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let received = tokio::select! {
                biased;
                Some(why) = self.faults.recv() => Err(why),
                message = self.inner.receive() => Ok(message),
            };
            match received {
                // The caller can drop this future, but the error must be sent in any case.
                Err(why) => drop(tokio::spawn(self.answer(why))),
                Ok(None) => {
                    while let Ok(why) = self.faults.try_recv() {
                        let _ = self.answer(why).await;
                    }
                    return None;
                }
                Ok(message) => return message,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}

/// Passes input through, and reports the lines that are not JSON.
struct Inspected<R> {
    inner: R,
    /// The current line, up to [`MAX_LINE`] bytes.
    line: Vec<u8>,
    /// The length of the current line.
    length: usize,
    faults: UnboundedSender<String>,
}

impl<R> Inspected<R> {
    fn inspect(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.length += piece.len();
            if self.length <= MAX_LINE {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                if let Some(why) = self.fault() {
                    // The receiver exists as long as the transport.
                    let _ = self.faults.send(why);
                }
                self.line.clear();
                self.length = 0;
            }
        }
    }

    /// Why the current line cannot be parsed.
    fn fault(&self) -> Option<String> {
        if self.length > MAX_LINE {
            return Some("the message is longer than 16 MiB".to_owned());
        }
        let line = self.line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let Ok(line) = str::from_utf8(line) else {
            return Some("the message is not UTF-8".to_owned());
        };
        let error = serde_json::from_str::<IgnoredAny>(line).err()?;
        Some(format!("the message is not JSON: {error}"))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Inspected<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.inspect(&buffer.filled()[before..]);
        read
    }
}
