//! The first step of recall: memories that match a question, in compact form.

use super::rank::{PreparedQuestion, rank};
use super::timeline::hit;
use super::{Answer, Diagnostics, Found, Question, Using, snippet};
use crate::MemoryError;
use crate::project::ProjectMemory;

impl ProjectMemory {
    /// The memories that match `question`. Never writes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search(&mut self, question: &Question) -> Result<Found, MemoryError> {
        self.search_using(question, Using::Both)
    }

    /// Like [`Self::search`], by words or by meaning alone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn search_using(
        &mut self,
        question: &Question,
        using: Using,
    ) -> Result<Found, MemoryError> {
        let asked = PreparedQuestion::from_question(question, using);
        self.read_indexed(&mut |store, index| {
            index.refresh(store, !asked.terms.is_empty())?;
            let (ranked, matched) = rank(index, store, question, &asked)?;
            let mut found =
                Found { matched, degraded: degraded(index.stale()), ..Found::default() };
            let mut answers = Vec::new();
            for one in ranked {
                let Some(doc) = index.docs().get(one.slot) else { continue };
                // Another process can have deleted it meanwhile.
                let Some(entry) = store.entry(&doc.id)? else { continue };
                let mut hit = hit(store, &entry, one.score)?;
                hit.snippet = snippet::snippet_for(&entry, &hit.title, &asked.terms);
                found.hits.push(hit);
                answers.push(Answer { words: one.words, meaning: one.meaning });
            }
            found.diagnostics = question.with_diagnostics.then(|| Diagnostics {
                terms: asked.terms.clone(),
                searched: index.len(),
                answers,
            });
            Ok(found)
        })
    }
}

fn degraded(stale: usize) -> Option<String> {
    (stale > 0).then(|| {
        format!(
            "{stale} of the memories were prepared by another version of aidd and match by their \
             words only, until aidd next opens the memory"
        )
    })
}
