//! Caches the files of a project by directory. A directory is read again if its modification time
//! shows that entries were added or removed; all directories are read again if an ignore file
//! changed.

use super::ignore_rules::{OuterDirs, common_dir};
use super::index::Indexes;
use super::names::Names;
use super::scope::{Scope, from_root};
use super::{Walk, builder, includes_entry, is_store};
use crate::project::git::user_excludes;
use crate::text::files::{Disk, MIN_STAMP_AGE, Stamp, stamp_of};
use crate::text::paths::{below, parent_dir};
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The entries of a directory that affect which files below it are excluded. The ignore files above
/// a repository do not apply in it, so the presence of `.git` matters too.
pub(super) const IGNORE_ENTRIES: [&str; 4] = [".gitignore", ".ignore", ".aiddignore", ".git"];

/// The state of a file: whether the file exists, and its modification stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathState {
    /// The file does not exist.
    Absent,
    /// The file was written so recently that its modification time cannot prove that the file is
    /// unchanged.
    Recent,
    /// The file exists; its modification time does not matter.
    Present,
    /// The modification stamp of the file.
    Since(Stamp),
}

impl PathState {
    pub(super) fn from_stamp(stamp: Option<Stamp>, min_age: Duration) -> Self {
        match stamp {
            None => Self::Absent,
            Some(stamp) if stamp.0.elapsed().is_ok_and(|age| age > min_age) => Self::Since(stamp),
            Some(_) => Self::Recent,
        }
    }

    /// Whether the file is certainly unchanged since its state was `before`.
    pub(super) fn is_unchanged_since(self, before: Self) -> bool {
        self == before && self != Self::Recent
    }
}

/// The directories that a walk over the project enters.
#[derive(Debug)]
pub(super) struct Tree {
    dirs: BTreeMap<String, Dir>,
    /// The files outside of the project that affect which files are excluded.
    outside: Vec<(PathBuf, PathState)>,
    /// The Git indexes, to find tracked files among the ignored files.
    indexes: Arc<Indexes>,
    /// Minimum age at which a modification time proves that a file is unchanged.
    min_age: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Dir {
    state: PathState,
    /// The names of the files directly in the directory.
    files: Names,
    /// The states of those [`IGNORE_ENTRIES`] that exist.
    ignore_states: Box<[(&'static str, PathState)]>,
}

/// The result of updating a tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TreeUpdate {
    /// Whether the set of files differs.
    pub(super) differs: bool,
    /// The directories that were read again, and the removed directories.
    pub(super) dirs: BTreeSet<String>,
}

/// The result of a walk.
#[derive(Default)]
struct WalkResult {
    /// The entered directories, with their state before they were read.
    entered: BTreeMap<String, PathState>,
    /// The directories that are not excluded.
    seen: BTreeSet<String>,
    files: Vec<String>,
}

impl Tree {
    /// Reads the whole project.
    pub(super) fn new(disk: &Disk) -> Self {
        Self::with_min_age(disk, MIN_STAMP_AGE)
    }

    pub(super) fn with_min_age(disk: &Disk, min_age: Duration) -> Self {
        let mut tree =
            Self { dirs: BTreeMap::new(), outside: Vec::new(), indexes: Arc::default(), min_age };
        tree.read(disk);
        tree
    }

    fn read(&mut self, disk: &Disk) {
        self.outside = outside_files(disk.root(), self.min_age);
        self.dirs.clear();
        self.indexes = Arc::new(Indexes::cached(self.min_age));
        let scope = Scope::new(disk, self.indexes.clone());
        let result = walk(disk, self.min_age, (scope, true), |_| true);
        self.dirs = collect_dirs(disk, result, self.min_age).1;
        self.indexes.unload();
    }

    /// The files, in directory order.
    pub(super) fn files(&self) -> impl Iterator<Item = String> {
        self.dirs.iter().flat_map(|(path, dir)| dir.files.iter().map(move |name| below(path, name)))
    }

    /// The directories, and the names of the files directly in each, sorted.
    pub(super) fn dirs(&self) -> impl Iterator<Item = (&str, &Names)> {
        self.dirs.iter().map(|(path, dir)| (&**path, &dir.files))
    }

    /// Minimum age at which a modification time proves that a file is unchanged.
    pub(super) fn min_age(&self) -> Duration {
        self.min_age
    }

    /// Whether there are files directly in the directory at `path`.
    pub(super) fn has_files(&self, path: &str) -> bool {
        self.dirs.get(path).is_some_and(|dir| !dir.files.is_empty())
    }

    /// Whether the walk enters the directory at `path`.
    pub(super) fn enters(&self, path: &str) -> bool {
        self.dirs.contains_key(path)
    }

    /// Updates the tree. `reported` are files that may have been added or deleted, in addition to
    /// the changes that the modification times of directories show.
    pub(super) fn update<'a>(
        &mut self,
        disk: &Disk,
        reported: impl Iterator<Item = &'a str>,
    ) -> TreeUpdate {
        let min_age = self.min_age;
        let are_ignore_rules_unchanged = self.is_outside_unchanged(disk)
            && self
                .dirs
                .iter()
                .all(|(path, dir)| dir.are_ignore_rules_unchanged(disk, path, min_age));
        if !are_ignore_rules_unchanged {
            return self.rebuild(disk);
        }
        let mut stale: BTreeSet<String> =
            reported.filter_map(|path| self.dir_with_outdated_listing(disk, path)).collect();
        let is_stale = |(path, dir): &(&String, &Dir)| {
            !PathState::from_stamp(disk.stamp(path), min_age).is_unchanged_since(dir.state)
        };
        stale.extend(self.dirs.iter().filter(is_stale).map(|(path, _)| path.clone()));
        if stale.is_empty() {
            return TreeUpdate::default();
        }
        self.enter(disk, stale)
    }

    /// Whether the files outside of the project's directories that affect which files are excluded
    /// are unchanged.
    pub(super) fn is_outside_unchanged(&self, disk: &Disk) -> bool {
        let is_unchanged = |(disk_path, state): &(PathBuf, PathState)| {
            current_state(disk_path, *state, self.min_age).is_unchanged_since(*state)
        };
        outside_paths(disk.root()).iter().eq(self.outside.iter().map(|(at, _)| at))
            && self.outside.iter().all(is_unchanged)
            && self.indexes.are_unchanged()
    }

    /// The directory that contains the file at `path`, if the listing of the directory is outdated:
    /// the file exists but is not listed, or is listed but does not exist.
    fn dir_with_outdated_listing(&self, disk: &Disk, path: &str) -> Option<String> {
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        let known = self.dirs.get(dir)?;
        let is_known = known.files.contains(name);
        let exists = disk.locate(path).is_ok_and(|disk_path| disk_path.is_file());
        (is_known != exists).then(|| dir.to_owned())
    }

    fn rebuild(&mut self, disk: &Disk) -> TreeUpdate {
        let before = std::mem::take(&mut self.dirs);
        self.read(disk);
        fn files(dirs: &BTreeMap<String, Dir>) -> impl Iterator<Item = (&String, &Names)> {
            let with_files = dirs.iter().filter(|(_, dir)| !dir.files.is_empty());
            with_files.map(|(path, dir)| (path, &dir.files))
        }
        let differs = !files(&before).eq(files(&self.dirs));
        TreeUpdate { differs, dirs: before.into_keys().chain(self.dirs.keys().cloned()).collect() }
    }

    /// Reads the directories in `stale` again, and new directories in them.
    fn enter(&mut self, disk: &Disk, stale: BTreeSet<String>) -> TreeUpdate {
        let mut entered = stale.clone();
        entered.extend(stale.iter().flat_map(|path| parents(path)).map(str::to_owned));
        let known: BTreeSet<String> = self.dirs.keys().cloned().collect();
        let scope = Scope::new(disk, self.indexes.clone());
        let result = walk(disk, self.min_age, (scope, false), move |path| {
            entered.contains(path) || !known.contains(path)
        });
        self.indexes.unload();
        let (seen, read) = collect_dirs(disk, result, self.min_age);
        let has_other_ignore_rules = read.iter().any(|(path, new)| {
            self.dirs.get(path).is_some_and(|old| old.ignore_states != new.ignore_states)
        });
        if has_other_ignore_rules {
            return self.rebuild(disk);
        }
        let is_removed = |path: &&String| {
            !path.is_empty() && read.contains_key(parent_dir(path)) && !seen.contains(*path)
        };
        let removed: Vec<String> = self.dirs.keys().filter(is_removed).cloned().collect();
        let mut update = TreeUpdate { differs: false, dirs: stale };
        for path in removed {
            let inner = format!("{path}/");
            let below = self.dirs.range(inner.clone()..).map(|(path, _)| path.clone());
            let all: Vec<String> = below.take_while(|path| path.starts_with(&inner)).collect();
            for path in all.into_iter().chain([path]) {
                let dir = self.dirs.remove(&path);
                update.differs |= dir.is_some_and(|dir| !dir.files.is_empty());
                update.dirs.insert(path);
            }
        }
        for (path, new) in read {
            let is_same = match self.dirs.get(&path) {
                Some(old) => old.files == new.files,
                None => new.files.is_empty(),
            };
            update.differs |= !is_same;
            update.dirs.insert(path.clone());
            self.dirs.insert(path, new);
        }
        update
    }
}

impl Dir {
    /// Whether the files that affect exclusion are unchanged.
    fn are_ignore_rules_unchanged(&self, disk: &Disk, path: &str, min_age: Duration) -> bool {
        // A new file changes the modification time of the directory.
        self.ignore_states.iter().all(|&(name, state)| {
            let disk_path = disk.root().join(below(path, name));
            current_state(&disk_path, state, min_age).is_unchanged_since(state)
        })
    }
}

/// The current state of a file whose state was `before`.
fn current_state(disk_path: &Path, before: PathState, min_age: Duration) -> PathState {
    match PathState::from_stamp(stamp_of(disk_path), min_age) {
        PathState::Recent | PathState::Since(_) if before == PathState::Present => {
            PathState::Present
        }
        state => state,
    }
}

/// The parent directories of a path, the root last.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |&path| (!path.is_empty()).then(|| parent_dir(path))).skip(1)
}

/// The directories of a walk with their contents, and the directories that are not excluded.
fn collect_dirs(
    disk: &Disk,
    result: WalkResult,
    min_age: Duration,
) -> (BTreeSet<String>, BTreeMap<String, Dir>) {
    let mut names: HashMap<&str, Vec<&str>, foldhash::fast::RandomState> = HashMap::default();
    for file in &result.files {
        let (dir, name) = file.rsplit_once('/').unwrap_or(("", file));
        names.entry(dir).or_default().push(name);
    }
    let with_contents = |(path, state): (&String, &PathState)| {
        let existing = IGNORE_ENTRIES.into_iter().filter_map(|name| {
            let stamp = stamp_of(&disk.root().join(below(path, name)));
            match PathState::from_stamp(stamp, min_age) {
                PathState::Absent => None,
                // `.git` changes all the time, but only its presence matters.
                _ if name == ".git" => Some((name, PathState::Present)),
                state => Some((name, state)),
            }
        });
        let ignore_states = existing.collect();
        let files = Names::new(names.remove(&**path).unwrap_or_default());
        // The path is copied, because the allocator of glibc returns the memory of the threads that
        // walked only if no value in it remains.
        (path.clone(), Dir { state: *state, files, ignore_states })
    };
    // A map that is collected at once needs less memory than one into which the entries are inserted.
    let dirs = result.entered.iter().map(with_contents).collect();
    (result.seen, dirs)
}

/// Walks the project, entering the directories that `enters` accepts; with several threads if
/// `is_parallel`.
fn walk(
    disk: &Disk,
    min_age: Duration,
    (scope, is_parallel): (Scope, bool),
    enters: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> WalkResult {
    let root = disk.root().to_owned();
    let state_of =
        move |path: &str, root: &Path| PathState::from_stamp(stamp_of(&root.join(path)), min_age);
    let result = WalkResult {
        entered: [(String::new(), state_of("", &root))].into(),
        ..WalkResult::default()
    };
    let result = Arc::new(Mutex::new(result));
    let Some(mut builder) = builder(&Walk::over(vec![root.clone()])) else {
        return WalkResult::default();
    };
    let shared_result = result.clone();
    builder.filter_entry(move |entry| {
        if entry.depth() == 0 {
            return true;
        }
        let path = from_root(&root, entry.path());
        if is_store(entry) || !includes_entry(&scope, entry, &path) {
            return false;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return true;
        }
        let path = path.into_owned();
        let is_entered = enters(&path);
        // The state is read before the directory is read, so that a later change is detected.
        let state = is_entered.then(|| state_of(&path, &root));
        let mut result = lock(&shared_result);
        result.entered.extend(state.map(|state| (path.clone(), state)));
        result.seen.insert(path);
        is_entered
    });
    let files =
        if is_parallel { list_parallel(&builder, disk) } else { list_sequentially(&builder, disk) };
    let mut result = std::mem::take(&mut *lock(&result));
    result.files = files;
    result
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file(entry: &DirEntry, disk: &Disk) -> Option<String> {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_file.then(|| from_root(disk.root(), entry.path()).into_owned())
}

fn list_sequentially(builder: &WalkBuilder, disk: &Disk) -> Vec<String> {
    builder.build().flatten().filter_map(|entry| file(&entry, disk)).collect()
}

/// The files that a walk covers, found by several threads, in no particular order.
pub(super) fn list_parallel(builder: &WalkBuilder, disk: &Disk) -> Vec<String> {
    /// Collects the paths of one thread and adds them to the result when the thread ends.
    struct ThreadPaths<'a> {
        total: &'a Mutex<Vec<String>>,
        paths: Vec<String>,
    }
    impl Drop for ThreadPaths<'_> {
        fn drop(&mut self) {
            lock(self.total).append(&mut self.paths);
        }
    }
    let total = Mutex::new(Vec::new());
    builder.build_parallel().run(|| {
        let mut thread = ThreadPaths { total: &total, paths: Vec::new() };
        Box::new(move |entry| {
            thread.paths.extend(entry.ok().and_then(|entry| file(&entry, disk)));
            WalkState::Continue
        })
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The files outside of the project's directories that affect which files are excluded.
fn outside_files(root: &Path, min_age: Duration) -> Vec<(PathBuf, PathState)> {
    let with_state = |disk_path: PathBuf| {
        let state = PathState::from_stamp(stamp_of(&disk_path), min_age);
        let is_store = disk_path.file_name().is_some_and(|name| name == ".git");
        let state = if is_store && state != PathState::Absent { PathState::Present } else { state };
        (disk_path, state)
    };
    outside_paths(root).into_iter().map(with_state).collect()
}

fn outside_paths(root: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = user_excludes().into_iter().collect();
    for (dir, _) in OuterDirs::above(root).dirs() {
        paths.extend(IGNORE_ENTRIES.map(|name| dir.join(name)));
    }
    if let Some(store) = root.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists()) {
        paths.push(common_dir(&store).join("info/exclude"));
    }
    paths
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories created for the tests")]
mod tests;
