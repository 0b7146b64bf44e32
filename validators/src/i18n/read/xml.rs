//! Reads the formats in XML: resources of Android and .NET, XLIFF, and plural rules of Apple.

use super::after_mark;
use crate::i18n::model::{Catalogue, DUPLICATE, Entry, Form, SYNTAX, SourceText};
use aidd_engine::text::source::Span;
use roxmltree::{Document, Node, NodeId, ParsingOptions};
use std::collections::HashMap;

/// Maximum number of nodes of a file.
const MAX_NODES: u32 = 2_000_000;

/// Parses `text`; a syntax error becomes a problem of the catalogue.
fn parse<'t>(text: &'t str, offset: usize, catalogue: &mut Catalogue) -> Option<Document<'t>> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..Default::default() };
    match Document::parse_with_options(&text[offset..], options) {
        Ok(document) => {
            catalogue.complete = true;
            Some(document)
        }
        // The entities can be defined in another file.
        Err(roxmltree::Error::UnknownEntityReference(..)) if text.contains("<!DOCTYPE") => None,
        Err(error) => {
            let position = error.pos();
            let line = position.row.saturating_sub(1) as usize;
            let start: usize = text[offset..].split_inclusive('\n').take(line).map(str::len).sum();
            let line = text[offset + start..].lines().next().unwrap_or_default();
            let column = line.char_indices().nth(position.col.saturating_sub(1) as usize);
            let at = offset + start + column.map_or(line.len(), |(at, _)| at);
            let message = error.to_string();
            // The position is that of the finding.
            let message = message.split(" at ").next().unwrap_or(&message).to_owned();
            catalogue.problem(SYNTAX, Span::at(at.min(text.len())), message);
            None
        }
    }
}

/// The span between the start tag and the end tag of an element.
fn inner(node: Node<'_, '_>, offset: usize) -> Span {
    let range = node.range();
    // A section of character data extends the text before it, but not its range.
    let end_tag = node.document().input_text()[range.clone()].rfind("</");
    match (node.first_child(), end_tag) {
        (Some(first), Some(end_tag)) => {
            Span::new(first.range().start + offset, range.start + end_tag + offset)
        }
        _ => Span::at(range.end + offset),
    }
}

/// The span of an attribute's value.
fn attribute(node: Node<'_, '_>, name: &str, offset: usize) -> Option<(String, Span)> {
    let attribute = node.attributes().find(|attribute| attribute.name() == name)?;
    let range = attribute.range_value();
    Some((attribute.value().to_owned(), Span::new(range.start + offset, range.end + offset)))
}

/// The markup between the tags of an element, as written.
fn markup(text: &str, span: Span) -> &str {
    let raw = text.get(span.range()).unwrap_or_default();
    // Space around the section is not part of the text.
    let section = raw.trim().strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
    section.unwrap_or(raw)
}

/// The markup between the tags of an element; entities of XML are resolved.
fn content(text: &str, span: Span) -> String {
    let raw = markup(text, span);
    if !raw.contains('&') {
        return raw.to_owned();
    }
    raw.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Whether the root element has this name; also `true` after a syntax error.
fn has_root(document: Option<&Document<'_>>, name: &str) -> bool {
    document.is_none_or(|document| document.root_element().tag_name().name() == name)
}

/// Reads strings, arrays and plurals of Android.
pub(super) fn read_android(text: &str, is_compose: bool) -> Option<Catalogue> {
    let mut catalogue = Catalogue::default();
    let offset = after_mark(text);
    let document = parse(text, offset, &mut catalogue);
    if !has_root(document.as_ref(), "resources") {
        return None;
    }
    let Some(document) = document else { return Some(catalogue) };
    for node in document.root_element().children().filter(Node::is_element) {
        let Some((name, name_span)) = attribute(node, "name", offset) else { continue };
        let forms: Vec<Form> = match node.tag_name().name() {
            "string" => {
                let span = inner(node, offset);
                vec![Form { category: None, value: content(text, span), span }]
            }
            "plurals" => {
                let items = node.children().filter(|item| item.has_tag_name("item"));
                let form = |item| {
                    let span = inner(item, offset);
                    let (quantity, _) = attribute(item, "quantity", offset)?;
                    let category = Some(quantity.into());
                    Some(Form { category, value: content(text, span), span })
                };
                items.filter_map(form).collect()
            }
            "string-array" => {
                let items = node.children().filter(|item| item.has_tag_name("item"));
                for (index, item) in items.enumerate() {
                    let span = inner(item, offset);
                    let key = format!("array/{name}.{index}");
                    let entry = Entry::single(key, name_span, content(text, span), span);
                    catalogue.entries.push(entry);
                }
                continue;
            }
            _ => continue,
        };
        // Strings and plurals of the same name are different resources.
        let is_plural = node.tag_name().name() == "plurals";
        let name = if is_plural { format!("plurals/{name}") } else { name };
        // Each product has a text of its own.
        let name = match node.attribute("product") {
            Some(product) => format!("{name}/{product}"),
            None => name,
        };
        let mut entry = Entry::new(name, name_span, forms);
        entry.untranslatable = node.attribute("translatable") == Some("false");
        // Compose Multiplatform reads apostrophes as they are.
        if !is_compose {
            check_apostrophes(text, &entry, &mut catalogue);
        }
        catalogue.entries.push(entry);
    }
    catalogue.report_duplicates("the build fails");
    for problem in catalogue.problems.iter_mut().filter(|problem| problem.rule == DUPLICATE) {
        // The resource compiler does not compare the texts.
        problem.is_harmless = false;
    }
    Some(catalogue)
}

/// Reports apostrophes without a backslash, which the resource compiler removes or rejects.
fn check_apostrophes(text: &str, entry: &Entry, catalogue: &mut Catalogue) {
    for form in &entry.forms {
        let raw = text.get(form.span.range()).unwrap_or_default();
        // Quotes inside of CDATA can cover the text.
        let is_quoted = raw.trim_start().starts_with('"') || raw.contains("<![CDATA[");
        if is_quoted || !raw.contains('\'') {
            continue;
        }
        let (mut is_tag, mut is_quoted, mut previous) = (false, false, 0_u8);
        for (at, byte) in raw.bytes().enumerate() {
            match byte {
                b'<' => is_tag = true,
                b'>' => is_tag = false,
                b'"' if previous != b'\\' && !is_tag => is_quoted = !is_quoted,
                b'\'' if !is_tag && !is_quoted && previous != b'\\' => {
                    let at = form.span.start as usize + at;
                    let span = Span::new(at, at + 1);
                    catalogue.problem(
                        "i18n/unescaped-apostrophe",
                        span,
                        "apostrophe without a backslash",
                    );
                    if let Some(problem) = catalogue.problems.last_mut() {
                        problem.fix = Some(("Escape the apostrophe", span, "\\'".to_owned()));
                    }
                }
                _ => {}
            }
            previous = if previous == b'\\' && byte == b'\\' { 0 } else { byte };
        }
    }
}

/// Reads the strings of a resource file of .NET.
pub(super) fn read_resx(text: &str) -> Option<Catalogue> {
    let mut catalogue = Catalogue::default();
    let offset = after_mark(text);
    let document = parse(text, offset, &mut catalogue);
    if !has_root(document.as_ref(), "root") {
        return None;
    }
    let Some(document) = document else { return Some(catalogue) };
    for node in document.root_element().children().filter(|node| node.has_tag_name("data")) {
        // Names with `>>` and values with a type are settings of forms.
        let is_text = node.attribute("type").is_none() && node.attribute("mimetype").is_none();
        let Some((name, name_span)) = attribute(node, "name", offset) else { continue };
        let value = node.children().find(|child| child.has_tag_name("value"));
        if let Some(value) = value.filter(|_| is_text && !name.starts_with(">>")) {
            let span = inner(value, offset);
            let entry = Entry::single(name, name_span, content(text, span), span);
            catalogue.entries.push(entry);
        }
    }
    catalogue.report_duplicates("only one of them is used");
    Some(catalogue)
}

/// Reads XLIFF 1.2 and 2.0; texts contain the markup of placeholders.
pub(super) fn read_xliff(text: &str) -> Option<Catalogue> {
    let mut catalogue = Catalogue::default();
    let offset = after_mark(text);
    let document = parse(text, offset, &mut catalogue);
    if !has_root(document.as_ref(), "xliff") {
        return None;
    }
    let Some(document) = document else { return Some(catalogue) };
    let mut seen: HashMap<(NodeId, String), (String, Span)> = HashMap::new();
    for unit in document.descendants() {
        let name = unit.tag_name().name();
        if !matches!(name, "trans-unit" | "segment") {
            continue;
        }
        let owner = if name == "segment" { unit.parent_element().unwrap_or(unit) } else { unit };
        let Some((id, id_span)) = attribute(owner, "id", offset) else { continue };
        let child = |name: &str| unit.children().find(|child| child.tag_name().name() == name);
        let Some(source) = child("source") else { continue };
        let (value, span) = match child("target") {
            Some(target) => {
                let span = inner(target, offset);
                (markup(text, span).to_owned(), span)
            }
            None => (String::new(), id_span),
        };
        let mut entry = Entry::single(id, id_span, value, span);
        // The file states that the text is a copy of the source text until it is translated.
        let state = child("target").and_then(|target| target.attribute("state"));
        let state = state.or_else(|| unit.attribute("state"));
        entry.untranslatable = matches!(state, Some("new" | "needs-translation" | "initial"));
        let source = markup(text, inner(source, offset)).to_owned();
        // The same text can occur in several places.
        if name == "trans-unit" {
            let file = unit.ancestors().find(|node| node.has_tag_name("file"));
            let key = (file.map_or(unit.id(), |file| file.id()), entry.key.clone());
            if let Some((_, earlier)) =
                seen.insert(key, (source.clone(), id_span)).filter(|(other, _)| *other != source)
            {
                let message = format!("duplicate id `{}` with another source text", entry.key);
                catalogue.problem(DUPLICATE, id_span, message);
                if let Some(problem) = catalogue.problems.last_mut() {
                    problem.related = Some((earlier, "first definition"));
                }
            }
        }
        entry.source = Some(SourceText::Separate(source.into()));
        catalogue.entries.push(entry);
    }
    Some(catalogue)
}

/// Reads the plural rules of Apple.
pub(super) fn read_stringsdict(text: &str) -> Option<Catalogue> {
    let mut catalogue = Catalogue::default();
    let offset = after_mark(text);
    let document = parse(text, offset, &mut catalogue);
    if !has_root(document.as_ref(), "plist") {
        return None;
    }
    let Some(document) = document else { return Some(catalogue) };
    let Some(root) = document.root_element().first_element_child() else { return Some(catalogue) };
    for (key, key_node, dict) in pairs(root) {
        for (variable, _, rule) in pairs(dict).filter(|(.., it)| it.has_tag_name("dict")) {
            let form = |(category, _, node): (&str, _, Node<'_, '_>)| {
                let is_category = crate::i18n::locale::CATEGORIES.contains(&category);
                let span = inner(node, offset);
                is_category.then(|| Form {
                    category: Some(category.into()),
                    value: content(text, span),
                    span,
                })
            };
            let forms: Vec<Form> = pairs(rule).filter_map(form).collect();
            let span = inner(key_node, offset);
            catalogue.entries.push(Entry::new(format!("{key}.{variable}"), span, forms));
        }
    }
    catalogue.report_duplicates("only one of them is used");
    Some(catalogue)
}

/// The keys and values of a `dict`, with the nodes of the keys.
fn pairs<'a, 'i>(
    dict: Node<'a, 'i>,
) -> impl Iterator<Item = (&'a str, Node<'a, 'i>, Node<'a, 'i>)> {
    dict.children().filter(|node| node.has_tag_name("key")).filter_map(|key| {
        let value = key.next_sibling_element()?;
        Some((key.text().unwrap_or_default(), key, value))
    })
}
