//! Files of the store: locks between processes, folders, putting a damaged file aside.
#![expect(clippy::disallowed_methods, reason = "this is where the store's files are touched")]

use super::{place, with_suffix};
use crate::MemoryError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a writer waits for others before it gives up.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A lock held by one process; freed when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct Lock(
    /// Never read: it is the lock.
    #[expect(dead_code, reason = "held for its drop")]
    File,
);

/// How long to sleep when others were in the way so many times: about as long as a write takes,
/// so that no free moment is missed.
#[must_use]
pub fn pause(times: u32) -> Duration {
    Duration::from_micros(100 << times.min(4)).min(Duration::from_millis(1))
}

/// Takes the lock at `path`, a file that is made when it is not there.
///
/// # Errors
/// When the file cannot be made, it or its folder is a link, or others hold the lock for too long.
pub fn take(path: &Path) -> Result<Lock, MemoryError> {
    // A branch that was switched to may have put one there since the store was opened.
    path.parent().map_or(Ok(()), place::refuse_link)?;
    place::refuse_link(path)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(MemoryError::io(path))?;
    let start = Instant::now();
    let mut times = 0;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(pause(times));
                times += 1;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(MemoryError::Store(format!(
                    "another process has held {} for {} seconds",
                    path.display(),
                    PATIENCE.as_secs()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(MemoryError::io(path)(error)),
        }
    }
}

/// Whether a file can be made in `folder`, and a page of a store be written into it.
#[must_use]
pub fn can_write(folder: &Path) -> bool {
    let probe = folder.join(format!("data.probe-{}", std::process::id()));
    // Of a process that died and had the same number; or a link that someone put there.
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

/// Makes a folder and those above it.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), MemoryError> {
    fs::create_dir_all(folder).map_err(MemoryError::io(folder))
}

/// Makes the name of a new file last, where the system lets a folder be asked to.
pub fn sync_folder(place: &Path) {
    if let Some(folder) = place.parent().and_then(|folder| File::open(folder).ok()) {
        // Not every system syncs folders, and those write names at once.
        let _ = folder.sync_all();
    }
}

/// As [`set_aside`], for the damaged file at `path`.
///
/// # Errors
/// When the file cannot be renamed.
pub fn set_damaged_aside(path: &Path, suffixes: &[&str], now: i64) -> Result<PathBuf, MemoryError> {
    set_aside(path, suffixes, |n| {
        let more = if n > 1 { format!("-{n}") } else { String::new() };
        with_suffix(path, &format!(".corrupt-{now}{more}"))
    })
}

/// Renames a file and what belongs to it (`suffixes`, the empty one for the file itself) to the first
/// of `names`, counted from 1, that no file has; where it lies now.
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

/// What tells a file from another that takes its place; `None` where the system has no such thing.
#[must_use]
pub fn identity(path: &Path) -> Option<u64> {
    identity_of(&fs::metadata(path).ok()?)
}

/// As [`identity`], of what is known of an open file.
#[cfg(unix)]
#[must_use]
pub fn identity_of(metadata: &fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.ino())
}

/// As [`identity`], of what is known of an open file. On other systems an open file cannot be
/// replaced.
#[cfg(not(unix))]
#[must_use]
pub fn identity_of(_: &fs::Metadata) -> Option<u64> {
    None
}
