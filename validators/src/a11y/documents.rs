//! Rules on whole documents: language, title, refresh, zoom and ids.

use super::Found;
use super::element::El;
use super::names::{Name, attribute_name, content, is_blank, is_hidden_by_style};
use super::tokens::unregistered;
use aidd_engine::text::finding::Edit;
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
            let hyphenated = text.trim().replace('_', "-");
            let is_separator = text.contains('_') && unregistered(&hyphenated).is_none();
            let is_exact = found.slice(span) == text;
            let finding = found.at(span, message);
            if is_separator && is_exact {
                let edit = Edit::replace(span, hyphenated.clone());
                finding.fix_unsafe(format!("Replace with `{hyphenated}`"), vec![edit]);
            } else {
                finding.help("use a tag of BCP 47, such as `en` or `pt-BR`");
            }
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

/// The longest delay of a refresh in seconds that WCAG 2.2.1 does not allow: 20 hours.
const MAX_DELAY: u32 = 72_000;

/// The delay in seconds after which a page reloads or redirects, and its span.
fn refresh_delay(element: El<'_>) -> Option<(u32, Span)> {
    let is_refresh = element.tag == "meta"
        && element.text_of("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
    let Some(Value::Static { text, span }) = element.value("content").filter(|_| is_refresh) else {
        return None;
    };
    let seconds = text.split([';', ',']).next().unwrap_or_default().trim();
    // Pages for browsers without scripts.
    let is_fallback = element.close_ancestors().any(|ancestor| ancestor.tag == "noscript");
    // Browsers ignore a value that does not begin with a digit, such as `+5`.
    let is_number = seconds.starts_with(|c: char| c.is_ascii_digit());
    let seconds = seconds.parse::<u32>().ok().filter(|_| is_number && !is_fallback)?;
    Some((seconds, span))
}

pub(super) fn meta_refresh(element: El<'_>, found: &mut Found<'_, '_>) {
    // A redirect without delay is not noticed.
    if let Some((1..=MAX_DELAY, span)) = refresh_delay(element) {
        found
            .at(span, "the page reloads or redirects before users may have read it")
            .help("redirect on the server, or let the user reload the page");
    }
}

pub(super) fn long_meta_refresh(element: El<'_>, found: &mut Found<'_, '_>) {
    if let Some((seconds, span)) = refresh_delay(element)
        && seconds > MAX_DELAY
    {
        found
            .at(span, "the page reloads or redirects without a request of the user")
            .help("let the user reload the page");
    }
}

/// A part of the value of `<meta name="viewport">`, such as `maximum-scale=1`.
struct ViewportPart<'d> {
    text: &'d str,
    /// The offset in the value, in bytes.
    offset: usize,
    name: String,
    value: String,
}

/// The parts of the value of `<meta name="viewport">`, with the value and its span.
fn viewport<'d>(element: El<'d>) -> Option<(Vec<ViewportPart<'d>>, &'d str, Span)> {
    if element.tag != "meta" || element.text_of("name") != Some("viewport") {
        return None;
    }
    let Some(Value::Static { text, span }) = element.value("content") else { return None };
    let mut offset = 0;
    let mut parts = Vec::new();
    for part in text.split([',', ';']) {
        let start = offset + (part.len() - part.trim_start().len());
        offset += part.len() + 1;
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        parts.push(ViewportPart {
            text: part.trim(),
            offset: start,
            name: name.trim().to_ascii_lowercase(),
            value: value.trim().to_ascii_lowercase(),
        });
    }
    Some((parts, text, span))
}

/// Reports the first part of the viewport for which `limits` holds, with an edit that deletes all of
/// them.
fn report_viewport(
    element: El<'_>,
    limits: impl Fn(&ViewportPart<'_>) -> bool,
    effect: &str,
    found: &mut Found<'_, '_>,
) {
    let Some((parts, text, span)) = viewport(element) else { return };
    let Some(part) = parts.iter().find(|part| limits(part)) else { return };
    // With escapes, the text is not that of the source.
    let is_exact = found.slice(span) == text;
    let start = span.start as usize + part.offset;
    let place = if is_exact { Span::new(start, start + part.text.len()) } else { span };
    let others: Vec<&str> = parts.iter().filter(|it| !limits(it)).map(|it| it.text).collect();
    let finding = found.at(place, format!("`{}={}` {effect}", part.name, part.value));
    if is_exact && others.iter().any(|it| !it.is_empty()) {
        let edit = Edit::replace(span, others.join(", "));
        finding.fix_unsafe("Delete the limit", vec![edit]);
    } else {
        finding.help("delete this part");
    }
}

pub(super) fn zoom_disabled(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_disabled = |part: &ViewportPart<'_>| match &*part.name {
        _ if part.value.is_empty() => false,
        // Browsers take other words, and numbers between -1 and 1, for `no`.
        "user-scalable" => match part.value.parse::<f32>() {
            Ok(number) => number.abs() < 1.0,
            Err(_) => !matches!(&*part.value, "yes" | "true" | "device-width" | "device-height"),
        },
        // They take other words for a small number.
        "maximum-scale" => match part.value.parse::<f32>() {
            Ok(scale) => (0.0..2.0).contains(&scale),
            Err(_) => !matches!(&*part.value, "device-width" | "device-height"),
        },
        _ => false,
    };
    report_viewport(element, is_disabled, "prevents users from enlarging the page", found);
}

pub(super) fn limited_zoom(element: El<'_>, found: &mut Found<'_, '_>) {
    // `zoom-disabled` reports smaller numbers.
    let is_limited = |part: &ViewportPart<'_>| {
        part.name == "maximum-scale"
            && part.value.parse::<f32>().is_ok_and(|scale| (2.0..5.0).contains(&scale))
    };
    report_viewport(element, is_limited, "keeps users from enlarging the page to 500 %", found);
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
