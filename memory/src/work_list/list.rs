//! The entries of the work list, and what follows from them.

use super::{Level, Priority, WorkEntry, WorkStatus};
use crate::MemoryError;
use crate::revisions::parse_lines;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Maximum nesting of entries that is followed; levels limit it to five.
const MAX_DEPTH: usize = 8;
/// The entries of the work list in their current state.
#[derive(Clone, Debug, Default)]
pub struct WorkList {
    entries: BTreeMap<String, WorkEntry>,
    /// For each parent, its parts in order. Entries without a known parent belong to the empty id.
    parts: HashMap<String, Vec<String>>,
    /// Lines that cannot be read, each with the path, the line number and the reason.
    pub problems: Vec<String>,
}

/// How many parts are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The parts that are done.
    pub done: usize,
    /// All parts except dropped ones.
    pub total: usize,
}

impl Progress {
    /// The share in percent, rounded down; 0 if there are no parts.
    #[must_use]
    pub fn percent(self) -> usize {
        (self.done * 100).checked_div(self.total).unwrap_or(0)
    }
}

impl WorkList {
    /// Reads the lines of the file. `path` is used in problems only.
    #[must_use]
    pub fn read(bytes: &[u8], path: &str) -> Self {
        let mut list = Self::default();
        for (_, entry) in parse_lines(bytes, path, &mut list.problems) {
            list.apply(entry);
        }
        let entries: Vec<&WorkEntry> = list.entries.values().collect();
        for entry in entries {
            let parent = entry.parent.clone().filter(|parent| list.entries.contains_key(parent));
            list.parts.entry(parent.unwrap_or_default()).or_default().push(entry.id.clone());
        }
        for parts in list.parts.values_mut() {
            parts.sort_by_key(|id| list.entries.get(id).map(|entry| (entry.order, id.clone())));
        }
        list
    }

    /// Applies a revision. Of two revisions of the same time, the one with the greater text applies,
    /// so that the order of lines has no effect.
    fn apply(&mut self, entry: WorkEntry) {
        let rank = |entry: &WorkEntry| (entry.at, serde_json::to_string(entry).unwrap_or_default());
        match self.entries.get(&entry.id) {
            Some(known) if rank(known) >= rank(&entry) => {}
            _ => _ = self.entries.insert(entry.id.clone(), entry),
        }
    }

    /// All entries, by id.
    pub fn entries(&self) -> impl Iterator<Item = &WorkEntry> {
        self.entries.values()
    }

    /// Whether the list has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&WorkEntry> {
        self.entries.get(id)
    }

    /// The entry that `name` identifies: an id, the start of an id, or a title.
    ///
    /// # Errors
    /// [`MemoryError::Unknown`] if none matches; [`MemoryError::Invalid`] if several do.
    pub fn find(&self, name: &str) -> Result<&WorkEntry, MemoryError> {
        let name = name.trim();
        if let Some(entry) = self.entries.get(name) {
            return Ok(entry);
        }
        let is_match = |entry: &&WorkEntry| {
            !name.is_empty()
                && (entry.id.starts_with(name) || entry.title.eq_ignore_ascii_case(name))
        };
        let found: Vec<&WorkEntry> = self.entries.values().filter(is_match).collect();
        match found[..] {
            [entry] => Ok(entry),
            [] => Err(MemoryError::Unknown { item: "work entry", id: name.to_owned() }),
            [first, second, ..] => Err(MemoryError::Invalid(format!(
                "`{name}` identifies several entries, such as {} and {}; write the whole id",
                first.id, second.id
            ))),
        }
    }

    /// The parts of the entry `parent` in order; with `None`, the entries without a parent.
    pub fn parts(&self, parent: Option<&str>) -> impl Iterator<Item = &WorkEntry> {
        let ids = self.parts.get(parent.unwrap_or_default()).map_or(&[][..], Vec::as_slice);
        ids.iter().filter_map(|id| self.entries.get(id))
    }

    /// The entries without parts below `id`, or `id` itself if it has no parts; dropped entries and
    /// their parts are left out.
    fn leaves(&self, id: &str) -> Vec<&WorkEntry> {
        let mut leaves = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![(id.to_owned(), 0)];
        while let Some((id, depth)) = open.pop() {
            let Some(entry) = self.entries.get(&id) else { continue };
            if entry.status == WorkStatus::Dropped || depth > MAX_DEPTH || !seen.insert(id.clone())
            {
                continue;
            }
            let mut parts = self
                .parts(Some(&id))
                .filter(|part| part.status != WorkStatus::Dropped)
                .map(|part| (part.id.clone(), depth + 1))
                .peekable();
            if parts.peek().is_none() {
                leaves.push(entry);
            }
            open.extend(parts);
        }
        leaves
    }

    /// The progress of an entry: of the entries without parts below it.
    #[must_use]
    pub fn progress(&self, id: &str) -> Progress {
        let leaves = self.leaves(id);
        let is_done = |entry: &&&WorkEntry| entry.status == WorkStatus::Done;
        Progress { done: leaves.iter().filter(is_done).count(), total: leaves.len() }
    }

    /// The progress of the whole list.
    #[must_use]
    pub fn total(&self) -> Progress {
        self.parts(None).map(|entry| self.progress(&entry.id)).fold(
            Progress::default(),
            |sum, one| Progress { done: sum.done + one.done, total: sum.total + one.total },
        )
    }

    /// The state of an entry. An entry with parts is done if all parts are done, and started if a
    /// part is done or started.
    #[must_use]
    pub fn status(&self, entry: &WorkEntry) -> WorkStatus {
        let leaves = self.leaves(&entry.id);
        let has_parts = leaves.iter().any(|leaf| leaf.id != entry.id);
        let is_fixed = matches!(entry.status, WorkStatus::Dropped | WorkStatus::Blocked);
        let statuses = || leaves.iter().map(|leaf| leaf.status);
        if !has_parts {
            entry.status
        } else if statuses().all(|status| status == WorkStatus::Done) {
            WorkStatus::Done
        } else if is_fixed {
            entry.status
        } else if entry.status == WorkStatus::Started
            || statuses().any(|status| matches!(status, WorkStatus::Started | WorkStatus::Done))
        {
            WorkStatus::Started
        } else {
            WorkStatus::Open
        }
    }

    /// The titles of the parts of an entry that are not done.
    #[must_use]
    pub fn unfinished_parts(&self, id: &str) -> Vec<String> {
        let leaves = self.leaves(id).into_iter();
        let open = leaves.filter(|leaf| leaf.id != id && leaf.status != WorkStatus::Done);
        open.map(|leaf| leaf.title.clone()).collect()
    }

    /// The entries to continue with, most urgent first: unfinished entries without unfinished parts;
    /// started ones first, then sidequests, then by priority and order. Blocked entries are last.
    #[must_use]
    pub fn next(&self) -> Vec<&WorkEntry> {
        let mut all: Vec<&WorkEntry> =
            self.parts(None).flat_map(|entry| self.leaves(&entry.id)).collect();
        all.retain(|entry| !matches!(entry.status, WorkStatus::Done | WorkStatus::Dropped));
        all.sort_by_key(|entry| {
            (
                entry.status == WorkStatus::Blocked,
                entry.status != WorkStatus::Started,
                self.interrupts(entry) == Level::Task,
                std::cmp::Reverse(self.priority(entry)),
                self.position(entry),
                entry.id.clone(),
            )
        });
        all
    }

    /// [`Level::Sidequest`] if the entry is a sidequest or a part of one, otherwise [`Level::Task`].
    fn interrupts(&self, entry: &WorkEntry) -> Level {
        let is_sidequest = self.path(entry).iter().any(|at| at.level == Level::Sidequest);
        if is_sidequest { Level::Sidequest } else { Level::Task }
    }

    /// The highest priority of an entry and those of which it is a part.
    fn priority(&self, entry: &WorkEntry) -> Priority {
        self.path(entry).iter().map(|at| at.priority).max().unwrap_or(entry.priority)
    }

    fn position(&self, entry: &WorkEntry) -> Vec<i64> {
        self.path(entry).iter().map(|at| at.order).collect()
    }

    /// The entry and those of which it is a part, outermost first.
    #[must_use]
    pub fn path<'l>(&'l self, entry: &'l WorkEntry) -> Vec<&'l WorkEntry> {
        let mut path = vec![entry];
        while let Some(parent) = path
            .last()
            .and_then(|at| self.entries.get(at.parent.as_deref()?))
            .filter(|_| path.len() <= MAX_DEPTH)
        {
            path.push(parent);
        }
        path.reverse();
        path
    }
}
