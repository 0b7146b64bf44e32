//! Checks on metadata comments: blocks of `key: value` lines above a function, as the AIFP conventions
//! describe them, that contradict the code. Files without such blocks have no findings.

use aidd_engine::check::family::{Family, FileContext};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use serde_json::Value;
use std::collections::BTreeSet;
use tree_sitter::Node;

const MISMATCH: &str = "functional/metadata-mismatch";

/// The word with which each file with metadata contains one of its two forms.
const MARKERS: [&str; 2] = ["function_name:", "AIFP_METADATA:"];

/// The rule on metadata comments.
pub(super) const FAMILY: Family =
    Family { name: "metadata", rules: || vec![MISMATCH], check_code: check, ..Family::EMPTY };

fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let text = report.source().text();
    if !MARKERS.iter().any(|marker| text.contains(marker)) || !report.begin(MISMATCH) {
        return;
    }
    let Some(root) = context.tree.root() else { return };
    let mut functions = Vec::new();
    let mut comments = Vec::new();
    collect(root, text, &mut functions, &mut comments);
    let names: BTreeSet<&str> = functions.iter().map(|function| function.name).collect();
    for block in blocks(&comments, text) {
        if let Some((claim, span)) = block.json(text) {
            report_missing_names(&claim, span, &names, report);
            continue;
        }
        let fields = block.fields(text);
        let is_block = fields.iter().any(|(key, ..)| *key == "function_name");
        // The function begins in the line below the block, possibly after decorators or attributes.
        let below = functions.iter().find(|function| block.end_row + 1 == function.start_row);
        let Some(function) = below.filter(|_| is_block) else { continue };
        for (key, value, span) in fields {
            if let Some(message) = contradiction(key, value, function, &names, text) {
                report.at(span, message);
            }
        }
    }
}

/// A function or method with a name.
struct Function<'t> {
    name: &'t str,
    /// The first row, with decorators and attributes.
    start_row: usize,
    /// The names of the parameters; `None` if one of them is not a plain name.
    parameters: Option<Vec<&'t str>>,
    node: Node<'t>,
}

/// The functions and the comments below `node`, in the order of the text.
fn collect<'t>(
    root: Node<'t>,
    text: &'t str,
    functions: &mut Vec<Function<'t>>,
    comments: &mut Vec<Node<'t>>,
) {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.kind().ends_with("comment") {
            comments.push(node);
            continue;
        }
        functions.extend(function(node, text));
        let mut cursor = node.walk();
        let mut children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        children.reverse();
        open.extend(children);
    }
}

fn function<'t>(node: Node<'t>, text: &'t str) -> Option<Function<'t>> {
    let (name, body) = match node.kind() {
        "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_item"
        | "method_definition"
        | "method_declaration" => (node.child_by_field_name("name")?, node),
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            let is_function = matches!(value.kind(), "arrow_function" | "function_expression");
            (node.child_by_field_name("name").filter(|_| is_function)?, value)
        }
        _ => return None,
    };
    let mut first = node;
    while let Some(parent) = first.parent() {
        let is_wrapper = matches!(
            parent.kind(),
            "decorated_definition"
                | "export_statement"
                | "lexical_declaration"
                | "variable_declaration"
        );
        if !is_wrapper {
            break;
        }
        first = parent;
    }
    // In Rust, attributes are siblings.
    while let Some(before) = first.prev_named_sibling() {
        let is_adjacent = before.end_position().row + 1 >= first.start_position().row;
        if before.kind() != "attribute_item" || !is_adjacent {
            break;
        }
        first = before;
    }
    Some(Function {
        name: text.get(name.byte_range())?,
        start_row: first.start_position().row,
        parameters: parameters(body, text),
        node: body,
    })
}

/// The names of the parameters of a function, without `self`.
fn parameters<'t>(function: Node<'t>, text: &'t str) -> Option<Vec<&'t str>> {
    if let Some(single) = function.child_by_field_name("parameter") {
        return Some(vec![text.get(single.byte_range())?]);
    }
    let list = function.child_by_field_name("parameters")?;
    let mut names = Vec::new();
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        let word = |node: Node<'t>| text.get(node.byte_range());
        match parameter.kind() {
            "comment"
            | "line_comment"
            | "block_comment"
            | "self_parameter"
            | "keyword_separator"
            | "positional_separator" => {}
            "identifier" => names.push(word(parameter)?),
            // Go declares several names with one type.
            "parameter_declaration" | "variadic_parameter_declaration" => {
                let mut cursor = parameter.walk();
                let declared = parameter.children_by_field_name("name", &mut cursor);
                let before = names.len();
                for name in declared {
                    names.push(word(name)?);
                }
                if names.len() == before {
                    return None;
                }
            }
            _ => {
                let field = ["name", "pattern"]
                    .into_iter()
                    .find_map(|field| parameter.child_by_field_name(field));
                let first =
                    || parameter.named_child(0).filter(|_| parameter.kind() == "typed_parameter");
                let name = field.or_else(first)?;
                names.push(word(name).filter(|_| name.kind() == "identifier")?);
            }
        }
    }
    let is_receiver = names.first().is_some_and(|name| matches!(*name, "self" | "cls"));
    Some(names.into_iter().skip(usize::from(is_receiver)).collect())
}

/// Comments in adjacent lines.
struct Block {
    /// The bytes from the first to the last comment.
    start: usize,
    end: usize,
    end_row: usize,
}

fn blocks(comments: &[Node<'_>], text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for comment in comments {
        let range = comment.byte_range();
        // The comments of some grammars contain the line break.
        let end = range.start + text.get(range.clone()).unwrap_or_default().trim_end().len();
        let rows = text.get(range.start..end).unwrap_or_default().matches('\n').count();
        let end_row = comment.start_position().row + rows;
        match blocks.last_mut() {
            Some(block) if block.end_row + 1 == comment.start_position().row => {
                (block.end, block.end_row) = (end, end_row);
            }
            _ => blocks.push(Block { start: range.start, end, end_row }),
        }
    }
    blocks
}

impl Block {
    /// The lines without comment signs, each with its start in the text.
    fn lines<'t>(&self, text: &'t str) -> Vec<(usize, &'t str)> {
        let mut at = self.start;
        let lines = text.get(self.start..self.end).unwrap_or_default().split_inclusive('\n');
        let lines = lines.map(|line| {
            let content = line.trim_start_matches([' ', '\t', '#', '/', '*', '!', '-']);
            let start = at + line.len() - content.len();
            at += line.len();
            (start, content.trim_end().trim_end_matches("*/").trim_end())
        });
        lines.collect()
    }

    /// The `key: value` lines: key, value, span of the line.
    fn fields<'t>(&self, text: &'t str) -> Vec<(&'t str, &'t str, Span)> {
        let fields = self.lines(text).into_iter().filter_map(|(start, line)| {
            let (key, value) = line.split_once(':')?;
            let is_key = key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            is_key.then(|| (key, value.trim(), Span::new(start, start + line.len())))
        });
        fields.collect()
    }

    /// The JSON after `AIFP_METADATA:`, with the span of its line.
    fn json(&self, text: &str) -> Option<(Value, Span)> {
        self.lines(text).into_iter().find_map(|(start, line)| {
            let json = line.strip_prefix("AIFP_METADATA:")?.trim();
            let value = serde_json::from_str(json).ok().filter(Value::is_object)?;
            Some((value, Span::new(start, start + line.len())))
        })
    }
}

/// Reports the functions that a block of JSON lists and the file does not contain.
fn report_missing_names(
    claim: &Value,
    span: Span,
    names: &BTreeSet<&str>,
    report: &mut Report<'_>,
) {
    let listed = claim["function_names"].as_array().into_iter().flatten();
    for name in listed.filter_map(Value::as_str).filter(|name| !names.contains(name)) {
        report.at(span, format!("`function_names` lists `{name}`, which the file does not define"));
    }
}

/// The items of a list: JSON, or words between `[` and `]`. `none` is an empty list; `None` for a value
/// that is not a list.
fn items(value: &str) -> Option<Vec<String>> {
    if let Ok(Value::Array(items)) = serde_json::from_str(value) {
        return items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    }
    if value.eq_ignore_ascii_case("none") {
        return Some(Vec::new());
    }
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    // Types in parameters can contain commas.
    let mut items = vec![String::new()];
    let mut depth = 0_u32;
    for c in inner.chars() {
        match c {
            '[' | '(' | '<' | '{' => depth += 1,
            ']' | ')' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ',' && depth == 0 {
            items.push(String::new());
        } else if let Some(item) = items.last_mut() {
            item.push(c);
        }
    }
    let items = items.iter().map(|item| item.trim().trim_matches(['"', '\'', '`']).to_owned());
    Some(items.filter(|item| !item.is_empty()).collect())
}

/// How a field contradicts the function.
fn contradiction(
    key: &str,
    value: &str,
    function: &Function<'_>,
    names: &BTreeSet<&str>,
    text: &str,
) -> Option<String> {
    match key {
        "function_name" if value != function.name => {
            Some(format!("`function_name` is `{value}`, but the function is `{}`", function.name))
        }
        "parameters" => {
            let listed = items(value)?;
            let name = |item: &String| {
                let name = item.split(':').next().unwrap_or_default();
                name.split(['=', ' ', '?']).next().unwrap_or_default().trim_matches('*').to_owned()
            };
            let listed: Vec<String> = listed.iter().map(name).collect();
            let actual = function.parameters.as_ref()?;
            (listed != *actual).then(|| {
                let actual = actual.join(", ");
                format!("`parameters` are `{}`, but the function has `{actual}`", listed.join(", "))
            })
        }
        "dependencies" => {
            let listed = items(value)?;
            let used = used_names(function.node, text);
            let last = |item: &str| item.rsplit(['.', ':', '/']).next().unwrap_or(item).to_owned();
            let listed: Vec<String> =
                listed.iter().map(|item| last(item.trim_end_matches("()"))).collect();
            if let Some(unused) = listed.iter().find(|name| !used.contains(name.as_str())) {
                return Some(format!(
                    "`dependencies` lists `{unused}`, which the function does not use"
                ));
            }
            let called = called_names(function.node, text);
            let missing = called.into_iter().find(|name| {
                *name != function.name
                    && names.contains(name)
                    && !listed.iter().any(|listed| listed == name)
            })?;
            Some(format!("`dependencies` lacks `{missing}`, which the function calls"))
        }
        _ => None,
    }
}

/// The named nodes of a tree.
fn nodes<'t>(root: Node<'t>) -> Vec<Node<'t>> {
    let (mut all, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
        all.push(node);
    }
    all
}

/// The identifiers in a function.
fn used_names<'t>(function: Node<'t>, text: &'t str) -> BTreeSet<&'t str> {
    let identifiers =
        nodes(function).into_iter().filter(|node| node.kind().ends_with("identifier"));
    identifiers.filter_map(|node| text.get(node.byte_range())).collect()
}

/// The plain names that a function calls.
fn called_names<'t>(function: Node<'t>, text: &'t str) -> BTreeSet<&'t str> {
    let calls = nodes(function);
    let calls = calls.iter().filter(|node| matches!(node.kind(), "call" | "call_expression"));
    let callees = calls.filter_map(|node| node.child_by_field_name("function"));
    let plain = callees.filter(|callee| callee.kind() == "identifier");
    plain.filter_map(|node| text.get(node.byte_range())).collect()
}
