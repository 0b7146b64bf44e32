//! A mock of GitHub that stores posts, validates every request against the documented schemas, and
//! can refuse, limit, stall or break connections.

#[path = "shapes.rs"]
mod shapes;
#[path = "state.rs"]
mod state;

use serde_json::{Value, json};
use state::State;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// The accepted token.
pub(crate) const TOKEN: &str = "ghs_aToken0nlyForTests";
/// The head of every pull request.
pub(crate) const HEAD: &str = "8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e";
/// The account of the token, as for a job's token.
pub(crate) const BOT: u64 = 41_898_282;

/// The server. On drop, it fails the test if a request was invalid or a fault was not used.
pub(crate) struct GitHub {
    /// The URL of the API.
    pub(crate) api: String,
    state: Arc<Mutex<State>>,
    faults: Arc<Mutex<Vec<(String, Fault)>>>,
}

/// How one request fails.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Responds with this status, these headers and this body; the request has no effect.
    Answer(u16, Vec<(&'static str, String)>, Value),
    /// The connection breaks before the request has an effect.
    Lost,
    /// The request has its effect, then the connection breaks.
    Unanswered,
    /// The request has its effect, then the connection breaks within the response.
    Halved,
    /// There is no response.
    Stalled,
}

/// A parsed HTTP request.
struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Value,
}

impl GitHub {
    /// Starts a server with its API at `prefix`, which is empty except for GitHub Enterprise
    /// Server.
    pub(crate) fn start(prefix: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let api = format!("http://{}{prefix}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let faults = Arc::default();
        let (shared, planned) = (Arc::clone(&state), Arc::clone(&faults));
        // The thread ends with the process.
        thread::spawn(move || {
            let mut stalled = Vec::new();
            for stream in listener.incoming().flatten() {
                stalled.extend(serve(stream, prefix, &shared, &planned));
            }
        });
        Self { api, state, faults }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic in the server")
    }

    /// Makes the next request whose `METHOD route` contains `pattern` fail.
    pub(crate) fn fail(&self, pattern: &str, fault: Fault) {
        self.faults().push((pattern.into(), fault));
    }

    fn faults(&self) -> MutexGuard<'_, Vec<(String, Fault)>> {
        self.faults.lock().expect("no panic in the server")
    }

    /// The requests since the last call.
    pub(crate) fn log(&self) -> String {
        std::mem::take(&mut self.state().log).join("\n")
    }
}

impl Drop for GitHub {
    fn drop(&mut self) {
        if !thread::panicking() {
            let (state, faults) = (self.state(), self.faults());
            assert!(
                state.invalid_requests.is_empty(),
                "invalid requests:\n{}",
                state.invalid_requests.join("\n")
            );
            assert!(faults.is_empty(), "unused faults: {faults:?}");
        }
    }
}

/// Responds to one request; returns the stream if it must stay open without a response.
fn serve(
    mut stream: TcpStream,
    prefix: &str,
    state: &Mutex<State>,
    faults: &Mutex<Vec<(String, Fault)>>,
) -> Option<TcpStream> {
    let request = Request::read(&stream)?;
    let mut state = state.lock().expect("no panic in the tests");
    let path = request.target.strip_prefix(prefix).unwrap_or(&request.target).to_owned();
    let line = format!("{} {path}", request.method).replace("/repos/octo/demo/", "");
    state.log.push(line.clone());
    if let Some(problem) = request.problem() {
        state.invalid_requests.push(format!("{line}: {problem}"));
    }
    let answer = match take_planned_fault(&line, faults) {
        Some(Fault::Lost) => return None,
        Some(Fault::Stalled) => return Some(stream),
        Some(Fault::Answer(status, headers, body)) => Answer { status, headers, body }.text(),
        Some(Fault::Unanswered) => {
            state.answer(&request, &path);
            return None;
        }
        Some(Fault::Halved) => {
            let mut text = state.answer(&request, &path).text();
            text.truncate(text.len() - 5);
            text
        }
        None => state.answer(&request, &path).text(),
    };
    // The client can have disconnected.
    let _ = stream.write_all(answer.as_bytes());
    None
}

fn take_planned_fault(line: &str, faults: &Mutex<Vec<(String, Fault)>>) -> Option<Fault> {
    let mut faults = faults.lock().expect("no panic in the tests");
    let at = faults.iter().position(|(pattern, _)| line.contains(pattern.as_str()))?;
    Some(faults.remove(at).1)
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Self { method, target, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|text| text.parse().ok());
        request.body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    /// The header, if it occurs once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|header| header.0 == name);
        values.next().filter(|_| values.next().is_none()).map(|header| &*header.1)
    }

    /// Describes invalid headers.
    fn problem(&self) -> Option<String> {
        let body = (!self.body.is_empty()).then_some("application/json");
        let expected = [
            ("accept", Some("application/vnd.github+json")),
            ("x-github-api-version", Some("2022-11-28")),
            ("content-type", body),
        ];
        let mismatch = expected.iter().find(|(name, value)| self.header(name) != *value);
        match (mismatch, self.header("user-agent")) {
            (Some((name, _)), _) => Some(format!("{name}: {:?}", self.header(name))),
            (None, None | Some("")) => Some("no user-agent".into()),
            _ => None,
        }
    }
}

impl Answer {
    fn new(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body }
    }

    /// An error in GitHub's format.
    fn error(status: u16, message: &str) -> Self {
        Self::new(status, error(status, message, &[]))
    }

    fn text(&self) -> String {
        let body = if self.body.is_null() { String::new() } else { self.body.to_string() };
        let mut text = format!("HTTP/1.1 {} Status\r\nconnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.status != 204 {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        format!("{text}content-type: application/json; charset=utf-8\r\n\r\n{body}")
    }
}

/// The body of an error in GitHub's format.
pub(crate) fn error(status: u16, message: &str, errors: &[&str]) -> Value {
    let mut body = json!({
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": status.to_string(),
    });
    if !errors.is_empty() {
        body["errors"] = json!(errors);
    }
    body
}
