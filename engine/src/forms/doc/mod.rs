//! `doc` checks of rule pages: requirements on the headings, links and size of Markdown documents,
//! compiled once and checked on the parsed document.

mod commands;
mod headings;
mod links;
mod markup;
mod run;
mod site;
#[cfg(test)]
mod tests;

pub use headings::HeadingError;
pub use run::DocPatterns;
pub(crate) use run::check_header;

use crate::parse::document::{Block, Document};
use crate::text::files::Files;
use crate::text::finding::Edit;
use crate::text::source::{Source, Span};
use aidd_lexicon::tokens;
use aidd_page::{DocHeader, Limits, LinkKind, UniqueHeadings};
use headings::HeadingPattern;

/// The compiled `doc` check of a page.
#[derive(Debug)]
pub struct DocCheck {
    headings: Vec<HeadingPattern>,
    unique: Option<UniqueHeadings>,
    links: Vec<LinkKind>,
    html: Option<Vec<String>>,
    lines: Option<Limits>,
    tokens: Option<Limits>,
    depth: Option<Limits>,
    steps: bool,
    named_blocks: bool,
}

/// A violation in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where the finding is reported.
    pub span: Span,
    /// The message of the finding.
    pub message: String,
    /// A hint, such as a similar name.
    pub help: Option<String>,
    /// The title and the edit of a fix.
    pub fix: Option<(String, Edit)>,
}

impl Fault {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None, fix: None }
    }

    fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}

impl DocCheck {
    /// Compiles the `doc` check of a page header, except its key `front`, which is compiled as a
    /// `data` check.
    ///
    /// # Errors
    /// A malformed heading.
    pub fn new(header: &DocHeader) -> Result<Self, HeadingError> {
        let headings = header.headings.iter().map(|text| HeadingPattern::new(text));
        Ok(Self {
            headings: headings.collect::<Result<_, _>>()?,
            unique: header.unique,
            links: header.links.to_vec(),
            html: header.html.clone(),
            lines: header.lines,
            tokens: header.tokens,
            depth: header.depth,
            steps: header.steps,
            named_blocks: header.named_blocks,
        })
    }

    /// Whether the check resolves links, which requires reading other files.
    #[must_use]
    pub fn follows_links(&self) -> bool {
        let resolving_kinds =
            [LinkKind::Files, LinkKind::Anchors, LinkKind::Paths, LinkKind::Commands];
        self.links.iter().any(|kind| resolving_kinds.contains(kind))
    }

    /// Returns the violations in `document`, which was parsed from `source`. Links are resolved in
    /// `files`.
    #[must_use]
    pub fn check(&self, source: &Source, document: &Document, files: &dyn Files) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !self.headings.is_empty() {
            headings::check(&self.headings, source, document, &mut faults);
        }
        if let Some(uniqueness) = self.unique {
            markup::check_duplicates(uniqueness, document, &mut faults);
        }
        if let Some(limits) = self.depth {
            check_depth(limits, source, document, &mut faults);
        }
        if self.steps {
            check_steps(document, &mut faults);
        }
        if self.named_blocks {
            let unnamed = document.blocks.iter().filter(|block| block.info.is_empty());
            let line = |block: &Block| source.line_span(source.line_of(block.span.start)).end;
            faults.extend(unnamed.map(|block| {
                let fence = Span { start: block.span.start, end: line(block) };
                Fault::new(fence, "code block without a language")
            }));
        }
        if let Some(limits) = self.lines {
            let lines = source.text().lines().count();
            faults.extend(check_size(limits, lines, "line", source, document));
        }
        if let Some(limits) = self.tokens {
            faults.extend(check_size(
                limits,
                tokens::count(source.text()),
                "token",
                source,
                document,
            ));
        }
        links::check(&self.links, source, document, files, &mut faults);
        markup::check(&self.links, self.html.as_deref(), source, &mut faults);
        faults
    }
}

/// The span of findings on the whole document: the first heading or, without headings, the first
/// line.
fn heading_or_first_line(source: &Source, document: &Document) -> Span {
    document.headings.first().map_or_else(|| source.line_span(0), |heading| heading.span)
}

fn check_size(
    limits: Limits,
    count: usize,
    unit: &str,
    source: &Source,
    document: &Document,
) -> Option<Fault> {
    let found = u64::try_from(count).unwrap_or(u64::MAX);
    let display_count = |count: u64| format!("{count} {unit}{}", if count == 1 { "" } else { "s" });
    let message = match limits {
        Limits { max: Some(max), .. } if found > max => {
            format!("the document has {}, more than {max}", display_count(found))
        }
        Limits { min: Some(min), .. } if found < min => {
            format!("the document has {}, fewer than {min}", display_count(found))
        }
        _ => return None,
    };
    Some(Fault::new(heading_or_first_line(source, document), message))
}

/// Reports skipped heading levels. The first heading can have any level, because the headings above
/// it may be in another document.
fn check_steps(document: &Document, faults: &mut Vec<Fault>) {
    for pair in document.headings.windows(2) {
        let [before, heading] = pair else { continue };
        if heading.level > before.level + 1 {
            let (level, above) = (heading.level, before.level);
            let message = format!("heading level {level} directly below level {above}");
            faults.push(Fault::new(heading.span, message));
        }
    }
}

fn check_depth(limits: Limits, source: &Source, document: &Document, faults: &mut Vec<Fault>) {
    let too_deep = |level: u8| limits.max.is_some_and(|max| u64::from(level) > max);
    for heading in document.headings.iter().filter(|heading| too_deep(heading.level)) {
        let (level, max) = (heading.level, limits.max.unwrap_or_default());
        let message = format!("heading level {level} is deeper than {max}");
        faults.push(Fault::new(heading.span, message));
    }
    let deepest = document.headings.iter().map(|heading| heading.level).max().unwrap_or_default();
    if let Some(min) = limits.min.filter(|min| u64::from(deepest) < *min) {
        let message = format!("no heading of level {min}");
        faults.push(Fault::new(heading_or_first_line(source, document), message));
    }
}
