//! Tests that a walk opens every file that the selected rules can check, and few others.

use super::DISTRIBUTION;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Disk, Files as _};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Expected};
use aidd_engine::workspace::walk::{Walk, check_tree};
use std::collections::BTreeMap;

fn engine(only: Vec<String>) -> Engine {
    let only = Selection { only, ..Selection::default() };
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid")
}

#[test]
fn a_walk_opens_every_file_with_findings() {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let mut by_kind: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in registry.rules().iter().filter(|rule| !rule.is_project_check()) {
        by_kind.entry(rule.id.split('/').next().unwrap_or_default()).or_default().push(rule);
    }
    let (mut problems, mut count) = (Vec::new(), 0);
    for rules in by_kind.into_values() {
        let engine = engine(rules.iter().map(|rule| rule.id.to_string()).collect());
        for rule in rules {
            let (examples, _) = examples::read(rule).expect("valid examples");
            for example in examples.iter().filter(|it| it.expected != Expected::Passes) {
                count += 1;
                if !engine.may_check(&example.path) {
                    problems.push(format!("{}: {}", rule.id, example.path));
                }
            }
        }
    }
    assert!(problems.is_empty() && count > 500, "{count}\n{}", problems.join("\n"));
}

#[test]
fn a_walk_does_not_open_files_without_a_selected_rule() {
    let opens = |only: &str, path: &str| engine(vec![only.to_owned()]).may_check(path);
    for (only, path, expected) in [
        ("agents/*", "src/app.ts", false),
        ("agents/*", "docs/agents.md", false),
        ("agents/*", "plugins/a/agents/b.md", true),
        ("agents/*", "plugins/a/hooks/hooks.json", true),
        ("agents/*", "web/.cursor/rules/a.mdc", true),
        ("memory/*", "ai/memory/decisions.jsonl", true),
        ("memory/*", "src/app.ts", false),
        ("deps/*", "package.json", true),
        ("deps/*", "logo.png", false),
        ("secrets/*", "logo.png", true),
        ("aidd/*", "logo.png", true),
    ] {
        assert_eq!(opens(only, path), expected, "{only} {path}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes a project for the test")]
fn a_walk_finds_what_the_checks_of_all_files_find() {
    let folder = tempfile::tempdir().expect("a directory");
    let files = [
        ("AGENTS.md", "Read [the style](docs/missing.md).\n"),
        ("docs/agents.md", "Read [the style](missing.md).\n"),
        ("plugins/a/.claude-plugin/plugin.json", "{ \"name\": \"a\" }\n"),
        (
            "plugins/a/agents/b.md",
            "---\nname: b\ndescription: Reviews changes\ntools: Raed\n---\nReview.\n",
        ),
        ("ignored/CLAUDE.md", "@missing.md\n"),
        ("left/CLAUDE.md", "@missing.md\n"),
        ("CLAUDE.md", "@missing.md\n"),
        (".gitignore", "/ignored/\n"),
        ("src/app.ts", "export const app = 1;\n"),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    std::fs::create_dir(folder.path().join(".git")).expect("created");
    let disk = Disk::new(folder.path());
    let engine = engine(vec!["agents/*".to_owned()]);
    let config = Config { exclude: Some(vec!["left/".to_owned()]), ..Config::default() };
    let check = |paths: &[&str]| {
        let paths = paths.iter().map(|path| folder.path().join(path)).collect();
        check_tree(&engine, &config, &disk, &Walk::over(paths), &|| ()).expect("valid globs")
    };
    let found = |outcome: &aidd_engine::workspace::walk::Outcome| -> Vec<(String, String)> {
        let files = outcome.files.iter();
        files
            .flat_map(|file| {
                let path = file.source.path().to_owned();
                let findings = file.checked.findings.iter();
                findings.map(move |finding| (path.clone(), finding.message.clone()))
            })
            .collect()
    };
    // A walk over the root lists the files first; a walk over its parts does not.
    let root =
        check_tree(&engine, &config, &disk, &Walk::over(vec![folder.path().to_owned()]), &|| ());
    let root = root.expect("valid globs");
    let parts = check(&["AGENTS.md", "CLAUDE.md", ".gitignore", "docs", "left", "plugins", "src"]);
    assert_eq!(root.checked, 7);
    assert_eq!(root.visited, parts.visited);
    assert_eq!(found(&root), found(&parts));
    let each = files.iter().filter(|(path, _)| root.visited.contains(*path));
    let mut each: Vec<(String, String)> = each
        .flat_map(|(path, text)| {
            let source = Source::new(*path, *text);
            let findings = engine.check(&source, &disk).findings.into_iter();
            findings.map(move |finding| ((*path).to_owned(), finding.message))
        })
        .collect();
    each.sort();
    let mut all = found(&root);
    all.sort();
    all.retain(|(path, _)| path != "AGENTS.md");
    each.retain(|(path, _)| path != "AGENTS.md");
    assert_eq!(all, each);
    assert!(all.len() >= 2 && disk.exists("left/CLAUDE.md"));
}
