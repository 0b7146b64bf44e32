//! The first step of recall: memories that match a question, in compact form.

use super::rank::rank;
use super::timeline::hit;
use super::wording::PreparedQuestion;
use super::{
    Certainty, Diagnostics, Found, MatchFeatures, PartialScores, Question, SearchOrder, snippet,
};
use crate::MemoryError;
use crate::project::ProjectMemory;
use crate::types::Entry;
use serde_json::Value;
use std::cmp::Reverse;

impl ProjectMemory {
    /// Returns the memories that match `question`, without writing anything.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search(&mut self, question: &Question) -> Result<Found, MemoryError> {
        self.search_using(question, MatchFeatures::Both)
    }

    /// Like [`Self::search`], by words or by meaning alone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search_using(
        &mut self,
        question: &Question,
        features: MatchFeatures,
    ) -> Result<Found, MemoryError> {
        let now = self.now();
        let prepared = PreparedQuestion::from_question(question, features, now);
        let terms = prepared.terms();
        self.read_indexed(&mut |store, index| {
            index.refresh(store)?;
            let (ranked, matched) = rank(index, store, question, &prepared)?;
            let mut found =
                Found { matched, degraded: degraded_reason(index.stale()), ..Found::default() };
            let mut rows = Vec::new();
            for candidate in ranked {
                let Some(doc) = index.docs().get(candidate.slot) else { continue };
                // Another process could have deleted the memory in the meantime.
                let Some(entry) = store.entry(doc.id)? else { continue };
                let mut hit = hit(store, &entry, candidate.score)?;
                hit.snippet = snippet::snippet_for(&entry, &hit.title, &terms);
                if !prepared.is_empty {
                    hit.confidence =
                        Some((f64::from(candidate.confidence(&prepared)) * 100.0).round() / 100.0);
                }
                let partial = PartialScores { words: candidate.words, meaning: candidate.meaning };
                rows.push((hit, partial, discovery_tokens(&entry)));
            }
            if question.order == SearchOrder::Relevance {
                // Of memories with the same score, the one that was expensive to learn comes first.
                for same in rows.chunk_by_mut(|a, b| a.0.score.total_cmp(&b.0.score).is_eq()) {
                    same.sort_by_key(|(.., tokens)| Reverse(*tokens));
                }
            }
            let mut answers = Vec::new();
            for (hit, partial, _) in rows {
                found.hits.push(hit);
                answers.push(partial);
            }
            let confidences = found.hits.iter().filter_map(|hit| hit.confidence);
            found.certainty = confidences.reduce(f64::max).map(Certainty::from_confidence);
            found.diagnostics = question.with_diagnostics.then(|| Diagnostics {
                terms: terms.clone(),
                searched: index.len(),
                answers,
            });
            index.trim();
            Ok(found)
        })
    }
}

/// What it cost to learn a memory, if that is known.
fn discovery_tokens(entry: &Entry) -> u64 {
    entry.metadata.get("discoveryTokens").and_then(Value::as_u64).unwrap_or_default()
}

fn degraded_reason(stale: usize) -> Option<String> {
    (stale > 0).then(|| {
        let (memories_were, they_match) = match stale {
            1 => ("1 memory was".to_owned(), "it matches"),
            _ => (format!("{stale} memories were"), "they match"),
        };
        format!(
            "{memories_were} indexed by another version of aidd; {they_match} by words only until \
             aidd next opens the memory"
        )
    })
}
