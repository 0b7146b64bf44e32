//! `when`: the conditions on the project, or on the surroundings of a file, for a rule to run.

use super::{data, generated};
use crate::rules::rule::{Rule, Settings};
use crate::text::captures;
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::paths::Globs;
use crate::text::purpose::Purpose;
use crate::text::source::Source;
use aidd_page::{Form, Many, WhenHeader};
use std::collections::{HashMap, HashSet};

/// The conditions of all rules.
#[derive(Debug, Default)]
pub struct Conditions {
    of: HashMap<RuleId, Waiting>,
    /// The shipped `compliance` rules, which do not apply to generated files.
    on_writing: Vec<Rule>,
}

/// Two lists of conditions, both of which must be met.
#[derive(Debug)]
struct Waiting {
    /// The rule, whose page can have conditions.
    rule: Rule,
    /// The conditions of the packs that enable the rule.
    pack: Option<Many<WhenHeader>>,
}

impl Waiting {
    fn all(&self) -> impl Iterator<Item = &Many<WhenHeader>> {
        let own =
            self.rule.has_condition.then(|| self.rule.check.as_ref().map(|check| &check.when));
        own.flatten().into_iter().chain(&self.pack)
    }
}

impl Conditions {
    /// Collects the conditions of `rules`; `packs` has the conditions that packs add.
    #[must_use]
    pub fn new(rules: &[Rule], packs: &HashMap<RuleId, Many<WhenHeader>>) -> Self {
        let mut of = HashMap::new();
        for rule in rules {
            let pack = packs.get(&rule.id).filter(|when| !when.is_empty());
            if rule.has_condition || pack.is_some() {
                of.insert(rule.id.clone(), Waiting { rule: rule.clone(), pack: pack.cloned() });
            }
        }
        let is_on_writing = |rule: &&Rule| {
            rule.path.is_none()
                && rule.id.starts_with("compliance/")
                && matches!(rule.form, Some(Form::Syntax | Form::Text))
        };
        Self { of, on_writing: rules.iter().filter(is_on_writing).cloned().collect() }
    }

    /// The conditions of the enabled rules.
    fn running<'a>(
        &'a self,
        is_on: &'a dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = &'a WhenHeader> {
        let on = self.of.iter().filter(|(rule, _)| is_on(rule));
        on.flat_map(|(_, waiting)| waiting.all()).flat_map(|any| any.iter())
    }

    /// Whether a condition of an enabled rule needs more than single files: the listing, the branch
    /// or the change.
    #[must_use]
    pub fn need_listing(&self, is_on: &dyn Fn(&str) -> bool) -> bool {
        let asks = |when: &WhenHeader| {
            when.file.iter().any(|file| captures::has_glob(file))
                || !when.branch.is_empty()
                || !when.changed.is_empty()
        };
        let asks = |when: &WhenHeader| asks(when) || when.not.as_deref().is_some_and(asks);
        self.running(is_on).any(asks)
    }

    /// Whether a condition of an enabled rule refers to a file like the one at `path`.
    #[must_use]
    pub fn refer_to(&self, path: &str, is_on: &dyn Fn(&str) -> bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let asks = |when: &WhenHeader| {
            matches(&when.file, path) && !when.file.is_empty()
                || when.nearest.iter().any(|near| near == name)
                || when.data.as_ref().is_some_and(|data| data.file.as_deref() == Some(path))
        };
        let asks = |when: &WhenHeader| asks(when) || when.not.as_deref().is_some_and(asks);
        self.running(is_on).any(asks)
    }

    /// Whether the conditions of `rule` are met at `path`.
    #[must_use]
    pub fn are_met(&self, rule: &str, path: &str, files: &dyn Files) -> bool {
        let Some(waiting) = self.of.get(rule) else { return true };
        waiting.all().all(|any| any.iter().any(|when| holds(when, path, files)))
    }

    /// The rules of `settings` whose conditions are not met for `source`. In a generated file these
    /// also include the shipped `compliance` rules that are not about security; a vulnerability
    /// matters even in generated code. In a vendored file they include all shipped `compliance`
    /// rules.
    #[must_use]
    pub fn unmet(
        &self,
        source: &Source,
        settings: &Settings,
        files: &dyn Files,
    ) -> HashSet<RuleId> {
        let on = |rule: &RuleId| settings.get(rule).is_some_and(|one| one.severity.is_some());
        let rules = self.of.keys().filter(|rule| on(rule));
        let mut off: HashSet<RuleId> =
            rules.filter(|rule| !self.are_met(rule, source.path(), files)).cloned().collect();
        let is_style =
            |rule: &&Rule| on(&rule.id) && !rule.tags.iter().any(|tag| tag == "security");
        let mut written = self.on_writing.iter().filter(|rule| on(&rule.id)).peekable();
        if written.peek().is_none() {
            return off;
        }
        match Purpose::of_file(source.path(), files) {
            Purpose::Vendored => off.extend(written.map(|rule| rule.id.clone())),
            purpose => {
                let is_generated = purpose == Purpose::Generated
                    || generated::is_generated(source.path(), source.text());
                if is_generated {
                    off.extend(written.filter(is_style).map(|rule| rule.id.clone()));
                }
            }
        }
        off
    }
}

fn holds(when: &WhenHeader, path: &str, files: &dyn Files) -> bool {
    let not = when.not.as_deref();
    is_true(when, path, files) && not.is_none_or(|not| !is_true(not, path, files))
}

fn is_true(when: &WhenHeader, path: &str, files: &dyn Files) -> bool {
    let listing = files.listing();
    (when.file.is_empty() || when.file.iter().any(|file| exists(file, files)))
        && (when.nearest.is_empty() || when.nearest.iter().any(|name| is_near(name, path, files)))
        && when.data.as_ref().is_none_or(|test| {
            let question = || format!("data {test:?}");
            let find = || data::is_met(test, files);
            listing.map_or_else(find, |listing| listing.answer(&question(), find))
        })
        && (when.branch.is_empty()
            || listing
                .and_then(|listing| listing.branch())
                .is_some_and(|branch| matches(&when.branch, branch)))
        && (when.changed.is_empty()
            || listing
                .and_then(|listing| listing.changed())
                .is_none_or(|paths| paths.iter().any(|path| matches(&when.changed, path))))
}

/// Whether a file of the project matches; without a listing a glob is assumed to match.
fn exists(file: &str, files: &dyn Files) -> bool {
    let Some(listing) = files.listing() else {
        return captures::has_glob(file) || files.exists(file);
    };
    let find = || {
        if captures::has_glob(file) {
            let globs = Globs::new(&[file], &[]);
            globs.is_ok_and(|globs| listing.files().iter().any(|path| globs.matches(path)))
        } else {
            listing.has_file(file) || files.exists(file)
        }
    };
    listing.answer(&format!("file {file}"), find)
}

/// Whether `name` is in the directory of `path` or in one of its parent directories.
fn is_near(name: &str, path: &str, files: &dyn Files) -> bool {
    let find = |folder: &str| {
        let mut folder = folder;
        loop {
            let place =
                if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if files.exists(&place) {
                return true;
            }
            if folder.is_empty() {
                return false;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let question = || format!("nearest {name} {folder}");
    // If `path` is a directory, files directly in it count as well.
    let within = || files.exists(&format!("{path}/{name}"));
    match files.listing() {
        Some(listing) => listing.answer(&question(), || find(folder)) || within(),
        None => find(folder) || within(),
    }
}

fn matches(globs: &[String], text: &str) -> bool {
    Globs::new(globs, &[]).is_ok_and(|globs| globs.matches(text))
}

/// Checks whether a condition is valid.
///
/// # Errors
/// The first glob or test that is malformed.
pub(crate) fn check_header(when: &WhenHeader) -> Result<(), String> {
    for globs in [&when.file, &when.branch, &when.changed] {
        Globs::new(globs, &[]).map_err(|error| error.to_string())?;
    }
    if let Some(glob) = when.nearest.iter().find(|name| captures::has_glob(name)) {
        return Err(format!("`nearest` must be a name, not a glob: `{glob}`"));
    }
    if let Some(test) = &when.data {
        data::check_header(test)?;
    }
    when.not.as_deref().map_or(Ok(()), check_header)
}
