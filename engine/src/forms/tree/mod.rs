//! The form `tree`: which files and directories exist, and how they are named. File contents are
//! not read, except to count lines.

mod error;
mod names;
mod naming;
mod template;

pub use error::TreeError;

use super::project_form::{FileSize, ProjectFinding, ProjectResult, Scope};
use crate::text::captures::{self, Captured, PathPattern, PatternError};
use crate::text::finding::{Edit, FileChange, Fix, Safety};
use crate::text::listing::Listing;
use crate::text::paths::check_new;
use crate::text::source::Span;
use aidd_page::{CheckHeader, Limits, TreeHeader};
use names::NameRule;
use naming::Usage;
use std::collections::{BTreeMap, BTreeSet};
use template::{Template, Wanted};

#[cfg(test)]
mod tests;

/// A compiled `tree` check.
#[derive(Debug)]
pub struct TreeCheck {
    each: Vec<PathPattern>,
    /// Of each entry at least one alternative must exist.
    exists: Vec<Wanted>,
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
    captured: Captured,
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
        let exists = header.exists.iter().map(|text| Wanted::new(text, base, bound.as_ref()));
        if let Some(unique) = &header.unique {
            template::check_names(unique, bound.as_ref())?;
        }
        let wants_template = check.fix.as_ref().is_some_and(|fix| fix.create);
        if wants_template && template.is_none() {
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
            template: template.filter(|_| wants_template),
            rename,
            each,
        })
    }

    /// Whether the check requires the contents of the Git index.
    #[must_use]
    pub fn needs_index(header: &TreeHeader) -> bool {
        header.tracked == Some(true) || header.tracked.is_none() && !header.absent.is_empty()
    }

    /// Whether its findings can differ for a file whose counts changed from `before` to `after`.
    #[must_use]
    pub fn can_differ(header: &TreeHeader, before: FileSize, after: FileSize) -> bool {
        let holds =
            |limits: Limits, number: Option<u64>| number.is_none_or(|it| limits.contains(it));
        let differs = |limits: Option<Limits>, before: Option<Option<u64>>, after| {
            let (Some(limits), Some(before), Some(after)) = (limits, before, after) else {
                return false;
            };
            before != after && !(holds(limits, before) && holds(limits, after))
        };
        differs(header.bytes, before.bytes, after.bytes)
            || differs(header.lines, before.lines, after.lines)
    }

    /// Runs the check over the project.
    #[must_use]
    pub fn run(&self, scope: &Scope<'_>) -> ProjectResult {
        let mut joined = ProjectResult::default();
        let tracked = scope.listing.tracked();
        let listing = match (self.tracked, tracked) {
            (Some(true), Some(index)) => index,
            (Some(true), None) => {
                joined.notes.push("no Git index; all files were checked".to_owned());
                scope.listing
            }
            _ => scope.listing,
        };
        let mut run = Run { check: self, scope, listing, joined };
        if self.each.is_empty() {
            run.project();
        } else {
            let subjects = self.subjects(listing, scope);
            run.joined.checked = subjects.len();
            run.subjects(&subjects);
        }
        let cut = self.exists.iter().filter_map(Wanted::cut);
        run.joined
            .notes
            .extend(cut.chain(self.absent.iter().filter_map(Template::truncation_note)));
        run.joined
    }

    fn subjects<'a>(&self, listing: &'a Listing, scope: &Scope<'_>) -> Vec<Subject<'a>> {
        let mut found: BTreeMap<(&str, bool), Captured> = BTreeMap::new();
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
                    found.entry((path, is_folder)).or_insert(captured);
                }
            }
        }
        let subject = |((path, is_folder), captured)| Subject { path, is_folder, captured };
        found.into_iter().map(subject).collect()
    }
}

impl Subject<'_> {
    /// The last path segment.
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The value of a placeholder: a capture, else a built-in name.
    fn value(&self, name: &str) -> Option<String> {
        if let Some(value) = self.captured.get(name) {
            return Some(value.clone());
        }
        let file = self.name();
        let (stem, ending) = match file.rsplit_once('.') {
            Some((stem, ending)) if !self.is_folder && !stem.is_empty() => (stem, ending),
            _ => (file, ""),
        };
        let value = match name {
            "path" => self.path,
            "dir" => self.path.rsplit_once('/').map_or("", |(folder, _)| folder),
            "name" => file,
            "stem" => stem,
            "ext" => ending,
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

/// A fix that moves or creates a file. It is never safe, because other files can refer to this one.
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
    joined: ProjectResult,
}

impl Run<'_> {
    /// Checks the requirements on the project as a whole.
    fn project(&mut self) {
        // Conditions on the file are evaluated for the directory that the rule covers.
        if !(self.scope.runs_on)(self.scope.base) {
            return;
        }
        let root = Subject { path: self.scope.base, is_folder: true, captured: Captured::new() };
        self.joined.checked = 1;
        self.exists(&root);
        self.absent_anywhere();
        if !self.check.only.is_empty() {
            self.only(&root);
        }
    }

    fn subjects(&mut self, subjects: &[Subject<'_>]) {
        let usage = self.check.prevailing.then(|| Usage::of(&self.check.names, subjects));
        for subject in subjects {
            self.exists(subject);
            self.absent(subject);
            self.name(subject, usage.as_ref());
            self.numbers(subject);
            if subject.is_folder && !self.check.only.is_empty() {
                self.only(subject);
            }
        }
        self.unique(subjects);
        let folders = subjects.iter().any(|subject| subject.is_folder);
        if let Some(limits) = self.check.count.filter(|_| !folders)
            && !limits.contains(subjects.len() as u64)
        {
            let message = format!("{} files, expected {}", subjects.len(), limits.describe());
            let names = vec![("count".to_owned(), subjects.len().to_string())];
            // Reported at the first surplus file, or at the rule itself.
            let over = limits.max.and_then(|max| subjects.get(usize::try_from(max).ok()?));
            let path = over.map_or_else(String::new, |subject| subject.path.to_owned());
            self.joined.found.push(ProjectFinding {
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
        self.joined.found.push(ProjectFinding {
            path,
            message,
            names,
            ..ProjectFinding::default()
        });
        let last = self.joined.found.len() - 1;
        &mut self.joined.found[last]
    }

    fn exists(&mut self, subject: &Subject<'_>) {
        let check = self.check;
        for wanted in &check.exists {
            let siblings = (check.tracked != Some(true)).then_some(self.scope.files);
            if wanted.is_there(&|name| subject.value(name), self.listing, siblings) {
                continue;
            }
            let said = wanted.description(&|name| subject.value(name));
            let missing = wanted.literal(&|name| subject.value(name));
            // For a file, the finding is reported at the file; for a directory or the project, at
            // the missing path.
            let place = match &missing {
                Some(path) if subject.is_folder => path.trim_end_matches('/').to_owned(),
                _ => subject.path.to_owned(),
            };
            let message = if subject.path.is_empty() {
                format!("{said} is missing")
            } else {
                format!("`{}` has no {said}", subject.path)
            };
            let first = missing.clone().unwrap_or_default();
            let found = self.add(subject, &place, message, &[("missing", &first)]);
            // A template cannot create a directory, and a captured value can be an invalid file
            // name.
            if let (Some(template), Some(path)) = (&check.template, missing)
                && !path.ends_with('/')
                && check_new(&path).is_ok()
            {
                let text = captures::fill(template, |name| subject.value(name));
                let title = format!("Create {path} from the rule's template");
                found.fix = Some(if place == path {
                    let edits = vec![Edit { span: Span::default(), text }];
                    Fix { title, safety: Safety::Unsafe, edits, file: None }
                } else {
                    file_fix(title, FileChange::Create { path, text })
                });
            }
        }
    }

    fn absent(&mut self, subject: &Subject<'_>) {
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

    fn absent_anywhere(&mut self) {
        let check = self.check;
        let mut found: BTreeMap<String, Captured> = BTreeMap::new();
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
            let inner = last.as_ref().is_some_and(|last| {
                path.strip_prefix(&**last).is_some_and(|rest| rest.starts_with('/'))
            });
            let covers = self.scope.covers(&path) || self.scope.covers_folder(&path);
            // `*/` matches directories in the root, but not the root itself.
            if inner || !covers || path.is_empty() {
                continue;
            }
            let subject = Subject { path: &path, is_folder: false, captured };
            let message = format!("`{path}` must not exist");
            self.add(&subject, &path, message, &[("found", &path)]);
            last = Some(path);
        }
    }

    fn only(&mut self, subject: &Subject<'_>) {
        let below = self.listing.below(subject.path);
        let skip = if subject.path.is_empty() { 0 } else { subject.path.len() + 1 };
        let mut entries: BTreeMap<&str, bool> = BTreeMap::new();
        for path in below {
            let rest = &path[skip..];
            let (name, is_folder) =
                rest.split_once('/').map_or((rest, false), |(folder, _)| (folder, true));
            entries.insert(name, is_folder);
        }
        for (name, is_folder) in entries {
            let fits = |pattern: &PathPattern| {
                (is_folder || !pattern.is_folder()) && pattern.find(name).is_some()
            };
            let path = format!("{}{name}", &below[0][..skip]);
            let covers =
                if is_folder { self.scope.covers_folder(&path) } else { self.scope.covers(&path) };
            if !covers || self.check.only.iter().any(fits) {
                continue;
            }
            let allowed = &self.check.only_text;
            let message = format!("`{name}` does not belong here; only `{allowed}` is allowed");
            self.add(subject, &path, message, &[("found", name)]);
        }
    }

    fn numbers(&mut self, subject: &Subject<'_>) {
        let check = self.check;
        let levels = || {
            let path = subject.path.strip_prefix(self.scope.base).unwrap_or(subject.path);
            path.split('/').filter(|part| !part.is_empty()).count() as u64
        };
        let entries = || self.listing.dirs().get(subject.path).copied().unwrap_or_default();
        let file = !subject.is_folder;
        let (bytes, lines) = (check.bytes.filter(|_| file), check.lines.filter(|_| file));
        let numbers = [
            ("bytes", bytes.and_then(|limits| Some((limits, self.scope.bytes(subject.path)?)))),
            ("lines", lines.and_then(|limits| Some((limits, self.scope.lines(subject.path)?)))),
            ("entries", check.count.filter(|_| !file).map(|limits| (limits, entries()))),
            ("levels", check.depth.map(|limits| (limits, levels()))),
        ];
        for (unit, judged) in numbers {
            let Some((limits, number)) =
                judged.filter(|(limits, number)| !limits.contains(*number))
            else {
                continue;
            };
            let message = format!("{number} {unit}, expected {}", limits.describe());
            let number = number.to_string();
            self.add(subject, subject.path, message, &[("count", &number)]);
        }
    }

    fn unique(&mut self, subjects: &[Subject<'_>]) {
        let Some(template) = &self.check.unique else { return };
        let mut first: BTreeMap<String, &Subject<'_>> = BTreeMap::new();
        for subject in subjects {
            let key = captures::fill(template, |name| subject.value(name));
            let Some(before) = first.get(&key) else {
                first.insert(key, subject);
                continue;
            };
            let message = format!("duplicate `{key}`: also in `{}`", before.path);
            let other = before.path.to_owned();
            self.add(subject, subject.path, message, &[("key", &key), ("other", &other)]);
        }
    }
}
