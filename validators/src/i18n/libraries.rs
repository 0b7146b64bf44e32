//! Uses of texts in JavaScript whose keys are not the first argument of a call: the ids of FormatJS,
//! and the namespaces of next-intl.

use aidd_engine::text::source::Span;

/// How much of a call or an element is read, in bytes.
const MAX_CALL: usize = 600;
/// The start of each use of an id of FormatJS, and what ends it outside of brackets.
const STARTS: [(&str, u8); 2] = [("formatMessage(", b')'), ("<FormattedMessage", b'>')];
/// The functions of next-intl that return a translator for a namespace.
const TRANSLATORS: [&str; 2] = ["useTranslations(", "getTranslations("];

/// Whether the text uses next-intl.
pub(super) fn is_next_intl(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"next-intl").is_some()
}

/// The namespaces of the translators of a file; `None` if one of them is not written in the file.
pub(super) fn namespaces(text: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for name in TRANSLATORS {
        for at in memchr::memmem::find_iter(text.as_bytes(), name.as_bytes()) {
            let rest = text[at + name.len()..].trim_start();
            // `getTranslations({ locale, namespace: 'ns' })`
            let end = rest.find(')').unwrap_or(rest.len());
            let options = rest.starts_with('{').then(|| &rest[..end]);
            let rest = match options {
                Some(options) => options.split_once("namespace:")?.1.trim_start(),
                None if rest.starts_with(')') => {
                    found.push("");
                    continue;
                }
                None => rest,
            };
            found.push(quoted(rest)?.0);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The string at the start of `text`, and its offset.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let end = text[1..].find([quote, '\n', '\\', '$'])?;
    text[1 + end..].starts_with(quote).then(|| (&text[1..1 + end], 1))
}

/// The offset of the first `end` that is outside of brackets.
fn end_of(text: &str, end: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if byte == end && depth == 0 => return Some(at),
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The ids of FormatJS that are used without a default text, with their spans.
pub(super) fn ids(text: &str) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for (start, end) in STARTS {
        for at in memchr::memmem::find_iter(text.as_bytes(), start.as_bytes()) {
            let from = at + start.len();
            let rest = &text[from..text.floor_char_boundary(from + MAX_CALL)];
            let Some(length) = end_of(rest, end) else { continue };
            let call = &rest[..length];
            let is_checked = !call.contains("defaultMessage") && !call.contains("...");
            if !is_checked || super::calls::is_comment(text, at) {
                continue;
            }
            let mut names = call.match_indices("id").filter(|(at, _)| {
                let before = call[..*at].chars().next_back();
                let after = call[at + 2..].trim_start();
                before.is_none_or(|c| c.is_whitespace() || matches!(c, '{' | ','))
                    && after.starts_with([':', '='])
            });
            let Some((name, _)) = names.next() else { continue };
            let value = call[name + 2..].trim_start()[1..].trim_start();
            let value = value.strip_prefix('{').unwrap_or(value).trim_start();
            let Some((id, quote)) = quoted(value) else { continue };
            // The id is completed at run time.
            let after = value[quote + id.len() + 1..].trim_start();
            if after.starts_with(['+', '?', '|', '&']) || id.is_empty() {
                continue;
            }
            let offset = from + call.len() - call[name..].len();
            let offset =
                offset + (value.as_ptr() as usize - call[name..].as_ptr() as usize) + quote;
            found.push((id, Span::new(offset, offset + id.len())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_a_default_text_are_found() {
        let text = "intl.formatMessage({ id: 'a.b' }, { x }); <FormattedMessage\n  id=\"c.d\"\n/> \
                    <FormattedMessage id={'e.f'} values={{ n }} /> formatMessage({ id: \"g\", \
                    defaultMessage: 'G' }) formatMessage({ id: 'h.' + x }) formatMessage(messages.i) \
                    <FormattedMessage id='j' values={{ b: (c) => <b>{c}</b> }} defaultMessage='J' />";
        let found = ids(text);
        let names: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        assert_eq!(names, ["a.b", "c.d", "e.f"]);
        for (id, span) in found {
            assert_eq!(&text[span.range()], id);
        }
    }

    #[test]
    fn namespaces_are_known_only_if_all_are_written() {
        let a = "const t = useTranslations('A.b'); const u = await getTranslations({ locale, \
                 namespace: \"C\" });";
        assert_eq!(namespaces(a), Some(vec!["A.b", "C"]));
        assert_eq!(namespaces("useTranslations()"), Some(vec![""]));
        assert_eq!(namespaces("useTranslations(name)"), None);
        assert_eq!(namespaces("t('a')"), None);
    }
}
