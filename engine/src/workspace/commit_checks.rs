//! Runs the `commit` checks of all rules on messages, branch, title and change.
//!
//! A frontend collects the [`CommitInput`]; the results are returned as sources with findings, like
//! the results for files. The paths of these sources are virtual ([`commits::is_virtual_path`]).
//! Finding ids do not include the hash of the commit, so that they survive a rebase.

use crate::check::{CheckResult, Engine, Occurrences};
use crate::forms;
use crate::forms::commits::{self, CheckedText, Commit, CommitCheck, CommitInput, TouchedFile};
use crate::rules::rule::{Report, Rule, Settings};
use crate::text::files::{Files, Memory};
use crate::text::finding::{Finding, RuleId};
use crate::text::listing::Listing;
use crate::text::paths::scope_of;
use crate::text::source::Source;
use aidd_page::{ConventionalHeader, Form};
use std::collections::BTreeMap;

/// The result of the commit checks.
#[derive(Debug, Default)]
pub struct CommitReport {
    /// The texts with findings, in the order of [`CommitCheck::check`](crate::forms::commits::CommitCheck::check).
    pub texts: Vec<(Source, CheckResult)>,
    /// Rule → the number of texts that it was applied to.
    pub checked_by_rule: BTreeMap<RuleId, usize>,
}

/// The enabled `commit` rules with their compiled checks. An invalid rule is omitted; the error is
/// reported on the rule page.
fn rules(engine: &Engine) -> impl Iterator<Item = (&Rule, CommitCheck)> {
    let commit_rules =
        engine.registry().rules().iter().filter(|rule| rule.form == Some(Form::Commit));
    commit_rules.filter(|rule| engine.is_enabled_anywhere(&rule.id)).filter_map(|rule| {
        rule.check.as_ref()?.commit.as_ref()?;
        Some((rule, compile(rule)?))
    })
}

/// The compiled check of a `commit` rule.
fn compile(rule: &Rule) -> Option<CommitCheck> {
    let check = rule.check.as_ref()?;
    let base = rule.path.as_deref().map_or("", scope_of);
    let commit_check = CommitCheck::new(check.commit.as_ref()?, base).ok()?;
    commit_check.excluding(&check.exclude, base).ok()
}

/// The inputs that the enabled rules need, so that a frontend does not collect other inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitInputs {
    /// Whether any `commit` rule is enabled.
    pub any: bool,
    /// Whether the changed lines must be counted.
    pub lines: bool,
    /// Whether the members of the project are needed as scopes.
    pub members: bool,
}

/// The inputs that the rules of `engine` need.
#[must_use]
pub fn required_inputs(engine: &Engine) -> CommitInputs {
    rules(engine).fold(CommitInputs::default(), |inputs, (_, commit_check)| CommitInputs {
        any: true,
        lines: inputs.lines || commit_check.counts_lines(),
        members: inputs.members || commit_check.needs_members(),
    })
}

/// The Conventional Commits requirements of the rules of `engine`.
pub fn conventional(engine: &Engine) -> impl Iterator<Item = (&Rule, &ConventionalHeader)> {
    rules(engine).filter_map(|(rule, _)| {
        Some((rule, rule.check.as_ref()?.commit.as_ref()?.conventional.as_ref()?))
    })
}

/// The violations in one text, with their rules.
type Faults<'a> = Vec<(&'a Rule, commits::Fault)>;

/// Checks `input` with all enabled rules. Conditions are evaluated in `files`.
#[must_use]
pub fn run(engine: &Engine, input: &CommitInput, files: &dyn Files) -> CommitReport {
    let mut report = CommitReport::default();
    let mut keys: Vec<String> = Vec::new();
    let mut by_text: BTreeMap<String, (String, Faults<'_>)> = BTreeMap::new();
    for (rule, commit_check) in rules(engine) {
        if !engine.conditions_met(&rule.id, commits::CHANGE_PATH, files) {
            continue;
        }
        report.checked_by_rule.insert(rule.id.clone(), commit_check.checked_count(input));
        for CheckedText { path, text, faults } in commit_check.check(input) {
            // The text of a change differs between rules.
            let key = format!("{path}\n{text}");
            if !by_text.contains_key(&key) {
                keys.push(key.clone());
            }
            let (_, text_faults) = by_text.entry(key).or_insert_with(|| (text, Vec::new()));
            text_faults.extend(faults.into_iter().map(|fault| (rule, fault)));
        }
    }
    let mut seen = Occurrences::default();
    for key in keys {
        let Some((text, faults)) = by_text.remove(&key) else { continue };
        let path = key.split('\n').next().unwrap_or_default();
        let settings = engine.settings(path);
        report.texts.extend(finish(engine, (&settings, path), text, faults, &mut seen));
    }
    report
}

/// The findings of one rule in an example text, regardless of the configuration. `path` selects the
/// kind of text: [`commits::TITLE_PATH`], [`commits::BRANCH_PATH`], [`commits::CHANGE_PATH`]
/// (one path per line, prefixed with `A ` if it is new), otherwise a message.
#[must_use]
pub fn check_rule(
    engine: &Engine,
    rule: &Rule,
    (path, text): (&str, &str),
    files: &dyn Files,
) -> Vec<(Source, Finding)> {
    let Some(commit_check) = compile(rule) else { return Vec::new() };
    let paths = files.listing().map_or(&[][..], Listing::files);
    let members = commits::members(files, paths.iter().map(String::as_str));
    let mut input = CommitInput { members, ..CommitInput::default() };
    match path {
        commits::TITLE_PATH => input.title = Some(text.trim_end().to_owned()),
        commits::BRANCH_PATH => input.branch = Some(text.trim_end().to_owned()),
        commits::CHANGE_PATH => input.touched = Some(text.lines().map(touch).collect()),
        _ => input.commits = vec![Commit { message: text.to_owned(), ..Commit::default() }],
    }
    let settings = engine.settings_for_rule(&rule.id);
    let mut found = Vec::new();
    for CheckedText { path, text, faults } in commit_check.check(&input) {
        let faults = faults.into_iter().map(|fault| (rule, fault)).collect();
        let result = finish(engine, (&settings, &path), text, faults, &mut Occurrences::default());
        let Some((source, checked)) = result else { continue };
        let with_source = |finding| (Source::new(source.path(), source.text()), finding);
        found.extend(checked.findings.into_iter().map(with_source));
    }
    found
}

fn touch(line: &str) -> TouchedFile {
    let (path, added) = line.strip_prefix("A ").map_or((line, false), |path| (path, true));
    TouchedFile { path: path.to_owned(), added, lines: 1 }
}

/// The findings in one text.
fn finish(
    engine: &Engine,
    (settings, path): (&Settings, &str),
    text: String,
    faults: Vec<(&Rule, commits::Fault)>,
    seen: &mut Occurrences,
) -> Option<(Source, CheckResult)> {
    // The finding ids are computed with this path.
    let source = Source::new(commits::DIR.trim_end_matches('/'), text.as_str());
    let mut report = Report::new(&source, settings);
    for (rule, commits::Fault { span, message, help }) in faults {
        if !report.begin(&rule.id) {
            continue;
        }
        let page_message = rule.message.as_deref();
        let page_message =
            page_message.map(|page_message| forms::fill(page_message, &source, span, |_| None));
        let exact_message = page_message.as_ref().map(|_| match &help {
            Some(help) => format!("{message}: {help}"),
            None => message.clone(),
        });
        let finding = report.at(span, page_message.unwrap_or(message));
        finding.help = rule.help.clone().or(exact_message).or(help);
    }
    let findings = report.finish();
    if findings.is_empty() {
        return None;
    }
    // A commit message can contain secrets, which must not appear in any report.
    let secrets = engine.check_secrets(&source, &Memory::default()).secrets;
    let checked = engine.finish_findings_among(&source, findings, secrets, seen);
    Some((Source::new(path, text), checked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Selection;
    use crate::project::config;
    use crate::rules::registry::Registry;

    fn engine(config: &str) -> Engine {
        let page = "---\nseverity: warning\nmessage: 'not as agreed: <match>'\ncheck:\n  commit: { conventional: { types: [fix] }, title: true }\n---\n# t/x\n\nWhy.\n";
        let registry =
            Registry::new(crate::DISTRIBUTION.pages, &[("rules/x.md".to_owned(), page.to_owned())]);
        let rule = registry.get("t/x").expect("a rule");
        assert_eq!(forms::problems(rule), Vec::<String>::new());
        let config = config::read(if config.is_empty() { "{}" } else { config }).expect("valid").0;
        Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
            .expect("an engine")
    }

    fn input(hash: &str) -> CommitInput {
        let commit = Commit {
            hash: hash.repeat(40),
            message: "Some work\n".to_owned(),
            ..Commit::default()
        };
        CommitInput {
            commits: vec![commit],
            title: Some("feat: x".to_owned()),
            ..CommitInput::default()
        }
    }

    #[test]
    fn findings_have_the_message_of_the_page_and_ids_without_the_hash() {
        let report_of = |hash: &str| run(&engine(""), &input(hash), &Memory::default());
        let report = report_of("a");
        let messages: Vec<String> = report
            .texts
            .iter()
            .flat_map(|(source, checked)| {
                let all = checked.findings.iter();
                all.map(|finding| format!("{}: {}", source.path(), finding.message))
            })
            .collect();
        assert_eq!(
            messages,
            ["commit/aaaaaaaaaaaa: not as agreed: Some work", "commit/title: not as agreed: feat"]
        );
        assert_eq!(report.checked_by_rule["t/x"], 2);
        let id = |report: &CommitReport| report.texts[0].1.findings[0].id.clone();
        assert_eq!(id(&report), id(&report_of("b")));
        assert_eq!(
            required_inputs(&engine("")),
            CommitInputs { any: true, ..CommitInputs::default() }
        );
    }

    #[test]
    fn a_disabled_rule_reports_nothing() {
        let disabled = engine(r#"{"rules": {"t/x": "off"}}"#);
        assert!(run(&disabled, &input("a"), &Memory::default()).texts.is_empty());
        assert!(!required_inputs(&disabled).any);
        let without_titles =
            engine(r#"{"overrides": [{"files": ["commit/title"], "rules": {"t/x": "off"}}]}"#);
        assert_eq!(run(&without_titles, &input("a"), &Memory::default()).texts.len(), 1);
    }
}
