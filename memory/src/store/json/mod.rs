//! The store as a log of JSON lines. It behaves like the SQLite store, but needs no native code.
//!
//! Each line of the file is one atomic write: a list of records that were put or deleted. Before
//! each query or write, a process loads the lines that other processes have appended; a lock
//! serialises the writers. An incomplete line, left by a killed process, is skipped; any other
//! invalid line means that the store is corrupt. When most of the log is out of date, it is
//! rewritten under the same name.

mod log;
mod query;

use super::aside::{MovedAside, move_aside};
use super::salvage::RecoveredRecords;
use super::{
    ConflictCandidates, Counts, Durability, Layers, MirroredLine, OpenedStore, Order, Query,
    SearchData, Sessions, StorageBackend, Table, backup, lock,
};
use crate::MemoryError;
use crate::privacy::Clean;
use crate::recall::prepare::PreparedMemory;
use crate::similarity::{SketchRow, sketch_of};
use crate::types::{Entry, Kind, Layer, Link, Relation, Status};
use crate::words::topic_key;
use aidd_engine::parse::lines::duplicates::duplicate_key;
use log::{Json, read};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

pub(crate) use log::replace;

/// Path of the store in `folder`.
#[must_use]
pub fn path(folder: &Path) -> PathBuf {
    folder.join("data.jsonl")
}

/// Whether a store exists in `folder`.
#[must_use]
pub fn exists(folder: &Path) -> bool {
    path(folder).is_file()
}

/// Opens the store in `folder`.
///
/// # Errors
/// When the store was written by a newer aidd, or cannot be read or written.
pub fn open(folder: &Path, now: i64) -> Result<OpenedStore, MemoryError> {
    let mut store = Json::new(path(folder));
    let result = store.begin(Durability::Full).and_then(|()| store.commit());
    let notices = match result {
        Err(MemoryError::Corrupt(why)) => {
            drop(store);
            let aside = {
                let _lock = lock::take(&path(folder).with_extension("lock"))?;
                set_aside(&path(folder), &why, now)?
            };
            let notice = aside.add_to_salvage_list(&path(folder));
            store = Json::new(path(folder));
            store.begin(Durability::Full)?;
            store.commit()?;
            vec![notice]
        }
        other => other.map(|()| Vec::new())?,
    };
    Ok(OpenedStore { store: Box::new(store), notices })
}

/// Moves a damaged store aside, unless another process has already moved it. The caller must hold
/// the lock of the store.
pub(super) fn set_aside(path: &Path, why: &str, now: i64) -> Result<MovedAside, MemoryError> {
    let is_already_moved = Json::new(path.to_owned()).read_all().is_ok();
    move_aside(path, &[""], is_already_moved, why, now)
}

/// A closed store: nothing is read or written through it.
pub(super) fn closed_store(path: &Path) -> Box<dyn StorageBackend> {
    let mut store = Json::new(path.to_owned());
    store.is_closed = true;
    Box::new(store)
}

/// The readable records of the damaged store at `path`.
pub(super) fn recover(path: &Path) -> RecoveredRecords {
    let mut store = Json::new(path.to_owned());
    let mut recovered = RecoveredRecords { lost: store.salvage(), ..RecoveredRecords::default() };
    for (_, value) in store.range(ENTRIES, "") {
        recovered.add(read(value).ok(), |recovered| &mut recovered.entries);
    }
    for (link_key, value) in store.range(LINKS, "") {
        if is_outgoing(link_key) {
            recovered.add(read(value).ok(), |recovered| &mut recovered.links);
        }
    }
    for (_, value) in store.range(LINES, "") {
        recovered.add(read(value).ok(), |recovered| &mut recovered.lines);
    }
    for table in Table::ALL {
        for (id, record) in store.range(table.name(), "") {
            let at = record["at"].as_i64().unwrap_or_default();
            recovered.documents.push((table, id.to_owned(), at, record["document"].clone()));
        }
    }
    recovered
}

/// Sorts links by source, relation and target, the order in which queries return them.
pub(super) fn sorted(mut links: Vec<Link>) -> Vec<Link> {
    links.sort_by(|a, b| (&a.from, a.relation, &a.to).cmp(&(&b.from, b.relation, &b.to)));
    links
}

const ENTRIES: &str = "memories";
const LINKS: &str = "links";
const LINES: &str = "lines";
/// Maps a memory to its lines.
const LINES_OF: &str = "lines-of";
/// Maps the empty id to the number of the store's last change, and each memory to the number of its
/// own last change.
const CHANGE_NUMBER: &str = "mark";
/// The number of deleted memories.
const DELETIONS: &str = "deletions";

/// Prepares a memory for search: the log contains no search data.
fn indexed(entry: Entry) -> SearchData {
    let prepared = PreparedMemory::from_entry(&entry);
    let topic = entry.topic.as_deref().map(topic_key);
    SearchData {
        row: 0,
        kind: entry.kind,
        layer: entry.layer,
        status: entry.status,
        created_at: entry.created_at,
        topic_key: topic.filter(|key| !key.is_empty()).map(Into::into),
        outcome: entry.outcome(),
        length: prepared.length,
        is_question: prepared.is_question,
        files: prepared.files,
        vector: Some(prepared.vector),
        columns: Some(prepared.columns),
        id: entry.id.into(),
        session_id: entry.session_id.map(Into::into),
        branch: entry.branch.map(Into::into),
    }
}

/// A number for a memory, which the log does not contain.
fn row_of(id: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// Whether `key` is the key of the outgoing copy of a link; each link is also stored for its
/// target.
fn is_outgoing(key: &str) -> bool {
    key.split('\u{1F}').nth(1) == Some(">")
}

/// Joins the parts of a key with a character that no id contains.
fn key(parts: &[&str]) -> String {
    parts.join("\u{1F}")
}

impl StorageBackend for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn begin(&mut self, durability: Durability) -> Result<(), MemoryError> {
        self.begin_write(durability)
    }

    fn commit(&mut self) -> Result<(), MemoryError> {
        let changed_records = std::mem::take(&mut self.changed_records);
        let mut fault = None;
        let line = backup::prepare(self, changed_records, &mut fault)?;
        self.commit_write()?;
        self.backup_fault = line.and_then(|line| line.add(&self.path)).or(fault);
        Ok(())
    }

    fn rollback(&mut self) {
        self.undo_write();
    }

    fn put_entry(&mut self, entry: &Clean<Entry>) -> Result<(), MemoryError> {
        self.changed_records.record_entry(&entry.id, Some(entry.layer));
        self.advance_change_number(&entry.id)?;
        self.put(ENTRIES, &entry.id, &**entry)
    }

    fn set_status(&mut self, id: &str, status: Status) -> Result<(), MemoryError> {
        if let Some(mut entry) = self.entry(id)?.filter(|entry| entry.status != status) {
            entry.status = status;
            self.changed_records.record_entry(id, Some(entry.layer));
            self.advance_change_number(id)?;
            self.put(ENTRIES, id, &entry)?;
        }
        Ok(())
    }

    fn delete_entry(&mut self, id: &str) -> Result<bool, MemoryError> {
        self.drop_links(id)?;
        let layer = self.entry(id)?.map(|entry| entry.layer);
        self.changed_records.record_entry(id, layer);
        let exists = layer.is_some();
        if exists {
            self.change(ENTRIES, id, None)?;
            self.change(CHANGE_NUMBER, id, None)?;
            let deletions = self.deletions()? + 1;
            self.put(DELETIONS, "", &deletions)?;
            let number = self.change_number()? + 1;
            self.put(CHANGE_NUMBER, "", &number)?;
        }
        Ok(exists)
    }

    fn entry(&mut self, id: &str) -> Result<Option<Entry>, MemoryError> {
        self.get(ENTRIES, id)
    }

    fn with_duplicate_keys(&mut self, keys: &BTreeSet<String>) -> Result<Vec<Entry>, MemoryError> {
        let mut entries = self.entries(&Query::new(Layers::PERMANENT))?;
        entries.retain(|entry| duplicate_key(entry).is_some_and(|key| keys.contains(&key)));
        Ok(entries)
    }

    fn duplicates(&mut self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>, MemoryError> {
        self.find_duplicates(ids)
    }

    fn entries(&mut self, query: &Query) -> Result<Vec<Entry>, MemoryError> {
        self.find_entries(query)
    }

    fn counts(&mut self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError> {
        let all = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
        let mut counts: BTreeMap<(Layer, Kind, Status), u32> = BTreeMap::new();
        for entry in self.entries(&all)? {
            *counts.entry((entry.layer, entry.kind, entry.status)).or_default() += 1;
        }
        Ok(counts.into_iter().map(|((layer, kind, status), n)| (layer, kind, status, n)).collect())
    }

    fn change_number(&mut self) -> Result<i64, MemoryError> {
        Ok(self.get(CHANGE_NUMBER, "")?.unwrap_or_default())
    }

    fn deletions(&mut self) -> Result<i64, MemoryError> {
        Ok(self.get(DELETIONS, "")?.unwrap_or_default())
    }

    fn indexed(
        &mut self,
        after: Option<i64>,
        _: bool,
        take: &mut dyn FnMut(SearchData),
    ) -> Result<(), MemoryError> {
        let statuses = Status::ALL.to_vec();
        let query = Query { statuses, after, order: Order::Change, ..Query::new(Layers::ALL) };
        self.entries(&query)?.into_iter().map(indexed).for_each(take);
        Ok(())
    }

    fn sketches(
        &mut self,
        after: Option<i64>,
        take: &mut dyn FnMut(SketchRow),
    ) -> Result<(), MemoryError> {
        let statuses = Status::ALL.to_vec();
        for entry in self.entries(&Query { statuses, after, ..Query::new(Layers::PERMANENT) })? {
            take(SketchRow {
                row: row_of(&entry.id),
                kind: entry.kind,
                is_active: entry.status == Status::Active,
                sketch: sketch_of(entry.kind, &entry.content),
            });
        }
        Ok(())
    }

    fn entry_in_row(&mut self, row: i64) -> Result<Option<Entry>, MemoryError> {
        self.refresh()?;
        let found = self.range(ENTRIES, "").find(|(id, _)| row_of(id) == row);
        found.map(|(_, value)| read(value)).transpose()
    }

    fn has_postings(&self) -> bool {
        false
    }

    fn postings(&mut self, _: &str) -> Result<Vec<(i64, Counts)>, MemoryError> {
        Ok(Vec::new())
    }

    fn put_links(&mut self, from: &str, links: &Clean<Vec<Link>>) -> Result<(), MemoryError> {
        let layer = self.entry(from)?.map(|entry| entry.layer);
        self.changed_records.record_entry(from, layer);
        self.drop_links(from)?;
        for link in links.iter() {
            self.put(LINKS, &key(&[from, ">", link.relation.word(), &link.to]), link)?;
            self.put(LINKS, &key(&[&link.to, "<", link.relation.word(), from]), link)?;
        }
        Ok(())
    }

    fn links(&mut self, id: &str) -> Result<Vec<Link>, MemoryError> {
        self.refresh()?;
        let mut links: Vec<Link> = Vec::new();
        for (_, value) in self.range(LINKS, &key(&[id, ""])) {
            let link = read(value)?;
            if !links.contains(&link) {
                links.push(link);
            }
        }
        Ok(sorted(links))
    }

    fn superseded_by(&mut self, id: &str) -> Result<Vec<String>, MemoryError> {
        let links = self.links(id)?.into_iter();
        let superseding =
            links.filter(|link| link.relation == Relation::Supersedes && link.from == id);
        Ok(superseding.map(|link| link.to).collect())
    }

    fn superseding(&mut self, id: &str) -> Result<Vec<String>, MemoryError> {
        let links = self.links(id)?.into_iter();
        let superseding =
            links.filter(|link| link.relation == Relation::Supersedes && link.to == id);
        Ok(superseding.map(|link| link.from).collect())
    }

    fn all_links(&mut self) -> Result<Vec<Link>, MemoryError> {
        self.refresh()?;
        let outgoing = self.range(LINKS, "").filter(|(key, _)| is_outgoing(key));
        outgoing.map(|(_, link)| read(link)).collect::<Result<_, _>>().map(sorted)
    }

    fn conflict_candidates(&mut self) -> Result<ConflictCandidates, MemoryError> {
        let query = Query::new(Layers::PERMANENT);
        Ok(ConflictCandidates::from_entries(&self.entries(&query)?, self.all_links()?))
    }

    fn put_line(&mut self, line: &Clean<MirroredLine>) -> Result<(), MemoryError> {
        let line_key = key(&[&line.file, &line.line.rev]);
        self.put(LINES, &line_key, &**line)?;
        self.put(LINES_OF, &key(&[&line.line.id, &line.file, &line.line.rev]), &line_key)
    }

    fn set_present(&mut self, file: &str, rev: &str, present: bool) -> Result<(), MemoryError> {
        let line_key = key(&[file, rev]);
        if let Some(mut line) = self.get::<MirroredLine>(LINES, &line_key)? {
            line.present = present;
            self.put(LINES, &line_key, &line)?;
        }
        Ok(())
    }

    fn delete_line(&mut self, file: &str, rev: &str) -> Result<(), MemoryError> {
        let line_key = key(&[file, rev]);
        if let Some(line) = self.get::<MirroredLine>(LINES, &line_key)? {
            self.change(LINES_OF, &key(&[&line.line.id, file, rev]), None)?;
            self.change(LINES, &line_key, None)?;
        }
        Ok(())
    }

    fn lines_of(&mut self, id: &str) -> Result<Vec<MirroredLine>, MemoryError> {
        self.refresh()?;
        let line_keys: Vec<String> = self
            .range(LINES_OF, &key(&[id, ""]))
            .filter_map(|(_, line_key)| line_key.as_str().map(str::to_owned))
            .collect();
        let mut lines = Vec::new();
        for line_key in line_keys {
            lines.extend(self.get(LINES, &line_key)?);
        }
        Ok(lines)
    }

    fn has_lines(&mut self, id: &str) -> Result<bool, MemoryError> {
        self.refresh()?;
        Ok(self.range(LINES_OF, &key(&[id, ""])).next().is_some())
    }

    fn lines_in(&mut self, file: &str) -> Result<Vec<(String, String, bool)>, MemoryError> {
        self.refresh()?;
        self.range(LINES, &key(&[file, ""]))
            .map(|(_, value)| {
                let line: MirroredLine = read(value)?;
                Ok((line.line.rev, line.line.id, line.present))
            })
            .collect()
    }

    fn put_document(
        &mut self,
        table: Table,
        id: &str,
        at: i64,
        document: &Clean<Value>,
    ) -> Result<(), MemoryError> {
        self.changed_records.record_document(table, id, Some((at, Value::clone(document))));
        self.put(table.name(), id, &json!({"at": at, "document": **document}))
    }

    fn document(&mut self, table: Table, id: &str) -> Result<Option<Value>, MemoryError> {
        let row: Option<Value> = self.get(table.name(), id)?;
        Ok(row.map(|mut row| row["document"].take()))
    }

    fn documents(&mut self, table: Table) -> Result<Vec<Value>, MemoryError> {
        self.refresh()?;
        let mut rows: Vec<(i64, &str, &Value)> = self
            .range(table.name(), "")
            .map(|(id, row)| (row["at"].as_i64().unwrap_or_default(), id, &row["document"]))
            .collect();
        rows.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)));
        Ok(rows.into_iter().map(|(_, _, document)| document.clone()).collect())
    }

    fn sessions(&mut self, _: Sessions<'_>) -> Result<Vec<Value>, MemoryError> {
        // All sessions are already in RAM, so filtering here would save nothing.
        self.documents(Table::Sessions)
    }

    fn delete_document(&mut self, table: Table, id: &str) -> Result<bool, MemoryError> {
        let exists = self.document(table, id)?.is_some();
        if exists {
            self.changed_records.record_document(table, id, None);
            self.change(table.name(), id, None)?;
        }
        Ok(exists)
    }

    fn rows(
        &mut self,
        table: Table,
        prefix: &str,
    ) -> Result<Vec<(String, i64, Value)>, MemoryError> {
        self.refresh()?;
        let row = |(id, record): (&str, &Value)| {
            (id.to_owned(), record["at"].as_i64().unwrap_or_default(), record["document"].clone())
        };
        Ok(self.range(table.name(), prefix).map(row).collect())
    }

    fn writes(&mut self) -> Result<i64, MemoryError> {
        let known = self.document(Table::Meta, backup::LAST_WRITE_DOCUMENT)?;
        Ok(known.and_then(|number| number.as_i64()).unwrap_or_default())
    }

    fn set_writes(&mut self, number: i64) -> Result<(), MemoryError> {
        self.put(
            Table::Meta.name(),
            backup::LAST_WRITE_DOCUMENT,
            &json!({"at": 0, "document": number}),
        )
    }

    fn backup(&self) -> Option<PathBuf> {
        Some(backup::path_of(&self.path))
    }

    fn take_backup_fault(&mut self) -> Option<String> {
        self.backup_fault.take()
    }

    fn repair(&mut self) -> Result<bool, MemoryError> {
        // Search data is computed when a log is read.
        Ok(false)
    }

    fn check(&mut self) -> Result<Vec<String>, MemoryError> {
        match Self::new(self.path.clone()).read_all() {
            Err(MemoryError::Corrupt(why)) => Ok(vec![why]),
            other => other.map(|()| Vec::new()),
        }
    }

    fn is_set_aside(&self) -> bool {
        self.is_replaced()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}
