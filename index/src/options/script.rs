//! Options of commander and yargs.

use super::{File, longest_form, named, unquoted};
use crate::fields::Fields as _;
use tree_sitter::Node;

pub(super) fn visit(file: &mut File<'_>, node: Node<'_>) {
    if node.kind() != "call_expression" {
        return;
    }
    let Some(function) = node.field("function") else { return };
    let Some(arguments) = node.field("arguments") else { return };
    let arguments = named(arguments);
    match (file.field(function, "property"), &arguments[..]) {
        ("option" | "requiredOption", [name, settings]) if settings.kind() == "object" => {
            if let Some(name) = text(file, *name) {
                declared(file, node, &name, *settings);
            }
        }
        ("options", [options]) if options.kind() == "object" => {
            for pair in named(*options).into_iter().filter(|pair| pair.kind() == "pair") {
                let key = file.field(pair, "key");
                let name = unquoted(key).unwrap_or_else(|| key.to_owned());
                match pair.field("value") {
                    Some(settings) if settings.kind() == "object" => {
                        declared(file, pair, &name, settings);
                    }
                    _ => {}
                }
            }
        }
        ("option" | "requiredOption", [forms, help, rest @ ..]) => {
            let Some(name) = text(file, *forms).and_then(|forms| long_form(&forms)) else { return };
            // A function that parses the value can be before the default.
            let default = rest.iter().take(2).find_map(|default| value(file, *default));
            let help = text(file, *help);
            file.push(node, &name, default, help);
        }
        ("default", [default, ..]) => {
            let created = function.field("object").and_then(|it| created(file, it));
            if let Some((name, help)) = created {
                file.push(node, &name, value(file, *default), help);
            }
        }
        _ => {}
    }
}

/// The option in `new Option('-p, --port <n>', 'help')`, also with methods between.
fn created(file: &File<'_>, node: Node<'_>) -> Option<(String, Option<String>)> {
    let mut node = node;
    while node.kind() == "call_expression" {
        node = node.field("function")?.field("object")?;
    }
    let is_option =
        node.kind() == "new_expression" && file.field(node, "constructor").ends_with("Option");
    let arguments = node.field("arguments").filter(|_| is_option)?;
    let arguments = named(arguments);
    let name = long_form(&text(file, *arguments.first()?)?)?;
    Some((name, arguments.get(1).and_then(|help| text(file, *help))))
}

/// An option of yargs with its settings.
fn declared(file: &mut File<'_>, node: Node<'_>, name: &str, settings: Node<'_>) {
    let (mut default, mut help) = (None, None);
    for pair in named(settings).into_iter().filter(|pair| pair.kind() == "pair") {
        let given = pair.field("value");
        match file.field(pair, "key") {
            "default" => default = given.and_then(|given| value(file, given)),
            "describe" | "description" | "desc" => {
                help = given.and_then(|given| text(file, given));
            }
            _ => {}
        }
    }
    file.push(node, &format!("--{name}"), default, help);
}

/// The long form in the declaration `-p, --port <number>`.
fn long_form(forms: &str) -> Option<String> {
    let forms = forms.split([',', ' ', '|']).filter(|form| form.starts_with('-'));
    let forms: Vec<String> = forms.map(str::to_owned).collect();
    longest_form(&forms).cloned()
}

fn text(file: &File<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string" => unquoted(file.text_of(node)),
        "template_string" if named(node).iter().all(|part| part.kind() == "string_fragment") => {
            unquoted(file.text_of(node))
        }
        _ => None,
    }
}

fn value(file: &File<'_>, node: Node<'_>) -> Option<String> {
    let source = || file.text_of(node).to_owned();
    match node.kind() {
        "string" | "template_string" => text(file, node),
        "number" | "true" => Some(source()),
        "unary_expression" => {
            let operand = node.field("argument")?;
            (operand.kind() == "number").then(source)
        }
        "array" => named(node).iter().all(|item| value(file, *item).is_some()).then(source),
        _ => None,
    }
}
