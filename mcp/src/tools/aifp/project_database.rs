//! The state of the project as tables: the code index, the work list and the project record.

use super::runs::PROJECT_PAGE;
use crate::context::Context;
use crate::tool::ToolError;
use crate::tools::index::masked;
use aidd_engine::text::files::Files;
use aidd_index::sql;
use aidd_memory::work_list::{Level, WorkEntry, WorkList, WorkStatus};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Maximum size of the project page in bytes.
const MAX_PAGE_BYTES: u64 = 1 << 20;

/// The tables of the project, for the queries of one call.
pub(super) struct Database<'c> {
    context: &'c Context,
    tables: Vec<sql::Table>,
    pub(super) work: WorkList,
}

impl<'c> Database<'c> {
    /// Brings the index up to date, and reads the work list and the project record.
    pub(super) fn open(context: &'c Context) -> Result<Self, ToolError> {
        context.index(&*context.project()?)?;
        let work = context.memory(|memory| memory.work())?;
        let mut tables = tables(&work);
        tables.push(project_table(context)?);
        Ok(Self { context, tables, work })
    }

    /// Runs a query; secrets are masked.
    pub(super) fn rows(&self, sql: &str) -> Result<Vec<Value>, ToolError> {
        let rows = sql::query_with(self.context.root(), &self.tables, sql)?;
        Ok(masked(self.context, rows).0)
    }
}

/// The statuses of the blueprint.
fn status_word(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::Open => "pending",
        WorkStatus::Started => "in_progress",
        WorkStatus::Blocked => "blocked",
        WorkStatus::Done => "completed",
        WorkStatus::Dropped => "abandoned",
    }
}

/// The work list as tables of the blueprint. Ids are positions in the order of the ids of the list.
pub(super) fn tables(list: &WorkList) -> Vec<sql::Table> {
    let all: Vec<&WorkEntry> = list.entries().collect();
    let ids: HashMap<&str, usize> = all.iter().map(|entry| &*entry.id).zip(1..).collect();
    let id = |name: &str| ids.get(name).copied();
    let parent = |entry: &WorkEntry| entry.parent.as_deref().and_then(id);
    let of_level = |level: Level| all.iter().filter(move |entry| entry.level == level);
    let common = |entry: &WorkEntry| {
        (
            json!(id(&entry.id)),
            json!(entry.title),
            json!(status_word(list.status(entry))),
            json!(entry.note),
        )
    };
    let stages = of_level(Level::Stage).map(|entry| {
        let (id, name, status, note) = common(entry);
        vec![id, name, json!(entry.order), status, note, json!(1)]
    });
    let milestones = of_level(Level::Milestone).map(|entry| {
        let (id, name, status, note) = common(entry);
        vec![id, json!(parent(entry)), name, status, note]
    });
    let with_priority = |level: Level| {
        of_level(level).map(|entry| {
            let (id, name, status, note) = common(entry);
            vec![id, json!(parent(entry)), name, status, json!(entry.priority), note]
        })
    };
    let sidequests = of_level(Level::Sidequest).map(|entry| {
        let (id, name, status, note) = common(entry);
        vec![id, json!(parent(entry)), Value::Null, name, status, json!(entry.priority), note]
    });
    let items = of_level(Level::Item).map(|entry| {
        let (id, name, status, note) = common(entry);
        let of = entry.parent.as_deref().and_then(|parent| list.get(parent));
        let table = of.map(|parent| format!("{}s", parent.level));
        vec![id, json!(table), json!(parent(entry)), name, status, note]
    });
    let task_columns = &["id", "milestone_id", "name", "status", "priority", "description"];
    let subtask_columns = &["id", "parent_task_id", "name", "status", "priority", "description"];
    vec![
        sql::Table {
            name: "completion_path",
            columns: &["id", "name", "order_index", "status", "description", "project_id"],
            rows: stages.collect(),
        },
        sql::Table {
            name: "milestones",
            columns: &["id", "completion_path_id", "name", "status", "description"],
            rows: milestones.collect(),
        },
        sql::Table {
            name: "tasks",
            columns: task_columns,
            rows: with_priority(Level::Task).collect(),
        },
        sql::Table {
            name: "subtasks",
            columns: subtask_columns,
            rows: with_priority(Level::Subtask).collect(),
        },
        sql::Table {
            name: "sidequests",
            columns: &[
                "id",
                "paused_task_id",
                "paused_subtask_id",
                "name",
                "status",
                "priority",
                "description",
            ],
            rows: sidequests.collect(),
        },
        sql::Table {
            name: "items",
            columns: &["id", "reference_table", "reference_id", "name", "status", "description"],
            rows: items.collect(),
        },
    ]
}

/// The project record: the fields of the header of the project page.
pub(super) fn record(context: &Context) -> Result<Option<Value>, ToolError> {
    let project = context.project()?;
    let Ok(bytes) = project.disk.read(PROJECT_PAGE, MAX_PAGE_BYTES) else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    match aidd_guidance::library::header_of(&text) {
        Some(header) => Ok(Some(Value::Object(header))),
        None => Err(ToolError::new(format!("the header of {PROJECT_PAGE} is not valid YAML"))
            .remedy("correct the lines between the `---` at the top of the page")),
    }
}

fn project_table(context: &Context) -> Result<sql::Table, ToolError> {
    let record = record(context)?.unwrap_or_default();
    let name = record["name"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| Some(context.root().file_name()?.to_string_lossy().into_owned()));
    let goals = record.get("goals").cloned().unwrap_or_else(|| json!([]));
    let status = record["status"].as_str().unwrap_or("active");
    let version = record["version"].as_i64().unwrap_or(1);
    Ok(sql::Table {
        name: "project",
        columns: &["id", "name", "purpose", "goals_json", "status", "version"],
        rows: vec![vec![
            json!(1),
            json!(name),
            record["purpose"].clone(),
            json!(goals.to_string()),
            json!(status),
            json!(version),
        ]],
    })
}
