//! Style sheets: the rules that apply to an element, as far as their selectors are understood.

use super::look::{Look, is_relevant};
use super::selector::{Classes, Rule, Scheme, read_selector};
use crate::a11y::element::El;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::text::source::Source;
use std::collections::HashMap;
use std::sync::Arc;
use tree_sitter::Node;

/// Maximum number of rules with the same rightmost condition, because each element with it is compared
/// with all of them.
const MAX_RULES: usize = 200;

/// Maximum number of style sheets of a page.
const MAX_SHEETS: usize = 16;

/// A declaration: the property in lower case, the value, and whether it is important.
#[derive(Debug)]
struct Declaration {
    property: String,
    value: String,
    is_important: bool,
}

/// The rules of one style sheet.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    rules: Vec<Rule>,
    blocks: Vec<Vec<Declaration>>,
    by_key: HashMap<String, Vec<usize>>,
    variables: HashMap<String, Variable>,
    /// Some rules apply only in one color scheme of the user.
    has_schemes: bool,
    /// The page has other default colors in dark mode.
    pub(super) has_dark_defaults: bool,
    /// The page can have other default colors in light mode.
    pub(super) has_other_defaults: bool,
}

/// The values of a custom property on the root element: `None` if it has none, `Some(None)` if it has
/// several.
#[derive(Clone, Debug, Default)]
struct Variable {
    light: Option<Option<String>>,
    dark: Option<Option<String>>,
}

impl Variable {
    /// Adds a value; `None` if it is unknown.
    fn set(&mut self, scheme: Scheme, value: Option<&str>) {
        let merge = |before: Option<Option<String>>| match before {
            None => Some(value.map(str::to_owned)),
            Some(before) => Some(before.filter(|it| Some(&**it) == value)),
        };
        match scheme {
            Scheme::Dark => self.dark = merge(self.dark.take()),
            // It overrides the other in an order that is not known here.
            Scheme::Light => self.light = Some(None),
            Scheme::Any => {
                self.light = merge(self.light.take());
                self.dark = self.dark.take().map(|_| None);
            }
        }
        if value.is_none() {
            self.dark = Some(None);
        }
    }

    fn add(&mut self, other: &Self) {
        for (scheme, value) in [(Scheme::Any, &other.light), (Scheme::Dark, &other.dark)] {
            if let Some(value) = value {
                self.set(scheme, value.as_deref());
            }
        }
    }

    fn value(&self, is_dark: bool) -> Option<&str> {
        let dark = self.dark.as_ref().filter(|_| is_dark);
        dark.or(self.light.as_ref())?.as_deref()
    }
}

/// The color scheme in which the rules of a statement apply, and whether they always apply in it.
fn read_media(head: &str) -> (Scheme, bool) {
    let head: String = head.chars().filter(|c| !c.is_whitespace()).collect();
    let query = head.strip_prefix("@media").unwrap_or_default();
    let query = query.trim_start_matches("screenand").trim_start_matches("alland");
    match query {
        "screen" | "all" => (Scheme::Any, true),
        "(prefers-color-scheme:dark)" => (Scheme::Dark, true),
        "(prefers-color-scheme:light)" => (Scheme::Light, true),
        _ => (Scheme::Any, false),
    }
}

/// The rules of the style sheets of a page.
#[derive(Debug, Default)]
pub(super) struct StyleSheets {
    parts: Vec<Arc<StyleSheet>>,
    variables: HashMap<String, Variable>,
    /// Something that the source does not show can set custom properties.
    has_other_variables: bool,
}

/// A statement that is not read yet.
struct Pending<'t> {
    node: Node<'t>,
    scheme: Scheme,
    is_certain: bool,
    place: Place,
}

/// Where a statement is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Block,
    Rule,
}

impl StyleSheet {
    /// Reads a style sheet; `None` if it contains what is not understood. The names of classes get the
    /// prefix `module`.
    pub(super) fn read(text: &str, module: &str) -> Option<Self> {
        let mut part = Self::default();
        part.add(text, module)?;
        Some(part)
    }

    fn add(&mut self, text: &str, module: &str) -> Option<()> {
        // An expression of a preprocessor, or properties of another class.
        if text.contains("#{") || text.contains("composes") {
            return None;
        }
        let source = Source::new("style.css", text);
        let tree = Tree::new(&source);
        let root = tree.root().filter(|root| !root.has_error())?;
        let mut pending = Vec::new();
        push_statements(&mut pending, root, Scheme::Any, true, Place::Root);
        // In the order of the source.
        while let Some(Pending { node, scheme, is_certain, place }) = pending.pop() {
            match node.kind() {
                "rule_set" => {
                    self.add_rules(node, &source, module, scheme, is_certain)?;
                    // A nested rule applies at most to the elements that its last selector shows.
                    push_statements(&mut pending, node.named_child(1)?, scheme, false, Place::Rule);
                }
                // That of the rule around.
                "declaration" if place != Place::Root => {}
                "media_statement" | "supports_statement" | "at_rule" | "scope_statement" => {
                    let head = &source.text()[node.byte_range()];
                    let head = head.split('{').next().unwrap_or(head).to_ascii_lowercase();
                    if is_foreign(&head) || place == Place::Rule {
                        return None;
                    }
                    let is_other = head.starts_with("@font-face")
                        || head.starts_with("@page")
                        || head.split_whitespace().collect::<Vec<_>>() == ["@media", "print"];
                    if is_other {
                        continue;
                    }
                    let (own, is_exact) = read_media(&head);
                    let is_combined = own == Scheme::Any || scheme == Scheme::Any;
                    let is_certain = is_certain && is_exact && is_combined;
                    let scheme = if own == Scheme::Any { scheme } else { own };
                    let mut inner = node.walk();
                    for block in node.named_children(&mut inner).filter(|it| it.kind() == "block") {
                        push_statements(&mut pending, block, scheme, is_certain, Place::Block);
                    }
                }
                "keyframes_statement" | "comment" | "charset_statement" | "namespace_statement" => {
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn add_rules(
        &mut self,
        rule: Node<'_>,
        source: &Source,
        module: &str,
        scheme: Scheme,
        is_certain: bool,
    ) -> Option<()> {
        let (selectors, block) = (rule.named_child(0)?, rule.named_child(1)?);
        let declarations = declarations(block, source);
        self.has_schemes |= scheme != Scheme::Any;
        for declaration in declarations.iter().filter(|it| it.property == "color-scheme") {
            self.add_color_scheme(&declaration.value, scheme);
        }
        let index = self.blocks.len();
        let mut cursor = selectors.walk();
        for selector in selectors.named_children(&mut cursor) {
            let Some(mut read) = read_selector(selector, source, module) else {
                continue;
            };
            read.is_certain &= is_certain;
            read.scheme = scheme;
            let is_root = read.is_certain
                && matches!(&read.compounds[..], [(_, only)] if only.tag.as_deref() == Some("html") && only.classes.is_empty());
            for declaration in declarations.iter().filter(|it| it.property.starts_with("--")) {
                let value = Some(&*declaration.value).filter(|_| is_root);
                let scheme = if is_root { scheme } else { Scheme::Any };
                self.variables.entry(declaration.property.clone()).or_default().set(scheme, value);
            }
            if declarations.iter().any(|it| is_relevant(&it.property)) {
                read.block = index;
                let key = read.compounds.first()?.1.key();
                let rules = self.by_key.entry(key).or_default();
                if rules.len() == MAX_RULES {
                    return None;
                }
                rules.push(self.rules.len());
                self.rules.push(read);
            }
        }
        self.blocks.push(declarations);
        Some(())
    }

    /// A style sheet that only sets the color schemes that the page supports.
    pub(super) fn from_color_scheme(value: &str) -> Self {
        let mut part = Self::default();
        part.add_color_scheme(value, Scheme::Any);
        part
    }

    /// Adds the color schemes that the page supports.
    fn add_color_scheme(&mut self, value: &str, scheme: Scheme) {
        let value = value.to_ascii_lowercase();
        let has = |word: &str| value.split_whitespace().any(|it| it == word);
        self.has_dark_defaults |= !(has("light") || has("normal")) || has("dark");
        self.has_other_defaults |= scheme != Scheme::Dark && !has("light") && !has("normal");
    }
}

/// Adds the statements in a block, the first at the end.
fn push_statements<'t>(
    pending: &mut Vec<Pending<'t>>,
    block: Node<'t>,
    scheme: Scheme,
    is_certain: bool,
    place: Place,
) {
    let at = pending.len();
    let mut cursor = block.walk();
    let statements = block.named_children(&mut cursor);
    pending.extend(statements.map(|node| Pending { node, scheme, is_certain, place }));
    pending[at..].reverse();
}

/// Whether a statement adds rules that the style sheet does not show.
fn is_foreign(head: &str) -> bool {
    const NAMES: [&str; 10] = [
        "@apply",
        "@config",
        "@extend",
        "@forward",
        "@import",
        "@include",
        "@plugin",
        "@reference",
        "@tailwind",
        "@use",
    ];
    NAMES.iter().any(|name| head.starts_with(name))
}

impl StyleSheets {
    /// Adds a style sheet after the others; `None` if there are too many.
    pub(super) fn add(&mut self, part: Arc<StyleSheet>) -> Option<()> {
        for (name, value) in &part.variables {
            self.variables.entry(name.clone()).or_default().add(value);
        }
        self.parts.push(part);
        (self.parts.len() <= MAX_SHEETS).then_some(())
    }

    /// Whether the page can have other default colors in light mode, and in dark mode.
    pub(super) fn has_other_defaults(&self) -> [bool; 2] {
        let any = |has: fn(&StyleSheet) -> bool| self.parts.iter().any(|part| has(part));
        [any(|part| part.has_other_defaults), any(|part| part.has_dark_defaults)]
    }

    /// Whether some rules apply only in one color scheme of the user.
    pub(super) fn has_schemes(&self) -> bool {
        self.parts.iter().any(|part| part.has_schemes)
    }

    /// Marks a custom property as one that something else can set.
    pub(super) fn forget_variable(&mut self, name: &str) {
        let variable = Variable { light: Some(None), dark: Some(None) };
        self.variables.insert(name.to_owned(), variable);
    }

    /// Marks all custom properties as such that something else can set.
    pub(super) fn forget_variables(&mut self) {
        self.has_other_variables = true;
    }

    /// Whether a rule refers to the class.
    pub(super) fn has_class(&self, class: &str) -> bool {
        let key = format!(".{class}");
        self.parts.iter().any(|part| part.by_key.contains_key(&key))
    }

    /// A value with its custom properties replaced; unchanged if one is unknown.
    fn resolve(&self, value: &str, is_dark: bool) -> String {
        /// Maximum number of replacements, which also ends cycles.
        const MAX: usize = 8;
        /// Maximum length of the result.
        const MAX_LEN: usize = 1_000;
        let mut value = value.to_owned();
        for _ in 0..MAX {
            let Some(start) = value.find("var(").filter(|_| !self.has_other_variables) else {
                break;
            };
            let Some(len) = value[start..].find(')') else { break };
            let name = value[start + 4..start + len].trim();
            let Some(found) = self.variables.get(name).and_then(|it| it.value(is_dark)) else {
                break;
            };
            value = format!("{}{found}{}", &value[..start], &value[start + len + 1..]);
            if value.len() > MAX_LEN {
                break;
            }
        }
        value
    }

    /// Applies the rules for a color scheme to the look of an element, then its own declarations, in
    /// the order of the cascade.
    pub(super) fn apply(
        &self,
        element: El<'_>,
        own: &[(String, String)],
        classes: &Classes,
        is_dark: bool,
        look: &mut Look,
    ) {
        let mut keys = vec![String::new(), element.name().to_owned()];
        keys.extend(element.text_of("id").map(|id| format!("#{id}")));
        keys.extend(classes.names(element).map(|class| format!(".{class}")));
        keys.sort_unstable();
        keys.dedup();
        let other = if is_dark { Scheme::Light } else { Scheme::Dark };
        let (mut matched, mut possible) = (Vec::new(), Vec::new());
        for (at, part) in self.parts.iter().enumerate() {
            let rules = keys.iter().filter_map(|key| part.by_key.get(key)).flatten();
            let rules = rules.map(|&index| &part.rules[index]);
            for rule in rules.filter(|rule| rule.scheme != other) {
                match rule.matches(element, classes) {
                    Some(true) if rule.is_certain => matched.push((at, rule)),
                    Some(false) => {}
                    _ => possible.push((at, rule)),
                }
            }
        }
        matched.sort_by_key(|(at, rule)| (rule.specificity, *at, rule.block));
        let block = |(at, rule): &(usize, &Rule)| &self.parts[*at].blocks[rule.block];
        let mut important: Vec<(&str, String)> = Vec::new();
        for found in &matched {
            for declaration in block(found) {
                let value = self.resolve(&declaration.value, is_dark);
                if declaration.is_important {
                    important.push((&declaration.property, value));
                } else {
                    look.declare(&declaration.property, &value);
                }
            }
        }
        for (property, value) in own.iter().filter(|(_, value)| !is_important(value)) {
            look.declare(property, &self.resolve(value, is_dark));
        }
        for (property, value) in important {
            look.declare(property, &value);
        }
        for (property, value) in own.iter().filter(|(_, value)| is_important(value)) {
            look.declare(property, &self.resolve(strip_important(value), is_dark));
        }
        for found in &possible {
            for declaration in block(found) {
                let (property, value) = (&*declaration.property, &*declaration.value);
                if found.1.is_pseudo {
                    // A pseudo-element can lie under the text.
                    look.has_layer |= property.starts_with("background") || property == "position";
                } else {
                    look.poison(property, value);
                }
            }
        }
    }
}

fn is_important(value: &str) -> bool {
    value.trim_end().to_ascii_lowercase().ends_with("important")
}

fn strip_important(value: &str) -> &str {
    value.split('!').next().unwrap_or(value).trim()
}

/// The declarations of an attribute `style`.
pub(in crate::a11y) fn inline(style: &str) -> Option<Vec<(String, String)>> {
    let source = Source::new("style.css", format!("a{{{style}}}"));
    let tree = Tree::new(&source);
    let root = tree.root().filter(|root| !root.has_error())?;
    let block = root.named_child(0)?.named_child(1)?;
    let found = declarations(block, &source).into_iter().map(|it| {
        let suffix = if it.is_important { " !important" } else { "" };
        (it.property, it.value + suffix)
    });
    Some(found.collect())
}

fn declarations(block: Node<'_>, source: &Source) -> Vec<Declaration> {
    let mut cursor = block.walk();
    let nodes = block.named_children(&mut cursor).filter(|child| child.kind() == "declaration");
    let read = |node: Node<'_>| {
        let text = &source.text()[node.byte_range()];
        let (property, value) = text.split_once(':')?;
        let property = property.trim();
        let property = if property.starts_with("--") {
            property.to_owned()
        } else {
            property.to_ascii_lowercase()
        };
        let value = value.trim().trim_end_matches(';').trim();
        let is_important = is_important(value);
        let value = if is_important { strip_important(value) } else { value };
        Some(Declaration { property, value: value.to_owned(), is_important })
    };
    nodes.filter_map(read).collect()
}
