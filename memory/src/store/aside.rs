//! Moves a damaged store aside, so that a new one can be created.

use super::{StorageBackend, json, lock, salvage, sqlite};
use crate::MemoryError;
use std::path::{Path, PathBuf};

/// Moves the damaged store aside, so that the next [`open`](super::open) creates a new one; returns
/// a notice for the user.
///
/// # Errors
/// When its file cannot be renamed.
pub fn set_aside(
    store: &mut Box<dyn StorageBackend>,
    why: &str,
    now: i64,
) -> Result<String, MemoryError> {
    let (name, path) = (store.name(), store.path().to_owned());
    let aside = {
        let _lock = lock::take(&path.with_extension("lock"))?;
        let is_done = store.is_set_aside();
        // Closed first: some systems cannot rename an open file.
        *store = json::closed(&path);
        match name {
            "sqlite" => move_aside(&path, &sqlite::FILE_SUFFIXES, is_done, why, now)?,
            _ => json::set_aside(&path, why, now)?,
        }
    };
    Ok(aside.noted(&path))
}

/// A damaged store that was moved aside.
pub(super) struct MovedAside {
    notice: String,
    /// Its new path; `None` when another process moved it.
    aside: Option<PathBuf>,
}

impl MovedAside {
    /// Adds the store to the list of stores to examine and returns the notice for the user. The
    /// caller must not hold the lock of the store at `path`, which examining other stores requires.
    pub(super) fn noted(self, path: &Path) -> String {
        if let Some((folder, aside)) = path.parent().zip(self.aside) {
            // If this fails, it stays where the notice says.
            let _ = salvage::note(folder, &aside);
        }
        self.notice
    }
}

/// The notice for the user when [`StorageBackend::repair`] succeeded.
#[must_use]
pub fn repaired_notice(why: &str) -> String {
    format!("the search index was damaged ({why}) and was rebuilt; all other data is intact")
}

/// Renames a damaged store, unless another process already has. The caller must hold its lock.
pub(super) fn move_aside(
    path: &Path,
    suffixes: &[&str],
    is_done: bool,
    why: &str,
    now: i64,
) -> Result<MovedAside, MemoryError> {
    if is_done {
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
