//! Parses line-based settings, with or without sections, into a [`Tree`] of sections and leaves:
//! INI, properties, dotenv, `directive value`.

use super::tree::Tree;
use crate::text::source::Span;

/// Parses `text`. A line is `key = value`, `key: value` or `key value`; other lines are skipped.
#[must_use]
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::default();
    let mut section = 0;
    let mut offset = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let start = offset;
        offset += line.len();
        let trimmed = line.trim_start_matches(['\u{FEFF}', ' ', '\t']);
        let start = start + (line.len() - trimmed.len());
        let trimmed = trimmed.trim_end();
        if let Some(rest) = trimmed.strip_prefix('[')
            && let Some(end) = rest.find(']')
            && !rest[end..].contains('=')
        {
            section = tree.add_branch(0, rest[..end].trim_matches(['"', '\'', ' ', '[']));
        } else if (!is_comment(trimmed) || is_registry(trimmed))
            && let Some(setting) = setting(trimmed)
        {
            let span = Span::new(start + setting.start, start + setting.end);
            let value = &trimmed[setting.start..setting.end];
            tree.add_leaf(section, setting.key, value, span, setting.quoted);
        }
    }
    tree
}

/// Whether a trimmed line is a comment in one of the common notations.
#[must_use]
pub fn is_comment(line: &str) -> bool {
    line.starts_with(['#', ';', '!']) || line.starts_with("//") || line.starts_with("--")
}

/// Whether the key is the URL of a registry: `//host/path/:_authToken=…`.
fn is_registry(line: &str) -> bool {
    line.starts_with("//") && line.contains("/:_")
}

/// A setting, and the position of its value in the line.
struct Setting<'a> {
    key: &'a str,
    start: usize,
    end: usize,
    quoted: bool,
}

fn setting(line: &str) -> Option<Setting<'_>> {
    let mut key_start = 0;
    for word in ["export ", "set ", "setenv ", "declare -x ", "local ", "readonly ", "SET "] {
        if line[key_start..].starts_with(word) {
            key_start += word.len();
        }
    }
    let rest = &line[key_start..];
    let (key_length, value_at, is_joined) = split(rest)?;
    let key = rest[..key_length].trim().trim_matches(['"', '\'', '`']);
    let (start, mut end, quoted) = unquote(rest, value_at);
    // A directive can have more arguments.
    if !is_joined && !quoted {
        end = rest[start..end].find([' ', '\t']).map_or(end, |length| start + length);
    }
    (!key.is_empty() && start < end).then_some(Setting {
        key,
        start: key_start + start,
        end: key_start + end,
        quoted,
    })
}

/// The length of the key, the offset of the value, and whether an operator such as `=` or `:` joins
/// them.
fn split(line: &str) -> Option<(usize, usize, bool)> {
    if is_registry(line) {
        return line.find('=').map(|at| (at, at + 1, true));
    }
    let at = match line.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        Some(quote) => find_closing_quote(&line[1..], quote)? + 2,
        None => line.find(['=', ':', ' ', '\t'])?,
    };
    let after = line[at..].trim_start();
    let gap = line.len() - after.len();
    for operator in ["=>", ":=", "?=", "+=", "=", ":"] {
        if let Some(value) = after.strip_prefix(operator) {
            return Some((at, line.len() - value.trim_start().len(), true));
        }
    }
    // `my key = value` has a space in the key, `directive value` does not.
    match line.find('=').filter(|_| !after.starts_with(['"', '\''])) {
        Some(equals) if line[..equals].split_whitespace().count() <= 4 => {
            Some((equals, line.len() - line[equals + 1..].trim_start().len(), true))
        }
        _ => Some((at, gap, false)),
    }
}

/// The bounds of the value that starts at `at`, without quotes, trailing `;` or comment.
fn unquote(line: &str, at: usize) -> (usize, usize, bool) {
    let value = &line[at..];
    if value.starts_with(['#', ';']) {
        return (at, at, false);
    }
    if let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        let inner = &value[1..];
        if let Some(end) = find_closing_quote(inner, quote) {
            return (at + 1, at + 1 + end, true);
        }
    }
    let mut end = value.len();
    for comment_start in [" #", "\t#", " ;", "\t;", " //"] {
        end = value.find(comment_start).map_or(end, |found| end.min(found));
    }
    let value = value[..end].trim_end();
    let value = value.strip_suffix([';', ',']).unwrap_or(value);
    (at, at + value.len(), false)
}

/// The offset of the first `quote` in `text` that is not escaped by a backslash.
#[must_use]
pub fn find_closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}
