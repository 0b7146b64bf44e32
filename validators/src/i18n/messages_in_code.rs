//! Texts that program code passes to gettext, compared with the templates of the project. A text that
//! differs a little from one in a template was changed after its translation.

use super::groups;
use super::layout::layout;
use super::model::Format;
use super::usage;
use crate::cached::cached;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Span;
use std::collections::HashSet;
use std::sync::Arc;

/// The calls of gettext, and the index of the argument that is the text.
const CALLS: [(&str, usize); 12] = [
    ("_(", 0),
    ("__(", 0),
    ("gettext(", 0),
    ("gettext_lazy(", 0),
    ("ngettext(", 0),
    ("ngettext_lazy(", 0),
    ("pgettext(", 1),
    ("pgettext_lazy(", 1),
    ("npgettext(", 1),
    ("dgettext(", 1),
    ("dngettext(", 1),
    ("i18n.gettext(", 0),
];
/// The ends of the names of objects with these functions.
const OBJECTS: [&str; 6] = ["gettext", "i18n", "this", "self", "translation", "translations"];
/// Minimum length of a text that is compared, in bytes.
const MIN_TEXT: usize = 12;
/// Maximum number of characters that differ.
const MAX_DISTANCE: usize = 2;
/// Maximum number of texts of one file that are compared.
const MAX_COMPARED: usize = 40;

/// The languages whose programs use gettext.
pub(super) fn is_supported(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    ["py", "php", "js", "jsx", "ts", "tsx", "mjs", "vue"].contains(&extension)
}

/// The source texts of all templates or of all translations.
fn known(files: &dyn Files, format: Format) -> Arc<HashSet<String>> {
    cached(files, &format!("i18n source texts {format:?}"), || {
        let groups = groups::groups(files);
        let members = groups.values().flat_map(|group| &group.members).map(|(_, path)| path);
        let mut texts = HashSet::new();
        for path in members.filter(|path| layout(path).is_some_and(|it| it.format == format)) {
            let catalogue = groups::catalogue(files, path);
            for entry in Option::as_ref(&catalogue).into_iter().flat_map(|it| &it.entries) {
                let (text, plural) = entry.source.clone().unwrap_or_default();
                texts.extend([Some(text), plural].into_iter().flatten());
            }
        }
        texts
    })
}

pub(super) fn check(files: &dyn Files, report: &mut Report<'_>) {
    let source = report.source();
    let found = texts(source.text());
    if found.is_empty() {
        return;
    }
    let templates = known(files, Format::Pot);
    let texts = if templates.is_empty() { known(files, Format::Po) } else { templates };
    if texts.is_empty() {
        return;
    }
    let unknown = found.into_iter().filter(|(text, _)| !texts.contains(*text));
    for (text, span) in unknown.take(MAX_COMPARED) {
        let near = texts
            .iter()
            .filter(|known| known.len().abs_diff(text.len()) <= MAX_DISTANCE)
            .filter(|known| strsim::levenshtein(known, text) <= MAX_DISTANCE)
            .min();
        // The templates can be older than the translations.
        if let Some(near) = near.filter(|_| !known(files, Format::Po).contains(text)) {
            let shown = super::abbreviate(text);
            report.at(span, format!("no catalogue has the text `{shown}`")).help(format!(
                "Did you mean `{}`? Otherwise, extract the texts again",
                super::abbreviate(near)
            ));
        }
    }
}

/// The texts that are written in calls of gettext, without escape sequences.
fn texts(text: &str) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for (call, index) in CALLS {
        for at in memchr::memmem::find_iter(text.as_bytes(), call.as_bytes()) {
            let before = &text[..at];
            let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            // Other objects have methods with these names.
            let is_other = before
                .strip_suffix('.')
                .is_some_and(|object| !OBJECTS.iter().any(|name| object.ends_with(name)));
            if is_word || is_other || usage::is_comment(text, at) {
                continue;
            }
            let arguments = &text[at + call.len()..];
            let mut rest = arguments;
            for _ in 0..index {
                let Some((_, after)) = string(rest) else { break };
                rest = after.strip_prefix(',').unwrap_or_default();
            }
            let Some((value, after)) = string(rest) else { continue };
            // A string that continues is not the whole text.
            if value.len() >= MIN_TEXT && after.starts_with([',', ')']) {
                let start =
                    at + call.len() + (value.as_ptr() as usize - arguments.as_ptr() as usize);
                found.push((value, Span::new(start, start + value.len())));
            }
        }
    }
    found
}

/// The string at the start of `text` after space, and what follows it after space.
fn string(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let end = text[1..].find([quote, '\n', '\\'])?;
    let after = text[1 + end..].strip_prefix(quote)?;
    (end > 0).then(|| (&text[1..1 + end], after.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_in_calls() {
        let text = "_('Save all changes') ngettext(\"%d selected file\", '%d selected files', n) \
                    pgettext('menu', 'Open another file') _('one text' 'continued') \
                    obj.my_('not a call of it') conf.gettext('name_of_setting')\n# _('in a comment here')\n_('short')";
        let found = texts(text);
        let names: Vec<&str> = found.iter().map(|(text, _)| *text).collect();
        assert_eq!(names, ["Save all changes", "%d selected file", "Open another file"]);
        for (value, span) in found {
            assert_eq!(&text[span.range()], value);
        }
    }
}
