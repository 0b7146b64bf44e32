//! Finds the cursor position in a JSON text, which can contain comments and be incomplete.

use super::schema::{Cursor, PositionKind, Step};
use std::ops::Range;

/// An open object or array.
#[derive(Debug)]
struct Frame {
    is_object: bool,
    /// The key whose value is next.
    key: Option<String>,
    /// The keys of the object before the current position.
    keys: Vec<String>,
}

/// Returns the position of the cursor; `None` in a comment and after a value.
pub(super) fn cursor(text: &str, offset: usize) -> Option<Cursor> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut found: Option<(Cursor, usize)> = None;
    let mut position = 0;
    // Whether a value or key has ended without a separator after it.
    let mut ended = false;
    // The end of the value before the current position, if there is no comma after it.
    let mut value_end = None;
    loop {
        let token = next_token(text, position);
        let start = token.as_ref().map_or(text.len(), |(_, range)| range.start);
        if found.is_none() && (offset <= start || token.is_none()) {
            let is_at = token
                .as_ref()
                .is_some_and(|(kind, range)| *kind == Token::Word && range.start == offset);
            if !is_at {
                if ended
                    && frames.last().is_none_or(|frame| !frame.is_object || frame.key.is_none())
                {
                    return None;
                }
                found = Some((new_cursor(&frames, offset..offset, String::new()), frames.len()));
            }
        }
        let Some((kind, range)) = token else { break };
        if found.is_none() && kind == Token::Comment && range.start < offset && offset <= range.end
        {
            return None;
        }
        if found.is_none() && kind.is_scalar() && range.start <= offset && offset <= range.end {
            let is_closed = range.len() > 1 && text[..range.end].ends_with('"');
            if kind == Token::Text && is_closed && offset == range.end {
                return None;
            }
            let typed = text[range.start..offset].trim_start_matches('"').to_owned();
            found = Some((new_cursor(&frames, range.clone(), typed), frames.len()));
            if let Some((cursor, _)) = &mut found {
                let next = next_after_comments(text, range.end);
                cursor.needs_colon &= next.is_none_or(|kind| kind != Token::Mark(b':'));
                cursor.comma_before = value_end;
            }
        }
        let is_close = matches!(kind, Token::Mark(b'}' | b']'));
        if is_close && found.as_ref().is_some_and(|(_, depth)| frames.len() == *depth) {
            break;
        }
        position = range.end;
        let is_key = kind.is_scalar()
            && frames.last().is_some_and(|frame| frame.is_object && frame.key.is_none());
        ended = process_token(&mut frames, kind, &text[range], ended);
        if kind != Token::Comment {
            value_end = (ended && !is_key).then_some(position);
        }
    }
    found.map(|(mut cursor, depth)| {
        let next = next_after_comments(text, cursor.token.end);
        let has_value = cursor.position_kind == PositionKind::Value || cursor.needs_colon;
        cursor.comma_after = has_value && next.is_some_and(Token::is_scalar);
        let current_key = text[cursor.token.clone()].trim_matches('"');
        let is_other =
            |key: &&String| cursor.position_kind == PositionKind::Value || *key != current_key;
        let frame = depth.checked_sub(1).and_then(|position| frames.get(position));
        let keys = frame.iter().flat_map(|frame| &frame.keys).filter(is_other);
        cursor.siblings = keys.cloned().collect();
        cursor
    })
}

/// Processes a token; returns whether a value or key ends with this token.
fn process_token(frames: &mut Vec<Frame>, kind: Token, text: &str, ended: bool) -> bool {
    let Some(mark) = kind.punctuation() else {
        if kind == Token::Comment {
            return ended;
        }
        if let Some(frame) = frames.last_mut().filter(|frame| frame.is_object) {
            if frame.key.is_none() {
                let key = text.trim_matches('"').to_owned();
                frame.keys.push(key);
            } else {
                frame.key = None;
            }
        }
        return true;
    };
    match mark {
        b'{' | b'[' => {
            frames.push(Frame { is_object: mark == b'{', key: None, keys: Vec::new() });
            false
        }
        b'}' | b']' => {
            frames.pop();
            if let Some(frame) = frames.last_mut() {
                frame.key = None;
            }
            true
        }
        b':' => {
            if let Some(frame) = frames.last_mut() {
                frame.key = frame.keys.last().cloned();
            }
            false
        }
        _ => {
            if let Some(frame) = frames.last_mut() {
                frame.key = None;
            }
            false
        }
    }
}

fn new_cursor(frames: &[Frame], token: Range<usize>, typed: String) -> Cursor {
    let mut path = Vec::new();
    let mut is_key = false;
    for (index, frame) in frames.iter().enumerate() {
        match (&frame.key, frame.is_object) {
            (Some(key), true) => path.push(Step::Key(key.clone())),
            (None, true) => is_key = index + 1 == frames.len(),
            (_, false) => path.push(Step::Item),
        }
    }
    let position_kind = if is_key { PositionKind::Key } else { PositionKind::Value };
    Cursor {
        path,
        position_kind,
        token,
        typed,
        siblings: Vec::new(),
        needs_colon: is_key,
        comma_before: None,
        comma_after: false,
    }
}

/// The kind of the first token at or after `at` that is not a comment.
fn next_after_comments(text: &str, mut at: usize) -> Option<Token> {
    loop {
        let (kind, range) = next_token(text, at)?;
        if kind != Token::Comment {
            return Some(kind);
        }
        at = range.end;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// A string, closed or not.
    Text,
    /// Any other token except punctuation: a number, `true`, an incomplete word.
    Word,
    Comment,
    /// One of `{}[]:,`.
    Mark(u8),
}

impl Token {
    fn is_scalar(self) -> bool {
        matches!(self, Self::Text | Self::Word)
    }

    fn punctuation(self) -> Option<u8> {
        match self {
            Self::Mark(mark) => Some(mark),
            _ => None,
        }
    }
}

/// The first token at or after `at`. An unclosed string ends with its line.
fn next_token(text: &str, at: usize) -> Option<(Token, Range<usize>)> {
    let rest = &text[at..];
    let start = at + rest.find(|c: char| !c.is_whitespace() && c != '\u{FEFF}')?;
    let rest = &text[start..];
    let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let (kind, length) = match rest.as_bytes()[0] {
        b'"' => (Token::Text, string_length(&rest[..line])),
        b'/' if rest.starts_with("//") => (Token::Comment, line),
        b'/' if rest.starts_with("/*") => {
            (Token::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        }
        mark @ (b'{' | b'}' | b'[' | b']' | b':' | b',') => (Token::Mark(mark), 1),
        _ => {
            let is_end = |c: char| c.is_whitespace() || "{}[]:,\"".contains(c);
            let first = rest.chars().next().map_or(1, char::len_utf8);
            (Token::Word, rest[first..].find(is_end).map_or(rest.len(), |end| first + end))
        }
    };
    Some((kind, start..start + length))
}

/// The length of the string at the start of `line`.
fn string_length(line: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Describes the position at the cursor `|`: its kind and path, the text to replace, and the
    /// sibling keys.
    fn describe(text: &str) -> String {
        let offset = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        cursor(&text, offset).map_or_else(|| "nothing".to_owned(), |cursor| cursor.describe(&text))
    }

    #[test]
    fn the_position_is_found_in_incomplete_text() {
        assert_eq!(describe("{|}"), "Key / ``: ");
        assert_eq!(describe("{\"|\"}"), "Key / `\"\"`: ");
        assert_eq!(describe("{\"fa|\": 1, \"x\": 2}"), "Key / `\"fa\"` x");
        assert_eq!(describe("{\"a\": 1, fa|}"), "Key / `fa`: a");
        assert_eq!(describe("{\"a\": |}"), "Value /a `` a");
        assert_eq!(describe("{\"a\": \"e|\n}"), "Value /a `\"e` a");
        assert_eq!(describe("{\"a\": {\"b\": [1, {\"c\": |"), "Value /a/b/*/c `` c");
        assert_eq!(describe("{\"a\": [\"x\", |]}"), "Value /a/* `` ");
        assert_eq!(describe("{\"a\": {}, // c\n |\n \"b\": {\"d\": 1}}"), "Key / ``: a,b");
        assert_eq!(describe("{|\"a\": 1}"), "Key / ``: a");
        assert_eq!(describe("|"), "Value / `` ");
        for text in ["{\"a\": 1 | }", "{ // | \n}", "{}|", "{\"a\"|: 1}"] {
            assert_eq!(describe(text), "nothing", "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_token_contains_the_cursor_in_any_text(text in "[{}\\[\\]:,\"a\\\\/*é\n ]{0,40}", at in 0usize..40) {
            let at = text.floor_char_boundary(at.min(text.len()));
            if let Some(cursor) = cursor(&text, at) {
                prop_assert!(cursor.token.start <= at && at <= cursor.token.end);
            }
        }
    }
}
