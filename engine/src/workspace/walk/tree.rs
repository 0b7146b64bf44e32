//! The files of a project, cached by directory: a directory is read again if its modification time
//! shows that entries were added or removed, and all directories if an ignore file changed.

use super::index::Indexes;
use super::rules::{OuterDirs, common_dir};
use super::scope::{Scope, from_root};
use super::{Walk, builder, is_store, meets_entry, relative};
use crate::text::files::{Disk, MIN_STAMP_AGE, Stamp, stamp_of};
use crate::text::paths::{below, parent_dir};
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The entries of a directory that affect which files below it are excluded. Git's ignore files
/// only apply in a repository, so its presence matters too.
const MARKS: [&str; 4] = [".gitignore", ".ignore", ".aiddignore", ".git"];

/// The state of a file: whether it exists, and since when it is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The file does not exist.
    Absent,
    /// Written so recently that its modification time cannot prove that it is unchanged.
    Recent,
    /// The file exists; its modification time does not matter.
    Present,
    /// The modification stamp of the file.
    Since(Stamp),
}

impl Mark {
    pub(super) fn of(stamp: Option<Stamp>, settled: Duration) -> Self {
        match stamp {
            None => Self::Absent,
            Some(stamp) if stamp.0.elapsed().is_ok_and(|age| age > settled) => Self::Since(stamp),
            Some(_) => Self::Recent,
        }
    }

    /// Whether the file is certainly unchanged since its state was `before`.
    pub(super) fn is_still(self, before: Self) -> bool {
        self == before && self != Self::Recent
    }
}

/// The directories that a walk over the project enters.
#[derive(Debug)]
pub(super) struct Tree {
    folders: BTreeMap<String, Folder>,
    /// The files outside of the project that affect which files are excluded.
    outside: Vec<(PathBuf, Mark)>,
    /// The tracked files among the ignored ones.
    indexes: Arc<Indexes>,
    /// Minimum age of a modification time to be conclusive.
    settled: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Folder {
    mark: Mark,
    /// The names of the files directly in the directory.
    files: Vec<String>,
    marks: [Mark; 4],
}

/// The result of updating a tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TreeUpdate {
    /// Whether the set of files differs.
    pub(super) differs: bool,
    /// The directories that were read again, and those that were removed.
    pub(super) folders: BTreeSet<String>,
}

/// The result of a walk.
#[derive(Default)]
struct WalkResult {
    /// The entered directories, with their state before they were read.
    entered: BTreeMap<String, Mark>,
    /// The directories that are not excluded.
    seen: BTreeSet<String>,
    files: Vec<String>,
}

impl Tree {
    /// Reads the whole project.
    pub(super) fn new(disk: &Disk) -> Self {
        Self::settling(disk, MIN_STAMP_AGE)
    }

    pub(super) fn settling(disk: &Disk, settled: Duration) -> Self {
        let mut tree = Self {
            folders: BTreeMap::new(),
            outside: Vec::new(),
            indexes: Arc::default(),
            settled,
        };
        tree.read(disk);
        tree
    }

    fn read(&mut self, disk: &Disk) {
        self.outside = outside(disk.root(), self.settled);
        self.folders.clear();
        self.indexes = Arc::new(Indexes::cached(self.settled));
        let scope = Scope::new(disk, self.indexes.clone());
        let met = walk(disk, self.settled, (scope, true), |_| true);
        for (path, folder) in folders(disk, met, self.settled).1 {
            self.folders.insert(path, folder);
        }
    }

    /// The files, in directory order.
    pub(super) fn files(&self) -> impl Iterator<Item = String> {
        self.folders
            .iter()
            .flat_map(|(path, folder)| folder.files.iter().map(move |name| below(path, name)))
    }

    /// The directories, and the names of the files directly in each, sorted.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.folders.iter().map(|(path, folder)| (&**path, &*folder.files))
    }

    /// Minimum age of a modification time to be conclusive.
    pub(super) fn settled(&self) -> Duration {
        self.settled
    }

    /// Whether there are files directly in the directory at `path`.
    pub(super) fn has_files(&self, path: &str) -> bool {
        self.folders.get(path).is_some_and(|folder| !folder.files.is_empty())
    }

    /// Whether the walk enters the directory at `path`.
    pub(super) fn enters(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Updates the tree. `reported`: files that may have been added or deleted, in addition to what the
    /// modification times of directories show.
    pub(super) fn update<'a>(
        &mut self,
        disk: &Disk,
        reported: impl Iterator<Item = &'a str>,
    ) -> TreeUpdate {
        let settled = self.settled;
        let is_still =
            |(place, mark): &(PathBuf, Mark)| current_mark(place, *mark, settled).is_still(*mark);
        let is_ruled = outside_places(disk.root()).iter().eq(self.outside.iter().map(|(at, _)| at))
            && self.outside.iter().all(is_still)
            && self
                .folders
                .iter()
                .all(|(path, folder)| folder.are_rules_unchanged(disk, path, settled))
            && self.indexes.are_unchanged();
        if !is_ruled {
            return self.rebuild(disk);
        }
        let mut stale: BTreeSet<String> =
            reported.filter_map(|path| self.unknown(disk, path)).collect();
        let is_stale = |(path, folder): &(&String, &Folder)| {
            !Mark::of(disk.stamp(path), settled).is_still(folder.mark)
        };
        stale.extend(self.folders.iter().filter(is_stale).map(|(path, _)| path.clone()));
        if stale.is_empty() {
            return TreeUpdate::default();
        }
        self.enter(disk, stale)
    }

    /// The directory that contains `path`, if the file exists but is not listed or the reverse.
    fn unknown(&self, disk: &Disk, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let known = self.folders.get(folder)?;
        let is_known = known.files.binary_search_by(|file| (**file).cmp(name)).is_ok();
        let is_there = disk.locate(path).is_ok_and(|place| place.is_file());
        (is_known != is_there).then(|| folder.to_owned())
    }

    fn rebuild(&mut self, disk: &Disk) -> TreeUpdate {
        let before = std::mem::take(&mut self.folders);
        self.read(disk);
        let files = |folders: &BTreeMap<String, Folder>| -> Vec<(String, Vec<String>)> {
            let with_files = folders.iter().filter(|(_, folder)| !folder.files.is_empty());
            with_files.map(|(path, folder)| (path.clone(), folder.files.clone())).collect()
        };
        let differs = files(&before) != files(&self.folders);
        TreeUpdate {
            differs,
            folders: before.into_keys().chain(self.folders.keys().cloned()).collect(),
        }
    }

    /// Reads the directories in `stale` again, and new directories in them.
    fn enter(&mut self, disk: &Disk, stale: BTreeSet<String>) -> TreeUpdate {
        let mut wanted = stale.clone();
        wanted.extend(stale.iter().flat_map(|path| above(path)).map(str::to_owned));
        let known: BTreeSet<String> = self.folders.keys().cloned().collect();
        let scope = Scope::new(disk, self.indexes.clone());
        let met = walk(disk, self.settled, (scope, false), move |path| {
            wanted.contains(path) || !known.contains(path)
        });
        let (seen, read) = folders(disk, met, self.settled);
        let has_other_rules = read
            .iter()
            .any(|(path, new)| self.folders.get(path).is_some_and(|old| old.marks != new.marks));
        if has_other_rules {
            return self.rebuild(disk);
        }
        let is_gone = |path: &&String| {
            !path.is_empty() && read.contains_key(parent_dir(path)) && !seen.contains(*path)
        };
        let gone: Vec<String> = self.folders.keys().filter(is_gone).cloned().collect();
        let mut looked = TreeUpdate { differs: false, folders: stale };
        for path in gone {
            let inner = format!("{path}/");
            let below = self.folders.range(inner.clone()..).map(|(path, _)| path.clone());
            let all: Vec<String> = below.take_while(|path| path.starts_with(&inner)).collect();
            for path in all.into_iter().chain([path]) {
                let folder = self.folders.remove(&path);
                looked.differs |= folder.is_some_and(|folder| !folder.files.is_empty());
                looked.folders.insert(path);
            }
        }
        for (path, new) in read {
            let files = self.folders.get(&path).map_or(&[][..], |old| &old.files);
            looked.differs |= files != new.files;
            looked.folders.insert(path.clone());
            self.folders.insert(path, new);
        }
        looked
    }
}

impl Folder {
    /// Whether the files that affect exclusion are unchanged.
    fn are_rules_unchanged(&self, disk: &Disk, path: &str, settled: Duration) -> bool {
        // A new file changes the modification time of the directory.
        let there = MARKS.iter().zip(self.marks).filter(|(_, mark)| *mark != Mark::Absent);
        there.into_iter().all(|(name, mark)| {
            let place = disk.root().join(below(path, name));
            current_mark(&place, mark, settled).is_still(mark)
        })
    }
}

/// The current state of a file whose state was `before`.
fn current_mark(place: &Path, before: Mark, settled: Duration) -> Mark {
    match Mark::of(stamp_of(place), settled) {
        Mark::Recent | Mark::Since(_) if before == Mark::Present => Mark::Present,
        mark => mark,
    }
}

/// The parent directories of a path, the root last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |&path| (!path.is_empty()).then(|| parent_dir(path))).skip(1)
}

/// The directories of a walk with their contents, and the directories that are not excluded.
fn folders(
    disk: &Disk,
    met: WalkResult,
    settled: Duration,
) -> (BTreeSet<String>, BTreeMap<String, Folder>) {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    for (path, mark) in met.entered {
        let marks = MARKS.map(|name| {
            let mark = Mark::of(stamp_of(&disk.root().join(below(&path, name))), settled);
            // `.git` changes all the time, but only its presence matters.
            if name == ".git" && mark != Mark::Absent { Mark::Present } else { mark }
        });
        folders.insert(path, Folder { mark, files: Vec::new(), marks });
    }
    for file in met.files {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", &file));
        if let Some(folder) = folders.get_mut(folder) {
            folder.files.push(name.to_owned());
        }
    }
    for folder in folders.values_mut() {
        folder.files.sort_unstable();
    }
    (met.seen, folders)
}

/// Walks the project, entering the directories that `enters` accepts; with several threads if that
/// is worthwhile.
fn walk(
    disk: &Disk,
    settled: Duration,
    (scope, is_whole): (Scope, bool),
    enters: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> WalkResult {
    let root = disk.root().to_owned();
    let mark = move |path: &str, root: &Path| Mark::of(stamp_of(&root.join(path)), settled);
    let met =
        WalkResult { entered: [(String::new(), mark("", &root))].into(), ..WalkResult::default() };
    let met = Arc::new(Mutex::new(met));
    let Some(mut builder) = builder(&Walk::over(vec![root.clone()])) else {
        return WalkResult::default();
    };
    let noted = met.clone();
    builder.filter_entry(move |entry| {
        if entry.depth() == 0 {
            return true;
        }
        let path = from_root(&root, entry.path());
        if is_store(entry) || !meets_entry(&scope, entry, &path) {
            return false;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return true;
        }
        let path = path.into_owned();
        let is_entered = enters(&path);
        // Taken before the directory is read, so that a later change is detected.
        let mark = is_entered.then(|| mark(&path, &root));
        let mut met = lock(&noted);
        met.entered.extend(mark.map(|mark| (path.clone(), mark)));
        met.seen.insert(path);
        is_entered
    });
    let files = if is_whole { all(&builder, disk) } else { one_by_one(&builder, disk) };
    let mut met = std::mem::take(&mut *lock(&met));
    met.files = files;
    met
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file(entry: &DirEntry, disk: &Disk) -> Option<String> {
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    is_file.then(|| relative(disk.root(), entry.path()))
}

fn one_by_one(builder: &WalkBuilder, disk: &Disk) -> Vec<String> {
    builder.build().flatten().filter_map(|entry| file(&entry, disk)).collect()
}

/// The files that a walk covers, found by several threads, in no particular order.
pub(super) fn all(builder: &WalkBuilder, disk: &Disk) -> Vec<String> {
    /// Adds its paths to the result when its thread ends.
    struct ThreadPaths<'a> {
        total: &'a Mutex<Vec<String>>,
        mine: Vec<String>,
    }
    impl Drop for ThreadPaths<'_> {
        fn drop(&mut self) {
            lock(self.total).append(&mut self.mine);
        }
    }
    let total = Mutex::new(Vec::new());
    builder.build_parallel().run(|| {
        let mut met = ThreadPaths { total: &total, mine: Vec::new() };
        Box::new(move |entry| {
            met.mine.extend(entry.ok().and_then(|entry| file(&entry, disk)));
            WalkState::Continue
        })
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The files outside of the project's directories that affect which files are excluded.
fn outside(root: &Path, settled: Duration) -> Vec<(PathBuf, Mark)> {
    let mark = |place: PathBuf| {
        let mark = Mark::of(stamp_of(&place), settled);
        let is_store = place.file_name().is_some_and(|name| name == ".git");
        let mark = if is_store && mark != Mark::Absent { Mark::Present } else { mark };
        (place, mark)
    };
    outside_places(root).into_iter().map(mark).collect()
}

fn outside_places(root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> =
        ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
    for (folder, _) in OuterDirs::of(root).dirs() {
        places.extend(MARKS.map(|name| folder.join(name)));
    }
    if let Some(store) = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())
    {
        places.push(common_dir(&store).join("info/exclude"));
    }
    places
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "trees made for the tests")]
mod tests;
