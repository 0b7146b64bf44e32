//! The plural categories of texts, compared with those of the language.

use super::compare::{is_suffixed, plural_suffix};
use super::groups::is_not_offered;
use super::locale::{self, CATEGORIES, Plurals};
use super::messages::part;
use super::model::{Entry, Form, Format};
use super::read::plural_selections;
use super::{Context, display_key, icu};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Items;
use aidd_engine::text::source::Span;
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The categories of one text with plural forms.
pub(super) struct Counted {
    key: String,
    span: Span,
    /// The categories and their texts.
    forms: BTreeMap<String, String>,
    locale: String,
    /// Whether a form is for an exact number, which texts in all languages can have.
    has_exact: bool,
    /// Whether the source text has several forms.
    source_varies: bool,
    /// Whether the library uses `other` for the categories that are missing.
    has_default: bool,
    /// Whether the texts are those of the source.
    is_untranslated: bool,
    /// Whether users see the number. Without it, one form is sufficient for all that are not `one`.
    is_shown: bool,
}

impl Counted {
    fn has(&self, category: &str) -> bool {
        self.forms.contains_key(category)
    }

    /// Whether `other` is the form of the only category that is missing. In languages that use it for
    /// fractions only, it is, unless it is equal to another form and other texts of the file have the
    /// category: then it is the form of fractions.
    fn is_served(&self, missing: &[&str], plurals: Plurals, used: &HashSet<&str>) -> bool {
        let Some(other) = self.forms.get("other").filter(|_| self.has_default) else {
            return false;
        };
        let &[category] = missing else { return false };
        if category == "one" {
            return false;
        }
        let is_copy = || {
            let mut required = plurals.required().filter(|it| *it != "one");
            required.any(|it| self.forms.get(it) == Some(other))
        };
        plurals.required().all(|it| it != "other") && !(used.contains(category) && is_copy())
    }
}

/// Whether a text is right for all numbers: it is the number alone, or its words have the endings of
/// several numbers, as `file(s)` has.
fn is_for_all(text: &str) -> bool {
    let (mut has_words, mut has_endings) = (false, false);
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let end = match c {
            '<' => rest.find('>'),
            '{' => rest.find('}'),
            '%' if !rest.starts_with("%{") => rest.find(|c: char| c.is_alphabetic() || c == '@'),
            _ => None,
        };
        rest = &rest[end.map_or(c.len_utf8(), |end| (end + 1).min(rest.len()))..];
        if end.is_none() {
            has_words |= c.is_alphabetic();
            let inner = rest.split(')').next().unwrap_or_default();
            let ending = inner.trim_start_matches(['-', '\u{2010}', '\u{2011}']);
            has_endings |= c == '('
                && last.is_alphabetic()
                && inner.len() < rest.len()
                && !ending.is_empty()
                && ending.chars().all(|c| c.is_alphabetic() || c == '/');
        }
        last = c;
    }
    !has_words || has_endings
}

/// The words whose form does not depend on the number; see the head of the file.
const WORDS: &str = include_str!("counted.txt");

/// Maximum number of further texts with the same unknown form that a finding names.
const MAX_RELATED: usize = 20;

/// How many words after a number can be the counted noun.
const MAX_WORDS: usize = 2;

/// Whether the form of `other` is also right for the categories `missing`, because the words after the
/// number have one form for all of them.
fn is_invariant(language: &str, missing: &[&str], text: &str) -> bool {
    let lines = WORDS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('|')).any(|(languages, rest)| {
        let Some((categories, words)) = rest.split_once('|') else { return false };
        let covers = |missing: &&str| categories.split_whitespace().any(|it| it == *missing);
        let is_covered = |(at, word): (usize, String)| {
            words.split_whitespace().any(|it| match (it.strip_prefix('-'), it.strip_prefix('^')) {
                (Some(ending), _) => word.len() > ending.len() && word.ends_with(ending),
                (_, Some(first)) => at == 0 && word == first,
                _ => it == "*" || it == word,
            })
        };
        let has_genitive = || {
            let before = word_before_number(text);
            let mut marked = words.split_whitespace().filter_map(|it| it.strip_prefix('<'));
            before.is_some_and(|before| marked.any(|it| it == before))
        };
        languages.split_whitespace().any(|it| it == language)
            && missing.iter().all(covers)
            && (words_after_number(text).take(MAX_WORDS).enumerate().any(is_covered)
                || has_genitive())
    })
}

/// The word directly before the first placeholder of a text, in lower case.
fn word_before_number(text: &str) -> Option<String> {
    let at = text.find(['#', '{', '%'])?;
    let before = text[..at].trim_end();
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next()?;
    (!word.is_empty() && before.len() < at).then(|| word.to_lowercase())
}

/// The words of a text after its first placeholder, or all if it has none, in lower case.
fn words_after_number(text: &str) -> impl Iterator<Item = String> {
    let after = match text.find(['#', '}']) {
        Some(at) if text[at..].contains(char::is_alphabetic) => &text[at + 1..],
        _ => text,
    };
    let words = after.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}

fn counted(context: &Context<'_>, report: &Report<'_>) -> Vec<Counted> {
    let source = report.source();
    let mut found = Vec::new();
    if context.layout.format == Format::Po {
        return found;
    }
    let own_is_icu = context.is_icu();
    let source_entries = || context.source().into_iter().flat_map(|source| &source.entries);
    let is_varied = |form: &Form| {
        let quotes = context.layout.format != Format::Arb;
        own_is_icu && icu::parse(&form.value, quotes).plurals.iter().any(|(_, it)| it.len() > 1)
    };
    let has_forms = |entry: &&Entry| entry.forms.iter().any(|form| form.category.is_some());
    let compared: HashSet<&str> = context
        .entries()
        .filter(|entry| own_is_icu || has_forms(entry))
        .map(|entry| &*entry.key)
        .collect();
    let mut source_texts: HashMap<&str, HashSet<String>> = HashMap::new();
    for entry in source_entries().filter(|entry| compared.contains(&*entry.key)) {
        let texts = source_texts.entry(&*entry.key).or_default();
        for form in &entry.forms {
            let selections = own_is_icu.then(|| option_texts(context, &form.value));
            texts.extend(selections.unwrap_or_else(|| vec![form.value.clone()]));
        }
    }
    let is_untranslated = |key: &str, forms: &BTreeMap<String, String>| {
        let texts = source_texts.get(key);
        let has_words = |text: &String| !is_for_all(text);
        texts
            .is_some_and(|texts| forms.values().all(|text| has_words(text) && texts.contains(text)))
    };
    let varied: HashSet<&str> = source_entries()
        .filter(|entry| entry.forms.len() > 1 || entry.forms.iter().any(is_varied))
        .map(|entry| &*entry.key)
        .collect();
    for entry in context.entries() {
        let Some(locale) = context.locale_of(entry) else { continue };
        if has_forms(&entry) {
            let category =
                |form: &Form| Some((form.category.as_deref()?.to_owned(), form.value.clone()));
            let forms: BTreeMap<_, _> = entry.forms.iter().filter_map(category).collect();
            found.push(Counted {
                key: display_key(&entry.key),
                span: entry.key_span,
                is_untranslated: is_untranslated(&entry.key, &forms),
                forms,
                locale: locale.to_owned(),
                has_exact: false,
                source_varies: varied.contains(&*entry.key),
                has_default: context.layout.format != Format::Yaml,
                is_shown: true,
            });
        } else if context.layout.format == Format::Fluent {
            for form in &entry.forms {
                for selection in plural_selections(&form.value) {
                    found.push(Counted {
                        key: display_key(&entry.key),
                        span: part(source, form.span, &form.value, &selection.range),
                        has_exact: selection
                            .variants
                            .iter()
                            .any(|(key, _)| !CATEGORIES.contains(key)),
                        forms: selection.variants.into_iter().map(exact).collect(),
                        locale: locale.to_owned(),
                        source_varies: true,
                        has_default: true,
                        is_untranslated: false,
                        is_shown: true,
                    });
                }
            }
        } else if own_is_icu {
            for form in &entry.forms {
                let message = icu::parse(&form.value, context.layout.format != Format::Arb);
                if message.error.is_some() {
                    continue;
                }
                for (range, selectors) in message.plurals {
                    let options = options(&form.value[range.clone()]);
                    let text_of = |selector: &str| {
                        options.iter().find(|(it, _)| *it == selector).map_or("", |(_, text)| text)
                    };
                    let forms = selectors.iter().map(|it| exact((it, text_of(it)))).collect();
                    found.push(Counted {
                        key: display_key(&entry.key),
                        span: part(source, form.span, &form.value, &range),
                        has_exact: selectors.iter().any(|selector| selector.starts_with('=')),
                        is_untranslated: is_untranslated(&entry.key, &forms),
                        forms,
                        locale: locale.to_owned(),
                        source_varies: varied.contains(&*entry.key),
                        has_default: true,
                        is_shown: message.shown.contains(argument(&form.value[range])),
                    });
                }
            }
        }
    }
    if is_suffixed(context.layout.format) && !own_is_icu {
        found.extend(suffixed(context));
    }
    found
}

/// The texts of the options of all plurals in a message of ICU.
fn option_texts(context: &Context<'_>, text: &str) -> Vec<String> {
    let message = icu::parse(text, context.layout.format != Format::Arb);
    let texts = message.options.into_iter().map(|(_, range)| text[range].trim().to_owned());
    texts.collect()
}

/// The category for which an exact number is sufficient, and the text.
fn exact((selector, text): (&str, &str)) -> (String, String) {
    let category = match selector {
        "=0" | "0" => "zero",
        "=1" | "1" => "one",
        "=2" | "2" => "two",
        _ => selector,
    };
    (category.to_owned(), text.to_owned())
}

/// The argument of a plural of ICU.
fn argument(plural: &str) -> &str {
    plural.trim_start_matches('{').split(',').next().unwrap_or_default().trim()
}

/// The selectors and texts of a valid plural of ICU.
fn options(plural: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut selector) = (0_usize, 0, "");
    for (at, byte) in plural.bytes().enumerate() {
        match byte {
            b'{' => {
                depth += 1;
                if depth == 2 {
                    selector = plural[start..at].split_whitespace().next_back().unwrap_or_default();
                    start = at + 1;
                }
            }
            b'}' => {
                if depth == 2 {
                    found.push((selector, plural[start..at].trim()));
                    start = at + 1;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    found
}

/// The plural forms of i18next: keys with a suffix, if the source has the suffix `other` and another
/// one.
fn suffixed(context: &Context<'_>) -> Vec<Counted> {
    let Some(locale) = context.layout.locale.clone() else { return Vec::new() };
    let source = context.source().unwrap_or(context.own);
    let source_keys = LazyCell::new(|| -> HashSet<&str> {
        source.entries.iter().map(|entry| &*entry.key).collect()
    });
    let own =
        LazyCell::new(|| -> HashSet<&str> { context.entries().map(|entry| &*entry.key).collect() });
    let mut found: BTreeMap<&str, (Span, BTreeMap<String, String>)> = BTreeMap::new();
    for entry in context.entries().filter(|entry| !entry.is_empty()) {
        let Some((base, category)) = plural_suffix(&entry.key) else { continue };
        let is_plural = source_keys.contains(&*format!("{base}_other"))
            && source_keys.contains(&*format!("{base}_one"));
        // A key without a suffix is the fallback of all forms; ordinal numbers have other categories.
        if is_plural && !own.contains(base) && !base.ends_with("_ordinal") {
            let (_, forms) = found.entry(base).or_insert_with(|| (entry.key_span, BTreeMap::new()));
            let text = entry.forms.first().map(|form| form.value.clone());
            forms.insert(category.to_owned(), text.unwrap_or_default());
        }
    }
    found
        .into_iter()
        .map(|(base, (span, forms))| Counted {
            key: base.to_owned(),
            span,
            forms,
            locale: locale.clone(),
            has_exact: false,
            source_varies: true,
            has_default: false,
            is_untranslated: false,
            is_shown: true,
        })
        .collect()
}

fn plurals_of(counted: &Counted) -> Option<Plurals> {
    locale::plurals(&counted.locale)
}

/// Whether a text has only `other`: it is the same for all numbers.
fn is_uniform(counted: &Counted) -> bool {
    counted.forms.keys().all(|category| category == "other")
}

/// Whether a category is one that texts have if their language has only `one` and `other`.
fn is_common(category: &str) -> bool {
    matches!(category, "zero" | "one" | "other")
}

/// Reports a file of Fluent that has no text with the forms that are specific to its language. If one
/// text has them, the default of the other ones is the right form, as for a genitive.
fn missing_in_file(all: &[Counted], report: &mut Report<'_>) {
    let is_simple = |counted: &Counted| counted.forms.keys().all(|category| is_common(category));
    let (Some(first), true) = (all.first(), all.iter().all(is_simple)) else { return };
    let Some(plurals) = plurals_of(first) else { return };
    let missing: Vec<String> = plurals
        .required()
        .filter(|category| !is_common(category))
        .map(|category| format!("`{category}`"))
        .collect();
    if missing.is_empty() {
        return;
    }
    let noun = if missing.len() == 1 { "form" } else { "forms" };
    let language = locale::language(&first.locale);
    let predicate = format!("without the plural {noun} {} of `{language}`", missing.join(", "));
    let names = all.iter().map(|counted| counted.key.clone()).collect();
    let items = Items { noun: "text", one: predicate.clone(), many: predicate, names };
    report.at(first.span, "").items(items).help("Add a text for each of these numbers");
}

pub(super) fn missing_plural(context: &Context<'_>, report: &mut Report<'_>) {
    let locale = context.layout.locale.as_deref().unwrap_or_default();
    if is_not_offered(context.files, report.source().path(), locale) {
        return;
    }
    let all = context.counted.get_or_init(|| counted(context, report));
    if context.layout.format == Format::Fluent {
        return missing_in_file(all, report);
    }
    let is_reduced = |counted: &&Counted| is_uniform(counted) && counted.source_varies;
    let uniform = all.iter().filter(is_reduced).count();
    let varied = all.iter().filter(|counted| !is_uniform(counted)).count();
    let is_usual = varied >= uniform.max(1);
    let used: HashSet<&str> =
        all.iter().flat_map(|counted| counted.forms.keys()).map(String::as_str).collect();
    let is_yaml = context.layout.format == Format::Yaml;
    for counted in all.iter().filter(|counted| counted.is_shown) {
        let Some(plurals) = plurals_of(counted) else { continue };
        let missing: Vec<&str> =
            plurals.required().filter(|category| !counted.has(category)).collect();
        let default = counted.forms.get("other").filter(|_| counted.has_default);
        // Rails uses `other` for all forms that are missing, except `one` if it has no rules on plurals.
        let other = counted.forms.get("other").filter(|_| !missing.contains(&"one"));
        let language = locale::language(&counted.locale);
        // i18next shows the text of another locale for a form that is missing.
        let is_used = counted.has_default || is_yaml;
        let is_intended = is_used && is_uniform(counted) && !(is_usual && counted.source_varies)
            || counted.is_untranslated
            || default
                .or(other.filter(|_| is_yaml))
                .is_some_and(|text| is_for_all(text) || is_invariant(language, &missing, text));
        if missing.is_empty() || is_intended || counted.is_served(&missing, plurals, &used) {
            continue;
        }
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let noun = if missing.len() == 1 { "form" } else { "forms" };
        let message = format!(
            "`{}` has no plural {noun} {}, which `{}` needs",
            counted.key,
            names.join(", "),
            language
        );
        report.at(counted.span, message).help("Add a text for each of these numbers");
    }
}

pub(super) fn unknown_plural(context: &Context<'_>, report: &mut Report<'_>) {
    // The texts, by language and forms: one cause, such as rules of an older version.
    let mut found = BTreeMap::<(String, String), Vec<&Counted>>::new();
    for counted in context.counted.get_or_init(|| counted(context, report)) {
        let Some(plurals) = plurals_of(counted) else { continue };
        let unknown = counted.forms.keys().filter(|category| {
            let is_category = CATEGORIES.contains(&&***category);
            // Many libraries use the form `zero` for the number 0, and `one` for 1, in all
            // languages.
            is_category
                && !plurals.has(category)
                && !matches!(&***category, "zero" | "one" | "other")
        });
        let names: Vec<String> = unknown.map(|name| format!("`{name}`")).collect();
        if names.is_empty() || counted.has_exact {
            continue;
        }
        let language = locale::language(&counted.locale).to_owned();
        found.entry((language, names.join(", "))).or_default().push(counted);
    }
    for ((language, names), texts) in found {
        let noun = if names.contains(',') { "forms" } else { "form" };
        let rest = format!("the plural {noun} {names}, which `{language}` never uses");
        let keys = texts.iter().map(|counted| counted.key.clone()).collect();
        let (one, many) = (format!("has {rest}"), format!("have {rest}"));
        let items = Items { noun: "text", one, many, names: keys };
        let finding = report.at(texts[0].span, "").items(items).help("Delete the form");
        for counted in texts[1..].iter().take(MAX_RELATED) {
            finding.related(counted.span, "form that the language never uses");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_texts_are_for_all_numbers() {
        for text in [
            "#",
            "<b>#</b>",
            "{n}",
            "%1$d",
            "",
            "# файла(ов)",
            "{n} file(s)",
            "# soubor(y/ů)",
            "# ответа(-ов)",
            "%{count} %{item}",
        ] {
            assert!(is_for_all(text), "{text}");
        }
        for (language, missing, text, expected) in [
            ("hu", &["one"][..], "# aktív résztvevő", true),
            ("ru", &["few", "many"], "{n} другим", true),
            ("ru", &["few", "many"], "# файлов", false),
            ("pl", &["few", "many"], "# nowych użytkowników", true),
            ("pl", &["few", "many"], "# plików", false),
            ("pl", &["one"], "# użytkowników", false),
            ("cs", &["few"], "{count} stahování", true),
            ("cs", &["few"], "{count} souborů", false),
            ("cs", &["few"], "{count} nových upozornění", false),
            ("cs", &["few"], "{count} kontrolní seznamy", false),
            ("cs", &["few"], "# časových zónách", true),
            ("be", &["few", "many"], "{n} задачы з пратэрмінаваным тэрмінам", false),
            ("cy", &["zero", "two", "few", "many"], "%{count} o wahoddion", true),
            ("cy", &["zero", "two", "few", "many"], "%{count} gwahoddiad", false),
            ("de", &["one"], "# Dateien", false),
        ] {
            assert_eq!(is_invariant(language, missing, text), expected, "{language} {text}");
        }
        for text in ["# файлов", "{n} days (left)", "# (s)", "%d von allen", "a(", "x(1)"] {
            assert!(!is_for_all(text), "{text}");
        }
    }
}
