//! Rules on the landmarks and the main heading of a page, and on frames with the same title.

use super::Found;
use super::element::El;
use super::names::{Name, attribute_name, content, is_blank, may_be_hidden};
use super::page::{heading_level, landmark};
use aidd_engine::text::source::Span;
use aidd_markup::{Document, Node};
use std::collections::HashMap;

/// Minimum number of words of a page with scripts: below, a script renders the page.
const MIN_WORDS: usize = 80;

/// Minimum number of words of a page without scripts: below, it is a placeholder.
const MIN_WORDS_OF_TEXT: usize = 12;

/// The body of a page whose content the source shows; `None` for fragments, e-mails, frame sets and
/// pages that a script may render.
fn body_of<'d>(document: &'d Document<'_>, found: &Found<'_, '_>) -> Option<El<'d>> {
    // Javadoc puts `<body>` into a page of its own.
    let has_root = || document.elements().any(|element| element.name() == "html");
    if !document.is_whole() || found.is_email() || !has_root() {
        return None;
    }
    let body = document.elements().map(El::new).find(|element| element.tag == "body")?;
    let is_custom = |element: El<'_>| element.tag.is_empty() && !element.is_foreign();
    if body.descendants().map(El::new).any(is_custom) {
        return None;
    }
    let words = words_in(body);
    let min = if document.is_complete() { MIN_WORDS_OF_TEXT } else { MIN_WORDS };
    (words >= min).then_some(body)
}

/// The number of words in an element, up to the minimum that is needed.
fn words_in(element: El<'_>) -> usize {
    let mut words = 0;
    let mut pending: Vec<Node<'_>> = element.children().collect();
    while let Some(node) = pending.pop().filter(|_| words < MIN_WORDS) {
        match node {
            Node::Text(text, _) => words += text.split_whitespace().count(),
            Node::Element(child) if !matches!(child.name(), "script" | "style" | "noscript") => {
                pending.extend(child.children());
            }
            _ => {}
        }
    }
    words
}

/// Reports a page without the landmark `main`.
pub(super) fn missing_main(document: &Document<'_>, found: &mut Found<'_, '_>) {
    let Some(body) = body_of(document, found) else { return };
    let is_main = |element: El<'_>| landmark(element) == Some("main") && !may_be_hidden(element);
    if !body.descendants().map(El::new).any(is_main) {
        found
            .at(body.tag_span(), "the page has no main landmark")
            .help("put the content of the page into `<main>`");
    }
}

/// Reports a page without a heading of level 1.
pub(super) fn missing_page_heading(document: &Document<'_>, found: &mut Found<'_, '_>) {
    let Some(body) = body_of(document, found) else { return };
    let is_first = |element: El<'_>| {
        matches!(heading_level(element), Some(Some(1) | None)) && !may_be_hidden(element)
    };
    if !body.descendants().map(El::new).any(is_first) {
        found
            .at(body.tag_span(), "the page has no heading of level 1")
            .help("name the content of the page in an `<h1>`");
    }
}

/// Reports the first element of a page with text that is in none of its landmarks.
pub(super) fn content_outside_landmark(document: &Document<'_>, found: &mut Found<'_, '_>) {
    let Some(body) = body_of(document, found) else { return };
    let is_landmark = |element: El<'_>| landmark(element).is_some() || is_region(element);
    if !body.descendants().map(El::new).any(|it| landmark(it) == Some("main")) {
        return;
    }
    let mut pending: Vec<El<'_>> = vec![body];
    while let Some(element) = pending.pop() {
        if element.tag != "body" && (is_landmark(element) || is_skipped(element)) {
            continue;
        }
        let own_text = element.children().find_map(|node| match node {
            Node::Text(text, span) if !is_blank(text) => Some(span),
            _ => None,
        });
        if let Some(span) = own_text {
            let span = if element.tag == "body" { span } else { element.tag_span() };
            found
                .at(span, "this content is outside the landmarks of the page")
                .help("move it into `<main>`, `<header>`, `<footer>` or `<nav>`");
            return;
        }
        let at = pending.len();
        pending.extend(element.children().filter_map(|node| match node {
            Node::Element(child) => Some(El::new(child)),
            _ => None,
        }));
        pending[at..].reverse();
    }
}

/// Whether the element is not a landmark, but announced by other means.
fn is_region(element: El<'_>) -> bool {
    element.tag == "dialog"
        || matches!(
            element.text_of("role"),
            Some("dialog" | "alertdialog" | "alert" | "status" | "log" | "region")
        )
        || element.attribute("aria-live").is_some()
}

/// Whether the element is not rendered, or is a link that skips to the content.
fn is_skipped(element: El<'_>) -> bool {
    matches!(element.tag, "script" | "style" | "noscript" | "template" | "iframe" | "svg")
        || element.tag == "a" && element.text_of("href").is_some_and(|href| href.starts_with('#'))
        || may_be_hidden(element)
        || content(element) == Name::Empty
}

/// Reports frames of a page that have the same title and different contents.
pub(super) fn repeated_frame_title(document: &Document<'_>, found: &mut Found<'_, '_>) {
    if !document.is_whole() {
        return;
    }
    let mut first: HashMap<String, (Option<&str>, Span)> = HashMap::new();
    for element in document.elements().map(El::new) {
        if !matches!(element.tag, "iframe" | "frame") || may_be_hidden(element) {
            continue;
        }
        let Name::Present(Some(title)) = attribute_name(element, &[]) else { continue };
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let (source, span) = (element.text_of("src"), element.tag_span());
        match first.get(&title) {
            None => {
                first.insert(title, (source, span));
            }
            Some(&(other, other_span)) if other != source => {
                found
                    .at(span, "another frame of the page has the same title")
                    .help("state in `title` what distinguishes the frames")
                    .related(other_span, "the other frame");
            }
            Some(_) => {}
        }
    }
}
