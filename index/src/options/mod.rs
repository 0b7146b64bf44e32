//! Options of command lines and their defaults, as `--help` lists them, read from the declarations
//! in the code: clap, argparse, click, cobra and the flags of Go, commander, yargs.
//!
//! Only defaults that the declaration states as a literal are read; a default that says nothing, such
//! as `false` or an empty string, is left out.

mod go;
mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;

use crate::facts::language;
use crate::fields::Fields as _;
use aidd_engine::parse::syntax::parse_text;
use ast_grep_language::SupportLang;
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

/// Modules whose import shows that a file can declare options.
pub(crate) const MODULES: &[&str] = &[
    "clap",
    "argparse",
    "click",
    "rich_click",
    "flag",
    "github.com/spf13/cobra",
    "github.com/spf13/pflag",
    "commander",
    "yargs",
    "yargs/yargs",
];

/// An option with its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionDefault {
    /// The option as it is passed, such as `--port`.
    pub name: String,
    /// The default, as the declaration states it; a string is without quotes.
    pub value: String,
    /// The text of the help; empty if there is none.
    pub help: String,
    /// The name of the function or type that declares it; empty at the top level of a module.
    pub declared_in: String,
}

/// The options that the text of the file at `path` declares with a default, in the order of the file.
#[must_use]
pub fn option_defaults(path: &str, text: &str) -> Vec<OptionDefault> {
    let Some(language) = language(path) else { return Vec::new() };
    let visit = match language {
        SupportLang::Rust => rust::visit,
        SupportLang::Python => python::visit,
        SupportLang::Go => go::visit,
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => script::visit,
        _ => return Vec::new(),
    };
    let Some(tree) = parse_text(text, language) else { return Vec::new() };
    let root = tree.root().get_inner_node();
    let mut file = File { text, found: Vec::new() };
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        visit(&mut file, node);
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
    }
    file.found.sort_by_key(|(position, _)| *position);
    file.found.into_iter().map(|(_, option)| option).collect()
}

/// A file whose options are collected.
struct File<'t> {
    text: &'t str,
    /// The options with their positions: the calls of a chain are visited from the last to the first.
    found: Vec<(usize, OptionDefault)>,
}

impl<'t> File<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a child field.
    fn field(&self, node: Node<'_>, name: &str) -> &'t str {
        node.field(name).map_or("", |child| self.text_of(child))
    }

    fn push(&mut self, node: Node<'_>, name: &str, value: Option<String>, help: Option<String>) {
        let Some(value) = value.filter(|value| !says_nothing(value)) else { return };
        let declared_in = self.enclosing(node);
        let help = help.unwrap_or_default();
        let arguments = node.field("arguments");
        let position = arguments.unwrap_or(node).start_byte();
        let option = OptionDefault { name: name.to_owned(), value, help, declared_in };
        self.found.push((position, option));
    }

    /// The name of the nearest function or type around a node.
    fn enclosing(&self, node: Node<'_>) -> String {
        let mut node = node.parent();
        while let Some(outer) = node {
            let name = self.field(outer, "name");
            if !name.is_empty() && !matches!(outer.kind(), "field_declaration" | "call") {
                return name.to_owned();
            }
            node = outer.parent();
        }
        String::new()
    }
}

/// Whether a default is that of every option of its kind.
fn says_nothing(value: &str) -> bool {
    matches!(value, "" | "false" | "False" | "None" | "nil" | "null" | "undefined" | "[]" | "{}")
}

/// The named children of a node, without comments.
fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children.filter(|child| !child.kind().contains("comment")).collect()
}

/// The content of a quoted literal without escapes; `None` for a text with escapes or in another
/// form.
fn unquoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(quote) && !inner.contains('\\')).then(|| inner.to_owned())
}

/// The option in a list of its forms: the long one if there is one.
fn longest_form(forms: &[String]) -> Option<&String> {
    forms.iter().find(|form| form.starts_with("--")).or_else(|| forms.first())
}
