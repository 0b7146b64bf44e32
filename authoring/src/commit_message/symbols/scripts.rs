//! Symbols of JavaScript and TypeScript: variables that contain functions, tests defined by calls,
//! and export lists.

use super::{NodeContext, Reader, Symbol, SymbolKind, parameters};
use crate::commit_message::syntax::{self, Node};
use ast_grep_language::SupportLang;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

impl Reader<'_> {
    /// The variables declared by `const a = …, b = …` at the top level of a script, or by `A = …` at
    /// the top level of a Python module.
    pub(super) fn variables(&self, node: &Node<'_>, context: &NodeContext) -> Vec<Symbol> {
        let exported_here = node.parent().is_some_and(|parent| parent.kind() == "export_statement");
        let declared = node
            .children()
            .filter(|child| matches!(&*child.kind(), "variable_declarator" | "assignment"));
        let symbol = |declarator: Node<'_>| {
            let name = declarator.field("name").or_else(|| declarator.field("left"))?;
            if !matches!(&*name.kind(), "identifier") {
                return None;
            }
            let name = name.text().into_owned();
            let value = declarator.field("value").or_else(|| declarator.field("right"));
            let function = value.as_ref().filter(|value| {
                matches!(&*value.kind(), "arrow_function" | "function_expression" | "function")
            });
            let end = match (function, &value) {
                (Some(function), _) => {
                    function.field("body").map_or(function.range().end, |body| body.range().start)
                }
                (None, Some(value)) => value.range().start,
                (None, None) => declarator.range().end,
            };
            let range = declarator.range().start..end;
            let is_python = self.language == SupportLang::Python;
            Some(Symbol {
                exported: if is_python {
                    !name.starts_with('_')
                } else {
                    exported_here || self.exports.contains(&name)
                },
                in_test: context.in_test,
                kind: if function.is_some() { SymbolKind::Function } else { SymbolKind::Value },
                signature: syntax::range_tokens(&declarator, range, self.text, self.language).code,
                parameters: function.map(parameters).unwrap_or_default(),
                tokens: syntax::node_tokens(&declarator, self.text, self.language),
                name,
                parent: None,
            })
        };
        declared.filter_map(symbol).collect()
    }

    /// The variants of a TypeScript enumeration that have no explicit value.
    pub(super) fn plain_variants(&self, body: &Node<'_>, context: &NodeContext) -> Vec<Symbol> {
        let Some(parent) = &context.parent else { return Vec::new() };
        let names = body.children().filter(|child| child.kind() == "property_identifier");
        names
            .map(|name| Symbol {
                name: format!("{parent}.{}", name.text()),
                parent: Some(parent.clone()),
                kind: SymbolKind::Member,
                exported: context.parent_exported,
                in_test: context.in_test,
                signature: name.text().into_owned(),
                parameters: Vec::new(),
                tokens: syntax::node_tokens(&name, self.text, self.language),
            })
            .collect()
    }

    /// A test defined by `it('…', …)` or `test('…', …)`.
    pub(super) fn script_test(&self, node: &Node<'_>, kind: &str) -> Option<Symbol> {
        if kind != "call_expression" || !self.is_script() {
            return None;
        }
        let function = node.field("function")?.text().into_owned();
        let is_test = ["it", "test", "it.each", "test.each", "it.only", "test.only"]
            .contains(&&*function)
            || function.starts_with("test.each")
            || function.starts_with("it.each");
        let arguments = node.field("arguments")?;
        let title = arguments.children().nth(1).filter(|title| title.kind() == "string")?;
        let title = title.text().trim_matches(['"', '\'', '`']).to_owned();
        is_test.then(|| Symbol {
            name: title,
            parent: None,
            kind: SymbolKind::Test,
            exported: false,
            in_test: true,
            signature: String::new(),
            parameters: Vec::new(),
            tokens: syntax::node_tokens(node, self.text, self.language),
        })
    }
}

/// The names in the `export { … }` clauses of a script.
pub(super) fn exports(text: &str, language: SupportLang) -> BTreeSet<String> {
    static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"export\s*(?:type\s*)?\{([^}]*)\}|export\s+default\s+(\w+)\s*;?\s*(?:\n|$)|module\.exports\s*=\s*\{?([\w\s,]*)")
            .expect("a constant pattern")
    });
    let mut names = BTreeSet::new();
    if matches!(language, SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx) {
        for found in CLAUSE.captures_iter(text) {
            let list = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3));
            let list = list.map(|list| list.as_str()).unwrap_or_default();
            let words = list.split(',').filter_map(|item| {
                item.split_whitespace().find(|word| *word != "type").map(str::to_owned)
            });
            names.extend(words);
        }
    }
    names
}
