//! Compares the headings of a document with those that a page requires.

use super::Fault;
use crate::parse::document::{Document, Heading};
use crate::parse::yaml;
use crate::text::finding::Edit;
use crate::text::source::{Source, Span};
use globset::{GlobBuilder, GlobMatcher};
use thiserror::Error;

/// Why a heading of a page cannot be matched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeadingError {
    /// The heading has no text, or too many `#`.
    #[error(
        "`{0}` is not a heading: expected one to six `#` and text; `*` matches any run of \
         headings"
    )]
    Form(String),
    /// The text cannot be compiled to a glob.
    #[error("`{text}`: {why}")]
    Glob {
        /// The heading as written in the page.
        text: String,
        /// The error of the glob parser.
        why: globset::Error,
    },
}

/// An entry of `headings` in a page: a required heading, or a run of arbitrary headings.
#[derive(Debug)]
pub(super) enum HeadingPattern {
    /// Any run of headings, including an empty one.
    Any,
    Required(RequiredHeading),
}

#[derive(Debug)]
pub(super) struct RequiredHeading {
    /// The heading as written in the page, without the `?` of optional headings.
    display: String,
    /// The number of `#`; `None` matches any level.
    level: Option<u8>,
    text: String,
    /// The text, with `*` as a wildcard.
    glob: Option<GlobMatcher>,
    optional: bool,
}

impl HeadingPattern {
    pub(super) fn new(text: &str) -> Result<Self, HeadingError> {
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let optional = text.starts_with('?');
        let display_text = text.trim_start_matches('?').trim();
        let words = display_text.trim_start_matches('#');
        let level = display_text.len() - words.len();
        let words = words.trim();
        if words.is_empty() || level > 6 {
            return Err(HeadingError::Form(text.to_owned()));
        }
        let glob = words.contains('*').then(|| {
            // Only `*` is special.
            let escaped: Vec<String> = words.split('*').map(globset::escape).collect();
            GlobBuilder::new(&escaped.join("*")).build().map(|glob| glob.compile_matcher())
        });
        let glob =
            glob.transpose().map_err(|why| HeadingError::Glob { text: text.to_owned(), why })?;
        Ok(Self::Required(RequiredHeading {
            // `##Context` is not a heading in Markdown, and would not be one if it were inserted.
            display: if level == 0 {
                words.to_owned()
            } else {
                format!("{} {words}", "#".repeat(level))
            },
            level: u8::try_from(level).ok().filter(|level| *level > 0),
            text: words.to_owned(),
            glob,
            optional,
        }))
    }
}

impl RequiredHeading {
    /// Whether the heading can be inserted as written, because it contains no wildcard.
    fn is_literal(&self) -> bool {
        self.glob.is_none() && self.level.is_some()
    }

    fn matches(&self, heading: &Heading) -> bool {
        self.level.is_none_or(|level| level == heading.level)
            && match &self.glob {
                Some(glob) => glob.is_match(&heading.text),
                None => self.text == heading.text,
            }
    }
}

/// One step of the alignment of the required with the existing headings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The required and the existing heading match.
    Match,
    /// The required heading is missing.
    Missing,
    /// The existing heading is not expected.
    Extra,
    /// A run consumes the existing heading.
    Run,
    /// A run ends, or an optional heading is skipped.
    Pass,
}

/// Checks the headings. Headings deeper than the deepest required heading are ignored.
pub(super) fn check(
    patterns: &[HeadingPattern],
    source: &Source,
    document: &Document,
    faults: &mut Vec<Fault>,
) {
    let levels = patterns.iter().map(|pattern| match pattern {
        HeadingPattern::Required(RequiredHeading { level: Some(level), .. }) => *level,
        HeadingPattern::Required(_) => 6,
        HeadingPattern::Any => 0,
    });
    let deepest = levels.max().unwrap_or(6);
    let headings: Vec<&Heading> =
        document.headings.iter().filter(|heading| heading.level <= deepest).collect();
    let patterns = if starts_with_title(patterns, &headings) || !has_title(source, document) {
        patterns
    } else {
        // A title in the front matter replaces the first heading.
        &patterns[1..]
    };
    Alignment::new(patterns, &headings).report(source, document, faults);
}

fn starts_with_title(patterns: &[HeadingPattern], headings: &[&Heading]) -> bool {
    match patterns.first() {
        Some(HeadingPattern::Required(required)) if required.level == Some(1) => {
            headings.first().is_some_and(|heading| required.matches(heading))
        }
        _ => true,
    }
}

fn has_title(source: &Source, document: &Document) -> bool {
    let Some(front) = document.front else { return false };
    let tree = yaml::parse(source.slice(front));
    // The children of the root are documents, and the first of them is the front matter.
    let documents = tree.nodes.first().map_or(&[][..], |root| &root.children);
    documents.iter().any(|&document| tree.text(document, "title").is_some())
}

/// The cheapest alignment of the two lists, as in a text diff.
struct Alignment<'a> {
    patterns: &'a [HeadingPattern],
    headings: &'a [&'a Heading],
    steps: Vec<Step>,
}

impl<'a> Alignment<'a> {
    fn new(patterns: &'a [HeadingPattern], headings: &'a [&'a Heading]) -> Self {
        let width = headings.len() + 1;
        // An existing heading is reported as misplaced rather than as missing, so omitting such a
        // heading costs more.
        let exists =
            |required: &RequiredHeading| headings.iter().any(|heading| required.matches(heading));
        let missing_cost = |pattern: &HeadingPattern| match pattern {
            HeadingPattern::Any => 0,
            HeadingPattern::Required(required) if required.optional => 0,
            HeadingPattern::Required(required) => 1 + 2 * u32::from(exists(required)),
        };
        let missing_costs: Vec<u32> = patterns.iter().map(missing_cost).collect();
        let mut steps = vec![Step::Pass; (patterns.len() + 1) * width];
        // The cost of aligning the rest of both lists, computed from their ends, row by row.
        let mut below: Vec<u32> = (0..width).map(|at| count(headings.len() - at)).collect();
        for at in 0..headings.len() {
            steps[patterns.len() * width + at] = Step::Extra;
        }
        for row in (0..patterns.len()).rev() {
            let mut costs = vec![0; width];
            for column in (0..width).rev() {
                let right = (column + 1 < width).then(|| costs[column + 1]);
                let diagonal = (column + 1 < width).then(|| below[column + 1]);
                let (cost, step) = cheapest_step(
                    (&patterns[row], missing_costs[row]),
                    headings.get(column),
                    (below[column], right, diagonal),
                );
                costs[column] = cost;
                steps[row * width + column] = step;
            }
            below = costs;
        }
        Self { patterns, headings, steps }
    }

    /// Reports headings that are missing, misplaced or unexpected.
    fn report(&self, source: &Source, document: &Document, faults: &mut Vec<Fault>) {
        let width = self.headings.len() + 1;
        let (mut row, mut column) = (0, 0);
        let mut missing: Vec<(&RequiredHeading, usize)> = Vec::new();
        let mut extra: Vec<usize> = Vec::new();
        while row < self.patterns.len() || column < self.headings.len() {
            match self.steps[row * width + column] {
                Step::Match => (row, column) = (row + 1, column + 1),
                Step::Run => column += 1,
                Step::Pass => row += 1,
                Step::Extra => {
                    extra.push(column);
                    column += 1;
                }
                Step::Missing => {
                    if let HeadingPattern::Required(required) = &self.patterns[row] {
                        missing.push((required, column));
                    }
                    row += 1;
                }
            }
        }
        for at in extra {
            let heading = self.headings[at];
            let misplaced = missing.iter().position(|(required, _)| required.matches(heading));
            let message = match misplaced.map(|at| missing.remove(at)) {
                Some((required, position)) => {
                    format!("`{}` belongs {}", required.display, self.describe_position(position))
                }
                None => format!("unexpected heading `{}`", self.display(heading)),
            };
            faults.push(Fault::new(heading.span, message));
        }
        // A heading that a run has consumed exists, but in the wrong place.
        missing.retain(|(required, position)| {
            let misplaced = self
                .headings
                .iter()
                .find(|heading| required.glob.is_none() && required.matches(heading));
            if let Some(heading) = misplaced {
                let message =
                    format!("`{}` belongs {}", required.display, self.describe_position(*position));
                faults.push(Fault::new(heading.span, message));
            }
            misplaced.is_none()
        });
        for group in missing.chunk_by(|a, b| a.1 == b.1 && a.0.is_literal() == b.0.is_literal()) {
            faults.push(self.missing_headings_fault(group, source, document));
        }
    }

    fn display(&self, heading: &Heading) -> String {
        format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text)
    }

    /// Describes the position of a heading that belongs before heading `at`.
    fn describe_position(&self, at: usize) -> String {
        match at.checked_sub(1).and_then(|before| self.headings.get(before)) {
            Some(before) => format!("after `{}`", self.display(before)),
            None => "at the top".to_owned(),
        }
    }

    /// Creates one violation for all headings that are missing at the same position, so that one edit
    /// fixes all of them.
    fn missing_headings_fault(
        &self,
        group: &[(&RequiredHeading, usize)],
        source: &Source,
        document: &Document,
    ) -> Fault {
        let at = group.first().map_or(0, |(_, at)| *at);
        let names: Vec<String> =
            group.iter().map(|(required, _)| format!("`{}`", required.display)).collect();
        let is_single = names.len() == 1;
        let names = names.join(", ");
        let (is, belongs) = if is_single { ("is", "it belongs") } else { ("are", "they belong") };
        let message = format!("{names} {is} missing; {belongs} {}", self.describe_position(at));
        let before = at.checked_sub(1).and_then(|before| self.headings.get(before));
        let span = before.map_or_else(|| first_line(source, document), |heading| heading.span);
        let mut fault = Fault::new(span, message);
        if group.iter().all(|(required, _)| required.is_literal()) {
            let lines: Vec<&str> =
                group.iter().map(|(required, _)| required.display.as_str()).collect();
            let edit = self.insertion(&lines, at, source);
            fault.fix = Some((format!("Insert {names}"), edit));
        }
        fault
    }

    /// The edit that inserts headings before heading `at`, or at the end.
    fn insertion(&self, lines: &[&str], at: usize, source: &Source) -> Edit {
        let text = source.text();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = format!("{end}{end}");
        match self.headings.get(at) {
            Some(next) => {
                let start = text[..next.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
                Edit::insert(Span::at(start).start, format!("{}{gap}", lines.join(&gap)))
            }
            None => {
                let before = match text {
                    "" => "",
                    _ if text.ends_with(&gap) => "",
                    _ if text.ends_with('\n') => end,
                    _ => &gap,
                };
                let added = format!("{before}{}{end}", lines.join(&gap));
                Edit::insert(Span::at(text.len()).start, added)
            }
        }
    }
}

/// The first line after the front matter.
fn first_line(source: &Source, document: &Document) -> Span {
    let Some(front) = document.front else { return source.line_span(0) };
    let line = source.line_of(front.end.saturating_sub(1)) + 2;
    let span = source.line_span(line);
    if span.is_empty() { source.line_span(0) } else { span }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The cheapest step for `patterns`, which costs `missing_cost` to omit, and `heading`. The costs
/// of the rest are `below` if `patterns` is skipped, `right` if `heading` is skipped, and
/// `diagonal` if they match. With equal costs, a match is preferred.
fn cheapest_step(
    (pattern, missing_cost): (&HeadingPattern, u32),
    heading: Option<&&Heading>,
    (below, right, diagonal): (u32, Option<u32>, Option<u32>),
) -> (u32, Step) {
    let step = if missing_cost == 0 { Step::Pass } else { Step::Missing };
    let mut best = (below.saturating_add(missing_cost), step);
    let (Some(heading), Some(right), Some(diagonal)) = (heading, right, diagonal) else {
        return best;
    };
    let (step, extra_cost) = match pattern {
        HeadingPattern::Any => (Step::Run, 0),
        HeadingPattern::Required(_) => (Step::Extra, 1),
    };
    if right.saturating_add(extra_cost) < best.0 {
        best = (right.saturating_add(extra_cost), step);
    }
    if let HeadingPattern::Required(required) = pattern
        && required.matches(heading)
        && diagonal <= best.0
    {
        best = (diagonal, Step::Match);
    }
    best
}
