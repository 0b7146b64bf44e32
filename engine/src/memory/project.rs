//! A project's memory: the tracked files and the store as one.
//!
//! A permanent memory is written to its tracked file first and to the store after it, under one
//! lock: what dies in between is taken in from the file. All that is written passes the gate here.

use super::MemoryError;
use super::journal::{self, Journal, Stamp};
use super::log::{self, Problem, ProblemKind, Revision};
use super::mirror::{Imported, drop_strays, missing, put_lines, take_in};
use super::privacy::Gate;
use super::store::{self, Durability, Opened, StorageBackend, Table, Wanted, transaction};
use super::types::{Kind, Layer, Status};
use super::{id, legacy, unwritable};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time in milliseconds since 1970.
pub type Clock = Box<dyn Fn() -> i64 + Send>;

/// The system's time.
#[must_use]
pub fn system_clock() -> Clock {
    Box::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// The memory of the project at a root.
pub struct ProjectMemory {
    root: PathBuf,
    wanted: Wanted,
    pub(super) journal: Journal,
    store: Box<dyn StorageBackend>,
    pub(super) gate: Gate,
    clock: Clock,
    notices: Vec<String>,
    /// What this process knows the tracked files by.
    stamps: BTreeMap<&'static str, Option<Stamp>>,
    /// Makes ids of the same millisecond differ.
    count: u64,
    /// What memories are compared by, as of a mark of the store.
    pub(super) compared: BTreeMap<String, (Kind, BTreeSet<u64>)>,
    pub(super) compared_at: i64,
    /// Why no file can be written here; the store is in memory then.
    pub(super) unwritable: Option<String>,
}

impl fmt::Debug for ProjectMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectMemory")
            .field("root", &self.root)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// What the store knows of a tracked file.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Known {
    stamp: Option<Stamp>,
    problems: Vec<Problem>,
}

/// Revisions to write, and what to answer.
pub(super) type Drafted<T> = (Vec<Revision>, T);

impl ProjectMemory {
    /// Opens the memory of the project at `root` and takes in what changed in its tracked files.
    /// Where nothing can be written it can be read all the same.
    ///
    /// # Errors
    /// When the store is of a newer aidd, or `.aidd` is a link.
    pub fn open(root: &Path, wanted: Wanted, clock: Clock) -> Result<Self, MemoryError> {
        let gate = Gate::new()?;
        let (opened, unwritable) = unwritable::open(root, wanted, &gate, clock())?;
        let Opened { store, notices, .. } = opened;
        let mut memory = Self {
            root: root.to_owned(),
            wanted,
            journal: Journal::new(root),
            store,
            gate,
            clock,
            notices,
            stamps: BTreeMap::new(),
            count: 0,
            compared: BTreeMap::new(),
            compared_at: 0,
            unwritable,
        };
        memory.salvage();
        memory.guarded(&mut Self::refresh)?;
        Ok(memory)
    }

    /// The project's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the user should know of the store and has not been told, in sentences.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// The name of the store: "sqlite", "json".
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.store.name()
    }

    /// Adds sentences for the user.
    pub(super) fn add_notices(&mut self, notices: Vec<String>) {
        self.notices.extend(notices);
    }

    /// The time.
    pub(super) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// An id for something new.
    pub(super) fn new_id(&mut self, prefix: &str, at: i64, content: &str) -> String {
        self.count += 1;
        let seed = std::collections::hash_map::RandomState::new();
        let random = std::hash::BuildHasher::hash_one(&seed, self.count).to_string();
        id::make(prefix, at, &[content, &random])
    }

    /// Reads from the store, after taking in what changed in the tracked files. Writes nothing when
    /// they did not change.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn read<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StorageBackend) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.guarded(&mut |memory| {
            memory.refresh()?;
            work(&mut *memory.store)
        })
    }

    /// Writes what stays in the checkout, as one.
    pub(super) fn write<T>(
        &mut self,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn StorageBackend, &Gate) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.refuse_unwritable()?;
        self.guarded(&mut |memory| {
            memory.refresh()?;
            let gate = &memory.gate;
            transaction(&mut *memory.store, durability, &mut |store| work(store, gate))
        })
    }

    /// Writes permanent memory. `draft` looks at the store, which nobody else changes meanwhile,
    /// and says what to write. When this returns, the lines are on the disk.
    pub(super) fn write_permanent<T>(
        &mut self,
        draft: &mut dyn FnMut(&mut Self) -> Result<Drafted<T>, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        let (revisions, answer) = self.guarded(&mut |memory| {
            memory.refresh_locked()?;
            draft(memory)
        })?;
        if revisions.is_empty() {
            return Ok(answer);
        }
        let mut by_file: BTreeMap<&'static str, Vec<Revision>> = BTreeMap::new();
        for revision in revisions {
            let file = revision.kind.file().ok_or_else(|| {
                MemoryError::Invalid(format!("a {} is not kept in a tracked file", revision.kind))
            })?;
            by_file
                .entry(file)
                .or_default()
                .push(self.gate.clean(&revision)?.into_inner().sealed());
        }
        for (file, revisions) in by_file {
            self.add_lines(file, &revisions)?;
        }
        Ok(answer)
    }

    /// The store, within a draft or after [`Self::read`].
    pub(super) fn store(&mut self) -> &mut dyn StorageBackend {
        &mut *self.store
    }

    /// The store, and what all that goes into it passes.
    pub(super) fn store_and_gate(&mut self) -> (&mut dyn StorageBackend, &Gate) {
        (&mut *self.store, &self.gate)
    }

    /// Runs `work`; when the store turns out damaged, or another process put it aside, once more on
    /// a new one.
    fn guarded<T>(
        &mut self,
        work: &mut dyn FnMut(&mut Self) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        if self.store.is_set_aside() {
            self.reopen()?;
        }
        match work(self) {
            Err(MemoryError::Corrupt(why)) => {
                let now = self.now();
                let notice = store::set_aside(&mut self.store, &why, now)?;
                self.notices.push(notice);
                self.reopen()?;
                work(self)
            }
            other => other,
        }
    }

    pub(super) fn reopen(&mut self) -> Result<(), MemoryError> {
        let now = self.now();
        let (opened, unwritable) = unwritable::open(&self.root, self.wanted, &self.gate, now)?;
        self.unwritable = unwritable;
        self.store = opened.store;
        self.notices.extend(opened.notices);
        self.stamps.clear();
        self.compared.clear();
        self.compared_at = 0;
        self.salvage();
        Ok(())
    }

    /// Takes in what changed in the tracked files.
    fn refresh(&mut self) -> Result<(), MemoryError> {
        for (source, path) in journal::SOURCES {
            let stamp = self.journal.stamp(path);
            if self.stamps.get(source) == Some(&stamp) {
                continue;
            }
            if self.known(source)?.stamp == stamp {
                self.stamps.insert(source, stamp);
                continue;
            }
            // A writer may be between the file and the store. A store in memory is nobody else's.
            let _lock = match self.unwritable {
                None => Some(self.journal.lock()?),
                Some(_) => None,
            };
            return self.refresh_locked();
        }
        Ok(())
    }

    fn refresh_locked(&mut self) -> Result<(), MemoryError> {
        for (source, path) in journal::SOURCES {
            let stamp = self.journal.stamp(path);
            if self.stamps.get(source) != Some(&stamp) {
                if self.known(source)?.stamp != stamp {
                    self.import_source(source, path, false)?;
                }
                self.stamps.insert(source, stamp);
            }
        }
        Ok(())
    }

    fn known(&mut self, source: &str) -> Result<Known, MemoryError> {
        let document = self.store.document(Table::Meta, &format!("source:{source}"))?;
        Ok(document.and_then(|known| serde_json::from_value(known).ok()).unwrap_or_default())
    }

    /// Reads all tracked files again, changed or not, and makes what the store has of them anew.
    ///
    /// # Errors
    /// When a file cannot be read, or the store not written.
    pub fn import(&mut self) -> Result<Imported, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        self.guarded(&mut |memory| {
            if let Some(damage) = memory.store.check()?.into_iter().next() {
                return Err(MemoryError::Corrupt(damage));
            }
            let mut all = Imported::default();
            for (source, path) in journal::SOURCES {
                let stamp = memory.journal.stamp(path);
                let one = memory.import_source(source, path, true)?;
                memory.stamps.insert(source, stamp);
                all = Imported { new: all.new + one.new, gone: all.gone + one.gone };
            }
            transaction(&mut *memory.store, Durability::Full, &mut drop_strays)?;
            Ok(all)
        })
    }

    /// What is wrong with the tracked files.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn problems(&mut self) -> Result<Vec<Problem>, MemoryError> {
        self.guarded(&mut |memory| {
            memory.refresh()?;
            let mut problems = Vec::new();
            for (source, _) in journal::SOURCES {
                problems.extend(memory.known(source)?.problems);
            }
            Ok(problems)
        })
    }

    fn import_source(
        &mut self,
        source: &str,
        path: &str,
        anew: bool,
    ) -> Result<Imported, MemoryError> {
        let (bytes, stamp) = match self.journal.read(path) {
            Ok(Some(read)) => read,
            // A file that is gone or not to be read says nothing: its lines hold.
            Ok(None) => return self.know(source, &Known::default()),
            Err(MemoryError::Invalid(why)) => {
                let stamp = self.journal.stamp(path);
                return self.know(source, &Known { stamp, problems: vec![unreadable(path, why)] });
            }
            Err(error) => return Err(error),
        };
        let (revisions, problems) = parse(source, path, &bytes);
        let known = Known { stamp: Some(stamp), problems };
        let gate = &self.gate;
        transaction(&mut *self.store, Durability::Full, &mut |store| {
            let imported = take_in(store, gate, source, &revisions, anew)?;
            note(store, gate, source, &known)?;
            Ok(imported)
        })
    }

    fn know(&mut self, source: &str, known: &Known) -> Result<Imported, MemoryError> {
        let gate = &self.gate;
        transaction(&mut *self.store, Durability::Full, &mut |store| {
            note(store, gate, source, known)?;
            Ok(Imported::default())
        })
    }

    /// Writes revisions to their file and to the store, under the lock.
    fn add_lines(&mut self, file: &'static str, revisions: &[Revision]) -> Result<(), MemoryError> {
        let path = journal::path_of(file).unwrap_or_default();
        let lines: String = revisions.iter().map(|revision| revision.line() + "\n").collect();
        let mut known = self.known(file)?;
        let stamp = if self.journal.stamp(path).is_some() {
            let (before, after) = self.journal.append(path, &lines)?;
            // What others wrote since the file was read is not read yet.
            if known.stamp == Some(before) { Some(after) } else { known.stamp }
        } else {
            // With the lines that a file held that is gone.
            let before = self.present_lines(file)?;
            self.journal.write(path, &(before + &lines))?
        };
        known.stamp = stamp;
        let gate = &self.gate;
        // The lines are on the disk. Should a power cut take them from the store, the stamp goes
        // with them, and they are taken in again.
        let mirrored = transaction(&mut *self.store, Durability::Normal, &mut |store| {
            put_lines(store, gate, file, revisions)?;
            note(store, gate, file, &known)
        });
        match mirrored {
            Ok(()) => {
                self.stamps.insert(file, stamp);
            }
            // The lines are safe, and the file does not have the stamp that the store knows.
            Err(error) => {
                self.notices.push(format!("{path} was written; the store will follow ({error})"));
            }
        }
        Ok(())
    }

    /// The lines that a tracked file holds, as the store knows them.
    fn present_lines(&mut self, file: &str) -> Result<String, MemoryError> {
        let mut lines: Vec<Revision> = Vec::new();
        for (_, id, present) in self.store.lines_in(file)? {
            if present && !lines.iter().any(|line| line.id == id) {
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

    /// Writes the tracked files that are gone, and with `all` also the lines that a file no longer
    /// holds; how many lines were written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn export(&mut self, all: bool) -> Result<usize, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        let mut count = 0;
        self.guarded(&mut Self::refresh_locked)?;
        for (file, path) in &journal::SOURCES[..3] {
            if self.journal.stamp(path).is_none() {
                let text = self.present_lines(file)?;
                if !text.is_empty() {
                    count += text.lines().count();
                    self.journal.write(path, &text)?;
                }
            }
            if all {
                let missing = missing(&mut *self.store, file)?;
                count += missing.len();
                if !missing.is_empty() {
                    self.add_lines(file, &missing)?;
                }
            }
        }
        self.guarded(&mut Self::refresh_locked)?;
        Ok(count)
    }

    /// The lines that the store knows and a file that is there does not hold.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn missing(&mut self, file: &str) -> Result<Vec<Revision>, MemoryError> {
        self.read(&mut |store| missing(store, file))
    }

    /// Looks for damage in the store; what was found.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        if self.store.is_set_aside() {
            self.reopen()?;
        }
        self.store.check()
    }

    /// What active memories of a type are compared by, brought up to date.
    pub(super) fn compare(&mut self) -> Result<(), MemoryError> {
        let query = store::Query {
            statuses: Status::ALL.to_vec(),
            layers: vec![Layer::Permanent],
            after: Some(self.compared_at),
            order: store::Order::Change,
            ..store::Query::default()
        };
        let mark = self.store.mark()?;
        for entry in self.store.entries(&query)? {
            if entry.status == Status::Active {
                let by = super::permanent::compared_by(entry.kind, &entry.content);
                self.compared.insert(entry.id, (entry.kind, by));
            } else {
                self.compared.remove(&entry.id);
            }
        }
        self.compared_at = mark;
        Ok(())
    }
}

fn unreadable(path: &str, message: String) -> Problem {
    Problem { path: path.to_owned(), line: 0, kind: ProblemKind::UnreadableFile, message }
}

fn parse(source: &str, path: &str, bytes: &[u8]) -> (Vec<Revision>, Vec<Problem>) {
    let plural = source.trim_start_matches("aidd-").trim_end_matches(".json");
    let kind = Kind::ALL.iter().find(|kind| kind.file() == Some(plural));
    match kind {
        Some(&kind) if path.ends_with(".json") => legacy::read(path, kind, plural, bytes),
        _ => log::read(path, bytes),
    }
}

fn note(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    source: &str,
    known: &Known,
) -> Result<(), MemoryError> {
    store.put_document(Table::Meta, &format!("source:{source}"), 0, &gate.clean(&json!(known))?)
}
