//! What a damaged store held and the tracked files do not: sessions, observations, lifecycles, what
//! was saved for this checkout only. All of it that can still be read goes into the new store.

use super::MemoryError;
use super::mirror;
use super::privacy::Gate;
use super::project::ProjectMemory;
use super::records::{Lifecycle, SessionState};
use super::store::salvage::{self, Remains};
use super::store::{Durability, Mirrored, StorageBackend, Table, transaction};
use super::types::{Entry, Layer, Link};
use serde_json::Value;
use std::path::Path;

/// What was carried over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    sessions: usize,
    observations: usize,
    saved: usize,
    lifecycles: usize,
    /// Of tracked files. Most of these are read again anyway; of a file that is gone, none is.
    lines: usize,
}

impl ProjectMemory {
    /// Carries what can be read of damaged stores over to this one. Never fails: what is left of a
    /// damaged store must not keep anyone from a whole one.
    pub(super) fn salvage(&mut self) {
        let folder = self.root().join(".aidd");
        if self.unwritable.is_some() || !salvage::is_pending(&folder) {
            return;
        }
        let mut notices = Vec::new();
        let (store, gate) = self.store_and_gate();
        let done = salvage::each(&folder, &mut |path, remains| {
            let lost = remains.lost;
            let carried =
                transaction(store, Durability::Full, &mut |store| carry(store, gate, &remains))?;
            notices.push(notice(path, carried, lost));
            Ok(())
        });
        if let Err(error) = done {
            notices.push(format!("what a damaged store held could not be carried over: {error}"));
        }
        self.add_notices(notices);
    }
}

fn notice(path: &Path, carried: Carried, lost: usize) -> String {
    let counted = [
        (carried.sessions, "sessions"),
        (carried.observations, "observations"),
        (carried.saved, "other memories of this checkout"),
        (carried.lifecycles, "lifecycles"),
        (carried.lines, "lines of tracked files"),
    ];
    let counted: Vec<String> =
        counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let mut notice = match &counted[..] {
        [] => format!("nothing else was left in {}", path.display()),
        counted => format!("carried over from {}: {}", path.display(), counted.join(", ")),
    };
    if lost > 0 {
        notice += &format!("; {lost} of its records could not be read");
    }
    notice
}

/// Puts into the store what it does not have. Everything is looked at as if a stranger had written
/// it.
pub(super) fn carry(
    store: &mut dyn StorageBackend,
    gate: &Gate,
    remains: &Remains,
) -> Result<Carried, MemoryError> {
    let mut carried = Carried::default();
    for (table, id, at, document) in &remains.documents {
        if is_whole(*table, id, document) && store.document(*table, id)?.is_none() {
            // What the gate refuses is left behind.
            let Ok(document) = gate.clean(document) else { continue };
            store.put_document(*table, id, *at, &document)?;
            match table {
                Table::Sessions => carried.sessions += 1,
                Table::Lifecycles => carried.lifecycles += 1,
                Table::Meta | Table::Analytics => {}
            }
        }
    }
    for entry in remains.entries.iter().filter(|entry| entry.layer != Layer::Permanent) {
        if entry.id.is_empty() || store.entry(&entry.id)?.is_some() {
            continue;
        }
        let Ok(clean) = gate.clean(entry) else { continue };
        store.put_entry(&clean)?;
        let links = links_from(entry, &remains.links);
        if let Ok(links) = gate.clean(&links) {
            store.put_links(&entry.id, &links)?;
        }
        match entry.layer {
            Layer::Session => carried.observations += 1,
            Layer::Local | Layer::Permanent => carried.saved += 1,
        }
    }
    let lines: Vec<&Mirrored> = remains.lines.iter().filter(|line| line.line.is_sealed()).collect();
    carried.lines = mirror::restore(store, gate, &lines)?;
    Ok(carried)
}

fn links_from(entry: &Entry, links: &[Link]) -> Vec<Link> {
    links.iter().filter(|link| link.from == entry.id && !link.to.is_empty()).cloned().collect()
}

/// Whether a document is what its table holds, under its own id. What the store knew of itself and
/// of the tracked files is no longer true.
fn is_whole(table: Table, id: &str, document: &Value) -> bool {
    let own = document.get("id").and_then(Value::as_str) == Some(id);
    own && match table {
        Table::Meta => false,
        Table::Sessions => serde_json::from_value::<SessionState>(document.clone()).is_ok(),
        Table::Lifecycles => serde_json::from_value::<Lifecycle>(document.clone()).is_ok(),
        Table::Analytics => true,
    }
}
