//! A common representation of JSON, YAML, XML and INI-style settings: nodes with a key, an optional
//! text, and children. Nodes are stored in one vector, which avoids recursion.

use crate::text::source::Span;
use crate::text::time_limit::step;

/// Maximum number of children that a lookup by key searches.
const MAX_LOOKUP: usize = 64;

/// A node of a [`Tree`].
#[derive(Clone, Debug)]
pub struct Node {
    /// The index of the parent; the root is its own parent.
    pub parent: usize,
    /// The key in a mapping, or the name of an element, a section or (after `@`) an attribute;
    /// empty for items of a sequence.
    pub key: String,
    /// The text of a scalar, unescaped.
    pub value: Option<String>,
    /// The span of the text, without its quotes.
    pub span: Span,
    /// The indexes of the children.
    pub children: Vec<usize>,
    /// Whether the scalar was in quotes.
    pub quoted: bool,
}

/// The data of one file as a tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The nodes; the first is the root, and parents precede their children.
    pub nodes: Vec<Node>,
    /// Whether the whole text was parsed.
    pub complete: bool,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Node {
            parent: 0,
            key: String::new(),
            value: None,
            span: Span::default(),
            children: Vec::new(),
            quoted: false,
        };
        Self { nodes: vec![root], complete: true }
    }
}

impl Tree {
    /// Adds a node without text.
    pub fn add_branch(&mut self, parent: usize, key: impl Into<String>) -> usize {
        self.add(parent, key.into(), None, Span::default(), false)
    }

    /// Adds a scalar.
    pub fn add_leaf(
        &mut self,
        parent: usize,
        key: impl Into<String>,
        value: impl Into<String>,
        span: Span,
        quoted: bool,
    ) -> usize {
        self.add(parent, key.into(), Some(value.into()), span, quoted)
    }

    fn add(
        &mut self,
        parent: usize,
        key: String,
        value: Option<String>,
        span: Span,
        quoted: bool,
    ) -> usize {
        let at = self.nodes.len();
        self.nodes.push(Node { parent, key, value, span, children: Vec::new(), quoted });
        if let Some(node) = self.nodes.get_mut(parent) {
            node.children.push(at);
        }
        at
    }

    /// The child of `node` with this key, compared ignoring case. Only the first children are
    /// searched, so that lists with many thousands of items are fast; the keys that are looked up
    /// are at the start.
    #[must_use]
    pub fn child(&self, node: usize, key: &str) -> Option<&Node> {
        step();
        let children = &self.nodes.get(node)?.children;
        children
            .iter()
            .take(MAX_LOOKUP)
            .map(|&at| &self.nodes[at])
            .find(|child| child.key.eq_ignore_ascii_case(key))
    }

    /// The text of the child of `node` with this key.
    #[must_use]
    pub fn text(&self, node: usize, key: &str) -> Option<&str> {
        self.child(node, key)?.value.as_deref()
    }

    /// Whether an ancestor of `node` has this key.
    #[must_use]
    pub fn is_below(&self, node: usize, key: &str) -> bool {
        self.above(node).any(|at| self.nodes[at].key.eq_ignore_ascii_case(key))
    }

    /// The ancestors of `node`, nearest first, without the root.
    pub fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        let up = |at: usize| {
            step();
            self.nodes.get(at).map(|node| node.parent).filter(|&at| at != 0)
        };
        std::iter::successors(up(node), move |&at| up(at))
    }
}
