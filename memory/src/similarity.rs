//! Finds memories whose content is similar to that of a new memory, without comparing each memory.

mod mistakes;
mod sketch;

use super::MemoryError;
use super::brief::Brief;
use super::project::ProjectMemory;
use super::types::Kind;
use super::words::{error_key, pieces, similarity};
use mistakes::MistakeIndex;
pub(super) use mistakes::PieceCounts;
pub(crate) use sketch::{Sketch, SketchRow};
use std::collections::BTreeSet;

/// Minimum similarity of the memories that are reported on saving: half of all pieces (see
/// [`pieces`]) are shared. [`Sketch::can_be_similar`] has the same minimum.
const MIN_SIMILARITY: f64 = 0.5;
/// Maximum number of similar memories that are reported.
const MAX_REPORTED: usize = 3;

/// A memory that is similar to another.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarMemory {
    /// Id of the memory.
    pub id: String,
    /// The beginning of the content.
    pub title: String,
    /// Similarity, from 0 to 1.
    pub similarity: f64,
}

/// The pieces by which a memory of this type is compared.
fn compared_pieces(kind: Kind, content: &str) -> BTreeSet<u64> {
    match kind {
        Kind::Mistake => pieces(&error_key(content)),
        _ => pieces(content),
    }
}

/// Sketches of the permanent memories, as of the store's `change_number`. Only the few memories
/// whose sketch allows a similarity are read from the store.
#[derive(Debug, Default)]
pub(super) struct SimilarityIndex {
    change_number: Option<i64>,
    /// Number of memories that were deleted before the last update of this data: a deletion does
    /// not change the `change_number` of the store.
    deletions: i64,
    /// Ordered by row.
    rows: Vec<SketchRow>,
    mistakes: MistakeIndex,
}

impl SimilarityIndex {
    /// Replaces the sketches of changed memories.
    fn update(&mut self, mut changed: Vec<SketchRow>) {
        changed.sort_unstable_by_key(|row| row.row);
        if self.rows.is_empty() {
            self.rows = changed;
            return;
        }
        for row in changed {
            match self.rows.binary_search_by_key(&row.row, |own| own.row) {
                Ok(at) => self.rows[at] = row,
                Err(at) => self.rows.insert(at, row),
            }
        }
    }

    /// The rows of the active memories of a type that can be similar to a memory.
    fn candidates(&self, kind: Kind, sketch: &Sketch) -> impl Iterator<Item = i64> {
        let is_candidate = move |row: &&SketchRow| {
            row.is_active && row.kind == kind && row.sketch.can_be_similar(sketch)
        };
        self.rows.iter().filter(is_candidate).map(|row| row.row)
    }
}

impl ProjectMemory {
    /// Returns the number of active permanent mistakes, and the number of mistakes that contain
    /// each of `pieces`.
    pub(super) fn piece_counts(
        &mut self,
        pieces: &BTreeSet<u64>,
    ) -> Result<PieceCounts, MemoryError> {
        self.read(&mut |_| Ok(()))?;
        self.similarity.mistakes.refresh(&mut *self.store)?;
        Ok(self.similarity.mistakes.piece_counts(pieces))
    }

    /// Returns the mistakes whose shared pieces have the highest total weight, as of the last call
    /// of [`Self::piece_counts`].
    pub(super) fn mistakes_sharing(&self, weights: &[(u64, f64)], limit: usize) -> Vec<String> {
        self.similarity.mistakes.find_sharing(weights, limit)
    }

    /// The active memories of a type that are similar to `content`, most similar first.
    pub(super) fn similar(
        &mut self,
        kind: Kind,
        content: &str,
    ) -> Result<Vec<SimilarMemory>, MemoryError> {
        self.refresh_sketches()?;
        let own = compared_pieces(kind, content);
        let rows: Vec<i64> = self.similarity.candidates(kind, &Sketch::new(&own)).collect();
        let mut found = Vec::new();
        for row in rows {
            let Some(entry) = self.store.entry_in_row(row)? else { continue };
            let similarity = similarity(&own, &compared_pieces(kind, &entry.content));
            if similarity >= MIN_SIMILARITY {
                found.push((similarity, entry));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
        found.truncate(MAX_REPORTED);
        let similar = found.into_iter().map(|(similarity, entry)| {
            let brief = Brief::from(entry);
            let title = brief.entry.title(80) + &brief.marks();
            SimilarMemory { title, id: brief.entry.id, similarity }
        });
        Ok(similar.collect())
    }

    /// Updates the sketches from the store.
    fn refresh_sketches(&mut self) -> Result<(), MemoryError> {
        let store = &mut *self.store;
        let (change_number, deletions) = (store.change_number()?, store.deletions()?);
        if self.similarity.deletions != deletions {
            self.similarity.change_number = None;
            self.similarity.rows.clear();
        }
        if self.similarity.change_number == Some(change_number) {
            return Ok(());
        }
        let mut changed = Vec::new();
        store.sketches(self.similarity.change_number, &mut |row| changed.push(row))?;
        self.similarity.update(changed);
        (self.similarity.change_number, self.similarity.deletions) =
            (Some(change_number), deletions);
        Ok(())
    }
}

/// The sketch of a memory.
pub(crate) fn sketch_of(kind: Kind, content: &str) -> Sketch {
    Sketch::new(&compared_pieces(kind, content))
}

#[cfg(test)]
mod tests;
