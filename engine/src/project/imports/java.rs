//! Reads the imports and the package declaration of Java files.

use super::{Facts, Import, Imported, Name, Node, span};

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    // Import and package declarations occur only at the top level of a file.
    for node in root.children() {
        let kind = node.kind();
        if kind != "import_declaration" && kind != "package_declaration" {
            continue;
        }
        let path = |child: &Node<'_>| matches!(&*child.kind(), "scoped_identifier" | "identifier");
        let Some(path) = node.children().find(path) else { continue };
        let name: String = path.text().split_whitespace().collect();
        if kind == "package_declaration" {
            facts.package = Some(name);
            continue;
        }
        let all = node.children().any(|child| child.kind() == "asterisk");
        let at = span(&path);
        facts.imports.push(Import {
            name: Name::Java { name, all },
            span: at,
            statement: at,
            type_only: false,
            deferred: false,
            test: false,
            inline: false,
            binds: None,
        });
        if all {
            facts.bind(Imported::All, None, None, &path);
            continue;
        }
        let last = path.field("name").unwrap_or_else(|| path.clone());
        let is_static = node.children().any(|child| child.kind() == "static");
        let imported =
            if is_static { Imported::Member(last.text().into_owned()) } else { Imported::Module };
        facts.bind(imported, Some(&last), None, &last);
    }
}
