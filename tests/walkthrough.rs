//! Tests that the walkthrough is correct: writes its files, runs its commands, and compares their
//! output. `UPDATE_DOCS=1 cargo test --test tests walkthrough` updates the page.
#![expect(clippy::disallowed_methods, reason = "the binary under test, and Git")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The event that the client sends at the start of a conversation.
const START: &str =
    r#"{"session_id": "s0", "hook_event_name": "SessionStart", "source": "startup"}"#;
/// Maximum number of lines shown of the output of a hook; the others are counted.
const LINES: usize = 9;

#[test]
fn the_walkthrough_matches_the_output() {
    check("walkthrough", "shop");
}

#[test]
fn the_walkthrough_of_a_ticket_with_its_packs_matches_the_output() {
    check("packs", "refunds");
}

/// Runs the commands of a page in a new project.
fn check(name: &str, project: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{name}.md"));
    let text = fs::read_to_string(&page).expect("the page").replace("\r\n", "\n");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join(project);
    fs::create_dir(&root).expect("made");
    run(&root, "git init -q -b main");
    let printed = render(&root, &text);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, &printed).expect("written");
    }
    let text = fs::read_to_string(&page).expect("the page").replace("\r\n", "\n");
    assert!(
        text == printed,
        "docs/{name}.md is out of date; update it with: UPDATE_DOCS=1 cargo test --test tests walkthrough"
    );
}

/// The page with the current output of its commands.
fn render(root: &Path, page: &str) -> String {
    let mut output = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(output, "{line}");
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        if fence.len() < 3 {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        if let Some((_, path)) = line.split_once(" path=") {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, block.join("\n") + "\n").expect("written");
            let _ = writeln!(output, "{}", block.join("\n"));
        } else if line == "```console" {
            for command in block.iter().filter(|line| line.starts_with("$ ")) {
                let _ = writeln!(output, "{command}");
                for command in command[2..].split(" && ") {
                    output.push_str(&run(root, command));
                }
            }
        }
        let _ = writeln!(output, "{fence}");
    }
    output
}

/// The output of a command, without the parts that differ between runs.
fn run(root: &Path, line: &str) -> String {
    let (line, input) =
        line.split_once(" < ").map_or((line, None), |(line, file)| (line, Some(file)));
    let words = words(line);
    let program = if words[0] == "aidd" { env!("CARGO_BIN_EXE_aidd") } else { &words[0] };
    let mut command = Command::new(program);
    if words[0] == "git" {
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false"]);
        command.args(["-c", "commit.gpgsign=false"]);
    }
    command.args(&words[1..]).current_dir(root).stdin(Stdio::null());
    command.env("AIDD_HOOK_LIMIT", "600").env_remove("GITHUB_ACTIONS");
    if let Some(file) = input {
        // Clients send their working directory.
        let event = if file == "start.json" {
            START.to_owned()
        } else {
            fs::read_to_string(root.join(file)).expect("an event")
        };
        let mut event: serde_json::Value = serde_json::from_str(&event).expect("JSON");
        event["cwd"] = root.to_string_lossy().into_owned().into();
        let path = root.join(".git/event.json");
        fs::write(&path, event.to_string()).expect("written");
        command.stdin(fs::File::open(path).expect("open"));
    }
    let output = command.output().expect("it runs");
    if words[0] == "git" {
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        return String::new();
    }
    displayed(&String::from_utf8_lossy(&output.stdout), input.is_some())
}

/// The words of a command line; quotation marks group words.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The output, or for a hook the text that the agent receives, without times and hashes.
fn displayed(printed: &str, is_hook: bool) -> String {
    let mut text = printed.replace("\r\n", "\n");
    if is_hook {
        let response: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let hook_output = &response["hookSpecificOutput"];
        let context = hook_output
            .get("additionalContext")
            .or_else(|| hook_output.get("permissionDecisionReason"));
        text = context.and_then(serde_json::Value::as_str).expect("the context").to_owned();
    }
    let lines: Vec<String> =
        text.lines().filter(|line| !line.starts_with("Open session")).map(normalize).collect();
    let mut text_shown = String::new();
    for line in lines.iter().take(if is_hook { LINES } else { usize::MAX }) {
        let _ = writeln!(text_shown, "{line}");
    }
    if is_hook && lines.len() > LINES {
        let _ = writeln!(text_shown, "… and {} more lines", lines.len() - LINES);
    }
    text_shown
}

/// A line without a time or commit hash in parentheses.
fn normalize(line: &str) -> String {
    let line = &without_volatile_parts(line);
    match line.split_once(" (") {
        Some((before, rest)) => match rest.split_once(')') {
            Some((inner, after))
                if inner.ends_with(" ms")
                    || inner.ends_with(" s")
                    || (inner.len() == 7 && inner.chars().all(|c| c.is_ascii_hexdigit())) =>
            {
                format!("{before}{after}")
            }
            _ => line.to_owned(),
        },
        None => line.to_owned(),
    }
}

/// A line of a pack without the parts that differ between runs: ids of memories, dates, hashes.
fn without_volatile_parts(line: &str) -> String {
    let mut line = line.to_owned();
    for (start, ends) in [
        ("\"generated_at\":\"", '"'),
        ("\"input_hash\":\"", '"'),
        ("\"ts\":\"", '"'),
        ("decision_1", '"'),
        ("\",\"20", '"'),
    ] {
        let mut from = 0;
        while let Some(at) = line.get(from..).and_then(|rest| rest.find(start)) {
            let keep = if start == "decision_1" { "decision_".len() } else { start.len() };
            let keep = if start == "\",\"20" { 3 } else { keep };
            let at = from + at + keep;
            let rest = &line[at..];
            let end = rest.find([ends, ' ', '#']).unwrap_or(rest.len());
            line.replace_range(at..at + end, "…");
            from = at + '…'.len_utf8();
        }
    }
    line
}
