//! The themes and flows that people name, in the tracked file `map.jsonl` next to the permanent
//! memory. Their names replace those that the code index derives.
//!
//! Each line is a revision of an entry, identified by its kind and name. The revision with the latest
//! time applies, so that Git can merge the file by union.

#[cfg(test)]
mod tests;

use crate::MemoryError;
use crate::journal::Journal;
use crate::project::ProjectMemory;
use crate::revisions::parse_lines;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the file in the memory directory.
pub const FILE: &str = "map.jsonl";
/// Maximum length of a name or a description, in characters.
pub const MAX_CHARS: usize = 500;

/// What an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MapKind {
    /// A group of files on one subject.
    Theme,
    /// A procedure: entry points and what they reach.
    Flow,
}

impl MapKind {
    /// The word in files and messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Theme => "theme",
            Self::Flow => "flow",
        }
    }
}

/// A theme or a flow; a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MapEntry {
    /// Whether the entry names a theme or a flow.
    pub kind: MapKind,
    /// The name that people use.
    pub name: String,
    /// What it contains or does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its files and directories, relative to the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// For a flow: the symbols at which it begins, or the name of a derived flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// For a flow: the names of its themes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub themes: Vec<String>,
    /// Whether the name was withdrawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// The time of this revision in milliseconds since 1970.
    pub at: i64,
    /// Fields that this version does not know; they are retained.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl MapEntry {
    /// An entry without files.
    #[must_use]
    pub fn new(kind: MapKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            description: None,
            paths: Vec::new(),
            entries: Vec::new(),
            themes: Vec::new(),
            removed: false,
            at: 0,
            other: Map::new(),
        }
    }

    /// The kind and the name, which identify the entry.
    pub(crate) fn id(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
    }

    /// Refuses an entry without files and entry points: its name would say nothing about the code.
    fn refuse_empty(&self) -> Result<(), MemoryError> {
        let needs = match self.kind {
            _ if self.removed || !self.paths.is_empty() || !self.entries.is_empty() => {
                return Ok(());
            }
            MapKind::Theme => "a theme needs at least one path; name its files or directories",
            MapKind::Flow => {
                "a flow needs at least one entry point or path; name the symbol at which it begins"
            }
        };
        Err(MemoryError::Invalid(needs.to_owned()))
    }
}

/// The themes and flows that people named, in their current state.
#[derive(Clone, Debug, Default)]
pub struct ProjectMap {
    entries: BTreeMap<(MapKind, String), (usize, MapEntry)>,
    path: String,
    /// Lines that cannot be read, each with the path, the line number and the reason.
    pub problems: Vec<String>,
}

impl ProjectMap {
    /// Reads the lines of the file. `path` is used in problems.
    #[must_use]
    pub fn read(bytes: &[u8], path: &str) -> Self {
        let mut map = Self { path: path.to_owned(), ..Self::default() };
        // Of two revisions of the same time, the one with the greater text applies, so that the
        // order of lines has no effect.
        let rank = |entry: &MapEntry| (entry.at, serde_json::to_string(entry).unwrap_or_default());
        for (line, entry) in parse_lines::<MapEntry>(bytes, path, &mut map.problems) {
            let key = (entry.kind, entry.name.clone());
            match map.entries.get(&key) {
                Some((_, known)) if rank(known) >= rank(&entry) => {}
                _ => _ = map.entries.insert(key, (line, entry)),
            }
        }
        map
    }

    /// Reads the file of the project at `root`, without its memory; a missing file is an empty map.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_project(root: &Path) -> Result<Self, MemoryError> {
        Self::from_journal(&Journal::new(root))
    }

    fn from_journal(journal: &Journal) -> Result<Self, MemoryError> {
        let path = format!("{}/{FILE}", journal.folder());
        let bytes = journal.read(&path)?.map(|(bytes, _)| bytes);
        Ok(Self::read(&bytes.unwrap_or_default(), &path))
    }

    /// The entries that are not withdrawn, by kind and name; each with its place in the file, such as
    /// `ai/memory/map.jsonl:3`.
    pub fn entries(&self) -> impl Iterator<Item = (String, &MapEntry)> {
        let current = self.entries.values().filter(|(_, entry)| !entry.removed);
        current.map(|(line, entry)| (format!("{}:{line}", self.path), entry))
    }

    /// Whether the file has a line for this name, also if it withdraws the name.
    pub(crate) fn has_line(&self, kind: MapKind, name: &str) -> bool {
        self.entries.contains_key(&(kind, name.to_owned()))
    }

    /// The entry with this name.
    #[must_use]
    pub fn get(&self, kind: MapKind, name: &str) -> Option<&MapEntry> {
        let found = self.entries.get(&(kind, name.to_owned()));
        found.map(|(_, entry)| entry).filter(|entry| !entry.removed)
    }
}

impl ProjectMemory {
    /// The path of the tracked file.
    pub(crate) fn map_path(&self) -> String {
        format!("{}/{FILE}", self.journal.folder())
    }

    /// Reads the themes and flows that people named.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn project_map(&self) -> Result<ProjectMap, MemoryError> {
        ProjectMap::from_journal(&self.journal)
    }

    /// Writes a theme or flow. Of an entry that exists, the fields that are empty in `new` remain
    /// unchanged.
    ///
    /// # Errors
    /// When the name is empty, a text is too long, a theme has entry points or themes, the entry would
    /// have neither a path nor an entry point, or the file cannot be written.
    pub fn change_map(&mut self, new: MapEntry) -> Result<MapEntry, MemoryError> {
        let _lock = self.journal.lock()?;
        let map = self.project_map()?;
        let name = new.name.trim().to_owned();
        if name.is_empty() {
            return Err(MemoryError::Invalid("the name is empty".to_owned()));
        }
        let texts = [Some(&new.name), new.description.as_ref()];
        if texts.into_iter().flatten().any(|text| text.chars().count() > MAX_CHARS) {
            return Err(MemoryError::Invalid(format!(
                "a name or description is longer than {MAX_CHARS} characters; shorten it"
            )));
        }
        if new.kind == MapKind::Theme && !(new.entries.is_empty() && new.themes.is_empty()) {
            return Err(MemoryError::Invalid(
                "a theme has files and directories only; name a flow for entry points".to_owned(),
            ));
        }
        let known = map.get(new.kind, &name);
        if known.is_none() && new.removed {
            return Err(MemoryError::Unknown { item: new.kind.word(), id: name });
        }
        let mut entry = known.cloned().unwrap_or_else(|| MapEntry::new(new.kind, &name));
        let before = entry.clone();
        entry.description = new.description.or(entry.description);
        for (field, value) in [
            (&mut entry.paths, new.paths),
            (&mut entry.entries, new.entries),
            (&mut entry.themes, new.themes),
        ] {
            if !value.is_empty() {
                *field = value;
            }
        }
        entry.removed = new.removed;
        entry.refuse_empty()?;
        if known.is_some() && entry == before {
            return Ok(entry);
        }
        // A clock that was set back must not hide this revision.
        let last = map.entries.get(&(entry.kind, name)).map_or(0, |(_, last)| last.at + 1);
        entry.at = self.now().max(last);
        let entry = self.gate.clean(&entry)?.into_inner();
        let line = serde_json::to_string(&entry)?;
        self.journal.append(&self.map_path(), &format!("{line}\n"))?;
        Ok(entry)
    }
}
