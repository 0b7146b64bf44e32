//! Checks on sequence diagrams.

use super::parse::{Part, Symbol, Type};
use super::{Diagram, line_at, nearest};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Source;
use std::collections::{BTreeSet, HashMap};

const DECLARATIONS: [Part; 2] = [Part::SequenceParticipant, Part::SequenceActor];

pub(super) fn undeclared_participant(diagram: &Diagram, report: &mut Report<'_>) {
    let declared: BTreeSet<&str> = diagram
        .symbols
        .iter()
        .filter(|symbol| symbol.is_in(&DECLARATIONS))
        .map(|symbol| &*symbol.name)
        .collect();
    // `create participant` is not optional, so it does not show that other participants must be
    // declared.
    let is_created = |symbol: &Symbol| {
        let line = line_at(diagram, symbol.name_span.start);
        line.is_some_and(|line| report.source().slice(line).starts_with("create"))
    };
    let mut declarations = diagram.symbols.iter().filter(|symbol| symbol.is_in(&DECLARATIONS));
    if declarations.all(is_created) || !diagram.is_rendered() {
        return;
    }
    let implicit = diagram.symbols_of_kind(Part::SequenceImplicitParticipant);
    for symbol in implicit.filter(|symbol| !declared.contains(&&*symbol.name)) {
        let message =
            format!("participant `{}` is not declared, unlike other participants", symbol.name);
        let finding = report.at(symbol.name_span, message);
        match nearest(&symbol.name, declared.iter().copied()) {
            Some(near) => finding
                .help(format!("Did you mean `{near}`?"))
                .fix_unsafe(format!("Write `{near}`"), vec![Edit::replace(symbol.name_span, near)]),
            None => finding.help(format!("Add `participant {}`", symbol.name)),
        };
    }
}

/// Kinds of symbols that name a participant. `participant A as Alice` also contains the label.
const PARTICIPANTS: [Part; 5] = [
    Part::SequenceParticipant,
    Part::SequenceImplicitParticipant,
    Part::SequenceParticipantReference,
    Part::SequenceParticipantLabel,
    Part::SequenceNoteParticipant,
];

/// The effect of a name in a message or statement on the activation bar of the participant.
enum BarChange {
    Begins,
    Ends,
}

pub(super) fn activation_without_end(diagram: &Diagram, report: &mut Report<'_>) {
    if diagram.kind != Some(Type::Sequence) || !diagram.is_rendered() {
        return;
    }
    let mut open: HashMap<&str, Vec<&Symbol>> = HashMap::new();
    let mut sender: Option<&Symbol> = None;
    for symbol in diagram.symbols.iter().filter(|symbol| symbol.is_in(&PARTICIPANTS)) {
        match bar_change(report.source(), diagram, symbol) {
            Some((BarChange::Begins, _)) => open.entry(&symbol.name).or_default().push(symbol),
            // `A-->>-B` ends the activation of the sender.
            Some((BarChange::Ends, by_sender)) => {
                let participant = if by_sender { sender.unwrap_or(symbol) } else { symbol };
                open.entry(&participant.name).or_default().pop();
            }
            None => {}
        }
        sender = Some(symbol);
    }
    let mut unclosed: Vec<&Symbol> = open.into_values().flatten().collect();
    unclosed.sort_by_key(|symbol| symbol.name_span);
    for symbol in unclosed {
        report
            .at(symbol.name_span, format!("`{}` is activated but never deactivated", symbol.name))
            .help(format!("Add `deactivate {}`, or `-` to the arrow of the reply", symbol.name));
    }
}

/// The effect of a symbol, and whether the effect applies to the bar of the sender.
fn bar_change(source: &Source, diagram: &Diagram, symbol: &Symbol) -> Option<(BarChange, bool)> {
    let line = line_at(diagram, symbol.name_span.start)?;
    let before = source
        .slice(aidd_engine::text::source::Span { start: line.start, end: symbol.name_span.start });
    match before.trim_end() {
        "activate" => return Some((BarChange::Begins, false)),
        "deactivate" => return Some((BarChange::Ends, false)),
        _ => {}
    }
    if let Some(arrow) = before.trim_end().strip_suffix('+') {
        return arrow.ends_with(['>', 'x', ')']).then_some((BarChange::Begins, false));
    }
    let arrow = before.trim_end().strip_suffix('-')?;
    arrow.ends_with(['>', 'x', ')']).then_some((BarChange::Ends, true))
}
