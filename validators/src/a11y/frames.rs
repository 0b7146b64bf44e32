//! A rule on frames that the keyboard cannot enter.

use super::Found;
use super::element::El;
use super::names::{is_hidden_by_style, may_be_hidden};
use super::roles::is_focusable;
use aidd_markup::{Document, Language, Value};

/// Maximum length of a page in an attribute, in bytes.
const MAX_LEN: usize = 100_000;

pub(super) fn unreachable_frame(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("tabindex") else { return };
    let is_removed = attribute.value.text().and_then(|text| text.trim().parse::<i32>().ok());
    let is_tiny = || {
        ["width", "height"]
            .iter()
            .any(|name| element.text_of(name).is_some_and(|size| matches!(size, "0" | "1")))
    };
    if !matches!(element.tag, "iframe" | "frame")
        || is_removed.is_none_or(|index| index >= 0)
        || is_tiny()
        || may_be_hidden(element)
    {
        return;
    }
    let Some(Value::Static { text, .. }) = element.value("srcdoc") else { return };
    if text.len() <= MAX_LEN && has_controls(&decoded(text)) {
        found
            .at(attribute.span, "the keyboard cannot reach the controls in the frame")
            .help("delete `tabindex`");
    }
}

/// Whether the keyboard stops at an element of the page.
fn has_controls(page: &str) -> bool {
    let document = Document::parse(page, Language::Html);
    document.elements().map(El::new).any(|it| {
        is_focusable(it) == Some(true)
            && !is_hidden_by_style(*it)
            && !it.has("hidden")
            && !it.close_ancestors().any(|outer| {
                is_hidden_by_style(*outer) || outer.has("hidden") || outer.has("inert")
            })
    })
}

/// The text with the character references that a page in an attribute needs.
fn decoded(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (reference, character)| text.replace(reference, character))
}
