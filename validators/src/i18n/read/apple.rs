//! Reads `.strings` files of Apple.

use super::after_mark;
use crate::i18n::model::{Catalogue, Entry, SYNTAX};
use aidd_engine::text::source::Span;

/// Reads pairs `"key" = "text";`.
pub(super) fn read_strings(text: &str) -> Catalogue {
    let mut catalogue = Catalogue { complete: true, ..Catalogue::default() };
    let mut at = after_mark(text);
    loop {
        at = skip(text, at);
        if at >= text.len() {
            break;
        }
        match entry(text, at) {
            Ok((entry, end)) => {
                catalogue.entries.push(entry);
                at = end;
            }
            Err((place, message)) => {
                let end = text[place..].chars().next().map_or(place, |c| place + c.len_utf8());
                catalogue.problem(SYNTAX, Span::new(place, end), message);
                catalogue.complete = false;
                // One error is reported for each line.
                let from = place.max(at);
                at = text[from..].find('\n').map_or(text.len(), |end| from + end + 1);
            }
        }
    }
    catalogue.report_duplicates("only one of them is used");
    catalogue
}

/// Skips space and comments.
fn skip(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let length = if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
        } else if trimmed.starts_with("//") {
            trimmed.find('\n').unwrap_or(trimmed.len())
        } else {
            return at;
        };
        at += length;
    }
}

type Failed = (usize, &'static str);

fn entry(text: &str, at: usize) -> Result<(Entry, usize), Failed> {
    let (key, key_span, end) = token(text, at, "expected a key")?;
    let equals = skip(text, end);
    if text[equals..].starts_with(';') {
        // A key without a text is its own text.
        return Ok((Entry::single(key.clone(), key_span, key, key_span), equals + 1));
    }
    if !text[equals..].starts_with('=') {
        return Err((equals.min(text.len()), "expected `=`"));
    }
    let start = skip(text, equals + 1);
    let (value, span, end) = token(text, start, "expected a text in quotes")?;
    let semicolon = skip(text, end);
    if !text[semicolon..].starts_with(';') {
        return Err((end, "expected `;`"));
    }
    Ok((Entry::single(key, key_span, value, span), semicolon + 1))
}

/// A string in quotes, or a word; returns its value, its span without quotes, and the offset after it.
fn token(text: &str, at: usize, expected: &'static str) -> Result<(String, Span, usize), Failed> {
    let rest = &text[at..];
    if !rest.starts_with('"') {
        let is_word =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '$' | ':');
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err((at, expected));
        }
        return Ok((rest[..length].to_owned(), Span::new(at, at + length), at + length));
    }
    let bytes = rest.as_bytes();
    let mut value = String::new();
    let (mut index, mut copied) = (1, 1);
    while let Some(next) = memchr::memchr2(b'"', b'\\', &bytes[index..]) {
        let end = index + next;
        value.push_str(&rest[copied..end]);
        if bytes[end] == b'"' {
            return Ok((value, Span::new(at + 1, at + end), at + end + 1));
        }
        let Some(escaped) = rest[end + 1..].chars().next() else { break };
        value.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            other => other,
        });
        index = end + 1 + escaped.len_utf8();
        copied = index;
    }
    Err((at, "string without closing quote"))
}
