//! The project pass: checks that need all files of the project, run after the files are listed.
//!
//! A form of check is added to the pass by one arm in `join`: it takes a [`Scope`] and returns a
//! [`ProjectResult`]. Severity, conditions, allow comments, ids and the order of findings are
//! handled here for all forms, so that a form only returns its findings:
//! - [`ProjectFinding::span`] of `None` refers to the whole file, and the id of the finding is computed from
//!   rule and path alone, so it survives edits of the file;
//! - a span is relative to the text that [`Scope::files`] has for the file, and the id is computed
//!   from its lines, like that of a finding of the file pass.

mod cache;
mod file_requests;

pub use cache::{Changes, CheckedFiles, ProjectPassCache};

use crate::check::{Checked, Engine};
use crate::forms;
use crate::forms::layers::{self, Imports};
use crate::forms::project_form::{ProjectFinding, ProjectResult, Scope, Sizes};
use crate::forms::tree::TreeCheck;
use crate::forms::variants::{Applying, Variant};
use crate::project::imports;
use crate::rules::rule::{Report, Rule, Settings};
use crate::text::files::{Files, Listed};
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::kind::CONFIG_PATH;
use crate::text::listing::Listing;
use crate::text::paths::{Globs, scope_of};
use crate::text::source::Source;
use aidd_page::{CheckHeader, Form};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The result of the project pass.
#[derive(Debug, Default)]
pub struct ProjectReport {
    /// The files with findings, by path; the source of a finding on a whole file is empty.
    pub files: Vec<(Source, Checked)>,
    /// Rule → the number of files, directories or imports it checked; 0: it matched nothing.
    pub judged: BTreeMap<RuleId, usize>,
    /// Notes on the run, by rule.
    pub notes: Vec<(RuleId, String)>,
}

/// The rules of the project pass that are enabled on some path.
fn rules(engine: &Engine) -> impl Iterator<Item = (&Rule, &CheckHeader)> {
    let joined = engine.registry().rules().iter().filter(|rule| rule.is_project_check());
    joined.filter_map(|rule| {
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
pub fn asks_index(engine: &Engine) -> bool {
    rules(engine).any(|(_, check)| check.tree.as_deref().is_some_and(TreeCheck::needs_index))
}

/// Checks the project of the files in `listing`. `globs` are those of the configuration: excluded
/// paths have no findings.
#[must_use]
pub fn run(engine: &Engine, globs: &Globs, files: &dyn Files, listing: &Listing) -> ProjectReport {
    let files = &Listed { files, listing };
    let mut report = ProjectReport::default();
    let mut by_path: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    let imports = Imports::new(engine.memo());
    let looked = Input { files, imports: &imports, sizes: None };
    for (rule, check) in rules(engine) {
        let joined = one(engine, (rule, check), globs, &looked);
        report.judged.insert(rule.id.clone(), joined.checked);
        report.notes.extend(joined.notes.into_iter().map(|note| (rule.id.clone(), note)));
        for found in joined.found {
            let path = place(rule, &found);
            by_path.entry(path).or_default().push((rule, found));
        }
    }
    for (path, found) in by_path {
        let settings = settings(engine, listing, &path);
        let text = text_of(engine, files, &path);
        report.files.extend(to_checked(engine, &settings, text, found, files));
    }
    report
}

/// Maximum number of files whose imports are resolved again for a text that is being typed. In
/// larger projects the delay would be noticeable, so this is done when the file is saved.
const MAX_TYPED_IMPORTS: usize = 5_000;

/// The findings of the rules on imports in the text of `source`, if it differs from the file that
/// the last project pass read. `None` if it does not differ, or the project is too large.
#[must_use]
pub fn of_text(
    engine: &Engine,
    globs: &Globs,
    files: &dyn Files,
    listing: &Listing,
    source: &Source,
) -> Option<Checked> {
    let (path, memo) = (source.path(), engine.memo());
    let is_layers = |(_, check): &(&Rule, &CheckHeader)| check.form() == Some(Form::Layers);
    let rules: Vec<_> = rules(engine).filter(is_layers).collect();
    let is_known = rules.is_empty()
        || memo.is_current(path, source.text())
        || memo.count() > MAX_TYPED_IMPORTS;
    if is_known || !imports::is_read(path) {
        return None;
    }
    let files = &Listed { files, listing };
    let imports = Imports::with(memo, files, listing, source);
    let looked = Input { files, imports: &imports, sizes: None };
    let mut here: Vec<(&Rule, ProjectFinding)> = Vec::new();
    for (rule, check) in rules {
        let found = one(engine, (rule, check), globs, &looked).found.into_iter();
        here.extend(found.filter(|found| found.path == path).map(|found| (rule, found)));
    }
    let text = Source::new(path, source.text());
    let checked = to_checked_in(engine, &engine.settings(path), (text, here), None, files);
    Some(checked.map_or_else(Checked::default, |(_, checked)| checked))
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
    let holds = |path: &str| engine.conditions_met(&rule.id, path, files);
    let imports = Imports::new(engine.memo());
    let looked = Input { files, imports: &imports, sizes: None };
    let joined = find_by_params(engine, (rule, check), &Globs::all(), &looked, &holds);
    let mut by_path: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    for found in joined.found {
        by_path.entry(place(rule, &found)).or_default().push((rule, found));
    }
    let mut found = Vec::new();
    for (path, here) in by_path {
        let text = text_of(engine, files, &path);
        for (source, checked) in to_checked(engine, &settings, text, here, files) {
            let open = checked.findings.into_iter().filter(|one| one.status == Status::New);
            found.extend(open.map(|one| (Source::new(source.path(), source.text()), one)));
        }
    }
    found
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
    let holds = |path: &str| engine.conditions_met(&rule.id, path, files);
    if rule.is_project_check() {
        let imports = Imports::new(engine.memo());
        let looked = Input { files, imports: &imports, sizes: None };
        let joined = find_by_params(engine, (rule, check), &Globs::all(), &looked, &holds);
        return Some((joined.checked, joined.notes));
    }
    let count = places(engine, rule, listing).into_iter().map(|(applying, paths)| {
        let variant = variant(engine, applying);
        let varied = variant.as_deref().filter(|one| one.has(&rule.id));
        let check = match varied {
            Some(variant) => variant.rule(&rule.id)?.check.as_ref()?,
            None => check,
        };
        let page = rule.path.as_deref();
        let tried = |path: &&&str| forms::applies_to(check, page, path) && holds(path);
        // A glob is compiled once per call, so the paths are collected first.
        let globs = Globs::from_check(check, page);
        Some(paths.iter().filter(|path| globs.matches(path)).filter(tried).count())
    });
    Some((count.flatten().sum(), Vec::new()))
}

/// The paths of the project grouped by the overrides that apply to them, if the parameters of
/// `rule` differ by path; otherwise all paths in one group without overrides.
fn places<'a>(
    engine: &Engine,
    rule: &Rule,
    listing: &'a Listing,
) -> BTreeMap<Applying, Vec<&'a str>> {
    let all = || listing.files().iter().map(String::as_str);
    if !engine.variants().varies(&rule.id) {
        return BTreeMap::from([(Applying::new(), all().collect())]);
    }
    let mut places: BTreeMap<Applying, Vec<&str>> = BTreeMap::from([(Applying::new(), Vec::new())]);
    for path in all() {
        places.entry(engine.variants().applying(path, false)).or_default().push(path);
    }
    places
}

fn variant(engine: &Engine, applying: Applying) -> Option<Arc<Variant>> {
    (!applying.is_empty()).then(|| engine.variants().for_overrides(applying))
}

/// The input of the rules.
struct Input<'a> {
    files: &'a Listed<'a>,
    imports: &'a Imports<'a>,
    sizes: Option<Sizes<'a>>,
}

fn one(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    looked: &Input<'_>,
) -> ProjectResult {
    let runs_on = |path: &str| {
        let settings = settings(engine, looked.files.listing, path);
        let on = settings.get(&rule.id).is_some_and(|one| one.severity.is_some());
        on && engine.conditions_met(&rule.id, path, looked.files)
    };
    find_by_params(engine, (rule, check), globs, looked, &runs_on)
}

/// The settings at `path`, a file or a directory.
fn settings(engine: &Engine, listing: &Listing, path: &str) -> Arc<Settings> {
    if is_folder(listing, path) { engine.settings_of_folder(path) } else { engine.settings(path) }
}

fn is_folder(listing: &Listing, path: &str) -> bool {
    !path.is_empty() && listing.dirs().contains_key(path)
}

/// The findings of a rule on the paths that `runs_on` accepts, with the parameters that apply to
/// each path.
fn find_by_params(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    looked: &Input<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> ProjectResult {
    let variants = engine.variants();
    if !variants.varies(&rule.id) {
        return join(rule, check, globs, looked, runs_on);
    }
    let listing = looked.files.listing;
    let applying = |path: &str| variants.applying(path, is_folder(listing, path));
    let tracked = listing.tracked().into_iter().flat_map(Listing::files);
    let paths = listing.files().iter().chain(listing.dirs().keys()).chain(tracked);
    let mut cases: BTreeSet<Applying> = paths.map(|path| applying(path)).collect();
    cases.insert(Applying::new());
    let mut all = ProjectResult::default();
    for case in cases {
        let here = |path: &str| applying(path) == case && runs_on(path);
        let variant = variant(engine, case.clone()).filter(|variant| variant.has(&rule.id));
        let joined = match &variant {
            None => join(rule, check, globs, looked, &here),
            Some(variant) => match variant.rule(&rule.id).and_then(|rule| rule.check.as_ref()) {
                Some(check) => join(rule, check, globs, looked, &here),
                None => invalid_overrides_note(variant, rule),
            },
        };
        all.found.extend(joined.found);
        all.checked += joined.checked;
        for note in joined.notes {
            if !all.notes.contains(&note) {
                all.notes.push(note);
            }
        }
    }
    all
}

/// The note on a rule that cannot run because of a combination of overrides; each override by
/// itself was checked when the engine was built.
fn invalid_overrides_note(variant: &Variant, rule: &Rule) -> ProjectResult {
    let wrong = variant.invalid.iter().filter(|(id, _)| *id == rule.id);
    let note = |(_, why): &(RuleId, String)| {
        format!(
            "did not run where several overrides apply, because they are invalid together: {why}"
        )
    };
    ProjectResult { notes: wrong.map(note).collect(), ..ProjectResult::default() }
}

fn join(
    rule: &Rule,
    check: &CheckHeader,
    config: &Globs,
    looked: &Input<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> ProjectResult {
    let Input { files, imports, sizes } = *looked;
    let base = rule.path.as_deref().map_or("", scope_of);
    let globs = Globs::from_check(check, rule.path.as_deref());
    let runs_on = |path: &str| {
        !config.excludes(path) && !config.excludes(&format!("{path}/")) && runs_on(path)
    };
    let runs_on = &runs_on;
    let scope = Scope { listing: files.listing, files, globs: &globs, base, runs_on, sizes };
    // If the check is invalid, the finding is reported on its page.
    match (check.form(), &check.layers) {
        (Some(Form::Tree), _) => TreeCheck::new(check, base, forms::template(rule))
            .map_or_else(|_| ProjectResult::default(), |compiled| compiled.run(&scope)),
        (Some(Form::Layers), Some(header)) => {
            layers::run(header, &scope, imports).unwrap_or_default()
        }
        _ => ProjectResult::default(),
    }
}

/// The path of a finding without a path: the page of the rule.
fn place(rule: &Rule, found: &ProjectFinding) -> String {
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
fn to_checked(
    engine: &Engine,
    settings: &Settings,
    text: Source,
    found: Vec<(&Rule, ProjectFinding)>,
    files: &dyn Files,
) -> Vec<(Source, Checked)> {
    let path = text.path().to_owned();
    let (in_text, as_such): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, found)| found.span.is_some());
    let as_such = (Source::new(path, ""), as_such);
    let such = to_checked_in(engine, settings, as_such, Some(&text), files);
    let inside = to_checked_in(engine, settings, (text, in_text), None, files);
    such.into_iter().chain(inside).collect()
}

/// The findings on a whole file, whose text is `text`, or in the text of `source`.
fn to_checked_in(
    engine: &Engine,
    settings: &Settings,
    (source, found): (Source, Vec<(&Rule, ProjectFinding)>),
    text: Option<&Source>,
    files: &dyn Files,
) -> Option<(Source, Checked)> {
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
    // The line of a finding is displayed, so secrets in it must be known.
    let secrets = match text {
        Some(_) => Vec::new(),
        None => engine.check_secrets(&source, files).secrets,
    };
    let checked = engine.finish_findings(&source, findings, secrets);
    Some((source, Checked { allowing, ..checked }))
}

/// Adds a finding with the message of the rule's page or, without one, of its check.
fn report_finding(rule: &Rule, found: ProjectFinding, source: &Source, report: &mut Report<'_>) {
    let ProjectFinding { span, message, names, fix, related, .. } = found;
    let span = span.unwrap_or_default();
    let value = |name: &str| names.iter().rev().find(|(known, _)| known == name);
    let said = rule.message.as_deref().map(|text| {
        forms::fill(text, source, span, |name| value(name).map(|(_, value)| value.clone()))
    });
    let help = match (&rule.help, &said) {
        (Some(help), _) => Some(help.clone()),
        // The page's message replaces the exact one, so that goes into the help.
        (None, Some(_)) => Some(message.clone()),
        (None, None) => None,
    };
    let finding: &mut Finding = report.at(span, said.unwrap_or(message));
    finding.help = help;
    finding.fix = fix;
    finding.related = related;
}

#[cfg(test)]
mod tests;
