//! Paths that depend on a subject: the captures of the subject are filled in, and the resulting
//! path is looked up in the listing.

use super::TreeError;
use crate::text::captures::{self, CaptureValues, PathPattern};
use crate::text::files::Files;
use crate::text::listing::Listing;
use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names that are available without a capture.
pub(super) const BUILT_IN: [&str; 5] = ["path", "dir", "name", "stem", "ext"];
/// Maximum number of patterns that are compiled from one template in a run. Each subject has its
/// own pattern.
const MAX_COMPILED: usize = 2000;

/// Resolves a placeholder to its value.
type ValueLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Rejects names that are not captured.
pub(super) fn check_names(text: &str, bound: Option<&BTreeSet<&str>>) -> Result<(), TreeError> {
    let Some(bound) = bound else { return Ok(()) };
    for name in captures::names(text) {
        if !bound.contains(name) && !BUILT_IN.contains(&name) {
            let bound = bound.iter().map(|&name| name.to_owned()).collect();
            return Err(TreeError::Unbound { name: name.to_owned(), text: text.to_owned(), bound });
        }
    }
    Ok(())
}

/// One path with placeholders and without braces.
#[derive(Debug)]
pub(super) struct Template {
    text: String,
    base: String,
    is_folder: bool,
    has_glob: bool,
    /// The template with its placeholders unbound, for checks without a subject.
    unbound: PathPattern,
    /// The placeholders in order, if their values can be derived from a path alone.
    derivable_names: Option<Vec<String>>,
    /// The placeholder values of all matching paths of a listing, computed when first needed.
    index: OnceLock<HashSet<Vec<String>>>,
    /// Number of patterns compiled so far.
    compiled: AtomicUsize,
}

impl Template {
    pub(super) fn new(
        text: &str,
        base: &str,
        bound: Option<&BTreeSet<&str>>,
    ) -> Result<Self, TreeError> {
        check_names(text, bound)?;
        let unbound = PathPattern::new(base, text)?;
        let trimmed = text.strip_prefix("./").or_else(|| text.strip_prefix('/')).unwrap_or(text);
        Ok(Self {
            is_folder: text.ends_with('/'),
            has_glob: captures::has_glob(text),
            derivable_names: is_derivable(trimmed)
                .then(|| unbound.names().map(str::to_owned).collect()),
            text: trimmed.trim_end_matches('/').to_owned(),
            base: base.to_owned(),
            unbound,
            index: OnceLock::new(),
            compiled: AtomicUsize::new(0),
        })
    }

    /// Calls `found` with each path of `listing` that matches, for any values of the placeholders.
    pub(super) fn for_each_path(
        &self,
        listing: &Listing,
        found: &mut dyn FnMut(&str, CaptureValues),
    ) {
        let pattern = &self.unbound;
        let mut try_path = |path: &str| {
            if let Some(captured) = pattern.find(path) {
                found(path, captured);
            }
        };
        if self.is_folder {
            listing.dirs().keys().for_each(|path| try_path(path));
        } else {
            listing.candidates(pattern.prefix(), pattern.suffix()).for_each(try_path);
        }
    }

    /// The path for a subject, if it contains no glob.
    pub(super) fn literal(&self, value: ValueLookup<'_>) -> Option<String> {
        if self.has_glob || captures::names(&self.text).iter().any(|name| value(name).is_none()) {
            return None;
        }
        let path = captures::fill(&self.text, value);
        Some(to_root_relative(&self.base, &self.text, &path))
    }

    /// The existing paths for a subject.
    pub(super) fn matches(&self, value: ValueLookup<'_>, listings: &[&Listing]) -> Vec<String> {
        let mut found = BTreeSet::new();
        for listing in listings {
            if let Some(path) = self.literal(value) {
                let exists =
                    if self.is_folder { listing.has_dir(&path) } else { listing.has_file(&path) };
                found.extend(exists.then_some(path));
            } else if let Some(pattern) = self.pattern_for(value) {
                let mut collect_match = |path: &str| {
                    if pattern.find(path).is_some() {
                        found.insert(path.to_owned());
                    }
                };
                if self.is_folder {
                    listing.dirs().keys().for_each(|path| collect_match(path));
                } else {
                    listing.candidates(pattern.prefix(), pattern.suffix()).for_each(collect_match);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The pattern for a subject; `None` once the maximum number of patterns is reached.
    fn pattern_for(&self, value: ValueLookup<'_>) -> Option<PathPattern> {
        if self.compiled.fetch_add(1, Ordering::Relaxed) >= MAX_COMPILED {
            return None;
        }
        let text = captures::fill(&self.text, |name| Some(captures::escaped(&value(name)?)));
        let text = text.trim_start_matches('/');
        let base = if self.is_root_relative() { "" } else { &self.base };
        PathPattern::new(base, text).ok()
    }

    /// Whether the path begins with a placeholder whose value is already relative to the root.
    fn is_root_relative(&self) -> bool {
        self.text.starts_with("<dir>") || self.text.starts_with("<path>")
    }

    /// Whether a path for the subject exists. Paths that are not listed are looked up in `files`.
    fn is_present(
        &self,
        value: ValueLookup<'_>,
        listing: &Listing,
        files: Option<&dyn Files>,
    ) -> bool {
        if let Some(path) = self.literal(value) {
            return if self.is_folder {
                listing.has_dir(&path)
            } else {
                // Ignored files, such as local settings, count as existing.
                listing.has_file(&path) || files.is_some_and(|files| files.exists(&path))
            };
        }
        let Some(names) = &self.derivable_names else {
            // Subjects beyond the maximum number of patterns produce no finding; a note reports
            // this.
            return !self.matches(value, &[listing]).is_empty() || self.is_truncated();
        };
        let values = names.iter().map(|name| value(name)).collect::<Option<Vec<_>>>();
        let index = self.index.get_or_init(|| self.index(names, listing));
        values.is_some_and(|values| index.contains(&values))
    }

    /// The placeholder values of all matching paths.
    fn index(&self, names: &[String], listing: &Listing) -> HashSet<Vec<String>> {
        let mut index = HashSet::new();
        let base = if self.is_root_relative() { "" } else { self.base.as_str() };
        let Ok(pattern) = PathPattern::new(base, &self.text) else { return index };
        let mut record = |path: &str| {
            if let Some(mut captured) = pattern.find(path) {
                let values = names.iter().map(|name| captured.remove(name).unwrap_or_default());
                index.insert(values.collect());
            }
        };
        if self.is_folder {
            listing.dirs().keys().for_each(|path| record(path));
        } else {
            listing.candidates(pattern.prefix(), pattern.suffix()).for_each(record);
        }
        index
    }

    /// The note for a pattern that was too slow to be tested for every subject.
    pub(super) fn truncation_note(&self) -> Option<String> {
        self.is_truncated().then(|| {
            format!(
                "`{}` was tested for {MAX_COMPILED} subjects only: use at most one name per path \
                 segment and at most one `**`",
                self.text
            )
        })
    }

    fn is_truncated(&self) -> bool {
        self.compiled.load(Ordering::Relaxed) > MAX_COMPILED
    }
}

/// Makes a filled-in path relative to the root.
fn to_root_relative(base: &str, text: &str, path: &str) -> String {
    let path = path.trim_start_matches('/');
    if base.is_empty() || text.starts_with("<dir>") || text.starts_with("<path>") {
        path.to_owned()
    } else {
        format!("{base}/{path}")
    }
}

/// Whether the values of a template's placeholders can be derived from a path: each placeholder is
/// the only wildcard of its segment, at most one `**` makes the number of segments variable, and
/// `<dir>` comes first, followed by a fixed number of segments.
fn is_derivable(text: &str) -> bool {
    let stars = text.split('/').filter(|part| *part == "**").count();
    let starts_with_dir = text.starts_with("<dir>/");
    let has_single_wildcard = |part: &str| {
        let unknown = captures::names(part).len() + part.matches(['*', '?', '[']).count();
        captures::names(part).is_empty() || unknown == 1
    };
    let names = captures::names(text);
    let dirs = names.iter().filter(|name| matches!(**name, "dir" | "path")).count();
    !text.contains("<path>")
        && dirs == usize::from(starts_with_dir)
        && (!starts_with_dir || stars == 0)
        && stars <= 1
        && text.split('/').all(has_single_wildcard)
}

/// Alternative paths; at least one of them must exist.
#[derive(Debug)]
pub(super) struct AlternativePaths {
    alternatives: Vec<Template>,
    text: String,
}

impl AlternativePaths {
    /// Alternatives are separated by ` | ` or listed in braces.
    pub(super) fn new(
        text: &str,
        base: &str,
        bound: Option<&BTreeSet<&str>>,
    ) -> Result<Self, TreeError> {
        let mut alternatives = Vec::new();
        for part in text.split('|') {
            for alternative in captures::alternatives(part.trim())? {
                alternatives.push(Template::new(&alternative, base, bound)?);
            }
        }
        Ok(Self { alternatives, text: text.to_owned() })
    }

    pub(super) fn is_present(
        &self,
        value: ValueLookup<'_>,
        listing: &Listing,
        files: Option<&dyn Files>,
    ) -> bool {
        self.alternatives.iter().any(|template| template.is_present(value, listing, files))
    }

    /// The first alternative without a glob.
    pub(super) fn literal(&self, value: ValueLookup<'_>) -> Option<String> {
        self.alternatives.iter().find_map(|template| template.literal(value))
    }

    /// The alternatives as text for a message.
    pub(super) fn description(&self, value: ValueLookup<'_>) -> String {
        let filled = captures::fill(&self.text, value);
        let parts: Vec<String> = filled
            .split('|')
            .map(|part| format!("`{}`", part.trim().trim_start_matches('/')))
            .collect();
        parts.join(" or ")
    }

    /// The note for a pattern that was too slow to be tested for every subject.
    pub(super) fn truncation_note(&self) -> Option<String> {
        self.alternatives.iter().find_map(Template::truncation_note)
    }
}
