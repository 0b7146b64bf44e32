//! Paths that contain constants. The value of a constant of another file is not known when a file is
//! read: the path contains its name between two marks until the resolver replaces it.

use super::{Reader, literal};
use crate::fields::Fields as _;
use crate::outline::build::named;
use crate::outline::{Kind, Outline, Symbol};
use std::borrow::Cow;
use tree_sitter::Node;

/// The mark around the name of a constant.
const MARK: char = '\u{1}';
/// The first mark of a constant whose value must begin with a slash.
pub(super) const REQUIRED: char = '\u{2}';
/// Maximum length of the value of a constant.
const MAX_VALUE: usize = 200;
/// Maximum number of nested operators in a path.
const MAX_DEPTH: usize = 8;

/// Whether a name is written like that of a constant. Other names could be those of parameters.
fn is_constant(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_part)
}

/// The strings at the top level of a file: the index of the symbol, and the value.
pub(crate) fn values(text: &str, root: Node<'_>, outline: &Outline) -> Vec<(u32, String)> {
    let symbols = (0..).zip(&outline.symbols);
    let constants = symbols.filter(|(_, symbol)| {
        symbol.kind == Kind::Constant && symbol.parent.is_none() && is_constant(&symbol.name)
    });
    let value = |symbol: &Symbol| value(text, root, symbol).map(str::to_owned);
    constants.filter_map(|(at, symbol)| Some((at, value(symbol)?))).collect()
}

/// The string that is the value of a constant.
fn value<'t>(text: &'t str, root: Node<'_>, symbol: &Symbol) -> Option<&'t str> {
    let start = symbol.at.offset as usize;
    let found = root.descendant_for_byte_range(start, start + symbol.name.len())?.parent()?;
    let mut value = found.field("value").or_else(|| found.field("right"))?;
    for _ in 0..3 {
        match value.kind() {
            "expression_list"
            | "as_expression"
            | "satisfies_expression"
            | "parenthesized_expression" => value = named(value).next()?,
            _ => break,
        }
    }
    literal(text, value).filter(|text| text.len() <= MAX_VALUE)
}

/// A path whose first constant must have a value with a slash at its start, unless `is_relative`.
pub(super) fn required(path: Cow<'_, str>, is_relative: bool) -> Cow<'_, str> {
    match path.strip_prefix(MARK) {
        Some(rest) if !is_relative => Cow::Owned(format!("{REQUIRED}{rest}")),
        _ => path,
    }
}

/// The names of constants in a path.
pub(crate) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split([MARK, REQUIRED]).skip(1).step_by(2)
}

/// The path with the values of its constants; `None` if one is unknown or cannot be a path.
pub(crate) fn replaced(
    path: &str,
    mut value: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    if !path.contains([MARK, REQUIRED]) {
        return Some(path.to_owned());
    }
    let mut result = String::new();
    for (at, part) in path.split([MARK, REQUIRED]).enumerate() {
        if at % 2 == 0 {
            result.push_str(part);
            continue;
        }
        let text = value(part)?;
        let is_required = path.contains(&format!("{REQUIRED}{part}"));
        if is_required && !text.starts_with('/') {
            return None;
        }
        result.push_str(&text);
    }
    while result.contains("//") {
        result = result.replace("//", "/");
    }
    Some(result)
}

impl<'t> Reader<'t> {
    /// A path or prefix: a string, a constant, or a combination of these.
    pub(super) fn prefix_text(&self, node: Node<'t>) -> Option<Cow<'t, str>> {
        self.text_at(node, 0)
    }

    fn text_at(&self, node: Node<'t>, depth: usize) -> Option<Cow<'t, str>> {
        if let Some(text) = self.literal(node) {
            return Some(Cow::Borrowed(text));
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let joined = |parts: Vec<Node<'t>>| {
            let parts = parts.into_iter().map(|part| self.text_at(part, depth + 1));
            parts.collect::<Option<String>>().map(Cow::Owned)
        };
        match node.kind() {
            "binary_expression" | "binary_operator" => {
                let operator = node.field("operator").is_some_and(|at| self.text_of(at) == "+");
                let sides = [node.field("left")?, node.field("right")?];
                operator.then(|| joined(sides.to_vec())).flatten()
            }
            "template_string" | "string" => joined(named(node).collect())
                .filter(|text| text.len() <= MAX_VALUE && !text.contains(char::is_whitespace)),
            "string_fragment" | "string_content" => Some(Cow::Borrowed(self.text_of(node))),
            "string_start" | "string_end" => Some(Cow::Borrowed("")),
            "template_substitution" | "interpolation" => {
                self.text_at(named(node).next()?, depth + 1)
            }
            _ => self.constant(node),
        }
    }

    fn constant(&self, node: Node<'t>) -> Option<Cow<'t, str>> {
        let name = self.text_of(node);
        if !is_constant(name) {
            return None;
        }
        let mut named = self.outline.symbols.iter().filter(|symbol| symbol.name == name);
        let Some(declared) = named.next() else {
            let is_imported = self.bindings.iter().any(|at| at.local.as_deref() == Some(name));
            return is_imported.then(|| Cow::Owned(format!("{MARK}{name}{MARK}")));
        };
        let is_other = named.next().is_some();
        if is_other || declared.kind != Kind::Constant || declared.parent.is_some() {
            return None;
        }
        let root = std::iter::successors(Some(node), Node::parent).last()?;
        value(self.text, root, declared).map(Cow::Borrowed)
    }
}
