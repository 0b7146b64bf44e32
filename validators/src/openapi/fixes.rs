//! Builds the edits of fixes.

use super::document::Document;
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
