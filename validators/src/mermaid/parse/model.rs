//! The content of a diagram, as far as checks need it: edges with their spans, and a few counts.

use super::{Diagram, Part, Symbol};
use aidd_engine::text::source::{Source, Span};
use merman_model::families::flowchart::{FlowNode, FlowNodeProvenance, FlowchartModel};
use merman_model::families::xy_chart::{XyChartAxisModel, XyChartDiagramModel};
use merman_model::semantic::SemanticDiagramModel as Parsed;
use merman_model::warnings::FLOWCHART_EXPLICIT_DIRECTION_WARNING_RULE_ID;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The content of a diagram.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Whether the diagram has an `accTitle` and an `accDescr`; `None` if the type supports
    /// neither.
    pub(crate) accessible: Option<(bool, bool)>,
    /// Connections, in source order; empty if their spans cannot be determined.
    pub(crate) edges: Vec<Edge>,
    /// The kind of elements that the diagram requires but does not contain: `slices`, `tasks`.
    pub(crate) missing_element: Option<&'static str>,
    /// Flowchart nodes that have no edge and are in no subgraph.
    pub(crate) unconnected_nodes: Vec<String>,
    /// Connected flowchart nodes that are written only as an id.
    pub(crate) bare_nodes: Vec<String>,
    /// Style classes that flowchart nodes use but nothing defines.
    pub(crate) used_classes: BTreeSet<String>,
    /// The number of categories of an XY chart and the number of values in each series, or the
    /// number of axes of a radar chart and the number of entries in each curve.
    pub(crate) series: Option<(usize, Vec<usize>)>,
    /// Axes without a title.
    pub(crate) untitled_axes: Vec<&'static str>,
    /// The values of a pie chart, in source order.
    pub(crate) values: Vec<f64>,
    /// Number of transitions of a state diagram.
    pub(crate) transitions: usize,
    /// Whether a flowchart has a direction.
    pub(crate) has_direction: bool,
}

/// A connection between two nodes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The source node.
    pub(crate) from: String,
    /// The target node.
    pub(crate) to: String,
    /// Other properties that distinguish the edge from another edge between the same nodes.
    pub(crate) kind: String,
    /// The span from the first to the last node name.
    pub(crate) span: Span,
}

/// Extracts the model from a parsed diagram.
pub(super) fn from_parsed(parsed: &Parsed, source: &Source, diagram: &Diagram) -> Model {
    let mut model = Model { accessible: accessible(parsed), ..Model::default() };
    model.missing_element = find_missing_element(parsed);
    match parsed {
        Parsed::Flowchart(flowchart) => read_flowchart(flowchart, &mut model),
        Parsed::Pie(pie) => model.values = pie.sections.iter().map(|slice| slice.value).collect(),
        Parsed::State(states) => model.transitions = states.relations.len(),
        Parsed::XyChart(chart) => read_xychart(chart, &mut model),
        Parsed::QuadrantChart(chart) => {
            let axes = &chart.axes;
            let is_untitled = |start: &str, end: &str| start.is_empty() && end.is_empty();
            if is_untitled(&axes.x_axis_left_text, &axes.x_axis_right_text) {
                model.untitled_axes.push("x-axis");
            }
            if is_untitled(&axes.y_axis_bottom_text, &axes.y_axis_top_text) {
                model.untitled_axes.push("y-axis");
            }
        }
        Parsed::Radar(radar) => {
            let lengths = radar.curves.iter().map(|curve| curve.entries.len()).collect();
            model.series = Some((radar.axes.len(), lengths));
        }
        _ => {}
    }
    let edges = model_edges(parsed);
    if !edges.is_empty() {
        model.edges = add_spans(edges, &source_edges(parsed, source, diagram));
    }
    model
}

fn accessible(parsed: &Parsed) -> Option<(bool, bool)> {
    macro_rules! read {
        ($($family:ident),*) => {
            match parsed {
                $(Parsed::$family(model) => (&model.acc_title, &model.acc_descr),)*
                Parsed::Usecase(model) => (&model.acc_title, &model.acc_description),
                _ => return None,
            }
        };
    }
    // The types whose grammar contains the statements `accTitle` and `accDescr`.
    let (title, description) = read!(
        Flowchart,
        Sequence,
        State,
        Timeline,
        Cynefin,
        Journey,
        Pie,
        Packet,
        TreeView,
        QuadrantChart,
        Radar,
        Requirement,
        Wardley,
        Railroad,
        Er,
        Architecture,
        Gantt,
        C4,
        Ishikawa,
        Treemap,
        XyChart,
        Agentflow,
        GitGraph,
        Class
    );
    let has_text =
        |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    Some((has_text(title), has_text(description)))
}

fn find_missing_element(parsed: &Parsed) -> Option<&'static str> {
    let (empty, element) = match parsed {
        Parsed::Flowchart(model) => (model.nodes.is_empty() && model.subgraphs.is_empty(), "nodes"),
        Parsed::Sequence(model) => (model.actor_order.is_empty(), "participants"),
        Parsed::State(model) => (model.nodes.is_empty(), "states"),
        Parsed::Class(model) => (model.classes.is_empty() && model.notes.is_empty(), "classes"),
        Parsed::Er(model) => (model.entities.is_empty(), "entities"),
        Parsed::Gantt(model) => (model.tasks.is_empty(), "tasks"),
        Parsed::Journey(model) => (model.tasks.is_empty(), "tasks"),
        Parsed::Pie(model) => (model.sections.is_empty(), "slices"),
        Parsed::QuadrantChart(model) => (model.points.is_empty(), "points"),
        Parsed::XyChart(model) => (model.plots.is_empty(), "series"),
        Parsed::Requirement(model) => {
            (model.requirements.is_empty() && model.elements.is_empty(), "requirements")
        }
        Parsed::C4(model) => (model.shapes.is_empty() && model.boundaries.is_empty(), "elements"),
        Parsed::GitGraph(model) => (model.commits.is_empty(), "commits"),
        Parsed::Mindmap(model) => (model.nodes.is_empty(), "nodes"),
        Parsed::Timeline(model) => (model.tasks.is_empty(), "entries"),
        Parsed::Sankey(model) => (model.graph.links.is_empty(), "flows"),
        Parsed::Packet(model) => (model.packet.is_empty(), "fields"),
        Parsed::Block(model) => (model.blocks_flat.len() < 2 && model.edges.is_empty(), "blocks"),
        Parsed::Architecture(model) => {
            (model.nodes.is_empty() && model.groups.is_empty(), "services")
        }
        Parsed::Radar(model) => (model.curves.is_empty(), "curves"),
        Parsed::Treemap(model) => (model.nodes.is_empty(), "leaves"),
        Parsed::Kanban(model) => (model.nodes.is_empty(), "columns"),
        Parsed::Venn(model) => (model.subsets.is_empty(), "sets"),
        Parsed::Wardley(model) => (model.nodes.is_empty(), "components"),
        Parsed::TreeView(model) => (model.root.children.is_empty(), "nodes"),
        Parsed::Ishikawa(model) => (model.nodes.len() < 2, "causes"),
        _ => return None,
    };
    empty.then_some(element)
}

fn read_flowchart(flowchart: &FlowchartModel, model: &mut Model) {
    if !flowchart.edges.is_empty() {
        let ends = flowchart.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
        let groups = &flowchart.subgraphs;
        let grouped = groups.iter().flat_map(|group| group.nodes.iter().chain([&group.id]));
        let connected: HashSet<&String> = ends.chain(grouped).collect();
        let nodes = flowchart
            .nodes
            .iter()
            .filter(|node| matches!(node.provenance, FlowNodeProvenance::Authored));
        let (connected, other): (Vec<_>, Vec<_>) =
            nodes.partition(|node| connected.contains(&node.id));
        let is_bare = |node: &&FlowNode| node.label.as_ref().is_none_or(|label| *label == node.id);
        model.unconnected_nodes = other.into_iter().map(|node| node.id.clone()).collect();
        model.bare_nodes =
            connected.into_iter().filter(is_bare).map(|node| node.id.clone()).collect();
    }
    let nodes = flowchart.nodes.iter().flat_map(|node| &node.classes);
    let groups = flowchart.subgraphs.iter().flat_map(|group| &group.classes);
    let defined = &flowchart.class_defs;
    let unknown = nodes.chain(groups).filter(|class| !defined.contains_key(*class));
    model.used_classes = unknown.cloned().collect();
    let undirected = FLOWCHART_EXPLICIT_DIRECTION_WARNING_RULE_ID;
    model.has_direction = !flowchart.warning_facts.iter().any(|fact| fact.rule_id == undirected);
}

fn read_xychart(chart: &XyChartDiagramModel, model: &mut Model) {
    let lengths = chart.plots.iter().map(|plot| plot.values.len()).collect();
    if let XyChartAxisModel::Band { categories, .. } = &chart.x_axis
        && !categories.is_empty()
    {
        model.series = Some((categories.len(), lengths));
    }
    if let XyChartAxisModel::Linear { title, .. } = &chart.y_axis
        && title.is_empty()
    {
        model.untitled_axes.push("y-axis");
    }
}

/// The edges in the parser's model, each as source node, target node and kind.
fn model_edges(parsed: &Parsed) -> Vec<[String; 3]> {
    match parsed {
        Parsed::Flowchart(model) => model
            .edges
            .iter()
            .map(|edge| {
                let kind = format!("{}{:?}{:?}", edge.arrow, edge.stroke_kind, edge.label);
                [edge.from.clone(), edge.to.clone(), kind]
            })
            .collect(),
        Parsed::Class(model) => model
            .relations
            .iter()
            .map(|edge| {
                let shape = &edge.relation;
                let kind = format!(
                    "{} {} {} {} {:?} {:?}",
                    edge.title,
                    shape.type1,
                    shape.type2,
                    shape.line_type,
                    edge.relation_title_1,
                    edge.relation_title_2
                );
                [edge.id1.clone(), edge.id2.clone(), kind]
            })
            .collect(),
        Parsed::Er(model) => {
            let names: HashMap<&str, &str> =
                model.entities.iter().map(|(name, entity)| (&*entity.id, &**name)).collect();
            let name = |id: &str| names.get(id).copied().unwrap_or(id).to_owned();
            model
                .relationships
                .iter()
                .map(|edge| {
                    let spec = &edge.rel_spec;
                    let kind = format!(
                        "{} {} {} {}",
                        edge.role_a, spec.card_a, spec.card_b, spec.rel_type
                    );
                    [name(&edge.entity_a), name(&edge.entity_b), kind]
                })
                .collect()
        }
        Parsed::Architecture(model) => model
            .edges
            .iter()
            .map(|edge| {
                let kind = format!("{}{} {:?}", edge.lhs_dir, edge.rhs_dir, edge.title);
                [edge.lhs_id.clone(), edge.rhs_id.clone(), kind]
            })
            .collect(),
        Parsed::Sankey(model) => model
            .graph
            .links
            .iter()
            .map(|edge| [edge.source.clone(), edge.target.clone(), String::new()])
            .collect(),
        Parsed::Block(model) => model
            .edges
            .iter()
            .map(|edge| {
                let kind =
                    format!("{} {:?} {:?}", edge.label, edge.arrow_type_start, edge.arrow_type_end);
                [edge.start.clone(), edge.end.clone(), kind]
            })
            .collect(),
        Parsed::Wardley(model) => model
            .links
            .iter()
            .map(|edge| {
                [
                    edge.source.clone(),
                    edge.target.clone(),
                    format!("{:?} {:?}", edge.label, edge.flow),
                ]
            })
            .collect(),
        Parsed::Requirement(model) => model
            .relationships
            .iter()
            .map(|edge| [edge.src.clone(), edge.dst.clone(), edge.rel_type.clone()])
            .collect(),
        _ => Vec::new(),
    }
}

/// Adds spans to the edges, if the source contains them in the same order.
fn add_spans(edges: Vec<[String; 3]>, in_source: &[(&str, &str, Span)]) -> Vec<Edge> {
    let is_same = edges.len() == in_source.len()
        && edges
            .iter()
            .zip(in_source)
            .all(|([from, to, _], found)| from == found.0 && to == found.1);
    if !is_same {
        return Vec::new();
    }
    edges
        .into_iter()
        .zip(in_source)
        .map(|([from, to, kind], found)| Edge { from, to, kind, span: found.2 })
        .collect()
}

fn source_edges<'a>(
    parsed: &Parsed,
    source: &Source,
    diagram: &'a Diagram,
) -> Vec<(&'a str, &'a str, Span)> {
    let pairs = |from: &[Part], to: &[Part]| pairs(&diagram.symbols, from, to);
    match parsed {
        Parsed::Flowchart(_) => flowchart_edges(source, &diagram.symbols),
        Parsed::Class(_) => pairs(&[Part::ClassRelationTarget], &[Part::ClassRelationTarget]),
        Parsed::Er(_) => {
            let ends = [Part::ErImplicitEntity, Part::ErRelationshipEntity];
            pairs(&ends, &ends)
        }
        Parsed::Architecture(_) => {
            pairs(&[Part::ArchitectureEdgeEndpoint], &[Part::ArchitectureEdgeEndpoint])
        }
        Parsed::Sankey(_) => pairs(&[Part::SankeySource], &[Part::SankeyTarget]),
        Parsed::Block(_) => pairs(
            &[Part::BlockNode, Part::BlockComposite, Part::BlockEdgeEndpoint],
            &[Part::BlockEdgeEndpoint],
        ),
        Parsed::Wardley(_) => pairs(&[Part::WardleyLinkSource], &[Part::WardleyLinkTarget]),
        Parsed::Requirement(_) => {
            pairs(&[Part::RequirementRelationshipSource], &[Part::RequirementRelationshipTarget])
        }
        _ => Vec::new(),
    }
}

/// Pairs each symbol of a kind in `to` with the preceding symbol of a kind in `from`.
fn pairs<'a>(symbols: &'a [Symbol], from: &[Part], to: &[Part]) -> Vec<(&'a str, &'a str, Span)> {
    let mut edges = Vec::new();
    let mut start: Option<&Symbol> = None;
    for symbol in symbols {
        if let Some(first) = start
            && symbol.is_in(to)
        {
            edges.push((&*first.name, &*symbol.name, first.name_span.cover(symbol.name_span)));
            start = None;
        } else if symbol.is_in(from) {
            start = Some(symbol);
        }
    }
    edges
}

/// The edges in chains such as `A & B --> C[label] --> D`.
fn flowchart_edges<'a>(source: &Source, symbols: &'a [Symbol]) -> Vec<(&'a str, &'a str, Span)> {
    let mut edges = Vec::new();
    let mut from: Vec<&Symbol> = Vec::new();
    let mut group: Vec<&Symbol> = Vec::new();
    // Start of the text between the last node, including its label, and the next node.
    let mut after = 0;
    for symbol in symbols {
        match symbol.kind {
            Some(Part::FlowchartNodeLabel) => after = symbol.span.end,
            Some(Part::FlowchartNode) => {
                let start = after.min(symbol.name_span.start);
                match connection(source.slice(Span { start, end: symbol.name_span.start })) {
                    Connection::And => {}
                    Connection::Link => {
                        join(&from, &group, &mut edges);
                        from = std::mem::take(&mut group);
                    }
                    Connection::Separate => {
                        join(&from, &group, &mut edges);
                        from.clear();
                        group.clear();
                    }
                }
                group.push(symbol);
                after = symbol.name_span.end;
            }
            _ => {}
        }
    }
    join(&from, &group, &mut edges);
    edges
}

/// Connects each node of `from` with each node of `to`.
fn join<'a>(from: &[&'a Symbol], to: &[&'a Symbol], edges: &mut Vec<(&'a str, &'a str, Span)>) {
    for start in from {
        for end in to {
            edges.push((&start.name, &end.name, start.name_span.cover(end.name_span)));
        }
    }
}

enum Connection {
    And,
    Link,
    Separate,
}

/// Classifies the text between two nodes.
fn connection(between: &str) -> Connection {
    let text = between.trim_matches([' ', '\t']);
    let text = match text.strip_prefix(":::") {
        Some(class) => {
            class.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'))
        }
        None => text,
    };
    let text = text.trim_matches([' ', '\t']);
    if text == "&" {
        Connection::And
    } else if text.is_empty() || text.contains(['\n', '\r', ';']) {
        Connection::Separate
    } else {
        Connection::Link
    }
}
