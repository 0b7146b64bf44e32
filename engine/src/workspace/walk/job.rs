//! The work of one thread of a walk: reading files, completely or in windows, and checking them.
#![expect(clippy::disallowed_methods, reason = "this is where trees are read")]

use super::scope::{Cause, Scope};
use super::{IRREGULAR, Outcome, Part, Skipped};
use crate::check::{CheckResult, Engine, MAX_LARGE_FILE, Occurrences};
use crate::text::files::{Disk, Files};
use crate::text::kind::is_memory_path;
use crate::text::paths::{Globs, relative};
use crate::text::source::{Columns, Origin, Source};
use ast_grep_core::Language;
use ast_grep_language::SupportLang;
use ignore::DirEntry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Size in bytes of the windows in which a file too large to parse is searched for secrets.
pub(super) const WINDOW: usize = 4 << 20;
/// Overlap of consecutive windows in bytes, so that no secret is split.
const OVERLAP: usize = 64 << 10;
/// Number of leading bytes that are examined to detect binary files.
const BINARY_PROBE: usize = 8 << 10;

/// The results of one thread, merged when the thread ends.
pub(super) struct Job<'a> {
    pub(super) engine: &'a Engine,
    pub(super) files: &'a dyn Files,
    pub(super) root: &'a Path,
    pub(super) globs: &'a Globs,
    /// Records the excluded files during a walk.
    pub(super) scope: Option<&'a Scope>,
    pub(super) part: Option<Part>,
    /// The files visited so far, if the paths to check can overlap.
    pub(super) seen: Option<&'a Mutex<HashSet<PathBuf>>>,
    pub(super) total: &'a Mutex<Outcome>,
    pub(super) outcome: Outcome,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        total.extend(std::mem::take(&mut self.outcome));
    }
}

impl<'a> Job<'a> {
    /// Checks listed files, without the scope of a walk.
    pub(super) fn for_list(
        engine: &'a Engine,
        files: &'a dyn Files,
        root: &'a Path,
        globs: &'a Globs,
        total: &'a Mutex<Outcome>,
    ) -> Self {
        let outcome = Outcome::default();
        Self { engine, files, root, globs, scope: None, part: None, seen: None, total, outcome }
    }
}

impl Job<'_> {
    pub(super) fn entry(&mut self, entry: &DirEntry, done: &(dyn Fn() + Sync)) {
        let path = relative(self.root, entry.path());
        if !is_checked(entry, &path, self.globs, self.part) {
            if let Some(why) = self.irregular(entry, &path) {
                self.skip(path, why, true);
            } else if let Some(scope) = self.scope
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && self.globs.excludes(&path)
            {
                scope.record_excluded(&path, Cause::Exclude);
            }
            return;
        }
        if let Some(seen) = self.seen
            && !seen.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.path().to_owned())
        {
            return;
        }
        self.check_included(entry.path(), path);
        done();
    }

    /// Checks a file that the walk covers.
    fn check_included(&mut self, disk_path: &Path, path: String) {
        self.outcome.visited.insert(path.clone());
        if !self.engine.may_check(&path) {
            self.outcome.checked += 1;
        } else if let Err(error) = self.check_file(disk_path, &path) {
            self.skip(path, unreadable(&error), true);
        }
    }

    /// Checks a listed file of the walk. `location` is its location if the path is not valid UTF-8.
    pub(super) fn check_entry(&mut self, disk: &Disk, path: &str, location: Option<&Path>) {
        match location {
            Some(location) => self.check_included(location, path.to_owned()),
            None => self.check_included(&disk.root().join(path), path.to_owned()),
        }
    }

    /// Reports listed entries that cannot be read.
    pub(super) fn report_unread(
        &mut self,
        irregular: Vec<(String, PathBuf)>,
        unreadable_dirs: Vec<(String, io::Error)>,
    ) {
        for (path, disk_path) in irregular {
            let kind = disk_path.symlink_metadata().map(|metadata| metadata.file_type());
            let Some(kind) = kind.ok().filter(|kind| !kind.is_dir() && !kind.is_file()) else {
                continue;
            };
            let is_other_link = kind.is_symlink() && !is_memory_path(&path);
            if is_other_link || self.scope.is_some_and(|scope| !scope.includes(&path, false)) {
                continue;
            }
            if let Some(why) = self.irregular_kind(kind, &disk_path, &path) {
                self.skip(path, why, true);
            }
        }
        for (path, error) in unreadable_dirs {
            self.skip(path, unreadable(&error), true);
        }
    }

    /// Why an entry that is neither a file nor a directory should have been checked.
    fn irregular(&self, entry: &DirEntry, path: &str) -> Option<String> {
        let (disk_path, kind) = (entry.path(), entry.file_type()?);
        if entry.depth() == 0 {
            // A path that the user specified must not be skipped silently.
            return match disk_path.metadata() {
                Ok(metadata) if metadata.is_dir() || metadata.is_file() => None,
                Ok(_) => Some("cannot be read: not a regular file (pipe, socket or device); specify another path".to_owned()),
                Err(error) => Some(unreadable(&error)),
            };
        }
        if kind.is_dir() || kind.is_file() || self.part.is_some_and(|part| !part.contains(path)) {
            return None;
        }
        self.irregular_kind(kind, disk_path, path)
    }

    /// Why an entry that is neither a file nor a directory should have been checked.
    fn irregular_kind(&self, kind: FileType, disk_path: &Path, path: &str) -> Option<String> {
        if kind.is_symlink() {
            // A memory file can be a link if the link leads to a file of the project.
            let real =
                disk_path.canonicalize().and_then(|real| Ok((self.root.canonicalize()?, real)));
            let is_read = real.is_ok_and(|(root, real)| real.starts_with(root) && real.is_file());
            let why = "cannot be read: a link that does not lead to a file of the project; \
                       replace it with the file";
            (!is_read && is_memory_path(path)).then(|| why.to_owned())
        } else {
            let is_expected = self.globs.matches(path) && self.engine.distribution().parses(path);
            is_expected.then(|| IRREGULAR.to_owned())
        }
    }

    pub(super) fn error(&mut self, mut error: &ignore::Error) {
        let mut path = String::from(".");
        loop {
            error = match error {
                ignore::Error::WithPath { path: at, err } => {
                    path = relative(self.root, at);
                    err
                }
                ignore::Error::WithDepth { err, .. } => err,
                _ => break,
            };
        }
        // The error for a path that the user specified repeats the path.
        let cause = error.io_error().and_then(|error| error.get_ref()?.source());
        let why = match (cause.and_then(|cause| cause.downcast_ref()), error.io_error()) {
            (Some(error), _) | (None, Some(error)) => unreadable(error),
            (None, None) => format!("cannot be read: {error}"),
        };
        self.skip(path, why, true);
    }

    fn skip(&mut self, path: String, why: String, failed: bool) {
        self.outcome.incomplete.insert(path.clone());
        self.outcome.skipped.push(Skipped { path, why, failed });
    }

    /// Checks a file that was listed earlier.
    pub(super) fn check_listed_file(&mut self, disk: &Disk, path: &str) {
        if !self.engine.may_check(path) {
            self.outcome.checked += 1;
            return;
        }
        let read = disk.locate(path).and_then(|disk_path| self.check_file(&disk_path, path));
        if let Err(error) = read {
            self.skip(path.to_owned(), unreadable(&error), true);
        }
    }

    /// Checks a file of a store other than the disk.
    pub(super) fn check_stored_file(&mut self, path: &str) {
        if !self.globs.matches(path) {
            return;
        }
        self.outcome.visited.insert(path.to_owned());
        if !self.engine.may_check(path) {
            self.outcome.checked += 1;
            return;
        }
        let read = self.files.read(path, u64::MAX);
        let size = read.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if let Err(error) =
            read.and_then(|bytes| self.check_text(&mut bytes.as_slice(), path, size))
        {
            self.skip(path.to_owned(), unreadable(&error), true);
        }
    }

    fn check_file(&mut self, disk_path: &Path, path: &str) -> io::Result<()> {
        let mut file = File::open(disk_path)?;
        let size = file.metadata()?.len();
        self.check_text(&mut file, path, size)
    }

    fn check_text(&mut self, file: &mut dyn Read, path: &str, size: u64) -> io::Result<()> {
        self.outcome.checked += 1;
        self.outcome.bytes += size;
        let limit = self.engine.max_file_size();
        if size > limit {
            return self.search_large(file, path, size);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        (&mut *file).take(limit + 1).read_to_end(&mut bytes)?;
        let read = bytes.len() as u64;
        if read > limit {
            // The file is growing, or its size is not known in advance, as in procfs.
            return self.search_large(&mut bytes.as_slice().chain(file), path, read);
        }
        let content = Content::detect(&bytes);
        if content != Content::Text {
            self.outcome.incomplete.insert(path.to_owned());
            if !self.is_searched(path, content) {
                return Ok(());
            }
        }
        let source = Source::decode(path, bytes);
        let checked = if content == Content::Text {
            self.engine.check(&source, self.files)
        } else {
            self.engine.check_secrets(&source, self.files)
        };
        self.add_result(source, checked);
        Ok(())
    }

    /// Whether a file with NUL bytes is searched for secrets. A file that other rules would check
    /// is listed as skipped; images, archives and programs are not.
    fn is_searched(&mut self, path: &str, content: Content) -> bool {
        let distribution = self.engine.distribution();
        let finds_secrets = distribution.finds_secrets(path);
        let is_parsed = distribution.parses(path) || SupportLang::from_path(path).is_some();
        match content {
            Content::Text => return true,
            Content::Mixed if is_parsed => {
                let why = "contains NUL bytes: only searched for secrets";
                self.skip(path.to_owned(), why.to_owned(), false);
            }
            Content::Mixed => {}
            Content::Utf16 => {
                let why = "UTF-16 without a byte order mark: not checked; save it as UTF-8";
                self.skip(path.to_owned(), why.to_owned(), false);
            }
            Content::Binary if is_parsed => {
                let why = if finds_secrets {
                    "binary: only searched for secrets"
                } else {
                    "binary: not checked"
                };
                self.skip(path.to_owned(), why.to_owned(), false);
            }
            Content::Binary => {}
        }
        finds_secrets || content == Content::Mixed
    }

    /// Searches a file that is too large to parse for secrets, in windows.
    fn search_large(&mut self, file: &mut dyn Read, path: &str, size: u64) -> io::Result<()> {
        self.outcome.incomplete.insert(path.to_owned());
        let mut origin = Origin::default();
        let mut window: Vec<u8> = Vec::new();
        let mut known = 0;
        let mut seen = Occurrences::default();
        loop {
            let requested = (WINDOW - window.len().min(WINDOW)) as u64;
            let read = (&mut *file).take(requested).read_to_end(&mut window)? as u64;
            if origin.offset == 0 && !self.begin_large(&window, path, size) {
                return Ok(());
            }
            let is_start = origin.offset == 0;
            if is_start && self.engine.checks_large(path, &String::from_utf8_lossy(&window), size) {
                file.take(MAX_LARGE_FILE).read_to_end(&mut window)?;
                let source = Source::decode(path, window);
                let checked = self.engine.check_large(&source, self.files);
                self.outcome.checked_large.insert(path.to_owned());
                self.add_result(source, checked);
                return Ok(());
            }
            let source = Source::decode_window(path.to_owned(), window.clone(), origin);
            let checked = self.engine.check_window(&source, self.files, known, &mut seen);
            self.add_result(source, checked);
            if read < requested {
                return Ok(());
            }
            if origin.offset == 0 && has_utf16_bom(&window) {
                // A line break has two bytes in UTF-16, and only the first window has the byte
                // order mark.
                let why = format!("UTF-16: only the first {WINDOW} bytes are searched for secrets");
                self.skip(path.to_owned(), why, false);
                return Ok(());
            }
            let next_start = find_next_start(&window);
            origin = following_origin(origin, &window[..next_start]);
            known = u32::try_from(window.len() - next_start).unwrap_or(u32::MAX);
            window.drain(..next_start);
        }
    }

    /// Whether a file that is too large to parse is searched for secrets, decided by its first
    /// window. Reports that the file is checked only in part.
    fn begin_large(&mut self, window: &[u8], path: &str, size: u64) -> bool {
        let content = Content::detect(window);
        if content == Content::Binary || content == Content::Utf16 {
            return self.is_searched(path, content);
        }
        let head = String::from_utf8_lossy(window);
        // A family that does not claim the path can claim the file by its text.
        let is_claimed = || self.engine.checks_large(path, &head, 0);
        let is_parsed = self.engine.distribution().parses(path) || is_claimed();
        if is_parsed && !self.engine.checks_large(path, &head, size) {
            let limit = self.engine.max_file_size();
            self.skip(path.to_owned(), too_large(size, limit), false);
        }
        true
    }

    fn add_result(&mut self, source: Source, checked: CheckResult) {
        self.outcome.add_checked(source, checked);
    }
}

/// Why a file of `size` bytes is only searched for secrets.
#[must_use]
pub fn too_large(size: u64, limit: u64) -> String {
    format!("{size} bytes, more than `maxFileSize` ({limit}): only searched for secrets")
}

/// Why a path is skipped, and the remedy.
fn unreadable(error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::PermissionDenied => "; make it readable, or exclude it",
        _ => "",
    };
    format!("cannot be read: {error}{remedy}")
}

/// Whether a walk visits an entry only to report that it cannot be read: a pipe, a socket or a
/// device, or a memory file that is a link.
pub(super) fn may_be_reported(scope: &Scope, entry: &DirEntry, path: &str) -> bool {
    entry.file_type().is_some_and(|kind| {
        let is_irregular = !kind.is_dir() && !kind.is_file() && !kind.is_symlink();
        is_irregular || kind.is_symlink() && is_memory_path(path)
    }) && scope.includes(path, false)
}

/// Adds the ignore files that cannot be read. Such a file is reported once, although the walk has
/// also tried to check it.
pub(super) fn add_unread_ignore_files(outcome: &mut Outcome, unread: Vec<(String, String)>) {
    let unread: BTreeMap<String, String> = unread.into_iter().collect();
    let mut failed = BTreeSet::new();
    outcome.skipped.retain(|skipped| {
        let is_repeated = unread.contains_key(&skipped.path);
        if is_repeated && skipped.failed {
            failed.insert(skipped.path.clone());
        }
        !is_repeated
    });
    let skipped = |(path, why)| Skipped { failed: failed.contains(&path), path, why };
    outcome.skipped.extend(unread.into_iter().map(skipped));
}

/// Whether a walk checks the entry at `path`.
pub(super) fn is_checked(entry: &DirEntry, path: &str, globs: &Globs, part: Option<Part>) -> bool {
    // A link that the user specified is followed; a link found during the walk is not.
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file())
        || entry.depth() == 0 && entry.path().is_file();
    is_file
        && (entry.depth() == 0 || globs.matches(path))
        && part.is_none_or(|part| part.contains(path))
}

/// The start of the next window, which is the start of a line near the overlap if possible.
fn find_next_start(window: &[u8]) -> usize {
    let at = window.len().saturating_sub(OVERLAP);
    memchr::memrchr(b'\n', &window[at / 2..at]).map_or(at, |found| at / 2 + found + 1)
}

/// The origin of a window that follows `bytes`, which began at `origin`.
fn following_origin(origin: Origin, bytes: &[u8]) -> Origin {
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    let start = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let mut before = Columns::from_text(&String::from_utf8_lossy(&bytes[start..]));
    if lines == 0 {
        before = before.plus(origin.before);
    }
    let line = origin.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    Origin { offset: origin.offset + bytes.len() as u64, line, before }
}

/// Whether the bytes are not text: a NUL byte near the start, and no UTF-16 byte order mark.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    !has_utf16_bom(bytes) && memchr::memchr(0, probe(bytes)).is_some()
}

fn has_utf16_bom(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

fn probe(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(BINARY_PROBE)]
}

/// The kind of content of a file, as determined from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// No NUL byte and few control characters, UTF-8, or a UTF-16 byte order mark.
    Text,
    /// UTF-8 with some NUL bytes: a log, a list of environment variables, a text with a stray byte.
    Mixed,
    /// UTF-16 without a byte order mark: every other byte is NUL.
    Utf16,
    Binary,
}

impl Content {
    fn detect(bytes: &[u8]) -> Self {
        let probe = probe(bytes);
        let is_control = |byte: &&u8| matches!(**byte, 0..=8 | 14..=26 | 28..=31 | 127);
        let controls = || probe.iter().filter(is_control).count();
        // The probe can end within a character.
        let is_utf8 =
            || str::from_utf8(probe).map_or_else(|why| why.error_len().is_none(), |_| true);
        if !is_binary(bytes) {
            // Texts in older encodings contain no control characters.
            let is_text = has_utf16_bom(bytes) || is_utf8() || controls() * 20 <= probe.len();
            return if is_text { Self::Text } else { Self::Binary };
        }
        let (is_utf8, controls) = (is_utf8(), controls());
        let nuls = memchr::memchr_iter(0, probe).count();
        let nuls_at = |parity: usize| probe.iter().skip(parity).step_by(2).filter(|b| **b == 0);
        let is_every_other_nul = nuls_at(0).count() == 0 || nuls_at(1).count() == 0;
        if is_utf8 && controls * 10 <= probe.len() {
            Self::Mixed
        } else if is_utf8 && is_every_other_nul && controls == nuls && nuls * 5 >= probe.len() * 2 {
            Self::Utf16
        } else {
            Self::Binary
        }
    }
}
