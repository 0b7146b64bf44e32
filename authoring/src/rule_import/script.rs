//! What of a configuration written in JavaScript or TypeScript is literal. Nothing is run: the
//! syntax tree is read, and what it cannot tell is named.

#[cfg(test)]
mod tests;

use super::DEEPEST;
use ast_grep_core::Node;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

type Tree<'t> = Node<'t, StrDoc<SupportLang>>;

/// How many expressions are read at most: names that name one another can stand for more of them
/// than there is time.
const MOST: usize = 100_000;

/// What was read.
#[derive(Debug)]
pub(super) struct Literal {
    /// The value that the file exports; what is not literal is left out of it at the top, and is
    /// [`unread`] below.
    pub(super) value: Json,
    /// What is not literal: `path.of.keys (line 3): text`.
    pub(super) odd: Vec<String>,
}

/// What a module exports, where that is known without running it.
pub(super) type Modules<'a> = &'a dyn Fn(&str) -> Option<Json>;

/// Whether the file at `path` is a program.
pub(super) fn is_script(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ["js", "cjs", "mjs", "ts", "cts", "mts"].contains(&ending)
}

/// What stands for a value that is not literal. Half a list would say something else than the
/// whole, so none is given.
fn unread() -> Json {
    json!({"not literal": true})
}

/// Whether a value, or something in it, is not literal.
pub(super) fn is_unread(value: &Json) -> bool {
    match value {
        Json::Object(map) => *value == unread() || map.values().any(is_unread),
        Json::Array(items) => items.iter().any(is_unread),
        _ => false,
    }
}

/// Reads `module.exports = …` or `export default …`. `modules` are those that it may take values
/// from.
///
/// # Errors
/// When the file exports nothing that can be read without running it.
pub(super) fn read(text: &str, path: &str, modules: Modules<'_>) -> Result<Literal, String> {
    let language =
        if path.ends_with("ts") { SupportLang::TypeScript } else { SupportLang::JavaScript };
    let tree = language.ast_grep(text);
    let root = tree.root();
    let mut reader = Reader { names: BTreeMap::new(), odd: Vec::new(), left: MOST, modules };
    let mut exported = None;
    for statement in root.children() {
        match &*statement.kind() {
            "export_statement" => {
                exported = statement.field("value").or(exported);
                statement.field("declaration").iter().for_each(|inner| reader.declared(inner));
            }
            "lexical_declaration" | "variable_declaration" => reader.declared(&statement),
            "import_statement" => reader.imported(&statement),
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
    // What a function would give is not asked: it may do more.
    let node = exported.filter(|node| node.kind() != "arrow_function").ok_or_else(nothing)?;
    let value = reader.value(&node, "", DEEPEST).ok_or_else(nothing)?;
    let is_whole = value.is_object() || value.is_array();
    if is_whole { Ok(Literal { value, odd: reader.odd }) } else { Err(nothing()) }
}

/// What a name stands for.
#[derive(Clone)]
enum Name<'t> {
    /// An expression, or one key of what it gives.
    Value(Tree<'t>, Option<String>),
    /// A module, or one name that it exports.
    Module(String, Option<String>),
}

struct Reader<'t, 'm> {
    names: BTreeMap<String, Name<'t>>,
    odd: Vec<String>,
    left: usize,
    modules: Modules<'m>,
}

impl<'t> Reader<'t, '_> {
    /// Notes `const a = …` and `const { a, b: c } = …`.
    fn declared(&mut self, statement: &Tree<'t>) {
        for declared in statement.children() {
            let Some((name, value)) = declared.field("name").zip(declared.field("value")) else {
                continue;
            };
            if name.kind() != "object_pattern" {
                self.names.insert(name.text().into_owned(), Name::Value(value, None));
                continue;
            }
            for part in named(&name) {
                let (key, name) = match part.field("key").zip(part.field("value")) {
                    Some((key, value)) => (unquoted(&key.text()), value.text().into_owned()),
                    None => (part.text().into_owned(), part.text().into_owned()),
                };
                self.names.insert(name, Name::Value(value.clone(), Some(key)));
            }
        }
    }

    /// Notes `import a, { b as c } from 'module'`.
    fn imported(&mut self, statement: &Tree<'t>) {
        let Some(source) = statement.field("source") else { return };
        let module = unquoted(&source.text());
        let clause = statement.children().find(|child| child.kind() == "import_clause");
        for part in clause.iter().flat_map(named) {
            match &*part.kind() {
                "identifier" => {
                    self.names.insert(part.text().into_owned(), Name::Module(module.clone(), None));
                }
                "namespace_import" => {
                    for name in named(&part) {
                        let of = Name::Module(module.clone(), None);
                        self.names.insert(name.text().into_owned(), of);
                    }
                }
                _ => {
                    for one in named(&part) {
                        let Some(name) = one.field("name").map(|name| name.text().into_owned())
                        else {
                            continue;
                        };
                        let alias = one.field("alias").map(|alias| alias.text().into_owned());
                        let of = Name::Module(module.clone(), Some(name.clone()));
                        self.names.insert(alias.unwrap_or(name), of);
                    }
                }
            }
        }
    }

    /// The value of an expression; `None`, and a word in `odd`, for what is not literal.
    fn value(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Option<Json> {
        let (Some(depth), Some(left)) = (depth.checked_sub(1), self.left.checked_sub(1)) else {
            return self.odd(node, at);
        };
        self.left = left;
        match &*node.kind() {
            "object" => Some(Json::Object(self.object(node, at, depth))),
            "array" => self.array(node, at, depth),
            "string" => Some(Json::String(unquoted(&node.text()))),
            "template_string" if !node.text().contains("${") => {
                Some(Json::String(unquoted(&node.text())))
            }
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            "null" | "undefined" => Some(Json::Null),
            "number" | "unary_expression" => {
                let text = node.text().replace([' ', '_'], "");
                let endless = (text == "-Infinity").then(|| Json::from("Infinity"));
                endless
                    .or_else(|| text.parse::<i64>().map(Json::from).ok())
                    .or_else(|| self.odd(node, at))
            }
            "regex" => {
                let part = |name: &str| node.field(name).map(|part| part.text().into_owned());
                Some(json!({"regex": part("pattern"), "flags": part("flags")}))
            }
            "identifier" if node.text() == "Infinity" => Some(Json::from("Infinity")),
            "identifier"
            | "member_expression"
            | "subscript_expression"
            | "call_expression"
            | "arrow_function" => {
                let told = self.odd.len();
                let value = self.reached(node, at, depth);
                // What is odd in what it names has been told there.
                if value.is_none() && self.odd.len() == told {
                    return self.odd(node, at);
                }
                value
            }
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                let inner = named(node).next()?;
                self.value(&inner, at, depth)
            }
            _ => self.odd(node, at),
        }
    }

    /// What an expression that names or makes a value comes to; `None` where that is not literal.
    fn reached(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Option<Json> {
        match &*node.kind() {
            "identifier" => match self.names.get(&*node.text()).cloned()? {
                Name::Value(value, None) => self.value(&value, at, depth),
                Name::Value(value, Some(key)) => self.whole(&value, depth)?.get(&key).cloned(),
                Name::Module(module, None) => (self.modules)(&module),
                Name::Module(module, Some(key)) => (self.modules)(&module)?.get(&key).cloned(),
            },
            "member_expression" => {
                // The levels by the names that commitlint's types give them.
                match &*node.text() {
                    "RuleConfigSeverity.Disabled" => return Some(Json::from(0)),
                    "RuleConfigSeverity.Warning" => return Some(Json::from(1)),
                    "RuleConfigSeverity.Error" => return Some(Json::from(2)),
                    "Number.POSITIVE_INFINITY" | "Number.MAX_SAFE_INTEGER" | "Number.MAX_VALUE" => {
                        return Some(Json::from("Infinity"));
                    }
                    _ => {}
                }
                let object = self.whole(&node.field("object")?, depth)?;
                let key = node.field("property")?.text().into_owned();
                let value = object.get(&key).cloned();
                // What a module exports by default is what it exports.
                value.or_else(|| (key == "default").then_some(object))
            }
            "subscript_expression" => {
                let object = self.whole(&node.field("object")?, depth)?;
                match self.whole(&node.field("index")?, depth)? {
                    Json::String(key) => object.get(&key).cloned(),
                    Json::Number(at) => object.get(usize::try_from(at.as_u64()?).ok()?).cloned(),
                    _ => None,
                }
            }
            "arrow_function" => {
                let body = node.field("body")?;
                let plain = body.kind() != "statement_block";
                let inner = if plain {
                    body
                } else {
                    // One that does nothing but return.
                    let mut inner = named(&body);
                    let only = inner.next().filter(|only| only.kind() == "return_statement")?;
                    if inner.next().is_some() {
                        return None;
                    }
                    named(&only).next()?
                };
                self.whole(&inner, depth)
            }
            _ => self.called(node, at, depth),
        }
    }

    /// What a call gives, of the few that are known.
    fn called(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Option<Json> {
        let arguments = node.field("arguments")?;
        let first = named(&arguments).next()?;
        let function = node.field("function")?.text().into_owned();
        match function.as_str() {
            // It gives back what it is given.
            "defineConfig" => self.value(&first, at, depth),
            "require" => (self.modules)(self.whole(&first, depth)?.as_str()?),
            "Object.keys" | "Object.values" => {
                let Json::Object(map) = self.whole(&first, depth)? else { return None };
                Some(match function.as_str() {
                    "Object.keys" => map.keys().cloned().map(Json::from).collect(),
                    _ => map.values().cloned().collect(),
                })
            }
            _ => None,
        }
    }

    /// A value that is literal in all its parts; what is odd in it is not told.
    fn whole(&mut self, node: &Tree<'t>, depth: usize) -> Option<Json> {
        let told = self.odd.len();
        let value = self.value(node, "", depth);
        let is_whole = self.odd.len() == told;
        self.odd.truncate(told);
        value.filter(|_| is_whole)
    }

    /// A list. Below the top, one with something odd in it is none at all.
    fn array(&mut self, node: &Tree<'t>, at: &str, depth: usize) -> Option<Json> {
        let mut items = Vec::new();
        let mut is_whole = true;
        for (index, item) in named(node).enumerate() {
            let at = format!("{at}[{index}]");
            if item.kind() != "spread_element" {
                let value = self.value(&item, &at, depth);
                is_whole &= value.is_some();
                items.extend(value);
                continue;
            }
            let spread = named(&item).next().and_then(|inner| self.whole(&inner, depth));
            match spread {
                Some(Json::Array(more)) => items.extend(more),
                _ => {
                    is_whole = false;
                    self.odd(&item, &at);
                }
            }
        }
        (is_whole || !at.contains('.')).then_some(Json::Array(items))
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
                    match self.value(&value, &below, depth) {
                        Some(value) => drop(map.insert(key, value)),
                        None if at.is_empty() => {}
                        None => drop(map.insert(key, unread())),
                    }
                }
                "shorthand_property_identifier" => {
                    let name = part.text().into_owned();
                    let value = match self.names.get(&name).cloned() {
                        Some(Name::Value(value, None)) => self.value(&value, &name, depth),
                        Some(Name::Value(value, Some(key))) => {
                            self.whole(&value, depth).and_then(|of| of.get(&key).cloned())
                        }
                        Some(Name::Module(module, key)) => (self.modules)(&module).and_then(|of| {
                            key.map_or_else(|| Some(of.clone()), |key| of.get(&key).cloned())
                        }),
                        None => None,
                    };
                    match value {
                        Some(value) => drop(map.insert(name, value)),
                        None => drop(self.odd(&part, at)),
                    }
                }
                "spread_element" => {
                    let spread = named(&part).next().and_then(|inner| self.whole(&inner, depth));
                    match spread {
                        Some(Json::Object(more)) => map.extend(more),
                        _ => drop(self.odd(&part, at)),
                    }
                }
                "method_definition" => {
                    // It would be called.
                    let name = part.field("name").map(|name| unquoted(&name.text()));
                    let below = [at, name.as_deref().unwrap_or_default()];
                    self.odd(&part, below.join(".").trim_matches('.'));
                    if let (Some(name), false) = (name, at.is_empty()) {
                        map.insert(name, unread());
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
