//! A rule on attributes that an expression may or may not add.

use super::Found;
use super::element::El;
use super::roles::input_type;
use aidd_markup::{AttributeKind, Language};

/// Reports an element that gets attributes from an expression, if one that it needs is not among
/// those that are written.
pub(super) fn unseen_attribute(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.document().language() != Language::Jsx
        || !element.is_native()
        || !element.has_spread()
        || element.attribute("aria-hidden").is_some()
    {
        return;
    }
    let Some(name) = unseen(element) else { return };
    found
        .at(
            element.tag_span(),
            format!("an expression may or may not give `<{}>` the attribute `{name}`", element.tag),
        )
        .help("write the attribute, before the expression if it is a default");
}

/// An attribute that the element needs and that is not written.
fn unseen(element: El<'_>) -> Option<&'static str> {
    let has = |name: &str| element.attribute(name).is_some();
    let has_event = |name: &str| element.event(name).is_some();
    let has_key_event = || {
        element.attributes().iter().any(|attribute| {
            attribute.kind == AttributeKind::Event && attribute.name.starts_with("key")
        })
    };
    let is_unlabelled = || !["alt", "aria-label", "aria-labelledby"].iter().any(|name| has(name));
    match element.tag {
        "img" if is_unlabelled() => return Some("alt"),
        "input" if is_unlabelled() && input_type(element).as_deref() == Some("image") => {
            return Some("alt");
        }
        "html" if !has("lang") => return Some("lang"),
        "iframe" if !has("title") && is_unlabelled() => return Some("title"),
        _ => {}
    }
    if has_event("mouseover") && !has_event("focus") {
        return Some("onFocus");
    }
    if has_event("mouseout") && !has_event("blur") {
        return Some("onBlur");
    }
    let is_static = matches!(element.tag, "div" | "span" | "p" | "section" | "article" | "li");
    (is_static && has_event("click") && !has("role") && !has_key_event()).then_some("onKeyDown")
}
