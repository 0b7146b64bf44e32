//! A project's memory: the tracked files and the store, used together.
//!
//! A permanent memory is written to its tracked file first and to the store after it, under one
//! lock: after a crash in between, the memory is imported from the file. Everything that is written
//! passes the privacy gate ([`Gate`]).

use super::MemoryError;
use super::journal::{Journal, Stamp};
use super::log::Revision;
use super::privacy::{Clean, Gate};
use super::recall::index::Index;
use super::similarity::SimilarityIndex;
use super::store::{self, BackendChoice, Durability, OpenedStore, StorageBackend, transaction};
use super::types::{Kind, Layer, Status};
use super::{id, unwritable};
use aidd_engine::check::Distribution;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Returns the time in milliseconds since 1970.
pub type Clock = Box<dyn Fn() -> i64 + Send>;

/// Returns a clock that reads the system time.
#[must_use]
pub fn system_clock() -> Clock {
    Box::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// The memory of the project at a root directory.
pub struct ProjectMemory {
    root: PathBuf,
    choice: BackendChoice,
    pub(super) journal: Journal,
    pub(super) store: Box<dyn StorageBackend>,
    pub(super) gate: Gate,
    clock: Clock,
    notices: Vec<String>,
    /// Whether the next notices report the contents of the tracked files.
    reports_tracked: bool,
    /// The last result of [`Self::new_unread_notice`].
    pub(super) unread_notice: Option<String>,
    /// The stamps of the tracked files as this process last read them.
    pub(super) stamps: BTreeMap<&'static str, Option<Stamp>>,
    /// Distinguishes ids of the same millisecond.
    count: u64,
    pub(super) similarity: SimilarityIndex,
    /// The reason why no file can be written in the project; the store is then held in RAM. `None`
    /// if files can be written.
    pub(super) unwritable: Option<String>,
    /// When writing was last retried.
    pub(super) last_write_check: Option<Instant>,
    /// Search index, valid for one revision of the store.
    index: Index,
    /// Whether the duplicates in the store have been resolved: see
    /// [`aidd_engine::parse::lines::duplicates`].
    pub(super) has_resolved_duplicates: bool,
}

impl fmt::Debug for ProjectMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectMemory")
            .field("root", &self.root)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// Revisions to write, and the value to return.
pub(super) type Drafted<T> = (Vec<Revision>, T);

impl ProjectMemory {
    /// Opens the memory of the project at `root` and imports what changed in its tracked files. The
    /// privacy gate uses the secrets rules of `distribution`. If nothing can be written, the memory
    /// can still be read.
    ///
    /// # Errors
    /// When the store was written by a newer aidd, or `.aidd` is a link.
    pub fn open(
        distribution: &'static Distribution,
        root: &Path,
        choice: BackendChoice,
        clock: Clock,
    ) -> Result<Self, MemoryError> {
        let gate = Gate::new(distribution);
        let (opened, unwritable) = unwritable::open(root, choice, &gate, clock())?;
        let OpenedStore { store, notices } = opened;
        let last_write_check = unwritable.as_ref().map(|_| Instant::now());
        let mut memory = Self {
            root: root.to_owned(),
            choice,
            journal: Journal::new(root),
            store,
            gate,
            clock,
            notices,
            reports_tracked: false,
            unread_notice: None,
            stamps: BTreeMap::new(),
            count: 0,
            similarity: SimilarityIndex::default(),
            unwritable,
            last_write_check,
            index: Index::default(),
            has_resolved_duplicates: false,
        };
        memory.salvage();
        memory.read(&mut |_| Ok(()))?;
        Ok(memory)
    }

    /// The project's root directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns and clears the notices about the store that the user has not seen, as sentences.
    pub fn take_notices(&mut self) -> Vec<String> {
        let mut notices = std::mem::take(&mut self.notices);
        if std::mem::take(&mut self.reports_tracked) {
            notices.extend(self.tracked_notice());
        }
        notices.extend(self.store.take_backup_fault());
        notices
    }

    /// Makes the next notices report the contents of the tracked files, because the store has lost
    /// data.
    pub(super) fn report_tracked(&mut self) {
        self.reports_tracked = true;
    }

    fn tracked_notice(&mut self) -> Option<String> {
        let mut contents: Vec<String> = Vec::new();
        let counts = self.store.counts().ok()?;
        for kind in Kind::ALL.iter().filter(|kind| kind.file().is_some()) {
            let counts_of_kind = counts.iter().filter(|(layer, own, status, _)| {
                (*layer, own) == (Layer::Permanent, kind) && *status != Status::Removed
            });
            let count: u32 = counts_of_kind.map(|(.., count)| count).sum();
            contents.extend((count > 0).then(|| format!("{count} of type {kind}")));
        }
        let contents =
            if contents.is_empty() { "no memories".to_owned() } else { contents.join(", ") };
        Some(format!("read from the tracked files: {contents}"))
    }

    /// The name of the storage backend: "sqlite" or "json".
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.store.name()
    }

    /// Adds notices for the user.
    pub(super) fn add_notices(&mut self, notices: Vec<String>) {
        self.notices.extend(notices);
    }

    /// The current time, in milliseconds since 1970.
    #[must_use]
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// A new unique id.
    pub(super) fn new_id(&mut self, prefix: &str, at: i64, content: &str) -> String {
        self.count += 1;
        let seed = std::collections::hash_map::RandomState::new();
        let random = std::hash::BuildHasher::hash_one(&seed, self.count).to_string();
        id::make(prefix, at, &[content, &random])
    }

    /// Reads from the store after importing what changed in the tracked files. Writes nothing when
    /// the files did not change.
    ///
    /// # Errors
    /// The errors of `work`.
    pub fn read<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StorageBackend) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.read_indexed(&mut |store, _| work(store))
    }

    /// Like [`Self::read`], with this process's search index.
    pub(super) fn read_indexed<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StorageBackend, &mut Index) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.try_disk_again_to_read();
        let mut refresh_and_work = |memory: &mut Self| {
            memory.refresh()?;
            work(&mut *memory.store, &mut memory.index)
        };
        match self.run_with_repair(&mut refresh_and_work) {
            // The changes to the tracked files could not be imported, because the store cannot be
            // written.
            Err(error @ (MemoryError::Io { .. } | MemoryError::Store(_)))
                if self.unwritable.is_none() =>
            {
                self.switch_to_ram(error.to_string())?;
                self.run_with_repair(&mut refresh_and_work)
            }
            other => other,
        }
    }

    /// Writes data that stays in the checkout, in one transaction.
    pub(super) fn write<T>(
        &mut self,
        durability: Durability,
        work: &mut dyn FnMut(&mut dyn StorageBackend, &Gate) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.refuse_unwritable()?;
        self.run_with_repair(&mut |memory| {
            memory.refresh()?;
            let gate = &memory.gate;
            transaction(&mut *memory.store, durability, &mut |store| work(store, gate))
        })
    }

    /// Writes permanent memory. `draft` reads the store, which no other process changes meanwhile,
    /// and returns the revisions to write and the result. When this function returns, the lines are
    /// on disk.
    pub(super) fn write_permanent<T>(
        &mut self,
        draft: &mut dyn FnMut(&mut Self) -> Result<Drafted<T>, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        let (revisions, result) = self.run_with_repair(&mut |memory| {
            memory.refresh_locked()?;
            draft(memory)
        })?;
        if revisions.is_empty() {
            return Ok(result);
        }
        let mut by_file: BTreeMap<&'static str, Vec<Clean<Revision>>> = BTreeMap::new();
        for revision in revisions {
            let file = super::intake::tracked_file(&revision)?;
            by_file.entry(file).or_default().push(self.gate.clean(&revision)?.with_rev());
        }
        for (file, revisions) in by_file {
            self.add_lines(file, revisions)?;
        }
        Ok(result)
    }

    /// Reads from the store after importing what changed in the tracked files. The caller must hold
    /// the lock on these files.
    pub(super) fn read_locked<T>(
        &mut self,
        work: &mut dyn FnMut(&mut dyn StorageBackend) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        self.run_with_repair(&mut |memory| {
            memory.refresh_locked()?;
            work(&mut *memory.store)
        })
    }

    /// The store, for use within a draft or after [`Self::read`].
    pub(super) fn store(&mut self) -> &mut dyn StorageBackend {
        &mut *self.store
    }

    /// The store, and the gate that everything written to it passes.
    pub(super) fn store_and_gate(&mut self) -> (&mut dyn StorageBackend, &Gate) {
        (&mut *self.store, &self.gate)
    }

    /// Runs `work`; when the store turns out to be damaged, runs it again on the repaired store or
    /// on a new store, for example when another process set the damaged store aside.
    pub(super) fn run_with_repair<T>(
        &mut self,
        work: &mut dyn FnMut(&mut Self) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        if self.store.is_set_aside() {
            self.reopen()?;
        }
        let result = match work(self) {
            Err(MemoryError::Corrupt(why)) if self.store.repair().unwrap_or_default() => {
                self.notices.push(store::repaired_notice(&why));
                self.index = Index::default();
                work(self)
            }
            other => other,
        };
        match result {
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
        let (opened, unwritable) = unwritable::open(&self.root, self.choice, &self.gate, now)?;
        self.unwritable = unwritable;
        self.use_store(opened);
        self.salvage();
        Ok(())
    }

    /// Switches to another store.
    pub(super) fn use_store(&mut self, opened: OpenedStore) {
        self.store = opened.store;
        self.notices.extend(opened.notices);
        self.stamps.clear();
        self.similarity = SimilarityIndex::default();
        self.index = Index::default();
        self.has_resolved_duplicates = false;
    }

    /// Checks the store for damage and returns a description of each fault.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        if self.store.is_set_aside() {
            self.reopen()?;
        }
        self.store.check()
    }
}
