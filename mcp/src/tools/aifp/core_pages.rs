//! Tables of the core database that come from pages and from the server itself: helper functions, tool
//! schemas, standards, templates, known problems, settings.

use super::core_database::text;
use super::history::schema_version;
use crate::context::Context;
use crate::tool::ToolError;
use crate::tools;
use aidd_engine::parse::markdown::{fences, sections};
use aidd_engine::text::source::Source;
use aidd_guidance::PageKind;
use aidd_guidance::directives::page::{DEFAULT_THRESHOLD, MAX_CALL_DEPTH};
use aidd_guidance::directives::{Action, Directives, Step};
use aidd_index::sql::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The helper functions of the blueprint: name, category, parameters, result, the tool or directive
/// that does the work, description.
const HELPERS: &str = include_str!("helpers.tsv");

/// The languages of the functional rules.
const LANGUAGES: [&str; 5] = ["python", "javascript", "typescript", "rust", "go"];

pub(super) fn tables(context: &Context, directives: &Directives) -> Result<Vec<Table>, ToolError> {
    Ok(vec![
        helper_functions(),
        tool_schemas(directives),
        standards(context, directives)?,
        templates(context)?,
        roadblocks(directives),
        configuration(),
        schema_version(),
    ])
}

/// The rows with their number as the first value.
fn numbered(rows: impl Iterator<Item = Vec<Value>>) -> Vec<Vec<Value>> {
    let rows = rows.zip(1..).map(|(mut row, id): (Vec<Value>, usize)| {
        row.insert(0, json!(id));
        row
    });
    rows.collect()
}

/// The helper functions, each as its fields.
pub(super) fn helpers() -> impl Iterator<Item = [&'static str; 6]> {
    HELPERS.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        fields.try_into().ok()
    })
}

fn helper_functions() -> Table {
    let rows = helpers().map(|[name, category, parameters, result, used, description]| {
        vec![
            json!(name),
            json!(category),
            json!(description),
            json!(parameters),
            json!(result),
            json!(used),
            json!(json!([used]).to_string()),
        ]
    });
    Table {
        name: "helper_functions",
        columns: &[
            "id",
            "name",
            "category",
            "description",
            "parameters_json",
            "return_type",
            "implementation_hint",
            "related_directives",
        ],
        rows: numbered(rows),
    }
}

fn tool_schemas(directives: &Directives) -> Table {
    // The tools that steps call, each with the directives.
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for directive in directives.all() {
        for action in directive.steps.iter().flat_map(Step::actions) {
            if let Action::Tool { name, .. } = action {
                users.entry(name).or_default().insert(&directive.name);
            }
        }
    }
    let tools = tools::all();
    let rows = tools.iter().map(|tool| {
        vec![
            json!(tool.name),
            json!(tool.description),
            text(&Value::Object(tool.input())),
            text(&Value::Object(tool.output())),
            text(&json!(users.get(tool.name))),
        ]
    });
    Table {
        name: "tool_schemas",
        columns: &[
            "id",
            "tool_name",
            "description",
            "input_schema_json",
            "output_schema_json",
            "related_directives",
        ],
        rows: numbered(rows),
    }
}

/// The rules that directives name, with the first example that fails and the first that passes.
fn standards(context: &Context, directives: &Directives) -> Result<Table, ToolError> {
    // The categories and names of the directives, by rule.
    let mut users: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for directive in directives.all() {
        for rule in &directive.rules {
            let user = (directive.category.as_str(), directive.name.as_str());
            users.entry(rule).or_default().insert(user);
        }
    }
    let engine = context.engine()?;
    let rules = engine.registry().rules().iter();
    let rows = rules.filter_map(|rule| {
        let users = users.get(&*rule.id)?;
        let bad = example(&rule.page, "Fails");
        let good = example(&rule.page, "Passes");
        let language = bad.as_ref().or(good.as_ref()).map(|(language, _)| language.clone());
        let names: Vec<&str> = users.iter().map(|(_, name)| *name).collect();
        Some(vec![
            json!(users.first().map(|(category, _)| category)),
            json!(&*rule.id),
            json!(rule.summary),
            json!(good.map(|(_, code)| code)),
            json!(bad.map(|(_, code)| code)),
            json!(language.unwrap_or_else(|| "language-agnostic".to_owned())),
            text(&json!(names)),
        ])
    });
    Ok(Table {
        name: "standards",
        columns: &[
            "id",
            "category",
            "standard_name",
            "description",
            "good_example",
            "bad_example",
            "language",
            "related_directives",
        ],
        rows: numbered(rows),
    })
}

/// The name of a language in the tables, for the first word of a code block.
fn language(word: &str) -> &str {
    match word {
        "py" => "python",
        "js" | "jsx" => "javascript",
        "ts" | "tsx" => "typescript",
        "rs" => "rust",
        other => other,
    }
}

/// The language and the text of the first code block in a section of a page.
fn example(page: &str, title: &str) -> Option<(String, String)> {
    let section = sections(page).into_iter().find(|section| section.title == title)?;
    let blocks = fences(&Source::new("page.md", &page[section.body.range()]), |_| true);
    let block = blocks.into_iter().find(|block| block.language() != "finding")?;
    Some((language(block.language()).to_owned(), block.text))
}

/// The code blocks of the templates with a `category`.
fn templates(context: &Context) -> Result<Table, ToolError> {
    let library = context.library()?;
    let mut rows = Vec::new();
    for page in library.pages_of_kind(PageKind::Templates) {
        let Some(category) = page.header.get("category") else { continue };
        let variables = page.header.get("variables").cloned().unwrap_or_else(|| json!({}));
        let related = page.header.get("related").cloned().unwrap_or_else(|| json!([]));
        for block in fences(&Source::new("page.md", page.body()), |_| true) {
            let language = language(block.language());
            rows.push(vec![
                json!(format!("{}_{language}", page.name.replace('-', "_"))),
                category.clone(),
                json!(language),
                json!(block.text),
                text(&variables),
                json!(page.summary),
                text(&related),
            ]);
        }
    }
    Ok(Table {
        name: "templates",
        columns: &[
            "id",
            "template_name",
            "category",
            "language",
            "template_code",
            "variables_json",
            "description",
            "related_directives",
        ],
        rows: numbered(rows.into_iter()),
    })
}

fn roadblocks(directives: &Directives) -> Table {
    let rows = directives.all().flat_map(|directive| {
        let rows = directive.roadblocks.iter().map(|block| {
            let named = |name: &&str| block.resolution.contains(&format!("`{name}`"));
            let known: Vec<&str> = directives.all().map(|other| other.name.as_str()).collect();
            vec![
                json!(block.issue),
                json!(block.resolution),
                json!(directive.name),
                json!(known.into_iter().find(named)),
                json!(directive.category),
            ]
        });
        rows.collect::<Vec<_>>()
    });
    Table {
        name: "roadblock_resolutions",
        columns: &[
            "id",
            "issue",
            "resolution",
            "directive_name",
            "escalation_directive",
            "category",
        ],
        rows: numbered(rows),
    }
}

fn configuration() -> Table {
    let settings = [
        (
            "default_confidence_threshold",
            DEFAULT_THRESHOLD.to_string(),
            "Threshold of a directive that has none",
            "float",
        ),
        (
            "enable_low_confidence_prompts",
            "true".to_owned(),
            "Below the threshold, ask the user",
            "boolean",
        ),
        (
            "max_directive_depth",
            MAX_CALL_DEPTH.to_string(),
            "Maximum depth of directives that call each other",
            "integer",
        ),
        (
            "supported_languages",
            json!(LANGUAGES).to_string(),
            "Languages of the functional rules",
            "json",
        ),
    ];
    let rows = settings.into_iter().map(|(key, value, description, kind)| {
        vec![json!(key), json!(value), json!(description), json!(kind)]
    });
    Table {
        name: "configuration",
        columns: &["id", "config_key", "config_value", "description", "value_type"],
        rows: numbered(rows),
    }
}
