//! The tags of translations, compared with those of their source texts.

use super::compare::Pair;
use super::icu;
use super::messages::part;
use super::model::Format;
use super::placeholders::{self, Tag};
use super::{Context, display_key, locale};
use aidd_engine::rules::rule::Report;
use std::borrow::Cow;

/// Elements of HTML that occur in texts; a translation can use others than the source.
const HTML: [&str; 54] = [
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "blockquote",
    "br",
    "button",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "li",
    "mark",
    "nobr",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "tt",
    "u",
    "ul",
    "wbr",
    "xliff",
];

/// Inline elements of documents that only mark a name; see the head of the file.
const MARKUP: &str = include_str!("markup.txt");

/// Whether an element of a document in DocBook or Mallard only marks a name, so that a translation
/// without it is complete.
fn is_markup(name: &str) -> bool {
    let lines = MARKUP.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).any(|markup| markup == name)
}

pub(super) fn tag_mismatch(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let format = context.layout.format;
    for pair in context.pairs() {
        let has_tags = |text: &&str| {
            text.contains('<') && text.contains('>')
                || format == Format::Xliff && text.contains("&lt;")
        };
        if !pair.sources.iter().any(has_tags) {
            continue;
        }
        let sources: Vec<Cow<'_, str>> =
            pair.sources.iter().map(|text| characters(format, text)).collect();
        let expected: Vec<Vec<Tag<'_>>> = sources.iter().map(|text| tags(format, text)).collect();
        if expected.iter().all(Vec::is_empty)
            || expected.iter().any(|tags| unbalanced(tags).is_some())
        {
            continue;
        }
        let needed: Vec<Vec<Tag<'_>>> = (sources.iter().zip(&expected))
            .map(|(text, tags)| needed(context, pair, text, tags))
            .collect();
        for form in pair.entry.forms.iter().filter(|form| !form.value.is_empty()) {
            let value = characters(format, &form.value);
            let place = |tag: &Tag<'_>| part(source, form.span, &value, &tag.range);
            if let Some((tag, message)) =
                tag_problem(format, &value, &tags(format, &value), (&expected, &needed), pair)
            {
                if super::unused::is_unused(context, &pair.entry.key) {
                    break;
                }
                report.at(tag.map_or(form.span, |tag| place(&tag)), message);
            }
        }
    }
}

/// The text; of XLIFF, the characters without the elements of the format.
fn characters(format: Format, text: &str) -> Cow<'_, str> {
    if format != Format::Xliff {
        return Cow::Borrowed(text);
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        found.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('>') else { break };
        rest = &rest[at + end + 1..];
    }
    found.push_str(rest);
    Cow::Owned(
        found
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&amp;", "&"),
    )
}

/// The tags of a text. In messages in JSON, those in apostrophes are text.
fn tags(format: Format, text: &str) -> Vec<Tag<'_>> {
    let mut found = placeholders::tags(text);
    if format == Format::Json && text.contains('\'') {
        let quoted = icu::quoted(text);
        found.retain(|tag| !quoted.iter().any(|it| it.contains(&tag.range.start)));
    }
    found
}

/// The tags of a source text without those in options of a plural that the language does not have.
fn needed<'t>(
    context: &Context<'_>,
    pair: &Pair<'_>,
    text: &str,
    tags: &[Tag<'t>],
) -> Vec<Tag<'t>> {
    let mut needed = tags.to_vec();
    let plurals = context.locale_of(pair.entry).and_then(locale::plurals);
    if let Some(plurals) = plurals.filter(|_| pair.is_icu(context) && icu::is_certain(text)) {
        let options = icu::parse(text, context.layout.format != Format::Arb).options;
        needed.retain(|tag| {
            let mut around = options.iter().filter(|(_, range)| range.contains(&tag.range.start));
            around.all(|(selector, _)| selector == "other" || plurals.has(selector))
        });
    }
    needed
}

/// The first defect: its tag, unless it is missing, and the message.
fn tag_problem<'t>(
    format: Format,
    value: &'t str,
    own: &[Tag<'t>],
    (expected, needed): (&[Vec<Tag<'_>>], &[Vec<Tag<'_>>]),
    pair: &Pair<'_>,
) -> Option<(Option<Tag<'t>>, String)> {
    let key = || display_key(&pair.entry.key);
    if let Some(Unbalanced { tag, before }) = unbalanced(own) {
        let shown = &value[tag.range.clone()];
        let problem = match before {
            Some(end) => format!("is not closed before `{}`", &value[end.range.clone()]),
            None if tag.is_end => "has no start tag".to_owned(),
            None => "is not closed".to_owned(),
        };
        return Some((Some(tag.clone()), format!("`{shown}` {problem} in `{}`", key())));
    }
    let has = |tags: &[Tag<'_>], name: &str| tags.iter().any(|tag| is_same(tag.name, name));
    let is_known =
        |tag: &&Tag<'_>| is_html(tag.name) || expected.iter().any(|tags| has(tags, tag.name));
    if let Some(tag) = own.iter().find(|tag| !is_known(tag)) {
        let name = tag.name;
        let message = format!("the source text of `{}` has no tag `<{name}>`", key());
        return Some((Some(tag.clone()), message));
    }
    // A component is identified by a number or a name of its own. The text of one plural form can
    // omit what another one has.
    let (first, others) = needed.split_first()?;
    // Swing shows the other tags of a text without `<html>` as they are.
    let is_needed_html = |name: &str| name.eq_ignore_ascii_case("html") && !own.is_empty();
    let can_omit = |name: &str| {
        is_html(name) && !is_needed_html(name) || format == Format::Po && is_markup(name)
    };
    let missing = first.iter().find(|tag| {
        !can_omit(tag.name) && !has(own, tag.name) && others.iter().all(|tags| has(tags, tag.name))
    });
    missing.map(|tag| {
        let key = key();
        (None, format!("the text of `{key}` has no tag `<{}>`, as the source has", tag.name))
    })
}

fn is_html(name: &str) -> bool {
    HTML.iter().any(|html| html.eq_ignore_ascii_case(name))
}

/// Whether two tags have the same name. Only the names of HTML ignore case.
fn is_same(name: &str, other: &str) -> bool {
    name == other || name.eq_ignore_ascii_case(other) && is_html(name)
}

/// Elements of HTML without an end tag, or whose end tag is optional.
const VOID: [&str; 8] = ["br", "hr", "img", "wbr", "p", "li", "input", "html"];

/// A tag without its counterpart.
struct Unbalanced<'a, 't> {
    tag: &'a Tag<'t>,
    /// The end tag of an element around it, before which it should be closed.
    before: Option<&'a Tag<'t>>,
}

/// The first tag without its counterpart.
fn unbalanced<'a, 't>(tags: &'a [Tag<'t>]) -> Option<Unbalanced<'a, 't>> {
    let mut open: Vec<&'a Tag<'t>> = Vec::new();
    for tag in tags {
        if tag.is_empty || VOID.iter().any(|void| void.eq_ignore_ascii_case(tag.name)) {
            continue;
        }
        if !tag.is_end {
            open.push(tag);
            continue;
        }
        match open.iter().rposition(|start| is_same(start.name, tag.name)) {
            Some(at) if at + 1 == open.len() => open.truncate(at),
            Some(_) => {
                return open.last().map(|inner| Unbalanced { tag: inner, before: Some(tag) });
            }
            None => return Some(Unbalanced { tag, before: None }),
        }
    }
    open.first().map(|first| Unbalanced { tag: first, before: None })
}
