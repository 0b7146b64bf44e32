//! Decisions, mistakes and conventions: saving, editing, removing and linking.

use super::MemoryError;
use super::accept::is_draft;
pub use super::conflicts::Conflict;
use super::enforced;
use super::kinds::{self, Convention, Decision, Mistake};
use super::log::{self, LAST_SEEN, OCCURRENCES, Op, Revision};
use super::mirror::present_lines;
use super::project::{Drafted, ProjectMemory};
pub use super::similarity::SimilarMemory;
use super::times;
use super::types::{Entry, Kind, Layer, Link, Outcome, Relation, Status, Verdict};
use super::words::{fold_text, topic_key};
use aidd_engine::check::secrets::REDACTED;
use aidd_engine::workspace::memory_checks::CHECK;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A permanent memory to save.
#[derive(Clone, Debug, Default)]
pub struct NewMemory<T> {
    /// Text of the decision, the error or the convention.
    pub content: String,
    /// Topic of the memory.
    pub topic: Option<String>,
    /// Typed metadata.
    pub body: T,
    /// Links from the memory, including `supersedes`.
    pub links: Vec<Link>,
    /// Session in which the memory was recorded.
    pub session_id: Option<String>,
    /// Branch on which the memory was recorded.
    pub branch: Option<String>,
    /// Time in milliseconds since 1970, if the memory is older than the call that saves it.
    pub created_at: Option<i64>,
}

/// Result of saving a memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// Id of the memory.
    pub id: String,
    /// Whether the memory is new.
    pub is_new: bool,
    /// Whether an existing memory was extended with new links or fields.
    pub is_edited: bool,
    /// Number of occurrences of a mistake.
    pub occurrences: Option<u64>,
    /// Ids of the memories that the saved memory supersedes.
    pub superseded: Vec<String>,
    /// Id of the newer decision that supersedes the saved decision.
    pub superseded_by: Option<String>,
    /// Active memories of the same type with similar content.
    pub similar: Vec<SimilarMemory>,
}

/// Changes to a memory; `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Edit {
    /// New content.
    pub content: Option<String>,
    /// New topic.
    pub topic: Option<String>,
    /// Metadata fields to set; null removes a field.
    pub fields: Map<String, Value>,
}

impl Edit {
    /// Whether `entry` already has these values and no concurrent edits.
    fn is_no_op(&self, entry: &Entry) -> bool {
        let topic = self.topic.as_ref().map(|topic| Some(topic).filter(|t| !t.trim().is_empty()));
        let is_unchanged = |(name, value): (&String, &Value)| match entry.metadata.get(name) {
            Some(own) => own == value,
            None => value.is_null(),
        };
        !entry.is_contested()
            && self.content.as_ref().is_none_or(|content| *content == entry.content)
            && topic.is_none_or(|topic| topic == entry.topic.as_ref())
            && self.fields.iter().all(is_unchanged)
    }
}

impl ProjectMemory {
    /// Saves a decision. It supersedes the targets of its `supersedes` links, and all other active
    /// decisions on its topic unless it links to them. A decision with an earlier date is superseded
    /// by the next newer decision on its topic. Saving an existing decision again does not create a
    /// new decision.
    ///
    /// # Errors
    /// When the content is empty, or a link leads to an unknown memory.
    pub fn save_decision(&mut self, new: &NewMemory<Decision>) -> Result<Saved, MemoryError> {
        let new = self.cleaned(new)?;
        self.write_permanent(&mut |memory| memory.draft_decision(&new))
    }

    /// Returns `new` as it will be stored, without secrets and private text, so that it can be
    /// compared with stored memories.
    pub(super) fn cleaned<T>(&self, new: &NewMemory<T>) -> Result<NewMemory<T>, MemoryError>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let content = self.gate.clean(&new.content)?.into_inner();
        if content.trim() == REDACTED && new.content.trim() != REDACTED {
            return Err(MemoryError::Invalid(
                "the text is only a secret or private: nothing would remain; describe it without \
                 the private part"
                    .to_owned(),
            ));
        }
        let topic = self.gate.clean(&new.topic)?.into_inner();
        Ok(NewMemory {
            content,
            topic: topic.map(|topic| topic.trim().to_owned()),
            body: self.gate.clean(&new.body)?.into_inner(),
            links: self.gate.clean(&new.links)?.into_inner(),
            ..new.clone()
        })
    }

    pub(super) fn draft_decision(
        &mut self,
        new: &NewMemory<Decision>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let mut revision = self.draft(Kind::Decision, new)?;
        let is_rejected = new.body.status == Some(Verdict::Rejected);
        let on_topic = self.on_topic(new.topic.as_deref())?;
        let is_superseding = |link: &Link| link.relation == Relation::Supersedes;
        let is_equal = |old: &&Entry| fold_text(&old.content) == fold_text(&new.content);
        let existing = match &new.topic {
            Some(topic) if !topic_key(topic).is_empty() => on_topic.iter().find(is_equal).cloned(),
            _ => self.find_same_text(Kind::Decision, &new.content)?,
        };
        let existing = match existing {
            None if is_rejected => self.find_rejected(new)?,
            found => found,
        };
        if let Some(old) = existing.filter(|_| !new.links.iter().any(is_superseding)) {
            return self.draft_known(&old, new);
        }
        self.refuse_newer(&revision, new.created_at)?;
        // A rejected decision supersedes nothing, and an older decision nothing that is newer.
        let is_newer = |old: &Entry| new.created_at.is_some() && old.created_at > revision.at;
        let on_topic = on_topic.into_iter().filter(|_| !is_rejected);
        let (newer, older): (Vec<Entry>, Vec<Entry>) = on_topic.partition(is_newer);
        for old in older {
            if !revision.links.iter().any(|link| link.to == old.id) {
                revision.links.push(Link::new(Relation::Supersedes, &old.id));
            }
        }
        self.supersede_duplicates(&mut revision.links)?;
        let superseded = revision.links.iter().filter(|link| is_superseding(link));
        let superseded = superseded.filter(|_| !is_rejected);
        let superseded: Vec<String> = superseded.map(|link| link.to.clone()).collect();
        let mut similar = self.similar(Kind::Decision, &new.content)?;
        similar.retain(|similar| !revision.links.iter().any(|link| link.to == similar.id));
        let id = revision.id.clone();
        let (superseding, superseded_by) = self.draft_superseding(&newer, &id)?;
        let revisions = std::iter::once(revision).chain(superseding).collect();
        let saved = Saved { id, is_new: true, superseded, superseded_by, ..Saved::default() };
        Ok((revisions, Saved { similar, ..saved }))
    }

    /// Saves a mistake. A repeated mistake is counted, and the new fix replaces its earlier fix.
    ///
    /// # Errors
    /// When the content is empty, or a link leads to an unknown memory.
    pub fn save_mistake(&mut self, new: &NewMemory<Mistake>) -> Result<Saved, MemoryError> {
        let original_check = new.body.check.as_ref();
        let new = &self.cleaned(new)?;
        enforced::refuse_redacted(original_check, new.body.check.as_ref())?;
        self.write_permanent(&mut |memory| memory.draft_mistake(new))
    }

    /// Drafts the changes to `entry` when it is saved again: its new links and fields, and a topic
    /// if the entry has none. The original session and branch are preserved.
    pub(super) fn draft_known<T: Serialize>(
        &mut self,
        entry: &Entry,
        new: &NewMemory<T>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let own = self.links_from(&entry.id)?;
        let mut links = new.links.clone();
        links.retain(|link| !own.iter().any(|own| is_same_link(own, link)));
        for link in &links {
            self.check_link(&entry.id, link)?;
        }
        let mut fields = kinds::metadata(&new.body)?;
        kinds::check_questions(&fields)?;
        fields.retain(|name, value| {
            name != OCCURRENCES && name != LAST_SEEN && entry.metadata.get(name) != Some(value)
        });
        let others = self.other_enforced_memories(entry.kind, Some(&entry.id), &fields)?;
        enforced::resolve_new_check(
            self.gate,
            entry.kind,
            &entry.content,
            Some(entry),
            &others,
            &mut fields,
        )?;
        let topic = new.topic.clone().filter(|topic| !topic.trim().is_empty());
        let topic = topic.filter(|_| entry.topic.is_none());
        let mut saved = Saved { id: entry.id.clone(), ..Saved::default() };
        if links.is_empty() && fields.is_empty() && topic.is_none() {
            return Ok((Vec::new(), saved));
        }
        let at = self.now();
        let mut revision = self.draft_edit(entry, Edit { fields, topic, content: None }, at)?;
        let supersedes = links.iter().filter(|link| link.relation == Relation::Supersedes);
        saved.superseded = supersedes.map(|link| link.to.clone()).collect();
        saved.is_edited = true;
        revision.links.extend(links);
        Ok((vec![revision], saved))
    }

    /// Saves a convention. Saving an existing convention again does not create a new convention.
    ///
    /// # Errors
    /// When the content is empty, or a link leads to an unknown memory.
    pub fn save_convention(&mut self, new: &NewMemory<Convention>) -> Result<Saved, MemoryError> {
        let original_check = new.body.check.as_ref();
        let new = &self.cleaned(new)?;
        enforced::refuse_redacted(original_check, new.body.check.as_ref())?;
        self.write_permanent(&mut |memory| memory.draft_convention(new))
    }

    pub(super) fn draft_convention(
        &mut self,
        new: &NewMemory<Convention>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let revision = self.draft(Kind::Convention, new)?;
        if let Some(old) = self.find_same_text(Kind::Convention, &new.content)? {
            return self.draft_known(&old, new);
        }
        let similar = self.similar(Kind::Convention, &new.content)?;
        let id = revision.id.clone();
        Ok((vec![revision], Saved { id, is_new: true, similar, ..Saved::default() }))
    }

    /// Creates the first revision of `new` after checking its links.
    pub(super) fn draft<T: Serialize>(
        &mut self,
        kind: Kind,
        new: &NewMemory<T>,
    ) -> Result<Revision, MemoryError> {
        if new.content.trim().is_empty() {
            return Err(MemoryError::Invalid(format!("a {kind} cannot be empty")));
        }
        let at = times::of_save(new.created_at, self.now())?;
        let id = self.new_id(kind.word(), at, &new.content);
        for link in &new.links {
            self.check_link(&id, link)?;
        }
        let mut metadata = kinds::metadata(&new.body)?;
        kinds::check_questions(&metadata)?;
        let others = self.other_enforced_memories(kind, None, &metadata)?;
        enforced::resolve_new_check(self.gate, kind, &new.content, None, &others, &mut metadata)?;
        Ok(Revision {
            topic: new.topic.clone().filter(|topic| !topic.trim().is_empty()),
            metadata,
            session_id: new.session_id.clone(),
            branch: new.branch.clone(),
            links: new.links.clone(),
            ..Revision::first(kind, id, at, new.content.as_str())
        })
    }

    fn check_link(&mut self, from: &str, link: &Link) -> Result<(), MemoryError> {
        if link.to == from {
            return Err(MemoryError::Invalid(format!("`{from}` cannot be linked to itself")));
        }
        let other = self.store().entry(&link.to)?;
        let other = other.filter(|other| other.status != Status::Removed);
        let unknown = || MemoryError::Unknown { item: "memory", id: link.to.clone() };
        let other = other.ok_or_else(unknown)?;
        if link.relation != Relation::Supersedes {
            return Ok(());
        }
        if other.layer != Layer::Permanent {
            return Err(MemoryError::Invalid(format!("`{}` is not permanent", link.to)));
        }
        if super::graph::supersedes(self.store(), &link.to, from)? {
            return Err(MemoryError::Invalid(format!(
                "`{}` already supersedes `{from}`: this link would create a cycle",
                link.to
            )));
        }
        Ok(())
    }

    /// Returns a permanent memory that was not removed.
    pub(super) fn permanent(&mut self, id: &str) -> Result<Entry, MemoryError> {
        let unknown = || MemoryError::Unknown { item: "memory", id: id.to_owned() };
        let entry = self.store().entry(id)?.ok_or_else(unknown)?;
        match (entry.layer, entry.status) {
            (_, Status::Removed) => Err(unknown()),
            (Layer::Permanent, _) => Ok(entry),
            _ if is_draft(&entry) => Err(MemoryError::Invalid(format!(
                "`{id}` is a draft; a person accepts it with `aidd memory accept {id}`"
            ))),
            _ => Err(MemoryError::Invalid(format!("`{id}` is not permanent"))),
        }
    }

    /// The links from a memory.
    fn links_from(&mut self, id: &str) -> Result<Vec<Link>, MemoryError> {
        let links = self.store().links(id)?.into_iter().filter(|link| link.from == id);
        Ok(links.map(|link| Link { from: String::new(), ..link }).collect())
    }

    /// The revisions of a memory that are in the tracked files.
    pub(super) fn present(&mut self, id: &str) -> Result<Vec<Revision>, MemoryError> {
        present_lines(self.store(), id)
    }

    /// Returns a revision of `entry` with the changes of `edit`; the revision merges all heads.
    pub(super) fn draft_edit(
        &mut self,
        entry: &Entry,
        edit: Edit,
        at: i64,
    ) -> Result<Revision, MemoryError> {
        let mut links = self.links_from(&entry.id)?;
        links.extend(self.links_to_duplicates(entry)?);
        let lines = self.present(&entry.id)?;
        let mut revision = Revision::next(entry, links, log::tips(&lines), at);
        // The counts in the metadata of `entry` include the occurrences in `seen` lines. The new
        // line must contain only the counts of the line that it replaces.
        if lines.iter().any(|line| line.op == Op::Seen) {
            let replaced = lines.iter().find(|line| entry.heads.contains(&line.rev));
            for name in [OCCURRENCES, LAST_SEEN] {
                revision.metadata.remove(name);
                if let Some(value) = replaced.and_then(|line| line.metadata.get(name)) {
                    revision.metadata.insert(name.to_owned(), value.clone());
                }
            }
        }
        if let Some(content) = edit.content {
            revision.content = content;
        }
        if let Some(topic) = edit.topic {
            revision.topic = Some(topic).filter(|topic| !topic.trim().is_empty());
        }
        for (name, value) in edit.fields {
            if value.is_null() {
                revision.metadata.remove(&name);
            } else {
                revision.metadata.insert(name, value);
            }
        }
        Ok(revision)
    }

    /// Changes a permanent memory of this type, and merges concurrent edits. An edit without
    /// changes is not written.
    ///
    /// # Errors
    /// When there is no such memory of that type, the content would be empty, a field does not
    /// belong to the type, or its value has the wrong type.
    pub fn edit(&mut self, kind: Kind, id: &str, edit: &Edit) -> Result<Entry, MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.permanent_of_kind(kind, id)?;
            if edit.content.as_ref().is_some_and(|content| content.trim().is_empty()) {
                return Err(MemoryError::Invalid(format!("a {kind} cannot be empty")));
            }
            kinds::check_field_names(kind, &entry.metadata, &edit.fields)?;
            kinds::check(kind, &edit.fields)?;
            let original_check = edit.fields.get(CHECK);
            let mut edit: Edit = memory.gate.clean(edit)?.into_inner();
            enforced::refuse_redacted(original_check, edit.fields.get(CHECK))?;
            let content = edit.content.as_deref().unwrap_or(&entry.content);
            let others = memory.other_enforced_memories(kind, Some(id), &edit.fields)?;
            enforced::resolve_check(
                memory.gate,
                kind,
                content,
                Some(&entry),
                &others,
                &mut edit.fields,
            )?;
            if edit.is_no_op(&entry) {
                return Ok((Vec::new(), ()));
            }
            let at = memory.now();
            Ok((vec![memory.draft_edit(&entry, edit, at)?], ()))
        })?;
        self.read(&mut |store| store.entry(id))?
            .ok_or_else(|| MemoryError::Unknown { item: "memory", id: id.to_owned() })
    }

    pub(super) fn permanent_of_kind(&mut self, kind: Kind, id: &str) -> Result<Entry, MemoryError> {
        let entry = self.permanent(id)?;
        if entry.kind == kind {
            return Ok(entry);
        }
        Err(MemoryError::Invalid(format!("`{id}` is a {}, not a {kind}", entry.kind)))
    }

    /// Removes a permanent memory of this type. Its lines are retained, and memories that it
    /// superseded become active again.
    ///
    /// # Errors
    /// When there is no such memory of that type.
    pub fn remove(
        &mut self,
        kind: Kind,
        id: &str,
        reason: Option<&str>,
    ) -> Result<(), MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.permanent_of_kind(kind, id)?;
            // Removing a hidden duplicate does not remove the displayed memory.
            let is_shown = entry.status == Status::Active;
            let duplicates = if is_shown { memory.duplicates_of(&entry)? } else { Vec::new() };
            let mut removals = Vec::new();
            for entry in duplicates.into_iter().chain([entry]) {
                let parents = log::tips(&memory.present(&entry.id)?);
                let reason = reason.map(str::to_owned);
                removals.push(Revision::removal(&entry, parents, memory.now(), reason));
            }
            Ok((removals, ()))
        })
    }

    /// Sets the outcome of a decision. The previous outcome remains in the history; the same
    /// outcome is not written again.
    ///
    /// # Errors
    /// When there is no such decision.
    pub fn set_outcome(
        &mut self,
        id: &str,
        outcome: Outcome,
        reason: Option<&str>,
    ) -> Result<(), MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.permanent_of_kind(Kind::Decision, id)?;
            let mut fields = Map::new();
            fields.insert("outcome".to_owned(), outcome.word().into());
            fields.insert("outcomeReason".to_owned(), reason.into());
            let mut edit = memory.gate.clean(&Edit { fields, ..Edit::default() })?.into_inner();
            if edit.is_no_op(&entry) {
                return Ok((Vec::new(), ()));
            }
            let at = memory.now();
            edit.fields.insert("outcomeAt".to_owned(), at.into());
            Ok((vec![memory.draft_edit(&entry, edit, at)?], ()))
        })
    }

    /// Links two memories; the first must be permanent.
    ///
    /// # Errors
    /// When a memory does not exist, both are the same, or superseding would create a cycle.
    pub fn link(&mut self, from: &str, link: &Link) -> Result<(), MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.permanent(from)?;
            memory.check_link(from, link)?;
            let at = memory.now();
            let mut revision = memory.draft_edit(&entry, Edit::default(), at)?;
            revision.links.retain(|own| !is_same_link(own, link));
            revision.links.push(Link { from: String::new(), ..link.clone() });
            Ok((vec![revision], ()))
        })
    }

    /// The lines of a memory, oldest first: its complete history.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn history(&mut self, id: &str) -> Result<Vec<Revision>, MemoryError> {
        let mut lines = self.read(&mut |store| present_lines(store, id))?;
        if lines.is_empty() {
            return Err(MemoryError::Unknown { item: "memory", id: id.to_owned() });
        }
        lines.sort_by(|a, b| (a.at, &a.rev).cmp(&(b.at, &b.rev)));
        Ok(lines)
    }

    /// An active memory of this type with the same content.
    fn find_same_text(&mut self, kind: Kind, content: &str) -> Result<Option<Entry>, MemoryError> {
        for similar in self.similar(kind, content)? {
            let entry = self.store().entry(&similar.id)?;
            let same = entry.filter(|entry| fold_text(&entry.content) == fold_text(content));
            if same.is_some() {
                return Ok(same);
            }
        }
        Ok(None)
    }
}

/// Whether two links from the same memory have the same target and relation.
fn is_same_link(a: &Link, b: &Link) -> bool {
    (&a.to, a.relation) == (&b.to, b.relation)
}
