//! The tool of the project record: its page, its completion criteria, and the names of themes and
//! flows.

use super::criteria::{self, Criterion};
use super::project_database::{names_of, page};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Choice, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_guidance::project_page::{PATH, PageChange, ProjectPage, new_page};
use aidd_index::names;
use aidd_memory::MemoryError;
use aidd_memory::project_map::{MapEntry, MapKind, ProjectMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_project",
            "Project record",
            "Reads and changes the project record (ai/project.md) and the names of themes and flows; \
             counts the completion criteria. Use `read` before `update`: an update needs the checksum \
             that `read` returns, replaces one section or fields, and raises the version.",
            project,
        )
        .non_destructive()
        .with_choice(Choice {
            argument: "action",
            default: "read",
            allowed: &[
                (&["read", "update"], &["section"]),
                (
                    &["update"],
                    &[
                        "text",
                        "checksum",
                        "purpose",
                        "goals",
                        "language",
                        "status",
                        "coverage",
                        "documentation",
                    ],
                ),
                (&["update", "name"], &["name"]),
                (&["name"], &["kind", "description", "paths", "entries", "themes", "remove"]),
                (&["check"], &[]),
            ],
        })
        .in_profiles(&[Profile::Aifp]),
    ]
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// The record and its sections
    #[default]
    Read,
    /// Replace a section, or fields of the record; creates the page if it does not exist
    Update,
    /// Count the completion criteria
    Check,
    /// Name a theme or a flow
    Name,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KindParam {
    Theme,
    Flow,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StatusParam {
    Active,
    Paused,
    Completed,
    Abandoned,
}

#[derive(Deserialize, JsonSchema)]
struct ProjectParams {
    #[serde(default)]
    action: Action,
    /// Title of a section, such as Overview
    section: Option<String>,
    /// New text of the section
    text: Option<String>,
    /// Checksum that `read` returned
    checksum: Option<String>,
    /// Name of the project, or of the theme or flow
    name: Option<String>,
    purpose: Option<String>,
    goals: Option<Vec<String>>,
    language: Option<String>,
    status: Option<StatusParam>,
    /// Minimum share of the lines that tests execute, in percent
    #[schemars(range(min = 0, max = 100))]
    coverage: Option<f64>,
    /// Minimum share of the exported symbols with documentation, in percent
    #[schemars(range(min = 0, max = 100))]
    documentation: Option<f64>,
    kind: Option<KindParam>,
    description: Option<String>,
    /// Files and directories of the theme or flow
    #[serde(default)]
    paths: Vec<String>,
    /// Symbols at which the flow begins: a name, or `path#name`
    #[serde(default)]
    entries: Vec<String>,
    /// Themes of the flow
    #[serde(default)]
    themes: Vec<String>,
    /// Withdraw the name
    #[serde(default)]
    remove: bool,
}

#[derive(Default, Serialize, JsonSchema)]
struct Record {
    success: bool,
    /// Fields of the header of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<Row>,
    /// Pass it to the next `update`.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    /// Whether the page was edited since aidd wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<Row>,
    /// Whether all criteria are met.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    /// The theme or flow that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<Row>,
}

fn project(context: &Context, params: ProjectParams) -> Result<Answer<Record>, ToolError> {
    match params.action {
        Action::Read => read(context, params.section.as_deref()),
        Action::Update => update(context, params),
        Action::Check => check(context),
        Action::Name => name(context, params),
    }
}

fn missing_page() -> ToolError {
    ToolError::new(format!("{PATH} does not exist"))
        .remedy("run the directive project_init, or use the action `update` with `name`")
}

fn read(context: &Context, section: Option<&str>) -> Result<Answer<Record>, ToolError> {
    let page = page(context)?.ok_or_else(missing_page)?;
    let redact = |text: &str| context.distribution().redact(text);
    let sections = match section {
        Some(name) => {
            let text = page.section(name).map_err(|error| ToolError::new(error.to_string()))?;
            vec![(name, text)]
        }
        None => page.sections().collect(),
    };
    let edited = page.is_edited();
    let mut text = format!(
        "{} version {}, checksum {}{}\n",
        page.header.get("name").and_then(Value::as_str).unwrap_or("no name"),
        page.version(),
        page.checksum(),
        if edited { "; edited since aidd wrote it" } else { "" },
    );
    for (title, body) in &sections {
        text += &format!("## {title}\n{}\n", redact(body));
    }
    let rows = sections.iter();
    let rows = rows.map(|(title, body)| json!({ "title": title, "text": redact(body) }));
    let record = Record {
        success: true,
        checksum: Some(page.checksum()),
        edited: Some(edited),
        sections: rows.map(Row::from_value).collect(),
        project: Some(Row::from_value(Value::Object(page.header.clone()))),
        ..Record::default()
    };
    Ok(Answer::new(record, text))
}

/// The fields that an update sets, without secrets.
fn fields(context: &Context, params: &ProjectParams) -> Result<Map<String, Value>, ToolError> {
    let clean = |text: &String| context.memory(|memory| memory.clean_text(text));
    let mut fields = Map::new();
    for (field, value) in
        [("name", &params.name), ("purpose", &params.purpose), ("language", &params.language)]
    {
        if let Some(value) = value {
            fields.insert(field.to_owned(), clean(value)?.into());
        }
    }
    if let Some(goals) = &params.goals {
        let goals = goals.iter().map(clean).collect::<Result<Vec<String>, _>>()?;
        fields.insert("goals".to_owned(), json!(goals));
    }
    if let Some(status) = params.status {
        fields.insert("status".to_owned(), json!(status));
    }
    if params.coverage.is_some() || params.documentation.is_some() {
        let page = page(context)?;
        let known = page.and_then(|page| page.header.get("criteria").cloned());
        let mut criteria = known.and_then(|value| value.as_object().cloned()).unwrap_or_default();
        for (name, value) in
            [("coverage", params.coverage), ("documentation", params.documentation)]
        {
            if let Some(value) = value {
                criteria.insert(name.to_owned(), json!(value));
            }
        }
        fields.insert("criteria".to_owned(), Value::Object(criteria));
    }
    Ok(fields)
}

fn update(context: &Context, params: ProjectParams) -> Result<Answer<Record>, ToolError> {
    let fields = fields(context, &params)?;
    let section = match (params.section, params.text) {
        (Some(section), Some(text)) => {
            Some((section, context.memory(|memory| memory.clean_text(&text))?))
        }
        (None, None) => None,
        (Some(_), None) => {
            return Err(
                ToolError::new("`text` is missing").remedy("pass the new text of the section")
            );
        }
        (None, Some(_)) => {
            return Err(
                ToolError::new("`section` is missing").remedy("pass the title of the section")
            );
        }
    };
    if section.is_none() && fields.is_empty() {
        return Err(
            ToolError::new("nothing to change").remedy("pass `section` and `text`, or a field")
        );
    }
    let change = PageChange { section, fields };
    let checksum = params.checksum;
    let invalid = |error: aidd_guidance::project_page::ProjectPageError| {
        MemoryError::Invalid(error.to_string())
    };
    let text = context.memory(|memory| {
        memory.change_page(PATH, &mut |current| match (current, &checksum) {
            (None, _) => {
                let text = new_page(&change.fields).map_err(invalid)?;
                if change.section.is_none() {
                    return Ok(text);
                }
                let page = ProjectPage::parse(&text).map_err(invalid)?;
                page.with_change(&page.checksum(), &change).map_err(invalid)
            }
            (Some(_), None) => Err(MemoryError::Invalid(
                "`checksum` is missing; pass the one that the action `read` returns".to_owned(),
            )),
            (Some(current), Some(checksum)) => {
                let page = ProjectPage::parse(current).map_err(invalid)?;
                page.with_change(checksum, &change).map_err(invalid)
            }
        })
    })?;
    let page = ProjectPage::parse(&text).map_err(|error| ToolError::new(error.to_string()))?;
    let text = format!("wrote {PATH}, version {}, checksum {}", page.version(), page.checksum());
    let record = Record {
        success: true,
        checksum: Some(page.checksum()),
        project: Some(Row::from_value(Value::Object(page.header))),
        ..Record::default()
    };
    Ok(Answer::new(record, text))
}

fn check(context: &Context) -> Result<Answer<Record>, ToolError> {
    let counted = criteria::count(context)?;
    let complete = criteria::is_complete(&counted);
    let mut text: String = counted.iter().map(|row| row.line() + "\n").collect();
    text += if complete { "complete" } else { "not complete" };
    let to_row = |row: &Criterion| Row::from_value(json!(row));
    let record = Record {
        success: true,
        criteria: counted.iter().map(to_row).collect(),
        complete: Some(complete),
        ..Record::default()
    };
    Ok(Answer::new(record, text))
}

fn name(context: &Context, params: ProjectParams) -> Result<Answer<Record>, ToolError> {
    let missing = |field: &str| {
        ToolError::new(format!("`{field}` is missing")).remedy("pass `kind` and `name`")
    };
    let kind = match params.kind.ok_or_else(|| missing("kind"))? {
        KindParam::Theme => MapKind::Theme,
        KindParam::Flow => MapKind::Flow,
    };
    let new_name = params.name.ok_or_else(|| missing("name"))?;
    let paths = params.paths.iter().map(|path| context.to_relative(path));
    let entry = MapEntry {
        description: params.description,
        paths: paths.collect::<Result<_, _>>()?,
        entries: params.entries,
        themes: params.themes,
        removed: params.remove,
        ..MapEntry::new(kind, new_name)
    };
    if !entry.removed {
        refuse_unknown(context, &entry)?;
    }
    let entry = context.memory(|memory| memory.change_map(entry))?;
    let verb = if entry.removed { "removed" } else { "named" };
    let text = format!("{verb} the {} {}", kind.word(), entry.name);
    let named = Some(Row::from_value(json!(entry)));
    Ok(Answer::new(Record { success: true, named, ..Record::default() }, text))
}

/// Refuses paths, entry points and themes that do not exist.
fn refuse_unknown(context: &Context, entry: &MapEntry) -> Result<(), ToolError> {
    context.index(&*context.project()?)?;
    let mut all = names_of(&context.memory(|memory| memory.project_map())?);
    let line = serde_json::to_string(entry).map_err(MemoryError::from)?;
    let new = names_of(&ProjectMap::read(line.as_bytes(), ""));
    all.retain(|known| {
        new.iter().all(|new| (known.is_flow, &known.name) != (new.is_flow, &new.name))
    });
    let places: Vec<String> = new.iter().map(|new| format!("{}: ", new.place)).collect();
    all.extend(new);
    let problems = names::problems(context.root(), &all)?;
    let own = problems
        .iter()
        .find_map(|problem| places.iter().find_map(|place| problem.strip_prefix(place.as_str())));
    own.map_or(Ok(()), |problem| Err(ToolError::new(problem)))
}
