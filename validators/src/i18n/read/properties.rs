//! Reads resource bundles of Java.

use super::after_mark;
use crate::i18n::model::{Catalogue, Entry, SYNTAX};
use aidd_engine::text::source::Span;

/// Reads a bundle, in UTF-8 or ASCII with escape sequences.
pub(super) fn read(text: &str) -> Catalogue {
    let mut catalogue = Catalogue { complete: true, ..Catalogue::default() };
    let bytes = text.as_bytes();
    let mut at = after_mark(text);
    while at < bytes.len() {
        at += count(&bytes[at..], |byte| matches!(byte, b' ' | b'\t' | b'\x0c' | b'\r' | b'\n'));
        match bytes.get(at) {
            None => break,
            Some(b'#' | b'!') => {
                at += memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |end| end + 1);
            }
            Some(_) => at = read_entry(text, at, &mut catalogue),
        }
    }
    catalogue.report_duplicates("the last one is used");
    catalogue
}

fn count(bytes: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| accept(byte)).count()
}

/// Reads the entry at `start`; returns the offset after its line.
fn read_entry(text: &str, start: usize, catalogue: &mut Catalogue) -> usize {
    let bytes = text.as_bytes();
    let mut key = String::new();
    let key_end = read_text(text, start, &mut key, catalogue, |byte| {
        matches!(byte, b'=' | b':' | b' ' | b'\t' | b'\x0c')
    });
    let is_space = |byte| matches!(byte, b' ' | b'\t' | b'\x0c');
    let mut at = key_end + count(&bytes[key_end..], is_space);
    if matches!(bytes.get(at), Some(b'=' | b':')) {
        at += 1;
        at += count(&bytes[at..], is_space);
    }
    let mut value = String::new();
    let end = read_text(text, at, &mut value, catalogue, |_| false);
    let entry = Entry::single(key, Span::new(start, key_end), value, Span::new(at, end));
    catalogue.entries.push(entry);
    end + count(&bytes[end..], |byte| byte == b'\r').min(1)
        + usize::from(bytes.get(end) == Some(&b'\n'))
}

/// Reads text up to the end of the logical line or a byte that `ends` accepts; returns its offset.
fn read_text(
    text: &str,
    start: usize,
    value: &mut String,
    catalogue: &mut Catalogue,
    ends: impl Fn(u8) -> bool,
) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut copied) = (start, start);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => break,
            b'\\' => {
                value.push_str(&text[copied..at]);
                at = read_escape(text, at, value, catalogue);
                copied = at;
            }
            _ if ends(byte) => break,
            _ => at += 1,
        }
    }
    value.push_str(&text[copied..at]);
    at
}

/// Reads the escape sequence at `at`; returns the offset after it.
fn read_escape(text: &str, at: usize, value: &mut String, catalogue: &mut Catalogue) -> usize {
    let bytes = text.as_bytes();
    let Some(next) = text[at + 1..].chars().next() else { return text.len() };
    match next {
        '\r' | '\n' => {
            let crlf = bytes[at + 1..].starts_with(b"\r\n");
            let line = at + 2 + usize::from(crlf);
            return line + count(&bytes[line..], |byte| matches!(byte, b' ' | b'\t' | b'\x0c'));
        }
        'u' => {
            let digits = text.get(at + 2..at + 6);
            let digits =
                digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let Some(code) = code else {
                let span = Span::new(at, at + 2);
                catalogue.problem(SYNTAX, span, "`\\u` without four hexadecimal digits");
                return at + 2;
            };
            // Pairs of surrogates are shown as one replacement character each.
            value.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
            return at + 6;
        }
        't' => value.push('\t'),
        'n' => value.push('\n'),
        'r' => value.push('\r'),
        'f' => value.push('\x0c'),
        other => value.push(other),
    }
    at + 1 + next.len_utf8()
}
