//! Rules on lists, tables and obsolete elements.

use super::Found;
use super::attributes::with_space;
use super::corrections::correction;
use super::element::El;
use super::names::{Name, may_be_hidden, name};
use super::roles::{Role, role};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_markup::{Attribute, AttributeKind, Language, Node, Value};

/// The nodes that are rendered directly inside an element; blocks are replaced by their content.
fn rendered(element: El<'_>) -> Vec<Node<'_>> {
    /// Maximum number of nodes, so that nested lists are checked in linear time.
    const MAX: usize = 1_000;
    let mut nodes = Vec::new();
    let mut pending: Vec<Node<'_>> = element.children().collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        match node {
            Node::Block(block) => {
                let at = pending.len();
                pending.extend(block.children());
                pending[at..].reverse();
            }
            _ => nodes.push(node),
        }
        if nodes.len() > MAX {
            break;
        }
    }
    nodes
}

/// Reports the children of `element` that are none of `allowed`.
fn only_children(element: El<'_>, allowed: &[&str], found: &mut Found<'_, '_>) {
    if element.attribute("role").is_some() || element.has_kind(AttributeKind::Content) {
        return;
    }
    for node in rendered(element) {
        let (span, what) = match node {
            Node::Element(child) => {
                let child = El::new(child);
                // A list item with another role is not an item of the list.
                let has_other_role = matches!(child.tag, "li" | "dt" | "dd")
                    && matches!(role(child), Role::Explicit(role) if !matches!(role, "listitem" | "none" | "presentation" | "separator" | "term" | "definition"));
                let is_other = child.tag.is_empty()
                    || allowed.contains(&child.tag) && !has_other_role
                    || matches!(child.tag, "script" | "template" | "noscript" | "style" | "slot")
                    || child.attribute("role").is_some() && !has_other_role
                    || child.has_kind(AttributeKind::Directive)
                        && child.document().language() == Language::Html
                    || child.text_of("type") == Some("hidden")
                    || may_be_hidden(child)
                    || is_placeholder(child);
                if is_other {
                    continue;
                }
                let other = role(child).name().filter(|_| has_other_role);
                let role = other.map_or(String::new(), |name| format!(" with the role `{name}`"));
                (child.tag_span(), format!("`<{}>`{role}", child.tag))
            }
            // Template languages put statements into texts.
            Node::Text(text, span) if element.document().language() != Language::Html => {
                if text.trim().len() < 2 || text.contains(['{', '}', '@']) {
                    continue;
                }
                (span, "text".to_owned())
            }
            _ => continue,
        };
        let allowed: Vec<String> = allowed.iter().map(|name| format!("`<{name}>`")).collect();
        found
            .at(span, format!("{what} directly in `<{}>`", element.tag))
            .help(format!("allowed: {}", allowed.join(", ")));
    }
}

/// Whether the element consists of empty boxes, so that screen readers announce nothing.
fn is_placeholder(element: El<'_>) -> bool {
    let is_empty_box = |element: &El<'_>| {
        let is_plain = |attribute: &Attribute<'_>| {
            attribute.kind == AttributeKind::Plain
                && matches!(&*attribute.name, "class" | "style" | "key" | "aria-hidden")
                || attribute.kind == AttributeKind::Directive
        };
        let is_blank = |node: Node<'_>| match node {
            Node::Text(text, _) => text.trim().is_empty(),
            Node::Element(_) => true,
            _ => false,
        };
        matches!(element.tag, "div" | "span")
            && element.attributes().iter().all(is_plain)
            && element.children().all(is_blank)
    };
    is_empty_box(&element) && element.inner().is_some_and(|inner| inner.iter().all(is_empty_box))
}

pub(super) fn list_structure(element: El<'_>, found: &mut Found<'_, '_>) {
    if matches!(element.tag, "ul" | "ol" | "menu") {
        only_children(element, &["li"], found);
    }
}

pub(super) fn definition_list(element: El<'_>, found: &mut Found<'_, '_>) {
    match element.tag {
        "dl" => {
            only_children(element, &["dt", "dd", "div"], found);
            incomplete_group(element, found);
        }
        "dt" | "dd" => {
            let Some(parent) = element.parent_el().filter(|it| it.is_closed()) else { return };
            let has_role = |element: El<'_>| matches!(role(element), Role::Explicit(role) if !matches!(role, "list" | "none" | "presentation"));
            if matches!(parent.tag, "dl" | "template" | "slot" | "") && !has_role(parent) {
                return;
            }
            // Whoever renders a component or includes a template can put its root into a list.
            let is_outer = |element: &El<'_>| element.tag != "div" || has_role(*element);
            let Some(outer) = element.close_ancestors().find(is_outer) else { return };
            let is_in_list =
                matches!(outer.tag, "dl" | "template" | "slot" | "") && !has_role(outer);
            let is_grouped = parent.parent_el().is_some_and(|it| it.tag != "div");
            if !is_in_list {
                found
                    .at(element.tag_span(), format!("`<{}>` outside `<dl>`", element.tag))
                    .help("put it into a `<dl>`");
            } else if outer.tag == "dl" && !is_grouped {
                found
                    .at(
                        element.tag_span(),
                        format!("`<{}>` is nested too deeply in its `<dl>`", element.tag),
                    )
                    .help("keep at most one `<div>` between `<dl>` and its terms");
            }
        }
        _ => {}
    }
}

/// Reports a description without a term before it, and a group of a list without either.
fn incomplete_group(list: El<'_>, found: &mut Found<'_, '_>) {
    if list.attribute("role").is_some() || list.has_kind(AttributeKind::Content) {
        return;
    }
    // A block can render a term.
    let first = match list.children().find(|node| !matches!(node, Node::Text(..))) {
        Some(Node::Element(child)) => Some(El::new(child)),
        _ => None,
    };
    let is_lone = |it: &El<'_>| it.tag == "dd" && !may_be_hidden(*it);
    if let Some(description) = first.filter(is_lone) {
        let finding = found.at(description.tag_span(), "`<dd>` without a `<dt>` before it");
        finding.help("begin the list with a term");
        finding.severity = finding.severity.min(Severity::Info);
    }
    // The text of a group shows that it contains no component or block.
    let is_text = |group: &El<'_>| {
        group.tag == "div"
            && group.attribute("role").is_none()
            && group.children().any(|node| matches!(node, Node::Text(..)))
            && group.children().all(|node| matches!(node, Node::Text(..)))
            && !may_be_hidden(*group)
    };
    let nodes = rendered(list);
    let elements = nodes.iter().filter_map(|node| match node {
        Node::Element(child) => Some(El::new(*child)),
        _ => None,
    });
    for group in elements.filter(is_text) {
        let finding = found.at(group.tag_span(), "`<div>` in `<dl>` without a term");
        finding.help("put a `<dt>` and a `<dd>` into it");
        finding.severity = finding.severity.min(Severity::Info);
    }
}

pub(super) fn stray_list_item(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "li" || element.attribute("role").is_some() || element.has_spread() {
        return;
    }
    // Without an end tag, it is unknown what the parent contains.
    let Some(parent) = element.parent_el().filter(|it| it.is_closed()) else { return };
    let is_in_list = matches!(parent.tag, "ul" | "ol" | "menu" | "template" | "slot" | "dir" | "")
            && !(element.document().is_complete()
                && matches!(role(parent), Role::Explicit(role) if !matches!(role, "list" | "none" | "presentation")))
        || parent.attribute("role").is_some() && !element.document().is_complete()
        || parent.has_spread()
        // The root of a template of a server or a component, in which lists are opened elsewhere.
        || matches!(parent.tag, "html" | "body" | "svg" | "symbol" | "noscript")
            && !element.document().is_complete();
    if !is_in_list {
        found
            .at(element.tag_span(), format!("`<li>` in `<{}>`, outside a list", parent.tag))
            .help("put it into `<ul>` or `<ol>`");
    }
}

pub(super) fn distracting_element(element: El<'_>, found: &mut Found<'_, '_>) {
    if matches!(element.tag, "marquee" | "blink") {
        found
            .at(
                element.tag_span(),
                format!("`<{}>` moves text, which users cannot stop", element.tag),
            )
            .help("use CSS that respects `prefers-reduced-motion`");
    }
}

pub(super) fn misplaced_scope(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("scope") else { return };
    if element.tag.is_empty() || matches!(attribute.value, Value::Absent) {
        return;
    }
    // The variable of a slot in Vue 2.
    if element.document().language() == Language::Vue && element.tag != "th" {
        return;
    }
    if !matches!(element.tag, "th" | "style") {
        // Browsers still support it on `<td>`.
        let is_obsolete = element.tag == "td";
        let problem = if is_obsolete { "is obsolete" } else { "has no effect" };
        let delete = Edit::delete(with_space(found, attribute.span));
        let finding = found.at(attribute.span, format!("`scope` {problem} on `<{}>`", element.tag));
        if is_obsolete {
            finding.help("use it on `<th>`");
            finding.severity = finding.severity.min(Severity::Info);
        } else {
            finding.fix_unsafe("Delete the attribute", vec![delete]);
        }
        return;
    }
    if let Value::Static { text, span } = attribute.value
        && element.tag == "th"
        && !matches!(&*text.trim().to_ascii_lowercase(), "row" | "col" | "rowgroup" | "colgroup")
    {
        const SCOPES: [&str; 4] = ["row", "col", "rowgroup", "colgroup"];
        let correct = match &*text.trim().to_ascii_lowercase() {
            "cols" | "column" | "columns" => Some("col"),
            "rows" => Some("row"),
            word => correction(word, SCOPES.into_iter()),
        };
        let correct = correct.filter(|_| found.slice(span) == text);
        let place = if span.is_empty() { attribute.span } else { span };
        let finding = found.at(place, format!("`scope` cannot be `{text}`"));
        match correct {
            Some(correct) => {
                let edit = Edit::replace(span, correct);
                finding.fix_unsafe(format!("Replace with `{correct}`"), vec![edit]);
            }
            None => {
                finding.help("use `row`, `col`, `rowgroup` or `colgroup`");
            }
        }
    }
}

pub(super) fn empty_table_header(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_header = match role(element) {
        Role::Implicit(_) => element.tag == "th",
        Role::Explicit(role) => {
            matches!(element.tag, "td" | "th") && matches!(role, "columnheader" | "rowheader")
        }
        _ => false,
    };
    if !is_header || may_be_hidden(element) {
        return;
    }
    // A control or image inside names the column for some users.
    let is_empty = element.inner().is_some_and(|inner| {
        inner.iter().all(|child| !child.tag.is_empty() && !matches!(child.tag, "input" | "button"))
    });
    if is_empty && name(element) == Name::Empty {
        found
            .at(element.tag_span(), "the header of the column or row has no text")
            .help("name the column or row, or use `<td>`");
    }
}
