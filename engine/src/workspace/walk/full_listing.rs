//! Lists a whole project on one thread. The ignore files of a directory are only looked up if the
//! directory contains them, and the stamps of files are read while their directory is open, which
//! saves most of the system calls of a walk.

use super::scope::{Cause, Inside, Scope};
use super::{STORES, Walk, globs};
use crate::project::config::Config;
use crate::text::files::{Disk, EntryKind, OpenDir, Stamp};
use crate::text::listing as project_listing;
use crate::text::paths::{GlobError, Globs, below};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
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
    let mut listing = Visit::new(globs, scope, is_stamped);
    if let Ok(read) = OpenDir::read(root) {
        listing.visit(root, "", (None, false), read);
    }
    listing.found
}

/// The entries of a project that a walk reads, reports or lists.
pub(super) struct Entries {
    /// The checked files, sorted by path; with the location if the path is not valid UTF-8.
    pub(super) checked: Vec<(String, Option<PathBuf>)>,
    /// The files that the globs exclude.
    pub(super) excluded: Vec<String>,
    /// The links, pipes, sockets and devices that the globs include, with their location.
    pub(super) irregular: Vec<(String, PathBuf)>,
    /// The directories that cannot be read.
    pub(super) unreadable: Vec<(String, io::Error)>,
}

impl Entries {
    /// The files of the project, whether they are checked or not.
    pub(super) fn listing(&self) -> project_listing::Listing {
        let checked = self.checked.iter().map(|(path, _)| path);
        project_listing::Listing::new(checked.chain(&self.excluded).cloned())
    }
}

/// All entries that `scope` includes below the directory `root`; `None` if it cannot be read.
pub(super) fn entries(root: &Path, globs: &Globs, scope: &Scope) -> Option<Entries> {
    let read = OpenDir::read(root).ok()?;
    let mut listing = Visit::new(globs, scope, &|_| false);
    listing.others = Some(Others::default());
    listing.visit(root, "", (None, false), read);
    let mut others = listing.others?;
    let checked = listing.found.into_iter().map(|(path, _)| {
        let location = others.locations.remove(&path);
        (path, location)
    });
    let checked = checked.collect();
    let Others { excluded, irregular, unreadable, .. } = others;
    Some(Entries { checked, excluded, irregular, unreadable })
}

/// The entries that are not found files.
#[derive(Default)]
struct Others {
    excluded: Vec<String>,
    irregular: Vec<(String, PathBuf)>,
    unreadable: Vec<(String, io::Error)>,
    /// The locations of the found files whose path is not valid UTF-8.
    locations: BTreeMap<String, PathBuf>,
}

/// A listing that is being made.
struct Visit<'a> {
    globs: &'a Globs,
    scope: &'a Scope,
    is_stamped: &'a dyn Fn(&str) -> bool,
    found: Vec<Stamped>,
    /// The other entries, also of excluded directories; `None` if they are not needed.
    others: Option<Others>,
}

impl<'a> Visit<'a> {
    fn new(globs: &'a Globs, scope: &'a Scope, is_stamped: &'a dyn Fn(&str) -> bool) -> Self {
        Self { globs, scope, is_stamped, found: Vec::new(), others: None }
    }

    /// Adds the files below a directory that was opened, which is in the directory of `outer`.
    /// `is_excluded`: whether the globs exclude the directory.
    fn visit(
        &mut self,
        disk_path: &Path,
        path: &str,
        (outer, is_excluded): (Option<&Inside>, bool),
        (dir, entries): (OpenDir, Vec<(EntryKind, OsString)>),
    ) {
        let contains =
            |name: &str| entries.iter().any(|(_, other)| other.eq_ignore_ascii_case(name));
        let inside = self.scope.enter(path, outer, &contains);
        // A directory is sorted as if its path ended with a slash, as the paths of its files do.
        let mut listed: Vec<(String, Listed)> = Vec::new();
        for (kind, name) in entries {
            let text = name.to_string_lossy();
            if STORES.iter().any(|store| text == *store) {
                continue;
            }
            let mut path = below(path, &text);
            match kind {
                EntryKind::File => {
                    self.file((disk_path, &dir), (path, name), (&inside, is_excluded), &mut listed);
                }
                EntryKind::Other => {
                    if let Some(others) = self.others.as_mut().filter(|_| !is_excluded) {
                        others.irregular.push((path, disk_path.join(name)));
                    }
                }
                EntryKind::Dir => {
                    path.push('/');
                    let dir_path = &path[..path.len() - 1];
                    let excludes = !is_excluded && self.globs.excludes(&path);
                    if excludes && self.others.is_none() {
                        self.scope.record_excluded(dir_path, Cause::Exclude);
                        continue;
                    }
                    let is_included = self.scope.includes_in(&inside, dir_path, true);
                    if excludes {
                        self.scope.record_excluded(dir_path, Cause::Exclude);
                    }
                    if is_included {
                        drop(text);
                        listed.push((path, Listed::Dir(name, is_excluded || excludes)));
                    }
                }
            }
        }
        // Deep trees must not keep all their directories open.
        drop(dir);
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (path, entry) in listed {
            match entry {
                Listed::File(stamp) => self.found.push((path, stamp)),
                Listed::Dir(name, is_excluded) => {
                    let disk_path = disk_path.join(name);
                    let path = path.trim_end_matches('/');
                    match OpenDir::read(&disk_path) {
                        Ok(read) => {
                            self.visit(&disk_path, path, (Some(&inside), is_excluded), read);
                        }
                        Err(error) => {
                            if let Some(others) = self.others.as_mut().filter(|_| !is_excluded) {
                                others.unreadable.push((path.to_owned(), error));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds a file to `listed`, or to the excluded files.
    fn file(
        &mut self,
        (disk_path, dir): (&Path, &OpenDir),
        (path, name): (String, OsString),
        (inside, is_excluded): (&Inside, bool),
        listed: &mut Vec<(String, Listed)>,
    ) {
        let matches = !is_excluded && self.globs.matches(&path);
        if !matches && self.others.is_none() || !self.scope.includes_in(inside, &path, false) {
            return;
        }
        if matches {
            if let Some(others) = &mut self.others {
                let disk_path = disk_path.join(&name);
                if disk_path.to_str().is_none() {
                    others.locations.insert(path.clone(), disk_path);
                }
            }
            let is_stamped = (self.is_stamped)(&name.to_string_lossy());
            let stamp = is_stamped.then(|| dir.stamp(&name)).flatten();
            listed.push((path, Listed::File(stamp)));
        } else if let Some(others) = &mut self.others {
            if !is_excluded && self.globs.excludes(&path) {
                self.scope.record_excluded(&path, Cause::Exclude);
            }
            others.excluded.push(path);
        }
    }
}

/// An entry of a directory that is being listed.
enum Listed {
    File(Option<Stamp>),
    /// The name, and whether the globs exclude the directory.
    Dir(OsString, bool),
}
