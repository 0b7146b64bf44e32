//! Finds HTML, bare URLs, undefined references and unused definitions in a Markdown text.

use crate::text::source::Span;
use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// What was found in a Markdown text; each list is in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    /// Opening HTML tags: the element name in lower case, and the span of the tag.
    pub tags: Vec<(String, Span)>,
    /// URLs and mail addresses that are not links.
    pub bare: Vec<Span>,
    /// References `[text][name]` and `[name][]` to an undefined name: the name, and the span of the
    /// reference.
    pub undefined: Vec<(String, Span)>,
    /// Definitions without a reference: the name, and the span of the definition.
    pub unused: Vec<(String, Span)>,
}

/// `https://…`, `www.…` and `a@b.c`, which GitHub converts to links
/// (<https://github.github.com/gfm/#autolinks-extension->).
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:https?://[^\s<]*[\w/]|www\.[\w-]+\.[^\s<]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
    )
    .expect("a constant pattern")
});

/// Parses a Markdown text.
#[must_use]
pub fn read(text: &str) -> Markup {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let undefined = RefCell::new(Vec::new());
    let on_broken_link = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        // `[name]` alone can be a word in brackets.
        if matches!(link.link_type, LinkType::Reference | LinkType::Collapsed) {
            let name = link.reference.to_string();
            undefined.borrow_mut().push((name, Span::from(link.span)));
        }
        None
    };
    let mut parser = Parser::new_with_broken_link_callback(text, options, Some(on_broken_link))
        .into_offset_iter();
    let mut markup = Markup::default();
    let mut used: HashSet<String> = HashSet::new();
    // Links, code and front matter cannot contain bare URLs.
    let mut excluded_depth = 0_usize;
    let mut text_range: Option<Range<usize>> = None;
    for (event, range) in parser.by_ref() {
        // Text arrives in several events, split at possible markers.
        match (&event, &mut text_range) {
            (Event::Text(_), Some(so_far)) if excluded_depth == 0 && so_far.end == range.start => {
                so_far.end = range.end;
                continue;
            }
            (_, so_far) => {
                if let Some(text_range) = so_far.take() {
                    collect_addresses(text, text_range, &mut markup.bare);
                }
            }
        }
        match event {
            Event::Start(Tag::HtmlBlock) => {
                collect_tags(&text[range.clone()], range.start, &mut markup.tags);
            }
            Event::InlineHtml(html) => collect_tags(&html, range.start, &mut markup.tags),
            Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) => {
                used.insert(normalize(&id));
                excluded_depth += 1;
            }
            Event::Start(Tag::CodeBlock(_) | Tag::MetadataBlock(_)) => excluded_depth += 1,
            Event::End(
                TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock | TagEnd::MetadataBlock(_),
            ) => excluded_depth = excluded_depth.saturating_sub(1),
            Event::Text(_) if excluded_depth == 0 => text_range = Some(range),
            _ => {}
        }
    }
    if let Some(text_range) = text_range {
        collect_addresses(text, text_range, &mut markup.bare);
    }
    let definitions = parser.reference_definitions().iter();
    let unused = definitions.filter(|(name, _)| !used.contains(&normalize(name)));
    markup.unused =
        unused.map(|(name, at)| (name.to_owned(), Span::from(at.span.clone()))).collect();
    markup.unused.sort_by_key(|(_, span)| span.start);
    drop(parser);
    markup.undefined = undefined.into_inner();
    markup.undefined.sort_by_key(|(_, span)| (span.start, span.end));
    markup.undefined.dedup();
    markup
}

/// Normalizes the name of a reference for comparison
/// (<https://spec.commonmark.org/0.31.2/#matches>).
fn normalize(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn collect_addresses(text: &str, text_range: Range<usize>, bare: &mut Vec<Span>) {
    let found = ADDRESS.find_iter(&text[text_range.clone()]);
    let spans = found.map(|found| Span::from(found.range()).shift(text_range.start));
    // A URL in brackets is intended as a link.
    let is_bracketed = |span: &Span| {
        text[..span.range().start].ends_with('[') && text[span.range().end..].starts_with(']')
    };
    bare.extend(spans.filter(|span| !is_bracketed(span)));
}

/// Collects the opening tags in an HTML fragment that starts at `offset`.
fn collect_tags(html: &str, offset: usize, found: &mut Vec<(String, Span)>) {
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|open| at + open) {
        let rest = &html[open + 1..];
        at = open + 1;
        if let Some(comment) = rest.strip_prefix("!--") {
            at = comment.find("-->").map_or(html.len(), |end| open + 4 + end + 3);
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let close = rest.find('>').map_or(html.len(), |close| open + 1 + close + 1);
            let span = Span::new(open, close).shift(offset);
            found.push((rest[..end].to_ascii_lowercase(), span));
            at = close;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn render(text: &str) -> String {
        let markup = read(text);
        let mut out = String::new();
        for (kind, all) in
            [("tag", &markup.tags), ("undefined", &markup.undefined), ("unused", &markup.unused)]
        {
            for (name, span) in all {
                let _ = writeln!(out, "{kind} {name}: {:?}", &text[span.range()]);
            }
        }
        for span in &markup.bare {
            let _ = writeln!(out, "bare {:?}", &text[span.range()]);
        }
        out
    }

    #[test]
    fn html_urls_and_dangling_references_are_found() {
        let text = "---\na: https://front.example\n---\n# Title <sub>x</sub>\n\n<details open>\n<!-- <b> -->\n<summary>S</summary>\n</details>\n\nA <BR/> `<code>` \\<no> and <https://a.example> at\nhttps://b.example/x_y_z?a=1&b=2. Or www.c.example, me@d.example; [https://e.example](https://e.example) [https://g.example]\n\n    https://code.example <i>\n\n`https://f.example` ![i][pic] [one][two] [Three][] [four] [five][Five  Six]\n\n[Pic]: a.png\n[five six]: b.md\n[nobody]: c.md\n";
        insta::assert_snapshot!(render(text), @r#"
        tag sub: "<sub>"
        tag details: "<details open>"
        tag summary: "<summary>"
        tag br: "<BR/>"
        undefined two: "[one][two]"
        undefined Three: "[Three]"
        unused nobody: "[nobody]: c.md"
        bare "https://b.example/x_y_z?a=1&b=2"
        bare "www.c.example"
        bare "me@d.example"
        "#);
    }

    proptest! {
        #[test]
        fn all_spans_are_within_the_text(text in "([a<>!/:.@ é\\[\\]()`#-]|https://|www\\.|<!--|\n){0,60}") {
            let markup = read(&text);
            let named = markup.tags.iter().chain(&markup.undefined).chain(&markup.unused);
            for span in named.map(|(_, span)| span).chain(&markup.bare) {
                prop_assert!(text.get(span.range()).is_some(), "{span:?}");
            }
        }
    }
}
