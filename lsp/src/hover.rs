//! Hovers: a finding and its explanation, or the page of a rule named in the text.

use crate::client::Client;
use crate::convert;
use crate::page::{self, Part};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use aidd_engine::check::allow;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape::markdown;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::kind::{self, Kind};
use aidd_engine::text::source::Span;
use tower_lsp_server::ls_types::{Hover, HoverContents, Position};

/// Separator between two findings at one position, or between a finding and the page of its rule.
const RULER: &str = "\n\n---\n\n";

/// The hover at `position`; `None` if there is neither a finding nor a rule name at the position.
#[must_use]
pub fn hover(snapshot: &Snapshot, position: Position, client: Client) -> Option<Hover> {
    let offset = convert::offset(&snapshot.source, position, snapshot.encoding);
    let (text, span) = match (findings_at(snapshot, offset), rules_named_at(snapshot, offset)) {
        (Some((findings, _)), Some((rules, span))) => (findings + RULER + &rules, span),
        (findings, rules) => findings.or(rules)?,
    };
    Some(Hover {
        contents: HoverContents::Markup(page::content(text, client.markdown_hover)),
        range: Some(convert::range(&snapshot.source, span, snapshot.encoding)),
    })
}

/// The project's decision about a finding, in Markdown. Extension point for the project memory.
#[must_use]
pub fn project_decision(_workspace: &Workspace, _finding: &Finding) -> Option<String> {
    None
}

fn findings_at(snapshot: &Snapshot, offset: u32) -> Option<(String, Span)> {
    let is_at_offset = |finding: &&Finding| {
        finding.status != Status::Fixed
            && finding.span.start <= offset
            && (offset < finding.span.end || finding.span.is_empty() && offset == finding.span.end)
    };
    let findings: Vec<&Finding> = snapshot.checked.findings.iter().filter(is_at_offset).collect();
    let span = findings.iter().map(|finding| finding.span).min_by_key(|span| span.len())?;
    let part = if findings.len() == 1 { Part::Whole } else { Part::Why };
    let texts: Vec<String> =
        findings.iter().map(|finding| explanation(snapshot, finding, part)).collect();
    Some((texts.join(RULER), span))
}

/// Renders a finding: message, help and status, then the explanation of its rule.
fn explanation(snapshot: &Snapshot, finding: &Finding, part: Part) -> String {
    let workspace = &snapshot.workspace;
    // Messages can quote the file or come from a page of the project, so they are untrusted.
    let mut parts =
        vec![format!("**{}**: {}", finding.severity, markdown::message(&finding.message))];
    parts.extend(finding.help.as_deref().map(markdown::message));
    if matches!(finding.status, Status::Allowed | Status::Baselined) {
        let reason = finding.reason.as_deref().unwrap_or_default();
        parts.push(format!("*{}*: {}", finding.status, markdown::message(reason)));
    }
    parts.extend(project_decision(workspace, finding));
    let text = parts.join("\n\n");
    match workspace.engine.registry().get(&finding.rule) {
        Some(rule) => text + RULER + &rule_text(workspace, rule, part),
        None => text,
    }
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
