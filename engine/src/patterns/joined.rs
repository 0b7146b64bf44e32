//! What the checks of the project pass have in common: what they look at, and what they find.

use crate::files::Files;
use crate::finding::{Fix, Related};
use crate::listing::Listing;
use crate::paths::Globs;
use crate::source::Span;

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
}

impl Scope<'_> {
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
#[derive(Clone, Debug, Default)]
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
