//! What the checks of the project pass have in common: what they look at, and what they find.

use crate::text::files::Files;
use crate::text::finding::{Fix, Related};
use crate::text::listing::Listing;
use crate::text::paths::Globs;
use crate::text::source::Span;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Most bytes of a file whose lines are counted.
const COUNTED: u64 = 64 << 20;

/// What a check over the whole project looks at.
pub struct Scope<'a> {
    /// The files that no ignore file leaves out.
    pub listing: &'a Listing,
    /// Their contents.
    pub files: &'a dyn Files,
    /// The `files` and `exclude` of the rule.
    pub globs: &'a Globs,
    /// The folder that the rule's paths count from; empty for the root.
    pub base: &'a str,
    /// Whether the rule runs on this path: switched on there, its conditions met, not left out by
    /// the configuration.
    pub runs_on: &'a dyn Fn(&str) -> bool,
    /// What is known of the sizes of files; `None`: they are looked at each time.
    pub sizes: Option<Sizes<'a>>,
}

/// The sizes of files, and where to look for those that are not known yet.
#[derive(Clone, Copy)]
pub struct Sizes<'a> {
    /// What is known.
    pub known: &'a Numbers,
    /// The files.
    pub files: &'a dyn Files,
}

/// How many bytes and lines files have, as far as checks asked for it.
#[derive(Debug, Default)]
pub struct Numbers(Mutex<HashMap<String, Number>>);

/// How many bytes and lines a file has; the outer `None`: nobody asked, the inner: it cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Number {
    /// Bytes.
    pub bytes: Option<Option<u64>>,
    /// Lines.
    pub lines: Option<Option<u64>>,
}

impl Numbers {
    fn one(
        &self,
        path: &str,
        part: fn(&mut Number) -> &mut Option<Option<u64>>,
        look: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = known().get_mut(path).and_then(|number| *part(number)) {
            return number;
        }
        let number = look();
        *part(known().entry(path.to_owned()).or_default()) = Some(number);
        number
    }

    /// Looks again at the file at `path`: what was known of it, and what is now. `None`: nobody asked.
    pub fn again(&self, path: &str, files: &dyn Files) -> Option<(Number, Number)> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *known().get(path)?;
        let after = Number {
            bytes: before.bytes.map(|_| files.size(path).ok()),
            lines: before.lines.map(|_| count_lines(path, files)),
        };
        known().insert(path.to_owned(), after);
        Some((before, after))
    }

    /// The files that something is known of, of those that `is_wanted` says yes to.
    #[must_use]
    pub fn paths(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.keys().filter(|path| is_wanted(path)).cloned().collect()
    }

    /// Forgets the file at `path`, which is no more.
    pub fn forget(&self, path: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
    }
}

/// Lines as an editor counts them: a last line break opens none.
fn count_lines(path: &str, files: &dyn Files) -> Option<u64> {
    let bytes = files.read(path, COUNTED).ok()?;
    let breaks = memchr::memchr_iter(b'\n', &bytes).count() as u64;
    Some(breaks + u64::from(bytes.last().is_some_and(|&last| last != b'\n')))
}

impl Scope<'_> {
    /// How many bytes the file at `path` has; `None` when it cannot be read.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<u64> {
        let look = |files: &dyn Files| files.size(path).ok();
        match self.sizes {
            Some(sizes) => sizes.known.one(path, |number| &mut number.bytes, || look(sizes.files)),
            None => look(self.files),
        }
    }

    /// How many lines the file at `path` has; `None` when it cannot be read.
    #[must_use]
    pub fn lines(&self, path: &str) -> Option<u64> {
        match self.sizes {
            Some(sizes) => {
                let look = || count_lines(path, sizes.files);
                sizes.known.one(path, |number| &mut number.lines, look)
            }
            None => count_lines(path, self.files),
        }
    }

    /// Whether the rule speaks of the file at `path`.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.globs.matches(path) && (self.runs_on)(path)
    }

    /// Whether the rule speaks of the folder at `path`.
    #[must_use]
    pub fn covers_folder(&self, path: &str) -> bool {
        let inner = format!("{path}/");
        !self.globs.excludes(path)
            && !self.globs.excludes(&inner)
            && (self.globs.matches(path) || self.globs.matches(&inner))
            && (self.runs_on)(path)
    }
}

/// One place where a rule over the whole project is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The file; one that should be there, or a folder, may be meant.
    pub path: String,
    /// Where in the file; `None`: the file as such.
    pub span: Option<Span>,
    /// What is wrong, for a rule whose page does not say it.
    pub message: String,
    /// What the names in the page's message stand for.
    pub names: Vec<(String, String)>,
    /// Edits that mend it.
    pub fix: Option<Fix>,
    /// Other places of the same file that explain it.
    pub related: Vec<Related>,
}

/// What a check over the whole project gave.
#[derive(Debug, Default)]
pub struct Joined {
    /// What it found.
    pub found: Vec<Found>,
    /// How many files, folders or imports it judged.
    pub judged: usize,
    /// What else to tell of it: imports that lead nowhere, a pattern that was cut short.
    pub notes: Vec<String>,
}
