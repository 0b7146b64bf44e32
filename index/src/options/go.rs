//! Options of cobra, pflag and the package flag.

use super::{File, named, unquoted};
use crate::fields::Fields as _;
use tree_sitter::Node;

/// The types in the names of functions that declare an option, such as `StringVarP`.
const TYPES: &[&str] = &[
    "Bool",
    "Count",
    "Duration",
    "Float32",
    "Float64",
    "Int",
    "Int32",
    "Int64",
    "IntSlice",
    "IP",
    "String",
    "StringArray",
    "StringSlice",
    "Uint",
    "Uint16",
    "Uint32",
    "Uint64",
];

/// Functions and packages that return a set of options.
const SETS: &[&str] = &["Flags", "PersistentFlags", "LocalFlags", "LocalNonPersistentFlags"];

pub(super) fn visit(file: &mut File<'_>, node: Node<'_>) {
    if node.kind() != "call_expression" {
        return;
    }
    let Some(function) = node.field("function") else { return };
    let Some(receiver) = function.field("operand") else { return };
    let mut declared = file.field(function, "field");
    let has_short = declared.strip_suffix('P').map(|rest| declared = rest).is_some();
    let has_target = declared.strip_suffix("Var").map(|rest| declared = rest).is_some();
    if !TYPES.contains(&declared) || !is_set(file, receiver) {
        return;
    }
    let Some(arguments) = node.field("arguments") else { return };
    let arguments = named(arguments);
    let first = usize::from(has_target);
    let at = |index: usize| arguments.get(first + index + usize::from(has_short && index > 0));
    let (Some(name), Some(default), Some(help)) = (at(0), at(1), at(2)) else { return };
    let Some(name) = text(file, *name) else { return };
    let value = value(file, *default).filter(|value| value != "0");
    let help = text(file, *help);
    file.push(node, &format!("--{name}"), value, help);
}

/// Whether options can be declared on a value: a set of options of a command, a package for options,
/// or a variable whose name says so.
fn is_set(file: &File<'_>, receiver: Node<'_>) -> bool {
    match receiver.kind() {
        "call_expression" => {
            let function = receiver.field("function");
            function.is_some_and(|function| SETS.contains(&file.field(function, "field")))
        }
        "identifier" => {
            let name = file.text_of(receiver);
            matches!(name, "flag" | "pflag" | "flags" | "fs" | "flagSet" | "pf" | "f")
        }
        _ => false,
    }
}

fn text(file: &File<'_>, node: Node<'_>) -> Option<String> {
    matches!(node.kind(), "interpreted_string_literal" | "raw_string_literal")
        .then(|| unquoted(file.text_of(node)))
        .flatten()
}

/// A literal, or a duration such as `5 * time.Second`.
fn value(file: &File<'_>, node: Node<'_>) -> Option<String> {
    let source = || file.text_of(node).to_owned();
    match node.kind() {
        "interpreted_string_literal" | "raw_string_literal" => text(file, node),
        "int_literal" | "float_literal" | "true" => Some(source()),
        "unary_expression" => {
            let operand = node.field("operand")?;
            matches!(operand.kind(), "int_literal" | "float_literal").then(source)
        }
        "selector_expression" => (file.field(node, "operand") == "time").then(source),
        "binary_expression" => {
            let side = |name| node.field(name).and_then(|side| value(file, side));
            (side("left").is_some() && side("right").is_some()).then(source)
        }
        "composite_literal" => {
            let items = named(node.field("body")?);
            let is_literal = |item: &Node<'_>| {
                named(*item).first().is_some_and(|inner| value(file, *inner).is_some())
            };
            (!items.is_empty() && items.iter().all(is_literal)).then(|| {
                let texts: Vec<&str> = items.iter().map(|item| file.text_of(*item)).collect();
                texts.join(", ")
            })
        }
        _ => None,
    }
}
