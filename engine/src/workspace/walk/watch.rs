//! Detects whether files below some directories changed, without reading their stamps. Only Linux reports
//! every change in time, and only on file systems that this machine alone writes.

/// The directories of a project, watched for changes.
#[derive(Debug)]
pub(super) struct Watch {
    #[cfg(target_os = "linux")]
    inner: linux::Watch,
}

#[cfg(not(target_os = "linux"))]
impl Watch {
    /// Never watches anything.
    pub(super) fn new(_root: &std::path::Path) -> Option<Self> {
        None
    }

    /// Never watches anything.
    pub(super) fn add<'d>(&mut self, _dirs: impl Iterator<Item = &'d str>) -> Option<bool> {
        None
    }

    /// Everything can have changed.
    pub(super) fn is_quiet(&mut self, _is_relevant: impl Fn(&str) -> bool) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
impl Watch {
    /// Watches the directories below `root` that are added later; `None` if changes cannot be
    /// observed reliably.
    pub(super) fn new(root: &std::path::Path) -> Option<Self> {
        linux::Watch::new(root).map(|inner| Self { inner })
    }

    /// Watches also these directories, relative to the root. Returns whether one was not watched
    /// before; `None` if one cannot be watched.
    pub(super) fn add<'d>(&mut self, dirs: impl Iterator<Item = &'d str>) -> Option<bool> {
        self.inner.add(dirs)
    }

    /// Whether no relevant file changed, and no directory, since the last call.
    pub(super) fn is_quiet(&mut self, is_relevant: impl Fn(&str) -> bool) -> bool {
        self.inner.is_quiet(is_relevant)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fd::OwnedFd;
    use rustix::fs::{inotify, stat, statfs};
    use rustix::io::Errno;
    use std::collections::HashSet;
    use std::mem::MaybeUninit;
    use std::path::{Path, PathBuf};

    /// The numbers of file systems whose changes are all made through this kernel: ext4, XFS, Btrfs,
    /// F2FS, ZFS, tmpfs.
    const LOCAL: [u64; 6] =
        [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0x0102_1994];
    /// Maximum number of watched directories.
    const MAX_DIRS: usize = 20_000;

    #[derive(Debug)]
    pub(super) struct Watch {
        root: PathBuf,
        device: u64,
        events: OwnedFd,
        dirs: HashSet<String>,
    }

    impl Watch {
        pub(super) fn new(root: &Path) -> Option<Self> {
            let kind = u64::try_from(statfs(root).ok()?.f_type).ok()?;
            if !LOCAL.contains(&kind) {
                return None;
            }
            let device = stat(root).ok()?.st_dev;
            let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
            let events = inotify::init(flags).ok()?;
            Some(Self { root: root.to_owned(), device, events, dirs: HashSet::new() })
        }

        pub(super) fn add<'d>(&mut self, dirs: impl Iterator<Item = &'d str>) -> Option<bool> {
            let mut is_new = false;
            let flags = inotify::WatchFlags::CREATE
                | inotify::WatchFlags::DELETE
                | inotify::WatchFlags::MODIFY
                | inotify::WatchFlags::ATTRIB
                | inotify::WatchFlags::MOVE
                | inotify::WatchFlags::DELETE_SELF
                | inotify::WatchFlags::MOVE_SELF
                | inotify::WatchFlags::ONLYDIR;
            for dir in dirs {
                if self.dirs.contains(dir) {
                    continue;
                }
                let path = self.root.join(dir);
                // A directory on another file system can change unnoticed.
                let is_same = stat(&path).ok()?.st_dev == self.device;
                if !is_same || self.dirs.len() >= MAX_DIRS {
                    return None;
                }
                inotify::add_watch(&self.events, &path, flags).ok()?;
                self.dirs.insert(dir.to_owned());
                is_new = true;
            }
            Some(is_new)
        }

        pub(super) fn is_quiet(&mut self, is_relevant: impl Fn(&str) -> bool) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 8192];
            let mut events = inotify::Reader::new(&self.events, &mut buffer);
            let mut is_quiet = true;
            loop {
                match events.next() {
                    Ok(event) => {
                        let name = event.file_name().map(|name| name.to_string_lossy());
                        let is_dir = event.events().contains(inotify::ReadFlags::ISDIR);
                        // Events without a name: a directory moved, or events were lost.
                        if is_dir || name.is_none_or(|name| is_relevant(&name)) {
                            is_quiet = false;
                        }
                        // A directory with the path of a removed one must be watched again.
                        if is_dir || event.events().contains(inotify::ReadFlags::IGNORED) {
                            self.dirs.clear();
                        }
                    }
                    Err(Errno::WOULDBLOCK) => return is_quiet,
                    Err(Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }
    }
}
