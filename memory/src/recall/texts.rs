//! Searches texts that are not memories, with the same terms, vectors and weights. The index is
//! held in RAM; it is intended for hundreds of texts, such as knowledge base entries.

use super::bm25::{BM25_B, BM25_K1, inverse_document_frequency};
use super::prepare::{VECTOR_BYTES, truncate};
use super::rank::MIN_COSINE_RANGE;
use super::wording::{MAX_QUESTION_BYTES, MAX_QUESTION_TERMS};
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms;
use std::borrow::Cow;
use std::collections::HashMap;

/// Maximum amount that meaning adds to the word score.
const MAX_MEANING: f32 = 0.5;
/// Minimum cosine for a text that shares no word with the question.
const MIN_COSINE: f32 = 0.3;

/// A searchable collection of texts.
#[derive(Debug, Default)]
pub struct Texts {
    /// For each term, the texts that contain it and its weighted count in each.
    postings: HashMap<String, Vec<(usize, f32)>>,
    lengths: Vec<f32>,
    vectors: Vec<Vector>,
}

/// Joins language names that would be split at capitals, so that a question about Java does not
/// match JavaScript.
fn join_language_names(text: &str) -> Cow<'_, str> {
    if text.contains("Script") {
        text.replace("JavaScript", "Javascript").replace("TypeScript", "Typescript").into()
    } else {
        text.into()
    }
}

impl Texts {
    /// Indexes texts. Each text is a list of parts, each with the weight of the part's terms.
    #[must_use]
    pub fn new<'a>(texts: impl IntoIterator<Item = Vec<(f32, &'a str)>>) -> Self {
        let table = Table::shipped();
        let mut index = Self::default();
        for (at, parts) in texts.into_iter().enumerate() {
            let mut counts: HashMap<String, f32> = HashMap::new();
            let mut length = 0.0;
            let mut full_text = String::new();
            for (weight, text) in parts {
                terms::for_each_term(&join_language_names(text), &mut |term| {
                    *counts.entry(term.to_owned()).or_default() += weight;
                    length += 1.0;
                });
                full_text.push_str(text);
                full_text.push('\n');
            }
            for (term, count) in counts {
                index.postings.entry(term).or_default().push((at, count));
            }
            index.lengths.push(length);
            index.vectors.push(table.vector(truncate(&full_text, VECTOR_BYTES)));
        }
        index
    }

    /// The matching texts, best first: index of the text, and a score from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of texts")]
    pub fn rank(&self, question: &str) -> Vec<(usize, f32)> {
        let question = truncate(question.trim(), MAX_QUESTION_BYTES);
        let terms = terms::distinct_terms(&join_language_names(question), MAX_QUESTION_TERMS);
        let all = self.lengths.len();
        let average = (self.lengths.iter().sum::<f32>() / all.max(1) as f32).max(1.0);
        let mut words = vec![0.0_f32; all];
        let mut max_score = 0.0;
        for term in &terms {
            let postings = self.postings.get(term).map_or(&[][..], |postings| postings);
            let weight = inverse_document_frequency(all, postings.len());
            max_score += weight;
            for &(at, count) in postings {
                let length = 1.0 - BM25_B + BM25_B * self.lengths[at] / average;
                words[at] += weight * count * (BM25_K1 + 1.0) / (count + BM25_K1 * length);
            }
        }
        let vector = Table::shipped().vector(question);
        let cosines: Vec<f32> = self
            .vectors
            .iter()
            .map(|own| if vector.is_empty() { 0.0 } else { vector.cosine(own) })
            .collect();
        let min_cosine = cosines.iter().copied().fold(f32::INFINITY, f32::min);
        let max_cosine = cosines.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let range = (max_cosine - min_cosine).max(MIN_COSINE_RANGE);
        let mut found: Vec<(usize, f32)> = (0..all)
            .filter(|&at| words[at] > 0.0 || cosines[at] >= MIN_COSINE)
            .map(|at| {
                let by_words = if max_score > 0.0 { words[at] / max_score } else { 0.0 };
                let sum = by_words + MAX_MEANING * (cosines[at] - min_cosine) / range;
                (at, sum / (1.0 + sum))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_words_and_by_meaning() {
        let texts = Texts::new([
            vec![(4.0, "Redis"), (1.0, "in-memory store for caches and queues")],
            vec![(4.0, "PostgreSQL"), (1.0, "relational database with transactions")],
            vec![(4.0, "Vitest"), (1.0, "runner of unit tests")],
        ]);
        let first = |question| texts.rank(question).first().map(|(at, _)| *at);
        assert_eq!(first("redis"), Some(0));
        assert_eq!(first("a database for transactions"), Some(1));
        assert_eq!(first("testing"), Some(2));
        let tools = Texts::new([
            vec![(2.0, "Test tool with JavaScript scenarios that fail a build")],
            vec![(2.0, "Build tool of Java")],
        ]);
        assert_eq!(tools.rank("java build tool").first().map(|(at, _)| *at), Some(1));
        assert!(texts.rank("").is_empty() && Texts::default().rank("redis").is_empty());
        for (_, score) in texts.rank("store tests database") {
            assert!((0.0..=1.0).contains(&score));
        }
    }
}
