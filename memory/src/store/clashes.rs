//! What does not go together in permanent memory, as the store knows how memories stand.

use crate::types::{Entry, Kind, Link, Relation, Status};
use crate::words::topic_key;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What does not go together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clashes {
    /// Memories with edits side by side, and their revisions, the shown one first.
    pub contested: Vec<(String, Vec<String>)>,
    /// Topics on which more than one decision holds, as [`topic_key`] sees them, and the decisions.
    pub topics: BTreeMap<String, Vec<String>>,
    /// Links by which a memory contradicts or supersedes one that holds all the same.
    pub links: Vec<Link>,
    /// Which memory supersedes which, where some memory is superseded by more than one.
    pub superseding: Vec<(String, String)>,
}

impl Clashes {
    /// Of permanent memories that were not removed, and links.
    pub(super) fn among(entries: &[Entry], links: Vec<Link>) -> Self {
        let mut clashes = Self::default();
        for entry in entries {
            if entry.is_contested() {
                clashes.contested.push((entry.id.clone(), entry.heads.clone()));
            }
            let key = entry.topic.as_deref().map(topic_key).unwrap_or_default();
            if entry.kind == Kind::Decision && entry.status == Status::Active && !key.is_empty() {
                clashes.topics.entry(key).or_default().push(entry.id.clone());
            }
        }
        clashes.contested.sort();
        clashes.topics.retain(|_, ids| ids.len() > 1);
        clashes.topics.values_mut().for_each(|ids| ids.sort());
        let status: HashMap<&str, Status> =
            entries.iter().map(|entry| (&*entry.id, entry.status)).collect();
        let holds = |id: &str| status.get(id) == Some(&Status::Active);
        let clash = |link: &Link| match link.relation {
            Relation::Contradicts => holds(&link.from) && holds(&link.to),
            Relation::Supersedes => status.contains_key(&*link.from) && holds(&link.to),
            _ => false,
        };
        let is_pair = |link: &&Link| {
            let is_known = |id: &str| status.contains_key(id);
            link.relation == Relation::Supersedes && is_known(&link.from) && is_known(&link.to)
        };
        let pairs = links.iter().filter(is_pair);
        let pairs: Vec<_> = pairs.map(|link| (link.from.clone(), link.to.clone())).collect();
        let ends: BTreeSet<&String> = pairs.iter().map(|(_, to)| to).collect();
        if ends.len() < pairs.len() {
            clashes.superseding = pairs;
        }
        clashes.links = links.into_iter().filter(clash).collect();
        clashes
    }
}
