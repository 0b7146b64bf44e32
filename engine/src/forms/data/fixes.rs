//! Edits that fix a value and leave the rest of the file unchanged.

use super::data_test::{DataTest, FileUnderTest, Violation, display};
use crate::parse::values::{Datum, Format};
use crate::text::finding::Edit;
use crate::text::source::Span;
use aidd_page::FixHeader;
use serde_json::Value as Json;

/// Returns the title and the edit of the fix, if the value can be fixed.
pub(super) fn fix(
    fix: &FixHeader,
    test: &DataTest,
    violation: &Violation,
    tested: &FileUnderTest<'_>,
    text: &str,
) -> Option<(String, Edit)> {
    if fix.remove {
        let span = entry_span(violation.at?, tested, text)?;
        return Some((format!("Remove `{}`", violation.key), Edit::delete(span)));
    }
    let set: Json = serde_json::from_str(&fix.set.as_ref()?.0).ok()?;
    // `same` is a placeholder for the value that the test compares with.
    let value = if set == Json::String("same".to_owned()) { violation.value.clone()? } else { set };
    let written = render_scalar(&value, tested.format)?;
    let title = format!("Set `{}` to `{}`", violation.key, display(&value));
    match violation.at {
        Some(at) => {
            let existing = old_value(at, tested, text)?;
            let edit = replace_with_block(at, existing, &value, tested, text)
                .or_else(|| replace_on_same_line(at, existing, &written, tested, text))
                .unwrap_or_else(|| Edit::replace(existing, written));
            Some((title, edit))
        }
        None => insert_entry(test, (&value, &written), tested, text).map(|edit| (title, edit)),
    }
}

/// The span that a new value replaces; `None` if the replacement would also change another value.
///
/// In YAML this span differs from the span of the value in two cases: the parser reports an empty
/// value before the colon of its key, and a block scalar without its header (`|`).
fn old_value(at: usize, tested: &FileUnderTest<'_>, text: &str) -> Option<Span> {
    let existing = &tested.values.all[at];
    if !matches!(tested.format, Format::Yaml | Format::FrontMatter) {
        return Some(existing.span);
    }
    if is_shared(at, tested) {
        return None;
    }
    if existing.span.is_empty() {
        let end = existing.key.as_ref()?.1.end as usize;
        let rest = text.get(end..)?;
        let after = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        // Otherwise an anchor, a tag or the header of an empty block scalar follows.
        let next = after.trim_start_matches([' ', '\t']).chars().next();
        let is_empty = next.is_none_or(|c| matches!(c, '\n' | '\r' | '#' | ',' | '}'));
        return is_empty.then(|| Span::at(end + rest.len() - after.len()));
    }
    let header = matches!(existing.datum, Datum::Text(_))
        .then(|| block_scalar_header(text, existing.span.start));
    let start = header.flatten().unwrap_or(existing.span.start as usize);
    Some(Span::new(start, existing.span.end as usize))
}

/// The offset of the header (`|`) of the block scalar whose content begins at `start`.
fn block_scalar_header(text: &str, start: u32) -> Option<usize> {
    let before = &text[..start as usize];
    let (before, last) = before.rsplit_once('\n')?;
    if !last.trim().is_empty() {
        return None;
    }
    let before = before.trim_end();
    let start_of_line = before.rfind('\n').map_or(0, |at| at + 1);
    let line = &before[start_of_line..];
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let word = line.rsplit([' ', '\t']).next()?;
    let is_header = word.starts_with(['|', '>'])
        && word[1..].chars().all(|c| matches!(c, '+' | '-' | '1'..='9'));
    is_header.then(|| start_of_line + line.len() - word.len())
}

/// Whether the text of the value at `at` is also the text of another value because of an alias. The
/// values that an alias copies keep their spans.
fn is_shared(at: usize, tested: &FileUnderTest<'_>) -> bool {
    let all = &tested.values.all;
    let span = all[at].span;
    // The values inside a value directly follow that value in `all`.
    let after = &all[at + 1..];
    let below = after.iter().take_while(|value| value.parent.is_some_and(|parent| parent >= at));
    let (before, after) = (&all[..at], &after[below.count()..]);
    let mut other_values = before.iter().chain(after);
    other_values.any(|value| span.start <= value.span.start && value.span.end <= span.end)
}

/// An edit that replaces a block of YAML with a scalar, or with a value in flow style; `None` if
/// the new value can be inserted at the span of the old value.
fn replace_on_same_line(
    at: usize,
    existing: Span,
    written: &str,
    tested: &FileUnderTest<'_>,
    text: &str,
) -> Option<Edit> {
    let key = tested.values.all[at].key.as_ref()?.1;
    if !matches!(tested.format, Format::Yaml | Format::FrontMatter) {
        return None;
    }
    let between = text.get(key.end as usize..existing.start as usize)?;
    let (_, gap) = between.split_once(':')?;
    if gap.is_empty() {
        return Some(Edit::replace(existing, format!(" {written}")));
    }
    let is_block = matches!(tested.values.all[at].datum, Datum::List | Datum::Map);
    if !is_block || !gap.contains('\n') {
        return None;
    }
    if gap.trim().is_empty() {
        let start = existing.start as usize - gap.len();
        return Some(Edit::replace(Span::new(start, existing.end as usize), format!(" {written}")));
    }
    // After a comment the value stays on its own line, deeper than its key.
    let additional_indent =
        (indent_of(text, key.start) + 2).saturating_sub(indent_of(text, existing.start));
    Some(Edit::replace(existing, format!("{}{written}", " ".repeat(additional_indent))))
}

/// An edit that replaces the value at `at` with a mapping or list in block style, as written by
/// hand; `None` if the existing value is not in block style.
fn replace_with_block(
    at: usize,
    span: Span,
    value: &Json,
    tested: &FileUnderTest<'_>,
    text: &str,
) -> Option<Edit> {
    let existing = &tested.values.all[at];
    let key = existing.key.as_ref()?.1;
    if !is_block_style(value, tested) || is_in_flow(key.start, tested, text) {
        return None;
    }
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let indent = indent_of(text, span.start);
    let line = span.start as usize - indent;
    let is_on_own_line = key.end as usize <= line && text[line..line + indent].trim().is_empty();
    if is_on_own_line && existing.datum == Datum::Map {
        let lines = render_block(value, indent).replace('\n', eol);
        return Some(Edit::replace(span, lines.trim_start()));
    }
    let colon = text.get(key.end as usize..span.start as usize)?.find(':')?;
    let from = key.end as usize + colon + 1;
    // A comment, an anchor or a tag between key and value must not be lost.
    if !text.get(from..span.start as usize)?.trim().is_empty() {
        return None;
    }
    let lines = render_block(value, indent_of(text, key.start) + 2);
    let lines = format!("\n{lines}").replace('\n', eol);
    Some(Edit::replace(Span::new(from, span.end as usize), lines))
}

/// Whether a value is written in block style: mappings and lists in YAML that are not empty.
fn is_block_style(value: &Json, tested: &FileUnderTest<'_>) -> bool {
    let is_filled = match value {
        Json::Object(map) => !map.is_empty(),
        Json::Array(list) => !list.is_empty(),
        _ => false,
    };
    is_filled && matches!(tested.format, Format::Yaml | Format::FrontMatter)
}

/// Whether `at` is within brackets, where line breaks are not significant.
fn is_in_flow(at: u32, tested: &FileUnderTest<'_>, text: &str) -> bool {
    let containers =
        tested.values.all.iter().filter(|value| value.span.start < at && at < value.span.end);
    containers
        .filter(|value| matches!(value.datum, Datum::Map | Datum::List))
        .any(|value| text.get(value.span.range()).is_some_and(|text| text.starts_with(['{', '['])))
}

/// The distance of an offset from the beginning of its line, in bytes.
fn indent_of(text: &str, at: u32) -> usize {
    let before = &text[..at as usize];
    before.len() - before.rfind('\n').map_or(0, |line| line + 1)
}

/// A mapping or list as YAML in block style, without the final line break.
fn render_block(value: &Json, indent: usize) -> String {
    let space = " ".repeat(indent);
    let render = |value: &Json| render_scalar(value, Format::Yaml).unwrap_or_default();
    let lines: Vec<String> = match value {
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let key = render(&Json::String(key.clone()));
                match value {
                    Json::Object(inner) if !inner.is_empty() => {
                        format!("{space}{key}:\n{}", render_block(value, indent + 2))
                    }
                    Json::Array(inner) if !inner.is_empty() => {
                        format!("{space}{key}:\n{}", render_block(value, indent + 2))
                    }
                    value => format!("{space}{key}: {}", render(value)),
                }
            })
            .collect(),
        Json::Array(list) => {
            list.iter().map(|value| format!("{space}- {}", render(value))).collect()
        }
        other => vec![format!("{space}{}", render(other))],
    };
    lines.join("\n")
}

/// A scalar in the syntax of the format.
fn render_scalar(value: &Json, format: Format) -> Option<String> {
    match (value, format) {
        (Json::Array(_) | Json::Object(_), Format::Toml) | (Json::Null, Format::Toml) => None,
        (Json::String(text), Format::Yaml | Format::FrontMatter) if is_plain(text) => {
            Some(text.clone())
        }
        // JSON is valid YAML, and its strings are valid TOML strings.
        (value, _) => Some(value.to_string()),
    }
}

/// Whether a string can be written in YAML without quotes: YAML then reads the same string.
fn is_plain(text: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let reserved = ["true", "false", "null", "yes", "no", "on", "off"];
    text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(is_allowed)
        && !reserved.contains(&text.to_lowercase().as_str())
}

/// Inserts an entry into the mapping that lacks the entry, if the mapping exists and the rest of
/// the path is a single name.
fn insert_entry(
    test: &DataTest,
    (value, written): (&Json, &str),
    tested: &FileUnderTest<'_>,
    text: &str,
) -> Option<Edit> {
    let names = test.at.names()?;
    let (at, missing) = test.at.deepest_existing(tested.values)?;
    let name = missing?;
    if names.last().copied() != Some(&*name) {
        return None;
    }
    let container = &tested.values.all[at];
    if container.datum != Datum::Map {
        return None;
    }
    let first = container.children.first().map(|&child| &tested.values.all[child]);
    let key = serde_json::Value::String(name.clone()).to_string();
    let needs_no_quotes = is_plain(&name) && !name.contains(['.', '/']);
    match (tested.format, first) {
        (Format::Json, Some(first)) => {
            let start = first.key.as_ref()?.1.start;
            let between = separator(text, start);
            Some(Edit::insert(start, format!("{key}: {written},{between}")))
        }
        (Format::Json | Format::Yaml | Format::FrontMatter, None) => {
            let inner = text.get(container.span.range())?.strip_prefix('{')?.strip_suffix('}')?;
            let entry = format!("{{{key}: {written}}}");
            inner.trim().is_empty().then(|| Edit::replace(container.span, entry))
        }
        (Format::Yaml | Format::FrontMatter, Some(first)) => {
            let start = first.key.as_ref()?.1.start;
            let key = if needs_no_quotes { name } else { key };
            let between = separator(text, start);
            // The entries of a flow mapping are separated by commas.
            let comma = if is_in_flow(start, tested, text) { "," } else { "" };
            let between = if start == 0 || is_line_start(text, start) && between.is_empty() {
                "\n".to_owned()
            } else {
                between
            };
            let entry = if is_block_style(value, tested) && comma.is_empty() {
                format!("{key}:\n{}", render_block(value, indent_of(text, start) + 2))
            } else {
                format!("{key}: {written}")
            };
            Some(Edit::insert(start, format!("{entry}{comma}{between}")))
        }
        (Format::Toml, Some(first)) => {
            let start = first.key.as_ref()?.1.start;
            // The first entry is not always on its own line: its key can be part of a dotted key or
            // of a table header.
            let is_on_own_line = is_line_start(text, start) && first.datum != Datum::Map;
            let key = if needs_no_quotes { name } else { key };
            is_on_own_line.then(|| Edit::insert(start, format!("{key} = {written}\n")))
        }
        _ => None,
    }
}

fn is_line_start(text: &str, at: u32) -> bool {
    text[..at as usize].ends_with('\n') || at == 0
}

/// The white space between an entry and the previous entry.
fn separator(text: &str, start: u32) -> String {
    let before = &text[..start as usize];
    let space = &before[before.trim_end().len()..];
    // One of several line breaks is enough.
    space.rfind('\n').map_or_else(|| space.to_owned(), |at| space[at..].to_owned())
}

/// The span of an entry including its separator.
fn entry_span(at: usize, tested: &FileUnderTest<'_>, text: &str) -> Option<Span> {
    let value = &tested.values.all[at];
    let start = value.key.as_ref().map_or(value.span.start, |(_, span)| span.start) as usize;
    let end = old_value(at, tested, text)?.end as usize;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let is_first_on_line = text[line..start].trim().is_empty();
    match tested.format {
        Format::Json => {
            let rest = text[end..].trim_start();
            if let Some(after) = rest.strip_prefix(',') {
                let comma = text.len() - after.len();
                let ends_line =
                    text[comma..].lines().next().is_none_or(|rest| rest.trim().is_empty());
                let end = if is_first_on_line && ends_line {
                    text[comma..].find('\n').map_or(text.len(), |at| comma + at + 1)
                } else {
                    comma
                };
                let start = if is_first_on_line && ends_line { line } else { start };
                return Some(Span::new(start, end));
            }
            // The last entry is removed together with the comma before it.
            let before = text[..start].trim_end();
            let start = before.strip_suffix(',').map_or(before.len(), str::len);
            Some(Span::new(start, end))
        }
        Format::Toml | Format::Yaml | Format::FrontMatter => {
            let rest = &text[end..line_end];
            let is_alone_on_line =
                is_first_on_line && (rest.trim().is_empty() || rest.trim().starts_with('#'));
            // TOML tables and entries of flow mappings are not edited.
            let is_table = tested.format == Format::Toml
                && matches!(value.datum, Datum::Map | Datum::List)
                && !text[start..end].contains('=');
            (is_alone_on_line && !is_table).then(|| Span::new(line, line_end))
        }
    }
}
