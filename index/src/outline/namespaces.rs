//! The imports of languages that import names, not files: C#, Kotlin and PHP; and the files that
//! Ruby loads.

use super::build::{child_of, has_child, named};
use crate::fields::Fields as _;
use aidd_engine::parse::syntax::Parsed;
use aidd_engine::project::imports::{Binding, Facts, Import, Imported, Language, Name};
use aidd_engine::text::source::Span;
use ast_grep_language::SupportLang;
use tree_sitter::Node;

/// Whether the imports of `language` are read here.
#[must_use]
pub(crate) fn is_supported(language: SupportLang) -> bool {
    matches!(
        language,
        SupportLang::CSharp | SupportLang::Kotlin | SupportLang::Php | SupportLang::Ruby
    )
}

/// The imports of a file; qualified names are separated by `.`.
#[must_use]
pub(crate) fn read(text: &str, language: SupportLang, tree: &Parsed) -> Facts {
    let mut reader = Reader {
        text,
        facts: Facts {
            language: Language::Java,
            imports: Vec::new(),
            bindings: Vec::new(),
            modules: Vec::new(),
            package: None,
        },
    };
    let parsed = tree.root();
    let root = parsed.get_inner_node();
    match language {
        SupportLang::CSharp => reader.csharp(root),
        SupportLang::Kotlin => reader.kotlin(root),
        SupportLang::Php => reader.php(root),
        _ => reader.ruby(root),
    }
    reader.facts
}

struct Reader<'t> {
    text: &'t str,
    facts: Facts,
}

impl<'t> Reader<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Adds an import of `name`; returns whether there is a name.
    fn import(&mut self, name: Name, at: Node<'_>) {
        let span = Span::from(at.byte_range());
        self.facts.imports.push(Import {
            name,
            span,
            statement: span,
            type_only: false,
            deferred: false,
            test: false,
            inline: false,
            binds: None,
        });
    }

    fn bind(&mut self, imported: Imported, local: Option<&str>, at: Node<'_>) {
        self.facts.bindings.push(Binding {
            import: self.facts.imports.len().saturating_sub(1),
            imported,
            local: local.map(str::to_owned),
            exported: None,
            span: Span::from(at.byte_range()),
        });
    }

    /// Adds an import of a qualified name that binds its last part, or `alias`.
    fn member(&mut self, name: String, alias: Option<&str>, at: Node<'_>) {
        let last = name.rsplit('.').next().unwrap_or_default().to_owned();
        self.import(Name::Java { name, all: false }, at);
        self.bind(Imported::Module, Some(alias.unwrap_or(&last)), at);
    }

    /// Adds an import of everything in a namespace.
    fn all(&mut self, name: String, at: Node<'_>) {
        self.import(Name::Java { name, all: true }, at);
        self.bind(Imported::All, None, at);
    }

    fn csharp(&mut self, root: Node<'_>) {
        let mut pending: Vec<Node<'_>> = named(root).collect();
        pending.reverse();
        while let Some(node) = pending.pop() {
            match node.kind() {
                "namespace_declaration" | "file_scoped_namespace_declaration" => {
                    if let Some(name) = node.field("name")
                        && self.facts.package.is_none()
                    {
                        self.facts.package = Some(self.text_of(name).to_owned());
                    }
                    let body = child_of(node, &["declaration_list"]);
                    let mut inner: Vec<Node<'_>> = body.into_iter().flat_map(named).collect();
                    inner.reverse();
                    pending.extend(inner);
                }
                "using_directive" => {
                    let alias = node.field("name").map(|at| self.text_of(at));
                    let Some(target) = named(node).last() else { continue };
                    let name: String = self.text_of(target).split_whitespace().collect();
                    let name = name.trim_start_matches("global::").to_owned();
                    match alias {
                        Some(alias) => self.member(name, Some(alias), target),
                        None => self.all(name, target),
                    }
                }
                _ => {}
            }
        }
    }

    fn kotlin(&mut self, root: Node<'_>) {
        let mut headers = Vec::new();
        for node in named(root) {
            match node.kind() {
                "package_header" => {
                    let name = child_of(node, &["identifier"]);
                    self.facts.package = name.map(|at| self.text_of(at).to_owned());
                }
                "import_list" => headers.extend(named(node)),
                "import_header" => headers.push(node),
                _ => {}
            }
        }
        for header in headers {
            let Some(path) = child_of(header, &["identifier"]) else { continue };
            // The members of a companion are members of its class.
            let name: String = self.text_of(path).replace('`', "").replace(".Companion.", ".");
            if child_of(header, &["wildcard_import"]).is_some() || has_child(header, ".*") {
                self.all(name, path);
                continue;
            }
            let alias = child_of(header, &["import_alias"]).and_then(|at| named(at).next());
            let alias = alias.map(|at| self.text_of(at));
            self.member(name, alias, path);
        }
    }

    fn php(&mut self, root: Node<'_>) {
        let mut pending: Vec<Node<'_>> = named(root).collect();
        pending.reverse();
        while let Some(node) = pending.pop() {
            match node.kind() {
                "namespace_definition" => {
                    if let Some(name) = node.field("name")
                        && self.facts.package.is_none()
                    {
                        self.facts.package = Some(self.text_of(name).replace('\\', "."));
                    }
                    let body = node.field("body");
                    let mut inner: Vec<Node<'_>> = body.into_iter().flat_map(named).collect();
                    inner.reverse();
                    pending.extend(inner);
                }
                "namespace_use_declaration" => {
                    let prefix = child_of(node, &["namespace_name"])
                        .map(|at| format!("{}.", self.text_of(at).replace('\\', ".")));
                    let group = node.field("body");
                    let clauses: Vec<Node<'_>> = named(group.unwrap_or(node))
                        .filter(|at| at.kind() == "namespace_use_clause")
                        .collect();
                    for clause in clauses {
                        let alias = clause.field("alias");
                        let Some(path) = child_of(clause, &["name", "qualified_name"]) else {
                            continue;
                        };
                        let name = self.text_of(path).trim_start_matches('\\').replace('\\', ".");
                        let name = format!("{}{name}", prefix.as_deref().unwrap_or_default());
                        let alias = alias.map(|at| self.text_of(at));
                        self.member(name, alias, path);
                    }
                }
                _ => {}
            }
        }
    }

    fn ruby(&mut self, root: Node<'_>) {
        for node in named(root).filter(|at| at.kind() == "call") {
            let method = node.field("method").map(|at| self.text_of(at));
            let is_relative = match method {
                Some("require_relative") => true,
                Some("require") => false,
                _ => continue,
            };
            let text = node
                .field("arguments")
                .and_then(|list| named(list).next())
                .filter(|at| at.kind() == "string")
                .and_then(|at| child_of(at, &["string_content"]));
            if let Some(text) = text {
                let name = self.text_of(text);
                let is_local = name.starts_with("./") || name.starts_with("../");
                let name = match is_relative && !is_local {
                    true => format!("./{name}"),
                    false => name.to_owned(),
                };
                self.import(Name::Script(name), text);
            }
        }
    }
}
