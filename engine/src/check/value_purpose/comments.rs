//! Comments that say what a value is for: documentation comments, and comments that call the value a
//! default.

use crate::text::source::{Source, Span};
use aidd_lexicon::tables::purposes;

/// Maximum length in bytes of a line of a comment that is examined.
const MAX_LINE_LEN: usize = 2000;

/// Maximum number of lines of a comment above a value that are examined.
const MAX_COMMENT_LINES: usize = 10;

/// The documentation comments that end with their line: `/// …`, `//! …`.
pub(super) fn line_comments(text: &str) -> Vec<Span> {
    let mut comments: Vec<Span> = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), "//") {
        let is_in_last = comments.last().is_some_and(|last| last.end as usize > at);
        if !is_in_last && text[at + 2..].starts_with(['/', '!']) {
            let end = memchr::memchr(b'\n', &text.as_bytes()[at..]);
            comments.push(Span::new(at, end.map_or(text.len(), |length| at + length)));
        }
    }
    comments
}

/// The documentation comments `/** … */`. Some languages nest comments, so a comment ends when the
/// comments inside it are closed.
pub(super) fn block_comments(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    // The start of each open comment, and whether it is a documentation comment.
    let mut open: Vec<(usize, bool)> = Vec::new();
    // The start of the outermost open documentation comment.
    let mut outermost = None;
    let mut at = 0;
    while let Some(star) = memchr::memchr(b'*', &bytes[at..]).map(|length| at + length) {
        // The slash of `*/` does not open another comment.
        if star > at && bytes[star - 1] == b'/' {
            let is_documentation = bytes.get(star + 1) == Some(&b'*');
            if is_documentation {
                outermost.get_or_insert(star - 1);
            }
            open.push((star - 1, is_documentation));
            at = star + 1;
        } else if !open.is_empty() && bytes.get(star + 1) == Some(&b'/') {
            if let Some((start, true)) = open.pop()
                && outermost == Some(start)
            {
                comments.push(Span::new(start, star + 2));
                outermost = None;
            }
            at = star + 2;
        } else {
            at = star + 1;
        }
    }
    comments.extend(outermost.map(|start| Span::new(start, text.len())));
    comments
}

/// Whether a comment at the end of the line or on the lines directly above it states that the value
/// is a default that production replaces: `# Do not use this default in production`.
pub(super) fn is_documented_default(source: &Source, secret: Span) -> bool {
    let comment = |line: &str| {
        let marks = ["#", "//", "--", ";", "*", "<!--"];
        marks.iter().any(|mark| line.trim_start().starts_with(mark))
    };
    let states_default = |line: &str| {
        let lower = line.to_lowercase();
        purposes::PHRASES_ABOUT_DEFAULTS.iter().any(|phrase| lower.contains(phrase))
    };
    // A file can contain many secrets and have long lines, so only a part of a line is read.
    let after = beginning(&source.text()[secret.end as usize..]);
    let end = after.lines().next().unwrap_or_default();
    let trailing =
        [" #", " //", " --", " ;", " <!--"].iter().filter_map(|mark| end.find(mark)).min();
    if trailing.is_some_and(|at| states_default(&end[at..])) {
        return true;
    }
    let above = (0..source.line_of(secret.start)).rev().take(MAX_COMMENT_LINES);
    let above = above.map(|line| beginning(source.slice(source.line_span(line))));
    above.take_while(|line| comment(line)).any(states_default)
}

/// The text up to the longest length of a line that is read.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_LINE_LEN)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_show_that_a_value_is_a_default() {
        for (text, expected) in [
            ("# Do not use the defaults in production\n# See below\nkey: k3j5h2\n", true),
            ("key: k3j5h2 # must be overridden\n", true),
            ("// placeholder values\nkey: 'k3j5h2',\n", true),
            ("# Must be changed\n\nkey: k3j5h2\n", false),
            ("# Must be changed\nother: 1\nkey: k3j5h2\n", false),
            ("# The key of the billing service\nkey: k3j5h2\n", false),
            ("key: k3j5h2#placeholder\n", false),
            ("k3j5h2", false),
        ] {
            let at = text.find("k3j5h2").expect("the secret");
            let source = Source::new("a.yml", text);
            let found = is_documented_default(&source, Span::new(at, at + 6));
            assert_eq!(found, expected, "{text}");
        }
    }
}
