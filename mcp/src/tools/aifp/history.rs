//! Tables of the blueprint on the history of the project: notes from the memory, the state of Git and
//! the branches.

use crate::context::Context;
use crate::tool::ToolError;
use aidd_engine::project::git::Repository;
use aidd_index::sql::Table;
use aidd_memory::MemoryError;
use aidd_memory::store::{Layers, Query};
use aidd_memory::times::sqlite_time;
use aidd_memory::types::{Entry, Kind};
use aidd_memory::work_list::DIRECTIVE_RUN;
use serde_json::{Map, Value, json};

/// Maximum number of memories of one kind in the table of notes; the latest ones.
const MAX_NOTES: usize = 200;
/// The version of the tables: that of the blueprint.
const SCHEMA_VERSION: &str = "1.0";

/// A time in milliseconds since 1970, in the form of SQLite.
pub(super) fn time(millis: i64) -> Value {
    json!(sqlite_time(millis))
}

/// The id of the commit that is checked out.
pub(super) fn head(context: &Context) -> Option<String> {
    Repository::open(context.root()).ok()?.commit("HEAD").ok()
}

/// The table with the version of the tables.
pub(super) fn schema_version() -> Table {
    let row = vec![json!(1), json!(SCHEMA_VERSION), Value::Null];
    Table { name: "schema_version", columns: &["id", "version", "updated_at"], rows: vec![row] }
}

pub(super) fn tables(context: &Context) -> Result<Vec<Table>, ToolError> {
    Ok(vec![notes(context)?, git_state(context), work_branches(context)?, schema_version()])
}

/// The note type and the severity of a kind of memory.
const NOTE_KINDS: [(Kind, &str, &str); 4] = [
    (Kind::Decision, "decision", "info"),
    (Kind::Convention, "clarification", "info"),
    (Kind::Mistake, "roadblock", "warning"),
    (Kind::Insight, "research", "info"),
];

/// The memories as notes on the project.
fn notes(context: &Context) -> Result<Table, ToolError> {
    let (mut entries, runs) = context.memory(|memory| {
        let mut entries: Vec<Entry> = Vec::new();
        for (kind, ..) in NOTE_KINDS {
            let layers = if kind.file().is_some() { Layers::PERMANENT } else { Layers::LOCAL };
            let query = Query { limit: Some(MAX_NOTES), ..Query::active(layers, kind) };
            entries.extend(memory.read(&mut |store| store.entries(&query))?);
        }
        Ok::<_, MemoryError>((entries, memory.runs()?))
    })?;
    entries.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let rows = entries.iter().zip(1..).map(|(entry, id)| note(entry, id, &runs));
    Ok(Table {
        name: "notes",
        columns: &[
            "id",
            "content",
            "note_type",
            "reference_table",
            "reference_id",
            "source",
            "directive_name",
            "severity",
            "created_at",
            "updated_at",
        ],
        rows: rows.collect(),
    })
}

fn note(entry: &Entry, id: usize, runs: &Map<String, Value>) -> Vec<Value> {
    let found = NOTE_KINDS.iter().find(|(kind, ..)| *kind == entry.kind);
    let (_, note_type, severity) = found.copied().unwrap_or((entry.kind, "info", "info"));
    let record = entry.metadata.get(DIRECTIVE_RUN).and_then(Value::as_str);
    // The id of a record is the id of its run and a number.
    let run = record.and_then(|record| runs.get(record.rsplit_once('_')?.0));
    let directive = run.and_then(|run| run["directive"].as_str());
    vec![
        json!(id),
        json!(entry.content),
        json!(note_type),
        json!("project"),
        json!(1),
        json!(if record.is_some() { "directive" } else { "ai" }),
        json!(directive),
        json!(severity),
        time(entry.created_at),
        time(entry.updated_at),
    ]
}

/// The state of Git at the time of the query, so that it is never out of date.
fn git_state(context: &Context) -> Table {
    let branch = Repository::open(context.root()).ok().and_then(|repository| repository.branch());
    let now = time(context.now());
    let row = vec![
        json!(1),
        json!(branch),
        json!(head(context)),
        now,
        json!(context.root().display().to_string()),
        Value::Null,
        Value::Null,
    ];
    Table {
        name: "git_state",
        columns: &[
            "id",
            "current_branch",
            "last_known_hash",
            "last_sync_timestamp",
            "project_root_path",
            "created_at",
            "updated_at",
        ],
        rows: vec![row],
    }
}

/// The branches of which the memory has a context.
fn work_branches(context: &Context) -> Result<Table, ToolError> {
    let (branches, _) = context.memory(|memory| memory.branches())?;
    let repository = Repository::open(context.root()).ok();
    let base = repository.as_ref().and_then(Repository::default_branch);
    let rows = branches.iter().zip(1..).map(|(branch, id)| {
        let exists =
            repository.as_ref().is_none_or(|repository| repository.has_branch(&branch.branch));
        let metadata = json!({
            "phase": branch.phase, "pendingTasks": branch.pending_tasks,
            "completedTasks": branch.completed_tasks,
        });
        vec![
            json!(id),
            json!(branch.branch),
            json!(branch.feature),
            json!(if exists { "active" } else { "abandoned" }),
            json!(base),
            branch.updated_at.as_i64().map_or(Value::Null, time),
            Value::Null,
            json!(metadata.to_string()),
        ]
    });
    Ok(Table {
        name: "work_branches",
        columns: &[
            "id",
            "branch_name",
            "purpose",
            "status",
            "created_from",
            "created_at",
            "merged_at",
            "metadata_json",
        ],
        rows: rows.collect(),
    })
}
