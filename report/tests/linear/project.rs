//! Tests that rule pages and a configuration are loaded in linear time, and that changed files are
//! compared in linear time.

use crate::linear::measure::{Case, assert_linear};
use crate::repository::Repository as TestRepository;
use aidd_engine::check::{Engine, SKIPPED, Selection};
use aidd_engine::project::config::{self, Config};
use aidd_engine::project::git::Repository;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::diff::{Head, compare};
use aidd_engine::workspace::walk::CheckedPaths;
use std::fmt::Write as _;

fn page(index: usize) -> (String, String) {
    let header = format!(
        "severity: warning\naliases: [T{index}, team/T{index}]\ncheck:\n  text: {{ regex: 'word{index}\\b', keywords: [word{index}] }}"
    );
    let text = format!("---\n{header}\n---\n# team/rule-{index}\n\nNot this word.\n");
    (format!("rules/{index:05}.md"), text)
}

fn engine(pages: &[(String, String)], config: &str) -> Engine {
    let (config, _) = config::read(config).expect("a configuration");
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, pages),
        &config,
        &Selection::default(),
    )
    .expect("valid rules")
}

#[test]
fn rule_pages_are_loaded_in_linear_time() {
    let pages = |n: usize| (0..n).map(page).collect::<Vec<_>>();
    let load = |pages: Vec<_>| drop(engine(&pages, "{}"));
    let check = |pages: Vec<_>| {
        let engine = engine(&pages, "{}");
        let last = format!("word{}\n", pages.len() - 1);
        let found = engine.check(&Source::new("a.txt", last), &Memory::default()).findings;
        assert_eq!(found.len(), 1);
    };
    let configured = |n: usize| {
        let mut rules = String::new();
        for index in 0..n {
            let _ = write!(rules, "\"team/rule-{index}\": \"error\",");
        }
        (
            pages(n),
            format!(
                "{{\"rules\": {{{rules}}}, \"overrides\": [{{\"files\": [\"*.md\"], \"rules\": {{{rules}}}}}]}}"
            ),
        )
    };
    let use_config = |(pages, config): (Vec<_>, String)| {
        let engine = engine(&pages, &config);
        let source = Source::new(".aidd/config.json", config);
        assert_eq!(engine.check(&source, &Memory::default()).findings, []);
    };
    let check_page = |pages: Vec<(String, String)>| {
        let engine = engine(&pages, "{}");
        let (path, text) = &pages[pages.len() / 2];
        let source = Source::new(path.as_str(), text.as_str());
        drop(engine.check(&source, &Memory::default()));
    };
    assert_linear([
        Case::new("rule pages loaded", 32_000, pages, load),
        Case::new("rule pages loaded, one file checked", 32_000, pages, check),
        Case::new("rule pages loaded, one page checked", 32_000, pages, check_page),
        Case::new("rule pages loaded, with a severity for each", 16_000, configured, use_config),
    ]);
}

/// Creates a repository whose last commit replaces `count` files: each added file differs from a
/// deleted file in `changed` of twenty lines.
fn replaced_files(count: usize, changed: usize) -> (TestRepository, Repository) {
    let repository = TestRepository::new();
    let mut stream = String::new();
    for (commit, name) in ["old", "new"].iter().enumerate() {
        let time = 1_750_000_000 + commit;
        let committer = format!("A <a@example.org> {time} +0000");
        let _ =
            write!(stream, "commit refs/heads/main\ncommitter {committer}\ndata 2\nm\ndeleteall\n");
        for index in 0..count {
            let line = |line: usize| {
                format!("{} {index} {line}\n", if line < changed { name } else { "same" })
            };
            let text: String = (0..20).map(line).collect();
            let length = text.len();
            let _ = write!(stream, "M 100644 inline {name}/{index}.txt\ndata {length}\n{text}\n");
        }
    }
    repository.import(&stream);
    let opened = Repository::open(repository.root()).expect("a repository");
    (repository, opened)
}

#[test]
fn renames_are_found_in_linear_time() {
    let assert_renames = |is_renamed: bool| {
        move |(test, repository): (TestRepository, Repository)| {
            let snapshot = |rev: &str| repository.snapshot(&test.rev(rev)).expect("a commit");
            let (base, head) = (snapshot("main~1"), snapshot("main"));
            let name = |path: &Option<String>| Some(path.as_ref()?.rsplit_once('/')?.1.to_owned());
            for change in repository.changes(&base, &head).expect("changes") {
                let (head_name, base_name) = (name(&change.head), name(&change.base));
                assert_eq!(head_name.is_some() && base_name.is_some(), is_renamed, "{change:?}");
                assert!(!is_renamed || head_name == base_name, "{change:?}");
            }
        }
    };
    assert_linear([
        Case::new(
            "different files deleted and added",
            4_000,
            |n| replaced_files(n, 20),
            assert_renames(false),
        ),
        Case::new(
            "files renamed and changed",
            4_000,
            |n| replaced_files(n, 8),
            assert_renames(true),
        ),
    ]);
}

#[test]
fn findings_of_both_sides_are_compared_in_linear_time() {
    let two_commits = |line: fn(usize) -> String| {
        move |count: usize| {
            let repository = TestRepository::new();
            let text = |end: &str| (0..count).map(|index| line(index) + end).collect::<String>();
            repository.commit(&[("a.txt", &text(";"))]);
            repository.commit(&[("a.txt", &text("; "))]);
            repository
        }
    };
    let compare_sides = |test: TestRepository| {
        let rule =
            "---\nseverity: warning\ncheck: { text: { regex: 'bad' } }\n---\n# team/bad\n\nNo.\n";
        let pages = [("rules/bad.md".to_owned(), rule.to_owned())];
        let engine = engine(&pages, "{}");
        let repository = Repository::open(test.root()).expect("a repository");
        let snapshot = |rev: &str| repository.snapshot(&test.rev(rev)).expect("a commit");
        let (base, head) = (snapshot("main~1"), snapshot("main"));
        let changes = repository.changes(&base, &head).expect("changes");
        let head = Head::Snapshot { files: &head, ignores: &head, branch: None };
        let compared = compare(
            &engine,
            &Config::default(),
            (&base, head),
            (&changes, &CheckedPaths::all()),
            &|| {},
        );
        assert_eq!(compared.expect("compared").changed, 1);
    };
    assert_linear([
        Case::new(
            "one changed line with all findings",
            60_000,
            two_commits(|_| "bad".to_owned()),
            compare_sides,
        ),
        Case::new(
            "changed lines with one finding each",
            60_000,
            two_commits(|index| format!("{index} bad\n")),
            compare_sides,
        ),
    ]);
}

#[test]
fn nested_repetitions_are_searched_in_linear_time() {
    let case = |(regex, end): (&'static str, &'static str)| {
        let make = move |n: usize| {
            let page = format!(
                "---\nseverity: warning\ncheck:\n  text: {{ regex: '{regex}' }}\n---\n# team/nested\n\nNo.\n"
            );
            (engine(&[("rules/nested.md".to_owned(), page)], "{}"), "a".repeat(n) + end)
        };
        Case::new(regex, 2 << 20, make, |(engine, text)| {
            drop(engine.check(&Source::new("a.txt", text), &Memory::default()));
        })
    };
    let expressions = [
        ("(a+)+$", "!"),
        ("(a|a)*b", ""),
        ("(a*)*c", "!"),
        ("(a{1,30}){1,30}b", "!"),
        // Each match searches for the first alternative up to the end of the line.
        (".*[^a-z]|[a-z]", ""),
        ("(.*)(.*)(.*)x", ""),
    ];
    assert_linear(expressions.map(case));
}

#[test]
fn the_rule_of_an_expression_that_takes_too_long_is_reported() {
    let page = "---\nseverity: warning\ncheck:\n  text: { regex: '.*[^a-z]|[a-z]', max: 9999999 }\n---\n# team/nested\n\nNo.\n";
    let engine = engine(&[("rules/nested.md".to_owned(), page.to_owned())], "{}");
    let text = "a".repeat(1 << 20);
    let findings = engine.check(&Source::new("a.txt", text), &Memory::default()).findings;
    let skipped = findings.iter().find(|finding| &*finding.rule == SKIPPED).expect("reported");
    let message = "time limit exceeded by the expression of `team/nested`; the file was searched only in part";
    assert_eq!(skipped.message, message);
}
