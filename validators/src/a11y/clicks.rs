//! A rule on elements that only react to clicks.

use super::Found;
use super::element::El;
use super::interaction::{has_key_event, is_static};
use super::names::{is_icon, is_open, may_be_hidden};
use super::roles::{Role, is_focusable, is_natively_interactive, role};
use aidd_markup::{Language, Node, Value};

pub(super) fn click_only_element(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(click) = element.event("click") else { return };
    let widget = widget_without_keys(element);
    if widget.is_none() && !is_static(element)
        || has_key_event(element)
        || element.has_spread()
        || may_be_hidden(element)
    {
        return;
    }
    if matches!(
        element.tag,
        "body" | "html" | "label" | "option" | "dialog" | "form" | "slot" | "template" | "input"
    ) || element.has("tabindex") && element.text_of("tabindex") != Some("0")
        || element.attribute("contenteditable").is_some()
    {
        return;
    }
    // A handler that only stops the event, or that closes what the element surrounds.
    let code = found.slice(click.span);
    const GUARDS: [&str; 8] = [
        "currentTarget",
        ".self",
        "|self",
        "target =",
        // Clicks elsewhere.
        ".away",
        ".outside",
        ".window",
        ".document",
    ];
    let is_jsx = element.document().language() == Language::Jsx;
    let is_guard = GUARDS.iter().any(|word| code.contains(word))
        || code.contains(".stop") && !is_jsx
        || (code.contains("ropagation") || code.contains("preventDefault"))
            && !(is_jsx && does_more(code));
    let is_absent = matches!(click.value, Value::Absent)
        || matches!(click.value, Value::Empty)
            && !matches!(element.document().language(), Language::Vue | Language::Svelte);
    // A component puts the element into a button.
    let may_be_wrapped = element.is_in_attribute() || element.attribute("ref").is_some();
    // Clicks on the elements inside bubble; the keyboard reaches these elements.
    let contains_control = element.inner().is_none_or(|inner| {
        inner.iter().any(|child| {
            child.tag.is_empty()
                && !child.name().ends_with("Icon")
                && (may_be_wrapped || !is_icon(*child))
                || is_focusable(*child) != Some(false) && !child.tag.is_empty()
                || child.attribute("role").is_some()
        })
    });
    // The keyboard reaches the control around the element.
    let is_in_control = || {
        element.close_ancestors().any(|outer| {
            matches!(outer.tag, "button" | "summary")
                || outer.tag == "a" && outer.has("href")
                || matches!(role(outer), Role::Explicit("button" | "link"))
        })
    };
    // A backdrop closes what is over it, which the keyboard closes in another way.
    let is_backdrop = || {
        let code = found.slice(element.tag_span());
        element.children().next().is_none()
            && ["fixed", "inset-0", "backdrop", "overlay"].iter().any(|word| code.contains(word))
    };
    if is_guard || is_backdrop() || is_absent || contains_control || is_in_control() {
        return;
    }
    if let Some(name) = widget {
        if !has_global_keys(found.source_text()) {
            let message = format!("the role `{name}` adds no keys: only clicks are handled");
            found
                .at(element.tag_span(), message)
                .help("handle Enter and Space, or use the native element");
        }
        return;
    }
    found
        .at(
            element.tag_span(),
            format!("`<{}>` reacts to clicks, but not to the keyboard", element.tag),
        )
        .help("use `<button>` or `<a href>`");
}

/// The role of a control that the keyboard reaches, but that nothing in the source operates by keys:
/// neither the element, nor one around it, nor unknown attributes.
fn widget_without_keys(element: El<'_>) -> Option<&str> {
    let Role::Explicit(name @ ("button" | "checkbox" | "link" | "switch")) = role(element) else {
        return None;
    };
    // Elsewhere, scripts and directives handle keys.
    let language = element.document().language();
    if !matches!(language, Language::Jsx | Language::Vue | Language::Svelte)
        || !element.is_native()
        || element.is_foreign()
        || is_natively_interactive(element) != Some(false)
        || is_focusable(element) != Some(true)
        || element.text_of("aria-disabled") == Some("true")
        || element.attribute("ref").is_some()
        || element.is_in_attribute()
        || is_open(element)
    {
        return None;
    }
    // A component can add handlers to its only child, as with `asChild`.
    let is_only_child = |outer: El<'_>| {
        outer.children().filter(|node| !matches!(node, Node::Text(..))).count() == 1
    };
    let is_slotted =
        element.parent_el().is_some_and(|outer| !outer.is_native() && is_only_child(outer));
    let is_handled = || {
        element.close_ancestors().any(|outer| {
            has_key_event(outer) || outer.has_spread() || outer.attribute("ref").is_some()
        })
    };
    (!is_slotted && !is_handled()).then_some(name)
}

/// Whether the file handles keys in another way than by attributes.
fn has_global_keys(text: &str) -> bool {
    /// Maximum length of the text, so that files with many elements are checked in linear time.
    const MAX: usize = 100_000;
    const WORDS: [&str; 6] =
        ["Listener(\"key", "Listener('key", "otkey", "otKey", "useKey", "Mousetrap"];
    let text = &text[..text.floor_char_boundary(MAX)];
    WORDS.iter().any(|word| text.contains(word))
}

/// Whether the code of a handler calls something other than what stops the event.
fn does_more(code: &str) -> bool {
    const OTHER: [&str; 9] = [
        "stopPropagation",
        "stopImmediatePropagation",
        "preventDefault",
        "handleEventPropagation",
        "persist",
        "async",
        "function",
        "if",
        "closest",
    ];
    code.match_indices('(').any(|(at, _)| {
        let before = code[..at].trim_end_matches([' ', '?', '.']);
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        let name = &before[start.map_or(0, |at| at + 1)..];
        !name.is_empty() && !OTHER.contains(&name)
    })
}
