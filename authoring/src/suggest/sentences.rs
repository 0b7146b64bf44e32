//! Extracts the sentences of a Markdown document that contain a requirement.

use super::requirement::{is_prohibition_heading, is_requirement};
use aidd_engine::text::source::{Source, Span};
use aidd_page as page;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The markers around rules written by `aidd rule export`, which already have checks.
pub const EXPORT_MARKERS: (&str, &str) = ("<!-- aidd:rules -->", "<!-- /aidd:rules -->");

/// Maximum number of characters of a sentence in a document; longer text is a paragraph without
/// punctuation.
const MAX_CHARS: usize = 600;

/// A sentence that contains a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The text on one line, with code in backticks. An item under a heading such as "Don't" is
    /// prefixed with this heading, because the item alone would mean the opposite.
    pub text: String,
    /// The position in the document.
    pub span: Span,
}

/// The sentences of `source` that contain a requirement, in order. Headers, code blocks,
/// quotations, tables and rules exported by aidd are skipped.
#[must_use]
pub fn extract_sentences(source: &Source) -> Vec<Sentence> {
    let text = source.text();
    let body = if page::has_header(text) {
        page::split(text).map_or(0, |(_, body)| body.start)
    } else {
        0
    };
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(&text[body..], options).into_offset_iter() {
        reader.take(event, body + range.start, body + range.end);
    }
    reader.close();
    reader.sentences
}

#[derive(Default)]
struct Reader {
    sentences: Vec<Sentence>,
    heading: String,
    in_heading: bool,
    /// The number of open list items.
    items: usize,
    /// The number of open code blocks, quotations and tables.
    skipped_blocks: usize,
    is_exported: bool,
    words: String,
    start: Option<usize>,
    end: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_)) => {
                self.close();
                self.skipped_blocks += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table) => {
                self.skipped_blocks = self.skipped_blocks.saturating_sub(1);
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                self.is_exported |= html.contains(EXPORT_MARKERS.0);
                self.is_exported &= !html.contains(EXPORT_MARKERS.1);
            }
            Event::Start(Tag::Heading { .. }) => {
                self.close();
                (self.in_heading, self.heading) = (true, String::new());
            }
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::Start(Tag::Item) => {
                self.close();
                self.items += 1;
            }
            Event::End(TagEnd::Item) => {
                self.close();
                self.items = self.items.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph | Tag::List(_)) | Event::End(TagEnd::Paragraph) => {
                self.close();
            }
            _ if self.skipped_blocks > 0 || self.is_exported => {}
            Event::Text(text) | Event::Code(text) if self.in_heading => {
                self.heading.push_str(&text);
            }
            Event::Text(text) => self.text(&text, start),
            Event::Code(code) => {
                self.start.get_or_insert(start);
                self.words.push_str(&format!("`{code}`"));
                self.end = end;
            }
            Event::SoftBreak | Event::HardBreak if self.words.ends_with(['.', '!', '?']) => {
                self.close();
            }
            Event::SoftBreak | Event::HardBreak => self.words.push(' '),
            _ => {}
        }
    }

    /// Adds text, which can contain the end of one or more sentences.
    fn text(&mut self, text: &str, start: usize) {
        const ABBREVIATIONS: [&str; 4] = ["e.g", "i.e", "etc", "vs"];
        const REQUIREMENT_STARTS: [&str; 7] =
            ["never ", "avoid ", "do not ", "don't ", "always ", "no ", "must "];
        let mut from = 0;
        for (at, mark) in text.match_indices(['.', '!', '?', ';']) {
            let (before, after) = (&text[..at], &text[at + 1..]);
            let is_short = ABBREVIATIONS.iter().any(|word| before.ends_with(word));
            // A semicolon ends a sentence only before another requirement.
            let continues = mark == ";"
                && !REQUIREMENT_STARTS.iter().any(|start| after.trim_start().starts_with(start));
            if after.starts_with(' ') && !is_short && !continues {
                self.push(&text[from..=at], start + from);
                self.close();
                from = at + 1;
            }
        }
        self.push(&text[from..], start + from);
    }

    fn push(&mut self, text: &str, start: usize) {
        let blank = text.len() - text.trim_start().len();
        if self.start.is_none() && blank == text.len() {
            return;
        }
        self.start.get_or_insert(start + blank);
        self.words.push_str(text);
        self.end = start + blank + text.trim().len();
    }

    fn close(&mut self) {
        let words = std::mem::take(&mut self.words);
        let Some(start) = self.start.take() else { return };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text: String = words.trim_end_matches([';', ',']).chars().take(MAX_CHARS).collect();
        if self.items > 0 && is_prohibition_heading(&self.heading) {
            text = format!("{}: {text}", self.heading.trim());
        } else if !is_requirement(&text) {
            return;
        }
        self.sentences.push(Sentence { text, span: Span::new(start, self.end.max(start)) });
    }
}
