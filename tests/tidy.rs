//! Tests of the rules of the architecture.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate and the crates it may depend on; top-level crates last.
const CRATES: &[(&str, &[&str])] = &[
    ("page", &[]),
    ("content", &["page"]),
    ("lexicon", &[]),
    ("engine", &["lexicon", "page"]),
    ("validators/markup", &["engine"]),
    ("validators", &["engine", "lexicon", "markup", "page"]),
    ("evolution", &["engine", "lexicon"]),
    ("memory", &["engine", "evolution", "lexicon"]),
    ("guidance", &["engine", "lexicon", "memory", "page"]),
    ("index", &["engine", "lexicon"]),
    ("pack", &["engine", "index", "lexicon", "memory"]),
    ("report", &["engine", "page"]),
    (
        "authoring",
        &["engine", "evolution", "guidance", "index", "lexicon", "memory", "page", "report"],
    ),
    ("ci", &["engine", "index", "report"]),
    (
        "cli",
        &[
            "authoring",
            "ci",
            "engine",
            "evolution",
            "guidance",
            "index",
            "lexicon",
            "memory",
            "pack",
            "page",
            "report",
        ],
    ),
    ("lsp", &["engine", "index", "memory", "page"]),
    (
        "mcp",
        &[
            "authoring",
            "engine",
            "evolution",
            "guidance",
            "index",
            "lexicon",
            "memory",
            "pack",
            "report",
        ],
    ),
];

/// The directories of the engine, in pipeline order: each can use itself and the preceding ones.
const PIPELINE: [&str; 7] = ["text", "parse", "project", "rules", "forms", "check", "workspace"];

/// Libraries that only certain crates are allowed to depend on.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("clap", &["report", "ci", "cli"]),
    ("octocrab", &["ci"]),
    ("ureq", &["cli"]),
    ("rusqlite", &["memory", "index"]),
    ("merman-core", &["validators"]),
    ("sqlparser", &["validators"]),
    ("squawk-linter", &["validators"]),
    ("squawk-syntax", &["validators"]),
    ("tower-lsp-server", &["lsp"]),
    ("rmcp", &["mcp"]),
    ("serde-sarif", &["report"]),
];

/// The library crates: their callers must be able to distinguish errors, not only print them.
const LIBRARY_CRATES: [&str; 11] = [
    "page",
    "lexicon",
    "engine",
    "validators/markup",
    "validators",
    "evolution",
    "memory",
    "guidance",
    "index",
    "pack",
    "authoring",
];

/// Exceptions: public functions of those crates whose error is a string, as `file::function`, and
/// why callers need not distinguish the errors.
const TEXT_ERRORS: &[(&str, &str)] = &[];

/// The start of the explanation in a source file's header of why the file is longer than the limit.
const LENGTH_REASON: &str = "Over 500 lines because";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below `folder` whose names end with one of `suffixes`: path relative to `folder`, and
/// text.
pub(crate) fn files(folder: &Path, suffixes: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(at) = pending.pop() {
        for entry in fs::read_dir(&at).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(&*name, "target" | "node_modules" | ".git" | "fixtures") {
                    pending.push(path);
                }
            } else if suffixes.iter().any(|suffix| name.ends_with(suffix)) {
                let relative = path
                    .strip_prefix(folder)
                    .expect("a path in the directory")
                    .to_string_lossy()
                    .replace('\\', "/");
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

/// The manifest of a crate.
fn crate_manifest(name: &str) -> toml_edit::DocumentMut {
    let path = root().join(name).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn crates_depend_only_on_lower_crates() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    for (name, allowed) in CRATES {
        assert!(
            manifest.contains(&format!("\"{name}\"")),
            "{name} is not a member of the workspace"
        );
        let manifest = crate_manifest(name);
        for table in ["dependencies", "build-dependencies"] {
            let listed = manifest.get(table).and_then(|table| table.as_table_like());
            for (used, _) in listed.into_iter().flat_map(|table| table.iter()) {
                if let Some(used) = used.strip_prefix("aidd-") {
                    assert!(allowed.contains(&used), "{name} depends on {used}");
                } else if let Some((_, users)) =
                    LIBRARIES.iter().find(|(library, _)| *library == used)
                {
                    assert!(users.contains(name), "{name} depends on {used}");
                }
            }
        }
    }
    let members = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let count = members.expect("members").split(',').filter(|name| name.contains('"')).count();
    assert_eq!(count, CRATES.len(), "a crate is missing in CRATES");
}

#[test]
fn the_engine_is_in_pipeline_order() {
    let mut seen = BTreeSet::new();
    for (path, text) in files(&root().join("engine/src"), &[".rs"]) {
        let Some((directory, _)) = path.split_once('/') else {
            assert_eq!(path, "lib.rs", "modules of the engine must be in a directory");
            continue;
        };
        seen.insert(directory.to_owned());
        // Unit tests can use later directories.
        if path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        let position_of = |name: &str| PIPELINE.iter().position(|known| *known == name);
        let own_position = position_of(directory)
            .unwrap_or_else(|| panic!("{path}: its directory is not in PIPELINE"));
        for used in without_tests(&text).split("crate::").skip(1) {
            let used =
                used.split(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a name");
            if let Some(used_position) = position_of(used) {
                assert!(
                    used_position <= own_position,
                    "engine/src/{path} uses the later directory {used}"
                );
            }
        }
        assert!(!text.contains("async fn"), "engine/src/{path} has an asynchronous function");
    }
    assert_eq!(seen.len(), PIPELINE.len(), "PIPELINE contains a directory that does not exist");
}

#[test]
fn only_the_program_and_tests_use_the_validators() {
    for (name, _) in CRATES.iter().filter(|(name, _)| *name != "validators") {
        for (path, text) in files(&root().join(name).join("src"), &[".rs"]) {
            let is_test = path.ends_with("tests.rs") || path.contains("/tests/");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let named = if is_test { "" } else { code };
            assert!(!named.contains("aidd_validators"), "{name}/src/{path} uses aidd_validators");
        }
    }
}

/// The return type of the function whose signature is at the start of `code`.
fn return_type(code: &str) -> &str {
    let (mut depth, mut start, mut before) = (0, None, ' ');
    for (at, c) in code.char_indices() {
        match c {
            '>' if before == '-' && depth == 0 => start = start.or(Some(at + 1)),
            '>' if before == '-' => {}
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            '{' | ';' if depth == 0 => {
                let result = start.map_or("", |start| &code[start..at]);
                return result.split("where").next().unwrap_or_default();
            }
            _ => {}
        }
        before = c;
    }
    ""
}

/// Whether a type contains a `Result` with a string as error.
fn has_text_error(kind: &str) -> bool {
    kind.match_indices("Result<").any(|(at, open)| {
        let (mut depth, mut last) = (0, 0);
        let inner = &kind[at + open.len()..];
        for (at, c) in inner.char_indices() {
            match c {
                '(' | '[' | '<' => depth += 1,
                '>' if depth == 0 => {
                    let error = inner[last..at].trim();
                    return last > 0 && matches!(error, "String" | "std::string::String");
                }
                ')' | ']' | '>' => depth -= 1,
                // Skip trailing commas.
                ',' if depth == 0 && !inner[at + 1..].trim_start().starts_with('>') => {
                    last = at + 1;
                }
                _ => {}
            }
        }
        false
    })
}

/// The public functions in `code` whose error is a string.
fn with_text_errors(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for start in ["pub fn ", "pub const fn ", "pub async fn "] {
        for (at, _) in code.match_indices(start) {
            let signature = &code[at + start.len()..];
            let end = signature.find(['(', '<']).unwrap_or_default();
            if has_text_error(return_type(signature)) {
                found.push(&signature[..end]);
            }
        }
    }
    found
}

#[test]
fn public_functions_have_distinguishable_errors() {
    let sample = "pub fn one<F: Fn() -> u8>(f: F, a: [u8; 2]) -> Result<(), String> {\n\
        pub fn two(\n    a: &str,\n) -> Option<Result<Vec<(u8, u8)>, String>>\nwhere\n    T: Copy,\n{\n\
        pub fn three(f: &dyn Fn() -> Result<u8, String>) -> Result<String, Error> {\n\
        pub(crate) fn four() -> Result<u8, String> {";
    assert_eq!(with_text_errors(sample), ["one", "two"]);
    let mut found = BTreeSet::new();
    for name in LIBRARY_CRATES {
        for (path, text) in files(&root().join(name).join("src"), &[".rs"]) {
            let is_test = path.ends_with("tests.rs") || path.contains("tests/");
            let code = if is_test { "" } else { without_tests(&text) };
            let all = with_text_errors(code).into_iter();
            found.extend(all.map(|function| format!("{name}/src/{path}::{function}")));
        }
    }
    let allowed: BTreeSet<String> = TEXT_ERRORS.iter().map(|(at, _)| (*at).to_owned()).collect();
    let new: Vec<&String> = found.difference(&allowed).collect();
    assert!(new.is_empty(), "use an error enum with `thiserror` for: {new:#?}");
    let gone: Vec<&String> = allowed.difference(&found).collect();
    assert!(gone.is_empty(), "remove from TEXT_ERRORS, no longer present: {gone:#?}");
    assert!(TEXT_ERRORS.iter().all(|(_, reason)| !reason.is_empty()), "a reason is missing");
}

#[test]
fn source_files_are_at_most_500_lines() {
    let mut long = Vec::new();
    let crates = CRATES.iter().map(|(name, _)| *name);
    for folder in crates.chain(["src", "tests", "fuzz", "benches"]) {
        let folder = root().join(folder);
        if !folder.is_dir() {
            continue;
        }
        for (path, text) in files(&folder, &[".rs"]) {
            let lines = text.lines().count();
            let head: String = text.lines().take(12).collect::<Vec<_>>().join("\n");
            if lines > 500 && !head.contains(LENGTH_REASON) {
                long.push(format!("{}/{path}: {lines} lines", folder.display()));
            }
        }
    }
    assert!(long.is_empty(), "over 500 lines without a reason at the top:\n{}", long.join("\n"));
}

#[test]
fn unsafe_code_is_only_in_one_file() {
    let crates = CRATES.iter().map(|(name, _)| format!("{name}/src"));
    let mut found = Vec::new();
    for folder in crates.chain(["src".to_owned()]) {
        let unsafe_files = files(&root().join(&folder), &[".rs"]).into_iter();
        let unsafe_files = unsafe_files.filter(|(_, text)| text.contains(" unsafe {"));
        found.extend(unsafe_files.map(|(path, _)| format!("{folder}/{path}")));
    }
    assert_eq!(found, ["memory/src/heap.rs"]);
}

/// The time limit of a check only stops a walk that calls `step` for each node.
#[test]
fn walks_over_syntax_trees_end_at_the_time_limit() {
    let mut found = 0;
    for folder in ["validators/src", "validators/markup/src"] {
        for (path, text) in files(&root().join(folder), &[".rs"]) {
            let starts = text.match_indices("\nimpl").map(|(at, _)| &text[at + 1..]);
            for code in starts {
                let head = code.lines().next().unwrap_or_default();
                let is_visitor =
                    head.contains(" Visit<'a> for ") || head.contains(" Visitor<'a> for ");
                if is_visitor {
                    found += 1;
                    let end = code.find("\n}\n").unwrap_or(code.len());
                    assert!(code[..end].contains("step();"), "{folder}/{path}: {head}");
                }
            }
        }
    }
    assert!(found > 8, "{found} visitors");
}

#[test]
fn no_unfinished_macros_remain() {
    // Assembled here, so that this file does not match itself.
    let marks = ["todo", "unimplemented"].map(|word| format!("{word}!("));
    let crates = CRATES.iter().map(|(name, _)| format!("{name}/src"));
    for folder in crates.chain(["src".to_owned()]) {
        for (path, text) in files(&root().join(&folder), &[".rs"]) {
            for mark in &marks {
                assert!(!text.contains(mark.as_str()), "{folder}/{path} contains {mark}");
            }
        }
    }
}
