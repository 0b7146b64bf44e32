//! Shared input and output types of the project-wide checks.

use crate::text::files::Files;
use crate::text::finding::{Fix, Related};
use crate::text::listing::Listing;
use crate::text::paths::Globs;
use crate::text::source::Span;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum size in bytes of a file whose lines are counted.
const MAX_COUNTED_BYTES: u64 = 64 << 20;

/// The input of a project-wide check.
pub struct Scope<'a> {
    /// The files that are not ignored.
    pub listing: &'a Listing,
    /// Access to the file contents.
    pub files: &'a dyn Files,
    /// The `files` and `exclude` globs of the rule.
    pub globs: &'a Globs,
    /// The directory that the rule's paths are relative to; empty for the root.
    pub base: &'a str,
    /// Whether the rule runs on this path: the rule is enabled there, its conditions are met, and
    /// the configuration does not exclude the path.
    pub runs_on: &'a dyn Fn(&str) -> bool,
    /// Cached file sizes; `None` if the sizes are read each time.
    pub sizes: Option<Sizes<'a>>,
}

/// Cached file sizes, and the store from which missing sizes are read.
#[derive(Clone, Copy)]
pub struct Sizes<'a> {
    /// The cache.
    pub known: &'a SizeCache,
    /// The store from which missing sizes are read.
    pub files: &'a dyn Files,
}

/// The byte and line counts of files that checks have requested.
#[derive(Debug, Default)]
pub struct SizeCache(Mutex<HashMap<String, FileSize>>);

/// The byte and line count of a file. The outer `None` means that they were not requested yet, the
/// inner `None` that the file cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileSize {
    /// The size in bytes.
    pub bytes: Option<Option<u64>>,
    /// The number of lines.
    pub lines: Option<Option<u64>>,
}

impl SizeCache {
    fn get_or_read(
        &self,
        path: &str,
        part: fn(&mut FileSize) -> &mut Option<Option<u64>>,
        read: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known().get_mut(path).and_then(|number| *part(number)) {
            return number;
        }
        let number = read();
        *part(known().entry(path.to_owned()).or_default()) = Some(number);
        number
    }

    /// Reads the requested counts of the file at `path` again. Returns the old and the new counts;
    /// `None` if no counts were requested.
    pub fn refresh(&self, path: &str, files: &dyn Files) -> Option<(FileSize, FileSize)> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *known().get(path)?;
        let after = FileSize {
            bytes: before.bytes.map(|_| files.size(path).ok()),
            lines: before.lines.map(|_| count_lines(path, files)),
        };
        known().insert(path.to_owned(), after);
        Some((before, after))
    }

    /// The cached files that `is_wanted` accepts.
    #[must_use]
    pub fn paths(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.keys().filter(|path| is_wanted(path)).cloned().collect()
    }

    /// Removes the deleted file at `path` from the cache.
    pub fn forget(&self, path: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
}

/// Counts lines as an editor does: a final line break does not begin a new line.
fn count_lines(path: &str, files: &dyn Files) -> Option<u64> {
    let bytes = files.read(path, MAX_COUNTED_BYTES).ok()?;
    let breaks = memchr::memchr_iter(b'\n', &bytes).count() as u64;
    Some(breaks + u64::from(bytes.last().is_some_and(|&last| last != b'\n')))
}

impl Scope<'_> {
    /// The size in bytes of the file at `path`; `None` if it cannot be read.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<u64> {
        let read = |files: &dyn Files| files.size(path).ok();
        match self.sizes {
            Some(sizes) => {
                sizes.known.get_or_read(path, |number| &mut number.bytes, || read(sizes.files))
            }
            None => read(self.files),
        }
    }

    /// The number of lines of the file at `path`; `None` if it cannot be read.
    #[must_use]
    pub fn lines(&self, path: &str) -> Option<u64> {
        match self.sizes {
            Some(sizes) => {
                let read = || count_lines(path, sizes.files);
                sizes.known.get_or_read(path, |number| &mut number.lines, read)
            }
            None => count_lines(path, self.files),
        }
    }

    /// Whether the rule applies to the file at `path`.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.globs.matches(path) && (self.runs_on)(path)
    }

    /// Whether the rule applies to the directory at `path`.
    #[must_use]
    pub fn covers_folder(&self, path: &str) -> bool {
        let inner = format!("{path}/");
        !self.globs.excludes(path)
            && !self.globs.excludes(&inner)
            && (self.globs.matches(path) || self.globs.matches(&inner))
            && (self.runs_on)(path)
    }
}

/// A violation of a project-wide rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectFinding {
    /// The path of the finding; can also be a directory or a missing file.
    pub path: String,
    /// The span in the file; `None` for the whole file.
    pub span: Option<Span>,
    /// The message, used if the rule page has no message of its own.
    pub message: String,
    /// The values of the placeholders in the page's message.
    pub names: Vec<(String, String)>,
    /// The edits that fix the violation.
    pub fix: Option<Fix>,
    /// Related locations in the same file.
    pub related: Vec<Related>,
}

/// The result of a project-wide check.
#[derive(Debug, Default)]
pub struct ProjectResult {
    /// The violations.
    pub found: Vec<ProjectFinding>,
    /// The number of files, directories or imports that were checked.
    pub checked: usize,
    /// Notes on the run: unresolved imports, or a pattern that was skipped for some subjects.
    pub notes: Vec<String>,
}
