//! Finds the cursor position in the front matter of a rule page: block mappings and lists by their
//! indentation, flow mappings and lists within one line.

use super::schema::{Cursor, Place, Step};
use aidd_page as page;

/// A line of the front matter.
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

/// The position of the cursor; `None` outside of the front matter, in a comment, and in a
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
    let (inner, mut place, typed) = flow_position(before)?;
    // Front matter has no lists of mappings.
    if line.is_item && inner.is_empty() {
        place = Place::Value;
    }
    path.extend(inner);
    let behind = &text[offset..line_start + lines[number].len()];
    let more = behind.find([' ', ',', ':', ']', '}', '\r']).unwrap_or(behind.len());
    let is_block = before.len() == typed.len();
    let siblings = if is_block && place == Place::Key {
        sibling_keys(&lines, number, indent)
    } else {
        Vec::new()
    };
    Some(Cursor {
        path,
        place,
        token: offset - typed.len()..offset + more,
        wants_colon: place == Place::Key && !behind[more..].trim_start().starts_with(':'),
        typed: typed.to_owned(),
        siblings,
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
    let of = |lines: &mut dyn Iterator<Item = &&str>| -> Vec<String> {
        lines
            .map(|line| Line::read(line))
            .filter(|line| !line.is_blank())
            .take_while(|line| line.indent >= indent)
            .filter(|line| line.indent == indent && !line.is_item)
            .filter_map(|line| line.key().map(str::to_owned))
            .collect()
    };
    let mut keys = of(&mut lines[..number].iter().rev());
    keys.extend(of(&mut lines[number + 1..].iter()));
    keys
}

/// An open flow mapping or list.
enum Open {
    Map(Option<String>),
    List,
}

/// The steps opened by the start of a line, the text of the current token, and its part before the
/// cursor. `None` in a comment or in quotes.
fn flow_position(before: &str) -> Option<(Vec<Step>, Place, &str)> {
    let mut open = vec![Open::Map(None)];
    let mut word = 0;
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
            '"' | '\'' if before[word..at].trim().is_empty() => quote = Some(c),
            '#' if follows_space => return None,
            '{' | '[' if before[word..at].trim().is_empty() => {
                open.push(if c == '{' { Open::Map(None) } else { Open::List });
                word = at + 1;
            }
            '}' | ']' if is_flow => {
                open.pop();
                word = at + 1;
            }
            ',' if is_flow => {
                if let Some(Open::Map(key)) = open.last_mut() {
                    *key = None;
                }
                word = at + 1;
            }
            ':' if before[at + 1..].is_empty() || before[at + 1..].starts_with(' ') => {
                if let Some(Open::Map(key @ None)) = open.last_mut() {
                    *key = Some(before[word..at].trim().to_owned());
                    word = at + 1;
                }
            }
            _ => {}
        }
    }
    if quote.is_some() {
        return None;
    }
    let mut path = Vec::new();
    let mut place = Place::Value;
    for one in open {
        match one {
            Open::Map(Some(key)) => path.push(Step::Key(key)),
            Open::Map(None) => place = Place::Key,
            Open::List => path.push(Step::Item),
        }
    }
    Some((path, place, before[word..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The path and kind of the position at the cursor `|`, the text to replace, and the sibling
    /// keys.
    fn at(header: &str) -> String {
        let text = format!("---\n{header}\n---\n# a/b\n");
        let offset = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        cursor(&text, offset).map_or_else(|| "nothing".to_owned(), |cursor| cursor.describe(&text))
    }

    #[test]
    fn the_place_is_found_by_indentation() {
        assert_eq!(at("|"), "Key / ``: ");
        assert_eq!(at("severity: error\nta|\ncheck:\n  text:"), "Key / `ta`: severity,check");
        assert_eq!(at("severity: |"), "Value /severity `` ");
        assert_eq!(at("severity: err|or"), "Value /severity `error` ");
        assert_eq!(at("check:\n  text:\n    regex: x\n    |"), "Key /check/text ``: regex");
        assert_eq!(at("check:\n  text:\n    regex: x\n  |\n"), "Key /check ``: text");
        assert_eq!(at("tags:\n- a\n- |"), "Value /tags/* `` ");
        assert_eq!(at("tags:\n  - sec|"), "Value /tags/* `sec` ");
        assert_eq!(at("seve|: error"), "Key / `seve` ");
    }

    #[test]
    fn the_place_is_found_within_braces() {
        assert_eq!(at("check: { text: { regex: a, ke| } }"), "Key /check/text `ke`: ");
        assert_eq!(at("check: { text: { secret: |"), "Value /check/text/secret `` ");
        assert_eq!(at("tags: [a, b|]"), "Value /tags/* `b` ");
        assert_eq!(at("check: { text: {} , f|"), "Key /check `f`: ");
    }

    #[test]
    fn there_is_none_in_comments_quotes_and_text() {
        for header in ["# |", "severity: error # |", "message: \"a |", "-| a"] {
            assert_eq!(at(header), "nothing", "{header}");
        }
        let text = "---\na: b\n---\n# t\n";
        assert_eq!(cursor(text, 0), None);
        assert_eq!(cursor(text, text.len()), None);
        assert_eq!(cursor("no header", 3), None);
    }

    proptest! {
        #[test]
        fn any_header_has_a_place_or_none(text in "---\n[{}\\[\\]:,\"a#é\n -]{0,40}", at in 0usize..44) {
            let at = text.floor_char_boundary(at.min(text.len()));
            if let Some(cursor) = cursor(&text, at) {
                prop_assert!(cursor.token.start <= at && at <= cursor.token.end);
            }
        }
    }
}
