//! Finds the cursor position in the header of a rule page: block mappings and lists by their
//! indentation, flow mappings and lists within one line.

use super::schema::{Cursor, PositionKind, Step};
use aidd_page as page;

/// A line of the header.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    indent: usize,
    /// The line without indentation and dash.
    text: &'a str,
    is_item: bool,
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Self {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let item = text.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let text = item.map_or(text, |rest| rest.trim_start_matches(' ')).trim_end();
        Self { indent, text, is_item: item.is_some() }
    }

    /// The key at the start of the line.
    fn key(self) -> Option<&'a str> {
        let (key, rest) = self.text.split_once(':')?;
        let is_key = !key.is_empty() && !key.contains([' ', '{', '[', '"', '\'', '#']);
        (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some(key)
    }

    fn is_blank(self) -> bool {
        !self.is_item && (self.text.is_empty() || self.text.starts_with('#'))
    }
}

/// Returns the position of the cursor; `None` outside of the header, in a comment, and in a
/// multi-line string.
pub(super) fn cursor(text: &str, offset: usize) -> Option<Cursor> {
    let start = text.find('\n').filter(|_| page::has_header(text))? + 1;
    let end = page::split(text).map_or(text.len(), |(header, _)| header.end);
    if offset < start || offset > end || (offset == end && text[end..].starts_with('\n')) {
        return None;
    }
    let lines: Vec<&str> = text[start..end].split('\n').collect();
    let number = text[start..offset].matches('\n').count();
    let line_start = text[..offset].rfind('\n')? + 1;
    let line = Line::read(lines[number]);
    let content =
        line_start + (lines[number].len() - lines[number].trim_start_matches([' ', '-']).len());
    if offset < content && line.is_item {
        return None;
    }
    // On an empty line, the cursor column is the indentation.
    let indent =
        if line.text.is_empty() && !line.is_item { offset - line_start } else { line.indent };
    let mut path = parents(&lines[..number], indent, line.is_item);
    if line.is_item {
        path.push(Step::Item);
    }
    let before = text.get(content.min(offset)..offset)?;
    let (inner, mut position_kind, typed) = flow_position(before)?;
    // Headers have no lists of mappings.
    if line.is_item && inner.is_empty() {
        position_kind = PositionKind::Value;
    }
    path.extend(inner);
    let after = &text[offset..line_start + lines[number].len()];
    let suffix_length = after.find([' ', ',', ':', ']', '}', '\r']).unwrap_or(after.len());
    let is_block = before.len() == typed.len();
    let siblings = if is_block && position_kind == PositionKind::Key {
        sibling_keys(&lines, number, indent)
    } else {
        Vec::new()
    };
    Some(Cursor {
        path,
        position_kind,
        token: offset - typed.len()..offset + suffix_length,
        needs_colon: position_kind == PositionKind::Key
            && !after[suffix_length..].trim_start().starts_with(':'),
        typed: typed.to_owned(),
        siblings,
        comma_before: None,
        comma_after: false,
    })
}

/// The keys that enclose a line with indentation `indent`, from the lines before it.
fn parents(lines: &[&str], indent: usize, is_item: bool) -> Vec<Step> {
    let mut path = Vec::new();
    let (mut indent, mut is_item) = (indent, is_item);
    for line in lines.iter().rev().map(|line| Line::read(line)) {
        // A list can have the same indentation as its key.
        let is_above = line.indent < indent || (is_item && line.indent == indent && !line.is_item);
        if line.is_blank() || !is_above {
            continue;
        }
        if let Some(key) = line.key() {
            path.push(Step::Key(key.to_owned()));
            if line.is_item {
                path.push(Step::Item);
            }
            (indent, is_item) = (line.indent, line.is_item);
        }
    }
    path.reverse();
    path
}

/// The other keys of the mapping that line `number` belongs to.
fn sibling_keys(lines: &[&str], number: usize, indent: usize) -> Vec<String> {
    let keys_of = |lines: &mut dyn Iterator<Item = &&str>| -> Vec<String> {
        lines
            .map(|line| Line::read(line))
            .filter(|line| !line.is_blank())
            .take_while(|line| line.indent >= indent)
            .filter(|line| line.indent == indent && !line.is_item)
            .filter_map(|line| line.key().map(str::to_owned))
            .collect()
    };
    let mut keys = keys_of(&mut lines[..number].iter().rev());
    keys.extend(keys_of(&mut lines[number + 1..].iter()));
    keys
}

/// An open flow mapping or list.
enum Open {
    Map(Option<String>),
    List,
}

/// The path opened by flow mappings and lists in `before`, the kind of the position at its end, and
/// the start of the current token. `None` in a comment or in quotes.
fn flow_position(before: &str) -> Option<(Vec<Step>, PositionKind, &str)> {
    let mut open = vec![Open::Map(None)];
    let mut token_start = 0;
    let mut quote: Option<char> = None;
    let mut previous = ' ';
    for (at, c) in before.char_indices() {
        let follows_space = previous == ' ';
        previous = c;
        if let Some(mark) = quote {
            quote = (c != mark).then_some(mark);
            continue;
        }
        let is_flow = open.len() > 1;
        match c {
            '"' | '\'' if before[token_start..at].trim().is_empty() => quote = Some(c),
            '#' if follows_space => return None,
            '{' | '[' if before[token_start..at].trim().is_empty() => {
                open.push(if c == '{' { Open::Map(None) } else { Open::List });
                token_start = at + 1;
            }
            '}' | ']' if is_flow => {
                open.pop();
                token_start = at + 1;
            }
            ',' if is_flow => {
                if let Some(Open::Map(key)) = open.last_mut() {
                    *key = None;
                }
                token_start = at + 1;
            }
            ':' if before[at + 1..].is_empty() || before[at + 1..].starts_with(' ') => {
                if let Some(Open::Map(key @ None)) = open.last_mut() {
                    *key = Some(before[token_start..at].trim().to_owned());
                    token_start = at + 1;
                }
            }
            _ => {}
        }
    }
    if quote.is_some() {
        return None;
    }
    let mut path = Vec::new();
    let mut position_kind = PositionKind::Value;
    for collection in open {
        match collection {
            Open::Map(Some(key)) => path.push(Step::Key(key)),
            Open::Map(None) => position_kind = PositionKind::Key,
            Open::List => path.push(Step::Item),
        }
    }
    Some((path, position_kind, before[token_start..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Describes the position at the cursor `|`: its kind and path, the text to replace, and the
    /// sibling keys.
    fn describe(header: &str) -> String {
        let text = format!("---\n{header}\n---\n# a/b\n");
        let offset = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        cursor(&text, offset).map_or_else(|| "nothing".to_owned(), |cursor| cursor.describe(&text))
    }

    #[test]
    fn the_position_is_found_by_indentation() {
        assert_eq!(describe("|"), "Key / ``: ");
        assert_eq!(describe("severity: error\nta|\ncheck:\n  text:"), "Key / `ta`: severity,check");
        assert_eq!(describe("severity: |"), "Value /severity `` ");
        assert_eq!(describe("severity: err|or"), "Value /severity `error` ");
        assert_eq!(describe("check:\n  text:\n    regex: x\n    |"), "Key /check/text ``: regex");
        assert_eq!(describe("check:\n  text:\n    regex: x\n  |\n"), "Key /check ``: text");
        assert_eq!(describe("tags:\n- a\n- |"), "Value /tags/* `` ");
        assert_eq!(describe("tags:\n  - sec|"), "Value /tags/* `sec` ");
        assert_eq!(describe("seve|: error"), "Key / `seve` ");
    }

    #[test]
    fn the_position_is_found_within_braces() {
        assert_eq!(describe("check: { text: { regex: a, ke| } }"), "Key /check/text `ke`: ");
        assert_eq!(describe("check: { text: { secret: |"), "Value /check/text/secret `` ");
        assert_eq!(describe("tags: [a, b|]"), "Value /tags/* `b` ");
        assert_eq!(describe("check: { text: {} , f|"), "Key /check `f`: ");
    }

    #[test]
    fn no_position_is_found_in_comments_in_quotes_and_outside_the_front_matter() {
        for header in ["# |", "severity: error # |", "message: \"a |", "-| a"] {
            assert_eq!(describe(header), "nothing", "{header}");
        }
        let text = "---\na: b\n---\n# t\n";
        assert_eq!(cursor(text, 0), None);
        assert_eq!(cursor(text, text.len()), None);
        assert_eq!(cursor("no header", 3), None);
    }

    proptest! {
        #[test]
        fn the_token_contains_the_cursor_in_any_header(text in "---\n[{}\\[\\]:,\"a#é\n -]{0,40}", at in 0usize..44) {
            let at = text.floor_char_boundary(at.min(text.len()));
            if let Some(cursor) = cursor(&text, at) {
                prop_assert!(cursor.token.start <= at && at <= cursor.token.end);
            }
        }
    }
}
