//! The Git indexes of the repositories that a walk enters, each read on demand. A cached tree also
//! caches the lookups: an updated index with the same answers changes nothing.

use super::tree::Mark;
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
    /// Minimum age of an index's modification time to prove that it is unchanged; `None`: not
    /// cached.
    settled: Option<Duration>,
}

/// The tracked files of one work tree.
#[derive(Debug)]
pub(super) struct Index {
    top: PathBuf,
    /// Length in bytes of the path prefix that leads to its top.
    pub(super) at: usize,
    loaded: OnceLock<Loaded>,
    settled: Duration,
    /// The lookups so far, if they are cached.
    answers: Option<Mutex<BTreeMap<(String, bool), Answer>>>,
}

#[derive(Debug)]
struct Loaded {
    tracked: Result<Tracked, String>,
    /// The index file, with its modification stamp.
    mark: Option<(PathBuf, Mark)>,
}

/// The result of looking up a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    File(bool),
    Dir(TrackedDir),
}

impl Indexes {
    /// Indexes that will be compared again later.
    pub(super) fn cached(settled: Duration) -> Self {
        Self { indexes: Mutex::default(), settled: Some(settled) }
    }

    /// The index of the work tree at `top`, whose path prefix has `at` bytes.
    pub(super) fn of(&self, top: &Path, at: usize) -> Arc<Index> {
        let mut indexes = lock(&self.indexes);
        let index = indexes.entry(top.to_owned()).or_insert_with(|| {
            let answers = self.settled.map(|_| Mutex::default());
            let settled = self.settled.unwrap_or(MIN_STAMP_AGE);
            Arc::new(Index { top: top.to_owned(), at, loaded: OnceLock::new(), settled, answers })
        });
        index.clone()
    }

    /// Reads changed indexes again; whether all cached lookups have the same result.
    pub(super) fn are_unchanged(&self) -> bool {
        let Some(settled) = self.settled else { return false };
        lock(&self.indexes).values_mut().all(|index| {
            let Some(loaded) = index.loaded.get() else { return true };
            let mark = loaded.mark.as_ref();
            if mark.is_some_and(|(path, mark)| Mark::of(stamp_of(path), settled).is_still(*mark)) {
                return true;
            }
            let answers = index.answers.as_ref().map(|answers| lock(answers).clone());
            let answers = answers.unwrap_or_default();
            let fresh = Loaded::read(&index.top, settled);
            let is_same = answers
                .iter()
                .all(|((path, is_dir), answer)| fresh.answer(path, *is_dir) == *answer);
            *index = Arc::new(Index {
                top: index.top.clone(),
                at: index.at,
                loaded: fresh.into(),
                settled,
                answers: Some(Mutex::new(answers)),
            });
            is_same
        })
    }

    /// The work trees whose index cannot be read, and why.
    pub(super) fn problems(&self) -> Vec<(PathBuf, String)> {
        let indexes = lock(&self.indexes);
        let wrong = indexes.values().filter_map(|index| {
            let why = index.loaded.get()?.tracked.as_ref().err()?;
            (!why.is_empty()).then(|| (index.top.clone(), why.clone()))
        });
        wrong.collect()
    }
}

impl Index {
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.ask(path, false) == Answer::File(true)
    }

    pub(super) fn dir(&self, path: &str) -> TrackedDir {
        match self.ask(path, true) {
            Answer::Dir(dir) => dir,
            Answer::File(_) => TrackedDir::Empty,
        }
    }

    /// The number of tracked files at or below `path`.
    pub(super) fn count(&self, path: &str) -> usize {
        self.loaded().tracked.as_ref().map_or(0, |tracked| tracked.count(path))
    }

    fn loaded(&self) -> &Loaded {
        self.loaded.get_or_init(|| Loaded::read(&self.top, self.settled))
    }

    fn ask(&self, path: &str, is_dir: bool) -> Answer {
        let answer = self.loaded().answer(path, is_dir);
        if let Some(answers) = &self.answers {
            lock(answers).insert((path.to_owned(), is_dir), answer);
        }
        answer
    }
}

impl Loaded {
    fn read(top: &Path, settled: Duration) -> Self {
        match Tracked::open(top) {
            Ok(tracked) => {
                let (path, stamp) = tracked.read_from();
                let mark = Some((path.to_owned(), Mark::of(stamp, settled)));
                Self { tracked: Ok(tracked), mark }
            }
            // Without a repository nothing is tracked.
            Err(GitError::NoRepository(_)) => Self { tracked: Err(String::new()), mark: None },
            Err(error) => Self { tracked: Err(error.to_string()), mark: None },
        }
    }

    fn answer(&self, path: &str, is_dir: bool) -> Answer {
        let tracked = self.tracked.as_ref().ok();
        if is_dir {
            Answer::Dir(tracked.map_or(TrackedDir::Empty, |tracked| tracked.dir(path)))
        } else {
            Answer::File(tracked.is_some_and(|tracked| tracked.has_file(path)))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
