//! Changes of conventions that another log writes: the lines are prepared here, and whoever has them
//! appends them to their file together with its own records.

use super::MemoryError;
use super::kinds::Convention;
use super::log::{self, Revision};
use super::permanent::NewMemory;
use super::project::{Drafted, ProjectMemory};
use super::types::{Entry, Kind, Status};

/// Lines that are not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Id of the memory.
    pub id: String,
    /// The tracked file, relative to the root.
    pub path: &'static str,
    /// The lines, each with its end; empty if nothing changes.
    pub lines: String,
}

impl ProjectMemory {
    /// Prepares a new convention. There is nothing to write if a convention has the same text.
    ///
    /// # Errors
    /// When the content is empty, or the store cannot be read.
    pub fn prepare_convention(
        &mut self,
        new: &NewMemory<Convention>,
    ) -> Result<Prepared, MemoryError> {
        let new = self.cleaned(new)?;
        let (id, revisions) = self.prepare(&mut |memory| {
            let (revisions, saved) = memory.draft_convention(&new)?;
            Ok((if saved.is_new { revisions } else { Vec::new() }, saved.id))
        })?;
        self.prepared(id, &revisions)
    }

    /// Prepares the removal of a convention: see [`ProjectMemory::remove`].
    ///
    /// # Errors
    /// When there is no such convention.
    pub fn prepare_removal(
        &mut self,
        id: &str,
        reason: Option<&str>,
    ) -> Result<Prepared, MemoryError> {
        let (id, revisions) = self.prepare(&mut |memory| {
            let entry = memory.permanent_of_kind(Kind::Convention, id)?;
            let parents = log::tips(&memory.present(id)?);
            let reason = reason.map(str::to_owned);
            Ok((vec![Revision::removal(&entry, parents, memory.now(), reason)], id.to_owned()))
        })?;
        self.prepared(id, &revisions)
    }

    /// The convention with this id, unless it was removed, and its lines.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn convention_lines(
        &mut self,
        id: &str,
    ) -> Result<Option<(Entry, Vec<Revision>)>, MemoryError> {
        let entry = self.read(&mut |store| store.entry(id))?;
        let Some(entry) = entry.filter(|entry| entry.status != Status::Removed) else {
            return Ok(None);
        };
        match self.history(id) {
            Ok(lines) => Ok(Some((entry, lines))),
            Err(MemoryError::Unknown { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn prepare(
        &mut self,
        draft: &mut dyn FnMut(&mut Self) -> Result<Drafted<String>, MemoryError>,
    ) -> Result<(String, Vec<Revision>), MemoryError> {
        self.refuse_unwritable()?;
        // Lines of a file that was deleted stay in effect, but only until the file is written.
        self.export(false)?;
        let _lock = self.journal.lock()?;
        let (revisions, id) = self.run_with_repair(&mut |memory| {
            memory.refresh_locked()?;
            draft(memory)
        })?;
        Ok((id, revisions))
    }

    fn prepared(&self, id: String, revisions: &[Revision]) -> Result<Prepared, MemoryError> {
        let mut lines = String::new();
        for revision in revisions {
            lines += &self.gate.clean(revision)?.into_inner().with_rev().line();
            lines.push('\n');
        }
        let path = Kind::Convention.file().and_then(|file| self.journal.path_of(file));
        Ok(Prepared { id, path: path.unwrap_or_default(), lines })
    }
}
