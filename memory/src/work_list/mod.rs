//! The work list: stages, milestones, tasks, subtasks, sidequests and items in the tracked file
//! `work.jsonl` next to the permanent memory.
//!
//! Each line is a revision of an entry. The revision with the latest time applies, so that Git can
//! merge the file by union. The state of an entry with parts follows from its parts: progress is
//! counted, not claimed.

mod list;
mod runs;
#[cfg(test)]
mod tests;

use crate::MemoryError;
use crate::id::digest;
use crate::project::ProjectMemory;
use crate::store::{Layers, Query};
use crate::types::{Entry, Kind};
pub use crate::types::{Level, Priority, WorkStatus};
pub use list::{Progress, WorkList};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name of the file in the memory directory.
pub const FILE: &str = "work.jsonl";
/// The metadata field with the id of the record of a directive; the id is unique.
pub const DIRECTIVE_RUN: &str = "directiveRun";
/// Maximum length of a title or a note, in characters.
pub const MAX_CHARS: usize = 500;

/// An entry of the work list; a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkEntry {
    /// `<level>_<milliseconds>_<hash>`; never changes.
    pub id: String,
    /// How large the work is.
    pub level: Level,
    /// What is to be done.
    pub title: String,
    /// The id of the entry of which this entry is a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The recorded state. The state of an entry with parts is [`WorkList::status`].
    pub status: WorkStatus,
    /// Decides what to continue with.
    pub priority: Priority,
    /// The position among the parts of the parent; equal positions are ordered by id.
    #[serde(default)]
    pub order: i64,
    /// The names of the flows of the code that the work concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// A note, such as the reason of a blocker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The time of this revision in milliseconds since 1970.
    pub at: i64,
    /// Fields that this version does not know; they are retained.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The fields of a new entry.
#[derive(Clone, Debug)]
pub struct NewWork {
    /// How large the work is.
    pub level: Level,
    /// What is to be done.
    pub title: String,
    /// The id of the entry of which the new entry is a part.
    pub parent: Option<String>,
    /// Decides what to continue with.
    pub priority: Priority,
    /// The names of flows.
    pub flows: Vec<String>,
    /// Further text, such as where to begin.
    pub note: Option<String>,
}

impl NewWork {
    /// A task with medium priority.
    #[must_use]
    pub fn task(title: impl Into<String>) -> Self {
        Self {
            level: Level::Task,
            title: title.into(),
            parent: None,
            priority: Priority::Medium,
            flows: Vec::new(),
            note: None,
        }
    }
}

/// Changes to an entry; `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct WorkChange {
    /// The new state.
    pub status: Option<WorkStatus>,
    /// The new title.
    pub title: Option<String>,
    /// The new priority.
    pub priority: Option<Priority>,
    /// The new position among the parts of the parent.
    pub order: Option<i64>,
    /// The new note; an empty text removes the note.
    pub note: Option<String>,
}

impl ProjectMemory {
    /// The path of the work list, relative to the root.
    #[must_use]
    pub fn work_path(&self) -> String {
        format!("{}/{FILE}", self.journal.folder())
    }

    /// Reads the work list; a missing file is an empty list.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn work(&self) -> Result<WorkList, MemoryError> {
        let bytes = self.journal.read(&self.work_path())?.map(|(bytes, _)| bytes);
        Ok(WorkList::read(&bytes.unwrap_or_default(), &self.work_path()))
    }

    /// Adds an entry after the other parts of its parent.
    ///
    /// # Errors
    /// When the title is empty or too long, the parent does not exist or cannot contain the level,
    /// or the file cannot be written.
    pub fn add_work(&mut self, new: NewWork) -> Result<WorkEntry, MemoryError> {
        let at = self.now();
        let id = format!("{}_{at}_{}", new.level, &digest(&[&new.title, &at.to_string()])[..6]);
        self.add_work_with_id(id, new)
    }

    /// Like [`Self::add_work`], with a given id. If an entry has the id already, it is returned
    /// unchanged, so a repeated call has no effect.
    ///
    /// # Errors
    /// See [`Self::add_work`].
    pub fn add_work_with_id(&mut self, id: String, new: NewWork) -> Result<WorkEntry, MemoryError> {
        let _lock = self.journal.lock()?;
        let list = self.work()?;
        if let Some(known) = list.get(&id) {
            return Ok(known.clone());
        }
        let parent = new.parent.as_deref().map(|name| list.find(name)).transpose()?;
        if let Some(parent) = parent.filter(|parent| !can_contain(parent.level, new.level)) {
            return Err(MemoryError::Invalid(format!(
                "{} `{}` cannot contain {} entries",
                parent.level, parent.id, new.level
            )));
        }
        let parent = parent.map(|parent| parent.id.clone());
        let order = list.parts(parent.as_deref()).map(|part| part.order + 1).max().unwrap_or(0);
        let entry = WorkEntry {
            id,
            level: new.level,
            title: new.title,
            parent,
            status: WorkStatus::Open,
            priority: new.priority,
            order,
            flows: new.flows,
            note: new.note,
            at: self.now(),
            other: Map::new(),
        };
        self.append_work(entry)
    }

    /// Changes the entry that `name` identifies: an id, the start of an id, or a title.
    ///
    /// # Errors
    /// When no entry or several entries match, when an entry with unfinished parts is marked as
    /// done, or when the file cannot be written.
    pub fn change_work(
        &mut self,
        name: &str,
        change: &WorkChange,
    ) -> Result<WorkEntry, MemoryError> {
        let _lock = self.journal.lock()?;
        let list = self.work()?;
        let mut entry = list.find(name)?.clone();
        if change.status == Some(WorkStatus::Done) {
            let open: Vec<String> = list.unfinished_parts(&entry.id);
            if let [first, ..] = &open[..] {
                return Err(MemoryError::Invalid(format!(
                    "`{}` has unfinished parts: {}, such as `{first}`; finish or drop them first",
                    entry.title,
                    open.len()
                )));
            }
        }
        let before = entry.clone();
        entry.status = change.status.unwrap_or(entry.status);
        entry.priority = change.priority.unwrap_or(entry.priority);
        entry.order = change.order.unwrap_or(entry.order);
        if let Some(title) = &change.title {
            entry.title.clone_from(title);
        }
        if let Some(note) = &change.note {
            entry.note = Some(note.clone()).filter(|note| !note.trim().is_empty());
        }
        if entry == before {
            return Ok(entry);
        }
        // A clock that was set back must not hide this revision.
        entry.at = self.now().max(before.at + 1);
        self.append_work(entry)
    }

    /// Whether an active memory of this kind has this value in the metadata field
    /// [`DIRECTIVE_RUN`].
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn has_directive_record(&mut self, kind: Kind, id: &str) -> Result<bool, MemoryError> {
        let layers = if kind.file().is_some() { Layers::PERMANENT } else { Layers::LOCAL };
        let query = Query::active(layers, kind);
        let entries = self.read(&mut |store| store.entries(&query))?;
        let is_same =
            |entry: &Entry| entry.metadata.get(DIRECTIVE_RUN).and_then(Value::as_str) == Some(id);
        Ok(entries.iter().any(is_same))
    }

    /// Appends a revision; the caller holds the lock of the journal.
    fn append_work(&mut self, mut entry: WorkEntry) -> Result<WorkEntry, MemoryError> {
        entry.title = entry.title.trim().to_owned();
        let texts = [Some(&entry.title), entry.note.as_ref()];
        if entry.title.is_empty() {
            return Err(MemoryError::Invalid("the title is empty".to_owned()));
        }
        if texts.into_iter().flatten().any(|text| text.chars().count() > MAX_CHARS) {
            return Err(MemoryError::Invalid(format!(
                "a title or note is longer than {MAX_CHARS} characters; shorten it"
            )));
        }
        let entry = self.gate.clean(&entry)?.into_inner();
        let line = serde_json::to_string(&entry)?;
        self.journal.append(&self.work_path(), &format!("{line}\n"))?;
        Ok(entry)
    }
}

/// Whether an entry of level `parent` can have parts of level `part`.
fn can_contain(parent: Level, part: Level) -> bool {
    match parent {
        Level::Stage => matches!(part, Level::Milestone | Level::Task | Level::Sidequest),
        Level::Milestone => matches!(part, Level::Task | Level::Sidequest),
        Level::Task => matches!(part, Level::Subtask | Level::Sidequest | Level::Item),
        Level::Subtask | Level::Sidequest => part == Level::Item,
        Level::Item => false,
    }
}
