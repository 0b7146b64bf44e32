//! The expressions, blocks and directives of Svelte.

use super::expressions::{find_word, names};
use super::markup::{Attribute, Markup};
use aidd_engine::parse::expressions::end_of_braces;

/// Reads an expression or the header of a block.
pub(super) fn braces(markup: &mut Markup<'_>) {
    let start = markup.at;
    let end = end_of_braces(markup.text, start);
    markup.at = end;
    expression(markup, start, end.saturating_sub(1));
}

/// Copies what is between the braces at `start` and `end`.
fn expression(markup: &mut Markup<'_>, start: usize, end: usize) {
    let text = markup.text;
    let Some(inner) = text.get(start + 1..end) else { return };
    let word = inner.trim_start();
    let from = end - word.len();
    let after = |prefix: &str| word.strip_prefix(prefix).map(|rest| end - rest.len());
    if word.starts_with('/') && !word.starts_with("/*") && !word.starts_with("//") {
        return;
    }
    if let Some(from) = after("#each") {
        let (list, rest) = match find_word(markup.slice(from, end), "as") {
            Some(at) => (from + at, markup.slice(from + at + 2, end)),
            None => (end, ""),
        };
        markup.statement(start, from, list, end);
        let pattern = rest.split('(').next().unwrap_or(rest);
        markup.declared.extend(names(pattern).map(str::to_owned));
    } else if let Some(from) = after("#await") {
        let (promise, rest) = match find_word(markup.slice(from, end), "then") {
            Some(at) => (from + at, markup.slice(from + at + 4, end)),
            None => (end, ""),
        };
        markup.statement(start, from, promise, end);
        markup.declared.extend(names(rest).map(str::to_owned));
    } else if let Some(from) = after("#snippet") {
        markup.declared.extend(names(markup.slice(from, end)).map(str::to_owned));
    } else if let Some(from) = after(":then").or_else(|| after(":catch")) {
        markup.declared.extend(names(markup.slice(from, end)).map(str::to_owned));
    } else if let Some(from) = after("@const") {
        if let Some(at) = markup.slice(from, end).find('=') {
            markup.declared.extend(names(markup.slice(from, from + at)).map(str::to_owned));
            markup.statement(start, from + at + 1, end, end);
        }
    } else if let Some(from) =
        [":else if", "#if", "#key", "@html", "@render", "@attach"].into_iter().find_map(after)
    {
        markup.statement(start, from, end, end);
    } else if !word.starts_with(['#', ':', '@']) {
        let from = if word.starts_with("...") { from + 3 } else { from };
        markup.statement(start, from, end, end);
    }
}

/// Copies the expressions of an attribute.
pub(super) fn attribute(markup: &mut Markup<'_>, attribute: &Attribute<'_>) {
    if let Some((kind, rest)) = attribute.name.split_once(':')
        && matches!(kind, "use" | "transition" | "in" | "out" | "animate")
    {
        let name = rest.split(['|', '.']).next().unwrap_or(rest);
        markup.name(name, attribute.name_at + kind.len() + 1);
    }
    let Some((equals, start, end)) = attribute.value else { return };
    if attribute.delimiter == b'{' && attribute.name.is_empty() {
        expression(markup, start - 1, end);
        return;
    }
    if attribute.delimiter == b'{' {
        markup.put(equals, b';');
        markup.put(start - 1, b'(');
        markup.copy(start, end);
        markup.put(end, b')');
        return;
    }
    let mut at = start;
    while let Some(found) = markup.text.get(at..end).and_then(|rest| rest.find('{')) {
        let from = at + found;
        let to = end_of_braces(markup.slice(0, end), from);
        expression(markup, from, to.saturating_sub(1));
        at = to;
    }
}
