//! A minimal editor: starts `aidd lsp` and communicates over its standard streams.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server in a separate process.
pub(crate) struct Editor {
    pub(crate) process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: i64,
}

impl Editor {
    /// Starts `aidd lsp` as most clients do.
    pub(crate) fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_aidd"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let input = process.stdin.take().expect("piped");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        Self { process, input, output, last: 0 }
    }

    /// Initializes as a client that supports diagnostics in `folder`, started by `parent`.
    pub(crate) fn initialize(&mut self, folder: &Path, parent: u32) {
        let path = folder.display().to_string().replace('\\', "/").replace(' ', "%20");
        let uri = format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" });
        let params = json!({
            "processId": parent,
            "rootUri": uri,
            "capabilities": {
                "general": { "positionEncodings": ["utf-32"] },
                "textDocument": { "diagnostic": {} },
            },
        });
        let _ = self.request("initialize", &params);
        self.notify("initialized", &json!({}));
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("written");
        self.input.flush().expect("written");
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).expect("text") > 0,
                "the server closed its output"
            );
            if line == "\r\n" {
                break;
            }
            if let Some(number) = line.trim().strip_prefix("Content-Length: ") {
                length = number.parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("JSON")
    }
}
