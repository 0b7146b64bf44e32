//! A store whose files replace files of another store.

use super::{Files, Memory, Stamp};
use crate::text::listing::Listing;
use std::io;

/// A store that overlays another, such as unsaved editor buffers over the disk.
pub struct Overlay<'a, O = Memory> {
    /// Searched first.
    pub over: O,
    /// Searched for paths that do not exist in `over`.
    pub under: &'a dyn Files,
}

impl<O: Files> Files for Overlay<'_, O> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        if self.over.exists(path) {
            self.over.read(path, limit)
        } else {
            self.under.read(path, limit)
        }
    }

    fn exists(&self, path: &str) -> bool {
        self.over.exists(path) || self.under.exists(path)
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        if self.over.exists(path) { self.over.size(path) } else { self.under.size(path) }
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        if self.over.exists(path) {
            self.over.content_stamp(path)
        } else {
            self.under.content_stamp(path)
        }
    }

    fn is_executable(&self, path: &str) -> Option<bool> {
        self.over.is_executable(path).or_else(|| self.under.is_executable(path))
    }

    fn listing(&self) -> Option<&Listing> {
        self.over.listing().or_else(|| self.under.listing())
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let mut names = self.under.names(folder);
        names.extend(self.over.names(folder));
        names.sort_unstable();
        names.dedup();
        names
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        let mut dirs = self.under.dirs(folder);
        dirs.extend(self.over.dirs(folder));
        dirs.sort_unstable();
        dirs.dedup();
        dirs
    }
}
