//! A project where nothing can be written: its disk is full, its folder is read-only. What is there
//! can still be read; whoever writes is told why that cannot be.

use super::MemoryError;
use super::privacy::Gate;
use super::project::ProjectMemory;
use super::store::{self, Durability, Opened, Wanted, salvage, transaction};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long those who only read do not look again whether files can be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// Opens the store, or one in memory where no file can be written; and why that is.
///
/// # Errors
/// When the store is of a newer aidd, or is a link.
pub(super) fn open(
    root: &Path,
    wanted: Wanted,
    gate: &Gate,
    now: i64,
) -> Result<(Opened, Option<String>), MemoryError> {
    let folder = root.join(".aidd");
    let why = match store::open(&folder, wanted, now) {
        Err(error @ (MemoryError::Io { .. } | MemoryError::Store(_))) => error.to_string(),
        other => return other.map(|opened| (opened, None)),
    };
    in_memory(root, gate, &why).map(|opened| (opened, Some(why)))
}

/// A store in memory with what the one on the disk holds.
fn in_memory(root: &Path, gate: &Gate, why: &str) -> Result<Opened, MemoryError> {
    let folder = root.join(".aidd");
    let mut opened = store::in_memory(&folder)?;
    for path in [store::sqlite::path(&folder), store::json::path(&folder)] {
        if path.is_file() {
            let remains = salvage::remains(&path);
            transaction(&mut *opened.store, Durability::Normal, &mut |store| {
                super::salvage::carry(store, gate, &remains).map(|_| ())
            })?;
        }
    }
    opened.notices.push(format!("{why}; memory can be read here, and not written"));
    Ok(opened)
}

impl ProjectMemory {
    /// Goes on in memory, as the disk refused for this reason.
    pub(super) fn leave_disk(&mut self, why: String) -> Result<(), MemoryError> {
        let opened = in_memory(self.root(), &self.gate, &why)?;
        self.unwritable = Some(why);
        self.looked = Some(Instant::now());
        self.use_store(opened);
        Ok(())
    }

    /// Looks whether files can be written again, when they could not. Whoever only reads looks now
    /// and then: where another user's lock is in the way, each look copies the store.
    pub(super) fn try_disk_again_to_read(&mut self) {
        if self.looked.is_none_or(|looked| looked.elapsed() > PATIENCE) {
            self.try_disk_again();
        }
    }

    /// Looks whether files can be written again, when they could not.
    fn try_disk_again(&mut self) {
        let folder = self.root().join(".aidd");
        if self.unwritable.is_some() && store::lock::can_write(&folder) {
            // It fails as it did before, or there is a store now.
            let _ = self.reopen();
            self.looked = self.unwritable.as_ref().map(|_| Instant::now());
        }
    }

    /// Refuses to write where nothing can be written.
    pub(super) fn refuse_unwritable(&mut self) -> Result<(), MemoryError> {
        self.try_disk_again();
        match &self.unwritable {
            Some(why) => Err(MemoryError::Unwritable(why.clone())),
            None => Ok(()),
        }
    }
}
