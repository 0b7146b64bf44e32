//! Style sheets: the rules that apply to an element, as far as their selectors are understood.

use super::look::{Look, STATES, is_relevant};
use crate::a11y::element::El;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::text::source::Source;
use std::collections::HashMap;
use std::sync::Arc;
use tree_sitter::Node;

/// Maximum number of compound selectors of a selector that is understood.
const MAX_COMPOUNDS: usize = 4;

/// Maximum number of rules with the same rightmost condition, because each element with it is compared
/// with all of them.
const MAX_RULES: usize = 200;

/// Maximum number of style sheets of a page.
const MAX_SHEETS: usize = 16;

/// How a compound selector is connected with the one to its right.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Combinator {
    Descendant,
    Child,
}

/// Conditions on one element, such as `p.note`.
#[derive(Debug, Default)]
struct Compound {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Compound {
    fn matches(&self, element: El<'_>) -> bool {
        let is_tag = self.tag.as_deref().is_none_or(|tag| tag == element.name());
        is_tag
            && self.id.as_deref().is_none_or(|id| element.text_of("id") == Some(id))
            && self.classes.iter().all(|class| has_class(element, class))
    }

    fn specificity(&self) -> (usize, usize, usize) {
        (usize::from(self.id.is_some()), self.classes.len(), usize::from(self.tag.is_some()))
    }

    /// The condition by which rules are found.
    fn key(&self) -> String {
        match (&self.id, self.classes.first(), &self.tag) {
            (Some(id), ..) => format!("#{id}"),
            (None, Some(class), _) => format!(".{class}"),
            (None, None, Some(tag)) => tag.clone(),
            _ => String::new(),
        }
    }
}

fn has_class(element: El<'_>, class: &str) -> bool {
    element.text_of("class").is_some_and(|it| it.split_ascii_whitespace().any(|it| it == class))
}

/// A selector with its declarations.
#[derive(Debug)]
struct Rule {
    /// The compound selectors from right to left, each with how it is connected with the one before.
    compounds: Vec<(Combinator, Compound)>,
    /// Whether the rule applies exactly to the elements that the compounds match. Otherwise, it
    /// applies to some of them, or only at times.
    is_certain: bool,
    /// The rule styles a pseudo-element of the elements.
    is_pseudo: bool,
    specificity: (usize, usize, usize),
    /// The index of the block in [`StyleSheet::blocks`].
    block: usize,
}

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
    /// The custom properties; `None` for those with several values.
    variables: HashMap<String, Option<String>>,
    /// The style sheet sets the color scheme of the page.
    has_scheme: bool,
}

/// The rules of the style sheets of a page.
#[derive(Debug, Default)]
pub(super) struct StyleSheets {
    parts: Vec<Arc<StyleSheet>>,
    variables: HashMap<String, Option<String>>,
    /// Something that the source does not show can set custom properties.
    has_other_variables: bool,
}

/// A rule is read in two steps: its selectors, and its block.
struct Pending<'t> {
    node: Node<'t>,
    is_certain: bool,
}

impl StyleSheet {
    /// Reads a style sheet; `None` if it contains what is not understood.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut part = Self::default();
        part.add(text)?;
        Some(part)
    }

    fn add(&mut self, text: &str) -> Option<()> {
        let source = Source::new("style.css", text);
        let tree = Tree::new(&source);
        let root = tree.root().filter(|root| !root.has_error())?;
        let mut pending = vec![Pending { node: root, is_certain: true }];
        while let Some(Pending { node, is_certain }) = pending.pop() {
            let at = pending.len();
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                match child.kind() {
                    "rule_set" => {
                        self.add_rules(child, &source, is_certain)?;
                        let block = child.named_child(1)?;
                        // A nested rule applies to elements that its selector alone does not show.
                        let mut inner = block.walk();
                        if block
                            .named_children(&mut inner)
                            .any(|it| it.kind() != "declaration" && it.kind() != "comment")
                        {
                            return None;
                        }
                    }
                    "import_statement" => return None,
                    "media_statement" | "supports_statement" | "at_rule" | "scope_statement" => {
                        let head = &source.text()[child.byte_range()];
                        let head = head.split('{').next().unwrap_or(head).to_ascii_lowercase();
                        let is_other = head.starts_with("@font-face")
                            || head.starts_with("@page")
                            || head.split_whitespace().collect::<Vec<_>>() == ["@media", "print"];
                        if !is_other {
                            let mut inner = child.walk();
                            let blocks =
                                child.named_children(&mut inner).filter(|it| it.kind() == "block");
                            pending.extend(blocks.map(|node| Pending { node, is_certain: false }));
                        }
                    }
                    "keyframes_statement"
                    | "comment"
                    | "charset_statement"
                    | "namespace_statement" => {}
                    _ => return None,
                }
            }
            pending[at..].reverse();
        }
        Some(())
    }

    fn add_rules(&mut self, rule: Node<'_>, source: &Source, is_certain: bool) -> Option<()> {
        let (selectors, block) = (rule.named_child(0)?, rule.named_child(1)?);
        let declarations = declarations(block, source);
        self.has_scheme |= declarations.iter().any(|it| it.property == "color-scheme");
        let index = self.blocks.len();
        let mut cursor = selectors.walk();
        for selector in selectors.named_children(&mut cursor) {
            let Some(mut read) = read_selector(selector, source) else { continue };
            read.is_certain &= is_certain;
            let is_root = read.is_certain
                && matches!(&read.compounds[..], [(_, only)] if only.tag.as_deref() == Some("html") && only.classes.is_empty());
            for declaration in declarations.iter().filter(|it| it.property.starts_with("--")) {
                let value = Some(declaration.value.clone()).filter(|_| is_root);
                self.variables
                    .entry(declaration.property.clone())
                    .and_modify(|before| {
                        *before = before.take().filter(|it| Some(it) == value.as_ref());
                    })
                    .or_insert(value);
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
}

impl StyleSheets {
    /// Adds a style sheet after the others; `None` if there are too many.
    pub(super) fn add(&mut self, part: Arc<StyleSheet>) -> Option<()> {
        for (name, value) in &part.variables {
            self.variables
                .entry(name.clone())
                .and_modify(|before| {
                    *before = before.take().filter(|it| Some(it) == value.as_ref());
                })
                .or_insert_with(|| value.clone());
        }
        self.parts.push(part);
        (self.parts.len() <= MAX_SHEETS).then_some(())
    }

    /// Whether a style sheet sets the color scheme of the page.
    pub(super) fn has_scheme(&self) -> bool {
        self.parts.iter().any(|part| part.has_scheme)
    }

    /// Marks a custom property as one that something else can set.
    pub(super) fn forget_variable(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), None);
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
    pub(super) fn resolve(&self, value: &str) -> String {
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
            let Some(Some(found)) = self.variables.get(name) else { break };
            value = format!("{}{found}{}", &value[..start], &value[start + len + 1..]);
            if value.len() > MAX_LEN {
                break;
            }
        }
        value
    }

    /// Applies the rules to the look of an element, then its own declarations, in the order of the
    /// cascade.
    pub(super) fn apply(&self, element: El<'_>, own: &[(String, String)], look: &mut Look) {
        let mut keys = vec![String::new(), element.name().to_owned()];
        keys.extend(element.text_of("id").map(|id| format!("#{id}")));
        let classes = element.text_of("class").unwrap_or_default();
        keys.extend(classes.split_ascii_whitespace().map(|class| format!(".{class}")));
        keys.sort_unstable();
        keys.dedup();
        let mut matched: Vec<(usize, &Rule)> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let rules = keys.iter().filter_map(|key| part.by_key.get(key)).flatten();
            let rules = rules.map(|&index| &part.rules[index]);
            matched.extend(rules.filter(|rule| rule.matches(element)).map(|rule| (at, rule)));
        }
        matched.sort_by_key(|(at, rule)| (rule.specificity, *at, rule.block));
        let block = |(at, rule): &(usize, &Rule)| &self.parts[*at].blocks[rule.block];
        let mut important: Vec<(&str, String)> = Vec::new();
        for found in matched.iter().filter(|(_, rule)| rule.is_certain) {
            for declaration in block(found) {
                let value = self.resolve(&declaration.value);
                if declaration.is_important {
                    important.push((&declaration.property, value));
                } else {
                    look.declare(&declaration.property, &value);
                }
            }
        }
        for (property, value) in own.iter().filter(|(_, value)| !is_important(value)) {
            look.declare(property, &self.resolve(value));
        }
        for (property, value) in important {
            look.declare(property, &value);
        }
        for (property, value) in own.iter().filter(|(_, value)| is_important(value)) {
            look.declare(property, &self.resolve(strip_important(value)));
        }
        for found in matched.iter().filter(|(_, rule)| !rule.is_certain) {
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

impl Rule {
    fn matches(&self, element: El<'_>) -> bool {
        let Some(((_, first), rest)) = self.compounds.split_first() else { return false };
        if !first.matches(element) {
            return false;
        }
        let mut ancestors = element.close_ancestors();
        for (combinator, compound) in rest {
            match combinator {
                Combinator::Child => {
                    if !ancestors.next().is_some_and(|outer| compound.matches(outer)) {
                        return false;
                    }
                }
                Combinator::Descendant => {
                    // The closest match decides, because no child combinator follows.
                    if !ancestors.any(|outer| compound.matches(outer)) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

fn is_important(value: &str) -> bool {
    value.trim_end().to_ascii_lowercase().ends_with("important")
}

fn strip_important(value: &str) -> &str {
    value.split('!').next().unwrap_or(value).trim()
}

/// The declarations of an attribute `style`.
pub(super) fn inline(style: &str) -> Option<Vec<(String, String)>> {
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

/// Reads a selector; `None` if its rule never applies to an element at rest.
fn read_selector(selector: Node<'_>, source: &Source) -> Option<Rule> {
    /// Pseudo-elements that change no text of the page.
    const OTHER: [&str; 5] =
        ["selection", "placeholder", "marker", "backdrop", "-webkit-scrollbar"];
    let text = |node: Node<'_>| &source.text()[node.byte_range()];
    let mut rule = Rule {
        compounds: Vec::new(),
        is_certain: true,
        is_pseudo: false,
        specificity: (0, 0, 0),
        block: 0,
    };
    let mut next = Some((Combinator::Descendant, selector));
    while let Some((combinator, mut node)) = next.take() {
        let mut compound = Compound::default();
        // The first part of a selector of two is the element around.
        if matches!(node.kind(), "descendant_selector" | "child_selector") {
            let is_child = node.kind() == "child_selector";
            let outer = node.named_child(0)?;
            next = Some((if is_child { Combinator::Child } else { Combinator::Descendant }, outer));
            node = last_named(node)?;
        }
        loop {
            match node.kind() {
                "tag_name" => compound.tag = Some(text(node).to_ascii_lowercase()),
                "universal_selector" => {}
                "class_selector" => compound.classes.push(text(last_named(node)?).to_owned()),
                "id_selector" => compound.id = Some(text(last_named(node)?).to_owned()),
                "pseudo_class_selector" => {
                    let mut cursor = node.walk();
                    let name =
                        node.named_children(&mut cursor).find(|it| it.kind() == "class_name");
                    match name.map(text) {
                        Some("root") if node.named_child_count() == 1 => {
                            compound.tag = Some("html".to_owned());
                        }
                        Some(name) if STATES.contains(&name) || name == "-moz-focusring" => {
                            return None;
                        }
                        Some("before" | "after") => {
                            (rule.is_pseudo, rule.is_certain) = (true, false);
                        }
                        _ => rule.is_certain = false,
                    }
                }
                "pseudo_element_selector" => {
                    let name = last_named(node).map(text).unwrap_or_default();
                    if OTHER.contains(&name) {
                        return None;
                    }
                    (rule.is_pseudo, rule.is_certain) = (true, false);
                }
                _ => rule.is_certain = false,
            }
            // The conditions in front of this one; after an unknown combinator, the last part counts.
            let is_sibling =
                matches!(node.kind(), "sibling_selector" | "adjacent_sibling_selector");
            let inner = if is_sibling { last_named(node) } else { node.named_child(0) };
            match inner
                .filter(|inner| inner.kind().ends_with("selector") || inner.kind() == "tag_name")
            {
                Some(inner) if matches!(inner.kind(), "descendant_selector" | "child_selector") => {
                    rule.is_certain = false;
                    node = last_named(inner)?;
                }
                Some(inner) if inner.id() != node.id() => node = inner,
                _ => break,
            }
        }
        let (ids, classes, tags) = compound.specificity();
        rule.specificity.0 += ids;
        rule.specificity.1 += classes;
        rule.specificity.2 += tags;
        rule.compounds.push((combinator, compound));
        if rule.compounds.len() == MAX_COMPOUNDS && next.is_some() {
            rule.is_certain = false;
            break;
        }
    }
    // Matching such a selector exactly requires trying several elements around.
    let has_descendant =
        rule.compounds.iter().skip(1).position(|(it, _)| *it == Combinator::Descendant);
    let is_mixed = has_descendant.is_some_and(|at| {
        rule.compounds.iter().skip(at + 2).any(|(it, _)| *it == Combinator::Child)
    });
    if is_mixed || !rule.is_certain {
        rule.is_certain = false;
        // Without the elements around, the selector matches at least the elements that it should.
        rule.compounds.truncate(1);
    }
    Some(rule)
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    let count = node.named_child_count();
    node.named_child(u32::try_from(count.checked_sub(1)?).ok()?)
}
