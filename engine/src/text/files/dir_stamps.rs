//! File stamps of one directory. The directory is opened once and each file is queried by name,
//! which costs half as much as a query by path.

use super::{Disk, Stamp};
use crate::text::paths::below;

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

#[cfg(unix)]
mod by_name {
    use super::{Disk, Stamp};
    use rustix::fd::OwnedFd;
    use rustix::fs::{AtFlags, Mode, OFlags, open, statat};
    use std::time::{Duration, SystemTime};

    /// The same as [`Disk::stamps`]; `None` when the directory cannot be opened, even though its
    /// files may be accessible.
    pub(super) fn stamps<'n>(
        disk: &Disk,
        folder: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<Vec<Option<Stamp>>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = open(disk.locate(folder).ok()?, flags, Mode::empty()).ok()?;
        Some(names.map(|name| stamp(&folder, name)).collect())
    }

    /// The same as [`super::super::stamp_of`].
    fn stamp(folder: &OwnedFd, name: &str) -> Option<Stamp> {
        let is_name = !name.contains('/') && name != "..";
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
