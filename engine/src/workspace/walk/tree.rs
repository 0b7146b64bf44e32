//! The files of a project, kept by folder: a folder is read again when its time says that entries
//! came or went, and all of them when an ignore file did.

use super::index::Indexes;
use super::rules::{Above, common};
use super::scope::{Scope, from_root};
use super::{Walk, builder, is_store, meets_entry, relative};
use crate::text::files::{Disk, SETTLED, Stamp, stamp_of};
use crate::text::paths::{below, folder_of};
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What in a folder says which files below it are left out. In a repository Git's are read, so that
/// it is one matters too.
const MARKS: [&str; 4] = [".gitignore", ".ignore", ".aiddignore", ".git"];

/// What a file is known by: whether it is there, and since when it is as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// There is no such file.
    Absent,
    /// It was written so lately that its time does not tell whether it was written since.
    Young,
    /// It is there; for how long does not matter.
    There,
    /// As it was at this time.
    Since(Stamp),
}

impl Mark {
    pub(super) fn of(stamp: Option<Stamp>, settled: Duration) -> Self {
        match stamp {
            None => Self::Absent,
            Some(stamp) if stamp.0.elapsed().is_ok_and(|age| age > settled) => Self::Since(stamp),
            Some(_) => Self::Young,
        }
    }

    /// Whether the file is surely as it was when `before` was said of it.
    pub(super) fn is_still(self, before: Self) -> bool {
        self == before && self != Self::Young
    }
}

/// The folders that a walk over the project enters.
#[derive(Debug)]
pub(super) struct Tree {
    folders: BTreeMap<String, Folder>,
    /// What outside of the project says which files are left out.
    outside: Vec<(PathBuf, Mark)>,
    /// What Git tracks of what ignore files name.
    indexes: Arc<Indexes>,
    /// How old a time must be to tell.
    settled: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Folder {
    mark: Mark,
    /// The names of the files right in it.
    files: Vec<String>,
    marks: [Mark; 4],
}

/// What a look at a tree gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Looked {
    /// There are other files than before.
    pub(super) differs: bool,
    /// The folders that were read anew, and those that are gone.
    pub(super) folders: BTreeSet<String>,
}

/// What a walk met.
#[derive(Default)]
struct Met {
    /// The folders that it went into, and what they were known by before.
    entered: BTreeMap<String, Mark>,
    /// The folders that are not left out.
    seen: BTreeSet<String>,
    files: Vec<String>,
}

impl Tree {
    /// Reads all.
    pub(super) fn new(disk: &Disk) -> Self {
        Self::settling(disk, SETTLED)
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
        self.indexes = Arc::new(Indexes::kept(self.settled));
        let scope = Scope::new(disk, self.indexes.clone());
        let met = walk(disk, self.settled, (scope, true), |_| true);
        for (path, folder) in folders(disk, met, self.settled).1 {
            self.folders.insert(path, folder);
        }
    }

    /// The files, in the order of their folders.
    pub(super) fn files(&self) -> impl Iterator<Item = String> {
        self.folders
            .iter()
            .flat_map(|(path, folder)| folder.files.iter().map(move |name| below(path, name)))
    }

    /// The folders, and the names of the files right in each, in order.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.folders.iter().map(|(path, folder)| (&**path, &*folder.files))
    }

    /// How old a time must be to tell.
    pub(super) fn settled(&self) -> Duration {
        self.settled
    }

    /// Whether there are files right in the folder at `path`.
    pub(super) fn has_files(&self, path: &str) -> bool {
        self.folders.get(path).is_some_and(|folder| !folder.files.is_empty())
    }

    /// Whether the walk goes into the folder at `path`.
    pub(super) fn enters(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    /// Looks again. `told`: files that may have come or gone, beside what the times of folders tell.
    pub(super) fn again<'a>(&mut self, disk: &Disk, told: impl Iterator<Item = &'a str>) -> Looked {
        let settled = self.settled;
        let is_still = |(place, mark): &(PathBuf, Mark)| now(place, *mark, settled).is_still(*mark);
        let is_ruled = outside_places(disk.root()).iter().eq(self.outside.iter().map(|(at, _)| at))
            && self.outside.iter().all(is_still)
            && self.folders.iter().all(|(path, folder)| folder.is_ruled(disk, path, settled))
            && self.indexes.are_still();
        if !is_ruled {
            return self.anew(disk);
        }
        let mut stale: BTreeSet<String> =
            told.filter_map(|path| self.unknown(disk, path)).collect();
        let is_stale = |(path, folder): &(&String, &Folder)| {
            !Mark::of(disk.stamp(path), settled).is_still(folder.mark)
        };
        stale.extend(self.folders.iter().filter(is_stale).map(|(path, _)| path.clone()));
        if stale.is_empty() {
            return Looked::default();
        }
        self.enter(disk, stale)
    }

    /// The folder that holds `path`, where that is there and not known, or known and not there.
    fn unknown(&self, disk: &Disk, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let known = self.folders.get(folder)?;
        let is_known = known.files.binary_search_by(|file| (**file).cmp(name)).is_ok();
        let is_there = disk.locate(path).is_ok_and(|place| place.is_file());
        (is_known != is_there).then(|| folder.to_owned())
    }

    fn anew(&mut self, disk: &Disk) -> Looked {
        let before = std::mem::take(&mut self.folders);
        self.read(disk);
        let files = |folders: &BTreeMap<String, Folder>| -> Vec<(String, Vec<String>)> {
            let with_files = folders.iter().filter(|(_, folder)| !folder.files.is_empty());
            with_files.map(|(path, folder)| (path.clone(), folder.files.clone())).collect()
        };
        let differs = files(&before) != files(&self.folders);
        Looked {
            differs,
            folders: before.into_keys().chain(self.folders.keys().cloned()).collect(),
        }
    }

    /// Reads the folders at `stale` anew, and those in them that are new.
    fn enter(&mut self, disk: &Disk, stale: BTreeSet<String>) -> Looked {
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
            return self.anew(disk);
        }
        let is_gone = |path: &&String| {
            !path.is_empty() && read.contains_key(folder_of(path)) && !seen.contains(*path)
        };
        let gone: Vec<String> = self.folders.keys().filter(is_gone).cloned().collect();
        let mut looked = Looked { differs: false, folders: stale };
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
    /// Whether the files are as they were that say what is left out.
    fn is_ruled(&self, disk: &Disk, path: &str, settled: Duration) -> bool {
        // One that was not there makes the folder another.
        let there = MARKS.iter().zip(self.marks).filter(|(_, mark)| *mark != Mark::Absent);
        there.into_iter().all(|(name, mark)| {
            let place = disk.root().join(below(path, name));
            now(&place, mark, settled).is_still(mark)
        })
    }
}

/// What a file is known by now that was known by `before`.
fn now(place: &Path, before: Mark, settled: Duration) -> Mark {
    match Mark::of(stamp_of(place), settled) {
        Mark::Young | Mark::Since(_) if before == Mark::There => Mark::There,
        mark => mark,
    }
}

/// The folders above a path, the root last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |&path| (!path.is_empty()).then(|| folder_of(path))).skip(1)
}

/// What a walk met, by folder; and the folders that are not left out.
fn folders(
    disk: &Disk,
    met: Met,
    settled: Duration,
) -> (BTreeSet<String>, BTreeMap<String, Folder>) {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    for (path, mark) in met.entered {
        let marks = MARKS.map(|name| {
            let mark = Mark::of(stamp_of(&disk.root().join(below(&path, name))), settled);
            // The store changes all the time, that there is one does not.
            if name == ".git" && mark != Mark::Absent { Mark::There } else { mark }
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

/// Walks the project, into the folders that `enters` says yes to; by several threads where that is
/// worth it.
fn walk(
    disk: &Disk,
    settled: Duration,
    (scope, is_whole): (Scope, bool),
    enters: impl Fn(&str) -> bool + Send + Sync + 'static,
) -> Met {
    let root = disk.root().to_owned();
    let mark = move |path: &str, root: &Path| Mark::of(stamp_of(&root.join(path)), settled);
    let met = Met { entered: [(String::new(), mark("", &root))].into(), ..Met::default() };
    let met = Arc::new(Mutex::new(met));
    let Some(mut builder) = builder(&Walk::over(vec![root.clone()])) else { return Met::default() };
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
        // Before it is read: what comes later changes the time.
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

/// The files that a walk meets, by several threads, in no order.
pub(super) fn all(builder: &WalkBuilder, disk: &Disk) -> Vec<String> {
    /// Hands in its paths when its thread ends.
    struct Mine<'a> {
        total: &'a Mutex<Vec<String>>,
        mine: Vec<String>,
    }
    impl Drop for Mine<'_> {
        fn drop(&mut self) {
            lock(self.total).append(&mut self.mine);
        }
    }
    let total = Mutex::new(Vec::new());
    builder.build_parallel().run(|| {
        let mut met = Mine { total: &total, mine: Vec::new() };
        Box::new(move |entry| {
            met.mine.extend(entry.ok().and_then(|entry| file(&entry, disk)));
            WalkState::Continue
        })
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What outside of the folders of the project says which of its files are left out.
fn outside(root: &Path, settled: Duration) -> Vec<(PathBuf, Mark)> {
    let mark = |place: PathBuf| {
        let mark = Mark::of(stamp_of(&place), settled);
        let is_store = place.file_name().is_some_and(|name| name == ".git");
        let mark = if is_store && mark != Mark::Absent { Mark::There } else { mark };
        (place, mark)
    };
    outside_places(root).into_iter().map(mark).collect()
}

fn outside_places(root: &Path) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> =
        ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
    for (folder, _) in Above::of(root).dirs() {
        places.extend(MARKS.map(|name| folder.join(name)));
    }
    if let Some(store) = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())
    {
        places.push(common(&store).join("info/exclude"));
    }
    places
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "trees made for the tests")]
mod tests;
