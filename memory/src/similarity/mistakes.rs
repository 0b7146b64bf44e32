//! The pieces of all permanent mistakes, for finding the mistakes that share rare pieces with an
//! error.

use super::compared_pieces;
use crate::MemoryError;
use crate::store::{Layers, Order, Query, StorageBackend};
use crate::types::{Kind, Status};
use std::collections::{BTreeSet, HashMap};

/// The index is rebuilt when more than this number of entries, and more than a quarter of all
/// entries, are out of date.
pub(super) const MIN_STALE_ENTRIES: usize = 64;

/// The active permanent mistakes, as of the store's `change_number`.
#[derive(Debug, Default)]
pub(super) struct MistakeIndex {
    change_number: i64,
    /// Number of memories that were deleted before the last update: see
    /// [`StorageBackend::deletions`].
    deletions: i64,
    /// The mistakes in order of insertion; `None` for mistakes that were changed or deleted since.
    pub(super) known: Vec<Option<String>>,
    /// The position of each mistake in `known`, by id.
    positions: HashMap<String, usize>,
    /// The mistakes that contain each piece.
    by_piece: HashMap<u64, Vec<usize>>,
}

/// The number of mistakes, and for each requested piece the number of mistakes that contain the
/// piece.
#[derive(Debug, Default)]
pub(crate) struct PieceCounts {
    pub(crate) memories: u32,
    pub(crate) by_piece: HashMap<u64, u32>,
}

impl MistakeIndex {
    /// Updates the index from the store.
    pub(super) fn refresh(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        let (change_number, deletions) = (store.change_number()?, store.deletions()?);
        if self.deletions != deletions || self.is_sparse() {
            *self = Self { deletions, ..Self::default() };
        }
        let query = Query {
            statuses: Status::ALL.to_vec(),
            kinds: vec![Kind::Mistake],
            after: Some(self.change_number),
            order: Order::Change,
            ..Query::new(Layers::PERMANENT)
        };
        for entry in store.entries(&query)? {
            if entry.status == Status::Active {
                self.put(entry.id, &entry.content);
            } else {
                self.remove(&entry.id);
            }
        }
        self.change_number = change_number;
        Ok(())
    }

    /// Whether many entries belong to deleted mistakes or to previous contents.
    fn is_sparse(&self) -> bool {
        let stale = self.known.len() - self.positions.len();
        stale > MIN_STALE_ENTRIES && stale * 4 > self.known.len()
    }

    fn remove(&mut self, id: &str) {
        if let Some(position) = self.positions.remove(id) {
            self.known[position] = None;
        }
    }

    fn put(&mut self, id: String, content: &str) {
        self.remove(&id);
        let position = self.known.len();
        for piece in compared_pieces(Kind::Mistake, content) {
            self.by_piece.entry(piece).or_default().push(position);
        }
        self.positions.insert(id.clone(), position);
        self.known.push(Some(id));
    }

    fn positions_of(&self, piece: u64) -> impl Iterator<Item = usize> {
        let positions = self.by_piece.get(&piece).map_or(&[][..], Vec::as_slice);
        positions.iter().copied().filter(|position| self.known[*position].is_some())
    }

    pub(super) fn piece_counts(&self, pieces: &BTreeSet<u64>) -> PieceCounts {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let by_piece =
            pieces.iter().map(|piece| (*piece, count(self.positions_of(*piece).count())));
        PieceCounts { memories: count(self.positions.len()), by_piece: by_piece.collect() }
    }

    /// The mistakes whose shared pieces have the highest total weight.
    pub(super) fn find_sharing(&self, weights: &[(u64, f64)], limit: usize) -> Vec<String> {
        let mut shared: HashMap<usize, f64> = HashMap::new();
        for (piece, weight) in weights {
            for position in self.positions_of(*piece) {
                *shared.entry(position).or_default() += weight;
            }
        }
        let mut shared: Vec<(usize, f64)> = shared.into_iter().collect();
        shared.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        shared.truncate(limit);
        shared.into_iter().filter_map(|(position, _)| self.known[position].clone()).collect()
    }
}
