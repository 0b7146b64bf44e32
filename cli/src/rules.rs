//! `aidd rule`: lists, creates, tests and exports rules.

mod export;
mod import;
mod new;
mod packs;
mod suggest;
pub use crate::cli::{Form, RuleCommand};
use crate::explain;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::{self, Registry};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::text::finding::{Finding, RuleId};
use aidd_engine::text::kind::is_memory_path;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::rule_globs;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::examples;
use aidd_engine::workspace::memory_checks;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::layout;
use aidd_report::project::Project;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// Runs `aidd rule …`.
///
/// # Errors
/// Fails when a rule name is unknown, or a page cannot be written.
pub fn run(
    command: &RuleCommand,
    config: Option<&Path>,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    match command {
        RuleCommand::List { rules, json } => list(&project, rules, *json, color, io),
        RuleCommand::Packs { pack, json } => {
            packs::run(&project, pack.as_deref(), *json, color, io)
        }
        RuleCommand::New { id, form, language } => {
            new::run(&project, id, (*form, language.as_deref()), io)
        }
        RuleCommand::Test { rules } => test(&project, rules, io),
        RuleCommand::Export(args) => export::run(&project, args, io),
        RuleCommand::Import(args) => import::run(&project, args, io),
        RuleCommand::Suggest(args) => suggest::suggest(&project, args, io),
        RuleCommand::Coverage(args) => suggest::coverage(&project, args, io),
    }
}

fn select<'a>(registry: &'a Registry, names: &[String]) -> Result<Vec<&'a Rule>> {
    if names.is_empty() {
        return Ok(registry.rules().iter().collect());
    }
    let mut rules = Vec::new();
    for name in names {
        if name.contains(['*', '?', '{']) {
            let globs = rule_globs(&[name]).map_err(|error| UserError::new(error.to_string()))?;
            rules.extend(registry.rules().iter().filter(|rule| globs.is_match(&*rule.id)));
        } else if registry.contains(name) {
            rules.extend(registry.named(name));
        } else {
            return Err(explain::unknown_rule(registry, name).into());
        }
    }
    Ok(rules)
}

/// Lists rules with their severity in this project, which can differ from the severity in the page.
fn list(
    project: &Project,
    names: &[String],
    as_json: bool,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let engine = project.engine(&Selection::default())?;
    let settings = engine.settings("");
    let severity_in_project = |rule: &Rule| {
        let severity = settings.get(&rule.id).and_then(|setting| setting.severity);
        severity.map_or_else(|| "off".to_owned(), |severity| severity.to_string())
    };
    let rules = select(engine.registry(), names)?;
    if as_json {
        let rules: Vec<_> = rules
            .iter()
            .map(|rule| {
                json!({
                    "id": &*rule.id, "severity": rule.severity.to_string(), "enabled": rule.enabled,
                    "here": severity_in_project(rule), "aliases": rule.aliases, "tags": rule.tags, "summary": rule.summary, "path": rule.path,
                })
            })
            .collect();
        io.out.json(&rules)?;
        return Ok(Exit::Clean);
    }
    let style = io.style(color);
    let widest = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in &rules {
        let severity = severity_in_project(rule);
        let (on, off) = match (style.color, severity.as_str()) {
            (false, _) => ("", ""),
            (_, "error") => ("\x1b[31m", "\x1b[0m"),
            (_, "warning") => ("\x1b[33m", "\x1b[0m"),
            _ => ("\x1b[2m", "\x1b[0m"),
        };
        let aliases = if rule.aliases.is_empty() {
            String::new()
        } else {
            format!(" [{}]", rule.aliases.join(", "))
        };
        let memory_path = rule.path.as_deref().filter(|path| is_memory_path(path));
        let origin = memory_path.map(|path| format!(" ({path})")).unwrap_or_default();
        let prefix = format!("{on}{severity:8}{off}{:widest$}  ", one_line(&rule.id));
        let text = one_line(&format!("{}{aliases}{origin}", rule.summary));
        writeln!(io.out, "{}", layout::hanging(&prefix, &text, &style))?;
    }
    match rules.len() {
        0 => writeln!(io.err, "0 rules; `aidd rule list` without a pattern lists all rules")?,
        count => writeln!(io.err, "{}; `aidd explain RULE` shows details", number(count, "rule"))?,
    }
    Ok(Exit::Clean)
}

fn test(project: &Project, names: &[String], io: &mut Io<'_>) -> Result<Exit> {
    let engine = project.engine(&Selection::default())?;
    let registry = engine.registry();
    // Examples run with the page's own parameters, without the project's overrides.
    let default_engine = Engine::new(
        project.distribution(),
        project.registry(),
        &Config::default(),
        &Selection::default(),
    )?;
    let rules: Vec<&Rule> = if names.is_empty() {
        registry.rules().iter().filter(|rule| rule.path.is_some()).collect()
    } else {
        reject_malformed(project, names)?;
        select(registry, names)?
    };
    let counts = count_findings(project, &rules)?;
    let root = || Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &root());
    let mut failed = 0;
    let mut tested = 0;
    for rule in rules {
        let untouched = new::untouched_line(project, rule);
        if let (Some(line), Some(path)) = (untouched, &rule.path) {
            failed += 1;
            writeln!(
                io.out,
                "{path}:{line}:1: replace the text of the template: state the reason"
            )?;
        }
        if rule.check.is_none() && rule.path.is_some() {
            writeln!(io.out, "{}: guidance only, nothing to test", rule.id)?;
            continue;
        }
        if !aidd_engine::forms::problems(rule).is_empty() {
            // `invalid_pages` reports these problems below.
            continue;
        }
        tested += 1;
        let page = default_engine.registry().get(&rule.id).unwrap_or(rule);
        let failures = examples::run(&default_engine, page);
        failed += usize::from(!failures.is_empty() && untouched.is_none());
        for failure in &failures {
            let path_or_id = rule.path.as_deref().unwrap_or(&rule.id);
            match examples::split_line(failure) {
                (Some(line), failure) => writeln!(io.out, "{path_or_id}:{line}:1: {failure}")?,
                (None, failure) => writeln!(io.out, "{path_or_id}: {failure}")?,
            }
        }
        if !failures.is_empty() {
            for (line, trees) in examples::unmatched_trees(&default_engine, page) {
                let path_or_id = rule.path.as_deref().unwrap_or(&rule.id);
                writeln!(io.out, "{path_or_id}:{line}:1: no node of the example matches")?;
                for tree_line in trees.lines() {
                    writeln!(io.out, "  {tree_line}")?;
                }
            }
        }
        // Examples can pass even if the rule applies to no file of the project.
        let mut notes = describe_reach(&engine, rule, &project.disk, &listing);
        if let (Some(note), Some(count)) = (notes.first_mut(), counts.get(&*rule.id))
            && note != APPLIES_TO_NOTHING
        {
            *note = format!("{} in the project; {note}", number(*count, "finding"));
        }
        if rule.path.is_some() && !engine.is_enabled_anywhere(&rule.id) {
            notes.push("disabled; delete `enabled: false` from the header to enable it".to_owned());
        }
        for note in notes {
            writeln!(io.out, "{}: {note}", rule.id)?;
        }
    }
    let invalid = invalid_pages(project, &engine);
    for invalid in &invalid {
        writeln!(io.out, "{invalid}")?;
    }
    let untested = match invalid.len() {
        0 => String::new(),
        count => format!("; {} in rule pages", number(count, "problem")),
    };
    writeln!(io.err, "{} tested, {failed} failed{untested}", number(tested, "rule"))?;
    Ok(if failed == 0 && invalid.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// The number of findings of each of the project's rules on the files of the project; rules on
/// commits are omitted.
fn count_findings(project: &Project, rules: &[&Rule]) -> Result<HashMap<String, usize>> {
    let is_counted = |rule: &&&Rule| {
        let check = rule.check.as_ref().filter(|_| rule.path.is_some());
        check.is_some_and(|check| check.commit.is_none())
            && aidd_engine::forms::problems(rule).is_empty()
    };
    let only: Vec<String> =
        rules.iter().filter(is_counted).map(|rule| rule.id.to_string()).collect();
    if only.is_empty() {
        return Ok(HashMap::new());
    }
    let mut counts: HashMap<String, usize> = only.iter().map(|id| (id.clone(), 0)).collect();
    let engine = project.engine(&Selection { only, ..Selection::default() })?;
    let walk = Walk::over(vec![project.root().to_owned()]);
    let outcome = walk::check_tree(&engine, &project.config, &project.disk, &walk, &|| {})
        .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?;
    for finding in outcome.files.iter().flat_map(|file| &file.checked.findings) {
        if let Some(count) = counts.get_mut(&*finding.rule) {
            *count += 1;
        }
    }
    Ok(counts)
}

/// Fails if a page of the project that has one of these names cannot be used.
///
/// # Errors
/// The problems of these pages, with their places.
pub(crate) fn reject_malformed(project: &Project, names: &[String]) -> Result<()> {
    let globs = rule_globs(names).map_err(|error| UserError::new(error.to_string()))?;
    let is_named = |text: &str| {
        let title = text.lines().find_map(|line| line.strip_prefix("# "));
        title.is_some_and(|id| globs.is_match(id.trim()))
    };
    let is_broken = |path: &str, text: &str| match registry::project_rule(path, text) {
        Some(rule) => !aidd_engine::forms::problems(&rule).is_empty(),
        None => aidd_page::header(text).is_err(),
    };
    let broken: Vec<&str> = project
        .pages
        .iter()
        .filter(|(path, text)| is_named(text) && is_broken(path, text))
        .map(|(path, _)| path.as_str())
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    let engine = project.engine(&Selection::default())?;
    let problems: Vec<String> = invalid_pages(project, &engine)
        .into_iter()
        .filter(|problem| broken.iter().any(|path| problem.starts_with(&format!("{path}:"))))
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(UserError::new(problems.join("\n")).into()),
    }
}

/// The languages of new rules, by extension.
pub(crate) fn languages_of_new() -> impl Iterator<Item = &'static str> {
    new::languages()
}

/// The reach of a rule whose check selects nothing in the project.
pub(crate) const APPLIES_TO_NOTHING: &str = "applies to 0 files, so it cannot find anything";

/// Describes how many files, directories or imports the check of a rule applies to, and the limits
/// of the check.
pub(crate) fn describe_reach(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Vec<String> {
    let Some((count, notes)) = project_checks::selected(engine, rule, files, listing) else {
        return Vec::new();
    };
    if rule.check.as_ref().is_some_and(|check| check.commit.is_some()) {
        let note =
            "applies to commits, in `aidd ci`, `aidd check --diff BASE` and `aidd hook commit-msg`";
        return vec![note.to_owned()];
    }
    let matched = match (count, rule.is_project_check()) {
        (0, _) => APPLIES_TO_NOTHING.to_owned(),
        (_, true) if rule.check.as_ref().is_some_and(|check| check.layers.is_some()) => {
            format!("applies to {}", number(count, "import"))
        }
        (_, true) if rule.check.as_ref().is_some_and(|check| check.dependencies.is_some()) => {
            format!("applies to {}", number(count, "manifest"))
        }
        (1, true) => "applies to 1 file or directory".to_owned(),
        (_, true) => format!("applies to {count} files or directories"),
        (_, false) => format!("applies to {}", number(count, "file")),
    };
    std::iter::once(matched).chain(notes).collect()
}

/// Maximum number of rules that are named in a note on several rules.
const MAX_NAMED: usize = 3;

/// The notes on rules as lines; rules with equal notes share one line.
pub(crate) fn note_lines(notes: impl IntoIterator<Item = (RuleId, String)>) -> Vec<String> {
    let mut grouped: Vec<(String, Vec<RuleId>)> = Vec::new();
    for (rule, note) in notes {
        match grouped.iter_mut().find(|(known, _)| *known == note) {
            Some((_, rules)) => rules.push(rule),
            None => grouped.push((note, vec![rule])),
        }
    }
    let line = |(note, rules): (String, Vec<RuleId>)| match &rules[..] {
        [rule] => format!("{rule} {note}"),
        _ => {
            let named = rules.iter().take(MAX_NAMED).map(RuleId::to_string);
            let named = named.collect::<Vec<_>>().join(", ");
            let more = match rules.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{named}{more}: {note}")
        }
    };
    grouped.into_iter().map(line).collect()
}

/// The problems of rule pages and packs, and of memories whose check cannot run, each with its
/// path.
pub(crate) fn invalid_pages(project: &Project, engine: &Engine) -> Vec<String> {
    let rule_pages = project.pages.iter().filter(|(path, _)| !is_memory_path(path));
    let problems = rule_pages.flat_map(|(path, text)| {
        // Read the bytes of the page, because its text does not show whether it is valid UTF-8.
        let source = project.disk.read(path, SIDE_FILE_LIMIT).map_or_else(
            |_| Source::new(path.as_str(), text.as_str()),
            |bytes| Source::decode(path.as_str(), bytes),
        );
        problems_of("aidd/malformed-page", &source, path, (project, engine))
    });
    let faults = memory_checks::faults(&project.disk).into_iter();
    let faults = faults
        .map(|(path, id, why)| format!("{path}: {id}: {}", project.distribution().redact(&why)));
    problems.chain(faults).collect()
}

/// The findings that a rule on the project's own settings reports in `source`, one line each, with
/// the same messages as in `aidd check`. `path` is the displayed path of the file.
pub(crate) fn problems_of(
    rule: &str,
    source: &Source,
    path: &str,
    (project, engine): (&Project, &Engine),
) -> Vec<String> {
    let findings = engine.check_rule(&rule.into(), source, &project.disk).into_iter();
    let problem = |finding: Finding| {
        let at = source.position(finding.span.start, Encoding::CodePoints);
        let help = finding.help.map_or_else(String::new, |help| format!("; {help}"));
        let message = format!("{}{help}", finding.message);
        let message = project.distribution().redact(&one_line(&message));
        format!("{path}:{}:{}: {message}", at.line + 1, at.column + 1)
    };
    findings.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::note_lines;

    #[test]
    fn rules_with_equal_notes_share_a_line() {
        let note = |rule: &str, note: &str| (rule.into(), note.to_owned());
        let zero = "applies to 0 files";
        let notes = [note("a/b", zero), note("a/c", "applies to 2 files"), note("a/d", zero)];
        assert_eq!(note_lines(notes), ["a/b, a/d: applies to 0 files", "a/c applies to 2 files"]);
        let many = ["a/1", "a/2", "a/3", "a/4", "a/5"].map(|rule| note(rule, zero));
        assert_eq!(note_lines(many), ["a/1, a/2, a/3 and 2 more: applies to 0 files"]);
    }
}
