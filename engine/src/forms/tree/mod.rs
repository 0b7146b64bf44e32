//! The form `tree`: checks which files and directories exist and how they are named. File contents
//! are not read, except to count lines.

mod error;
pub(crate) mod names;
mod naming;
mod template;

pub use error::TreeError;

use super::project_form::{FileSize, ProjectFinding, ProjectResult, Scope};
use crate::text::captures::{self, CaptureValues, PathPattern, PatternError};
use crate::text::finding::{Edit, FileChange, Fix, Safety};
use crate::text::listing::Listing;
use crate::text::paths::check_new;
use crate::text::source::Span;
use aidd_page::{CheckHeader, Limits, TreeHeader};
use names::NameRule;
use naming::Usage;
use std::collections::{BTreeMap, BTreeSet};
use template::{AlternativePaths, Template};

#[cfg(test)]
mod tests;

/// A compiled `tree` check.
#[derive(Debug)]
pub struct TreeCheck {
    each: Vec<PathPattern>,
    /// For each entry, at least one of the alternatives must exist.
    exists: Vec<AlternativePaths>,
    absent: Vec<Template>,
    only: Vec<PathPattern>,
    /// `only` as written in the page, for messages.
    only_text: String,
    names: Vec<NameRule>,
    /// Whether names that follow the project's own convention are accepted.
    prevailing: bool,
    unique: Option<String>,
    bytes: Option<Limits>,
    lines: Option<Limits>,
    count: Option<Limits>,
    depth: Option<Limits>,
    tracked: Option<bool>,
    /// The initial contents of a missing file, if the page offers to create it.
    template: Option<String>,
    /// Whether the page offers to rename files.
    rename: bool,
}

/// A file or directory that the check applies to.
struct Subject<'a> {
    path: &'a str,
    is_folder: bool,
    captured: CaptureValues,
}

impl TreeCheck {
    /// Compiles a check whose paths are relative to `base`; `template` is the page's `## Template`.
    ///
    /// # Errors
    /// The first invalid pattern, name or fix.
    pub fn new(
        check: &CheckHeader,
        base: &str,
        template: Option<String>,
    ) -> Result<Self, TreeError> {
        let none = TreeHeader::default();
        let header = check.tree.as_deref().unwrap_or(&none);
        let patterns = |texts: &[String]| -> Result<Vec<PathPattern>, PatternError> {
            texts.iter().map(|text| PathPattern::new(base, text)).collect()
        };
        let each = patterns(&header.each)?;
        for name in header.each.iter().flat_map(|text| captures::names(text)) {
            if matches!(name, "dir" | "path") {
                return Err(TreeError::BuiltIn(name.to_owned()));
            }
        }
        let bound: Option<BTreeSet<&str>> =
            (!each.is_empty()).then(|| each.iter().flat_map(PathPattern::names).collect());
        let template_of = |text: &String| Template::new(text, base, bound.as_ref());
        let exists =
            header.exists.iter().map(|text| AlternativePaths::new(text, base, bound.as_ref()));
        if let Some(unique) = &header.unique {
            template::check_names(unique, bound.as_ref())?;
        }
        let requires_template = check.fix.as_ref().is_some_and(|fix| fix.create);
        if requires_template && template.is_none() {
            return Err(TreeError::NoTemplate);
        }
        let names: Vec<NameRule> =
            header.name.iter().map(|name| NameRule::new(name)).collect::<Result<_, _>>()?;
        let rename = check.fix.as_ref().is_some_and(|fix| fix.rename);
        if rename && !names.iter().any(|rule| matches!(rule, NameRule::Case(..))) {
            return Err(TreeError::NoCase);
        }
        Ok(Self {
            exists: exists.collect::<Result<_, _>>()?,
            absent: header.absent.iter().map(template_of).collect::<Result<_, _>>()?,
            only: header
                .only
                .iter()
                .map(|name| PathPattern::new("", name))
                .collect::<Result<_, _>>()?,
            only_text: header.only.join("`, `"),
            names,
            prevailing: header.prevailing,
            unique: header.unique.clone(),
            bytes: header.bytes,
            lines: header.lines,
            count: header.count,
            depth: header.depth,
            tracked: header.tracked,
            template: template.filter(|_| requires_template),
            rename,
            each,
        })
    }

    /// Whether the check requires the contents of the Git index.
    #[must_use]
    pub fn needs_index(header: &TreeHeader) -> bool {
        header.tracked == Some(true) || header.tracked.is_none() && !header.absent.is_empty()
    }

    /// Whether the findings of the check can differ for a file whose counts changed from `before`
    /// to `after`.
    #[must_use]
    pub fn can_differ(header: &TreeHeader, before: FileSize, after: FileSize) -> bool {
        let is_within = |limits: Limits, number: Option<u64>| {
            number.is_none_or(|number| limits.contains(number))
        };
        let differs = |limits: Option<Limits>, before: Option<Option<u64>>, after| {
            let (Some(limits), Some(before), Some(after)) = (limits, before, after) else {
                return false;
            };
            before != after && !(is_within(limits, before) && is_within(limits, after))
        };
        differs(header.bytes, before.bytes, after.bytes)
            || differs(header.lines, before.lines, after.lines)
    }

    /// Runs the check over the project.
    #[must_use]
    pub fn run(&self, scope: &Scope<'_>) -> ProjectResult {
        let mut result = ProjectResult::default();
        let tracked = scope.listing.tracked();
        let listing = match (self.tracked, tracked) {
            (Some(true), Some(index)) => index,
            (Some(true), None) => {
                result.notes.push("no Git index; all files were checked".to_owned());
                scope.listing
            }
            _ => scope.listing,
        };
        let mut run = Run { check: self, scope, listing, result };
        if self.each.is_empty() {
            run.check_project();
        } else {
            let subjects = self.subjects(listing, scope);
            run.result.checked = subjects.len();
            run.check_subjects(&subjects);
        }
        let truncation_notes = self.exists.iter().filter_map(AlternativePaths::truncation_note);
        run.result.notes.extend(
            truncation_notes.chain(self.absent.iter().filter_map(Template::truncation_note)),
        );
        run.result
    }

    fn subjects<'a>(&self, listing: &'a Listing, scope: &Scope<'_>) -> Vec<Subject<'a>> {
        let mut captures_by_path: BTreeMap<(&str, bool), CaptureValues> = BTreeMap::new();
        for pattern in &self.each {
            let is_folder = pattern.is_folder();
            let paths: Vec<&str> = if is_folder {
                listing.dirs().keys().map(String::as_str).collect()
            } else {
                listing.candidates(pattern.prefix(), pattern.suffix()).collect()
            };
            for path in paths {
                let Some(captured) = pattern.find(path) else { continue };
                let covers = if is_folder { scope.covers_folder(path) } else { scope.covers(path) };
                if covers && !path.is_empty() {
                    captures_by_path.entry((path, is_folder)).or_insert(captured);
                }
            }
        }
        let subject = |((path, is_folder), captured)| Subject { path, is_folder, captured };
        captures_by_path.into_iter().map(subject).collect()
    }
}

impl Subject<'_> {
    /// The last path segment.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The value of a placeholder: the capture with this name or, if there is none, the built-in
    /// value.
    fn value(&self, name: &str) -> Option<String> {
        if let Some(value) = self.captured.get(name) {
            return Some(value.clone());
        }
        let file = self.name();
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) if !self.is_folder && !stem.is_empty() => (stem, extension),
            _ => (file, ""),
        };
        let value = match name {
            "path" => self.path,
            "dir" => self.path.rsplit_once('/').map_or("", |(dir, _)| dir),
            "name" => file,
            "stem" => stem,
            "ext" => extension,
            _ => return None,
        };
        Some(value.to_owned())
    }

    fn names(&self) -> Vec<(String, String)> {
        let built_in = ["path", "dir", "name", "stem", "ext"].into_iter();
        let captured = self.captured.keys().map(String::as_str);
        built_in
            .chain(captured)
            .filter_map(|name| Some((name.to_owned(), self.value(name)?)))
            .collect()
    }
}

/// A fix that moves or creates a file. Such a fix is never safe, because other files can refer to
/// the file.
fn file_fix(title: String, change: FileChange) -> Fix {
    Fix { title, safety: Safety::Unsafe, edits: Vec::new(), file: Some(change) }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// One run of the check over a project.
struct Run<'a> {
    check: &'a TreeCheck,
    scope: &'a Scope<'a>,
    listing: &'a Listing,
    result: ProjectResult,
}

impl Run<'_> {
    /// Checks the requirements on the project as a whole.
    fn check_project(&mut self) {
        // The conditions of the rule are evaluated for the directory that the rule covers.
        if !(self.scope.runs_on)(self.scope.base) {
            return;
        }
        let root =
            Subject { path: self.scope.base, is_folder: true, captured: CaptureValues::new() };
        self.result.checked = 1;
        self.check_exists(&root);
        self.check_absent_anywhere();
        if !self.check.only.is_empty() {
            self.check_only(&root);
        }
    }

    fn check_subjects(&mut self, subjects: &[Subject<'_>]) {
        let usage = self.check.prevailing.then(|| Usage::count(&self.check.names, subjects));
        for subject in subjects {
            self.check_exists(subject);
            self.check_absent(subject);
            self.check_name(subject, usage.as_ref());
            self.check_limits(subject);
            if subject.is_folder && !self.check.only.is_empty() {
                self.check_only(subject);
            }
        }
        self.check_unique(subjects);
        let has_folders = subjects.iter().any(|subject| subject.is_folder);
        if let Some(limits) = self.check.count.filter(|_| !has_folders)
            && !limits.contains(subjects.len() as u64)
        {
            let message = format!("{} files, expected {}", subjects.len(), limits.describe());
            let names = vec![("count".to_owned(), subjects.len().to_string())];
            // The finding is reported at the first surplus file or, if there are too few files,
            // without a path.
            let surplus = limits.max.and_then(|max| subjects.get(usize::try_from(max).ok()?));
            let path = surplus.map_or_else(String::new, |subject| subject.path.to_owned());
            self.result.found.push(ProjectFinding {
                path,
                message,
                names,
                ..ProjectFinding::default()
            });
        }
    }

    fn add(
        &mut self,
        subject: &Subject<'_>,
        path: &str,
        message: String,
        more: &[(&str, &str)],
    ) -> &mut ProjectFinding {
        let mut names = subject.names();
        names.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let path = path.to_owned();
        self.result.found.push(ProjectFinding {
            path,
            message,
            names,
            ..ProjectFinding::default()
        });
        let last = self.result.found.len() - 1;
        &mut self.result.found[last]
    }

    fn check_exists(&mut self, subject: &Subject<'_>) {
        let check = self.check;
        for alternatives in &check.exists {
            let siblings = (check.tracked != Some(true)).then_some(self.scope.files);
            if alternatives.is_present(&|name| subject.value(name), self.listing, siblings) {
                continue;
            }
            let description = alternatives.description(&|name| subject.value(name));
            let missing = alternatives.literal(&|name| subject.value(name));
            // For a file, the finding is reported at the file; for a directory or the project, at
            // the missing path.
            let reported_path = match &missing {
                Some(path) if subject.is_folder => path.trim_end_matches('/').to_owned(),
                _ => subject.path.to_owned(),
            };
            let message = if subject.path.is_empty() {
                format!("{description} is missing")
            } else {
                format!("`{}` has no {description}", subject.path)
            };
            let first = missing.clone().unwrap_or_default();
            let finding = self.add(subject, &reported_path, message, &[("missing", &first)]);
            // A template cannot create a directory, and a captured value can result in an invalid
            // file name.
            if let (Some(template), Some(path)) = (&check.template, missing)
                && !path.ends_with('/')
                && check_new(&path).is_ok()
            {
                let text = captures::fill(template, |name| subject.value(name));
                let title = format!("Create {path} from the rule's template");
                finding.fix = Some(if reported_path == path {
                    let edits = vec![Edit { span: Span::default(), text }];
                    Fix { title, safety: Safety::Unsafe, edits, file: None }
                } else {
                    file_fix(title, FileChange::Create { path, text })
                });
            }
        }
    }

    fn check_absent(&mut self, subject: &Subject<'_>) {
        let check = self.check;
        for template in &check.absent {
            for path in template.matches(&|name| subject.value(name), &self.listings()) {
                let message = format!("`{path}` must not exist");
                self.add(subject, &path, message, &[("found", &path)]);
            }
        }
    }

    /// The listings that `absent` is checked against: the files on disk, and the files in the Git
    /// index.
    fn listings(&self) -> Vec<&Listing> {
        let mut listings = vec![self.listing];
        if self.check.tracked.is_none() {
            listings.extend(self.scope.listing.tracked());
        }
        listings
    }

    fn check_absent_anywhere(&mut self) {
        let check = self.check;
        let mut found: BTreeMap<String, CaptureValues> = BTreeMap::new();
        for template in &check.absent {
            for listing in self.listings() {
                template.for_each_path(listing, &mut |path, captured| {
                    found.entry(path.to_owned()).or_insert(captured);
                });
            }
        }
        let mut last: Option<String> = None;
        for (path, captured) in found {
            // Nothing is reported inside a directory that is itself reported.
            let is_inside_reported_dir = last.as_ref().is_some_and(|last| {
                path.strip_prefix(&**last).is_some_and(|rest| rest.starts_with('/'))
            });
            let covers = self.scope.covers(&path) || self.scope.covers_folder(&path);
            // `*/` matches directories in the root, but not the root itself.
            if is_inside_reported_dir || !covers || path.is_empty() {
                continue;
            }
            let subject = Subject { path: &path, is_folder: false, captured };
            let message = format!("`{path}` must not exist");
            self.add(&subject, &path, message, &[("found", &path)]);
            last = Some(path);
        }
    }

    fn check_only(&mut self, subject: &Subject<'_>) {
        let below = self.listing.below(subject.path);
        let prefix_len = if subject.path.is_empty() { 0 } else { subject.path.len() + 1 };
        let mut entries: BTreeMap<&str, bool> = BTreeMap::new();
        for path in below {
            let rest = &path[prefix_len..];
            let (name, is_folder) =
                rest.split_once('/').map_or((rest, false), |(folder, _)| (folder, true));
            entries.insert(name, is_folder);
        }
        for (name, is_folder) in entries {
            let is_allowed = |pattern: &PathPattern| {
                (is_folder || !pattern.is_folder()) && pattern.find(name).is_some()
            };
            let path = format!("{}{name}", &below[0][..prefix_len]);
            let covers =
                if is_folder { self.scope.covers_folder(&path) } else { self.scope.covers(&path) };
            if !covers || self.check.only.iter().any(is_allowed) {
                continue;
            }
            let allowed = &self.check.only_text;
            let message = format!("`{name}` does not belong here; only `{allowed}` is allowed");
            self.add(subject, &path, message, &[("found", name)]);
        }
    }

    fn check_limits(&mut self, subject: &Subject<'_>) {
        let check = self.check;
        let levels = || {
            let path = subject.path.strip_prefix(self.scope.base).unwrap_or(subject.path);
            path.split('/').filter(|part| !part.is_empty()).count() as u64
        };
        let entries = || self.listing.dirs().get(subject.path).copied().unwrap_or_default();
        let is_file = !subject.is_folder;
        let (bytes, lines) = (check.bytes.filter(|_| is_file), check.lines.filter(|_| is_file));
        let numbers = [
            ("bytes", bytes.and_then(|limits| Some((limits, self.scope.bytes(subject.path)?)))),
            ("lines", lines.and_then(|limits| Some((limits, self.scope.lines(subject.path)?)))),
            ("entries", check.count.filter(|_| !is_file).map(|limits| (limits, entries()))),
            ("levels", check.depth.map(|limits| (limits, levels()))),
        ];
        for (unit, measured) in numbers {
            let Some((limits, number)) =
                measured.filter(|(limits, number)| !limits.contains(*number))
            else {
                continue;
            };
            let message = format!("{number} {unit}, expected {}", limits.describe());
            let number = number.to_string();
            self.add(subject, subject.path, message, &[("count", &number)]);
        }
    }

    fn check_unique(&mut self, subjects: &[Subject<'_>]) {
        let Some(template) = &self.check.unique else { return };
        let mut first: BTreeMap<String, &Subject<'_>> = BTreeMap::new();
        for subject in subjects {
            let key = captures::fill(template, |name| subject.value(name));
            let Some(earlier) = first.get(&key) else {
                first.insert(key, subject);
                continue;
            };
            let message = format!("duplicate `{key}`: also in `{}`", earlier.path);
            let other = earlier.path.to_owned();
            self.add(subject, subject.path, message, &[("key", &key), ("other", &other)]);
        }
    }
}
