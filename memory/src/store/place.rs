//! Where a store may lie: not behind a link that leads elsewhere, and SQLite not on a file system
//! that several machines share, where a write-ahead log is not safe.
#![expect(clippy::disallowed_methods, reason = "the files of the store are looked at as they lie")]

use super::sqlite;
use crate::MemoryError;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What the names of all files of a store begin with: the store, its locks, its backups.
const OURS: &str = "data.";

/// Refuses a folder, and files of a store in it, that are links: a repository that was cloned must
/// not choose which of the user's files are written.
///
/// # Errors
/// What is a link.
pub fn check(folder: &Path) -> Result<(), MemoryError> {
    refuse_link(folder)?;
    // A folder that cannot be listed may be one to write into all the same.
    let database = sqlite::path(folder);
    for suffix in sqlite::SUFFIXES {
        refuse_link(&super::with_suffix(&database, suffix))?;
    }
    refuse_link(&super::json::path(folder))?;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(OURS) {
            refuse_link(&entry.path())?;
        }
    }
    Ok(())
}

/// Refuses a link.
///
/// # Errors
/// When `path` is one.
pub fn refuse_link(path: &Path) -> Result<(), MemoryError> {
    if !fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_symlink()) {
        return Ok(());
    }
    Err(MemoryError::Invalid(format!(
        "{} is a link, and memory is not written through links",
        path.display()
    )))
}

/// What keeps a new store out of commits, where nobody ran `aidd init`: sessions and observations are
/// this checkout's alone, and an agent's `git add --all` takes what it finds.
const IGNORED: &str = "# What aidd keeps for this checkout alone.\n/data.*\n/.gitignore\n";

/// Has Git pass over the store in `folder`, unless an ignore file is there. Where it cannot be
/// written, the store cannot be either, which is told when that fails.
pub fn keep_from_git(folder: &Path) {
    let file = fs::OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore"));
    let _ = file.and_then(|mut file| file.write_all(IGNORED.as_bytes()));
}

/// A file system where not all is as on a disk of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Other machines write to it too.
    Network(&'static str),
    /// Other machines may write to it: the name does not tell.
    Perhaps(&'static str),
}

/// What the file system at `path` is shared by, where the system says so.
#[cfg(target_os = "linux")]
#[must_use]
pub fn shared(path: &Path) -> Option<Shared> {
    let found = rustix::fs::statfs(path).ok()?;
    // The type is signed on some machines; its lower 32 bits are the number.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as said")]
    let number = found.f_type as u32;
    by_number(number)
}

/// What the file system at `path` is shared by, where the system says so.
#[cfg(target_os = "macos")]
#[must_use]
pub fn shared(path: &Path) -> Option<Shared> {
    let found = rustix::fs::statfs(path).ok()?;
    let name: String = found
        .f_fstypename
        .iter()
        .map_while(|&c| u8::try_from(c).ok().filter(|&c| c != 0))
        .map(char::from)
        .collect();
    match name.as_str() {
        "nfs" => Some(Shared::Network("NFS")),
        "smbfs" => Some(Shared::Network("SMB")),
        "afpfs" => Some(Shared::Network("AFP")),
        "webdav" => Some(Shared::Network("WebDAV")),
        "macfuse" | "osxfuse" => Some(Shared::Perhaps("FUSE")),
        _ => None,
    }
}

/// What the file system at `path` is shared by, where the system says so.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[must_use]
pub fn shared(path: &Path) -> Option<Shared> {
    use std::path::{Component, Prefix};
    let path = path.canonicalize().ok()?;
    match path.components().next()? {
        Component::Prefix(prefix) => match prefix.kind() {
            Prefix::UNC(..) | Prefix::VerbatimUNC(..) => Some(Shared::Network("SMB")),
            _ => None,
        },
        _ => None,
    }
}

/// Numbers of statfs(2) and of the kernel's `linux/magic.h`.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "numbers of Linux"))]
fn by_number(number: u32) -> Option<Shared> {
    Some(match number {
        0x6969 => Shared::Network("NFS"),
        0x517B | 0xFE53_4D42 | 0xFF53_4D42 => Shared::Network("SMB"),
        0x5346_414F | 0x6B41_4653 => Shared::Network("AFS"),
        0x7375_7245 => Shared::Network("Coda"),
        0x00C3_6400 => Shared::Network("Ceph"),
        0x0BD0_0BD0 => Shared::Network("Lustre"),
        // A network, or a folder that a virtual machine has from its host.
        0x0102_1997 => Shared::Perhaps("9P"),
        // Anything: sshfs, a cloud's drive, an encrypted folder.
        0x6573_5546 => Shared::Perhaps("FUSE"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_new_store_stays_out_of_commits() {
        let folder = TempDir::new().expect("a folder");
        let ignored = folder.path().join(".gitignore");
        let opened = || super::super::open(folder.path(), super::super::Wanted::Sqlite, 1);
        drop(opened().expect("a store"));
        assert_eq!(fs::read_to_string(&ignored).expect("text"), IGNORED);
        // Of a store that is there, what Git ignores is the team's to say.
        fs::remove_file(&ignored).expect("removed");
        drop(opened().expect("a store"));
        assert!(!ignored.exists());
        fs::remove_file(sqlite::path(folder.path())).expect("removed");
        fs::write(&ignored, "/other\n").expect("written");
        drop(opened().expect("a store"));
        assert_eq!(fs::read_to_string(&ignored).expect("text"), "/other\n");
    }

    #[test]
    fn network_file_systems_are_told_by_number() {
        assert_eq!(by_number(0x6969), Some(Shared::Network("NFS")));
        assert_eq!(by_number(0xFF53_4D42), Some(Shared::Network("SMB")));
        assert_eq!(by_number(0x6573_5546), Some(Shared::Perhaps("FUSE")));
        // ext, tmpfs, btrfs, xfs, overlay, zfs
        for local in [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630, 0x2FC1_2FC1] {
            assert_eq!(by_number(local), None);
        }
        let folder = TempDir::new().expect("a folder");
        assert_eq!(shared(&folder.path().join("none")), None);
        assert!(!matches!(shared(folder.path()), Some(Shared::Network(_))));
    }
}
