//! What of a configuration written in JavaScript or TypeScript is literal. Nothing is run: the
//! syntax tree is read, and what it cannot tell is named.

use super::DEEPEST;
use ast_grep_core::Node;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

type Tree<'t> = Node<'t, StrDoc<SupportLang>>;

/// What was read.
#[derive(Debug)]
pub(super) struct Literal {
    /// The value that the file exports; what is not literal is left out of it.
    pub(super) value: Json,
    /// What is not literal: `path.of.keys (line 3): text`.
    pub(super) odd: Vec<String>,
}

/// Whether the file at `path` is a program.
pub(super) fn is_script(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["js", "cjs", "mjs", "ts", "cts", "mts"].contains(&ending)
}

/// Reads `module.exports = …` or `export default …`.
///
/// # Errors
/// When the file exports nothing that can be read without running it.
pub(super) fn read(text: &str, path: &str) -> Result<Literal, String> {
    let language =
        if path.ends_with("ts") { SupportLang::TypeScript } else { SupportLang::JavaScript };
    let tree = language.ast_grep(text);
    let root = tree.root();
    let mut reader = Reader { names: BTreeMap::new(), odd: Vec::new() };
    let mut exported = None;
    for statement in root.children() {
        match &*statement.kind() {
            "export_statement" => exported = statement.field("value").or(exported),
            "lexical_declaration" | "variable_declaration" => {
                for declared in statement.children() {
                    let pair = declared.field("name").zip(declared.field("value"));
                    if let Some((name, value)) = pair {
                        reader.names.insert(name.text().into_owned(), value);
                    }
                }
            }
            "expression_statement" => {
                for inner in statement.children() {
                    let left = inner.field("left").map(|left| left.text().into_owned());
                    if left
                        .is_some_and(|left| left == "module.exports" || left == "exports.default")
                    {
                        exported = inner.field("right").or(exported);
                    }
                }
            }
            _ => {}
        }
    }
    let nothing = || {
        format!(
            "{path}: nothing can be read without running it: `module.exports = {{ … }}` and `export default {{ … }}` are read"
        )
    };
    let node = exported.ok_or_else(nothing)?;
    let value = reader.value(&node, "", DEEPEST).ok_or_else(nothing)?;
    if value.is_object() { Ok(Literal { value, odd: reader.odd }) } else { Err(nothing()) }
}

struct Reader<'t> {
    names: BTreeMap<String, Tree<'t>>,
    odd: Vec<String>,
}

impl<'t> Reader<'t> {
    /// The value of an expression; `None`, and a word in `odd`, for what is not literal.
    fn value(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Option<Json> {
        let Some(depth) = depth.checked_sub(1) else { return self.odd(node, at) };
        match &*node.kind() {
            "object" => Some(Json::Object(self.object(node, at, depth))),
            "array" => {
                let mut items = Vec::new();
                for (index, item) in named(node).enumerate() {
                    items.extend(self.value(&item, &format!("{at}[{index}]"), depth));
                }
                Some(Json::Array(items))
            }
            "string" => Some(Json::String(unquoted(&node.text()))),
            "template_string" if !node.text().contains("${") => {
                Some(Json::String(unquoted(&node.text())))
            }
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            "null" | "undefined" => Some(Json::Null),
            "number" => {
                node.text().parse::<i64>().map(Json::from).ok().or_else(|| self.odd(node, at))
            }
            "unary_expression" => {
                let number = node.text().replace(' ', "").parse::<i64>().ok();
                number.map(Json::from).or_else(|| self.odd(node, at))
            }
            "identifier" => match self.names.get(&*node.text()).cloned() {
                Some(value) => self.value(&value, at, depth),
                None => self.odd(node, at),
            },
            // The levels by the names that commitlint's types give them.
            "member_expression" => match &*node.text() {
                "RuleConfigSeverity.Disabled" => Some(Json::from(0)),
                "RuleConfigSeverity.Warning" => Some(Json::from(1)),
                "RuleConfigSeverity.Error" => Some(Json::from(2)),
                _ => self.odd(node, at),
            },
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                let inner = named(node).next()?;
                self.value(&inner, at, depth)
            }
            // `defineConfig({ … })` gives back what it is given.
            "call_expression" if node.text().starts_with("defineConfig") => {
                let inner = node.field("arguments").and_then(|all| named(&all).next())?;
                self.value(&inner, at, depth)
            }
            _ => self.odd(node, at),
        }
    }

    fn object(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Map<String, Json> {
        let mut map = Map::new();
        for part in named(node) {
            match &*part.kind() {
                "pair" => {
                    let Some((key, value)) = part.field("key").zip(part.field("value")) else {
                        continue;
                    };
                    if key.kind() == "computed_property_name" {
                        self.odd(&part, at);
                        continue;
                    }
                    let key = unquoted(&key.text());
                    let below = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                    if let Some(value) = self.value(&value, &below, depth) {
                        map.insert(key, value);
                    }
                }
                "shorthand_property_identifier" => {
                    let name = part.text().into_owned();
                    let value = self.names.get(&name).cloned();
                    let value = value.and_then(|value| self.value(&value, &name, depth));
                    match value {
                        Some(value) => drop(map.insert(name, value)),
                        None => drop(self.odd(&part, at)),
                    }
                }
                "comment" => {}
                _ => drop(self.odd(&part, at)),
            }
        }
        map
    }

    fn odd(&mut self, node: &Tree<'t>, at: &str) -> Option<Json> {
        let text: String = node.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = text.chars().take(60).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        let place = if at.is_empty() { "the exported value" } else { at };
        self.odd.push(format!("`{place}` (line {}): `{short}{more}`", node.start_pos().line() + 1));
        None
    }
}

/// The children that mean something.
fn named<'t>(node: &Tree<'t>) -> impl Iterator<Item = Tree<'t>> {
    node.children().filter(|child| child.is_named() && child.kind() != "comment")
}

/// A string without its quotes, its escapes resolved; a bare name stays.
fn unquoted(text: &str) -> String {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'));
    let Some(quote) = quote else { return text.to_owned() };
    let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(text);
    let mut plain = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or('\u{FFFD}'));
            }
            Some('\n') | None => {}
            Some(other) => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn literals_are_read_and_the_rest_is_named() {
        let text = "const types = ['feat', \"fix\"]; // why\nmodule.exports = {\n  extends: ['@commitlint/config-conventional'],\n  rules: { 'type-enum': [2, 'always', types], a: [RuleConfigSeverity.Warning, `x`], b: -1 },\n  ...base,\n  ignores: [(m) => m.startsWith('x')],\n}\n";
        let read = read(text, "commitlint.config.js").expect("literal");
        assert_eq!(
            read.value,
            serde_json::json!({
                "extends": ["@commitlint/config-conventional"],
                "rules": {"type-enum": [2, "always", ["feat", "fix"]], "a": [1, "x"], "b": -1},
                "ignores": [],
            })
        );
        assert_eq!(
            read.odd,
            [
                "`the exported value` (line 5): `...base`",
                "`ignores[0]` (line 6): `(m) => m.startsWith('x')`"
            ]
        );
    }

    #[test]
    fn both_ways_to_export_in_both_languages() {
        for (path, text) in [
            ("a.mjs", "export default { a: 'x' };"),
            ("a.ts", "const c: UserConfig = { a: 'x' };\nexport default c;"),
            ("a.mts", "export default { a: 'x' } satisfies UserConfig;"),
            ("a.cjs", "module.exports = defineConfig({ a: 'x' })"),
        ] {
            let read = read(text, path).expect(path);
            assert_eq!(read.value, serde_json::json!({"a": "x"}), "{path}");
        }
        for text in ["", "module.exports = make()", "export default async () => ({})", "{{{"] {
            let why = read(text, "x.js").expect_err("nothing literal");
            assert!(why.contains("without running it"), "{why}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(module.exports = )?[a{}\\[\\]:,'\"`\\\\u.( )=-]{0,40}") {
            let _ = read(&text, "x.js");
        }
    }
}
