//! Files that contain user-interface strings: `locales/de/settings.json`, `lang/fr/auth.php`. Their
//! keys are named like settings, and their values are read by people.

use super::values::is_label;
use aidd_engine::parse::ini::find_closing_quote;
use aidd_lexicon::tables::credentials as table;

/// Maximum number of values examined: the first values are enough to distinguish labels from
/// settings.
const MAX_VALUES: usize = 2000;

/// Whether most values of the file are user-interface strings.
pub(super) fn is_label_file(path: &str, text: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_by_line = matches!(
        extension.to_ascii_lowercase().as_str(),
        "yml" | "yaml" | "properties" | "ini" | "strings" | "toml"
    );
    let (mut labels, mut total) = (0, 0);
    let mut count = |value: &str| {
        total += usize::from(value.len() >= 2);
        labels += usize::from(value.len() >= 2 && is_human_readable(value));
        total < MAX_VALUES
    };
    if is_by_line {
        line_values(text).all(&mut count);
    } else {
        quoted_values(text, &mut count);
    }
    // If the path contains a language, fewer values are sufficient evidence.
    if is_localized(path) {
        total >= 2 && labels * 2 >= total
    } else {
        total >= 8 && labels * 10 >= total * 7
    }
}

/// Whether a value is human-readable text: a sentence, a title, or a word in a non-Latin script.
fn is_human_readable(value: &str) -> bool {
    let words = || value.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
    let is_title = || {
        let mut chars = value.trim_end_matches(['.', '!', '?', ':', '…']).chars();
        chars.next().is_some_and(char::is_uppercase) && chars.all(char::is_lowercase)
    };
    !value.contains("://") && (is_label(value) || is_title() || words().nth(1).is_some())
}

/// Whether a segment of the path is a language (`pt-BR`, `messages.fr.json`) or a directory of
/// translations.
fn is_localized(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_localized_directory = |directory: &str| {
        is_language(directory)
            || table::TRANSLATION_FOLDERS.contains(&directory.to_ascii_lowercase())
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    directories.split('/').any(is_localized_directory)
        || is_language(stem)
        || stem.rsplit(['.', '_']).next().is_some_and(is_language)
}

/// A language tag: `de`, `zh_CN`, `sr-Latn`.
fn is_language(tag: &str) -> bool {
    let (language, rest) = tag.split_once(['-', '_']).unwrap_or((tag, ""));
    table::LANGUAGES.contains(&language.to_ascii_lowercase())
        && rest.len() <= 8
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The values of a file with one setting per line.
fn line_values(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim();
        let (_, value) = line.split_once([':', '=']).filter(|_| !line.starts_with('#'))?;
        Some(value.trim().trim_matches(['"', '\'', ',']))
    })
}

/// Calls `count` with each quoted string that is not a key, until `count` returns `false`.
fn quoted_values<'a>(text: &'a str, count: &mut impl FnMut(&'a str) -> bool) {
    let mut at = 0;
    while let Some(open) = text[at..].find(['"', '\'']).map(|open| at + open) {
        let quote = if text[open..].starts_with('"') { '"' } else { '\'' };
        at = open + 1;
        let Some(length) = find_closing_quote(&text[at..], quote) else { continue };
        let (value, after) = (&text[at..at + length], text[at + length + 1..].trim_start());
        // The apostrophe of a comment is not a quote.
        if value.contains('\n') {
            continue;
        }
        at += length + 1;
        if !after.starts_with([':', '=']) && !count(value) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_user_interface_strings_are_recognised() {
        let labels = r#"{"save": "Speichern", "cancel": "Abbrechen", "password": "Passwort"}"#;
        assert!(is_label_file("app/de/settings.json", labels));
        assert!(is_label_file("locales/settings.json", labels));
        assert!(is_label_file("app/settings.de.json", labels));
        // If the path contains no language, three texts are not sufficient evidence.
        assert!(!is_label_file("app/settings.json", labels));
        let many: String = (0..8).map(|at| format!("'k{at}' => 'Log in to “x”',\n")).collect();
        assert!(is_label_file("app/settings.php", &many));
        let settings = r#"{"host": "db.internal", "user": "shop", "password": "tangerine"}"#;
        assert!(!is_label_file("locales/de/settings.json", settings));
    }
}
