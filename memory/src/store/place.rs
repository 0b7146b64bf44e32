//! Checks where a store can be placed: not behind a link, and not with SQLite on a file system that
//! several machines share, where a write-ahead log is not safe.
#![expect(clippy::disallowed_methods, reason = "checks the store's files")]

use super::sqlite;
use crate::MemoryError;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Prefix of all file names of a store: the store, its locks, its backups.
const STORE_PREFIX: &str = "data.";

/// Rejects a store directory that is a link or contains store files that are links: a cloned
/// repository must not choose which of the user's files are written.
///
/// # Errors
/// When the directory or a file is a link.
pub fn check(folder: &Path) -> Result<(), MemoryError> {
    refuse_link(folder)?;
    // The known names are checked first: a directory that cannot be listed can still be writable.
    let database = sqlite::path(folder);
    for suffix in sqlite::FILE_SUFFIXES {
        refuse_link(&super::with_suffix(&database, suffix))?;
    }
    refuse_link(&super::json::path(folder))?;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(STORE_PREFIX) {
            refuse_link(&entry.path())?;
        }
    }
    Ok(())
}

/// Rejects links.
///
/// # Errors
/// When `path` is a link.
pub fn refuse_link(path: &Path) -> Result<(), MemoryError> {
    if !fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_symlink()) {
        return Ok(());
    }
    Err(MemoryError::Invalid(format!(
        "{} is a link, and the store is neither read nor written through links; replace it with a regular file or directory",
        path.display()
    )))
}

/// Content of the ignore file of a new store. Where `aidd init` was not run, this file keeps the
/// store out of commits: sessions and observations belong to this checkout, and an agent can run
/// `git add --all`.
const IGNORE_RULES: &str = "# Local data of aidd, for this checkout only.\n/data.*\n/.gitignore\n";

/// Makes Git ignore the store in `folder`, unless an ignore file exists. If the ignore file cannot
/// be written, writing the store also fails, and that failure is reported.
pub fn ignore_in_git(folder: &Path) {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore"));
    let _ = file.and_then(|mut file| file.write_all(IGNORE_RULES.as_bytes()));
}

/// A file system that other machines can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedFileSystem {
    /// Other machines write to the file system; the value is its name.
    Network(&'static str),
    /// Depending on the configuration, other machines can write to the file system; the value is
    /// its name.
    Possibly(&'static str),
}

/// Returns whether the file system at `path` is shared, if the operating system reports it.
#[cfg(target_os = "linux")]
#[must_use]
pub fn detect_shared(path: &Path) -> Option<SharedFileSystem> {
    let stats = rustix::fs::statfs(path).ok()?;
    // The type is signed on some architectures; its lower 32 bits are the number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let number = stats.f_type as u32;
    shared_by_magic(number)
}

/// Returns whether the file system at `path` is shared, if the operating system reports it.
#[cfg(target_os = "macos")]
#[must_use]
pub fn detect_shared(path: &Path) -> Option<SharedFileSystem> {
    let stats = rustix::fs::statfs(path).ok()?;
    let name: String = stats
        .f_fstypename
        .iter()
        .map_while(|&c| u8::try_from(c).ok().filter(|&c| c != 0))
        .map(char::from)
        .collect();
    match name.as_str() {
        "nfs" => Some(SharedFileSystem::Network("NFS")),
        "smbfs" => Some(SharedFileSystem::Network("SMB")),
        "afpfs" => Some(SharedFileSystem::Network("AFP")),
        "webdav" => Some(SharedFileSystem::Network("WebDAV")),
        "macfuse" | "osxfuse" => Some(SharedFileSystem::Possibly("FUSE")),
        _ => None,
    }
}

/// Returns whether the file system at `path` is shared, if the operating system reports it.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[must_use]
pub fn detect_shared(path: &Path) -> Option<SharedFileSystem> {
    use std::path::{Component, Prefix};
    let path = path.canonicalize().ok()?;
    match path.components().next()? {
        Component::Prefix(prefix) => match prefix.kind() {
            Prefix::UNC(..) | Prefix::VerbatimUNC(..) => Some(SharedFileSystem::Network("SMB")),
            _ => None,
        },
        _ => None,
    }
}

/// Classifies a file system by its type number in statfs(2), see the kernel's `linux/magic.h`.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "numbers of Linux"))]
fn shared_by_magic(number: u32) -> Option<SharedFileSystem> {
    Some(match number {
        0x6969 => SharedFileSystem::Network("NFS"),
        0x517B | 0xFE53_4D42 | 0xFF53_4D42 => SharedFileSystem::Network("SMB"),
        0x5346_414F | 0x6B41_4653 => SharedFileSystem::Network("AFS"),
        0x7375_7245 => SharedFileSystem::Network("Coda"),
        0x00C3_6400 => SharedFileSystem::Network("Ceph"),
        0x0BD0_0BD0 => SharedFileSystem::Network("Lustre"),
        // A network file system, or a directory that a virtual machine shares with its host.
        0x0102_1997 => SharedFileSystem::Possibly("9P"),
        // Any file system in user space: sshfs, a cloud drive, an encrypted directory.
        0x6573_5546 => SharedFileSystem::Possibly("FUSE"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn git_ignores_a_new_store() {
        let folder = TempDir::new().expect("a directory");
        let ignore_file = folder.path().join(".gitignore");
        let open_store =
            || super::super::open(folder.path(), super::super::BackendChoice::Sqlite, 1);
        drop(open_store().expect("a store"));
        assert_eq!(fs::read_to_string(&ignore_file).expect("text"), IGNORE_RULES);
        // For an existing store, the team decides what Git ignores.
        fs::remove_file(&ignore_file).expect("removed");
        drop(open_store().expect("a store"));
        assert!(!ignore_file.exists());
        fs::remove_file(sqlite::path(folder.path())).expect("removed");
        fs::write(&ignore_file, "/other\n").expect("written");
        drop(open_store().expect("a store"));
        assert_eq!(fs::read_to_string(&ignore_file).expect("text"), "/other\n");
    }

    #[test]
    fn network_file_systems_are_recognised_by_number() {
        assert_eq!(shared_by_magic(0x6969), Some(SharedFileSystem::Network("NFS")));
        assert_eq!(shared_by_magic(0xFF53_4D42), Some(SharedFileSystem::Network("SMB")));
        assert_eq!(shared_by_magic(0x6573_5546), Some(SharedFileSystem::Possibly("FUSE")));
        // ext, tmpfs, btrfs, xfs, overlay, zfs
        for local in [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630, 0x2FC1_2FC1] {
            assert_eq!(shared_by_magic(local), None);
        }
        let folder = TempDir::new().expect("a directory");
        assert_eq!(detect_shared(&folder.path().join("none")), None);
        assert!(!matches!(detect_shared(folder.path()), Some(SharedFileSystem::Network(_))));
    }
}
