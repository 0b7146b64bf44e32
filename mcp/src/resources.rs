//! MCP resources: guidance and memory pages by URI.

use crate::agent_text;
use crate::context::Context;
use crate::tool::ToolError;
use crate::tools::memory::models;
use crate::tools::{evolution, packs};
use aidd_engine::text::escape::markdown;
use aidd_engine::text::hidden::without_hidden;
use aidd_guidance::{Library, Origin, Page, PageKind, requirements};
use aidd_memory::MemoryError;
use aidd_memory::brief::Brief;
use aidd_memory::kinds::QUESTIONS;
use aidd_memory::store::{Layers, Order, Query};
use aidd_memory::types::Kind;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::PageUse;
use rmcp::model::{ErrorData, Resource, ResourceTemplate};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The MIME type of the content at a URI.
pub(crate) fn mime(uri: &str) -> &'static str {
    if uri.starts_with("aidd://packs/") { "application/json" } else { "text/markdown" }
}

/// Maximum number of memories on a page.
const MAX_MEMORIES: usize = 200;

/// The content at a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// A page of this kind, found by the name in the URI.
    Page(PageKind),
    Agents,
    Memories(Kind),
    Packs,
    Evolution,
    Models,
    Guardrails,
}

/// A resource or resource template.
#[derive(Debug)]
pub struct Row {
    /// URI, with `{…}` for names.
    pub uri: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Short description of the content.
    pub description: &'static str,
    content: Content,
}

const fn row(
    uri: &'static str,
    title: &'static str,
    description: &'static str,
    content: Content,
) -> Row {
    Row { uri, title, description, content }
}

/// All resources and resource templates.
pub const ROWS: &[Row] = &[
    row(
        "aidd://agents",
        "Agents",
        "How agents work in this project, and all roles",
        Content::Agents,
    ),
    row(
        "aidd://specs/{name}",
        "Specification",
        "A specification, such as the lifecycle or the heuristics",
        Content::Page(PageKind::Specs),
    ),
    row("aidd://rules/{name}", "Rule", "The text of a rule", Content::Page(PageKind::Rules)),
    row(
        "aidd://skills/{agent}",
        "Role",
        "The tasks and methods of a role",
        Content::Page(PageKind::Skills),
    ),
    row(
        "aidd://workflows/{name}",
        "Workflow",
        "The steps of a workflow, with roles and gates",
        Content::Page(PageKind::Workflows),
    ),
    row(
        "aidd://templates/{name}",
        "Template",
        "A document template to fill in",
        Content::Page(PageKind::Templates),
    ),
    row(
        "aidd://knowledge/{category}/{entry}",
        "Knowledge",
        "A technology: use, trade-offs, alternatives",
        Content::Page(PageKind::Knowledge),
    ),
    row(
        "aidd://memory/decisions",
        "Decisions",
        "Active decisions",
        Content::Memories(Kind::Decision),
    ),
    row(
        "aidd://memory/mistakes",
        "Mistakes",
        "Mistakes with cause, fix and prevention",
        Content::Memories(Kind::Mistake),
    ),
    row(
        "aidd://memory/conventions",
        "Conventions",
        "Conventions of the project",
        Content::Memories(Kind::Convention),
    ),
    row(
        "aidd://packs/{ticket}/{pack}",
        "Memory pack",
        "A memory pack of a ticket: semantic, decisions or rlm; `current` is the ticket of the branch",
        Content::Packs,
    ),
    row(
        "aidd://evolution/status",
        "Evolution",
        "Applied changes, drafts, and the last actions",
        Content::Evolution,
    ),
    row("aidd://models/analytics", "Models", "Session results by model", Content::Models),
    row(
        "aidd://enforcement/guardrails",
        "Guardrails",
        "All MUST and NEVER statements of the rules",
        Content::Guardrails,
    ),
];

impl Row {
    /// Whether the URI contains a name.
    #[must_use]
    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }

    /// The part of the URI before the name.
    fn head(&self) -> &'static str {
        self.uri.split('{').next().unwrap_or(self.uri)
    }
}

/// The resources without a name in the URI.
pub(crate) fn listed() -> Vec<Resource> {
    let plain = ROWS.iter().filter(|row| !row.is_template());
    let resource = |row: &Row| {
        Resource::new(row.uri, row.uri.trim_start_matches("aidd://"))
            .with_title(row.title)
            .with_description(row.description)
            .with_mime_type(mime(row.uri))
    };
    plain.map(resource).collect()
}

/// The resource templates.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let templates = ROWS.iter().filter(|row| row.is_template());
    let template = |row: &Row| {
        let name = row.head().trim_start_matches("aidd://").trim_end_matches('/');
        ResourceTemplate::new(row.uri, name)
            .with_title(row.title)
            .with_description(row.description)
            .with_mime_type(mime(row.uri))
    };
    templates.map(template).collect()
}

/// The resource or template at a URI.
fn find_row(uri: &str) -> Option<&'static Row> {
    let exact = ROWS.iter().find(|row| !row.is_template() && row.uri == uri);
    exact.or_else(|| {
        let matches_template = |row: &&Row| {
            row.is_template() && uri.len() > row.head().len() && uri.starts_with(row.head())
        };
        ROWS.iter().find(matches_template)
    })
}

/// Reads the page at a URI.
pub(crate) fn read(context: &Context, uri: &str) -> Result<String, ErrorData> {
    page(context, uri).map(|text| agent_text::clean(context, &text))
}

fn page(context: &Context, uri: &str) -> Result<String, ErrorData> {
    let not_found =
        |message: String| ErrorData::resource_not_found(message, Some(json!({"uri": uri})));
    let Some(row) = find_row(uri) else {
        let near = aidd_engine::text::nearest::nearest(uri, ROWS.iter().map(|row| row.uri));
        let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(not_found(format!("no resource at {uri}{hint}")));
    };
    let internal_error = |error: ToolError| ErrorData::internal_error(error.to_string(), None);
    let library = context.library().map_err(|error| internal_error(error.into()))?;
    match row.content {
        Content::Page(kind) => {
            let name = percent_decode(&uri[row.head().len()..]);
            let page = library.get(kind, &name).ok_or_else(|| {
                let near = library
                    .find(kind, &name)
                    .map_or_else(|near| near.join(", "), |page| page.name.clone());
                let hint =
                    if near.is_empty() { String::new() } else { format!("; did you mean {near}?") };
                not_found(format!("`{name}` not found in {}{hint}", kind.name()))
            })?;
            Ok(render(page))
        }
        Content::Agents => Ok(agents(&library)),
        Content::Guardrails => Ok(guardrails(&library)),
        Content::Memories(kind) => {
            memories(context, kind).map(|text| untrusted(&text) + "\n").map_err(internal_error)
        }
        Content::Packs => {
            let address = percent_decode(&uri[row.head().len()..]);
            packs::resource(context, &address).map_err(|error| not_found(error.to_string()))
        }
        Content::Evolution => evolution::resource(context).map_err(internal_error),
        Content::Models => models::page(context).map_err(internal_error),
    }
}

/// The name under which the statistics count the resource at a URI, and the page that it is.
pub(crate) fn usage(uri: &str) -> Option<(Name, Option<(PageUse, Name)>)> {
    let row = find_row(uri)?;
    let kind = match row.content {
        Content::Page(PageKind::Skills) => Some(PageUse::Role),
        Content::Page(PageKind::Workflows) => Some(PageUse::Workflow),
        Content::Page(PageKind::Knowledge) => Some(PageUse::Knowledge),
        _ => None,
    };
    let page = Name::new(&percent_decode(&uri[row.head().len()..]));
    Some((Name::new(row.uri)?, kind.zip(page)))
}

/// Decodes `%xx` in a name.
fn percent_decode(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| first == b'%');
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// Completions for `argument` of a resource template; `None` if template or argument is unknown.
pub(crate) fn completions(
    library: &Library,
    uri: &str,
    argument: &str,
    beginning: &str,
    category: Option<&str>,
) -> Option<Vec<String>> {
    let row = ROWS.iter().find(|row| row.is_template() && row.uri == uri)?;
    let Content::Page(kind) = row.content else { return packs::completions(uri, argument) };
    if !row.uri.contains(&format!("{{{argument}}}")) {
        return None;
    }
    let names = library.pages_of_kind(kind).map(|page| &*page.name);
    let mut values: Vec<String> = match (kind, argument) {
        (PageKind::Knowledge, "category") => {
            names.filter_map(|name| name.split_once('/')).map(|(head, _)| head.to_owned()).collect()
        }
        (PageKind::Knowledge, _) => names
            .filter_map(|name| name.split_once('/'))
            .filter(|(head, _)| category.is_none_or(|category| category == *head))
            .map(|(_, entry)| entry.to_owned())
            .collect(),
        _ => names.map(str::to_owned).collect(),
    };
    values.dedup();
    let beginning = beginning.to_lowercase();
    values.retain(|value| value.to_lowercase().contains(&beginning));
    // Values that start with the typed text come before values that only contain this text.
    values.sort_by_key(|value| !value.to_lowercase().starts_with(&beginning));
    Some(values)
}

fn agents(library: &Library) -> String {
    let mut text = String::new();
    for page in
        library.pages_of_kind(PageKind::Protocol).chain(library.pages_of_kind(PageKind::Agents))
    {
        let body = page.body().trim_end();
        let body = if is_shipped(page) { Cow::Borrowed(body) } else { untrusted(body).into() };
        let _ = write!(text, "{body}\n\n");
    }
    text.push_str("# All roles\n\n");
    for page in library.pages_of_kind(PageKind::Skills) {
        let (name, summary) = (&page.name, &page.summary);
        let _ = if is_shipped(page) {
            writeln!(text, "- [{name}](aidd://skills/{name}): {summary}")
        } else {
            let link = markdown::link(name, &format!("aidd://skills/{name}"));
            writeln!(text, "- {link}: {}", markdown::message(&without_hidden(summary)))
        };
    }
    text
}

/// Whether a page is shipped with aidd; all other pages are untrusted.
fn is_shipped(page: &Page) -> bool {
    page.origin == Origin::Shipped
}

/// The text of a page. The text of a project page is made safe for every client: its header
/// is rendered as code, and its body without HTML and remote images.
fn render(page: &Page) -> String {
    if is_shipped(page) {
        return page.text().to_owned();
    }
    let (text, body) = (page.text(), page.body());
    let header = text.strip_suffix(body).unwrap_or_default();
    let header: String =
        header.lines().filter(|line| *line != "---").fold(String::new(), |mut header, line| {
            let _ = writeln!(header, "    {line}");
            header
        });
    untrusted(&format!("{header}\n{body}")) + "\n"
}

/// Text of the project as Markdown. Invisible text is removed first, because escapes show it.
fn untrusted(text: &str) -> String {
    markdown::page(&without_hidden(text))
}

fn guardrails(library: &Library) -> String {
    let mut text = String::from("# Guardrails\n");
    for page in library.pages_of_kind(PageKind::Rules) {
        let requirements = requirements::parse_requirements(page);
        if requirements.is_empty() {
            continue;
        }
        let Page { name, path, .. } = page;
        let _ = write!(text, "\n## {name} ({path})\n\n");
        for requirement in requirements {
            let shipped = is_shipped(page).then(|| requirement.text.to_string());
            let text_of_requirement =
                shipped.unwrap_or_else(|| markdown::message(&without_hidden(requirement.text)));
            let _ = write!(text, "- {text_of_requirement}");
            if !requirement.checks.is_empty() {
                let _ = write!(text, " [{}]", requirement.checks.join(", "));
            }
            text.push('\n');
        }
    }
    text
}

fn entries(context: &Context, kind: Kind) -> Result<Vec<Brief>, ToolError> {
    context.memory(|memory| -> Result<_, MemoryError> {
        let query = Query { order: Order::Newest, ..Query::active(Layers::PERMANENT, kind) };
        let entries = memory.read(&mut |store| store.entries(&query))?;
        memory.briefs(&entries)
    })
}

fn memories(context: &Context, kind: Kind) -> Result<String, ToolError> {
    let (failed, active): (Vec<Brief>, Vec<Brief>) =
        entries(context, kind)?.into_iter().partition(|brief| brief.entry.is_failed());
    let mut text = format!("# {}\n", counted(active.len(), "active", kind));
    render_memories(&active, &mut text);
    if !failed.is_empty() {
        let _ = write!(text, "\n# {}, not to be repeated\n", counted(failed.len(), "failed", kind));
        render_memories(&failed, &mut text);
    }
    Ok(text)
}

/// A count with its noun, such as `1 active decision`.
fn counted(count: usize, state: &str, kind: Kind) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {state} {kind}{plural}")
}

/// Renders the first [`MAX_MEMORIES`] memories in full.
fn render_memories(briefs: &[Brief], text: &mut String) {
    for brief in briefs.iter().take(MAX_MEMORIES) {
        let entry = &brief.entry;
        let _ = write!(text, "\n## {}\n\n{}\n", brief.line(100), entry.id);
        let rest: Vec<&str> = entry.content.lines().skip(1).collect();
        if !rest.is_empty() {
            let _ = write!(text, "\n{}\n", rest.join("\n"));
        }
        // The questions are for searches.
        for (name, value) in entry.metadata.iter().filter(|(name, _)| *name != QUESTIONS) {
            let _ = writeln!(text, "- {name}: {}", crate::tools::memory::render::value_text(value));
        }
    }
    if briefs.len() > MAX_MEMORIES {
        let _ = write!(
            text,
            "\n{MAX_MEMORIES} of {}, most recently changed first; find the others with aidd_memory_search.\n",
            briefs.len()
        );
    }
}

/// The string value of an argument.
pub(crate) fn string_value(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}
