//! Extracts the named parts of a source file: functions, types, constants, members and tests.

mod scripts;
mod words;

use super::syntax::{self, Node, Tokens};
use ast_grep_language::SupportLang;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SymbolKind {
    /// A class, structure, trait, interface or alias.
    Type,
    /// A function or method.
    Function,
    /// A constant or variable.
    Value,
    /// A field, property or variant.
    Member,
    /// A test case.
    Test,
}

impl SymbolKind {
    /// The word used in lists.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Function => "function",
            Self::Value => "value",
            Self::Member => "member",
            Self::Test => "test",
        }
    }
}

/// A named part of a source file.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// The name, prefixed with the name of its type; for a test, the title.
    pub(super) name: String,
    /// The name of the type that the symbol belongs to.
    pub(super) parent: Option<String>,
    pub(super) kind: SymbolKind,
    /// Whether other files can use the symbol.
    pub(super) exported: bool,
    /// Whether the symbol is only visible to tests.
    pub(super) in_test: bool,
    /// The tokens before the body.
    pub(super) signature: String,
    /// The names of the parameters.
    pub(super) parameters: Vec<String>,
    pub(super) tokens: Tokens,
}

impl Symbol {
    /// The name without the prefix of its type.
    pub(super) fn unqualified_name(&self) -> &str {
        self.name.rsplit(['.', ':']).next().unwrap_or(&self.name)
    }
}

/// How the nodes nested in a symbol node are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NestedNodes {
    /// The nested nodes are not symbols.
    Hidden,
    /// The nested nodes are members of the symbol.
    Members,
}

/// The kinds of nodes that are symbols, in all grammars; no two grammars use the same name
/// differently.
const SYMBOL_NODES: &[(&str, SymbolKind, NestedNodes)] = &[
    ("abstract_class_declaration", SymbolKind::Type, NestedNodes::Members),
    ("class", SymbolKind::Type, NestedNodes::Members),
    ("class_declaration", SymbolKind::Type, NestedNodes::Members),
    ("class_definition", SymbolKind::Type, NestedNodes::Members),
    ("const_item", SymbolKind::Value, NestedNodes::Hidden),
    ("const_spec", SymbolKind::Value, NestedNodes::Hidden),
    ("enum_assignment", SymbolKind::Member, NestedNodes::Hidden),
    ("enum_declaration", SymbolKind::Type, NestedNodes::Members),
    ("enum_item", SymbolKind::Type, NestedNodes::Members),
    ("enum_variant", SymbolKind::Member, NestedNodes::Hidden),
    ("field_declaration", SymbolKind::Member, NestedNodes::Hidden),
    ("function_declaration", SymbolKind::Function, NestedNodes::Hidden),
    ("function_definition", SymbolKind::Function, NestedNodes::Hidden),
    ("function_item", SymbolKind::Function, NestedNodes::Hidden),
    ("function_signature", SymbolKind::Function, NestedNodes::Hidden),
    ("function_signature_item", SymbolKind::Function, NestedNodes::Hidden),
    ("generator_function_declaration", SymbolKind::Function, NestedNodes::Hidden),
    ("interface_declaration", SymbolKind::Type, NestedNodes::Members),
    ("macro_definition", SymbolKind::Function, NestedNodes::Hidden),
    ("method", SymbolKind::Function, NestedNodes::Hidden),
    ("method_declaration", SymbolKind::Function, NestedNodes::Hidden),
    ("method_definition", SymbolKind::Function, NestedNodes::Hidden),
    ("module", SymbolKind::Type, NestedNodes::Members),
    ("property_signature", SymbolKind::Member, NestedNodes::Hidden),
    ("record_declaration", SymbolKind::Type, NestedNodes::Members),
    ("singleton_method", SymbolKind::Function, NestedNodes::Hidden),
    ("static_item", SymbolKind::Value, NestedNodes::Hidden),
    ("struct_item", SymbolKind::Type, NestedNodes::Members),
    ("struct_specifier", SymbolKind::Type, NestedNodes::Hidden),
    ("trait_declaration", SymbolKind::Type, NestedNodes::Members),
    ("trait_item", SymbolKind::Type, NestedNodes::Members),
    ("type_alias", SymbolKind::Type, NestedNodes::Hidden),
    ("type_alias_declaration", SymbolKind::Type, NestedNodes::Hidden),
    ("type_item", SymbolKind::Type, NestedNodes::Hidden),
    ("type_spec", SymbolKind::Type, NestedNodes::Members),
    ("union_item", SymbolKind::Type, NestedNodes::Members),
    ("var_spec", SymbolKind::Value, NestedNodes::Hidden),
];

/// The context of a node.
#[derive(Clone, Default)]
struct NodeContext {
    parent: Option<String>,
    /// Whether the type that the node belongs to is exported.
    parent_exported: bool,
    in_test: bool,
    /// Whether the node is in the body of a trait or interface.
    in_interface: bool,
    depth: usize,
}

/// The symbols of a source text.
pub(super) fn symbols(path: &str, text: &str) -> Vec<Symbol> {
    let Some(language) = syntax::language(path) else {
        return words::symbols_by_keywords(path, text);
    };
    let Some(tree) = syntax::parse(text, language) else { return Vec::new() };
    let reader = Reader { text, language, path, exports: scripts::exports(text, language) };
    let mut found = reader.read(&tree.root());
    // Members of a type that is not exported are not exported either.
    let hidden: BTreeSet<String> = found
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Type && !symbol.exported)
        .map(|symbol| symbol.name.clone())
        .collect();
    for symbol in &mut found {
        symbol.exported &= !symbol.parent.as_ref().is_some_and(|parent| hidden.contains(parent));
    }
    found
}

struct Reader<'a> {
    text: &'a str,
    language: SupportLang,
    path: &'a str,
    /// The names in `export { … }`.
    exports: BTreeSet<String>,
}

impl Reader<'_> {
    fn is_script(&self) -> bool {
        matches!(
            self.language,
            SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx
        )
    }

    fn read(&self, root: &Node<'_>) -> Vec<Symbol> {
        let mut found = Vec::new();
        let mut remaining = vec![(root.clone(), NodeContext::default())];
        while let Some((node, context)) = remaining.pop() {
            let kind = node.kind();
            if let Some(test) = self.script_test(&node, &kind) {
                found.push(test);
            }
            let mut inner = NodeContext { depth: context.depth + 1, ..context.clone() };
            let row = SYMBOL_NODES.iter().find(|(name, ..)| *name == kind);
            if let Some((_, symbol_kind, nested)) = row
                && let Some(symbol) = self.symbol(&node, *symbol_kind, &context)
            {
                inner.parent = Some(symbol.name.clone());
                inner.parent_exported = symbol.exported;
                inner.in_test = symbol.in_test;
                inner.in_interface = matches!(&*kind, "trait_item" | "interface_declaration");
                found.push(symbol);
                if *nested == NestedNodes::Hidden {
                    continue;
                }
            } else if kind == "impl_item" {
                // The methods of a trait are as visible as the trait.
                if node.field("trait").is_some() {
                    continue;
                }
                inner.parent = node.field("type").map(|name| without_type_parameters(&name.text()));
                inner.parent_exported = true;
                inner.in_test |= is_test_item(&node);
            } else if kind == "mod_item" {
                inner.in_test |= is_test_item(&node);
            } else if self.is_variable(&kind) {
                let is_top = context.depth <= 2 && context.parent.is_none();
                if is_top {
                    found.extend(self.variables(&node, &context));
                }
                continue;
            } else if kind == "enum_body" && self.is_script() {
                found.extend(self.plain_variants(&node, &context));
            }
            let children: Vec<Node<'_>> = node.children().collect();
            remaining.extend(children.into_iter().rev().map(|child| (child, inner.clone())));
        }
        found
    }

    fn symbol(&self, node: &Node<'_>, kind: SymbolKind, context: &NodeContext) -> Option<Symbol> {
        let name_node = name_node(node)?;
        let name = name_node.text().into_owned();
        if !is_name(&name) {
            return None;
        }
        // Fields of nested records and similar nodes have no type whose name could be the prefix.
        if kind == SymbolKind::Member && context.parent.is_none() {
            return None;
        }
        let parent = self.receiver(node).or_else(|| context.parent.clone());
        let in_test = context.in_test || is_test_item(node);
        let is_test = kind == SymbolKind::Function && self.is_test_function(node, &name);
        let body = node.field("body").or_else(|| node.field("value"));
        let end = body.as_ref().map_or(node.range().end, |body| body.range().start);
        let range = node.range().start..end;
        Some(Symbol {
            exported: !is_test && self.is_exported(node, &name, kind, context),
            in_test: in_test || is_test,
            kind: if is_test { SymbolKind::Test } else { kind },
            signature: syntax::range_tokens(node, range, self.text, self.language).code,
            parameters: parameters(node),
            tokens: syntax::node_tokens(node, self.text, self.language),
            name: parent.as_ref().map_or_else(
                || name.clone(),
                |parent| format!("{parent}{}{name}", self.separator()),
            ),
            parent,
        })
    }

    fn is_variable(&self, kind: &str) -> bool {
        matches!(kind, "lexical_declaration" | "variable_declaration")
            || (kind == "expression_statement" && self.language == SupportLang::Python)
    }

    fn separator(&self) -> &'static str {
        match self.language {
            SupportLang::Rust | SupportLang::Php => "::",
            _ => ".",
        }
    }

    /// The type that a Go method belongs to.
    fn receiver(&self, node: &Node<'_>) -> Option<String> {
        let receiver = node.field("receiver")?;
        receiver
            .dfs()
            .find(|inner| inner.kind() == "type_identifier")
            .map(|t| without_type_parameters(&t.text()))
    }

    fn is_exported(
        &self,
        node: &Node<'_>,
        name: &str,
        kind: SymbolKind,
        context: &NodeContext,
    ) -> bool {
        let is_parent_visible = context.parent.is_none() || context.parent_exported;
        let has = |words: &[&str]| {
            node.children().any(|child| {
                let kind = child.kind();
                (kind.contains("modifier") || words.contains(&&*kind))
                    && words.iter().any(|word| child.text().split_whitespace().any(|w| w == *word))
            })
        };
        match self.language {
            SupportLang::Rust => {
                let is_variant = kind == SymbolKind::Member && node.kind() == "enum_variant";
                let is_exported_macro = node.kind() == "macro_definition"
                    && previous_attributes(node).any(|text| text.contains("macro_export"));
                is_parent_visible
                    && (is_variant || context.in_interface || has(&["pub"]) || is_exported_macro)
            }
            SupportLang::Go => {
                name.chars().next().is_some_and(char::is_uppercase) && is_parent_visible
            }
            SupportLang::Python | SupportLang::Ruby => !name.starts_with('_') && is_parent_visible,
            SupportLang::Java => is_parent_visible && (has(&["public"]) || context.in_interface),
            SupportLang::Php => is_parent_visible && !has(&["private", "protected"]),
            SupportLang::C => self.path.ends_with(".h"),
            SupportLang::Bash => false,
            _ => {
                let is_private = name.starts_with('#') || has(&["private", "protected"]);
                let has_export = self.exports.contains(name)
                    || node.parent().is_some_and(|parent| parent.kind() == "export_statement");
                !is_private && if context.parent.is_some() { is_parent_visible } else { has_export }
            }
        }
    }

    fn is_test_function(&self, node: &Node<'_>, name: &str) -> bool {
        match self.language {
            SupportLang::Rust => previous_attributes(node).any(|text| {
                let path = text.trim_start_matches("#[").split(['(', ']']).next();
                path.is_some_and(|path| {
                    path.rsplit("::").next().is_some_and(|last| last == "test" || last == "bench")
                })
            }),
            SupportLang::Python => name.starts_with("test"),
            SupportLang::Go => {
                self.path.ends_with("_test.go")
                    && ["Test", "Benchmark", "Fuzz"].iter().any(|start| name.starts_with(start))
            }
            SupportLang::Java => node.children().any(|child| {
                child.kind() == "modifiers" && child.text().contains("@Test")
                    || child.text().contains("@ParameterizedTest")
            }),
            SupportLang::Ruby | SupportLang::Php => name.starts_with("test"),
            _ => false,
        }
    }
}

/// The node that contains the name of `node`. In C, the name is nested in declarators.
fn name_node<'r>(node: &Node<'r>) -> Option<Node<'r>> {
    if let Some(name) = node.field("name") {
        return Some(name);
    }
    let mut at = node.field("declarator")?;
    for _ in 0..4 {
        match at.field("declarator") {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at.kind().contains("identifier").then_some(at)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 80
        && name.chars().all(|c| c.is_alphanumeric() || "_$#?!=:.".contains(c))
}

/// The name of a type without its type parameters.
fn without_type_parameters(name: &str) -> String {
    name.split(['<', '[', ' ']).next().unwrap_or(name).to_owned()
}

/// The texts of the attributes of a Rust item.
fn previous_attributes<'r>(node: &Node<'r>) -> impl Iterator<Item = String> + use<'r> {
    std::iter::successors(node.prev(), Node::prev)
        .take_while(|before| before.kind() == "attribute_item" || before.kind().contains("comment"))
        .filter(|before| before.kind() == "attribute_item")
        .map(|attribute| attribute.text().into_owned())
}

fn is_test_item(node: &Node<'_>) -> bool {
    *node.lang() == SupportLang::Rust
        && previous_attributes(node).any(|text| text.contains("cfg(test)"))
}

/// The names of the parameters of a function.
fn parameters(node: &Node<'_>) -> Vec<String> {
    let list = node.field("parameters").or_else(|| node.field("parameter"));
    let Some(list) = list else { return Vec::new() };
    let name = |parameter: Node<'_>| {
        let part = ["pattern", "name", "declarator"].iter().find_map(|name| parameter.field(name));
        let named = part.unwrap_or(parameter);
        let leaf = named.dfs().find(|inner| inner.is_leaf() && inner.kind().contains("identifier"));
        leaf.map(|leaf| leaf.text().into_owned())
    };
    if list.is_leaf() {
        return vec![list.text().into_owned()];
    }
    list.children()
        .filter(|child| child.is_named() && !child.kind().contains("comment"))
        .filter_map(name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders symbols as `kind name`, with `+` if exported and `?` if in a test.
    #[track_caller]
    fn render(path: &str, text: &str) -> String {
        let show = |symbol: &Symbol| {
            let kind = format!("{:?}", symbol.kind);
            let mark = if symbol.exported { "+" } else { "" };
            let test = if symbol.in_test { "?" } else { "" };
            format!("{}{mark}{test} {}", &kind[..1], symbol.name)
        };
        symbols(path, text).iter().map(show).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn rust_symbols_are_read() {
        let text = "pub struct A { pub b: u8, c: u8 }\nimpl A { pub fn d(&self) {} fn e() {} }\n\
                    impl Clone for A { fn clone(&self) -> A {} }\npub(crate) fn f(x: u8) {}\n\
                    pub enum G { H }\npub trait I { fn j(); }\nconst K: u8 = 1;\n\
                    #[cfg(test)]\nmod tests { fn l() {} #[test] fn m() {} #[tokio::test] fn n() {} }";
        assert_eq!(
            render("a.rs", text),
            "T+ A, M+ A::b, M A::c, F+ A::d, F A::e, F f, T+ G, M+ G::H, T+ I, F+ I::j, V K, F? l, T? m, T? n"
        );
        assert_eq!(symbols("a.rs", text)[5].parameters, ["x"]);
    }

    #[test]
    fn script_symbols_are_read() {
        let text = "export class A { b(c) {} private d() {} #e() {} }\nfunction f() {}\n\
                    export const g = (h, i = 1) => { const j = 1; }\nconst k = 2, l = 3\nexport { f }\n\
                    export interface M { n: string }\nexport enum O { P, Q = 2 }\n\
                    describe('x', () => { it('returns y', () => {}) })";
        assert_eq!(
            render("a.ts", text),
            "T+ A, F+ A.b, F A.d, F A.#e, F+ f, F+ g, V k, V l, T+ M, M+ M.n, T+ O, M+ O.P, M+ O.Q, T? returns y"
        );
        assert_eq!(symbols("a.ts", text)[5].parameters, ["h", "i"]);
        assert_eq!(render("a.js", "function a() {}\nmodule.exports = { a }"), "F+ a");
    }

    #[test]
    fn symbols_of_other_languages_are_read() {
        let python = "A = 1\ndef b(c, d=1): pass\nclass E:\n    def f(self): pass\n    def _g(self): pass\ndef test_h(): pass\n";
        assert_eq!(render("a.py", python), "V+ A, F+ b, T+ E, F+ E.f, F E._g, T? test_h");
        let go = "package a\ntype B struct { C int }\nfunc (b *B) D(e int) {}\nfunc f() {}\nconst G = 1\n";
        assert_eq!(render("a.go", go), "T+ B, M+ B.C, F+ B.D, F f, V+ G");
        let java = "public class A { public void b() {} void c() {} @Test public void d() {} }";
        assert_eq!(render("A.java", java), "T+ A, F+ A.b, F A.c, T? A.d");
        assert_eq!(render("a.rb", "class A\n def b; end\nend"), "T+ A, F+ A.b");
        assert_eq!(
            render("a.php", "<?php class A { private function b() {} public function c() {} }"),
            "T+ A, F A::b, F+ A::c"
        );
        assert_eq!(render("a.h", "int a(int b);\nint c(void) { return 1; }"), "F+ c");
        assert_eq!(render("a.sh", "a() { b; }"), "F a");
        assert_eq!(
            render("a.kt", "class A {\n  private fun b() {}\n  fun c() {}\n}"),
            "T+ A, F b, F+ c"
        );
    }

    #[test]
    fn malformed_text_does_not_panic() {
        for path in ["a.rs", "a.ts", "a.py", "a.go", "a.java", "a.rb", "a.php", "a.c", "a.sh"] {
            for text in ["", "\u{feff}", "é", "fn fn fn {{{", "class", "((((", "\0\0", "def 'é"] {
                symbols(path, text);
                syntax::tokens(path, text);
            }
        }
    }
}
