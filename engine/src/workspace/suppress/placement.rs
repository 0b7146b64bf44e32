//! Tests whether an inserted comment is a comment for the parser of the file, and changes nothing
//! else.

use crate::forms::syntax::{LANGUAGES, language_of};
use crate::parse::comments::{self, Comment};
use crate::parse::syntax::{Parsed, Tree, parse_text};
use crate::parse::values::{Format, Values};
use crate::parse::{dockerfile, markdown};
use crate::text::finding::Edit;
use crate::text::kind::{self, Kind};
use crate::text::source::Source;
use ast_grep_language::SupportLang;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use tree_sitter::Node;

/// HTML elements that display line breaks, or whose content is text.
const VERBATIM_ELEMENTS: [&str; 4] = ["pre", "textarea", "title", "xmp"];

/// The delimiters of parts of markup that are not markup: data, and code of template languages.
const NOT_MARKUP: [(&str, &str); 4] =
    [("<![CDATA[", "]]>"), ("<%", "%>"), ("{{", "}}"), ("{%", "%}")];

/// The delimiters of literals that can span lines in languages without a grammar here.
const LONG_QUOTES: [&str; 3] = ["\"\"\"", "'''", "`"];

/// Whether `edit` of `source` inserts a comment, and no other part of the file changes. `after` is
/// the edited source. Languages without a parser are only searched for open literals.
pub(super) fn is_comment(source: &Source, edit: &Edit, after: &Source, comment: Comment) -> bool {
    let (path, text) = (source.path(), source.text());
    let padding = edit.text.len() - edit.text.trim_start_matches([' ', '\t', '>']).len();
    let at = edit.span.start as usize + padding;
    let kinds = kind::kinds(path, text);
    if kinds.contains(&Kind::DOCKERFILE) {
        let parsed = dockerfile::parse(after.text());
        return parsed.comments.iter().any(|comment| comment.span.start as usize == at);
    }
    if kinds.contains(&Kind::MARKDOWN) {
        return is_markdown_comment(source, after, at);
    }
    if comments::of_file(path, text).is_some_and(Comment::is_markup) {
        if let Ok((header, _)) = aidd_page::split(after.text())
            && header.contains(&at)
        {
            let script = |text: &str| {
                aidd_page::split(text)
                    .map(|(header, _)| text[header].to_owned())
                    .unwrap_or_default()
            };
            let (old, new) = (script(text), script(after.text()));
            return is_comment_in(SupportLang::TypeScript, &old, &new, at - header.start);
        }
        let is_data = path.ends_with("xml");
        return is_markup_comment(text, after.text(), at, is_data);
    }
    // The grammar of PHP takes the text outside of the tags for code.
    if path.ends_with(".php") && !opens_last(&after.text()[..at], "<?", "?>") {
        return false;
    }
    if path.ends_with(".po") || path.ends_with(".pot") {
        let above = text[..edit.span.start as usize].lines().next_back().unwrap_or_default();
        return above.trim().is_empty() || above.starts_with('#');
    }
    if let Some((_, language)) = language_of(path) {
        return is_comment_in(language, text, after.text(), at);
    }
    match Format::from_path(path) {
        Some(format) => have_equal_values(format, text, after.text()),
        None if comment.is_sql() => !is_in_sql_literal(&text[..edit.span.start as usize]),
        None => {
            let before = &text[..edit.span.start as usize];
            LONG_QUOTES.iter().all(|quote| before.matches(quote).count() % 2 == 0)
        }
    }
}

/// The comment syntax in the text of a JSX element; `None` elsewhere.
pub(super) fn in_jsx(tree: &Tree<'_>, offset: u32) -> Option<Comment> {
    let (_, language) = language_of(tree.path())?;
    let root = tree.in_language(language)?.root().get_inner_node();
    let node = root.descendant_for_byte_range(offset as usize, offset as usize + 1)?;
    (node.kind() == "jsx_text").then_some(comments::IN_JSX)
}

/// Whether `open` is the last of both delimiters in `text`.
fn opens_last(text: &str, open: &str, close: &str) -> bool {
    text.rfind(open).is_some_and(|open| text.rfind(close).is_none_or(|close| close < open))
}

/// Whether a comment of a grammar begins at `at` in `after`, and the other tokens are equal.
fn is_comment_in(language: SupportLang, before: &str, after: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (parse_text(before, language), parse_text(after, language))
    else {
        return false;
    };
    let root = after.root().get_inner_node();
    let is_comment = |node: Node<'_>| is_comment_node(node) || is_jsx_comment(node);
    // Some grammars have a token for the delimiter.
    let node = root.descendant_for_byte_range(at, at + 1);
    let mut innermost = std::iter::successors(node, Node::parent).take(2);
    if !innermost.any(is_comment) {
        return false;
    }
    tokens(&before) == tokens(&after)
}

fn is_comment_node(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Whether the node is `{/* … */}`.
fn is_jsx_comment(node: Node<'_>) -> bool {
    node.kind() == "jsx_expression"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(is_comment_node)
}

/// The tokens without comments: kind, and text with collapsed white space. Adjacent pieces of
/// running text are one token.
fn tokens(parsed: &Parsed) -> Vec<(String, String)> {
    let text = parsed.root().text().into_owned();
    let root = parsed.root().get_inner_node();
    let mut tokens = Vec::new();
    let mut remaining = vec![root];
    while let Some(node) = remaining.pop() {
        if is_comment_node(node) || is_jsx_comment(node) {
            continue;
        }
        if node.child_count() > 0 {
            let mut cursor = node.walk();
            let children: Vec<_> = node.children(&mut cursor).collect();
            remaining.extend(children.into_iter().rev());
            continue;
        }
        let token = text.get(node.byte_range()).unwrap_or_default();
        let is_prose = matches!(node.kind(), "text" | "jsx_text");
        if !is_prose {
            // The end of a line is a token in some grammars.
            if !token.trim().is_empty() {
                tokens.push((node.kind().to_owned(), token.to_owned()));
            }
            continue;
        }
        let words = token.split_whitespace().map(str::to_owned);
        tokens.extend(words.map(|word| (node.kind().to_owned(), word)));
    }
    tokens
}

/// Whether a comment of HTML or XML, or of an embedded script or style sheet, begins at `at`.
/// `is_data` means that white space in texts matters.
fn is_markup_comment(before: &str, after: &str, at: usize, is_data: bool) -> bool {
    let is_open = |(open, close): &(&str, &str)| opens_last(&after[..at], open, close);
    if NOT_MARKUP.iter().any(is_open) {
        return false;
    }
    let Some(parsed) = parse_text(after, SupportLang::Html) else { return false };
    let root = parsed.root().get_inner_node();
    let Some(node) = root.descendant_for_byte_range(at, at + 1) else { return false };
    if node.kind() == "raw_text" {
        return is_script_comment(node, before, after, at);
    }
    let mut outer = node.parent();
    while let Some(element) = outer {
        if element.kind().ends_with("_tag") {
            return false;
        }
        let tag = element.child(0).and_then(|tag| tag.named_child(0));
        let name = tag.and_then(|tag| after.get(tag.byte_range())).unwrap_or_default();
        if VERBATIM_ELEMENTS.contains(&name) {
            return false;
        }
        let is_text = |node: Option<Node<'_>>| node.is_some_and(|node| node.kind() == "text");
        if is_data && (is_text(node.prev_sibling()) || is_text(node.next_sibling())) {
            return false;
        }
        outer = element.parent();
    }
    is_comment_in(SupportLang::Html, before, after, at)
}

/// Whether a comment begins at `at` in the script or style sheet `node` of `after`.
fn is_script_comment(node: Node<'_>, before: &str, after: &str, at: usize) -> bool {
    let (start, length) = (node.start_byte(), node.end_byte() - node.start_byte());
    let added = after.len() - before.len();
    let Some(inner) = after.get(node.byte_range()) else { return false };
    let old = length.checked_sub(added).and_then(|length| before.get(start..start + length));
    let tag = node.prev_sibling().and_then(|tag| after.get(tag.byte_range())).unwrap_or_default();
    let language = match tag {
        tag if tag.starts_with("<style") => SupportLang::Css,
        tag if ["json", "template", "text/x-", "text/html"].iter().any(|it| tag.contains(it)) => {
            return false;
        }
        _ => SupportLang::TypeScript,
    };
    old.is_some_and(|old| is_comment_in(language, old, inner, at - start))
}

/// Whether an HTML comment of Markdown, or a comment of the language of a fenced block, begins at
/// `at`, and the rest of the document is equal.
fn is_markdown_comment(before: &Source, after: &Source, at: usize) -> bool {
    if let Some((start, end)) = crate::parse::values::front_matter(after.text())
        && (start..end).contains(&at)
    {
        return have_equal_values(Format::FrontMatter, before.text(), after.text());
    }
    let fences = |source: &Source| markdown::fences(source, |_| true);
    let contains_comment =
        |fence: &markdown::Fence| fence.pieces.iter().any(|(_, span)| span.range().contains(&at));
    let (old, new) = (fences(before), fences(after));
    if let Some(index) = new.iter().position(contains_comment) {
        let (Some(old), Some(new)) = (old.get(index), new.get(index)) else { return false };
        let inner = new.pieces.iter().find(|(_, span)| span.range().contains(&at));
        let inner = inner.map_or(0, |(inner, span)| *inner as usize + at - span.start as usize);
        let language = new.language().to_ascii_lowercase();
        let named = language.parse::<SupportLang>().ok();
        let known = named.filter(|named| LANGUAGES.iter().any(|(_, known)| known == named));
        return known.is_none_or(|known| is_comment_in(known, &old.text, &new.text, inner));
    }
    let is_html = events(after.text())
        .1
        .iter()
        .any(|range| range.contains(&at) && after.text()[at..].starts_with("<!--"));
    let is_mdx = after.path().ends_with(".mdx");
    is_mdx || is_html && events(before.text()).0 == events(after.text()).0
}

/// The structure of a Markdown text without HTML, and the ranges of the HTML.
fn events(text: &str) -> (Vec<String>, Vec<std::ops::Range<usize>>) {
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    let (mut events, mut html) = (Vec::new(), Vec::new());
    let mut words = String::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => html.push(range),
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Text(text) => words.push_str(&text),
            Event::SoftBreak => words.push(' '),
            event => {
                events.extend(words.split_whitespace().map(str::to_owned));
                words.clear();
                events.push(format!("{event:?}"));
            }
        }
    }
    (events, html)
}

/// Whether the data of both texts is equal and well-formed.
fn have_equal_values(format: Format, before: &str, after: &str) -> bool {
    let (before, after) = (Values::read(format, before), Values::read(format, after));
    let data = |values: &Values| -> Vec<_> {
        let key = |key: &Option<(String, _)>| key.as_ref().map(|(key, _)| key.clone());
        values.all.iter().map(|value| (value.datum.clone(), key(&value.key))).collect()
    };
    after.broken.is_none() && data(&before) == data(&after)
}

/// Whether a literal, a quoted name or a block comment of SQL is open at the end of `text`.
fn is_in_sql_literal(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = text[at..].find(['\'', '"', '`', '$', '-', '/']) {
        let rest = &text[at + next..];
        let (open, close) = if rest.starts_with("--") {
            (2, "\n".to_owned())
        } else if rest.starts_with("/*") {
            (2, "*/".to_owned())
        } else if let Some(tag) = rest.strip_prefix('$') {
            let name = tag.find(|c: char| !c.is_alphanumeric() && c != '_');
            match name.filter(|&end| tag[end..].starts_with('$')) {
                Some(end) => (end + 2, rest[..end + 2].to_owned()),
                None => (1, String::new()),
            }
        } else if rest.starts_with(['-', '/']) {
            (1, String::new())
        } else {
            (1, rest[..1].to_owned())
        };
        at += next + open;
        if !close.is_empty() {
            match text[at..].find(&close) {
                Some(end) => at += end + close.len(),
                None => return close != "\n",
            }
        }
    }
    false
}
