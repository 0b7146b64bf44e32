//! The second pass: checks that look at the project as a whole, once its files are known.
//!
//! A form of check joins it by one arm in `join`: it is given a [`Scope`] and gives back a
//! [`Joined`]. Severity, conditions, allow comments, ids and the order of findings are settled here,
//! the same for all, so that a form only says what it found and where:
//! - [`Found::span`] of `None` speaks of the file as such, and its id is made of rule and path
//!   alone, so that it outlives edits of the file;
//! - a span stands in the text that [`Scope::files`] has of the file, and its id is made of its
//!   lines, as that of a finding of the first pass is.

mod asked;
mod kept;

pub use kept::{Joins, News, Settled};

use crate::check::{Checked, Engine};
use crate::forms;
use crate::forms::joined::{Found, Joined, Scope, Sizes};
use crate::forms::layers::{self, Imports};
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
    let looked = Looked { files, imports: &imports, sizes: None };
    for (rule, check) in rules(engine) {
        let joined = one(engine, (rule, check), globs, &looked);
        report.judged.insert(rule.id.clone(), joined.judged);
        report.notes.extend(joined.notes.into_iter().map(|note| (rule.id.clone(), note)));
        for found in joined.found {
            let path = place(rule, &found);
            by_path.entry(path).or_default().push((rule, found));
        }
    }
    for (path, found) in by_path {
        let settings = settings(engine, listing, &path);
        let text = text_of(engine, files, &path);
        report.files.extend(settled(engine, &settings, text, found, files));
    }
    report
}

/// Most files whose imports are joined anew for a text that is being typed: beyond that it would be
/// felt, and they are joined when the file is saved.
const TYPED: usize = 5_000;

/// What the rules on imports find in the text of `source`, which is not, or not yet, what the last
/// run over the project saw of its file; `None` when it is that, or there is too much to join.
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
    let is_known = rules.is_empty() || memo.is_of(path, source.text()) || memo.count() > TYPED;
    if is_known || !imports::is_read(path) {
        return None;
    }
    let files = &Listed { files, listing };
    let imports = Imports::with(memo, files, listing, source);
    let looked = Looked { files, imports: &imports, sizes: None };
    let mut here: Vec<(&Rule, Found)> = Vec::new();
    for (rule, check) in rules {
        let found = one(engine, (rule, check), globs, &looked).found.into_iter();
        here.extend(found.filter(|found| found.path == path).map(|found| (rule, found)));
    }
    let text = Source::new(path, source.text());
    let checked = settled_in(engine, &engine.settings(path), (text, here), None, files);
    Some(checked.map_or_else(Checked::default, |(_, checked)| checked))
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
    let holds = |path: &str| engine.holds(&rule.id, path, files);
    let imports = Imports::new(engine.memo());
    let looked = Looked { files, imports: &imports, sizes: None };
    let joined = cases(engine, (rule, check), &Globs::all(), &looked, &holds);
    let mut by_path: BTreeMap<String, Vec<(&Rule, Found)>> = BTreeMap::new();
    for found in joined.found {
        by_path.entry(place(rule, &found)).or_default().push((rule, found));
    }
    let mut found = Vec::new();
    for (path, here) in by_path {
        let text = text_of(engine, files, &path);
        for (source, checked) in settled(engine, &settings, text, here, files) {
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
    let holds = |path: &str| engine.holds(&rule.id, path, files);
    if rule.is_joined() {
        let imports = Imports::new(engine.memo());
        let looked = Looked { files, imports: &imports, sizes: None };
        let joined = cases(engine, (rule, check), &Globs::all(), &looked, &holds);
        return Some((joined.judged, joined.notes));
    }
    let count = places(engine, rule, listing).into_iter().map(|(applying, paths)| {
        let variant = variant(engine, applying);
        let varied = variant.as_deref().filter(|one| one.has(&rule.id));
        let check = match varied {
            Some(variant) => variant.rule(&rule.id)?.check.as_ref()?,
            None => check,
        };
        let page = rule.path.as_deref();
        let tried = |path: &&&str| forms::is_tried(check, page, path) && holds(path);
        // A glob is compiled once a call: what the rule looks at is found first.
        let globs = Globs::of_check(check, page);
        Some(paths.iter().filter(|path| globs.matches(path)).filter(tried).count())
    });
    Some((count.flatten().sum(), Vec::new()))
}

/// The paths of the project by the overrides that apply to them, where the parameters of `rule`
/// differ by path; else all under none.
fn places<'a>(
    engine: &Engine,
    rule: &Rule,
    listing: &'a Listing,
) -> BTreeMap<Applying, Vec<&'a str>> {
    let all = || listing.files().iter().map(String::as_str);
    if !engine.variants().vary(&rule.id) {
        return BTreeMap::from([(Applying::new(), all().collect())]);
    }
    let mut places: BTreeMap<Applying, Vec<&str>> = BTreeMap::from([(Applying::new(), Vec::new())]);
    for path in all() {
        places.entry(engine.variants().applying(path, false)).or_default().push(path);
    }
    places
}

fn variant(engine: &Engine, applying: Applying) -> Option<Arc<Variant>> {
    (!applying.is_empty()).then(|| engine.variants().of(applying))
}

/// What the rules look at.
struct Looked<'a> {
    files: &'a Listed<'a>,
    imports: &'a Imports<'a>,
    sizes: Option<Sizes<'a>>,
}

fn one(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    looked: &Looked<'_>,
) -> Joined {
    let runs_on = |path: &str| {
        let settings = settings(engine, looked.files.listing, path);
        let on = settings.get(&rule.id).is_some_and(|one| one.severity.is_some());
        on && engine.holds(&rule.id, path, looked.files)
    };
    cases(engine, (rule, check), globs, looked, &runs_on)
}

/// The settings at `path`, a file or a folder.
fn settings(engine: &Engine, listing: &Listing, path: &str) -> Arc<Settings> {
    if is_folder(listing, path) { engine.settings_of_folder(path) } else { engine.settings(path) }
}

fn is_folder(listing: &Listing, path: &str) -> bool {
    !path.is_empty() && listing.folders().contains_key(path)
}

/// What a rule finds where `runs_on` says yes, under the parameters that hold for each path.
fn cases(
    engine: &Engine,
    (rule, check): (&Rule, &CheckHeader),
    globs: &Globs,
    looked: &Looked<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> Joined {
    let variants = engine.variants();
    if !variants.vary(&rule.id) {
        return join(rule, check, globs, looked, runs_on);
    }
    let listing = looked.files.listing;
    let applying = |path: &str| variants.applying(path, is_folder(listing, path));
    let tracked = listing.tracked().into_iter().flat_map(Listing::files);
    let paths = listing.files().iter().chain(listing.folders().keys()).chain(tracked);
    let mut cases: BTreeSet<Applying> = paths.map(|path| applying(path)).collect();
    cases.insert(Applying::new());
    let mut all = Joined::default();
    for case in cases {
        let here = |path: &str| applying(path) == case && runs_on(path);
        let variant = variant(engine, case.clone()).filter(|variant| variant.has(&rule.id));
        let joined = match &variant {
            None => join(rule, check, globs, looked, &here),
            Some(variant) => match variant.rule(&rule.id).and_then(|rule| rule.check.as_ref()) {
                Some(check) => join(rule, check, globs, looked, &here),
                None => not_run(variant, rule),
            },
        };
        all.found.extend(joined.found);
        all.judged += joined.judged;
        for note in joined.notes {
            if !all.notes.contains(&note) {
                all.notes.push(note);
            }
        }
    }
    all
}

/// Tells of a rule that cannot run for what several overrides set together: each by itself was looked
/// at when the engine was made.
fn not_run(variant: &Variant, rule: &Rule) -> Joined {
    let wrong = variant.wrong.iter().filter(|(id, _)| *id == rule.id);
    let note = |(_, why): &(RuleId, String)| {
        format!(
            "did not run where several overrides apply, for what they set together does not hold: {why}"
        )
    };
    Joined { notes: wrong.map(note).collect(), ..Joined::default() }
}

fn join(
    rule: &Rule,
    check: &CheckHeader,
    config: &Globs,
    looked: &Looked<'_>,
    runs_on: &dyn Fn(&str) -> bool,
) -> Joined {
    let Looked { files, imports, sizes } = *looked;
    let base = rule.path.as_deref().map_or("", scope_of);
    let globs = Globs::of_check(check, rule.path.as_deref());
    let runs_on = |path: &str| {
        !config.excludes(path) && !config.excludes(&format!("{path}/")) && runs_on(path)
    };
    let runs_on = &runs_on;
    let scope = Scope { listing: files.listing, files, globs: &globs, base, runs_on, sizes };
    // Where a form cannot be used, the page carries the finding.
    match (check.form(), &check.layers) {
        (Some(Form::Tree), _) => TreeCheck::new(check, base, forms::template(rule))
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

/// The text at a path with findings, where it can be read.
fn text_of(engine: &Engine, files: &dyn Files, path: &str) -> Source {
    let text = files.read(path, engine.max_file_size());
    text.map_or_else(|_| Source::new(path, ""), |bytes| Source::decode(path, bytes))
}

/// The findings at one path, on the file as such and in its `text`.
fn settled(
    engine: &Engine,
    settings: &Settings,
    text: Source,
    found: Vec<(&Rule, Found)>,
    files: &dyn Files,
) -> Vec<(Source, Checked)> {
    let path = text.path().to_owned();
    let (in_text, as_such): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, found)| found.span.is_some());
    let as_such = (Source::new(path, ""), as_such);
    let such = settled_in(engine, settings, as_such, Some(&text), files);
    let inside = settled_in(engine, settings, (text, in_text), None, files);
    such.into_iter().chain(inside).collect()
}

/// The findings on a file as such, where `text` is its text, or in the text of `source`.
fn settled_in(
    engine: &Engine,
    settings: &Settings,
    (source, found): (Source, Vec<(&Rule, Found)>),
    text: Option<&Source>,
    files: &dyn Files,
) -> Option<(Source, Checked)> {
    if found.is_empty() {
        return None;
    }
    let mut report = Report::new(&source, settings);
    for (rule, found) in found {
        if report.begin(&rule.id) {
            state(rule, found, &source, &mut report);
        }
    }
    let mut findings = report.finish();
    let allowing = engine.allow(text.unwrap_or(&source), &mut findings);
    // The line of a finding is shown, so it must not show a secret.
    let secrets = match text {
        Some(_) => Vec::new(),
        None => engine.check_secrets(&source, files).secrets,
    };
    let checked = engine.finished(&source, findings, secrets);
    Some((source, Checked { allowing, ..checked }))
}

/// Words a finding: as the rule's page says, else as its check does.
fn state(rule: &Rule, found: Found, source: &Source, report: &mut Report<'_>) {
    let Found { span, message, names, fix, related, .. } = found;
    let span = span.unwrap_or_default();
    let value = |name: &str| names.iter().rev().find(|(known, _)| known == name);
    let said = rule.message.as_deref().map(|text| {
        forms::fill(text, source, span, |name| value(name).map(|(_, value)| value.clone()))
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
mod tests;
