//! The first layer: memories that answer a question, in a few words each.

use super::around::{hit, outcome};
use super::{Diagnostics, Found, Question, SearchOrder};
use crate::memory::MemoryError;
use crate::memory::project::ProjectMemory;
use crate::memory::store::{Order, Query};
use crate::memory::types::{Entry, Status};
use crate::memory::words::pieces;
use serde_json::json;

impl ProjectMemory {
    /// The memories that answer `question`. Never writes.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn search(&mut self, question: &Question) -> Result<Found, MemoryError> {
        let asked = pieces(&question.text);
        let query = Query {
            kinds: question.kinds.clone(),
            statuses: if question.with_superseded { Vec::new() } else { vec![Status::Active] },
            topic: question.topic.clone(),
            session_id: question.session_id.clone(),
            branch: question.branch.clone(),
            since: question.since,
            until: question.until,
            order: Order::Newest,
            ..Query::default()
        };
        self.read(&mut |store| {
            let entries = store.entries(&query)?;
            let searched = entries.len();
            let mut found: Vec<(f64, Entry)> = Vec::new();
            for entry in entries {
                let text = text(&entry);
                let own = pieces(&text);
                let shared = asked.intersection(&own).count();
                #[expect(clippy::cast_precision_loss, reason = "counts of words")]
                let score = shared as f64 / asked.len().max(1) as f64;
                let file = question.file.as_ref().is_none_or(|file| text.contains(file.as_str()));
                let wanted = question.outcome.is_none_or(|wanted| outcome(&entry) == Some(wanted));
                if file && wanted && (score > 0.0 || question.text.trim().is_empty()) {
                    found.push((score, entry));
                }
            }
            match question.order {
                SearchOrder::Relevance => found.sort_by(|a, b| b.0.total_cmp(&a.0)),
                SearchOrder::Newest => found.sort_by_key(|(_, e)| std::cmp::Reverse(e.created_at)),
                SearchOrder::Oldest => found.sort_by_key(|(_, e)| e.created_at),
            }
            let matched = found.len();
            found.truncate(question.limit);
            let hits = found.iter().map(|(score, entry)| hit(store, entry, *score));
            let diagnostics = Diagnostics { searched, ..Diagnostics::default() };
            Ok(Found {
                hits: hits.collect::<Result<_, _>>()?,
                matched,
                degraded: None,
                diagnostics: question.with_diagnostics.then_some(diagnostics),
            })
        })
    }
}

fn text(entry: &Entry) -> String {
    let topic = entry.topic.as_deref().unwrap_or_default();
    format!("{topic}\n{}\n{}", entry.content, json!(entry.metadata))
}
