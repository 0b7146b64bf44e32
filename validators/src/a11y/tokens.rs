//! The values of `autocomplete` and `lang`.

use super::corrections::correction;

const FIELDS: &[&str] = &[
    "additional-name",
    "address-level1",
    "address-level2",
    "address-level3",
    "address-level4",
    "address-line1",
    "address-line2",
    "address-line3",
    "bday",
    "bday-day",
    "bday-month",
    "bday-year",
    "cc-additional-name",
    "cc-csc",
    "cc-exp",
    "cc-exp-month",
    "cc-exp-year",
    "cc-family-name",
    "cc-given-name",
    "cc-name",
    "cc-number",
    "cc-type",
    "country",
    "country-name",
    "current-password",
    "family-name",
    "given-name",
    "honorific-prefix",
    "honorific-suffix",
    "language",
    "name",
    "new-password",
    "nickname",
    "one-time-code",
    "organization",
    "organization-title",
    "photo",
    "postal-code",
    "sex",
    "street-address",
    "transaction-amount",
    "transaction-currency",
    "url",
    "username",
];

const CONTACT_FIELDS: &[&str] = &[
    "email",
    "impp",
    "tel",
    "tel-area-code",
    "tel-country-code",
    "tel-extension",
    "tel-local",
    "tel-local-prefix",
    "tel-local-suffix",
    "tel-national",
];

/// Values without a meaning that authors use because browsers ignore `off`.
const DISABLING: [&str; 10] = [
    "nope",
    "no",
    "false",
    "none",
    "disabled",
    "do-not-autofill",
    "chrome-off",
    "noop",
    "null",
    "xoff",
];

/// Values that are not of HTML, but mean what browsers do anyway.
const ENABLING: [&str; 4] = ["true", "enabled", "undefined", "xon"];

/// What is wrong with a value of `autocomplete`.
pub(super) fn autocomplete_problem(text: &str, is_form: bool) -> Option<String> {
    let lower = text.trim().to_ascii_lowercase();
    if lower.is_empty()
        || matches!(&*lower, "on" | "off")
        || DISABLING.contains(&&*lower)
        || ENABLING.contains(&&*lower)
    {
        return None;
    }
    if is_form {
        return Some(format!("`autocomplete` of a form cannot be `{lower}`"));
    }
    let mut words: Vec<&str> = lower.split_ascii_whitespace().collect();
    if words.last() == Some(&"webauthn") {
        words.pop();
    }
    if words.first().is_some_and(|word| word.starts_with("section-")) {
        words.remove(0);
    }
    if words.first().is_some_and(|word| matches!(*word, "shipping" | "billing")) {
        words.remove(0);
    }
    let has_kind = words
        .first()
        .is_some_and(|word| matches!(*word, "home" | "work" | "mobile" | "fax" | "pager"));
    if has_kind {
        words.remove(0);
    }
    let is_known = match *words {
        [] => lower.ends_with("webauthn"),
        [word] => CONTACT_FIELDS.contains(&word) || !has_kind && FIELDS.contains(&word),
        _ => false,
    };
    (!is_known).then(|| format!("`{lower}` is not a value of `autocomplete`"))
}

/// The value of `autocomplete` that a misspelled word was probably meant to be.
pub(super) fn autocomplete_correction(text: &str) -> Option<&'static str> {
    correction(text.trim(), FIELDS.iter().chain(CONTACT_FIELDS).copied())
}

/// What is not registered in a language tag: the tag or one of its subtags.
pub(super) fn unregistered(text: &str) -> Option<&str> {
    let is_alphabetic = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_form = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if text.split('-').any(|part| !is_form(part)) {
        return Some(text);
    }
    let lower = text.to_ascii_lowercase();
    // Screen readers do not know the deprecated tags with `i`. `x-` begins a tag for private use.
    if is_subtag("whole", &lower) || lower.starts_with("x-") {
        return None;
    }
    let mut parts = text.split('-').peekable();
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_language = matches!(first.len(), 2 | 3) && is_alphabetic(&first);
    if !is_language || !LANGUAGES.contains(&&*first) && !is_long_language(&first) {
        return Some(text);
    }
    let is_extlang = |part: &&str| part.len() == 3 && is_alphabetic(part);
    let is_script = |part: &&str| part.len() == 4 && is_alphabetic(part);
    let is_region = |part: &&str| {
        part.len() == 2 && is_alphabetic(part)
            || part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_variant = |part: &&str| {
        part.len() > 4 || part.len() == 4 && part.starts_with(|c: char| c.is_ascii_digit())
    };
    if let Some(part) = parts.next_if(is_extlang).filter(|part| !is_subtag("extlang", part)) {
        return Some(part);
    }
    if let Some(part) = parts.next_if(is_script).filter(|part| !is_subtag("script", part)) {
        return Some(part);
    }
    if let Some(part) = parts.next_if(is_region).filter(|part| !is_subtag("region", part)) {
        return Some(part);
    }
    // Screen readers use the first of two regions, which the ACT rules of the W3C accept.
    parts.next_if(|part| is_region(part) && is_subtag("region", part));
    while let Some(part) = parts.next_if(is_variant) {
        if !is_subtag("variant", part) {
            return Some(part);
        }
    }
    // What follows is an extension, which begins with one letter or digit.
    match parts.next() {
        None => None,
        Some(part) if part.len() == 1 && parts.next().is_some() => None,
        Some(_) => Some(text),
    }
}

/// Whether the IANA registry contains the subtag of this type.
fn is_subtag(kind: &str, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let lines = include_str!("subtags.txt").lines().filter(|line| !line.starts_with('#'));
    let lists = lines.filter_map(|line| line.split_once(' ')).filter(|&(start, _)| start == kind);
    lists.flat_map(|(_, list)| list.split(' ')).any(|known| match known.split_once("..") {
        Some((first, last)) => text.len() == first.len() && (first..=last).contains(&&*text),
        None if kind == "script" => known.as_bytes().chunks(4).any(|it| it == text.as_bytes()),
        None => known == text,
    })
}

/// Whether the IANA registry contains a language with three letters.
fn is_long_language(text: &str) -> bool {
    let Some((start, last)) = text.split_at_checked(2).filter(|(_, last)| last.len() == 1) else {
        return false;
    };
    let mut lines = include_str!("languages.txt").lines().filter_map(|line| line.split_once(' '));
    lines.any(|(known, letters)| known == start && letters.contains(last))
}

/// The languages with two letters of the IANA registry.
const LANGUAGES: &[&str] = &[
    "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bh",
    "bi", "bm", "bn", "bo", "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da",
    "de", "dv", "dz", "ee", "el", "en", "eo", "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr",
    "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho", "hr", "ht", "hu", "hy", "hz",
    "ia", "id", "ie", "ig", "ii", "ik", "in", "io", "is", "it", "iu", "iw", "ja", "ji", "jv", "jw",
    "ka", "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la",
    "lb", "lg", "li", "ln", "lo", "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mo", "mr",
    "ms", "mt", "my", "na", "nb", "nd", "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj",
    "om", "or", "os", "pa", "pi", "pl", "ps", "pt", "qu", "rm", "rn", "ro", "ru", "rw", "sa", "sc",
    "sd", "se", "sg", "sh", "si", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv",
    "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug",
    "uk", "ur", "uz", "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za", "zh", "zu",
];
