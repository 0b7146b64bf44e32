//! Tools that list, show and search directives.

use super::core_database;
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_guidance::directives::search::{Certainty, Filter, search};
use aidd_guidance::directives::{Directive, DirectiveType};
use aidd_index::sql;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Number of directives that are listed if none fits.
const NEAREST: usize = 3;
/// Maximum number of matches in an answer.
const MAX_MATCHES: usize = 10;

const AIFP: &[Profile] = &[Profile::Aifp];

pub(super) fn tools() -> Vec<Tool> {
    let run = Tool::new(
        "aifp_run",
        "Directive guidance",
        "Returns how to work with directives. Runs nothing. Use at the start of a session; use \
         aidd_directive to run a directive.",
        guidance,
    );
    let all = Tool::new(
        "get_all_directives",
        "All directives",
        "Lists all directives with type, threshold and a few words. Use once per session; use \
         get_directive for the steps, search_directives for a request.",
        all,
    );
    let get = Tool::new(
        "get_directive",
        "Directive",
        "Returns a directive with its steps and known problems. Use after search_directives.",
        get,
    );
    let find = Tool::new(
        "search_directives",
        "Search directives",
        "Finds directives for a request, with a score from 0 to 1 and what to do with it. Use \
         before a task; use aidd_directive to run the result.",
        find,
    );
    let query = Tool::new(
        "query_mcp_db",
        "Query directives",
        "Runs a read-only SQL query on the tables directives, categories, directive_categories, \
         intent_keywords, directives_interactions, helper_functions, tool_schemas, standards, templates, \
         roadblock_resolutions, configuration, schema_version. Use for counts and lists.",
        query,
    );
    [run, all, get, find, query].map(|tool| tool.in_profiles(AIFP)).into()
}

#[derive(Deserialize, JsonSchema)]
struct GuidanceParams {
    /// The request of the user
    #[serde(default)]
    #[expect(dead_code, reason = "the answer is the same for every command")]
    command: Option<String>,
    /// Root of the project; default: the project of this server
    project_root: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Guidance {
    success: bool,
    message: &'static str,
    guidance: Row,
}

fn guidance(context: &Context, params: GuidanceParams) -> Result<Answer<Guidance>, ToolError> {
    super::check_root(context, params.project_root.as_deref())?;
    let guidance = json!({
        "directive_access": "search_directives finds the directive for a request; aidd_directive runs it step by step",
        "when_to_use": "before writing, changing or planning code, and when a task is begun or ended",
        "assumption": "directives apply unless the user declines",
        "available_helpers": ["search_directives", "get_directive", "aidd_directive", "get_project_status"],
    });
    let message = "Search for a directive, and run it with aidd_directive. Nothing was run.";
    let text = format!(
        "{message}\n- search_directives {{keyword}}: score ≥ 0.7 run it, ≥ 0.5 ask the user first, below: none fits\n\
         - aidd_directive {{action: next, name}}: one step at a time; the server checks, records and indexes\n\
         - get_project_status: whether the project has a record and work"
    );
    let guidance = Row::from_value(guidance);
    Ok(Answer::new(Guidance { success: true, message, guidance }, text))
}

#[derive(Deserialize, JsonSchema)]
struct AllParams {
    /// Return all fields of each directive instead of a row
    #[serde(default)]
    full: bool,
}

#[derive(Serialize, JsonSchema)]
struct All {
    success: bool,
    directive_count: usize,
    /// The columns of the rows; empty with `full`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    columns: &'static [&'static str],
    /// Rows; with `full`, objects.
    directives: Vec<Value>,
    self_assessment_questions: [&'static str; 4],
    action_reaction_model: Row,
    /// Pages that cannot be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

/// The columns of the rows of [`all`].
const COLUMNS: &[&str] = &["name", "type", "confidence_threshold", "description"];

fn all(context: &Context, params: AllParams) -> Result<Answer<All>, ToolError> {
    let directives = super::directives(context)?;
    let mut text = String::new();
    let mut rows = Vec::new();
    for directive in directives.all() {
        let (name, kind, threshold) = (&directive.name, directive.kind, directive.threshold);
        text += &format!("{name} {} {threshold} {}\n", kind.word(), directive.short);
        rows.push(match params.full {
            true => row(directive),
            false => json!([name, kind, threshold, directive.short]),
        });
    }
    text += "Call get_directive for the steps of a directive.\n";
    let model = json!({
        "code_write": "run project_file_write",
        "file_edit": "run project_file_write",
        "discussion_decision": "run project_evolution if goals, architecture or plan changed",
    });
    let answer = All {
        success: true,
        directive_count: rows.len(),
        columns: if params.full { &[] } else { COLUMNS },
        directives: rows,
        self_assessment_questions: [
            "Does the request write or change code, or only discuss it?",
            "Which directive has the highest score for the request?",
            "Is an open task of the work list meant?",
            "Does the next step need an answer of the user?",
        ],
        action_reaction_model: Row::from_value(model),
        problems: directives.problems.clone(),
    };
    Ok(Answer::new(answer, text))
}

#[derive(Deserialize, JsonSchema)]
struct GetParams {
    /// Name of a directive
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct One {
    success: bool,
    directive: Row,
}

fn get(context: &Context, params: GetParams) -> Result<Answer<One>, ToolError> {
    let directives = super::directives(context)?;
    let directive = directives.get(&params.name).ok_or_else(|| {
        let near = directives.nearest(&params.name);
        let remedy = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "list the names with get_all_directives".to_owned(),
        };
        ToolError::new(format!("unknown directive `{}`", params.name)).remedy(remedy)
    })?;
    let row = row(directive);
    let steps = serde_json::to_string(&row["workflow"]).unwrap_or_default();
    let problems = directive.roadblocks.iter();
    let problems: String =
        problems.map(|block| format!("- {}: {}\n", block.issue, block.resolution)).collect();
    let text = format!("{}\nSteps: {steps}\n{problems}", directive.body.trim_end());
    Ok(Answer::new(One { success: true, directive: Row::from_value(row) }, text))
}

fn row(directive: &Directive) -> Value {
    json!({
        "name": directive.name,
        "type": directive.kind,
        "category": directive.category,
        "level": directive.level,
        "parent_directive": directive.parent,
        "description": directive.summary,
        "workflow": directive.header.get("steps"),
        "roadblocks_json": directive.roadblocks,
        "intent_keywords_json": directive.keywords,
        "confidence_threshold": directive.threshold,
        "related_directives": directive.related,
        "rules": directive.rules,
        "page": directive.body,
    })
}

#[derive(Deserialize, JsonSchema)]
struct SearchParams {
    /// Words of the request
    keyword: Option<String>,
    /// Category, such as purity or task_management
    category: Option<String>,
    /// Type of directive
    #[serde(rename = "type")]
    kind: Option<TypeParam>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TypeParam {
    Fp,
    Project,
    Git,
    UserPref,
    UserPreference,
    UserSystem,
}

impl TypeParam {
    fn kind(self) -> DirectiveType {
        match self {
            Self::Fp => DirectiveType::Fp,
            Self::Project => DirectiveType::Project,
            Self::Git => DirectiveType::Git,
            Self::UserPref | Self::UserPreference => DirectiveType::UserPreference,
            Self::UserSystem => DirectiveType::UserSystem,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Matches {
    success: bool,
    matches: Vec<Row>,
    /// What to do with the first match: `run`, `run_and_report`, `ask` or `none`.
    decision: &'static str,
}

fn find(context: &Context, params: SearchParams) -> Result<Answer<Matches>, ToolError> {
    let directives = super::directives(context)?;
    let request = params.keyword.unwrap_or_default();
    let kind = params.kind.map(TypeParam::kind);
    let filter = Filter { category: params.category.as_deref(), kind };
    let mut found = search(&directives, &request, filter);
    if found.is_empty() {
        let categories: std::collections::BTreeSet<&str> =
            directives.all().map(|directive| directive.category.as_str()).collect();
        let known = categories.into_iter().collect::<Vec<_>>().join(", ");
        return Err(ToolError::new("no directive has this category and type")
            .remedy(format!("categories: {known}")));
    }
    let certainty = match request.trim() {
        "" => Certainty::None,
        _ => Certainty::of(found.first().map_or(0.0, |first| first.score)),
    };
    if !request.trim().is_empty() {
        let limit = match certainty {
            Certainty::None if params.category.is_none() => NEAREST,
            _ => MAX_MATCHES,
        };
        // A category is a selection already.
        let is_listed = certainty == Certainty::None || params.category.is_some();
        let least = if is_listed { 0.0 } else { 0.3 };
        found.retain(|found| found.score >= least);
        found.truncate(limit);
    }
    let advice = match certainty {
        Certainty::Certain | Certainty::Likely => "Run the first with aidd_directive.",
        Certainty::Possible => "Ask the user whether the first is meant.",
        Certainty::None if request.trim().is_empty() => "",
        Certainty::None => "No directive fits; these are the nearest.",
    };
    let mut text = format!("{advice}\n");
    let mut rows = Vec::new();
    for found in found {
        let directive = &found.directive;
        let score = (found.score * 100.0).round() / 100.0;
        text += &format!("{score:.2} {}: {}\n", directive.name, directive.summary);
        rows.push(Row::from_value(json!({
            "name": directive.name, "type": directive.kind, "category": directive.category,
            "description": directive.summary, "confidence_score": score,
        })));
    }
    let matches = Matches { success: true, matches: rows, decision: certainty.word() };
    Ok(Answer::new(matches, text.trim_start().to_owned()))
}

#[derive(Deserialize, JsonSchema)]
struct QueryParams {
    /// One SELECT or WITH statement
    sql: String,
}

/// The rows of a query.
#[derive(Serialize, JsonSchema)]
pub(super) struct Rows {
    pub(super) success: bool,
    pub(super) rows: Vec<Row>,
}

fn query(context: &Context, params: QueryParams) -> Result<Answer<Rows>, ToolError> {
    let tables = core_database::all(context)?;
    let rows = sql::query_tables(&tables, &params.sql)?;
    Ok(answer(rows))
}

/// The answer with the rows of a query.
pub(super) fn answer(rows: Vec<Value>) -> Answer<Rows> {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    let text = if lines.is_empty() { "no rows".to_owned() } else { lines.join("\n") };
    let rows = rows.into_iter().map(Row::from_value).collect();
    Answer::new(Rows { success: true, rows }, text)
}
