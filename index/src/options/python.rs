//! Options of argparse and click.

use super::{File, longest_form, named, unquoted};
use crate::fields::Fields as _;
use tree_sitter::Node;

pub(super) fn visit(file: &mut File<'_>, node: Node<'_>) {
    if node.kind() != "call" {
        return;
    }
    let Some(function) = node.field("function") else { return };
    let called = match function.kind() {
        "attribute" => file.field(function, "attribute"),
        _ => file.text_of(function),
    };
    let is_decorator = node.parent().is_some_and(|parent| parent.kind() == "decorator");
    match called {
        "add_argument" => {}
        "option" | "argument" if is_decorator => {}
        _ => return,
    }
    let Some(arguments) = node.field("arguments") else { return };
    let (mut forms, mut default, mut help, mut is_count) = (Vec::new(), None, None, false);
    for argument in named(arguments) {
        if argument.kind() != "keyword_argument" {
            forms.extend(text(file, argument));
            continue;
        }
        let given = argument.field("value");
        match file.field(argument, "name") {
            "default" => default = given.and_then(|given| value(file, given)),
            "help" => help = given.and_then(|given| text(file, given)),
            "action" => {
                is_count = given.and_then(|given| text(file, given)).as_deref() == Some("count");
            }
            _ => {}
        }
    }
    default = default.filter(|default| !is_count || default != "0");
    let Some(name) = longest_form(&forms) else { return };
    // click declares a flag and its opposite in one form.
    let name = name.split('/').next().unwrap_or_default().trim().to_owned();
    file.push(node, &name, default, help);
}

/// The content of a string, also of strings next to each other.
fn text(file: &File<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string" => unquoted(file.text_of(node)),
        "concatenated_string" => {
            let parts = named(node).into_iter().map(|part| unquoted(file.text_of(part)));
            parts.collect::<Option<Vec<String>>>().map(|parts| parts.concat())
        }
        "parenthesized_expression" => text(file, named(node).into_iter().next()?),
        _ => None,
    }
}

fn value(file: &File<'_>, node: Node<'_>) -> Option<String> {
    let source = || file.text_of(node).to_owned();
    match node.kind() {
        "string" => unquoted(file.text_of(node)),
        "integer" | "float" | "true" => Some(source()),
        "unary_operator" => {
            let operand = node.field("argument")?;
            matches!(operand.kind(), "integer" | "float").then(source)
        }
        "list" | "tuple" => {
            let items = named(node);
            items.iter().all(|item| value(file, *item).is_some()).then(source)
        }
        _ => None,
    }
}
