//! Projects where nothing can be written, because the disk is full or the directory is read-only.
//! Existing memories can still be read; writing fails with the reason.

use super::MemoryError;
use super::privacy::Gate;
use super::project::ProjectMemory;
use super::store::{self, BackendChoice, Durability, OpenedStore, salvage, transaction};
use std::path::Path;
use std::time::{Duration, Instant};

/// Minimum time between two reads that check whether the disk is writable again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The end of the notice that nothing can be written; it follows the reason.
pub const READ_ONLY: &str = "; memory is read-only in this project";

/// Opens the store. If no file can be written, returns a store that is held in RAM, and the reason.
///
/// # Errors
/// When the store was written by a newer aidd, or when its file or directory is a link.
pub(super) fn open(
    root: &Path,
    choice: BackendChoice,
    gate: &Gate,
    now: i64,
) -> Result<(OpenedStore, Option<String>), MemoryError> {
    let folder = root.join(".aidd");
    let why = match store::open(&folder, choice, now) {
        Err(error @ (MemoryError::Io { .. } | MemoryError::Store(_))) => error.to_string(),
        other => return other.map(|opened| (opened, None)),
    };
    copy_to_ram(root, gate, &why).map(|opened| (opened, Some(why)))
}

/// Creates a store in RAM with the contents of the store on disk.
fn copy_to_ram(root: &Path, gate: &Gate, why: &str) -> Result<OpenedStore, MemoryError> {
    let folder = root.join(".aidd");
    let mut opened = store::in_memory(&folder)?;
    for path in [store::sqlite::path(&folder), store::json::path(&folder)] {
        if path.is_file() {
            let records = salvage::recover(&path);
            transaction(&mut *opened.store, Durability::Normal, &mut |store| {
                super::salvage::recover_records(store, gate, &records).map(|_| ())
            })?;
        }
    }
    opened.notices.push(format!("{why}{READ_ONLY}"));
    Ok(opened)
}

impl ProjectMemory {
    /// Switches to a store in RAM, because the disk cannot be written; `why` is the reason.
    pub(super) fn switch_to_ram(&mut self, why: String) -> Result<(), MemoryError> {
        let opened = copy_to_ram(self.root(), &self.gate, &why)?;
        self.unwritable = Some(why);
        self.last_write_check = Some(Instant::now());
        self.use_store(opened);
        Ok(())
    }

    /// Checks whether files can be written again after a failure. Readers check only occasionally:
    /// when another user holds the lock, each attempt copies the store.
    pub(super) fn try_disk_again_to_read(&mut self) {
        if self.last_write_check.is_none_or(|last| last.elapsed() > RETRY_INTERVAL) {
            self.try_disk_again();
        }
    }

    /// Checks whether files can be written again after a failure.
    fn try_disk_again(&mut self) {
        let folder = self.root().join(".aidd");
        if self.unwritable.is_some() && store::lock::can_write(&folder) {
            // If writing fails again, the reason is updated.
            let _ = self.reopen();
            self.last_write_check = self.unwritable.as_ref().map(|_| Instant::now());
        }
    }

    /// Returns an error when nothing can be written.
    pub(super) fn refuse_unwritable(&mut self) -> Result<(), MemoryError> {
        self.try_disk_again();
        match &self.unwritable {
            Some(why) => Err(MemoryError::Unwritable(why.clone())),
            None => Ok(()),
        }
    }
}
