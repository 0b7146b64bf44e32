//! Files that moved into the project from elsewhere in its repository.
//!
//! In the base these files are outside of the project, so they are compared under their current
//! path. Shipped rules apply to a file in any directory. The project's own rules did not apply to
//! these files before, so the findings of these rules are new.

use crate::check::Engine;
use crate::project::git::{Change, Snapshot};
use crate::text::files::Files;
use crate::workspace::walk::Outcome;
use std::collections::HashMap;
use std::io;

/// The files of the base, with the moved files at their paths in the head.
pub(super) struct Base<'a> {
    files: &'a Snapshot,
    top: Snapshot,
    /// Path in the head → path in the base, relative to the top of the work tree.
    moved_in: HashMap<&'a str, &'a str>,
}

impl<'a> Base<'a> {
    pub(super) fn new(files: &'a Snapshot, changes: &'a [Change]) -> Self {
        let moved_in = changes.iter();
        let moved_in = moved_in
            .filter_map(|change| Some((change.head.as_deref()?, change.outside.as_deref()?)));
        Self { files, top: files.at_top(), moved_in: moved_in.collect() }
    }

    /// Removes the findings of the project's own rules in files that moved in.
    pub(super) fn without_own_rules(&self, engine: &Engine, outcome: &mut Outcome) {
        let is_project_rule =
            |rule: &str| engine.registry().get(rule).is_some_and(|rule| rule.path.is_some());
        for file in &mut outcome.files {
            if self.moved_in.contains_key(file.source.path()) {
                file.checked.findings.retain(|finding| !is_project_rule(&finding.rule));
            }
        }
        outcome.files.retain(|file| !file.checked.findings.is_empty());
    }
}

/// The change with the path under which its base is read.
pub(super) fn with_base(change: &Change) -> Change {
    let base = change.base.as_ref().or(change.head.as_ref().filter(|_| change.outside.is_some()));
    Change { base: base.cloned(), ..change.clone() }
}

impl Files for Base<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        match self.moved_in.get(path) {
            Some(outside) => self.top.read(outside, limit),
            None => self.files.read(path, limit),
        }
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn names(&self, dir: &str) -> Vec<String> {
        self.files.names(dir)
    }

    fn dirs(&self, dir: &str) -> Vec<String> {
        self.files.dirs(dir)
    }
}
