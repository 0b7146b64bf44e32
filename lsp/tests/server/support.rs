//! A client in the same process: sends messages for tests, answers the server's requests, and
//! stores everything else.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_lsp_server::ls_types::Uri;

/// Time limit that is never reached, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The client side of a server connection.
pub(crate) struct Client {
    writer: WriteHalf<DuplexStream>,
    reader: BufReader<ReadHalf<DuplexStream>>,
    last: i64,
    /// Notifications and requests of the server, in order.
    pub(crate) received: VecDeque<Value>,
    /// The settings that the client returns to the server.
    pub(crate) settings: Value,
    /// Whether the client rejects registrations.
    pub(crate) refuses: bool,
    server: JoinHandle<u8>,
}

/// The capabilities of most clients, which support only push diagnostics.
pub(crate) fn push_capabilities() -> Value {
    json!({
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true,
                "codeDescriptionSupport": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
        },
    })
}

/// The capabilities of a client with pull diagnostics that watches files.
pub(crate) fn pull_capabilities() -> Value {
    json!({
        "textDocument": { "diagnostic": {} },
        "workspace": {
            "diagnostics": { "refreshSupport": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        },
    })
}

impl Client {
    /// Starts a server without initializing the session.
    pub(crate) fn connect() -> Self {
        let (client_end, server_end) = duplex(1 << 16);
        let (input, output) = split(server_end);
        let server = tokio::spawn(aidd_lsp::serve(input, output, &crate::DISTRIBUTION, None));
        let (reader, writer) = split(client_end);
        Self {
            writer,
            reader: BufReader::new(reader),
            last: 0,
            received: VecDeque::new(),
            settings: Value::Null,
            refuses: false,
            server,
        }
    }

    /// Starts a server for one folder.
    pub(crate) async fn start(folder: &Path, capabilities: Value) -> Self {
        let mut client = Self::connect();
        let _ = client.initialize(&[folder], capabilities).await;
        client
    }

    /// Initializes the session; returns the server's response.
    pub(crate) async fn initialize(&mut self, folders: &[&Path], capabilities: Value) -> Value {
        let folders: Vec<Value> =
            folders.iter().map(|path| json!({ "uri": uri(path), "name": "x" })).collect();
        let params = json!({
            "processId": std::process::id(),
            "rootUri": null,
            "workspaceFolders": folders,
            "capabilities": capabilities,
        });
        let response = self.request("initialize", params).await;
        self.notify("initialized", json!({})).await;
        response
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Sends a request, and waits for its result.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params).await;
        let mut response = self.response(id).await;
        assert_eq!(response["error"], Value::Null, "{method}");
        response["result"].take()
    }

    /// Sends a request without waiting; returns its id.
    pub(crate) async fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The complete response to a request.
    pub(crate) async fn response(&mut self, id: i64) -> Value {
        loop {
            let message = self.next().await.expect("the server is running");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.received.push_back(message);
        }
    }

    /// The parameters of the next notification or request called `method` for which `is_match`
    /// returns true.
    pub(crate) async fn wait_for(
        &mut self,
        method: &str,
        is_match: impl Fn(&Value) -> bool,
    ) -> Value {
        loop {
            let is_expected =
                |message: &Value| message["method"] == method && is_match(&message["params"]);
            if let Some(index) = self.received.iter().position(is_expected) {
                return self.received.remove(index).expect("a message")["params"].take();
            }
            let message = self.next().await.expect("the server is running");
            self.received.push_back(message);
        }
    }

    /// The diagnostics pushed for this version of a document.
    pub(crate) async fn published(&mut self, uri: &str, version: Option<i64>) -> Vec<Value> {
        let is_expected =
            |params: &Value| params["uri"] == uri && params["version"].as_i64() == version;
        let params = self.wait_for("textDocument/publishDiagnostics", is_expected).await;
        params["diagnostics"].as_array().expect("a list").clone()
    }

    /// The next message. Answers the message if it is a request. `None` if the server has closed
    /// the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let message = timeout(TIMEOUT, self.read()).await.expect("a response in time")?;
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            let response = match method {
                "workspace/configuration" => json!({ "result": [self.settings] }),
                "client/registerCapability" if self.refuses => {
                    json!({ "error": { "code": -32601, "message": "no" } })
                }
                _ => json!({ "result": null }),
            };
            let mut response = response;
            response["jsonrpc"] = json!("2.0");
            response["id"] = id.clone();
            self.send(&response).await;
        }
        Some(message)
    }

    async fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            if let Some(number) = line.trim().strip_prefix("Content-Length: ") {
                length = number.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).await.ok()?;
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    async fn send(&mut self, message: &Value) {
        self.write(frame(message).as_bytes()).await;
    }

    /// Sends raw bytes.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("the server reads");
    }

    /// Opens a document with version 1.
    pub(crate) async fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document })).await;
    }

    /// Replaces the whole text.
    pub(crate) async fn replace(&mut self, uri: &str, version: i64, text: &str) {
        self.change(uri, version, json!([{ "text": text }])).await;
    }

    pub(crate) async fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params).await;
    }

    /// Reports changed files: 1 created, 2 changed, 3 deleted.
    pub(crate) async fn report_change(&mut self, uri: &str, kind: u32) {
        let params = json!({ "changes": [{ "uri": uri, "type": kind }] });
        self.notify("workspace/didChangeWatchedFiles", params).await;
    }

    /// The diagnostics of a document, pulled.
    pub(crate) async fn pull(&mut self, uri: &str) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri } });
        let report = self.request("textDocument/diagnostic", params).await;
        report["items"].as_array().expect("a full report").clone()
    }

    pub(crate) async fn command(&mut self, name: &str, arguments: Value) -> Value {
        let params = json!({ "command": name, "arguments": arguments });
        self.request("workspace/executeCommand", params).await
    }

    /// Shuts down properly; returns the exit code.
    pub(crate) async fn shut_down(mut self) -> u8 {
        let _ = self.request("shutdown", Value::Null).await;
        self.notify("exit", Value::Null).await;
        self.exit_code().await
    }

    /// Waits until the server has exited, with its input still open; returns the exit code.
    pub(crate) async fn exit_code(self) -> u8 {
        let ended = timeout(TIMEOUT, self.server).await.expect("the server exits");
        ended.expect("no panic")
    }

    /// Closes the input; returns the exit code.
    pub(crate) async fn hang_up(mut self) -> u8 {
        self.writer.shutdown().await.expect("closed");
        let ended = timeout(TIMEOUT, self.server).await.expect("the server exits");
        ended.expect("no panic")
    }
}

/// A message in wire format.
pub(crate) fn frame(message: &Value) -> String {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// The URI of a path.
pub(crate) fn uri(path: &Path) -> String {
    Uri::from_file_path(path).expect("an absolute path").as_str().to_owned()
}

/// A token, assembled here so that this file does not contain it.
pub(crate) fn token() -> String {
    format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T")
}

/// Writes a file below `root`; returns its URI.
pub(crate) fn write(root: &Path, path: &str, text: &str) -> String {
    let path_on_disk = root.join(path);
    fs::create_dir_all(path_on_disk.parent().expect("below")).expect("created");
    fs::write(&path_on_disk, text).expect("written");
    uri(&path_on_disk)
}

/// A directory with a rule that reports `debugger` as a warning.
pub(crate) fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), ".aidd/config.json", "{}\n");
    write(
        folder.path(),
        "rules/no-debugger.md",
        "---\nseverity: warning\nmessage: \"`<match>` stops\"\ncheck:\n  text:\n    regex: 'debugger'\n    keywords: [debugger]\n---\n# team/no-stop\n\nLeave none.\n",
    );
    folder
}

/// `rule line:start-end` of each diagnostic, sorted.
pub(crate) fn locations(diagnostics: &[Value]) -> Vec<String> {
    let location = |diagnostic: &Value| {
        let (start, end) = (&diagnostic["range"]["start"], &diagnostic["range"]["end"]);
        let rule = diagnostic["code"].as_str().expect("a rule");
        format!("{rule} {}:{}-{}", start["line"], start["character"], end["character"])
    };
    let mut locations: Vec<String> = diagnostics.iter().map(location).collect();
    locations.sort();
    locations
}
