//! Rules on the structure of a page: landmarks, headings, links inside the page, repeated texts.

use super::Found;
use super::element::El;
use super::names::{Name, attribute_name, is_blank, may_be_hidden, name};
use super::roles::{Role, role};
use aidd_engine::text::source::Span;
use aidd_markup::{Document, Node, Value};
use std::collections::HashMap;

/// The role of a landmark; `None` also if it is unknown.
pub(super) fn landmark(element: El<'_>) -> Option<&str> {
    const ROLES: [&str; 8] = [
        "banner",
        "complementary",
        "contentinfo",
        "form",
        "main",
        "navigation",
        "region",
        "search",
    ];
    let is_sectioned = || {
        element.close_ancestors().any(|outer| {
            matches!(outer.tag, "article" | "aside" | "main" | "nav" | "section" | "")
                || matches!(role(outer), Role::Unknown)
                || matches!(
                    role(outer).name(),
                    Some("article" | "complementary" | "main" | "navigation" | "region")
                )
        })
    };
    match (role(element), element.tag) {
        (Role::Explicit(name), _) if !element.tag.is_empty() => {
            ROLES.contains(&name).then_some(name)
        }
        (Role::Unknown, _) => None,
        (_, "header") => (!is_sectioned()).then_some("banner"),
        (_, "footer") => (!is_sectioned()).then_some("contentinfo"),
        (_, "section") => Some("region"),
        (Role::Implicit(name), _) => ROLES.contains(&name).then_some(name),
        _ => None,
    }
}

/// Reports landmarks of a page that have the same role and name.
pub(super) fn duplicate_landmark(document: &Document<'_>, found: &mut Found<'_, '_>) {
    if !document.is_whole() {
        return;
    }
    let mut first: HashMap<(&str, String), Span> = HashMap::new();
    for element in document.elements().map(El::new) {
        let Some(role) = landmark(element) else { continue };
        let name = match attribute_name(element, &[]) {
            Name::Empty => String::new(),
            Name::Present(Some(name)) => name.to_lowercase(),
            Name::Present(None) | Name::Unknown => continue,
        };
        // A form and a section are landmarks only with a name.
        let is_landmark = !name.is_empty() || !matches!(element.tag, "form" | "section");
        if !is_landmark || may_be_hidden(element) {
            continue;
        }
        let span = element.tag_span();
        match first.get(&(role, name.clone())) {
            None => {
                first.insert((role, name), span);
            }
            Some(&other) => {
                let problem = if name.is_empty() { "no name" } else { "the same name" };
                found
                    .at(span, format!("two landmarks with the role `{role}` and {problem}"))
                    .help("give each a name of its own with `aria-label`, or use one landmark")
                    .related(other, "the other landmark");
            }
        }
    }
}

pub(super) fn nested_landmark(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() {
        return;
    }
    let name = match role(element) {
        Role::Explicit(name @ ("banner" | "complementary" | "contentinfo" | "main")) => name,
        Role::Implicit("main") => "main",
        Role::Implicit("complementary") if is_landmark_aside(element) => "complementary",
        _ => return,
    };
    let is_outer = |outer: &El<'_>| match role(*outer).name() {
        // `<main>` can contain what complements it.
        Some("main") => name != "complementary",
        Some("banner" | "complementary" | "contentinfo" | "navigation") => true,
        _ => {
            name == "complementary"
                && is_placed(*outer)
                && matches!(landmark(*outer), Some("banner" | "contentinfo"))
        }
    };
    if let Some(outer) = element.close_ancestors().find(is_outer)
        && !may_be_hidden(element)
    {
        found
            .at(element.tag_span(), format!("the landmark `{name}` is inside another landmark"))
            .help("move it to the top level of the page")
            .related(outer.tag_span(), "the other landmark");
    }
}

/// Whether an `<aside>` is a landmark: it has a name, or is in no article and no section.
fn is_landmark_aside(element: El<'_>) -> bool {
    let is_section =
        |outer: El<'_>| matches!(outer.tag, "" | "article" | "aside" | "nav" | "section");
    matches!(attribute_name(element, &[]), Name::Present(_))
        || is_placed(element) && !element.close_ancestors().any(is_section)
}

/// Whether the file shows all elements around this one. Around a component, there can be a section,
/// in which neither `<header>` nor an `<aside>` without a name is a landmark.
fn is_placed(element: El<'_>) -> bool {
    element.document().is_whole()
        || element.close_ancestors().any(|outer| matches!(outer.tag, "body" | "html"))
}

/// The level of a heading; `None` if the element is none or the level is unknown.
pub(super) fn heading_level(element: El<'_>) -> Option<Option<u32>> {
    let level = || element.text_of("aria-level").and_then(|level| level.parse().ok());
    match role(element) {
        Role::Explicit("heading") => Some(level()),
        Role::Implicit("heading") => {
            let own = || element.tag.get(1..).and_then(|level| level.parse().ok());
            Some(level().or_else(own))
        }
        _ => None,
    }
}

/// Reports headings that are more than one level below the heading before.
pub(super) fn skipped_heading_level(document: &Document<'_>, found: &mut Found<'_, '_>) {
    if !document.is_whole() {
        return;
    }
    let mut before: Option<u32> = None;
    for element in document.elements().map(El::new) {
        let Some(level) = heading_level(element).filter(|_| !may_be_hidden(element)) else {
            continue;
        };
        if let (Some(before), Some(level)) = (before, level)
            && level > before + 1
        {
            found
                .at(
                    element.tag_span(),
                    format!("a heading of level {level} follows one of level {before}"),
                )
                .help(format!("use level {}; choose the size with CSS", before + 1));
        }
        before = level;
    }
}

pub(super) fn broken_fragment(element: El<'_>, found: &mut Found<'_, '_>) {
    if !matches!(element.tag, "a" | "area") || !element.document().is_complete() {
        return;
    }
    let Some(Value::Static { text, span }) = element.value("href") else { return };
    let Some(id) = text.trim().strip_prefix('#').filter(|id| !id.is_empty()) else { return };
    // A text fragment, an escaped id, or a route of a single-page application.
    let is_other = id.contains(['%', '&', '/', '!', ':']) || id.eq_ignore_ascii_case("top");
    let is_name = || {
        element
            .document()
            .elements()
            .any(|it| it.name() == "a" && it.value("name").and_then(Value::text) == Some(id))
    };
    if is_other || element.document().by_id(id).is_some() || is_name() {
        return;
    }
    found
        .at(span, format!("no element of the page has the id `{id}`"))
        .help("correct the link, or add the id to its target");
}

/// The text inside an element apart from images; `None` if parts of it are unknown.
fn visible_text(element: El<'_>) -> Option<String> {
    /// Maximum number of nodes.
    const MAX: usize = 50;
    let mut text = String::new();
    let mut pending: Vec<Node<'_>> = element.children().collect();
    pending.reverse();
    for _ in 0..MAX {
        match pending.pop() {
            None => return Some(text),
            Some(Node::Text(found, _)) => {
                text.push_str(found.trim());
                text.push(' ');
            }
            Some(Node::Slot(_)) => {}
            Some(Node::Block(_)) => return None,
            Some(Node::Element(child)) => {
                let child = El::new(child);
                if child.tag.is_empty() {
                    return None;
                }
                let at = pending.len();
                pending.extend(child.children());
                pending[at..].reverse();
            }
        }
    }
    None
}

pub(super) fn repeated_alt(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "img" || role(element).is_presentational() || may_be_hidden(element) {
        return;
    }
    let Some(Value::Static { text, span }) = element.value("alt") else { return };
    let outer = element.close_ancestors().find(|outer| {
        matches!(outer.tag, "a" | "button" | "p" | "li" | "td" | "th" | "")
            || matches!(role(*outer), Role::Explicit("button" | "link"))
    });
    let Some(outer) = outer.filter(|outer| !outer.tag.is_empty() && !is_blank(text)) else {
        return;
    };
    let Some(visible) = visible_text(outer) else { return };
    if visible.trim().to_lowercase() == text.trim().to_lowercase() {
        found
            .at(span, "screen readers announce this text twice: it also follows the image")
            .help("use `alt=\"\"`");
    }
}

/// The address of a link as far as it distinguishes targets: relative addresses are resolved against the
/// page, and names of index files are left out.
fn address(href: &str, page: &str) -> String {
    let href = href.trim().trim_end_matches(['#', '/']);
    let is_relative = !href.starts_with(['/', '#', '?']) && !href.contains(':');
    let mut parts: Vec<&str> = Vec::new();
    if is_relative {
        parts.extend(page.rsplit_once('/').map_or("", |(directory, _)| directory).split('/'));
    } else if href.starts_with('#') {
        parts.extend(page.split('/'));
    }
    for part in href.split('/') {
        match part {
            "." if is_relative => {}
            ".." if is_relative && parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    if parts.last().is_some_and(|name| matches!(*name, "index.html" | "index.htm" | "index.php")) {
        parts.pop();
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

/// Whether the fragment leads to the first heading of the page, so that the link leads to the page.
fn is_start(document: &Document<'_>, fragment: &str) -> bool {
    /// Maximum number of elements before the heading in the target.
    const MAX: usize = 16;
    let is_heading = |name: &str| matches!(name, "h1" | "h2");
    let Some(target) = document.by_id(fragment) else { return false };
    let Some(first) = document.elements().find(|it| is_heading(it.name())) else { return false };
    target.id() == first.id() || target.descendants().take(MAX).any(|it| it.id() == first.id())
}

/// Reports links of a page that have the same name and different targets.
pub(super) fn identical_links(document: &Document<'_>, found: &mut Found<'_, '_>) {
    if !document.is_whole() {
        return;
    }
    let mut first: HashMap<String, Option<(String, Span)>> = HashMap::new();
    for element in document.elements().map(El::new) {
        let is_link = matches!(element.tag, "a" | "area") && role(element).name() == Some("link");
        let Some(href) = element.text_of("href").filter(|_| is_link) else { continue };
        // Such links are buttons, or wait for a script.
        if matches!(href, "" | "#") || href.starts_with("javascript:") {
            continue;
        }
        let Name::Present(Some(text)) = name(element) else { continue };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        // The link of a heading to itself has a sign as its text.
        let is_permalink = element.text_of("class").is_some_and(|class| {
            class.split_ascii_whitespace().any(|word| matches!(word, "headerlink" | "anchor"))
        });
        if is_permalink || !text.contains(char::is_alphanumeric) || may_be_hidden(element) {
            continue;
        }
        // A title can distinguish links.
        let title = element.text_of("title").unwrap_or_default().to_lowercase();
        let text = format!("{text}\n{title}");
        let fragment = href.strip_prefix('#');
        let href = if fragment.is_some_and(|id| is_start(document, id)) {
            found.path().rsplit('/').next().unwrap_or_default()
        } else {
            href
        };
        let (target, span) = (address(href, found.path()), element.tag_span());
        let Some(known) = first.get_mut(&text) else {
            first.insert(text, Some((target, span)));
            continue;
        };
        // One finding for all links with the text.
        if let Some((_, other)) = known.take_if(|(other, _)| *other != target) {
            found
                .at(span, "another link of the page has the same text and leads elsewhere")
                .help("state in the text what distinguishes the targets, or add an `aria-label`")
                .related(other, "the other link");
        }
    }
}
