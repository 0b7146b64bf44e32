//! Reads the frames of the input before tower-lsp-server does. The decoder of tower-lsp-server ends
//! the session at the first message that it cannot parse; here such a message is replaced by a
//! request that [`answer_unparsed`] answers with an error.

use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};

/// The method of the request that replaces a message.
const UNPARSED: &str = "$/aidd/unparsed";
/// Maximum length of a message in bytes.
const MAX_BODY: usize = 256 << 20;
/// Maximum length of the header of a message in bytes.
const MAX_HEADER: usize = 8 << 10;
/// Number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// Input whose frames are all valid.
pub(crate) struct ValidFrames<I> {
    inner: I,
    /// Bytes that were read and not yet passed on.
    raw: Vec<u8>,
    /// The lengths of the header and the body at the start of `raw`, once the header is complete.
    frame: Option<(usize, usize)>,
    /// The frame that is passed on, and the number of its bytes that were passed on.
    ready: (Vec<u8>, usize),
    is_over: bool,
}

impl<I> ValidFrames<I> {
    pub(crate) fn new(inner: I) -> Self {
        Self { inner, raw: Vec::new(), frame: None, ready: (Vec::new(), 0), is_over: false }
    }

    /// The next complete frame; `None` if more bytes are needed.
    ///
    /// # Errors
    /// Fails when the position of the next frame cannot be determined.
    fn next_frame(&mut self) -> Result<Option<Vec<u8>>, &'static str> {
        let (header, body) = match self.frame {
            Some(frame) => frame,
            None => {
                let Some(end) = self.raw.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
                    let is_too_long = self.raw.len() > MAX_HEADER;
                    return if is_too_long { Err("the header is not closed") } else { Ok(None) };
                };
                (end + 4, content_length(&self.raw[..end])?)
            }
        };
        self.frame = Some((header, body));
        if self.raw.len() < header + body {
            return Ok(None);
        }
        self.frame = None;
        let frame = valid_frame(&self.raw[header..header + body]);
        self.raw.drain(..header + body);
        Ok(Some(frame))
    }
}

/// The length of the body that a header announces.
fn content_length(header: &[u8]) -> Result<usize, &'static str> {
    let header = str::from_utf8(header).map_err(|_| "the header is not UTF-8")?;
    let fields = header.split("\r\n").filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"));
    let (_, length) = lengths.next().ok_or("the header `Content-Length` is missing")?;
    let length = length.trim().parse().map_err(|_| "`Content-Length` is not a number")?;
    if length > MAX_BODY { Err("`Content-Length` is larger than 256 MiB") } else { Ok(length) }
}

/// A frame with the message in `body`, or with the request that replaces an invalid message.
fn valid_frame(body: &[u8]) -> Vec<u8> {
    let replaced = |is_json: bool| {
        let params = json!({ "isJson": is_json });
        json!({ "jsonrpc": "2.0", "id": null, "method": UNPARSED, "params": params }).to_string()
    };
    let is_message = serde_json::from_slice::<Request>(body).is_ok()
        || serde_json::from_slice::<Response>(body).is_ok();
    let replacement = (!is_message && !body.is_empty())
        .then(|| replaced(serde_json::from_slice::<Value>(body).is_ok()));
    let body = replacement.as_ref().map_or(body, |text| text.as_bytes());
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// The answer to a message that could not be parsed; `None` for other requests.
pub(crate) fn answer_unparsed(request: &Request) -> Option<Response> {
    let is_unparsed = request.method() == UNPARSED && request.id() == Some(&Id::Null);
    let is_json = || request.params().is_some_and(|params| params["isJson"] == true);
    is_unparsed.then(|| {
        let error = if is_json() { Error::invalid_request() } else { Error::parse_error() };
        Response::from_error(Id::Null, error)
    })
}

impl<I: AsyncRead + Unpin> AsyncRead for ValidFrames<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            let (frame, passed) = &mut this.ready;
            if *passed < frame.len() {
                let count = buffer.remaining().min(frame.len() - *passed);
                buffer.put_slice(&frame[*passed..*passed + count]);
                *passed += count;
                return Poll::Ready(Ok(()));
            }
            if this.is_over {
                return Poll::Ready(Ok(()));
            }
            match this.next_frame() {
                Ok(Some(frame)) => {
                    this.ready = (frame, 0);
                    continue;
                }
                Ok(None) => {}
                Err(why) => {
                    // The start of the next message is not known.
                    let _ = writeln!(io::stderr(), "aidd lsp: {why}; the server ends");
                    this.is_over = true;
                    continue;
                }
            }
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut read))?;
            this.is_over = read.filled().is_empty();
            this.raw.extend_from_slice(read.filled());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    /// The frames that are passed on for an input.
    async fn passed_on(input: &[u8]) -> String {
        let mut output = Vec::new();
        ValidFrames::new(input).read_to_end(&mut output).await.expect("read");
        String::from_utf8(output).expect("UTF-8")
    }

    #[tokio::test]
    async fn valid_frames_are_unchanged_and_invalid_frames_are_replaced() {
        let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let valid = frame(r#"{"jsonrpc":"2.0","method":"a/b"}"#);
        assert_eq!(passed_on(valid.as_bytes()).await, valid);
        for (body, is_json) in [("{brok", false), ("[]", true), (r#"{"id":1}"#, true)] {
            let output = passed_on(format!("{}{valid}", frame(body)).as_bytes()).await;
            assert!(output.contains(UNPARSED) && output.ends_with(&valid), "{output}");
            assert!(output.contains(&format!("\"isJson\":{is_json}")), "{output}");
        }
        let not_utf8 = [b"Content-Length: 2\r\n\r\n\xFF\xFE", valid.as_bytes()].concat();
        assert!(passed_on(&not_utf8).await.ends_with(&valid));
    }

    #[tokio::test]
    async fn the_input_ends_where_the_next_frame_cannot_be_found() {
        for header in ["Length: 1", "Content-Length: x", "Content-Length: 99999999999999"] {
            assert_eq!(passed_on(format!("{header}\r\n\r\n{{}}").as_bytes()).await, "");
        }
        assert_eq!(passed_on(&[b'a'; 2 * MAX_HEADER]).await, "");
    }
}
