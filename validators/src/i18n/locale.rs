//! Locale tags in paths and headers, and the plural categories of their languages.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The languages and their plural categories; see the head of the file.
const DATA: &str = include_str!("plurals.txt");

/// A plural category of CLDR.
pub(super) const CATEGORIES: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// The plural categories of one language.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plurals {
    /// The categories of whole numbers that texts need.
    pub(super) required: &'static str,
    /// Categories of fractions and of numbers in scientific notation.
    pub(super) optional: &'static str,
}

impl Plurals {
    /// The categories that a text needs.
    pub(super) fn required(self) -> impl Iterator<Item = &'static str> {
        self.required.split_whitespace()
    }

    /// Whether the language has the category.
    pub(super) fn has(self, category: &str) -> bool {
        self.required().chain(self.optional.split_whitespace()).any(|own| own == category)
    }
}

static LANGUAGES: LazyLock<HashMap<&'static str, Option<Plurals>>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    for line in DATA.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('|').map(str::trim);
        let (required, optional) =
            (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let plurals = (required != "?").then_some(Plurals { required, optional });
        for language in fields.next().unwrap_or_default().split_whitespace() {
            languages.entry(language).or_insert(plurals);
        }
    }
    languages
});

/// Variants that are used in tags without `@`.
const VARIANTS: [&str; 7] =
    ["cyrillic", "formal", "informal", "latin", "swiss", "tradnl", "valencia"];

/// The language of a locale, in lower case.
pub(super) fn language(locale: &str) -> &str {
    locale.split('-').next().unwrap_or(locale)
}

/// The plural categories of the locale's language; `None` if they are not known.
pub(super) fn plurals(locale: &str) -> Option<Plurals> {
    // European Portuguese and Brazilian Portuguese have the same categories.
    LANGUAGES.get(language(locale)).copied().flatten()
}

/// Normalises a locale tag, such as `pt_BR`, `zh-Hans-CN`, `sr@latin`, `b+sr+Latn` or `pt-rBR`, to
/// the form `pt-BR`; `None` if the text is not the tag of a known language.
pub(super) fn parse(tag: &str) -> Option<String> {
    if tag.len() > 24 || !tag.is_ascii() {
        return None;
    }
    let tag = tag.strip_prefix("b+").unwrap_or(tag);
    // An encoding or a variant of the C library: `de_DE.UTF-8`, `sr@latin`.
    let tag = tag.split('.').next().unwrap_or(tag);
    let mut parts = tag.split(['-', '_', '+', '@']);
    let language = parts.next()?;
    let is_upper = language.bytes().all(|byte| byte.is_ascii_uppercase());
    let language = language.to_ascii_lowercase();
    if !LANGUAGES.contains_key(&*language) {
        return None;
    }
    let mut locale = language;
    let mut count = 0;
    for part in parts {
        count += 1;
        let is_alpha = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        let region = match part.as_bytes() {
            [b'r', rest @ ..] if rest.len() == 2 && tag.contains("-r") => &part[1..],
            _ => part,
        };
        let next = match region.len() {
            2 if is_alpha => region.to_ascii_uppercase(),
            3 if region.bytes().all(|byte| byte.is_ascii_digit()) => region.to_owned(),
            4 if is_alpha => {
                let (first, rest) = region.split_at(1);
                format!("{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase())
            }
            5..=8
                if region.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && (tag.contains('@') || VARIANTS.contains(&region)) =>
            {
                region.to_ascii_lowercase()
            }
            _ => return None,
        };
        if count > 3 {
            return None;
        }
        locale.push('-');
        locale.push_str(&next);
    }
    // `EN` is a locale, but `IT_HELP` is the name of a constant.
    (count == 0 || !is_upper || tag.len() <= 5).then_some(locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_all_conventions_are_normalised() {
        let parsed = |tag| parse(tag).unwrap_or_default();
        for (tag, expected) in [
            ("fr", "fr"),
            ("pt_BR", "pt-BR"),
            ("pt-rBR", "pt-BR"),
            ("zh-Hans-CN", "zh-Hans-CN"),
            ("b+sr+Latn", "sr-Latn"),
            ("sr@latin", "sr-latin"),
            ("es-419", "es-419"),
            ("de_informal", "de-informal"),
            ("de_DE.UTF-8", "de-DE"),
            ("common", ""),
            ("en-dashboard", ""),
            ("", ""),
            ("é", ""),
        ] {
            assert_eq!(parsed(tag), expected, "{tag}");
        }
    }

    #[test]
    fn categories_are_those_of_whole_numbers() {
        let required = |locale| plurals(locale).map(|plurals| plurals.required);
        assert_eq!(required("fr"), Some("one other"));
        assert_eq!(required("ru-RU"), Some("one few many"));
        assert_eq!(required("ja"), Some("other"));
        assert!(plurals("fr").is_some_and(|plurals| plurals.has("many")));
        assert!(plurals("en").is_some_and(|plurals| !plurals.has("few")));
    }
}
