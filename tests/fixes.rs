//! Tests that fixes terminate, are idempotent, keep files parseable, and add no errors.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::config::{Config, Level, RuleSetting};
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Disk, Files, Listed, Memory};
use aidd_engine::text::finding::{Finding, Safety, Severity, Status};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Example, Expected};
use aidd_engine::workspace::fix::{
    applicable, apply, failing_fixes, fix_file, fix_findings, fixable,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
});

fn findings(path: &str, bytes: &[u8]) -> Vec<Finding> {
    let source = Source::decode(path, bytes.to_vec());
    ENGINE.check(&source, &Memory::default()).findings
}

fn syntax_errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.rule.ends_with("/syntax")).count()
}

fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Fixes a text and checks the guarantees. Returns the fixed text, or the guarantee that is violated.
fn check(path: &str, text: &str, safety: Safety) -> Result<String, String> {
    let before = findings(path, text.as_bytes());
    let once = fix_file(&ENGINE, path, text.as_bytes().to_vec(), &Memory::default(), safety);
    let after = findings(path, &once.bytes);
    let fixed = String::from_utf8_lossy(&once.bytes).into_owned();
    let failure = |why: &str| format!("{why}\n--- before\n{text}\n--- after\n{fixed}");
    if syntax_errors(&after) > syntax_errors(&before) {
        return Err(failure("the fixes broke the syntax"));
    }
    if errors(&after) > errors(&before) {
        return Err(failure("the fixes added errors"));
    }
    let twice = fix_file(&ENGINE, path, once.bytes.clone(), &Memory::default(), safety);
    if twice.bytes != once.bytes {
        return Err(failure("a second run changed the file again"));
    }
    let remaining = applicable(&after, safety).count();
    if remaining > 0 && once.fixed == 0 && once.undone.is_empty() {
        return Err(failure("a fix is offered but never applied"));
    }
    Ok(fixed)
}

/// An engine in which every rule is enabled, as in a project with every pack.
static ALL_RULES_ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let level = |rule: &Rule| RuleSetting::Level(Level::from_severity(rule.severity));
    let rules = registry.rules().iter().map(|rule| (rule.id.to_string(), level(rule)));
    let config = Config { rules: Some(rules.collect()), ..Config::default() };
    Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
        .expect("shipped rules")
});

/// The number of new findings that `filter` selects, by rule.
fn by_rule(findings: &[Finding], filter: impl Fn(&Finding) -> bool) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    let new = findings.iter().filter(|finding| finding.status == Status::New && filter(finding));
    new.for_each(|finding| *counts.entry(&*finding.rule).or_default() += 1);
    counts
}

/// The errors in the result of fixing an example with every rule enabled.
fn fix_errors(example: &Example, safety: Safety) -> Vec<String> {
    let listing = Listing::new(example.siblings.0.keys().cloned().chain([example.path.clone()]));
    let files = Listed { files: &example.siblings, listing: &listing };
    fix_errors_in(&example.path, example.text.as_bytes(), &files, safety).0
}

/// The errors in the result of fixing a file with every rule enabled, and the number of fixed
/// findings.
fn fix_errors_in(
    path: &str,
    text: &[u8],
    files: &dyn Files,
    safety: Safety,
) -> (Vec<String>, usize) {
    let check = |bytes: &[u8]| {
        let source = Source::decode(path, bytes.to_vec());
        ALL_RULES_ENGINE.check(&source, files).findings
    };
    let result = fix_file(&ALL_RULES_ENGINE, path, text.to_vec(), files, safety);
    let (before, after) = (check(text), check(&result.bytes));
    let mut failures = Vec::new();
    if parses(path, text) && !parses(path, &result.bytes) {
        failures.push("the file no longer parses".to_owned());
    }
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    let (old, new) = (by_rule(&before, is_error), by_rule(&after, is_error));
    for (rule, count) in &new {
        if count > old.get(rule).unwrap_or(&0) {
            failures.push(format!("new errors of {rule}"));
        }
    }
    let (old, new) = (by_rule(&before, |_| true), by_rule(&after, |_| true));
    let gone = old.iter().map(|(rule, count)| count.saturating_sub(*new.get(rule).unwrap_or(&0)));
    if gone.sum::<usize>() < result.fixed {
        failures.push(format!("{} findings are reported as fixed, but some remain", result.fixed));
    }
    let undone: BTreeSet<&str> = result.undone.iter().map(|fix| &*fix.id).collect();
    for finding in fixable(&after, safety).filter(|finding| !undone.contains(&*finding.id)) {
        let has_edits = finding.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty());
        if has_edits {
            failures.push(format!("a fix of {} is neither applied nor reported", finding.rule));
        }
    }
    (failures, result.fixed)
}

/// Whether a file of structured data parses; true for files in other formats.
fn parses(path: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    Format::from_path(path).is_none_or(|format| Values::read(format, &text).broken.is_none())
}

/// Maximum number of files that are fixed in each repository.
const MAX_CORPUS_FILES: usize = 300;
/// Maximum size in bytes of a file that is fixed.
const MAX_CORPUS_FILE: usize = 100_000;

/// The paths of the files of a repository, relative to `root`, without the directory of Git.
fn files_below(root: &Path) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let kind = entry.file_type().expect("a type");
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(entry.path());
            } else if kind.is_file()
                && let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str)
            {
                found.push(path.to_owned());
            }
        }
    }
    found.sort_unstable();
    found
}

/// Fixes files of the repositories in the directory `AIDD_CORPUS` with every rule enabled: findings
/// reported as fixed are gone, there are no new errors, and structured files still parse.
///
/// `AIDD_CORPUS=DIRECTORY cargo test --test tests -- --ignored fixes::fixes_hold_in_a_corpus`
#[test]
#[ignore = "requires a directory of repositories"]
#[expect(clippy::print_stdout, reason = "prints how much was checked")]
fn fixes_hold_in_a_corpus() {
    let corpus = std::env::var_os("AIDD_CORPUS").expect("AIDD_CORPUS names a directory");
    let repositories = fs::read_dir(corpus).expect("a directory").flatten();
    let roots = repositories.map(|entry| entry.path()).filter(|path| path.is_dir());
    let (mut failures, mut checked, mut total) = (Vec::new(), 0, 0);
    for root in roots {
        let paths = files_below(&root);
        let disk = Disk::new(&root);
        let listing = Listing::new(paths.iter().cloned());
        let files = Listed { files: &disk, listing: &listing };
        for path in paths.iter().step_by(paths.len() / MAX_CORPUS_FILES + 1) {
            let Ok(text) = fs::read(root.join(path)) else { continue };
            if text.len() > MAX_CORPUS_FILE || std::str::from_utf8(&text).is_err() {
                continue;
            }
            checked += 1;
            for safety in [Safety::Safe, Safety::Unsafe] {
                let (problems, fixed) = fix_errors_in(path, &text, &files, safety);
                total += fixed;
                let location = root.join(path).display().to_string();
                failures
                    .extend(problems.into_iter().map(|problem| format!("{location}: {problem}")));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(total > 0, "no finding was fixed in {checked} files");
    println!("{total} findings were fixed in {checked} files");
}

/// The violations of the guarantees by the fixes of an example, each applied alone as a quick fix or a
/// review suggestion: unless [`failing_fixes`] names the fix, its finding is gone, and there are no
/// new errors. Also returns the number of fixes that were applied.
fn single_fix_errors(example: &Example) -> (Vec<String>, usize) {
    let listing = Listing::new(example.siblings.0.keys().cloned().chain([example.path.clone()]));
    let files = Listed { files: &example.siblings, listing: &listing };
    let check = |bytes: &[u8]| {
        let source = Source::decode(&*example.path, bytes.to_vec());
        ALL_RULES_ENGINE.check(&source, &files).findings
    };
    let text = example.text.as_bytes();
    let before = check(text);
    let counts = by_rule(&before, |_| true);
    let errors = by_rule(&before, |finding| finding.severity == Severity::Error);
    let failing = failing_fixes(&ALL_RULES_ENGINE, &example.path, text.to_vec(), &files, &|_| true);
    let failing: BTreeSet<&str> = failing.iter().map(|fix| &*fix.id).collect();
    let (mut failures, mut applied) = (Vec::new(), 0);
    for finding in fixable(&before, Safety::Unsafe) {
        let fix = finding.fix.as_ref().expect("a fix");
        if fix.edits.is_empty() || failing.contains(&*finding.id) {
            continue;
        }
        let (bytes, count) = apply(text, &[fix]);
        assert_eq!(count, 1, "the edits of a fix of {}", finding.rule);
        applied += 1;
        let after = check(&bytes);
        let rule = &*finding.rule;
        if by_rule(&after, |_| true).get(rule).unwrap_or(&0) >= &counts[rule] {
            failures.push(format!("the fix of {rule} does not remove its finding"));
        }
        for (rule, count) in by_rule(&after, |finding| finding.severity == Severity::Error) {
            if count > *errors.get(rule).unwrap_or(&0) {
                failures.push(format!("the fix of {} adds an error of {rule}", finding.rule));
            }
        }
    }
    (failures, applied)
}

/// Applies each fix of every failing example of every page alone, with every rule enabled.
#[test]
fn a_single_fix_removes_its_finding_or_is_named_as_failing() {
    let (mut failures, mut applied) = (Vec::new(), 0);
    let has_fix = |rule: &&Rule| !rule.is_project_check() && !rule.id.starts_with("secrets/");
    for rule in ALL_RULES_ENGINE.registry().rules().iter().filter(has_fix) {
        let (examples, _) = examples::read(rule).expect("a readable page");
        for example in examples.iter().filter(|example| example.expected != Expected::Passes) {
            let (problems, count) = single_fix_errors(example);
            applied += count;
            let location = format!("{} line {}", rule.id, example.line);
            failures.extend(problems.into_iter().map(|problem| format!("{location}: {problem}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(applied > 300, "only {applied} fixes were applied");
}

/// Fixes every failing example of every page with every rule enabled: findings reported as fixed are
/// gone, there are no new errors, and each fix that was not applied is reported.
#[test]
fn fixed_findings_of_every_example_are_gone() {
    let mut failures = Vec::new();
    // Rule → whether one of its fixes removes its finding in one of its examples.
    let mut is_effective: BTreeMap<&str, bool> = BTreeMap::new();
    // No rule on secrets has a fix: only a person can revoke a key.
    let has_fix = |rule: &&Rule| !rule.is_project_check() && !rule.id.starts_with("secrets/");
    for rule in ALL_RULES_ENGINE.registry().rules().iter().filter(has_fix) {
        let (examples, _) = examples::read(rule).expect("a readable page");
        for example in examples.iter().filter(|example| example.expected != Expected::Passes) {
            for safety in [Safety::Safe, Safety::Unsafe] {
                let problems = fix_errors(example, safety);
                let location = || format!("{} line {}", rule.id, example.line);
                failures.extend(
                    problems.into_iter().map(|problem| format!("{}: {problem}", location())),
                );
            }
            let is_own = |finding: &Finding| finding.rule == rule.id && finding.fix.is_some();
            let source = Source::new(&*example.path, &*example.text);
            let files = &example.siblings;
            // Findings of comparisons between files exist only in a project.
            if ALL_RULES_ENGINE.check(&source, files).findings.iter().any(is_own) {
                let text = example.text.clone().into_bytes();
                let fixed = fix_findings(&ALL_RULES_ENGINE, &example.path, text, files, &is_own);
                *is_effective.entry(&*rule.id).or_default() |= fixed.fixed > 0;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let ineffective: Vec<&&str> =
        is_effective.iter().filter(|(_, is_effective)| !**is_effective).map(|(id, _)| id).collect();
    assert!(
        ineffective.is_empty(),
        "no fix removes its finding in the examples of {ineffective:?}"
    );
    assert!(is_effective.len() > 40, "only {} rules have fixes", is_effective.len());
}

#[test]
fn every_example_is_fixed_idempotently() {
    let mut failures = Vec::new();
    let mut changed = 0;
    for rule in ENGINE.registry().rules() {
        let (examples, _) = examples::read(rule).expect("a readable page");
        for example in examples.iter().filter(|example| example.expected != Expected::Passes) {
            for safety in [Safety::Safe, Safety::Unsafe] {
                match check(&example.path, &example.text, safety) {
                    Ok(repaired) => changed += usize::from(repaired != example.text),
                    Err(why) => failures.push(format!("{}: {why}", rule.id)),
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(changed > 50, "only {changed} examples were fixed");
}

/// Lines that occur in real Dockerfiles, each with something to fix or an edge case.
const LINES: [&str; 24] = [
    "FROM debian:12 as base",
    "from --platform=$TARGETPLATFORM node:20",
    "MAINTAINER \"a b\" <a@example.org>",
    "RUN apt-get update && apt-get install curl",
    "RUN apt install -y git \\",
    "    # a comment",
    "    vim",
    "RUN cd /app && make | tee log",
    "run pip install requests==2.0",
    "ADD . /app",
    "ADD a b c",
    "COPY a b dir",
    "ENV A 1 2 3",
    "ENV B=$A C=\"x y\"",
    "CMD node 'a b.js' $X",
    "ENTRYPOINT exec top",
    "WORKDIR app",
    "RUN <<EOF",
    "apt-get install x",
    "EOF",
    "EXPOSE 80/TCP",
    "",
    "RUN wget http://example.org/a | sh",
    "RUN yum install x && apk add y",
];

/// A keyword that a fix inserts has the case of the other keywords; otherwise a second run would change
/// it.
#[test]
fn inserted_keywords_have_the_case_of_the_file() {
    let text = "from node:20\nadd a.txt /b/\nmaintainer me\nRUN wget -q http://x.example/a | sh\n";
    let fixed = check("Dockerfile", text, Safety::Unsafe).expect("idempotent");
    let lower = "from node:20\ncopy a.txt /b/\nlabel org.opencontainers.image.authors=\"me\"\n\
        shell [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]\nrun wget -q http://x.example/a | sh\n";
    assert_eq!(fixed, lower);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_dockerfile_is_fixed_idempotently(
        lines in proptest::collection::vec(0..LINES.len(), 1..12),
        crlf in any::<bool>(),
    ) {
        let text: Vec<&str> = lines.iter().map(|&line| LINES[line]).collect();
        let text = text.join(if crlf { "\r\n" } else { "\n" });
        for safety in [Safety::Safe, Safety::Unsafe] {
            if let Err(why) = check("Dockerfile", &text, safety) {
                prop_assert!(false, "{}", why);
            }
        }
    }
}
