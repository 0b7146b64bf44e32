//! Compares the memories with a question by meaning.

use super::index::Index;
use super::rank::MIN_COSINE_RANGE;
use aidd_lexicon::embedding::Vector;

/// Similarity of the memories to the question.
pub(super) struct MeaningScores {
    cosines: Vec<f32>,
    min_cosine: f32,
    /// 1 divided by the range of cosines.
    scale: f32,
}

impl MeaningScores {
    /// The cosine, and its position between the minimum (0) and the maximum (1).
    pub(super) fn cosine_at(&self, slot: usize) -> (f32, f32) {
        match self.cosines.get(slot) {
            Some(&cosine) if !cosine.is_nan() => (cosine, self.closeness(cosine)),
            _ => (f32::NAN, 0.0),
        }
    }

    /// The position of a cosine between the minimum (0) and the maximum (1).
    pub(super) fn closeness(&self, cosine: f32) -> f32 {
        (cosine - self.min_cosine) * self.scale
    }
}

pub(super) fn score_by_meaning(index: &Index, question: &Vector) -> MeaningScores {
    let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
    let briefs = index.briefs().iter();
    let cosines = briefs.zip(index.vectors()).map(|(brief, vector)| match vector {
        Some(vector) if brief.is_live => {
            let cosine = question.cosine(vector);
            min = min.min(cosine);
            max = max.max(cosine);
            cosine
        }
        _ => f32::NAN,
    });
    let cosines = cosines.collect();
    MeaningScores { cosines, min_cosine: min, scale: 1.0 / (max - min).max(MIN_COSINE_RANGE) }
}
