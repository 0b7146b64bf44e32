//! Moves a damaged store aside, so that a new one can be created.

use super::{StorageBackend, json, lock, salvage, sqlite};
use crate::MemoryError;
use std::path::{Path, PathBuf};

/// Moves the damaged store aside, so that the next [`open`](super::open) creates a new one; returns
/// a notice for the user.
///
/// # Errors
/// When the file of the store cannot be renamed.
pub fn set_aside(
    store: &mut Box<dyn StorageBackend>,
    why: &str,
    now: i64,
) -> Result<String, MemoryError> {
    let (name, path) = (store.name(), store.path().to_owned());
    let aside = {
        let _lock = lock::take(&path.with_extension("lock"))?;
        let is_already_moved = store.is_set_aside();
        // The store is closed first, because some systems cannot rename an open file.
        *store = json::closed_store(&path);
        match name {
            "sqlite" => move_aside(&path, &sqlite::FILE_SUFFIXES, is_already_moved, why, now)?,
            _ => json::set_aside(&path, why, now)?,
        }
    };
    Ok(aside.add_to_salvage_list(&path))
}

/// A damaged store that was moved aside.
pub(super) struct MovedAside {
    notice: String,
    /// The new path of the store; `None` when another process moved it.
    aside: Option<PathBuf>,
}

impl MovedAside {
    /// Adds the store to the list of stores to examine and returns the notice for the user. The
    /// caller must not hold the lock of the store at `path`, because examining other stores
    /// requires that lock.
    pub(super) fn add_to_salvage_list(self, path: &Path) -> String {
        if let Some((folder, aside)) = path.parent().zip(self.aside) {
            // If this fails, the file remains at the path that the notice states.
            let _ = salvage::add_to_list(folder, &aside);
        }
        self.notice
    }
}

/// The notice for the user when [`StorageBackend::repair`] succeeded.
#[must_use]
pub fn repaired_notice(why: &str) -> String {
    format!("the search index was damaged ({why}) and was rebuilt; all other data is intact")
}

/// Renames a damaged store, unless another process has already renamed it. The caller must hold the
/// lock of the store.
pub(super) fn move_aside(
    path: &Path,
    suffixes: &[&str],
    is_already_moved: bool,
    why: &str,
    now: i64,
) -> Result<MovedAside, MemoryError> {
    if is_already_moved {
        let notice = "a damaged store was moved aside by another process".to_owned();
        return Ok(MovedAside { notice, aside: None });
    }
    let aside = lock::set_damaged_aside(path, suffixes, now)?;
    let notice = format!(
        "the store was damaged ({why}); it was moved to {}, and a new one was created from the tracked files",
        aside.display()
    );
    Ok(MovedAside { notice, aside: Some(aside) })
}
