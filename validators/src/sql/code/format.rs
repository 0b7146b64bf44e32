//! Finds the placeholders in format strings.

#[derive(Clone, Copy)]
pub(super) enum Style {
    /// `%s`, `%d`, `%(name)s`, `%1$s`
    Percent,
    /// `{}`, `{0}`, `{name}`
    Brace,
}

/// A placeholder in a format string.
pub(super) struct Verb {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The range of the name or number of the argument; empty if there is none.
    pub(super) name: (usize, usize),
    pub(super) is_number: bool,
    /// Whether this is not a placeholder, but a doubled `%` or brace.
    pub(super) is_literal: bool,
}

pub(super) fn percent_verbs(text: &str) -> Vec<Verb> {
    let bytes = text.as_bytes();
    let mut verbs = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', bytes.get(at..).unwrap_or_default()) {
        let start = at + found;
        let mut end = start + 1;
        let mut name = (end, end);
        if bytes.get(end) == Some(&b'(') {
            let Some(close) = memchr::memchr(b')', &bytes[end..]) else { break };
            name = (end + 1, end + close);
            end += close + 1;
        }
        let is_flag = |byte: &u8| {
            byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'#' | b'.' | b'[' | b']' | b'$')
        };
        while bytes.get(end).is_some_and(is_flag) {
            if bytes[end] == b'$' {
                name = (start + 1, end);
            }
            end += 1;
        }
        let Some(&verb) = bytes.get(end) else { break };
        at = end + 1;
        if verb.is_ascii_alphabetic() || verb == b'%' {
            let is_number = matches!(
                verb,
                b'd' | b'i' | b'f' | b'x' | b'X' | b'e' | b'g' | b't' | b'b' | b'o' | b'n'
            );
            verbs.push(Verb { start, end: at, name, is_number, is_literal: verb == b'%' });
        }
    }
    verbs
}

pub(super) fn brace_verbs(text: &str) -> Vec<Verb> {
    let bytes = text.as_bytes();
    let mut verbs = Vec::new();
    let mut at = 0;
    // Searched from the end only once, so that the cost does not grow with the number of `{`.
    let last_close = memchr::memrchr(b'}', bytes);
    while let Some(found) = memchr::memchr2(b'{', b'}', bytes.get(at..).unwrap_or_default()) {
        let start = at + found;
        if bytes.get(start + 1) == Some(&bytes[start]) {
            verbs.push(Verb {
                start,
                end: start + 2,
                name: (0, 0),
                is_number: false,
                is_literal: true,
            });
            at = start + 2;
            continue;
        }
        let close = last_close
            .filter(|&last| last >= start)
            .and_then(|_| memchr::memchr(b'}', &bytes[start..]));
        let Some(close) = close.filter(|_| bytes[start] == b'{') else {
            at = start + 1;
            continue;
        };
        let inner = &text[start + 1..start + close];
        let (name, format) = inner.split_once(':').unwrap_or((inner, ""));
        let name = name.split(['!', '.', '[']).next().unwrap_or_default();
        at = start + close + 1;
        verbs.push(Verb {
            start,
            end: at,
            name: (start + 1, start + 1 + name.len()),
            is_number: format.ends_with(['d', 'f', 'x']),
            is_literal: false,
        });
    }
    verbs
}
