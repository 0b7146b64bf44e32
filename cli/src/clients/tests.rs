use super::*;
use aidd_report::Style;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

static TABLES: &Tables = &aidd_content::RULES;

/// A directory with the given files.
pub(super) fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let target = folder.path().join(path);
        fs::create_dir_all(target.parent().expect("a parent")).expect("made");
        fs::write(target, text).expect("written");
    }
    folder
}

/// All files in a directory, by path.
pub(super) fn files(root: &Path) -> BTreeMap<String, String> {
    let mut contents = BTreeMap::new();
    let mut remaining = vec![root.to_owned()];
    while let Some(folder) = remaining.pop() {
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                remaining.push(path);
            } else {
                let relative_path = path.strip_prefix(root).expect("a path in the directory");
                let name = relative_path.to_string_lossy().replace('\\', "/");
                contents.insert(name, fs::read_to_string(path).expect("text"));
            }
        }
    }
    contents
}

/// The output of a run, or its error.
pub(super) fn run_init(
    root: &Path,
    clients: &[Client],
    remove: bool,
    is_dry: bool,
) -> Result<String, String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let result = run(
        clients,
        remove,
        is_dry,
        &mut Io {
            stdin: &mut io::empty(),
            out: aidd_report::Output::new(&mut out),
            err: aidd_report::Output::new(&mut err),
            cwd: root.to_owned(),
            distribution: &crate::DISTRIBUTION,
            style: Style::default(),
        },
    );
    result.map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8([out, err].concat()).expect("text"))
}

fn set_up(root: &Path, client: Client) -> String {
    run_init(root, &[client], false, false).expect("set up")
}

#[test]
fn every_client_has_templates_and_facts() {
    let all = Client::value_variants();
    assert_eq!(CLIENTS.iter().map(|facts| facts.client).collect::<Vec<_>>(), all);
    for client in all {
        assert!(templates(TABLES, *client).count() >= 2, "{client:?}");
        let with_instructions =
            templates(TABLES, *client).filter(|template| template.text.contains("<!-- aidd -->\n"));
        assert_eq!(with_instructions.count(), 1, "{client:?} has one file with instructions");
    }
    let names: Vec<String> = all.iter().map(|client| client_name(*client)).collect();
    assert!(
        TABLES.templates.iter().all(|template| names.iter().any(|name| name == template.client))
    );
}

#[test]
fn an_empty_directory_is_set_up_and_restored() {
    for client in Client::value_variants() {
        let folder = project(&[]);
        set_up(folder.path(), *client);
        let written = files(folder.path());
        assert_eq!(written.len(), templates(TABLES, *client).count(), "{client:?}");
        let again = set_up(folder.path(), *client);
        let is_unchanged = |line: &str| line.starts_with("unchanged: ");
        assert!(again.lines().take(written.len()).all(is_unchanged), "{client:?}: {again}");
        assert_eq!(files(folder.path()), written, "{client:?}");
        run_init(folder.path(), &[*client], true, false).expect("removed");
        assert_eq!(files(folder.path()), BTreeMap::new(), "{client:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("a directory").count(), 0, "{client:?}");
        assert_eq!(
            run_init(folder.path(), &[*client], true, false).as_deref(),
            Ok(""),
            "{client:?}"
        );
    }
}

const SETTINGS: &str = "{
    // Mine.
    \"permissions\": { \"allow\": [\"Bash(ls)\"], },
    \"hooks\": {
        \"Stop\": [
            { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }, // loud
        ],
    },
}
";

#[test]
fn existing_content_keeps_its_comments_and_formatting() {
    let folder = project(&[(".claude/settings.json", SETTINGS)]);
    set_up(folder.path(), Client::ClaudeCode);
    let merged = files(folder.path()).remove(".claude/settings.json").expect("present");
    insta::assert_snapshot!(merged, @r#"
    {
        // Mine.
        "permissions": { "allow": ["Bash(ls)"], },
        "hooks": {
            "Stop": [
                { "hooks": [{ "type": "command", "command": "say done" }] }, // loud
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook stop",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "SessionStart": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook session-start",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "UserPromptSubmit": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook user-prompt",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "PreToolUse": [
                {
                    "matcher": "Edit|MultiEdit|Write|NotebookEdit",
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook pre-tool-use",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "PostToolUse": [
                {
                    "matcher": "Edit|MultiEdit|Write|NotebookEdit|Bash|Read",
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook post-tool-use",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "PostToolUseFailure": [
                {
                    "matcher": "Bash",
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook post-tool-use",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "PreCompact": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook pre-compact",
                            "timeout": 10,
                        },
                    ],
                },
            ],
            "SessionEnd": [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": "aidd hook session-end",
                            "timeout": 10,
                        },
                    ],
                },
            ],
        },
    }
    "#);
    run_init(folder.path(), &[Client::ClaudeCode], true, false).expect("removed");
    let expected = BTreeMap::from([(".claude/settings.json".to_owned(), SETTINGS.to_owned())]);
    assert_eq!(files(folder.path()), expected);
}

#[test]
fn differing_entries_are_not_changed() {
    let server =
        r#"{"mcpServers":{"aidd":{"command":"/opt/aidd","args":["mcp","--profile","lean"]}}}"#;
    let hook = r#"{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"aidd hook stop"}]}]}}"#;
    let folder = project(&[(".mcp.json", server), (".claude/settings.json", hook)]);
    let output = set_up(folder.path(), Client::ClaudeCode);
    assert!(output.contains("note: .mcp.json: `mcpServers.aidd` differs from"), "{output}");
    assert!(output.contains("note: .claude/settings.json: `hooks.Stop` differs from"), "{output}");
    assert_eq!(files(folder.path())[".mcp.json"], server);
    let output = run_init(folder.path(), &[Client::ClaudeCode], true, false).expect("removed");
    assert!(output.contains("unchanged: .mcp.json\n"), "{output}");
    let remaining: Value =
        serde_json::from_str(&files(folder.path())[".claude/settings.json"]).expect("JSON");
    assert_eq!(remaining, serde_json::from_str::<Value>(hook).expect("JSON"));
}

#[test]
fn a_malformed_file_is_reported_with_its_line_and_nothing_is_written() {
    for (client, path, text, expected_message) in [
        (
            Client::ClaudeCode,
            ".claude/settings.json",
            "{\n  \"hooks\": {\n",
            ".claude/settings.json:2:",
        ),
        (Client::ClaudeCode, ".mcp.json", "[]", ".mcp.json: expected an object"),
        (Client::ClaudeCode, ".mcp.json", "{\n'a': 1}", ".mcp.json:2:"),
        (Client::Cursor, ".cursor/hooks.json", "{\"hooks\": []}", "expected an object at `hooks`"),
        (Client::Codex, ".codex/config.toml", "a = 1\n[b\n", ".codex/config.toml:2:"),
        (Client::Codex, ".codex/config.toml", "mcp_servers = {}\n", "to be a table"),
        (Client::Codex, "AGENTS.md", "a\n<!-- aidd init -->\n", "AGENTS.md:2: <!-- aidd init -->"),
        (Client::Codex, "AGENTS.md", "<!-- /aidd init -->\n", "AGENTS.md:1: "),
    ] {
        let folder = project(&[(path, text)]);
        let error = run_init(folder.path(), &[client], false, false).expect_err(text);
        assert!(error.contains(expected_message), "{text}: {error}");
        let expected = BTreeMap::from([(path.to_owned(), text.to_owned())]);
        assert_eq!(files(folder.path()), expected, "{text}");
    }
    let folder = project(&[]);
    fs::write(folder.path().join(".mcp.json"), b"\xff\xfe{}").expect("written");
    let error = run_init(folder.path(), &[Client::ClaudeCode], false, false).expect_err("not text");
    let hint = "hint: save it as UTF-8 and retry; nothing was changed";
    assert_eq!(error, format!(".mcp.json: the file is not UTF-8\n{hint}"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_within_the_project() {
    let folder = project(&[("shared/mcp.json", "{}")]);
    let outside = project(&[]);
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).expect("linked");
    };
    link(Path::new("shared/mcp.json"), ".mcp.json");
    set_up(folder.path(), Client::ClaudeCode);
    assert!(folder.path().join(".mcp.json").is_symlink());
    assert!(files(folder.path())["shared/mcp.json"].contains("mcpServers"));
    link(outside.path(), ".cursor");
    let error = run_init(folder.path(), &[Client::Cursor], false, false).expect_err("outside");
    assert!(error.starts_with(".cursor/"), "{error}");
    assert!(error.contains("is a link to a file outside the project"), "{error}");
    assert_eq!(files(outside.path()), BTreeMap::new());
}

#[test]
fn toml_is_appended_and_removed_again() {
    let original = "# mine\nmodel = \"x\"\n\n[mcp_servers.docs] # theirs\ncommand = \"docs\"";
    for original in [original.to_owned(), original.replace('\n', "\r\n") + "\r\n", String::new()] {
        let folder = project(&[(".codex/config.toml", &original)]);
        set_up(folder.path(), Client::Codex);
        let text = files(folder.path()).remove(".codex/config.toml").expect("present");
        assert!(text.starts_with(&original), "{text:?}");
        assert!(text.replace("\r\n", "\n").ends_with(
            "[mcp_servers.aidd]\ncommand = \"aidd\"\nargs = [\"mcp\", \"--profile\", \"lean\"]\n"
        ));
        run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
        let remaining = files(folder.path()).remove(".codex/config.toml");
        assert_eq!(remaining.unwrap_or_default().trim_end(), original.trim_end());
    }
    let changed = "[mcp_servers.aidd]\ncommand = \"aidd\"\nargs = [\"mcp\"]\nenv = { A = \"b\" }\n";
    let folder = project(&[(".codex/config.toml", changed)]);
    let output = set_up(folder.path(), Client::Codex);
    assert!(output.contains("`mcp_servers.aidd` differs from the template"), "{output}");
    run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
    assert_eq!(files(folder.path())[".codex/config.toml"], changed);
}

#[test]
fn rules_are_rewritten_between_markers() {
    let original = "# Rules\n\nBe kind.\n";
    let folder = project(&[("AGENTS.md", original)]);
    set_up(folder.path(), Client::Zed);
    let text = files(folder.path()).remove("AGENTS.md").expect("present");
    assert!(text.starts_with("# Rules\n\nBe kind.\n\n<!-- aidd init -->\n## aidd\n"), "{text}");
    let outdated = text.replace("## aidd", "## older") + "\nMine too.\n";
    fs::write(folder.path().join("AGENTS.md"), outdated).expect("written");
    set_up(folder.path(), Client::Zed);
    assert_eq!(files(folder.path())["AGENTS.md"], format!("{text}\nMine too.\n"));
    run_init(folder.path(), &[Client::Zed], true, false).expect("removed");
    assert_eq!(files(folder.path())["AGENTS.md"], format!("{original}\nMine too.\n"));
}

#[test]
fn a_file_shared_with_another_client_is_not_removed() {
    let folder = project(&[]);
    run_init(folder.path(), &[Client::Codex, Client::Zed], false, false).expect("set up");
    run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
    let remaining: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(remaining, [".zed/settings.json", "AGENTS.md"]);
    run_init(folder.path(), &[Client::Zed], true, false).expect("removed");
    assert_eq!(files(folder.path()), BTreeMap::new());
}

#[test]
fn a_dry_run_shows_a_patch_and_writes_nothing() {
    let folder = project(&[(".mcp.json", "{\n  \"mcpServers\": {}\n}\n")]);
    let before = files(folder.path());
    let output = run_init(folder.path(), &[Client::ClaudeCode], false, true).expect("shown");
    assert_eq!(files(folder.path()), before);
    let patch = output.split_once("--- a/.mcp.json").expect("a patch").1;
    insta::assert_snapshot!(format!("--- a/.mcp.json{}", &patch[..patch.find("would").unwrap_or(patch.len())]), @r#"
    --- a/.mcp.json
    +++ b/.mcp.json
    @@ -1,3 +1,8 @@
     {
    -  "mcpServers": {}
    +  "mcpServers": {
    +    "aidd": {
    +      "command": "aidd",
    +      "args": ["mcp", "--profile", "lean"]
    +    }
    +  }
     }
    "#);
}

#[test]
fn a_failed_write_reverts_the_others() {
    // The path of the last file is a directory, so the file cannot be written.
    let folder = project(&[("AGENTS.md/x", "")]);
    let before = files(folder.path());
    let error = run_init(folder.path(), &[Client::Zed], false, false).expect_err("a directory");
    assert!(error.starts_with("AGENTS.md"), "{error}");
    assert_eq!(files(folder.path()), before);
}

/// A small JSON value.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~가é\\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,6}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// User hooks: entries for events that aidd uses and for other events.
fn any_hooks() -> impl Strategy<Value = Value> {
    let event =
        prop_oneof![Just("Stop".to_owned()), Just("PreToolUse".to_owned()), "[A-Z][a-z]{2,6}"];
    let entry =
        any_json().prop_map(|extra| json!({"hooks": [{"command": "mine"}], "extra": extra}));
    let entries = prop::collection::vec(entry, 1..3).prop_map(Value::from);
    prop::collection::vec((event, entries), 1..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_content_of_random_json_files_is_preserved(
        fields in prop::collection::vec(("[b-z]{1,6}", any_json()), 0..5),
        hooks in prop::option::of(any_hooks()),
        servers in prop::option::of(prop::collection::vec(("[b-z]{1,6}", any_json()), 1..3)),
        is_pretty in any::<bool>(),
        is_crlf in any::<bool>(),
    ) {
        let mut object: serde_json::Map<String, Value> = fields.into_iter().collect();
        object.insert("mine".into(), json!(1));
        object.remove("hooks");
        if let Some(hooks) = hooks {
            object.insert("hooks".into(), hooks);
        }
        if let Some(servers) = servers {
            object.insert("mcpServers".into(), Value::Object(servers.into_iter().collect()));
        }
        let value = Value::Object(object);
        let text = if is_pretty {
            serde_json::to_string_pretty(&value).expect("JSON")
        } else {
            value.to_string()
        };
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
        for template in TABLES.templates.iter().filter(|template| template.path.ends_with("json")) {
            let entries = template.text.replace("\r\n", "\n");
            // An array or a string where an object is expected is an error.
            let Ok(added) = json::add(&text, &entries) else { continue };
            let added = added.text.expect("text");
            let added_twice = json::add(&added, &entries).expect("added again").text.expect("text");
            prop_assert_eq!(&added_twice, &added);
            let merged: Value = serde_json::from_str(&added).expect("JSON");
            for (key, original) in value.as_object().expect("an object") {
                prop_assert!(contains(&merged[key], original), "{key}: {merged}");
            }
            let remaining = json::remove(&added, &entries).expect("removed").text.expect("user content stays");
            let mut remaining: Value = serde_json::from_str(&remaining).expect("JSON");
            // If the text had no `version`, the added one is not attributed to aidd and remains.
            if value.get("version").is_none() && let Some(remaining) = remaining.as_object_mut() {
                remaining.remove("version");
            }
            prop_assert_eq!(&remaining, &value, "{}", template.path);
        }
    }

    #[test]
    fn the_content_of_random_rules_and_toml_files_is_preserved(
        lines in prop::collection::vec("[a-z #*가-나]{0,8}", 0..6),
        keys in prop::collection::btree_map("[b-l]{1,5}", "[a-z ]{0,6}", 0..4),
        is_crlf in any::<bool>(),
    ) {
        let with_line_breaks = |text: String| if is_crlf { text.replace('\n', "\r\n") } else { text };
        let text = with_line_breaks(format!("mine\n{}\n", lines.join("\n")));
        let added = rules::add(Some(&text), "<!-- aidd -->\n", "say\n").expect("added");
        let added = added.text.expect("text");
        prop_assert!(added.starts_with(&text));
        let added_again = rules::add(Some(&added), "<!-- aidd -->\n", "say\n").expect("again");
        prop_assert_eq!(added_again.text.as_ref(), Some(&added));
        let remaining = rules::remove(&added, "<!-- aidd -->\n").expect("removed").text;
        prop_assert_eq!(remaining, Some(text));

        let table: String = keys.iter().map(|(key, text)| format!("{key} = \"{text}\" # x\n")).collect();
        let text = with_line_breaks(format!("mine = 1\n\n[mcp_servers.other]\n{table}"));
        let template = TABLES.templates.iter().find(|template| template.path.ends_with("toml")).expect("one").text;
        let template = template.replace("\r\n", "\n");
        let added = toml::add(&text, &template).expect("added").text.expect("text");
        prop_assert!(added.starts_with(&text));
        let added_again = toml::add(&added, &template).expect("again");
        prop_assert_eq!(added_again.text.as_ref(), Some(&added));
        prop_assert_eq!(added_again.differing.len(), 0);
        let remaining = toml::remove(&added, &template).expect("removed").text;
        prop_assert_eq!(remaining, Some(text));
    }

    #[test]
    fn editing_arbitrary_text_does_not_panic(text in "[\\[\\]{}:,\"a-c0-9 \n#=<>!/-]{0,60}") {
        for template in TABLES.templates {
            let _ = edit(TABLES, template, Some(&text), false);
            let _ = edit(TABLES, template, Some(&text), true);
        }
    }
}

/// Whether `actual` contains all of `expected`.
fn contains(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            expected.iter().all(|(key, part)| actual.get(key).is_some_and(|a| contains(a, part)))
        }
        (Value::Array(actual), Value::Array(expected)) => actual.starts_with(expected),
        (actual, expected) => actual == expected,
    }
}
