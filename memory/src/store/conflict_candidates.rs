//! Candidates for conflicts in permanent memory, computed from the status of each memory.

use crate::types::{Entry, Kind, Link, Relation, Status};
use crate::words::topic_key;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Candidates for conflicts in permanent memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConflictCandidates {
    /// Memories with concurrent edits, and their revisions, the displayed one first.
    pub contested: Vec<(String, Vec<String>)>,
    /// Topics with more than one active decision, normalised by [`topic_key`], and the decisions.
    pub topics: BTreeMap<String, Vec<String>>,
    /// Links by which a memory contradicts or supersedes a memory that is still active.
    pub links: Vec<Link>,
    /// Pairs of a superseding and a superseded memory; empty unless several memories supersede the
    /// same memory.
    pub superseding: Vec<(String, String)>,
}

impl ConflictCandidates {
    /// Computes the candidates from the permanent memories, except removed memories, and their
    /// links.
    pub(super) fn from_entries(entries: &[Entry], links: Vec<Link>) -> Self {
        let mut candidates = Self::default();
        for entry in entries {
            if entry.is_contested() {
                candidates.contested.push((entry.id.clone(), entry.heads.clone()));
            }
            let key = entry.topic.as_deref().map(topic_key).unwrap_or_default();
            if entry.kind == Kind::Decision && entry.status == Status::Active && !key.is_empty() {
                candidates.topics.entry(key).or_default().push(entry.id.clone());
            }
        }
        candidates.contested.sort();
        candidates.topics.retain(|_, ids| ids.len() > 1);
        candidates.topics.values_mut().for_each(|ids| ids.sort());
        let status: HashMap<&str, Status> =
            entries.iter().map(|entry| (&*entry.id, entry.status)).collect();
        let is_active = |id: &str| status.get(id) == Some(&Status::Active);
        let is_conflict = |link: &Link| match link.relation {
            Relation::Contradicts => is_active(&link.from) && is_active(&link.to),
            Relation::Supersedes => status.contains_key(&*link.from) && is_active(&link.to),
            _ => false,
        };
        let is_pair = |link: &&Link| {
            let is_known = |id: &str| status.contains_key(id);
            link.relation == Relation::Supersedes && is_known(&link.from) && is_known(&link.to)
        };
        let pairs = links.iter().filter(is_pair);
        let pairs: Vec<_> = pairs.map(|link| (link.from.clone(), link.to.clone())).collect();
        let superseded: BTreeSet<&String> = pairs.iter().map(|(_, to)| to).collect();
        if superseded.len() < pairs.len() {
            candidates.superseding = pairs;
        }
        candidates.links = links.into_iter().filter(is_conflict).collect();
        candidates
    }
}
