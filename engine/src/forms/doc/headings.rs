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

/// A required heading, or a run of arbitrary headings.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Any run of headings, including an empty one.
    Any,
    One(RequiredHeading),
}

#[derive(Debug)]
pub(super) struct RequiredHeading {
    /// The heading as written in the page, without the mark for optional headings.
    display: String,
    /// The number of `#`; `None`: any level.
    level: Option<u8>,
    text: String,
    /// The text, with `*` as a wildcard.
    glob: Option<GlobMatcher>,
    optional: bool,
}

impl Wanted {
    pub(super) fn new(text: &str) -> Result<Self, HeadingError> {
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let optional = text.starts_with('?');
        let shown = text.trim_start_matches('?').trim();
        let words = shown.trim_start_matches('#');
        let level = shown.len() - words.len();
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
        Ok(Self::One(RequiredHeading {
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
    /// Whether the heading can be inserted literally: not if it contains a wildcard.
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

/// How a required or an existing heading was aligned.
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

/// Checks the headings. Headings deeper than any that is listed are ignored.
pub(super) fn check(
    wanted: &[Wanted],
    source: &Source,
    document: &Document,
    faults: &mut Vec<Fault>,
) {
    let levels = wanted.iter().map(|wanted| match wanted {
        Wanted::One(RequiredHeading { level: Some(level), .. }) => *level,
        Wanted::One(_) => 6,
        Wanted::Any => 0,
    });
    let deepest = levels.max().unwrap_or(6);
    let headings: Vec<&Heading> =
        document.headings.iter().filter(|heading| heading.level <= deepest).collect();
    let wanted = if starts_with_title(wanted, &headings) || !has_title(source, document) {
        wanted
    } else {
        // A title in the front matter replaces the first heading.
        &wanted[1..]
    };
    Alignment::new(wanted, &headings).report(source, document, faults);
}

fn starts_with_title(wanted: &[Wanted], headings: &[&Heading]) -> bool {
    match wanted.first() {
        Some(Wanted::One(one)) if one.level == Some(1) => {
            headings.first().is_some_and(|heading| one.matches(heading))
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
    wanted: &'a [Wanted],
    headings: &'a [&'a Heading],
    moves: Vec<Step>,
}

impl<'a> Alignment<'a> {
    fn new(wanted: &'a [Wanted], headings: &'a [&'a Heading]) -> Self {
        let width = headings.len() + 1;
        // Prefer reporting a heading as misplaced to reporting an existing heading as missing.
        let is_there = |one: &RequiredHeading| headings.iter().any(|heading| one.matches(heading));
        let price = |wanted: &Wanted| match wanted {
            Wanted::Any => 0,
            Wanted::One(one) if one.optional => 0,
            Wanted::One(one) => 1 + 2 * u32::from(is_there(one)),
        };
        let prices: Vec<u32> = wanted.iter().map(price).collect();
        let mut moves = vec![Step::Pass; (wanted.len() + 1) * width];
        // The cost of aligning the rest of both lists, computed from their ends, row by row.
        let mut below: Vec<u32> = (0..width).map(|at| count(headings.len() - at)).collect();
        for at in 0..headings.len() {
            moves[wanted.len() * width + at] = Step::Extra;
        }
        for row in (0..wanted.len()).rev() {
            let mut costs = vec![0; width];
            for column in (0..width).rev() {
                let right = (column + 1 < width).then(|| costs[column + 1]);
                let diagonal = (column + 1 < width).then(|| below[column + 1]);
                let (cost, step) = cheapest(
                    (&wanted[row], prices[row]),
                    headings.get(column),
                    (below[column], right, diagonal),
                );
                costs[column] = cost;
                moves[row * width + column] = step;
            }
            below = costs;
        }
        Self { wanted, headings, moves }
    }

    /// Reports headings that are missing, misplaced or unexpected.
    fn report(&self, source: &Source, document: &Document, faults: &mut Vec<Fault>) {
        let width = self.headings.len() + 1;
        let (mut row, mut column) = (0, 0);
        let mut missing: Vec<(&RequiredHeading, usize)> = Vec::new();
        let mut extra: Vec<usize> = Vec::new();
        while row < self.wanted.len() || column < self.headings.len() {
            match self.moves[row * width + column] {
                Step::Match => (row, column) = (row + 1, column + 1),
                Step::Run => column += 1,
                Step::Pass => row += 1,
                Step::Extra => {
                    extra.push(column);
                    column += 1;
                }
                Step::Missing => {
                    if let Wanted::One(one) = &self.wanted[row] {
                        missing.push((one, column));
                    }
                    row += 1;
                }
            }
        }
        for at in extra {
            let heading = self.headings[at];
            let misplaced = missing.iter().position(|(one, _)| one.matches(heading));
            let message = match misplaced.map(|at| missing.remove(at)) {
                Some((one, place)) => {
                    format!("`{}` belongs {}", one.display, self.describe_place(place))
                }
                None => format!("unexpected heading `{}`", self.display(heading)),
            };
            faults.push(Fault::new(heading.span, message));
        }
        // A heading that a run has consumed exists, but in the wrong place.
        missing.retain(|(one, place)| {
            let taken =
                self.headings.iter().find(|heading| one.glob.is_none() && one.matches(heading));
            if let Some(heading) = taken {
                let message = format!("`{}` belongs {}", one.display, self.describe_place(*place));
                faults.push(Fault::new(heading.span, message));
            }
            taken.is_none()
        });
        for group in missing.chunk_by(|a, b| a.1 == b.1 && a.0.is_literal() == b.0.is_literal()) {
            faults.push(self.missing(group, source, document));
        }
    }

    fn display(&self, heading: &Heading) -> String {
        format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text)
    }

    /// Describes the place of a heading that belongs before heading `at`.
    fn describe_place(&self, at: usize) -> String {
        match at.checked_sub(1).and_then(|before| self.headings.get(before)) {
            Some(before) => format!("after `{}`", self.display(before)),
            None => "at the top".to_owned(),
        }
    }

    /// One fault for the headings that are missing at one place, so that one edit fixes all of
    /// them.
    fn missing(
        &self,
        group: &[(&RequiredHeading, usize)],
        source: &Source,
        document: &Document,
    ) -> Fault {
        let at = group.first().map_or(0, |(_, at)| *at);
        let names: Vec<String> =
            group.iter().map(|(one, _)| format!("`{}`", one.display)).collect();
        let is_one = names.len() == 1;
        let names = names.join(", ");
        let (is, belongs) = if is_one { ("is", "it belongs") } else { ("are", "they belong") };
        let message = format!("{names} {is} missing; {belongs} {}", self.describe_place(at));
        let before = at.checked_sub(1).and_then(|before| self.headings.get(before));
        let span = before.map_or_else(|| first_line(source, document), |heading| heading.span);
        let mut fault = Fault::new(span, message);
        if group.iter().all(|(one, _)| one.is_literal()) {
            let lines: Vec<&str> = group.iter().map(|(one, _)| one.display.as_str()).collect();
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

/// The cheapest step for `wanted`, which costs `price` to omit, and `heading`. The costs of the
/// rest are `below` if `wanted` is skipped, `right` if `heading` is skipped, and `diagonal` if they
/// match. With equal costs a match is preferred.
fn cheapest(
    (wanted, price): (&Wanted, u32),
    heading: Option<&&Heading>,
    (below, right, diagonal): (u32, Option<u32>, Option<u32>),
) -> (u32, Step) {
    let step = if price == 0 { Step::Pass } else { Step::Missing };
    let mut best = (below.saturating_add(price), step);
    let (Some(heading), Some(right), Some(diagonal)) = (heading, right, diagonal) else {
        return best;
    };
    let (step, price) = match wanted {
        Wanted::Any => (Step::Run, 0),
        Wanted::One(_) => (Step::Extra, 1),
    };
    if right.saturating_add(price) < best.0 {
        best = (right.saturating_add(price), step);
    }
    if let Wanted::One(one) = wanted
        && one.matches(heading)
        && diagonal <= best.0
    {
        best = (diagonal, Step::Match);
    }
    best
}
