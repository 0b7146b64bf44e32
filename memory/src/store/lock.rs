//! File operations of the store: locks between processes, directories, moving a damaged file aside.
#![expect(clippy::disallowed_methods, reason = "reads and writes the store's files")]

use super::{place, with_suffix};
use crate::MemoryError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum time to wait for a lock.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// A lock between processes; released when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct Lock(
    /// The open file, which holds the lock; it is never read.
    #[expect(dead_code, reason = "held for its drop")]
    File,
);

/// Returns the time to sleep after `attempts` failed attempts: about the duration of a write, so that
/// the lock is taken soon after it is released.
#[must_use]
pub fn backoff(attempts: u32) -> Duration {
    Duration::from_micros(100 << attempts.min(4)).min(Duration::from_millis(1))
}

/// Takes the lock at `path`; creates the file if it does not exist.
///
/// # Errors
/// Fails if the file cannot be created, if it or its directory is a link, or if the lock is not
/// released in time.
pub fn take(path: &Path) -> Result<Lock, MemoryError> {
    // Switching branches could have created a link at this path since the store was opened.
    path.parent().map_or(Ok(()), place::refuse_link)?;
    place::refuse_link(path)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(MemoryError::io(path))?;
    let start = Instant::now();
    let mut attempts = 0;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(backoff(attempts));
                attempts += 1;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(MemoryError::Store(format!(
                    "another process has held the lock {} for {} seconds; retry when that process has ended",
                    path.display(),
                    LOCK_TIMEOUT.as_secs()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(MemoryError::io(path)(error)),
        }
    }
}

/// Whether a 64 KiB file, the size of a few database pages, can be written to `folder`.
#[must_use]
pub fn can_write(folder: &Path) -> bool {
    let probe = folder.join(format!("data.probe-{}", std::process::id()));
    // Removes the file of a dead process with the same id, or a link that someone created.
    let _ = fs::remove_file(&probe);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)
        .and_then(|mut file| file.write_all(&[b' '; 65_536]))
        .is_ok();
    let _ = fs::remove_file(&probe);
    written
}

/// Creates a directory and its parents.
///
/// # Errors
/// When the directory cannot be created.
pub fn make_folder(folder: &Path) -> Result<(), MemoryError> {
    fs::create_dir_all(folder).map_err(MemoryError::io(folder))
}

/// Makes the name of a new file durable, where the system supports syncing directories.
pub fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        // On systems that cannot sync directories, a new directory entry is durable immediately.
        let _ = folder.sync_all();
    }
}

/// Like [`set_aside`], for the damaged file at `path`.
///
/// # Errors
/// When the file cannot be renamed.
pub fn set_damaged_aside(path: &Path, suffixes: &[&str], now: i64) -> Result<PathBuf, MemoryError> {
    set_aside(path, suffixes, |n| {
        let counter = if n > 1 { format!("-{n}") } else { String::new() };
        with_suffix(path, &format!(".corrupt-{now}{counter}"))
    })
}

/// Renames a file and its related files (`suffixes`; the empty suffix is the file itself) to the
/// first path of `names(1)`, `names(2)`, … that does not exist; returns this path.
///
/// # Errors
/// When the file cannot be renamed.
pub fn set_aside(
    path: &Path,
    suffixes: &[&str],
    names: impl Fn(u32) -> PathBuf,
) -> Result<PathBuf, MemoryError> {
    let aside = (1..).map(&names).find(|name| !name.exists()).unwrap_or_else(|| names(1));
    for suffix in suffixes {
        let (from, to) = (with_suffix(path, suffix), with_suffix(&aside, suffix));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(MemoryError::io(&from)(error));
            }
            _ => {}
        }
    }
    Ok(aside)
}

/// Identifies a file, to detect that another file replaced it. `None` where the system does not
/// support this.
#[must_use]
pub fn identity(path: &Path) -> Option<u64> {
    identity_of(&fs::metadata(path).ok()?)
}

/// Like [`identity`], from the metadata of an open file.
#[cfg(unix)]
#[must_use]
pub fn identity_of(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.ino())
}

/// Like [`identity`], from the metadata of an open file. On these systems an open file cannot be
/// replaced.
#[cfg(not(unix))]
#[must_use]
pub fn identity_of(_: &fs::Metadata) -> Option<u64> {
    None
}
