//! Decisions, mistakes and conventions: saving, editing, taking back, and what contradicts what.

use super::MemoryError;
use super::conflicts::{decisions_on, of_link};
use super::kinds::{self, Convention, Decision, Mistake};
use super::log::{LAST_SEEN, OCCURRENCES, Op, Revision};
use super::project::{Drafted, ProjectMemory};
use super::store::Query;
use super::types::{Entry, Kind, Layer, Link, Outcome, Relation, Status};
use super::words::{folded, topic_key};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

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
    fn as_kept<T: Clone>(&self, new: &New<T>) -> Result<New<T>, MemoryError> {
        Ok(New { content: self.gate.clean(&new.content)?.into_inner(), ..new.clone() })
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
            return Ok((Vec::new(), Saved { id: old.id, ..Saved::default() }));
        }
        for old in on_topic {
            if !revision.links.iter().any(|link| link.to == old.id) {
                revision.links.push(Link::to(Relation::Supersedes, &old.id));
            }
        }
        let superseded: Vec<String> =
            revision.links.iter().filter(|link| wanted(link)).map(|link| link.to.clone()).collect();
        let mut similar = self.similar(Kind::Decision, &new.content)?;
        similar.retain(|similar| !revision.links.iter().any(|link| link.to == similar.id));
        let id = revision.id.clone();
        Ok((vec![revision], Saved { id, is_new: true, superseded, similar, occurrences: None }))
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
        let new = &self.as_kept(new)?;
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
        let before: Mistake = kinds::typed(&entry.metadata)?;
        let random = self.new_id("seen", at, id);
        let mut seen = Revision::first(Kind::Mistake, id.to_owned(), at, "");
        seen.op = Op::Seen;
        seen.session_id.clone_from(&new.session_id);
        // Two times in one millisecond are two times.
        seen.extra.insert("nonce".to_owned(), random.into());
        let mut revisions = vec![seen];
        let mut fields = kinds::metadata(&new.body)?;
        fields.retain(|name, value| {
            name != OCCURRENCES && name != LAST_SEEN && entry.metadata.get(name) != Some(value)
        });
        if !fields.is_empty() {
            revisions.push(self.edited(&entry, Edit { fields, ..Edit::default() }, at)?);
        }
        let occurrences = Some(before.occurrences.unwrap_or(1) + 1);
        Ok((revisions, Saved { id: id.to_owned(), occurrences, ..Saved::default() }))
    }

    /// Saves a convention. The same convention again is no new one.
    ///
    /// # Errors
    /// When it is empty, or links to what is not there.
    pub fn save_convention(&mut self, new: &New<Convention>) -> Result<Saved, MemoryError> {
        let new = &self.as_kept(new)?;
        self.write_permanent(&mut |memory| {
            let revision = memory.draft(Kind::Convention, new)?;
            if let Some(old) = memory.same_text(Kind::Convention, &new.content)? {
                return Ok((Vec::new(), Saved { id: old.id, ..Saved::default() }));
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
        Ok(Revision {
            topic: new.topic.clone().filter(|topic| !topic.trim().is_empty()),
            metadata: kinds::metadata(&new.body)?,
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

    /// A revision of `entry` with `edit`; it settles whatever heads there are.
    pub(super) fn edited(
        &mut self,
        entry: &Entry,
        edit: Edit,
        at: i64,
    ) -> Result<Revision, MemoryError> {
        let links = self.own_links(&entry.id)?;
        let mut revision = Revision::next(entry, links, at);
        // Counted from the lines themselves.
        let counted = self.store().lines_of(&entry.id)?;
        if counted.iter().any(|line| line.line.op == Op::Seen) {
            let stated = counted.iter().find(|line| entry.heads.contains(&line.line.rev));
            for name in [OCCURRENCES, LAST_SEEN] {
                revision.metadata.remove(name);
                if let Some(value) = stated.and_then(|line| line.line.metadata.get(name)) {
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
    /// When there is no such memory of that type, or nothing would be left of it.
    pub fn edit(&mut self, kind: Kind, id: &str, edit: &Edit) -> Result<Entry, MemoryError> {
        self.write_permanent(&mut |memory| {
            let entry = memory.of_kind(kind, id)?;
            if edit.content.as_ref().is_some_and(|content| content.trim().is_empty()) {
                return Err(MemoryError::Invalid(format!("a {kind} cannot be empty")));
            }
            let edit: Edit = memory.gate.clean(edit)?.into_inner();
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
            let at = memory.now();
            Ok((vec![Revision::removal(&entry, at, reason.map(str::to_owned))], ()))
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
            let same = |own: &Link| (&own.to, own.relation) == (&link.to, link.relation);
            revision.links.retain(|own| !same(own));
            revision.links.push(Link { from: String::new(), ..link.clone() });
            Ok((vec![revision], ()))
        })
    }

    /// The lines on a memory, the oldest first: all that was ever said of it.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn history(&mut self, id: &str) -> Result<Vec<Revision>, MemoryError> {
        let lines = self.read(&mut |store| store.lines_of(id))?;
        let mut lines: Vec<Revision> =
            lines.into_iter().filter(|line| line.present).map(|line| line.line).collect();
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

    /// All that does not go together in permanent memory.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn conflicts(&mut self) -> Result<Vec<Conflict>, MemoryError> {
        let query = Query { layers: vec![Layer::Permanent], ..Query::default() };
        self.read(&mut |store| {
            let entries = store.entries(&query)?;
            let active: BTreeSet<&str> = entries
                .iter()
                .filter(|entry| entry.status == Status::Active)
                .map(|entry| &*entry.id)
                .collect();
            let mut conflicts = Vec::new();
            let mut topics: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for entry in &entries {
                if entry.is_contested() {
                    let (id, heads) = (entry.id.clone(), entry.heads.clone());
                    conflicts.push(Conflict::TwoHeads { id, heads });
                }
                let topic = entry.topic.as_deref().map(topic_key).filter(|key| !key.is_empty());
                if let Some(topic) =
                    topic.filter(|_| entry.kind == Kind::Decision && active.contains(&*entry.id))
                {
                    topics.entry(topic).or_default().push(entry.id.clone());
                }
                let links = store.links(&entry.id)?.into_iter();
                let own = links.filter(|link| link.from == entry.id);
                conflicts
                    .extend(own.filter_map(|link| of_link(link, &|id: &str| active.contains(id))));
            }
            conflicts.extend(topics.into_iter().filter(|(_, ids)| ids.len() > 1).map(
                |(topic, mut ids)| {
                    ids.sort();
                    Conflict::OneTopic { topic, ids }
                },
            ));
            conflicts.sort();
            Ok(conflicts)
        })
    }
}
