//! Finds memories whose content is similar to that of a new memory, without comparing each memory.

use super::MemoryError;
use super::brief::Brief;
use super::project::ProjectMemory;
use super::store::{Layers, Order, Query};
use super::types::{Kind, Status};
use super::words::{error_key, pieces, similarity};
use std::collections::{BTreeSet, HashMap};

/// Minimum similarity of the memories that are reported on saving: half of all pieces (see
/// [`pieces`]) are shared.
const MIN_SIMILARITY: f64 = 0.5;
/// Maximum number of similar memories that are reported.
const MAX_REPORTED: usize = 3;
/// The index is rebuilt when more than this number of entries, and more than a quarter of all
/// entries, are out of date.
const MIN_STALE_ENTRIES: usize = 64;

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

/// Comparison data of active permanent memories, as of the store's `change_number`.
#[derive(Debug, Default)]
pub(super) struct SimilarityIndex {
    change_number: i64,
    /// Number of memories that were deleted before the last update of this data: a deletion does
    /// not change the `change_number` of the store.
    deletions: i64,
    /// The memories in order of insertion; `None` for memories that were changed or deleted since.
    known: Vec<Option<IndexedMemory>>,
    /// Number of pieces of each memory; a separate list because it is read most often.
    lengths: Vec<usize>,
    /// The position of each memory in `known`, by id.
    positions: HashMap<String, usize>,
    /// The memories that contain each piece.
    by_piece: HashMap<u64, Vec<usize>>,
}

#[derive(Debug)]
struct IndexedMemory {
    id: String,
    kind: Kind,
    pieces: BTreeSet<u64>,
}

/// The pieces by which a memory of this type is compared.
fn compared_pieces(kind: Kind, content: &str) -> BTreeSet<u64> {
    match kind {
        Kind::Mistake => pieces(&error_key(content)),
        _ => pieces(content),
    }
}

impl SimilarityIndex {
    /// Whether many entries belong to deleted memories or to previous contents.
    fn is_sparse(&self) -> bool {
        let stale = self.known.len() - self.positions.len();
        stale > MIN_STALE_ENTRIES && stale * 4 > self.known.len()
    }

    fn remove(&mut self, id: &str) {
        if let Some(position) = self.positions.remove(id) {
            self.known[position] = None;
        }
    }

    fn put(&mut self, id: String, kind: Kind, content: &str) {
        self.remove(&id);
        let pieces = compared_pieces(kind, content);
        let position = self.known.len();
        for piece in &pieces {
            self.by_piece.entry(*piece).or_default().push(position);
        }
        self.positions.insert(id.clone(), position);
        self.lengths.push(pieces.len());
        self.known.push(Some(IndexedMemory { id, kind, pieces }));
    }

    /// The most similar memories of a type, with their similarity.
    fn most_similar(&self, kind: Kind, content: &str) -> Vec<(f64, String)> {
        let new_pieces = compared_pieces(kind, content);
        let positions_of_piece =
            |piece: &u64| self.by_piece.get(piece).map_or(&[][..], Vec::as_slice);
        let mut rarest: Vec<&u64> = new_pieces.iter().collect();
        rarest.sort_by_key(|piece| positions_of_piece(piece).len());
        // Two sets of n and m pieces are similar if they share a third of n + m. A memory without
        // the rarest pieces can share only the remaining pieces. For common pieces, therefore, only
        // the few memories that are short enough to be similar are checked.
        let mut candidates: BTreeSet<usize> = BTreeSet::new();
        for (index, piece) in rarest.iter().enumerate() {
            let max_shared = new_pieces.len() - index;
            // A similar memory has at least half as many pieces as the new memory.
            if 2 * max_shared < new_pieces.len() {
                break;
            }
            let can_be_similar =
                |position: &&usize| 3 * max_shared >= new_pieces.len() + self.lengths[**position];
            candidates.extend(positions_of_piece(piece).iter().filter(can_be_similar));
        }
        let mut similar: Vec<(f64, String)> = candidates
            .into_iter()
            .filter_map(|position| self.known[position].as_ref())
            .filter(|known| known.kind == kind)
            .map(|known| (similarity(&new_pieces, &known.pieces), known.id.clone()))
            .filter(|(score, _)| *score >= MIN_SIMILARITY)
            .collect();
        similar.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        similar.truncate(MAX_REPORTED);
        similar
    }
}

/// The number of memories of a type, and for each requested piece the number of memories that
/// contain the piece.
#[derive(Debug, Default)]
pub(super) struct PieceCounts {
    pub(super) memories: u32,
    pub(super) by_piece: HashMap<u64, u32>,
}

impl SimilarityIndex {
    fn positions_of(&self, kind: Kind, piece: u64) -> impl Iterator<Item = usize> {
        let positions = self.by_piece.get(&piece).map_or(&[][..], Vec::as_slice);
        let has_kind = move |position: &usize| {
            self.known[*position].as_ref().is_some_and(|known| known.kind == kind)
        };
        positions.iter().copied().filter(has_kind)
    }

    fn piece_counts(&self, kind: Kind, pieces: &BTreeSet<u64>) -> PieceCounts {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let by_piece =
            pieces.iter().map(|piece| (*piece, count(self.positions_of(kind, *piece).count())));
        let memories = self.known.iter().flatten().filter(|known| known.kind == kind).count();
        PieceCounts { memories: count(memories), by_piece: by_piece.collect() }
    }

    /// The memories of a type whose shared pieces have the highest total weight.
    fn find_sharing(&self, kind: Kind, weights: &[(u64, f64)], limit: usize) -> Vec<String> {
        let mut shared: HashMap<usize, f64> = HashMap::new();
        for (piece, weight) in weights {
            for position in self.positions_of(kind, *piece) {
                *shared.entry(position).or_default() += weight;
            }
        }
        let mut shared: Vec<(usize, f64)> = shared.into_iter().collect();
        shared.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        shared.truncate(limit);
        let id = |(position, _): (usize, f64)| {
            self.known[position].as_ref().map(|known| known.id.clone())
        };
        shared.into_iter().filter_map(id).collect()
    }
}

impl ProjectMemory {
    /// Returns the number of active permanent memories of a type, and the number of memories that
    /// contain each of `pieces`.
    pub(super) fn piece_counts(
        &mut self,
        kind: Kind,
        pieces: &BTreeSet<u64>,
    ) -> Result<PieceCounts, MemoryError> {
        self.read(&mut |_| Ok(()))?;
        self.refresh_similarity_index()?;
        Ok(self.similarity.piece_counts(kind, pieces))
    }

    /// Returns the memories of a type whose shared pieces have the highest total weight, as of the
    /// last call of [`Self::piece_counts`].
    pub(super) fn find_sharing(
        &self,
        kind: Kind,
        weights: &[(u64, f64)],
        limit: usize,
    ) -> Vec<String> {
        self.similarity.find_sharing(kind, weights, limit)
    }

    /// The active memories of a type that are similar to `content`, most similar first.
    pub(super) fn similar(
        &mut self,
        kind: Kind,
        content: &str,
    ) -> Result<Vec<SimilarMemory>, MemoryError> {
        self.refresh_similarity_index()?;
        let mut similar = Vec::new();
        for (similarity, id) in self.similarity.most_similar(kind, content) {
            if let Some(entry) = self.store().entry(&id)? {
                let brief = Brief::from(entry);
                let title = brief.entry.title(80) + &brief.marks();
                similar.push(SimilarMemory { title, id, similarity });
            }
        }
        Ok(similar)
    }

    /// Updates the comparison data from the store.
    fn refresh_similarity_index(&mut self) -> Result<(), MemoryError> {
        let (change_number, deletions) = (self.store().change_number()?, self.store().deletions()?);
        if self.similarity.deletions != deletions || self.similarity.is_sparse() {
            self.similarity = SimilarityIndex { deletions, ..SimilarityIndex::default() };
        }
        let query = Query {
            statuses: Status::ALL.to_vec(),
            after: Some(self.similarity.change_number),
            order: Order::Change,
            ..Query::new(Layers::PERMANENT)
        };
        for entry in self.store().entries(&query)? {
            if entry.status == Status::Active {
                self.similarity.put(entry.id, entry.kind, &entry.content);
            } else {
                self.similarity.remove(&entry.id);
            }
        }
        self.similarity.change_number = change_number;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_memories_are_not_compared() {
        use crate::tests::{decision, on_both_stores, text, write};
        const FILE: &str = "ai/memory/decisions.jsonl";
        on_both_stores(|root, memory| {
            let save = |memory: &mut ProjectMemory, n: usize| {
                let content = format!("Use PostgreSQL for the event store {}", "x".repeat(n));
                memory.save_decision(&decision(&content, None)).expect("saved").id
            };
            save(memory, 0);
            let with_one = text(root, FILE);
            for n in 1..=MAX_REPORTED {
                save(memory, n);
            }
            let with_all = text(root, FILE);
            for _ in 0..200 / MAX_REPORTED {
                write(root, FILE, &with_one);
                memory.read(&mut |_| Ok(())).expect("read");
                let own = pieces("Use PostgreSQL for the event store");
                assert_eq!(memory.piece_counts(Kind::Decision, &own).expect("counts").memories, 1);
                let similar =
                    memory.similar(Kind::Decision, "Use PostgreSQL for the event store x");
                assert_eq!(similar.expect("similar").len(), 1);
                write(root, FILE, &with_all);
                let piece_counts =
                    memory.piece_counts(Kind::Decision, &own).expect("counts").memories;
                assert_eq!(piece_counts as usize, MAX_REPORTED + 1);
            }
            assert!(
                memory.similarity.known.len() <= 2 * (MAX_REPORTED + 1),
                "{}",
                memory.similarity.known.len()
            );
            // Edits leave outdated entries, too.
            let id = save(memory, 9);
            for n in 0..400 {
                let content = Some(format!("Use PostgreSQL for number {n}"));
                let edit = crate::permanent::Edit { content, ..Default::default() };
                memory.edit(Kind::Decision, &id, &edit).expect("edited");
                memory.piece_counts(Kind::Decision, &BTreeSet::new()).expect("counts");
            }
            assert!(
                memory.similarity.known.len() <= 2 * MIN_STALE_ENTRIES,
                "{}",
                memory.similarity.known.len()
            );
        });
    }

    #[test]
    fn all_similar_memories_are_found_without_a_full_scan() {
        let words = ["use", "postgres", "for", "events", "store", "queue", "redis", "cache", "at"];
        let text = |seed: usize| -> String {
            (0..3 + seed % 4)
                .map(|n| words[(seed * (n + 3) + n) % words.len()].to_owned() + " ")
                .collect()
        };
        let mut index = SimilarityIndex::default();
        for seed in 0..300 {
            index.put(format!("d{seed:03}"), Kind::Decision, &text(seed));
        }
        for seed in (0..300).step_by(7) {
            index.remove(&format!("d{seed:03}"));
        }
        for seed in 300..400 {
            let own = pieces(&text(seed));
            let mut all: Vec<(f64, String)> = (0..300)
                .filter(|other| other % 7 != 0)
                .map(|other| (similarity(&own, &pieces(&text(other))), format!("d{other:03}")))
                .filter(|(score, _)| *score >= MIN_SIMILARITY)
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            all.truncate(MAX_REPORTED);
            assert_eq!(index.most_similar(Kind::Decision, &text(seed)), all, "{}", text(seed));
        }
        assert_eq!(index.most_similar(Kind::Convention, &text(1)), []);
        assert_eq!(index.most_similar(Kind::Decision, "the of"), []);
    }
}
