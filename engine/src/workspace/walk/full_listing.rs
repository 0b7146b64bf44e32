//! Lists a whole project on one thread. The ignore files of a directory are only looked up if the
//! directory contains them, and the stamps of files are read while their directory is open, which
//! saves most of the system calls of a walk.

use super::scope::{Cause, Inside, Scope};
use super::{STORES, Walk, globs};
use crate::project::config::Config;
use crate::text::files::{Disk, OpenDir, Stamp};
use crate::text::paths::{GlobError, Globs, below};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// A path, and its stamp if it was requested.
pub type Stamped = (String, Option<Stamp>);

/// The files that [`list`](super::list) returns for a walk over the whole project, sorted by path.
/// Those whose name `is_stamped` accepts have their stamp.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn list_stamped(
    config: &Config,
    disk: &Disk,
    is_stamped: &dyn Fn(&str) -> bool,
) -> Result<Vec<Stamped>, GlobError> {
    let walk = Walk::over(vec![disk.root().to_owned()]);
    let scope = Scope::of_walk(&walk, disk, Arc::default());
    Ok(list(disk.root(), &globs(config)?, &scope, is_stamped))
}

impl Walk {
    /// Whether the walk covers all files of the project at `root`.
    pub(super) fn covers_project(&self, root: &Path) -> bool {
        self.paths == [root] && !self.no_hidden && self.only.is_none() && self.part.is_none()
    }
}

/// The files below `root` that `scope` includes and `globs` accept.
pub(super) fn paths(root: &Path, globs: &Globs, scope: &Scope) -> BTreeSet<String> {
    list(root, globs, scope, &|_| false).into_iter().map(|(path, _)| path).collect()
}

/// These files, sorted by path, with the stamps of those whose name `is_stamped` accepts.
fn list(
    root: &Path,
    globs: &Globs,
    scope: &Scope,
    is_stamped: &dyn Fn(&str) -> bool,
) -> Vec<Stamped> {
    let mut listing = Listing { globs, scope, is_stamped, found: Vec::new() };
    listing.visit(root, "", None);
    listing.found
}

/// A listing that is being made.
struct Listing<'a> {
    globs: &'a Globs,
    scope: &'a Scope,
    is_stamped: &'a dyn Fn(&str) -> bool,
    found: Vec<Stamped>,
}

impl Listing<'_> {
    /// Adds the files below a directory, which is in the directory of `outer`.
    fn visit(&mut self, disk_path: &Path, path: &str, outer: Option<&Inside>) {
        let Some((dir, entries)) = OpenDir::read(disk_path) else { return };
        let contains =
            |name: &str| entries.iter().any(|(_, other)| other.eq_ignore_ascii_case(name));
        let inside = self.scope.enter(path, outer, &contains);
        // A directory is sorted as if its path ended with a slash, as the paths of its files do.
        let mut listed: Vec<(String, Option<OsString>, Option<Stamp>)> = Vec::new();
        for (is_dir, name) in entries {
            let text = name.to_string_lossy();
            if STORES.iter().any(|store| text == *store) {
                continue;
            }
            let mut path = below(path, &text);
            if !is_dir {
                if self.globs.matches(&path) && self.scope.includes_in(&inside, &path, false) {
                    let stamp = (self.is_stamped)(&text).then(|| dir.stamp(&name)).flatten();
                    listed.push((path, None, stamp));
                }
                continue;
            }
            path.push('/');
            let dir_path = &path[..path.len() - 1];
            if self.globs.excludes(&path) {
                self.scope.record_excluded(dir_path, Cause::Exclude);
            } else if self.scope.includes_in(&inside, dir_path, true) {
                drop(text);
                listed.push((path, Some(name), None));
            }
        }
        // Deep trees must not keep all their directories open.
        drop(dir);
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (path, name, stamp) in listed {
            match name {
                None => self.found.push((path, stamp)),
                Some(name) => {
                    self.visit(&disk_path.join(name), path.trim_end_matches('/'), Some(&inside));
                }
            }
        }
    }
}
