//! Checks on tests in Ruby that compare the tests of a class or group with each other.

use super::{node_span, report_at, text_of};
use aidd_engine::check::FileContext;
use aidd_engine::rules::rule::Report;
use std::collections::HashMap;
use tree_sitter::Node;

const SHADOWED: &str = "tests/ruby-shadowed-test";
const DUPLICATE: &str = "tests/ruby-duplicate-title";

/// The rules on tests in Ruby that are written in Rust.
pub(super) const RULES: &[&str] = &[DUPLICATE, SHADOWED];

/// Runs the rules over the tree of the source.
pub(super) fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    if !RULES.iter().any(|rule| report.begin(rule)) {
        return;
    }
    let Some(root) = context.tree.root() else { return };
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        match node.kind() {
            // The body of a class, of `do … end`, of `{ … }`.
            "block_body" | "body_statement" | "program" => {
                check_methods(node, report);
                check_examples(node, report);
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Reports test methods of a class that a later method of the same name replaces.
fn check_methods(body: Node<'_>, report: &mut Report<'_>) {
    let text = report.source().text();
    let mut last: HashMap<&str, Node<'_>> = HashMap::new();
    let mut cursor = body.walk();
    for method in body.named_children(&mut cursor).filter(|node| node.kind() == "method") {
        let Some(name_node) = method.child_by_field_name("name") else { continue };
        let name = text_of(name_node, text);
        if !name.starts_with("test_") {
            continue;
        }
        if let Some(earlier) = last.insert(name, name_node) {
            let message = format!("test does not run: a later method replaces `{name}`");
            if let Some(finding) = report_at(report, SHADOWED, node_span(earlier), message) {
                finding.related(node_span(name_node), "replaced here");
            }
        }
    }
}

/// Reports examples of a group with the same description.
fn check_examples(body: Node<'_>, report: &mut Report<'_>) {
    let text = report.source().text();
    let mut first: HashMap<&str, Node<'_>> = HashMap::new();
    let mut cursor = body.walk();
    for call in body.named_children(&mut cursor).filter(|node| node.kind() == "call") {
        let Some(title) = title_of_example(call, text) else { continue };
        let Some(earlier) = first.get(text_of(title, text)) else {
            first.insert(text_of(title, text), title);
            continue;
        };
        let message = "another test of the group has the same title";
        let earlier = node_span(*earlier);
        if let Some(finding) = report_at(report, DUPLICATE, node_span(title), message) {
            finding.related(earlier, "first test with this title");
        }
    }
}

/// The description of an example, if it is a string without interpolation.
fn title_of_example<'t>(call: Node<'t>, text: &str) -> Option<Node<'t>> {
    let method = text_of(call.child_by_field_name("method")?, text);
    let is_example = matches!(method, "example" | "it" | "scenario" | "specify" | "test");
    if !is_example || call.child_by_field_name("receiver").is_some() {
        return None;
    }
    call.child_by_field_name("block")?;
    let arguments = call.child_by_field_name("arguments")?;
    // Metadata can distinguish examples: `it "loads", :js do`.
    let title = arguments.named_child(0).filter(|_| arguments.named_child_count() == 1)?;
    let mut cursor = title.walk();
    let is_plain = title.kind() == "string"
        && title.named_children(&mut cursor).all(|part| part.kind() != "interpolation");
    is_plain.then_some(title)
}
