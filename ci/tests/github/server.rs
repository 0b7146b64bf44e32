//! A server that stands in for GitHub: it keeps what is posted, holds every request against the
//! documented shapes, and can refuse, limit, stall or break off.

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

/// The token that is accepted.
pub(crate) const TOKEN: &str = "ghs_aToken0nlyForTests";
/// The head of every pull request.
pub(crate) const HEAD: &str = "8f2c1d0e9b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e";
/// The account of the token, as a job has one.
pub(crate) const BOT: u64 = 41_898_282;

/// The server. When it is dropped, it fails the test if a request was wrong or a fault unused.
pub(crate) struct GitHub {
    /// The API's address.
    pub(crate) api: String,
    state: Arc<Mutex<State>>,
    faults: Arc<Mutex<Vec<(String, Fault)>>>,
}

/// How one request goes wrong.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// It is answered by this status, these headers and this body, and has no effect.
    Answer(u16, Vec<(&'static str, String)>, Value),
    /// The connection breaks off before it has an effect.
    Lost,
    /// It has its effect, then the connection breaks off.
    Unanswered,
    /// It has its effect, then the connection breaks off within the answer.
    Halved,
    /// It is never answered.
    Stalled,
}

/// One request.
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
    /// Starts a server whose API is at `prefix`, which is empty but on GitHub Enterprise Server.
    pub(crate) fn start(prefix: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let api = format!("http://{}{prefix}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let faults = Arc::default();
        let (shared, planned) = (Arc::clone(&state), Arc::clone(&faults));
        // It ends with the process.
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

    /// Lets the next request whose `METHOD route` contains `what` go wrong.
    pub(crate) fn fail(&self, what: &str, fault: Fault) {
        self.faults().push((what.into(), fault));
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
            assert!(state.wrong.is_empty(), "undocumented:\n{}", state.wrong.join("\n"));
            assert!(faults.is_empty(), "never happened: {faults:?}");
        }
    }
}

/// Answers one request; gives the stream back when it is to stay open without an answer.
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
        state.wrong.push(format!("{line}: {problem}"));
    }
    let answer = match planned(&line, faults) {
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
    // The other side may have gone.
    let _ = stream.write_all(answer.as_bytes());
    None
}

fn planned(line: &str, faults: &Mutex<Vec<(String, Fault)>>) -> Option<Fault> {
    let mut faults = faults.lock().expect("no panic in the tests");
    let at = faults.iter().position(|(what, _)| line.contains(what.as_str()))?;
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

    /// The header, if it is there once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|header| header.0 == name);
        values.next().filter(|_| values.next().is_none()).map(|header| &*header.1)
    }

    /// What is wrong with the headers.
    fn problem(&self) -> Option<String> {
        let body = (!self.body.is_empty()).then_some("application/json");
        let wanted = [
            ("accept", Some("application/vnd.github+json")),
            ("x-github-api-version", Some("2022-11-28")),
            ("content-type", body),
        ];
        let wrong = wanted.iter().find(|(name, value)| self.header(name) != *value);
        match (wrong, self.header("user-agent")) {
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

    /// An error in GitHub's form.
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

/// The body of an error in GitHub's form.
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
