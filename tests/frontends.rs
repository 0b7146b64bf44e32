//! Tests that all frontends report the same findings with the same ids.
#![expect(clippy::disallowed_methods, reason = "starts the agent server as a process, and Git")]

mod forms;

use aidd_engine::text::source::{Encoding, Source};
use aidd_lsp::workspace::Workspace;
use aidd_page::Form;
use forms::FORMS;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Runs the command line in `folder`; returns standard output and standard error.
fn run(folder: &Path, args: &[&str]) -> (String, String) {
    let (mut out, mut err, mut stdin) = (Vec::new(), Vec::new(), &b""[..]);
    let mut io = aidd_report::Io {
        distribution: &crate::DISTRIBUTION,
        stdin: &mut stdin,
        out: aidd_report::Output::new(&mut out),
        err: aidd_report::Output::new(&mut err),
        cwd: folder.to_owned(),
        style: aidd_report::Style::default(),
    };
    let _ = aidd_cli::run(["aidd"].iter().chain(args).map(OsString::from), &mut io);
    drop(io);
    (String::from_utf8(out).expect("text"), String::from_utf8_lossy(&err).into_owned())
}

/// The editor's workspace at `root`.
fn workspace(root: &Path) -> Workspace {
    Workspace::open(&crate::DISTRIBUTION, root, None).expect("a project")
}

/// Runs the command line in `folder`; returns standard output.
fn aidd(folder: &Path, args: &[&str]) -> String {
    let (out, err) = run(folder, args);
    assert!(err.is_empty(), "{err}");
    out
}

/// A project with findings of several kinds, one of them a secret.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    };
    write(".aidd/config.json", "{\"failsOn\": \"error\"}\n");
    write("sub/.env", &format!("A={token}\nB={token}\n"));
    write(
        "rules/no-debugger.md",
        "---\nseverity: warning\nmessage: \"`<match>` stops\"\ncheck:\n  text:\n    regex: 'debugger'\n    keywords: [debugger]\n---\n# team/no-debugger\n\nLeave none.\n",
    );
    write(
        "rules/example.md",
        "---\nseverity: warning\ncheck:\n  tree: { each: '**/.env', exists: ['<dir>/.env.example'] }\n---\n# team/example\n\nSay what there is to set.\n",
    );
    write("a b/é.js", "debugger; debugger;\r\nconst x = '😀'; debugger\r\n");
    folder
}

#[test]
fn json_and_sarif_contain_the_same_findings() {
    let folder = tree();
    let json: Value =
        serde_json::from_str(&aidd(folder.path(), &["check", "--format", "json"])).expect("JSON");
    let sarif: Value =
        serde_json::from_str(&aidd(folder.path(), &["check", "--format", "sarif"])).expect("JSON");
    let from_json: BTreeSet<(String, String, u64, u64)> = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| {
            let start = &finding["start"];
            (
                text(&finding["rule"]),
                text(&finding["id"]),
                number(&start["line"]),
                number(&start["column"]),
            )
        })
        .collect();
    let from_sarif: BTreeSet<(String, String, u64, u64)> = sarif["runs"][0]["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|result| {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            let id = text(&result["partialFingerprints"]["aidd/v1"]);
            (
                text(&result["ruleId"]),
                id,
                number(&region["startLine"]),
                number(&region["startColumn"]),
            )
        })
        .collect();
    assert!(from_json.len() >= 6, "{from_json:?}");
    assert_eq!(from_json, from_sarif);
    assert!(
        from_json.iter().any(|(rule, ..)| rule == "team/example"),
        "no finding of a project check"
    );
    assert!(
        from_json.iter().any(
            |(rule, _, line, column)| rule == "team/no-debugger" && (*line, *column) == (2, 16)
        )
    );
}

#[test]
fn the_editor_reports_the_findings_of_the_command_line() {
    let folder = tree();
    let json: Value =
        serde_json::from_str(&aidd(folder.path(), &["check", "--format", "json"])).expect("JSON");
    let findings = json["findings"].as_array().expect("a list");
    let from_json: BTreeSet<(String, String, u64, u64)> = findings
        .iter()
        .map(|finding| {
            let start = &finding["start"];
            let (line, column) = (number(&start["line"]) - 1, number(&start["column"]) - 1);
            (text(&finding["rule"]), text(&finding["id"]), line, column)
        })
        .collect();
    let paths: BTreeSet<String> = findings.iter().map(|finding| text(&finding["path"])).collect();
    let workspace = Arc::new(workspace(folder.path()));
    let mut from_editor = BTreeSet::new();
    for path in paths {
        let file = folder.path().join(&path);
        let source = Source::new(path, fs::read_to_string(&file).expect("text"));
        let checked = workspace.check(&source, &workspace.project.disk);
        let snapshot = aidd_lsp::snapshot::Snapshot {
            uri: "file:///x".parse().expect("a URI"),
            version: None,
            source,
            checked,
            failed_examples: Vec::new(),
            workspace: workspace.clone(),
            encoding: Encoding::CodePoints,
        };
        for diagnostic in aidd_lsp::convert::diagnostics(&snapshot) {
            let diagnostic = serde_json::to_value(diagnostic).expect("JSON");
            let start = &diagnostic["range"]["start"];
            let (line, column) = (number(&start["line"]), number(&start["character"]));
            let id = text(&diagnostic["data"]["id"]);
            from_editor.insert((text(&diagnostic["code"]), id, line, column));
        }
    }
    assert!(from_json.len() >= 6, "{from_json:?}");
    assert_eq!(from_editor, from_json);
}

/// The findings that all frontends must agree on: rule, id, path.
type Findings = BTreeSet<(String, String, String)>;

/// Path and text.
type File = (&'static str, &'static str);

fn rule_page(form: Form, header: &str) -> String {
    let key = form.key();
    format!("---\nseverity: warning\ncheck:\n  {header}\n---\n# form/{key}\n\nWhy so.\n")
}

fn write_file(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    fs::write(path, text).expect("written");
}

/// The answer of the binary's agent server to one tool call.
fn call_agent_server(root: &Path, tool: &str, arguments: &Value) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aidd"))
        .args(["mcp", "--root"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let info = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let call = json!({"name": tool, "arguments": arguments});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        writeln!(input, "{message}").expect("written");
    }
    let answer = lines.find_map(|line| {
        let message: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        (message["id"] == 2).then_some(message)
    });
    drop(input);
    child.wait().expect("ended");
    answer.expect("an answer")["result"]["structuredContent"].clone()
}

/// The findings in JSON, as reported by the command line and the agent server.
fn findings_from_json(findings: &Value) -> Findings {
    let all = findings.as_array().expect("a list").iter();
    let row =
        |finding: &Value| (text(&finding["rule"]), text(&finding["id"]), text(&finding["path"]));
    all.map(row).collect()
}

#[test]
fn each_check_form_has_the_same_findings_in_every_frontend() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write_file(root, ".aidd/config.json", "{}\n");
    for (form, header, files) in FORMS {
        write_file(root, &format!("rules/{}.md", form.key()), &rule_page(form, header));
        files.iter().for_each(|(path, text)| write_file(root, path, text));
    }
    let parsed = |text: String| -> Value { serde_json::from_str(&text).expect("JSON") };
    let cli = findings_from_json(&parsed(aidd(root, &["check", "--format", "json"]))["findings"]);
    for form in Form::ALL.into_iter().filter(|form| *form != Form::Commit) {
        let rule = format!("form/{}", form.key());
        assert!(cli.iter().any(|(id, ..)| *id == rule), "no findings of {rule}: {cli:?}");
    }
    let sarif = parsed(aidd(root, &["check", "--format", "sarif"]));
    let results = sarif["runs"][0]["results"].as_array().expect("a list").iter();
    let from_sarif: Findings = results
        .map(|result| {
            let id = text(&result["partialFingerprints"]["aidd/v1"]);
            let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
            (text(&result["ruleId"]), id, text(uri))
        })
        .collect();
    assert_eq!(from_sarif, cli, "SARIF");
    let arguments = json!({"filePath": ".", "limit": 200});
    let from_mcp = findings_from_json(
        &call_agent_server(root, "aidd_check_compliance", &arguments)["findings"],
    );
    assert_eq!(from_mcp, cli, "MCP");
    let workspace = workspace(root);
    let paths: BTreeSet<&String> = cli.iter().map(|(.., path)| path).collect();
    let mut from_editor = Findings::new();
    for path in paths {
        let source = Source::new(path, fs::read_to_string(root.join(path)).expect("text"));
        let checked = workspace.check(&source, &workspace.project.disk);
        let row = |finding: aidd_engine::text::finding::Finding| {
            (finding.rule.to_string(), finding.id, path.clone())
        };
        from_editor.extend(checked.findings.into_iter().map(row));
    }
    assert_eq!(from_editor, cli, "LSP");
}

#[test]
fn commits_have_the_same_findings_in_every_frontend() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let git = |args: &[&str]| {
        let identity =
            ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(identity).args(args).current_dir(root).output();
        assert!(output.expect("git").status.success(), "git {args:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    let header = "commit: { conventional: { types: [fix] }, branch: '^main$' }";
    write_file(root, "rules/commit.md", &rule_page(Form::Commit, header));
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "begin as one likes"]);
    git(&["checkout", "--quiet", "-b", "side"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "Some work"]);
    let check = ["check", "--diff", "main", "--format", "json"];
    let cli: Value = serde_json::from_str(&aidd(root, &check)).expect("JSON");
    let cli = findings_from_json(&cli["findings"]);
    assert_eq!(cli.len(), 2, "expected findings on a message and on a branch: {cli:?}");
    let arguments = json!({"base": "main", "limit": 200});
    let from_mcp =
        findings_from_json(&call_agent_server(root, "aidd_ci_diff_check", &arguments)["findings"]);
    assert_eq!(from_mcp, cli, "MCP");
}

#[test]
fn ids_are_stable_when_lines_are_inserted() {
    let folder = tree();
    let ids = || {
        let json: Value =
            serde_json::from_str(&aidd(folder.path(), &["check", "a b", "--format", "json"]))
                .expect("JSON");
        let list = json["findings"].as_array().expect("a list").clone();
        let ours = list.iter().filter(|finding| finding["path"] == "a b/é.js");
        ours.map(|finding| text(&finding["id"])).collect::<Vec<_>>()
    };
    let before = ids();
    let path = folder.path().join("a b/é.js");
    let moved = format!("// one more line\n\n{}", fs::read_to_string(&path).expect("text"));
    fs::write(&path, moved).expect("written");
    assert_eq!(before, ids());
    assert_eq!(
        before.iter().collect::<BTreeSet<_>>().len(),
        3,
        "findings on the same line must have different ids"
    );
}

#[test]
fn a_secret_does_not_appear_in_any_format() {
    let folder = tree();
    for format in ["text", "json", "sarif", "github", "markdown", "gitlab", "junit"] {
        let output = aidd(folder.path(), &["check", ".", "--no-ignore", "--format", format]);
        assert!(!output.contains("Vq7RkX2mZt9Lw"), "{format}");
        let other = aidd(folder.path(), &["check", ".", "--skip", "secrets/*", "--format", format]);
        assert!(!other.contains("Vq7RkX2mZt9Lw"), "{format}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

/// A team convention as stored in the repository.
const CONVENTION: &str = r#"{"at":1763800000000,"content":"Dates are made with Temporal. Moment is not maintained.","id":"convention_1763800000000_5f0c1e2a9b7d","metadata":{"check":{"files":["*.ts"],"message":"`<match>` is of moment","rule":"no-moment","text":{"keywords":["moment"],"regex":"\\bmoment\\("}},"example":"Temporal.Now.instant()"},"type":"convention"}
"#;

/// Findings on violations of the convention: id, line and column from 0.
type Positions = BTreeSet<(String, u64, u64)>;

/// Calls a tool of the agent server.
fn call_tool(folder: &Path, tool: &str, arguments: &Value) -> Value {
    let tools = aidd_mcp::tools::all();
    let tool = tools.iter().find(|known| known.name == tool).expect("a tool");
    let context =
        aidd_mcp::context::Context::new(aidd_mcp::context::Setup::at(&crate::DISTRIBUTION, folder));
    let arguments = arguments.as_object().expect("an object").clone();
    let answer = tool.call(&context, arguments).expect("an answer");
    serde_json::json!({"data": answer.data, "text": answer.text})
}

#[test]
fn a_memory_is_enforced_in_every_frontend_with_the_same_id() {
    const RULE: &str = "convention/no-moment";
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    };
    write(".aidd/config.json", "{}\n");
    write("ai/memory/conventions.jsonl", CONVENTION);
    write("src/a.ts", "const at = moment(1)\nmoment('é') || moment(2)\n");
    let position = |finding: &Value, start: &Value| -> (String, u64, u64) {
        (text(&finding["id"]), number(&start["line"]) - 1, number(&start["column"]) - 1)
    };
    let positions_in = |findings: &Value| -> Positions {
        let findings = findings.as_array().expect("a list").iter();
        let findings_of_rule = findings.filter(|finding| finding["rule"] == RULE);
        findings_of_rule.map(|finding| position(finding, &finding["start"])).collect()
    };
    let json: Value =
        serde_json::from_str(&aidd(root, &["check", "--format", "json"])).expect("JSON");
    let command_line = positions_in(&json["findings"]);
    assert_eq!(command_line.len(), 3, "{json:#}");
    assert!(
        json["findings"].as_array().expect("a list").iter().all(|finding| finding["rule"] == RULE)
    );

    let sarif: Value =
        serde_json::from_str(&aidd(root, &["check", "--format", "sarif"])).expect("JSON");
    let run = &sarif["runs"][0];
    let from_sarif: Positions = run["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|result| {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            let (line, column) = (number(&region["startLine"]), number(&region["startColumn"]));
            (text(&result["partialFingerprints"]["aidd/v1"]), line - 1, column - 1)
        })
        .collect();
    assert_eq!(from_sarif, command_line);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let rule = rules.iter().find(|rule| rule["id"] == RULE).expect("the rule");
    let why = "Moment is not maintained.";
    assert!(rule["help"]["markdown"].to_string().contains(why), "{rule:#}");
    assert!(rule["help"]["markdown"].to_string().contains("Temporal.Now.instant()"), "{rule:#}");

    let workspace = Arc::new(workspace(root));
    let source = Source::new("src/a.ts", fs::read_to_string(root.join("src/a.ts")).expect("text"));
    let checked = workspace.check(&source, &workspace.project.disk);
    let from_editor: Positions = checked
        .findings
        .iter()
        .filter(|finding| &*finding.rule == RULE)
        .map(|finding| {
            let at = source.position(finding.span.start, Encoding::CodePoints);
            (finding.id.clone(), at.line.into(), at.column.into())
        })
        .collect();
    assert_eq!(from_editor, command_line);

    let arguments = serde_json::json!({"filePath": "src/a.ts"});
    let agent = call_tool(root, "aidd_check_compliance", &arguments);
    assert_eq!(positions_in(&agent["data"]["findings"]), command_line);
    let explained = call_tool(root, "aidd_explain_violation", &serde_json::json!({"rule": RULE}));
    for text_output in [text(&explained["text"]), aidd(root, &["explain", RULE])] {
        assert!(
            text_output.contains(why) && text_output.contains("Temporal.Now.instant()"),
            "{text_output}"
        );
        assert!(text_output.contains("convention_1763800000000_5f0c1e2a9b7d"), "{text_output}");
        assert!(text_output.contains("ai/memory/conventions.jsonl"), "{text_output}");
    }
    let listed = aidd(root, &["rule", "list", "--json", "convention/*"]);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed[0]["path"], "ai/memory/conventions.jsonl");
}

#[test]
fn suppressions_apply_to_memories_as_to_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    };
    let found = || {
        let json: Value =
            serde_json::from_str(&aidd(root, &["check", "--format", "json"])).expect("JSON");
        let findings = json["findings"].as_array().expect("a list").iter();
        findings
            .map(|finding| format!("{} {}", text(&finding["path"]), text(&finding["status"])))
            .collect::<Vec<_>>()
    };
    write(".aidd/config.json", "{}\n");
    write("ai/memory/conventions.jsonl", CONVENTION);
    write("src/a.ts", "moment(1)\n");
    write("src/b.ts", concat!("moment(2) // aidd:", "allow convention/no-moment the old way\n"));
    assert_eq!(found(), ["src/a.ts new", "src/b.ts allowed"]);
    for off in [
        r#"{"rules": {"convention/no-moment": "off"}}"#,
        r#"{"rules": {"convention/*": "off"}}"#,
        r#"{"overrides": [{"files": ["src/a.ts"], "rules": {"convention/no-moment": "off"}}]}"#,
    ] {
        write(".aidd/config.json", off);
        let found = found();
        assert!(!found.iter().any(|finding| finding == "src/a.ts new"), "{off}: {found:?}");
    }
    write(".aidd/config.json", "{}\n");
    let _ = aidd_baseline(root);
    assert!(!found().iter().any(|finding| finding.ends_with(" new")), "{:?}", found());
}

#[test]
fn parameters_by_path_apply_in_every_frontend() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, text) = (folder.path(), "foo\nbar\n");
    let check = "check:\n  params: { word: foo }\n  text: { regex: \"${word}\" }";
    write_file(
        root,
        ".aidd/rules/x.md",
        &format!("---\nseverity: error\n{check}\n---\n# t/x\n\nWhy.\n"),
    );
    let params = r#"{"files": ["b/"], "rules": {"t/x": {"params": {"word": "bar"}}}}"#;
    write_file(root, ".aidd/config.json", &format!("{{\"overrides\": [{params}]}}"));
    write_file(root, "b/a.ts", text);
    let json = aidd(root, &["check", "--only", "t/x", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let workspace = Arc::new(workspace(root));
    let checked = workspace.check(&Source::new("b/a.ts", text), &workspace.project.disk);
    let answer =
        call_tool(root, "aidd_check_compliance", &serde_json::json!({"filePath": "b/a.ts"}));
    for findings in [&json["findings"], &answer["data"]["findings"]] {
        assert_eq!(findings[0]["id"], checked.findings[0].id.as_str());
    }
    assert_eq!(checked.findings[0].span.start, 4);
}

/// Writes the baseline.
fn aidd_baseline(folder: &Path) -> String {
    run(folder, &["baseline", "write"]).1
}
