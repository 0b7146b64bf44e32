//! Every output tells the same findings by the same ids: one engine, one finding.

use aidd_engine::source::{Encoding, Source};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Runs the command line in `folder`; what it printed.
fn aidd(folder: &Path, args: &[&str]) -> String {
    let mut out = Vec::new();
    let mut err = Vec::new();
    let mut stdin: &[u8] = &[];
    let mut io = aidd_ci::Io {
        stdin: &mut stdin,
        out: Box::new(&mut out),
        err: Box::new(&mut err),
        cwd: folder.to_owned(),
        style: aidd_ci::report::Style::default(),
    };
    let _ = aidd_ci::run(["aidd"].iter().chain(args).map(OsString::from), &mut io);
    drop(io);
    assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
    String::from_utf8(out).expect("text")
}

/// A tree with findings of several kinds, one of them a secret.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("below")).expect("made");
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
fn json_and_sarif_tell_the_same_findings() {
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
    assert!(from_json.iter().any(|(rule, ..)| rule == "team/example"), "one of the whole project");
    assert!(
        from_json.iter().any(
            |(rule, _, line, column)| rule == "team/no-debugger" && (*line, *column) == (2, 16)
        )
    );
}

#[test]
fn the_editor_tells_the_findings_that_the_command_line_tells() {
    let folder = tree();
    let json: Value =
        serde_json::from_str(&aidd(folder.path(), &["check", "--format", "json"])).expect("JSON");
    let findings = json["findings"].as_array().expect("a list");
    let from_json: BTreeSet<(String, String, u64, u64)> = findings
        .iter()
        .map(|finding| {
            let start = &finding["start"];
            let place = (number(&start["line"]) - 1, number(&start["column"]) - 1);
            (text(&finding["rule"]), text(&finding["id"]), place.0, place.1)
        })
        .collect();
    let paths: BTreeSet<String> = findings.iter().map(|finding| text(&finding["path"])).collect();
    let workspace =
        Arc::new(aidd_lsp::workspace::Workspace::open(folder.path(), None).expect("a project"));
    let mut from_editor = BTreeSet::new();
    for path in paths {
        let place = folder.path().join(&path);
        let source = Source::new(path, fs::read_to_string(&place).expect("text"));
        let checked = workspace.check(&source, &workspace.project.disk);
        let snapshot = aidd_lsp::snapshot::Snapshot {
            uri: "file:///x".parse().expect("a URI"),
            version: None,
            source,
            checked,
            workspace: workspace.clone(),
            encoding: Encoding::CodePoints,
        };
        for one in aidd_lsp::convert::diagnostics(&snapshot) {
            let one = serde_json::to_value(one).expect("JSON");
            let start = &one["range"]["start"];
            let place = (number(&start["line"]), number(&start["character"]));
            from_editor.insert((text(&one["code"]), text(&one["data"]["id"]), place.0, place.1));
        }
    }
    assert!(from_json.len() >= 6, "{from_json:?}");
    assert_eq!(from_editor, from_json);
}

#[test]
fn ids_survive_lines_put_above() {
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
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 3, "same line, different ids");
}

#[test]
fn a_secret_shows_in_no_format() {
    let folder = tree();
    for format in ["text", "json", "sarif", "github", "markdown", "gitlab", "junit"] {
        let shown = aidd(folder.path(), &["check", ".", "--no-ignore", "--format", format]);
        assert!(!shown.contains("Vq7RkX2mZt9Lw"), "{format}");
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
