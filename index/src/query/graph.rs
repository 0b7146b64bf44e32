//! The dependencies between directories, or between the files in focus, as a Mermaid flowchart.

use super::Reader;
use crate::IndexError;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// Maximum number of edges for each node, so that the chart can be read.
const EDGES_PER_NODE: usize = 4;
/// The number of edges that Mermaid draws by default.
const MAX_EDGES: usize = 500;

/// A directory, or a file in focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node<'n> {
    File(&'n str),
    Directory(&'n str),
}

impl<'n> Node<'n> {
    fn path(self) -> &'n str {
        match self {
            Self::File(path) | Self::Directory(path) => path,
        }
    }
}

impl Reader {
    /// The proved references between directories as a Mermaid flowchart of at most `limit` nodes:
    /// those with the most references. The files in `focus` have nodes of their own, and only nodes
    /// that refer to them, or to which they refer, are drawn. Tests are omitted, unless in `focus`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn mermaid(&self, focus: &[String], limit: usize) -> Result<String, IndexError> {
        let sql = "SELECT id, path, theme, test FROM files ORDER BY path";
        let files: Vec<(i64, String, String, bool)> =
            self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let is_in_focus = |path: &str| {
            focus.iter().any(|wanted| {
                let wanted = wanted.trim_end_matches('/');
                let rest = path.strip_prefix(wanted);
                wanted.is_empty()
                    || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let nodes: HashMap<i64, Node<'_>> = files
            .iter()
            .filter_map(|(id, path, theme, test)| match is_in_focus(path) {
                true => Some((*id, Node::File(path))),
                false if *test => None,
                false => Some((*id, Node::Directory(theme))),
            })
            .collect();
        let sql = "SELECT r.file, s.file, count(*) FROM refs r JOIN symbols s ON s.id = r.target
            WHERE r.certainty = 'proved' AND r.file <> s.file GROUP BY r.file, s.file";
        let refs: Vec<(i64, i64, u32)> =
            self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut edges: BTreeMap<(Node<'_>, Node<'_>), u32> = BTreeMap::new();
        for (from, to, count) in refs {
            let (Some(from), Some(to)) = (nodes.get(&from), nodes.get(&to)) else { continue };
            let is_drawn =
                focus.is_empty() || matches!(from, Node::File(_)) || matches!(to, Node::File(_));
            if from != to && is_drawn {
                *edges.entry((*from, *to)).or_default() += count;
            }
        }
        let mut weights: BTreeMap<Node<'_>, u32> = BTreeMap::new();
        for ((from, to), count) in &edges {
            *weights.entry(*from).or_default() += count;
            *weights.entry(*to).or_default() += count;
        }
        let all = weights.len();
        let mut ranked: Vec<_> = weights.into_iter().collect();
        let is_file = |node: &Node<'_>| matches!(node, Node::File(_));
        ranked.sort_by(|(a, x), (b, y)| (is_file(b), y, a).cmp(&(is_file(a), x, b)));
        ranked.truncate(limit);
        let kept: BTreeSet<Node<'_>> = ranked.into_iter().map(|(node, _)| node).collect();
        let mut drawn: Vec<_> = edges
            .into_iter()
            .filter(|((from, to), _)| kept.contains(from) && kept.contains(to))
            .collect();
        drawn.sort_by(|(a, x), (b, y)| (y, a).cmp(&(x, b)));
        drawn.truncate((limit * EDGES_PER_NODE).min(MAX_EDGES));
        drawn.sort();
        Ok(render(&kept, &drawn, all))
    }
}

fn render(nodes: &BTreeSet<Node<'_>>, edges: &[((Node<'_>, Node<'_>), u32)], all: usize) -> String {
    let mut text = "flowchart LR\n  accTitle: Dependencies\n".to_owned();
    let (shown, drawn) = (nodes.len(), edges.len());
    let _ = writeln!(
        text,
        "  accDescr: {shown} of {all} directories and files with {drawn} dependencies; each number counts proved references"
    );
    let ids: BTreeMap<Node<'_>, usize> = nodes.iter().copied().zip(1..).collect();
    for (node, id) in &ids {
        let _ = writeln!(text, "  n{id}[\"{}\"]", escaped(node.path()));
    }
    for ((from, to), count) in edges {
        if let (Some(from), Some(to)) = (ids.get(from), ids.get(to)) {
            let _ = writeln!(text, "  n{from} -->|{count}| n{to}");
        }
    }
    text
}

/// The text of a label: letters, digits and the punctuation of paths; other characters by their number.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '/' | '.' | '-' | '_' | '@' | ' ' => text.push(character),
            other if other.is_alphanumeric() => text.push(other),
            other => {
                let _ = write!(text, "#{};", u32::from(other));
            }
        }
    }
    text
}
