//! `aidd work`: the work list.

use crate::cli::{Work, WorkCommand, WorkLevel, WorkPriority};
use crate::memory::to_user_error;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_memory::work_list::{
    Level, NewWork, Priority, WorkChange, WorkEntry, WorkList, WorkStatus,
};
use aidd_report::exit::Exit;
use aidd_report::{Io, one_line, project};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write as _;

/// Runs `aidd work`.
///
/// # Errors
/// Fails when an entry is unknown, or the list cannot be read or written.
pub(crate) fn run(args: &Work, io: &mut Io<'_>) -> Result<Exit> {
    let root = project::root_of(&io.cwd);
    let mut memory =
        ProjectMemory::open(io.distribution, &root, BackendChoice::default(), system_clock())
            .map_err(to_user_error)?;
    let changed = match &args.command {
        None | Some(WorkCommand::List | WorkCommand::Status) => None,
        Some(command) => Some(change(&mut memory, command).map_err(to_user_error)?),
    };
    let list = memory.work().map_err(to_user_error)?;
    let rows: Vec<(usize, &WorkEntry)> = match (&args.command, &changed) {
        (_, Some(changed)) => list.get(&changed.id).map(|entry| (0, entry)).into_iter().collect(),
        (Some(WorkCommand::List), _) => ordered(&list),
        (Some(WorkCommand::Status), _) => list.parts(None).map(|entry| (0, entry)).collect(),
        _ => list.next().into_iter().map(|entry| (0, entry)).collect(),
    };
    if args.json {
        let rows: Vec<Value> = rows.iter().map(|(_, entry)| json(&list, entry)).collect();
        let total = list.total();
        io.out.json(&json!({
            "entries": rows, "done": total.done, "total": total.total, "problems": list.problems,
        }))?;
    } else {
        print(&list, &rows, io)?;
    }
    for problem in &list.problems {
        writeln!(io.err, "note: {}", one_line(problem))?;
    }
    for notice in memory.take_notices() {
        writeln!(io.err, "note: {}", one_line(&notice))?;
    }
    Ok(Exit::Clean)
}

fn change(
    memory: &mut ProjectMemory,
    command: &WorkCommand,
) -> Result<WorkEntry, aidd_memory::MemoryError> {
    let (entry, status, note) = match command {
        WorkCommand::Add { title, level, parent, priority, flows, note } => {
            return memory.add_work(NewWork {
                level: to_level(*level),
                title: title.clone(),
                parent: parent.clone(),
                priority: to_priority(*priority),
                flows: flows.clone(),
                note: note.clone(),
            });
        }
        WorkCommand::Start { entry } => (entry, WorkStatus::Started, None),
        WorkCommand::Done { entry } => (entry, WorkStatus::Done, None),
        WorkCommand::Reopen { entry } => (entry, WorkStatus::Open, None),
        WorkCommand::Block { entry, reason } => (entry, WorkStatus::Blocked, reason.clone()),
        WorkCommand::Drop { entry, reason } => (entry, WorkStatus::Dropped, reason.clone()),
        WorkCommand::List | WorkCommand::Status => {
            return Err(aidd_memory::MemoryError::Invalid("nothing to change".to_owned()));
        }
    };
    memory.change_work(entry, &WorkChange { status: Some(status), note, ..WorkChange::default() })
}

fn to_level(level: WorkLevel) -> Level {
    match level {
        WorkLevel::Stage => Level::Stage,
        WorkLevel::Milestone => Level::Milestone,
        WorkLevel::Task => Level::Task,
        WorkLevel::Subtask => Level::Subtask,
        WorkLevel::Sidequest => Level::Sidequest,
        WorkLevel::Item => Level::Item,
    }
}

fn to_priority(priority: WorkPriority) -> Priority {
    match priority {
        WorkPriority::Low => Priority::Low,
        WorkPriority::Medium => Priority::Medium,
        WorkPriority::High => Priority::High,
        WorkPriority::Critical => Priority::Critical,
    }
}

/// All entries with their depth, each followed by its parts.
fn ordered(list: &WorkList) -> Vec<(usize, &WorkEntry)> {
    let mut all = Vec::new();
    let mut open: Vec<(usize, &WorkEntry)> = list.parts(None).map(|entry| (0, entry)).collect();
    open.reverse();
    while let Some((depth, entry)) = open.pop() {
        let mut parts: Vec<_> = list.parts(Some(&entry.id)).map(|part| (depth + 1, part)).collect();
        parts.reverse();
        open.extend(parts);
        all.push((depth, entry));
    }
    all
}

fn json(list: &WorkList, entry: &WorkEntry) -> Value {
    let progress = list.progress(&entry.id);
    json!({
        "id": entry.id, "level": entry.level, "title": entry.title, "status": list.status(entry),
        "priority": entry.priority, "parent": entry.parent, "flows": entry.flows,
        "note": entry.note, "done": progress.done, "total": progress.total,
    })
}

fn print(list: &WorkList, rows: &[(usize, &WorkEntry)], io: &mut Io<'_>) -> Result<()> {
    for (depth, entry) in rows {
        let progress = list.progress(&entry.id);
        let has_parts = list.parts(Some(&entry.id)).next().is_some();
        let counted = match has_parts {
            true => format!(", {}/{} done", progress.done, progress.total),
            false => String::new(),
        };
        let note = entry.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        let text = format!(
            "{:9} {} ({}{counted}){note}",
            entry.level.word(),
            entry.title,
            list.status(entry)
        );
        writeln!(io.out, "{}{}", "  ".repeat(*depth), one_line(&text))?;
        writeln!(io.out, "{}          {}", "  ".repeat(*depth), entry.id)?;
    }
    if list.is_empty() {
        writeln!(io.out, "the work list is empty; start with: aidd work add TITLE")?;
    } else {
        let total = list.total();
        writeln!(io.out, "{} of {} done ({} %)", total.done, total.total, total.percent())?;
    }
    Ok(())
}
