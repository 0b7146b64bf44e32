//! The text of a diagram as Mermaid passes it to a grammar: without comments and directives.

use aidd_engine::text::source::{Source, Span};
use regex::Regex;
use std::sync::LazyLock;

/// The text of a diagram, starting with its type.
pub(super) struct Prepared {
    pub(super) text: String,
    /// For each part of the source that `text` contains: the offset in `text`, and the offset in
    /// the source.
    parts: Vec<(usize, usize)>,
    end: usize,
}

static LINE_BREAK: LazyLock<Regex> = LazyLock::new(|| regex(r"\r\n?"));
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)%%\{.*?\}%%"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^\s*%%(?:[^{\n][^\n]*\n?|\{\z)"));
/// Matches an entity, such as `#quot;`.
static ENTITY: LazyLock<Regex> = LazyLock::new(|| regex(r"#[0-9A-Za-z_]+;"));
/// Matches a style with a color and a semicolon at the end.
static STYLE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:style|classDef).*:\S*#.*;"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"<[0-9A-Za-z_]+[^>]*>"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

impl Prepared {
    /// The text of the diagram whose type is at `start`.
    pub(super) fn new(source: &Source, start: u32) -> Self {
        let end = source.text().len();
        let start = (start as usize).min(end);
        let mut this =
            Self { text: source.text()[start..].to_owned(), parts: vec![(0, start)], end };
        this.replace_all(&LINE_BREAK, |_| "\n".to_owned());
        this.replace_all(&TAG, |tag| tag.replace("=\"", "='").replace('"', "'"));
        this.replace_all(&DIRECTIVE, |_| String::new());
        this.replace_all(&COMMENT, |_| String::new());
        this.replace_all(&STYLE, |style| style[..style.len() - 1].to_owned());
        this.replace_all(&ENTITY, |entity| "x".repeat(entity.len()));
        this.text.push('\n');
        this
    }

    /// Replaces each match with the result of `replacement`.
    fn replace_all(&mut self, pattern: &Regex, replacement: impl Fn(&str) -> String) {
        let mut text = String::with_capacity(self.text.len());
        let mut parts = Vec::new();
        let mut from = 0;
        for found in pattern.find_iter(&self.text) {
            self.copy(from, found.start(), &mut text, &mut parts);
            parts.push((text.len(), self.offset(found.start())));
            text.push_str(&replacement(found.as_str()));
            from = found.end();
        }
        if from == 0 {
            return;
        }
        self.copy(from, self.text.len(), &mut text, &mut parts);
        (self.text, self.parts) = (text, parts);
    }

    /// Appends the text from `from` to `to`, and the offsets of its parts.
    fn copy(&self, from: usize, to: usize, text: &mut String, parts: &mut Vec<(usize, usize)>) {
        parts.push((text.len(), self.offset(from)));
        let later = self.parts.partition_point(|part| part.0 <= from);
        let inner = self.parts[later..].iter().take_while(|part| part.0 < to);
        parts.extend(inner.map(|part| (text.len() + part.0 - from, part.1)));
        text.push_str(&self.text[from..to]);
    }

    /// The offset in the source of an offset in the text.
    fn offset(&self, at: usize) -> usize {
        let next = self.parts.partition_point(|part| part.0 <= at);
        let (start, origin) = self.parts[next.saturating_sub(1)];
        (origin + (at - start)).min(self.end)
    }

    /// The span in the source of a range of the text.
    pub(super) fn span(&self, start: usize, end: usize, source: &Source) -> Span {
        let floor = |at: usize| source.text().floor_char_boundary(at);
        let from = floor(self.offset(start));
        let to = if end > start { floor(self.offset(end - 1) + 1) } else { from };
        Span::new(from, to.max(from))
    }
}
