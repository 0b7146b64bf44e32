//! The decisions and conventions of a project, read from its tracked files: the same on every clone,
//! whatever the order of the lines.

use crate::{PackError, ticket};
use aidd_engine::parse::lines::active_set::{ActiveSet, Conflict};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::log::{self, FoldedMemory, Revision};
use aidd_engine::parse::lines::types::{Entry, Kind, Relation, Status};
use aidd_engine::parse::lines::words::{fold_text, topic_key};
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::kind;
use aidd_memory::journal::{Journal, MAX_FILE_BYTES};
use aidd_memory::records::BranchContext;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The memories of a project.
#[derive(Debug, Default)]
pub(crate) struct Memories {
    /// The directory of the tracked files.
    pub(crate) folder: &'static str,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) conventions: Vec<FoldedMemory>,
    /// The unsettled conflicts between decisions: the topic or relation, and the ids of memories.
    pub(crate) conflicts: Vec<(String, Vec<String>)>,
    pub(crate) branches: Vec<BranchContext>,
    /// The time of the newest line, in milliseconds since 1970.
    pub(crate) newest: i64,
    /// The number of lines that cannot be read.
    pub(crate) invalid: usize,
}

/// A decision with its place in the history of its topic.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    /// The id without time: see [`decision_id`].
    pub(crate) id: String,
    pub(crate) entry: Entry,
    pub(crate) ticket: String,
    pub(crate) status: Status,
    /// The ids of the memories that this decision supersedes.
    pub(crate) supersedes: Vec<String>,
}

impl Decision {
    /// A field of the metadata; empty if it is not a string.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.entry.metadata.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The scope within the ticket.
    pub(crate) fn scope(&self) -> &str {
        Some(self.field("scopeKey")).filter(|scope| !scope.is_empty()).unwrap_or(&self.ticket)
    }

    /// The reason for which it was made.
    pub(crate) fn rationale(&self) -> &str {
        Some(self.field("reasoning"))
            .filter(|text| !text.is_empty())
            .unwrap_or(self.field("rationale"))
    }
}

/// The id of a decision: a hash of its ticket, scope, topic and text, free of time.
pub(crate) fn decision_id(ticket: &str, scope: &str, topic: &str, text: &str) -> String {
    format!("dec_{}", id::digest(&[ticket, scope, &topic_key(topic), &fold_text(text)]))
}

fn folded(revisions: Vec<Revision>) -> Vec<FoldedMemory> {
    let mut by_id: BTreeMap<String, Vec<Revision>> = BTreeMap::new();
    for revision in revisions {
        by_id.entry(revision.id.clone()).or_default().push(revision);
    }
    let folded = by_id.into_values().filter_map(|revisions| log::fold(&revisions));
    folded.filter(|memory| memory.entry.status != Status::Removed).collect()
}

/// Reads the memories of the project at the root of `disk`.
pub(crate) fn read(disk: &Disk) -> Result<Memories, PackError> {
    let folder = kind::memory_dir(|path| disk.exists(path));
    let (branches, _) = Journal::new(disk.root()).branches()?;
    let mut memories = Memories { folder, branches, ..Memories::default() };
    let mut lines = |kind: Kind| {
        let path = format!("{folder}/{}.jsonl", kind.file().unwrap_or_default());
        let bytes = disk.read(&path, MAX_FILE_BYTES).unwrap_or_default();
        let (revisions, problems) = log::read(&path, &bytes);
        let newest = revisions.iter().map(|revision| revision.at).max().unwrap_or_default();
        memories.newest = memories.newest.max(newest);
        memories.invalid +=
            problems.iter().filter(|problem| problem.kind.affects_reading()).count();
        folded(revisions)
    };
    let decisions = lines(Kind::Decision);
    let conventions = lines(Kind::Convention);
    let active = ActiveSet::new(&conventions);
    let is_active: BTreeSet<String> = conventions
        .iter()
        .map(|memory| memory.entry.id.clone())
        .filter(|id| active.is_active(id))
        .collect();
    memories.conventions =
        conventions.into_iter().filter(|memory| is_active.contains(&memory.entry.id)).collect();
    memories.add_decisions(&decisions);
    Ok(memories)
}

impl Memories {
    /// The ticket of a decision: its own, otherwise that of the branch on which it was made.
    fn ticket_of(&self, entry: &Entry) -> String {
        let own = entry.metadata.get("ticket").and_then(Value::as_str);
        if let Some(own) = own.filter(|own| ticket::check(own).is_ok()) {
            return own.to_owned();
        }
        ticket::of_branch(entry.branch.as_deref(), self.feature(entry.branch.as_deref()))
    }

    /// The feature of a branch.
    pub(crate) fn feature(&self, branch: Option<&str>) -> Option<&str> {
        self.branch(branch)?.feature.as_deref()
    }

    /// The context of a branch.
    pub(crate) fn branch(&self, branch: Option<&str>) -> Option<&BranchContext> {
        self.branches.iter().find(|context| Some(&*context.branch) == branch)
    }

    fn add_decisions(&mut self, folded: &[FoldedMemory]) {
        let active = ActiveSet::new(folded);
        for memory in folded {
            let entry = memory.entry.clone();
            let status = match entry.status {
                Status::Active if !active.is_active(&entry.id) => Status::Superseded,
                other => other,
            };
            let links = memory.links.iter().filter(|link| link.relation == Relation::Supersedes);
            let ticket = self.ticket_of(&entry);
            let mut decision = Decision {
                id: String::new(),
                supersedes: links.map(|link| link.to.clone()).collect(),
                entry,
                ticket,
                status,
            };
            let topic = decision.entry.topic.clone().unwrap_or_default();
            decision.id =
                decision_id(&decision.ticket, decision.scope(), &topic, &decision.entry.content);
            self.decisions.push(decision);
        }
        // Of equal decisions, the one that is in effect and was made first remains.
        self.decisions.sort_by(|a, b| {
            let key = |decision: &Decision| (decision.status, decision.entry.created_at);
            (key(a), &a.entry.id).cmp(&(key(b), &b.entry.id))
        });
        let mut known = BTreeSet::new();
        self.decisions.retain(|decision| known.insert(decision.id.clone()));
        self.decisions.sort_by(|a, b| {
            (a.entry.created_at, &a.entry.id).cmp(&(b.entry.created_at, &b.entry.id))
        });
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        self.conflicts = active
            .conflicts()
            .into_iter()
            .map(|conflict| match conflict {
                Conflict::SharedTopic(topic, members) => (format!("topic {topic}"), ids(&members)),
                Conflict::Contradiction(one, other) => {
                    ("contradiction".to_owned(), ids(&[one, other]))
                }
                Conflict::Cycle(one, other) => ("cycle".to_owned(), ids(&[one, other])),
                Conflict::Forked(members) => ("fork".to_owned(), ids(&members)),
            })
            .collect();
    }

    /// The decision of the memory with this id.
    pub(crate) fn decision(&self, memory: &str) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.entry.id == memory)
    }
}
