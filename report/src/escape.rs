//! Escapes text from a repository for each medium: terminals and logs, workflow commands, JSON,
//! XML, SARIF. For Markdown, see `gfm`.

use aidd_engine::text::escape;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io;

pub use aidd_engine::text::escape::is_hidden;

/// Puts text on one line, without characters that control a terminal or hide text.
pub fn one_line(text: &str) -> String {
    escape::line(text).into_owned()
}

/// Like [`one_line`], but keeps line breaks.
pub fn printable(text: &str) -> String {
    escape::lines(text).into_owned()
}

/// Escapes a log line, which can end with a line break: terminal control characters are escaped,
/// and no CI system interprets the result as a command. With `color`, the program's own colours and
/// links are kept.
pub fn log_line(line: &[u8], color: bool) -> String {
    let (line, end) = match line {
        [text @ .., b'\r', b'\n'] => (text, "\r\n"),
        [text @ .., b'\n'] => (text, "\n"),
        text => (text, ""),
    };
    let mut out = String::with_capacity(line.len() + end.len());
    for chunk in line.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let style = if color && c == '\x1b' { own_style_length(rest) } else { 0 };
            match c {
                '\t' => out.push(c),
                _ if style > 0 => out.push_str(&rest[..style]),
                c => escape::push(&mut out, c),
            }
            rest = &rest[style.max(c.len_utf8())..];
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    let mut out = escape_log_line(&out).into_owned();
    out.push_str(end);
    out
}

/// The length of the escape sequence at the start of `text`, if this program writes such sequences:
/// a weight, a colour visible on every background, or a link to a web page.
fn own_style_length(text: &str) -> usize {
    const STYLES: [&str; 16] = [
        "0", "1", "2", "4", "22", "31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "96",
    ];
    if let Some(rest) = text.strip_prefix("\x1b[") {
        let end = rest.bytes().take(8).position(|byte| byte == b'm').unwrap_or_default();
        let is_known = rest[..end].split(';').all(|code| STYLES.contains(&code));
        return if is_known { 2 + end + 1 } else { 0 };
    }
    let Some(rest) = text.strip_prefix("\x1b]8;;") else { return 0 };
    let end = rest.bytes().position(|byte| !byte.is_ascii_graphic()).unwrap_or_default();
    let is_link = end == 0 || rest.starts_with("https://");
    if is_link && rest[end..].starts_with("\x1b\\") { 5 + end + 2 } else { 0 }
}

/// Escapes a line so that no CI system interprets it as a command: GitHub recognizes `::` at the
/// start of a line.
fn escape_log_line(line: &str) -> Cow<'_, str> {
    let line = escape_legacy_commands(line);
    let rest = line.trim_start();
    if rest.starts_with("::") {
        return Cow::Owned(format!("{}./{rest}", &line[..line.len() - rest.len()]));
    }
    line
}

/// Escapes legacy commands, which are recognized anywhere in a line: `##[` by GitHub,
/// `##name[` by Azure and TeamCity.
fn escape_legacy_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find("##") {
        out.push_str(&rest[..=at]);
        out.push_str(if is_command(&rest[at + 2..]) { " " } else { "" });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether `after` turns the preceding `##` into a command.
pub fn is_command(after: &str) -> bool {
    after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with('[')
}

/// Escapes text for a log, so that no line is interpreted as a command.
pub fn escape_log(text: &str) -> String {
    text.split('\n').map(escape_log_line).collect::<Vec<_>>().join("\n")
}

/// Escapes the message of a workflow command.
pub fn command_data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            '\t' => out.push(c),
            c => escape::push(&mut out, c),
        }
    }
    escape_legacy_commands(&out).into_owned()
}

/// Escapes a property of a workflow command.
pub fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Writes a value as indented [`json`] with a final line break.
///
/// # Errors
/// Fails when `out` fails.
pub fn write_json(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    writeln!(out, "{}", json(&text))
}

/// Returns equivalent JSON in which every character that hides or reorders text, and every legacy
/// workflow command, is written as `\u…`. Such characters and commands occur only in strings of
/// JSON.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\r' | '\t') || !is_hidden(c);
    if text.chars().all(is_plain) && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for (at, c) in text.char_indices() {
        let is_command = c == '#' && text[..at].ends_with('#') && is_command(&text[at + 1..]);
        if is_plain(c) && !is_command {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

/// A text that is displayed as XML 1.0, for content and for attributes in double quotes. Characters
/// that XML does not allow are escaped.
pub struct Xml<'a>(pub &'a str);

impl fmt::Display for Xml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c))?,
                // `##` can start a legacy workflow command.
                '#' if chars.peek() == Some(&'#') => write!(f, "&#{};", u32::from(c))?,
                c if is_hidden(c) => write!(f, "{}", c.escape_unicode())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Escapes a SARIF message so that it contains neither placeholders (§3.11.5) nor links (§3.11.6).
/// Other braces and brackets are unchanged, because few readers unescape them.
pub fn sarif(text: &str) -> String {
    let text = printable(text);
    let has_link = text.contains("](");
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix('{') {
            let after = inner.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.len() < inner.len() && after.starts_with('}') {
                let end = rest.len() - after.len() + 1;
                let _ = write!(out, "{{{}}}", &rest[..end]);
                rest = &rest[end..];
                continue;
            }
        }
        if has_link && matches!(c, '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped() {
        assert_eq!(command_data("a%b\r\nc::d\u{1b}"), "a%25b%0D%0Ac::d\\u{1b}");
        assert_eq!(command_property("a:b,c\n::x"), "a%3Ab%2Cc%0A%3A%3Ax");
        assert_eq!(escape_log_line("###[x] ##a[y] ## z ##"), "## #[x] # #a[y] ## z ##");
        assert_eq!(escape_log("a\n \u{3000}::b::\nc ::d"), "a\n \u{3000}./::b::\nc ::d");
    }

    #[test]
    fn sarif_messages_have_no_links_or_placeholders() {
        assert_eq!(sarif("{0} {a} {12} {} {{0}}"), "{{0}} {a} {{12}} {} {{{0}}}");
        assert_eq!(sarif("[a](1) [b]"), "\\[a\\](1) \\[b\\]");
        assert_eq!(sarif("a[0] é"), "a[0] é");
    }

    #[test]
    fn characters_that_xml_does_not_allow_are_escaped() {
        let text = Xml("]]>\u{1}\u{ffff}\u{202e}<a b=\"c\">&\n").to_string();
        assert_eq!(text, "]]&gt;\\u{1}\\u{ffff}\\u{202e}&lt;a b=&quot;c&quot;&gt;&amp;&#10;");
    }
}
