//! The keys and texts of a translation, compared with those of the source: one finding for each
//! file.

use super::Context;
use super::compare::{Pair, is_suffixed, plural_suffix};
use super::locale::CATEGORIES;
use super::model::{Catalogue, Entry, Format};
use super::own_texts::{is_optional, is_source_language, is_supplied};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Items;
use aidd_engine::text::source::Span;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Minimum number of words of a text that is not the same in two languages.
const MIN_WORDS: usize = 3;
/// A translation this many times as long as its source is long.
const LONG_FACTOR: usize = 3;
/// Minimum length of a long translation, in characters.
const MIN_LONG: usize = 40;

/// The key without the suffix of a plural form.
fn base<'a>(context: &Context<'_>, key: &'a str) -> &'a str {
    match plural_suffix(key).filter(|_| is_suffixed(context.layout.format)) {
        Some((base, _)) => base,
        None => key,
    }
}

/// The keys of a catalogue, without suffixes of plural forms.
fn bases<'a>(context: &Context<'_>, catalogue: &'a Catalogue) -> HashSet<&'a str> {
    catalogue.entries.iter().map(|entry| base(context, &entry.key)).collect()
}

/// Whether the key is an item of a list; lists can have different lengths.
fn is_item(key: &str) -> bool {
    key.split('.').any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the key is a plural form of a known text, in a mapping without the form `other`.
fn is_form(key: &str, known: &HashSet<&str>) -> bool {
    key.rsplit_once('.')
        .is_some_and(|(text, form)| CATEGORIES.contains(&form) && known.contains(text))
}

/// Formats whose catalogues have the same keys in all locales.
fn has_keys(context: &Context<'_>) -> bool {
    !matches!(context.layout.format, Format::Po | Format::Pot | Format::XcStrings | Format::Xliff)
        && context.own.complete
}

/// The keys that a finding counts.
fn items(keys: &[&str], one: String, many: String) -> Items {
    let names = keys.iter().map(|&key| key.to_owned()).collect();
    Items { noun: "key", one, many, names }
}

/// The span of the first entry's key: the place of findings on the whole file.
fn place(context: &Context<'_>, report: &Report<'_>) -> Span {
    let first = context.own.entries.first();
    first.map_or_else(|| report.source().line_span(0), |entry| entry.key_span)
}

/// Whether the keys are the texts of a view of Jenkins, which the source catalogue does not contain.
fn has_texts_as_keys(context: &Context<'_>) -> bool {
    let view = context.layout.group.strip_suffix("*.properties");
    view.is_some_and(|view| {
        [".jelly", ".groovy"].iter().any(|end| context.files.exists(&format!("{view}{end}")))
    })
}

pub(super) fn missing_key(context: &Context<'_>, report: &mut Report<'_>) {
    let Some(source) = context.source() else { return };
    let Some(locale) = context.layout.locale.as_deref().filter(|_| has_keys(context)) else {
        return;
    };
    // A regional variant contains only what differs from the language. The translation of an empty file
    // has not begun, and an empty bundle of Java prevents that the texts of the system's locale are used.
    let is_empty = context.own.entries.is_empty();
    if is_empty || context.group.has_fallback(locale) || is_source_language(context) {
        return;
    }
    let own_keys = bases(context, context.own);
    let mut seen = HashSet::new();
    let missing: Vec<&str> = source
        .entries
        .iter()
        .filter(|entry| !entry.inactive && !entry.untranslatable)
        .map(|entry| base(context, &entry.key))
        .filter(|key| {
            !own_keys.contains(key)
                && !is_item(key)
                && !is_optional(context, key)
                && seen.insert(*key)
        })
        .collect();
    let Some((path, _)) = context.source.filter(|_| !missing.is_empty()) else { return };
    let predicate = format!("of {path} not translated");
    let span = place(context, report);
    report.at(span, "").items(items(&missing, predicate.clone(), predicate));
}

pub(super) fn extra_key(context: &Context<'_>, report: &mut Report<'_>) {
    let (Some(source), true) = (context.source(), has_keys(context)) else { return };
    if has_texts_as_keys(context) {
        return;
    }
    let known = bases(context, source);
    let has_texts = OnceCell::new();
    let mut seen = HashSet::new();
    let extra: Vec<&Entry> = context
        .entries()
        .filter(|entry| {
            let key = base(context, &entry.key);
            !known.contains(key)
                && !is_item(key)
                && !is_form(key, &known)
                && !is_optional(context, key)
                && !is_supplied(context, source, key, &has_texts)
                && seen.insert(key)
        })
        .collect();
    let Some((path, _)) = context.source else { return };
    let Some(first) = extra.first() else { return };
    let keys: Vec<&str> = extra.iter().map(|entry| base(context, &entry.key)).collect();
    let (one, many) = (format!("is not in {path}"), format!("are not in {path}"));
    report.at(first.key_span, "").items(items(&keys, one, many));
}

/// The texts of an entry.
fn values(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.forms.iter().map(|form| &*form.value)
}

/// Whether the same text in two languages is a copy: it has several words in letters.
fn is_prose(text: &str) -> bool {
    let is_word = |word: &&str| {
        word.len() > 1
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | ',' | '.'))
            && !is_syntax(word)
    };
    text.split_whitespace().filter(is_word).count() >= MIN_WORDS
        && text.split_whitespace().any(|word| word.chars().all(char::is_lowercase))
}

/// Whether the text is the name of a language in that language, in a list of locales.
fn is_name_of_locale(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key);
    let has_region = name.contains(['_', '-']);
    has_region && super::locale::parse(name).is_some()
}

/// Whether a word can be one of the syntax of ICU, which is the same in all languages.
fn is_syntax(word: &str) -> bool {
    CATEGORIES.contains(&word) || matches!(word, "plural," | "select," | "selectordinal,")
}

pub(super) fn untranslated(context: &Context<'_>, report: &mut Report<'_>) {
    if context.layout.format.has_sources() {
        return copied_sources(context, report);
    }
    let Some(locale) = context.layout.locale.as_deref() else { return };
    let Some((path, _)) = context.source else { return };
    let source_locale = super::layout::layout(path).and_then(|layout| layout.locale);
    let source_language = source_locale.as_deref().map_or("en", super::locale::language);
    if super::locale::language(locale) == source_language
        || context.group.has_fallback(locale)
        || is_source_language(context)
    {
        return;
    }
    let Some(source) = context.source() else { return };
    let texts: HashMap<&str, &Entry> =
        source.entries.iter().map(|entry| (&*entry.key, entry)).collect();
    let is_copy = |entry: &&Entry| {
        let Some(original) = texts.get(&*entry.key) else { return false };
        // The language can have more plural forms than the source.
        values(entry)
            .all(|text| is_prose(text) && values(original).any(|original| text == original))
            && !is_name_of_locale(&entry.key)
    };
    let copies: Vec<&Entry> = context
        .entries()
        .filter(|entry| !entry.untranslatable && !entry.forms.is_empty())
        .filter(is_copy)
        .collect();
    let Some(first) = copies.first() else { return };
    let keys: Vec<&str> = copies.iter().map(|entry| &*entry.key).collect();
    let (one, many) = (format!("has the text of {path}"), format!("have the text of {path}"));
    report.at(first.key_span, "").items(items(&keys, one, many));
}

/// Whether a text has several English words, and is no name: `Isle of Man` is the same in other languages.
fn is_english(text: &str) -> bool {
    let is_word = |word: &&str| {
        word.len() > 1
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !CATEGORIES.contains(word)
    };
    text.split_whitespace().filter(is_word).count() >= MIN_WORDS
}

/// Reports the texts that are the same as the source texts in the same file.
fn copied_sources(context: &Context<'_>, report: &mut Report<'_>) {
    // Catalogues in the language of the source have the same texts.
    let is_other = |entry: &Entry| {
        let locale = context.locale_of(entry);
        locale.is_some_and(|locale| super::locale::language(locale) != "en")
    };
    let is_copy = |pair: &&Pair<'_>| {
        let mut own = values(pair.entry).filter(|text| !text.is_empty());
        !pair.entry.untranslatable
            && is_other(pair.entry)
            && own.all(|text| is_english(text) && pair.sources.contains(&text))
    };
    let copies: Vec<&Entry> = context.pairs().iter().filter(is_copy).map(|it| it.entry).collect();
    let Some(first) = copies.first() else { return };
    let keys: Vec<String> = copies.iter().map(|entry| super::display_key(&entry.key)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let (one, many) = ("has the source text".to_owned(), "have the source text".to_owned());
    report.at(first.key_span, "").items(items(&keys, one, many));
}

pub(super) fn long_translation(context: &Context<'_>, report: &mut Report<'_>) {
    let Some(source) = context.source() else { return };
    let texts: HashMap<&str, &Entry> =
        source.entries.iter().map(|entry| (&*entry.key, entry)).collect();
    for entry in context.entries() {
        let Some(original) = texts.get(&*entry.key) else { continue };
        let longest = |entry: &Entry| {
            entry.forms.iter().map(|form| form.value.chars().count()).max().unwrap_or_default()
        };
        let (own, original) = (longest(entry), longest(original));
        if own >= MIN_LONG && original > 0 && own > LONG_FACTOR * original {
            let key = super::display_key(&entry.key);
            let message =
                format!("the text of `{key}` has {own} characters, its source {original}");
            let span = entry.forms.first().map_or(entry.key_span, |form| form.span);
            report.at(span, message);
        }
    }
}
