//! Runs patterns on a stack that is large enough for a tree: `has` with a rule for `stopBy` calls
//! itself for each level below a node.

use tree_sitter::Node;

/// The stack in bytes that a level needs; 384 bytes were measured in release builds.
const STACK_PER_LEVEL: usize = if cfg!(debug_assertions) { 8 << 10 } else { 1 << 10 };
/// The stack in bytes that patterns need in a flat tree.
const BASE_STACK: usize = 256 << 10;
/// Maximum number of nodes of a tree whose levels are not counted: each node is assumed to be below
/// the previous one. Memory is reserved for the whole stack, but only the part that the nesting
/// requires is used.
const MAX_UNCOUNTED: usize = 64 << 10;
/// Maximum number of levels of a tree that is searched.
const MAX_LEVELS: usize = 64 << 10;

/// The result of `run`; `None` if the tree below `root` is too deep.
pub(super) fn with_stack<T>(root: &Node<'_>, run: impl FnOnce() -> T) -> Option<T> {
    let nodes = root.descendant_count();
    let levels = if nodes <= MAX_UNCOUNTED { nodes } else { count_levels(root) };
    let needed = BASE_STACK + levels.checked_mul(STACK_PER_LEVEL)?;
    (levels <= MAX_LEVELS).then(|| stacker::maybe_grow(needed, needed, run))
}

fn count_levels(root: &Node<'_>) -> usize {
    let mut cursor = root.walk();
    let (mut level, mut deepest) = (1, 1);
    loop {
        if cursor.goto_first_child() {
            level += 1;
            deepest = deepest.max(level);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            level -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::syntax::parse_text;
    use ast_grep_language::SupportLang;

    #[test]
    fn the_levels_of_a_tree_are_counted() {
        let parsed = parse_text("a(b(c(1)))", SupportLang::Python).expect("parsed");
        let root = parsed.root().get_inner_node();
        assert_eq!(count_levels(&root), 9, "{}", root.to_sexp());
        assert_eq!(with_stack(&root, || 1), Some(1));
    }
}
