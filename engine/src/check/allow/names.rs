//! The positions of rule names in allow comments, including a name that is being typed.

use super::comment::{LIST_PREFIXES, split, text_around_marker, within_comment};
use super::markers::{FINDER, MARKERS, NameSyntax};
use crate::text::source::{Source, Span};

/// The spans of all rule names in the allow comments of a source, of aidd and other tools, in
/// order.
#[must_use]
pub fn names(source: &Source) -> Vec<Span> {
    let text = source.text();
    let mut names = Vec::new();
    for found in FINDER.find_iter(text) {
        let (literal, _, syntax) = MARKERS[found.pattern().as_usize()];
        if matches!(syntax, NameSyntax::Secrets | NameSyntax::Spaced(_)) {
            continue;
        }
        let Some((_, after)) = text_around_marker(source, literal, found.start()) else { continue };
        let base = found.start() + literal.len();
        for word in split(after).0 {
            let start = base + offset_in(after, word);
            names.push(Span::new(start, start + word.len()));
        }
    }
    names
}

/// The byte offset in `whole` of its subslice `part`.
fn offset_in(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

/// If a rule name can be written at `offset` in an allow comment, returns the marker of the comment
/// and the span of the name around `offset`. The span is empty if no name has been started.
#[must_use]
pub fn name_at(source: &Source, offset: u32) -> Option<(&'static str, Span)> {
    let line = source.line_span(source.line_of(offset));
    let (line_start, offset) = (line.start as usize, offset as usize);
    let found = FINDER
        .find_iter(source.slice(line))
        .filter(|found| line_start + found.end() <= offset)
        .last()?;
    let (literal, _, syntax) = MARKERS[found.pattern().as_usize()];
    let (_, after) = text_around_marker(source, literal, line_start + found.start())?;
    let base = line_start + found.end();
    let typed = after.get(..offset - base)?;
    let lacks_separator = typed.is_empty() && !literal.ends_with(['=', ':']);
    if matches!(syntax, NameSyntax::Secrets | NameSyntax::Spaced(_))
        || lacks_separator
        || within_comment(after).len() < typed.len()
        || !is_in_list(typed)
    {
        return None;
    }
    let prefix = typed.len() - typed.trim_start_matches(LIST_PREFIXES).len();
    let start = typed[prefix..].rfind([' ', '\t', ',']).map_or(prefix, |at| prefix + at + 1);
    let rest = within_comment(&after[typed.len()..]);
    let remaining = rest.find([' ', '\t', ',', ';', ':', ']']).unwrap_or(rest.len());
    Some((literal, Span::new(base + start, base + typed.len() + remaining)))
}

/// Whether text after `typed` would be a name rather than the reason.
fn is_in_list(typed: &str) -> bool {
    let (words, reason, end) = split(typed);
    let trimmed = typed.trim_end();
    reason.is_empty()
        && end == trimmed.len()
        && (words.is_empty() || trimmed.len() == typed.len() || trimmed.ends_with(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_spans_of_their_text() {
        let text = "# aidd:allow a/b, c/d why\n# hadolint ignore=DL3007,DL3008\nx # gitleaks:allow\n-- the aidd:allow comment\n";
        let source = Source::new("x", text);
        let names: Vec<&str> = names(&source).into_iter().map(|span| source.slice(span)).collect();
        assert_eq!(names, ["a/b", "c/d", "DL3007", "DL3008"]);
    }

    #[test]
    fn a_name_can_be_completed_where_the_list_continues() {
        let complete = |text: &str| {
            let offset = text.find('|').expect("a cursor");
            let source = Source::new("x", text.replacen('|', "", 1));
            name_at(&source, Span::at(offset).start)
                .map(|(marker, span)| (marker, source.slice(span).to_owned()))
        };
        let in_aidd_comment = |name: &str| Some(("aidd:allow", name.to_owned()));
        assert_eq!(complete("# aidd:allow |"), in_aidd_comment(""));
        assert_eq!(complete("# aidd:allow a/|b why"), in_aidd_comment("a/b"));
        assert_eq!(complete("# aidd:allow a/b, c|"), in_aidd_comment("c"));
        assert_eq!(complete("# aidd:allow a/b,|"), in_aidd_comment(""));
        assert_eq!(complete("<!-- aidd:allow | -->"), in_aidd_comment(""));
        assert_eq!(complete("# hadolint ignore=|"), Some(("hadolint ignore=", String::new())));
        assert_eq!(
            complete("# hadolint ignore=DL3007,DL|"),
            Some(("hadolint ignore=", "DL".to_owned()))
        );
        for text in [
            "# aidd:allow|",
            "# aidd:allow a/b |",
            "# aidd:allow a/b wh|y",
            "<!-- aidd:allow a/b --> |",
            "the aidd:allow |",
            "# gitleaks:allow |",
            "|# aidd:allow a/b",
            "|",
        ] {
            assert_eq!(complete(text), None, "{text}");
        }
    }
}
