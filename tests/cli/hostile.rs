//! Tests of hostile names and texts in every command and format: the output must not control a
//! terminal or a CI system, and must remain valid in its format.

mod cases;

use crate::cli::support::{Project, RunOutput};
use cases::CASES;
use clap::{Command, CommandFactory, ValueEnum};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Text that would mask a log, set a title, clear a screen, reorder or hide text, or load an image.
const EVIL: &str = "x\r\n::add-mask::p\n \u{a0}::add-mask::p\n##[add-mask]p ##vso[p]\u{1b}[35m\u{1b}]0;t\u{7}\
    \u{9b}2J\u{202e}\u{200b}\u{2028}\u{e0041}\u{7f}<img src=x onerror=y>[a](command:b)![i](data:c)|`@octocat {0}";
/// Hostile text that is valid as a file name.
const NAME: &str =
    "n\n::add-mask::p\n##[add-mask]\u{1b}[35m\u{9b}\u{202e}\u{e0041}<img>[a](command:b)|`";

/// `text` in double quotes, with the escapes of YAML if `is_yaml`, otherwise of JSON.
fn quoted(text: &str, is_yaml: bool) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if is_yaml => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out + "\""
}

/// A repository that contains only hostile content.
fn project(config: &str) -> Project {
    let project = Project::repository();
    let evil = quoted(EVIL, true);
    project.write(
        "rules/team/evil.md",
        format!(
            "---\nseverity: error\nmessage: {evil}\nhelp: {evil}\naliases: [{evil}]\ntags: [{evil}]\ncheck:\n  \
             text: {{ regex: 'blue' }}\n  fix: {{ replace: {evil} }}\n---\n# team/evil {}\n\nWhy {EVIL}\n\n<script>x</script>\n\n\
             ## Fails\n\n```txt\nblue {EVIL}\n```\n",
            EVIL.replace(['\r', '\n'], " ")
        ),
    );
    project.write("rules/team/worse.md", format!("---\n{evil}: {evil}\n---\n# team/worse\n"));
    project.write(
        "AGENTS.md",
        format!("# {EVIL}\n\n- Never use `blue` {EVIL}\n- NEVER call `x()` {EVIL}\n"),
    );
    project.write(".ls-lint.yml", format!("ls:\n  {evil}: {evil}\n  .txt: {evil}\n"));
    project.write(
        "ai/memory/decisions.jsonl",
        format!("{{\"id\": {0}, {0}: {0}}}\n{EVIL}\n", quoted(EVIL, false)),
    );
    project.write(".aidd/config.json", config);
    project.write(&format!("{NAME}/{NAME}.txt"), format!("blue {EVIL}\nblue\n"));
    project.write(&format!("{NAME}.json"), format!("{{ {0}: blue {0} {EVIL}", quoted(EVIL, false)));
    project.write("Dockerfile", format!("FROM {}\nRUN {EVIL}\n", EVIL.replace(['\r', '\n'], " ")));
    let non_utf8 =
        project.path().join(OsStr::from_bytes(b"odd\xff\x9b\x1b[35m\n::add-mask::p.txt"));
    // Some systems do not support such names.
    let _ = fs::write(non_utf8, "blue");
    project.git(&["checkout", "--quiet", "-b", "side\u{202e}\u{e0041}"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "--quiet", "-m", &format!("feat: {EVIL}")]);
    project.write(&format!("{NAME}.txt"), format!("blue {EVIL}\n"));
    project.git(&["add", "-A"]);
    project
}

fn valid_config() -> String {
    let evil = quoted(EVIL, false);
    format!(
        "{{\"exclude\": [{evil}], \"rules\": {{\"team/evil\": \"warning\"}}, \"ci\": {{\"warnOn\": [\"team/evil\"]}}}}"
    )
}

/// Collects the names of all runnable commands, as typed.
fn runnable_commands(command: &Command, path: &str, found: &mut Vec<String>) {
    let inner: Vec<&Command> = command.get_subcommands().collect();
    if !path.is_empty() && (inner.is_empty() || !command.is_subcommand_required_set()) {
        found.push(path.to_owned());
    }
    for command in inner {
        runnable_commands(command, format!("{path} {}", command.get_name()).trim_start(), found);
    }
}

/// Whether `c` controls a terminal, is invisible, or ends a line.
fn is_control(c: char) -> bool {
    c.is_control() || "\u{202e}\u{200b}\u{2028}\u{e0041}".contains(c)
}

/// Removes the colour codes that aidd writes.
fn without_colors(text: &str) -> String {
    ["0", "1", "2", "31", "32", "33", "36", "91", "92", "93", "94", "96"]
        .iter()
        .fold(text.to_owned(), |text, number| text.replace(&format!("\u{1b}[{number}m"), ""))
}

#[track_caller]
fn assert_harmless(label: &str, text: &str, is_github: bool) {
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let control = line.chars().find(|&c| c != '\t' && is_control(c));
        assert!(control.is_none(), "{label}: {control:?} in {line:?}");
        let start = line.trim_start();
        let allowed = ["error ", "warning ", "notice ", "group::", "endgroup::"];
        let is_allowed =
            || is_github && allowed.iter().any(|command| start[2..].starts_with(command));
        assert!(!start.starts_with("::") || is_allowed(), "{label}: a command: {line:?}");
        for (at, _) in line.match_indices("##") {
            let after = line[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
            assert!(!after.starts_with('['), "{label}: a command: {line:?}");
        }
    }
}

#[track_caller]
fn assert_markdown(label: &str, text: &str) {
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let allowed = ["<details>", "</details>", "<summary>", "</summary>", "<!-- aidd"];
                let is_allowed = allowed.iter().any(|tag| html.trim_start().starts_with(tag));
                assert!(is_allowed, "{label}: HTML {html}");
            }
            Event::Start(Tag::Image { dest_url, .. }) => panic!("{label}: image {dest_url}"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let is_safe = dest_url.starts_with("https://") || !dest_url.contains(':');
                assert!(is_safe, "{label}: link {dest_url}");
            }
            _ => {}
        }
    }
}

/// Runs a command, and asserts that its output is harmless and valid in its format.
fn run(project: &Project, args: &[&str], env: &[(&str, &str)]) -> RunOutput {
    let payload = format!(
        "{{\"hook_event_name\": \"PreToolUse\", \"session_id\": {0}, \"prompt\": {0}, \"source\": {0}, \"tool_name\": \"Write\", \
         \"cwd\": {1:?}, \"tool_input\": {{\"file_path\": {2}, \"content\": {3}}}, \"tool_response\": {{\"stderr\": {0}}}}}",
        quoted(EVIL, false),
        project.path(),
        quoted(&format!("{NAME}.txt"), false),
        quoted(&format!("blue {EVIL}"), false),
    );
    let output =
        project.finish(project.command("", args).envs(env.iter().copied()), payload.as_bytes());
    let label = format!("{args:?} {env:?}");
    let has = |word: &str| args.contains(&word);
    let is_github = has("github")
        || env.iter().any(|(name, _)| *name == "GITHUB_ACTIONS")
            && args[0] == "ci"
            && !has("--format");
    let out = if has("always") { without_colors(&output.out) } else { output.out.clone() };
    assert_harmless(&format!("{label} out"), &out, is_github);
    assert_harmless(&format!("{label} err"), &output.err, false);
    if ["json", "sarif", "gitlab", "--json"].iter().any(|word| has(word)) && !output.out.is_empty()
    {
        let json: Result<serde_json::Value, _> = serde_json::from_str(&output.out);
        assert!(json.is_ok(), "{label}: {json:?}\n{}", output.out);
    }
    if has("markdown") {
        assert_markdown(&label, &output.out);
    }
    output
}

fn with_placeholders<'a>(args: &[&'a str], id: &str) -> Vec<String> {
    let fill = |arg: &&'a str| arg.replace("EVIL", EVIL).replace("FILE", &format!("{NAME}.txt"));
    args.iter().map(|arg| if *arg == "ID" { id.to_owned() } else { fill(arg) }).collect()
}

#[test]
fn every_command_escapes_hostile_text() {
    let mut all = Vec::new();
    runnable_commands(&aidd_cli::cli::Cli::command(), "", &mut all);
    all.sort();
    let mut covered: Vec<String> = CASES.iter().map(|(path, _)| (*path).to_owned()).collect();
    covered.sort();
    assert_eq!(covered, all, "CASES must contain every command");

    let project = project(&valid_config());
    let add = ["memory", "add", "decision", EVIL, "--topic", EVIL, "--json"];
    let added = run(&project, &add, &[]).expect_code(0);
    let added: serde_json::Value = serde_json::from_str(&added.out).expect("JSON");
    let id = added["id"].as_str().or(added["entry"]["id"].as_str()).expect("an id").to_owned();
    for (path, sets) in CASES {
        for args in *sets {
            let args = with_placeholders(args, &id);
            let args: Vec<&str> = path.split(' ').chain(args.iter().map(String::as_str)).collect();
            let output = run(&project, &args, &[]);
            if args[0] == "explain" && args.len() == 2 && args[1] == "team/evil" {
                assert!(
                    output.out.contains("\\u{202e}") && output.out.contains("./::add-mask"),
                    "{}",
                    output.out
                );
            }
        }
        let args = [path.split(' ').collect(), vec![EVIL, "--EVIL"]].concat();
        run(&project, &args, &[]);
    }
}

#[test]
fn every_format_escapes_hostile_text() {
    let project = project(&valid_config());
    let summary = project.path().join(".git/summary.md");
    let summary = summary.to_str().expect("a path");
    let event = project.path().join(".git/event.json");
    let [main, head] = ["main", "HEAD"].map(|name| project.git(&["rev-parse", name]).out);
    let evil = quoted(EVIL, false);
    let payload = format!(
        "{{\"action\": \"opened\", \"number\": 1, \"pull_request\": {{\"number\": 1, \"title\": {evil}, \"body\": {evil}, \
         \"user\": {{\"login\": {evil}}}, \"base\": {{\"ref\": \"main\", \"sha\": \"{}\", \"repo\": {{\"full_name\": \"octo/demo\"}}}}, \
         \"head\": {{\"ref\": {evil}, \"sha\": \"{}\", \"repo\": {{\"full_name\": \"octo/demo\", \"fork\": false}}}}}}, \
         \"repository\": {{\"full_name\": \"octo/demo\", \"default_branch\": {evil}, \"html_url\": {evil}}}}}",
        main.trim(),
        head.trim()
    );
    fs::write(&event, payload).expect("written");
    let github = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_EVENT_PATH", event.to_str().expect("a path")),
        ("GITHUB_REF", EVIL),
        ("GITHUB_HEAD_REF", EVIL),
        ("GITHUB_SHA", head.trim()),
        ("GITHUB_REPOSITORY", "octo/demo"),
        ("GITHUB_SERVER_URL", "https://github.com"),
        ("GITHUB_API_URL", "http://127.0.0.1:9"),
        ("GITHUB_STEP_SUMMARY", summary),
    ];
    for format in aidd_report::Format::value_variants() {
        let format = format.to_possible_value().expect("a name");
        let format = format.get_name();
        let found = run(&project, &["check", ".", "--format", format], &[]).expect_code(1);
        assert!(found.out.contains("team/evil"), "{}", found.out);
        run(&project, &["ci", "--base", "main", "--format", format], &github);
    }
    let found = run(&project, &["ci", "--base", "main"], &github).expect_code(1);
    assert!(found.out.contains("::error file="), "{}", found.out);
    let summary_text = fs::read_to_string(summary).expect("a summary");
    assert!(summary_text.contains("team/evil"), "{summary_text}");
    assert_harmless("summary", &summary_text, false);
    assert_markdown("summary", &summary_text);
    let text = run(&project, &["check", "."], &[]).out;
    assert!(text.contains("\\u{1b}[35m") && text.contains("\\u{202e}"), "{text}");
}

fn between_markers(text: &str) -> &str {
    let (_, block) = text.split_once("<!-- aidd:rules -->").expect("a first marker");
    block.split_once("<!-- /aidd:rules -->").expect("a last marker").0
}

#[test]
fn rules_are_exported_without_unsafe_markup() {
    let project = project(&valid_config());
    let page = |title: &str, text: &str| {
        format!(
            "---\nseverity: error\nhelp: {}\ncheck:\n  files: [{}]\n  text: {{ regex: 'x' }}\n---\n# {title}\n\n{text}\n",
            quoted(EVIL, true),
            quoted(&format!("*.txt{EVIL}"), true)
        )
    };
    let evil = EVIL.replace(['\r', '\n'], " ");
    project
        .write("rules/team/smuggler.md", page("team/smuggler", &format!("Never <b>so</b> {evil}")));
    project
        .write("rules/guide.md", format!("# A guide\n\nRead <img src=x> [me](command:x) {evil}\n"));
    run(&project, &["rule", "export", "agents-md"], &[]).expect_code(0);
    let text = fs::read_to_string(project.path().join("AGENTS.md")).expect("written");
    let block = between_markers(&text);
    assert!(block.contains("team/smuggler") && block.contains("- Read "), "{block}");
    assert_harmless("the block", block, false);
    assert_markdown("the block", block);
    let text = run(&project, &["rule", "export", "agents-md", "--stdout"], &[]).expect_code(0).out;
    assert_markdown("the block on standard output", between_markers(&text));
    // The markers are found again.
    run(&project, &["rule", "export", "agents-md", "--check"], &[]).expect_code(0);
}

#[test]
fn hostile_configuration_is_escaped_in_messages() {
    let evil = quoted(EVIL, false);
    let configs = [
        format!("{{{evil}: 1, \"failOn\": {evil}, \"rules\": {{{evil}: {evil}}}}}"),
        format!(
            "{{\"rules\": {{{evil}: \"error\"}}, \"compliance\": [{evil}], \"baseline\": {evil}}}"
        ),
        format!("{{ {EVIL}"),
    ];
    for config in configs {
        let project = project(&config);
        for args in [
            &["check", "."][..],
            &["check", ".", "--format", "github"],
            &["ci", "--base", "main"],
            &["config", "show"],
            &["doctor"],
            &["rule", "list"],
            &["baseline", "write"],
            &["init"],
            &["memory", "recent"],
            &["hook", "pre-tool-use"],
        ] {
            run(&project, args, &[]);
            run(&project, args, &[("GITHUB_ACTIONS", "true")]);
        }
    }
    let project = project(&valid_config());
    for name in
        ["AIDD_FORMAT", "AIDD_FAIL_ON", "AIDD_JOBS", "AIDD_EXCLUDE", "AIDD_CONFIG", "AIDD_BASELINE"]
    {
        run(&project, &["check", "."], &[(name, EVIL)]);
    }
}
