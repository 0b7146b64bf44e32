//! The files of evolution: the log, the snapshots, and what is computed from the log.
//!
//! A change is written in this order: snapshots of every file before and after it, a journal that names
//! the change, one line of the log, the files, and last the journal is removed. A process that ends
//! before the line is in the log has changed nothing; one that ends later is completed from the journal
//! and the snapshots by the next process. So a change is either applied and logged, or neither.

use crate::log::{self, LogEntry, State};
use crate::transaction::Transaction;
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::{Disk, Files as _, Links, read_if_exists, replace};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The directory of evolution, relative to the root.
pub const DIR: &str = ".aidd/evolution";
/// The directory of drafts.
pub const DRAFT_DIR: &str = ".aidd/drafts";
/// The file to which every action is appended.
pub const LOG_PATH: &str = ".aidd/evolution/log.jsonl";
/// The log of other versions, which is read and never written.
const OLD_LOG_PATH: &str = ".aidd/evolution/log.json";
/// Candidates that are neither applied nor drafted, in this checkout.
pub const PENDING_PATH: &str = ".aidd/evolution/pending.json";
/// The list of drafts, for people.
pub const MANIFEST_PATH: &str = ".aidd/drafts/manifest.json";
pub(crate) const JOURNAL_PATH: &str = ".aidd/evolution/journal.json";
const LOCK_PATH: &str = ".aidd/evolution/lock";
const IGNORE_PATH: &str = ".aidd/evolution/.gitignore";
const ATTRIBUTES_PATH: &str = ".aidd/evolution/.gitattributes";
const IGNORE_RULES: &str =
    "# Data of this checkout.\n/pending.json\n/journal.json\n/lock\n*.tmp\n/.gitignore\n";
const ATTRIBUTES: &str = "log.jsonl merge=union\n";
/// Maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Number of commits in which the author of an edit is searched for.
const MAX_COMMITS: usize = 200;

/// Why a change cannot be read or written.
#[derive(Debug, Error)]
pub enum EvolutionError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// Path, relative to the root.
        path: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A directory is a link.
    #[error("{0} is a link; evolution writes no file through links")]
    Link(String),
    /// There is no draft, change or candidate with this id.
    #[error("unknown {item} `{id}`")]
    Unknown {
        /// `draft`, `change` or `candidate`.
        item: &'static str,
        /// The id as given.
        id: String,
    },
    /// The id is not that of one entry only.
    #[error("`{0}` is the start of several ids")]
    Ambiguous(String),
    /// A file was edited after the change was applied.
    #[error("{path} was edited since the change was applied, {by}")]
    Edited {
        /// Path, relative to the root.
        path: String,
        /// Author and commit, according to Git.
        by: String,
    },
    /// The request cannot be carried out.
    #[error("{0}")]
    Refused(String),
}

impl EvolutionError {
    pub(crate) fn io(path: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}

/// A file to write: path relative to the root, and content; `None` removes it.
pub type FileWrite = (String, Option<Vec<u8>>);

/// A change of single lines in a file to which others append at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineWrite {
    /// Appends lines, each with its end, to the file at a path.
    Add(String, String),
    /// Takes lines out of the file at a path.
    Remove(String, String),
}

/// The SHA-256 of a content.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Where `lines` begin in `content`, as whole lines.
fn find_lines(content: &[u8], lines: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        if content[start..].starts_with(lines) {
            return (!lines.is_empty()).then_some(start);
        }
        start += content[start..].iter().position(|byte| *byte == b'\n')? + 1;
    }
}

/// The files of evolution in a project.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The files below `root`.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The location of `path`, which is below the root and reached without links.
    fn locate(&self, path: &str) -> Result<PathBuf, EvolutionError> {
        let location =
            Disk::new(&self.root).path_to_write(path).map_err(EvolutionError::io(path))?;
        let mut at = self.root.clone();
        for part in Path::new(path).components() {
            at.push(part);
            if fs::symlink_metadata(&at).is_ok_and(|data| data.file_type().is_symlink()) {
                let link = at.strip_prefix(&self.root).unwrap_or(&at).display().to_string();
                return Err(EvolutionError::Link(link));
            }
        }
        Ok(location)
    }

    /// The content of a file; `None` if there is none.
    ///
    /// # Errors
    /// When the file is reached through a link, or cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, EvolutionError> {
        read_if_exists(&self.locate(path)?, MAX_BYTES).map_err(EvolutionError::io(path))
    }

    /// Replaces a file as a whole, or removes it.
    ///
    /// # Errors
    /// When the file is reached through a link, or cannot be written.
    pub fn write(&self, path: &str, content: Option<&[u8]>) -> Result<(), EvolutionError> {
        let location = self.locate(path)?;
        let fault = EvolutionError::io(path);
        let Some(content) = content else {
            return match fs::remove_file(&location) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fault(error)),
                _ => Ok(()),
            };
        };
        replace(&location, content, true).map_err(fault)?;
        Ok(())
    }

    /// The entries of the log in order, and the number of lines that cannot be read.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn entries(&self) -> Result<(Vec<LogEntry>, usize), EvolutionError> {
        let mut text = String::new();
        if let Some(bytes) = self.read(LOG_PATH)? {
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        let (mut entries, unread) = log::parse(&text);
        if let Some(bytes) = self.read(OLD_LOG_PATH)? {
            // Entries of other versions that do not name a change are history only.
            let (old, _) = log::parse(&String::from_utf8_lossy(&bytes));
            entries.extend(old);
            entries.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
            entries.dedup_by(|one, other| one.id == other.id);
        }
        Ok((entries, unread))
    }

    /// The state that follows from the log.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn state(&self) -> Result<State, EvolutionError> {
        Ok(State::new(&self.entries()?.0))
    }

    /// Whether anything was ever written here.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.root.join(LOG_PATH).exists() || self.root.join(JOURNAL_PATH).exists()
    }

    /// Takes the lock, completes an interrupted change, and reads the state.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn begin(&self) -> Result<Transaction, EvolutionError> {
        let lock = self.lock()?;
        self.write_once(IGNORE_PATH, IGNORE_RULES)?;
        Transaction::new(self.clone(), lock, self.entries()?.0)
    }

    /// Completes an interrupted change, if there is one.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn recover(&self) -> Result<(), EvolutionError> {
        if self.root.join(JOURNAL_PATH).exists() {
            self.begin()?;
        }
        Ok(())
    }

    fn write_once(&self, path: &str, text: &str) -> Result<(), EvolutionError> {
        if self.read(path)?.is_none() { self.write(path, Some(text.as_bytes())) } else { Ok(()) }
    }

    fn lock(&self) -> Result<File, EvolutionError> {
        let location = self.locate(LOCK_PATH)?;
        let fault = EvolutionError::io(LOCK_PATH);
        fs::create_dir_all(location.parent().unwrap_or(&self.root)).map_err(&fault)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&location).map_err(&fault)?;
        file.lock().map_err(&fault)?;
        Ok(file)
    }

    /// Appends a line to the log.
    pub(crate) fn append_to_log(&self, line: &str) -> Result<(), EvolutionError> {
        self.write_once(ATTRIBUTES_PATH, ATTRIBUTES)?;
        self.append(LOG_PATH, line)
    }

    /// Appends lines to a file, whose last line may lack its end.
    pub(crate) fn append(&self, path: &str, lines: &str) -> Result<(), EvolutionError> {
        let location = self.locate(path)?;
        let fault = EvolutionError::io(path);
        fs::create_dir_all(location.parent().unwrap_or(&self.root)).map_err(&fault)?;
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(&location).map_err(&fault)?;
        let mut text = String::new();
        let length = file.seek(SeekFrom::End(0)).map_err(&fault)?;
        if length > 0 {
            file.seek(SeekFrom::End(-1)).map_err(&fault)?;
            let mut last = [0];
            file.read_exact(&mut last).map_err(&fault)?;
            if last != [b'\n'] {
                text.push('\n');
            }
        }
        text.push_str(lines);
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(&fault)
    }

    /// Whether a file contains these lines.
    pub(crate) fn has_lines(&self, path: &str, lines: &str) -> Result<bool, EvolutionError> {
        let content = self.read(path)?.unwrap_or_default();
        Ok(find_lines(&content, lines.as_bytes()).is_some())
    }

    /// Takes lines out of a file; the rest remains as it is. A file without other content is removed.
    pub(crate) fn remove_lines(&self, path: &str, lines: &str) -> Result<(), EvolutionError> {
        let Some(mut content) = self.read(path)? else { return Ok(()) };
        let Some(at) = find_lines(&content, lines.as_bytes()) else { return Ok(()) };
        content.drain(at..at + lines.len());
        self.write(path, (!content.is_empty()).then_some(content.as_slice()))
    }

    pub(crate) fn snapshot_path(hash: &str) -> String {
        format!("{DIR}/snapshots/{hash}")
    }

    /// The content with a hash.
    ///
    /// # Errors
    /// When there is no such snapshot, or it was changed.
    pub fn snapshot(&self, wanted: &str) -> Result<Vec<u8>, EvolutionError> {
        let is_hash = wanted.len() == 64 && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = Self::snapshot_path(wanted);
        let bytes = if is_hash { self.read(&path)? } else { None };
        bytes.filter(|bytes| hash(bytes) == wanted).ok_or_else(|| {
            EvolutionError::Refused(format!("the snapshot {path} is missing or was changed"))
        })
    }

    /// The lines with a hash: see [`Self::snapshot`].
    ///
    /// # Errors
    /// When there is no such snapshot, or it was changed.
    pub fn snapshot_lines(&self, hash: &str) -> Result<String, EvolutionError> {
        Ok(String::from_utf8_lossy(&self.snapshot(hash)?).into_owned())
    }

    /// Who edited `path` last, according to Git.
    #[must_use]
    pub fn editor_of(&self, path: &str) -> String {
        self.find_editor(path).unwrap_or_else(|| "not yet committed".to_owned())
    }

    fn find_editor(&self, path: &str) -> Option<String> {
        let disk = Disk::new(&self.root);
        let repository = Repository::open(&self.root).ok()?;
        let content = |commit: &str| -> Option<Option<Vec<u8>>> {
            let snapshot = repository.snapshot(commit).ok()?;
            Some(snapshot.read(path, MAX_BYTES).ok())
        };
        let head = repository.commit("HEAD").ok()?;
        let current = disk.read_whole(path, MAX_BYTES, Links::Reject).ok();
        if content(&head)? != current {
            return None;
        }
        for commit in repository.commits_between(&[], &head, MAX_COMMITS).ok()? {
            let before = match repository.parents(&commit.id).ok()?.first() {
                Some(parent) => content(parent)?,
                None => None,
            };
            if before != current {
                let short = commit.id.get(..10).unwrap_or(&commit.id);
                return Some(format!("by {} in {short}", commit.author));
            }
        }
        None
    }
}
