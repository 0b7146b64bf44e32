//! Builds the edits of fixes.

use super::document::Document;
use super::schemas::types;
use aidd_engine::parse::values::Datum;
use aidd_engine::text::finding::{Edit, Finding};
use aidd_engine::text::source::Span;

/// Suggests `near` in place of the name at `span`, which is written as `name`.
pub(super) fn suggest(
    document: &Document<'_>,
    finding: &mut Finding,
    (span, name): (Span, &str),
    near: &str,
) {
    finding.help(format!("Did you mean `{near}`?"));
    if let Some(span) = unquoted_span(document, span, name).filter(|_| is_typo(name, near)) {
        finding.fix_unsafe(format!("Write `{near}`"), vec![Edit::replace(span, near)]);
    }
}

/// Whether one name is likely to be a misspelling of the other: they differ only in punctuation and
/// case or, if they are long enough, in at most two adjacent characters.
fn is_typo(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let (one, other) = (letters(one), letters(other));
    let count =
        |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(a, b)| a == b).count();
    let same_start = count(&mut one.chars().zip(other.chars()));
    let same_end = count(&mut one.chars().rev().zip(other.chars().rev()));
    let longer = one.chars().count().max(other.chars().count());
    one == other || longer > 3 && same_start + same_end + 2 >= longer
}

/// The span of a string without its quotes; `None` if it is written with escapes.
pub(super) fn unquoted(document: &Document<'_>, at: usize) -> Option<Span> {
    let span = document.values.all[at].span;
    let text = document.text(at)?;
    unquoted_span(document, span, text)
}

/// The span of the key of `at` without its quotes; `None` if it is written with escapes.
pub(super) fn unquoted_key(document: &Document<'_>, at: usize) -> Option<Span> {
    let (key, span) = document.values.all[at].key.as_ref()?;
    unquoted_span(document, *span, key)
}

pub(super) fn unquoted_span(document: &Document<'_>, mut span: Span, text: &str) -> Option<Span> {
    let written = document.source.slice(span);
    if written.len() == text.len() + 2 {
        span.start += 1;
        span.end -= 1;
    }
    (document.source.slice(span) == text).then_some(span)
}

/// The value at `at` as a value of the type of a schema: a number or a boolean as a string, or a
/// string as a number or a boolean. `None` if the schema has several types or other restrictions.
pub(super) fn conversion(
    document: &Document<'_>,
    schema: usize,
    at: usize,
) -> Option<(Span, String)> {
    const RESTRICTIONS: [&str; 8] = [
        "enum",
        "const",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    ];
    let schema = document.resolve(schema)?;
    let is_restricted = RESTRICTIONS.iter().any(|field| document.get(schema, field).is_some());
    let [name] = types(document, schema)[..] else { return None };
    let span = document.values.all[at].span;
    let written = document.source.slice(span);
    if is_restricted || written.contains('\n') {
        return None;
    }
    match (name, document.datum(at)) {
        ("string", Datum::Number(_) | Datum::Bool(_)) if !written.contains(['"', '\'']) => {
            Some((span, format!("\"{written}\"")))
        }
        ("integer", Datum::Text(text))
            if text.parse::<i64>().is_ok_and(|number| number.to_string() == *text) =>
        {
            Some((span, text.clone()))
        }
        ("number", Datum::Text(text)) if serde_json::from_str::<f64>(text).is_ok() => {
            Some((span, text.clone()))
        }
        ("boolean", Datum::Text(text)) if matches!(text.as_str(), "true" | "false") => {
            Some((span, text.clone()))
        }
        _ => None,
    }
}

/// Removes the item `item` of a list, which follows the item `before`.
pub(super) fn removal(document: &Document<'_>, before: usize, item: usize) -> Option<Edit> {
    let (start, end) = (end_of(document, before)?, end_of(document, item)?);
    let from = document.values.all[item].span.start;
    let between = Span { start, end: from };
    // A comment, an anchor or an alias between the items prevents the removal.
    let is_plain = start <= from
        && end > from
        && document
            .source
            .slice(between)
            .chars()
            .all(|c| c.is_whitespace() || c == ',' || c == '-');
    is_plain.then(|| Edit::delete(Span { start, end }))
}

/// Removes an item of a list, unless it is the first.
pub(super) fn item_removal(document: &Document<'_>, item: usize) -> Option<Edit> {
    let items = document.children(document.parent(item)?);
    let position = items.iter().position(|&other| other == item)?;
    removal(document, *items.get(position.checked_sub(1)?)?, item)
}

/// The end of a value as written: a mapping in block style ends with its last scalar.
fn end_of(document: &Document<'_>, mut at: usize) -> Option<u32> {
    loop {
        let value = &document.values.all[at];
        let is_flow = document.source.slice(value.span).starts_with(['{', '[']);
        match value.children.last() {
            Some(&last) if !is_flow => at = last,
            // An implicit null has no position.
            _ => return (!value.span.is_empty()).then_some(value.span.end),
        }
    }
}

/// The insertion of an entry (key and value) after the field `field` of the object `at`, if the
/// object is written on several lines or in JSON.
pub(super) fn insertion_after(
    document: &Document<'_>,
    at: usize,
    field: &str,
    (name, written_value): (&str, &str),
) -> Option<(u32, String)> {
    let value = document.get(at, field)?;
    let (_, key) = document.values.all[value].key.as_ref()?;
    let span = document.values.all[value].span;
    let text = document.source.text();
    let line = text[..key.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..key.start as usize];
    let is_json = document.source.slice(*key).starts_with('"');
    let is_block = before.trim_start_matches([' ', '\t', '-']).is_empty();
    let rest = text[span.end as usize..].split('\n').next().unwrap_or_default();
    let written = match (is_json, is_block) {
        (true, true) => {
            let indent: String =
                before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            format!(",\n{indent}\"{name}\": {written_value}")
        }
        (true, false) => format!(", \"{name}\": {written_value}"),
        (false, true) if rest.trim().is_empty() => {
            let indent = " ".repeat(before.len());
            format!("\n{indent}{name}: {written_value}")
        }
        (false, true) => return None,
        (false, false) => format!(", {name}: {written_value}"),
    };
    Some((span.end, written))
}

/// The insertion of the scalar `text` as the last item of a list, after the item `last`.
pub(super) fn insertion_after_item(
    document: &Document<'_>,
    last: usize,
    text: &str,
) -> Option<(u32, String)> {
    let list = document.parent(last)?;
    let span = document.values.all[last].span;
    if span.is_empty() {
        return None;
    }
    let source = document.source.text();
    let line = source[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let before = &source[line..span.start as usize];
    if document.source.slice(document.values.all[list].span).starts_with('[') {
        let is_line = before.trim().is_empty();
        let separator = if is_line { format!(",\n{before}") } else { ", ".to_owned() };
        return Some((span.end, format!("{separator}{text}")));
    }
    let indent = before.trim_end().strip_suffix('-')?;
    let rest = source[span.end as usize..].split('\n').next().unwrap_or_default();
    let is_plain = indent.trim().is_empty() && rest.trim().is_empty();
    is_plain.then(|| (span.end, format!("\n{indent}- {text}")))
}

/// Removes the entry `at` of a mapping, unless it is the only entry.
pub(super) fn entry_removal(document: &Document<'_>, at: usize) -> Option<Span> {
    let mapping = document.parent(at)?;
    let (_, key) = document.values.all[at].key.as_ref()?;
    let siblings = document.children(mapping);
    let position = siblings.iter().position(|&sibling| sibling == at)?;
    let end = end_of(document, at)?;
    let source = document.source.text();
    let is_between = |start: u32, end: u32| {
        let gap = source.get(start as usize..end as usize);
        gap.is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || c == ','))
    };
    if siblings.len() < 2 || source.get(key.start as usize..end as usize)?.contains('&') {
        return None;
    }
    if document.source.slice(document.values.all[mapping].span).starts_with('{') {
        if let Some(before) = position.checked_sub(1) {
            let start = end_of(document, siblings[before])?;
            return is_between(start, key.start).then_some(Span { start, end });
        }
        let (_, next) = document.values.all[siblings[1]].key.as_ref()?;
        return is_between(end, next.start).then_some(Span { start: key.start, end: next.start });
    }
    let start = source[..key.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let rest = &source[end as usize..];
    let is_ended = source[..end as usize].ends_with('\n');
    let line = if is_ended { "" } else { rest.split_inclusive('\n').next().unwrap_or_default() };
    let is_plain = source[start..key.start as usize].trim().is_empty() && line.trim().is_empty();
    let end = end + u32::try_from(line.len()).ok()?;
    is_plain.then(|| Span { start: u32::try_from(start).unwrap_or(key.start), end })
}

#[cfg(test)]
mod tests {
    use super::is_typo;

    #[test]
    fn only_similar_names_are_fixed() {
        for (one, other) in [("ordrs", "orders"), ("Orders", "orders"), ("user-id", "userId")] {
            assert!(is_typo(one, other), "{one} {other}");
        }
        assert!(is_typo("#/components/schemas/Oder", "#/components/schemas/Order"));
        assert!(!is_typo("S3 integration", "interaction"));
        assert!(!is_typo("reports", "orders"));
    }
}
