//! Knowledge entries: search, read and compare.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::{Row, cap_limit};
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;
use aidd_guidance::compatibility::{self, Pair};
use aidd_guidance::knowledge::{Entry, Knowledge, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of technologies compared at once.
const MAX_TECHNOLOGIES: usize = 12;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_query_tkb",
            "Search knowledge",
            "Searches the technology knowledge base (TKB) and ranks the entries. Use before \
             choosing a technology; use aidd_get_tkb_entry to read an entry.",
            query,
        )
        .with_spellings(&[("keyword", "query")])
        .in_profiles(&[Profile::Core]),
        Tool::new(
            "aidd_get_tkb_entry",
            "Knowledge entry",
            "Returns the page of a technology: metrics, fit scores, trade-offs and migrations. Use \
             before relying on the technology; use aidd_query_tkb to find technologies.",
            get,
        )
        .in_profiles(&[Profile::Core]),
        Tool::new(
            "aidd_tech_compatibility",
            "Compatibility",
            "Returns whether technologies work with each other and with the project, or that it is \
             unknown, with sources. Use before adding a technology.",
            compatible,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QueryParams {
    /// Words, or the name of a technology
    query: Option<String>,
    /// One of runtime, frontend, backend, data, testing, infrastructure, security, tooling, pattern
    category: Option<String>,
    /// Maturity: stable, emerging, experimental or deprecated
    #[schemars(extend("x-unlisted" = true))]
    maturity: Option<String>,
    /// Use case, such as: cache in front of a database
    #[schemars(extend("x-unlisted" = true))]
    use_case: Option<String>,
    /// Maximum number of entries; default: 10
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct Entries {
    /// Number of matches, including those beyond the limit.
    total: usize,
    entries: Vec<Row>,
}

/// Rejects a value that no entry has, and lists the known values.
fn ensure_known<'k>(
    name: &str,
    value: Option<&'k str>,
    values: impl Iterator<Item = &'k str>,
) -> Result<(), ToolError> {
    let Some(value) = value else { return Ok(()) };
    let known: BTreeSet<&str> = values.filter(|word| !word.is_empty()).collect();
    if known.iter().any(|word| word.eq_ignore_ascii_case(value.trim())) {
        return Ok(());
    }
    let known: Vec<&str> = known.into_iter().collect();
    Err(ToolError::new(format!("`{name}`: unknown value `{value}`"))
        .remedy(format!("known: {}", known.join(", "))))
}

fn query(context: &Context, params: QueryParams) -> Result<Answer<Entries>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 10, 100);
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let values_of = |pick: fn(&Entry<'_>) -> String| {
        knowledge.entries().iter().map(pick).collect::<BTreeSet<String>>()
    };
    let (categories, maturities) = (
        values_of(|entry| entry.category.to_owned()),
        values_of(|entry| entry.maturity.to_owned()),
    );
    ensure_known("category", params.category.as_deref(), categories.iter().map(String::as_str))?;
    ensure_known("maturity", params.maturity.as_deref(), maturities.iter().map(String::as_str))?;
    let non_empty = |text: &Option<String>| {
        text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let (text, use_case) = (non_empty(&params.query), non_empty(&params.use_case));
    let found = knowledge.query(&Query {
        text: text.as_deref(),
        category: params.category.as_deref(),
        maturity: params.maturity.as_deref(),
        use_case: use_case.as_deref(),
    });
    let mut text = String::new();
    let mut rows = Vec::new();
    for hit in found.iter().take(limit) {
        let entry = hit.entry;
        let mut row = Row::from_value(json!({
            "name": entry.name,
            "entry": entry.page.name,
            "category": entry.category,
            "maturity": entry.maturity,
            "updated": entry.updated,
            "summary": entry.page.summary,
            "score": f64::from((hit.score * 100.0).round()) / 100.0,
        }));
        if let Some(version) = entry.version {
            row.0.insert("version".to_owned(), version.into());
        }
        let _ = write!(
            text,
            "{} ({}, {}): {}",
            entry.name, entry.category, entry.maturity, entry.page.summary
        );
        if let Some(case) = &hit.use_case {
            let matched_case = format!("{} {}/10: {}", case.case, case.fit, case.why);
            let _ = write!(text, " [{matched_case}]");
            row.0.insert("useCase".to_owned(), matched_case.into());
        }
        text.push('\n');
        rows.push(row);
    }
    if rows.is_empty() {
        text.push_str("no entry matches; try fewer or other words\n");
        let near = params.query.as_deref().and_then(|name| knowledge.find(name).err());
        if let Some(near) = near.filter(|near| !near.is_empty()) {
            let _ = writeln!(text, "similar names: {}", near.join(", "));
        }
    } else if found.len() > rows.len() {
        let _ = writeln!(text, "{} of {}", rows.len(), found.len());
    }
    if let Some(note) = note {
        let _ = writeln!(text, "note: {note}");
    }
    Ok(Answer::new(Entries { total: found.len(), entries: rows }, text.trim_end()))
}

#[derive(Deserialize, JsonSchema)]
struct EntryParams {
    /// Name, alias or package of the technology
    name: String,
    /// Section of the page, such as Use Cases; default: all sections
    section: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FullEntry {
    name: String,
    entry: String,
    category: String,
    maturity: String,
    updated: String,
    page: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    migrations: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    legacy: Vec<Row>,
}

pub(super) fn unknown_entry(name: &str, near: &[&str]) -> ToolError {
    let hint = if near.is_empty() {
        "search entries with aidd_query_tkb".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    };
    ToolError::new(format!("no entry for `{name}`")).remedy(hint)
}

fn get(context: &Context, params: EntryParams) -> Result<Answer<FullEntry>, ToolError> {
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let entry = knowledge.find(&params.name).map_err(|near| unknown_entry(&params.name, &near))?;
    // The text contains the front matter as sections; the data contains it as fields.
    let body = entry.page.body().trim_end();
    let full_text = format!("{body}{}", header_sections(entry));
    let (page, shown_text) = match &params.section {
        None => (body.to_owned(), full_text),
        Some(section) => {
            let section = section_of(&full_text, section)?;
            (section.clone(), section)
        }
    };
    let mut text = format!(
        "{} ({}, {}), reviewed {}",
        entry.name, entry.category, entry.maturity, entry.updated
    );
    if let Some(version) = entry.version {
        let _ = write!(text, ", for version {version}");
    }
    let _ = write!(text, "\n\n{shown_text}");
    let is_whole = params.section.is_none();
    let data = FullEntry {
        name: entry.name.to_owned(),
        entry: entry.page.name.clone(),
        category: entry.category.to_owned(),
        maturity: entry.maturity.to_owned(),
        updated: entry.updated.to_owned(),
        version: entry.version.map(str::to_owned),
        migrations: entry.migrations.iter().filter(|_| is_whole).map(Row::from_value).collect(),
        legacy: entry.legacy.iter().filter(|_| is_whole).map(Row::from_value).collect(),
        page,
    };
    Ok(Answer::new(data, text))
}

/// Renders the migrations and the outdated API patterns of an entry as sections.
fn header_sections(entry: &Entry<'_>) -> String {
    let mut text = String::new();
    if !entry.migrations.is_empty() {
        text.push_str("\n\n## Migrations\n");
    }
    for step in &entry.migrations {
        let _ = write!(text, "\n- {} to {}", step.from, step.to);
        if !step.breaking.is_empty() {
            let _ = write!(text, ": {}", step.breaking.join("; "));
        }
        if let Some(codemod) = &step.codemod {
            let _ = write!(text, ". Codemod: `{codemod}`");
        }
        if let Some(guide) = &step.guide {
            let _ = write!(text, ". <{guide}>");
        }
    }
    if !entry.legacy.is_empty() {
        text.push_str("\n\n## Outdated API usage\n");
    }
    for pattern in &entry.legacy {
        let _ = write!(
            text,
            "\n- since {}: `{}`; now {}",
            pattern.since, pattern.pattern, pattern.instead
        );
    }
    text
}

/// A second-level section including its heading.
fn section_of(body: &str, name: &str) -> Result<String, ToolError> {
    let title = |line: &str| line.strip_prefix("## ").map(|title| title.trim().to_owned());
    let has_title =
        |line: &str| title(line).is_some_and(|title| title.eq_ignore_ascii_case(name.trim()));
    let mut lines = body.lines().skip_while(|line| !has_title(line));
    let Some(first) = lines.next() else {
        let all: Vec<String> = body.lines().filter_map(title).collect();
        return Err(ToolError::new(format!("the entry has no section `{name}`"))
            .remedy(format!("sections: {}", all.join(", "))));
    };
    let rest = lines.take_while(|line| title(line).is_none());
    Ok([first].into_iter().chain(rest).collect::<Vec<_>>().join("\n").trim_end().to_owned())
}

#[derive(Deserialize, JsonSchema)]
struct CompatibilityParams {
    /// Names of 2 to 12 technologies
    technologies: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct CompatibilityResult {
    /// The pairs, conflicts first; each with `verdict` and the `facts` with their source.
    pairs: Vec<Row>,
    #[serde(rename = "clashes", skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
}

fn compatible(
    context: &Context,
    params: CompatibilityParams,
) -> Result<Answer<CompatibilityResult>, ToolError> {
    if params.technologies.len() > MAX_TECHNOLOGIES {
        let count = params.technologies.len();
        return Err(ToolError::new(format!(
            "`technologies` has {count} items; pass at most {MAX_TECHNOLOGIES}"
        )));
    }
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let (mut entries, mut unknown): (Vec<&Entry<'_>>, Vec<String>) = (Vec::new(), Vec::new());
    for name in &params.technologies {
        match knowledge.find(name) {
            Ok(entry) if entries.iter().any(|known| std::ptr::eq(*known, entry)) => {}
            Ok(entry) => entries.push(entry),
            Err(near) if near.is_empty() => unknown.push(name.clone()),
            Err(near) => unknown.push(format!("{name} (similar: {})", near.join(", "))),
        }
    }
    if entries.len() < 2 {
        let hint = if unknown.is_empty() {
            "pass two different names".to_owned()
        } else {
            format!("no entry for {}", unknown.join("; "))
        };
        return Err(
            ToolError::new("a comparison requires two technologies with entries").remedy(hint)
        );
    }
    let stack = stack::detect_with_images(&Disk::new(context.root()));
    let pairs = compatibility::compare_pairs(&entries, &stack);
    let conflicts: Vec<String> = compatibility::find_conflicts(&entries, &knowledge, &stack)
        .into_iter()
        .map(|(one, other, why)| format!("{one} and {other}, which the project uses: {why}"))
        .collect();
    let text = render_comparison(&pairs, &conflicts, &unknown);
    let rows = pairs.iter().map(|pair| {
        Row::from_value(json!({
            "technologies": pair.names,
            "verdict": pair.verdict,
            "facts": pair.facts,
        }))
    });
    Ok(Answer::new(CompatibilityResult { pairs: rows.collect(), conflicts, unknown }, text))
}

fn render_comparison(pairs: &[Pair], conflicts: &[String], unknown: &[String]) -> String {
    let mut text = String::new();
    for pair in pairs {
        let [one, other] = &pair.names;
        let _ = writeln!(text, "{one} + {other}: {}", pair.verdict.display());
        for fact in &pair.facts {
            let _ = writeln!(text, "  {} ({})", fact.fact, fact.source);
        }
    }
    for conflict in conflicts {
        let _ = writeln!(text, "conflict: {conflict}");
    }
    for name in unknown {
        let _ = writeln!(text, "no entry: {name}");
    }
    text.trim_end().to_owned()
}
