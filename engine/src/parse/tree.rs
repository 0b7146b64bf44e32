//! One shape for the data of JSON, YAML, XML and sectioned settings: nodes with a key, maybe a
//! text, and children. Nodes lie in one vector, so that nothing recurses.

use crate::text::source::Span;

/// How many children a look-up by key goes through.
const LOOK_UP: usize = 64;

/// A node of a [`Tree`].
#[derive(Clone, Debug)]
pub struct Node {
    /// The node this one belongs to; the root is its own parent.
    pub parent: usize,
    /// Name in a mapping, of an element, a section or (after `@`) an attribute; empty for items of
    /// a sequence.
    pub key: String,
    /// The text of a scalar, unescaped.
    pub value: Option<String>,
    /// Where the text stands, without its quotes.
    pub span: Span,
    /// What belongs to this node.
    pub children: Vec<usize>,
    /// Whether the scalar stood in quotes.
    pub quoted: bool,
}

/// The data of one file.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The nodes; the first is the root, and parents come before children.
    pub nodes: Vec<Node>,
    /// Whether the whole text was understood.
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
    pub fn branch(&mut self, parent: usize, key: impl Into<String>) -> usize {
        self.add(parent, key.into(), None, Span::default(), false)
    }

    /// Adds a scalar.
    pub fn leaf(
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

    /// The child of `node` with this key, compared without regard to case, among its first ones:
    /// what is looked up stands at the head, and a list of many thousands stays cheap.
    #[must_use]
    pub fn child(&self, node: usize, key: &str) -> Option<&Node> {
        let children = &self.nodes.get(node)?.children;
        children
            .iter()
            .take(LOOK_UP)
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
        let up = |at: usize| self.nodes.get(at).map(|node| node.parent).filter(|&at| at != 0);
        std::iter::successors(up(node), move |&at| up(at))
    }
}
