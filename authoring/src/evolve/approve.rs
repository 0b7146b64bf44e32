//! Drafts: create, approve, reject.

use super::history::{HistoryTrial, try_on_history};
use super::{Evolve, EvolveError, convention, slug};
use crate::suggest::{self, Limit};
use aidd_engine::project::config::{ChangeKind, Level};
use aidd_engine::project::overlay::Overlay;
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::workspace::suppress::set_rule_level;
use aidd_evolution::log::{Action, Category, DraftData, Figures, LogEntry, OverlayChange};
use aidd_evolution::store::{DRAFT_DIR, FileWrite};
use aidd_evolution::transaction::Transaction;
use aidd_memory::project::ProjectMemory;
use aidd_report::number;
use serde_json::Value;
use std::sync::Arc;

/// Maximum size of a draft, in bytes.
const MAX_DRAFT: usize = 256 << 10;
/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 200;

/// A draft to create.
#[derive(Clone, Debug)]
pub struct NewDraft {
    /// The kind of page, memory or setting that an approved draft becomes.
    pub category: Category,
    /// One line that says what changes.
    pub title: String,
    /// The name of the file; by default, from the title.
    pub name: Option<String>,
    /// The text of the page, or the patch as JSON.
    pub text: String,
    /// Remarks for the person who decides.
    pub notes: Vec<String>,
    /// The candidate from which it follows, with its figures.
    pub candidate: Option<(String, ChangeKind, Figures)>,
}

impl NewDraft {
    fn extension(&self) -> &'static str {
        if self.category == Category::Settings { "json" } else { "md" }
    }
}

/// Creates a draft; a drafted rule is tried on the project and the last commits first. Similar drafts
/// that are pending or were rejected within 30 days are refused.
///
/// # Errors
/// When the draft is empty, too long or refused, or a file cannot be written.
pub fn create(
    evolve: &Evolve<'_>,
    memory: &ProjectMemory,
    new: &NewDraft,
    now: i64,
) -> Result<LogEntry, EvolveError> {
    let mut transaction = evolve.store().begin()?;
    create_in(evolve, memory, &mut transaction, new, now)
}

/// [`create`] in a transaction.
pub(super) fn create_in(
    evolve: &Evolve<'_>,
    memory: &ProjectMemory,
    transaction: &mut Transaction,
    new: &NewDraft,
    now: i64,
) -> Result<LogEntry, EvolveError> {
    let title = memory.clean_text(new.title.trim())?;
    let text = memory.clean_text(&new.text)?;
    check_texts(&title, &text)?;
    let state = transaction.state();
    if let Some(draft) = state.silenced_by(&title, now) {
        let reason = draft.reason.as_deref().unwrap_or("no reason given");
        return Err(EvolveError::Refused(format!(
            "a similar draft was rejected less than 30 days ago ({}): {reason}",
            draft.entry.id
        )));
    }
    let name = slug(new.name.as_deref().unwrap_or(&title));
    let path = format!("{DRAFT_DIR}/{}/{name}.{}", new.category.name(), new.extension());
    if evolve.store().read(&path)?.is_some() {
        return Err(EvolveError::Refused(format!(
            "{path} already exists; approve or reject it, or choose another name"
        )));
    }
    let mut notes = new.notes.clone();
    match new.category {
        Category::Rules => notes.extend(try_rule(evolve, &target(new.category, &name), &text)?),
        Category::Settings => {
            patch_of(&text)?;
        }
        _ => {}
    }
    let mut entry = LogEntry::new(Action::Draft, &title, now, evolve.actor);
    entry.draft = Some(DraftData { category: new.category, path: path.clone(), notes });
    if let Some((candidate, kind, figures)) = &new.candidate {
        entry.candidate = Some(candidate.clone());
        entry.kind = Some(*kind);
        entry.figures = Some(figures.clone());
    }
    Ok(transaction.commit(entry, vec![(path, Some(text.into_bytes()))])?)
}

fn check_texts(title: &str, text: &str) -> Result<(), EvolveError> {
    let refused = |message: &str| Err(EvolveError::Refused(message.to_owned()));
    if title.is_empty() || text.trim().is_empty() {
        return refused("a draft needs a title and a text");
    }
    if title.chars().count() > MAX_TITLE || title.chars().any(char::is_control) {
        return refused("the title must be one line of at most 200 characters");
    }
    if text.len() > MAX_DRAFT {
        return refused("the draft is larger than 256 KiB");
    }
    Ok(())
}

/// Where an approved page is written.
fn target(category: Category, name: &str) -> String {
    match category {
        Category::Skills => format!(".aidd/skills/{name}/SKILL.md"),
        category => format!(".aidd/{}/{name}.md", category.name()),
    }
}

/// What the trial of a drafted rule shows.
fn try_rule(evolve: &Evolve<'_>, path: &str, text: &str) -> Result<Vec<String>, EvolveError> {
    let limit = Limit { time: evolve.trial_time, stop: Arc::default() };
    let draft = suggest::Draft { text, sentence: None };
    let report = suggest::try_draft(evolve.project, &draft, &limit)?;
    let mut notes: Vec<String> = report
        .problems
        .iter()
        .map(|problem| format!("line {}: {}; {}", problem.line, problem.message, problem.remedy))
        .collect();
    let Some(trial) = report.trial else {
        notes.push("not tried: the draft has no check that can run".to_owned());
        return Ok(notes);
    };
    notes.push(format!(
        "project: {} in {} of {}",
        number(trial.findings, "finding"),
        trial.files,
        number(trial.evaluated, "file")
    ));
    let samples = trial.samples.iter().take(3);
    notes.extend(samples.map(|sample| format!("{}:{} {}", sample.path, sample.line, sample.text)));
    let history = try_on_history(evolve.project, path, text, evolve.trial_time)?;
    notes.push(history.as_ref().map_or_else(
        || "history: no commits to try the rule on".to_owned(),
        HistoryTrial::to_line,
    ));
    Ok(notes)
}

/// The patch of a draft of settings.
struct Patch {
    overlay: Overlay,
    levels: Vec<(String, Level)>,
}

fn patch_of(text: &str) -> Result<Patch, EvolveError> {
    let refused = || {
        EvolveError::Refused(
            "a draft of settings is JSON: {\"overlay\": {\"routing\": {\"backend/bugfix\": \
             \"reviewer\"}}} or {\"config\": {\"rules\": {\"team/logger\": \"info\"}}}"
                .to_owned(),
        )
    };
    let value: Value = serde_json::from_str(text).map_err(|_| refused())?;
    let object = value.as_object().ok_or_else(refused)?;
    if object.is_empty() || object.keys().any(|key| key != "overlay" && key != "config") {
        return Err(refused());
    }
    let overlay = object.get("overlay").cloned().unwrap_or_else(|| serde_json::json!({}));
    let overlay: Overlay = serde_json::from_value(overlay).map_err(|_| refused())?;
    let mut levels = Vec::new();
    if let Some(config) = object.get("config") {
        let rules = config.get("rules").and_then(Value::as_object).ok_or_else(refused)?;
        for (rule, level) in rules {
            let level = serde_json::from_value(level.clone()).map_err(|_| refused())?;
            levels.push((rule.clone(), level));
        }
    }
    Ok(Patch { overlay, levels })
}

/// The changes of the overlay that lead from `now` to `wanted`.
pub(super) fn overlay_changes(now: &Overlay, wanted: &Overlay) -> Vec<OverlayChange> {
    let mut changes = Vec::new();
    for section in ["knowledge", "models", "routing", "severities"] {
        let before = now.section(section);
        for (key, value) in wanted.section(section).into_iter().flatten() {
            let known = before.and_then(|section| section.get(key)).cloned();
            if known.as_ref() != Some(value) {
                changes.push(OverlayChange {
                    section: section.to_owned(),
                    key: key.clone(),
                    before: known,
                    after: Some(value.clone()),
                });
            }
        }
    }
    changes
}

/// Approves a draft: writes its page, its convention or its settings, and removes the draft. Returns
/// the entry, and the path that was written.
///
/// # Errors
/// When there is no such draft, its target exists already, or a file cannot be written.
pub fn approve(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    id: &str,
    now: i64,
) -> Result<(LogEntry, String), EvolveError> {
    let mut transaction = evolve.store().begin()?;
    let draft = transaction.pending_draft(id)?;
    let Some(data) = draft.data().cloned() else {
        return Err(EvolveError::Refused(format!("`{id}` is not a draft")));
    };
    let Some(bytes) = evolve.store().read(&data.path)? else {
        return Err(EvolveError::Refused(format!("{} is missing; restore it from Git", data.path)));
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = data.path.rsplit('/').next().unwrap_or_default();
    let name = slug(name.rsplit_once('.').map_or(name, |(name, _)| name));
    let mut entry = LogEntry::new(Action::Approve, &draft.entry.title, now, evolve.actor);
    entry.target = Some(draft.entry.id.clone());
    entry.kind = draft.entry.kind;
    entry.candidate.clone_from(&draft.entry.candidate);
    entry.figures.clone_from(&draft.entry.figures);
    let mut writes: Vec<FileWrite> = vec![(data.path.clone(), None)];
    let mut lines = None;
    let written = match data.category {
        Category::Settings => {
            let patch = patch_of(&text)?;
            let state = transaction.state();
            transaction.check_overlay(&state)?;
            entry.overlay = overlay_changes(&state.overlay, &patch.overlay);
            let config = evolve.store().read(CONFIG_PATH)?;
            let mut config = String::from_utf8_lossy(&config.unwrap_or_default()).into_owned();
            for (rule, level) in &patch.levels {
                config = set_rule_level(&config, rule, *level).ok_or_else(|| {
                    EvolveError::Refused(format!(
                        "{CONFIG_PATH} cannot be changed; set the level of `{rule}` by hand and \
                         reject the draft"
                    ))
                })?;
            }
            if patch.levels.is_empty() {
                aidd_engine::project::overlay::OVERLAY_PATH.to_owned()
            } else {
                writes.push((CONFIG_PATH.to_owned(), Some(config.into_bytes())));
                CONFIG_PATH.to_owned()
            }
        }
        Category::Conventions => {
            let (id, line) = convention::to_save(memory, &text)?;
            // A convention that was known before is not taken back with the draft.
            entry.memory = line.is_some().then(|| id.clone());
            lines = line;
            id
        }
        category => {
            let path = target(category, &name);
            if evolve.store().read(&path)?.is_some_and(|known| known != bytes) {
                return Err(EvolveError::Refused(format!(
                    "{path} already exists; rename the draft, or merge it by hand"
                )));
            }
            writes.push((path.clone(), Some(bytes)));
            path
        }
    };
    Ok((transaction.commit_with_lines(entry, writes, lines.as_slice())?, written))
}

/// Rejects a draft: removes it, and silences similar drafts for 30 days.
///
/// # Errors
/// When there is no such draft, the reason is empty, or a file cannot be written.
pub fn reject(
    evolve: &Evolve<'_>,
    memory: &ProjectMemory,
    id: &str,
    reason: &str,
    now: i64,
) -> Result<LogEntry, EvolveError> {
    let reason = memory.clean_text(reason.trim())?;
    if reason.is_empty() {
        return Err(EvolveError::Refused("a rejection needs a reason".to_owned()));
    }
    let mut transaction = evolve.store().begin()?;
    let draft = transaction.pending_draft(id)?;
    let mut entry = LogEntry::new(Action::Reject, &draft.entry.title, now, evolve.actor);
    entry.target = Some(draft.entry.id.clone());
    entry.kind = draft.entry.kind;
    entry.candidate.clone_from(&draft.entry.candidate);
    entry.reason = Some(reason);
    let writes = draft.data().map(|data| (data.path.clone(), None)).into_iter().collect();
    Ok(transaction.commit(entry, writes)?)
}
