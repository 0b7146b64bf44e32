//! Putting a damaged store away, so that a new one can be made.

use super::{StorageBackend, json, lock, salvage, sqlite};
use crate::MemoryError;
use std::path::{Path, PathBuf};

/// Puts the damaged store away, so that the next [`open`](super::open) makes a new one; what to tell the user.
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
        // Closed first: not every system renames an open file.
        *store = json::closed(&path);
        match name {
            "sqlite" => put_away(&path, &sqlite::SUFFIXES, is_done, why, now)?,
            _ => json::set_aside(&path, why, now)?,
        }
    };
    Ok(aside.noted(&path))
}

/// A damaged store that was put away.
pub(super) struct PutAway {
    notice: String,
    /// Where it lies; `None` when another process put it there.
    aside: Option<PathBuf>,
}

impl PutAway {
    /// Remembers that nobody has looked into it; to be called without the lock of the store at
    /// `path`, which whoever looks into others needs. What to tell the user.
    pub(super) fn noted(self, path: &Path) -> String {
        if let Some((folder, aside)) = path.parent().zip(self.aside) {
            // It stays where the notice says it is.
            let _ = salvage::note(folder, &aside);
        }
        self.notice
    }
}

/// What to tell the user when [`StorageBackend::mend`] was enough.
#[must_use]
pub fn mended(why: &str) -> String {
    format!("the index for searches was damaged ({why}) and was made anew; all else is whole")
}

/// Renames a damaged store, under its lock and unless another process has done so.
pub(super) fn put_away(
    path: &Path,
    suffixes: &[&str],
    is_done: bool,
    why: &str,
    now: i64,
) -> Result<PutAway, MemoryError> {
    if is_done {
        let notice = "a damaged store was put aside by another process".to_owned();
        return Ok(PutAway { notice, aside: None });
    }
    let aside = lock::set_damaged_aside(path, suffixes, now)?;
    let notice = format!(
        "the store was damaged ({why}); it is now {}, and a new one was made from the tracked files",
        aside.display()
    );
    Ok(PutAway { notice, aside: Some(aside) })
}
