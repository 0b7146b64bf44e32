//! Results that several files of one run share, such as the schema that the migrations of a
//! directory define.

use super::{Files, Stamp};
use crate::text::listing::Listing;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Slot = Arc<OnceLock<Arc<dyn Any + Send + Sync>>>;

/// Values that are computed once during a run, by key. The files must not change during the run.
#[derive(Default)]
pub struct RunCache(Mutex<HashMap<String, Slot>>);

impl fmt::Debug for RunCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunCache").finish_non_exhaustive()
    }
}

impl RunCache {
    /// The value for `key`, computed on first use; other threads wait for it. A key must always be
    /// used with the same type.
    pub fn get_or_compute<T: Any + Send + Sync>(
        &self,
        key: &str,
        compute: impl Fn() -> T,
    ) -> Arc<T> {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            slots.entry(key.to_owned()).or_default().clone()
        };
        let value = slot.get_or_init(|| Arc::new(compute())).clone();
        value.downcast().unwrap_or_else(|_| Arc::new(compute()))
    }
}

/// A store whose files do not change during a run, with the cache of the run.
pub struct ForRun<'a> {
    files: &'a dyn Files,
    cache: RunCache,
}

impl<'a> ForRun<'a> {
    /// A run over `files`.
    #[must_use]
    pub fn new(files: &'a dyn Files) -> Self {
        Self { files, cache: RunCache::default() }
    }
}

impl Files for ForRun<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.files.read(path, limit)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        self.files.size(path)
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        self.files.content_stamp(path)
    }

    fn listing(&self) -> Option<&Listing> {
        self.files.listing()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.files.names(folder)
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        self.files.dirs(folder)
    }

    fn base_of(&self, path: &str) -> Option<(&dyn Files, String)> {
        self.files.base_of(path)
    }

    fn run_cache(&self) -> Option<&RunCache> {
        Some(&self.cache)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn a_value_is_computed_once_per_run() {
        let memory = Memory([("a/b/c.sql".to_owned(), Vec::new())].into());
        let run = ForRun::new(&memory);
        let cache = run.run_cache().expect("a run has a cache");
        assert_eq!(*cache.get_or_compute("a", || 1), 1);
        assert_eq!(*cache.get_or_compute("a", || 2), 1);
        assert_eq!(*cache.get_or_compute("b", || 2), 2);
        assert!(memory.run_cache().is_none());
        assert_eq!(run.dirs("a"), ["b"]);
        assert_eq!(run.dirs(""), ["a"]);
    }
}
