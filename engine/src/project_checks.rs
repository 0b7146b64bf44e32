//! The second pass: checks that look at the project as a whole, once its files are known.
//!
//! A form of check joins it by one arm in `join`: it is given a [`Scope`] and gives back a
//! [`Joined`]. Severity, conditions, allow comments, ids and the order of findings are settled here,
//! the same for all, so that a form only says what it found and where:
//! - [`Found::span`] of `None` speaks of the file as such, and its id is made of rule and path
//!   alone, so that it outlives edits of the file;
//! - a span stands in the text that [`Scope::files`] has of the file, and its id is made of its
//!   lines, as that of a finding of the first pass is.

use crate::check::{Checked, Engine};
use crate::files::{Files, Listed};
use crate::finding::{Finding, RuleId, Status};
use crate::kind::CONFIG_PATH;
use crate::listing::Listing;
use crate::paths::{Globs, scope_of};
use crate::patterns;
use crate::patterns::joined::{Found, Joined, Scope};
use crate::patterns::layers::{self, Imports};
use crate::patterns::tree::TreeCheck;
use crate::rule::{Report, Rule, Settings};
use crate::source::Source;
use aidd_content::page::{CheckHeader, Form};
use std::collections::BTreeMap;

/// What the second pass gave.
#[derive(Debug, Default)]
pub struct ProjectReport {
    /// The files with findings, by path; the source of a finding on the file as such is empty.
    pub files: Vec<(Source, Checked)>,
    /// Rule → how many files, folders or imports it judged; 0: it selected nothing.
    pub judged: BTreeMap<RuleId, usize>,
    /// What else there is to tell, by rule.
    pub notes: Vec<(RuleId, String)>,
}

/// The rules of the second pass that are on somewhere.
fn rules(engine: &Engine) -> impl Iterator<Item = (&Rule, &CheckHeader)> {
    let joined = engine.registry().rules().iter().filter(|rule| rule.is_joined());
    joined.filter_map(|rule| {
        let runs = engine.may_run(&rule.id);
        runs.then(|| rule.check.as_ref()).flatten().map(|check| (rule, check))
    })
}

/// Whether there is anything to do.
#[must_use]
pub fn has_any(engine: &Engine) -> bool {
    rules(engine).next().is_some()
}

/// Whether a rule asks what Git's index holds.
#[must_use]
pub fn asks_index(engine: &Engine) -> bool {
    rules(engine).any(|(_, check)| check.tree.as_deref().is_some_and(TreeCheck::asks_index))
}

/// Checks the project of the files in `listing`. `globs` are those of the configuration: what it
/// leaves out has no findings.
#[must_use]
pub fn run(engine: &Engine, globs: &Globs, files: &dyn Files, listing: &Listing) -> ProjectReport {
    let files = &Listed { files, listing };
    let mut report = ProjectReport::default();
    let mut by_path: BTreeMap<String, Vec<(&Rule, Found)>> = BTreeMap::new();
    let imports = Imports::new(engine.memo());
    for (rule, check) in rules(engine) {
        let joined = one(engine, (rule, check), globs, (files, &imports));
        report.judged.insert(rule.id.clone(), joined.judged);
        report.notes.extend(joined.notes.into_iter().map(|note| (rule.id.clone(), note)));
        for found in joined.found {
            let path = place(rule, &found);
            by_path.entry(path).or_default().push((rule, found));
        }
    }
    for (path, found) in by_path {
        let settings = engine.settings(&path);
        report.files.extend(settled(engine, &settings, &path, found, files));
    }
    report
}

/// What one rule finds in the project, whatever the configuration says of it: for its examples.
#[must_use]
pub fn check_rule(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Vec<(Source, Finding)> {
    let Some(check) = &rule.check else { return Vec::new() };
    let files = &Listed { files, listing };
    let settings = engine.alone(&rule.id);
    let holds = |path: &str| engine.conditions().hold(&rule.id, path, files);
    let imports = Imports::new(engine.memo());
    let joined = join(rule, check, &Globs::all(), (files, &imports), &holds);
    let mut by_path: BTreeMap<String, Vec<(&Rule, Found)>> = BTreeMap::new();
    for found in joined.found {
        by_path.entry(place(rule, &found)).or_default().push((rule, found));
    }
    let mut found = Vec::new();
    for (path, here) in by_path {
        for (source, checked) in settled(engine, &settings, &path, here, files) {
            let open = checked.findings.into_iter().filter(|one| one.status == Status::New);
            found.extend(open.map(|one| (Source::new(source.path(), source.text()), one)));
        }
    }
    found
}

/// How many files, folders or imports the check of a rule selects, whether or not the rule is on,
/// and what else there is to tell; `None` for a rule without a check in its page.
#[must_use]
pub fn selected(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Option<(usize, Vec<String>)> {
    let check = rule.check.as_ref()?;
    let files = &Listed { files, listing };
    let holds = |path: &str| engine.conditions().hold(&rule.id, path, files);
    if rule.is_joined() {
        let imports = Imports::new(engine.memo());
        let joined = join(rule, check, &Globs::all(), (files, &imports), &holds);
        return Some((joined.judged, joined.notes));
    }
    let page = rule.path.as_deref();
    let tried = |path: &&String| patterns::is_tried(check, page, path) && holds(path);
    // A glob is compiled once a call: what the rule looks at is found first.
    let globs = Globs::of_check(check, page);
    let count = listing.files().iter().filter(|path| globs.matches(path)).filter(tried).count();
    Some((count, Vec::new()))
}

fn one(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    (files, imports): (&Listed<'_>, &Imports<'_>),
) -> Joined {
    let runs_on = |path: &str| {
        let on = engine.settings(path).get(&rule.id).is_some_and(|one| one.severity.is_some());
        on && engine.conditions().hold(&rule.id, path, files)
    };
    join(rule, check, globs, (files, imports), &runs_on)
}

fn join(
    rule: &Rule,
    check: &CheckHeader,
    config: &Globs,
    (files, imports): (&Listed<'_>, &Imports<'_>),
    runs_on: &dyn Fn(&str) -> bool,
) -> Joined {
    let base = rule.path.as_deref().map_or("", scope_of);
    let globs = Globs::of_check(check, rule.path.as_deref());
    let runs_on = |path: &str| {
        !config.excludes(path) && !config.excludes(&format!("{path}/")) && runs_on(path)
    };
    let scope = Scope { listing: files.listing, files, globs: &globs, base, runs_on: &runs_on };
    // Where a form cannot be used, the page carries the finding.
    match (check.form(), &check.layers) {
        (Some(Form::Tree), _) => TreeCheck::new(check, base, patterns::template(rule))
            .map_or_else(|_| Joined::default(), |compiled| compiled.run(&scope)),
        (Some(Form::Layers), Some(header)) => {
            layers::run(header, &scope, imports).unwrap_or_default()
        }
        _ => Joined::default(),
    }
}

/// Where a finding is shown that speaks of no path: at the rule that asks for it.
fn place(rule: &Rule, found: &Found) -> String {
    match (&*found.path, &rule.path) {
        ("", Some(page)) => page.clone(),
        ("", None) => CONFIG_PATH.to_owned(),
        (path, _) => path.to_owned(),
    }
}

/// The findings at one path, on the file as such and in its text.
fn settled(
    engine: &Engine,
    settings: &Settings,
    path: &str,
    found: Vec<(&Rule, Found)>,
    files: &dyn Files,
) -> Vec<(Source, Checked)> {
    let limit = engine.max_file_size();
    let text = files.read(path, limit).map(|bytes| Source::decode(path, bytes));
    let text = text.unwrap_or_else(|_| Source::new(path, ""));
    let (in_text, as_such): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, found)| found.span.is_some());
    let mut settled = Vec::new();
    let mut settle = |source: Source, found: Vec<(&Rule, Found)>, text: Option<&Source>| {
        if found.is_empty() {
            return;
        }
        let mut report = Report::new(&source, settings);
        for (rule, found) in found {
            if report.begin(&rule.id) {
                state(rule, found, &source, &mut report);
            }
        }
        let mut findings = report.finish();
        engine.allow(text.unwrap_or(&source), &mut findings);
        // The line of a finding is shown, so it must not show a secret.
        let secrets = match text {
            Some(_) => Vec::new(),
            None => engine.check_secrets(&source, files).secrets,
        };
        let checked = engine.finished(&source, findings, secrets);
        settled.push((source, checked));
    };
    settle(Source::new(path, ""), as_such, Some(&text));
    settle(text, in_text, None);
    settled
}

/// Words a finding: as the rule's page says, else as its check does.
fn state(rule: &Rule, found: Found, source: &Source, report: &mut Report<'_>) {
    let Found { span, message, names, fix, related, .. } = found;
    let span = span.unwrap_or_default();
    let value = |name: &str| names.iter().rev().find(|(known, _)| known == name);
    let said = rule.message.as_deref().map(|text| {
        patterns::fill(text, source, span, |name| value(name).map(|(_, value)| value.clone()))
    });
    let help = match (&rule.help, &said) {
        (Some(help), _) => Some(help.clone()),
        // What exactly is wrong is not lost behind the page's own words.
        (None, Some(_)) => Some(message.clone()),
        (None, None) => None,
    };
    let finding: &mut Finding = report.at(span, said.unwrap_or(message));
    finding.help = help;
    finding.fix = fix;
    finding.related = related;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Selection;
    use crate::config;
    use crate::files::Memory;
    use crate::registry::Registry;

    /// What the rule of a page finds among files, a line each: path, message, status.
    fn found(page: &str, config: &str, files: &[(&str, &str)]) -> Vec<String> {
        found_at("rules/x.md", page, config, files)
    }

    fn found_at(path: &str, page: &str, config: &str, files: &[(&str, &str)]) -> Vec<String> {
        let page = format!(
            "---\nseverity: warning\n{page}\n---\n# t/x\n\nWhy.\n\n## Template\n\n```\n# <pkg>\n```\n"
        );
        let registry = Registry::new(&[(path.to_owned(), page)]);
        let rule = registry.get("t/x").expect("a rule");
        assert_eq!(patterns::problems(rule), Vec::<String>::new());
        let config = config::read(config).expect("valid").0;
        let engine = Engine::new(registry, &config, &Selection::default()).expect("an engine");
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        let files = Memory(files.collect());
        let listing = Listing::new(files.0.keys().cloned());
        let globs =
            Globs::new(&config.include.unwrap_or_default(), &config.exclude.unwrap_or_default());
        let report = run(&engine, &globs.expect("valid"), &files, &listing);
        let line = |(source, checked): &(Source, Checked)| {
            let path = source.path().to_owned();
            let all = checked.findings.iter().map(move |finding| {
                let allowed = if finding.status == Status::Allowed { " (allowed)" } else { "" };
                format!("{path}: {}{allowed}", finding.message)
            });
            all.collect::<Vec<_>>()
        };
        report.files.iter().flat_map(line).collect()
    }

    fn plain(page: &str, paths: &[&str]) -> Vec<String> {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
        found(page, "", &files)
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn every_folder_has_what_it_needs() {
        let page = "check:\n  tree: { each: 'packages/<pkg>/', exists: ['packages/<pkg>/README.md', '<path>/package.json | <path>/Cargo.toml'] }";
        let paths = [
            "packages/a/README.md",
            "packages/a/Cargo.toml",
            "packages/b/x",
            "packages/c/README.md",
            "other/y",
        ];
        assert_eq!(
            plain(page, &paths),
            [
                "packages/b/README.md: `packages/b` has no `packages/b/README.md`",
                "packages/b/package.json: `packages/b` has no `packages/b/package.json` or `packages/b/Cargo.toml`",
                "packages/c/package.json: `packages/c` has no `packages/c/package.json` or `packages/c/Cargo.toml`",
            ]
        );
    }

    #[test]
    fn a_file_is_told_of_itself_and_may_allow_it() {
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
            found(page, "", &files),
            ["src/c.ts: `c` has no test", "src/d/e.ts: `e` has no test (allowed)"]
        );
        let off = r#"{"overrides": [{"files": ["src/c.ts"], "rules": {"t/x": "off"}}], "exclude": ["src/d/"]}"#;
        assert_eq!(found(page, off, &files), NONE);
    }

    #[test]
    fn names_uniqueness_and_numbers() {
        let page = "check:\n  tree: { each: 'src/**/*.ts', name: kebab }";
        assert_eq!(
            plain(page, &["src/a-b.ts", "src/x/UserCard.test.ts"]),
            [
                "src/x/UserCard.test.ts: `UserCard.test.ts` is not named in kebab case: `user-card.test`"
            ]
        );
        let page = "check:\n  tree: { each: 'docs/adr/<id>-*.md', unique: '<id>' }";
        assert_eq!(
            plain(page, &["docs/adr/1-a.md", "docs/adr/1-b.md", "docs/adr/2-a.md"]),
            ["docs/adr/1-b.md: `1` is there twice: also in `docs/adr/1-a.md`"]
        );
        let page = "check:\n  params: { max: 2 }\n  tree: { each: '*.txt', lines: { max: \"${max}\" }, bytes: { min: 1 }, depth: { max: 1 } }";
        let files = [("a.txt", "1\n2\n"), ("b.txt", "1\n2\n3"), ("c.txt", "")];
        assert_eq!(
            found(page, "", &files),
            ["b.txt: 3 lines, where at most 2 may be", "c.txt: 0 bytes, where at least 1 may be"]
        );
        let more = r#"{"rules": {"t/x": {"params": {"max": 3}}}}"#;
        assert_eq!(found(page, more, &files), ["c.txt: 0 bytes, where at least 1 may be"]);
        let page = "check:\n  tree: { each: 'src/*/', count: { max: 1 } }";
        assert_eq!(
            plain(page, &["src/a/1", "src/a/2/x", "src/b/1"]),
            ["src/a: 2 entries, where at most 1 may be"]
        );
        let page = "check:\n  tree: { each: 'LICENSE*', count: { min: 1, max: 1 } }";
        assert_eq!(plain(page, &["LICENSE"]), NONE);
        assert_eq!(plain(page, &["x"]), ["rules/x.md: 0 files, where exactly 1 may be"]);
    }

    #[test]
    fn what_must_not_be_there_and_what_alone_may() {
        let page = "check:\n  exclude: ['fixtures/']\n  tree: { absent: ['**/node_modules/', '**/*.orig', .env] }";
        assert_eq!(
            plain(
                page,
                &["a/node_modules/b/node_modules/c", "x.orig", "fixtures/y.orig", ".env", "b"]
            ),
            [
                ".env: `.env` must not be there",
                "a/node_modules: `a/node_modules` must not be there",
                "x.orig: `x.orig` must not be there",
            ]
        );
        let page = "check:\n  tree: { each: 'src/', only: ['*.ts', 'lib/'] }";
        assert_eq!(
            plain(page, &["src/a.ts", "src/lib/x", "src/tools/y", "src/z.js"]),
            [
                "src/tools: `tools` does not belong here: only `*.ts`, `lib/` may",
                "src/z.js: `z.js` does not belong here: only `*.ts`, `lib/` may",
            ]
        );
    }

    #[test]
    fn a_rule_in_a_folder_covers_that_folder() {
        let page = "check:\n  tree: { exists: [README.md], absent: ['**/*.bak'] }";
        let files = [("packages/a/x.bak", ""), ("packages/b/x.bak", "")];
        assert_eq!(
            found_at("packages/a/.aidd/rules/x.md", page, "", &files),
            [
                "packages/a/README.md: `packages/a` has no `README.md`",
                "packages/a/x.bak: `packages/a/x.bak` must not be there",
            ]
        );
    }

    #[test]
    fn conditions_are_of_the_project_and_of_the_place() {
        let files =
            [("a/package.json", r#"{"type": "module"}"#), ("a/src/x.ts", ""), ("b/src/y.ts", "")];
        let when = |when: &str| {
            let page = format!(
                "check:\n  when: {when}\n  tree: {{ each: '**/*.ts', exists: ['<dir>/<stem>.md'] }}"
            );
            let found = found(&page, "", &files);
            found
                .iter()
                .map(|line| line.split(':').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(when("{ nearest: package.json }"), ["a/src/x.ts"]);
        assert_eq!(when("{ not: { nearest: package.json } }"), ["b/src/y.ts"]);
        assert_eq!(when("{ file: '**/go.mod' }"), NONE);
        assert_eq!(when("{ file: ['go.mod', 'a/*.json'] }").len(), 2);
        assert_eq!(
            when("{ data: { file: a/package.json, at: '$.type', equals: module } }").len(),
            2
        );
        assert_eq!(when("{ data: { file: a/package.json, at: '$.main', equals: x } }"), NONE);
        assert_eq!(when("[{ branch: main }, { file: a/package.json }]").len(), 2);
        assert_eq!(when("{ branch: main }"), NONE);
        assert_eq!(when("{ changed: 'x/**' }").len(), 2, "no change is judged");
    }

    #[test]
    fn ids_outlive_edits_of_the_file() {
        let page = "---\nseverity: info\ncheck:\n  tree: { each: '*.ts', exists: ['<stem>.md'] }\n---\n# t/x\n";
        let registry = Registry::new(&[("rules/x.md".to_owned(), page.to_owned())]);
        let engine = Engine::new(registry, &config::Config::default(), &Selection::default());
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
    fn a_pattern_that_would_be_slow_is_cut_short_and_says_so() {
        let page = "---\nseverity: info\ncheck:\n  tree: { each: 'src/**/*.ts', exists: ['<dir>/**/<stem>.md'] }\n---\n# t/x\n";
        let registry = Registry::new(&[("rules/x.md".to_owned(), page.to_owned())]);
        let engine = Engine::new(registry, &config::Config::default(), &Selection::default());
        let engine = engine.expect("an engine");
        let paths = (0..3000).map(|at| format!("src/{at}/{at}.ts"));
        let listing = Listing::new(paths);
        let report = run(&engine, &Globs::all(), &Memory::default(), &listing);
        assert_eq!(report.judged.values().copied().collect::<Vec<_>>(), [3000]);
        assert!(
            report.notes[0].1.contains("was tried for 2000 subjects only"),
            "{:?}",
            report.notes
        );
        assert_eq!(report.files.len(), 2000, "what was not tried is not blamed");
    }

    /// 47 rules of names over 21,000 files, as the peers are measured: reads nothing, and each rule
    /// looks at a path once.
    #[test]
    fn many_rules_over_many_files_find_each_fault_once() {
        let rule = |at: usize| {
            let page = format!(
                "---\nseverity: info\ncheck:\n  exclude: ['*.test.ts']\n  tree: {{ each: 'p{at}/<pkg>/**/*.ts', name: kebab, exists: ['p{at}/<pkg>/README.md', '<dir>/<stem>.test.ts | tests/**/<stem>.test.ts'] }}\n---\n# t/r{at}\n"
            );
            (format!("rules/{at}.md"), page)
        };
        let pages: Vec<(String, String)> = (0..47).map(rule).collect();
        let engine =
            Engine::new(Registry::new(&pages), &config::Config::default(), &Selection::default());
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
        assert_eq!(report.judged.values().sum::<usize>(), 47 * 210 + 1);
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}
