//! The tool of the work list.

use super::project::task_row;
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Choice, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_memory::work_list::{
    Level, NewWork, Priority, WorkChange, WorkEntry, WorkList, WorkStatus,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of entries in an answer.
const MAX_ENTRIES: usize = 40;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_work",
            "Work list",
            "Reads and changes the work list of the project: stages, milestones, tasks, subtasks, \
             sidequests, items. Use to plan work and to record its state. `next` returns what to continue with. The list is a tracked file, so \
             the team shares it.",
            work,
        )
        .non_destructive()
        .with_choice(Choice {
            argument: "action",
            default: "next",
            allowed: &[
                (&["next"], &[]),
                (&["list", "set"], &["status"]),
                (&["add"], &["level", "parent", "flows"]),
                (&["add", "set"], &["title", "priority", "note"]),
                (&["set"], &["entry", "order"]),
            ],
        })
        .in_profiles(&[Profile::Aifp]),
    ]
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// What to continue with
    #[default]
    Next,
    /// All entries
    List,
    /// Add an entry
    Add,
    /// Change an entry
    Set,
}

#[derive(Deserialize, JsonSchema)]
struct WorkParams {
    #[serde(default)]
    action: Action,
    /// Id, start of an id, or title of an entry
    entry: Option<String>,
    /// What is to be done
    title: Option<String>,
    /// stage, milestone, task, subtask, sidequest or item; default: task
    level: Option<String>,
    /// Id or title of the entry of which the new entry is a part
    parent: Option<String>,
    /// open, started, blocked, done or dropped
    status: Option<String>,
    /// low, medium, high or critical
    priority: Option<String>,
    /// Position among the parts of the parent
    order: Option<i64>,
    /// Names of flows of the code
    #[serde(default)]
    flows: Vec<String>,
    /// Such as the reason of a blocker
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Work {
    entries: Vec<Row>,
    /// Counted over the entries without parts, such as `3/8`.
    progress: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

/// Parses a word; the error lists the known words.
fn word<T: std::str::FromStr<Err = String>>(
    name: &str,
    word: Option<&str>,
) -> Result<Option<T>, ToolError> {
    let parse = |word: &str| {
        word.trim()
            .to_lowercase()
            .parse()
            .map_err(|error| ToolError::new(format!("`{name}`: {error}")))
    };
    word.map(parse).transpose()
}

fn work(context: &Context, params: WorkParams) -> Result<Answer<Work>, ToolError> {
    let status: Option<WorkStatus> = word("status", params.status.as_deref())?;
    let priority: Option<Priority> = word("priority", params.priority.as_deref())?;
    let changed: Option<WorkEntry> = match params.action {
        Action::Next | Action::List => None,
        Action::Add => {
            let title = params.title.ok_or_else(|| ToolError::new("`title` is missing"))?;
            let level: Option<Level> = word("level", params.level.as_deref())?;
            let new = NewWork {
                level: level.unwrap_or(Level::Task),
                parent: params.parent,
                priority: priority.unwrap_or(Priority::Medium),
                flows: params.flows,
                note: params.note,
                ..NewWork::task(title)
            };
            Some(context.memory(|memory| memory.add_work(new))?)
        }
        Action::Set => {
            let entry = params.entry.ok_or_else(|| {
                ToolError::new("`entry` is missing").remedy("pass the id or the title of an entry")
            })?;
            let (title, order, note) = (params.title, params.order, params.note);
            let change = WorkChange { status, title, priority, order, note };
            Some(context.memory(|memory| memory.change_work(&entry, &change))?)
        }
    };
    let list = context.memory(|memory| memory.work())?;
    let entries: Vec<&WorkEntry> = match (params.action, &changed) {
        (_, Some(changed)) => list.get(&changed.id).into_iter().collect(),
        (Action::Next, _) => list.next(),
        _ => ordered(&list, status),
    };
    let mut text: String =
        entries.iter().take(MAX_ENTRIES).map(|entry| line(&list, entry)).collect();
    if entries.len() > MAX_ENTRIES {
        text += &format!("… and {} more\n", entries.len() - MAX_ENTRIES);
    }
    if entries.is_empty() {
        text += if list.is_empty() { "the work list is empty\n" } else { "nothing is open\n" };
    }
    let total = list.total();
    let progress = format!("{}/{}", total.done, total.total);
    text += &format!("progress: {progress}");
    for problem in &list.problems {
        text += &format!("\nnote: {problem}");
    }
    let rows = entries.iter().take(MAX_ENTRIES).map(|entry| task_row(&list, entry)).collect();
    Ok(Answer::new(Work { entries: rows, progress, problems: list.problems.clone() }, text))
}

/// All entries with this status, each followed by its parts.
fn ordered(list: &WorkList, status: Option<WorkStatus>) -> Vec<&WorkEntry> {
    let mut all = Vec::new();
    let mut open: Vec<&WorkEntry> = list.parts(None).collect();
    open.reverse();
    while let Some(entry) = open.pop() {
        let mut parts: Vec<&WorkEntry> = list.parts(Some(&entry.id)).collect();
        parts.reverse();
        open.extend(parts);
        if status.is_none_or(|status| list.status(entry) == status) {
            all.push(entry);
        }
    }
    all
}

fn line(list: &WorkList, entry: &WorkEntry) -> String {
    let depth = list.path(entry).len().saturating_sub(1);
    let progress = list.progress(&entry.id);
    let counted = match list.parts(Some(&entry.id)).next() {
        Some(_) => format!(" {}/{}", progress.done, progress.total),
        None => String::new(),
    };
    let note = entry.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!(
        "{}{} [{}{counted}] {} {}{note}\n",
        "  ".repeat(depth),
        entry.level,
        list.status(entry),
        entry.title,
        entry.id
    )
}
