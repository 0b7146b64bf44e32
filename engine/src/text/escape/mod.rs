//! Escapes text from a repository for display, so that it cannot control a terminal, or hide or
//! reorder the text around it. [`markdown`] does the same for Markdown.

pub mod markdown;

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether `c` is a control character or hides or reorders text: C0, DEL, C1, line and paragraph
/// separators, bidirectional controls, zero-width characters, tags, noncharacters. Joiners and
/// variation selectors are not included, because some scripts and emoji require them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    c.is_control()
        || matches!(
            code,
            0xAD | 0x34F
                | 0x61C
                | 0x115F
                | 0x1160
                | 0x17B4
                | 0x17B5
                | 0x180E
                | 0x200B
                | 0x200E
                | 0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xFDD0..=0xFDEF
                | 0xFEFF
                | 0xFFA0
                | 0xFFF9..=0xFFFB
                | 0x1_D173..=0x1_D17A
                | 0xE_0000..=0xE_0FFF
        )
        || code & 0xFFFE == 0xFFFE
}

/// Appends `c`, escaped as `\u{202e}` if it is [hidden](is_hidden).
pub fn push(out: &mut String, c: char) {
    if is_hidden(c) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{}", c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// `text` with hidden characters escaped; line breaks (as `\n`) and tabs are retained.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t').then_some(c))
}

/// `text` on one line, with hidden characters escaped; a line break or tab becomes a space.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t').then_some(' '))
}

fn escaped(text: &str, layout: fn(char) -> Option<char>) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hidden(c) || layout(c) == Some(c);
    let Some(first) = text.find(|c| !is_plain(c)) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 8);
    out.push_str(&text[..first]);
    let mut chars = text[first..].chars().peekable();
    while let Some(c) = chars.next() {
        match layout(c) {
            Some(c) => out.push(c),
            None if c == '\r' && chars.peek() == Some(&'\n') => {}
            None => push(&mut out, c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(lines("a\r\n\tb\rc"), "a\n\tb\\u{d}c");
        assert_eq!(line("a\r\n\tb\u{1b}[2J"), "a  b\\u{1b}[2J");
        assert_eq!(
            line("x\u{9b}\u{7f}\u{202e}\u{2028}\u{feff}\u{e0041}\u{ffff}"),
            "x\\u{9b}\\u{7f}\\u{202e}\\u{2028}\\u{feff}\\u{e0041}\\u{ffff}"
        );
    }

    #[test]
    fn characters_that_scripts_and_emoji_require_are_retained() {
        for text in ["é 漢字 한국어", "👩\u{200d}💻 ❤\u{fe0f}", "می\u{200c}خواهم", "a\u{a0}b"]
        {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
