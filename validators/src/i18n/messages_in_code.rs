//! Texts that program code passes to gettext, compared with the templates of the project. A text that
//! differs a little from one in a template was changed after its translation.

use super::calls;
use super::groups;
use super::layout::layout;
use super::model::Format;
use crate::cached::cached;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Span;
use std::collections::HashSet;
use std::sync::Arc;

/// The functions of gettext, and the index of the argument that is the text.
const FUNCTIONS: [(&str, usize); 21] = [
    ("_", 0),
    ("__", 0),
    ("N_", 0),
    ("Q_", 0),
    ("C_", 1),
    ("NC_", 1),
    ("gettext", 0),
    ("gettext_lazy", 0),
    ("gettext_noop", 0),
    ("ngettext", 0),
    ("ngettext_lazy", 0),
    ("pgettext", 1),
    ("pgettext_lazy", 1),
    ("npgettext", 1),
    ("dgettext", 1),
    ("dngettext", 1),
    ("dpgettext", 2),
    ("dpngettext", 2),
    ("g_dgettext", 1),
    ("g_dngettext", 1),
    ("g_dpgettext2", 2),
];
/// The ends of the names of objects with these functions.
const OBJECTS: [&str; 7] =
    ["gettext", "Gettext", "i18n", "this", "self", "translation", "translations"];
/// A length that no name of [`FUNCTIONS`] has, in bytes.
const MAX_FUNCTION: usize = 16;
/// Minimum length of a text that is compared, in bytes.
const MIN_TEXT: usize = 12;
/// Maximum number of characters that differ.
const MAX_DISTANCE: usize = 2;
/// Maximum number of texts of one file that are compared.
const MAX_COMPARED: usize = 40;

/// The extensions of programs that use gettext.
const EXTENSIONS: [&str; 22] = [
    "py", "php", "js", "jsx", "ts", "tsx", "mjs", "vue", "c", "cc", "cpp", "cxx", "h", "hh", "hpp",
    "m", "vala", "ex", "exs", "eex", "heex", "leex",
];

/// The languages whose programs use gettext.
pub(super) fn is_supported(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
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
                let (text, plural) = entry.sources().unwrap_or_default();
                texts.extend([Some(text), plural].into_iter().flatten().map(str::to_owned));
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
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'(', bytes) {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        // In the style of GNU, a space follows the name.
        let end = text[..at].strip_suffix(' ').map_or(at, str::len);
        let length = bytes[..end].iter().rev().take(MAX_FUNCTION).take_while(is_name).count();
        let (before, name) = text[..end].split_at(end - length);
        let Some(&(_, index)) = FUNCTIONS.iter().find(|(function, _)| *function == name) else {
            continue;
        };
        // Other objects have methods with these names.
        let is_other = before
            .strip_suffix('.')
            .is_some_and(|object| !OBJECTS.iter().any(|name| object.ends_with(name)));
        if before.ends_with(char::is_alphanumeric) || is_other || calls::is_comment(text, at) {
            continue;
        }
        let arguments = &text[at + 1..];
        let rest = (0..index).try_fold(arguments, |rest, _| after_argument(rest));
        let Some((value, after)) = rest.and_then(string) else { continue };
        // A string that continues is not the whole text.
        if value.len() >= MIN_TEXT && after.starts_with([',', ')']) {
            let start = at + 1 + (value.as_ptr() as usize - arguments.as_ptr() as usize);
            found.push((value, Span::new(start, start + value.len())));
        }
    }
    found
}

/// What follows the comma after an argument that is a string or a name.
fn after_argument(text: &str) -> Option<&str> {
    let after = string(text).map_or_else(
        || text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | ' ')),
        |(_, after)| after,
    );
    after.strip_prefix(',')
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
                    pgettext('menu', 'Open another file') _('one text' 'continued') _ (\"Close all windows\") \
                    obj.my_('not a call of it') conf.gettext('name_of_setting')\n# _('in a comment here')\n_('short')";
        let found = texts(text);
        let names: Vec<&str> = found.iter().map(|(text, _)| *text).collect();
        assert_eq!(
            names,
            ["Save all changes", "%d selected file", "Open another file", "Close all windows"]
        );
        for (value, span) in found {
            assert_eq!(&text[span.range()], value);
        }
    }
}
