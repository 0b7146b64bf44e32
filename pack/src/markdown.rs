//! The parts of a Markdown document from which packs are made: paragraphs, list items, table rows and
//! definitions, each with the heading above it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    /// The headings above the part, outermost first.
    pub(crate) headings: Vec<String>,
    pub(crate) kind: BlockKind,
}

/// The kinds of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A paragraph or a list item.
    Text {
        text: String,
        /// The bold text at the start.
        strong: Option<String>,
        /// The texts in code spans.
        codes: Vec<String>,
    },
    /// A table row with the header of the table.
    Row { header: Vec<String>, cells: Vec<String> },
    /// An entry of a definition list.
    Definition { term: String, text: String },
}

impl Default for BlockKind {
    fn default() -> Self {
        Self::Text { text: String::new(), strong: None, codes: Vec::new() }
    }
}

impl Block {
    /// The text of the nearest heading above.
    pub(crate) fn heading(&self) -> &str {
        self.headings.last().map_or("", String::as_str)
    }

    /// The anchor of the nearest heading, with `#`; empty without a heading.
    pub(crate) fn anchor(&self) -> String {
        let slug: String = self
            .heading()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' | '-' => Some('-'),
                c if c.is_alphanumeric() || c == '_' => Some(c),
                _ => None,
            })
            .collect();
        if slug.is_empty() { slug } else { format!("#{slug}") }
    }

    /// Whether one of the headings contains one of `words`, in lower case.
    pub(crate) fn is_under(&self, words: &[&str]) -> bool {
        self.headings.iter().any(|heading| {
            let heading = heading.to_lowercase();
            words.iter().any(|word| heading.contains(word))
        })
    }
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    headings: Vec<(usize, String)>,
    text: String,
    strong: Option<String>,
    codes: Vec<String>,
    header: Vec<String>,
    cells: Vec<String>,
    term: String,
    /// Whether the text is in a code block or other part that is not read.
    skipped: usize,
}

impl Reader {
    fn push(&mut self, kind: BlockKind) {
        let headings = self.headings.iter().map(|(_, text)| text.clone()).collect();
        self.blocks.push(Block { headings, kind });
    }

    fn take(&mut self) -> String {
        std::mem::take(&mut self.text).trim().to_owned()
    }

    /// Ends a paragraph or list item.
    fn flush(&mut self) {
        let (text, strong) = (self.take(), self.strong.take());
        let codes = std::mem::take(&mut self.codes);
        if !text.is_empty() {
            self.push(BlockKind::Text { text, strong, codes });
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) | Tag::Image { .. } => {
                self.skipped += 1;
            }
            Tag::Heading { .. } | Tag::Paragraph | Tag::Item | Tag::Table(_) => self.flush(),
            Tag::TableHead => self.header.clear(),
            Tag::TableRow => self.cells.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) | TagEnd::Image => {
                self.skipped = self.skipped.saturating_sub(1);
            }
            TagEnd::Heading(level) => {
                let (level, text) = (level as usize, self.take());
                self.codes.clear();
                self.strong = None;
                self.headings.retain(|(other, _)| *other < level);
                self.headings.push((level, text));
            }
            TagEnd::Strong if self.strong.is_none() => {
                self.strong = Some(self.text.trim().to_owned()).filter(|text| !text.is_empty());
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::TableCell => {
                let cell = self.take();
                self.strong = None;
                self.codes.clear();
                self.cells.push(cell);
            }
            TagEnd::TableHead => self.header = std::mem::take(&mut self.cells),
            TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.push(BlockKind::Row { header: self.header.clone(), cells });
            }
            TagEnd::DefinitionListTitle => self.term = self.take(),
            TagEnd::DefinitionListDefinition => {
                let (term, text) = (self.term.clone(), self.take());
                if !text.is_empty() {
                    self.push(BlockKind::Definition { term, text });
                }
            }
            _ => {}
        }
    }
}

/// The parts of a document, in order.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => reader.start(&tag),
            Event::End(tag) => reader.end(tag),
            Event::Text(text) if reader.skipped == 0 => reader.text.push_str(&text),
            Event::Code(code) if reader.skipped == 0 => {
                reader.text.push('`');
                reader.text.push_str(&code);
                reader.text.push('`');
                reader.codes.push(code.into_string());
            }
            Event::SoftBreak | Event::HardBreak if reader.skipped == 0 => reader.text.push(' '),
            _ => {}
        }
    }
    reader.blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_headings() {
        let text = "---\na: b\n---\n# Top\n\n## Open Questions!\n\n- **Term**: a `x` b\n  - inner?\n\n\
                    ```\nMUST code\n```\n\n| Name | Default |\n| --- | --- |\n| `a` | 1 |\n\n## Other\n\n\
                    Word\n: its meaning\n";
        let found = blocks(text);
        let texts: Vec<String> =
            found.iter().map(|block| format!("{} {:?}", block.anchor(), block.kind)).collect();
        assert_eq!(
            texts,
            [
                "#open-questions Text { text: \"Term: a `x` b\", strong: Some(\"Term\"), codes: [\"x\"] }",
                "#open-questions Text { text: \"inner?\", strong: None, codes: [] }",
                "#open-questions Row { header: [\"Name\", \"Default\"], cells: [\"`a`\", \"1\"] }",
                "#other Definition { term: \"Word\", text: \"its meaning\" }",
            ]
        );
        assert!(found[0].is_under(&["question"]) && found[0].is_under(&["top"]));
    }
}
