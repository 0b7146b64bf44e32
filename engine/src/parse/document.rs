//! Markdown as a document: its headings, links, images, words in backticks and blocks of code, as the
//! parser of Markdown sees them.

use crate::text::source::Span;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its words, without markup.
    pub text: String,
    /// The fragment that leads to it, as GitHub makes it.
    pub anchor: String,
    /// All of it, without the line break.
    pub span: Span,
}

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as written or as its definition says.
    pub to: String,
    /// Its words; of an image, what it says of the picture.
    pub text: String,
    /// It shows a picture.
    pub is_image: bool,
    /// `alt=""` says that the image may be skipped; Markdown has no way to say so.
    pub decorates: bool,
    /// All of it.
    pub span: Span,
}

/// A block of code between fences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the opening fence.
    pub info: String,
    /// From the opening fence to the end of the closing one.
    pub span: Span,
    /// What stands in it, without what quotes or indents the block: a part a line, or longer ones.
    pub parts: Vec<Span>,
}

/// What a Markdown text is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The YAML between `---` lines at its top.
    pub front: Option<Span>,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    /// Its links and images, in order of their ends.
    pub links: Vec<Link>,
    /// What stands in backticks within a line: the text, and where it stands, backticks included.
    pub code: Vec<(String, Span)>,
    /// Its blocks of code between fences, in order.
    pub blocks: Vec<Block>,
    /// Ids that HTML in it gives, and headings that end in `{#id}`, which many makers of sites read.
    pub ids: HashSet<String>,
}

impl Document {
    /// Whether `#fragment` leads somewhere in it.
    #[must_use]
    pub fn has_anchor(&self, fragment: &str) -> bool {
        self.ids.contains(fragment)
            || self.headings.iter().any(|heading| heading.anchor == fragment)
    }
}

/// What is still open where the parser has come to.
#[derive(Default)]
struct Open {
    heading: Option<Heading>,
    links: Vec<Link>,
    front: bool,
    block: bool,
    fenced: bool,
}

/// Reads a Markdown text.
#[must_use]
pub fn parse(text: &str) -> Document {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut document = Document::default();
    let mut open = Open::default();
    let mut anchors = Anchors::default();
    // A mark of the byte order is no part of the first line.
    let skipped = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    for (event, range) in Parser::new_ext(&text[skipped..], options).into_offset_iter() {
        let range = range.start + skipped..range.end + skipped;
        match event {
            // The lines of a block come one by one, and a tag may go over several.
            Event::Start(Tag::HtmlBlock) => {
                let html = &text[range.clone()];
                document.ids.extend(ids(html));
                document.links.extend(images(html, range.start));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                (open.block, open.fenced) = (true, true);
                let end = range.start + text[range.clone()].trim_end().len();
                let span = Span::new(range.start, end);
                let info = info.trim().to_owned();
                document.blocks.push(Block { info, span, parts: Vec::new() });
            }
            Event::Start(tag) => start(tag, text, range, &mut open),
            Event::End(end) => finish(end, &mut open, &mut anchors, &mut document),
            Event::Text(_) if open.front => {
                let span = Span::from(range);
                document.front = Some(document.front.map_or(span, |front| front.cover(span)));
            }
            Event::Text(words) if !open.block => open.say(&words),
            Event::Text(_) if open.fenced => {
                let block = document.blocks.last_mut();
                block.into_iter().for_each(|block| block.parts.push(Span::from(range.clone())));
            }
            Event::Code(words) => {
                open.say(&words);
                document.code.push((words.into_string(), Span::from(range)));
            }
            Event::SoftBreak | Event::HardBreak => open.say(" "),
            Event::InlineHtml(html) => {
                document.ids.extend(ids(&html));
                document.links.extend(images(&html, range.start));
            }
            _ => {}
        }
    }
    document
}

/// Within how many links and images words are kept.
const MOST_OPEN: usize = 4;

impl Open {
    /// Adds words to all that they belong to.
    fn say(&mut self, words: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(words);
        }
        // Images may stand within the words of images: only the innermost ones matter.
        for link in self.links.iter_mut().rev().take(MOST_OPEN) {
            link.text.push_str(words);
        }
    }
}

fn start(tag: Tag<'_>, text: &str, range: Range<usize>, open: &mut Open) {
    match tag {
        Tag::Heading { level, .. } => {
            let end = range.start + text[range.clone()].trim_end().len();
            open.heading = Some(Heading {
                level: level_of(level),
                text: String::new(),
                anchor: String::new(),
                span: Span::new(range.start, end),
            });
        }
        // `<a@b.c>`: an address, no path.
        Tag::Link { link_type: LinkType::Email, dest_url, .. } => {
            open.links.push(link(format!("mailto:{dest_url}"), false, range));
        }
        Tag::Link { dest_url, .. } => open.links.push(link(dest_url.into_string(), false, range)),
        Tag::Image { dest_url, .. } => open.links.push(link(dest_url.into_string(), true, range)),
        Tag::MetadataBlock(_) => open.front = true,
        Tag::CodeBlock(_) => open.block = true,
        _ => {}
    }
}

fn link(to: String, is_image: bool, range: Range<usize>) -> Link {
    Link { to, text: String::new(), decorates: false, is_image, span: Span::from(range) }
}

fn finish(end: TagEnd, open: &mut Open, anchors: &mut Anchors, document: &mut Document) {
    match end {
        TagEnd::Heading(_) => {
            if let Some(mut heading) = open.heading.take() {
                heading.text = heading.text.trim().to_owned();
                heading.anchor = anchors.of(&heading.text);
                document.ids.extend(given_id(&heading.text));
                document.headings.push(heading);
            }
        }
        TagEnd::Link | TagEnd::Image => document.links.extend(open.links.pop()),
        TagEnd::MetadataBlock(_) => open.front = false,
        TagEnd::CodeBlock => (open.block, open.fenced) = (false, false),
        _ => {}
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Makes the fragments of headings as GitHub does
/// (<https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#section-links>):
/// lower case, white space as hyphens, no punctuation, and a number behind the second of a name.
#[derive(Default)]
struct Anchors(HashMap<String, usize>);

impl Anchors {
    fn of(&mut self, text: &str) -> String {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        let lower = text.trim().to_lowercase();
        let base: String =
            lower.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect();
        let mut anchor = base.clone();
        while self.0.contains_key(&anchor) {
            let count = self.0.entry(base.clone()).or_default();
            *count += 1;
            anchor = format!("{base}-{count}");
        }
        self.0.insert(anchor.clone(), 0);
        anchor
    }
}

/// The id at the end of `Name {#id}`.
fn given_id(heading: &str) -> Option<String> {
    let (_, attributes) = heading.strip_suffix('}')?.rsplit_once('{')?;
    let id = attributes.split_whitespace().find_map(|part| part.strip_prefix('#'))?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// The values of `id` and `name` attributes in a piece of HTML.
fn ids(html: &str) -> Vec<String> {
    let tags = html.split('<').skip(1);
    tags.flat_map(|tag| ["id", "name"].into_iter().filter_map(|name| attribute(tag, name)))
        .map(str::to_owned)
        .collect()
}

/// The images in a piece of HTML that begins at `offset`.
fn images(html: &str, offset: usize) -> Vec<Link> {
    let lower = html.to_ascii_lowercase();
    lower
        .match_indices("<img")
        .filter_map(|(at, _)| {
            let tag = &html[at + 1..];
            let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
            // `<imgx>` is another element.
            tag[3..].starts_with(|c: char| c.is_whitespace() || c == '/').then(|| Link {
                to: attribute(tag, "src").unwrap_or_default().to_owned(),
                text: attribute(tag, "alt").unwrap_or_default().to_owned(),
                decorates: attribute(tag, "alt").is_some_and(|alt| alt.trim().is_empty()),
                is_image: true,
                // With its closing bracket, where there is one.
                span: Span::new(offset + at, offset + (at + 2 + tag.len()).min(html.len())),
            })
        })
        .collect()
}

/// The value of an attribute of a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let end = tag.find('>').unwrap_or(tag.len());
    let tag = &tag[..end];
    // Names of attributes have no case; lengths stay the same.
    let lower = tag.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = lower[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        let before = tag[..at].chars().next_back();
        let Some(value) = tag[from..].trim_start().strip_prefix('=') else { continue };
        if !before.is_some_and(|c| c.is_whitespace() || c == '"' || c == '\'') {
            continue;
        }
        let value = value.trim_start();
        return match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
            _ => value.split([' ', '\t', '\n', '/']).next(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn shown(text: &str) -> String {
        let document = parse(text);
        let mut out = String::new();
        if let Some(front) = document.front {
            let _ = writeln!(out, "front {:?}", &text[front.range()]);
        }
        for heading in &document.headings {
            let Heading { level, text: words, anchor, span } = heading;
            let _ = writeln!(out, "h{level} {words:?} #{anchor} {:?}", &text[span.range()]);
        }
        for link in &document.links {
            let kind = if link.is_image { "image" } else { "link" };
            let _ =
                writeln!(out, "{kind} {} {:?} {:?}", link.to, link.text, &text[link.span.range()]);
        }
        for (words, span) in &document.code {
            let _ = writeln!(out, "code {words:?} {:?}", &text[span.range()]);
        }
        let mut ids: Vec<&String> = document.ids.iter().collect();
        ids.sort();
        let _ = writeln!(out, "ids {ids:?}");
        for Block { info, span, parts } in &document.blocks {
            let parts: Vec<&str> = parts.iter().map(|part| &text[part.range()]).collect();
            let _ = writeln!(out, "block {info:?} {:?} {parts:?}", &text[span.range()]);
        }
        out
    }

    #[test]
    fn a_document_is_read() {
        let text = r#"---
title: A
---
# The `aidd` *way*, 2nd part!

Setext too
==========

## Same
## Same
## Same-1
# 한국어 제목

[a](b.md "t") ![c](d.png) [![e](f.png)](g.md) <https://h> [i][j] [k]

[j]: l.md#m
[k]: n.md

`src/x.rs` and ``a `b` ``

    [no](link.md) `no`

```
# no
```

<a id="here"></a> <img src="o.png"> <IMG ALT='p' SRC=q>

## Given {#id-of-it .x}

> ```sh x
> npm run a
> npm run b
> ```

~~~
c
~~~
"#;
        insta::assert_snapshot!(shown(text), @r###"
        front "title: A\n"
        h1 "The aidd way, 2nd part!" #the-aidd-way-2nd-part "# The `aidd` *way*, 2nd part!"
        h1 "Setext too" #setext-too "Setext too\n=========="
        h2 "Same" #same "## Same"
        h2 "Same" #same-1 "## Same"
        h2 "Same-1" #same-1-1 "## Same-1"
        h1 "한국어 제목" #한국어-제목 "# 한국어 제목"
        h2 "Given {#id-of-it .x}" #given-id-of-it-x "## Given {#id-of-it .x}"
        link b.md "a" "[a](b.md \"t\")"
        image d.png "c" "![c](d.png)"
        image f.png "e" "![e](f.png)"
        link g.md "e" "[![e](f.png)](g.md)"
        link https://h "https://h" "<https://h>"
        link l.md#m "i" "[i][j]"
        link n.md "k" "[k]"
        image o.png "" "<img src=\"o.png\">"
        image q "p" "<IMG ALT='p' SRC=q>"
        code "aidd" "`aidd`"
        code "src/x.rs" "`src/x.rs`"
        code "a `b` " "``a `b` ``"
        ids ["here", "id-of-it"]
        block "" "```\n# no\n```" ["# no\n"]
        block "sh x" "```sh x\n> npm run a\n> npm run b\n> ```" ["npm run a\n", "npm run b\n"]
        block "" "~~~\nc\n~~~" ["c\n"]
        "###);
    }

    proptest! {
        #[test]
        fn no_text_breaks_the_reader(text in "\u{feff}?([#\\[\\]()!`<>=\"' \n-]|a|é|img |id|alt|src|---\n|```\n|~~~sh\n|\\{#x\\}|> ){0,80}") {
            let document = parse(&text);
            for link in &document.links {
                prop_assert!(text.get(link.span.range()).is_some());
            }
            for span in document.blocks.iter().flat_map(|block| block.parts.iter().chain([&block.span])) {
                prop_assert!(text.get(span.range()).is_some());
            }
            for heading in &document.headings {
                prop_assert!(text.get(heading.span.range()).is_some());
            }
            let anchors: HashSet<&str> =
                document.headings.iter().map(|heading| heading.anchor.as_str()).collect();
            prop_assert_eq!(anchors.len(), document.headings.len());
        }
    }
}
