//! Tests of the statistics of sessions: recorded by real hooks and a real server, printed by `aidd
//! stats`.

use crate::cli::agent_hooks::claude_event;
use crate::cli::support::{Project, token};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

const RULE: &str = "---\nseverity: error\ncheck:\n  files: [\"*.ts\"]\n  text: {regex: '\\bmoment\\('}\n---\n# team/no-moment\n\nWhy.\n";

/// A project with a rule and a memory.
fn project(config: &str) -> Project {
    let project = Project::new(&[(".aidd/rules/no-moment.md", RULE)]);
    project.write(".aidd/config.json", config);
    project.run(&["memory", "add", "decision", "Use Temporal", "--topic", "dates"]).expect_code(0);
    project
}

/// A server that a client talks to.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    id: u64,
}

impl Server {
    fn start(project: &Project) -> Self {
        let mut command = project.command("", &["mcp"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let mut server = Self { child, out, id: 0 };
        let info = json!({"name": "claude-code", "version": "1"});
        server.request(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}),
        );
        server
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        let input = self.child.stdin.as_mut().expect("open");
        writeln!(input, "{message}").expect("written");
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Closes the pipe and waits for the end of the process.
    fn stop(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("a status").success());
    }
}

/// A session of Claude Code: the server and the hooks run at the same time. Returns its ids.
fn work(project: &Project) {
    let start = json!({"source": "startup", "model": "claude-sonnet-5"});
    project.answer("session-start", &claude_event("SessionStart", start));
    let mut server = Server::start(project);
    server.call("aidd_classify_task", &json!({"description": "Fix the bug in the login endpoint"}));
    server.call("aidd_get_agent", &json!({"agent": "backend-engineer"}));
    server.call("aidd_get_agent", &json!({"agent": "no such role"}));
    let found = server.call("aidd_memory_search", &json!({"query": "Temporal"}));
    let id = found.split_whitespace().find(|word| word.starts_with("decision_")).expect("an id");
    let id = id.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    server.call("aidd_memory_get", &json!({"ids": [id]}));
    server.request("resources/read", &json!({"uri": "aidd://workflows/bug-fix"}));
    let file = project.absolute("a.ts");
    let edit = |old: &str, new: &str| {
        project.write("a.ts", new);
        let edited = json!({
            "tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": old, "new_string": new},
            "tool_response": {"filePath": file, "originalFile": old},
        });
        project.run_hook("post-tool-use", &claude_event("PostToolUse", edited)).expect_code(0);
    };
    edit("const a = 1;\n", "const a = moment();\n");
    server.call("aidd_check_compliance", &json!({"filePath": "a.ts"}));
    edit("const a = moment();\n", "const a = Temporal.Now.instant();\n");
    let ran = |code: i32| {
        let ran = json!({
            "tool_name": "Bash", "tool_input": {"command": "npm test"},
            "tool_response": {"exit_code": code},
        });
        project.answer("post-tool-use", &claude_event("PostToolUse", ran));
    };
    ran(1);
    ran(0);
    server.stop();
    project.answer("session-end", &claude_event("SessionEnd", json!({"reason": "exit"})));
}

/// The JSON of `aidd stats`, without the figures that differ between runs.
fn stats(project: &Project) -> Value {
    let output = project.run(&["stats", "--json"]).expect_code(0);
    let mut value: Value = serde_json::from_str(&output.out).expect("JSON");
    for tool in value["tools"].as_array_mut().expect("tools") {
        for field in ["meanMillis", "meanTokens", "meanBytes", "trend"] {
            tool.as_object_mut().expect("an object").remove(field);
        }
    }
    value["sessions"].as_object_mut().expect("an object").remove("trend");
    value.as_object_mut().expect("an object").remove("lifecycle");
    for rule in value["rules"].as_array_mut().expect("rules") {
        rule.as_object_mut().expect("an object").remove("trend");
    }
    for page in value["knowledge"].as_array_mut().expect("pages") {
        if page["kind"] == "memory" {
            page["name"] = json!("ID");
        }
    }
    value
}

#[test]
fn a_session_is_recorded_by_the_hooks_and_the_server() {
    let project = project("{}");
    work(&project);
    let value = stats(&project);
    assert_snapshot!(serde_json::to_string_pretty(&value).expect("JSON"));
    let models = project.run(&["stats", "models"]).expect_code(0);
    assert_snapshot!(models.out);
    // An overview fits into a narrow terminal, without escape sequences.
    let overview = project.run(&["stats", "--color", "never"]).expect_code(0).out;
    assert!(!overview.contains('\u{1b}'), "{overview}");
    for part in ["1 session in 90 days", "\ntools\n", "\nrules\n", "\nknowledge\n", "\nmodels\n"] {
        assert!(overview.contains(part), "{part}: {overview}");
    }
    let forgotten = project.run(&["memory", "forget", "--analytics"]).expect_code(0);
    assert_eq!(forgotten.out, "deleted the statistics of 1 session\n");
    assert_eq!(stats(&project)["sessions"]["count"], 0);
    assert!(project.run(&["stats"]).expect_code(0).out.contains("Nothing was recorded."));
}

#[test]
fn nothing_is_recorded_if_the_configuration_says_so() {
    for config in
        [r#"{"evolution": {"record": false}}"#, r#"{"content": {"sessionTracking": false}}"#]
    {
        let project = project(config);
        work(&project);
        assert_eq!(stats(&project)["sessions"]["count"], 0, "{config}");
    }
}

#[test]
fn the_server_creates_no_store_to_record_calls() {
    let project = Project::new(&[("a.ts", "const a = 1;\n")]);
    let mut server = Server::start(&project);
    server.call("aidd_check_compliance", &json!({"filePath": "a.ts"}));
    server.stop();
    assert!(!project.path().join(".aidd").exists());
}

#[test]
fn a_killed_server_loses_only_the_calls_that_were_not_stored() {
    let project = project("{}");
    let mut server = Server::start(&project);
    for _ in 0..70 {
        server.call("aidd_get_agent", &json!({"agent": "backend-engineer"}));
    }
    // Each call is two events: the call and the page that it served.
    let stored = || stats(&project)["tools"][0]["calls"].as_u64().unwrap_or_default();
    for _ in 0..200 {
        if stored() >= 32 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    server.child.kill().expect("killed");
    server.child.wait().expect("a status");
    let calls = stored();
    assert!((32..=70).contains(&calls), "{calls}");
    assert!(project.run(&["memory", "doctor"]).out.contains("sqlite, intact"));
}

/// Nothing that an agent writes in its arguments gets into the statistics.
#[test]
fn no_text_of_a_call_is_stored_in_the_statistics() {
    let project = project("{}");
    let mut server = Server::start(&project);
    let secret = token();
    for text in ["zebra crossing", "zebra-crossing", &secret] {
        server.call("aidd_get_agent", &json!({"agent": text}));
        server.call("aidd_get_tkb_entry", &json!({"name": text}));
        server.call("aidd_memory_search", &json!({"query": text}));
        server.call("aidd_classify_task", &json!({"description": text}));
        server.request("resources/read", &json!({"uri": format!("aidd://skills/{text}")}));
        server.request("prompts/get", &json!({"name": text}));
    }
    server.stop();
    assert!(stats(&project)["tools"].as_array().is_some_and(|tools| tools.len() >= 4));
    for file in std::fs::read_dir(project.path().join(".aidd")).expect("a directory") {
        let path = file.expect("an entry").path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for part in ["zebra", secret.as_str()] {
            assert!(!text.contains(part), "{part} in {}", path.display());
        }
    }
}
