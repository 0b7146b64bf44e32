//! Flags: the `--name=value` words between the keyword and the argument.

use super::words::{split_quoted, unquote};
use super::{Escape, Flag, Logical, Word};
use std::ops::Range;

/// Parses the flags that start at `start` of the logical text; returns the flags and the start of
/// the argument.
pub(super) fn read(logical: &Logical, start: usize, escape: Escape) -> (Vec<Flag>, usize) {
    let text = logical.text();
    let mut flags = Vec::new();
    let mut at = start;
    // The line that contains the flags, split only once for all of them.
    let mut line = at..at;
    let mut words = Vec::new().into_iter();
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if !text[at..].starts_with("--") {
            return (flags, at);
        }
        if at >= line.end {
            line = at..text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
            words = split_quoted(&text[line.clone()], escape).into_iter();
        }
        let end = words.next().map_or(text.len(), |word| line.start + word.end);
        let raw = at..end;
        at = raw.end;
        if &text[raw.clone()] == "--" {
            at += text[at..].len() - text[at..].trim_start().len();
            return (flags, at);
        }
        flags.push(flag(logical, raw, escape));
    }
}

fn flag(logical: &Logical, raw: Range<usize>, escape: Escape) -> Flag {
    let text = &logical.text()[raw.clone()];
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => {
            (name, Some(raw.start + name.len() + 1..raw.start + text.len()).map(|at| (at, value)))
        }
        None => (text, None),
    };
    Flag {
        span: logical.span(raw.clone()),
        name: name.trim_start_matches('-').to_ascii_lowercase(),
        value: value.map(|(at, value)| Word {
            span: logical.span(at.clone()),
            at,
            text: unquote(value, escape),
        }),
    }
}
