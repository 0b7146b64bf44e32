//! What the architecture forbids, as tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each engine module and the engine modules it may use, in reading order.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("listing", &[]),
    ("captures", &[]),
    ("files", &["listing", "paths"]),
    ("git", &["files", "paths"]),
    ("ignored", &["files", "paths"]),
    ("kind", &[]),
    ("comments", &["source", "kind", "parse"]),
    ("lines", &[]),
    ("escape", &[]),
    ("finding", &["source"]),
    ("config", &["finding", "paths"]),
    ("paths", &[]),
    ("parse", &["source"]),
    ("linters", &["files", "parse"]),
    ("stack", &["files", "kind", "parse"]),
    ("rule", &["source", "finding"]),
    ("registry", &["files", "finding", "kind", "config", "paths", "rule"]),
    (
        "patterns",
        &[
            "source", "files", "listing", "captures", "comments", "config", "finding", "imports",
            "kind", "manifest", "paths", "parse", "rule", "tokens",
        ],
    ),
    (
        "remembered",
        &["files", "kind", "lines", "finding", "config", "parse", "registry", "patterns"],
    ),
    ("manifest", &["files"]),
    ("imports", &["source", "files", "listing", "manifest", "parse", "paths"]),
    (
        "variants",
        &["source", "files", "finding", "config", "paths", "patterns", "registry", "rule"],
    ),
    (
        "commit_checks",
        &[
            "source", "files", "listing", "config", "finding", "paths", "patterns", "registry",
            "rule", "check",
        ],
    ),
    ("packs", &["source", "kind", "finding", "config", "paths", "registry"]),
    (
        "validators",
        &[
            "source",
            "files",
            "kind",
            "lines",
            "finding",
            "config",
            "paths",
            "parse",
            "rule",
            "registry",
            "remembered",
            "patterns",
            "packs",
            "linters",
        ],
    ),
    ("allow", &["source", "finding", "paths", "rule", "registry"]),
    ("secrets", &["source", "finding", "registry"]),
    ("select", &["finding", "config", "packs", "paths", "rule", "registry"]),
    (
        "check",
        &[
            "source",
            "files",
            "kind",
            "linters",
            "finding",
            "imports",
            "config",
            "packs",
            "paths",
            "parse",
            "rule",
            "registry",
            "patterns",
            "variants",
            "validators",
            "allow",
            "secrets",
            "select",
        ],
    ),
    (
        "project_checks",
        &[
            "source", "files", "kind", "listing", "finding", "imports", "paths", "patterns",
            "rule", "variants", "check",
        ],
    ),
    ("fix", &["source", "files", "finding", "check"]),
    (
        "examples",
        &[
            "source",
            "files",
            "kind",
            "listing",
            "finding",
            "parse",
            "paths",
            "patterns",
            "rule",
            "check",
            "commit_checks",
            "project_checks",
            "fix",
        ],
    ),
    (
        "rule_import",
        &[
            "source", "files", "finding", "paths", "parse", "patterns", "registry", "rule",
            "check", "examples",
        ],
    ),
    (
        "walk",
        &[
            "source",
            "files",
            "git",
            "ignored",
            "kind",
            "listing",
            "finding",
            "config",
            "paths",
            "registry",
            "validators",
            "check",
            "project_checks",
        ],
    ),
    (
        "suppress",
        &[
            "source", "files", "kind", "comments", "finding", "config", "packs", "parse",
            "registry", "select", "check",
        ],
    ),
    ("baseline", &["finding"]),
    (
        "guidance",
        &[
            "files",
            "git",
            "config",
            "paths",
            "embedding",
            "kind",
            "memory",
            "stack",
            "tokens",
            "walk",
        ],
    ),
    ("embedding", &[]),
    ("tokens", &[]),
    ("commit_message", &["source", "parse", "patterns"]),
    (
        "memory",
        &[
            "source",
            "files",
            "git",
            "kind",
            "lines",
            "config",
            "examples",
            "registry",
            "remembered",
            "secrets",
            "select",
            "check",
            "embedding",
        ],
    ),
    (
        "project",
        &[
            "source",
            "files",
            "git",
            "kind",
            "config",
            "paths",
            "registry",
            "remembered",
            "validators",
            "check",
            "baseline",
        ],
    ),
    (
        "diff",
        &[
            "source",
            "files",
            "git",
            "ignored",
            "listing",
            "finding",
            "config",
            "paths",
            "secrets",
            "check",
            "project_checks",
            "walk",
        ],
    ),
    (
        "weakened",
        &[
            "files", "ignored", "kind", "finding", "config", "packs", "paths", "rule", "registry",
            "check", "baseline",
        ],
    ),
    (
        "suggest",
        &[
            "source",
            "files",
            "git",
            "kind",
            "linters",
            "listing",
            "escape",
            "finding",
            "config",
            "packs",
            "paths",
            "rule",
            "registry",
            "patterns",
            "check",
            "commit_checks",
            "project_checks",
            "examples",
            "walk",
            "memory",
            "guidance",
            "project",
        ],
    ),
];

/// A source file may be longer if its head says why, in these words.
const LONG_BECAUSE: &str = "Over 500 lines because";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below `folder` with one of these endings: path relative to it, and text.
fn files(folder: &Path, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(&at).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(&*name, "target" | "node_modules" | ".git" | "fixtures") {
                    left.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let relative =
                    path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/");
                found.push((relative, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort();
    found
}

/// The part of a source file before its unit tests.
fn without_tests(text: &str) -> &str {
    let parts = text.rsplit_once("\n#[cfg(test)]\n");
    parts.filter(|(_, tests)| tests.contains("mod tests {")).map_or(text, |(code, _)| code)
}

#[test]
fn engine_modules_only_look_left() {
    let mut seen = BTreeSet::new();
    for (path, text) in files(&root().join("engine/src"), &[".rs"]) {
        let module = path.split(['/', '.']).next().expect("a name").to_owned();
        // Unit tests may use what stands below, wherever they are written.
        if module == "lib" || path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        let row = LAYERS.iter().find(|(name, _)| *name == module);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{path}: no row in LAYERS"));
        for used in without_tests(&text).split("crate::").skip(1) {
            let used =
                used.split(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a name");
            assert!(used == module || allowed.contains(&used), "engine/src/{path} uses {used}");
        }
        seen.insert(module);
    }
    assert_eq!(seen.len(), LAYERS.len(), "LAYERS names a module that is gone");
}

#[test]
fn the_engine_knows_no_door() {
    const DOORS: [&str; 7] =
        ["aidd_ci", "serde_sarif", "clap", "tokio", "tower_lsp", "rmcp", "octocrab"];
    let manifest = fs::read_to_string(root().join("engine/Cargo.toml")).expect("a manifest");
    for door in DOORS {
        let name = door.replace('_', "-");
        assert!(
            !manifest.lines().any(|line| line.starts_with(&name)),
            "the engine depends on {name}"
        );
    }
    for (path, text) in files(&root().join("engine/src"), &[".rs"]) {
        assert!(!text.contains("async fn"), "engine/src/{path} is asynchronous");
    }
}

#[test]
fn source_files_can_be_read_in_one_sitting() {
    let mut long = Vec::new();
    for folder in ["src", "content", "engine", "ci", "lsp", "mcp", "tests", "fuzz", "benches"] {
        let folder = root().join(folder);
        if !folder.is_dir() {
            continue;
        }
        for (path, text) in files(&folder, &[".rs"]) {
            let lines = text.lines().count();
            let head: String = text.lines().take(12).collect::<Vec<_>>().join("\n");
            if lines > 500 && !head.contains(LONG_BECAUSE) {
                long.push(format!("{}/{path}: {lines} lines", folder.display()));
            }
        }
    }
    assert!(long.is_empty(), "over 500 lines without a reason at the top:\n{}", long.join("\n"));
}

#[test]
fn no_code_is_left_half_done() {
    // Put together here, so that this file does not find itself.
    let marks = ["todo", "unimplemented"].map(|word| format!("{word}!("));
    for folder in ["src", "content/src", "engine/src", "ci/src", "mcp/src"] {
        for (path, text) in files(&root().join(folder), &[".rs"]) {
            for mark in &marks {
                assert!(!text.contains(mark.as_str()), "{folder}/{path} has {mark}");
            }
        }
    }
}
