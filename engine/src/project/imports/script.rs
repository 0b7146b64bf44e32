//! Reads the imports of JavaScript and TypeScript.

use super::{Facts, Import, Name, Node, Specifier, span};
use crate::text::source::Span;

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    // Nodes are in text order, so one offset is enough to know whether a function is still open.
    let mut deferred_until = 0;
    for node in root.dfs() {
        match &*node.kind() {
            "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function_declaration" => {
                deferred_until = deferred_until.max(node.range().end);
            }
            "import_statement" => {
                let source = node.field("source").or_else(|| required(&node));
                let before = facts.imports.len();
                add(source, is_type_only(&node), facts);
                let binds = has_word(&node, "import_clause");
                facts.imports[before..].iter_mut().for_each(|one| {
                    let Name::Script(specifier) = &one.name else { return };
                    one.binds = binds.then(|| Specifier::of(specifier));
                });
            }
            "export_statement" => add(node.field("source"), has_word(&node, "type"), facts),
            "call_expression" => {
                let before = facts.imports.len();
                add(called(&node), false, facts);
                // `import("a")` is asynchronous; `require` runs immediately.
                let is_import = node.field("function").is_some_and(|one| one.kind() == "import");
                let deferred = is_import || node.range().start < deferred_until;
                facts.imports[before..].iter_mut().for_each(|one| one.deferred = deferred);
            }
            _ => {}
        }
    }
}

/// The source of `import a = require("b")`.
fn required<'r>(statement: &Node<'r>) -> Option<Node<'r>> {
    statement.children().find(|child| child.kind() == "import_require_clause")?.field("source")
}

/// The argument of `import("a")` and `require("a")`.
fn called<'r>(call: &Node<'r>) -> Option<Node<'r>> {
    let function = call.field("function")?;
    let imports = match &*function.kind() {
        "import" => true,
        "identifier" => function.text() == "require",
        _ => false,
    };
    if !imports {
        return None;
    }
    let argument = call.field("arguments")?.children().find(Node::is_named)?;
    (argument.kind() == "string").then_some(argument)
}

fn has_word(node: &Node<'_>, word: &str) -> bool {
    node.children().any(|child| child.kind() == word)
}

/// Whether it is `import type …`, or every name in the braces is a type.
fn is_type_only(statement: &Node<'_>) -> bool {
    if has_word(statement, "type") || has_word(statement, "typeof") {
        return true;
    }
    let Some(clause) = statement.children().find(|child| child.kind() == "import_clause") else {
        return false;
    };
    let mut named = clause.children().filter(Node::is_named);
    let Some(only) = named.next().filter(|first| first.kind() == "named_imports") else {
        return false;
    };
    let mut any = false;
    for specifier in only.children().filter(|child| child.kind() == "import_specifier") {
        if !has_word(&specifier, "type") {
            return false;
        }
        any = true;
    }
    any && named.next().is_none()
}

fn add(source: Option<Node<'_>>, type_only: bool, facts: &mut Facts) {
    let Some(source) = source else { return };
    let quoted = source.text();
    let Some(name) = quoted.get(1..quoted.len().saturating_sub(1)) else { return };
    // Module names contain no escapes in practice.
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
