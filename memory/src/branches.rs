//! Branch contexts in tracked files: the records of the sessions on a branch. When a branch is
//! merged, its decisions and fixed errors become permanent.

use super::MemoryError;
use super::kinds::{self, Decision, Mistake};
use super::log::Revision;
use super::mirror::present_lines;
use super::permanent::Edit;
use super::project::{Drafted, ProjectMemory};
use super::records::{self, BranchContext, FixedError, RecordedDecision, SessionState};
use super::sessions::add_new;
use super::store::{Layers, Order, Query, StorageBackend};
use super::times::millis;
use super::types::{Entry, Kind, Link, Status};
use super::words::{error_key, fold_text};
use super::{id, kinds::Observation};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, btree_map};

/// The records that were added to a branch when a session ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromotedRecords {
    /// Decisions that were new on the branch.
    pub decisions: Vec<String>,
    /// Errors that were new on the branch.
    pub errors: Vec<String>,
    /// Whether the session had already been promoted to the branch.
    pub was_known: bool,
}

/// Result of merging a branch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedBranch {
    /// Ids of new decisions and mistakes.
    pub promoted: Vec<String>,
    /// Ids of memories that were already permanent.
    pub known: Vec<String>,
    /// Path of the branch's archived context, relative to the root.
    pub archived: String,
}

impl ProjectMemory {
    /// The context of a branch; empty if no context is stored for the branch.
    ///
    /// # Errors
    /// When the branch's file is not a valid context.
    pub fn branch(&self, branch: &str) -> Result<BranchContext, MemoryError> {
        let branch = self.branch_name(branch)?;
        let known = self.journal.branch(&branch)?.map(|(context, _)| context);
        Ok(known.unwrap_or_else(|| BranchContext { branch, ..BranchContext::default() }))
    }

    /// The branch name, cleaned by the privacy gate, as used in file names.
    fn branch_name(&self, branch: &str) -> Result<String, MemoryError> {
        Ok(self.gate.clean(&branch.to_owned())?.into_inner())
    }

    /// The contexts of all branches, and the files that are not valid contexts.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn branches(&self) -> Result<(Vec<BranchContext>, Vec<String>), MemoryError> {
        self.journal.branches()
    }

    /// Updates the context of a branch: appends new list items and sets the other fields.
    ///
    /// # Errors
    /// When the branch has no name, or when its file is not a valid context or cannot be written.
    pub fn save_branch(&mut self, patch: &BranchContext) -> Result<BranchContext, MemoryError> {
        let branch = patch.branch.clone();
        if branch.trim().is_empty() {
            return Err(MemoryError::Invalid("the branch name is empty".to_owned()));
        }
        records::check_not_empty(
            ("decisions", &patch.decisions),
            ("errorsEncountered", &patch.errors_encountered),
        )?;
        let mut patch = patch.clone();
        patch.stamp(self.now());
        let (context, ()) = self.change_branch(&branch, &mut |context| {
            let done = patch.completed_tasks.clone();
            merge(context, patch.clone());
            context.pending_tasks.retain(|task| !done.contains(task));
            Ok(())
        })?;
        Ok(context)
    }

    /// Reads, changes and writes a branch's file while holding the journal lock.
    fn change_branch<T>(
        &mut self,
        branch: &str,
        change: &mut dyn FnMut(&mut BranchContext) -> Result<T, MemoryError>,
    ) -> Result<(BranchContext, T), MemoryError> {
        let _lock = self.journal.lock()?;
        let mut context = self.branch(branch)?;
        let value = change(&mut context)?;
        context.updated_at = self.now().into();
        let context = self.gate.clean(&context)?.into_inner();
        self.journal.write_branch(&self.branch_name(branch)?, &text(&context)?)?;
        Ok((context, value))
    }

    /// Adds the decisions, fixed errors and tasks of a session to its branch. Promoting the session
    /// again adds only what is new.
    ///
    /// # Errors
    /// When the branch's file is not a valid context, or cannot be written.
    pub fn promote_session(
        &mut self,
        session: &SessionState,
    ) -> Result<PromotedRecords, MemoryError> {
        let query = Query {
            kinds: vec![Kind::Decision, Kind::Mistake],
            session_id: Some(session.id.clone()),
            order: Order::Oldest,
            ..Query::new(Layers::SESSION)
        };
        let observed = self.read(&mut |store| store.entries(&query))?;
        let (_, promoted) = self.change_branch(&session.branch, &mut |context| {
            Ok(promote(context, session, &observed))
        })?;
        Ok(promoted)
    }

    /// The context of a branch: its current and its archived context, joined.
    fn joined_branch(&self, branch: &str) -> Result<BranchContext, MemoryError> {
        let current = self.journal.branch(branch)?.map(|(context, _)| context);
        let context = match (current, self.journal.archived_branch(branch)?) {
            (None, None) => {
                return Err(MemoryError::Unknown { item: "branch", id: branch.to_owned() });
            }
            (Some(current), None) => current,
            (None, Some(archived)) => archived,
            (Some(current), Some(mut archived)) => {
                join(&mut archived, current);
                archived
            }
        };
        Ok(self.gate.clean(&context)?.into_inner())
    }

    /// Archives the context of a branch that is not merged and returns its new path, relative to
    /// the root. Merging the branch later still makes its memories permanent.
    ///
    /// # Errors
    /// When no context is stored for the branch, or a file cannot be written.
    pub fn archive_branch(&mut self, branch: &str) -> Result<String, MemoryError> {
        let branch = &self.branch_name(branch)?;
        let _lock = self.journal.lock()?;
        let context = self.joined_branch(branch)?;
        self.journal.archive_branch(branch, &text(&context)?)
    }

    /// Makes the decisions and fixed errors of a branch permanent and archives its context.
    /// Repeating the merge, in this clone or in another, adds nothing.
    ///
    /// # Errors
    /// When no context is stored for the branch, or a file cannot be written.
    pub fn merge_branch(&mut self, branch: &str) -> Result<MergedBranch, MemoryError> {
        let branch = &self.branch_name(branch)?;
        let mut merged = MergedBranch::default();
        for _ in 0..MAX_MERGE_ATTEMPTS {
            let context = self.joined_branch(branch)?;
            let attempt = self.write_permanent(&mut |memory| draft_merged(memory, &context))?;
            merged.promoted.extend(attempt.promoted);
            merged.known = attempt.known;
            merged.known.retain(|id| !merged.promoted.contains(id));
            if let Some(archived) = self.archive_unchanged(branch, &context)? {
                merged.archived = archived;
                return Ok(merged);
            }
        }
        Err(MemoryError::Store(format!(
            "the branch `{branch}` kept changing during the merge; retry"
        )))
    }

    /// Archives a branch unless its context has changed, so that concurrent additions are not lost.
    /// Returns the path of the archived context.
    fn archive_unchanged(
        &mut self,
        branch: &str,
        context: &BranchContext,
    ) -> Result<Option<String>, MemoryError> {
        let _lock = self.journal.lock()?;
        if self.joined_branch(branch)? != *context {
            return Ok(None);
        }
        self.journal.archive_branch(branch, &text(context)?).map(Some)
    }
}

/// Maximum number of attempts to merge a branch that changes during the merge.
const MAX_MERGE_ATTEMPTS: usize = 8;

/// Drafts permanent memories for those records of a branch that are not permanent yet. The result
/// lists the ids of these new memories, and the ids of the existing memories for the other records.
fn draft_merged(
    memory: &mut ProjectMemory,
    context: &BranchContext,
) -> Result<Drafted<MergedBranch>, MemoryError> {
    let (mut revisions, mut merged) = (Vec::new(), MergedBranch::default());
    let (mut existing, mut seen) = (PermanentIds::default(), BTreeSet::new());
    let mut links: BTreeMap<String, Vec<Link>> = BTreeMap::new();
    for revision in permanent_revisions(context)? {
        if let Some(id) = existing.find(memory.store(), &revision)? {
            links.entry(id.clone()).or_default().extend(revision.links);
            merged.known.push(id);
        } else if seen.insert(revision.id.clone()) {
            merged.promoted.push(revision.id.clone());
            revisions.push(revision);
        }
    }
    for (id, links) in links {
        revisions.extend(memory.draft_promoted(&id, links)?);
    }
    Ok((revisions, merged))
}

impl ProjectMemory {
    /// Returns the revision by which a permanent memory supersedes observations with the same
    /// content; `None` when the memory already supersedes these observations or is not active.
    fn draft_promoted(
        &mut self,
        id: &str,
        mut links: Vec<Link>,
    ) -> Result<Option<Revision>, MemoryError> {
        let entry = self.store().entry(id)?;
        let Some(entry) = entry.filter(|entry| entry.status == Status::Active) else {
            return Ok(None);
        };
        let known = self.store().links(id)?;
        links.retain(|link| !known.iter().any(|own| own.from == id && own.to == link.to));
        if links.is_empty() {
            return Ok(None);
        }
        let at = self.now();
        let mut revision = self.draft_edit(&entry, Edit::default(), at)?;
        revision.links.extend(links);
        Ok(Some(revision))
    }
}

/// Serializes a context for its file.
fn text(context: &BranchContext) -> Result<String, MemoryError> {
    // Each value has its own line, in a fixed order, because Git merges by line.
    Ok(serde_json::to_string_pretty(context)? + "\n")
}

fn promote(
    context: &mut BranchContext,
    session: &SessionState,
    observed: &[Entry],
) -> PromotedRecords {
    // A session that continued after its promotion can add more, but is counted only once.
    let was_known = context.sessions.contains(&session.id);
    let mut additions = BranchContext {
        decisions: session.decisions.clone(),
        errors_encountered: session.errors_resolved.clone(),
        completed_tasks: session.tasks_completed.clone(),
        pending_tasks: session.tasks_pending.clone(),
        files_modified: session.files_modified.clone(),
        lifecycle_session_id: session.lifecycle_session_id.clone(),
        sessions: vec![session.id.clone()],
        sessions_count: context.sessions_count + u64::from(!was_known),
        ..BranchContext::default()
    };
    for entry in observed {
        let body: Observation = kinds::typed(&entry.metadata).unwrap_or_default();
        let reported = body.narrative.unwrap_or_else(|| body.facts.join("\n"));
        let (at, content) = (Some(json!(entry.created_at)), entry.content.clone());
        let observed = BTreeSet::from([entry.id.clone()]);
        if entry.kind == Kind::Decision {
            let decision = RecordedDecision {
                decision: content,
                reasoning: reported,
                timestamp: at,
                observed,
                ..RecordedDecision::default()
            };
            additions.decisions.push(decision);
        } else {
            let error = FixedError {
                error: content,
                fix: reported,
                timestamp: at,
                observed,
                ..FixedError::default()
            };
            additions.errors_encountered.push(error);
        }
    }
    for decision in &mut additions.decisions {
        decision.session_id.get_or_insert_with(|| session.id.clone());
    }
    for error in &mut additions.errors_encountered {
        error.session_id.get_or_insert_with(|| session.id.clone());
    }
    let (decisions, errors) = (context.decisions.len(), context.errors_encountered.len());
    let mut completed = additions.completed_tasks.clone();
    if was_known {
        // Tasks that the session left pending could have been completed since.
        completed.extend(context.completed_tasks.iter().cloned());
    }
    merge(context, additions);
    context.pending_tasks.retain(|task| !completed.contains(task));
    let span = session.ended_at.as_ref().and_then(millis).zip(millis(&session.started_at));
    #[expect(clippy::cast_precision_loss, reason = "durations of sessions in milliseconds")]
    if let Some((end, start)) = span.filter(|_| !was_known) {
        context.total_duration_ms += (end - start).max(0) as f64;
    }
    PromotedRecords {
        decisions: context.decisions[decisions..]
            .iter()
            .map(|decision| decision.decision.clone())
            .collect(),
        errors: context.errors_encountered[errors..]
            .iter()
            .map(|error| error.error.clone())
            .collect(),
        was_known,
    }
}

/// Joins two versions of one context: a task that either side completed is not pending.
pub(super) fn join(context: &mut BranchContext, other: BranchContext) {
    merge(context, other);
    let done: BTreeSet<&String> = context.completed_tasks.iter().collect();
    context.pending_tasks.retain(|task| !done.contains(task));
}

/// Adds the list items of `more` that `context` does not contain. The other fields of `more`
/// replace those of `context`, unless they are empty in `more`.
fn merge(context: &mut BranchContext, more: BranchContext) {
    for (to, from) in [
        (&mut context.completed_tasks, more.completed_tasks),
        (&mut context.pending_tasks, more.pending_tasks),
        (&mut context.files_modified, more.files_modified),
        (&mut context.sessions, more.sessions),
    ] {
        add_new(to, from);
    }
    for decision in more.decisions {
        let is_same =
            |known: &RecordedDecision| fold_text(&known.decision) == fold_text(&decision.decision);
        match context.decisions.iter_mut().find(|known| is_same(known)) {
            Some(known) => known.observed.extend(decision.observed),
            None => context.decisions.push(decision),
        }
    }
    for error in more.errors_encountered {
        let is_same = |known: &FixedError| fold_text(&known.error) == fold_text(&error.error);
        match context.errors_encountered.iter_mut().find(|known| is_same(known)) {
            Some(known) => known.observed.extend(error.observed),
            None => context.errors_encountered.push(error),
        }
    }
    for (to, from) in [
        (&mut context.feature, more.feature),
        (&mut context.phase, more.phase),
        (&mut context.spec, more.spec),
        (&mut context.plan, more.plan),
        (&mut context.lifecycle_session_id, more.lifecycle_session_id),
    ] {
        if from.is_some() {
            *to = from;
        }
    }
    let sessions = u64::try_from(context.sessions.len()).unwrap_or(u64::MAX);
    context.sessions_count = context.sessions_count.max(more.sessions_count).max(sessions);
    context.total_duration_ms = context.total_duration_ms.max(more.total_duration_ms);
    if millis(&more.updated_at) > millis(&context.updated_at) {
        context.updated_at = more.updated_at;
    }
    if context.branch.is_empty() {
        context.branch = more.branch;
    }
    context.extra.extend(more.extra);
}

/// Returns the permanent memories of a branch. They depend on the context alone, so that two clones
/// that merge the same branch write the same lines.
fn permanent_revisions(context: &BranchContext) -> Result<Vec<Revision>, MemoryError> {
    let mut revisions = Vec::new();
    let time = |stamp: &Option<Value>| stamp.as_ref().and_then(millis).unwrap_or_default();
    for decision in &context.decisions {
        let body = Decision {
            reasoning: decision.reasoning.clone(),
            extra: decision.extra.clone(),
            ..Decision::default()
        };
        let at = time(&decision.timestamp);
        let id = id::of_memory(Kind::Decision, at, &["branch", &fold_text(&decision.decision)]);
        let mut first = Revision::first(Kind::Decision, id, at, decision.decision.as_str());
        first.metadata = kinds::metadata(&body)?;
        first.topic = match first.metadata.remove("topic") {
            Some(Value::String(topic)) => Some(topic),
            _ => None,
        };
        first.session_id.clone_from(&decision.session_id);
        first.links = promotion_links(&decision.observed);
        revisions.push(first);
    }
    for error in &context.errors_encountered {
        let body =
            Mistake { fix: error.fix.clone(), extra: error.extra.clone(), ..Mistake::default() };
        let at = time(&error.timestamp);
        let id = id::of_memory(Kind::Mistake, at, &["branch", &fold_text(&error.error)]);
        let mut first = Revision::first(Kind::Mistake, id, at, error.error.as_str());
        first.metadata = kinds::metadata(&body)?;
        first.session_id.clone_from(&error.session_id);
        first.links = promotion_links(&error.observed);
        revisions.push(first);
    }
    for revision in &mut revisions {
        revision.branch = Some(context.branch.clone());
    }
    revisions.retain(|revision| !revision.content.trim().is_empty());
    Ok(revisions)
}

fn promotion_links(observed: &BTreeSet<String>) -> Vec<Link> {
    observed.iter().map(|id| Link::promoting(id)).collect()
}

/// The ids of permanent memories by type and comparison key. If several memories have the same key,
/// the id of the memory that was changed last is used.
#[derive(Default)]
struct PermanentIds(BTreeMap<Kind, HashMap<String, String>>);

impl PermanentIds {
    /// Returns the permanent memory that a revision would repeat: the memory with the same id, even
    /// if it was removed, or a memory with the same content. Memories whose lines are only on other
    /// branches are ignored.
    fn find(
        &mut self,
        store: &mut dyn StorageBackend,
        revision: &Revision,
    ) -> Result<Option<String>, MemoryError> {
        if !present_lines(store, &revision.id)?.is_empty() {
            return Ok(Some(revision.id.clone()));
        }
        let kind = revision.kind;
        if let btree_map::Entry::Vacant(vacant) = self.0.entry(kind) {
            let query = Query { kinds: vec![kind], ..Query::new(Layers::PERMANENT) };
            let mut ids = HashMap::new();
            for entry in store.entries(&query)? {
                ids.entry(comparison_key(kind, &entry.content)).or_insert(entry.id);
            }
            vacant.insert(ids);
        }
        let key = comparison_key(kind, &revision.content);
        let ids = self.0.get(&kind).filter(|_| !key.is_empty());
        Ok(ids.and_then(|ids| ids.get(&key)).cloned())
    }
}

/// The key by which texts of memories of a type are compared.
fn comparison_key(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Mistake => error_key(text),
        _ => fold_text(text),
    }
}

#[cfg(test)]
mod tests;
