//! Finds the ends of expressions without parsing them, and the names in patterns.

/// The position after the string that begins at `at`; a string in single or double quotes ends at the
/// end of its line.
pub(super) fn end_of_string(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return at,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// The position after the comment at `at`, or after the slash if no comment begins there.
pub(super) fn end_of_comment(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with("//") {
        return rest.find('\n').map_or(text.len(), |end| at + end);
    }
    if let Some(inner) = rest.strip_prefix("/*") {
        return inner.find("*/").map_or(text.len(), |end| at + end + 4);
    }
    at + 1
}

/// The position after the brace that closes the one at `at`, or the end of the text.
pub(super) fn end_of_braces(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(text, at);
                continue;
            }
            b'/' => {
                at = end_of_comment(text, at);
                continue;
            }
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

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
