//! Selectors of CSS, as far as they are understood.

use super::look::STATES;
use crate::a11y::element::El;
use aidd_engine::text::source::Source;
use aidd_markup::{AttributeKind, Value};
use std::collections::HashMap;
use tree_sitter::Node;

/// Maximum number of compound selectors of a selector that is understood.
const MAX_COMPOUNDS: usize = 4;

/// The classes of the elements of a document.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The names of elements whose attribute is an expression that the source decides.
    pub(super) computed: HashMap<u32, Vec<String>>,
    /// The file shows all elements around an element.
    pub(super) is_closed: bool,
}

impl Classes {
    /// The known classes of an element.
    pub(super) fn names<'c>(&'c self, element: El<'c>) -> impl Iterator<Item = &'c str> {
        let computed = self.computed.get(&element.id()).into_iter().flatten().map(String::as_str);
        let plain = element.text_of("class").unwrap_or_default().split_ascii_whitespace();
        plain.chain(computed)
    }

    /// Whether an element has a class; `None` if that is unknown.
    fn contains(&self, element: El<'_>, class: &str) -> Option<bool> {
        if self.names(element).any(|name| name == class) {
            return Some(true);
        }
        let is_computed = || {
            element.attributes().iter().any(|attribute| {
                attribute.name.contains("class")
                    && (attribute.kind != AttributeKind::Plain
                        || matches!(attribute.value, Value::Dynamic { .. }))
            })
        };
        let is_known = self.computed.contains_key(&element.id())
            || element.is_native() && !element.has_spread() && !is_computed();
        is_known.then_some(false)
    }
}

/// How a compound selector is connected with the one to its right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Combinator {
    Descendant,
    Child,
}

/// Conditions on one element, such as `p.note`.
#[derive(Debug, Default)]
pub(super) struct Compound {
    pub(super) tag: Option<String>,
    id: Option<String>,
    pub(super) classes: Vec<String>,
}

impl Compound {
    /// Whether the conditions hold for an element; `None` if that is unknown.
    fn matches(&self, element: El<'_>, classes: &Classes) -> Option<bool> {
        let mut is_certain = true;
        let mut conditions = Vec::with_capacity(self.classes.len() + 2);
        conditions.extend(self.tag.as_deref().map(|tag| match tag == element.name() {
            false if !element.is_native() && !classes.is_closed => None,
            is_tag => Some(is_tag),
        }));
        conditions.extend(self.id.as_deref().map(|id| Some(element.text_of("id") == Some(id))));
        conditions.extend(self.classes.iter().map(|class| classes.contains(element, class)));
        for condition in conditions {
            match condition {
                Some(false) => return Some(false),
                Some(true) => {}
                None => is_certain = false,
            }
        }
        is_certain.then_some(true)
    }

    /// Whether the page itself, of which the file is a part, fulfills the conditions.
    fn is_page(&self) -> bool {
        let is_root = matches!(self.tag.as_deref(), Some("html" | "body"));
        is_root && self.id.is_none() && self.classes.is_empty()
    }

    fn specificity(&self) -> (usize, usize, usize) {
        (usize::from(self.id.is_some()), self.classes.len(), usize::from(self.tag.is_some()))
    }

    /// The condition by which rules are found.
    pub(super) fn key(&self) -> String {
        match (&self.id, self.classes.first(), &self.tag) {
            (Some(id), ..) => format!("#{id}"),
            (None, Some(class), _) => format!(".{class}"),
            (None, None, Some(tag)) => tag.clone(),
            _ => String::new(),
        }
    }
}

/// The color scheme of the user in which a rule applies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Scheme {
    #[default]
    Any,
    Light,
    Dark,
}

/// A selector with its declarations.
#[derive(Debug)]
pub(super) struct Rule {
    /// The compound selectors from right to left, each with how it is connected with the one before.
    pub(super) compounds: Vec<(Combinator, Compound)>,
    /// Whether the rule applies exactly to the elements that the compounds match. Otherwise, it
    /// applies to some of them, or only at times.
    pub(super) is_certain: bool,
    /// The rule styles a pseudo-element of the elements.
    pub(super) is_pseudo: bool,
    pub(super) specificity: (usize, usize, usize),
    /// The color scheme in which the rule applies.
    pub(super) scheme: Scheme,
    /// The index of the block in the style sheet.
    pub(super) block: usize,
}

impl Rule {
    /// Whether the rule applies to an element; `None` if that is unknown.
    pub(super) fn matches(&self, element: El<'_>, classes: &Classes) -> Option<bool> {
        let ((_, first), rest) = self.compounds.split_first()?;
        if first.matches(element, classes)? {
            self.matches_around(element, classes, rest)
        } else {
            Some(false)
        }
    }

    fn matches_around(
        &self,
        element: El<'_>,
        classes: &Classes,
        rest: &[(Combinator, Compound)],
    ) -> Option<bool> {
        let mut ancestors = element.close_ancestors();
        for (combinator, compound) in rest {
            // What is around the elements of the file.
            let outside = || match () {
                () if classes.is_closed => Some(false),
                () if compound.is_page() => Some(true),
                () => None,
            };
            match combinator {
                Combinator::Child => {
                    let is_match = match ancestors.next() {
                        Some(outer) => compound.matches(outer, classes)?,
                        None => outside()?,
                    };
                    if !is_match {
                        return Some(false);
                    }
                }
                Combinator::Descendant => {
                    let mut is_possible = false;
                    // The closest match decides, because no child combinator follows.
                    let is_match = ancestors.any(|outer| {
                        let is_match = compound.matches(outer, classes);
                        is_possible |= is_match.is_none();
                        is_match == Some(true)
                    });
                    if !is_match && is_possible {
                        return None;
                    }
                    if !is_match && !outside()? {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    }
}

/// Reads a selector; `None` if its rule never applies to an element at rest. The names of classes get
/// the prefix `module`.
pub(super) fn read_selector(selector: Node<'_>, source: &Source, module: &str) -> Option<Rule> {
    /// Pseudo-elements that change no text of the page.
    const OTHER: [&str; 5] =
        ["selection", "placeholder", "marker", "backdrop", "-webkit-scrollbar"];
    let text = |node: Node<'_>| &source.text()[node.byte_range()];
    let mut rule = Rule {
        compounds: Vec::new(),
        is_certain: true,
        is_pseudo: false,
        specificity: (0, 0, 0),
        scheme: Scheme::Any,
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
                "class_selector" => {
                    compound.classes.push(format!("{module}{}", text(last_named(node)?)));
                }
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
