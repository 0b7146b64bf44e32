//! What was read of the memory packs, and what their quality gate blocked. The server and the hooks
//! write this log, so that no agent has to keep it.

use super::MemoryError;
use super::project::ProjectMemory;
use super::store::{Durability, Table};
use aidd_engine::parse::lines::id;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The names of the records in the table.
const READ: &str = "read";
const GATE: &str = "gate";

/// Who noted a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// The server served a pack.
    #[default]
    Server,
    /// A hook saw that an agent read a whole file.
    Hook,
}

/// A pack or document that was read on a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PackRead {
    /// The path of the pack or document.
    pub path: String,
    /// The ticket of the packs.
    pub ticket: String,
    /// Who noted the read.
    pub by: Reader,
    /// Whether a pack covers the document, so that the pack could have been read instead.
    pub is_covered: bool,
    /// Number of reads that were noted.
    pub count: u64,
    /// The first read, in milliseconds since 1970.
    pub first: i64,
    /// The last read, in milliseconds since 1970.
    pub last: i64,
}

/// What the gate did for a ticket at the end of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GateRecord {
    /// The ticket of the packs.
    pub ticket: String,
    /// The phase at whose end the gate was checked.
    pub phase: String,
    /// The reason codes of the last block.
    pub codes: Vec<String>,
    /// Why a person waived the gate, and who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiver: Option<String>,
    /// Time of the last change, in milliseconds since 1970.
    pub at: i64,
}

/// How often the gate blocked, and how often a person found that it should not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GateFigures {
    /// Number of phases of tickets that the gate blocked.
    pub blocked: usize,
    /// Number of these that a person waived.
    pub waived: usize,
}

impl GateFigures {
    /// The share of blocks that were waived, in percent; `None` without blocks.
    #[must_use]
    pub fn false_block_rate(self) -> Option<usize> {
        (self.blocked > 0).then(|| 100 * self.waived / self.blocked)
    }
}

impl ProjectMemory {
    fn log_entries<T: for<'de> Deserialize<'de>>(
        &mut self,
        name: &str,
    ) -> Result<Vec<T>, MemoryError> {
        let prefix = format!("{name}_");
        let mut rows = self.read(&mut |store| store.rows(Table::Analytics, &prefix))?;
        rows.sort_by(|a, b| (b.1, &b.0).cmp(&(a.1, &a.0)));
        let figures = rows.into_iter().map(|(.., mut document)| document["figures"].take());
        Ok(figures.filter_map(|figures| serde_json::from_value(figures).ok()).collect())
    }

    fn put_log_entry(
        &mut self,
        name: &str,
        key: &[&str],
        at: i64,
        figures: &Value,
    ) -> Result<(), MemoryError> {
        let id = format!("{name}_{}", id::digest(key));
        let document = json!({"id": id, "name": name, "at": at, "figures": figures});
        self.write(Durability::Normal, &mut |store, gate| {
            store.put_document(Table::Analytics, &id, at, &gate.clean(&document)?)
        })
    }

    /// Notes that a pack, or a document that a pack covers, was read.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn note_pack_read(
        &mut self,
        ticket: &str,
        path: &str,
        by: Reader,
        is_covered: bool,
    ) -> Result<(), MemoryError> {
        let at = self.now();
        let known = self.pack_reads(ticket)?.into_iter().find(|read| read.path == path);
        let first = known.as_ref().map_or(at, |known| known.first);
        let count = known.map_or(0, |known| known.count) + 1;
        let (path, ticket) = (path.to_owned(), ticket.to_owned());
        let read = PackRead { path, ticket, by, is_covered, count, first, last: at };
        self.put_log_entry(READ, &[&read.ticket, &read.path], at, &json!(read))
    }

    /// What was read of the packs of a ticket, in the order of the first reads.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pack_reads(&mut self, ticket: &str) -> Result<Vec<PackRead>, MemoryError> {
        let mut reads: Vec<PackRead> = self.log_entries(READ)?;
        reads.retain(|read| read.ticket == ticket);
        reads.sort_by(|a, b| (a.first, &a.path).cmp(&(b.first, &b.path)));
        Ok(reads)
    }

    /// Notes that the gate blocked a phase or, with `waiver`, that a person waived it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn note_pack_gate(
        &mut self,
        ticket: &str,
        phase: &str,
        codes: &[String],
        waiver: Option<&str>,
    ) -> Result<(), MemoryError> {
        let at = self.now();
        let record = GateRecord {
            ticket: ticket.to_owned(),
            phase: phase.to_owned(),
            codes: codes.to_vec(),
            waiver: waiver.map(str::to_owned),
            at,
        };
        self.put_log_entry(GATE, &[ticket, phase], at, &json!(record))
    }

    /// What the gate did, by ticket and phase.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pack_gates(&mut self) -> Result<Vec<GateRecord>, MemoryError> {
        self.log_entries(GATE)
    }

    /// The waiver of the gate for a ticket and phase.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn pack_waiver(
        &mut self,
        ticket: &str,
        phase: &str,
    ) -> Result<Option<String>, MemoryError> {
        let records = self.pack_gates()?.into_iter();
        let mut own = records.filter(|record| record.ticket == ticket && record.phase == phase);
        Ok(own.find_map(|record| record.waiver))
    }

    /// How often the gate blocked, and how often it was waived.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn gate_figures(&mut self) -> Result<GateFigures, MemoryError> {
        let records = self.pack_gates()?;
        let waived = records.iter().filter(|record| record.waiver.is_some()).count();
        Ok(GateFigures { blocked: records.len(), waived })
    }
}
