//! Parses XML and similar markup into a [`Tree`]: elements are branches, attributes are leaves
//! named `@name`, and the text of an element without child elements is its value.

use super::tree::Tree;
use crate::text::source::Span;

/// Parses `text`; malformed parts are skipped.
#[must_use]
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::default();
    let mut open = vec![0];
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        assign_text(&mut tree, &open, text, at, at + next);
        at += next;
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            at += end_of(rest, "-->");
        } else if rest.starts_with("<![CDATA[") {
            let length = end_of(rest, "]]>");
            let end = if rest[..length].ends_with("]]>") { at + length - 3 } else { at + length };
            assign_text(&mut tree, &open, text, at + 9, end);
            at += length;
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            at += end_of(rest, ">");
        } else if let Some(name) = rest.strip_prefix("</") {
            let name = &name[..name.find(['>', ' ', '\n']).unwrap_or(name.len())];
            close(&tree, &mut open, name);
            at += end_of(rest, ">");
        } else {
            at = parse_element(&mut tree, &mut open, text, at);
        }
    }
    tree
}

/// The length of `rest` up to and including `delimiter`, or of all of `rest` if `delimiter` does
/// not occur.
fn end_of(rest: &str, delimiter: &str) -> usize {
    rest.find(delimiter).map_or(rest.len(), |at| at + delimiter.len())
}

/// Closes the innermost open element with this name, and the elements inside it.
fn close(tree: &Tree, open: &mut Vec<usize>, name: &str) {
    // Malformed files have unmatched end tags; the bounded search keeps this linear.
    let depth = open.iter().rev().take(64).position(|&at| tree.nodes[at].key == name);
    if let Some(depth) = depth.filter(|&depth| open.len() - depth > 1) {
        open.truncate(open.len() - depth - 1);
    }
}

/// Parses a start tag at `at`; returns the offset after it.
fn parse_element(tree: &mut Tree, open: &mut Vec<usize>, text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':') || *byte >= 0x80
    };
    let name_end = at + 1 + bytes[at + 1..].iter().take_while(|byte| is_name(byte)).count();
    if name_end == at + 1 {
        return at + 1;
    }
    let node = tree.add_branch(open.last().copied().unwrap_or(0), &text[at + 1..name_end]);
    let mut cursor = name_end;
    loop {
        cursor += bytes[cursor..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match bytes.get(cursor) {
            None => return cursor,
            Some(b'>') => {
                open.push(node);
                return cursor + 1;
            }
            Some(b'/') if bytes.get(cursor + 1) == Some(&b'>') => return cursor + 2,
            Some(b'<') => return cursor,
            Some(byte) if !is_name(byte) => cursor += 1,
            Some(_) => cursor = parse_attribute(tree, node, text, cursor, is_name),
        }
    }
}

/// Parses `name="value"` at `at`; returns the offset after it.
fn parse_attribute(
    tree: &mut Tree,
    node: usize,
    text: &str,
    at: usize,
    is_name: impl Fn(&u8) -> bool,
) -> usize {
    let bytes = text.as_bytes();
    let count_space =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let name_end = at + bytes[at..].iter().take_while(|byte| is_name(byte)).count();
    let mut cursor = name_end + count_space(name_end);
    if bytes.get(cursor) != Some(&b'=') {
        return cursor;
    }
    cursor += 1;
    cursor += count_space(cursor);
    let Some(&quote @ (b'"' | b'\'')) = bytes.get(cursor) else { return cursor };
    let start = cursor + 1;
    let length = bytes[start..].iter().position(|&byte| byte == quote);
    let end = length.map_or(bytes.len(), |length| start + length);
    let key = format!("@{}", &text[at..name_end]);
    tree.add_leaf(node, key, unescape(&text[start..end]), Span::new(start, end), true);
    (end + 1).min(bytes.len())
}

/// Assigns the text between `start` and `end` to the innermost open element.
fn assign_text(tree: &mut Tree, open: &[usize], text: &str, start: usize, end: usize) {
    let Some(raw) = text.get(start..end) else { return };
    let trimmed = raw.trim();
    if trimmed.is_empty() {
        return;
    }
    let start = start + (raw.len() - raw.trim_start().len());
    if let Some(node) = open.last().copied().filter(|&at| at != 0)
        && tree.nodes[node].value.is_none()
    {
        tree.nodes[node].value = Some(unescape(trimmed));
        tree.nodes[node].span = Span::new(start, start + trimmed.len());
    }
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
