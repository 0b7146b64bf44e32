//! Code that runs only with some versions of a package.

use super::names::{Syntax, text_of};
use std::ops::Range;
use tree_sitter::Node;

/// Maximum number of enclosing nodes whose condition is read.
const MAX_ANCESTORS: usize = 64;

/// Words of a condition that tests for a version or for the existence of a name.
const WORDS: [&str; 6] = ["version", "hasattr", "getattr", "typeof", "VERSION", "Version"];

/// Exceptions that a missing name or module raises in Python.
const EXCEPTIONS: [&str; 4] = ["ImportError", "ModuleNotFoundError", "AttributeError", "TypeError"];

/// The ranges of the statements in which an import is optional, in order and without overlaps.
#[derive(Default)]
pub(super) struct Optional(Vec<Range<usize>>);

impl Optional {
    /// Adds the range of `node`, which follows all nodes that were added before, if an import in it
    /// is optional: it is in `try` or in a condition.
    pub(super) fn add(&mut self, node: Node<'_>, text: &str) {
        let is_optional = match node.kind() {
            "try_statement" => true,
            "if_statement" => {
                let condition = node.child_by_field_name("condition");
                !condition.is_some_and(|node| text_of(node, text).ends_with("TYPE_CHECKING"))
            }
            "ternary_expression" | "conditional_expression" => true,
            _ => false,
        };
        let is_inside = |last: &Range<usize>| node.start_byte() < last.end;
        if is_optional && !self.0.last().is_some_and(is_inside) {
            self.0.push(node.byte_range());
        }
    }

    /// Whether an import at this offset is optional.
    pub(super) fn contains(&self, at: usize) -> bool {
        let index = self.0.partition_point(|range| range.end <= at);
        self.0.get(index).is_some_and(|range| range.contains(&at))
    }
}

/// Whether a condition or an exception handler around a use of `name` shows that the code expects
/// that the name does not exist.
pub(super) fn is_guarded(name: &str, ancestors: &[Node<'_>], syntax: Syntax, text: &str) -> bool {
    ancestors.iter().rev().take(MAX_ANCESTORS).any(|node| {
        let condition = match node.kind() {
            "if_statement" | "ternary_expression" | "elif_clause" | "while_statement" => {
                node.child_by_field_name("condition")
            }
            "conditional_expression" => node.named_child(1),
            "binary_expression" | "boolean_operator" => node.child_by_field_name("left"),
            "try_statement" if syntax == Syntax::Python => {
                return handles_missing_name(*node, text);
            }
            _ => return false,
        };
        condition.is_some_and(|node| {
            let condition = text_of(node, text);
            condition.contains(name) || WORDS.iter().any(|word| condition.contains(word))
        })
    })
}

/// Whether a `try` statement in Python handles the exception of a missing name.
fn handles_missing_name(node: Node<'_>, text: &str) -> bool {
    let mut cursor = node.walk();
    let mut clauses =
        node.named_children(&mut cursor).filter(|node| node.kind() == "except_clause");
    clauses.any(|clause| {
        let head = text_of(clause, text).lines().next().unwrap_or_default();
        EXCEPTIONS.iter().any(|name| head.contains(name))
    })
}
