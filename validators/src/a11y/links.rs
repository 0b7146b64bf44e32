//! A rule on links that lead nowhere.

use super::Found;
use super::element::El;
use super::names::{Name, content, name};
use super::roles::{Role, role};
use aidd_engine::text::source::Span;
use aidd_markup::{Attribute, AttributeKind, Language, Value};

pub(super) fn link_without_target(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "a" || element.has_spread() {
        return;
    }
    let is_jsx = element.document().language() == Language::Jsx;
    let Some(attribute) = element.attribute("href") else {
        if is_jsx && is_meant_as_link(element) {
            found
                .at(
                    element.tag_span(),
                    "the link has no address, and the keyboard does not reach it",
                )
                .help("add `href`, or use `<span>` for text");
        }
        return;
    };
    if is_jsx && matches!(attribute.value, Value::Absent) {
        found
            .at(attribute.span, "the link leads nowhere, and the keyboard does not reach it")
            .help("use `<button>` for an action, or the address of a page");
        return;
    }
    let Value::Static { text, span } = attribute.value else { return };
    let lower = text.trim().to_ascii_lowercase();
    let is_script = lower.starts_with("javascript:");
    // A link to the page itself.
    let is_empty = is_jsx && lower.is_empty();
    if !(is_script || is_empty || lower == "#" || lower == "#!")
        || role(element) == Role::Explicit("button")
    {
        return;
    }
    let is_toggle = element
        .attributes()
        .iter()
        .any(|attribute| attribute.name.starts_with("data-") && attribute.name.ends_with("toggle"));
    // `#` is the top of the page.
    let is_top = || {
        let names = ["class", "id", "aria-label", "title"].map(|name| element.text_of(name));
        let text = if let Name::Present(text) = content(element) { text } else { None };
        names.into_iter().flatten().chain(text.as_deref()).any(|text| {
            let text = text.to_ascii_lowercase().replace("totop", "to top");
            text.split(|c: char| !c.is_alphanumeric())
                .any(|word| matches!(word, "top" | "elevator"))
        })
    };
    // A component gives its properties to its only child.
    let is_merged = || {
        element.parent_el().is_some_and(|outer| {
            let is_item = outer.name().ends_with("Item") || outer.attribute("aschild").is_some();
            !outer.is_native() && is_item
        })
    };
    let is_toggle = is_toggle && element.document().language() == Language::Html;
    if is_toggle || is_merged() || lower == "#" && (is_top() || is_set_by_script(element, found)) {
        return;
    }
    let span = if span.is_empty() { element.tag_span() } else { span };
    let script = lower.trim_start_matches("javascript:").trim().trim_end_matches(';');
    let runs = is_script && !matches!(script, "" | "void(0)" | "void 0");
    found
        .at(span, if runs { "the link runs a script" } else { "the link leads nowhere" })
        .help("use `<button>` for an action, or the address of a page");
}

/// Whether an `<a>` without address looks like one that forgot it. HTML allows such elements in the
/// place of a link, such as that of the current page, and a component or script can add the address.
fn is_meant_as_link(element: El<'_>) -> bool {
    let is_plain = |attribute: &Attribute<'_>| {
        attribute.kind == AttributeKind::Plain
            && matches!(
                &*attribute.name,
                "aria-label" | "class" | "key" | "rel" | "style" | "target" | "title"
            )
    };
    let has_state = |it: El<'_>| {
        let class = it.text_of("class").unwrap_or_default();
        ["active", "current", "disabled", "selected"].iter().any(|word| class.contains(word))
    };
    element.name() == "a"
        && element.attributes().iter().all(is_plain)
        && element.parent_el().is_some_and(|it| it.is_native() && !has_state(it))
        && !has_state(element)
        && !std::iter::once(element).chain(element.close_ancestors()).any(is_alternative)
        // A component inside can be the control, such as a field of an editor.
        && element.inner().is_some_and(|inner| inner.iter().all(|it| !it.tag.is_empty()))
        && name(element) != Name::Empty
}

/// Whether the element is the result of a condition.
fn is_alternative(element: El<'_>) -> bool {
    let before = element.document().slice(Span { start: 0, end: element.span().start });
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
    element.is_in_block() && before.ends_with(['?', ':', '&', '|'])
}

/// Whether a script in the file sets addresses of links, and contains the id or a class of the link or
/// of an element around it.
fn is_set_by_script(element: El<'_>, found: &Found<'_, '_>) -> bool {
    /// Maximum length of the text, so that files with many links are checked in linear time.
    const MAX: usize = 100_000;
    let text = found.source_text();
    let text = &text[..text.floor_char_boundary(MAX)];
    let sets = [".href =", ".href=", "'href',", "\"href\",", "href:"];
    if element.document().language() != Language::Html || !sets.iter().any(|it| text.contains(it)) {
        return false;
    }
    let has_selector = |it: El<'_>| {
        let classes = it.text_of("class").unwrap_or_default().split_ascii_whitespace();
        let classes = classes.map(|class| format!(".{class}"));
        let ids = it.text_of("id").into_iter();
        let ids = ids.flat_map(|id| [format!("#{id}"), format!("'{id}'"), format!("\"{id}\")")]);
        classes.chain(ids).any(|selector| text.contains(&selector))
    };
    has_selector(element) || element.close_ancestors().take(4).any(has_selector)
}
