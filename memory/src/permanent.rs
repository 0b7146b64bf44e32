//! Decisions, mistakes and conventions: saving, editing, taking back, and what contradicts what.

use super::MemoryError;
pub use super::conflicts::Conflict;
use super::conflicts::decisions_on;
use super::enforced;
use super::kinds::{self, Convention, Decision, Mistake};
use super::log::{self, LAST_SEEN, OCCURRENCES, Op, Revision};
use super::mirror::present_lines;
use super::project::{Drafted, ProjectMemory};
use super::types::{Entry, Kind, Layer, Link, Outcome, Relation, Status};
use super::words::{folded, topic_key};
use aidd_engine::workspace::remembered::CHECK;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Errors at least so alike, but for what varies, are one mistake made again.
const SAME_ERROR: f64 = 0.85;

/// A permanent memory to save.
#[derive(Clone, Debug, Default)]
pub struct New<T> {
    /// The decision, the error, the convention.
    pub content: String,
    /// What it is about.
    pub topic: Option<String>,
    /// What its kind has to say.
    pub body: T,
    /// The links that start at it; `supersedes` among them.
    pub links: Vec<Link>,
    /// The session it comes from.
    pub session_id: Option<String>,
    /// The branch it comes from.
    pub branch: Option<String>,
}

/// What saving came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    /// The memory.
    pub id: String,
    /// Whether it was not there before.
    pub is_new: bool,
    /// Whether it was there, and links or fields that came with it were added to it.
    pub is_edited: bool,
    /// How often it happened, of a mistake.
    pub occurrences: Option<u64>,
    /// The memories whose place it takes.
    pub superseded: Vec<String>,
    /// Memories of its type that say much the same and hold.
    pub similar: Vec<Similar>,
}

/// A memory much like another.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    /// The memory.
    pub id: String,
    /// How it begins.
    pub title: String,
    /// From 0 to 1.
    pub likeness: f64,
}

/// What to change of a memory; `None` leaves it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Edit {
    /// The memory itself.
    pub content: Option<String>,
    /// What it is about.
    pub topic: Option<String>,
    /// Fields of its kind; null takes one out.
    pub fields: Map<String, Value>,
}

impl Edit {
    /// Whether `entry` says all of it already, and nothing else beside it.
    fn changes_nothing(&self, entry: &Entry) -> bool {
        let topic = self.topic.as_ref().map(|topic| Some(topic).filter(|it| !it.trim().is_empty()));
        let says = |(name, value): (&String, &Value)| match entry.metadata.get(name) {
            Some(own) => own == value,
            None => value.is_null(),
        };
        !entry.is_contested()
            && self.content.as_ref().is_none_or(|content| *content == entry.content)
            && topic.is_none_or(|topic| topic == entry.topic.as_ref())
            && self.fields.iter().all(says)
    }
}

impl ProjectMemory {
    /// Saves a decision. It takes the place of those it says, and of every other that holds on its
    /// topic and that it is not linked to in another way. The same decision again is no new one.
    ///
    /// # Errors
    /// When it is empty, or links to what is not there.
    pub fn save_decision(&mut self, new: &New<Decision>) -> Result<Saved, MemoryError> {
        let new = self.as_kept(new)?;
        self.write_permanent(&mut |memory| memory.draft_decision(&new))
    }

    /// What is compared with others is what will be kept: without secrets and private text.
    fn as_kept<T>(&self, new: &New<T>) -> Result<New<T>, MemoryError>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        Ok(New {
            content: self.gate.clean(&new.content)?.into_inner(),
            topic: self.gate.clean(&new.topic)?.into_inner(),
            body: self.gate.clean(&new.body)?.into_inner(),
            links: self.gate.clean(&new.links)?.into_inner(),
            ..new.clone()
        })
    }

    fn draft_decision(&mut self, new: &New<Decision>) -> Result<Drafted<Saved>, MemoryError> {
        let mut revision = self.draft(Kind::Decision, new)?;
        let on_topic = self.on_topic(new.topic.as_deref())?;
        let wanted = |link: &Link| link.relation == Relation::Supersedes;
        let same = |old: &&Entry| folded(&old.content) == folded(&new.content);
        let again = match &new.topic {
            Some(topic) if !topic_key(topic).is_empty() => on_topic.iter().find(same).cloned(),
            _ => self.same_text(Kind::Decision, &new.content)?,
        };
        if let Some(old) = again.filter(|_| !new.links.iter().any(wanted)) {
            return self.draft_known(&old, new);
        }
        for old in on_topic {
            if !revision.links.iter().any(|link| link.to == old.id) {
                revision.links.push(Link::to(Relation::Supersedes, &old.id));
            }
        }
        self.supersede_same(&mut revision.links)?;
        let superseded: Vec<String> =
            revision.links.iter().filter(|link| wanted(link)).map(|link| link.to.clone()).collect();
        let mut similar = self.similar(Kind::Decision, &new.content)?;
        similar.retain(|similar| !revision.links.iter().any(|link| link.to == similar.id));
        let id = revision.id.clone();
        Ok((vec![revision], Saved { id, is_new: true, superseded, similar, ..Saved::default() }))
    }

    /// The decisions that hold on a topic.
    pub(super) fn on_topic(&mut self, topic: Option<&str>) -> Result<Vec<Entry>, MemoryError> {
        match decisions_on(topic) {
            Some(query) => self.store().entries(&query),
            None => Ok(Vec::new()),
        }
    }

    /// Saves a mistake. One that was made before is counted, and its cure replaced by the new one.
    ///
    /// # Errors
    /// When it is empty, or links to what is not there.
    pub fn save_mistake(&mut self, new: &New<Mistake>) -> Result<Saved, MemoryError> {
        let given = new.body.check.as_ref();
        let new = &self.as_kept(new)?;
        enforced::kept_whole(given, new.body.check.as_ref())?;
        self.write_permanent(&mut |memory| {
            let similar = memory.similar(Kind::Mistake, &new.content)?;
            let known = similar.first().filter(|first| first.likeness >= SAME_ERROR);
            let Some(known) = known.cloned() else {
                let revision = memory.draft(Kind::Mistake, new)?;
                let id = revision.id.clone();
                let saved =
                    Saved { id, is_new: true, similar, occurrences: Some(1), ..Saved::default() };
                return Ok((vec![revision], saved));
            };
            memory.draft_again(&known.id, new)
        })
    }

    fn draft_again(&mut self, id: &str, new: &New<Mistake>) -> Result<Drafted<Saved>, MemoryError> {
        let entry = self.permanent(id)?;
        let at = self.now();
        // Not as a whole: a field that a hand has written wrongly does not keep one from counting.
        let before = entry.metadata.get(OCCURRENCES).and_then(Value::as_u64).unwrap_or(1);
        let random = self.new_id("seen", at, id);
        let mut seen = Revision::first(Kind::Mistake, id.to_owned(), at, "");
        seen.op = Op::Seen;
        seen.session_id.clone_from(&new.session_id);
        seen.branch.clone_from(&new.branch);
        // Two times in one millisecond are two times.
        seen.extra.insert("nonce".to_owned(), random.into());
        let (mut revisions, saved) = self.draft_known(&entry, new)?;
        revisions.insert(0, seen);
        Ok((revisions, Saved { occurrences: Some(before.saturating_add(1)), ..saved }))
    }

    /// What saving `entry` again adds to it: links and fields that it does not have, and a topic when
    /// it has none. What it says of who saved it first stays.
    fn draft_known<T: Serialize>(
        &mut self,
        entry: &Entry,
        new: &New<T>,
    ) -> Result<Drafted<Saved>, MemoryError> {
        let own = self.own_links(&entry.id)?;
        let mut links = new.links.clone();
        links.retain(|link| !own.iter().any(|own| is_same(own, link)));
        for link in &links {
            self.check_link(&entry.id, link)?;
        }
        let mut fields = kinds::metadata(&new.body)?;
        fields.retain(|name, value| {
            name != OCCURRENCES && name != LAST_SEEN && entry.metadata.get(name) != Some(value)
        });
        let others = self.enforced(entry.kind, Some(&entry.id), &fields)?;
        enforced::settle_new(
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
        let mut revision = self.edited(entry, Edit { fields, topic, content: None }, at)?;
        let supersedes = links.iter().filter(|link| link.relation == Relation::Supersedes);
        saved.superseded = supersedes.map(|link| link.to.clone()).collect();
        saved.is_edited = true;
        revision.links.extend(links);
        Ok((vec![revision], saved))
    }

    /// Saves a convention. The same convention again is no new one.
    ///
    /// # Errors
    /// When it is empty, or links to what is not there.
    pub fn save_convention(&mut self, new: &New<Convention>) -> Result<Saved, MemoryError> {
        let given = new.body.check.as_ref();
        let new = &self.as_kept(new)?;
        enforced::kept_whole(given, new.body.check.as_ref())?;
        self.write_permanent(&mut |memory| {
            let revision = memory.draft(Kind::Convention, new)?;
            if let Some(old) = memory.same_text(Kind::Convention, &new.content)? {
                return memory.draft_known(&old, new);
            }
            let similar = memory.similar(Kind::Convention, &new.content)?;
            let id = revision.id.clone();
            Ok((vec![revision], Saved { id, is_new: true, similar, ..Saved::default() }))
        })
    }

    /// A first revision of `new`, whose links were looked at.
    fn draft<T: Serialize>(&mut self, kind: Kind, new: &New<T>) -> Result<Revision, MemoryError> {
        if new.content.trim().is_empty() {
            return Err(MemoryError::Invalid(format!("a {kind} cannot be empty")));
        }
        let at = self.now();
        let id = self.new_id(kind.word(), at, &new.content);
        for link in &new.links {
            self.check_link(&id, link)?;
        }
        let mut metadata = kinds::metadata(&new.body)?;
        let others = self.enforced(kind, None, &metadata)?;
        enforced::settle_new(self.gate, kind, &new.content, None, &others, &mut metadata)?;
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
        let unknown = || MemoryError::Unknown { what: "memory", id: link.to.clone() };
        let other = other.ok_or_else(unknown)?;
        if link.relation != Relation::Supersedes {
            return Ok(());
        }
        if other.layer != Layer::Permanent {
            return Err(MemoryError::Invalid(format!("`{}` is not permanent", link.to)));
        }
        if super::graph::supersedes(self.store(), &link.to, from)? {
            return Err(MemoryError::Invalid(format!(
                "`{}` already supersedes `{from}`: that would be a circle",
                link.to
            )));
        }
        Ok(())
    }

    /// A permanent memory that was not removed.
    pub(super) fn permanent(&mut self, id: &str) -> Result<Entry, MemoryError> {
        let unknown = || MemoryError::Unknown { what: "memory", id: id.to_owned() };
        let entry = self.store().entry(id)?.ok_or_else(unknown)?;
        match (entry.layer, entry.status) {
            (_, Status::Removed) => Err(unknown()),
            (Layer::Permanent, _) => Ok(entry),
            _ => Err(MemoryError::Invalid(format!("`{id}` is not permanent"))),
        }
    }

    /// The links that start at a memory.
    fn own_links(&mut self, id: &str) -> Result<Vec<Link>, MemoryError> {
        let links = self.store().links(id)?.into_iter().filter(|link| link.from == id);
        Ok(links.map(|link| Link { from: String::new(), ..link }).collect())
    }

    /// The lines on a memory that its files hold now.
    pub(super) fn present(&mut self, id: &str) -> Result<Vec<Revision>, MemoryError> {
        present_lines(self.store(), id)
    }

    /// A revision of `entry` with `edit`; it settles whatever heads there are.
    pub(super) fn edited(
        &mut self,
        entry: &Entry,
        edit: Edit,
        at: i64,
    ) -> Result<Revision, MemoryError> {
        let mut links = self.own_links(&entry.id)?;
        links.extend(self.links_to_same(entry)?);
        let lines = self.present(&entry.id)?;
        let mut revision = Revision::next(entry, links, log::tips(&lines), at);
        // Counted from the lines themselves.
        if lines.iter().any(|line| line.op == Op::Seen) {
            let stated = lines.iter().find(|line| entry.heads.contains(&line.rev));
            for name in [OCCURRENCES, LAST_SEEN] {
                revision.metadata.remove(name);
                if let Some(value) = stated.and_then(|line| line.metadata.get(name)) {
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

    /// Changes a permanent memory of this type. Of two heads it leaves one. What changes nothing is
    /// not written.
    ///
    /// # Errors
    /// When there is no such memory of that type, nothing would be left of it, a field is not one of its
    /// type, or its value is not what the type has under that name.
    pub fn edit(&mut self, kind: Kind, id: &str, edit: &Edit) -> Result<Entry, MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.of_kind(kind, id)?;
            if edit.content.as_ref().is_some_and(|content| content.trim().is_empty()) {
                return Err(MemoryError::Invalid(format!("a {kind} cannot be empty")));
            }
            kinds::check_names(kind, &entry.metadata, &edit.fields)?;
            kinds::check(kind, &edit.fields)?;
            let given = edit.fields.get(CHECK);
            let mut edit: Edit = memory.gate.clean(edit)?.into_inner();
            enforced::kept_whole(given, edit.fields.get(CHECK))?;
            let content = edit.content.as_deref().unwrap_or(&entry.content);
            let others = memory.enforced(kind, Some(id), &edit.fields)?;
            enforced::settle(memory.gate, kind, content, Some(&entry), &others, &mut edit.fields)?;
            if edit.changes_nothing(&entry) {
                return Ok((Vec::new(), ()));
            }
            let at = memory.now();
            Ok((vec![memory.edited(&entry, edit, at)?], ()))
        })?;
        self.read(&mut |store| store.entry(id))?
            .ok_or_else(|| MemoryError::Unknown { what: "memory", id: id.to_owned() })
    }

    fn of_kind(&mut self, kind: Kind, id: &str) -> Result<Entry, MemoryError> {
        let entry = self.permanent(id)?;
        if entry.kind == kind {
            return Ok(entry);
        }
        Err(MemoryError::Invalid(format!("`{id}` is a {}, not a {kind}", entry.kind)))
    }

    /// Takes a permanent memory of this type back. Its lines stay, and what it superseded holds
    /// again.
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
            let entry = memory.of_kind(kind, id)?;
            // Whoever takes back what is only repeated leaves the one that is shown.
            let is_shown = entry.status == Status::Active;
            let same = if is_shown { memory.same_as(&entry)? } else { Vec::new() };
            let mut removals = Vec::new();
            for entry in same.into_iter().chain([entry]) {
                let parents = log::tips(&memory.present(&entry.id)?);
                let reason = reason.map(str::to_owned);
                removals.push(Revision::removal(&entry, parents, memory.now(), reason));
            }
            Ok((removals, ()))
        })
    }

    /// Says what came of a decision. What was said before stays in its history; the same again is
    /// not written.
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
            let entry = memory.of_kind(Kind::Decision, id)?;
            let mut fields = Map::new();
            fields.insert("outcome".to_owned(), outcome.word().into());
            fields.insert("outcomeReason".to_owned(), reason.into());
            let mut edit = memory.gate.clean(&Edit { fields, ..Edit::default() })?.into_inner();
            if edit.changes_nothing(&entry) {
                return Ok((Vec::new(), ()));
            }
            let at = memory.now();
            edit.fields.insert("outcomeAt".to_owned(), at.into());
            Ok((vec![memory.edited(&entry, edit, at)?], ()))
        })
    }

    /// Links two memories; the first must be permanent.
    ///
    /// # Errors
    /// When one is not there, both are the same, or superseding would go in a circle.
    pub fn link(&mut self, from: &str, link: &Link) -> Result<(), MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.permanent(from)?;
            memory.check_link(from, link)?;
            let at = memory.now();
            let mut revision = memory.edited(&entry, Edit::default(), at)?;
            revision.links.retain(|own| !is_same(own, link));
            revision.links.push(Link { from: String::new(), ..link.clone() });
            Ok((vec![revision], ()))
        })
    }

    /// The lines on a memory, the oldest first: all that was ever said of it.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn history(&mut self, id: &str) -> Result<Vec<Revision>, MemoryError> {
        let mut lines = self.read(&mut |store| present_lines(store, id))?;
        if lines.is_empty() {
            return Err(MemoryError::Unknown { what: "memory", id: id.to_owned() });
        }
        lines.sort_by(|a, b| (a.at, &a.rev).cmp(&(b.at, &b.rev)));
        Ok(lines)
    }

    /// A memory of this type that holds and says the same.
    fn same_text(&mut self, kind: Kind, content: &str) -> Result<Option<Entry>, MemoryError> {
        for similar in self.similar(kind, content)? {
            let entry = self.store().entry(&similar.id)?;
            let same = entry.filter(|entry| folded(&entry.content) == folded(content));
            if same.is_some() {
                return Ok(same);
            }
        }
        Ok(None)
    }
}

/// Whether two links that start at one memory say the same of the same other.
fn is_same(one: &Link, other: &Link) -> bool {
    (&one.to, one.relation) == (&other.to, other.relation)
}
