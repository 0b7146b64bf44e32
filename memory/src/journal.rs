//! The tracked files of memory: reading, durable appending, and branch contexts.
#![expect(clippy::disallowed_methods, reason = "reads and writes tracked memory")]

mod append;
mod sources;

use super::MemoryError;
use super::id::digest;
use super::records::BranchContext;
use super::store::{json, lock};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::Disk;
use aidd_engine::text::kind;
use append::{append, is_current, sync_copies};
use serde::{Deserialize, Serialize};
use sources::{PLAIN_SOURCES, SOURCES};
pub use sources::{is_source, is_written};
use std::fs::{self, File};
use std::io::{self, Read, Take};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

pub use aidd_engine::text::kind::BRANCH_DIR as BRANCHES;
/// The directory for contexts of merged branches, relative to the root.
pub const ARCHIVE: &str = ".aidd/branches/archive";

/// Maximum size of a tracked file in bytes: half a million memories of 500 bytes.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Minimum number of attempts to append to a file that another program replaces.
const MIN_APPENDS: u32 = 8;
/// The attempts end after this time. It is shorter than [`lock::LOCK_TIMEOUT`], because other
/// processes wait for the lock meanwhile.
const MAX_APPEND_TIME: Duration = Duration::from_secs(5);

/// Identifies the state of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    length: u64,
    /// Modification time in nanoseconds since 1970, as reported by the system.
    changed: u64,
}

impl Stamp {
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        let changed =
            metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed =
            changed.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        Self { length: metadata.len(), changed }
    }
}

/// The tracked files of a project.
#[derive(Clone, Debug)]
pub struct Journal {
    root: PathBuf,
    /// The directory of permanent memory, relative to the root.
    folder: &'static str,
}

impl Journal {
    /// The tracked files of the project at `root`.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), folder: folder_of(root) }
    }

    /// Determines the memory directory again: another branch can use a different directory.
    pub(super) fn resolve(&mut self) {
        self.folder = folder_of(&self.root);
    }

    /// The directory of permanent memory, relative to the root.
    #[must_use]
    pub fn folder(&self) -> &'static str {
        self.folder
    }

    /// The directory that contains memory files but is not read, because [`Self::folder`] is read
    /// instead.
    #[must_use]
    pub fn unread_folder(&self) -> Option<&'static str> {
        let exist = |path: &str| self.root.join(path).is_file();
        let is_unread = self.folder == kind::MEMORY_DIR
            && kind::has_memory(kind::MEMORY_DIR, exist)
            && kind::has_memory(kind::LEGACY_MEMORY_DIR, exist);
        is_unread.then_some(kind::LEGACY_MEMORY_DIR)
    }

    /// The files from which memory is read: name in the store, path relative to the root. aidd
    /// writes only to the first three; the others have older formats.
    #[must_use]
    pub fn sources(&self) -> &'static [(&'static str, &'static str); 9] {
        if self.folder == kind::MEMORY_DIR { &SOURCES } else { &PLAIN_SOURCES }
    }

    /// The path of a source, relative to the root.
    #[must_use]
    pub fn path_of(&self, source: &str) -> Option<&'static str> {
        self.sources().iter().find(|(name, _)| *name == source).map(|(_, path)| *path)
    }

    /// Prevents other aidd processes from writing; Git ignores the lock.
    ///
    /// # Errors
    /// When the lock is not released in time.
    pub fn lock(&self) -> Result<lock::Lock, MemoryError> {
        let folder = self.root.join(".aidd");
        lock::make_folder(&folder)?;
        lock::take(&folder.join("data.journal.lock"))
    }

    /// Returns the stamp of the file at `path`; `None` when it does not exist. For a path that is
    /// not a readable file, returns a stamp that no file can have.
    #[must_use]
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        match fs::metadata(self.root.join(path)) {
            Ok(metadata) if metadata.is_file() => Some(Stamp::from_metadata(&metadata)),
            Err(error) if is_not_found(&error) => None,
            _ => Some(Stamp { length: u64::MAX, changed: u64::MAX }),
        }
    }

    /// The bytes and the stamp of the file at `path`; `None` when it does not exist.
    ///
    /// # Errors
    /// When the file cannot be read. [`MemoryError::Invalid`] when the path is not a file, leads
    /// out of the root, or when the file is longer than [`MAX_FILE_BYTES`].
    pub fn read(&self, path: &str) -> Result<Option<(Vec<u8>, Stamp)>, MemoryError> {
        match self.read_existing(path) {
            // Git can delete or replace files while they are read.
            Err(MemoryError::Io { error, .. }) if is_not_found(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    fn read_existing(&self, name: &str) -> Result<(Vec<u8>, Stamp), MemoryError> {
        let (mut file, stamp) = self.open_existing(name)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(MemoryError::io(&self.root.join(name)))?;
        Ok((bytes, stamp))
    }

    /// Opens the file at `path` for reading, and returns its stamp; `None` when it does not exist.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub(super) fn open(&self, path: &str) -> Result<Option<(Take<File>, Stamp)>, MemoryError> {
        match self.open_existing(path) {
            Err(MemoryError::Io { error, .. }) if is_not_found(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    fn open_existing(&self, name: &str) -> Result<(Take<File>, Stamp), MemoryError> {
        let path = self.root.join(name);
        let io = |error| MemoryError::io(&path)(error);
        // Checked first: opening a pipe can block forever.
        let metadata = fs::metadata(&path).map_err(io)?;
        let refuse = |why: &str| Err(MemoryError::Invalid(format!("{name} is not read: {why}")));
        if !metadata.is_file() {
            return refuse("it is not a file");
        }
        if !path.canonicalize().map_err(io)?.starts_with(self.root.canonicalize().map_err(io)?) {
            return refuse("it is a link that leads out of the project");
        }
        if metadata.len() > MAX_FILE_BYTES {
            return refuse("it is longer than 256 MiB");
        }
        let file = File::open(&path).map_err(io)?;
        // The stamp is taken before reading: if lines are appended meanwhile, it no longer matches.
        let stamp = Stamp::from_metadata(&file.metadata().map_err(io)?);
        Ok((file.take(MAX_FILE_BYTES), stamp))
    }

    /// Whether a missing file is not part of the checked-out commit: the project has a repository,
    /// and its index does not contain the file. If the index contains the file, the file was
    /// deleted, perhaps by mistake.
    #[must_use]
    pub fn is_absent_from_commit(&self, path: &str) -> bool {
        let Ok(repository) = Repository::open(&self.root) else { return false };
        let staged = repository.staged(None).map(|index| index.object(path));
        matches!(staged, Ok(Ok(None)))
    }

    /// Appends complete lines to the file at `path` and waits until they are on disk. Returns the
    /// stamps of the file before and after appending; the second is `None` when another process
    /// wrote to the file at the same time.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn append(&self, path: &str, lines: &str) -> Result<(Stamp, Option<Stamp>), MemoryError> {
        let full_path = self.writable_path(path)?;
        let (start, mut attempts) = (Instant::now(), 0);
        // Git can replace the file while lines are appended, so appending is retried. Duplicate
        // lines are harmless.
        while attempts < MIN_APPENDS || start.elapsed() < MAX_APPEND_TIME {
            attempts += 1;
            let appended = append(&full_path, lines).map_err(MemoryError::io(&full_path))?;
            if is_current(&full_path, &appended.after) {
                return Ok(appended.stamps());
            }
            // The new file can be a copy that already contains the lines.
            if sync_copies(&full_path, lines).map_err(MemoryError::io(&full_path))? {
                return Ok((Stamp::from_metadata(&appended.before), None));
            }
        }
        Err(MemoryError::Store(format!("another program keeps replacing {path}; retry")))
    }

    /// Replaces the whole file at `path`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> Result<Option<Stamp>, MemoryError> {
        json::replace(&self.writable_path(path)?, text.as_bytes())?;
        Ok(self.stamp(path))
    }

    /// The absolute path for writing `path`. Rejects links that lead out of the root: a cloned
    /// repository must not choose which of the user's files are written.
    fn writable_path(&self, path: &str) -> Result<PathBuf, MemoryError> {
        let full_path = self.root.join(path);
        let is_link =
            fs::symlink_metadata(&full_path).is_ok_and(|data| data.file_type().is_symlink());
        // Checked before any directory is created: a link can lead to a missing directory.
        if is_link || Disk::new(self.root.clone()).to_relative(path).is_none() {
            return Err(MemoryError::Invalid(format!(
                "{path} is a link, and memory is not written through links; replace it with a regular file or directory"
            )));
        }
        // Data written to a pipe is lost.
        if fs::metadata(&full_path).is_ok_and(|data| !data.is_file()) {
            return Err(MemoryError::Invalid(format!(
                "{path} is not a regular file; replace it with a regular file or delete it"
            )));
        }
        lock::make_folder(full_path.parent().unwrap_or(&self.root))?;
        Ok(full_path)
    }

    /// The context of a branch, and whether its file was merged from both sides of a conflict;
    /// `None` when there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn branch(&self, branch: &str) -> Result<Option<(BranchContext, bool)>, MemoryError> {
        self.branch_at(&format!("{BRANCHES}/{}", file_name(branch)))
    }

    fn branch_at(&self, path: &str) -> Result<Option<(BranchContext, bool)>, MemoryError> {
        let Some((bytes, _)) = self.read(path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let bad = |error| {
            MemoryError::Invalid(format!(
                "{path} does not contain the saved state of a branch: {error}"
            ))
        };
        let Some([ours, theirs]) = conflict_sides(&text) else {
            return serde_json::from_str(&text).map(|context| Some((context, false))).map_err(bad);
        };
        let mut context: BranchContext = serde_json::from_str(&ours).map_err(bad)?;
        super::branches::join(&mut context, serde_json::from_str(&theirs).map_err(bad)?);
        Ok(Some((context, true)))
    }

    /// The contexts of all branches, ordered by name, and the paths of unreadable contexts.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn branches(&self) -> Result<(Vec<BranchContext>, Vec<String>), MemoryError> {
        let folder = self.root.join(BRANCHES);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Default::default()),
            other => other.map_err(MemoryError::io(&folder))?,
        };
        let (mut contexts, mut bad) = (Vec::new(), Vec::new());
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| name.ends_with(".json")) else { continue };
            let path = format!("{BRANCHES}/{name}");
            match self.branch_at(&path) {
                Ok(context) => contexts.extend(context.map(|(context, _)| context)),
                Err(_) => bad.push(path),
            }
        }
        contexts.sort_by(|a, b| a.branch.cmp(&b.branch));
        bad.sort();
        Ok((contexts, bad))
    }

    /// Writes the context of a branch.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_branch(&self, branch: &str, text: &str) -> Result<(), MemoryError> {
        self.write(&format!("{BRANCHES}/{}", file_name(branch)), text).map(|_| ())
    }

    /// Moves the context of a branch, with this text, to the archive; returns its new path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn archive_branch(&self, branch: &str, text: &str) -> Result<String, MemoryError> {
        let archived = format!("{ARCHIVE}/{}", file_name(branch));
        self.write(&archived, text)?;
        let old = self.root.join(BRANCHES).join(file_name(branch));
        match fs::remove_file(&old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(MemoryError::io(&old)(error))
            }
            _ => Ok(archived),
        }
    }

    /// The archived context of a merged branch; `None` when there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn archived_branch(&self, branch: &str) -> Result<Option<BranchContext>, MemoryError> {
        let found = self.branch_at(&format!("{ARCHIVE}/{}", file_name(branch)))?;
        Ok(found.map(|(context, _)| context))
    }
}

/// The directory of permanent memory of the project at `root`.
fn folder_of(root: &Path) -> &'static str {
    kind::memory_dir(|path| root.join(path).is_file())
}

/// Whether nothing exists at a path: the name is unknown, or a parent is not a directory.
fn is_not_found(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The file name for a branch: its name where every file system supports it, otherwise a simplified
/// name with a hash.
#[must_use]
pub fn file_name(branch: &str) -> String {
    const MAX_SLUG_CHARS: usize = 100;
    const RESERVED: [&str; 5] = ["con", "prn", "aux", "nul", "archive"];
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let slug: String = branch
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .map(|c| if is_plain(c) { c } else { '-' })
        .take(MAX_SLUG_CHARS)
        .collect();
    let reserved = RESERVED.contains(&&*slug) || slug.starts_with("com") || slug.starts_with("lpt");
    if slug == branch && !slug.is_empty() && !reserved {
        format!("{slug}.json")
    } else {
        format!("{slug}~{}.json", digest(&[branch]))
    }
}

/// Both sides of a text with merge conflict markers; `None` without markers.
fn conflict_sides(text: &str) -> Option<[String; 2]> {
    let mut sides = [String::new(), String::new()];
    // The current section: 0 outside a conflict, 1 ours, 2 the base, 3 theirs.
    let mut section = 0;
    let mut found = false;
    for line in text.lines() {
        match line.get(..7) {
            Some("<<<<<<<") => (section, found) = (1, true),
            Some("|||||||") if section == 1 => section = 2,
            Some("=======") if section > 0 => section = 3,
            Some(">>>>>>>") if section == 3 => section = 0,
            _ => {
                for (side, own_section) in sides.iter_mut().zip([1, 3]) {
                    if section == 0 || section == own_section {
                        side.push_str(line);
                        side.push('\n');
                    }
                }
            }
        }
    }
    found.then_some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn every_branch_has_a_unique_file_name() {
        assert_eq!(file_name("main"), "main.json");
        let names =
            ["feature/x", "feature-x", "Feature-x", "인증", "con", "", "..", &"x".repeat(300)];
        let mut files: Vec<String> = names.iter().map(|name| file_name(name)).collect();
        for file in &files {
            let is_plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_~.".contains(c);
            assert!(file.chars().all(is_plain) && file.len() < 130, "{file}");
        }
        files.sort();
        files.dedup();
        assert_eq!(files.len(), names.len());
    }

    #[test]
    fn a_line_is_never_joined_to_a_partial_line() {
        let folder = TempDir::new().expect("a directory");
        let journal = Journal::new(folder.path());
        journal.append("ai/memory/x.jsonl", "one\n").expect("written");
        fs::write(folder.path().join("ai/memory/x.jsonl"), "one\ntw").expect("written");
        let (_, stamp) = journal.append("ai/memory/x.jsonl", "three\n").expect("written");
        let (bytes, read) = journal.read("ai/memory/x.jsonl").expect("read").expect("there");
        assert_eq!(bytes, b"one\ntw\nthree\n");
        assert_eq!(stamp, Some(read));
        assert_eq!(journal.read("none").expect("read"), None);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let (folder, other) =
            (TempDir::new().expect("a directory"), TempDir::new().expect("a directory"));
        let victim = other.path().join("victim");
        fs::write(&victim, "mine").expect("written");
        fs::create_dir_all(folder.path().join("ai/memory")).expect("made");
        std::os::unix::fs::symlink(&victim, folder.path().join("ai/memory/x.jsonl"))
            .expect("linked");
        std::os::unix::fs::symlink(other.path(), folder.path().join("out")).expect("linked");
        let journal = Journal::new(folder.path());
        assert!(journal.append("ai/memory/x.jsonl", "line\n").is_err());
        assert!(journal.write("out/new", "line\n").is_err());
        assert_eq!(fs::read_to_string(&victim).expect("read"), "mine");
        assert!(!other.path().join("new").exists());
        // Not even a directory is created behind the link.
        assert!(journal.append("out/more/new", "line\n").is_err());
        assert_eq!(fs::read_dir(other.path()).expect("a directory").count(), 1);
    }

    #[test]
    fn both_sides_of_a_merge_conflict_are_joined() {
        let folder = TempDir::new().expect("a directory");
        let journal = Journal::new(folder.path());
        let text = "{\"branch\": \"b\",\n<<<<<<< HEAD\n\"completedTasks\": [\"a\"],\n||||||| base\n\
                    \"completedTasks\": [],\n=======\n\"completedTasks\": [\"a\", \"c\"],\n>>>>>>> x\n\
                    \"updatedAt\": 1}\n";
        journal.write_branch("b", text).expect("written");
        let (context, is_joined) = journal.branch("b").expect("read").expect("there");
        assert!(is_joined);
        assert_eq!(context.completed_tasks, ["a", "c"]);
        fs::write(folder.path().join(BRANCHES).join("bad.json"), "{").expect("written");
        let (contexts, bad) = journal.branches().expect("read");
        assert_eq!((contexts.len(), bad), (1, vec![".aidd/branches/bad.json".to_owned()]));
    }
}
