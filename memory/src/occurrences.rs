//! Occurrences of mistakes: an error that is saved again is counted.

use super::MemoryError;
use super::kinds::Mistake;
use super::log::{OCCURRENCES, Op, Revision};
use super::permanent::{NewMemory, Saved};
use super::project::{Drafted, ProjectMemory};
use super::types::Kind;
use serde_json::Value;

/// Minimum similarity, ignoring variable parts, at which two errors are the same mistake.
const MIN_SAME_ERROR: f64 = 0.85;

impl ProjectMemory {
    /// Drafts a mistake, or another occurrence of a mistake with the same error.
    pub(super) fn draft_mistake(
        &mut self,
        new: &NewMemory<Mistake>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let similar = self.similar(Kind::Mistake, &new.content)?;
        let known = similar.first().filter(|first| first.similarity >= MIN_SAME_ERROR);
        let Some(known) = known.cloned() else {
            let revision = self.draft(Kind::Mistake, new)?;
            let id = revision.id.clone();
            let saved =
                Saved { id, is_new: true, similar, occurrences: Some(1), ..Saved::default() };
            return Ok((vec![revision], saved));
        };
        self.draft_occurrence(&known.id, new)
    }

    /// Drafts the revisions that count an occurrence of the mistake `id` and add its new fields.
    fn draft_occurrence(
        &mut self,
        id: &str,
        new: &NewMemory<Mistake>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let entry = self.permanent(id)?;
        let at = self.now();
        // The field is read individually, because an invalid value in another field must not
        // prevent counting.
        let occurrences = entry.metadata.get(OCCURRENCES).and_then(Value::as_u64).unwrap_or(1);
        let nonce = self.new_id("seen", at, id);
        let mut occurrence = Revision::first(Kind::Mistake, id.to_owned(), at, "");
        occurrence.op = Op::Seen;
        occurrence.session_id.clone_from(&new.session_id);
        occurrence.branch.clone_from(&new.branch);
        // The nonce distinguishes occurrences in the same millisecond.
        occurrence.extra.insert("nonce".to_owned(), nonce.into());
        let (mut revisions, saved) = self.draft_known(&entry, new)?;
        revisions.insert(0, occurrence);
        Ok((revisions, Saved { occurrences: Some(occurrences.saturating_add(1)), ..saved }))
    }
}
