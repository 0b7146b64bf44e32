//! Finds words and names in expressions of JavaScript without parsing them.

use aidd_engine::parse::expressions::end_of_string;

/// The position of the first `word` between spaces that is not in brackets.
pub(super) fn find_word(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(text, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && byte.is_ascii_whitespace() => {
                let rest = text.get(at + 1..).unwrap_or_default();
                let after = rest.strip_prefix(word);
                if after.is_some_and(|after| after.starts_with(|c: char| c.is_whitespace())) {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The names in a pattern such as `{ a, b: c }` or `(item, index)`.
pub(super) fn names(pattern: &str) -> impl Iterator<Item = &str> {
    pattern
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')))
}
