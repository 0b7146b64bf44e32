//! Finds the ends of expressions in JavaScript without parsing them.

/// The position after the string that begins at `at`; a string in single or double quotes ends at
/// the end of its line.
pub fn end_of_string(text: &str, at: usize) -> usize {
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
pub fn end_of_comment(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(at + 1) {
        Some(b'/') => memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |end| at + end),
        Some(b'*') => {
            memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(text.len(), |end| at + end + 4)
        }
        _ => at + 1,
    }
}

/// The position after the brace that closes the one at `at`, or the end of the text.
pub fn end_of_braces(text: &str, at: usize) -> usize {
    end_of_brackets(text, at, b'{', b'}')
}

/// The position after the parenthesis that closes the one at `at`, or the end of the text.
pub fn end_of_parentheses(text: &str, at: usize) -> usize {
    end_of_brackets(text, at, b'(', b')')
}

fn end_of_brackets(text: &str, at: usize, opening: u8, closing: u8) -> usize {
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
            _ if byte == opening => depth += 1,
            _ if byte == closing => {
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
