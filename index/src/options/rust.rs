//! Options of clap: attributes of derived parsers, and `Arg` builders.

use super::{File, named, unquoted};
use crate::fields::Fields as _;
use tree_sitter::Node;

pub(super) fn visit(file: &mut File<'_>, node: Node<'_>) {
    match node.kind() {
        "field_declaration" => field(file, node),
        "call_expression" => builder(file, node),
        _ => {}
    }
}

/// A token of an attribute: its text, or `None` for a nested list.
type Arguments = Vec<(String, Option<String>)>;

/// A field with `#[arg(long, default_value_t = 3)]`.
fn field(file: &mut File<'_>, node: Node<'_>) {
    let (mut docs, mut arguments) = (Vec::new(), Arguments::new());
    let mut before = node.prev_named_sibling();
    while let Some(item) = before {
        match item.kind() {
            "line_comment" => {
                if let Some(doc) = file.text_of(item).strip_prefix("///") {
                    docs.push(doc.trim().to_owned());
                }
            }
            "attribute_item" => arguments.extend(attribute(file, item)),
            _ => break,
        }
        before = item.prev_named_sibling();
    }
    let of = |name: &str| arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let default = ["default_value", "default_value_t"].into_iter().find_map(&of);
    let Some(default) = default.cloned().flatten() else { return };
    let own_name = file.field(node, "name").trim_start_matches("r#").replace('_', "-");
    let name = match (of("long"), of("short")) {
        (Some(long), _) => {
            let long = long.as_deref().map(|text| unquoted(text).unwrap_or_default());
            format!("--{}", long.filter(|text| !text.is_empty()).unwrap_or(own_name))
        }
        (None, Some(short)) => {
            let short = short.as_deref().map(|text| unquoted(text).unwrap_or_default());
            let first = own_name.chars().next().map(String::from).unwrap_or_default();
            format!("-{}", short.filter(|text| !text.is_empty()).unwrap_or(first))
        }
        (None, None) => format!("[{}]", own_name.to_uppercase().replace('-', "_")),
    };
    docs.reverse();
    let paragraph: Vec<String> = docs.into_iter().take_while(|line| !line.is_empty()).collect();
    let help = of("help").cloned().flatten().and_then(|text| unquoted(&text));
    let help = help.unwrap_or_else(|| paragraph.join(" "));
    file.push(node, &name, value(&default), Some(help));
}

/// The arguments of `#[arg(…)]` or `#[clap(…)]`: `NAME`, or `NAME = VALUE`.
fn attribute(file: &File<'_>, item: Node<'_>) -> Arguments {
    let mut arguments = Arguments::new();
    let Some(attribute) = named(item).into_iter().next() else { return arguments };
    let path = named(attribute).into_iter().next().map(|path| file.text_of(path));
    let list = attribute.field("arguments");
    let (Some("arg" | "clap" | "structopt"), Some(list)) = (path, list) else {
        return arguments;
    };
    let mut cursor = list.walk();
    let tokens: Vec<Node<'_>> = list.children(&mut cursor).collect();
    let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    for argument in inner.split(|token| token.kind() == ",") {
        let argument: Vec<&Node<'_>> =
            argument.iter().filter(|token| !token.kind().contains("comment")).collect();
        let [name, rest @ ..] = &argument[..] else { continue };
        let name = file.text_of(**name).to_owned();
        let value = match rest {
            [equals, first, .., last] | [equals, first @ last] if equals.kind() == "=" => {
                file.text.get(first.start_byte()..last.end_byte()).map(str::to_owned)
            }
            _ => None,
        };
        arguments.push((name, value));
    }
    arguments
}

/// A call in a chain that begins with `Arg::new("port")`, at its `default_value`.
fn builder(file: &mut File<'_>, node: Node<'_>) {
    let function = node.field("function");
    if function.is_none_or(|function| file.field(function, "field") != "default_value") {
        return;
    }
    let mut call = Some(node);
    while let Some(outer) = call.and_then(outer_call) {
        call = Some(outer);
    }
    let mut chain = Vec::new();
    while let Some(inner) = call.filter(|call| call.kind() == "call_expression") {
        chain.push(inner);
        call = inner.field("function").and_then(|it| it.field("value"));
    }
    let (mut name, mut long, mut help, mut default) = (None, None, None, None);
    for call in chain.into_iter().rev() {
        let Some(function) = call.field("function") else { continue };
        let arguments = call.field("arguments").map(named).unwrap_or_default();
        let argument = arguments.first().map_or("", |first| file.text_of(*first));
        match file.field(function, "field") {
            "long" => long = unquoted(argument).or_else(|| name.clone()),
            "help" => help = unquoted(argument),
            "default_value" => default = value(argument),
            _ if file.text_of(function).ends_with("Arg::new") => name = unquoted(argument),
            _ => {}
        }
    }
    let Some(name) = name else { return };
    let name =
        long.map_or_else(|| format!("[{}]", name.to_uppercase()), |long| format!("--{long}"));
    file.push(node, &name, default, help);
}

/// The call of a method on the result of a call.
fn outer_call(call: Node<'_>) -> Option<Node<'_>> {
    let method = call.parent().filter(|method| method.kind() == "field_expression")?;
    method.parent().filter(|call| call.kind() == "call_expression")
}

/// The value of a literal, or the path of a variant.
fn value(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = unquoted(text) {
        return Some(inner);
    }
    let is_number = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let is_number =
        is_number && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    let is_variant = text.split_once("::").is_some_and(|(_, last)| {
        let is_word = last.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        is_word && last.chars().any(char::is_lowercase)
    });
    (is_number || is_variant || text == "true").then(|| text.to_owned())
}
