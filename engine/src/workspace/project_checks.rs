//! The project pass: checks that need all files of the project, run after the files are listed.
//!
//! A form of check is added to the pass with one arm in `run_form`, which passes a [`Scope`] to the
//! form and receives a [`ProjectResult`]. This module handles severity, conditions, allow comments,
//! ids and the order of findings for all forms, so that a form only returns its findings:
//! - [`ProjectFinding::span`] of `None` refers to the whole file, and the id of the finding is
//!   computed from rule and path alone, so that the id survives edits of the file;
//! - a span is relative to the text that [`Scope::files`] has for the file, and the id is computed
//!   from its lines, like the id of a finding of the file pass.

mod cache;
mod file_requests;

pub use cache::{Changes, CheckedFiles, ProjectPassCache};

use crate::check::{CheckResult, Engine};
use crate::forms;
use crate::forms::dependencies;
use crate::forms::dependencies::table::DependencyTable;
use crate::forms::layers::{self, Imports};
use crate::forms::project_form::{ProjectFinding, ProjectResult, Scope, Sizes};
use crate::forms::tree::TreeCheck;
use crate::forms::variants::{OverrideIndexes, Variant};
use crate::project::imports;
use crate::rules::rule::{Report, Rule, Settings};
use crate::text::files::{Files, Listed};
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::kind::CONFIG_PATH;
use crate::text::listing::Listing;
use crate::text::paths::{GlobError, Globs, scope_of};
use crate::text::source::Source;
use aidd_page::{CheckHeader, DependencyReport, Form, Guide};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The result of the project pass.
#[derive(Debug, Default)]
pub struct ProjectReport {
    /// The files with findings, by path; the source of a finding on a whole file is empty.
    pub files: Vec<(Source, CheckResult)>,
    /// Rule → the number of files, directories or imports that it checked.
    pub checked_by_rule: BTreeMap<RuleId, usize>,
    /// Notes on the run, by rule.
    pub notes: Vec<(RuleId, String)>,
}

/// The rules of the project pass that are enabled on some path.
fn rules(engine: &Engine) -> impl Iterator<Item = (&Rule, &CheckHeader)> {
    let project_rules = engine.registry().rules().iter().filter(|rule| rule.is_project_check());
    project_rules.filter_map(|rule| {
        let runs = engine.is_enabled_anywhere(&rule.id);
        runs.then(|| rule.check.as_ref()).flatten().map(|check| (rule, check))
    })
}

/// Whether any rule of the project pass is enabled.
#[must_use]
pub fn has_any(engine: &Engine) -> bool {
    rules(engine).next().is_some()
}

/// Whether a rule needs the contents of the Git index.
#[must_use]
pub fn needs_index(engine: &Engine) -> bool {
    rules(engine).any(|(_, check)| check.tree.as_deref().is_some_and(TreeCheck::needs_index))
}

/// Checks the project of the files in `listing`. `globs` are the globs of the configuration;
/// excluded paths have no findings.
#[must_use]
pub fn run(engine: &Engine, globs: &Globs, files: &dyn Files, listing: &Listing) -> ProjectReport {
    let files = &Listed { files, listing };
    let mut report = ProjectReport::default();
    let mut by_path: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    let imports = Imports::new(engine.facts_cache());
    let input =
        Input { files, imports: &imports, sizes: None, guides: engine.registry().tables().guides };
    for (rule, check) in rules(engine) {
        let result = run_rule(engine, (rule, check), globs, &input);
        report.checked_by_rule.insert(rule.id.clone(), result.checked);
        report.notes.extend(result.notes.into_iter().map(|note| (rule.id.clone(), note)));
        for found in result.found {
            let path = finding_path(rule, &found);
            by_path.entry(path).or_default().push((rule, found));
        }
    }
    for (path, found) in by_path {
        let settings = settings(engine, listing, &path);
        let text = text_of(engine, files, &path);
        report.files.extend(to_check_results(engine, &settings, text, found, files));
    }
    report
}

/// Maximum number of files whose imports are resolved again for a text that is being typed. In
/// larger projects the delay would be noticeable, so the imports are resolved when the file is
/// saved.
const MAX_TYPED_IMPORTS: usize = 5_000;

/// The findings of the rules on imports in the text of `source`, if this text differs from the file
/// that the last project pass read. `None` if the text does not differ, or the project is too
/// large.
#[must_use]
pub fn check_text(
    engine: &Engine,
    globs: &Globs,
    files: &dyn Files,
    listing: &Listing,
    source: &Source,
) -> Option<CheckResult> {
    let (path, cache) = (source.path(), engine.facts_cache());
    let is_on_imports = |(_, check): &(&Rule, &CheckHeader)| {
        let report = check.dependencies.as_ref().and_then(|header| header.report);
        check.form() == Some(Form::Layers) || report == Some(DependencyReport::Undeclared)
    };
    let rules: Vec<_> = rules(engine).filter(is_on_imports).collect();
    let is_known = rules.is_empty()
        || cache.is_current(path, source.text())
        || cache.count() > MAX_TYPED_IMPORTS;
    if is_known || !imports::is_supported(path) {
        return None;
    }
    let files = &Listed { files, listing };
    let imports = Imports::with_source(cache, files, listing, source);
    let input =
        Input { files, imports: &imports, sizes: None, guides: engine.registry().tables().guides };
    let mut findings_in_text: Vec<(&Rule, ProjectFinding)> = Vec::new();
    for (rule, check) in rules {
        let found = run_rule(engine, (rule, check), globs, &input).found.into_iter();
        findings_in_text
            .extend(found.filter(|found| found.path == path).map(|found| (rule, found)));
    }
    let text = Source::new(path, source.text());
    let checked =
        to_check_result(engine, &engine.settings(path), (text, findings_in_text), None, files);
    Some(checked.map_or_else(CheckResult::default, |(_, checked)| checked))
}

/// The findings of one rule in the project, regardless of the configuration: for its examples.
#[must_use]
pub fn check_rule(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Vec<(Source, Finding)> {
    let Some(check) = &rule.check else { return Vec::new() };
    let files = &Listed { files, listing };
    let settings = engine.settings_for_rule(&rule.id);
    let is_met = |path: &str| engine.conditions_met(&rule.id, path, files);
    let imports = Imports::new(engine.facts_cache());
    let input =
        Input { files, imports: &imports, sizes: None, guides: engine.registry().tables().guides };
    let result = find_by_params(engine, (rule, check), &Globs::all(), &input, &is_met);
    let mut by_path: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    for found in result.found {
        by_path.entry(finding_path(rule, &found)).or_default().push((rule, found));
    }
    let mut found = Vec::new();
    for (path, path_findings) in by_path {
        let text = text_of(engine, files, &path);
        for (source, checked) in to_check_results(engine, &settings, text, path_findings, files) {
            let new_findings =
                checked.findings.into_iter().filter(|finding| finding.status == Status::New);
            found.extend(
                new_findings.map(|finding| (Source::new(source.path(), source.text()), finding)),
            );
        }
    }
    found
}

/// The dependencies of the project of the files in `listing`, whether or not a rule on them is
/// enabled.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn dependency_table(
    engine: &Engine,
    config: &crate::project::config::Config,
    files: &dyn Files,
    listing: &Listing,
) -> Result<DependencyTable, GlobError> {
    let globs = super::walk::globs(config)?;
    let runs_on = |path: &str| !globs.excludes(path);
    let all = Globs::all();
    let scope = Scope { listing, files, globs: &all, base: "", runs_on: &runs_on, sizes: None };
    let imports = Imports::new(engine.facts_cache());
    Ok(dependencies::table::read(&scope, &imports, engine.registry().tables().guides))
}

/// The number of files, directories or imports that the check of a rule applies to, whether or not
/// the rule is enabled, and its notes; `None` for a rule without a page check.
#[must_use]
pub fn selected(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Option<(usize, Vec<String>)> {
    let check = rule.check.as_ref()?;
    let files = &Listed { files, listing };
    let is_met = |path: &str| engine.conditions_met(&rule.id, path, files);
    if rule.is_project_check() {
        let imports = Imports::new(engine.facts_cache());
        let input = Input {
            files,
            imports: &imports,
            sizes: None,
            guides: engine.registry().tables().guides,
        };
        let result = find_by_params(engine, (rule, check), &Globs::all(), &input, &is_met);
        return Some((result.checked, result.notes));
    }
    let count = paths_by_overrides(engine, rule, listing).into_iter().map(|(indexes, paths)| {
        let variant = variant(engine, indexes);
        let varied = variant.as_deref().filter(|variant| variant.has(&rule.id));
        let check = match varied {
            Some(variant) => variant.rule(&rule.id)?.check.as_ref()?,
            None => check,
        };
        let page = rule.path.as_deref();
        let applies = |path: &&&str| forms::applies_to(check, page, path) && is_met(path);
        // A glob is compiled once per call, so the paths are collected first.
        let globs = Globs::from_check(check, page);
        Some(paths.iter().filter(|path| globs.matches(path)).filter(applies).count())
    });
    Some((count.flatten().sum(), Vec::new()))
}

/// The paths of the project grouped by the overrides that apply to them, if the parameters of
/// `rule` differ by path; otherwise all paths in one group without overrides.
fn paths_by_overrides<'a>(
    engine: &Engine,
    rule: &Rule,
    listing: &'a Listing,
) -> BTreeMap<OverrideIndexes, Vec<&'a str>> {
    let all = || listing.files().iter().map(String::as_str);
    if !engine.variants().varies(&rule.id) {
        return BTreeMap::from([(OverrideIndexes::new(), all().collect())]);
    }
    let mut paths_by_overrides: BTreeMap<OverrideIndexes, Vec<&str>> =
        BTreeMap::from([(OverrideIndexes::new(), Vec::new())]);
    for path in all() {
        paths_by_overrides
            .entry(engine.variants().overrides_at(path, false))
            .or_default()
            .push(path);
    }
    paths_by_overrides
}

fn variant(engine: &Engine, indexes: OverrideIndexes) -> Option<Arc<Variant>> {
    (!indexes.is_empty()).then(|| engine.variants().for_overrides(indexes))
}

/// The input of the rules.
struct Input<'a> {
    files: &'a Listed<'a>,
    imports: &'a Imports<'a>,
    sizes: Option<Sizes<'a>>,
    /// The shipped guidance pages.
    guides: &'static [Guide],
}

fn run_rule(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    input: &Input<'_>,
) -> ProjectResult {
    let runs_on = |path: &str| {
        let settings = settings(engine, input.files.listing, path);
        let is_enabled = settings.get(&rule.id).is_some_and(|setting| setting.severity.is_some());
        is_enabled && engine.conditions_met(&rule.id, path, input.files)
    };
    find_by_params(engine, (rule, check), globs, input, &runs_on)
}

/// The settings at `path`, a file or a directory.
fn settings(engine: &Engine, listing: &Listing, path: &str) -> Arc<Settings> {
    if is_dir(listing, path) { engine.settings_of_dir(path) } else { engine.settings(path) }
}

fn is_dir(listing: &Listing, path: &str) -> bool {
    !path.is_empty() && listing.dirs().contains_key(path)
}

/// The findings of a rule on the paths that `runs_on` accepts, with the parameters that apply to
/// each path.
fn find_by_params(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    input: &Input<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> ProjectResult {
    let variants = engine.variants();
    if !variants.varies(&rule.id) {
        return run_form(rule, check, globs, input, runs_on);
    }
    let listing = input.files.listing;
    let indexes = |path: &str| variants.overrides_at(path, is_dir(listing, path));
    let tracked = listing.tracked().into_iter().flat_map(Listing::files);
    let paths = listing.files().iter().chain(listing.dirs().keys()).chain(tracked);
    let mut groups: BTreeSet<OverrideIndexes> = paths.map(|path| indexes(path)).collect();
    groups.insert(OverrideIndexes::new());
    let mut combined = ProjectResult::default();
    for group in groups {
        let is_in_group = |path: &str| indexes(path) == group && runs_on(path);
        let variant = variant(engine, group.clone()).filter(|variant| variant.has(&rule.id));
        let result = match &variant {
            None => run_form(rule, check, globs, input, &is_in_group),
            Some(variant) => match variant.rule(&rule.id).and_then(|rule| rule.check.as_ref()) {
                Some(check) => run_form(rule, check, globs, input, &is_in_group),
                None => invalid_overrides_note(variant, rule),
            },
        };
        combined.found.extend(result.found);
        combined.checked += result.checked;
        for note in result.notes {
            if !combined.notes.contains(&note) {
                combined.notes.push(note);
            }
        }
    }
    combined
}

/// The note on a rule that cannot run because of a combination of overrides; each override by
/// itself was checked when the engine was built.
fn invalid_overrides_note(variant: &Variant, rule: &Rule) -> ProjectResult {
    let invalid = variant.invalid.iter().filter(|(id, _)| *id == rule.id);
    let note = |(_, why): &(RuleId, String)| {
        format!(
            "did not run where several overrides apply, because their combination is invalid: {why}"
        )
    };
    ProjectResult { notes: invalid.map(note).collect(), ..ProjectResult::default() }
}

fn run_form(
    rule: &Rule,
    check: &CheckHeader,
    config: &Globs,
    input: &Input<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> ProjectResult {
    let Input { files, imports, sizes, guides } = *input;
    let base = rule.path.as_deref().map_or("", scope_of);
    let globs = Globs::from_check(check, rule.path.as_deref());
    let runs_on = |path: &str| {
        !config.excludes(path) && !config.excludes(&format!("{path}/")) && runs_on(path)
    };
    let runs_on = &runs_on;
    let scope = Scope { listing: files.listing, files, globs: &globs, base, runs_on, sizes };
    // If the check is invalid, the error is reported on the rule page.
    match (check.form(), &check.layers) {
        (Some(Form::Tree), _) => TreeCheck::new(check, base, forms::template(rule))
            .map_or_else(|_| ProjectResult::default(), |compiled| compiled.run(&scope)),
        (Some(Form::Layers), Some(header)) => {
            layers::run(header, &scope, imports).unwrap_or_default()
        }
        (Some(Form::Dependencies), _) => {
            check.dependencies.as_ref().map_or_else(ProjectResult::default, |header| {
                dependencies::run(header, &scope, imports, guides)
            })
        }
        _ => ProjectResult::default(),
    }
}

/// The path at which a finding is reported; for a finding without a path, the page of the rule.
fn finding_path(rule: &Rule, found: &ProjectFinding) -> String {
    match (&*found.path, &rule.path) {
        ("", Some(page)) => page.clone(),
        ("", None) => CONFIG_PATH.to_owned(),
        (path, _) => path.to_owned(),
    }
}

/// The text at a path with findings, if it can be read.
fn text_of(engine: &Engine, files: &dyn Files, path: &str) -> Source {
    let text = files.read(path, engine.max_file_size());
    text.map_or_else(|_| Source::new(path, ""), |bytes| Source::decode(path, bytes))
}

/// The findings at one path, on the whole file and in its `text`.
fn to_check_results(
    engine: &Engine,
    settings: &Settings,
    text: Source,
    found: Vec<(&Rule, ProjectFinding)>,
    files: &dyn Files,
) -> Vec<(Source, CheckResult)> {
    let path = text.path().to_owned();
    let (in_text, on_file): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, found)| found.span.is_some());
    let on_file = (Source::new(path, ""), on_file);
    let whole_file = to_check_result(engine, settings, on_file, Some(&text), files);
    let within_text = to_check_result(engine, settings, (text, in_text), None, files);
    whole_file.into_iter().chain(within_text).collect()
}

/// The findings on a whole file, whose text is `text`, or in the text of `source`.
fn to_check_result(
    engine: &Engine,
    settings: &Settings,
    (source, found): (Source, Vec<(&Rule, ProjectFinding)>),
    text: Option<&Source>,
    files: &dyn Files,
) -> Option<(Source, CheckResult)> {
    if found.is_empty() {
        return None;
    }
    let mut report = Report::new(&source, settings);
    for (rule, found) in found {
        if report.begin(&rule.id) {
            report_finding(rule, found, &source, &mut report);
        }
    }
    let mut findings = report.finish();
    let allowing = engine.allow(text.unwrap_or(&source), &mut findings);
    // The line of a finding is displayed, so the secrets in the line must be known.
    let secrets = match text {
        Some(_) => Vec::new(),
        None => engine.check_secrets(&source, files).secrets,
    };
    let checked = engine.finish_findings(&source, findings, secrets);
    Some((source, CheckResult { allowing, ..checked }))
}

/// Adds a finding with the message of the rule's page or, without one, of its check.
fn report_finding(rule: &Rule, found: ProjectFinding, source: &Source, report: &mut Report<'_>) {
    let ProjectFinding { span, message, names, fix, related, .. } = found;
    let span = span.unwrap_or_default();
    let value = |name: &str| names.iter().rev().find(|(known, _)| known == name);
    let page_message = rule.message.as_deref().map(|text| {
        forms::fill(text, source, span, |name| value(name).map(|(_, value)| value.clone()))
    });
    let help = match (&rule.help, &page_message) {
        (Some(help), _) => Some(help.clone()),
        // The page's message replaces the exact message, so the exact message goes into the help.
        (None, Some(_)) => Some(message.clone()),
        (None, None) => None,
    };
    let finding: &mut Finding = report.at(span, page_message.unwrap_or(message));
    finding.help = help;
    finding.fix = fix;
    finding.related = related;
}

#[cfg(test)]
mod tests;
