//! Reads the imports of JavaScript and TypeScript.

use super::{Facts, Import, Name, Node, Specifier, bindings, span, with_words};
use crate::text::source::Span;

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    // Nodes are visited in text order, so one offset is sufficient to know whether a function is
    // still open.
    let mut deferred_until = 0;
    for node in with_words(root, &["import", "export", "require"]) {
        match &*node.kind() {
            "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function_declaration" => {
                deferred_until = deferred_until.max(node.range().end);
            }
            "import_statement" => {
                let source = node.field("source").or_else(|| required_source(&node));
                let before = facts.imports.len();
                add(source, is_type_only(&node), facts);
                let binds = has_child(&node, "import_clause");
                facts.imports[before..].iter_mut().for_each(|import| {
                    let Name::Script(specifier) = &import.name else { return };
                    import.binds = binds.then(|| Specifier::of(specifier));
                });
                if facts.imports.len() > before {
                    bindings::bind_import_clause(&node, facts);
                }
            }
            "export_statement" => {
                let before = facts.imports.len();
                add(node.field("source"), has_child(&node, "type"), facts);
                if facts.imports.len() > before {
                    bindings::bind_reexports(&node, facts);
                }
            }
            "call_expression" => {
                let before = facts.imports.len();
                add(imported_source(&node), false, facts);
                // `import("a")` is asynchronous; `require` runs immediately.
                let is_import =
                    node.field("function").is_some_and(|import| import.kind() == "import");
                let deferred = is_import || node.range().start < deferred_until;
                facts.imports[before..].iter_mut().for_each(|import| import.deferred = deferred);
                if facts.imports.len() > before {
                    bindings::bind_require(&node, facts);
                }
            }
            _ => {}
        }
    }
}

/// The source of `import a = require("b")`.
fn required_source<'r>(statement: &Node<'r>) -> Option<Node<'r>> {
    statement.children().find(|child| child.kind() == "import_require_clause")?.field("source")
}

/// The argument of `import("a")` and `require("a")`.
fn imported_source<'r>(call: &Node<'r>) -> Option<Node<'r>> {
    let function = call.field("function")?;
    let is_import_call = match &*function.kind() {
        "import" => true,
        "identifier" => function.text() == "require",
        _ => false,
    };
    if !is_import_call {
        return None;
    }
    let argument = call.field("arguments")?.children().find(Node::is_named)?;
    (argument.kind() == "string").then_some(argument)
}

fn has_child(node: &Node<'_>, word: &str) -> bool {
    node.children().any(|child| child.kind() == word)
}

/// Whether the statement is `import type …`, or every name in its braces is a type.
fn is_type_only(statement: &Node<'_>) -> bool {
    if has_child(statement, "type") || has_child(statement, "typeof") {
        return true;
    }
    let Some(clause) = statement.children().find(|child| child.kind() == "import_clause") else {
        return false;
    };
    let mut named = clause.children().filter(Node::is_named);
    let Some(only) = named.next().filter(|first| first.kind() == "named_imports") else {
        return false;
    };
    let mut has_specifiers = false;
    for specifier in only.children().filter(|child| child.kind() == "import_specifier") {
        if !has_child(&specifier, "type") {
            return false;
        }
        has_specifiers = true;
    }
    has_specifiers && named.next().is_none()
}

fn add(source: Option<Node<'_>>, type_only: bool, facts: &mut Facts) {
    let Some(source) = source else { return };
    let quoted = source.text();
    let Some(name) = quoted.get(1..quoted.len().saturating_sub(1)) else { return };
    // In practice, module names contain no escapes.
    if name.is_empty() || name.contains('\\') {
        return;
    }
    let at = span(&source);
    let at = Span { start: at.start + 1, end: at.end - 1 };
    facts.imports.push(Import {
        name: Name::Script(name.to_owned()),
        span: at,
        statement: at,
        type_only,
        deferred: false,
        test: false,
        inline: false,
        binds: None,
    });
}
