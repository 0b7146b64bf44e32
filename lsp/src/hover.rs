//! Hovers: a finding and its explanation, the page of a rule named in the text, and the memories that
//! name a symbol.

use crate::client::Client;
use crate::convert;
use crate::memory::{self, Memories};
use crate::page::{self, Part};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use aidd_engine::check::allow;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape::markdown;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::kind::{self, Kind};
use aidd_engine::text::source::Span;
use aidd_memory::MemoryError;
use tower_lsp_server::ls_types::{Hover, HoverContents, Position};

/// Separator between two findings at one position, or between a finding and the page of its rule.
const RULER: &str = "\n\n---\n\n";

/// The hover at `position`: the findings, the pages of the rules named there, and the memories that
/// name the rule of a finding or the symbol at the position; `None` if there is nothing to show.
///
/// # Errors
/// When the memory cannot be read.
pub fn hover(
    snapshot: &Snapshot,
    position: Position,
    client: Client,
    memories: &Memories,
) -> Result<Option<Hover>, MemoryError> {
    let offset = convert::offset(&snapshot.source, position, snapshot.encoding);
    let parts = [
        findings_at(snapshot, offset, client),
        rules_named_at(snapshot, offset),
        memories_at(snapshot, offset, memories)?,
    ];
    let parts: Vec<(String, Span)> = parts.into_iter().flatten().collect();
    let Some(span) = parts.iter().map(|(_, span)| *span).min_by_key(|span| span.len()) else {
        return Ok(None);
    };
    let text = parts.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(RULER);
    Ok(Some(Hover {
        contents: HoverContents::Markup(page::content(text, client.markdown_hover)),
        range: Some(convert::range(&snapshot.source, span, snapshot.encoding)),
    }))
}

/// The memories that name the rules of the findings at `offset`, the rules named there, or the symbol
/// there.
fn memories_at(
    snapshot: &Snapshot,
    offset: u32,
    memories: &Memories,
) -> Result<Option<(String, Span)>, MemoryError> {
    let (findings, span) = at_offset(snapshot, offset);
    let mut names: Vec<String> = findings.iter().map(|finding| finding.rule.to_string()).collect();
    let (rules, rules_span) = named_at(snapshot, offset).unzip();
    names.extend(rules.into_iter().flatten().map(|rule| rule.id.to_string()));
    let symbol = memory::symbol_at(snapshot, offset);
    names.extend(symbol.iter().map(|(name, _)| name.clone()));
    let Some(span) = rules_span.or(symbol.map(|(_, span)| span)).or(span) else { return Ok(None) };
    let named = memories.naming(&snapshot.workspace, None, &names)?;
    Ok((!named.is_empty()).then(|| (memory::markdown_list(&named), span)))
}

/// The findings at `offset`, and the shortest of their spans.
fn at_offset(snapshot: &Snapshot, offset: u32) -> (Vec<&Finding>, Option<Span>) {
    let is_at_offset = |finding: &&Finding| {
        finding.status != Status::Fixed
            && finding.span.start <= offset
            && (offset < finding.span.end || finding.span.is_empty() && offset == finding.span.end)
    };
    let findings: Vec<&Finding> = snapshot.checked.findings.iter().filter(is_at_offset).collect();
    let span = findings.iter().map(|finding| finding.span).min_by_key(|span| span.len());
    (findings, span)
}

fn findings_at(snapshot: &Snapshot, offset: u32, client: Client) -> Option<(String, Span)> {
    let (findings, span) = at_offset(snapshot, offset);
    let span = span?;
    let part = if findings.len() == 1 { Part::Whole } else { Part::Why };
    let texts: Vec<String> =
        findings.iter().map(|finding| explanation(snapshot, finding, part, client)).collect();
    Some((texts.join(RULER), span))
}

/// Renders a finding: message, help and status, then the explanation of its rule. The message and the
/// help are omitted if the client shows them itself.
fn explanation(snapshot: &Snapshot, finding: &Finding, part: Part, client: Client) -> String {
    let workspace = &snapshot.workspace;
    let mut parts = Vec::new();
    if !(client.shows_messages && convert::is_shown(finding)) {
        // Messages can quote the file or come from a page of the project, so they are untrusted.
        let message = markdown::message(&finding.message);
        parts.push(format!("**{}**: {message}", finding.severity));
        parts.extend(finding.help.as_deref().map(markdown::message));
    }
    if matches!(finding.status, Status::Allowed | Status::Baselined) {
        let reason = finding.reason.as_deref().unwrap_or_default();
        parts.push(format!("*{}*: {}", finding.status, markdown::message(reason)));
    }
    let text = parts.join("\n\n");
    let rule = workspace.engine.registry().get(&finding.rule);
    let rule = rule.map(|rule| rule_text(workspace, rule, part));
    let parts = [Some(text).filter(|text| !text.is_empty()), rule];
    parts.into_iter().flatten().collect::<Vec<_>>().join(RULER)
}

fn rule_text(workspace: &Workspace, rule: &Rule, part: Part) -> String {
    format!("{}\n\n{}", page::heading(workspace, rule), page::markdown(rule, part))
}

/// The pages of the rules named at `offset`.
fn rules_named_at(snapshot: &Snapshot, offset: u32) -> Option<(String, Span)> {
    let (rules, span) = named_at(snapshot, offset)?;
    let part = if rules.len() == 1 { Part::Whole } else { Part::Why };
    let texts: Vec<String> =
        rules.iter().map(|rule| rule_text(&snapshot.workspace, rule, part)).collect();
    Some((texts.join(RULER), span))
}

/// The rules named at `offset` in an allow comment, in the configuration, or in a rule or pack page.
pub(crate) fn named_at(snapshot: &Snapshot, offset: u32) -> Option<(Vec<&Rule>, Span)> {
    let source = &snapshot.source;
    let is_at_offset = |span: &Span| span.start <= offset && offset <= span.end;
    let kinds = kind::kinds(source.path(), "");
    let span = allow::names(source).into_iter().find(is_at_offset).or_else(|| {
        if kinds.contains(&Kind::CONFIG) {
            quoted_span(snapshot, offset)
        } else if kinds.contains(&Kind::RULE_PAGE) || kinds.contains(&Kind::PACK_PAGE) {
            Some(name_span(snapshot, offset))
        } else {
            None
        }
    })?;
    let rules: Vec<&Rule> =
        snapshot.workspace.engine.registry().named(source.slice(span)).collect();
    (!rules.is_empty()).then_some((rules, span))
}

/// The characters of rule names around `offset`.
fn name_span(snapshot: &Snapshot, offset: u32) -> Span {
    let source = &snapshot.source;
    let line = source.line_span(source.line_of(offset));
    let before = source.slice(Span { start: line.start, end: offset });
    let after = source.slice(Span { start: offset, end: line.end });
    let is_other = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '-' | '_'));
    let start = before
        .rfind(is_other)
        .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let end = after.find(is_other).unwrap_or(after.len());
    Span::new(line.start as usize + start, offset as usize + end)
}

/// The text between the quotes around `offset`, on its line.
fn quoted_span(snapshot: &Snapshot, offset: u32) -> Option<Span> {
    let source = &snapshot.source;
    let line = source.line_span(source.line_of(offset));
    let before = source.slice(Span { start: line.start, end: offset });
    let after = source.slice(Span { start: offset, end: line.end });
    let start = before.rfind('"')? + 1;
    let end = after.find('"')?;
    let base = line.start as usize;
    Some(Span::new(base + start, offset as usize + end))
}
