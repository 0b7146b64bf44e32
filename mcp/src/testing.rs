//! Test support: a client that sends plain JSON messages, and test tools.

use crate::catalog::Catalog;
use crate::context::Context;
use crate::profile::Profile;
use crate::server::Server;
use crate::stdio;
use crate::tool::{Answer, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf, duplex, split};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// Timeout for a response.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How a client identifies itself: in each request, or with a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2026-07-28: every request identifies the client.
    Modern,
    /// Up to 2025-11-25: starts with `initialize`.
    Handshake(&'static str),
}

/// A client in this process.
pub(crate) struct Client {
    runtime: Runtime,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
    serving: JoinHandle<anyhow::Result<()>>,
    era: Era,
    last_id: i64,
    /// The response to `initialize`.
    pub(crate) initialize_result: Value,
}

impl Client {
    /// A client of `server`.
    pub(crate) fn new(server: Server, era: Era) -> Self {
        let runtime = crate::runtime().expect("a runtime");
        let (client_end, server_end) = duplex(1 << 16);
        let serving =
            runtime.spawn(stdio::serve_until(server, split(server_end), std::future::pending()));
        let (reader, writer) = split(client_end);
        let lines = BufReader::new(reader).lines();
        let writer = Some(writer);
        let mut client = Self {
            runtime,
            lines,
            writer,
            serving,
            era,
            last_id: 0,
            initialize_result: Value::Null,
        };
        if let Era::Handshake(version) = era {
            let info = json!({"name": "test", "version": "1"});
            let params =
                json!({"protocolVersion": version, "capabilities": {}, "clientInfo": info});
            client.initialize_result = client.request("initialize", params)["result"].clone();
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        client
    }

    /// A client of the project at `root`, with all tools.
    pub(crate) fn at(root: &Path) -> Self {
        let catalog = Catalog::new(crate::tools::all(), Profile::Engine);
        Self::new(
            Server::new(catalog, Context::at(&crate::DISTRIBUTION, root)),
            Era::Handshake("2025-11-25"),
        )
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends a line that need not be a message.
    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let writer = self.writer.as_mut().expect("open");
        let line = [line, b"\n"].concat();
        self.runtime.block_on(writer.write_all(&line)).expect("written");
    }

    /// Runs the server until `condition` returns true; fails with `description` after [`TIMEOUT`].
    pub(crate) fn run_until(&self, condition: &dyn Fn() -> bool, description: &str) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < TIMEOUT, "timeout: {description}");
            self.runtime.block_on(async { tokio::time::sleep(Duration::from_millis(2)).await });
        }
    }

    /// Whether a thread for the transport becomes free within [`TIMEOUT`].
    pub(crate) fn has_free_transport_thread(&self) -> bool {
        let work = self.runtime.spawn_blocking(|| ());
        self.runtime.block_on(async { tokio::time::timeout(TIMEOUT, work).await.is_ok() })
    }

    /// The next message; `None` after the server has closed.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let next = async { tokio::time::timeout(TIMEOUT, self.lines.next_line()).await };
        let line = self.runtime.block_on(next).expect("in time").expect("a line")?;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    /// Sends a request and returns its id.
    pub(crate) fn send_request(&mut self, method: &str, mut params: Value) -> i64 {
        self.last_id += 1;
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The response to a request; other messages are skipped.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        loop {
            let message = self.receive().expect("an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        self.request("tools/call", params)["result"].clone()
    }

    /// Calls a tool and returns the text of its result, with a prefix for errors.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().expect("text").to_owned();
        if result["isError"] == true { format!("error: {text}") } else { text }
    }

    /// Disconnects and expects the server to end without error. Returns the remaining messages.
    pub(crate) fn disconnect(mut self) -> Vec<Value> {
        let mut writer = self.writer.take().expect("open");
        self.runtime.block_on(writer.shutdown()).expect("closed");
        let last = std::iter::from_fn(|| self.receive()).collect();
        self.runtime.block_on(self.serving).expect("no panic").expect("a clean exit");
        last
    }
}

#[derive(Deserialize, JsonSchema)]
struct EchoParams {
    /// Text to repeat
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct NoParams {}

fn echo(_: &Context, params: EchoParams) -> Result<Answer<Echo>, ToolError> {
    match params.text.as_str() {
        "panic" => panic!("requested panic"),
        "fail" => Err(ToolError::new("it failed").remedy("say something else")),
        _ => Ok(Answer::new(Echo { text: params.text.clone() }, params.text)),
    }
}

/// Waits for cancellation. Appends a dot to the file `begun` at the start, and creates the file
/// `stopped` at the end.
fn wait(context: &Context, params: NoParams) -> Result<Answer<NoParams>, ToolError> {
    let start = OpenOptions::new().append(true).create(true).open(context.root().join("begun"));
    start.expect("opened").write_all(b".").expect("written");
    while !context.stop().load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::fs::write(context.root().join("stopped"), "").expect("written");
    Ok(Answer::new(params, "stopped"))
}

/// Waits until a file exists.
pub(crate) fn wait_for_file(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < TIMEOUT, "timeout: {}", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The test tools.
pub(crate) fn tools() -> Vec<Tool> {
    vec![
        Tool::new("aidd_echo", "Echo", "Repeats the text. Use in tests.", echo)
            .in_profiles(&[Profile::Memory, Profile::Lean])
            .with_aliases(&["say"]),
        Tool::new("save_decision", "Save", "Repeats the text. Use in tests.", echo),
        Tool::new("aidd_wait", "Wait", "Waits. Use in tests.", wait).non_destructive(),
    ]
}

/// A server with the test [`tools`].
pub(crate) fn server(root: &Path, profile: Profile) -> Server {
    Server::new(Catalog::new(tools(), profile), Context::at(&crate::DISTRIBUTION, root))
}
