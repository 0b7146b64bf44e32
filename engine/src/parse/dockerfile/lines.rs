//! Physical lines, and what a line is at first sight.

use super::Escape;

/// One line of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Offset of its first byte.
    pub(super) start: usize,
    /// Without its line break.
    pub(super) text: &'a str,
    /// Offset of the next line.
    pub(super) next: usize,
}

/// The line that begins at `start`; `None` at the end of the text.
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
    /// Whether it has nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Offset (within the line) of the `#` that makes all of it a comment.
    pub(super) fn comment(&self) -> Option<usize> {
        let indent = self.indent();
        self.text[indent..].starts_with('#').then_some(indent)
    }

    /// Length of the leading white space.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The line without the escape character that continues it on the next one.
    pub(super) fn continued(&self, escape: Escape) -> Option<&'a str> {
        let text = self.text.trim_end_matches([' ', '\t']).strip_suffix(escape.0)?;
        (!text.ends_with(escape.0)).then_some(text)
    }
}

/// What opens and closes a tag of the template languages that Dockerfiles are written in.
const TAGS: [(&str, &str); 5] =
    [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("<%", "%>"), ("<#", "#>")];

/// m4 macros as they begin a line.
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

/// The longest tag looked for, in bytes.
const LONGEST: usize = 16 << 10;

/// Whether the line begins with something of a template language.
pub(super) fn begins_template(line: &str) -> bool {
    let trimmed = line.trim_start();
    TAGS.iter().any(|(open, _)| trimmed.starts_with(open))
        || MACROS.iter().any(|name| trimmed.starts_with(name))
}

/// Where the template lines that begin with `line` end; `None` when it is no template line. A tag
/// may go on over several lines; a tag that never ends takes its own line only. A line counts when
/// its first tag begins it and nothing but tags stands on it.
pub(super) fn template<'a>(text: &'a str, line: Line<'a>) -> Option<usize> {
    let trimmed = line.text.trim();
    if MACROS.iter().any(|name| trimmed.starts_with(name)) {
        let bare = trimmed.strip_prefix("dnl").is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_whitespace())
        });
        return (!bare).then_some(line.next);
    }
    let mut at = line.start + line.indent();
    let mut end = None;
    let mut last = line;
    while let Some(rest) = text.get(at..) {
        let Some(&(open, close)) = TAGS.iter().find(|(open, _)| rest.starts_with(open)) else {
            break;
        };
        let near = &rest[open.len()..rest.floor_char_boundary(LONGEST).max(open.len())];
        let Some(closed) = memchr::memmem::find(near.as_bytes(), close.as_bytes()) else {
            return Some(end.unwrap_or(line.next));
        };
        at += open.len() + closed + close.len();
        // A line may have thousands of tags: its end is looked for once.
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
