//! Extracts the literal parts of a configuration written in JavaScript or TypeScript. Nothing is
//! executed: the syntax tree is read, and everything else is reported.

#[cfg(test)]
mod tests;

use super::{ImportError, MAX_DEPTH};
use ast_grep_core::Node;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

type SyntaxNode<'t> = Node<'t, StrDoc<SupportLang>>;

/// Maximum number of expressions that are read; nested references can otherwise expand
/// exponentially.
const MAX_EXPRESSIONS: usize = 100_000;

/// Spellings of infinity.
const INFINITY_NAMES: [&str; 4] =
    ["Infinity", "Number.POSITIVE_INFINITY", "Number.MAX_SAFE_INTEGER", "Number.MAX_VALUE"];

/// The exports of a file.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// The exported value. Non-literal parts of the top level are omitted; other non-literal parts
    /// are replaced by [`not_literal_marker`].
    pub(super) value: Json,
    /// The parts that are not literals: `path.of.keys (line 3): text`.
    pub(super) not_literal: Vec<String>,
}

/// Returns the exports of the module with a given name, if they are known without executing it.
pub(super) type Modules<'a> = &'a dyn Fn(&str) -> Option<Json>;

/// Whether the file at `path` is JavaScript or TypeScript.
pub(super) fn is_script(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    ["js", "cjs", "mjs", "ts", "cts", "mts"].contains(&extension)
}

/// The placeholder for a value that is not a literal. It also replaces a list with a non-literal item,
/// because a partial list would have another meaning.
fn not_literal_marker() -> Json {
    json!({"not literal": true})
}

/// Whether a value, or a part of it, is not a literal.
pub(super) fn has_non_literal(value: &Json) -> bool {
    match value {
        Json::Object(map) => *value == not_literal_marker() || map.values().any(has_non_literal),
        Json::Array(items) => items.iter().any(has_non_literal),
        _ => false,
    }
}

/// Reads `module.exports = …` or `export default …`. `modules` resolves imported values.
///
/// # Errors
/// Fails when the file exports nothing that can be read without running it.
pub(super) fn read(text: &str, path: &str, modules: Modules<'_>) -> Result<Literal, ImportError> {
    let language =
        if path.ends_with("ts") { SupportLang::TypeScript } else { SupportLang::JavaScript };
    let tree = language.ast_grep(text);
    let root = tree.root();
    let mut reader = Reader {
        names: BTreeMap::new(),
        not_literal: Vec::new(),
        remaining: MAX_EXPRESSIONS,
        modules,
    };
    let mut exported = None;
    for statement in root.children() {
        match &*statement.kind() {
            "export_statement" => {
                exported = statement.field("value").or(exported);
                statement
                    .field("declaration")
                    .iter()
                    .for_each(|inner| reader.record_declaration(inner));
            }
            "lexical_declaration" | "variable_declaration" => reader.record_declaration(&statement),
            "import_statement" => reader.record_import(&statement),
            "expression_statement" => {
                let is_export = |inner: &SyntaxNode<'_>| {
                    let left = inner.field("left");
                    left.is_some_and(|left| {
                        ["module.exports", "exports.default"].contains(&&*left.text())
                    })
                };
                let assigned = statement.children().filter(is_export).last();
                exported = assigned.and_then(|inner| inner.field("right")).or(exported);
            }
            _ => {}
        }
    }
    let nothing = || ImportError::NotLiteral(path.to_owned());
    // An exported function is not called, because it can have side effects.
    let node = exported.filter(|node| node.kind() != "arrow_function").ok_or_else(nothing)?;
    let value = reader.value(&node, "", MAX_DEPTH).ok_or_else(nothing)?;
    let is_container = value.is_object() || value.is_array();
    if is_container {
        Ok(Literal { value, not_literal: reader.not_literal })
    } else {
        Err(nothing())
    }
}

/// The value that a name refers to: the value of an expression or a module, or of a key in this
/// value.
#[derive(Clone)]
struct Name<'t> {
    from: Origin<'t>,
    key: Option<String>,
}

#[derive(Clone)]
enum Origin<'t> {
    Expression(SyntaxNode<'t>),
    Module(String),
}

struct Reader<'t, 'm> {
    names: BTreeMap<String, Name<'t>>,
    /// The parts that are not literals.
    not_literal: Vec<String>,
    /// The number of expressions that can still be read.
    remaining: usize,
    modules: Modules<'m>,
}

impl<'t> Reader<'t, '_> {
    /// Records `const a = …` and `const { a, b: c } = …`.
    fn record_declaration(&mut self, statement: &SyntaxNode<'t>) {
        for declared in statement.children() {
            let Some((name, value)) = declared.field("name").zip(declared.field("value")) else {
                continue;
            };
            let from = Origin::Expression(value);
            if name.kind() != "object_pattern" {
                self.names.insert(name.text().into_owned(), Name { from, key: None });
                continue;
            }
            for part in named_children(&name) {
                let renamed = part.field("key").zip(part.field("value"));
                let (key, name) = renamed.unwrap_or_else(|| (part.clone(), part.clone()));
                let key = Some(unquote(&key.text()));
                self.names.insert(name.text().into_owned(), Name { from: from.clone(), key });
            }
        }
    }

    /// Records `import a, { b as c } from 'module'`.
    fn record_import(&mut self, statement: &SyntaxNode<'t>) {
        let Some(source) = statement.field("source") else { return };
        let from = Origin::Module(unquote(&source.text()));
        let clause = statement.children().find(|child| child.kind() == "import_clause");
        let mut note = |name: &SyntaxNode<'t>, key: Option<String>| {
            self.names.insert(name.text().into_owned(), Name { from: from.clone(), key });
        };
        for part in clause.iter().flat_map(named_children) {
            if part.kind() == "identifier" {
                note(&part, None);
            }
            // `* as name`, or each of `{ name, key as name }`.
            for specifier in named_children(&part) {
                let key = specifier.field("name");
                let name = specifier.field("alias").or_else(|| key.clone()).unwrap_or(specifier);
                note(&name, key.map(|key| key.text().into_owned()));
            }
        }
    }

    /// The value of an expression; `None`, with an entry in `not_literal`, if it is not a literal.
    fn value(&mut self, node: &SyntaxNode<'t>, at: &str, depth: usize) -> Option<Json> {
        let (Some(depth), Some(remaining)) = (depth.checked_sub(1), self.remaining.checked_sub(1))
        else {
            return self.report_not_literal(node, at);
        };
        self.remaining = remaining;
        let text = node.text();
        match &*node.kind() {
            "object" => Some(Json::Object(self.object(node, at, depth))),
            "array" => self.array(node, at, depth),
            "string" => Some(unquote(&text).into()),
            "template_string" if !text.contains("${") => Some(unquote(&text).into()),
            "true" | "false" => Some((text == "true").into()),
            "null" | "undefined" => Some(Json::Null),
            "number" | "unary_expression" => {
                let text = text.replace([' ', '_'], "");
                let infinity = (text == "-Infinity").then(|| "Infinity".into());
                let number = || text.parse::<i64>().map(Json::from).ok();
                infinity.or_else(number).or_else(|| self.report_not_literal(node, at))
            }
            "regex" => {
                let part = |name: &str| node.field(name).map(|part| part.text().into_owned());
                Some(json!({"regex": part("pattern"), "flags": part("flags")}))
            }
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                self.value(&named_children(node).next()?, at, depth)
            }
            "identifier"
            | "shorthand_property_identifier"
            | "member_expression"
            | "subscript_expression"
            | "call_expression"
            | "arrow_function" => {
                let reported_before = self.not_literal.len();
                let value = self.resolve_value(node, at, depth);
                // `resolve_value` has already reported the non-literal parts of the referenced
                // value.
                if value.is_none() && self.not_literal.len() == reported_before {
                    return self.report_not_literal(node, at);
                }
                value
            }
            _ => self.report_not_literal(node, at),
        }
    }

    /// The value of an expression that refers to or constructs a value; `None` if it is not a
    /// literal.
    fn resolve_value(&mut self, node: &SyntaxNode<'t>, at: &str, depth: usize) -> Option<Json> {
        match (&*node.kind(), &*node.text()) {
            (_, name) if INFINITY_NAMES.contains(&name) => Some("Infinity".into()),
            // The severity levels as named in commitlint's types.
            (_, "RuleConfigSeverity.Disabled") => Some(0.into()),
            (_, "RuleConfigSeverity.Warning") => Some(1.into()),
            (_, "RuleConfigSeverity.Error") => Some(2.into()),
            ("identifier" | "shorthand_property_identifier", name) => {
                let Name { from, key } = self.names.get(name).cloned()?;
                let value = match from {
                    Origin::Expression(value) if key.is_none() => self.value(&value, at, depth),
                    Origin::Expression(value) => self.literal_value(&value, depth),
                    Origin::Module(module) => (self.modules)(&module),
                };
                match key {
                    Some(key) => value?.get(&key).cloned(),
                    None => value,
                }
            }
            ("member_expression", _) => {
                let object = self.literal_value(&node.field("object")?, depth)?;
                let key = node.field("property")?.text().into_owned();
                let value = object.get(&key).cloned();
                // A module refers to its default export.
                value.or_else(|| (key == "default").then_some(object))
            }
            ("subscript_expression", _) => {
                let object = self.literal_value(&node.field("object")?, depth)?;
                match self.literal_value(&node.field("index")?, depth)? {
                    Json::String(key) => object.get(&key).cloned(),
                    Json::Number(at) => object.get(usize::try_from(at.as_u64()?).ok()?).cloned(),
                    _ => None,
                }
            }
            ("arrow_function", _) => {
                let mut body = node.field("body")?;
                if body.kind() == "statement_block" {
                    // A function that only returns a value.
                    let inner: Vec<SyntaxNode<'t>> = named_children(&body).collect();
                    let [only] = &inner[..] else { return None };
                    let returned =
                        named_children(only).next().filter(|_| only.kind() == "return_statement");
                    body = returned?;
                }
                self.literal_value(&body, depth)
            }
            _ => self.call_result(node, at, depth),
        }
    }

    /// The result of a call, if the function is one of the few known functions.
    fn call_result(&mut self, node: &SyntaxNode<'t>, at: &str, depth: usize) -> Option<Json> {
        let first = named_children(&node.field("arguments")?).next()?;
        match &*node.field("function")?.text() {
            // `defineConfig` returns its argument.
            "defineConfig" => self.value(&first, at, depth),
            "require" => (self.modules)(self.literal_value(&first, depth)?.as_str()?),
            "Object.keys" => {
                Some(self.literal_value(&first, depth)?.as_object()?.keys().cloned().collect())
            }
            _ => None,
        }
    }

    /// A value that is entirely literal; non-literal parts are not reported.
    fn literal_value(&mut self, node: &SyntaxNode<'t>, depth: usize) -> Option<Json> {
        let reported_before = self.not_literal.len();
        let value = self.value(node, "", depth);
        let is_literal = self.not_literal.len() == reported_before;
        self.not_literal.truncate(reported_before);
        value.filter(|_| is_literal)
    }

    /// The value of a spread `...`; `None`, with an entry in `not_literal`, if it is not a literal.
    fn spread(
        &mut self,
        node: &SyntaxNode<'t>,
        at: &str,
        depth: usize,
        has_type: fn(&Json) -> bool,
    ) -> Option<Json> {
        let value = named_children(node).next().and_then(|inner| self.literal_value(&inner, depth));
        value.filter(has_type).or_else(|| self.report_not_literal(node, at))
    }

    /// The value of a list. Below the top level, a list with a non-literal item is dropped.
    fn array(&mut self, node: &SyntaxNode<'t>, at: &str, depth: usize) -> Option<Json> {
        let mut items = Vec::new();
        let mut is_literal = true;
        for (index, item) in named_children(node).enumerate() {
            let at = format!("{at}[{index}]");
            if item.kind() == "spread_element" {
                match self.spread(&item, &at, depth, Json::is_array) {
                    Some(Json::Array(more)) => items.extend(more),
                    _ => is_literal = false,
                }
                continue;
            }
            let value = self.value(&item, &at, depth);
            is_literal &= value.is_some();
            items.extend(value);
        }
        (is_literal || !at.contains('.')).then_some(Json::Array(items))
    }

    fn object(&mut self, node: &SyntaxNode<'t>, at: &str, depth: usize) -> Map<String, Json> {
        let mut map = Map::new();
        for part in named_children(node) {
            let key = match &*part.kind() {
                "pair" => part.field("key").filter(|key| key.kind() != "computed_property_name"),
                "method_definition" => part.field("name"),
                "shorthand_property_identifier" => Some(part.clone()),
                "spread_element" => {
                    let more = self.spread(&part, at, depth, Json::is_object);
                    if let Some(Json::Object(more)) = more {
                        map.extend(more);
                    }
                    continue;
                }
                _ => None,
            };
            let Some(key) = key.map(|key| unquote(&key.text())) else {
                self.report_not_literal(&part, at);
                continue;
            };
            let below = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            // A method would have to be called.
            let value = self.value(&part.field("value").unwrap_or(part), &below, depth);
            if value.is_some() || !at.is_empty() {
                map.insert(key, value.unwrap_or_else(not_literal_marker));
            }
        }
        map
    }

    fn report_not_literal(&mut self, node: &SyntaxNode<'t>, at: &str) -> Option<Json> {
        let text: String = node.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = text.chars().take(60).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        let name = if at.is_empty() { "the exported value" } else { at };
        self.not_literal
            .push(format!("`{name}` (line {}): `{short}{more}`", node.start_pos().line() + 1));
        None
    }
}

/// The children that are named nodes.
fn named_children<'t>(node: &SyntaxNode<'t>) -> impl Iterator<Item = SyntaxNode<'t>> {
    node.children().filter(|child| child.is_named() && child.kind() != "comment")
}

/// A string without its quotes and with its escapes resolved; a bare name is unchanged.
fn unquote(text: &str) -> String {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'));
    let Some(quote) = quote else { return text.to_owned() };
    let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(text);
    let mut plain = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        let escaped = if c == '\\' { rest.next().unwrap_or('\n') } else { c };
        match (c, escaped) {
            ('\\', 'n') => plain.push('\n'),
            ('\\', 't') => plain.push('\t'),
            ('\\', 'r') => plain.push('\r'),
            ('\\', 'u') => {
                let digits: String = rest.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or('\u{FFFD}'));
            }
            ('\\', '\n') => {}
            (_, other) => plain.push(other),
        }
    }
    plain
}
