//! Checks that what is named is there.

use super::parse::Symbol;
use super::{Diagram, nearest};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::{Source, Span};
use std::collections::{BTreeSet, HashMap};

/// What refers to what: kinds of references, kinds of names they may mean, what to call it.
const REFERENCES: &[(&[&str], &[&str], &str)] = &[
    (&["gantt dependency", "gantt click target"], &["gantt task"], "task"),
    (
        &["flowchart interaction target", "flowchart class target", "flowchart style target"],
        &["flowchart node", "subgraph"],
        "node",
    ),
    (
        &[
            "class interaction target",
            "class note target",
            "class css target",
            "class style target",
        ],
        CLASSES,
        "class",
    ),
    (
        &["state class target", "state style target", "state click target", "state note target"],
        &["state", "state reference", "state fork", "state join", "state choice"],
        "state",
    ),
    (&["er class target", "er style target"], &["er entity", "er implicit entity"], "entity"),
    (
        &[
            "c4 relation source",
            "c4 relation target",
            "c4 style target",
            "c4 relation style source",
            "c4 relation style target",
        ],
        C4_ELEMENTS,
        "element",
    ),
    (
        &[
            "requirement relationship source",
            "requirement relationship target",
            "requirement class target",
            "requirement style target",
        ],
        REQUIREMENTS,
        "requirement or element",
    ),
    (&["block style target", "block class target"], &["block node", "block composite"], "block"),
    (
        &[
            "eventmodeling source frame",
            "eventmodeling note source frame",
            "eventmodeling gwt source frame",
        ],
        &["eventmodeling frame"],
        "frame",
    ),
    (
        &[
            "wardley link source",
            "wardley link target",
            "wardley evolved component",
            "wardley pipeline parent",
        ],
        &[
            "wardley component",
            "wardley anchor",
            "wardley node",
            "wardley pipeline component",
            "wardley note",
        ],
        "component",
    ),
];

/// Names of a C4 diagram.
pub(super) const C4_ELEMENTS: &[&str] = &[
    "c4 person",
    "c4 system",
    "c4 container",
    "c4 component",
    "c4 element",
    "c4 boundary",
    "c4 deployment node",
];

/// Names of a requirement diagram.
pub(super) const REQUIREMENTS: &[&str] = &[
    "requirement",
    "functional requirement",
    "interface requirement",
    "performance requirement",
    "physical requirement",
    "design constraint",
    "requirement element",
];

const CLASSES: &[&str] =
    &["class", "class relation target", "class member owner", "class annotation target"];

pub(super) fn unknown_reference(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.drawn() {
        return;
    }
    for (from, to, what) in REFERENCES {
        let mut symbols = diagram.symbols.iter().filter(|symbol| from.contains(&&*symbol.what));
        let Some(first) = symbols.next() else { continue };
        let known: BTreeSet<&str> = diagram
            .symbols
            .iter()
            .filter(|symbol| to.contains(&&*symbol.what))
            // A generic class is spoken of without its parameters.
            .flat_map(|symbol| [&*symbol.name, symbol.name.split('~').next().unwrap_or_default()])
            .collect();
        for symbol in std::iter::once(first).chain(symbols) {
            if !known.contains(&*symbol.name) && !is_default(symbol) {
                missing(symbol, what, &known, report);
            }
        }
    }
}

/// `style default …` and the like speak of all.
fn is_default(symbol: &Symbol) -> bool {
    symbol.name == "default" || symbol.name.is_empty()
}

fn missing(symbol: &Symbol, what: &str, known: &BTreeSet<&str>, report: &mut Report<'_>) {
    let finding = report.at(symbol.at, format!("no {what} is called `{}`", symbol.name));
    if let Some(near) = nearest(&symbol.name, known.iter().copied()) {
        finding.help(format!("Did you mean `{near}`?"));
        finding.fix_unsafe(format!("Write `{near}`"), vec![Edit::replace(symbol.at, near)]);
    }
}

/// Kinds of names that ask for a style class.
const CLASS_USES: [&str; 11] = [
    "flowchart class name",
    "class inline class",
    "class css reference",
    "state class reference",
    "state inline class",
    "er inline class",
    "er class name",
    "requirement class",
    "block class name",
    "quadrant class use",
    "treemap class selector",
];

pub(super) fn undefined_class(diagram: &Diagram, report: &mut Report<'_>) {
    let defined: BTreeSet<&str> = definitions(diagram).map(|symbol| symbol.name.trim()).collect();
    // A page may bring classes of its own; a diagram that defines some, defines all it uses.
    if defined.is_empty() || !diagram.drawn() {
        return;
    }
    let used = diagram.symbols.iter().filter(|symbol| CLASS_USES.contains(&&*symbol.what));
    let used = used.map(|symbol| (symbol.name.trim(), symbol.at));
    let inline = inline_classes(report.source(), diagram);
    let wanted = diagram.model.wanted_classes.iter();
    let wanted = wanted.filter_map(|class| inline.get_key_value(&**class).map(|(k, at)| (*k, *at)));
    let found: Vec<(&str, Span)> = used.chain(wanted).collect();
    for (name, at) in found {
        if defined.contains(name)
            || name.is_empty()
            || name.contains([',', ' '])
            || name == "default"
        {
            continue;
        }
        let finding = report.at(at, format!("no `classDef` defines `{name}`"));
        if let Some(near) = nearest(name, defined.iter().copied()) {
            finding.help(format!("Did you mean `{near}`?"));
            finding.fix_unsafe(format!("Write `{near}`"), vec![Edit::replace(at, near)]);
        }
    }
}

fn definitions(diagram: &Diagram) -> impl Iterator<Item = &Symbol> {
    diagram.symbols.iter().filter(|symbol| symbol.class_definition)
}

/// Where a class is first named after `:::`.
fn inline_classes<'a>(source: &'a Source, diagram: &Diagram) -> HashMap<&'a str, Span> {
    let mut places = HashMap::new();
    for &line in &diagram.lines {
        let text = source.slice(line);
        for (at, _) in text.match_indices(":::") {
            let start = at + 3;
            let rest = &text[start..];
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let place = Span::new(line.start as usize + start, line.start as usize + start + end);
            places.entry(&rest[..end]).or_insert(place);
        }
    }
    places
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

pub(super) fn unused_class(diagram: &Diagram, report: &mut Report<'_>) {
    if !diagram.drawn() {
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
        // One mention is the definition; a name with other characters is not counted.
        if words.get(name) == Some(&1) {
            report.at(symbol.at, format!("nothing uses the class `{name}`"));
        }
    }
}
