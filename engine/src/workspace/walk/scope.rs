//! Decides which files of a disk are checked: tracked files, and untracked files that no ignore
//! file excludes. `.gitignore`, `.ignore`, `.git/info/exclude` and the user's global excludes only
//! affect untracked files; `.aiddignore` excludes tracked files as well.
//!
//! An ignored directory is only entered if it contains tracked files, and only these files are
//! included. A walk is therefore as fast as a walk that skips ignored directories, and the index is
//! only read when an ignored entry is found.

use super::ignore_rules::{DirIgnores, OuterDirs, Read, Verdict, read_above, read_inside};
use super::index::{Index, Indexes};
use crate::project::config::Config;
use crate::project::git::{Snapshot, TrackedDir};
use crate::project::ignored::{self, AIDDIGNORE};
use crate::text::files::Disk;
use crate::text::paths::{GlobError, below, parent_dir, relative, upwards};
use ignore::gitignore::Gitignore;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Why a path is excluded although Git may track it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Excluded by `.aiddignore`.
    Aiddignore,
    /// Excluded by the setting `exclude`.
    Exclude,
}

/// The number of excluded tracked files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcludedCounts {
    /// Excluded by `.aiddignore`.
    pub aiddignore: usize,
    /// Excluded by the setting `exclude`.
    pub exclude: usize,
}

impl ExcludedCounts {
    /// The message for a report; `None` if nothing is excluded. `kind` describes the counted files:
    /// `tracked`.
    #[must_use]
    pub fn message(self, kind: &str) -> Option<String> {
        let all = self.aiddignore + self.exclude;
        let (files, are) = if all == 1 { ("file", "is") } else { ("files", "are") };
        let causes = match (self.aiddignore, self.exclude) {
            (0, 0) => return None,
            (_, 0) => "`.aiddignore`".to_owned(),
            (0, _) => "`exclude`".to_owned(),
            (by_aiddignore, by_exclude) => {
                format!("`.aiddignore` ({by_aiddignore}) and `exclude` ({by_exclude})")
            }
        };
        Some(format!("{all} {kind} {files} {are} excluded by {causes}"))
    }
}

/// The ignore rules that apply to the entries of a directory.
#[derive(Clone)]
struct Dir {
    level: Option<Arc<DirIgnores>>,
    index: Option<Arc<Index>>,
}

/// The rules for the entries of a directory.
pub(super) struct Inside {
    dir: Dir,
    /// Whether the directory is only entered because it contains tracked files.
    tracked_only: bool,
}

/// A table by path with a fast hash.
type ByPath<T> = HashMap<String, T, foldhash::fast::RandomState>;

/// Decides which paths are checked, from any thread.
pub(super) struct Scope {
    disk: Disk,
    /// Whether ignore files are read.
    is_enabled: bool,
    /// The path from the outermost directory with patterns to the root, with a trailing slash.
    prefix: String,
    /// The revision whose `.aiddignore` files apply instead of the files on disk.
    base: Option<Snapshot>,
    above: Dir,
    /// Paths that the user specified, which are entered even if they are ignored.
    explicit_paths: HashSet<String>,
    dirs: RwLock<ByPath<Dir>>,
    /// Directories that are only entered because they contain tracked files.
    tracked_only: RwLock<ByPath<()>>,
    excluded: Mutex<BTreeMap<String, Cause>>,
    problems: Mutex<BTreeMap<PathBuf, String>>,
    indexes: Arc<Indexes>,
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("root", &self.disk.root()).finish_non_exhaustive()
    }
}

impl Scope {
    /// The scope of the files of `disk`. `indexes` are the indexes that an earlier walk has read.
    pub(super) fn new(disk: &Disk, indexes: Arc<Indexes>) -> Self {
        let above = OuterDirs::above(disk.root());
        let mut scope = Self {
            disk: disk.clone(),
            is_enabled: true,
            prefix: above.prefix.clone(),
            base: None,
            above: Dir { level: None, index: None },
            explicit_paths: HashSet::new(),
            dirs: RwLock::default(),
            tracked_only: RwLock::default(),
            excluded: Mutex::default(),
            problems: Mutex::default(),
            indexes,
        };
        for (dir, at) in above.dirs() {
            let read = |name: &str| read_above(&dir.join(name));
            scope.above = scope.read_dir(&scope.above, &dir, at, (&read, &|_| true));
        }
        scope
    }

    /// The scope of a walk: with its paths, and with or without ignore files.
    pub(super) fn of_walk(walk: &super::Walk, disk: &Disk, indexes: Arc<Indexes>) -> Self {
        let explicit_paths = walk.paths.iter().map(|path| relative(disk.root(), path)).collect();
        let base = walk.base_ignores.clone();
        Self { is_enabled: !walk.no_ignore, explicit_paths, base, ..Self::new(disk, indexes) }
    }

    /// Whether a walk includes the file at `path`, or enters the directory. Must be called for the
    /// parent directory first.
    pub(super) fn includes(&self, path: &str, is_dir: bool) -> bool {
        if !self.is_enabled {
            return true;
        }
        let parent = parent_dir(path);
        let tracked_only = read(&self.tracked_only).contains_key(parent);
        self.includes_in(&Inside { dir: self.dir(parent), tracked_only }, path, is_dir)
    }

    /// Like [`Scope::includes`], for a path directly in the directory of `inside`.
    pub(super) fn includes_in(&self, inside: &Inside, path: &str, is_dir: bool) -> bool {
        if !self.is_enabled {
            return true;
        }
        let Inside { dir, tracked_only } = inside;
        let outer_path = self.outer_path(path);
        let verdict =
            dir.level.as_ref().map_or(Verdict::None, |level| level.verdict(&outer_path, is_dir));
        match verdict {
            Verdict::Excluded => {
                self.record_excluded(path, Cause::Aiddignore);
                return false;
            }
            Verdict::None | Verdict::Included if !*tracked_only => return true,
            _ => {}
        }
        let Some(index) = &dir.index else { return false };
        let indexed_path = &outer_path[index.at..];
        if !is_dir {
            return index.has_file(indexed_path);
        }
        match index.dir(indexed_path) {
            TrackedDir::Empty => false,
            TrackedDir::Submodule => true,
            TrackedDir::Files => {
                if !self.explicit_paths.contains(path) {
                    write(&self.tracked_only).insert(path.to_owned(), ());
                }
                true
            }
        }
    }

    /// Whether a walk over the root covers the file at `path`, if it exists.
    pub(super) fn covers(&self, path: &str) -> bool {
        let mut dirs: Vec<&str> = upwards(parent_dir(path)).filter(|dir| !dir.is_empty()).collect();
        dirs.reverse();
        let is_store = path.split('/').any(|name| super::STORES.contains(&name));
        !is_store
            && dirs.into_iter().all(|dir| self.includes(dir, true))
            && self.includes(path, false)
    }

    /// Whether Git tracks the file at `path`, or it belongs to another repository.
    pub(super) fn is_tracked(&self, path: &str) -> bool {
        let outer_path = self.outer_path(path);
        let index = self.dir(parent_dir(path)).index;
        let is_outer = |index: &Arc<Index>| index.at <= self.prefix.len();
        index.is_none_or(|index| !is_outer(&index) || index.has_file(&outer_path[index.at..]))
    }

    /// Records that a file, or a directory with its contents, is excluded.
    pub(super) fn record_excluded(&self, path: &str, cause: Cause) {
        lock(&self.excluded).insert(path.to_owned(), cause);
    }

    /// The number of excluded tracked files so far.
    pub(super) fn excluded_counts(&self) -> ExcludedCounts {
        let excluded = std::mem::take(&mut *lock(&self.excluded));
        let mut counts = ExcludedCounts::default();
        for (path, cause) in &excluded {
            // A directory counts with all its files.
            if upwards(parent_dir(path)).any(|dir| excluded.contains_key(dir)) {
                continue;
            }
            let Some(index) = self.dir(parent_dir(path)).index else { continue };
            let count = index.count(&self.outer_path(path)[index.at..]);
            match cause {
                Cause::Aiddignore => counts.aiddignore += count,
                Cause::Exclude => counts.exclude += count,
            }
        }
        counts
    }

    /// The ignore files and indexes that could not be read, and why.
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let files = lock(&self.problems).clone().into_iter();
        let indexes = self.indexes.problems().into_iter().map(|(top, error)| {
            let why = "tracked files are unknown, and ignored files are not checked";
            (top.join(".git"), format!("{why}: {error}"))
        });
        let root = self.disk.root();
        let display = |disk_path: PathBuf| match disk_path.strip_prefix(root) {
            Ok(_) => relative(root, &disk_path),
            Err(_) => disk_path.display().to_string(),
        };
        files.chain(indexes).map(|(disk_path, why)| (display(disk_path), why)).collect()
    }

    fn outer_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if self.prefix.is_empty() {
            Cow::Borrowed(path)
        } else {
            Cow::Owned(format!("{}{path}", self.prefix))
        }
    }

    /// Reads the rules of the directory at `path`, in which `contains` accepts the names of the entries.
    /// `outer` are the rules of the directory that contains it; `None` for the root.
    pub(super) fn enter(
        &self,
        path: &str,
        outer: Option<&Inside>,
        contains: &dyn Fn(&str) -> bool,
    ) -> Inside {
        let outer = outer.map_or(&self.above, |outer| &outer.dir);
        if !self.is_enabled {
            return Inside { dir: outer.clone(), tracked_only: false };
        }
        let dir = self.add_dir(path, outer, contains);
        Inside { dir, tracked_only: read(&self.tracked_only).contains_key(path) }
    }

    /// Reads the rules of the directory at `path`, which is in the directory of `outer`.
    fn add_dir(&self, path: &str, outer: &Dir, contains: &dyn Fn(&str) -> bool) -> Dir {
        let disk_path = self.disk.root().join(path);
        let at = self.prefix.len() + if path.is_empty() { 0 } else { path.len() + 1 };
        let read = |name: &str| self.read(path, name);
        // The files of another revision are not in the directory.
        let contains = |name: &str| self.base.is_some() && name == AIDDIGNORE || contains(name);
        let dir = self.read_dir(outer, &disk_path, at, (&read, &contains));
        write(&self.dirs).insert(path.to_owned(), dir.clone());
        dir
    }

    fn dir(&self, path: &str) -> Dir {
        if let Some(known) = read(&self.dirs).get(path) {
            return known.clone();
        }
        let missing: Vec<&str> = {
            let known = read(&self.dirs);
            upwards(path).take_while(|at| !known.contains_key(*at)).collect()
        };
        let mut dir = match missing.last() {
            Some(&"") => self.above.clone(),
            Some(outermost) => self.known_dir(parent_dir(outermost)),
            None => self.known_dir(path),
        };
        for path in missing.into_iter().rev() {
            dir = self.add_dir(path, &dir, &|_| true);
        }
        dir
    }

    /// The cached rules of the directory at `path`, otherwise those of the directories above the
    /// root.
    fn known_dir(&self, path: &str) -> Dir {
        read(&self.dirs).get(path).cloned().unwrap_or_else(|| self.above.clone())
    }

    /// The rules of the directory at `disk_path`, which is in the directory of `outer`; `read`
    /// reads an ignore file in `disk_path`, and `contains` accepts the names that can be in it.
    fn read_dir(
        &self,
        outer: &Dir,
        disk_path: &Path,
        at: usize,
        (read, contains): (&Read<'_>, &dyn Fn(&str) -> bool),
    ) -> Dir {
        let access = (read, contains);
        let rules =
            DirIgnores::read(outer.level.as_ref(), disk_path, at, access, &|disk_path, error| {
                let why = format!("not read as an ignore file: {error}");
                lock(&self.problems).insert(disk_path, why);
            });
        let own_index = rules.is_top.then(|| self.indexes.index_at(disk_path, at));
        Dir { level: rules.level, index: own_index.or_else(|| outer.index.clone()) }
    }

    /// The patterns of the ignore file `name` in the directory at `dir`.
    fn read(&self, dir: &str, name: &str) -> io::Result<Option<Gitignore>> {
        let path = below(dir, name);
        match &self.base {
            Some(base) if name == AIDDIGNORE => ignored::read(base, &path),
            _ => read_inside(&self.disk, &path),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// The path relative to `root`, like [`relative`], without a copy if possible.
pub(super) fn from_root<'a>(root: &Path, path: &'a Path) -> Cow<'a, str> {
    #[cfg(unix)]
    {
        let below = path.to_str().and_then(|path| path.strip_prefix(root.to_str()?));
        if let Some(path) = below.and_then(|below| below.strip_prefix('/')) {
            return Cow::Borrowed(path);
        }
    }
    Cow::Owned(relative(root, path))
}

/// Whether a walk over the root covers the file at `path`, if it exists.
#[must_use]
pub fn covers(disk: &Disk, path: &str) -> bool {
    Scope::new(disk, Arc::default()).covers(path)
}

/// Retains the paths of another state of the project at `disk`, such as a commit, that [`super::list`] would
/// return for a walk over the whole project.
///
/// # Errors
/// A malformed glob in the configuration.
pub fn retain_listed(
    config: &Config,
    disk: &Disk,
    paths: &mut Vec<String>,
) -> Result<(), GlobError> {
    let (globs, scope) = (super::globs(config)?, Scope::new(disk, Arc::default()));
    paths.retain(|path| globs.matches(path) && scope.covers(path));
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories and repositories created for the tests")]
mod tests;
