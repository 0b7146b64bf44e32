//! Parses JSON, with or without comments, into a [`Tree`].

use super::tree::Tree;
use crate::text::source::Span;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Parses `text`; if it is not JSON, the tree is empty and not `complete`.
#[must_use]
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::default();
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(root) = parsed.ok().and_then(|parsed| parsed.value) else {
        tree.complete = false;
        return tree;
    };
    let mut pending = vec![(0, String::new(), &root)];
    while let Some((parent, key, value)) = pending.pop() {
        match value {
            Value::Object(object) => {
                let at = tree.add_branch(parent, key);
                // The order is reversed here and again by the stack, so that children retain their
                // order.
                pending.extend(
                    object
                        .properties
                        .iter()
                        .rev()
                        .map(|property| (at, property.name.as_str().to_owned(), &property.value)),
                );
            }
            Value::Array(array) => {
                let at = tree.add_branch(parent, key);
                pending.extend(array.elements.iter().rev().map(|item| (at, String::new(), item)));
            }
            Value::StringLit(text) => {
                let (start, end) = (text.range.start + 1, text.range.end.saturating_sub(1));
                let span = Span::new(start, end.max(start));
                tree.add_leaf(parent, key, text.value.as_ref(), span, true);
            }
            other => {
                let span = Span::new(other.start(), other.end());
                tree.add_leaf(parent, key, &text[other.start()..other.end()], span, false);
            }
        }
    }
    tree
}
