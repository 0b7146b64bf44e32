//! Scores memories by the terms of a question.

use super::index::{Index, Posting};
use super::prepare::COLUMNS;
use crate::MemoryError;
use crate::store::StorageBackend;

/// The parameter k1 of BM25: term saturation.
pub(super) const BM25_K1: f32 = 1.2;
/// The parameter b of BM25: length normalisation.
pub(super) const BM25_B: f32 = 0.75;

/// The BM25 score of the memory in each slot, divided by the sum of the term weights: about 1 for a
/// memory that contains all terms. Unknown terms count too, so that a question with few known terms
/// has low scores.
pub(super) fn score_by_words(
    index: &mut Index,
    store: &mut dyn StorageBackend,
    terms: &[String],
) -> Result<Vec<f32>, MemoryError> {
    let mut sums = vec![0.0; if terms.is_empty() { 0 } else { index.docs().len() }];
    let mut max_sum = 0.0;
    let average = index.average_length();
    for term in terms {
        index.load_postings(store, term)?;
        let postings = index.postings(term);
        let weight = inverse_document_frequency(index.len(), live_count(index, postings));
        max_sum += weight;
        for (slot, counts) in postings {
            let slot = *slot as usize;
            let (Some(brief), Some(sum)) = (index.briefs().get(slot), sums.get_mut(slot)) else {
                continue;
            };
            let count: f32 = counts.iter().zip(COLUMNS).map(|(n, (_, w))| f32::from(*n) * w).sum();
            let length = 1.0 - BM25_B + BM25_B * f32::from(brief.length) / average;
            *sum += weight * count * (BM25_K1 + 1.0) / (count + BM25_K1 * length);
        }
    }
    if max_sum > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= max_sum);
    }
    Ok(sums)
}

/// Number of live memories that contain a term.
pub(super) fn live_count(index: &Index, postings: &[Posting]) -> usize {
    if index.is_full() {
        return postings.len();
    }
    let is_live = |slot: u32| index.briefs().get(slot as usize).is_some_and(|brief| brief.is_live);
    postings.iter().filter(|(slot, _)| is_live(*slot)).count()
}

/// Weight of a term that occurs in `containing` of `all` memories (inverse document frequency): low
/// for common terms, never negative.
#[expect(clippy::cast_precision_loss, reason = "counts of memories")]
pub(super) fn inverse_document_frequency(all: usize, containing: usize) -> f32 {
    ((all as f32 + 1.0) / (containing as f32 + 0.5)).ln()
}
