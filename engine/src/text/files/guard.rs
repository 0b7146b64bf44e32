//! Opens regular files only: a device has no end, and opening a pipe blocks.

use super::Disk;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// How a symbolic link to a file is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Follow the link if its target is within the root.
    Follow,
    /// Treat the link as an error.
    Reject,
}

/// Opens the regular file at `path`, following links; returns the file and its size in bytes.
///
/// # Errors
/// When the file cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Open a pipe without blocking, then reject it.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    regular(options.open(path)?)
}

/// Opens the regular file at `path` if no part of the path is a symbolic link; otherwise, and if the
/// system cannot tell, `None`.
#[cfg(target_os = "linux")]
fn open_without_links(path: &Path) -> Option<io::Result<(File, u64)>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Some(regular(File::from(file))),
        Err(error @ rustix::io::Errno::NOENT) => Some(Err(error.into())),
        Err(_) => None,
    }
}

/// The file and its size in bytes if it is a regular file.
fn regular(file: File) -> io::Result<(File, u64)> {
    let known = file.metadata()?;
    if known.is_file() { Ok((file, known.len())) } else { Err(invalid_input("not a regular file")) }
}

/// Reads the regular file at `path`, following links.
///
/// # Errors
/// The same as [`open_regular`], or when the file has more than `limit` bytes.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open_regular(path)?;
    read_whole(file, length, limit)
}

fn read_whole(file: File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = with_room_for(length.min(limit))?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

/// Allocates memory for the whole file at once; otherwise the buffer would be copied as it grows.
pub(super) fn with_room_for(length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(0).saturating_add(1))?;
    Ok(bytes)
}

/// The error for a file with more than `limit` bytes.
pub(crate) fn too_large(limit: u64) -> io::Error {
    let why = format!("larger than the limit of {limit} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

fn invalid_input(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

impl Disk {
    /// Reads all bytes of a file that controls a run: a configuration, an ignore file, a baseline.
    ///
    /// # Errors
    /// When the file cannot be read, is not a regular file, is outside the root, is a link that
    /// `links` rejects, or has more than `limit` bytes.
    pub fn read_whole(&self, path: &str, limit: u64, links: Links) -> io::Result<Vec<u8>> {
        if links == Links::Reject && self.locate(path)?.is_symlink() {
            return Err(invalid_input("symbolic links are not followed here"));
        }
        let (file, length) = self.open(path)?;
        read_whole(file, length, limit)
    }

    /// The location on disk for a file to write at `path`; the file and its directories need not
    /// exist.
    ///
    /// # Errors
    /// When the path is outside the root, a link leads out of the root, or the file is inside a
    /// version control directory.
    pub fn path_to_write(&self, path: &str) -> io::Result<PathBuf> {
        const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
        let location = self.locate(path)?;
        let real_root = self.root.canonicalize()?;
        let real = super::resolve_links(&location)?;
        let Ok(below) = real.strip_prefix(&real_root) else {
            return Err(invalid_input("symbolic link leaves the root"));
        };
        let is_store = |part: Component<'_>| {
            let name = part.as_os_str().to_str();
            name.is_some_and(|name| STORES.iter().any(|store| store.eq_ignore_ascii_case(name)))
        };
        if below.components().any(is_store) {
            return Err(invalid_input("file inside a version control directory"));
        }
        Ok(location)
    }

    /// Opens the regular file at `path`, which must be within the root after links are resolved;
    /// returns the file and its size in bytes.
    pub(super) fn open(&self, path: &str) -> io::Result<(File, u64)> {
        let location = self.locate(path)?;
        #[cfg(target_os = "linux")]
        if let Some(opened) = open_without_links(&location) {
            return opened;
        }
        // Open first, because most of the requested files do not exist.
        let opened = open_regular(&location)?;
        // Most paths contain no link and need no canonicalization.
        let mut at = self.root.clone();
        let mut parts = Path::new(path).components();
        let has_link = parts.any(|part| {
            at.push(part);
            at.is_symlink()
        });
        if has_link && !location.canonicalize()?.starts_with(self.root.canonicalize()?) {
            return Err(invalid_input("symbolic link leaves the root"));
        }
        Ok(opened)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::text::files::Files;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_inside_the_root_are_read() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("dir")).expect("made");
        fs::write(folder.path().join("outside"), "outside").expect("written");
        fs::write(root.join("dir/file"), "text").expect("written");
        for (name, to) in [
            ("in", "dir/file"),
            ("dir/up", "../dir"),
            ("out", "../outside"),
            ("above", ".."),
            ("zero", "/dev/zero"),
        ] {
            symlink(to, root.join(name)).expect("linked");
        }
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let pipe = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), pipe, mode, 0).expect("made");
        let disk = Disk::new(&root);
        for path in ["dir/file", "in", "dir/up/file"] {
            assert_eq!(disk.read(path, 9).expect(path), b"text");
            assert_eq!(disk.read_whole(path, 4, Links::Follow).expect(path), b"text");
        }
        for path in ["out", "above/outside", "zero", "pipe", "dir", "../outside"] {
            let error = disk.read(path, 9).expect_err(path);
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}");
        }
        let invalid_input = disk.read_whole("in", 9, Links::Reject).expect_err("a link");
        assert_eq!(invalid_input.to_string(), "symbolic links are not followed here");
        let large = disk.read_whole("in", 3, Links::Follow).expect_err("too large");
        assert_eq!(large.kind(), io::ErrorKind::FileTooLarge);
        let absent = disk.read("absent", 9).expect_err("absent");
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn no_path_to_write_is_outside_the_root_or_in_a_version_control_directory() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path().join("root");
        fs::create_dir_all(root.join(".git/hooks")).expect("made");
        fs::create_dir(root.join("dir")).expect("made");
        for (name, to) in [
            ("in", "dir"),
            ("out", ".."),
            ("nowhere", "../absent"),
            ("hooks", ".git/hooks"),
            ("config", ".git/config"),
        ] {
            symlink(to, root.join(name)).expect("linked");
        }
        let disk = Disk::new(&root);
        for path in ["dir/file", "in/file", "new/deep/file"] {
            assert_eq!(disk.path_to_write(path).expect(path), root.join(path));
        }
        for path in
            ["out/file", "nowhere", "hooks/pre-commit", "config", ".git/x", "new/.GIT/x", "../x"]
        {
            assert!(disk.path_to_write(path).is_err(), "{path}");
        }
    }
}
