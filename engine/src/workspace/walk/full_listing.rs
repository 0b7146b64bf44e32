//! Lists a whole project on one thread. The ignore files of a directory are only looked up if the
//! directory contains them, which saves most of the system calls of a walk.

use super::scope::{Cause, Scope};
use super::{STORES, Walk};
use crate::text::paths::{Globs, below};
use std::fs;
use std::path::Path;

impl Walk {
    /// Whether the walk covers all files of the project at `root`.
    pub(super) fn covers_project(&self, root: &Path) -> bool {
        self.paths == [root] && !self.no_hidden && self.only.is_none() && self.part.is_none()
    }
}

/// The files below `root` that `scope` includes and `globs` accept, in no particular order.
pub(super) fn list(root: &Path, globs: &Globs, scope: &Scope) -> Vec<String> {
    let mut found = Vec::new();
    visit(root, "", (globs, scope), &mut found);
    found
}

#[expect(clippy::disallowed_methods, reason = "this is a walk")]
fn visit(disk_path: &Path, path: &str, (globs, scope): (&Globs, &Scope), found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(disk_path) else { return };
    // An entry would keep its directory open.
    let entries: Vec<_> = entries
        .flatten()
        .filter_map(|entry| Some((entry.file_type().ok()?, entry.file_name())))
        .collect();
    let contains = |name: &str| entries.iter().any(|(_, other)| other.eq_ignore_ascii_case(name));
    scope.enter(path, &contains);
    for (kind, name) in &entries {
        if STORES.iter().any(|store| name == store) {
            continue;
        }
        let path = below(path, &name.to_string_lossy());
        if kind.is_file() {
            if globs.matches(&path) && scope.includes(&path, false) {
                found.push(path);
            }
        } else if kind.is_dir() {
            if globs.excludes(&format!("{path}/")) {
                scope.record_excluded(&path, Cause::Exclude);
            } else if scope.includes(&path, true) {
                visit(&disk_path.join(name), &path, (globs, scope), found);
            }
        }
    }
}
