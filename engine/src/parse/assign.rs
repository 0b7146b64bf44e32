//! Parses an assignment in any notation, starting from the position of a word in its name: `name =
//! "value"`, `"name": "value"`, `'name' => 'value'`, `name: Type = "value"`, `define('NAME',
//! 'value')`, `.name("value")`, `<name>value</name>`, `--name value`.

use super::ini::find_closing_quote;
use crate::text::source::Span;

/// How far a name can extend to each side of the word, in bytes.
const NAME_REACH: usize = 80;

/// How far an assignment can extend to the right of the word, in bytes.
const REACH: usize = 4096;

/// How the name and the value of an assignment are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `=`, `:=`, `?=`, `=>`, `:`
    Sign,
    /// The value is the second argument: `define('NAME', 'value')`.
    Comma,
    /// The value is the only argument: `.name("value")`.
    Call,
    /// The value is the text of an XML element: `<name>value</name>`.
    Element,
    /// The value is the next word of a command: `--name value`.
    Flag,
}

/// An assignment of a value to a name.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// The name, without quotes and sigils.
    pub name: Span,
    /// The value, without quotes.
    pub value: Span,
    /// How name and value are joined.
    pub join: Join,
    /// Whether the value is in quotes.
    pub quoted: bool,
}

/// The assignment whose name contains the byte at `hit`, if there is one.
#[must_use]
pub fn at(text: &str, hit: usize) -> Option<Assignment> {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let before_len =
        bytes.get(..hit)?.iter().rev().take(NAME_REACH).take_while(|b| is_name(b)).count();
    let after_len = bytes[hit..].iter().take(NAME_REACH).take_while(|b| is_name(b)).count();
    let (mut start, end) = (hit - before_len, hit + after_len);
    let dashes = bytes[start..end].iter().take_while(|&&byte| byte == b'-').count();
    start += dashes;
    if start >= end {
        return None;
    }
    let reach = (end + REACH).min(text.len());
    let line_end = memchr::memchr2(b'\n', b'\r', &bytes[end..reach]);
    let line_end = line_end.map_or(reach, |length| end + length);
    let line_end = text.floor_char_boundary(line_end);
    let line = &text[..line_end];
    let before = bytes[..start].last().copied().unwrap_or(b'\n');
    let name = Span::new(start, end);
    let make = |(from, to, quoted): (usize, usize, bool), join| {
        (from < to).then(|| Assignment { name, value: Span::new(from, to), join, quoted })
    };

    if before == b'<' {
        let open = line[end..].find('>')? + end + 1;
        let close = line[open..].find('<')? + open;
        let value = line[open..close].trim();
        let from = open + (line[open..close].len() - line[open..close].trim_start().len());
        return make((from, from + value.len(), false), Join::Element);
    }
    let mut cursor = end;
    // The whole assignment can be inside a string.
    cursor += usize::from(line[cursor..].starts_with("\\\""));
    let was_quoted = bytes
        .get(cursor)
        .is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`') && *byte == before);
    cursor += usize::from(was_quoted);
    cursor += count(line, cursor, |byte| matches!(byte, b']' | b' ' | b'\t' | b'?' | b'!'));
    let (join, after) = join(line, cursor, was_quoted, dashes > 0 && !was_quoted, before == b':')?;
    let after = after + count(line, after, |byte| matches!(byte, b' ' | b'\t'));
    let value = value(line, after, join)?;
    make(value, join)
}

fn count(line: &str, from: usize, predicate: impl Fn(u8) -> bool) -> usize {
    line.as_bytes()
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|&&byte| predicate(byte))
        .count()
}

/// The join between the name that ends before `at` and its value, and the offset where the value
/// can start.
fn join(
    line: &str,
    at: usize,
    was_quoted: bool,
    is_flag: bool,
    is_keyword: bool,
) -> Option<(Join, usize)> {
    let rest = line.get(at..)?;
    for comparison in ["==", "=~", "!=", "::"] {
        if rest.starts_with(comparison) {
            return None;
        }
    }
    for sign in ["=>", ":=", "||=", "??=", "?=", "+=", "="] {
        if rest.starts_with(sign) {
            return Some((Join::Sign, at + sign.len()));
        }
    }
    if let Some(after) = rest.strip_prefix(':') {
        // A type can occur between the colon and the equals sign.
        let typed = after
            .bytes()
            .take(48)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_<>&[]' .:|?*".contains(byte));
        let typed = 1 + typed.count();
        let sign = &rest[typed..];
        let is_typed =
            rest[..typed].ends_with(' ') && sign.starts_with('=') && !sign.starts_with("==");
        return Some((Join::Sign, at + if is_typed { typed + 1 } else { 1 }));
    }
    // Erlang: `{name, <<"value">>}`; Lisp: `:name "value"`.
    if let Some(after) = rest.strip_prefix(',')
        && after.trim_start().starts_with("<<\"")
    {
        return Some((Join::Sign, line.len() - after.trim_start().len() + 2));
    }
    if is_keyword && at > 0 && line[..at].ends_with(' ') && rest.starts_with('"') {
        return Some((Join::Sign, at));
    }
    if rest.starts_with(',') && was_quoted {
        return Some((Join::Comma, at + 1));
    }
    if rest.starts_with('(') && !was_quoted {
        return Some((Join::Call, at + 1));
    }
    // The spaces before the value have already been skipped.
    (is_flag && at > 0 && line[..at].ends_with([' ', '\t'])).then_some((Join::Flag, at))
}

/// The bounds of the value at `at`, and whether it is quoted.
fn value(line: &str, at: usize, join: Join) -> Option<(usize, usize, bool)> {
    let rest = line.get(at..)?;
    let prefix = rest.bytes().take(2).take_while(|byte| b"bBrRuU@".contains(byte)).count();
    let quote = rest[prefix..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    if let Some(quote) = quote {
        let start = at + prefix + 1;
        // A string over several lines is not a password.
        if line[start..].starts_with([quote]) && line[start + 1..].starts_with([quote]) {
            return None;
        }
        return find_closing_quote(&line[start..], quote)
            .map(|length| (start, start + length, true));
    }
    // An escaped quote: the assignment itself is inside a string.
    if let Some(inner) = rest.strip_prefix("\\\"") {
        return inner.find("\\\"").map(|length| (at + 2, at + 2 + length, true));
    }
    if matches!(join, Join::Comma | Join::Call) {
        return None;
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ',');
    let length = rest.find(is_end).unwrap_or(rest.len());
    let value = rest[..length].trim_end_matches([';', ')', '}', ']', '\\']);
    Some((at, at + value.len(), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&str, &str, bool)> {
        let found = at(text, text.to_ascii_lowercase().find("pass")?)?;
        Some((&text[found.name.range()], &text[found.value.range()], found.quoted))
    }

    #[test]
    fn every_notation_is_parsed() {
        for (text, name, value, quoted) in [
            ("password = \"x y\"", "password", "x y", true),
            ("  db_password: abc # c", "db_password", "abc", false),
            ("{\"dbPassword\": \"abc\"}", "dbPassword", "abc", true),
            ("'pass' => 'abc',", "pass", "abc", true),
            ("define('DB_PASSWORD', 'abc');", "DB_PASSWORD", "abc", true),
            ("let password: &str = \"abc\";", "password", "abc", true),
            ("$cfg['Servers'][$i]['password'] = 'abc';", "password", "abc", true),
            ("<password>abc</password>", "password", "abc", false),
            ("mysql --password abc db", "password", "abc", false),
            ("mysql --password=abc db", "password", "abc", false),
            (".password(\"abc\")", ".password", "abc", true),
            ("password = b'abc'", "password", "abc", true),
            ("const PASSWORD := `abc`", "PASSWORD", "abc", true),
            ("{default_pass, <<\"abc\">>}", "default_pass", "abc", true),
            ("  :password \"abc\"}", "password", "abc", true),
            ("{\\\"password\\\": \\\"abc\\\"}", "password", "abc", true),
        ] {
            let name = name.trim_start_matches('.');
            let read = read(text).map(|(n, v, q)| (n.trim_start_matches('.'), v, q));
            assert_eq!(read, Some((name, value, quoted)), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_an_assignment() {
        for text in ["password == \"x\"", "the password is", "if password {", "pass::x", "pass"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
