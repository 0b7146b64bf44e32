//! File access: all bytes are read through the stores in this module, which are addressed by paths
//! relative to a root.
#![expect(clippy::disallowed_methods, reason = "this module reads files")]

mod below;
mod dir_stamps;
mod guard;
mod nested;
mod on_demand;
mod overlay;
mod replace;
mod run_cache;
mod wrapper;

use crate::text::listing::Listing;
use crate::text::paths::{self, PathError};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use below::{irregular_below, markdown_below};
pub(crate) use dir_stamps::{EntryKind, OpenDir};
pub(crate) use guard::too_large;
pub use guard::{Links, open_regular, read_regular};
pub use nested::{Nested, dirs_below, is_searched, nested};
pub use on_demand::ListedOnDemand;
pub use overlay::Overlay;
pub use replace::{read_if_exists, replace};
pub use run_cache::{ForRun, RunCache, contents_state, of_inputs};
pub(crate) use run_cache::{is_computing_shared, shared_time};
pub use wrapper::{Listed, WithBase, Wrapper};

/// A store of files. Paths are relative to the root of the store, with `/` between segments.
pub trait Files: Sync {
    /// Reads at most `limit` bytes of a regular file.
    ///
    /// # Errors
    /// When the file does not exist or cannot be read, or when the path or a link leaves the root.
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;

    /// Whether there is a file at `path`.
    fn exists(&self, path: &str) -> bool;

    /// The size of the file at `path`, in bytes.
    ///
    /// # Errors
    /// The same as [`Files::read`].
    fn size(&self, path: &str) -> io::Result<u64> {
        self.read(path, u64::MAX).map(|bytes| bytes.len() as u64)
    }

    /// The stamp that identifies the content of `path` without reading the file; `None` if the
    /// store has no stamps.
    fn content_stamp(&self, _path: &str) -> Option<Stamp> {
        None
    }

    /// Whether the operating system can run the file at `path` as a program; `None` if the store or
    /// the system has no such permission.
    fn is_executable(&self, _path: &str) -> Option<bool> {
        None
    }

    /// The files of the store, if they were listed.
    fn listing(&self) -> Option<&Listing> {
        None
    }

    /// The names of the files directly in `folder`, unordered; empty if the store cannot list them.
    fn names(&self, folder: &str) -> Vec<String> {
        let _ = folder;
        Vec::new()
    }

    /// The files of the base of the checked change, and the path in the base of the file at `path`;
    /// `None` if no change is checked, or if the change adds the file.
    fn base_of(&self, _path: &str) -> Option<(&dyn Files, String)> {
        None
    }

    /// The names of the directories directly in `folder`, unordered; empty if the store cannot list
    /// them.
    fn dirs(&self, folder: &str) -> Vec<String> {
        let _ = folder;
        Vec::new()
    }

    /// The values that the checks of several files share; `None` if files can change between two
    /// checks.
    fn run_cache(&self) -> Option<&RunCache> {
        None
    }
}

/// Maximum size of a file that is read in addition to the checked file (an ignore file, a
/// configuration), in bytes.
pub const SIDE_FILE_LIMIT: u64 = 2 << 20;

/// The text of a small file that is read in addition to the checked file; `None` when the file does
/// not exist or is not UTF-8.
#[must_use]
pub fn side_file(files: &dyn Files, path: &str) -> Option<String> {
    files.read(path, SIDE_FILE_LIMIT).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The path of the file `name` in the directory of `path`.
#[must_use]
pub fn sibling(path: &str, name: &str) -> String {
    path.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}

/// The files below a directory on disk.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
}

impl Disk {
    /// The files below the directory `root`.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The root directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The location of `path` on disk.
    ///
    /// # Errors
    /// When the path is absolute or leaves the root.
    pub fn locate(&self, path: &str) -> io::Result<PathBuf> {
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if Path::new(path).components().all(inside) {
            Ok(self.root.join(path))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{path} is outside the root")))
        }
    }

    /// The path, relative to the root, for a new file at `path`, as named by a rule, a page or an
    /// agent. The path must refer to the same location on every operating system and must not leave
    /// the root through a link.
    ///
    /// # Errors
    /// The first problem found in the path.
    pub fn path_for_new_file(&self, path: &str) -> Result<String, PathError> {
        paths::check_form(path)?;
        let outside = || PathError::Outside(path.escape_debug().to_string());
        let checked = self.to_relative(path).ok_or_else(outside)?;
        if checked.is_empty() {
            return Ok(checked);
        }
        paths::check_new(&checked).map(|()| checked)
    }

    /// Converts an absolute or relative path to a path relative to the root, with `/` between
    /// segments. Links are followed. `None` when the path leaves the root, or contains a dangling
    /// link.
    #[must_use]
    pub fn to_relative(&self, path: &str) -> Option<String> {
        let mut normalized = PathBuf::new();
        for part in self.root.join(path).components() {
            match part {
                Component::ParentDir => {
                    normalized.pop();
                }
                Component::CurDir => {}
                other => normalized.push(other),
            }
        }
        let real_root = self.root.canonicalize().ok()?;
        if !resolve_links(&normalized).ok()?.starts_with(&real_root) {
            return None;
        }
        let base = [&self.root, &real_root].into_iter().find(|base| normalized.starts_with(base));
        // The root can have several paths because of links: a home directory on another disk,
        // `/tmp` on macOS.
        let base =
            base.map(PathBuf::as_path).or_else(|| find_root_alias(&normalized, &real_root))?;
        Some(paths::relative(base, &normalized))
    }
}

/// The ancestor of `path`, or `path` itself, that resolves to `real_root`.
fn find_root_alias<'a>(path: &'a Path, real_root: &Path) -> Option<&'a Path> {
    let is_root = |folder: &&Path| folder.canonicalize().is_ok_and(|real| real == real_root);
    path.ancestors().filter(is_root).last()
}

/// Resolves the links in the existing part of a path.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut rest = Vec::new();
    for folder in path.ancestors() {
        match folder.canonicalize() {
            Ok(found) => return Ok(rest.iter().rev().fold(found, |path, part| path.join(part))),
            // The target of a dangling link can be created later.
            Err(error) if folder.is_symlink() => return Err(error),
            Err(_) => rest.extend(folder.file_name()),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Identifies the content of a file without reading the file: the time of the last change or move,
/// and the length in bytes.
pub type Stamp = (SystemTime, u64);

/// The minimum age of a stamp. An unchanged stamp means that the file is unchanged only if the
/// stamp is older than this. Some file systems have a resolution of two seconds.
pub const MIN_STAMP_AGE: Duration = Duration::from_secs(2);

/// The time of a stamp. On Unix, this is the inode change time, which cannot be set by a user and
/// is updated when a file is moved over another file.
fn time(data: &Metadata) -> Option<SystemTime> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(data.ctime()).ok()?;
        let rest = u32::try_from(data.ctime_nsec()).ok()?;
        Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, rest))
    }
    #[cfg(not(unix))]
    {
        data.modified().ok()
    }
}

/// The stamp of the file or directory at `path`; `None` when it does not exist.
#[must_use]
pub fn stamp_of(path: &Path) -> Option<Stamp> {
    let data = std::fs::metadata(path).ok()?;
    Some((time(&data)?, data.len()))
}

impl Disk {
    /// The stamp of a file or directory; `None` when it does not exist or is outside the root.
    #[must_use]
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        stamp_of(&self.locate(path).ok()?)
    }

    /// Whether there is a directory at `path`.
    #[must_use]
    pub fn is_dir(&self, path: &str) -> bool {
        self.locate(path).is_ok_and(|path| path.is_dir())
    }
}

impl Files for Disk {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let (file, length) = self.open(path)?;
        let mut bytes = guard::with_room_for(length.min(limit))?;
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exists(&self, path: &str) -> bool {
        self.locate(path).is_ok_and(|path| path.is_file())
    }

    fn size(&self, path: &str) -> io::Result<u64> {
        Ok(std::fs::metadata(self.locate(path)?)?.len())
    }

    fn names(&self, folder: &str) -> Vec<String> {
        files_in(self, folder)
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        let entries = self.locate(folder).and_then(std::fs::read_dir).into_iter().flatten();
        let dirs =
            entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        dirs.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn content_stamp(&self, path: &str) -> Option<Stamp> {
        self.stamp(path)
    }

    #[cfg(unix)]
    fn is_executable(&self, path: &str) -> Option<bool> {
        use std::os::unix::fs::PermissionsExt;
        let data = std::fs::metadata(self.locate(path).ok()?).ok()?;
        Some(data.permissions().mode() & 0o111 != 0)
    }
}

/// The names of the files directly in `folder` (empty for the root), ordered, without links.
#[must_use]
pub fn files_in(disk: &Disk, folder: &str) -> Vec<String> {
    let Ok(entries) = disk.locate(folder).and_then(std::fs::read_dir) else { return Vec::new() };
    let files =
        entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut found: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    found.sort();
    found
}

/// The names of all entries directly in `folder` (empty for the root), including links, unordered.
#[must_use]
pub fn names_in(disk: &Disk, folder: &str) -> Vec<String> {
    let Ok(entries) = disk.locate(folder).and_then(std::fs::read_dir) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Files in memory: examples, tests, standard input.
#[derive(Clone, Debug, Default)]
pub struct Memory(
    /// Path → bytes.
    pub BTreeMap<String, Vec<u8>>,
);

impl Files for Memory {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes[..limit].to_vec())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let before = format!("{folder}{slash}");
        let below = self.0.range(before.clone()..).map(|(path, _)| path);
        let below = below.map_while(|path| path.strip_prefix(&before));
        below.filter(|name| !name.contains('/')).map(str::to_owned).collect()
    }

    fn dirs(&self, folder: &str) -> Vec<String> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let before = format!("{folder}{slash}");
        let below = self.0.range(before.clone()..).map(|(path, _)| path);
        let below = below.map_while(|path| path.strip_prefix(&before));
        let mut dirs: Vec<String> =
            below.filter_map(|name| Some(name.split_once('/')?.0.to_owned())).collect();
        dirs.dedup();
        dirs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_root_is_read() {
        let disk = Disk::new(".");
        for path in ["../Cargo.toml", "/etc/passwd", "src/../../x"] {
            let error = disk.read(path, 1).expect_err(path);
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}");
            assert!(!disk.exists(path));
        }
        assert!(disk.exists("Cargo.toml"));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_can_be_a_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let [real, link] = ["real", "link"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(real.join("src")).expect("made");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        // The root contains a link to itself and a link to its parent directory.
        std::os::unix::fs::symlink("..", real.join("src/up")).expect("linked");
        std::os::unix::fs::symlink(folder.path(), real.join("out")).expect("linked");
        std::fs::create_dir(folder.path().join("sibling")).expect("made");
        let absolute = |path: &str| folder.path().join(path).display().to_string();
        for root in [&real, &link] {
            let disk = Disk::new(root);
            let inside = |path: &str| disk.to_relative(&absolute(path));
            for path in ["real/src/new.ts", "link/src/new.ts", "link/x/../src/new.ts"] {
                assert_eq!(inside(path).as_deref(), Some("src/new.ts"), "{path}");
            }
            assert_eq!(inside("link/src/up/a").as_deref(), Some("src/up/a"));
            assert_eq!(inside("link").as_deref(), Some(""));
            for path in ["sibling/a", "link/../sibling/a", "link/out/sibling/a", "", "linked"] {
                assert_eq!(inside(path), None, "{path}");
            }
        }
    }

    #[test]
    fn an_overlay_hides_files_of_the_underlying_store() {
        let under = Memory([("a".into(), b"old".to_vec()), ("b".into(), b"kept".to_vec())].into());
        let files = Overlay { over: Memory([("a".into(), b"new".to_vec())].into()), under: &under };
        assert_eq!(files.read("a", 10).expect("present"), b"new");
        assert_eq!(files.read("b", 2).expect("present"), b"ke");
        assert!(!files.exists("c"));
    }
}
