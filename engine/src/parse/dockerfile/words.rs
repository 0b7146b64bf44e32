//! Splits text into words, and finds quotes and variables in them.

use super::Escape;
use std::ops::Range;

/// Splits at white space; quotes have no effect.
pub(super) fn split(text: &str) -> Vec<Range<usize>> {
    Splitter::new(text).run(|c| !c.is_whitespace())
}

/// Splits at white space outside of quotes; the escape character escapes the next character.
pub(super) fn split_quoted(text: &str, escape: Escape) -> Vec<Range<usize>> {
    let mut quote = None;
    let mut escaped = false;
    Splitter::new(text).run(|c| {
        if escaped {
            escaped = false;
        } else if c == escape.0 {
            escaped = true;
        } else if quote == Some(c) {
            quote = None;
        } else if quote.is_none() {
            if c.is_whitespace() {
                return false;
            }
            quote = Some(c).filter(|c| matches!(c, '"' | '\''));
        }
        true
    })
}

/// Delimiters of template tags, which are not split.
const TAGS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// Splits a text into words without splitting template tags.
struct Splitter<'a> {
    text: &'a str,
    /// Whether the rest of the text can close a tag, by index in [`TAGS`].
    closable: [bool; TAGS.len()],
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            closable: TAGS.map(|(open, close)| text.contains(open) && text.contains(close)),
        }
    }

    /// The ranges of consecutive characters that `is_in_word` accepts.
    fn run(mut self, mut is_in_word: impl FnMut(char) -> bool) -> Vec<Range<usize>> {
        let mut words = Vec::new();
        let mut start = None;
        let mut tag_end = 0;
        for (at, c) in self.text.char_indices() {
            if at >= tag_end && matches!(c, '{' | '<') {
                tag_end = self.tag_end(at).unwrap_or(tag_end);
            }
            if at < tag_end || is_in_word(c) {
                start.get_or_insert(at);
            } else {
                words.extend(start.take().map(|start| start..at));
            }
        }
        words.extend(start.map(|start| start..self.text.len()));
        words
    }

    /// The end of the tag that opens at `at`.
    fn tag_end(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        for ((open, close), closable) in TAGS.into_iter().zip(&mut self.closable) {
            if *closable && rest.starts_with(open) {
                match rest[open.len()..].find(close) {
                    Some(end) => return Some(at + open.len() + end + close.len()),
                    None => *closable = false,
                }
            }
        }
        None
    }
}

/// The offset and character of the quote that `raw` opens but does not close.
pub(super) fn open_quote(raw: &str, escape: Escape) -> Option<(usize, char)> {
    let mut quote: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in raw.char_indices() {
        if escaped {
            escaped = false;
        } else if c == escape.0 && quote.is_none_or(|(_, open)| open == '"') {
            escaped = true;
        } else if let Some((_, open)) = quote {
            if c == open {
                quote = None;
            }
        } else if matches!(c, '"' | '\'') {
            quote = Some((at, c));
        }
    }
    quote
}

/// `raw` with quotes and escapes resolved; variables are left as written.
#[must_use]
pub fn unquote(raw: &str, escape: Escape) -> String {
    if !raw.contains(['"', '\'', escape.0]) {
        return raw.to_owned();
    }
    let mut text = String::with_capacity(raw.len());
    let mut quote = None;
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(open) if c == open => quote = None,
            Some('\'') => text.push(c),
            Some(_) if c == escape.0 => match chars.peek() {
                Some(&next) if matches!(next, '"' | '$') || next == escape.0 => {
                    text.push(next);
                    chars.next();
                }
                _ => text.push(c),
            },
            Some(_) => text.push(c),
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == escape.0 => text.extend(chars.next()),
            None => text.push(c),
        }
    }
    text
}

/// A variable in a word: `$NAME` or `${NAME…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The range of the variable in the text passed to [`uses`].
    pub at: Range<usize>,
    /// The name of the variable.
    pub name: String,
    /// The operator after the name within braces: `:-`, `-`, `:+`, `+`, `:?`, `?`, `#`, `%`, `/`,
    /// or empty.
    pub operator: &'static str,
}

const OPERATORS: [&str; 9] = [":-", ":+", ":?", "-", "+", "?", "#", "%", "/"];

/// The variables that a builder would expand in `raw`, in order of the position of their `$`.
#[must_use]
pub fn uses(raw: &str, escape: Escape) -> Vec<Use> {
    let mut found: Vec<Use> = Vec::new();
    if !raw.contains('$') {
        return found;
    }
    let mut open = Vec::new();
    let mut quote = None;
    let mut at = 0;
    while let Some(c) = raw[at..].chars().next() {
        let mut next = at + c.len_utf8();
        match (c, quote) {
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            (_, Some('\'')) => {}
            ('\'' | '"', None) => quote = Some(c),
            _ if c == escape.0 => next += raw[next..].chars().next().map_or(0, char::len_utf8),
            ('$', _) => {
                if let Some((variable, braced)) = use_at(raw, at) {
                    next = variable.at.end;
                    if braced {
                        open.push(found.len());
                    }
                    found.push(variable);
                }
            }
            ('}', _) => {
                if let Some(variable) = open.pop().and_then(|at: usize| found.get_mut(at)) {
                    variable.at.end = next;
                }
            }
            _ => {}
        }
        at = next;
    }
    found
}

/// The variable whose `$` is at `at`, up to its operator, and whether a brace is still open.
fn use_at(raw: &str, at: usize) -> Option<(Use, bool)> {
    let rest = &raw[at + 1..];
    let (braced, rest) = rest.strip_prefix('{').map_or((false, rest), |rest| (true, rest));
    let length = rest.bytes().take_while(|&b| b.is_ascii_alphanumeric() || b == b'_').count();
    let (name, tail) = rest.split_at(length);
    if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let name_end = raw.len() - tail.len();
    if !braced {
        return Some((Use { at: at..name_end, name: name.to_owned(), operator: "" }, false));
    }
    let operator = OPERATORS.into_iter().find(|operator| tail.starts_with(operator)).unwrap_or("");
    let end = name_end + operator.len();
    Some((Use { at: at..end, name: name.to_owned(), operator }, true))
}
