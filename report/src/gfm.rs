//! Escapes text for GitHub's Markdown.

use super::escape::is_hidden;

/// Maximum length in bytes; longer texts are truncated.
const MAX_BYTES: usize = 600;

/// Escapes text so that Markdown shows it verbatim, on one line: no markup, no HTML, no links, no
/// mentions of people or issues.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at >= MAX_BYTES {
            out.push('…');
            break;
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A zero-width space keeps GitHub from recognizing a name or a number.
            '@' | '#' => {
                out.push('\\');
                out.push(c);
                out.push_str("&#8203;");
            }
            '-' if ends_in_word(&out, "gh")
                && chars.peek().is_some_and(|(_, next)| next.is_ascii_digit()) =>
            {
                out.push_str("-&#8203;");
            }
            // A backslash prevents an autolink, which would create a reference at its target.
            ':' if chars.peek().is_some_and(|&(_, next)| next == '/') => out.push_str("\\:"),
            '.' if ends_in_word(&out, "www") => out.push_str("\\."),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\t' => out.push(' '),
            '\r' if chars.peek().is_some_and(|&(_, next)| next == '\n') => {}
            c if is_hidden(c) => {
                out.push('\\');
                aidd_engine::text::escape::push(&mut out, c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Escapes text like [`escape`], but keeps its code spans: in these, Markdown interprets nothing.
pub fn escape_outside_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A code span must be closed, and not be truncated.
    if parts.len().is_multiple_of(2) || text.len() > MAX_BYTES {
        return escape(text);
    }
    // A `|` ends the cell of a table, and `##[` begins a command in a log.
    let is_code = |part: &str| {
        !part.trim().is_empty()
            && !part.contains(['|', '\\', '\n', '\r'])
            && !part.contains("##")
            && !part.chars().any(is_hidden)
    };
    let mut out = String::with_capacity(text.len());
    for (index, part) in parts.into_iter().enumerate() {
        if index.is_multiple_of(2) {
            out.push_str(&escape(part));
        } else if is_code(part) {
            out.push_str(&format!("`{part}`"));
        } else {
            out.push_str(&escape(&format!("`{part}`")));
        }
    }
    out
}

/// Whether `text` ends in `word`, ignoring case.
fn ends_in_word(text: &str, word: &str) -> bool {
    let at = text.len().checked_sub(word.len());
    at.and_then(|at| text.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_are_kept() {
        let escaped = |text| escape_outside_code(text);
        assert_eq!(escaped("`<div>` is *not* `A_B`"), "`<div>` is \\*not\\* `A_B`");
        assert_eq!(escaped("`a` and `b"), "\\`a\\` and \\`b");
        assert_eq!(
            escaped("`a|b` `` `##[x]`"),
            "\\`a\\|b\\` \\`\\` \\`\\#&#8203;\\#&#8203;\\[x\\]\\`"
        );
        assert_eq!(escaped("`a\u{202e}`"), "\\`a\\\\u{202e}\\`");
        assert_eq!(
            escaped(&format!("`{}`", "<".repeat(700))),
            escape(&format!("`{}", "<".repeat(700)))
        );
    }

    #[test]
    fn no_text_becomes_a_link_a_mention_or_markup() {
        assert_eq!(escape("see www.evil.example"), "see www\\.evil.example");
        assert_eq!(escape("HTTPS://evil.example"), "HTTPS\\://evil.example");
        assert_eq!(
            escape("a@b.c GH-12 gh-pages #3"),
            "a\\@&#8203;b.c GH-&#8203;12 gh-pages \\#&#8203;3"
        );
        assert_eq!(
            escape("<a href=x>|`*_~![y](z)"),
            "&lt;a href=x&gt;\\|\\`\\*\\_\\~\\!\\[y\\](z)"
        );
        assert_eq!(escape("one\r\ntwo\u{202e}"), "one two\\\\u{202e}");
    }
}
