//! The blocks, interpolations and directives of Vue.

use super::expressions::{find_word, names};
use super::markup::{Attribute, Markup, find_end_tag, tag_name};

/// Reads the blocks of a component: scripts, and the template if it is HTML.
pub(super) fn blocks(markup: &mut Markup<'_>) {
    while let Some(found) = markup.rest().find('<') {
        markup.at += found;
        let start = markup.at;
        if markup.rest().starts_with("<!--") {
            let end = markup.rest().find("-->");
            markup.at = end.map_or(markup.text.len(), |end| start + end + 3);
            continue;
        }
        let name = tag_name(&markup.rest()[1..]);
        if name.is_empty() {
            markup.at += 1;
            continue;
        }
        markup.at += 1 + name.len();
        let (attributes, is_closed) = markup.attributes();
        let lang = attributes.iter().find(|attribute| attribute.name == "lang");
        let lang = lang.and_then(|lang| lang.value).map(|(_, from, to)| markup.slice(from, to));
        match name {
            _ if is_closed => {}
            "script" => markup.raw(name, &attributes),
            "template" if lang.is_none_or(|lang| lang == "html") => {
                let mut depth = 1;
                while depth > 0 && markup.at < markup.text.len() {
                    depth = markup.step(depth);
                }
            }
            _ => {
                let end = find_end_tag(markup.text, markup.at, name);
                let rest = markup.text.get(end..).unwrap_or_default();
                markup.at = rest.find('>').map_or(markup.text.len(), |after| end + after + 1);
            }
        }
    }
}

/// Reads an interpolation such as `{{ name }}`.
pub(super) fn interpolation(markup: &mut Markup<'_>) {
    let start = markup.at;
    let end = match markup.rest().starts_with("{{") {
        true if markup.can_close => markup.rest().find("}}").map(|end| start + end),
        _ => None,
    };
    let Some(end) = end else {
        markup.can_close &= !markup.rest().starts_with("{{");
        markup.at += 1;
        return;
    };
    markup.put(start, b';');
    markup.put(start + 1, b'(');
    markup.copy(start + 2, end);
    markup.put(end, b')');
    markup.put(end + 1, b';');
    markup.at = end + 2;
}

/// Copies the expression of a directive.
pub(super) fn attribute(markup: &mut Markup<'_>, attribute: &Attribute<'_>) {
    let name = attribute.name;
    let short = [":", "@", "#"].into_iter().find(|short| name.starts_with(short));
    let directive = name.strip_prefix("v-");
    if short.is_none() && directive.is_none() {
        return;
    }
    let kind = directive.map(|rest| rest.split([':', '.']).next().unwrap_or(rest));
    if short == Some("#") || kind == Some("slot") {
        if let Some((_, start, end)) = attribute.value {
            declare(markup, start, end);
        }
        return;
    }
    if let Some(kind) = kind.filter(|kind| !BUILT_IN.contains(kind)) {
        markup.name(&format!("v{}", pascal_case(kind)), attribute.name_at);
    }
    let Some((equals, start, end)) = attribute.value else {
        // `:name` is short for `:name="name"`.
        let bound = name.strip_prefix("v-bind:").or_else(|| name.strip_prefix(':'));
        if let Some(bound) = bound.and_then(|bound| bound.split('.').next()) {
            let mut camel = pascal_case(bound);
            if let Some(first) = camel.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            markup.name(&camel, attribute.name_at);
        }
        return;
    };
    let mut from = start;
    if kind == Some("for") {
        let text = markup.slice(start, end);
        if let Some(at) = find_word(text, "in").or_else(|| find_word(text, "of")) {
            declare(markup, start, start + at);
            from = start + at + 2;
        }
    }
    if attribute.delimiter == b' ' {
        markup.put(equals, b';');
        markup.copy(start, end);
    } else if short == Some("@") || kind == Some("on") {
        markup.statement(start - 1, start, end, end);
    } else {
        markup.put(equals, b';');
        markup.put(start - 1, b'(');
        markup.copy(from, end);
        markup.put(end, b')');
    }
}

/// Notes the names in a pattern.
fn declare(markup: &mut Markup<'_>, start: usize, end: usize) {
    let text = markup.text;
    let pattern = text.get(start..end).unwrap_or_default();
    markup.declared.extend(names(pattern).map(str::to_owned));
}

/// The directives of Vue itself.
const BUILT_IN: &[&str] = &[
    "bind", "cloak", "else", "else-if", "for", "html", "if", "memo", "model", "on", "once", "pre",
    "show", "slot", "text",
];

/// The name of a component in Pascal case: `user-avatar` → `UserAvatar`.
pub(super) fn pascal_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    for word in name.split('-') {
        let mut letters = word.chars();
        result.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        result.push_str(letters.as_str());
    }
    result
}
