//! Nodes with links to their ancestors. Tree-sitter finds the parent of a node from the root, so
//! that each look-up costs the depth of the node.

use crate::text::time_limit::step;
use ast_grep_core::source::{Edit, SgNode};
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Doc, NodeMatch, Position};
use ast_grep_language::SupportLang;
use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::{Node, TreeCursor};

/// A match in a [`LinkedDoc`].
pub(super) type LinkedMatch<'t> = NodeMatch<'t, LinkedDoc>;

/// A parsed text whose nodes are linked to their ancestors.
#[derive(Clone)]
pub(super) struct LinkedDoc(StrDoc<SupportLang>);

impl LinkedDoc {
    /// The tree of a parsed text.
    pub(super) fn tree(parsed: &AstGrep<StrDoc<SupportLang>>) -> AstGrep<Self> {
        AstGrep::doc(Self(parsed.root().get_doc().clone()))
    }
}

impl Doc for LinkedDoc {
    type Source = String;
    type Lang = SupportLang;
    type Node<'r> = LinkedNode<'r>;

    fn get_lang(&self) -> &SupportLang {
        self.0.get_lang()
    }

    fn get_source(&self) -> &String {
        self.0.get_source()
    }

    fn do_edit(&mut self, edit: &Edit<String>) -> Result<(), String> {
        self.0.do_edit(edit)
    }

    fn root_node(&self) -> LinkedNode<'_> {
        LinkedNode { node: self.0.root_node(), parent: None }
    }

    fn get_node_text<'a>(&'a self, node: &LinkedNode<'a>) -> Cow<'a, str> {
        self.0.get_node_text(&node.node)
    }
}

/// A node that was reached from the root; `parent` is `None` for the root.
#[derive(Clone)]
pub(super) struct LinkedNode<'r> {
    node: Node<'r>,
    parent: Option<Rc<Ancestor<'r>>>,
}

struct Ancestor<'r> {
    node: Node<'r>,
    parent: Option<Rc<Self>>,
}

impl Drop for Ancestor<'_> {
    /// Drops the ancestors in a loop: the nesting depth is not limited.
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut ancestor) = parent.and_then(Rc::into_inner) {
            parent = ancestor.parent.take();
        }
    }
}

impl<'r> LinkedNode<'r> {
    /// The node of tree-sitter that this one links.
    pub(super) fn node(&self) -> Node<'r> {
        self.node
    }

    fn from_ancestor(ancestor: &Ancestor<'r>) -> Self {
        step();
        Self { node: ancestor.node, parent: ancestor.parent.clone() }
    }

    /// The link that the children of this node have.
    fn as_parent(&self) -> Rc<Ancestor<'r>> {
        Rc::new(Ancestor { node: self.node, parent: self.parent.clone() })
    }

    fn to_child(&self, node: Node<'r>) -> Self {
        step();
        Self { node, parent: Some(self.as_parent()) }
    }

    /// A cursor over the children of the parent that starts at this node, or at the node after it
    /// if this node is empty; `None` for the root.
    fn sibling_cursor(&self) -> Option<TreeCursor<'r>> {
        let mut cursor = self.parent.as_ref()?.node.walk();
        cursor.goto_first_child_for_byte(self.node.start_byte());
        Some(cursor)
    }

    /// The nodes that `advance` reaches from this node.
    fn siblings(&self, advance: fn(&mut TreeCursor<'r>) -> bool) -> impl Iterator<Item = Self> {
        let (mut cursor, parent) = (self.sibling_cursor(), self.parent.clone());
        iter::from_fn(move || {
            let cursor = cursor.as_mut()?;
            step();
            advance(cursor).then(|| Self { node: cursor.node(), parent: parent.clone() })
        })
    }

    /// The sibling that `advance` reaches. Tree-sitter treats empty nodes, such as missing brackets,
    /// differently from cursors, so next to such a node it must `search` itself.
    fn sibling(
        &self,
        advance: fn(&mut TreeCursor<'r>) -> bool,
        search: fn(&Node<'r>) -> Option<Node<'r>>,
    ) -> Option<Self> {
        let mut cursor = self.sibling_cursor()?;
        let is_self = cursor.node().id() == self.node.id();
        let reached = (is_self && advance(&mut cursor)).then(|| cursor.node());
        let is_exact = is_self && reached.is_none_or(|node| !node.byte_range().is_empty());
        let node = if is_exact { reached } else { search(&self.node) };
        Some(Self { node: node?, parent: self.parent.clone() })
    }
}

impl<'r> SgNode<'r> for LinkedNode<'r> {
    fn parent(&self) -> Option<Self> {
        self.parent.as_deref().map(Self::from_ancestor)
    }

    fn ancestors(&self, _root: Self) -> impl Iterator<Item = Self> {
        iter::successors(self.parent(), Self::parent)
    }

    fn dfs(&self) -> impl Iterator<Item = Self> {
        let mut cursor = self.node.walk();
        let mut next = Some(self.clone());
        let mut depth = 0_usize;
        iter::from_fn(move || {
            step();
            let current = next.take()?;
            if cursor.goto_first_child() {
                depth += 1;
                next = Some(current.to_child(cursor.node()));
                return Some(current);
            }
            let mut parent = current.parent.clone();
            while depth > 0 {
                if cursor.goto_next_sibling() {
                    next = Some(Self { node: cursor.node(), parent });
                    break;
                }
                cursor.goto_parent();
                parent = parent.and_then(|ancestor| ancestor.parent.clone());
                depth -= 1;
            }
            Some(current)
        })
    }

    fn child(&self, nth: usize) -> Option<Self> {
        let node = self.node.child(u32::try_from(nth).ok()?)?;
        Some(self.to_child(node))
    }

    fn children(&self) -> impl ExactSizeIterator<Item = Self> {
        let mut cursor = self.node.walk();
        let parent = cursor.goto_first_child().then(|| self.as_parent());
        (0..self.node.child_count() as usize).map(move |_| {
            step();
            let node = cursor.node();
            cursor.goto_next_sibling();
            Self { node, parent: parent.clone() }
        })
    }

    fn child_by_field_id(&self, field_id: u16) -> Option<Self> {
        Some(self.to_child(self.node.child_by_field_id(field_id)?))
    }

    fn field(&self, name: &str) -> Option<Self> {
        Some(self.to_child(self.node.child_by_field_name(name)?))
    }

    fn field_children(&self, field_id: Option<u16>) -> impl Iterator<Item = Self> {
        let parent = self.as_parent();
        let fields: Vec<Node<'r>> = SgNode::field_children(&self.node, field_id).collect();
        fields.into_iter().map(move |node| Self { node, parent: Some(parent.clone()) })
    }

    fn next(&self) -> Option<Self> {
        self.sibling(TreeCursor::goto_next_sibling, Node::next_sibling)
    }

    fn prev(&self) -> Option<Self> {
        self.sibling(TreeCursor::goto_previous_sibling, Node::prev_sibling)
    }

    fn next_all(&self) -> impl Iterator<Item = Self> {
        self.siblings(TreeCursor::goto_next_sibling)
    }

    fn prev_all(&self) -> impl Iterator<Item = Self> {
        self.siblings(TreeCursor::goto_previous_sibling)
    }

    fn is_named(&self) -> bool {
        self.node.is_named()
    }

    fn is_named_leaf(&self) -> bool {
        self.node.named_child_count() == 0
    }

    fn is_leaf(&self) -> bool {
        self.node.child_count() == 0
    }

    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.node.kind())
    }

    fn kind_id(&self) -> u16 {
        self.node.kind_id()
    }

    fn node_id(&self) -> usize {
        self.node.id()
    }

    fn range(&self) -> Range<usize> {
        self.node.byte_range()
    }

    fn start_pos(&self) -> Position {
        SgNode::start_pos(&self.node)
    }

    fn end_pos(&self) -> Position {
        SgNode::end_pos(&self.node)
    }

    fn is_missing(&self) -> bool {
        self.node.is_missing()
    }

    fn is_error(&self) -> bool {
        self.node.is_error()
    }

    fn is_extra(&self) -> bool {
        self.node.is_extra()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::syntax::parse_text;
    use std::fmt::Debug;

    /// Compares what both nodes lead to.
    fn assert_same<'l, 't>(
        linked: &LinkedNode<'l>,
        node: &Node<'t>,
        roots: (LinkedNode<'l>, Node<'t>),
    ) {
        fn ids<'n>(nodes: impl Iterator<Item = impl SgNode<'n>>) -> Vec<(usize, Range<usize>)> {
            nodes.map(|node| (node.node_id(), node.range())).collect()
        }
        #[expect(clippy::needless_pass_by_value, reason = "the calls are shorter")]
        fn same<T: PartialEq + Debug>(what: &str, node: &Node<'_>, ours: T, theirs: T) {
            assert_eq!(ours, theirs, "{what} of {node:?}");
        }
        let (ours, theirs) =
            (ids(SgNode::ancestors(linked, roots.0)), ids(SgNode::ancestors(node, roots.1)));
        same("ancestors", node, ours, theirs);
        same("parent", node, ids(linked.parent().into_iter()), ids(Node::parent(node).into_iter()));
        same("children", node, ids(linked.children()), ids(SgNode::children(node)));
        same("dfs", node, ids(linked.dfs()), ids(SgNode::dfs(node)));
        same("next", node, ids(linked.next().into_iter()), ids(SgNode::next(node).into_iter()));
        same("prev", node, ids(linked.prev().into_iter()), ids(SgNode::prev(node).into_iter()));
        if linked.parent.is_some() {
            same("next_all", node, ids(linked.next_all()), ids(SgNode::next_all(node)));
            same("prev_all", node, ids(linked.prev_all()), ids(SgNode::prev_all(node)));
        }
        for child in [0, 1, 7] {
            same(
                "child",
                node,
                ids(linked.child(child).into_iter()),
                ids(SgNode::child(node, child).into_iter()),
            );
        }
        for field in 1..64 {
            let ours = ids(linked.child_by_field_id(field).into_iter());
            same("field", node, ours, ids(SgNode::child_by_field_id(node, field).into_iter()));
            let ours = ids(linked.field_children(Some(field)));
            same("fields", node, ours, ids(SgNode::field_children(node, Some(field))));
        }
    }

    #[test]
    fn linked_nodes_lead_to_the_same_nodes() {
        let texts = [
            (
                "for (const a of b) { if (c(a, () => d)) { e } } //\n<x y={z}>w</x>",
                SupportLang::Tsx,
            ),
            (
                "class A:\n    def f(self, a, *, b=1):\n        return [x for x in (\n",
                SupportLang::Python,
            ),
            ("fn f( { let a = ; }", SupportLang::Rust),
        ];
        for (text, language) in texts {
            let parsed = parse_text(text, language).expect("parsed");
            let tree = LinkedDoc::tree(&parsed);
            // A copy of a tree has a root with another id.
            let linked_root = tree.root().get_inner_node();
            let root = linked_root.node();
            let pairs = linked_root.dfs().zip(SgNode::dfs(&root));
            for (linked, node) in pairs {
                assert_eq!(linked.node.id(), node.id());
                assert_same(&linked, &node, (linked_root.clone(), root));
            }
        }
    }

    #[test]
    fn deep_trees_are_dropped_without_recursion() {
        let text = "(".repeat(50_000);
        let parsed = parse_text(&text, SupportLang::JavaScript).expect("parsed");
        let tree = LinkedDoc::tree(&parsed);
        assert!(tree.root().dfs().count() > 50_000);
    }
}
