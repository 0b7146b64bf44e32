//! Reads the imports of Go.

use super::{Facts, Import, Name, Node, span};
use crate::text::source::Span;

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    for node in root.dfs() {
        if node.kind() != "import_spec" {
            continue;
        }
        let Some(path) = node.field("path") else { continue };
        let quoted = path.text();
        let Some(name) = quoted.get(1..quoted.len().saturating_sub(1)) else { continue };
        if name.is_empty() {
            continue;
        }
        let at = span(&path);
        let at = Span { start: at.start + 1, end: at.end - 1 };
        facts.imports.push(Import {
            name: Name::Go(name.to_owned()),
            span: at,
            statement: at,
            type_only: false,
            deferred: false,
            test: false,
            inline: false,
            binds: None,
        });
    }
}
