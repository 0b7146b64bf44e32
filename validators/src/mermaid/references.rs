//! Checks on references to undefined names.

use super::parse::{Part, Symbol, Type};
use super::{Diagram, nearest};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::{Source, Span};
use std::collections::{BTreeSet, HashMap};

/// Kinds of references, the kinds of names that they can refer to, and the noun for the message.
const REFERENCES: &[(&[Part], &[Part], &str)] = &[
    (&[Part::GanttDependency, Part::GanttClickTarget], &[Part::GanttTask], "task"),
    (
        &[Part::FlowchartInteractionTarget, Part::FlowchartClassTarget, Part::FlowchartStyleTarget],
        &[Part::FlowchartNode, Part::Subgraph],
        "node",
    ),
    (
        &[
            Part::ClassInteractionTarget,
            Part::ClassNoteTarget,
            Part::ClassCssTarget,
            Part::ClassStyleTarget,
        ],
        CLASSES,
        "class",
    ),
    (
        &[
            Part::StateClassTarget,
            Part::StateStyleTarget,
            Part::StateClickTarget,
            Part::StateNoteTarget,
        ],
        &[Part::State, Part::StateReference, Part::StateFork, Part::StateJoin, Part::StateChoice],
        "state",
    ),
    (
        &[Part::ErClassTarget, Part::ErStyleTarget],
        &[Part::ErEntity, Part::ErImplicitEntity],
        "entity",
    ),
    (
        &[
            Part::C4RelationSource,
            Part::C4RelationTarget,
            Part::C4StyleTarget,
            Part::C4RelationStyleSource,
            Part::C4RelationStyleTarget,
        ],
        C4_ELEMENTS,
        "element",
    ),
    (
        &[
            Part::RequirementRelationshipSource,
            Part::RequirementRelationshipTarget,
            Part::RequirementClassTarget,
            Part::RequirementStyleTarget,
        ],
        REQUIREMENTS,
        "requirement or element",
    ),
    (
        &[Part::BlockStyleTarget, Part::BlockClassTarget],
        &[Part::BlockNode, Part::BlockComposite],
        "block",
    ),
    (
        &[
            Part::EventmodelingSourceFrame,
            Part::EventmodelingNoteSourceFrame,
            Part::EventmodelingGwtSourceFrame,
        ],
        &[Part::EventmodelingFrame],
        "frame",
    ),
    (
        &[
            Part::WardleyLinkSource,
            Part::WardleyLinkTarget,
            Part::WardleyEvolvedComponent,
            Part::WardleyPipelineParent,
        ],
        &[
            Part::WardleyComponent,
            Part::WardleyAnchor,
            Part::WardleyPipelineComponent,
            Part::WardleyNote,
        ],
        "component",
    ),
];

/// Names in a C4 diagram.
pub(super) const C4_ELEMENTS: &[Part] = &[
    Part::C4Person,
    Part::C4System,
    Part::C4Container,
    Part::C4Component,
    Part::C4Boundary,
    Part::C4DeploymentNode,
];

/// Names in a requirement diagram.
pub(super) const REQUIREMENTS: &[Part] = &[
    Part::Requirement,
    Part::FunctionalRequirement,
    Part::InterfaceRequirement,
    Part::PerformanceRequirement,
    Part::PhysicalRequirement,
    Part::DesignConstraint,
    Part::RequirementElement,
];

const CLASSES: &[Part] =
    &[Part::Class, Part::ClassRelationTarget, Part::ClassMemberOwner, Part::ClassAnnotationTarget];

pub(super) fn unknown_reference(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    for (from, to, noun) in REFERENCES {
        let mut symbols = diagram.symbols.iter().filter(|symbol| symbol.is_in(from));
        let Some(first) = symbols.next() else { continue };
        let known: BTreeSet<&str> = diagram
            .symbols
            .iter()
            .filter(|symbol| symbol.is_in(to))
            // References to a generic class omit its parameters.
            .flat_map(|symbol| [&*symbol.name, symbol.name.split('~').next().unwrap_or_default()])
            .chain(edge_ids(report.source(), diagram))
            .collect();
        for symbol in std::iter::once(first).chain(symbols) {
            if !known.contains(&*symbol.name) && !is_default(symbol) {
                report_unknown(symbol, noun, &known, report);
            }
        }
    }
}

/// The ids of edges of a flowchart: `A e1@--> B`.
fn edge_ids<'a>(source: &'a Source, diagram: &'a Diagram) -> impl Iterator<Item = &'a str> {
    let lines = diagram.lines.iter().filter(|_| diagram.is_flowchart());
    lines.map(|&line| source.slice(line)).flat_map(|text| {
        text.match_indices('@').filter_map(|(at, _)| {
            let is_edge_id = text[at + 1..].starts_with(['-', '=', '<', '~', 'x', 'o']);
            let start = text[..at].rfind(|c: char| !is_word(c));
            let start =
                start.map_or(0, |end| end + text[end..].chars().next().map_or(1, char::len_utf8));
            is_edge_id.then(|| &text[start..at])
        })
    })
}

/// Whether the name refers to all elements, as in `style default …`.
fn is_default(symbol: &Symbol) -> bool {
    symbol.name == "default" || symbol.name.is_empty()
}

fn report_unknown(symbol: &Symbol, noun: &str, known: &BTreeSet<&str>, report: &mut Report<'_>) {
    let finding = report.at(symbol.name_span, format!("unknown {noun} `{}`", symbol.name));
    if let Some(near) = nearest(&symbol.name, known.iter().copied()) {
        finding.help(format!("Did you mean `{near}`?"));
        finding.fix_unsafe(
            format!("Replace with `{near}`"),
            vec![Edit::replace(symbol.name_span, near)],
        );
    }
}

/// Kinds of symbols that refer to a style class.
const CLASS_USES: [Part; 10] = [
    Part::FlowchartClassName,
    Part::ClassInlineClass,
    Part::ClassCssReference,
    Part::StateClassReference,
    Part::StateInlineClass,
    Part::ErInlineClass,
    Part::ErClassName,
    Part::RequirementClass,
    Part::BlockClassName,
    Part::TreemapClassSelector,
];

pub(super) fn undefined_class(diagram: &Diagram, report: &mut Report<'_>) {
    let source = report.source();
    let is_quadrant = diagram.kind == Some(Type::QuadrantChart);
    let defined: BTreeSet<&str> = if is_quadrant {
        defined_in_lines(source, diagram).collect()
    } else {
        definitions(diagram).map(|symbol| symbol.name.trim()).collect()
    };
    // The web page that shows the diagram can define CSS classes too; only diagrams that define classes are checked.
    if defined.is_empty() || !diagram.is_rendered() {
        return;
    }
    let named = diagram.symbols.iter().filter(|symbol| symbol.is_in(&CLASS_USES));
    let named = named.map(|symbol| (symbol.name.trim(), symbol.name_span));
    let inline = inline_classes(source, diagram);
    let inline_uses = diagram.model.used_classes.iter();
    let inline_uses = inline_uses
        .filter_map(|class| inline.get_key_value(&**class).map(|(name, span)| (*name, *span)));
    let mut uses: Vec<(&str, Span)> = named.chain(inline_uses).collect();
    if is_quadrant {
        uses.extend(inline.iter().map(|(name, span)| (*name, *span)));
        uses.sort_by_key(|(_, span)| *span);
    }
    for (name, span) in uses {
        if defined.contains(name)
            || name.is_empty()
            || name.contains([',', ' '])
            || name == "default"
        {
            continue;
        }
        let finding = report.at(span, format!("undefined class `{name}`"));
        if let Some(near) = nearest(name, defined.iter().copied()) {
            finding.help(format!("Did you mean `{near}`?"));
            finding.fix_unsafe(format!("Replace with `{near}`"), vec![Edit::replace(span, near)]);
        }
    }
}

/// The classes defined by `classDef name …` lines, for diagram types whose class definitions are
/// not symbols.
fn defined_in_lines<'a>(source: &'a Source, diagram: &'a Diagram) -> impl Iterator<Item = &'a str> {
    let definitions = diagram.lines.iter().map(|&line| source.slice(line));
    definitions.filter_map(|text| text.strip_prefix("classDef ")?.split_whitespace().next())
}

fn definitions(diagram: &Diagram) -> impl Iterator<Item = &Symbol> {
    diagram.symbols.iter().filter(|symbol| symbol.class_definition)
}

/// The span of the first use of each class after `:::`.
fn inline_classes<'a>(source: &'a Source, diagram: &Diagram) -> HashMap<&'a str, Span> {
    let mut spans = HashMap::new();
    for &line in &diagram.lines {
        let text = source.slice(line);
        for (at, _) in text.match_indices(":::") {
            let start = at + 3;
            let rest = &text[start..];
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let span = Span::new(line.start as usize + start, line.start as usize + start + end);
            spans.entry(&rest[..end]).or_insert(span);
        }
    }
    spans
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

pub(super) fn unused_class(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.is_rendered() {
        return;
    }
    let mut words: HashMap<&str, usize> = HashMap::new();
    for word in report.source().text().split(|c: char| !is_word(c)) {
        *words.entry(word).or_default() += 1;
    }
    for symbol in definitions(diagram) {
        let name = symbol.name.trim();
        if name.is_empty() || name == "default" || name.contains(',') {
            continue;
        }
        // The definition is the only occurrence. Names with other characters are not counted.
        if words.get(name) == Some(&1) {
            report.at(symbol.name_span, format!("unused class `{name}`"));
        }
    }
}
