//! Checks on names and labels that conflict, repeat or are missing.

use super::parse::{Fault, Part, Symbol};
use super::{Diagram, graph, references};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::{Source, Span};
use std::collections::HashMap;

pub(super) fn conflicting_labels(diagram: &Diagram, report: &mut Report<'_>) {
    let mut labels: HashMap<&str, &Symbol> = HashMap::new();
    let mut node = "";
    // On a line with a syntax error, a label can belong to another node.
    let broken = match &diagram.fault {
        Some(Fault::Syntax(fault)) => super::line_at(diagram, fault.span.start),
        _ => None,
    };
    let is_broken = |symbol: &Symbol| broken.is_some_and(|line| line.contains(symbol.name_span));
    for symbol in diagram.symbols.iter().filter(|symbol| !is_broken(symbol)) {
        match symbol.kind {
            Some(Part::FlowchartNode) => node = &symbol.name,
            Some(Part::FlowchartNodeLabel) => {
                let first = *labels.entry(node).or_insert(symbol);
                if first.name.trim() != symbol.name.trim() {
                    report
                        .at(symbol.name_span, format!("`{node}` already has another label"))
                        .help("Give each node a unique id; only the last label is drawn")
                        .related(first.name_span, "first label");
                }
            }
            _ => {}
        }
    }
}

/// Kinds of names that must be unique, and the noun for the message.
const IDS: &[(&[Part], &str)] = &[
    (&[Part::GanttTask], "task"),
    (references::REQUIREMENTS, "requirement or element"),
    (references::C4_ELEMENTS, "element"),
    (&[Part::GitGraphCommitId], "commit"),
    (&[Part::KanbanSection, Part::KanbanItem], "item"),
    (&[Part::WardleyComponent, Part::WardleyAnchor], "component"),
    (&[Part::VennSet], "set"),
    (&[Part::RadarAxis], "axis"),
    (&[Part::RadarCurve], "curve"),
    (&[Part::RequirementId], "requirement"),
];

pub(super) fn duplicate_id(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    for (kinds, noun) in IDS {
        report_duplicates(diagram, kinds, report, |name| format!("duplicate {noun} id `{name}`"));
    }
}

/// Kinds of labels that must be unique, and the noun for the message.
const LABELS: &[(&[Part], &str)] = &[
    (&[Part::PieSection], "slice"),
    (&[Part::QuadrantChartPoint], "point"),
    (&[Part::GitGraphCommitTag], "commit"),
];

pub(super) fn duplicate_label(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    for (kinds, noun) in LABELS {
        report_duplicates(diagram, kinds, report, |name| {
            format!("duplicate {noun} label `{name}`")
        });
    }
    // The label of a column follows its id.
    let mut columns: HashMap<&str, &Symbol> = HashMap::new();
    for pair in diagram.symbols.windows(2) {
        if pair[0].is_in(&[Part::KanbanSection]) && pair[1].is_in(&[Part::KanbanLabel]) {
            let label = &pair[1];
            if let Some(first) = columns.insert(&label.name, label) {
                report
                    .at(label.name_span, format!("duplicate column label `{}`", label.name))
                    .related(first.name_span, "first column");
            }
        }
    }
}

fn report_duplicates(
    diagram: &Diagram,
    kinds: &[Part],
    report: &mut Report<'_>,
    message: impl Fn(&str) -> String,
) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for symbol in diagram.symbols.iter().filter(|symbol| symbol.is_in(kinds)) {
        let name = symbol.name.trim();
        if name.is_empty() {
            continue;
        }
        match seen.get(name) {
            Some(&first) if first != symbol.name_span => {
                report.at(symbol.name_span, message(name)).related(first, "first occurrence");
            }
            Some(_) => {}
            None => {
                seen.insert(name, symbol.name_span);
            }
        }
    }
}

pub(super) fn duplicate_declaration(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    report_duplicates(diagram, &[Part::SequenceParticipant, Part::SequenceActor], report, |name| {
        format!("`{name}` is declared twice")
    });
    let source = report.source();
    // A class or an entity can occur several times, but a second body suggests that another class
    // was meant.
    let mut bodies: HashMap<&str, Span> = HashMap::new();
    for symbol in
        diagram.symbols.iter().filter(|symbol| symbol.is_in(&[Part::Class, Part::ErEntity]))
    {
        let has_body = super::line_at(diagram, symbol.name_span.start).is_some_and(|line| {
            let after = source.slice(Span { start: symbol.name_span.end, end: line.end });
            after.contains('{')
        });
        if !has_body {
            continue;
        }
        if let Some(first) = bodies.insert(&symbol.name, symbol.name_span) {
            report
                .at(symbol.name_span, format!("second body of `{}`", symbol.name))
                .help("Merge the bodies")
                .related(first, "first body");
        }
    }
}

pub(super) fn duplicate_member(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    let mut owner = "";
    let mut seen: HashMap<(&str, &str), Span> = HashMap::new();
    for symbol in &diagram.symbols {
        match symbol.kind {
            Some(Part::Class | Part::ClassMemberOwner | Part::ErEntity) => owner = &symbol.name,
            Some(Part::ClassMember | Part::ErAttribute) => {
                let name = symbol.name.trim();
                if name.is_empty() {
                    continue;
                }
                match seen.get(&(owner, name)) {
                    Some(&first) => {
                        let edit = graph::delete_line(report.source(), symbol.name_span);
                        let is_alone = is_alone_on_line(report.source(), symbol.name_span);
                        let finding = report.at(
                            symbol.name_span,
                            format!("duplicate member `{name}` of `{owner}`"),
                        );
                        finding.related(first, "first occurrence");
                        if is_alone && symbol.is_in(&[Part::ClassMember]) {
                            finding.fix_unsafe("Delete the line", vec![edit]);
                        }
                    }
                    None => {
                        seen.insert((owner, name), symbol.name_span);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether the span is the only content of its line.
fn is_alone_on_line(source: &Source, span: Span) -> bool {
    source.slice(source.line_span(source.line_of(span.start))).trim() == source.slice(span).trim()
}

/// Kinds of names that form a tree by indentation.
const TREES: [Part; 6] = [
    Part::MindmapNode,
    Part::TreemapSection,
    Part::TreemapLeaf,
    Part::TreeViewNode,
    Part::IshikawaCause,
    Part::IshikawaEffect,
];

pub(super) fn duplicate_sibling(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    let source = report.source();
    // Indentation of each open level, with the names of its children so far.
    let mut levels: Vec<(u32, HashMap<&str, Span>)> = vec![(0, HashMap::new())];
    for symbol in diagram.symbols.iter().filter(|symbol| symbol.is_in(&TREES)) {
        let Some(line) = super::line_at(diagram, symbol.name_span.start) else { continue };
        let indent = line.start - source.line_span(source.line_of(line.start)).start;
        while levels.len() > 1 && levels.last().is_some_and(|(at, _)| *at > indent) {
            levels.pop();
        }
        // Compare the text as written, not the id: `a[One]` and `a[Two]` differ.
        let text = source.slice(line);
        if let Some((_, siblings)) = levels.last_mut()
            && let Some(first) = siblings.insert(text, line)
        {
            report
                .at(line, format!("duplicate sibling `{}`", symbol.name.trim()))
                .related(first, "first occurrence");
        }
        levels.push((indent + 1, HashMap::new()));
    }
}

pub(super) fn empty_label(diagram: &Diagram, report: &mut Report<'_>) {
    for symbol in
        diagram.symbols_of_kind(Part::PacketBlock).filter(|symbol| symbol.name.trim().is_empty())
    {
        report.at(symbol.name_span, "field without a name");
    }
    if !diagram.is_flowchart() || !diagram.is_rendered() {
        return;
    }
    let source = report.source();
    for &line in &diagram.lines {
        let text = source.slice(line);
        for (at, _) in text.match_indices('"') {
            let rest = &text[at + 1..];
            let blank_len = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let after_blanks = rest[blank_len..].strip_prefix('"');
            let opens_label = text[..at].ends_with(['[', '(', '{', '|', '>', '/', '\\']);
            let closes_label = |after: &str| after.starts_with([']', ')', '}', '|', '/', '\\']);
            if blank_len > 0 && opens_label && after_blanks.is_some_and(closes_label) {
                let start = line.start as usize + at;
                report.at(Span::new(start, start + blank_len + 2), "blank label");
            }
        }
    }
}
