//! The nodes of a tree that can contain an import.

use super::Node;
use memchr::memmem;

/// The nodes below `root` whose text contains one of these words, in the order of the text. Most of the
/// tree is not visited.
pub(super) fn with_words<'r>(root: &Node<'r>, words: &[&str]) -> impl Iterator<Item = Node<'r>> {
    let (text, start) = (root.text(), root.range().start);
    let all = words.iter().map(|word| memmem::find_iter(text.as_bytes(), *word));
    let mut found: Vec<usize> = all.flatten().map(|at| start + at).collect();
    found.sort_unstable();
    let contains_word = move |node: &Node<'r>| {
        let range = node.range();
        found.get(found.partition_point(|at| *at < range.start)).is_some_and(|at| *at < range.end)
    };
    let mut pending: Vec<Node<'r>> = root.children().filter(&contains_word).collect();
    pending.reverse();
    std::iter::from_fn(move || {
        let node = pending.pop()?;
        let outer = pending.len();
        pending.extend(node.children().filter(&contains_word));
        pending[outer..].reverse();
        Some(node)
    })
}
