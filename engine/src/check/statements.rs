//! The instructions that an allow comment on the line above covers as a whole.

use super::Engine;
use crate::forms::syntax::language_of;
use crate::parse::comments::{self, Comment};
use crate::parse::syntax::{Tree, parse_text};
use crate::text::source::{Source, Span};
use ast_grep_language::SupportLang;
use tree_sitter::Node;

impl Engine {
    /// The statements of the families, the literals and start tags of more than one line, sorted.
    pub(crate) fn statements(&self, source: &Source, tree: &Tree<'_>) -> Vec<Span> {
        let mut spans = self.distribution.statements(source);
        let path = source.path();
        if let Some((_, language)) = language_of(path) {
            if let Some(parsed) = tree.in_language(language) {
                collect(parsed.root().get_inner_node(), &mut spans);
            }
        } else if comments::of_file(path, source.text()).is_some_and(Comment::is_markup)
            && let Some(parsed) = parse_text(source.text(), SupportLang::Html)
        {
            collect(parsed.root().get_inner_node(), &mut spans);
        }
        spans.sort();
        spans
    }
}

/// Collects the literals and start tags below `root` that span several lines.
fn collect(root: Node<'_>, spans: &mut Vec<Span>) {
    let mut remaining = vec![root];
    while let Some(node) = remaining.pop() {
        if node.start_position().row == node.end_position().row {
            continue;
        }
        if is_literal(node.kind()) {
            // A here-document belongs to the line above its text.
            let is_body = node.kind() == "heredoc_body";
            spans.push(Span::new(node.start_byte() - usize::from(is_body), node.end_byte()));
        }
        let mut cursor = node.walk();
        remaining.extend(node.children(&mut cursor));
    }
}

fn is_literal(kind: &str) -> bool {
    const OTHERS: [&str; 10] = [
        "heredoc_body",
        "heredoc_redirect",
        "heredoc",
        "nowdoc",
        "block_scalar",
        "double_quote_scalar",
        "single_quote_scalar",
        "start_tag",
        "self_closing_tag",
        "jsx_self_closing_element",
    ];
    kind.contains("string") || kind == "jsx_opening_element" || OTHERS.contains(&kind)
}
