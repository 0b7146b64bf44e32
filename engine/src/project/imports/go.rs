//! Reads the imports of Go.

use super::{Binding, Facts, Import, Imported, Name, Node, span};
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
        match node.field("name") {
            Some(alias) if alias.kind() == "package_identifier" => {
                facts.bind(Imported::Module, Some(&alias), None, &alias);
            }
            Some(mark) if mark.kind() == "dot" => facts.bind(Imported::All, None, None, &mark),
            // `_` binds no name.
            Some(_) => {}
            None => bind_package(name, at, facts),
        }
    }
}

/// Adds a binding of the last import for the name of the package at `path`, by convention its last
/// segment that is not a major version.
fn bind_package(path: &str, span: Span, facts: &mut Facts) {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let last = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    // `gopkg.in/yaml.v3` is the package `yaml`; `go-redis` is usually the package `redis`.
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let local = last.strip_prefix("go-").unwrap_or(last).to_owned();
    facts.bindings.push(Binding {
        import: facts.imports.len() - 1,
        imported: Imported::Module,
        local: Some(local),
        exported: None,
        span,
    });
}
