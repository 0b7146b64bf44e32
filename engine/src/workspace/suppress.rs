//! Suppresses a finding: by an allow comment, or by `off` in the configuration.

mod placement;

use crate::check::{Engine, allow};
use crate::parse::comments::{self, Comment};
use crate::parse::syntax::Tree;
use crate::project::config::{self, Level};
use crate::rules::packs::Packs;
use crate::rules::registry::Registry;
use crate::rules::select::{Selection, SettingsTable};
use crate::text::files::Files;
use crate::text::finding::{Edit, Finding, Severity, Status};
use crate::text::kind::{self, Kind};
use crate::text::source::{Source, Span};
use jsonc_parser::cst::{CstArray, CstInputValue, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::json;
use std::collections::BTreeMap;

/// The value for a disabled rule in the configuration.
const OFF: &str = "off";

/// Maximum number of enclosing statements above which a comment is tried.
const MAX_STATEMENTS: usize = 3;

/// The edit that allows `finding` by a comment with `reason` (can be empty). The comment is
/// inserted above the line of the finding, above the statement that contains the finding, or at the
/// end of the line. Each position is tested; an edit that causes new findings is rejected. `None`
/// if the format has no comments or no position works.
#[must_use]
pub fn allow(
    engine: &Engine,
    source: &Source,
    finding: &Finding,
    files: &dyn Files,
    reason: &str,
) -> Option<Edit> {
    let comment = comments::at(source, finding.span.start)?;
    let found = engine.check(source, files).findings;
    let is_of_file = found.iter().any(|other| is_at(other, finding, finding.span));
    let before = count_active(&found);
    // A finding of the project on the first line can concern the whole file: its position after the
    // edit is unknown.
    let has_position = is_of_file || source.line_of(finding.span.start) > 0;
    let tree = Tree::new(source);
    let statements = engine.statements(source, &tree);
    let comment = placement::in_jsx(&tree, finding.span.start).unwrap_or(comment);
    let text = comment.write(&format!("aidd:allow {} {reason}", finding.rule));
    let is_effective = |edit: &Edit, comment| {
        let edited = edited(source, edit);
        placement::is_comment(source, edit, &edited, comment)
            && allows_finding(engine, &edited, (finding, is_of_file), files, edit, &before)
    };
    let edits = candidate_edits(source, finding, comment, &text, &statements).into_iter();
    let edit = edits.filter(|_| has_position).find(|edit| is_effective(edit, comment));
    edit.or_else(|| {
        let (edit, comment) = file_edit(source, &format!("{} {reason}", finding.rule))?;
        is_effective(&edit, comment).then_some(edit)
    })
}

/// The edit that allows a rule in the whole file: a comment below the lines that must come first.
fn file_edit(source: &Source, rule_and_reason: &str) -> Option<(Edit, Comment)> {
    let text = source.text();
    let is_markdown = kind::kinds(source.path(), text).contains(&Kind::MARKDOWN);
    let header = aidd_page::split(text).ok().filter(|_| is_markdown);
    let line = match header {
        Some((header, _)) if header.end > 0 => source.line_of(Span::at(header.end).start) + 1,
        _ => {
            let first_lines = text.lines().map(|line| line.trim_start_matches('\u{FEFF}'));
            first_lines.take_while(|line| is_first_line(line)).count()
        }
    };
    let start = source.line_span(line).start;
    let comment = comments::at(source, start)?;
    let text = comment.write(&format!("aidd:allow-file {rule_and_reason}"));
    Some((insert_above(source, line, &text), comment))
}

/// Whether a comment can be inserted at `finding`; the comment can still have no effect.
#[must_use]
pub fn is_allowable(source: &Source, finding: &Finding) -> bool {
    comments::at(source, finding.span.start).is_some()
}

/// The edits that would insert the comment `text`, best first.
fn candidate_edits(
    source: &Source,
    finding: &Finding,
    comment: Comment,
    text: &str,
    statements: &[Span],
) -> Vec<Edit> {
    let line = source.line_of(finding.span.start);
    let mut first = line;
    while first > 0 && is_continued(source, first - 1) {
        first -= 1;
    }
    let mut lines = vec![first, line];
    // Innermost first; each position is tested with a check of the file.
    let contains = |span: &&Span| span.start <= finding.span.start && finding.span.end <= span.end;
    let containing = statements.iter().rev().filter(contains).take(MAX_STATEMENTS);
    lines.extend(containing.map(|span| source.line_of(span.start)));
    lines.dedup();
    lines.retain(|&line| line > 0 || !must_come_first(source));
    let mut edits: Vec<Edit> =
        lines.into_iter().map(|line| insert_above(source, line, text)).collect();
    let last = source.line_of(finding.span.end.saturating_sub(1).max(finding.span.start));
    if comment.may_trail && (last > 0 || !must_come_first(source)) {
        edits.push(Edit::insert(source.line_span(last).end, format!(" {text}")));
    }
    edits
}

/// Whether the first line is only valid, or has a special meaning, at the beginning of the file.
fn must_come_first(source: &Source) -> bool {
    is_first_line(source.slice(source.line_span(0)).trim_start_matches('\u{FEFF}'))
}

/// Whether a line is only valid, or has a special meaning, at the beginning of a file.
fn is_first_line(line: &str) -> bool {
    const STARTS: [&str; 11] = [
        "#!",
        "<?xml",
        "<?php",
        "<!doctype",
        "---",
        "# syntax",
        "# escape",
        "#syntax",
        "#escape",
        "# -*-",
        "@charset",
    ];
    let line = line.to_ascii_lowercase();
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a line is continued on the next line.
fn is_continued(source: &Source, line: usize) -> bool {
    source.slice(source.line_span(line)).trim_end().ends_with('\\')
}

/// Inserts a line before `line`, with the same indentation.
fn insert_above(source: &Source, line: usize, text: &str) -> Edit {
    let span = source.line_span(line);
    let line_text = source.slice(span);
    let bom_len = line_text.len() - line_text.trim_start_matches('\u{FEFF}').len();
    let line_text = &line_text[bom_len..];
    // The prefix of a Markdown block quote is repeated on the inserted line.
    let is_prefix = |c: char| c == ' ' || c == '\t' || c == '>';
    let indent = &line_text[..line_text.len() - line_text.trim_start_matches(is_prefix).len()];
    Edit::insert(
        span.start + Span::at(bom_len).start,
        format!("{indent}{text}{}", line_break(source)),
    )
}

/// The first line break of the source.
fn line_break(source: &Source) -> &'static str {
    let first = source.line_span(0).end as usize;
    match source.text().as_bytes().get(first..) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

/// Whether `other` is a finding of the same rule that begins where `span` does.
fn is_at(other: &Finding, finding: &Finding, span: Span) -> bool {
    other.rule == finding.rule && other.span.start == span.start
}

/// The source after `edit`.
fn edited(source: &Source, edit: &Edit) -> Source {
    let mut text = source.text().to_owned();
    text.insert_str(edit.span.start as usize, &edit.text);
    Source::new(source.path(), text)
}

/// Whether the finding is allowed after `edit`, and no other findings are added.
fn allows_finding(
    engine: &Engine,
    edited: &Source,
    (finding, is_of_file): (&Finding, bool),
    files: &dyn Files,
    edit: &Edit,
    before: &BTreeMap<(String, Severity), usize>,
) -> bool {
    let after = engine.check(edited, files).findings;
    let offset = if edit.span.start <= finding.span.start { edit.text.len() } else { 0 };
    let span = finding.span.shift(offset);
    let is_allowed = if is_of_file {
        let at_finding = after.iter().find(|other| is_at(other, finding, span));
        let count = |counts: &BTreeMap<_, usize>| {
            counts.get(&(finding.rule.to_string(), finding.severity)).copied()
        };
        match at_finding {
            Some(other) => other.status == Status::Allowed,
            // A rule can take the comment for the explanation that it requires.
            None => count(&count_active(&after)) < count(before),
        }
    } else {
        // A check of the whole project reports it: only the effect of the comment is tested.
        let mut moved = Finding { span, status: Status::New, ..finding.clone() };
        engine.allow(edited, std::slice::from_mut(&mut moved));
        moved.status == Status::Allowed
    };
    // Without the check of the project, its comment looks unused.
    let is_expected = |rule: &str| !is_of_file && rule == allow::UNUSED;
    is_allowed
        && count_active(&after)
            .iter()
            .filter(|((rule, _), _)| !is_expected(rule))
            .all(|(rule, count)| before.get(rule).is_some_and(|before| count <= before))
}

/// The number of findings by rule that are not allowed.
fn count_active(findings: &[Finding]) -> BTreeMap<(String, Severity), usize> {
    let mut counts = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.status != Status::Allowed) {
        *counts.entry((finding.rule.to_string(), finding.severity)).or_default() += 1;
    }
    counts
}

/// The text of a configuration file with `rule` disabled, preserving comments and formatting;
/// `text` is empty for a new file. `None` if the file cannot be parsed, or the rule would still run
/// on `path`.
#[must_use]
pub fn disable_rule(registry: &Registry, text: &str, rule: &str, path: &str) -> Option<String> {
    let body = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let bom = &text[..text.len() - body.len()];
    let new = if body.trim().is_empty() {
        json_text(rule, OFF)
    } else {
        config::read(body).ok()?;
        let root = CstRootNode::parse(body, &config::parse_options()).ok()?;
        let object = root.object_value_or_create()?;
        disable_keys(registry, &object.object_value_or_create("rules")?, rule, true);
        for override_entry in object.array_value("overrides").iter().flat_map(CstArray::elements) {
            if let Some(rules) = override_entry
                .as_object()
                .and_then(|override_entry| override_entry.object_value("rules"))
            {
                disable_keys(registry, &rules, rule, false);
            }
        }
        root.to_string()
    };
    let (config, _) = config::read(&new).ok()?;
    let packs = Packs::from_config(&config, registry).ok()?;
    let table = SettingsTable::new(registry, &config, &packs, &Selection::default()).ok()?;
    let settings = table.for_path(path, false, registry);
    let is_off = settings.get(rule).is_none_or(|setting| setting.severity.is_none());
    is_off.then(|| format!("{bom}{new}"))
}

/// The text of a configuration file with the level of `rule` set, preserving comments and formatting;
/// `text` is empty for a new file. `None` if the file cannot be parsed.
#[must_use]
pub fn set_rule_level(text: &str, rule: &str, level: Level) -> Option<String> {
    let level = serde_json::to_value(level).ok()?;
    let level = level.as_str()?;
    let body = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let bom = &text[..text.len() - body.len()];
    if body.trim().is_empty() {
        let new = json_text(rule, level);
        return Some(format!("{bom}{new}"));
    }
    config::read(body).ok()?;
    let root = CstRootNode::parse(body, &config::parse_options()).ok()?;
    let rules = root.object_value_or_create()?.object_value_or_create("rules")?;
    match rules.get(rule) {
        Some(property) => match property.object_value() {
            Some(detailed) => match detailed.get("severity") {
                Some(severity) => severity.set_value(json!(level)),
                None => {
                    detailed.append("severity", json!(level));
                }
            },
            None => property.set_value(json!(level)),
        },
        None => {
            rules.append(rule, json!(level));
        }
    }
    let new = root.to_string();
    config::read(&new).ok()?;
    Some(format!("{bom}{new}"))
}

/// A new configuration file that sets the level of one rule.
fn json_text(rule: &str, level: &str) -> String {
    format!("{{\n  \"rules\": {{\n    \"{rule}\": \"{level}\"\n  }}\n}}\n")
}

/// Sets every key of `rules` that matches only `rule` to `off`; adds a key if there is none and
/// `add_missing` is set.
fn disable_keys(registry: &Registry, rules: &CstObject, rule: &str, add_missing: bool) {
    let matches_only_rule = |prop: &CstObjectProp| {
        let name = prop.decoded_name().unwrap_or_default();
        let mut matching_rules = registry.named(&name);
        matching_rules.next().is_some_and(|matching| &*matching.id == rule)
            && matching_rules.next().is_none()
    };
    let mut has_key = false;
    for prop in rules.properties().into_iter().filter(matches_only_rule) {
        has_key = true;
        match prop.object_value() {
            Some(detailed) => match detailed.get("severity") {
                Some(severity) => severity.set_value(json!("off")),
                None => {
                    detailed.append("severity", json!("off"));
                }
            },
            None => prop.set_value(CstInputValue::from(OFF)),
        }
    }
    if !has_key && add_missing {
        rules.append(rule, CstInputValue::from(OFF));
    }
}

#[cfg(test)]
mod tests;
