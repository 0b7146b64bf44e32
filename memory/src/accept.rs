//! Accepting drafts: imports of guidance and of decision records add drafts to the checkout, and a
//! person makes them memories of the team.

use super::MemoryError;
use super::foreign::DRAFT;
use super::kinds;
use super::log::{Op, Revision};
use super::permanent::{Edit, NewMemory, Saved};
use super::project::ProjectMemory;
use super::store::{Layers, Query, StorageBackend};
use super::types::{Entry, Kind, Layer, Link, Status, VERDICT, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The metadata field with the status of a decision record.
const RECORD_STATUS: &str = "decisionStatus";

/// Whether a memory is a draft.
pub(super) fn is_draft(entry: &Entry) -> bool {
    entry.layer != Layer::Permanent && entry.metadata.get(DRAFT) == Some(&Value::Bool(true))
}

fn field<'a>(entry: &'a Entry, name: &str) -> &'a str {
    entry.metadata.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl ProjectMemory {
    /// The drafts that were not accepted, oldest first: all, or those of a source. A source is the
    /// id or the path of an import, or the file that states the memory.
    ///
    /// # Errors
    /// When the store or the list of imports cannot be read, or a source has no drafts.
    pub fn drafts(&mut self, source: Option<&str>) -> Result<Vec<Entry>, MemoryError> {
        let query = Query { statuses: Status::ALL.to_vec(), ..Query::new(Layers::ALL) };
        let mut drafts = self.read(&mut |store| {
            let mut open = Vec::new();
            for entry in store.entries(&query)?.into_iter().filter(is_draft) {
                if entry.status != Status::Removed && accepted_as(store, &entry.id)?.is_none() {
                    open.push(entry);
                }
            }
            Ok(open)
        })?;
        drafts.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let Some(source) = source else { return Ok(drafts) };
        let imports = self.import_batches()?;
        let is_source =
            |path: &str| path.trim_start_matches("./") == source.trim_start_matches("./");
        let of_imports: BTreeSet<&str> = imports
            .iter()
            .filter(|batch| batch.id == source || is_source(&batch.source))
            .flat_map(|batch| batch.entries.keys().map(String::as_str))
            .collect();
        let is_wanted = |entry: &Entry| {
            of_imports.contains(&*entry.id) || is_source(field(entry, "sourcePath"))
        };
        let (wanted, others): (Vec<Entry>, Vec<Entry>) = drafts.into_iter().partition(is_wanted);
        if wanted.is_empty() {
            let is_other = |id: &String| others.iter().any(|entry| entry.id == *id);
            let with_drafts = imports.iter().filter(|batch| batch.entries.keys().any(is_other));
            let names: BTreeSet<&str> = with_drafts.map(|batch| &*batch.source).collect();
            let names: Vec<&str> = names.into_iter().collect();
            return Err(MemoryError::Invalid(match names[..] {
                [] => format!("no draft comes from `{source}`"),
                _ => format!(
                    "no draft comes from `{source}`; the open drafts come from {}",
                    names.join(", ")
                ),
            }));
        }
        Ok(wanted)
    }

    /// Checks that `id` is a draft that can be accepted.
    ///
    /// # Errors
    /// When `id` is no draft, was accepted already, is no longer in effect, or has a type without a
    /// tracked file.
    pub fn check_draft(&mut self, id: &str) -> Result<(), MemoryError> {
        self.read(&mut |store| open_draft(store, id).map(|_| ()))
    }

    /// Saves a draft as a memory of the team, with its source, and marks the draft as accepted. A
    /// memory with the same content gets the fields of the draft instead.
    ///
    /// # Errors
    /// When `id` is no draft, was accepted already, is no longer in effect, or has a type without a
    /// tracked file.
    pub fn accept_draft(
        &mut self,
        id: &str,
        branch: Option<&str>,
    ) -> Result<(Kind, Saved), MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = open_draft(memory.store(), id)?;
            let (mut revisions, saved) = match entry.kind {
                Kind::Decision => {
                    let new = memory.accepted(&entry, branch)?;
                    memory.draft_decision(&new)?
                }
                Kind::Mistake => {
                    let new = memory.accepted(&entry, branch)?;
                    let (mut revisions, saved) = memory.draft_mistake(&new)?;
                    // A known mistake did not occur again.
                    revisions.retain(|revision| revision.op != Op::Seen);
                    (revisions, Saved { occurrences: None, ..saved })
                }
                _ => {
                    let new = memory.accepted(&entry, branch)?;
                    memory.draft_convention(&new)?
                }
            };
            memory.add_promotion(&mut revisions, &saved, &entry)?;
            Ok((revisions, (entry.kind, saved)))
        })
    }

    /// The memory to save for a draft. Links to other drafts lead to the memories as which they were
    /// accepted, and are left out if they were not.
    fn accepted<T>(
        &mut self,
        draft: &Entry,
        branch: Option<&str>,
    ) -> Result<NewMemory<T>, MemoryError>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let mut fields: Map<String, Value> = draft.metadata.clone();
        fields.remove(DRAFT);
        if was_rejected(draft) {
            fields.insert(VERDICT.to_owned(), Verdict::Rejected.word().into());
        }
        let mut links = Vec::new();
        for link in self.store().links(&draft.id)? {
            let target = self.store().entry(&link.to)?;
            let target = match target {
                Some(target) if target.layer == Layer::Permanent => Some(target.id),
                Some(target) => accepted_as(self.store(), &target.id)?,
                None => None,
            };
            if let (true, Some(to)) = (link.from == draft.id, target) {
                links.push(Link { from: String::new(), to, ..link });
            }
        }
        let new = NewMemory {
            content: draft.content.clone(),
            topic: draft.topic.clone(),
            body: kinds::typed(&fields)?,
            links,
            session_id: None,
            created_at: None,
            branch: branch.map(str::to_owned),
        };
        self.cleaned(&new)
    }

    /// Adds the link that marks the draft as accepted, and the time of the draft.
    fn add_promotion(
        &mut self,
        revisions: &mut Vec<Revision>,
        saved: &Saved,
        draft: &Entry,
    ) -> Result<(), MemoryError> {
        let link = Link::promoting(&draft.id);
        match revisions.first_mut() {
            Some(revision) => {
                revision.links.push(link);
                if saved.is_new {
                    revision.created_at = Some(draft.created_at);
                }
            }
            None => {
                let known = self.permanent(&saved.id)?;
                let at = self.now();
                let mut revision = self.draft_edit(&known, Edit::default(), at)?;
                revision.links.push(link);
                revisions.push(revision);
            }
        }
        Ok(())
    }
}

/// The draft with this id, if it can be accepted.
fn open_draft(store: &mut dyn StorageBackend, id: &str) -> Result<Entry, MemoryError> {
    let entry = store.entry(id)?.filter(|entry| entry.status != Status::Removed);
    let entry = entry.ok_or_else(|| MemoryError::Unknown { item: "memory", id: id.to_owned() })?;
    if !is_draft(&entry) {
        return Err(MemoryError::Invalid(format!(
            "`{id}` is not a draft; only drafts of an import can be accepted"
        )));
    }
    if let Some(accepted) = accepted_as(store, id)? {
        return Err(MemoryError::Invalid(format!("`{id}` was already accepted as `{accepted}`")));
    }
    if entry.kind.file().is_none() {
        return Err(MemoryError::Invalid(format!(
            "`{id}` is {}, which is not stored in a tracked file; save what the team needs \
             with `aidd memory add`",
            entry.kind.with_article()
        )));
    }
    if entry.status != Status::Active && !was_rejected(&entry) {
        return Err(MemoryError::Invalid(format!(
            "`{id}` is {}; accept the decision that is in effect instead",
            match field(&entry, RECORD_STATUS) {
                "" => "superseded",
                status => status,
            }
        )));
    }
    Ok(entry)
}

fn was_rejected(draft: &Entry) -> bool {
    draft.kind == Kind::Decision && field(draft, RECORD_STATUS) == "rejected"
}

/// The memory as which a draft was accepted.
fn accepted_as(store: &mut dyn StorageBackend, id: &str) -> Result<Option<String>, MemoryError> {
    for memory in store.superseding(id)? {
        let entry = store.entry(&memory)?;
        let is_tracked =
            |entry: &Entry| entry.layer == Layer::Permanent && entry.status != Status::Removed;
        if entry.as_ref().is_some_and(is_tracked) {
            return Ok(Some(memory));
        }
    }
    Ok(None)
}
