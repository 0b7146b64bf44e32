//! File stamps of one directory. The directory is opened once and each file is queried by name,
//! which costs half as much as a query by path.

use super::{Disk, Stamp};
use crate::text::paths::below;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

impl Disk {
    /// The stamps of the files `names` directly in `folder` (empty for the root), in the same
    /// order; `None` for a file that does not exist.
    #[must_use]
    pub fn stamps<'n>(
        &self,
        folder: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Vec<Option<Stamp>> {
        #[cfg(unix)]
        if let Some(stamps) = by_name::stamps(self, folder, names.clone()) {
            return stamps;
        }
        names.map(|name| self.stamp(&below(folder, name))).collect()
    }
}

/// A directory whose entries were read, for the stamps of its files.
pub(crate) struct OpenDir {
    #[cfg(unix)]
    dir: rustix::fs::Dir,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

/// What an entry of a directory is. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Dir,
    File,
    /// A link, a pipe, a socket or a device.
    Other,
}

impl OpenDir {
    /// Opens the directory at `path` and returns its entries.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub(crate) fn read(path: &Path) -> io::Result<(Self, Vec<(EntryKind, OsString)>)> {
        #[cfg(unix)]
        {
            by_name::read(path).map(|(dir, entries)| (Self { dir }, entries))
        }
        #[cfg(not(unix))]
        {
            let entries = std::fs::read_dir(path)?.flatten().filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                let kind = match (kind.is_dir(), kind.is_file()) {
                    (true, _) => EntryKind::Dir,
                    (_, true) => EntryKind::File,
                    _ => EntryKind::Other,
                };
                Some((kind, entry.file_name()))
            });
            Ok((Self { path: path.to_owned() }, entries.collect()))
        }
    }

    /// The stamp of a file in the directory.
    pub(crate) fn stamp(&self, name: &OsStr) -> Option<Stamp> {
        #[cfg(unix)]
        {
            by_name::stamp(self.dir.fd().ok()?, name)
        }
        #[cfg(not(unix))]
        {
            super::stamp_of(&self.path.join(name))
        }
    }
}

#[cfg(unix)]
mod by_name {
    use super::{Disk, EntryKind, Stamp};
    use rustix::fd::BorrowedFd;
    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, statat};
    use std::ffi::{OsStr, OsString};
    use std::io;
    use std::os::fd::AsFd as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// The entries of a directory, and the directory itself.
    pub(super) fn read(path: &Path) -> io::Result<(Dir, Vec<(EntryKind, OsString)>)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut dir = Dir::new(open(path, flags, Mode::empty())?)?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let Ok(entry) = entry else { break };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say.
                FileType::Unknown => {
                    let folder = dir.fd()?;
                    let Ok(known) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
                        continue;
                    };
                    FileType::from_raw_mode(known.st_mode)
                }
                kind => kind,
            };
            let kind = match kind {
                FileType::Directory => EntryKind::Dir,
                FileType::RegularFile => EntryKind::File,
                _ => EntryKind::Other,
            };
            entries.push((kind, OsStr::from_bytes(name.to_bytes()).to_owned()));
        }
        Ok((dir, entries))
    }

    /// The same as [`Disk::stamps`]; `None` when the directory cannot be opened, even though its
    /// files may be accessible.
    pub(super) fn stamps<'n>(
        disk: &Disk,
        folder: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<Vec<Option<Stamp>>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(disk.locate(folder).ok()?, flags, Mode::empty()).ok()?;
        Some(names.map(|name| stamp(folder.as_fd(), OsStr::new(name))).collect())
    }

    /// The same as [`super::super::stamp_of`].
    pub(super) fn stamp(folder: BorrowedFd<'_>, name: &OsStr) -> Option<Stamp> {
        let is_name = !name.as_bytes().contains(&b'/') && name != "..";
        let known = statat(folder, Some(name).filter(|_| is_name)?, AtFlags::empty()).ok()?;
        let seconds = u64::try_from(known.st_ctime).ok()?;
        let rest = u32::try_from(known.st_ctime_nsec).ok()?;
        let time = SystemTime::UNIX_EPOCH + Duration::new(seconds, rest);
        Some((time, u64::try_from(known.st_size).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_by_name_equal_stamps_by_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::new(folder.path());
        std::fs::create_dir(folder.path().join("a")).expect("made");
        for (path, text) in [("x", "1"), ("a/x", "22"), ("a/y", "")] {
            std::fs::write(folder.path().join(path), text).expect("written");
        }
        let names = ["x", "y", "z", "..", "../x"];
        for dir in ["", "a", "gone", "x"] {
            let by_path: Vec<_> =
                names[..3].iter().map(|name| disk.stamp(&below(dir, name))).collect();
            let by_name = disk.stamps(dir, names.into_iter());
            assert_eq!(by_name[..3], by_path, "{dir}");
            assert_eq!(
                by_name[3..],
                [None, None],
                "{dir}: the parent directory must not be reachable"
            );
        }
        assert_eq!(disk.stamps("..", ["x"].into_iter()), [None]);
        assert_eq!(disk.stamps("a", ["x"].into_iter())[0].expect("there").1, 2);
    }
}
