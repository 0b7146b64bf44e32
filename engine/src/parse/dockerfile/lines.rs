//! Splits text into physical lines and classifies them.

use super::Escape;

/// One line of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Offset of the first byte of the line.
    pub(super) start: usize,
    /// The text without its line break.
    pub(super) text: &'a str,
    /// Offset of the next line.
    pub(super) next: usize,
}

/// The line that starts at `start`; `None` at the end of the text.
pub(super) fn line_at(text: &str, start: usize) -> Option<Line<'_>> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let (line, length) = match rest.find('\n') {
        Some(at) => (&rest[..at], at + 1),
        None => (rest, rest.len()),
    };
    let line = line.strip_suffix('\r').unwrap_or(line);
    Some(Line { start, text: line, next: start + length })
}

impl<'a> Line<'a> {
    /// Whether the line has only white space.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Offset within the line of the `#`, if the whole line is a comment.
    pub(super) fn comment(&self) -> Option<usize> {
        let indent = self.indent();
        self.text[indent..].starts_with('#').then_some(indent)
    }

    /// Length of the leading white space, in bytes.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The line without its trailing escape character, if it continues on the next line.
    pub(super) fn continued(&self, escape: Escape) -> Option<&'a str> {
        let text = self.text.trim_end_matches([' ', '\t']).strip_suffix(escape.0)?;
        (!text.ends_with(escape.0)).then_some(text)
    }
}

/// Delimiters of the template languages used in Dockerfiles.
const TAGS: [(&str, &str); 5] =
    [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("<%", "%>"), ("<#", "#>")];

/// m4 macros at the start of a line.
const MACROS: [&str; 12] = [
    "dnl",
    "define(",
    "undefine(",
    "include(",
    "sinclude(",
    "ifdef(",
    "ifelse(",
    "changequote(",
    "changecom(",
    "divert(",
    "syscmd(",
    "m4_",
];

/// Maximum length of a tag, in bytes.
const MAX_TAG_LEN: usize = 16 << 10;

/// Whether the line starts with a tag or macro of a template language.
pub(super) fn begins_template(line: &str) -> bool {
    let trimmed = line.trim_start();
    TAGS.iter().any(|(open, _)| trimmed.starts_with(open))
        || MACROS.iter().any(|name| trimmed.starts_with(name))
}

/// The end of the template lines that start with `line`; `None` when it is not a template line. A
/// tag can span several lines; an unclosed tag ends with its line. A line is a template line when
/// it starts with a tag and contains only tags.
pub(super) fn template_end<'a>(text: &'a str, line: Line<'a>) -> Option<usize> {
    let trimmed = line.text.trim();
    if MACROS.iter().any(|name| trimmed.starts_with(name)) {
        let is_other_word = trimmed.strip_prefix("dnl").is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_whitespace())
        });
        return (!is_other_word).then_some(line.next);
    }
    let mut at = line.start + line.indent();
    let mut end = None;
    let mut last = line;
    while let Some(rest) = text.get(at..) {
        let Some(&(open, close)) = TAGS.iter().find(|(open, _)| rest.starts_with(open)) else {
            break;
        };
        let searched = &rest[open.len()..rest.floor_char_boundary(MAX_TAG_LEN).max(open.len())];
        let Some(closed) = memchr::memmem::find(searched.as_bytes(), close.as_bytes()) else {
            return Some(end.unwrap_or(line.next));
        };
        at += open.len() + closed + close.len();
        // A line can contain thousands of tags, so the end of the line is computed only once.
        if at >= last.next {
            let Some(tail) = line_at(text, at) else { return Some(text.len()) };
            last = tail;
        }
        let tail = last.text.get(at - last.start..).unwrap_or_default().trim_start();
        if tail.is_empty() || tail.trim_end() == "\\" {
            return Some(last.next);
        }
        end = Some(last.next);
        at = last.start + last.text.len() - tail.len();
    }
    None
}
