//! Checks on the tracked files of the project's memory: damage by merges and manual edits, and
//! contradictions between memories. The checks read only the text of a file, not the store.

use super::{Checks, check_ids, run_checks};
use aidd_engine::check::family::Family;
use aidd_engine::parse::lines::active_set::{ActiveSet, Conflict};
use aidd_engine::parse::lines::log::{self, FoldedMemory, Problem, ProblemKind, Revision};
use aidd_engine::parse::lines::types::Relation;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::kind::{Kind, is_memory_path};
use aidd_engine::text::source::{Source, Span};
use aidd_engine::workspace::memory_checks::{self, CHECK};
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::BTreeMap;

/// The rules on tracked memory files.
pub(super) const FAMILY: Family = Family {
    name: "memory",
    rules: || check_ids(CHECKS),
    claim: |path, _| is_memory_path(path).then_some(Kind::MEMORY),
    may_check: is_memory_path,
    check: |_, _, report| run_checks(CHECKS, &parse(report.source()), report),
    ..Family::EMPTY
};

/// The checks, by rule id.
const CHECKS: Checks<Lines> = &[
    ("memory/circular-supersede", circular_supersede),
    ("memory/competing-decisions", competing_decisions),
    ("memory/conflict-marker", conflict_marker),
    ("memory/contested-edit", contested_edit),
    ("memory/contradiction", contradiction),
    ("memory/duplicate-line", duplicate_line),
    ("memory/edited-line", edited_line),
    ("memory/malformed-check", malformed_check),
    ("memory/malformed-line", malformed_line),
];

/// The lines of one file.
struct Lines {
    /// The span of each line, including its line break.
    line_spans: Vec<Span>,
    /// The memories that the lines define, ordered by id.
    memories: Vec<FoldedMemory>,
    /// The revisions by their hash: line number (from 1) and content.
    revisions: BTreeMap<String, (usize, Revision)>,
    problems: Vec<Problem>,
}

fn parse(source: &Source) -> Lines {
    let (revisions, problems) = log::read_numbered(source.path(), source.text().as_bytes());
    let mut by_memory: BTreeMap<&str, Vec<Revision>> = BTreeMap::new();
    for (_, revision) in &revisions {
        by_memory.entry(&revision.id).or_default().push(revision.clone());
    }
    let memories = by_memory.values().filter_map(|revisions| log::fold(revisions)).collect();
    let mut line_spans = Vec::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        line_spans.push(Span::new(start, start + line.len()));
        start += line.len();
    }
    let revisions = revisions
        .into_iter()
        .map(|(number, revision)| (revision.rev.clone(), (number, revision)))
        .collect();
    Lines { line_spans, memories, revisions, problems }
}

impl Lines {
    fn problems(&self, kind: ProblemKind) -> impl Iterator<Item = (&Problem, Span)> {
        let span = |problem: &Problem| self.line_span(problem.line);
        self.problems
            .iter()
            .filter(move |problem| problem.kind == kind)
            .map(move |problem| (problem, span(problem)))
    }

    /// The span of a line (from 1), including its line break.
    fn line_span(&self, line: usize) -> Span {
        line.checked_sub(1)
            .and_then(|index| self.line_spans.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// The current revisions of a memory with their line numbers, in revision order.
    fn heads(&self, id: &str) -> Vec<&(usize, Revision)> {
        let found = self.memories.binary_search_by(|memory| (*memory.entry.id).cmp(id));
        let heads = found.map_or(&[][..], |index| &self.memories[index].entry.heads).iter();
        let mut heads: Vec<_> = heads.filter_map(|rev| self.revisions.get(rev)).collect();
        heads.sort_by_key(|(number, _)| *number);
        heads
    }

    /// The last line with a current revision of a memory.
    fn latest_head(&self, id: &str) -> Option<&(usize, Revision)> {
        self.heads(id).pop()
    }

    /// The span of a field's value on a line, or of the line if the line has no such field.
    fn field(&self, source: &Source, line: usize, name: &str) -> Span {
        let line_span = line_text(source, self.line_span(line));
        span_of_part(source, line_span, |object| object.get(name).map(|field| field.value.range()))
    }

    /// The span of a link to a memory on a line, or of the line if there is no such link.
    fn link(&self, source: &Source, line: usize, relation: Relation, to: &str) -> Span {
        let line_span = line_text(source, self.line_span(line));
        let has_value = |link: &Object<'_>, name: &str, value: &str| {
            link.get_string(name).is_some_and(|text| text.value == value)
        };
        span_of_part(source, line_span, |object| {
            let links = object.get_array("links")?.elements.iter();
            let found = links.filter_map(Ast::as_object).find(|link| {
                has_value(link, "to", to) && has_value(link, "relation", relation.word())
            });
            found.and_then(|link| link.get("to")).map(|to| to.value.range())
        })
    }
}

/// A line without its line break.
fn line_text(source: &Source, line: Span) -> Span {
    let text = source.slice(line).trim_end_matches(['\n', '\r']);
    Span { end: line.start + u32::try_from(text.len()).unwrap_or_default(), ..line }
}

/// The span of a part of the object on a line, or of the line if the object has no such part.
fn span_of_part(
    source: &Source,
    line: Span,
    part: impl FnOnce(&Object<'_>) -> Option<jsonc_parser::common::Range>,
) -> Span {
    let full_line = source.slice(line);
    let text = full_line.trim_start_matches('\u{FEFF}');
    let start = line.start as usize + full_line.len() - text.len();
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Ast::Object(object)) = parsed.ok().and_then(|parsed| parsed.value) else {
        return line;
    };
    part(&object).map_or(line, |range| Span::new(range.start, range.end).shift(start))
}

fn conflict_marker(lines: &Lines, report: &mut Report<'_>) {
    for (problem, line) in lines.problems(ProblemKind::ConflictMarker) {
        let span = line_text(report.source(), line);
        report
            .at(span, problem.message.as_str())
            .fix("Delete the marker; both sides are retained", vec![Edit::delete(line)]);
    }
}

fn malformed_line(lines: &Lines, report: &mut Report<'_>) {
    for (problem, line) in lines.problems(ProblemKind::MalformedLine) {
        let span = line_text(report.source(), line);
        report
            .at(span, format!("{}; the line is skipped", problem.message))
            .help("fix the line, or restore it from the history of the file: git log -p");
    }
}

fn malformed_check(lines: &Lines, report: &mut Report<'_>) {
    let has_check = |memory: &&FoldedMemory| memory_checks::check_of(&memory.entry).is_some();
    let mut with_check = lines.memories.iter().filter(has_check).peekable();
    if with_check.peek().is_none() {
        return;
    }
    let active = ActiveSet::new(&lines.memories);
    for memory in with_check.filter(|memory| active.is_active(&memory.entry.id)) {
        let id = &memory.entry.id;
        let Err(why) = memory_checks::validate(&memory.entry) else { continue };
        let heads = lines.heads(id);
        let has_check = |head: &&&(usize, Revision)| head.1.metadata.contains_key(CHECK);
        let Some((line, _)) = heads.iter().rev().find(has_check) else { continue };
        let source = report.source();
        let line_span = line_text(source, lines.line_span(*line));
        let span = span_of_part(source, line_span, |object| {
            let check = object.get_object("metadata")?.get(CHECK)?;
            Some(check.value.range())
        });
        report
            .at(span, format!("{why}; `{id}` is not enforced"))
            .help(format!("fix the check: `aidd memory edit {id} --set check='{{…}}'`"));
    }
}

fn duplicate_line(lines: &Lines, report: &mut Report<'_>) {
    for (problem, line) in lines.problems(ProblemKind::DuplicateLine) {
        let span = line_text(report.source(), line);
        report.at(span, problem.message.as_str()).fix("Delete the copy", vec![Edit::delete(line)]);
    }
}

fn edited_line(lines: &Lines, report: &mut Report<'_>) {
    let by_line: BTreeMap<usize, &Revision> =
        lines.revisions.values().map(|(number, revision)| (*number, revision)).collect();
    for (problem, line) in lines.problems(ProblemKind::EditedLine) {
        let source = report.source();
        let span = lines.field(source, problem.line, "rev");
        let finding = report.at(span, problem.message.as_str());
        finding.help("change a memory with `aidd memory edit`, which keeps the previous revision");
        // Copies of another line are reported by the rule on duplicate lines.
        if let Some(revision) = by_line.get(&problem.line) {
            let edit = Edit::replace(line_text(source, line), revision.line());
            finding.fix("Rewrite the line as parsed", vec![edit]);
        }
    }
}

fn contested_edit(lines: &Lines, report: &mut Report<'_>) {
    for memory in lines.memories.iter().filter(|memory| memory.entry.is_contested()) {
        let heads = lines.heads(&memory.entry.id);
        let Some(((last, _), others)) = heads.split_last() else { continue };
        let source = report.source();
        let span = lines.field(source, *last, "content");
        let related: Vec<Span> =
            others.iter().map(|(line, _)| lines.field(source, *line, "content")).collect();
        let count = heads.len();
        let message = format!("`{}` has {count} conflicting edits", memory.entry.id);
        let finding = report.at(span, message);
        finding.help(format!("resolve the conflict: `aidd memory resolve {}`", memory.entry.id));
        for other in related {
            finding.related(other, "conflicting edit");
        }
    }
}

/// Reports the conflicts that `select` returns: at the last line, with the other lines as related
/// locations.
fn report_conflicts(
    lines: &Lines,
    report: &mut Report<'_>,
    select: impl Fn(&Conflict<'_>, &Source) -> Option<ConflictFinding>,
) {
    let active = ActiveSet::new(&lines.memories);
    for conflict in active.conflicts() {
        if let Some(found) = select(&conflict, report.source()) {
            let finding = report.at(found.span, found.message);
            finding.help(found.help);
            for (span, message) in found.related {
                finding.related(span, message);
            }
        }
    }
}

struct ConflictFinding {
    span: Span,
    message: String,
    help: String,
    related: Vec<(Span, String)>,
}

fn competing_decisions(lines: &Lines, report: &mut Report<'_>) {
    forked_supersede(lines, report);
    report_conflicts(lines, report, |conflict, source| {
        let Conflict::SharedTopic(_, ids) = conflict else { return None };
        let mut heads: Vec<_> = ids.iter().filter_map(|id| lines.latest_head(id)).collect();
        heads.sort_by_key(|(line, _)| *line);
        let (last, others) = heads.split_last()?;
        let content = |line: usize| lines.field(source, line, "content");
        let name = last.1.topic.as_deref().unwrap_or_default().trim();
        Some(ConflictFinding {
            span: content(last.0),
            message: format!("{} active decisions on `{name}`", heads.len()),
            help: format!("resolve the conflict: `aidd memory resolve {}`", last.1.id),
            related: others
                .iter()
                .map(|(line, other)| (content(*line), format!("`{}` is also active", other.id)))
                .collect(),
        })
    });
}

/// Reports conflicts in which several memories replaced the same memory.
fn forked_supersede(lines: &Lines, report: &mut Report<'_>) {
    report_conflicts(lines, report, |conflict, source| {
        let Conflict::Forked(ids) = conflict else { return None };
        let mut heads: Vec<_> = ids.iter().filter_map(|id| lines.latest_head(id)).collect();
        heads.sort_by_key(|(line, _)| *line);
        let (last, others) = heads.split_last()?;
        let content = |line: usize| lines.field(source, line, "content");
        Some(ConflictFinding {
            span: content(last.0),
            message: format!("{} active memories replaced the same memory", heads.len()),
            help: format!(
                "select one: `aidd memory resolve {}`; if all are intended, link them: `aidd memory link`",
                last.1.id
            ),
            related: others
                .iter()
                .map(|(line, other)| (content(*line), format!("`{}` is also active", other.id)))
                .collect(),
        })
    });
}

fn contradiction(lines: &Lines, report: &mut Report<'_>) {
    report_conflicts(lines, report, |conflict, source| {
        let Conflict::Contradiction(from, to) = *conflict else { return None };
        let ((line, _), (other, _)) = (lines.latest_head(from)?, lines.latest_head(to)?);
        Some(ConflictFinding {
            span: lines.link(source, *line, Relation::Contradicts, to),
            message: format!("`{from}` contradicts `{to}`, and both are active"),
            help: format!("resolve the conflict: `aidd memory resolve {from}`"),
            related: vec![(
                lines.field(source, *other, "content"),
                "contradicted memory".to_owned(),
            )],
        })
    });
}

fn circular_supersede(lines: &Lines, report: &mut Report<'_>) {
    report_conflicts(lines, report, |conflict, source| {
        let Conflict::Cycle(from, to) = *conflict else { return None };
        let ((line, _), (other, _)) = (lines.latest_head(from)?, lines.latest_head(to)?);
        Some(ConflictFinding {
            span: lines.link(source, *line, Relation::Supersedes, to),
            message: format!("`{from}` and `{to}` supersede each other, so both are active"),
            help: format!("resolve the conflict: `aidd memory resolve {from}`"),
            related: vec![(lines.field(source, *other, "content"), "the other memory".to_owned())],
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::parse::lines::types::Kind;

    #[test]
    fn line_spans_include_any_line_break() {
        let first = Revision::first(Kind::Decision, "decision_1_a".into(), 1, "a").with_rev();
        let line = first.line();
        let text = format!("\u{FEFF}{line}\r\n\r\n{{\r\n{line}");
        let source = Source::new("ai/memory/decisions.jsonl", text);
        let lines = parse(&source);
        let found = |kind| {
            lines
                .problems(kind)
                .map(|(_, span)| source.slice(line_text(&source, span)).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(found(ProblemKind::MalformedLine), ["{"]);
        assert_eq!(found(ProblemKind::DuplicateLine), [line]);
        assert_eq!(source.slice(lines.field(&source, 1, "content")), "\"a\"");
    }
}
