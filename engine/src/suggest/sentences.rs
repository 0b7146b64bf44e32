//! The sentences of a Markdown file that demand something.

use crate::source::{Source, Span};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;

/// A sentence that demands something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words; what stands in backticks is there as `«0»`, `«1»` ….
    pub shape: String,
    /// What stands in backticks, in order.
    pub code: Vec<String>,
    /// The nearest heading above.
    pub heading: String,
    /// Where it begins and ends in the file.
    pub span: Span,
}

impl Sentence {
    /// Its words as they are read.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.shape.clone();
        for (number, code) in self.code.iter().enumerate() {
            text = text.replace(&format!("«{number}»"), &format!("`{code}`"));
        }
        text
    }
}

/// RFC 2119, and how people say the same.
static DEMANDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(must|shall|should|never|always|only|do not|don't|may not|cannot|avoid|forbidden|prefer|required?|every|each|at most|no more than|use|run|named|names|conventional commits|kebab-case|snake_case)\b|^(no|set|pin|keep|when)\b",
    )
    .expect("an expression")
});

/// The sentences of `source` that demand something, in order: not those in code or quotations.
#[must_use]
pub fn sentences(source: &Source) -> Vec<Sentence> {
    let mut reader = Reader::default();
    for (event, range) in Parser::new_ext(source.text(), Options::ENABLE_TABLES).into_offset_iter()
    {
        reader.take(event, range.start, range.end);
    }
    reader.close();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Sentence>,
    heading: String,
    in_heading: bool,
    /// How many code blocks, quotations and tables are open.
    left_out: usize,
    shape: String,
    code: Vec<String>,
    start: Option<usize>,
    end: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_)) => {
                self.close();
                self.left_out += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table) => {
                self.left_out = self.left_out.saturating_sub(1);
            }
            Event::Start(Tag::Heading { .. }) => {
                self.close();
                (self.in_heading, self.heading) = (true, String::new());
            }
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::List(_))
            | Event::End(TagEnd::Paragraph | TagEnd::Item) => self.close(),
            _ if self.left_out > 0 => {}
            Event::Text(text) | Event::Code(text) if self.in_heading => {
                self.heading.push_str(&text)
            }
            Event::Text(text) => self.text(&text, start),
            Event::Code(code) => {
                self.begin(start);
                self.shape.push_str(&format!("«{}»", self.code.len()));
                self.code.push(code.into_string());
                self.end = end;
            }
            Event::SoftBreak | Event::HardBreak => self.shape.push(' '),
            _ => {}
        }
    }

    fn begin(&mut self, at: usize) {
        self.start.get_or_insert(at);
    }

    /// Words, in which sentences may end.
    fn text(&mut self, text: &str, start: usize) {
        let mut from = 0;
        for (at, _) in text.match_indices(['.', '!', '?', ';']) {
            let rest = &text[at + 1..];
            if rest.starts_with(' ') && !text[..at].ends_with("e.g") && !text[..at].ends_with("i.e")
            {
                self.words(&text[from..=at], start + from);
                self.close();
                from = at + 1;
            }
        }
        self.words(&text[from..], start + from);
    }

    fn words(&mut self, text: &str, start: usize) {
        let blank = text.len() - text.trim_start().len();
        if self.start.is_none() && blank == text.len() {
            return;
        }
        self.begin(start + blank);
        let text = if self.shape.is_empty() { text.trim_start() } else { text };
        self.shape.push_str(text);
        self.end = start + blank + text.trim_end().len();
    }

    fn close(&mut self) {
        let shape = std::mem::take(&mut self.shape);
        let code = std::mem::take(&mut self.code);
        let Some(start) = self.start.take() else { return };
        let shape = shape.split_whitespace().collect::<Vec<_>>().join(" ");
        if DEMANDS.is_match(&shape) {
            self.found.push(Sentence {
                shape,
                code,
                heading: self.heading.clone(),
                span: Span::new(start, self.end.max(start)),
            });
        }
    }
}
