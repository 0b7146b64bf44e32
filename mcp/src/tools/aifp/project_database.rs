//! The state of the project as tables: the code index, the work list and the project record.

use super::history;
use crate::context::Context;
use crate::tool::ToolError;
use crate::tools::index::masked;
use aidd_engine::text::files::Files;
use aidd_guidance::project_page::{self, ProjectPage};
use aidd_index::names::{self, Named};
use aidd_index::sql;
use aidd_memory::project_map::{MapKind, ProjectMap};
use aidd_memory::work_list::{Level, WorkEntry, WorkList, WorkStatus};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Maximum size of the project page in bytes.
const MAX_PAGE_BYTES: u64 = 1 << 20;

/// The tables of the project, for the queries of one call.
pub(super) struct Database<'c> {
    context: &'c Context,
    tables: Vec<sql::Table>,
    named: Vec<Named>,
    pub(super) work: WorkList,
    /// What is wrong with the names that people gave to themes and flows.
    pub(super) problems: Vec<String>,
}

impl<'c> Database<'c> {
    /// Brings the index up to date, and reads the work list and the project record.
    pub(super) fn open(context: &'c Context) -> Result<Self, ToolError> {
        context.index(&*context.project()?)?;
        let work = context.memory(|memory| memory.work())?;
        let map = context.memory(|memory| memory.project_map())?;
        let named = names_of(&map);
        let mut problems = map.problems.clone();
        problems.extend(names::problems(context.root(), &named)?);
        let mut tables = tables(&work);
        tables.push(project_table(context)?);
        tables.extend(history::tables(context)?);
        Ok(Self { context, tables, named, work, problems })
    }

    /// Runs a query; secrets are masked.
    pub(super) fn rows(&self, sql: &str) -> Result<Vec<Value>, ToolError> {
        let rows = sql::query_with(self.context.root(), &self.tables, &self.named, sql)?;
        Ok(masked(self.context, rows).0)
    }
}

/// The names that people gave, for queries on the index.
pub(crate) fn names_of(map: &ProjectMap) -> Vec<Named> {
    let entries = map.entries().map(|(place, entry)| Named {
        is_flow: entry.kind == MapKind::Flow,
        name: entry.name.clone(),
        description: entry.description.clone(),
        paths: entry.paths.clone(),
        entries: entry.entries.clone(),
        themes: entry.themes.clone(),
        place,
    });
    entries.collect()
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

/// A table of the blueprint with the entries of one level.
struct WorkTable {
    name: &'static str,
    level: Level,
    columns: &'static [&'static str],
}

const WORK_TABLES: [WorkTable; 6] = [
    WorkTable {
        name: "completion_path",
        level: Level::Stage,
        columns: &[
            "id",
            "name",
            "order_index",
            "status",
            "description",
            "project_id",
            CREATED,
            UPDATED,
        ],
    },
    WorkTable {
        name: "milestones",
        level: Level::Milestone,
        columns: &["id", "completion_path_id", "name", "status", "description", CREATED, UPDATED],
    },
    WorkTable {
        name: "tasks",
        level: Level::Task,
        columns: &[
            "id",
            "milestone_id",
            "name",
            "status",
            "priority",
            "description",
            CREATED,
            UPDATED,
        ],
    },
    WorkTable {
        name: "subtasks",
        level: Level::Subtask,
        columns: &[
            "id",
            "parent_task_id",
            "name",
            "status",
            "priority",
            "description",
            CREATED,
            UPDATED,
        ],
    },
    WorkTable {
        name: "sidequests",
        level: Level::Sidequest,
        columns: &[
            "id",
            "paused_task_id",
            "paused_subtask_id",
            "name",
            "status",
            "priority",
            "description",
            CREATED,
            UPDATED,
        ],
    },
    WorkTable {
        name: "items",
        level: Level::Item,
        columns: &[
            "id",
            "reference_table",
            "reference_id",
            "name",
            "status",
            "description",
            CREATED,
            UPDATED,
        ],
    },
];

const CREATED: &str = "created_at";
const UPDATED: &str = "updated_at";

/// The work list as tables of the blueprint. Ids are positions in the order of the ids of the list.
pub(super) fn tables(list: &WorkList) -> Vec<sql::Table> {
    let all: Vec<&WorkEntry> = list.entries().collect();
    let ids: HashMap<&str, usize> = all.iter().map(|entry| &*entry.id).zip(1..).collect();
    let id = |name: &str| ids.get(name).copied();
    let value = |entry: &WorkEntry, column: &str| {
        let parent = entry.parent.as_deref();
        match column {
            "id" => json!(id(&entry.id)),
            "name" => json!(entry.title),
            "status" => json!(status_word(list.status(entry))),
            "description" => json!(entry.note),
            "priority" => json!(entry.priority),
            "order_index" => json!(entry.order),
            "project_id" => json!(1),
            "reference_table" => {
                let table = parent.and_then(|parent| list.get(parent));
                json!(table.map(|parent| format!("{}s", parent.level)))
            }
            CREATED => {
                let millis = entry.id.split('_').nth(1).and_then(|part| part.parse().ok());
                history::time(millis.unwrap_or(entry.at))
            }
            UPDATED => history::time(entry.at),
            "paused_subtask_id" => Value::Null,
            // The remaining columns refer to the parent.
            _ => json!(parent.and_then(id)),
        }
    };
    let table = |table: &WorkTable| sql::Table {
        name: table.name,
        columns: table.columns,
        rows: all
            .iter()
            .filter(|entry| entry.level == table.level)
            .map(|entry| table.columns.iter().map(|column| value(entry, column)).collect())
            .collect(),
    };
    WORK_TABLES.iter().map(table).collect()
}

/// The page with the project record; `None` if it does not exist.
pub(super) fn page(context: &Context) -> Result<Option<ProjectPage>, ToolError> {
    let project = context.project()?;
    let Ok(bytes) = project.disk.read(project_page::PATH, MAX_PAGE_BYTES) else { return Ok(None) };
    let page = ProjectPage::parse(&String::from_utf8_lossy(&bytes));
    page.map(Some).map_err(|error| ToolError::new(error.to_string()))
}

/// The project record: the fields of the header of the project page.
pub(super) fn record(context: &Context) -> Result<Option<Value>, ToolError> {
    Ok(page(context)?.map(|page| Value::Object(page.header)))
}

fn project_table(context: &Context) -> Result<sql::Table, ToolError> {
    let page = page(context)?;
    let checksum = page.as_ref().map(ProjectPage::checksum);
    let record = page.map(|page| Value::Object(page.header)).unwrap_or_default();
    let name = record["name"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| Some(context.root().file_name()?.to_string_lossy().into_owned()));
    let goals = record.get("goals").cloned().unwrap_or_else(|| json!([]));
    let status = record["status"].as_str().unwrap_or("active");
    let version = record["version"].as_i64().unwrap_or(1);
    let row = vec![
        json!(1),
        json!(name),
        record["purpose"].clone(),
        json!(goals.to_string()),
        json!(status),
        json!(version),
        json!(checksum),
        Value::Null,
        json!(history::head(context)),
        Value::Null,
        Value::Null,
        Value::Null,
    ];
    let columns = &[
        "id",
        "name",
        "purpose",
        "goals_json",
        "status",
        "version",
        "blueprint_checksum",
        "user_directives_status",
        "last_known_git_hash",
        "last_git_sync",
        CREATED,
        UPDATED,
    ];
    Ok(sql::Table { name: "project", columns, rows: vec![row] })
}
