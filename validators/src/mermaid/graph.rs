//! Checks on connections.

use super::Diagram;
use super::parse::{Part, Type};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::{Source, Span};
use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn duplicate_edge(diagram: &Diagram, report: &mut Report<'_>) {
    let mut seen: HashMap<(&str, &str, &str), Span> = HashMap::new();
    for edge in &diagram.model.edges {
        let key = (&*edge.from, &*edge.to, &*edge.kind);
        match seen.get(&key) {
            Some(&first) => {
                let message = format!("duplicate connection of `{}` and `{}`", edge.from, edge.to);
                report.at(edge.span, message).related(first, "first connection");
            }
            None => {
                seen.insert(key, edge.span);
            }
        }
    }
    let machine = Machine::read(diagram, report.source());
    let mut seen: HashMap<(usize, &str, &str, &str), Span> = HashMap::new();
    for step in machine.iter().flat_map(|machine| &machine.steps) {
        let key = (step.scope, step.from, step.to, step.label);
        match seen.get(&key) {
            Some(&first) => {
                let message = format!("duplicate transition to `{}`", step.to);
                let finding = report.at(step.span, message);
                finding.related(first, "first transition");
            }
            None => {
                seen.insert(key, step.span);
            }
        }
    }
}

pub(super) fn self_loop(diagram: &Diagram, report: &mut Report<'_>) {
    for edge in diagram.model.edges.iter().filter(|edge| edge.from == edge.to) {
        report.at(edge.span, format!("`{}` is connected to itself", edge.from));
    }
}

pub(super) fn unconnected_node(diagram: &Diagram, report: &mut Report<'_>) {
    for id in &diagram.model.unconnected_nodes {
        if let Some(symbol) =
            diagram.symbols_of_kind(Part::FlowchartNode).find(|symbol| symbol.name == *id)
        {
            // A misspelled id creates another node, which has no text.
            let similar = nearest(id, diagram.model.bare_nodes.iter().map(String::as_str));
            let finding =
                report.at(symbol.name_span, format!("`{id}` is not connected to any node"));
            match similar {
                Some(similar) => finding.help(format!("Write `{id}` instead of `{similar}`")),
                None => {
                    finding.severity = finding.severity.min(Severity::Info);
                    finding.help("Connect it, move it into a subgraph, or remove it")
                }
            };
        }
    }
}

/// Reports a cycle in a sankey diagram: rendering a cycle fails.
pub(super) fn cyclic_flow(diagram: &Diagram, report: &mut Report<'_>) {
    if diagram.kind != Some(Type::Sankey) {
        return;
    }
    let edges = &diagram.model.edges;
    let forward: Vec<(&str, &str)> = edges.iter().map(|edge| (&*edge.from, &*edge.to)).collect();
    let backward: Vec<(&str, &str)> = forward.iter().map(|&(from, to)| (to, from)).collect();
    let mut cyclic: HashSet<&str> = forward.iter().flat_map(|&(from, to)| [from, to]).collect();
    remove_sources(&mut cyclic, &forward);
    remove_sources(&mut cyclic, &backward);
    // Among the remaining edges, an edge that leads back to a previously named node closes a cycle.
    let mut first_use: HashMap<&str, usize> = HashMap::new();
    for (at, &(from, _)) in forward.iter().enumerate() {
        first_use.entry(from).or_insert(at);
    }
    let closing = edges.iter().find(|edge| {
        cyclic.contains(&*edge.from)
            && cyclic.contains(&*edge.to)
            && first_use.get(&*edge.to) <= first_use.get(&*edge.from)
    });
    if let Some(edge) = closing {
        let message = format!("the flow from `{}` to `{}` closes a cycle", edge.from, edge.to);
        report.at(edge.span, message).help(
            "Split one of the nodes in two; a sankey diagram with a cycle cannot be rendered",
        );
    }
}

/// Repeatedly removes the nodes without an incoming edge from a remaining node.
fn remove_sources<'a>(nodes: &mut HashSet<&'a str>, edges: &[(&'a str, &'a str)]) {
    let mut entering: HashMap<&str, usize> = HashMap::new();
    let mut leaving: HashMap<&str, Vec<&'a str>> = HashMap::new();
    for &(from, to) in edges.iter().filter(|(a, b)| nodes.contains(a) && nodes.contains(b)) {
        *entering.entry(to).or_default() += 1;
        leaving.entry(from).or_default().push(to);
    }
    let mut ready: Vec<&str> =
        nodes.iter().copied().filter(|node| !entering.contains_key(node)).collect();
    while let Some(node) = ready.pop() {
        nodes.remove(node);
        for &next in leaving.get(node).into_iter().flatten() {
            if let Some(count) = entering.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    ready.push(next);
                }
            }
        }
    }
}

/// Maximum number of transitions: the time to visit the states is quadratic in this number, and no
/// legible diagram has more transitions.
const MAX_STEPS: usize = 1_000;

/// The states of a state diagram, parsed line by line. The machine is built only if the parser
/// found the same number of transitions.
struct Machine<'a> {
    steps: Vec<Step<'a>>,
    /// For each scope, the name of its composite state and the enclosing scope. Scope 0 is the
    /// whole diagram.
    scopes: Vec<(&'a str, usize)>,
}

struct Step<'a> {
    from: &'a str,
    to: &'a str,
    label: &'a str,
    scope: usize,
    span: Span,
    /// The span of `to`.
    to_span: Span,
    /// The span of `from`.
    from_span: Span,
}

impl<'a> Machine<'a> {
    fn read(diagram: &Diagram, source: &'a Source) -> Option<Self> {
        if diagram.kind != Some(Type::StateDiagram) || !diagram.is_rendered() {
            return None;
        }
        let mut machine = Self { steps: Vec::new(), scopes: vec![("", 0)] };
        let mut scope = 0;
        let mut in_note = false;
        for &line in diagram.lines.iter().skip(1) {
            let text = source.slice(line);
            if in_note {
                in_note = text != "end note";
            } else if text.starts_with("note ") {
                in_note = !text.contains(':');
            } else if text == "}" {
                scope = machine.scopes[scope].1;
            } else if text.starts_with("state ") && text.ends_with('{') {
                machine.scopes.push((composite(text), scope));
                scope = machine.scopes.len() - 1;
            } else if let Some(step) = step(text, line, scope) {
                machine.steps.push(step);
            }
        }
        let parsed = diagram.model.transitions;
        (parsed == machine.steps.len() && parsed <= MAX_STEPS).then_some(machine)
    }
}

/// The name of a composite state, from `state "…" as name {`.
fn composite(text: &str) -> &str {
    text.trim_end_matches('{').trim().rsplit([' ', '\t']).next().unwrap_or_default().trim()
}

fn step(text: &str, line: Span, scope: usize) -> Option<Step<'_>> {
    let arrow = text.find("-->")?;
    let (left, right) = (&text[..arrow], &text[arrow + 3..]);
    let colon = right.match_indices(':').map(|(at, _)| at).find(|&at| {
        // `:::` sets the style of the preceding state.
        !right[at..].starts_with(":::") && !right[..at].ends_with(':')
    });
    let (right, label) = colon.map_or((right, ""), |at| (&right[..at], right[at + 1..].trim()));
    let name_len = |text: &'_ str| text.find(":::").unwrap_or(text.len());
    let from = left[..name_len(left)].trim();
    let to = right[..name_len(right)].trim();
    let indent = right.len() - right.trim_start().len();
    let start = line.start as usize;
    let to_start = start + arrow + 3 + indent;
    Some(Step {
        from,
        to,
        label,
        scope,
        span: line,
        to_span: Span::new(to_start, to_start + to.len()),
        from_span: Span::new(start, start + from.len()),
    })
}

pub(super) fn unreachable_state(diagram: &Diagram, report: &mut Report<'_>) {
    let Some(machine) = Machine::read(diagram, report.source()) else { return };
    let has_start =
        |scope: usize| machine.steps.iter().any(|step| step.scope == scope && step.from == "[*]");
    if !has_start(0) {
        return;
    }
    let reached = reachable_states(&machine, has_start);
    let mut reported = BTreeSet::new();
    for step in &machine.steps {
        // Report only the first state of an unreachable chain: fixing this state also fixes the
        // other states.
        let has_transition =
            machine.steps.iter().any(|other| other.to == step.from && other.from != step.from);
        if step.from != "[*]"
            && !reached.contains(step.from)
            && !has_transition
            && reported.insert(step.from)
        {
            report
                .at(step.from_span, format!("no transition leads to `{}`", step.from))
                .help("Add a transition, from `[*]` if it is a start state");
        }
    }
    for step in &machine.steps {
        let is_in_cycle = step.to != "[*]" && !reached.contains(step.to) && reported.is_empty();
        if is_in_cycle && reported.insert(step.to) {
            report.at(step.to_span, format!("`{}` cannot be reached from the start", step.to));
        }
    }
}

fn reachable_states<'a>(
    machine: &Machine<'a>,
    has_start: impl Fn(usize) -> bool,
) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut scopes = BTreeSet::from([0]);
    loop {
        let before = (reached.len(), scopes.len());
        for step in &machine.steps {
            let open = scopes.contains(&step.scope);
            let from = if step.from == "[*]" { open } else { reached.contains(step.from) };
            // A composite state without its own start can start in any state.
            let anywhere = open && step.scope != 0 && !has_start(step.scope);
            if anywhere {
                reached.insert(step.from);
            }
            if from || anywhere {
                reached.insert(step.to);
            }
            if from && step.from != "[*]" {
                // An active inner state implies that the enclosing states are active.
                let mut scope = step.scope;
                while scope != 0 {
                    reached.insert(machine.scopes[scope].0);
                    scope = machine.scopes[scope].1;
                }
            }
        }
        for (scope, (name, _)) in machine.scopes.iter().enumerate() {
            if reached.contains(name) {
                scopes.insert(scope);
            }
        }
        if before == (reached.len(), scopes.len()) {
            return reached;
        }
    }
}

/// Deletes the line of `span`, with its line break.
pub(super) fn delete_line(source: &Source, span: Span) -> Edit {
    let line = source.line_of(span.start);
    let full_line = source.line_span(line);
    let next = source.line_span(line + 1).start.max(full_line.end);
    Edit::delete(Span { start: full_line.start, end: next })
}
