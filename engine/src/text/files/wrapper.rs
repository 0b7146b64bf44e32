//! Stores that add something to another store: the list of its files, or the base of a change.

use super::{Files, RunCache, Stamp};
use crate::text::listing::Listing;
use std::collections::HashMap;
use std::io;

/// A store that adds something to another store. By default, each method calls the same method of
/// the other store.
pub trait Wrapper: Sync {
    /// The other store.
    fn inner(&self) -> &dyn Files;

    /// See [`Files::listing`].
    fn listing(&self) -> Option<&Listing> {
        self.inner().listing()
    }

    /// See [`Files::base_of`].
    fn base_of(&self, path: &str) -> Option<(&dyn Files, String)> {
        self.inner().base_of(path)
    }

    /// See [`Files::run_cache`].
    fn run_cache(&self) -> Option<&RunCache> {
        self.inner().run_cache()
    }
}

impl<T: Wrapper> Files for T {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.inner().read(path, limit)
    }

    fn exists(&self, path: &str) -> bool {
        self.inner().exists(path)
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        self.inner().size(path)
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        self.inner().content_stamp(path)
    }

    fn is_executable(&self, path: &str) -> Option<bool> {
        self.inner().is_executable(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.inner().names(folder)
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        self.inner().dirs(folder)
    }

    fn listing(&self) -> Option<&Listing> {
        Wrapper::listing(self)
    }

    fn base_of(&self, path: &str) -> Option<(&dyn Files, String)> {
        Wrapper::base_of(self, path)
    }

    fn run_cache(&self) -> Option<&RunCache> {
        Wrapper::run_cache(self)
    }
}

/// A store together with the list of its files.
pub struct Listed<'a> {
    /// The underlying store.
    pub files: &'a dyn Files,
    /// The files of the project.
    pub listing: &'a Listing,
}

impl Wrapper for Listed<'_> {
    fn inner(&self) -> &dyn Files {
        self.files
    }

    fn listing(&self) -> Option<&Listing> {
        Some(self.listing)
    }

    fn run_cache(&self) -> Option<&RunCache> {
        self.files.run_cache().or(Some(self.listing.shared()))
    }
}

/// The files after a change; checks can compare them with the files before it.
pub struct WithBase<'a> {
    /// The files after the change.
    pub files: &'a dyn Files,
    /// The files before the change.
    pub base: &'a dyn Files,
    /// The changed files that have another path in the base, or `None` for an added file. All other
    /// files have the same path on both sides.
    pub base_paths: HashMap<&'a str, Option<&'a str>>,
}

impl Wrapper for WithBase<'_> {
    fn inner(&self) -> &dyn Files {
        self.files
    }

    fn base_of(&self, path: &str) -> Option<(&dyn Files, String)> {
        let before = self.base_paths.get(path).copied().unwrap_or(Some(path))?;
        Some((self.base, before.to_owned()))
    }
}
