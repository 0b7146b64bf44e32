//! Synchronises the tracked files and the store: imports changes to the files, and writes new lines
//! to both.

use super::MemoryError;
use super::journal::Stamp;
use super::legacy;
use super::log::{LineReader, Problem, ProblemKind, Revision};
use super::mirror::{
    ImportCounts, LineImport, delete_memories_without_lines, missing_lines, put_lines,
    resolve_duplicates,
};
use super::privacy::{Clean, Gate};
use super::project::ProjectMemory;
use super::store::{Durability, StorageBackend, Table, transaction};
use super::types::Kind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};

/// The state of a tracked file when it was last imported, as recorded in the store.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct FileState {
    stamp: Option<Stamp>,
    problems: Vec<Problem>,
}

impl FileState {
    /// Whether this state was recorded for a file with this stamp. An unreadable file has no stamp
    /// and is checked again, because it could have become readable or been deleted.
    fn is_current_for(&self, stamp: Option<Stamp>) -> bool {
        self.stamp == stamp && (stamp.is_some() || self.problems.is_empty())
    }
}

impl ProjectMemory {
    /// Imports what changed in the tracked files.
    pub(super) fn refresh(&mut self) -> Result<(), MemoryError> {
        self.journal.resolve();
        self.resolve_duplicates_once()?;
        for &(source, path) in self.journal.sources() {
            let stamp = self.journal.stamp(path);
            if self.stamps.get(source) == Some(&stamp) {
                continue;
            }
            if self.state(source)?.is_current_for(stamp)
                && !self.has_lines_without_file(source, stamp)?
            {
                self.stamps.insert(source, stamp);
                continue;
            }
            // Another process could have written the file, but not the store yet. A store that is
            // held in RAM has no other users.
            let _lock = match self.unwritable {
                None => Some(self.journal.lock()?),
                Some(_) => None,
            };
            return self.refresh_locked();
        }
        Ok(())
    }

    /// Resolves the duplicates in a store that was written by a version of aidd that did not detect
    /// duplicates. This happens only once per store.
    fn resolve_duplicates_once(&mut self) -> Result<(), MemoryError> {
        const DUPLICATES_RESOLVED: &str = "compared";
        if self.has_resolved_duplicates {
            return Ok(());
        }
        let version = json!(1);
        if self.store.document(Table::Meta, DUPLICATES_RESOLVED)?.as_ref() != Some(&version) {
            let gate = &self.gate;
            transaction(&mut *self.store, Durability::Normal, &mut |store| {
                resolve_duplicates(store, gate)?;
                store.put_document(Table::Meta, DUPLICATES_RESOLVED, 0, &gate.clean(&version)?)
            })?;
        }
        self.has_resolved_duplicates = true;
        Ok(())
    }

    pub(super) fn refresh_locked(&mut self) -> Result<(), MemoryError> {
        self.journal.resolve();
        for &(source, path) in self.journal.sources() {
            let stamp = self.journal.stamp(path);
            if self.stamps.get(source) != Some(&stamp) {
                if !self.state(source)?.is_current_for(stamp)
                    || self.has_lines_without_file(source, stamp)?
                {
                    self.import_source(source, path, false)?;
                }
                self.update_stamp(source)?;
            }
        }
        Ok(())
    }

    /// Updates this process's stamp of the file from the store's record.
    fn update_stamp(&mut self, source: &'static str) -> Result<(), MemoryError> {
        let state = self.state(source)?;
        if state.is_current_for(state.stamp) && !self.has_lines_without_file(source, state.stamp)? {
            self.stamps.insert(source, state.stamp);
        } else {
            self.stamps.remove(source);
        }
        Ok(())
    }

    /// Whether lines of a missing file are still in effect. This is checked each time, because Git
    /// could be about to switch to a branch without these lines.
    fn has_lines_without_file(
        &mut self,
        source: &str,
        stamp: Option<Stamp>,
    ) -> Result<bool, MemoryError> {
        let exists = stamp.is_some();
        Ok(!exists && self.store.lines_in(source)?.iter().any(|(_, _, present)| *present))
    }

    fn state(&mut self, source: &str) -> Result<FileState, MemoryError> {
        let document = self.store.document(Table::Meta, &format!("source:{source}"))?;
        Ok(document.and_then(|state| serde_json::from_value(state).ok()).unwrap_or_default())
    }

    /// Reads all tracked files again, changed or not, and rebuilds the store's copy of them.
    ///
    /// # Errors
    /// When a file cannot be read, or the store cannot be written.
    pub fn import(&mut self) -> Result<ImportCounts, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        self.run_with_repair(&mut |memory| {
            if let Some(damage) = memory.store.check()?.into_iter().next() {
                return Err(MemoryError::Corrupt(damage));
            }
            let mut all = ImportCounts::default();
            memory.journal.resolve();
            for &(source, path) in memory.journal.sources() {
                let imported = memory.import_source(source, path, true)?;
                memory.update_stamp(source)?;
                all = ImportCounts {
                    new: all.new + imported.new,
                    removed: all.removed + imported.removed,
                };
            }
            transaction(&mut *memory.store, Durability::Full, &mut delete_memories_without_lines)?;
            Ok(all)
        })
    }

    /// Returns the problems found in the tracked files.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn problems(&mut self) -> Result<Vec<Problem>, MemoryError> {
        self.run_with_repair(&mut |memory| {
            memory.refresh()?;
            let mut problems = Vec::new();
            for (source, _) in memory.journal.sources() {
                problems.extend(memory.state(source)?.problems);
            }
            Ok(problems)
        })
    }

    /// Returns a notice if parts of the tracked files could not be read when the files were last
    /// read; `None` if everything was read, or if the last notice was the same.
    pub fn new_unread_notice(&mut self) -> Option<String> {
        let mut unread = Vec::new();
        for (source, _) in self.journal.sources() {
            unread.extend(self.state(source).ok()?.problems);
        }
        unread.retain(|problem| problem.kind.affects_reading());
        let notice = unread.first().map(|first| {
            let more = match unread.len() {
                1 => String::new(),
                2 => "; 1 more problem".to_owned(),
                count => format!("; {} more problems", count - 1),
            };
            format!("{first}{more}; run `aidd memory doctor`")
        });
        if notice == self.unread_notice {
            return None;
        }
        self.unread_notice.clone_from(&notice);
        notice
    }

    fn import_source(
        &mut self,
        source: &str,
        path: &str,
        rebuilt: bool,
    ) -> Result<ImportCounts, MemoryError> {
        let (file, stamp) = match self.journal.open(path) {
            Ok(Some((file, stamp))) => (Some(file), Some(stamp)),
            // The checked-out commit does not contain the file: its lines belong to another branch.
            Ok(None) if self.journal.is_absent_from_commit(path) => (None, None),
            // The file was deleted, perhaps by mistake: its lines stay in effect.
            Ok(None) => return self.record_state(source, &FileState::default()),
            // The file must not be read: its lines stay in effect.
            Err(MemoryError::Invalid(why)) => {
                let stamp = self.journal.stamp(path);
                return self.record_state(
                    source,
                    &FileState { stamp, problems: vec![unreadable(path, why)] },
                );
            }
            Err(MemoryError::Io { error, .. }) => {
                return self.record_unreadable(source, path, &error);
            }
            Err(error) => return Err(error),
        };
        let full_path = self.root().join(path);
        let is_unreadable = Cell::new(false);
        let io = |error| {
            is_unreadable.set(true);
            MemoryError::io(&full_path)(error)
        };
        let (gate, mut file) = (&self.gate, file);
        let imported = transaction(&mut *self.store, Durability::Full, &mut |store| {
            let mut import = LineImport::new(store, gate, source, rebuilt)?;
            let problems = match file.take() {
                Some(file) => read_lines(source, path, file, &io, &mut |line| import.add(line))?,
                None => Vec::new(),
            };
            let imported = import.finish()?;
            put_state(store, gate, source, &FileState { stamp, problems })?;
            Ok(imported)
        });
        match imported {
            Err(MemoryError::Io { error, .. }) if is_unreadable.get() => {
                self.record_unreadable(source, path, &error)
            }
            other => other,
        }
    }

    /// Records that a file cannot be read, which does not affect the other files.
    fn record_unreadable(
        &mut self,
        source: &str,
        path: &str,
        error: &std::io::Error,
    ) -> Result<ImportCounts, MemoryError> {
        let problems = vec![unreadable(path, format!("cannot read {path}: {error}"))];
        self.record_state(source, &FileState { stamp: None, problems })
    }

    fn record_state(
        &mut self,
        source: &str,
        state: &FileState,
    ) -> Result<ImportCounts, MemoryError> {
        if self.state(source)? == *state {
            return Ok(ImportCounts::default());
        }
        let gate = &self.gate;
        transaction(&mut *self.store, Durability::Full, &mut |store| {
            put_state(store, gate, source, state)?;
            Ok(ImportCounts::default())
        })
    }

    /// Writes revisions to their file and to the store. The caller must hold the lock.
    pub(super) fn add_lines(
        &mut self,
        file: &'static str,
        mut revisions: Vec<Clean<Revision>>,
    ) -> Result<(), MemoryError> {
        let path = self.journal.path_of(file).unwrap_or_default();
        let lines: String = revisions.iter().map(|revision| revision.line() + "\n").collect();
        let mut state = self.state(file)?;
        let stamp = if self.journal.stamp(path).is_some() {
            let (before, after) = self.journal.append(path, &lines)?;
            // Lines that others wrote since the file was read have not been imported yet.
            after.filter(|_| state.stamp == Some(before)).or(state.stamp)
        } else {
            // The file was deleted: its earlier lines are written again.
            let before = self.text_of(file)?;
            self.journal.write(path, &(before + &lines))?
        };
        state.stamp = stamp;
        let gate = &self.gate;
        // The lines are on disk. If a power failure removes them from the store, it also removes
        // the stamp, and they are imported again.
        let mirrored = transaction(&mut *self.store, Durability::Normal, &mut |store| {
            put_lines(store, gate, file, std::mem::take(&mut revisions))?;
            put_state(store, gate, file, &state)
        });
        match mirrored {
            Ok(()) => {
                self.stamps.insert(file, stamp);
            }
            // The lines are on disk. The stamp in the store does not match the file, so that the
            // lines are imported later.
            Err(error) => {
                let notice =
                    format!("{path} was written; the store will be updated later ({error})");
                self.add_notices(vec![notice]);
            }
        }
        Ok(())
    }

    /// The lines of a tracked file, as recorded in the store.
    fn text_of(&mut self, file: &str) -> Result<String, MemoryError> {
        let (mut lines, mut seen): (Vec<Revision>, BTreeSet<String>) = Default::default();
        for (_, id, present) in self.store.lines_in(file)? {
            if present && seen.insert(id.clone()) {
                let own = self.store.lines_of(&id)?;
                lines.extend(
                    own.into_iter()
                        .filter(|own| own.present && own.file == file)
                        .map(|own| own.line),
                );
            }
        }
        lines.sort_by(|a, b| (a.at, &a.id, &a.rev).cmp(&(b.at, &b.id, &b.rev)));
        Ok(lines.iter().map(|line| line.line() + "\n").collect())
    }

    /// Writes the tracked files that are missing, and with `all` also the lines that were removed
    /// from existing files. Returns the number of lines written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn export(&mut self, all: bool) -> Result<usize, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        let mut count = 0;
        self.run_with_repair(&mut Self::refresh_locked)?;
        for (file, path) in &self.journal.sources()[..3] {
            if self.journal.stamp(path).is_none() {
                let text = self.text_of(file)?;
                if !text.is_empty() {
                    count += text.lines().count();
                    self.journal.write(path, &text)?;
                }
            }
            if all {
                let missing = missing_lines(&mut *self.store, file)?;
                count += missing.len();
                if !missing.is_empty() {
                    let clean = missing.iter().map(|line| self.gate.clean(line));
                    let clean = clean.collect::<Result<_, _>>()?;
                    self.add_lines(file, clean)?;
                }
            }
        }
        self.run_with_repair(&mut Self::refresh_locked)?;
        Ok(count)
    }

    /// The directory of permanent memory, relative to the root, when it was last resolved.
    #[must_use]
    pub fn folder(&self) -> &'static str {
        self.journal.folder()
    }

    /// The tracked files: see [`super::journal::Journal`].
    #[must_use]
    pub fn journal(&self) -> &super::journal::Journal {
        &self.journal
    }

    /// The lines that the store contains for a tracked file, but that are missing from the file.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn missing_lines(&mut self, file: &str) -> Result<Vec<Revision>, MemoryError> {
        self.read(&mut |store| missing_lines(store, file))
    }
}

fn unreadable(path: &str, message: String) -> Problem {
    Problem { path: path.to_owned(), line: 0, kind: ProblemKind::UnreadableFile, message }
}

/// Passes each line of a tracked file to `add`; returns the problems with the other lines. `io`
/// converts an error while reading.
fn read_lines(
    source: &str,
    path: &str,
    mut file: impl Read,
    io: &dyn Fn(std::io::Error) -> MemoryError,
    add: &mut dyn FnMut(Revision) -> Result<(), MemoryError>,
) -> Result<Vec<Problem>, MemoryError> {
    let plural = source.trim_start_matches("aidd-").trim_end_matches(".json");
    let kind = Kind::ALL.iter().find(|kind| kind.file() == Some(plural));
    if let Some(&kind) = kind.filter(|_| path.ends_with(".json")) {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let (revisions, problems) = legacy::read(path, kind, plural, &bytes);
        revisions.into_iter().try_for_each(add)?;
        return Ok(problems);
    }
    let (mut reader, mut file) = (LineReader::new(path), BufReader::new(file));
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line).map_err(io)? > 0 {
        if let Some(revision) = reader.read_line(&line) {
            add(revision)?;
        }
        line.clear();
    }
    Ok(reader.take_problems())
}

fn put_state(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    source: &str,
    state: &FileState,
) -> Result<(), MemoryError> {
    store.put_document(Table::Meta, &format!("source:{source}"), 0, &gate.clean(&json!(state))?)
}
