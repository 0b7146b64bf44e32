//! Files of the work tree that did not change since Git last compared them with its index: their
//! content is known without reading them.

use super::{GitError, Repository, to_git_error};
use crate::text::files::Stamp;
use gix::bstr::BString;
use gix::index::entry::stat::Options;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// How precisely the stamps of a file are compared. Settings of the repository can only make this less
/// precise, and are ignored.
const PRECISION: Options =
    Options { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// Minimum age of a file when Git wrote the index, in seconds, if the file system does not store
/// fractions of seconds.
const MIN_AGE: i64 = 3;

/// The start of the id of Git's blob with this content, in a repository with SHA-1.
#[must_use]
pub fn content_id(bytes: &[u8]) -> u64 {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes);
    id.ok().and_then(|id| start_of(&id)).unwrap_or_else(|| {
        // The content was made to collide with another one.
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    })
}

fn start_of(id: &gix::oid) -> Option<u64> {
    let is_sha1 = id.kind() == gix::hash::Kind::Sha1;
    is_sha1.then(|| id.as_bytes().first_chunk().map(|bytes| u64::from_be_bytes(*bytes)))?
}

/// The index of a repository, with the stamps of the files when Git compared them.
#[derive(Debug)]
pub struct Unchanged {
    index: gix::index::File,
    root: PathBuf,
    prefix: BString,
}

impl Unchanged {
    /// Opens the index of the repository that contains the directory `root`.
    ///
    /// # Errors
    /// When there is no repository, or the index is malformed.
    pub fn open(root: &Path) -> Result<Self, GitError> {
        let Repository { inner, prefix } = Repository::open(root)?;
        let repository = inner.to_thread_local();
        // Like Git, do not verify the checksum of the index.
        let options = gix::index::decode::Options::default();
        let (path, hash) = (repository.index_path(), repository.object_hash());
        let index =
            gix::index::File::at_or_default(&path, hash, true, options).map_err(to_git_error)?;
        Ok(Self { index, root: root.to_owned(), prefix })
    }

    /// The [`content_id`] of the file at `path`, relative to the root, and its stamp. `None` if the file
    /// is not tracked, or could have changed since Git compared it.
    #[must_use]
    pub fn content_id(&self, path: &str) -> Option<(Stamp, u64)> {
        let full_path = format!("{}{path}", self.prefix);
        let entry =
            self.index.entry_by_path_and_stage((&*full_path).into(), Stage::Unconflicted)?;
        let is_file = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !is_file || entry.flags.contains(Flags::INTENT_TO_ADD) {
            return None;
        }
        let data = Metadata::from_path_no_follow(&self.root.join(path)).ok()?;
        let is_same = Stat::from_fs(&data).is_ok_and(|stat| entry.stat.matches(&stat, PRECISION));
        if !is_same || self.is_recent(&entry.stat) {
            return None;
        }
        let time = if cfg!(unix) { data.created() } else { data.modified() };
        Some(((time?, data.len()), start_of(&entry.id)?))
    }

    /// Whether a file was written so shortly before the index that a later change can have the same stamp.
    fn is_recent(&self, stat: &Stat) -> bool {
        let written = self.index.timestamp();
        match stat.mtime.nsecs {
            0 => i64::from(stat.mtime.secs) + MIN_AGE > written.unix_seconds(),
            _ => stat.is_racy(written, PRECISION),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files created for the tests")]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    fn git(root: &Path, args: &[&str]) {
        let status = Command::new("git").args(args).current_dir(root).status();
        assert!(status.expect("git").success(), "git {args:?}");
    }

    /// A repository whose files are older than the index.
    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(dir.path().join("sub")).expect("created");
        for (path, text) in files {
            fs::write(dir.path().join(path), text).expect("written");
        }
        std::thread::sleep(Duration::from_millis(50));
        git(dir.path(), &["init", "--quiet", "--template="]);
        git(dir.path(), &["add", "."]);
        dir
    }

    fn id(root: &Path, path: &str) -> Option<u64> {
        Unchanged::open(root).expect("an index").content_id(path).map(|(_, id)| id)
    }

    #[test]
    fn the_content_id_is_the_start_of_the_id_of_the_blob() {
        // `printf 'hello\n' | git hash-object --stdin`
        assert_eq!(content_id(b"hello\n"), 0xce01_3625_030b_a8db);
    }

    #[test]
    fn the_content_of_unchanged_files_is_known() {
        let dir = repository(&[("a.py", "one = 1\n"), ("sub/b.py", "two = 2\n")]);
        assert_eq!(id(dir.path(), "a.py"), Some(content_id(b"one = 1\n")));
        assert_eq!(id(&dir.path().join("sub"), "b.py"), Some(content_id(b"two = 2\n")));
        fs::write(dir.path().join("c.py"), "").expect("written");
        assert_eq!(id(dir.path(), "c.py"), None);
        assert_eq!(id(dir.path(), "sub"), None);
    }

    #[test]
    fn a_file_that_was_written_again_is_not_trusted() {
        let dir = repository(&[("a.py", "one = 1\n"), ("b.py", "two = 2\n")]);
        let path = dir.path().join("a.py");
        let time = fs::metadata(&path).expect("a file").modified().expect("a time");
        // The same size and the same time of the last change.
        fs::write(&path, "one = 9\n").expect("written");
        let file = fs::File::options().write(true).open(&path).expect("opened");
        file.set_modified(time).expect("set");
        assert_eq!(id(dir.path(), "a.py"), None);
        assert_eq!(id(dir.path(), "b.py"), Some(content_id(b"two = 2\n")));
    }

    #[test]
    fn a_file_as_new_as_the_index_is_not_trusted() {
        let dir = repository(&[("a.py", "one = 1\n")]);
        let index = dir.path().join(".git/index");
        let file = fs::File::options().write(true).open(&index).expect("opened");
        let written = fs::metadata(dir.path().join("a.py")).expect("a file").modified();
        file.set_modified(written.expect("a time")).expect("set");
        assert_eq!(id(dir.path(), "a.py"), None);
        file.set_modified(SystemTime::now()).expect("set");
        assert_eq!(id(dir.path(), "a.py"), Some(content_id(b"one = 1\n")));
    }
}
