//! Checks on comments in test files.

use super::walk::Walker;
use aidd_engine::text::source::Span;
use oxc_ast::ast::Program;
use regex::Regex;
use std::sync::LazyLock;

/// A reference to an issue: `#123`, a URL, `ABC-123`.
static ISSUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"#\d+|https?://|\b[A-Z][A-Z0-9]+-\d+").expect("a valid expression")
});

/// Maximum length in bytes of the part of a line that is searched for comments.
const MAX_LINE: usize = 2000;

pub(super) fn names_issue(text: &str) -> bool {
    ISSUE.is_match(text)
}

/// Whether a comment directly above `place` or on its first line refers to an issue.
pub(super) fn has_issue(walker: &Walker<'_, '_, '_>, place: Span) -> bool {
    let mut next = place.start as usize;
    let before_start = walker.comments.partition_point(|comment| comment.span.start < place.start);
    for comment in walker.comments[..before_start].iter().rev() {
        let end = comment.span.end as usize;
        if end > next
            || !walker.text[end..next].trim_matches([' ', '\t', '\r', '\n', ';']).is_empty()
        {
            break;
        }
        if names_issue(comment.span.source_text(walker.text)) {
            return true;
        }
        next = comment.span.start as usize;
    }
    let line_end = |from: usize| {
        let window = &walker.text[from..walker.text.floor_char_boundary(from + MAX_LINE)];
        window.find('\n').map_or(from + window.len(), |at| from + at)
    };
    let has_issue_between = |first: usize, end: usize| {
        let comments = walker.comments[first..].iter();
        comments
            .take_while(|comment| (comment.span.start as usize) < end)
            .any(|comment| names_issue(comment.span.source_text(walker.text)))
    };
    let before_end = walker.comments.partition_point(|comment| comment.span.start < place.end);
    has_issue_between(before_start, line_end(place.start as usize))
        || has_issue_between(before_end, line_end(place.end as usize))
}

/// Reports tests that are commented out.
pub(super) fn check(walker: &mut Walker<'_, '_, '_>, program: &Program<'_>) {
    for comment in &program.comments {
        let content = comment.content_span();
        let text = content.source_text(walker.text);
        if !text.contains('(') || !text.lines().any(defines_test) {
            continue;
        }
        let place = walker.first_line(super::span(comment.span));
        if let Some(finding) = walker.at("tests/commented-out-test", place, "commented-out test") {
            finding.help("Delete the test, or disable it with `skip` so that the report lists it");
        }
    }
}

/// Whether a line of a comment begins with a call that defines a test.
fn defines_test(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '*', '/']);
    let line = line.strip_prefix(['x', 'f']).unwrap_or(line);
    let Some(rest) = ["test", "it", "describe"].iter().find_map(|name| line.strip_prefix(name))
    else {
        return false;
    };
    let rest = match rest.strip_prefix('.') {
        Some(member) => member.trim_start_matches(|c: char| c.is_alphanumeric()),
        None => rest,
    };
    rest.trim_start()
        .strip_prefix('(')
        .is_some_and(|arguments| arguments.trim_start().starts_with(['\'', '"', '`']))
}
