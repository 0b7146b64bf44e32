//! Heredocs: their openers in an instruction and their bodies in the lines after it.

use super::lines::line_at;
use super::words::{split_quoted, unquote};
use super::{Escape, Heredoc, Logical};
use crate::text::source::Span;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of heredocs per instruction.
const MAX_HEREDOCS: usize = 64;

/// A word such as `<<EOF`, whose body is not known yet.
pub(super) struct Opener {
    at: Range<usize>,
    name: String,
    quoted: bool,
    strip_tabs: bool,
}

/// The last offset of each distinct line. A lookup shows whether a heredoc is ever closed.
pub(super) struct LastLines<'a> {
    whole: HashMap<&'a str, usize>,
    without_tabs: HashMap<&'a str, usize>,
}

impl<'a> LastLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines = Self { whole: HashMap::new(), without_tabs: HashMap::new() };
        let mut at = 0;
        while let Some(line) = line_at(text, at) {
            lines.whole.insert(line.text, at);
            lines.without_tabs.insert(line.text.trim_start_matches('\t'), at);
            at = line.next;
        }
        lines
    }

    /// Whether a line at or after `start` equals `name`.
    fn has_line(&self, name: &str, strip_tabs: bool, start: usize) -> bool {
        let lines = if strip_tabs { &self.without_tabs } else { &self.whole };
        lines.get(name).is_some_and(|&at| at >= start)
    }
}

/// The heredocs opened in a range of the logical text.
pub(super) fn openers(logical: &Logical, argument: Range<usize>, escape: Escape) -> Vec<Opener> {
    let text = &logical.text()[argument.clone()];
    if !text.contains("<<") {
        return Vec::new();
    }
    let opener = |word: Range<usize>| {
        let rest = text[word.clone()].trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = rest.strip_prefix("<<")?;
        let (strip_tabs, rest) = rest.strip_prefix('-').map_or((false, rest), |rest| (true, rest));
        let name = unquote(rest, escape);
        (!name.is_empty() && !rest.contains('<')).then(|| Opener {
            at: argument.start + word.start..argument.start + word.end,
            quoted: name != rest,
            name,
            strip_tabs,
        })
    };
    split_quoted(text, escape).into_iter().filter_map(opener).take(MAX_HEREDOCS).collect()
}

/// Reads the body of `opener`, which starts at `start` of the source. Returns the heredoc and the
/// offset of the line after it, or `None` if the heredoc is not closed.
pub(super) fn body(
    text: &str,
    start: usize,
    opener: &Opener,
    logical: &Logical,
    lines: &LastLines<'_>,
) -> Option<(Heredoc, usize)> {
    // The builder reads `<<EOF>out` as the delimiter `EOF>out`. A shell ends the delimiter at the
    // operator, as the author probably intended.
    let operator = opener.name.find(['>', '|', ';', '&', ')']).filter(|&at| at > 0);
    let names = [Some(&*opener.name), operator.map(|at| &opener.name[..at])];
    let is_closed = |name: &&str| lines.has_line(name, opener.strip_tabs, start);
    names.into_iter().flatten().filter(is_closed).find_map(|name| {
        let (end, next) = find_closing_line(text, start, name, opener.strip_tabs)?;
        let last = text[..end.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let body = Span::new(start, last.max(start));
        Some((heredoc(text, name, opener, logical, body, end), next))
    })
}

fn heredoc(
    text: &str,
    name: &str,
    opener: &Opener,
    logical: &Logical,
    body: Span,
    end: Span,
) -> Heredoc {
    let first = line_at(&text[body.range()], 0).map_or("", |line| line.text);
    let indent =
        if opener.strip_tabs { first.len() - first.trim_start_matches('\t').len() } else { 0 };
    let start = body.start as usize + indent;
    Heredoc {
        name: name.to_owned(),
        opener: logical.span(opener.at.clone()),
        body,
        end,
        quoted: opener.quoted,
        strip_tabs: opener.strip_tabs,
        shebang: first[indent..]
            .starts_with("#!")
            .then(|| Span::new(start, start + first.len() - indent)),
    }
}

/// The line that closes a heredoc, and the offset after it.
fn find_closing_line(
    text: &str,
    start: usize,
    name: &str,
    strip_tabs: bool,
) -> Option<(Span, usize)> {
    let mut at = start;
    while let Some(line) = line_at(text, at) {
        let content = if strip_tabs { line.text.trim_start_matches('\t') } else { line.text };
        if content == name {
            let end = line.start + line.text.len();
            return Some((Span::new(end - content.len(), end), line.next));
        }
        at = line.next;
    }
    None
}

impl Opener {
    /// The span in the source.
    pub(super) fn span(&self, logical: &Logical) -> Span {
        logical.span(self.at.clone())
    }

    /// The delimiter without quotes.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}
