//! Fenced code blocks in Markdown, as sources inside the source.

use crate::text::source::{Source, Span};
use aidd_page::Part;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The info string: the language and any attributes.
    pub info: String,
    /// The text, without the prefixes of enclosing quotes and lists.
    pub text: String,
    /// The parts of the Markdown that make up the text, in order: offset in `text`, then span.
    pub pieces: Vec<(u32, Span)>,
    /// The offset of the opening line in the Markdown.
    pub start: u32,
}

impl Fence {
    /// The language: the first word of the info string.
    #[must_use]
    pub fn language(&self) -> &str {
        Self::word(&self.info)
    }

    /// The first word of an info string.
    #[must_use]
    pub fn word(info: &str) -> &str {
        info.split([' ', ',', '{', '\t']).next().unwrap_or_default()
    }

    /// The value of `key=…` in the info string.
    #[must_use]
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.info.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// Whether the info string contains `word`.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        self.info.split_whitespace().skip(1).any(|part| part == word)
    }

    /// Maps a span of the block's text to the Markdown.
    #[must_use]
    pub fn outer(&self, span: Span) -> Span {
        let start = self.outer_offset(span.start, false);
        // The end belongs to the piece with the last byte, not to the next piece.
        let end = if span.is_empty() { start } else { self.outer_offset(span.end, true) };
        Span { start, end: end.max(start) }
    }

    /// Whether a span of the block's text is contiguous in the Markdown.
    #[must_use]
    pub fn is_contiguous(&self, span: Span) -> bool {
        self.outer(span).len() == span.len()
    }

    /// Whether no line has a prefix in the Markdown.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.pieces.windows(2).all(|pair| pair[0].1.end == pair[1].1.start)
    }

    fn outer_offset(&self, offset: u32, is_end: bool) -> u32 {
        let after =
            |&(start, _): &(u32, Span)| if is_end { start < offset } else { start <= offset };
        let index = self.pieces.partition_point(after).saturating_sub(1);
        self.pieces
            .get(index)
            .map_or(self.start, |&(start, span)| span.end.min(span.start + (offset - start)))
    }
}

/// Checks quickly whether the text can contain a fence whose language satisfies `is_wanted`.
#[must_use]
pub fn may_have_fences(text: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    const FENCE_CHARS: [char; 2] = ['`', '~'];
    /// Maximum length of a language name, in bytes.
    const MAX_LANGUAGE_LEN: usize = 64;
    ["```", "~~~"].iter().any(|delimiter| {
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| rest.find(delimiter)) {
            let rest = &text[at + found..];
            let info = rest.trim_start_matches(FENCE_CHARS).trim_start_matches([' ', '\t']);
            // Each run of fence characters is visited once, regardless of the length of its line.
            at = text.len() - info.len();
            let info = &info[..info.floor_char_boundary(MAX_LANGUAGE_LEN)];
            if is_wanted(Fence::word(info.lines().next().unwrap_or_default())) {
                return true;
            }
        }
        false
    })
}

/// The fence characters of a line that opens or closes a code block
/// (<https://spec.commonmark.org/0.31.2/#fenced-code-blocks>).
#[must_use]
pub fn fence_delimiter(line: &str) -> Option<&str> {
    let start = line.trim_start_matches(' ');
    let character = start.chars().next().filter(|character| ['`', '~'].contains(character))?;
    let info = start.trim_start_matches(character);
    let delimiter = &start[..start.len() - info.len()];
    let is_fence = delimiter.len() >= 3 && line.len() - start.len() <= 3;
    (is_fence && (character == '~' || !info.contains('`'))).then_some(delimiter)
}

/// Whether `line` closes the code block that was opened by the fence `open`.
#[must_use]
pub fn closes_fence(open: &str, line: &str) -> bool {
    fence_delimiter(line)
        .is_some_and(|delimiter| delimiter.starts_with(open) && line.trim() == delimiter)
}

/// The fenced blocks of a Markdown text whose info string satisfies `is_wanted`.
#[must_use]
pub fn fences(source: &Source, is_wanted: impl Fn(&str) -> bool) -> Vec<Fence> {
    let text = source.text();
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter()
    {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_wanted(&info) => {
                open = Some(Fence {
                    info: info.into_string(),
                    text: String::new(),
                    pieces: Vec::new(),
                    start: u32::try_from(range.start).unwrap_or(u32::MAX),
                });
            }
            Event::Text(_) => {
                if let Some(fence) = &mut open {
                    let inner = Span::at(fence.text.len()).start;
                    fence.text.push_str(&text[range.clone()]);
                    fence.pieces.push((inner, Span::from(range)));
                }
            }
            Event::End(TagEnd::CodeBlock) => fences.extend(open.take()),
            _ => {}
        }
    }
    fences
}

/// The parts of a Markdown text, in order: headings, running text, code and comments. Everything
/// else (markup, URLs, front matter) is omitted.
#[must_use]
pub fn parts(text: &str) -> Vec<(Span, Part)> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH;
    let mut parts = Vec::new();
    let mut text_part = Some(Part::Prose);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let part = match event {
            Event::Start(Tag::Heading { .. }) => {
                text_part = Some(Part::Headings);
                None
            }
            Event::Start(Tag::CodeBlock(_)) => {
                text_part = Some(Part::Code);
                None
            }
            Event::Start(Tag::MetadataBlock(_)) => {
                text_part = None;
                None
            }
            Event::End(TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::MetadataBlock(_)) => {
                text_part = Some(Part::Prose);
                None
            }
            Event::Text(_) => text_part,
            Event::Code(_) => Some(Part::Code),
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => {
                let is_comment = text[range.clone()].trim_start().starts_with("<!--");
                is_comment.then_some(Part::Comments)
            }
            _ => None,
        };
        parts.extend(part.map(|part| (Span::from(range), part)));
    }
    parts
}

/// A section of a Markdown text: a heading, and what follows up to the next heading of the same or a
/// higher level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// From 1 to 6.
    pub level: usize,
    /// The heading without markup.
    pub title: String,
    /// The lines below the heading.
    pub body: Span,
}

/// The sections of a Markdown text in the order of their headings. Headings in code, quotes and lists
/// are not sections.
#[must_use]
pub fn sections(text: &str) -> Vec<Section> {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    // The level, the title, and where the heading begins and ends.
    let mut headings: Vec<(usize, String, Span)> = Vec::new();
    let (mut depth, mut is_heading) = (0_usize, false);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                headings.push((level as usize, String::new(), Span::from(range)));
                is_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Text(part) | Event::Code(part) if is_heading => {
                if let Some((_, title, _)) = headings.last_mut() {
                    title.push_str(&part);
                }
            }
            _ => {}
        }
    }
    let after = |at: usize, level: usize| {
        let next = headings.iter().skip(at + 1).find(|(other, ..)| *other <= level);
        next.map_or(text.len(), |(_, _, span)| span.range().start)
    };
    let all = headings.iter().enumerate().map(|(at, (level, title, span))| Section {
        level: *level,
        title: title.clone(),
        body: Span::new(span.range().end, after(at, *level)),
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all_fences(text: &str) -> Vec<Fence> {
        fences(&Source::new("a.md", text), |_| true)
    }

    #[test]
    fn spans_in_a_quote_map_to_the_markdown() {
        let text = "> ```mermaid title=x\n> graph\n>   A-->B\n> ```\n";
        let [fence] = &all_fences(text)[..] else { panic!("one block") };
        assert_eq!((fence.language(), fence.attribute("title")), ("mermaid", Some("x")));
        assert_eq!(fence.text, "graph\n  A-->B\n");
        assert!(!fence.is_plain());
        let at = fence.text.find("A-->B").expect("present");
        let outer = fence.outer(Span::new(at, at + 5));
        assert_eq!(&text[outer.range()], "A-->B");
        assert!(!fence.is_contiguous(Span::new(0, at)));
    }

    #[test]
    fn spans_in_lists_and_with_crlf_map_to_the_markdown() {
        let text = "- a\r\n\r\n  ~~~ dockerfile\r\n  FROM é\r\n  RUN x\r\n  ~~~\r\n";
        let [fence] = &all_fences(text)[..] else { panic!("one block") };
        let at = fence.text.find("RUN").expect("present");
        assert_eq!(&text[fence.outer(Span::new(at, at + 5)).range()], "RUN x");
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "# t\n\n## 1. `a` b\nx\n### c\ny\n```\n## no\n```\n\n> ## no\n\nd\n---\n";
        let found: Vec<_> = sections(text)
            .into_iter()
            .map(|section| (section.level, section.title, &text[section.body.range()]))
            .collect();
        let body = "x\n### c\ny\n```\n## no\n```\n\n> ## no\n\n";
        assert_eq!(found[1], (2, "1. a b".to_owned(), body));
        assert_eq!(found[3], (2, "d".to_owned(), ""));
        assert_eq!(found.len(), 4);
    }

    proptest! {
        #[test]
        fn every_character_maps_to_the_same_character(text in "[>~`` a\né\\-\r\t]{0,80}") {
            for fence in all_fences(&text) {
                for (at, c) in fence.text.char_indices() {
                    let outer = fence.outer(Span::new(at, at + c.len_utf8()));
                    prop_assert_eq!(&text[outer.range()], &fence.text[at..at + c.len_utf8()]);
                }
            }
        }
    }
}
