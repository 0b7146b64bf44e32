//! Queries on the files and directories of a project.

use crate::text::listing::Listing;

/// The files of a project.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProjectFiles<'a>(pub(super) &'a Listing);

impl<'a> ProjectFiles<'a> {
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.0.has_file(path)
    }

    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.0.has_dir(path)
    }

    /// The files at any depth below a directory.
    pub(super) fn files_below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        self.0.below(folder).iter().map(String::as_str)
    }

    /// The files directly in a directory.
    pub(super) fn files_in(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        self.files_below(folder).filter(move |path| !path[start..].contains('/'))
    }

    /// The files with this name, in any directory.
    pub(super) fn files_named(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.files().iter().map(String::as_str).filter(move |path| name_of(path) == name)
    }
}

/// The last segment of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
