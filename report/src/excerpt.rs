//! Excerpts of the source lines of a finding, truncated to the terminal width.
//!
//! The renderer takes a single text, and spans in this text. Lines far from any mark are blank in
//! that text (the renderer folds them away), and long lines are truncated around their marks, so
//! that the cost of a finding does not depend on the size of its file.

use super::escape::is_command;
use super::redact::Redactor;
use super::{one_line, wire};
use aidd_engine::text::escape;
use aidd_engine::text::finding::{Edit, Finding};
use aidd_engine::text::source::{Source, Span};
use annotate_snippets::{Annotation, AnnotationKind, Patch, Snippet};
use std::ops::Range;
use window::Window;

mod window;

/// Maximum number of lines of a mark; only the first line of a longer mark is marked.
const MAX_MARK_LINES: usize = 5;
/// Maximum number of lines between two marks that are shown instead of folded away.
const MAX_GAP: usize = 3;
/// Number of lines shown before and after the mark of a finding.
const CONTEXT_LINES: usize = 2;
/// Maximum number of lines of a fix that is shown as a diff.
const MAX_FIX_LINES: usize = 12;
/// Maximum distance, in lines, of a related location that is marked; a location further away is
/// printed as a note.
const MAX_DISTANCE: usize = 2_000;
/// Number of bytes of a line that are shown on each side of its marks.
const CONTEXT_BYTES: usize = 300;
/// Maximum number of related locations shown.
const MAX_RELATED: usize = 10;

/// The excerpt of a finding's source.
pub(super) struct Excerpt {
    text: String,
    first_line: usize,
    last_line: usize,
    marks: Vec<Mark<Range<usize>>>,
    notes: Vec<String>,
}

/// The lines that a fix changes, and its changes.
pub(super) struct Diff<'a> {
    excerpt: Excerpt,
    edits: Vec<&'a Edit>,
}

impl Diff<'_> {
    pub(super) fn snippet(&self) -> Snippet<'_, Patch<'_>> {
        let marks = self.excerpt.marks.iter();
        let patches = marks.zip(&self.edits).map(|(mark, edit)| {
            let text: String = edit.text.split_inclusive('\n').map(escaped).collect();
            Patch::new(mark.span.clone(), text)
        });
        Snippet::source(&*self.excerpt.text).line_start(self.excerpt.first_line).patches(patches)
    }
}

/// Builds the diff of the edits of a fix; `None` if the lines are too many or too long to show.
pub(super) fn diff<'a>(
    source: &Source,
    redactor: &Redactor<'_>,
    edits: &'a [Edit],
    width: usize,
) -> Option<Diff<'a>> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let spans = edits.iter().map(|edit| edit.span);
    let (first, last) = lines_of(source, spans.clone().reduce(Span::cover)?);
    let new_lines: usize = edits.iter().map(|edit| edit.text.matches('\n').count()).sum();
    let is_long = |line| source.line_span(line).len() > 2 * CONTEXT_BYTES;
    let new_columns = edits.iter().flat_map(|edit| edit.text.lines()).map(window::columns);
    let new_columns = new_columns.max().unwrap_or_default();
    let columns = width.saturating_sub(gutter(source, last) + 3);
    let is_long_text = new_columns > columns;
    if last - first + new_lines >= MAX_FIX_LINES || is_long_text || (first..=last).any(is_long) {
        return None;
    }
    let marks: Vec<Mark<Span>> =
        spans.map(|span| Mark { span, kind: AnnotationKind::Visible, label: None }).collect();
    // Room for the new text next to the text before and after it.
    let columns = columns.saturating_sub(new_columns).max(columns / 2);
    let excerpt = lay_out(source, redactor, &marks, (0, columns), Vec::new());
    Some(Diff { excerpt, edits })
}

struct Mark<T> {
    span: T,
    kind: AnnotationKind,
    label: Option<String>,
}

/// A source line in the excerpt.
struct Line {
    /// The part of the line that is shown.
    shown: Span,
    /// The offset of the shown part in the excerpt's text.
    at: usize,
    /// For each escaped character, its end in the line and the number of bytes added by all escapes
    /// so far.
    added: Vec<(usize, usize)>,
}

impl Excerpt {
    /// Number of columns of the line numbers.
    pub(super) fn gutter(&self) -> usize {
        self.last_line.to_string().len()
    }

    pub(super) fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let annotations = self
            .marks
            .iter()
            .map(|mark| mark.kind.span(mark.span.clone()).label(mark.label.as_deref()));
        Snippet::source(&*self.text).line_start(self.first_line).annotations(annotations)
    }

    /// Related locations that are too far away to show.
    pub(super) fn notes(&self) -> impl Iterator<Item = &str> {
        self.notes.iter().map(String::as_str)
    }
}

/// Builds the excerpt for `finding`.
pub(super) fn build(
    source: &Source,
    redactor: &Redactor<'_>,
    finding: &Finding,
    width: usize,
) -> Excerpt {
    let main = shorten(source, finding.span, width);
    let main_line = source.line_of(main.start);
    let mut marks = vec![Mark { span: main, kind: AnnotationKind::Primary, label: None }];
    let mut notes = Vec::new();
    for related in finding.related.iter().take(MAX_RELATED) {
        let span = shorten(source, related.span, width);
        let message = one_line(&redactor.text(&related.message));
        let line = source.line_of(span.start);
        let is_far_on_main_line = line == main_line && distance(span, main) > CONTEXT_BYTES;
        if is_far_on_main_line || line.abs_diff(main_line) > MAX_DISTANCE {
            let at = wire::position(source, span.start);
            notes.push(format!("line {}, column {}: {message}", at.line, at.column));
        } else {
            marks.push(Mark { span, kind: AnnotationKind::Context, label: Some(message) });
        }
    }
    let is_multiline = marks.iter().any(|mark| {
        let (first, last) = lines_of(source, mark.span);
        first != last
    });
    let last_line = marks.iter().map(|mark| lines_of(source, mark.span).1).max();
    let gutter = gutter(source, last_line.unwrap_or_default() + CONTEXT_LINES);
    // ` | `, and the line that connects the lines of a mark.
    let used = gutter + 4 + if is_multiline { 2 } else { 0 };
    let columns = width.saturating_sub(used);
    lay_out(source, redactor, &marks, (CONTEXT_LINES, columns), notes)
}

/// Number of columns of the line numbers up to `last`, counted from zero.
fn gutter(source: &Source, last: usize) -> usize {
    (last + 1 + source.origin().line as usize).to_string().len()
}

/// Joins the lines of the marks into one text, with `context` lines before and after the first
/// mark. Lines that are longer than `columns` are cut at one window.
fn lay_out(
    source: &Source,
    redactor: &Redactor<'_>,
    marks: &[Mark<Span>],
    (context, columns): (usize, usize),
    notes: Vec<String>,
) -> Excerpt {
    let ranges: Vec<(usize, usize)> =
        marks.iter().map(|mark| lines_of(source, mark.span)).collect();
    let around = ranges.first().map_or((0, 0), |&lines| with_context(source, lines, context));
    let first = ranges.iter().map(|range| range.0).min().unwrap_or_default().min(around.0);
    let last = ranges.iter().map(|range| range.1).max().unwrap_or_default().max(around.1);
    let is_near_mark =
        |line: usize| ranges.iter().any(|&(a, b)| line + MAX_GAP >= a && line <= b + MAX_GAP);

    let spans: Vec<Span> = marks.iter().map(|mark| mark.span).collect();
    let near: Vec<(Span, Span)> = (first..=last)
        .filter(|&line| is_near_mark(line))
        .map(|line| (source.line_span(line), visible_part(source, line, marks)))
        .collect();
    let window = Window::around(source, &near, &spans, columns);
    let mut text = String::new();
    let mut lines = Vec::with_capacity(last - first + 1);
    for line in first..=last {
        let full_line = source.line_span(line);
        let shown = match &window {
            _ if !is_near_mark(line) => Span::at(0),
            Some(window) => {
                let part = (full_line, visible_part(source, line, marks));
                let (shown, prefix) = window.part(source, part);
                text.push_str(prefix);
                shown
            }
            None => visible_part(source, line, marks),
        };
        if window.is_none() && shown.start > full_line.start && !shown.is_empty() {
            text.push('…');
        }
        let at = text.len();
        let added = push_escaped(&mut text, &redactor.excerpt(shown));
        lines.push(Line { shown, at, added });
        if shown.end < full_line.end && !shown.is_empty() {
            text.push('…');
        }
        text.push('\n');
    }
    let to_text = |mark: &Mark<Span>| {
        let (a, b) = lines_of(source, mark.span);
        let offset = |line: usize, offset: u32| {
            let Line { shown, at, added } = &lines[line - first];
            let column = (offset.clamp(shown.start, shown.end) - shown.start) as usize;
            let before = added.partition_point(|&(end, _)| end <= column);
            at + column + before.checked_sub(1).map_or(0, |last| added[last].1)
        };
        let start = offset(a, mark.span.start);
        let span = start..offset(b, mark.span.end).max(start);
        Mark { span, kind: mark.kind, label: mark.label.clone() }
    };
    let mut marks: Vec<Mark<Range<usize>>> = marks.iter().map(to_text).collect();
    if context > 0 {
        let end = lines[around.1 - first].at;
        // With a character of the last line: the renderer does not count a line that is empty up to
        // the end of the mark, and would make the column of the numbers too narrow.
        let filled = text[end..].chars().next().filter(|&c| c != '\n');
        let span = lines[around.0 - first].at..end + filled.map_or(0, char::len_utf8);
        marks.push(Mark { span, kind: AnnotationKind::Visible, label: None });
    }
    let line_number = |line: usize| line + 1 + source.origin().line as usize;
    Excerpt { text, first_line: line_number(first), last_line: line_number(last), marks, notes }
}

/// The first and last of `lines` with up to `context` lines before and after them, without blank
/// lines at the ends.
fn with_context(source: &Source, lines: (usize, usize), context: usize) -> (usize, usize) {
    let is_blank = |line: &usize| source.slice(source.line_span(*line)).trim().is_empty();
    let last_line = source.line_of(source.text().len() as u32);
    let before = lines.0.saturating_sub(context)..lines.0;
    let after = lines.1 + 1..=(lines.1 + context).min(last_line);
    let first = before.clone().find(|line| !is_blank(line)).unwrap_or(lines.0);
    let last = after.rev().find(|line| !is_blank(line)).unwrap_or(lines.1);
    (first, last)
}

/// `line` with terminal control characters escaped.
fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    push_escaped(&mut text, line.strip_suffix('\r').unwrap_or(line));
    text + end
}

/// Appends a line with terminal control characters escaped; returns [`Line::added`].
fn push_escaped(text: &mut String, line: &str) -> Vec<(usize, usize)> {
    let mut added = Vec::new();
    let mut sum = 0;
    for (at, c) in line.char_indices() {
        if c == '#' && line[..at].ends_with('#') && is_command(&line[at + 1..]) {
            text.push(' ');
            sum += 1;
            added.push((at, sum));
        }
        let start = text.len();
        if c == '\t' {
            text.push(c);
        } else {
            escape::push(text, c);
        }
        let extra = text.len() - start - c.len_utf8();
        if extra > 0 {
            sum += extra;
            added.push((at + c.len_utf8(), sum));
        }
    }
    added
}

/// The part of a line to show: the complete line, or the surroundings of the marks on the line.
fn visible_part(source: &Source, line: usize, marks: &[Mark<Span>]) -> Span {
    let full_line = source.line_span(line);
    if full_line.len() <= 2 * CONTEXT_BYTES {
        return full_line;
    }
    let on_line = marks.iter().filter(|mark| {
        let (a, b) = lines_of(source, mark.span);
        (a..=b).contains(&line)
    });
    let clamp_to_line = |offset: u32| offset.clamp(full_line.start, full_line.end) as usize;
    let marked = on_line
        .map(|mark| Span::new(clamp_to_line(mark.span.start), clamp_to_line(mark.span.end)))
        .reduce(Span::cover)
        .unwrap_or(Span::at(full_line.start as usize));
    let start = (marked.start as usize).saturating_sub(CONTEXT_BYTES).max(full_line.start as usize);
    let end = (marked.end as usize + CONTEXT_BYTES).min(full_line.end as usize);
    let text = source.text();
    Span::new(text.floor_char_boundary(start), text.ceil_char_boundary(end))
}

/// The first and last line of a span.
fn lines_of(source: &Source, span: Span) -> (usize, usize) {
    let last = if span.is_empty() { span.start } else { span.end - 1 };
    (source.line_of(span.start), source.line_of(last))
}

/// Shortens a span at character boundaries to [`MAX_MARK_LINES`] lines or one screen line.
fn shorten(source: &Source, span: Span, width: usize) -> Span {
    let text = source.text();
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.ceil_char_boundary(span.end as usize).max(start);
    let span = Span::new(start, end);
    let (first, last) = lines_of(source, span);
    let line_end = source.line_span(first).end as usize;
    let max_end = line_end.min(text.ceil_char_boundary(start + width.max(20)));
    if last - first >= MAX_MARK_LINES
        || (first == last && end > max_end)
        || end - start > CONTEXT_BYTES * 4
    {
        return Span::new(start, max_end.max(start));
    }
    span
}

/// Number of bytes between two spans.
fn distance(a: Span, b: Span) -> usize {
    let gap = a.start.max(b.start).saturating_sub(a.end.min(b.end));
    gap as usize
}
