//! Positions and children of syntax nodes.

use super::Position;
use crate::fields::Fields as _;
use tree_sitter::Node;

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The start of a node.
pub(crate) fn start(node: Node<'_>) -> Position {
    let at = node.start_position();
    Position { offset: offset(node.start_byte()), line: offset(at.row), column: offset(at.column) }
}

/// The end of a node.
pub(crate) fn end(node: Node<'_>) -> Position {
    let at = node.end_position();
    Position { offset: offset(node.end_byte()), line: offset(at.row), column: offset(at.column) }
}

/// The named children of a node.
pub(crate) fn named<'n>(node: Node<'n>) -> impl Iterator<Item = Node<'n>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_named() && !child.is_extra() {
                return Some(child);
            }
        }
        None
    })
}

/// Whether a node has a child of this kind, which can be a token.
pub(crate) fn has_child(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind_name() == kind)
}

/// The first named child of one of these kinds.
pub(crate) fn child_of<'n>(node: Node<'n>, kinds: &[&str]) -> Option<Node<'n>> {
    named(node).find(|child| kinds.contains(&child.kind_name()))
}
