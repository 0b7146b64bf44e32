//! Truncates texts sent to GitHub to its limits, and sanitizes texts received from it.

use aidd_report::one_line;

/// Maximum length in bytes of a quoted GitHub message.
const MAX_MESSAGE: usize = 300;

/// A GitHub message sanitized for display: one line, short, no HTML page, and without `token`.
pub(super) fn sanitize(text: &str, token: &str) -> String {
    let text = text.trim();
    // The message is an HTML page of a proxy or of a failing server.
    let text = if text.starts_with('<') { "no message" } else { text };
    let text = if token.is_empty() { text.to_owned() } else { text.replace(token, "***") };
    let mut text = one_line(&text);
    text.truncate(text.trim_end_matches(['.', ' ']).len());
    if text.len() > MAX_MESSAGE {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE));
        text.push('…');
    }
    text
}

/// The URL in a response from GitHub; `None` if `text` is not exactly one URL.
pub(super) fn checked_url(text: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"<>\"'()[]`\\".contains(&byte);
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    (is_web && text.len() <= 500 && text.bytes().all(is_plain)).then(|| text.to_owned())
}

/// Truncates Markdown to at most `limit` bytes. Truncated text ends with `notice` on its own line;
/// open code blocks and `<details>` elements are closed first, because the notice would otherwise
/// be part of them.
pub(super) fn truncate(text: &str, limit: usize, notice: &str) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut available = limit.saturating_sub(notice.len() + 2);
    loop {
        let end = text.floor_char_boundary(available);
        let end = text[..end].rfind('\n').map_or(end, |line_break| line_break + 1);
        let mut truncated = text[..end].trim_end().to_owned();
        close_blocks(&mut truncated);
        if truncated.len() + notice.len() + 2 <= limit || available == 0 {
            truncated.push_str("\n\n");
            truncated.push_str(notice);
            return truncated;
        }
        // The closing lines need space too.
        available = available.saturating_sub(truncated.len() + notice.len() + 2 - limit);
    }
}

/// Closes the code block and the `<details>` elements that `text` leaves open.
fn close_blocks(text: &mut String) {
    let (mut fence, mut folds) = (None, 0_usize);
    for line in text.lines() {
        let ticks = line.trim_start();
        let ticks = &ticks[..ticks.len() - ticks.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks.len()),
            None => {
                folds += line.matches("<details").count();
                folds = folds.saturating_sub(line.matches("</details>").count());
            }
            Some(_) => {}
        }
    }
    if let Some(open) = fence {
        text.push('\n');
        text.push_str(&"`".repeat(open));
    }
    text.push_str(&"\n\n</details>".repeat(folds));
}

/// A code block whose fence is longer than any run of backticks in `text`.
pub(super) fn code_block(info: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info}\n{text}{end}{fence}")
}

/// `name` without characters that could end the Markdown comment around it; `aidd` if no character
/// remains.
pub(super) fn marker(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/');
    let parts = name.split(|c| !is_plain(c)).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("-");
    if name.is_empty() { "aidd".into() } else { name }
}

/// Percent-encodes a segment of a URL path.
pub(super) fn encode_segment(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Encodes bytes as base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            out.push(if digit > chunk.len() { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base64_encodes_the_examples_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = texts.map(|text| base64(text.as_bytes()));
        assert_eq!(
            coded,
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"].map(String::from)
        );
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn github_messages_are_sanitized() {
        assert_eq!(
            sanitize("no\u{1b}[31m\n::error::x t0k3n", "t0k3n"),
            "no\\u{1b}[31m ::error::x ***"
        );
        assert_eq!(sanitize("<html>Unicorn!</html>", "t"), "no message");
        assert_eq!(sanitize(&"é".repeat(400), "").chars().count(), 151);
        let page = "https://github.com/o/r/pull/1#issuecomment-2";
        assert_eq!(checked_url(page).as_deref(), Some(page));
        assert_eq!(checked_url("https://a/) [x](https://b"), None);
        assert_eq!(checked_url("javascript:x"), None);
    }

    #[test]
    fn truncation_closes_open_blocks() {
        let text = "<details>\n\n```text\none\ntwo\nthree\n```\n\n</details>\n";
        assert_eq!(truncate(text, text.len(), "cut"), text);
        assert_eq!(
            truncate(text, 48, "(cut)"),
            "<details>\n\n```text\none\n```\n\n</details>\n\n(cut)"
        );
        assert_eq!(truncate("ééé", 0, "x"), "\n\nx");
    }

    #[test]
    fn a_code_block_can_contain_backticks() {
        assert_eq!(code_block("suggestion", "a"), "```suggestion\na\n```");
        assert_eq!(code_block("suggestion", ""), "```suggestion\n```");
        assert_eq!(code_block("", "```` `\n"), "`````\n```` `\n`````");
    }

    #[test]
    fn a_marker_cannot_end_its_comment() {
        assert_eq!(marker("web --> <b>, app/é"), "web-b-app/");
        assert_eq!(marker("-->"), "aidd");
        assert_eq!(encode_segment("a b/é..~"), "a%20b%2F%C3%A9..~");
    }

    proptest! {
        #[test]
        fn truncated_text_stays_within_the_limit(
            text in "(<details>|</details>|```|a|é|\n){0,60}",
            limit in 7..90_usize,
        ) {
            let truncated = truncate(&text, limit, "(cut)");
            prop_assert!(truncated.len() <= limit, "{} bytes", truncated.len());
            prop_assert!(truncated == text || truncated.ends_with("\n\n(cut)"));
        }
    }
}
