//! Names that imports bind: which local name comes from which import, and which imports are
//! exported again.

use super::{Facts, Node, span};
use crate::text::source::Span;
use serde::{Deserialize, Serialize};

/// A name that an import binds or re-exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The index of the import in [`Facts::imports`].
    pub import: usize,
    /// What the name refers to.
    pub imported: Imported,
    /// The name in the importing file; `None` if the import only re-exports, or binds all names.
    pub local: Option<String>,
    /// The name under which other files can import it, if the file re-exports it.
    pub exported: Option<String>,
    /// The span of the local name, of the exported name, or of the wildcard.
    pub span: Span,
}

/// The target of a binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Imported {
    /// A member of the module.
    Member(String),
    /// The default export of a JavaScript module.
    Default,
    /// The module itself.
    Module,
    /// All members of the module: `export * from`, `from a import *`, `use a::*`.
    All,
}

impl Facts {
    /// Adds a binding of the last import.
    pub(super) fn bind<'n>(
        &mut self,
        imported: Imported,
        local: Option<&Node<'n>>,
        exported: Option<&Node<'n>>,
        at: &Node<'n>,
    ) {
        let Some(import) = self.imports.len().checked_sub(1) else { return };
        let text = |node: &Node<'_>| node.text().trim_matches(['"', '\'']).to_owned();
        let position = local.or(exported).unwrap_or(at);
        self.bindings.push(Binding {
            import,
            imported,
            local: local.map(text),
            exported: exported.map(text),
            span: span(position),
        });
    }
}

/// Adds bindings of the last import for the names in the clause of a JavaScript `import`.
pub(super) fn bind_import_clause(statement: &Node<'_>, facts: &mut Facts) {
    let Some(clause) = statement.children().find(|child| child.kind() == "import_clause") else {
        return;
    };
    for part in clause.children() {
        match &*part.kind() {
            "identifier" => facts.bind(Imported::Default, Some(&part), None, &part),
            "namespace_import" => {
                let name = part.children().find(|child| child.kind() == "identifier");
                facts.bind(Imported::Module, name.as_ref(), None, &part);
            }
            "named_imports" => {
                for specifier in part.children().filter(|part| part.kind() == "import_specifier") {
                    let Some(name) = specifier.field("name") else { continue };
                    let local = specifier.field("alias").unwrap_or_else(|| name.clone());
                    facts.bind(member(&name), Some(&local), None, &specifier);
                }
            }
            _ => {}
        }
    }
}

/// Adds bindings of the last import for the names that `export … from` re-exports.
pub(super) fn bind_reexports(statement: &Node<'_>, facts: &mut Facts) {
    for part in statement.children() {
        match &*part.kind() {
            "*" => facts.bind(Imported::All, None, None, &part),
            "namespace_export" => {
                let name = part.children().filter(Node::is_named).last();
                facts.bind(Imported::Module, None, name.as_ref(), &part);
            }
            "export_clause" => {
                for specifier in part.children().filter(|part| part.kind() == "export_specifier") {
                    let Some(name) = specifier.field("name") else { continue };
                    let exported = specifier.field("alias").unwrap_or_else(|| name.clone());
                    facts.bind(member(&name), None, Some(&exported), &specifier);
                }
            }
            _ => {}
        }
    }
}

/// Adds bindings of the last import for the names that `const … = require("a")` declares.
pub(super) fn bind_require(call: &Node<'_>, facts: &mut Facts) {
    // `await import("a")` binds the module too.
    let mut value = call.clone();
    while let Some(parent) = value.parent().filter(|parent| parent.kind() == "await_expression") {
        value = parent;
    }
    let Some(declarator) = value.parent().filter(|node| node.kind() == "variable_declarator")
    else {
        return;
    };
    let Some(pattern) = declarator.field("name") else { return };
    if pattern.kind() == "identifier" {
        facts.bind(Imported::Module, Some(&pattern), None, &pattern);
        return;
    }
    for part in pattern.children() {
        match &*part.kind() {
            "shorthand_property_identifier_pattern" => {
                facts.bind(member(&part), Some(&part), None, &part);
            }
            "pair_pattern" => {
                let (Some(key), Some(value)) = (part.field("key"), part.field("value")) else {
                    continue;
                };
                if value.kind() == "identifier" {
                    facts.bind(member(&key), Some(&value), None, &part);
                }
            }
            _ => {}
        }
    }
}

/// The imported member whose name is in the node `name`.
fn member(name: &Node<'_>) -> Imported {
    match &*name.text() {
        "default" => Imported::Default,
        text => Imported::Member(text.trim_matches(['"', '\'']).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use proptest::prelude::*;

    /// The bindings as `module.member as local -> exported`.
    fn bindings(path: &str, text: &str) -> Vec<String> {
        let facts = read(path, text).expect("a supported language");
        let describe = |binding: &Binding| {
            let module = facts.imports[binding.import].name.display();
            let member = match &binding.imported {
                Imported::Member(name) => format!(".{name}"),
                Imported::Default => ".default".to_owned(),
                Imported::Module => String::new(),
                Imported::All => ".*".to_owned(),
            };
            let local = binding.local.as_ref().map(|name| format!(" as {name}"));
            let exported = binding.exported.as_ref().map(|name| format!(" -> {name}"));
            format!("{module}{member}{}{}", local.unwrap_or_default(), exported.unwrap_or_default())
        };
        facts.bindings.iter().map(describe).collect()
    }

    #[test]
    fn imports_of_javascript_bind_names() {
        let text = "import a, { b, c as d } from 'x';\nimport * as e from 'y';\nimport 'z';\nexport { f, default as g } from 'v';\nexport * from 'u';\nexport * as h from 't';\nconst i = require('s');\nconst { j, k: l } = await import('r');\n";
        assert_eq!(
            bindings("a.ts", text),
            [
                "x.default as a",
                "x.b as b",
                "x.c as d",
                "y as e",
                "v.f -> f",
                "v.default -> g",
                "u.*",
                "t -> h",
                "s as i",
                "r.j as j",
                "r.k as l",
            ]
        );
    }

    #[test]
    fn imports_of_python_bind_names() {
        let text = "import a.b\nimport c.d as e\nfrom f import g, h as i\nfrom .j import *\n";
        assert_eq!(
            bindings("a.py", text),
            ["a.b as a", "c.d as e", "f.g.g as g", "f.h.h as i", ".j.*"]
        );
    }

    #[test]
    fn imports_of_rust_bind_names() {
        let text = "use a::{b, c as d};\npub use e::f;\nuse g::*;\nuse h::i as _;\n";
        assert_eq!(
            bindings("src/lib.rs", text),
            ["a::b as b", "a::c as d", "e::f as f -> f", "g.*"]
        );
    }

    #[test]
    fn imports_of_go_and_java_bind_names() {
        let text = "package a\nimport (\n\tb \"x/c\"\n\t\"x/d/v2\"\n\t. \"x/e\"\n\t_ \"x/f\"\n)\n";
        assert_eq!(bindings("a.go", text), ["x/c as b", "x/d/v2 as d", "x/e.*"]);
        let text = "import a.B;\nimport static a.C.d;\nimport e.*;\n";
        assert_eq!(bindings("A.java", text), ["a.B as B", "a.C.d.d as d", "e.*.*"]);
    }

    proptest! {
        /// In code, each binding belongs to an import, and its span is the bound name.
        #[test]
        fn the_span_of_a_binding_is_the_bound_name(
            names in proptest::collection::vec("x[a-z]{1,5}", 1..8),
            aliased in proptest::collection::vec(any::<bool>(), 8),
        ) {
            let specifier = |(index, name): (usize, &String)| {
                if aliased[index] { format!("{name} as {name}{index}") } else { name.clone() }
            };
            let list = names.iter().enumerate().map(specifier).collect::<Vec<_>>().join(", ");
            for (path, text) in [
                ("a.ts", format!("import {{ {list} }} from 'm';\n")),
                ("a.py", format!("from m import {list}\n")),
                ("src/lib.rs", format!("use m::{{{list}}};\n")),
            ] {
                let facts = read(path, &text).expect("a supported language");
                for binding in &facts.bindings {
                    prop_assert!(binding.import < facts.imports.len());
                    let local = binding.local.as_deref();
                    prop_assert_eq!(text.get(binding.span.range()), local);
                }
            }
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[a-z{}*(),.:;='\" \n]{0,120}") {
            for path in ["a.ts", "a.py", "src/lib.rs", "a.go", "A.java"] {
                let facts = read(path, &text).expect("a supported language");
                for binding in &facts.bindings {
                    prop_assert!(binding.import < facts.imports.len());
                    prop_assert!(text.get(binding.span.range()).is_some());
                }
            }
        }
    }
}
