//! The batches of imported items, and taking a batch back.
//!
//! The file `.aidd/data.imports.json` lists what each import added: ids and hashes, no text. It
//! belongs to the checkout, so an import is taken back where it was made.

use super::MemoryError;
use super::foreign::Format;
use super::id::{canonical, digest};
use super::journal::{BRANCHES, Stamp, file_name};
use super::log::Revision;
use super::privacy::Clean;
use super::project::ProjectMemory;
use super::project_map::{MapEntry, MapKind};
use super::store::{Durability, Layers, Query, StorageBackend, Table, json, transaction};
use super::types::{Entry, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The file, in the root directory.
const FILE: &str = ".aidd/data.imports.json";

/// What an import added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Batch {
    /// `import_<milliseconds>_<hash>`.
    pub id: String,
    /// The time of the import in milliseconds since 1970.
    pub at: i64,
    /// The file that was imported.
    pub source: String,
    /// The format of the file.
    pub format: String,
    /// Lines of tracked files: the file, the revision and the memory. Older versions of aidd wrote
    /// all lines here; now only those whose id contains a line break.
    lines: Vec<(String, String, String)>,
    /// For each tracked file, the lines: on each line of the text, a revision, a space and the
    /// memory.
    packed: BTreeMap<String, String>,
    /// Revisions that these memories had before.
    earlier: BTreeMap<String, BTreeSet<String>>,
    /// Memories of the checkout with their hashes.
    pub(super) entries: BTreeMap<String, String>,
    /// Documents: table, id and hash.
    pub(super) documents: Vec<(String, String, String)>,
    /// States of branches with their hashes.
    pub(super) branches: BTreeMap<String, String>,
    /// Entries of the work list with their hashes.
    pub(super) work: BTreeMap<String, String>,
    /// Names of themes and flows with their hashes.
    pub(super) map: BTreeMap<String, String>,
}

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Batches {
    imports: Vec<Batch>,
}

impl Batches {
    /// The revisions of all batches.
    fn revs(&self) -> BTreeSet<String> {
        let lines = self.imports.iter().flat_map(Batch::lines);
        lines.map(|(_, rev, _)| rev.to_owned()).collect()
    }
}

/// The other batches in the file, which is then not parsed for each part of an import.
#[derive(Debug)]
pub(super) struct OtherBatches {
    batches: Batches,
    /// The stamp of the whole file.
    stamp: Stamp,
}

/// An item that remains although its import was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemainingItem {
    /// Id of the item.
    pub id: String,
    /// The beginning of its text.
    pub title: String,
    /// Why it remains.
    pub why: &'static str,
}

/// Result of taking an import back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneImport {
    /// Id of the batch.
    pub id: String,
    /// The file that was imported.
    pub source: String,
    /// Number of removed memories, sessions, branch states, entries of the work list and names of
    /// themes and flows.
    pub removed: usize,
    /// The items that remain.
    pub remaining: Vec<RemainingItem>,
}

/// The hash of a memory of the checkout. Its status can change without an edit.
pub(super) fn digest_of_entry(entry: &Entry) -> String {
    let entry = Entry { status: Status::Active, updated_at: 0, ..entry.clone() };
    digest_of_document(&json!(entry))
}

pub(super) fn digest_of_document(document: &Value) -> String {
    digest(&[&canonical(document)])
}

impl Batch {
    pub(super) fn new(id: String, at: i64, source: &str, format: Format) -> Self {
        let (source, format) = (source.to_owned(), format.name().to_owned());
        Self { id, at, source, format, ..Self::default() }
    }

    /// Adds a line, which passed the gate.
    pub(super) fn add_line(&mut self, revision: &Clean<Revision>) {
        let file = revision.kind.file().unwrap_or_default().to_owned();
        let (rev, id) = (&revision.rev, &revision.id);
        if id.contains('\n') {
            return self.lines.push((file, rev.clone(), id.clone()));
        }
        let lines = self.packed.entry(file).or_default();
        [rev, " ", id, "\n"].into_iter().for_each(|part| lines.push_str(part));
    }

    /// The lines: the file, the revision and the memory.
    fn lines(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let other = self.lines.iter().map(|(file, rev, id)| (&**file, &**rev, &**id));
        let packed = self.packed.iter().flat_map(|(file, lines)| {
            let lines = lines.split_terminator('\n').filter_map(|line| line.split_once(' '));
            lines.map(move |(rev, id)| (&**file, rev, id))
        });
        other.chain(packed)
    }

    /// The ids of the memories in tracked files.
    fn memories(&self) -> BTreeSet<&str> {
        self.lines().map(|(.., id)| id).collect()
    }

    /// The part of the batch that consists of these items.
    fn part(&self, ids: &BTreeSet<&str>) -> Self {
        let mut part = self.clone();
        let lines = self.lines().filter(|(.., id)| ids.contains(id));
        part.lines = lines.map(|(file, rev, id)| (file.into(), rev.into(), id.into())).collect();
        part.packed.clear();
        part.earlier.retain(|id, _| ids.contains(&**id));
        part.entries.retain(|id, _| ids.contains(&**id));
        part.documents.retain(|(_, id, _)| ids.contains(&**id));
        part.branches.clear();
        part.work.retain(|id, _| ids.contains(&**id));
        part.map.retain(|id, _| ids.contains(&**id));
        part
    }

    pub(super) fn add_earlier_lines(&mut self, id: &str, lines: &[Revision]) {
        if !lines.is_empty() {
            let revs = lines.iter().map(|line| line.rev.clone()).collect();
            self.earlier.insert(id.to_owned(), revs);
        }
    }
}

/// The items of a batch that remain, with the reason.
type Remaining = BTreeMap<String, &'static str>;

const EDITED: &str = "it was changed since the import";
const REFERRED: &str = "something outside the import refers to it";
const IMPORTED_AGAIN: &str = "a later import changed it; take that one back first";

impl ProjectMemory {
    fn batches(&self) -> Result<Batches, MemoryError> {
        let Some((bytes, _)) = self.journal.read(FILE)? else { return Ok(Batches::default()) };
        serde_json::from_slice(&bytes).map_err(|error| {
            MemoryError::Invalid(format!(
                "{FILE} is damaged ({error}); delete it to import again without taking back \
                 earlier imports"
            ))
        })
    }

    /// The imports that can be taken back, oldest first.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn import_batches(&self) -> Result<Vec<Batch>, MemoryError> {
        Ok(self.batches()?.imports)
    }

    /// The revisions that imports added.
    pub(super) fn imported_revs(&self) -> Result<BTreeSet<String>, MemoryError> {
        Ok(self.batches()?.revs())
    }

    /// Adds or replaces a batch; `others` is the same for each part of an import. The caller holds
    /// the lock of the tracked files.
    pub(super) fn save_batch(
        &mut self,
        batch: &mut Batch,
        others: &mut Option<OtherBatches>,
    ) -> Result<(), MemoryError> {
        let stamp = self.journal.stamp(FILE);
        let mut batches = match others.take().filter(|others| stamp == Some(others.stamp)) {
            Some(others) => others.batches,
            None => self.batches()?,
        };
        batches.imports.retain(|other| other.id != batch.id);
        // The lines passed the gate.
        let packed = std::mem::take(&mut batch.packed);
        let saved = self.gate.clean(&*batch).and_then(|clean| {
            batches.imports.push(Batch { packed: packed.clone(), ..clean.into_inner() });
            self.write_batches(&batches)
        });
        batch.packed = packed;
        saved?;
        batches.imports.pop();
        *others = self.journal.stamp(FILE).map(|stamp| OtherBatches { batches, stamp });
        Ok(())
    }

    fn write_batches(&self, batches: &Batches) -> Result<(), MemoryError> {
        let path = self.root().join(FILE);
        super::store::place::refuse_link(&path)?;
        json::replace(&path, serde_json::to_string(batches)?.as_bytes())
    }

    /// Takes back an import, the last one if `id` is absent: removes what it added. Items that were
    /// changed since, and items to which others refer, remain and are listed.
    ///
    /// # Errors
    /// When there is no such import, or a file cannot be written.
    pub fn undo_import(&mut self, id: Option<&str>) -> Result<UndoneImport, MemoryError> {
        self.refuse_unwritable()?;
        let _lock = self.journal.lock()?;
        let mut batches = self.batches()?;
        let position = match id {
            Some(id) => batches.imports.iter().position(|batch| batch.id == id),
            None => batches.imports.len().checked_sub(1),
        };
        let Some(position) = position else {
            return Err(match id {
                Some(id) => MemoryError::Unknown { item: "import", id: id.to_owned() },
                None => MemoryError::Invalid("there is no import to take back".to_owned()),
            });
        };
        let batch = batches.imports.remove(position);
        let others: BTreeSet<String> = batches.revs();
        let left = self.read_locked(&mut |store| remaining_memories(store, &batch, &others))?;
        let mut undone = UndoneImport {
            id: batch.id.clone(),
            source: batch.source.clone(),
            removed: 0,
            remaining: Vec::new(),
        };
        for (id, why) in &left {
            let title = self.store().entry(id)?.map(|entry| entry.title(80)).unwrap_or_default();
            undone.remaining.push(RemainingItem { id: id.clone(), title, why });
        }
        self.remove_lines(&batch, &left)?;
        undone.removed += batch.memories().iter().filter(|id| !left.contains_key(**id)).count();
        undone.removed += transaction(&mut *self.store, Durability::Full, &mut |store| {
            remove_from_store(store, &batch, &left)
        })?;
        self.remove_branches(&batch, &mut undone)?;
        self.remove_work(&batch, &mut undone)?;
        self.remove_map(&batch, &mut undone)?;
        // What others refer to can be taken back later.
        let referred = undone.remaining.iter().filter(|item| item.why != EDITED);
        let referred: BTreeSet<&str> = referred.map(|item| &*item.id).collect();
        if !referred.is_empty() {
            batches.imports.insert(position, batch.part(&referred));
        }
        // Removed last, so that undoing can be repeated when it is interrupted.
        self.write_batches(&batches)?;
        Ok(undone)
    }

    /// Removes the lines of a batch from the tracked files, and the memories from the store.
    fn remove_lines(&mut self, batch: &Batch, left: &Remaining) -> Result<(), MemoryError> {
        let removed: BTreeSet<(&str, &str)> = batch
            .lines()
            .filter(|(.., id)| !left.contains_key(*id))
            .map(|(_, rev, id)| (rev, id))
            .collect();
        if removed.is_empty() {
            return Ok(());
        }
        for (_, path) in &self.journal.sources()[..3] {
            let is_removed = |line: &Value| {
                let text = |name: &str| line[name].as_str().unwrap_or_default();
                removed.contains(&(text("rev"), text("id")))
            };
            self.filter_lines(path, &is_removed)?;
        }
        self.run_with_repair(&mut Self::refresh_locked)
    }

    /// Removes lines from a file; returns the number of removed lines.
    fn filter_lines(
        &mut self,
        path: &str,
        is_removed: &dyn Fn(&Value) -> bool,
    ) -> Result<usize, MemoryError> {
        let Some((bytes, _)) = self.journal.read(path)? else { return Ok(0) };
        let text = String::from_utf8(bytes).map_err(|_| {
            MemoryError::Invalid(format!("{path} is not UTF-8; convert it to UTF-8 first"))
        })?;
        let is_removed = |line: &&str| {
            let value = serde_json::from_str::<Value>(line.trim_start_matches('\u{FEFF}'));
            value.is_ok_and(|value| is_removed(&value))
        };
        let (removed, remaining): (Vec<&str>, Vec<&str>) =
            text.split_inclusive('\n').partition(is_removed);
        if !removed.is_empty() {
            self.journal.write(path, &remaining.concat())?;
        }
        Ok(removed.len())
    }

    fn remove_branches(
        &mut self,
        batch: &Batch,
        undone: &mut UndoneImport,
    ) -> Result<(), MemoryError> {
        for (branch, digest) in &batch.branches {
            let Some((context, _)) = self.journal.branch(branch)? else { continue };
            if digest_of_document(&serde_json::to_value(&context)?) != *digest {
                let (id, title) = (format!("branch {branch}"), String::new());
                undone.remaining.push(RemainingItem { id, title, why: EDITED });
                continue;
            }
            let path = self.root().join(BRANCHES).join(file_name(branch));
            std::fs::remove_file(&path).map_err(MemoryError::io(&path))?;
            undone.removed += 1;
        }
        Ok(())
    }

    fn remove_work(&mut self, batch: &Batch, undone: &mut UndoneImport) -> Result<(), MemoryError> {
        if batch.work.is_empty() {
            return Ok(());
        }
        let list = self.work()?;
        let mut left: Remaining = Remaining::new();
        for entry in list.entries() {
            if let Some(digest) = batch.work.get(&entry.id)
                && digest_of_document(&serde_json::to_value(entry)?) != *digest
            {
                left.insert(entry.id.clone(), EDITED);
            }
        }
        loop {
            let stays = |id: &str| !batch.work.contains_key(id) || left.contains_key(id);
            let remaining = list.entries().filter(|entry| stays(&entry.id));
            let parents = remaining.filter_map(|entry| entry.parent.clone());
            let more: Vec<String> = parents.filter(|id| !stays(id)).collect();
            if more.is_empty() {
                break;
            }
            left.extend(more.into_iter().map(|id| (id, REFERRED)));
        }
        let path = self.work_path();
        let is_removed = |line: &Value| {
            let id = line["id"].as_str().unwrap_or_default();
            batch.work.contains_key(id) && !left.contains_key(id)
        };
        undone.removed += self.filter_lines(&path, &is_removed)?;
        for (id, why) in left {
            let title = list.get(&id).map(|entry| entry.title.clone()).unwrap_or_default();
            undone.remaining.push(RemainingItem { id, title, why });
        }
        Ok(())
    }

    fn remove_map(&mut self, batch: &Batch, undone: &mut UndoneImport) -> Result<(), MemoryError> {
        if batch.map.is_empty() {
            return Ok(());
        }
        let map = self.project_map()?;
        let mut left: Remaining = Remaining::new();
        for (_, entry) in map.entries() {
            if let Some(digest) = batch.map.get(&entry.id())
                && digest_of_document(&serde_json::to_value(entry)?) != *digest
            {
                left.insert(entry.id(), EDITED);
            }
        }
        // A flow that remains must not lose its themes.
        for (_, entry) in map.entries() {
            if batch.map.contains_key(&entry.id()) && !left.contains_key(&entry.id()) {
                continue;
            }
            for theme in &entry.themes {
                let id = MapEntry::new(MapKind::Theme, theme).id();
                if batch.map.contains_key(&id) {
                    left.entry(id).or_insert(REFERRED);
                }
            }
        }
        let is_removed = |line: &Value| {
            let text = |name: &str| line[name].as_str().unwrap_or_default();
            let id = format!("{} {}", text("kind"), text("name"));
            batch.map.contains_key(&id) && !left.contains_key(&id)
        };
        undone.removed += self.filter_lines(&self.map_path(), &is_removed)?;
        for (id, why) in left {
            undone.remaining.push(RemainingItem { id, title: String::new(), why });
        }
        Ok(())
    }
}

/// The memories and documents of a batch that remain.
fn remaining_memories(
    store: &mut dyn StorageBackend,
    batch: &Batch,
    others: &BTreeSet<String>,
) -> Result<Remaining, MemoryError> {
    let revs: BTreeSet<&str> = batch.lines().map(|(_, rev, _)| rev).collect();
    let tracked = batch.memories();
    let is_own = |id: &str| tracked.contains(id) || batch.entries.contains_key(id);
    let mut left = Remaining::new();
    for id in tracked.iter().copied() {
        let earlier = batch.earlier.get(id);
        let is_new = |rev: &str| {
            !revs.contains(rev) && !earlier.is_some_and(|earlier| earlier.contains(rev))
        };
        let lines = store.lines_of(id)?.into_iter().filter(|line| line.present);
        let mut new = lines.map(|line| line.line.rev).filter(|rev| is_new(rev)).peekable();
        if new.peek().is_some() {
            let is_imported = new.all(|rev| others.contains(&rev));
            left.insert(id.to_owned(), if is_imported { IMPORTED_AGAIN } else { EDITED });
        }
    }
    for (id, digest) in &batch.entries {
        if store.entry(id)?.is_some_and(|entry| digest_of_entry(&entry) != *digest) {
            left.insert(id.clone(), EDITED);
        }
    }
    for link in store.all_links()? {
        if is_own(&link.to) && !is_own(&link.from) {
            left.entry(link.to).or_insert(REFERRED);
        }
    }
    // A memory that remains must not lose the targets of its links.
    let mut pending: Vec<String> = left.keys().cloned().collect();
    while let Some(id) = pending.pop() {
        for link in store.links(&id)?.into_iter().filter(|link| link.from == id) {
            if is_own(&link.to) && !left.contains_key(&link.to) {
                left.insert(link.to.clone(), REFERRED);
                pending.push(link.to);
            }
        }
    }
    for (table, id, digest) in &batch.documents {
        let Some(table) = table_named(table) else { continue };
        let Some(document) = store.document(table, id)? else { continue };
        if digest_of_document(&document) != *digest {
            left.insert(id.clone(), EDITED);
        } else if table == Table::Sessions {
            let query = Query { session_id: Some(id.clone()), ..Query::new(Layers::SESSION) };
            let remains = |entry: &Entry| !is_own(&entry.id) || left.contains_key(&entry.id);
            if store.entries(&query)?.iter().any(remains) {
                left.insert(id.clone(), REFERRED);
            }
        }
    }
    Ok(left)
}

fn table_named(name: &str) -> Option<Table> {
    Table::ALL.into_iter().find(|table| table.name() == name)
}

/// Deletes the memories of the checkout, the documents and the mirrored lines of a batch; returns
/// the number of memories and documents.
fn remove_from_store(
    store: &mut dyn StorageBackend,
    batch: &Batch,
    left: &Remaining,
) -> Result<usize, MemoryError> {
    let mut removed = 0;
    for (file, rev, id) in batch.lines() {
        if !left.contains_key(id) {
            store.delete_line(file, rev)?;
        }
    }
    for id in batch.entries.keys().filter(|id| !left.contains_key(*id)) {
        removed += usize::from(store.delete_entry(id)?);
    }
    for (table, id, _) in batch.documents.iter().filter(|(_, id, _)| !left.contains_key(id)) {
        if let Some(table) = table_named(table) {
            removed += usize::from(store.delete_document(table, id)?);
        }
    }
    Ok(removed)
}
