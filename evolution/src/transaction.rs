//! Exclusive access to the files of evolution: applying, reverting, and completing what an interrupted
//! process has begun.

use crate::log::{self, Action, DraftStatus, FileChange, LogEntry, OverlayChange, State};
use crate::store::{
    EvolutionError, FileWrite, JOURNAL_PATH, LineWrite, MANIFEST_PATH, Store, hash,
};
use aidd_engine::project::overlay::{OVERLAY_PATH, Overlay};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::File;

/// What a process that was interrupted has to complete.
#[derive(Serialize, Deserialize)]
struct Journal {
    entry: String,
    files: Vec<FileChange>,
}

/// Exclusive access to the files of evolution.
#[derive(Debug)]
pub struct Transaction {
    store: Store,
    _lock: File,
    entries: Vec<LogEntry>,
}

impl Transaction {
    /// Completes an interrupted change; `lock` is released at the end.
    pub(crate) fn new(
        store: Store,
        lock: File,
        entries: Vec<LogEntry>,
    ) -> Result<Self, EvolutionError> {
        let mut transaction = Self { store, _lock: lock, entries };
        transaction.complete()?;
        Ok(transaction)
    }

    /// The state that follows from the log.
    #[must_use]
    pub fn state(&self) -> State {
        State::new(&self.entries)
    }

    /// The entries of the log, in order.
    #[must_use]
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Applies and logs a change. The overlay and the list of drafts follow from the log; `writes` are
    /// the other files. Returns the entry with its id.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn commit(
        &mut self,
        entry: LogEntry,
        writes: Vec<FileWrite>,
    ) -> Result<LogEntry, EvolutionError> {
        self.commit_with_lines(entry, writes, &[])
    }

    /// [`Self::commit`], with changes of single lines.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn commit_with_lines(
        &mut self,
        mut entry: LogEntry,
        writes: Vec<FileWrite>,
        lines: &[LineWrite],
    ) -> Result<LogEntry, EvolutionError> {
        let take = |bytes: &[u8]| -> Result<String, EvolutionError> {
            let hash = hash(bytes);
            self.store.write(&Store::snapshot_path(&hash), Some(bytes))?;
            Ok(hash)
        };
        for (path, content) in &writes {
            let before = self.store.read(path)?.as_deref().map(take).transpose()?;
            let after = content.as_deref().map(take).transpose()?;
            if before != after {
                let path = path.clone();
                entry.files.push(FileChange { path, before, after, ..FileChange::default() });
            }
        }
        for write in lines {
            let mut change = FileChange::default();
            let (path, lines, hash) = match write {
                LineWrite::Add(path, lines) => (path, lines, &mut change.added),
                LineWrite::Remove(path, lines) => (path, lines, &mut change.removed),
            };
            *hash = Some(take(lines.as_bytes())?);
            change.path.clone_from(path);
            entry.files.push(change);
        }
        // The state depends on the order of the entries, and several can have the same time.
        if let Some(last) = self.entries.last() {
            entry.at = entry.at.max(last.at.saturating_add(1));
        }
        let entry = entry.sealed();
        let journal = Journal { entry: entry.id.clone(), files: entry.files.clone() };
        let text = serde_json::to_string(&journal).unwrap_or_default();
        self.store.write(JOURNAL_PATH, Some(text.as_bytes()))?;
        self.store.append_to_log(&entry.to_line())?;
        self.entries.push(entry.clone());
        self.entries.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        for (path, content) in writes {
            self.store.write(&path, content.as_deref())?;
        }
        for write in lines {
            match write {
                LineWrite::Add(path, lines) => self.store.append(path, lines)?,
                LineWrite::Remove(path, lines) => self.store.remove_lines(path, lines)?,
            }
        }
        self.project()?;
        self.store.write(JOURNAL_PATH, None)?;
        Ok(entry)
    }

    /// Completes the change in the journal, if its line is in the log.
    fn complete(&mut self) -> Result<(), EvolutionError> {
        let Some(bytes) = self.store.read(JOURNAL_PATH)? else { return Ok(()) };
        let journal = serde_json::from_slice::<Journal>(&bytes).ok();
        let logged =
            journal.filter(|journal| self.entries.iter().any(|entry| entry.id == journal.entry));
        if let Some(journal) = logged {
            for change in &journal.files {
                if change.is_of_lines() {
                    self.complete_lines(change)?;
                    continue;
                }
                let current = self.store.read(&change.path)?;
                if current.as_deref().map(hash) == change.before {
                    let after = change.after.as_deref();
                    let content = after.map(|hash| self.store.snapshot(hash)).transpose()?;
                    self.store.write(&change.path, content.as_deref())?;
                }
            }
            self.project()?;
        }
        self.store.write(JOURNAL_PATH, None)
    }

    fn complete_lines(&self, change: &FileChange) -> Result<(), EvolutionError> {
        if let Some(added) = &change.added {
            let lines = self.store.snapshot_lines(added)?;
            if !self.store.has_lines(&change.path, &lines)? {
                self.store.append(&change.path, &lines)?;
            }
        }
        if let Some(removed) = &change.removed {
            self.store.remove_lines(&change.path, &self.store.snapshot_lines(removed)?)?;
        }
        Ok(())
    }

    /// Writes the overlay and the list of drafts, as they follow from the log.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn project(&self) -> Result<(), EvolutionError> {
        let state = self.state();
        let has_overlay = self.entries.iter().any(|entry| !entry.overlay.is_empty());
        if has_overlay {
            self.store.write(OVERLAY_PATH, Some(state.overlay.to_text().as_bytes()))?;
        }
        let drafts: Vec<serde_json::Value> = state
            .drafts
            .values()
            .filter_map(|draft| {
                let data = draft.data()?;
                let figures = draft.entry.figures.clone().unwrap_or_default();
                Some(json!({
                    "id": draft.entry.id,
                    "category": data.category,
                    "title": draft.entry.title,
                    "path": data.path,
                    "status": draft.status.name(),
                    "confidence": figures.confidence,
                    "createdAt": draft.entry.at,
                    "decidedAt": draft.decided_at,
                    "reason": draft.reason,
                }))
            })
            .collect();
        if !drafts.is_empty() {
            let text = serde_json::to_string_pretty(&json!({"version": 1, "drafts": drafts}));
            let text = format!("{}\n", text.unwrap_or_default());
            self.store.write(MANIFEST_PATH, Some(text.as_bytes()))?;
        }
        Ok(())
    }

    /// The applied change with this id, or with an id that begins with it.
    ///
    /// # Errors
    /// When there is no such change.
    pub fn applied(&self, id: &str) -> Result<LogEntry, EvolutionError> {
        let state = self.state();
        let applied = state.applied.iter().map(|entry| (entry.id.as_str(), entry));
        find(applied, "change", id).cloned()
    }

    /// Reverts an applied change: restores its files byte for byte, and its values of the overlay.
    /// `lines` take back the lines that it added.
    ///
    /// # Errors
    /// When a file was edited since, or a later change set the same value.
    pub fn revert(
        &mut self,
        change: &LogEntry,
        at: i64,
        (actor, reason): (&str, Option<String>),
        lines: &[LineWrite],
    ) -> Result<LogEntry, EvolutionError> {
        let state = self.state();
        self.check_overlay(&state)?;
        let mut entry = LogEntry::new(Action::Revert, &change.title, at, actor);
        entry.target = Some(change.id.clone());
        entry.kind = change.kind;
        entry.candidate.clone_from(&change.candidate);
        entry.memory.clone_from(&change.memory);
        entry.reason = reason;
        for value in &change.overlay {
            let current = state.overlay.section(&value.section);
            let current = current.and_then(|section| section.get(&value.key));
            if current != value.after.as_ref() {
                let key = &value.key;
                return Err(EvolutionError::Refused(format!(
                    "a later change set {} of `{key}`; revert that change first",
                    value.section
                )));
            }
            entry.overlay.push(OverlayChange {
                before: value.after.clone(),
                after: value.before.clone(),
                ..value.clone()
            });
        }
        let mut writes = Vec::new();
        for file in change.files.iter().filter(|file| !file.is_of_lines()) {
            let current = self.store.read(&file.path)?;
            if current.as_deref().map(hash) != file.after {
                let by = self.store.editor_of(&file.path);
                return Err(EvolutionError::Edited { path: file.path.clone(), by });
            }
            let before = file.before.as_deref();
            let content = before.map(|hash| self.store.snapshot(hash)).transpose()?;
            writes.push((file.path.clone(), content));
        }
        self.commit_with_lines(entry, writes, lines)
    }

    /// Checks that the overlay on disk was not edited by hand. An overlay that is missing, or that is
    /// the result of a merge, is written again from the log.
    ///
    /// # Errors
    /// When the overlay has values that no entry of the log has set.
    pub fn check_overlay(&self, state: &State) -> Result<(), EvolutionError> {
        let Some(bytes) = self.store.read(OVERLAY_PATH)? else { return Ok(()) };
        if bytes == state.overlay.to_text().as_bytes() {
            return Ok(());
        }
        let Ok(found) = serde_json::from_slice::<Overlay>(&bytes) else { return Ok(()) };
        for section in ["knowledge", "models", "routing", "severities"] {
            let changes = || {
                let changes = self.entries.iter().flat_map(|entry| &entry.overlay);
                changes.filter(move |change| change.section == section)
            };
            for (key, value) in found.section(section).into_iter().flatten() {
                if !changes()
                    .any(|change| change.key == *key && change.after.as_ref() == Some(value))
                {
                    let by = self.store.editor_of(OVERLAY_PATH);
                    return Err(EvolutionError::Edited { path: OVERLAY_PATH.to_owned(), by });
                }
            }
        }
        Ok(())
    }

    /// The draft with this id, or with an id that begins with it.
    ///
    /// # Errors
    /// When there is no such draft, or it is already decided.
    pub fn pending_draft(&self, id: &str) -> Result<log::Draft, EvolutionError> {
        let state = self.state();
        let draft =
            find(state.drafts.values().map(|draft| (draft.entry.id.as_str(), draft)), "draft", id)?;
        if draft.status != DraftStatus::Pending {
            let status = draft.status.name();
            return Err(EvolutionError::Refused(format!("the draft is already {status}")));
        }
        Ok(draft.clone())
    }
}

/// The item whose id is `id` or begins with it.
///
/// # Errors
/// When there is none, or several.
pub fn find<'a, T>(
    items: impl Iterator<Item = (&'a str, T)>,
    item: &'static str,
    id: &str,
) -> Result<T, EvolutionError> {
    let mut found = None;
    for (known, value) in items {
        if known == id {
            return Ok(value);
        }
        if !id.is_empty() && known.starts_with(id) {
            if found.is_some() {
                return Err(EvolutionError::Ambiguous(id.to_owned()));
            }
            found = Some(value);
        }
    }
    found.ok_or_else(|| EvolutionError::Unknown { item, id: id.to_owned() })
}
