//! What of permanent memory does not go together.

use super::MemoryError;
use super::log::Folded;
use super::project::ProjectMemory;
use super::store::Query;
use super::types::{Layer, Link};
use crate::lines::standing::{Clash, Standing};
use std::collections::HashMap;

/// What does not go together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conflict {
    /// Two edits of one memory stand side by side.
    TwoHeads {
        /// The memory.
        id: String,
        /// The revisions, the shown one first.
        heads: Vec<String>,
    },
    /// More than one decision on a topic holds.
    OneTopic {
        /// The topic as it is compared.
        topic: String,
        /// The decisions.
        ids: Vec<String>,
    },
    /// One says that it contradicts the other, and both hold.
    Contradiction {
        /// The one.
        from: String,
        /// The other.
        to: String,
    },
    /// They supersede each other in a circle.
    Circle {
        /// The one.
        from: String,
        /// The other, which holds all the same.
        to: String,
    },
}

impl ProjectMemory {
    /// All that does not go together in permanent memory.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn conflicts(&mut self) -> Result<Vec<Conflict>, MemoryError> {
        let query = Query { layers: vec![Layer::Permanent], ..Query::default() };
        self.read(&mut |store| {
            let mut from: HashMap<String, Vec<Link>> = HashMap::new();
            for link in store.all_links()? {
                from.entry(link.from.clone()).or_default().push(link);
            }
            let entries = store.entries(&query)?.into_iter();
            let memories: Vec<Folded> = entries
                .map(|entry| Folded { links: from.remove(&entry.id).unwrap_or_default(), entry })
                .collect();
            let contested = memories.iter().map(|memory| &memory.entry);
            let contested = contested.filter(|entry| entry.is_contested());
            let mut conflicts: Vec<Conflict> = contested
                .map(|entry| Conflict::TwoHeads {
                    id: entry.id.clone(),
                    heads: entry.heads.clone(),
                })
                .collect();
            conflicts.extend(Standing::of(&memories).clashes().into_iter().map(Conflict::from));
            conflicts.sort();
            Ok(conflicts)
        })
    }
}

impl From<Clash<'_>> for Conflict {
    fn from(clash: Clash<'_>) -> Self {
        match clash {
            Clash::OneTopic(topic, ids) => {
                Self::OneTopic { topic, ids: ids.into_iter().map(str::to_owned).collect() }
            }
            Clash::Contradiction(from, to) => {
                Self::Contradiction { from: from.to_owned(), to: to.to_owned() }
            }
            Clash::Circle(from, to) => Self::Circle { from: from.to_owned(), to: to.to_owned() },
        }
    }
}
