//! Tests of the agent server as a process: it responds quickly, writes only protocol messages,
//! exits with its client, and works with a client of a different implementation.
//!
//! `tests/mcp/install` installs that client. If it is not installed, the test that uses it prints a
//! note and passes; with `AIDD_REQUIRE_MCP=1` the test fails.
#![expect(clippy::disallowed_methods, reason = "the binary under test, and its clients")]

use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for an immediate response on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

fn aidd(root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aidd"));
    command.args(["mcp", "--root"]).arg(root);
    for name in ["AIDD_ROOT", "AIDD_MCP_PROFILE", "AIDD_MCP_TOKEN", "AIDD_CONFIG"] {
        command.env_remove(name);
    }
    command
}

/// An empty project.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("made");
    folder
}

struct Agent {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Agent {
    fn start(root: &Path) -> Self {
        let mut child = aidd(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("it starts");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, out }
    }

    fn request(&mut self, message: &Value) -> Value {
        let input = self.child.stdin.as_mut().expect("open");
        writeln!(input, "{message}").expect("written");
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    fn initialize(&mut self) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        self.request(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
    }
}

fn wait_for_exit(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            return status;
        }
        if start.elapsed() > TIMEOUT {
            child.kill().expect("killed");
            panic!("the process does not exit");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_server_exits_when_its_client_closes_the_pipe() {
    let folder = project();
    let mut agent = Agent::start(folder.path());
    assert_eq!(agent.initialize()["result"]["serverInfo"]["name"], "aidd");
    drop(agent.child.stdin.take());
    assert_eq!(wait_for_exit(&mut agent.child).code(), Some(0));
    let mut rest = String::new();
    agent.out.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "");
    // No memory request was sent, so nothing was written.
    assert!(!folder.path().join(".aidd").exists());
}

#[test]
fn the_server_exits_without_input() {
    let folder = project();
    let mut agent = Agent::start(folder.path());
    drop(agent.child.stdin.take());
    assert_eq!(wait_for_exit(&mut agent.child).code(), Some(0));
}

/// The client is killed while one of its child processes still holds the pipes.
#[cfg(unix)]
#[test]
fn the_server_exits_when_its_client_is_killed() {
    let folder = project();
    // A shell gives background processes no standard input, except through another descriptor.
    let script = "exec 3<&0; \"$1\" mcp --root \"$2\" <&3 & wait";
    let mut client = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_aidd")])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The handle keeps the pipe open.
    let mut input = client.stdin.take().expect("piped");
    let out = BufReader::new(client.stdout.take().expect("piped"));
    let mut agent = Agent { child: client, out };
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    writeln!(input, "{hello}").expect("written");
    let mut line = String::new();
    agent.out.read_line(&mut line).expect("a line");
    assert!(line.contains("serverInfo"), "{line}");
    agent.child.kill().expect("killed");
    agent.child.wait().expect("waited");
    // Only the server still holds the output pipe, so it closes when the server exits.
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut out = agent.out;
    std::thread::spawn(move || {
        let _ = out.read_to_string(&mut String::new());
        let _ = sender.send(());
    });
    assert!(
        receiver.recv_timeout(TIMEOUT).is_ok(),
        "the server still runs after its client was killed"
    );
    drop(input);
}

#[test]
fn a_directory_that_is_not_a_project_is_rejected() {
    let folder = project();
    let error_of = |command: &mut Command| {
        let output = command.stdin(Stdio::null()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).expect("text")
    };
    let missing = error_of(&mut aidd(&folder.path().join("nowhere")));
    assert!(missing.contains("is not a directory"), "{missing}");
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().canonicalize().expect("a path");
    let at_home = error_of(aidd(&home).env("HOME", &home).env("USERPROFILE", &home));
    assert!(at_home.contains("is not a project\nhint: set the project root"), "{at_home}");
    let open = error_of(aidd(folder.path()).args(["--http", "0.0.0.0:0"]));
    assert!(open.contains("requires a token"), "{open}");
}

#[test]
fn list_prints_the_size_of_the_profiles() {
    let folder = project();
    let output = aidd(folder.path()).args(["--list", "--profile", "lean"]).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(text.starts_with("profile "), "{text}");
    assert!(text.contains("tools in `lean`, with the size of each in bytes:"), "{text}");
}

/// The directory that `tests/mcp/install` creates.
fn clients() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let found = Some(target.join("mcp-clients")).filter(|folder| folder.join("done").exists());
    if found.is_none() {
        let text = "the inspector is missing; install it with tests/mcp/install";
        assert!(env::var_os("AIDD_REQUIRE_MCP").is_none(), "{text}");
        let _ = writeln!(std::io::stderr(), "skipped: {text}");
    }
    found
}

#[test]
fn the_inspector_reports_no_errors() {
    let Some(clients) = clients() else { return };
    let folder = project();
    let launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    for (era, profile) in
        [("modern", "engine"), ("legacy", "engine"), ("modern", "lean"), ("legacy", "lean")]
    {
        let output = Command::new(clients.join("bin/node"))
            .arg(clients.join(launcher))
            .args(["--cli", env!("CARGO_BIN_EXE_aidd"), "mcp", "--profile", profile])
            .args(["--method", "tools/list", "--protocol-era", era])
            .args(["--strict", "--format", "json", "-q"])
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .output()
            .expect("it runs");
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{era}, {profile}: {out}\n{err}");
        let list: Value = serde_json::from_str(&out).expect("JSON");
        let listed = list["result"]["tools"].as_array().map(Vec::len);
        let profile = aidd_mcp::Profile::ALL.into_iter().find(|known| known.name() == profile);
        let expected = aidd_mcp::tools::all();
        let expected = expected.iter().filter(|tool| tool.is_in(profile.expect("a profile")));
        assert_eq!(listed, Some(expected.count()), "{era}: {out}");
        assert!(!err.contains("warning"), "{era}: {err}");
    }
}
