//! Tools on the state of the project: files and functions from the code index, tasks from the work
//! list, changed files from Git.

use super::directives::{Rows, answer};
use super::project_database::{Database, record, tables};
use super::{RootParams, check_root};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::project::git::Repository;
use aidd_engine::workspace::walk::uncommitted;
use aidd_guidance::project_page::PATH;
use aidd_memory::work_list::{WorkEntry, WorkList};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const AIFP: &[Profile] = &[Profile::Aifp];

pub(super) fn tools() -> Vec<Tool> {
    let context = Tool::new(
        "get_project_context",
        "Project context",
        "Returns the project record, themes, flows, tasks and progress. Use at the start of a \
         session; `context_type` limits the answer.",
        project_context,
    );
    let status = Tool::new(
        "get_project_status",
        "Project status",
        "Returns whether the project has a record, a work list and an index. Use before \
         project_init.",
        project_status,
    );
    let files = Tool::new(
        "get_project_files",
        "Project files",
        "Lists the source files with language and checksum, from the code index. Use to find the \
         files of a language.",
        project_files,
    );
    let functions = Tool::new(
        "get_project_functions",
        "Project functions",
        "Lists functions with their parameters and purpose, from the code index. Use aidd_explore \
         for the source of a function.",
        project_functions,
    );
    let tasks = Tool::new(
        "get_project_tasks",
        "Project tasks",
        "Returns stages, milestones and tasks of the work list. Use aidd_work to change them.",
        project_tasks,
    );
    let query = Tool::new(
        "query_project_db",
        "Query project",
        "Runs a read-only SQL query on the tables of the project (files, functions, types, \
         interactions, themes, flows, infrastructure, completion_path, milestones, tasks, subtasks, \
         sidequests, items, notes, git_state, work_branches). Use for counts and lists.",
        project_query,
    );
    let git = Tool::new(
        "aifp_git_status",
        "Git status",
        "Returns the branch, the changed files and the themes that they belong to. Use before a \
         commit, to see which parts of the project change.",
        git_status,
    );
    let tools = [context, status, files, functions, tasks, query, git];
    tools.map(|tool| tool.in_profiles(AIFP)).into()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ContextType {
    #[default]
    Full,
    Summary,
    ThemesOnly,
    TasksOnly,
}

#[derive(Deserialize, JsonSchema)]
struct ContextParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
    #[serde(default)]
    context_type: ContextType,
}

#[derive(Serialize, JsonSchema)]
struct ProjectContext {
    success: bool,
    project: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    themes: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<Vec<Row>>,
    completion_progress: String,
    functions_count: i64,
    files_count: i64,
    /// Faults in the names of themes and flows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn project_context(
    context: &Context,
    params: ContextParams,
) -> Result<Answer<ProjectContext>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let has = |types: &[ContextType]| types.contains(&params.context_type);
    let to_rows = |rows: Vec<Value>| rows.into_iter().map(Row::from_value).collect::<Vec<Row>>();
    let database = Database::open(context)?;
    let project = database.rows("SELECT name, purpose, status, version FROM project")?;
    let project = project.into_iter().next().unwrap_or_default();
    let themes = "SELECT name, description, ai_generated, confidence_score FROM themes
        ORDER BY ai_generated, confidence_score DESC, name LIMIT 20";
    let themes = has(&[ContextType::Full, ContextType::ThemesOnly])
        .then(|| database.rows(themes))
        .transpose()?;
    let flows =
        "SELECT name, description, ai_generated FROM flows ORDER BY ai_generated, id LIMIT 20";
    let flows = has(&[ContextType::Full, ContextType::ThemesOnly])
        .then(|| database.rows(flows))
        .transpose()?;
    let list = &database.work;
    let next: Vec<&WorkEntry> = list.next().into_iter().take(20).collect();
    let counts = "SELECT (SELECT count(*) FROM functions) AS functions, (SELECT count(*) FROM files) AS files";
    let counts = database.rows(counts)?;
    let count = |name: &str| counts.first().and_then(|row| row[name].as_i64()).unwrap_or_default();
    let progress = list.total();
    let mut text = format!(
        "{}: {}; {} files, {} functions; {}/{} of the work done ({} %)\n",
        project["name"].as_str().unwrap_or_default(),
        project["purpose"].as_str().unwrap_or("no purpose is recorded"),
        count("files"),
        count("functions"),
        progress.done,
        progress.total,
        progress.percent()
    );
    for (title, rows) in [("themes", &themes), ("flows", &flows)] {
        let names = rows.iter().flatten().filter_map(|row| row["name"].as_str());
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            text += &format!("{title}: {}\n", names.join(", "));
        }
    }
    let has_tasks = has(&[ContextType::Full, ContextType::TasksOnly]);
    for entry in next.iter().filter(|_| has_tasks) {
        text += &format!("- {} [{}] {}\n", entry.level, list.status(entry), entry.title);
    }
    let tasks = has_tasks.then(|| next.iter().map(|entry| task_row(list, entry)).collect());
    let answer = ProjectContext {
        success: true,
        project: Row::from_value(project),
        themes: themes.map(to_rows),
        flows: flows.map(to_rows),
        tasks,
        completion_progress: format!("{}%", progress.percent()),
        functions_count: count("functions"),
        files_count: count("files"),
        problems: database.problems.clone(),
    };
    for problem in &database.problems {
        text += &format!("note: {problem}\n");
    }
    Ok(Answer::new(answer, text))
}

/// An entry of the work list, for answers.
pub(super) fn task_row(list: &WorkList, entry: &WorkEntry) -> Row {
    Row::from_value(json!({
        "id": entry.id, "level": entry.level, "name": entry.title,
        "status": list.status(entry), "priority": entry.priority, "parent": entry.parent,
        "progress": list.progress(&entry.id).percent(), "flows": entry.flows, "note": entry.note,
    }))
}

#[derive(Serialize, JsonSchema)]
struct ProjectStatus {
    success: bool,
    /// Whether the project has a record or a work list.
    initialized: bool,
    /// Whether the code index exists.
    project_db_exists: bool,
    project: Option<Row>,
}

fn project_status(
    context: &Context,
    params: RootParams,
) -> Result<Answer<ProjectStatus>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let record = record(context)?;
    let has_work = !context.memory(|memory| memory.work())?.is_empty();
    let project_db_exists = aidd_index::store::exists(context.root());
    let initialized = record.is_some() || has_work;
    let project = record.map(|record| {
        json!({ "name": record["name"], "status": record.get("status").cloned().unwrap_or(json!("active")), "version": record["version"] })
    });
    let text = match (&project, has_work) {
        (Some(project), _) => format!("initialized: {}", project["name"].as_str().unwrap_or("?")),
        (None, true) => format!("the work list exists; {PATH} does not"),
        (None, false) => "not initialized; run the directive project_init".to_owned(),
    };
    let project = project.map(Row::from_value);
    Ok(Answer::new(ProjectStatus { success: true, initialized, project_db_exists, project }, text))
}

#[derive(Deserialize, JsonSchema)]
struct FilesParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
    /// Language, such as python
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileRows {
    success: bool,
    files: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A string as an SQL literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Maximum number of rows of a list.
const MAX_ROWS: usize = 200;

/// The note if a list was cut.
fn cut_note(count: usize) -> Option<String> {
    (count >= MAX_ROWS)
        .then(|| format!("the first {MAX_ROWS} rows; use query_project_db for others"))
}

fn project_files(context: &Context, params: FilesParams) -> Result<Answer<FileRows>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let condition = match &params.language {
        Some(language) => format!("WHERE lower(language) = {}", literal(&language.to_lowercase())),
        None => String::new(),
    };
    let sql = format!(
        "SELECT id, path, language, checksum, created_at FROM files {condition} ORDER BY path LIMIT {MAX_ROWS}"
    );
    let rows = Database::open(context)?.rows(&sql)?;
    let paths = rows.iter().filter_map(|row| row["path"].as_str());
    let mut text: String = paths.map(|path| format!("{path}\n")).collect();
    if text.is_empty() {
        text.push_str("no source files");
    }
    let note = cut_note(rows.len());
    let files = rows.into_iter().map(Row::from_value).collect();
    Ok(Answer::new(FileRows { success: true, files, note }, text))
}

#[derive(Deserialize, JsonSchema)]
struct FunctionsParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
    /// Id of a file, from get_project_files
    file_id: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct FunctionRows {
    success: bool,
    functions: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn project_functions(
    context: &Context,
    params: FunctionsParams,
) -> Result<Answer<FunctionRows>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let condition = params.file_id.map(|id| format!("WHERE file_id = {id}")).unwrap_or_default();
    let sql = format!(
        "SELECT id, name, file_id, purpose, parameters, purity_level, side_effects_json FROM functions {condition} ORDER BY id LIMIT {MAX_ROWS}"
    );
    let mut rows = Database::open(context)?.rows(&sql)?;
    let mut text = String::new();
    for row in &mut rows {
        let parsed = row["parameters"].as_str().and_then(|list| serde_json::from_str(list).ok());
        let parameters: Value = parsed.unwrap_or_else(|| json!([]));
        let text_of = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        text += &format!("{} {parameters} {}\n", text_of("name"), text_of("purity_level"));
        row["parameters"] = parameters;
    }
    let note = cut_note(rows.len());
    let functions = rows.into_iter().map(Row::from_value).collect();
    Ok(Answer::new(FunctionRows { success: true, functions, note }, text))
}

#[derive(Deserialize, JsonSchema)]
struct TasksParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
    /// pending, in_progress, blocked, completed or abandoned
    status: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Tasks {
    success: bool,
    completion_path: Vec<Row>,
    milestones: Vec<Row>,
    tasks: Vec<Row>,
}

fn project_tasks(context: &Context, params: TasksParams) -> Result<Answer<Tasks>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let list = context.memory(|memory| memory.work())?;
    let wanted = params.status.as_deref().map(str::trim).map(str::to_lowercase);
    let is_wanted = |row: &[Value], at: usize| {
        wanted.as_deref().is_none_or(|wanted| row.get(at).and_then(Value::as_str) == Some(wanted))
    };
    let tables = tables(&list);
    let mut text = String::new();
    let mut rows = |name: &str| -> Vec<Row> {
        let Some(table) = tables.iter().find(|table| table.name == name) else { return Vec::new() };
        let position = |column: &str| table.columns.iter().position(|known| *known == column);
        let (status, title) =
            (position("status").unwrap_or_default(), position("name").unwrap_or_default());
        let selected = table.rows.iter().filter(|row| is_wanted(row, status));
        let selected = selected.map(|row| {
            let word = |at: usize| row.get(at).and_then(Value::as_str).unwrap_or_default();
            text += &format!("{name}: [{}] {}\n", word(status), word(title));
            let pairs = table.columns.iter().map(|column| (*column).to_owned()).zip(row.clone());
            Row::from_value(Value::Object(pairs.collect()))
        });
        selected.collect()
    };
    let (completion_path, milestones, tasks) =
        (rows("completion_path"), rows("milestones"), rows("tasks"));
    if text.is_empty() {
        text.push_str("no tasks\n");
    }
    Ok(Answer::new(Tasks { success: true, completion_path, milestones, tasks }, text))
}

#[derive(Deserialize, JsonSchema)]
struct QueryParams {
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
    /// One SELECT or WITH statement
    sql: String,
}

fn project_query(context: &Context, params: QueryParams) -> Result<Answer<Rows>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    Ok(answer(Database::open(context)?.rows(&params.sql)?))
}

#[derive(Serialize, JsonSchema)]
struct GitStatus {
    success: bool,
    current_branch: Option<String>,
    changed_files: Vec<String>,
    themes_affected: Vec<String>,
}

fn git_status(context: &Context, params: RootParams) -> Result<Answer<GitStatus>, ToolError> {
    check_root(context, params.project_root.as_deref())?;
    let repository = Repository::open(context.root()).ok();
    let current_branch = repository.and_then(|repository| repository.branch());
    let changes = uncommitted(context.root()).map(|changes| changes.changes).unwrap_or_default();
    let mut changed_files: Vec<String> =
        changes.iter().map(|change| change.path().to_owned()).collect();
    changed_files.sort();
    let database = Database::open(context)?;
    let mut themes = BTreeSet::new();
    for paths in changed_files.chunks(MAX_ROWS) {
        let list: Vec<String> = paths.iter().map(|path| literal(path)).collect();
        let sql = format!(
            "SELECT DISTINCT t.theme FROM file_themes t JOIN files f ON f.id = t.file_id
             WHERE f.path IN ({})",
            list.join(", ")
        );
        let rows = database.rows(&sql)?;
        themes.extend(rows.iter().filter_map(|row| row["theme"].as_str().map(str::to_owned)));
    }
    let themes_affected: Vec<String> = themes.into_iter().collect();
    let text = format!(
        "branch: {}\nchanged: {}\nthemes: {}",
        current_branch.as_deref().unwrap_or("none"),
        changed_files.join(", "),
        themes_affected.join(", ")
    );
    Ok(Answer::new(
        GitStatus { success: true, current_branch, changed_files, themes_affected },
        text,
    ))
}
