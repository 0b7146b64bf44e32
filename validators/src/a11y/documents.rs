//! Rules on whole documents: language, title, refresh, zoom and ids.

use super::Found;
use super::element::El;
use super::names::{Name, attribute_name, content, is_blank, is_hidden_by_style};
use super::tokens::unregistered;
use aidd_engine::text::source::Span;
use aidd_markup::{AttributeKind, Document, Language, Node, Value};
use std::collections::HashMap;

pub(super) fn missing_lang(element: El<'_>, found: &mut Found<'_, '_>) {
    // A layout replaces the element, or only fragments of the file are used.
    let is_replaced =
        element.has_kind(AttributeKind::Content) || element.has_kind(AttributeKind::Directive);
    if element.tag != "html" || element.has_spread() || is_replaced || found.is_email() {
        return;
    }
    let is_missing = match element.value("lang") {
        Some(Value::Dynamic { .. }) => false,
        Some(Value::Absent) => true,
        Some(value) => value.text().is_some_and(is_blank),
        None => true,
    };
    // `xml:lang` applies to XHTML. An HTML file without content is replaced by a script or a build.
    let is_xhtml = element.attribute("xml:lang").is_some() && element.attribute("xmlns").is_some();
    if is_missing && !is_xhtml {
        found
            .at(element.tag_span(), "the language of the page is not declared")
            .help("add `lang`, such as `lang=\"en\"`; screen readers select the voice by it");
    }
}

pub(super) fn invalid_lang(element: El<'_>, found: &mut Found<'_, '_>) {
    // The `lang` of a component can be that of code.
    if !element.is_native() && element.tag != "html" {
        return;
    }
    let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    if let (Some(Value::Static { text, span }), Some(other)) =
        (element.value("xml:lang"), element.text_of("lang"))
        && element.tag == "html"
        && !is_blank(text)
        && !is_blank(other)
        && primary(text.trim()) != primary(other)
    {
        found
            .at(span, format!("`lang` declares another language: `{other}`"))
            .help("use the same value for `lang` and `xml:lang`");
        return;
    }
    for name in ["lang", "xml:lang"] {
        if let Some(Value::Static { text, span }) = element.value(name)
            // With an empty value, the language is unknown.
            && !text.is_empty()
            && !(element.tag == "html" && is_blank(text))
            && let Some(part) = unregistered(text.trim())
            // The language of code, or a placeholder.
            && !matches!(element.tag, "script" | "style" | "template" | "pre" | "code")
            && !text.contains(['%', '{', '}', '$', '[', '@', '<', '('])
            && (element.tag == "html" || has_text_in_language(element))
        {
            let message = if part == text.trim() {
                format!("`{part}` is not a language")
            } else {
                format!("`{part}` in `{}` is not a registered subtag", text.trim())
            };
            found.at(span, message).help("use a tag of BCP 47, such as `en` or `pt-BR`");
        }
    }
}

/// Whether the element contains text whose language it declares; also if this is unknown.
fn has_text_in_language(element: El<'_>) -> bool {
    /// Maximum number of nodes, so that nested elements are checked in linear time.
    const MAX: usize = 200;
    let mut pending: Vec<Node<'_>> = element.children().collect();
    for _ in 0..MAX {
        let Some(node) = pending.pop() else {
            return attribute_name(element, &["alt"]) != Name::Empty
                || element.has_kind(AttributeKind::Content);
        };
        match node {
            Node::Text(text, _) if is_blank(text) => {}
            Node::Text(..) => return true,
            Node::Slot(_) => {}
            Node::Block(block) if block.may_be_text => return true,
            Node::Block(block) => pending.extend(block.children()),
            Node::Element(child) => {
                let child = El::new(child);
                // Another language applies inside.
                if child.attribute("lang").is_some()
                    || child.attribute("hidden").is_some()
                    || is_hidden_by_style(*child)
                {
                    continue;
                }
                if child.tag.is_empty()
                    || child.has_kind(AttributeKind::Content)
                    || attribute_name(child, &["alt", "placeholder", "value"]) != Name::Empty
                {
                    return true;
                }
                pending.extend(child.children());
            }
        }
    }
    true
}

pub(super) fn empty_title(element: El<'_>, found: &mut Found<'_, '_>) {
    // Browsers add a missing head.
    let is_headless = |element: El<'_>| {
        let mut inner = element.descendants();
        element.tag == "html"
            && inner.all(|child| child.is_native() && !matches!(child.name(), "head" | "title"))
    };
    if (element.tag == "head" || is_headless(element))
        && element.document().is_whole()
        && !found.is_email()
    {
        // A build replaces a text in the head, such as `%head%`.
        let is_replaced = element.children().any(|node| matches!(node, Node::Text(..)));
        let mut inner = element.descendants();
        if !is_replaced && inner.all(|child| child.is_native() && child.name() != "title") {
            found
                .at(element.tag_span(), "the page has no title")
                .help("name the page in `<title>`");
        }
        return;
    }
    let is_title = element.tag == "title"
        && element.parent().is_some_and(|parent| {
            parent.name() == "head" || parent.name() == "html" && element.document().is_whole()
        })
        && !element.has_kind(AttributeKind::Directive)
        && !element.has_spread();
    if is_title && content(element) == Name::Empty && element.attributes().is_empty() {
        found
            .at(element.span(), "the title of the page is empty")
            .help("name the page in `<title>`");
    }
}

pub(super) fn meta_refresh(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_refresh = element.tag == "meta"
        && element.text_of("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
    let Some(Value::Static { text, span }) = element.value("content").filter(|_| is_refresh) else {
        return;
    };
    let seconds = text.split([';', ',']).next().unwrap_or_default().trim();
    // A redirect without delay is not noticed; a delay of 20 hours or more is allowed.
    const MAX: u32 = 72_000;
    // Pages for browsers without scripts.
    let is_fallback = element.close_ancestors().any(|ancestor| ancestor.tag == "noscript");
    // Browsers ignore a value that does not begin with a digit, such as `+5`.
    let is_number = seconds.starts_with(|c: char| c.is_ascii_digit());
    let is_delayed = seconds.parse::<u32>().is_ok_and(|seconds| (1..=MAX).contains(&seconds));
    if is_number && is_delayed && !is_fallback {
        found
            .at(span, "the page reloads or redirects before users may have read it")
            .help("redirect on the server, or let the user reload the page");
    }
}

pub(super) fn zoom_disabled(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "meta" || element.text_of("name") != Some("viewport") {
        return;
    }
    let Some(Value::Static { text, span }) = element.value("content") else { return };
    let mut offset = 0;
    for part in text.split([',', ';']) {
        let start = span.start as usize + offset + (part.len() - part.trim_start().len());
        offset += part.len() + 1;
        let Some((name, value)) = part.split_once('=') else { continue };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
        let is_disabled = match &*name {
            // Browsers take other words, and numbers between -1 and 1, for `no`.
            "user-scalable" => match value.parse::<f32>() {
                Ok(number) => number.abs() < 1.0,
                Err(_) => !matches!(&*value, "yes" | "true" | "device-width" | "device-height"),
            },
            // They take other words for a small number.
            "maximum-scale" => match value.parse::<f32>() {
                Ok(scale) => (0.0..2.0).contains(&scale),
                Err(_) => !matches!(&*value, "device-width" | "device-height"),
            },
            _ => false,
        };
        if is_disabled {
            // With escapes, the text is not that of the source.
            let is_exact = found.slice(span) == text;
            let part = if is_exact { Span::new(start, start + part.trim().len()) } else { span };
            found
                .at(part, format!("`{name}={value}` prevents users from enlarging the page"))
                .help("delete this part");
            return;
        }
    }
}

/// Reports ids that occur twice. Only whole documents without template statements are checked:
/// elsewhere, the elements can exclude each other.
pub(super) fn duplicate_id(document: &Document<'_>, found: &mut Found<'_, '_>) {
    if document.language() != Language::Html || document.is_templated() {
        return;
    }
    let mut first: HashMap<&str, Span> = HashMap::new();
    let mut skipped_until = 0;
    for element in document.elements() {
        // The content of `<template>` is copied; that of `<c:if>` or `<p ng-if>` may be absent.
        let may_be_absent = element.name() == "template"
            || element.name().contains(':')
            || element.has_kind(AttributeKind::Directive);
        if may_be_absent {
            skipped_until = skipped_until.max(element.span().end);
        }
        if element.span().start < skipped_until {
            continue;
        }
        let Some(Value::Static { text, span }) = element.value("id") else { continue };
        if is_blank(text) || is_in_block(element) {
            continue;
        }
        match first.get(text.trim()) {
            None => {
                first.insert(text.trim(), span);
            }
            Some(&other) => {
                found
                    .at(span, format!("the id `{}` occurs twice", text.trim()))
                    .help("use another id; labels and links refer to the first element")
                    .related(other, "first element with the id");
            }
        }
    }
}

fn is_in_block(element: aidd_markup::Element<'_>) -> bool {
    element.is_in_block() || element.children().any(|node| matches!(node, Node::Slot(_)))
}
