//! Tests of how the project pass reports the findings of the forms.

use super::*;
use crate::check::Selection;
use crate::project::config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;

/// The findings of a page's rule among files, one line each: path, message, status.
fn findings(page: &str, config: &str, files: &[(&str, &str)]) -> Vec<String> {
    findings_for_page("rules/x.md", page, config, files)
}

fn findings_for_page(path: &str, page: &str, config: &str, files: &[(&str, &str)]) -> Vec<String> {
    let page = format!(
        "---\nseverity: warning\n{page}\n---\n# t/x\n\nWhy.\n\n## Template\n\n```\n# <pkg>\n```\n"
    );
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[(path.to_owned(), page)]);
    let rule = registry.get("t/x").expect("a rule");
    assert_eq!(forms::problems(rule), Vec::<String>::new());
    let config = config::read(if config.is_empty() { "{}" } else { config }).expect("valid").0;
    let engine = Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
        .expect("an engine");
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files = Memory(files.collect());
    let listing = Listing::new(files.0.keys().cloned());
    let globs =
        Globs::new(&config.include.unwrap_or_default(), &config.exclude.unwrap_or_default());
    let report = run(&engine, &globs.expect("valid"), &files, &listing);
    let line = |(source, checked): &(Source, CheckResult)| {
        let path = source.path().to_owned();
        let all = checked.findings.iter().map(move |finding| {
            let allowed = if finding.status == Status::Allowed { " (allowed)" } else { "" };
            format!("{path}: {}{allowed}", finding.message)
        });
        all.collect::<Vec<_>>()
    };
    report.files.iter().flat_map(line).collect()
}

fn findings_in_empty_files(page: &str, paths: &[&str]) -> Vec<String> {
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
    findings(page, "", &files)
}

const NONE: [&str; 0] = [];

#[test]
fn every_directory_must_have_its_required_files() {
    let page = "check:\n  tree: { each: 'packages/<pkg>/', exists: ['packages/<pkg>/README.md', '<path>/package.json | <path>/Cargo.toml'] }";
    let paths = [
        "packages/a/README.md",
        "packages/a/Cargo.toml",
        "packages/b/x",
        "packages/c/README.md",
        "other/y",
    ];
    assert_eq!(
        findings_in_empty_files(page, &paths),
        [
            "packages/b/README.md: `packages/b` has no `packages/b/README.md`",
            "packages/b/package.json: `packages/b` has no `packages/b/package.json` or `packages/b/Cargo.toml`",
            "packages/c/package.json: `packages/c` has no `packages/c/package.json` or `packages/c/Cargo.toml`",
        ]
    );
}

#[test]
fn a_finding_on_a_file_can_be_allowed_in_that_file() {
    let page = "message: '`<stem>` has no test'\ncheck:\n  exclude: ['*.test.ts', 'index.ts']\n  tree: { each: 'src/**/*.ts', exists: ['<dir>/<stem>.test.{ts,tsx} | tests/**/<stem>.test.ts'] }";
    let files = [
        ("src/a.ts", ""),
        ("src/a.test.ts", ""),
        ("src/b.ts", ""),
        ("tests/x/y/b.test.ts", ""),
        ("src/c.ts", ""),
        ("src/d/e.ts", concat!("// aidd:", "allow-file t/x generated\n")),
        ("src/index.ts", ""),
    ];
    assert_eq!(
        findings(page, "", &files),
        ["src/c.ts: `c` has no test", "src/d/e.ts: `e` has no test (allowed)"]
    );
    let disabled = r#"{"overrides": [{"files": ["src/c.ts"], "rules": {"t/x": "off"}}], "exclude": ["src/d/"]}"#;
    assert_eq!(findings(page, disabled, &files), NONE);
}

#[test]
fn names_uniqueness_and_limits_are_checked() {
    let page = "check:\n  tree: { each: 'src/**/*.ts', name: kebab }";
    assert_eq!(
        findings_in_empty_files(page, &["src/a-b.ts", "src/x/UserCard.test.ts"]),
        [
            "src/x/UserCard.test.ts: invalid name `UserCard.test.ts`; expected kebab case, such as `user-card.test`"
        ]
    );
    let page = "check:\n  tree: { each: 'docs/adr/<id>-*.md', unique: '<id>' }";
    assert_eq!(
        findings_in_empty_files(page, &["docs/adr/1-a.md", "docs/adr/1-b.md", "docs/adr/2-a.md"]),
        ["docs/adr/1-b.md: duplicate `1`: also in `docs/adr/1-a.md`"]
    );
    let page = "check:\n  params: { max: 2 }\n  tree: { each: '*.txt', lines: { max: \"${max}\" }, bytes: { min: 1 }, depth: { max: 1 } }";
    let files = [("a.txt", "1\n2\n"), ("b.txt", "1\n2\n3"), ("c.txt", "")];
    assert_eq!(
        findings(page, "", &files),
        ["b.txt: 3 lines, expected at most 2", "c.txt: 0 bytes, expected at least 1"]
    );
    let increased = r#"{"rules": {"t/x": {"params": {"max": 3}}}}"#;
    assert_eq!(findings(page, increased, &files), ["c.txt: 0 bytes, expected at least 1"]);
    let page = "check:\n  tree: { each: 'src/*/', count: { max: 1 } }";
    assert_eq!(
        findings_in_empty_files(page, &["src/a/1", "src/a/2/x", "src/b/1"]),
        ["src/a: 2 entries, expected at most 1"]
    );
    let page = "check:\n  tree: { each: 'LICENSE*', count: { min: 1, max: 1 } }";
    assert_eq!(findings_in_empty_files(page, &["LICENSE"]), NONE);
    assert_eq!(findings_in_empty_files(page, &["x"]), ["rules/x.md: 0 files, expected exactly 1"]);
}

#[test]
fn the_keys_absent_and_only_are_checked() {
    let page = "check:\n  exclude: ['fixtures/']\n  tree: { absent: ['**/node_modules/', '**/*.orig', .env] }";
    assert_eq!(
        findings_in_empty_files(
            page,
            &["a/node_modules/b/node_modules/c", "x.orig", "fixtures/y.orig", ".env", "b"]
        ),
        [
            ".env: `.env` must not exist",
            "a/node_modules: `a/node_modules` must not exist",
            "x.orig: `x.orig` must not exist",
        ]
    );
    let page = "check:\n  tree: { each: 'src/', only: ['*.ts', 'lib/'] }";
    assert_eq!(
        findings_in_empty_files(page, &["src/a.ts", "src/lib/x", "src/tools/y", "src/z.js"]),
        [
            "src/tools: `tools` does not belong here; only `*.ts`, `lib/` is allowed",
            "src/z.js: `z.js` does not belong here; only `*.ts`, `lib/` is allowed",
        ]
    );
}

#[test]
fn a_rule_in_a_directory_covers_only_that_directory() {
    let page = "check:\n  tree: { exists: [README.md], absent: ['**/*.bak'] }";
    let files = [("packages/a/x.bak", ""), ("packages/b/x.bak", "")];
    assert_eq!(
        findings_for_page("packages/a/.aidd/rules/x.md", page, "", &files),
        [
            "packages/a/README.md: `packages/a` has no `README.md`",
            "packages/a/x.bak: `packages/a/x.bak` must not exist",
        ]
    );
}

#[test]
fn conditions_apply_to_the_project_or_to_the_path() {
    let files =
        [("a/package.json", r#"{"type": "module"}"#), ("a/src/x.ts", ""), ("b/src/y.ts", "")];
    let when = |when: &str| {
        let page = format!(
            "check:\n  when: {when}\n  tree: {{ each: '**/*.ts', exists: ['<dir>/<stem>.md'] }}"
        );
        let found = findings(&page, "", &files);
        found
            .iter()
            .map(|line| line.split(':').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(when("{ nearest: package.json }"), ["a/src/x.ts"]);
    assert_eq!(when("{ not: { nearest: package.json } }"), ["b/src/y.ts"]);
    assert_eq!(when("{ file: '**/go.mod' }"), NONE);
    assert_eq!(when("{ file: ['go.mod', 'a/*.json'] }").len(), 2);
    assert_eq!(when("{ data: { file: a/package.json, at: '$.type', equals: module } }").len(), 2);
    assert_eq!(when("{ data: { file: a/package.json, at: '$.main', equals: x } }"), NONE);
    assert_eq!(when("[{ branch: main }, { file: a/package.json }]").len(), 2);
    assert_eq!(when("{ branch: main }"), NONE);
    assert_eq!(when("{ changed: 'x/**' }").len(), 2, "without a change the condition is met");
}

#[test]
fn ids_do_not_change_when_the_file_is_edited() {
    let page = "---\nseverity: info\ncheck:\n  tree: { each: '*.ts', exists: ['<stem>.md'] }\n---\n# t/x\n";
    let registry =
        Registry::new(crate::DISTRIBUTION.pages, &[("rules/x.md".to_owned(), page.to_owned())]);
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        registry,
        &config::Config::default(),
        &Selection::default(),
    );
    let engine = engine.expect("an engine");
    let id = |text: &str| {
        let files = Memory([("a.ts".to_owned(), text.as_bytes().to_vec())].into());
        let report = run(&engine, &Globs::all(), &files, &Listing::new(["a.ts".to_owned()]));
        report.files[0].1.findings[0].id.clone()
    };
    assert_eq!(id("let a"), id("let b\n\n"));
    assert_eq!(id("").len(), 16);
}

#[test]
fn a_slow_pattern_is_truncated_with_a_note() {
    let page = "---\nseverity: info\ncheck:\n  tree: { each: 'src/**/*.ts', exists: ['<dir>/**/<stem>.md'] }\n---\n# t/x\n";
    let registry =
        Registry::new(crate::DISTRIBUTION.pages, &[("rules/x.md".to_owned(), page.to_owned())]);
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        registry,
        &config::Config::default(),
        &Selection::default(),
    );
    let engine = engine.expect("an engine");
    let paths = (0..3000).map(|at| format!("src/{at}/{at}.ts"));
    let listing = Listing::new(paths);
    let report = run(&engine, &Globs::all(), &Memory::default(), &listing);
    assert_eq!(report.checked_by_rule.values().copied().collect::<Vec<_>>(), [3000]);
    assert!(report.notes[0].1.contains("was tested for 2000 subjects only"), "{:?}", report.notes);
    assert_eq!(report.files.len(), 2000, "untested subjects have no finding");
}

/// 47 rules on names over 21,000 files, as in the benchmarks: no file is read, and each rule checks
/// a path once.
#[test]
fn many_rules_on_many_files_report_each_fault_once() {
    let rule = |at: usize| {
        let page = format!(
            "---\nseverity: info\ncheck:\n  exclude: ['*.test.ts']\n  tree: {{ each: 'p{at}/<pkg>/**/*.ts', name: kebab, exists: ['p{at}/<pkg>/README.md', '<dir>/<stem>.test.ts | tests/**/<stem>.test.ts'] }}\n---\n# t/r{at}\n"
        );
        (format!("rules/{at}.md"), page)
    };
    let pages: Vec<(String, String)> = (0..47).map(rule).collect();
    let engine = Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &pages),
        &config::Config::default(),
        &Selection::default(),
    );
    let engine = engine.expect("an engine");
    let stem = |at: usize| format!("p{}/k{}/d{}/file-{at}", at % 50, at % 7, at % 11);
    let mut paths: Vec<String> = (0..10_500)
        .flat_map(|at| [format!("{}.ts", stem(at)), format!("{}.test.ts", stem(at))])
        .collect();
    paths.extend((0..50).flat_map(|at| (0..7).map(move |k| format!("p{at}/k{k}/README.md"))));
    paths.push("p3/k1/d2/BadName.ts".to_owned());
    let listing = Listing::new(paths.iter().cloned());
    let files = Memory(paths.into_iter().map(|path| (path, Vec::new())).collect());
    let report = run(&engine, &Globs::all(), &files, &listing);
    let found: Vec<&str> = report.files.iter().map(|(source, _)| source.path()).collect();
    assert_eq!(found, ["p3/k1/d2/BadName.ts"]);
    assert_eq!(report.checked_by_rule.values().sum::<usize>(), 47 * 210 + 1);
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

#[test]
fn undeclared_imports_of_an_unsaved_text_are_reported() {
    let page = "---\nseverity: warning\ncheck:\n  dependencies: { report: undeclared }\n---\n# t/x\n\nWhy.\n";
    let pages = [("rules/x.md".to_owned(), page.to_owned())];
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
    let config = config::read("{}").expect("valid").0;
    let engine = Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
        .expect("an engine");
    let text = "import { a } from 'jose';\n";
    let files =
        [("package.json", "{\"dependencies\": { \"lodash\": \"4\" }}\n"), ("src/a.ts", text)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let files = Memory(files.into());
    let listing = Listing::new(files.0.keys().cloned());
    let cache = ProjectPassCache::new(&engine, &Globs::all(), &files, listing);
    assert!(cache.checked_files().contains_key("src/a.ts"));
    let unsaved = |text: &str| {
        let source = Source::new("src/a.ts", text);
        let checked = check_text(&engine, &Globs::all(), &files, cache.listing(), &source);
        let findings = checked.expect("another text").findings;
        findings.iter().map(|finding| source.slice(finding.span).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(unsaved(&format!("\n{text}")).len(), 1);
    assert_eq!(unsaved("export const a = 1;\n"), NONE);
}
