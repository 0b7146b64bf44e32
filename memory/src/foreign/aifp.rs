//! Reads the database of AIFP (`aimfp`): the completion path becomes the work list, notes become
//! memories, and themes and flows become names of the project map. Files, functions and their
//! relations are derived by the code index instead.

use super::database::Database;
use super::{Format, ImportedFile, entry, name, put, text, texts, time};
use crate::MemoryError;
use crate::project_map::{MapEntry, MapKind};
use crate::work_list::{MAX_CHARS, WorkEntry};
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::log::Revision;
use aidd_engine::parse::lines::types::{Kind, Level, Priority, WorkStatus};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A table of the work list: its name, its level, and the columns with the parent.
struct WorkTable {
    table: &'static str,
    level: Level,
    /// Column with the number of the parent, and the table of the parent.
    parent: Option<(&'static str, &'static str)>,
}

const WORK_TABLES: [WorkTable; 6] = [
    WorkTable { table: "completion_path", level: Level::Stage, parent: None },
    WorkTable {
        table: "milestones",
        level: Level::Milestone,
        parent: Some(("completion_path_id", "completion_path")),
    },
    WorkTable { table: "tasks", level: Level::Task, parent: Some(("milestone_id", "milestones")) },
    WorkTable {
        table: "subtasks",
        level: Level::Subtask,
        parent: Some(("parent_task_id", "tasks")),
    },
    // A subtask cannot contain a sidequest, so the parent is the task.
    WorkTable {
        table: "sidequests",
        level: Level::Sidequest,
        parent: Some(("paused_task_id", "tasks")),
    },
    // The table of the parent is in the row.
    WorkTable { table: "items", level: Level::Item, parent: Some(("reference_id", "")) },
];

const WORK_COLUMNS: [&str; 16] = [
    "id",
    "slug",
    "name",
    "status",
    "priority",
    "description",
    "order_index",
    "completion_path_id",
    "milestone_id",
    "parent_task_id",
    "paused_task_id",
    "reference_table",
    "reference_id",
    "flow_ids",
    "created_at",
    "updated_at",
];
const NOTE_COLUMNS: [&str; 11] = [
    "id",
    "content",
    "note_type",
    "reference_table",
    "reference_id",
    "source",
    "directive_name",
    "severity",
    "send_with_directive",
    "created_at",
    "updated_at",
];

/// The rows that other rows refer to, by table and number: the id in the work list and the name.
#[derive(Default)]
struct References {
    work: BTreeMap<(String, String), String>,
    names: BTreeMap<(String, String), String>,
}

pub(super) fn read(database: &Database) -> Result<ImportedFile, MemoryError> {
    let mut read = ImportedFile::new(Format::Aifp);
    let mut references = References::default();
    for (table, column) in
        [("flows", "name"), ("themes", "name"), ("files", "path"), ("project", "name")]
    {
        for row in database.rows(table, &["id", column])? {
            if let Some((number, name)) = name(&row).zip(text(&row, &[column])) {
                references.names.insert((table.to_owned(), number), name);
            }
        }
    }
    for table in &WORK_TABLES {
        work(database, table, &mut references, &mut read)?;
    }
    for row in database.rows("notes", &NOTE_COLUMNS)? {
        note(&row, &references, &mut read);
    }
    project(database, &mut read)?;
    map(database, &references, &mut read)?;
    for table in ["files", "functions", "types", "interactions"] {
        let count = database.count(table)?;
        if count > 0 {
            read.skip(table, format!("{count} {table}, which `aidd index` derives from the code"));
        }
    }
    Ok(read)
}

fn work(
    database: &Database,
    table: &WorkTable,
    references: &mut References,
    read: &mut ImportedFile,
) -> Result<(), MemoryError> {
    let mut rows = database.rows(table.table, &WORK_COLUMNS)?;
    rows.sort_by_key(|row| row["id"].as_i64());
    for (index, row) in rows.iter().enumerate() {
        let position = || format!("row {} of {}", index + 1, table.table);
        let Some((number, title)) = name(row).zip(text(row, &["name"])) else {
            read.skip(position(), "it has no id or no name");
            continue;
        };
        let parent = table.parent.and_then(|(column, parent_table)| {
            let parent_table = match parent_table {
                "" => reference_table(row)?,
                parent_table => parent_table.to_owned(),
            };
            references.work.get(&(parent_table, number_in(row, column)?)).cloned()
        });
        if parent.is_none() && table.parent.is_some() {
            read.skip(position(), "the work of which it is a part is missing; imported without it");
        }
        let key = text(row, &["slug"]).unwrap_or_else(|| format!("{}:{number}", table.table));
        let mut entry = work_entry(table.level, row, &key, &title);
        entry.parent = parent;
        entry.order =
            row["order_index"].as_i64().or_else(|| row["id"].as_i64()).unwrap_or_default();
        for flow in texts(row, "flow_ids") {
            let flow = references.names.get(&("flows".to_owned(), flow));
            entry.flows.extend(flow.filter(|flow| !entry.flows.contains(flow)).cloned());
        }
        let place = (table.table.to_owned(), number);
        references.work.insert(place.clone(), entry.id.clone());
        references.names.insert(place, title);
        read.work.push(entry);
    }
    Ok(())
}

/// The entry of the work list for a row, without its parent.
fn work_entry(level: Level, row: &Value, key: &str, title: &str) -> WorkEntry {
    let created_at = time(row, &["created_at"]);
    let mut other = Map::new();
    let description = text(row, &["description"]);
    for (name, text) in [("title", Some(title)), ("description", description.as_deref())] {
        if let Some(text) = text.filter(|text| shorten(text) != *text) {
            other.insert(name.to_owned(), text.into());
        }
    }
    let status = match text(row, &["status"]).as_deref() {
        Some("in_progress") => WorkStatus::Started,
        Some("completed" | "complete") => WorkStatus::Done,
        Some("blocked") => WorkStatus::Blocked,
        _ => WorkStatus::Open,
    };
    // The version of 2025 has numbers.
    let priority = match row["priority"].as_i64() {
        Some(2..) => Priority::Critical,
        Some(1) => Priority::High,
        Some(..=-1) => Priority::Low,
        _ => {
            text(row, &["priority"]).and_then(|word| word.parse().ok()).unwrap_or(Priority::Medium)
        }
    };
    WorkEntry {
        id: format!("{level}_{created_at}_{}", &id::digest(&["aifp", level.word(), key])[..6]),
        level,
        title: shorten(title),
        parent: None,
        status,
        priority,
        order: 0,
        flows: Vec::new(),
        note: description.map(|text| shorten(&text)),
        at: time(row, &["updated_at", "created_at"]),
        other,
    }
}

/// Shortens a text to the maximum length of a title or note.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        None => text.to_owned(),
        Some(_) => text.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
    }
}

/// The table that a row refers to; the version of 2025 also writes `subtask`.
fn reference_table(row: &Value) -> Option<String> {
    let table = text(row, &["reference_table"])?;
    Some(if table == "subtask" { "subtasks".to_owned() } else { table })
}

fn number_in(row: &Value, column: &str) -> Option<String> {
    match row.get(column)? {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn note(row: &Value, references: &References, read: &mut ImportedFile) {
    let number = name(row).unwrap_or_default();
    let Some(content) = text(row, &["content"]) else {
        return read.skip(format!("note {number}"), "it has no content");
    };
    let note_type = text(row, &["note_type"]).unwrap_or_default();
    let directive = text(row, &["directive_name"]);
    if directive.as_deref() == Some("aimfp_init") {
        return read.skip(format!("note {number}"), "AIFP wrote it itself");
    }
    let place = reference_table(row).zip(number_in(row, "reference_id"));
    let about = place.as_ref().and_then(|place| references.names.get(place));
    let mut metadata = Map::new();
    put(&mut metadata, "noteType", note_type.clone());
    put(&mut metadata, "source", text(row, &["source"]));
    put(&mut metadata, "severity", text(row, &["severity"]).filter(|word| word != "info"));
    put(&mut metadata, "directive", directive.clone());
    if let Some(((table, _), name)) = place.as_ref().zip(about) {
        match &**table {
            "files" => put(&mut metadata, "files", vec![name.clone()]),
            table => put(&mut metadata, "about", json!({"table": table, "name": name})),
        }
    }
    let is_rule = directive.is_some() && row["send_with_directive"].as_i64() == Some(1);
    let kind = match &*note_type {
        "decision" | "pivot" | "evolution" => Kind::Decision,
        "clarification" if is_rule => Kind::Convention,
        "error" | "roadblock" => Kind::Mistake,
        "research" | "analysis" | "warning" | "info" | "external" => Kind::Insight,
        "summary" | "auto_summary" | "task_context" => Kind::Checkpoint,
        "deferred" | "completed" | "obsolete" => {
            let work = place.and_then(|place| references.work.get(&place).cloned());
            return read.work.push(noted_work(row, &note_type, &number, &content, work));
        }
        _ => Kind::Context,
    };
    let at = time(row, &["created_at"]);
    let topic = about.cloned();
    if kind.file().is_some() {
        let id = id::of_memory(kind, at, &["aifp", &number]);
        let first = Revision::first(kind, id, at, content);
        return read.revisions.push(Revision { topic, metadata, ..first }.with_rev());
    }
    if kind == Kind::Insight {
        put(&mut metadata, "category", note_type);
    }
    let mut entry = entry(kind, at, "aifp", &number, content);
    entry.topic = topic;
    entry.metadata = metadata;
    read.entries.push(entry);
}

/// The work that a note records: deferred, completed or dropped.
fn noted_work(
    row: &Value,
    note_type: &str,
    number: &str,
    content: &str,
    parent: Option<String>,
) -> WorkEntry {
    let mut work = work_entry(Level::Task, row, &format!("notes:{number}"), content);
    // Only a task can contain an item.
    if let Some(task) = parent.filter(|parent| parent.starts_with("task_")) {
        work.level = Level::Item;
        work.parent = Some(task);
    }
    work.status = match note_type {
        "completed" => WorkStatus::Done,
        "obsolete" => WorkStatus::Dropped,
        _ => WorkStatus::Open,
    };
    work
}

/// The purpose and the goals of the project, as one memory.
fn project(database: &Database, read: &mut ImportedFile) -> Result<(), MemoryError> {
    for row in database.rows("project", &["id", "name", "purpose", "goals_json", "created_at"])? {
        let Some(purpose) = text(&row, &["purpose"]) else { continue };
        let number = name(&row).unwrap_or_default();
        let at = time(&row, &["created_at"]);
        let mut entry = entry(Kind::Context, at, "aifp", &format!("project:{number}"), purpose);
        entry.topic = text(&row, &["name"]);
        put(&mut entry.metadata, "goals", texts(&row, "goals_json"));
        read.entries.push(entry);
    }
    Ok(())
}

/// The themes and flows, with the files of the flows. A file belongs to a theme through its flows.
fn map(
    database: &Database,
    references: &References,
    read: &mut ImportedFile,
) -> Result<(), MemoryError> {
    let name_of = |table: &str, row: &Value, column: &str| {
        let place = (table.to_owned(), number_in(row, column)?);
        references.names.get(&place).cloned()
    };
    let pairs = |table: &str, from: (&str, &str), to: (&str, &str)| {
        let rows = database.rows(table, &[from.1, to.1])?;
        let pairs = rows
            .iter()
            .filter_map(|row| name_of(from.0, row, from.1).zip(name_of(to.0, row, to.1)));
        Ok::<Vec<(String, String)>, MemoryError>(pairs.collect())
    };
    let files = pairs("file_flows", ("flows", "flow_id"), ("files", "file_id"))?;
    let themes = pairs("flow_themes", ("flows", "flow_id"), ("themes", "theme_id"))?;
    let files_of = |flow: &str| -> Vec<String> {
        let own = files.iter().filter(|(own, _)| own == flow);
        own.map(|(_, path)| path.clone()).collect()
    };
    for (table, kind) in [("themes", MapKind::Theme), ("flows", MapKind::Flow)] {
        let rows =
            database.rows(table, &["id", "name", "description", "created_at", "updated_at"])?;
        for row in &rows {
            let Some(title) = text(row, &["name"]) else {
                read.skip(format!("row of {table}"), "it has no name");
                continue;
            };
            let mut entry = MapEntry::new(kind, shorten(&title));
            entry.paths = match kind {
                MapKind::Flow => files_of(&title),
                MapKind::Theme => {
                    let flows = themes.iter().filter(|(_, theme)| *theme == title);
                    flows.flat_map(|(flow, _)| files_of(flow)).collect()
                }
            };
            entry.paths.sort();
            entry.paths.dedup();
            let is_repeated =
                read.map.iter().any(|known| (known.kind, &known.name) == (kind, &entry.name));
            if is_repeated {
                continue;
            }
            if entry.paths.is_empty() {
                read.skip(format!("{} {title}", kind.word()), "it has no files");
                continue;
            }
            if kind == MapKind::Flow {
                let themes = themes.iter().filter(|(flow, _)| *flow == title);
                let themes = themes.map(|(_, theme)| shorten(theme));
                let is_imported = |theme: &String| {
                    read.map.iter().any(|it| it.kind == MapKind::Theme && it.name == *theme)
                };
                entry.themes = themes.filter(is_imported).collect();
                entry.themes.sort();
                entry.themes.dedup();
            }
            entry.description = text(row, &["description"]).map(|text| shorten(&text));
            entry.at = time(row, &["updated_at", "created_at"]);
            read.map.push(entry);
        }
    }
    Ok(())
}
