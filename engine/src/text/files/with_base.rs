//! The files of a checked change together with the files of its base.

use super::{Files, RunCache, Stamp};
use crate::text::listing::Listing;
use std::collections::HashMap;
use std::io;

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

impl Files for WithBase<'_> {
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

    fn run_cache(&self) -> Option<&RunCache> {
        self.files.run_cache()
    }

    fn base_of(&self, path: &str) -> Option<(&dyn Files, String)> {
        let before = self.base_paths.get(path).copied().unwrap_or(Some(path))?;
        Some((self.base, before.to_owned()))
    }
}
