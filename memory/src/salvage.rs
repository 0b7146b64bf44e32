//! Recovers the data of a damaged or lost store that the tracked files do not contain: sessions,
//! observations, lifecycles and memories saved for this checkout only. First, the backup of the
//! store is restored into the current store; then, the readable records of the damaged store are
//! added.

use super::MemoryError;
use super::mirror;
use super::privacy::Gate;
use super::project::ProjectMemory;
use super::records::{Lifecycle, SessionState};
use super::store::backup::{self, Backup, Change};
use super::store::salvage::{self, RecoveredRecords};
use super::store::{Durability, MirroredLine, StorageBackend, Table, lock, transaction};
use super::times;
use super::types::{Entry, Layer, Link};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Numbers of recovered records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecoveredCounts {
    sessions: usize,
    observations: usize,
    saved: usize,
    lifecycles: usize,
    statistics: usize,
    /// Lines of tracked files. The files usually still contain these lines, unless a file was
    /// deleted.
    lines: usize,
}

impl RecoveredCounts {
    fn count_document(&mut self, table: Table) {
        match table {
            Table::Sessions => self.sessions += 1,
            Table::Lifecycles => self.lifecycles += 1,
            Table::Analytics => self.statistics += 1,
            Table::Meta => {}
        }
    }

    fn count_entry(&mut self, layer: Layer) {
        match layer {
            Layer::Session => self.observations += 1,
            Layer::Local | Layer::Permanent => self.saved += 1,
        }
    }

    /// The numbers as text; empty when nothing was recovered.
    fn summary(&self) -> String {
        let summary = [
            (self.sessions, "session", "sessions"),
            (self.observations, "observation", "observations"),
            (self.saved, "other memory of this checkout", "other memories of this checkout"),
            (self.lifecycles, "lifecycle", "lifecycles"),
            (self.statistics, "statistics record", "statistics records"),
            (self.lines, "line of tracked files", "lines of tracked files"),
        ];
        let summary = summary.iter().filter(|(n, ..)| *n > 0);
        let summary = summary.map(|(n, singular, plural)| {
            format!("{n} {}", if *n == 1 { singular } else { plural })
        });
        summary.collect::<Vec<_>>().join(", ")
    }
}

/// The table and the id of a record.
type Key = (String, String);

impl ProjectMemory {
    /// Restores what the store has lost, from its backup and from damaged stores that were not
    /// examined yet. Never fails: the remains of a damaged store must not prevent the use of
    /// an intact store.
    pub(super) fn salvage(&mut self) {
        let folder = self.root().join(".aidd");
        if self.unwritable.is_some() {
            return;
        }
        let mut notices = Vec::new();
        let now = self.now();
        let is_damaged = salvage::is_pending(&folder);
        let (store, gate) = self.store_and_gate();
        notices.extend(set_damaged_backup_aside(store, now));
        let deleted = restore_backup(store, gate, is_damaged, &mut notices);
        if is_damaged {
            let has_backup =
                store.backup().is_some_and(|path| backup::last_number(&path).is_some());
            let done = salvage::salvage_each(&folder, &mut |path, mut records| {
                records.drop_deleted(&deleted);
                let lost = records.lost;
                let recovered = transaction(store, Durability::Full, &mut |store| {
                    recover_records(store, gate, &records)
                })?;
                notices.push(recovery_notice(path, recovered, lost, has_backup));
                Ok(())
            });
            if let Err(error) = done {
                let notice =
                    format!("the records of a damaged store could not be recovered: {error}");
                notices.push(notice);
            }
        }
        if !notices.is_empty() {
            self.add_notices(notices);
            self.report_tracked();
        }
    }
}

/// Moves a backup without any readable line aside, so that the next write creates a new one; returns
/// a notice for the user.
fn set_damaged_backup_aside(store: &mut dyn StorageBackend, now: i64) -> Option<String> {
    let path = store.backup()?;
    if !backup::is_damaged(&path) {
        return None;
    }
    let lost = match store.writes() {
        Ok(0) => format!(
            "{} was missing or empty, and nothing could be restored: ",
            store.path().display()
        ),
        _ => String::new(),
    };
    let _lock = lock::take(&store.path().with_extension("lock")).ok()?;
    // Another process could have replaced the backup.
    if !backup::is_damaged(&path) {
        return None;
    }
    let moved = match lock::set_damaged_aside(&path, &[""], now) {
        Ok(aside) => format!("it was moved to {}", aside.display()),
        Err(error) => format!("it cannot be moved: {error}"),
    };
    Some(format!("{lost}the backup {} is damaged; {moved}", path.display()))
}

/// Restores the records of the backup that the store does not have; returns the records that the
/// backup lists as deleted.
fn restore_backup(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    is_damaged: bool,
    notices: &mut Vec<String>,
) -> BTreeSet<Key> {
    let Some(path) = store.backup() else { return BTreeSet::new() };
    let Some(last) = backup::last_number(&path) else { return BTreeSet::new() };
    // Errors of the store are reported by the next read.
    if store.writes().is_ok_and(|known| known >= last) {
        return BTreeSet::new();
    }
    let restored = backup::read(&path).and_then(|backup| {
        let done = transaction(store, Durability::Full, &mut |store| {
            let known = store.writes()?;
            let recovered = if known < backup.last {
                apply_changes(store, gate, &backup, known)?
            } else {
                // Another process has restored the backup.
                RecoveredCounts::default()
            };
            Ok((known, recovered))
        })?;
        Ok((backup, done))
    });
    let (backup, (known, recovered)) = match restored {
        Ok(restored) => restored,
        Err(error) => {
            notices.push(format!("the backup of the store could not be restored: {error}"));
            return BTreeSet::new();
        }
    };
    let summary = recovered.summary();
    if !summary.is_empty() {
        let missing = match known {
            _ if is_damaged => String::new(),
            0 => format!("{} was missing or empty; ", store.path().display()),
            known => {
                let behind = backup.last - known;
                let writes = if behind == 1 { "write" } else { "writes" };
                format!("{} had lost its last {behind} {writes}; ", store.path().display())
            }
        };
        let unread = match backup.lost {
            0 => String::new(),
            1 => "; 1 line of the backup could not be read".to_owned(),
            lost => format!("; {lost} lines of the backup could not be read"),
        };
        notices.push(format!(
            "{missing}restored from {}: {summary}; the backup is complete up to {} UTC; changes \
             after that time may have been lost{unread}",
            path.display(),
            times::moment(backup.written)
        ));
    }
    let deleted = backup.changes.iter().filter_map(|(_, change)| match change {
        Change::Deleted { table, id } => Some((table.clone(), id.clone())),
        _ => None,
    });
    deleted.collect()
}

/// Applies the changes of a backup that are later than write number `known`. All data is treated as
/// untrusted.
fn apply_changes(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    backup: &Backup,
    known: i64,
) -> Result<RecoveredCounts, MemoryError> {
    let mut recovered = RecoveredCounts::default();
    for (_, change) in backup.changes.iter().filter(|(number, _)| *number > known) {
        match change {
            Change::Entry { entry, links } => {
                let before = store.entry(&entry.id)?;
                // Data in a new store is newer than its backup.
                let is_current = before.as_ref().is_some_and(|before| {
                    known == 0 || before.layer == Layer::Permanent || *before == **entry
                });
                if is_current || entry.id.is_empty() || entry.layer == Layer::Permanent {
                    continue;
                }
                put_recovered(store, gate, entry, links, &mut recovered)?;
            }
            Change::Document { table, id, at, document } => {
                let table = Table::ALL.into_iter().find(|known| known.name() == table);
                let Some(table) = table.filter(|table| is_valid(*table, id, document)) else {
                    continue;
                };
                let before = store.document(table, id)?;
                if before.is_some_and(|before| known == 0 || before == *document) {
                    continue;
                }
                let Ok(document) = gate.clean(document) else { continue };
                store.put_document(table, id, *at, &document)?;
                recovered.count_document(table);
            }
            Change::Deleted { table, id } if table == backup::ENTRIES => {
                let is_local = store.entry(id)?.is_some_and(|own| own.layer != Layer::Permanent);
                if known > 0 && is_local {
                    store.delete_entry(id)?;
                }
            }
            Change::Deleted { table, id } => {
                let table = Table::ALL.into_iter().find(|known| known.name() == table);
                if let Some(table) = table.filter(|table| known > 0 && *table != Table::Meta) {
                    store.delete_document(table, id)?;
                }
            }
        }
    }
    store.set_writes(backup.last)?;
    Ok(recovered)
}

/// Stores a memory and the links from it. A memory that the gate rejects is skipped.
fn put_recovered(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    entry: &Entry,
    links: &Vec<Link>,
    recovered: &mut RecoveredCounts,
) -> Result<(), MemoryError> {
    let Ok(clean) = gate.clean(entry) else { return Ok(()) };
    store.put_entry(&clean)?;
    if let Ok(links) = gate.clean(links) {
        store.put_links(&entry.id, &links)?;
    }
    recovered.count_entry(entry.layer);
    Ok(())
}

fn recovery_notice(
    path: &Path,
    recovered: RecoveredCounts,
    lost: usize,
    has_backup: bool,
) -> String {
    let mut notice = match &*recovered.summary() {
        "" => format!("no other data was found in {}", path.display()),
        summary => format!("recovered from {}: {summary}", path.display()),
    };
    if lost > 0 {
        notice += &format!("; {lost} of its records could not be read");
    }
    if !has_backup {
        notice += "; the store had no backup, so all other data that was only in it is lost";
    }
    notice
}

/// Stores the records that the store does not have. All data is treated as untrusted.
pub(super) fn recover_records(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    records: &RecoveredRecords,
) -> Result<RecoveredCounts, MemoryError> {
    let mut recovered = RecoveredCounts::default();
    for (table, id, at, document) in &records.documents {
        if is_valid(*table, id, document) && store.document(*table, id)?.is_none() {
            // A document that the gate rejects is skipped.
            let Ok(document) = gate.clean(document) else { continue };
            store.put_document(*table, id, *at, &document)?;
            recovered.count_document(*table);
        }
    }
    for entry in records.entries.iter().filter(|entry| entry.layer != Layer::Permanent) {
        if entry.id.is_empty() || store.entry(&entry.id)?.is_some() {
            continue;
        }
        put_recovered(store, gate, entry, &links_from(entry, &records.links), &mut recovered)?;
    }
    let lines: Vec<&MirroredLine> =
        records.lines.iter().filter(|line| line.line.is_sealed()).collect();
    recovered.lines = mirror::restore(store, gate, &lines)?;
    Ok(recovered)
}

fn links_from(entry: &Entry, links: &[Link]) -> Vec<Link> {
    links.iter().filter(|link| link.from == entry.id && !link.to.is_empty()).cloned().collect()
}

/// Whether a document is valid for its table, under its own id. Metadata of the store and of the
/// tracked files is out of date and is not restored.
fn is_valid(table: Table, id: &str, document: &Value) -> bool {
    let has_id = document.get("id").and_then(Value::as_str) == Some(id);
    has_id
        && match table {
            Table::Meta => false,
            Table::Sessions => serde_json::from_value::<SessionState>(document.clone()).is_ok(),
            Table::Lifecycles => serde_json::from_value::<Lifecycle>(document.clone()).is_ok(),
            Table::Analytics => true,
        }
}
