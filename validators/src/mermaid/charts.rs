//! Checks on charts: values, lengths, and missing parts.

use super::Diagram;
use super::parse::{Part, Symbol, Type};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::{Source, Span};

pub(super) fn empty_diagram(diagram: &Diagram, report: &mut Report<'_>) {
    if let Some(element) = diagram.model.missing_element {
        report.at(diagram.header, format!("the diagram has no {element}"));
    }
}

pub(super) fn empty_section(diagram: &Diagram, report: &mut Report<'_>) {
    if !matches!(diagram.kind, Some(Type::Gantt | Type::Journey | Type::Timeline)) {
        return;
    }
    let source = report.source();
    let is_section = |line: Span| {
        let rest = source.slice(line).strip_prefix("section");
        rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
    };
    for (index, &line) in diagram.lines.iter().enumerate() {
        let next = diagram.lines.get(index + 1);
        if is_section(line) && next.is_none_or(|&next| is_section(next)) {
            report.at(line, "empty section");
        }
    }
}

pub(super) fn length_mismatch(diagram: &Diagram, report: &mut Report<'_>) {
    let Some((expected, lengths)) = &diagram.model.series else { return };
    let (spans, unit): (Vec<Span>, _) = if diagram.kind == Some(Type::Radar) {
        (diagram.symbols_of_kind(Part::RadarCurve).map(|symbol| symbol.name_span).collect(), "axes")
    } else {
        (series_lines(diagram, report.source()), "categories")
    };
    if spans.len() != lengths.len() || *expected == 0 {
        return;
    }
    for (&span, &length) in spans.iter().zip(lengths) {
        if length != *expected {
            let values = if length == 1 { "value" } else { "values" };
            report.at(span, format!("{length} {values} for {expected} {unit}"));
        }
    }
}

/// The lines of an XY chart that contain values. A series without a name has no symbol.
fn series_lines(diagram: &Diagram, source: &Source) -> Vec<Span> {
    let series = |line: &&Span| {
        let text = source.slice(**line);
        ["bar", "line"].iter().any(|word| {
            text.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '\t', '[', '"']))
        })
    };
    diagram.lines.iter().filter(series).copied().collect()
}

pub(super) fn missing_axis_title(diagram: &Diagram, report: &mut Report<'_>) {
    for axis in &diagram.model.untitled_axes {
        report.at(diagram.header, format!("the {axis} has no title"));
    }
}

pub(super) fn task_without_actor(diagram: &Diagram, report: &mut Report<'_>) {
    let mut task: Option<&Symbol> = None;
    for symbol in &diagram.symbols {
        match symbol.kind {
            Some(Part::JourneyPeople) => task = None,
            Some(Part::JourneyTask | Part::JourneySection) => {
                report_missing_actor(task, report);
                task = (symbol.kind == Some(Part::JourneyTask)).then_some(symbol);
            }
            _ => {}
        }
    }
    report_missing_actor(task, report);
}

fn report_missing_actor(task: Option<&Symbol>, report: &mut Report<'_>) {
    if let Some(task) = task {
        report
            .at(task.name_span, format!("task `{}` has no actor", task.name.trim()))
            .help("Add the actors after the score: `Task: 3: Me, Cat`");
    }
}

/// The kind of value, its predicate, and the message if the predicate is false.
type Range = (Part, fn(f64) -> bool, &'static str);

/// The allowed ranges of values.
const RANGES: &[Range] = &[
    (Part::JourneyScore, |value| (1.0..=5.0).contains(&value), "a score must be from 1 to 5"),
    (Part::SankeyLinkValue, |value| value > 0.0, "a flow with value 0 or less is not drawn"),
    (Part::TreemapValue, |value| value > 0.0, "a leaf with size 0 or less is not drawn"),
    (Part::VennSize, |value| value > 0.0, "a set with size 0 or less is not drawn"),
];

pub(super) fn value_out_of_range(diagram: &Diagram, report: &mut Report<'_>) {
    for symbol in &diagram.symbols {
        let Some((_, fits, why)) = RANGES.iter().find(|(part, ..)| Some(*part) == symbol.kind)
        else {
            continue;
        };
        if symbol.name.trim().parse().is_ok_and(|value| !fits(value)) {
            report.at(symbol.name_span, format!("{} is out of range: {why}", symbol.name.trim()));
        }
    }
    let slices: Vec<&Symbol> = diagram.symbols_of_kind(Part::PieSection).collect();
    if slices.len() == diagram.model.values.len() {
        for (slice, _) in
            slices.iter().zip(&diagram.model.values).filter(|(_, value)| **value == 0.0)
        {
            report.at(slice.name_span, "slice with value 0 is not drawn");
        }
    }
}
