//! Evaluates `when`: the conditions on the project, or on the surroundings of a file, under which a
//! rule runs.

use super::{data, generated};
use crate::rules::rule::{Rule, Settings};
use crate::text::captures;
use crate::text::files::Files;
use crate::text::finding::RuleId;
use crate::text::kind::STYLE_PREFIXES;
use crate::text::paths::Globs;
use crate::text::purpose::Purpose;
use crate::text::source::Source;
use aidd_page::{Form, Many, WhenHeader};
use std::collections::{HashMap, HashSet};

/// The conditions of all rules.
#[derive(Debug, Default)]
pub struct Conditions {
    by_rule: HashMap<RuleId, RuleConditions>,
    /// The shipped rules on the style of code, which do not apply to generated files.
    style_rules: Vec<Rule>,
}

/// Two lists of conditions. Both lists must be met.
#[derive(Debug)]
struct RuleConditions {
    /// The rule; its page can have conditions.
    rule: Rule,
    /// The conditions of the packs that enable the rule.
    pack: Option<Many<WhenHeader>>,
}

impl RuleConditions {
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
        let mut by_rule = HashMap::new();
        for rule in rules {
            let pack = packs.get(&rule.id).filter(|when| !when.is_empty());
            if rule.has_condition || pack.is_some() {
                by_rule.insert(
                    rule.id.clone(),
                    RuleConditions { rule: rule.clone(), pack: pack.cloned() },
                );
            }
        }
        let is_style_rule = |rule: &&Rule| {
            rule.path.is_none()
                && STYLE_PREFIXES.iter().any(|kind| rule.id.starts_with(kind))
                && matches!(rule.form, Some(Form::Syntax | Form::Text))
        };
        Self { by_rule, style_rules: rules.iter().filter(is_style_rule).cloned().collect() }
    }

    /// The conditions of the enabled rules.
    fn enabled_conditions<'a>(
        &'a self,
        is_enabled: &'a dyn Fn(&str) -> bool,
    ) -> impl Iterator<Item = &'a WhenHeader> {
        let enabled = self.by_rule.iter().filter(|(rule, _)| is_enabled(rule));
        enabled.flat_map(|(_, conditions)| conditions.all()).flat_map(|any| any.iter())
    }

    /// Whether [`Conditions::unmet`] can return one of the enabled rules.
    #[must_use]
    pub fn may_disable(&self, is_enabled: &dyn Fn(&str) -> bool) -> bool {
        self.by_rule.keys().any(|rule| is_enabled(rule))
            || self.style_rules.iter().any(|rule| is_enabled(&rule.id))
    }

    /// Whether a condition of an enabled rule depends on the listing, the branch or the change, not
    /// only on single files.
    #[must_use]
    pub fn need_listing(&self, is_enabled: &dyn Fn(&str) -> bool) -> bool {
        let needs_listing = |when: &WhenHeader| {
            when.file.iter().any(|file| captures::has_glob(file))
                || !when.branch.is_empty()
                || !when.changed.is_empty()
        };
        let needs_listing = |when: &WhenHeader| {
            needs_listing(when) || when.not.as_deref().is_some_and(needs_listing)
        };
        self.enabled_conditions(is_enabled).any(needs_listing)
    }

    /// Whether a condition of an enabled rule refers to a file with the path or the name of `path`.
    #[must_use]
    pub fn refer_to(&self, path: &str, is_enabled: &dyn Fn(&str) -> bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let refers = |when: &WhenHeader| {
            matches(&when.file, path) && !when.file.is_empty()
                || when.nearest.iter().any(|near| near == name)
                || when.data.as_ref().is_some_and(|data| data.file.as_deref() == Some(path))
        };
        let refers = |when: &WhenHeader| refers(when) || when.not.as_deref().is_some_and(refers);
        self.enabled_conditions(is_enabled).any(refers)
    }

    /// Whether the conditions of `rule` are met at `path`.
    #[must_use]
    pub fn are_met(&self, rule: &str, path: &str, files: &dyn Files) -> bool {
        let Some(conditions) = self.by_rule.get(rule) else { return true };
        conditions.all().all(|any| any.iter().any(|when| is_condition_met(when, path, files)))
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
        let is_enabled =
            |rule: &RuleId| settings.get(rule).is_some_and(|setting| setting.severity.is_some());
        let rules = self.by_rule.keys().filter(|rule| is_enabled(rule));
        let mut unmet: HashSet<RuleId> =
            rules.filter(|rule| !self.are_met(rule, source.path(), files)).cloned().collect();
        let is_style =
            |rule: &&Rule| is_enabled(&rule.id) && !rule.tags.iter().any(|tag| tag == "security");
        let mut style_rules =
            self.style_rules.iter().filter(|rule| is_enabled(&rule.id)).peekable();
        if style_rules.peek().is_none() {
            return unmet;
        }
        match Purpose::of_file(source.path(), files) {
            Purpose::Vendored => unmet.extend(style_rules.map(|rule| rule.id.clone())),
            purpose => {
                let is_generated = purpose == Purpose::Generated
                    || generated::is_generated(source.path(), source.text());
                if is_generated {
                    unmet.extend(style_rules.filter(is_style).map(|rule| rule.id.clone()));
                }
            }
        }
        unmet
    }
}

fn is_condition_met(when: &WhenHeader, path: &str, files: &dyn Files) -> bool {
    let not = when.not.as_deref();
    is_true(when, path, files) && not.is_none_or(|not| !is_true(not, path, files))
}

fn is_true(when: &WhenHeader, path: &str, files: &dyn Files) -> bool {
    let listing = files.listing();
    (when.file.is_empty() || when.file.iter().any(|file| exists(file, files)))
        && (when.nearest.is_empty() || when.nearest.iter().any(|name| is_near(name, path, files)))
        && when.data.as_ref().is_none_or(|test| {
            let key = || format!("data {test:?}");
            let find = || data::is_met(test, files);
            listing.map_or_else(find, |listing| listing.answer(&key(), find))
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
    let find = |dir: &str| {
        let mut dir = dir;
        loop {
            let candidate = if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
            if files.exists(&candidate) {
                return true;
            }
            if dir.is_empty() {
                return false;
            }
            dir = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    };
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let key = || format!("nearest {name} {dir}");
    // If `path` is a directory, files directly in it count as well.
    let within = || files.exists(&format!("{path}/{name}"));
    match files.listing() {
        Some(listing) => listing.answer(&key(), || find(dir)) || within(),
        None => find(dir) || within(),
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
