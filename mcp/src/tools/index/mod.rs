//! Tools of the code index: source, callers and tests of code, together with the memories and rules
//! that name it.

mod about;
mod explore;
mod impact;
mod section;
#[cfg(test)]
mod tests;

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::aifp::names_of;
use crate::tools::memory::render::Row;
use aidd_engine::workspace::project::Project;
use aidd_index::query::{Reader, SymbolRow};
use aidd_index::{IndexError, sql};
use aidd_lexicon::tokens;
use aidd_memory::project_map::ProjectMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Default token budget of an answer.
const DEFAULT_BUDGET: usize = 1500;
/// Minimum token budget of an answer.
const MIN_BUDGET: usize = 200;
/// Maximum token budget of an answer.
const MAX_BUDGET: usize = 20_000;

/// The tools of the code index.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let map = Tool::new(
        "aidd_map",
        "Code map",
        "Returns the most important symbols of the project within a token budget. Use to get an \
         overview of unknown code; use aidd_explore for a question.",
        map,
    );
    let query = Tool::new(
        "aidd_query",
        "Query code index",
        "Runs read-only SQL on the code index (tables files, symbols, refs, candidates, imports, \
         bindings, accesses, purity; views routes, functions, types, interactions, flows, \
         flow_steps). Use for counts and lists.",
        query,
    );
    let tools = [map, query].map(|tool| tool.in_profiles(&[Profile::Index]));
    tools.into_iter().chain([explore::tool(), impact::tool()]).collect()
}

impl From<IndexError> for ToolError {
    fn from(error: IndexError) -> Self {
        let remedy = match &error {
            IndexError::Io { .. } => {
                "check that the directory is writable and the disk is not full"
            }
            IndexError::Database(_) | IndexError::Damaged(_) => {
                "retry; if the error persists, run `aidd index --rm` in a terminal"
            }
            IndexError::Glob(_) => "fix .aidd/config.json; `aidd_get_config` lists the settings",
            IndexError::Git(_) => "pass a branch or commit that exists",
            IndexError::NoCommonCommit(_)
            | IndexError::NotFetched(_)
            | IndexError::Export(_)
            | IndexError::Refused(_)
            | IndexError::Link(_) => "",
        };
        Self::new(error.to_string()).remedy(remedy)
    }
}

/// An index that was brought up to date for this call.
struct Current {
    project: Arc<Project>,
    reader: Reader,
    /// Notes on the state of the index, one clause each.
    notes: Vec<String>,
}

/// Brings the index up to date and opens it.
fn current(context: &Context) -> Result<Current, ToolError> {
    let project = context.project()?;
    let (reader, update) = context.index(&project)?;
    let mut notes = Vec::new();
    match update.unread {
        0 => {}
        1 => notes.push("1 source file is not in the index: too large, or not readable".to_owned()),
        count => notes
            .push(format!("{count} source files are not in the index: too large, or not readable")),
    }
    Ok(Current { project, reader, notes })
}

fn budget(requested: Option<usize>) -> usize {
    requested.unwrap_or(DEFAULT_BUDGET).clamp(MIN_BUDGET, MAX_BUDGET)
}

/// The symbols that `name` names, ordered by their number of references.
fn named(reader: &Reader, name: &str) -> Result<Vec<SymbolRow>, ToolError> {
    Ok(reader.most_used_first(reader.named(name)?)?)
}

/// The note on a name that is not in the index.
fn unknown_note(reader: &Reader, name: &str) -> Result<String, ToolError> {
    let near = reader.nearest(name)?;
    let shown = aidd_engine::text::escape::line(name);
    Ok(match near.as_slice() {
        [] => format!("the index has no symbol `{shown}`"),
        near => format!("the index has no symbol `{shown}`; nearest: {}", near.join(", ")),
    })
}

/// The first lines of `text` that fit into `budget` tokens, also as a JSON string.
fn first_lines(text: &str, budget: usize) -> String {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let cost = |text: &str| tokens::count(&Value::from(text).to_string()).max(tokens::count(text));
    let end = |count: usize| count.checked_sub(1).and_then(|at| ends.get(at)).map_or(0, |end| *end);
    // The number of lines by the sum of their tokens is near the largest number that fits.
    let (mut count, mut sum) = (0, 0);
    while count < ends.len() {
        sum += tokens::count(&text[end(count)..end(count + 1)]);
        if sum > budget {
            break;
        }
        count += 1;
    }
    let fits = |count: usize| count == 0 || cost(&text[..end(count)]) <= budget;
    if fits(count) {
        while count < ends.len() && fits(count + 1) {
            count += 1;
        }
    } else {
        while !fits(count) {
            count -= 1;
        }
    }
    text[..end(count)].to_owned()
}

#[derive(Deserialize, JsonSchema)]
struct MapParams {
    /// Maximum number of tokens; default: 1500
    #[schemars(range(min = 200, max = 20000))]
    tokens: Option<usize>,
    /// Files and directories that matter most
    #[serde(default)]
    focus: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Map {
    map: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

fn map(context: &Context, params: MapParams) -> Result<Answer<Map>, ToolError> {
    let current = current(context)?;
    let focus = params.focus.iter().map(|path| context.to_relative(path));
    let focus: Vec<String> = focus.collect::<Result<_, _>>()?;
    let budget = budget(params.tokens);
    let text = context.distribution().redact(&current.reader.map(budget, &focus)?);
    // The field name and the quotes cost a few tokens.
    let map = first_lines(&text, budget.saturating_sub(8));
    if map.is_empty() {
        return Err(ToolError::new("the index has no symbols").remedy(
            "the project has no source files in a language of the index, or `include` excludes them",
        ));
    }
    let text = map.clone();
    Ok(Answer::new(Map { map, notes: current.notes }, text))
}

#[derive(Deserialize, JsonSchema)]
struct QueryParams {
    /// One SELECT or WITH statement
    sql: String,
}

#[derive(Serialize, JsonSchema)]
struct Rows {
    rows: Vec<Row>,
}

fn query(context: &Context, params: QueryParams) -> Result<Answer<Rows>, ToolError> {
    let current = current(context)?;
    let named = names_of(&ProjectMap::of_project(context.root())?);
    let rows = sql::query_with(current.project.root(), &[], &named, &params.sql)?;
    let (rows, lines) = masked(context, rows);
    let rows = rows.into_iter().map(Row::from_value).collect();
    let text = if lines.is_empty() { "no rows".to_owned() } else { lines.join("\n") };
    Ok(Answer::new(Rows { rows }, text))
}

/// Masks the secrets in rows; returns the rows, and each row as a line of JSON.
pub(super) fn masked(context: &Context, rows: Vec<Value>) -> (Vec<Value>, Vec<String>) {
    let texts: Vec<String> = rows.iter().map(Value::to_string).collect();
    let lines = context.distribution().redact_all(texts.iter().cloned());
    let rows = rows.into_iter().zip(texts.iter().zip(&lines)).map(|(row, (text, line))| {
        // A masked part can cross the strings of a row; such a row is shown as text only.
        let masked =
            serde_json::from_str(line).unwrap_or_else(|_| serde_json::json!({ "row": line }));
        if text == line { row } else { masked }
    });
    (rows.collect(), lines)
}
