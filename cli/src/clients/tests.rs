use super::*;
use aidd_report::Style;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

static TABLES: &Tables = &aidd_content::RULES;

/// A directory with these files.
pub(super) fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().expect("below")).expect("made");
        fs::write(place, text).expect("written");
    }
    folder
}

/// All files in a directory, by path.
pub(super) fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else {
                let below = path.strip_prefix(root).expect("below");
                let name = below.to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(path).expect("text"));
            }
        }
    }
    found
}

/// The output of a run, or its error.
pub(super) fn run_init(
    root: &Path,
    clients: &[Client],
    remove: bool,
    is_dry: bool,
) -> Result<String, String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let ended = run(
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
    ended.map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8([out, err].concat()).expect("text"))
}

fn set_up(root: &Path, client: Client) -> String {
    run_init(root, &[client], false, false).expect("set up")
}

#[test]
fn every_client_has_its_files_and_its_facts() {
    let all = Client::value_variants();
    assert_eq!(CLIENTS.iter().map(|facts| facts.client).collect::<Vec<_>>(), all);
    for client in all {
        assert!(templates(TABLES, *client).count() >= 2, "{client:?}");
        let reported =
            templates(TABLES, *client).filter(|template| template.text.contains("<!-- aidd -->\n"));
        assert_eq!(reported.count(), 1, "{client:?} has one file with instructions");
    }
    let known: Vec<String> = all.iter().map(|client| word(*client)).collect();
    assert!(
        TABLES.templates.iter().all(|template| known.iter().any(|name| name == template.client))
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
        let is_kept = |line: &str| line.starts_with("kept ");
        assert!(again.lines().take(written.len()).all(is_kept), "{client:?}: {again}");
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
    let merged = files(folder.path()).remove(".claude/settings.json").expect("there");
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
                    "matcher": "Edit|MultiEdit|Write|NotebookEdit|Bash",
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
    let own =
        r#"{"mcpServers":{"aidd":{"command":"/opt/aidd","args":["mcp","--profile","lean"]}}}"#;
    let hook = r#"{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"aidd hook stop"}]}]}}"#;
    let folder = project(&[(".mcp.json", own), (".claude/settings.json", hook)]);
    let said = set_up(folder.path(), Client::ClaudeCode);
    assert!(said.contains("note: .mcp.json: `mcpServers.aidd` differs from"), "{said}");
    assert!(said.contains("note: .claude/settings.json: `hooks.Stop` differs from"), "{said}");
    assert_eq!(files(folder.path())[".mcp.json"], own);
    let said = run_init(folder.path(), &[Client::ClaudeCode], true, false).expect("removed");
    assert!(said.contains("kept .mcp.json\n"), "{said}");
    let left: Value =
        serde_json::from_str(&files(folder.path())[".claude/settings.json"]).expect("JSON");
    assert_eq!(left, serde_json::from_str::<Value>(hook).expect("JSON"));
}

#[test]
fn a_malformed_file_is_reported_with_its_line_and_nothing_is_written() {
    for (client, path, text, said) in [
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
        assert!(error.contains(said), "{text}: {error}");
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
fn links_are_followed_within_the_project_and_refused_outside() {
    let folder = project(&[("shared/mcp.json", "{}")]);
    let elsewhere = project(&[]);
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).expect("linked");
    };
    link(Path::new("shared/mcp.json"), ".mcp.json");
    set_up(folder.path(), Client::ClaudeCode);
    assert!(folder.path().join(".mcp.json").is_symlink());
    assert!(files(folder.path())["shared/mcp.json"].contains("mcpServers"));
    link(elsewhere.path(), ".cursor");
    let error = run_init(folder.path(), &[Client::Cursor], false, false).expect_err("outside");
    assert!(error.starts_with(".cursor/"), "{error}");
    assert!(error.contains("is a link to a file outside the project"), "{error}");
    assert_eq!(files(elsewhere.path()), BTreeMap::new());
}

#[test]
fn toml_is_appended_and_removed_again() {
    let own = "# mine\nmodel = \"x\"\n\n[mcp_servers.docs] # theirs\ncommand = \"docs\"";
    for own in [own.to_owned(), own.replace('\n', "\r\n") + "\r\n", String::new()] {
        let folder = project(&[(".codex/config.toml", &own)]);
        set_up(folder.path(), Client::Codex);
        let text = files(folder.path()).remove(".codex/config.toml").expect("there");
        assert!(text.starts_with(&own), "{text:?}");
        assert!(
            text.replace("\r\n", "\n")
                .ends_with("[mcp_servers.aidd]\ncommand = \"aidd\"\nargs = [\"mcp\"]\n")
        );
        run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
        let left = files(folder.path()).remove(".codex/config.toml");
        assert_eq!(left.unwrap_or_default().trim_end(), own.trim_end());
    }
    let changed = "[mcp_servers.aidd]\ncommand = \"aidd\"\nargs = [\"mcp\"]\nenv = { A = \"b\" }\n";
    let folder = project(&[(".codex/config.toml", changed)]);
    let said = set_up(folder.path(), Client::Codex);
    assert!(said.contains("`mcp_servers.aidd` differs from the template"), "{said}");
    run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
    assert_eq!(files(folder.path())[".codex/config.toml"], changed);
}

#[test]
fn rules_are_rewritten_between_markers() {
    let own = "# Rules\n\nBe kind.\n";
    let folder = project(&[("AGENTS.md", own)]);
    set_up(folder.path(), Client::Zed);
    let text = files(folder.path()).remove("AGENTS.md").expect("there");
    assert!(text.starts_with("# Rules\n\nBe kind.\n\n<!-- aidd init -->\n## aidd\n"), "{text}");
    let older = text.replace("## aidd", "## older") + "\nMine too.\n";
    fs::write(folder.path().join("AGENTS.md"), older).expect("written");
    set_up(folder.path(), Client::Zed);
    assert_eq!(files(folder.path())["AGENTS.md"], format!("{text}\nMine too.\n"));
    run_init(folder.path(), &[Client::Zed], true, false).expect("removed");
    assert_eq!(files(folder.path())["AGENTS.md"], format!("{own}\nMine too.\n"));
}

#[test]
fn a_file_shared_with_another_client_is_not_removed() {
    let folder = project(&[]);
    run_init(folder.path(), &[Client::Codex, Client::Zed], false, false).expect("set up");
    run_init(folder.path(), &[Client::Codex], true, false).expect("removed");
    let left: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(left, [".zed/settings.json", "AGENTS.md"]);
    run_init(folder.path(), &[Client::Zed], true, false).expect("removed");
    assert_eq!(files(folder.path()), BTreeMap::new());
}

#[test]
fn a_dry_run_shows_a_patch_and_writes_nothing() {
    let folder = project(&[(".mcp.json", "{\n  \"mcpServers\": {}\n}\n")]);
    let before = files(folder.path());
    let said = run_init(folder.path(), &[Client::ClaudeCode], false, true).expect("shown");
    assert_eq!(files(folder.path()), before);
    let patch = said.split_once("--- a/.mcp.json").expect("a patch").1;
    insta::assert_snapshot!(format!("--- a/.mcp.json{}", &patch[..patch.find("would").unwrap_or(patch.len())]), @r#"
    --- a/.mcp.json
    +++ b/.mcp.json
    @@ -1,3 +1,8 @@
     {
    -  "mcpServers": {}
    +  "mcpServers": {
    +    "aidd": {
    +      "command": "aidd",
    +      "args": ["mcp"]
    +    }
    +  }
     }
    "#);
}

#[test]
fn a_failed_write_reverts_the_others() {
    // A directory at the path of the last file.
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

/// User hooks: events that aidd uses and others, with entries.
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
    fn random_objects_survive(
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
            let wanted = template.text.replace("\r\n", "\n");
            // An array or a string where an object is expected is an error.
            let Ok(added) = json::add(&text, &wanted) else { continue };
            let added = added.text.expect("text");
            let twice = json::add(&added, &wanted).expect("added again").text.expect("text");
            prop_assert_eq!(&twice, &added);
            let merged: Value = serde_json::from_str(&added).expect("JSON");
            for (key, own) in value.as_object().expect("an object") {
                prop_assert!(contains(&merged[key], own), "{key}: {merged}");
            }
            let left = json::remove(&added, &wanted).expect("removed").text.expect("user content stays");
            let mut left: Value = serde_json::from_str(&left).expect("JSON");
            // A `version` without an earlier one cannot be attributed to anyone.
            if value.get("version").is_none() && let Some(left) = left.as_object_mut() {
                left.remove("version");
            }
            prop_assert_eq!(&left, &value, "{}", template.path);
        }
    }

    #[test]
    fn random_rules_and_tables_survive(
        lines in prop::collection::vec("[a-z #*가-나]{0,8}", 0..6),
        keys in prop::collection::btree_map("[b-l]{1,5}", "[a-z ]{0,6}", 0..4),
        is_crlf in any::<bool>(),
    ) {
        let ended = |text: String| if is_crlf { text.replace('\n', "\r\n") } else { text };
        let text = ended(format!("mine\n{}\n", lines.join("\n")));
        let added = rules::add(Some(&text), "<!-- aidd -->\n", "say\n").expect("added");
        let added = added.text.expect("text");
        prop_assert!(added.starts_with(&text));
        let again = rules::add(Some(&added), "<!-- aidd -->\n", "say\n").expect("again");
        prop_assert_eq!(again.text.as_ref(), Some(&added));
        let left = rules::remove(&added, "<!-- aidd -->\n").expect("removed").text;
        prop_assert_eq!(left, Some(text));

        let table: String = keys.iter().map(|(key, text)| format!("{key} = \"{text}\" # x\n")).collect();
        let text = ended(format!("mine = 1\n\n[mcp_servers.other]\n{table}"));
        let template = TABLES.templates.iter().find(|one| one.path.ends_with("toml")).expect("one").text;
        let template = template.replace("\r\n", "\n");
        let added = toml::add(&text, &template).expect("added").text.expect("text");
        prop_assert!(added.starts_with(&text));
        let again = toml::add(&added, &template).expect("again");
        prop_assert_eq!(again.text.as_ref(), Some(&added));
        prop_assert_eq!(again.differing.len(), 0);
        let left = toml::remove(&added, &template).expect("removed").text;
        prop_assert_eq!(left, Some(text));
    }

    #[test]
    fn any_text_is_handled(text in "[\\[\\]{}:,\"a-c0-9 \n#=<>!/-]{0,60}") {
        for template in TABLES.templates {
            let _ = edit(TABLES, template, Some(&text), false);
            let _ = edit(TABLES, template, Some(&text), true);
        }
    }
}

/// Whether `merged` contains all of `own`.
fn contains(merged: &Value, own: &Value) -> bool {
    match (merged, own) {
        (Value::Object(merged), Value::Object(own)) => {
            own.iter().all(|(key, own)| merged.get(key).is_some_and(|merged| contains(merged, own)))
        }
        (Value::Array(merged), Value::Array(own)) => merged.starts_with(own),
        (merged, own) => merged == own,
    }
}
