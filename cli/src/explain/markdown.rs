//! Lays out the Markdown of a rule page for a terminal.

use aidd_report::Style;
use aidd_report::layout::{self, MAX_PROSE_WIDTH};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Indent of code blocks.
const CODE_INDENT: &str = "    ";

/// Renders `page` without its title: paragraphs wrapped at the width of the terminal, code blocks
/// indented, with the path of the file above the block. `page` must be printable.
pub(super) fn render(page: &str, style: &Style) -> String {
    let width = style.width.min(MAX_PROSE_WIDTH);
    let mut renderer = Renderer {
        page,
        style: Style { width, ..*style },
        out: String::new(),
        text: String::new(),
        lists: Vec::new(),
        marker: None,
        code: None,
    };
    for (event, range) in Parser::new_ext(page, Options::ENABLE_TABLES).into_offset_iter() {
        renderer.add(event, range);
    }
    renderer.out
}

struct Renderer<'a> {
    page: &'a str,
    style: Style,
    out: String,
    /// The text of the current block.
    text: String,
    /// The next number of each open list; `None` for a bulleted list.
    lists: Vec<Option<u64>>,
    /// The marker of a list item that has no text yet.
    marker: Option<String>,
    /// The info string of the current code block.
    code: Option<String>,
}

impl Renderer<'_> {
    fn add(&mut self, event: Event<'_>, range: Range<usize>) {
        let (bold, cyan, off) =
            if self.style.color { ("\x1b[1m", "\x1b[36m", "\x1b[0m") } else { ("", "", "") };
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush();
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            Event::Start(Tag::List(start)) => {
                self.flush();
                if self.lists.is_empty() {
                    self.out.push('\n');
                }
                self.lists.push(start);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.marker = Some(marker);
            }
            Event::End(TagEnd::Item | TagEnd::Paragraph) => self.flush(),
            Event::End(TagEnd::Heading(level)) => {
                let title = std::mem::take(&mut self.text);
                if level != HeadingLevel::H1 {
                    self.out.push_str(&format!("\n{bold}{title}{off}\n"));
                }
            }
            // A table is readable as source.
            Event::Start(Tag::Table(_)) => {
                self.out.push('\n');
                self.out.push_str(self.page.get(range).unwrap_or_default());
                self.text.clear();
            }
            Event::End(TagEnd::Table) => self.text.clear(),
            Event::End(TagEnd::Link) => {
                let source = self.page.get(range).unwrap_or_default();
                let url = source.rsplit_once("](").map(|(_, url)| url.trim_end_matches(')'));
                if let Some(url) = url.filter(|url| url.contains("://")) {
                    self.text.push_str(&format!(" ({url})"));
                }
            }
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(code) if self.style.color => {
                self.text.push_str(&format!("{cyan}{code}{off}"));
            }
            Event::Code(code) => self.text.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Html(html) | Event::InlineHtml(html) => self.text.push_str(&html),
            _ => {}
        }
    }

    /// Writes the current paragraph or list item.
    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let depth = self.lists.len().saturating_sub(1);
        match self.marker.take() {
            Some(marker) => {
                let prefix = format!("{}{marker}", "  ".repeat(depth));
                self.out.push_str(&layout::hanging(&prefix, &text, &self.style));
            }
            None => {
                self.out.push('\n');
                self.out.push_str(&layout::wrap(&text, 0, &self.style));
            }
        }
        self.out.push('\n');
    }

    /// Writes a code block. The lines of a `finding` block are marked with an arrow.
    fn end_code(&mut self) {
        let (dim, yellow, off) =
            if self.style.color { ("\x1b[2m", "\x1b[33m", "\x1b[0m") } else { ("", "", "") };
        let info = self.code.take().unwrap_or_default();
        let text = std::mem::take(&mut self.text);
        if info == "finding" {
            for line in text.lines() {
                self.out.push_str(&format!("{CODE_INDENT}{yellow}→ {line}{off}\n"));
            }
            return;
        }
        self.out.push('\n');
        let path = info.split_whitespace().find_map(|word| word.strip_prefix("path="));
        if let Some(path) = path {
            self.out.push_str(&format!("{CODE_INDENT}{dim}{path}{off}\n"));
        }
        for line in text.lines() {
            self.out.push_str(format!("{CODE_INDENT}{line}").trim_end());
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_laid_out_for_the_width() {
        let page = "# title\n\nA paragraph with `code` that is longer than forty columns.\n\n- an item that is also longer than forty columns, with words\n- b\n\n## Fails\n\n```ts path=src/a.ts\nlet a = 1\n```\n\n```finding\n1:1 let\n```\n";
        let style = Style { width: 40, wrap: true, ..Style::default() };
        insta::assert_snapshot!(render(page, &style), @"

        A paragraph with `code` that is longer
        than forty columns.

        - an item that is also longer than forty
          columns, with words
        - b

        Fails

            src/a.ts
            let a = 1
            → 1:1 let
        ");
        let colored = render(page, &Style { color: true, ..style });
        assert!(colored.contains("\x1b[36mcode\x1b[0m") && !colored.contains('`'), "{colored}");
    }
}
