//! Reads Fluent.

use super::after_mark;
use crate::i18n::locale::CATEGORIES;
use crate::i18n::model::{Catalogue, Entry, SYNTAX};
use aidd_engine::text::source::Span;
use std::ops::Range;

/// Reads messages, terms and attributes. A term has the key `-name`, an attribute `name.attribute`.
pub(super) fn read(text: &str) -> Catalogue {
    let mut catalogue = Catalogue { complete: true, ..Catalogue::default() };
    let mut lines = Lines { text, at: after_mark(text) };
    let mut message: Option<(String, Span)> = None;
    while let Some((start, line)) = lines.next() {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        if trimmed.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let at = start + indent;
        let is_attribute = indent > 0 && trimmed.starts_with('.');
        if indent > 0 && !is_attribute {
            let span = Span::new(at, start + line.trim_end().len());
            catalogue.problem(SYNTAX, span, "indented line that continues no message");
            catalogue.complete = false;
            continue;
        }
        let id_text = trimmed.strip_prefix(['.', '-']).unwrap_or(trimmed);
        let id_len = identifier(id_text);
        let marker = trimmed.len() - id_text.len();
        let rest = id_text[id_len..].trim_start_matches(' ');
        let Some(value) = rest.strip_prefix('=').filter(|_| id_len > 0) else {
            let span = Span::new(at, start + line.trim_end().len());
            catalogue.problem(SYNTAX, span, "expected a message: `name = text`");
            catalogue.complete = false;
            continue;
        };
        let key_span = Span::new(at, at + marker + id_len);
        let name = &text[key_span.range()];
        let value_start = start + line.len() - value.len();
        let end = pattern_end(text, value_start, &mut lines);
        let raw = &text[value_start..end];
        let from = value_start + raw.len() - raw.trim_start().len();
        let span = Span::new(from, from + raw.trim().len());
        check_pattern(text, span, &mut catalogue);
        let key = match (&message, is_attribute) {
            (Some((parent, _)), true) => format!("{parent}{name}"),
            _ => name.to_owned(),
        };
        if !is_attribute {
            message = Some((key.clone(), key_span));
        }
        if !span.is_empty() {
            catalogue.entries.push(Entry::single(
                key,
                key_span,
                text[span.range()].to_owned(),
                span,
            ));
        }
    }
    catalogue.report_duplicates("only one of them is used");
    catalogue
}

struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Option<(usize, &'t str)> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        self.at = start + length;
        Some((start, rest[..length].trim_end_matches(['\n', '\r'])))
    }
}

/// The length of the identifier at the start of `text`.
fn identifier(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return 0;
    }
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count()
}

/// The end of the pattern at `start`, over all its continuation lines: indented lines that do not
/// start an attribute, and all lines up to the end of a placeable.
fn pattern_end(text: &str, start: usize, lines: &mut Lines<'_>) -> usize {
    let mut depth = 0_usize;
    let mut end = lines.at;
    count_braces(&text[start..end], &mut depth);
    loop {
        let before = lines.at;
        let Some((at, line)) = lines.next() else { return end };
        let trimmed = line.trim_start_matches(' ');
        let is_blank = trimmed.is_empty();
        let is_indented = line.len() > trimmed.len();
        let is_special = trimmed.starts_with(['.', '[', '*', '}']);
        let continues =
            is_indented && (!is_special || depth > 0) || depth > 0 && trimmed.starts_with('}');
        if !is_blank && !continues {
            lines.at = before;
            return end;
        }
        count_braces(line, &mut depth);
        if !is_blank {
            end = at + line.len();
        }
    }
}

/// Counts braces outside of string literals in placeables.
fn count_braces(text: &str, depth: &mut usize) {
    let mut is_string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if is_string => {
                bytes.next();
            }
            b'"' if *depth > 0 => is_string = !is_string,
            b'{' if !is_string => *depth += 1,
            b'}' if !is_string => *depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Checks the placeables of a pattern, and collects the references to other messages.
fn check_pattern(text: &str, span: Span, catalogue: &mut Catalogue) {
    let value = &text[span.range()];
    let offset = span.start as usize;
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut is_string = false;
    let mut bytes = value.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_string => {
                bytes.next();
            }
            b'"' if !open.is_empty() => is_string = !is_string,
            b'\n' if is_string => is_string = false,
            b'{' if !is_string => {
                open.push((at, false));
                collect_reference(value, at + 1, offset, catalogue);
            }
            b'*' if !is_string && value.as_bytes().get(at + 1) == Some(&b'[') => {
                if let Some((_, has_default)) = open.last_mut() {
                    *has_default = true;
                }
            }
            b'}' if !is_string => {
                let Some((from, has_default)) = open.pop() else {
                    let at = Span::new(offset + at, offset + at + 1);
                    catalogue.problem(SYNTAX, at, "`}` without `{`");
                    continue;
                };
                let inner = &value[from + 1..at];
                let here = Span::new(offset + from, offset + at + 1);
                if inner.trim().is_empty() {
                    catalogue.problem(SYNTAX, here, "empty placeable");
                } else if is_selection(inner) && !has_default {
                    catalogue.problem(SYNTAX, here, "selection without a default variant `*[…]`");
                }
            }
            _ => {}
        }
    }
    if let Some((at, _)) = open.first() {
        let at = Span::new(offset + at, offset + at + 1);
        catalogue.problem(SYNTAX, at, "`{` without `}`");
    }
}

/// Whether the placeable is a selection: an expression, `->` and a line break.
fn is_selection(inner: &str) -> bool {
    inner.split('{').next().is_some_and(|head| {
        head.find("->")
            .is_some_and(|at| head[at + 2..].trim_start_matches([' ', '\r']).starts_with('\n'))
    })
}

/// A selection of a text by a number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::i18n) struct PluralSelection<'t> {
    pub(in crate::i18n) range: Range<usize>,
    /// The keys and texts of the variants.
    pub(in crate::i18n) variants: Vec<(&'t str, &'t str)>,
}

/// The selections of a text whose keys are plural categories and numbers.
pub(in crate::i18n) fn plural_selections(text: &str) -> Vec<PluralSelection<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<PluralSelection<'_>> = Vec::new();
    let (mut is_string, mut line) = (false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => (is_string, line) = (false, at + 1),
            b'"' if !open.is_empty() && !text[..at].ends_with('\\') => is_string = !is_string,
            _ if is_string => {}
            b'{' => open.push(PluralSelection { range: at..at, ..PluralSelection::default() }),
            b'[' => {
                let is_variant = matches!(text[line..at].trim_start(), "" | "*");
                let Some(selection) = open.last_mut().filter(|_| is_variant) else { continue };
                selection.end_variant(text, line);
                let rest = &text[at + 1..];
                let Some(end) = rest.bytes().take(60).position(|byte| byte == b']') else {
                    continue;
                };
                // The text is completed at the next variant.
                selection.variants.push((rest[..end].trim(), &rest[end + 1..]));
            }
            b'}' => {
                let Some(mut selection) = open.pop() else { continue };
                selection.end_variant(text, at);
                selection.range.end = at + 1;
                if selection.is_plural(text) {
                    found.push(selection);
                }
            }
            _ => {}
        }
    }
    found
}

impl<'t> PluralSelection<'t> {
    /// Ends the text of the last variant at `end`.
    fn end_variant(&mut self, text: &'t str, end: usize) {
        if let Some((_, value)) = self.variants.last_mut() {
            let start = text.len() - value.len();
            *value = text.get(start..end).unwrap_or_default().trim();
        }
    }

    fn is_plural(&self, text: &str) -> bool {
        let is_category = |key: &str| CATEGORIES.contains(&key);
        let is_number = |key: &str| key.bytes().all(|byte| byte.is_ascii_digit());
        let inner = &text[self.range.start + 1..self.range.end];
        // The head contains neither placeables nor variants, so that it is short.
        let head = inner.split(['{', '[']).next().unwrap_or_default().trim_start();
        let head = head.split("->").next().unwrap_or_default();
        let mut keys = self.variants.iter().map(|&(key, _)| key);
        // Ordinal numbers have other categories.
        (head.starts_with('$') || head.starts_with("NUMBER(") && !head.contains("ordinal"))
            && keys.clone().all(|key| is_category(key) || is_number(key))
            && keys.any(|key| is_category(key) && key != "other")
    }
}

fn collect_reference(value: &str, at: usize, offset: usize, catalogue: &mut Catalogue) {
    let rest = &value[at..];
    let trimmed = rest.trim_start();
    let at = at + rest.len() - trimmed.len();
    let id_text = trimmed.strip_prefix('-').unwrap_or(trimmed);
    let id_len = identifier(id_text);
    let end = at + trimmed.len() - id_text.len() + id_len;
    let after = value[end..].trim_start();
    // A function has arguments; its name is in capitals. A term can have arguments too.
    let is_function = after.starts_with('(') && !trimmed.starts_with('-');
    if id_len > 0 && !is_function && after.starts_with(['}', '(', '.', '-']) {
        let name = value[at..end].to_owned();
        catalogue.references.push((name, Span::new(at, end).shift(offset)));
    }
}
