//! The tags of translations, compared with those of their source texts.

use super::compare::Pair;
use super::messages::part;
use super::model::{Form, Format};
use super::placeholders::{self, Tag};
use super::{Context, display_key};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::{Source, Span};

/// Elements of HTML that occur in texts; a translation can use others than the source.
const HTML: [&str; 53] = [
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

pub(super) fn tag_mismatch(context: &Context<'_>, report: &mut Report<'_>) {
    if matches!(context.layout.format, Format::Xliff | Format::Android) {
        return;
    }
    let source = report.source();
    for pair in context.pairs() {
        if !pair.sources.iter().any(|text| text.contains('<') && text.contains('>')) {
            continue;
        }
        let expected: Vec<Tag<'_>> =
            pair.sources.iter().flat_map(|text| placeholders::tags(text)).collect();
        if expected.is_empty()
            || pair.sources.iter().any(|text| unbalanced(&placeholders::tags(text)).is_some())
        {
            continue;
        }
        for form in &pair.entry.forms {
            if let Some((span, message)) = tag_problem(source, form, &expected, pair) {
                report.at(span, message);
            }
        }
    }
}

fn tag_problem(
    source: &Source,
    form: &Form,
    expected: &[Tag<'_>],
    pair: &Pair<'_>,
) -> Option<(Span, String)> {
    let key = || display_key(&pair.entry.key);
    let own = placeholders::tags(&form.value);
    let place = |tag: &Tag<'_>| part(source, form.span, &form.value, &tag.range);
    let is_html = |name: &str| HTML.iter().any(|html| html.eq_ignore_ascii_case(name));
    if let Some(tag) = unbalanced(&own) {
        let shown = &form.value[tag.range.clone()];
        let problem = if tag.is_end { "has no start tag" } else { "is not closed" };
        return Some((place(tag), format!("`{shown}` {problem} in `{}`", key())));
    }
    let unknown =
        own.iter().find(|tag| !is_html(tag.name) && !expected.iter().any(|it| it.name == tag.name));
    if let Some(tag) = unknown {
        let name = tag.name;
        return Some((place(tag), format!("the source text of `{}` has no tag `<{name}>`", key())));
    }
    let missing = expected.iter().find(|tag| {
        // A component is identified by a number or a name of its own.
        !is_html(tag.name) && !own.iter().any(|it| it.name == tag.name)
    });
    missing.filter(|_| pair.sources.len() == 1).map(|tag| {
        let key = key();
        (form.span, format!("the text of `{key}` has no tag `<{}>`, as the source has", tag.name))
    })
}

/// Elements of HTML without an end tag, or whose end tag is optional.
const VOID: [&str; 7] = ["br", "hr", "img", "wbr", "p", "li", "input"];

/// The first tag without its counterpart.
fn unbalanced<'a, 't>(tags: &'a [Tag<'t>]) -> Option<&'a Tag<'t>> {
    let mut open: Vec<&Tag<'_>> = Vec::new();
    for tag in tags {
        if tag.is_empty || VOID.iter().any(|void| void.eq_ignore_ascii_case(tag.name)) {
            continue;
        }
        if !tag.is_end {
            open.push(tag);
        } else if open.last().is_some_and(|start| start.name == tag.name) {
            open.pop();
        } else {
            return Some(tag);
        }
    }
    open.first().copied().and_then(|first| tags.iter().find(|tag| tag.range == first.range))
}
