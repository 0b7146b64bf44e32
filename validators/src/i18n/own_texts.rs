//! Keys and texts that a catalogue need not have, or may have in addition: those that a library supplies
//! itself, and those that fall back to a source in the same language.

use super::Context;
use super::layout::layout;
use super::locale;
use super::model::{Catalogue, Entry, Format};
use super::read;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words of English; see the head of the file.
const ENGLISH: &str = include_str!("english.txt");
/// Minimum number of words of a text that shows its language.
const MIN_WORDS: usize = 3;
/// Minimum number of texts that show the language of a catalogue.
const MIN_TEXTS: usize = 5;

/// Keys and names of libraries; see the head of the file.
static LISTS: LazyLock<Lists> = LazyLock::new(|| read_lists(include_str!("own_texts.txt")));

/// The lists of the data file.
#[derive(Default)]
struct Lists {
    /// The keys of the catalogues that Laravel brings along.
    laravel: Vec<&'static str>,
    /// Names that Laravel replaces in all messages of validations.
    validations: Vec<&'static str>,
    /// The beginnings of the keys whose English texts Rails brings along.
    rails: Vec<&'static str>,
    /// The beginnings of the keys of settings of common programs.
    settings: Vec<&'static str>,
}

fn read_lists(data: &'static str) -> Lists {
    let mut lists = Lists::default();
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    for (name, words) in lines.filter_map(|line| line.split_once(':')) {
        let list = match name {
            "laravel" => &mut lists.laravel,
            "validations" => &mut lists.validations,
            "rails" => &mut lists.rails,
            "settings" => &mut lists.settings,
            _ => continue,
        };
        list.extend(words.split_whitespace());
    }
    lists
}

/// Whether the library has a text for a key that the source catalogue does not define, or the key is the
/// text, as `has_texts` stores for the source.
pub(super) fn is_supplied(
    context: &Context<'_>,
    source: &Catalogue,
    key: &str,
    has_texts: &OnceCell<bool>,
) -> bool {
    match context.layout.format {
        Format::Php => {
            let file = context.layout.group.rsplit('/').next().unwrap_or_default();
            is_of_laravel(&format!("{}.{key}", file.trim_end_matches(".php")))
        }
        Format::Json => {
            key.contains(' ')
                && *has_texts.get_or_init(|| {
                    let is_text = |entry: &Entry| {
                        let mut texts = entry.forms.iter().map(|form| &form.value);
                        entry.key.contains(' ') && texts.any(|text| *text == entry.key)
                    };
                    source.entries.iter().any(is_text)
                })
        }
        Format::Yaml => {
            context.layout.group.contains("config/locales/")
                && LISTS.rails.iter().any(|start| key.starts_with(start))
        }
        _ => false,
    }
}

/// Whether Laravel has an English text for a key, which starts with the name of its file.
pub(super) fn is_of_laravel(key: &str) -> bool {
    key.starts_with("validation.") || LISTS.laravel.contains(&key)
}

/// Whether a translation does not need the key: slang marks keys that can be missing, and comments; the
/// sample in the validations of Laravel; and the plural forms of GWT, which differ by language.
pub(super) fn is_optional(context: &Context<'_>, key: &str) -> bool {
    match context.layout.format {
        Format::Php => key == "custom.attribute-name.rule-name",
        Format::Properties => key.ends_with(']') && key.contains('['),
        _ => key.split('.').any(|part| part.starts_with('@') || part.contains("(ignoreMissing")),
    }
}

/// Whether Laravel replaces the name in all texts of the catalogue.
pub(super) fn is_of_validations(context: &Context<'_>, name: &str) -> bool {
    context.layout.format == Format::Php
        && context.layout.group.ends_with("/validation.php")
        && LISTS.validations.contains(&name)
}

/// Whether the texts are in the language of the source, to whose texts they fall back.
pub(super) fn is_source_language(context: &Context<'_>) -> bool {
    let Some(own) = context.layout.locale.as_deref().map(locale::language) else { return false };
    let Some((path, Some(source))) = context.source else { return false };
    if let Some(locale) = layout(path).and_then(|it| it.locale) {
        return locale::language(&locale) == own;
    }
    // The path does not state the language.
    let texts: HashMap<&str, &str> = texts(source).collect();
    let (mut same, mut all) = (0_usize, 0_usize);
    for (key, text) in self::texts(context.own) {
        if let Some(original) = texts.get(key) {
            (same, all) = (same + usize::from(text == *original), all + 1);
        }
    }
    if own == "en" {
        return same * 2 > all || is_english(source);
    }
    all >= MIN_TEXTS && same * 10 >= all * 9 && !is_english(source)
}

/// The keys and texts of the entries that have one text.
fn texts(catalogue: &Catalogue) -> impl Iterator<Item = (&str, &str)> {
    catalogue.entries.iter().filter_map(|entry| match &*entry.forms {
        [form] if !form.value.is_empty() => Some((&*entry.key, &*form.value)),
        _ => None,
    })
}

/// Whether the texts of a catalogue are English: each fifth of several words has one that few other
/// languages have.
fn is_english(catalogue: &Catalogue) -> bool {
    let words: HashSet<&str> = ENGLISH
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect();
    let (mut english, mut all) = (0_usize, 0_usize);
    for (_, text) in texts(catalogue) {
        let mut own = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1);
        if own.clone().count() >= MIN_WORDS {
            let has_word = own.any(|word| words.contains(&*word.to_ascii_lowercase()));
            (english, all) = (english + usize::from(has_word), all + 1);
        }
    }
    all >= MIN_TEXTS && english * 5 >= all
}

/// Whether the entries of a file of properties are the settings of a program: most values are numbers,
/// addresses, paths or names in code.
pub(super) fn is_settings(text: &str) -> bool {
    let path = "messages_en.properties";
    let catalogue = layout(path).and_then(|layout| read::read(&layout, text));
    let (mut settings, mut all) = (0_usize, 0_usize);
    for (key, value) in catalogue.iter().flat_map(texts) {
        let is_setting =
            is_setting(value) || LISTS.settings.iter().any(|start| key.starts_with(start));
        (settings, all) = (settings + usize::from(is_setting), all + 1);
    }
    settings * 2 > all
}

/// Whether a value is one for programs.
fn is_setting(value: &str) -> bool {
    let value = value.trim();
    let is_reference = || value.starts_with("${") && value.ends_with('}');
    if !value.is_ascii() || value.contains(char::is_whitespace) {
        return false;
    }
    let is_dotted = || {
        let mut parts = value.split('.');
        value.contains('.') && parts.all(|part| !part.is_empty() && part.bytes().all(is_name))
    };
    matches!(value, "true" | "false")
        || value.parse::<f64>().is_ok()
        || value.find(':').is_some_and(|at| at > 0 && at + 1 < value.len())
        || value.contains(['/', '\\', '=', '@'])
        || is_reference()
        || is_dotted()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_not_empty() {
        let Lists { laravel, validations, rails, settings } = &*LISTS;
        for (list, word) in [
            (laravel, "passwords.user"),
            (validations, "position"),
            (rails, "time."),
            (settings, "rootLogger"),
        ] {
            assert!(list.contains(&word), "{list:?}");
        }
        assert!(is_of_laravel("auth.failed") && !is_of_laravel("auth."));
    }

    #[test]
    fn settings_are_no_texts() {
        for text in [
            "spring.datasource.url=jdbc:postgresql://db/shop\nserver.port=8080\nname=Shop\n",
            "handlers=java.util.logging.ConsoleHandler\n.level=INFO\nencoding=true\npath=/var/log\n",
            "spring.profiles.active=a b\nlogging.level.root=DEBUG\nname=x\n",
            "distributionUrl=https\\://services.gradle.org/gradle.zip\n",
        ] {
            assert!(is_settings(text), "{text}");
        }
        for text in ["ok=OK\nversion=1.0\n", "a=Öffnen/Schließen\nb=\n", "", "a=Wait.\nb=5\n"] {
            assert!(!is_settings(text), "{text}");
        }
    }
}
