//! The Git indexes of the repositories that a walk enters, each read on demand. A cached tree also
//! caches the lookups: if an updated index gives the same results, the tree is unchanged.

use super::tree::PathState;
use crate::project::git::{GitError, Tracked, TrackedDir};
use crate::text::files::{MIN_STAMP_AGE, stamp_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The indexes, by the top of the work tree.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    indexes: Mutex<BTreeMap<PathBuf, Arc<Index>>>,
    /// Minimum age at which the modification time of an index proves that the index is unchanged;
    /// `None` if the index is not cached.
    min_age: Option<Duration>,
}

/// The tracked files of one work tree.
#[derive(Debug)]
pub(super) struct Index {
    top: PathBuf,
    /// Length in bytes of the path prefix that leads to the top of the work tree.
    pub(super) at: usize,
    loaded: OnceLock<LoadedIndex>,
    /// The state of the index at the first of the cached lookups; `None` before it, or if the index is
    /// still loaded.
    state: Option<IndexState>,
    min_age: Duration,
    /// The lookups so far, if they are cached.
    lookups: Option<Mutex<BTreeMap<(String, bool), LookupResult>>>,
}

#[derive(Debug)]
struct LoadedIndex {
    tracked: Result<Tracked, String>,
    state: IndexState,
}

/// The index file with its modification stamp, if there is one.
type IndexState = Option<(PathBuf, PathState)>;

/// The result of looking up a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LookupResult {
    File(bool),
    Dir(TrackedDir),
}

impl Indexes {
    /// Indexes that will be compared again later.
    pub(super) fn cached(min_age: Duration) -> Self {
        Self { indexes: Mutex::default(), min_age: Some(min_age) }
    }

    /// The index of the work tree at `top`, whose path prefix has `at` bytes.
    pub(super) fn index_at(&self, top: &Path, at: usize) -> Arc<Index> {
        let mut indexes = lock(&self.indexes);
        let index = indexes.entry(top.to_owned()).or_insert_with(|| {
            let lookups = self.min_age.map(|_| Mutex::default());
            let min_age = self.min_age.unwrap_or(MIN_STAMP_AGE);
            let (top, loaded) = (top.to_owned(), OnceLock::new());
            Arc::new(Index { top, at, loaded, state: None, min_age, lookups })
        });
        index.clone()
    }

    /// Reads changed indexes again. Returns whether all cached lookups have the same result.
    pub(super) fn are_unchanged(&self) -> bool {
        let Some(min_age) = self.min_age else { return false };
        lock(&self.indexes).values_mut().all(|index| {
            let Some(state) = index.state() else { return true };
            if state.as_ref().is_some_and(|(path, state)| {
                PathState::from_stamp(stamp_of(path), min_age).is_unchanged_since(*state)
            }) {
                return true;
            }
            let lookups = index.lookups.as_ref().map(|lookups| lock(lookups).clone());
            let lookups = lookups.unwrap_or_default();
            let reloaded = LoadedIndex::read(&index.top, min_age);
            let is_same = lookups
                .iter()
                .all(|((path, is_dir), result)| reloaded.look_up(path, *is_dir) == *result);
            *index = Arc::new(Index {
                top: index.top.clone(),
                at: index.at,
                loaded: OnceLock::new(),
                state: Some(reloaded.state),
                min_age,
                lookups: Some(Mutex::new(lookups)),
            });
            is_same
        })
    }

    /// Frees the memory of the indexes, which can exceed that of the paths of a project; an index is
    /// read again for the next lookup. The state of the index and the lookups are retained.
    pub(super) fn unload(&self) {
        for index in lock(&self.indexes).values_mut() {
            // Nothing else uses the index after a walk.
            if let Some(index) = Arc::get_mut(index)
                && index.loaded.get().is_some_and(|loaded| loaded.tracked.is_ok())
                && let Some(loaded) = index.loaded.take()
            {
                index.state.get_or_insert(loaded.state);
            }
        }
    }

    /// The work trees whose index cannot be read, and why.
    pub(super) fn problems(&self) -> Vec<(PathBuf, String)> {
        let indexes = lock(&self.indexes);
        let unreadable = indexes.values().filter_map(|index| {
            let why = index.loaded.get()?.tracked.as_ref().err()?;
            (!why.is_empty()).then(|| (index.top.clone(), why.clone()))
        });
        unreadable.collect()
    }
}

impl Index {
    /// The state at the first lookup, if there was one.
    fn state(&self) -> Option<&IndexState> {
        self.state.as_ref().or_else(|| self.loaded.get().map(|loaded| &loaded.state))
    }

    pub(super) fn has_file(&self, path: &str) -> bool {
        self.record_lookup(path, false) == LookupResult::File(true)
    }

    pub(super) fn dir(&self, path: &str) -> TrackedDir {
        match self.record_lookup(path, true) {
            LookupResult::Dir(dir) => dir,
            LookupResult::File(_) => TrackedDir::Empty,
        }
    }

    /// The number of tracked files at or below `path`.
    pub(super) fn count(&self, path: &str) -> usize {
        self.loaded().tracked.as_ref().map_or(0, |tracked| tracked.count(path))
    }

    fn loaded(&self) -> &LoadedIndex {
        self.loaded.get_or_init(|| LoadedIndex::read(&self.top, self.min_age))
    }

    fn record_lookup(&self, path: &str, is_dir: bool) -> LookupResult {
        let result = self.loaded().look_up(path, is_dir);
        if let Some(lookups) = &self.lookups {
            lock(lookups).insert((path.to_owned(), is_dir), result);
        }
        result
    }
}

impl LoadedIndex {
    fn read(top: &Path, min_age: Duration) -> Self {
        match Tracked::open(top) {
            Ok(tracked) => {
                let (path, stamp) = tracked.read_from();
                let state = Some((path.to_owned(), PathState::from_stamp(stamp, min_age)));
                Self { tracked: Ok(tracked), state }
            }
            // Without a repository nothing is tracked.
            Err(GitError::NoRepository(_)) => Self { tracked: Err(String::new()), state: None },
            Err(error) => Self { tracked: Err(error.to_string()), state: None },
        }
    }

    fn look_up(&self, path: &str, is_dir: bool) -> LookupResult {
        let tracked = self.tracked.as_ref().ok();
        if is_dir {
            LookupResult::Dir(tracked.map_or(TrackedDir::Empty, |tracked| tracked.dir(path)))
        } else {
            LookupResult::File(tracked.is_some_and(|tracked| tracked.has_file(path)))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
