//! Fixes as new text for whole lines, which is what a review can suggest.

use crate::github::Suggestion;
use crate::report::Run;
use aidd_engine::finding::{Finding, Safety, Status};
use aidd_engine::source::{Encoding, Source, Span};

/// Most bytes of lines that one suggestion replaces.
const LIMIT: usize = 8 << 10;

/// The safe fixes of new findings. One that holds a secret is left out: a comment would publish it.
pub(super) fn suggestions(run: &Run<'_>) -> Vec<Suggestion> {
    let mut suggestions = Vec::new();
    for file in &run.files {
        let new = file.findings.iter().filter(|finding| finding.status == Status::New);
        for finding in new {
            if let Some((lines, suggestion)) = suggestion(file.source, finding)
                && !file.secrets.iter().any(|secret| secret.overlaps(lines))
            {
                suggestions.push(suggestion);
            }
        }
    }
    suggestions
}

/// The lines that the fix of a finding touches, and what they become.
fn suggestion(source: &Source, finding: &Finding) -> Option<(Span, Suggestion)> {
    let fix = finding.fix.as_ref().filter(|fix| fix.safety == Safety::Safe)?;
    let whole = fix.edits.iter().map(|edit| edit.span).reduce(Span::cover)?;
    let mut lines = source.lines_around(whole);
    // With the line's end, so that a line that goes, goes wholly.
    let rest = source.text().get(lines.end as usize..)?;
    let line_end = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    lines.end += u32::try_from(line_end).ok()?;
    if lines.len() as usize > LIMIT {
        return None;
    }
    let mut text = source.slice(lines).to_owned();
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span));
    for edit in edits {
        let range = edit.span.range();
        let start = range.start.checked_sub(lines.start as usize)?;
        let end = range.end.checked_sub(lines.start as usize)?;
        text.get(start..end)?;
        text.replace_range(start..end, &edit.text);
    }
    let line = |offset: u32| source.position(offset, Encoding::CodePoints).line + 1;
    let last = line(lines.end.saturating_sub(u32::from(line_end > 0)).max(lines.start));
    let first = line(lines.start);
    Some((lines, Suggestion { finding: finding.id.clone(), first, last, text }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::finding::{Edit, Severity};

    fn mended(text: &str, edits: Vec<Edit>) -> Option<(u32, u32, String)> {
        let source = Source::new("a", text);
        let mut finding = Finding::new("a/b".into(), Severity::Error, Span::default(), "m");
        finding.fix("mend", edits);
        let (_, made) = suggestion(&source, &finding)?;
        Some((made.first, made.last, made.text))
    }

    #[test]
    fn edits_become_whole_lines() {
        let text = "one\ntwo three\nfour";
        let replace = vec![Edit::replace(Span::new(8, 13), "3"), Edit::insert(4, "<")];
        assert_eq!(mended(text, replace), Some((2, 2, "<two 3\n".into())));
        let over = vec![Edit::replace(Span::new(1, 5), "")];
        assert_eq!(mended(text, over), Some((1, 2, "owo three\n".into())));
        let line = vec![Edit::delete(Span::new(4, 14))];
        assert_eq!(mended(text, line), Some((2, 3, "four".into())));
        let last = vec![Edit::insert(18, "!")];
        assert_eq!(mended(text, last), Some((3, 3, "four!".into())));
        assert_eq!(mended("a\r\nb\r\n", vec![Edit::insert(0, "x")]), Some((1, 1, "xa\r\n".into())));
    }

    #[test]
    fn an_unsafe_fix_is_no_suggestion() {
        let source = Source::new("a", "text");
        let mut finding = Finding::new("a/b".into(), Severity::Error, Span::default(), "m");
        assert_eq!(suggestion(&source, &finding), None);
        finding.fix_unsafe("mend", vec![Edit::insert(0, "x")]);
        assert_eq!(suggestion(&source, &finding), None);
    }
}
