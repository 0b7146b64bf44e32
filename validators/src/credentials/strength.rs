//! Decides which of the found values are reported: labels, samples and names are dropped,
//! defaults and dictionary words are reported as information.

use super::names::{Class, words};
use super::values::{Trust, dummy_words, is_app_password, is_credible, is_dummy};
use super::{Found, data, labels};
use aidd_engine::text::purpose::is_production;
use aidd_engine::text::shape::{self, looks_random};
use aidd_lexicon::tables::credentials as table;
use std::cell::LazyCell;
use std::collections::HashSet;

/// Maximum length in bytes of a value that can consist of words.
const MAX_WORDED_LEN: usize = 128;

/// Maximum length in bytes of a value that counts as a word if digits replace some of its letters:
/// `f00d`.
const MAX_SPELLED_LEN: usize = 6;

/// Number of bytes before a value in which its name is searched for.
const MAX_NAME_LEN: usize = 120;

/// Number of bytes after a value in which a comment is searched for.
const MAX_COMMENT_LEN: usize = 120;

/// How well a found value protects an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// A sample, a label or the description of a secret: not reported.
    None,
    /// A default or a dictionary word: reported as information.
    Weak,
    /// Reported with the severity of the rule.
    Strong,
}

/// Removes findings that nobody would act on, and marks defaults, samples and identifiers of
/// clients as weak.
pub(super) fn assess(text: &str, path: &str, mut found: Vec<Found>) -> Vec<Found> {
    if found.iter().all(|found| found.span.is_empty()) {
        return found;
    }
    let is_labels = labels::is_label_file(path, text);
    let has_samples = has_sample_comments(path);
    let secret_names = LazyCell::new(|| secret_names(text));
    let is_production = is_production(path);
    let mut comments = Comments::new(text);
    found.sort_by_key(|found| found.span);
    found.retain_mut(|found| {
        if found.span.is_empty() {
            return true;
        }
        let value = &text[found.span.range()];
        let mut strength = strength(value);
        // Django's `startproject` generates a key with this prefix. The key is in use if nobody
        // replaced it.
        let django_key = value.strip_prefix("django-insecure-");
        if is_production && django_key.is_some_and(shape::is_generated) {
            strength = Strength::Strong;
        }
        let is_by_name = table::RULES_BY_NAME.contains(found.rule);
        found.weak |= strength == Strength::Weak
            // Outside production, a value chosen by a person is usually the default password of an
            // installation.
            || is_by_name
                && (!is_generated_secret(value) && !is_production
                    || is_bare_key(name_before(text, found))
                        && !(is_production && is_generated_secret(value)));
        let in_comment = comments.contains(found.span.start as usize);
        let is_comment = || in_comment;
        let is_sample = (found.weak || has_samples) && is_comment();
        // A secret that does not look random is an example if it is commented out.
        found.weak |=
            !looks_random(value) && is_comment() || identifies_client(text, found, &secret_names);
        strength > Strength::None
            && (!is_labels || is_secret_in_label_file(value))
            && !is_sample
            && !begins_comment(text, found)
    });
    found
}

/// Whether a value was generated. If the value is base64, the decoded text is tested instead. An
/// app password, which consists of groups of letters, counts as generated.
pub(super) fn is_generated_secret(value: &str) -> bool {
    match decoded(value) {
        Some(inner) => shape::is_generated(&inner),
        None => shape::is_generated(value) || is_app_password(value),
    }
}

/// The strength of `value` alone, without regard to the name that it is assigned to.
pub(super) fn strength(value: &str) -> Strength {
    // LDIF writes base64 after a second colon.
    let value = value.trim_start_matches([':', ' ']).trim_end();
    let plain = strength_of_text(value);
    match decoded(value) {
        Some(inner) if plain == Strength::Strong => strength_of_text(&inner),
        _ => plain,
    }
}

fn strength_of_text(value: &str) -> Strength {
    if value.len() > MAX_WORDED_LEN {
        return Strength::Strong;
    }
    if is_public_id(value) || is_digest(value) || describes_itself(value) || is_member_path(value) {
        return Strength::None;
    }
    let is_number = value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_digit());
    let with_letters = letters_for_digits(value);
    if is_number
        || is_dummy(value)
        || is_dummy(&with_letters)
        || is_dummy(&value.replace(|c: char| c.is_ascii_punctuation(), ""))
        || is_one_word(value)
        || is_one_word(&with_letters) && value.len() <= MAX_SPELLED_LEN
        || is_snake_case(value)
        || is_resource_name(value)
        || names_its_kind(value)
        || is_constant_name(value)
    {
        return Strength::Weak;
    }
    Strength::Strong
}

/// The text that `value` contains in base64: encoding does not make a word a better password.
fn decoded(value: &str) -> Option<String> {
    let is_padded = value.len() >= 8 && value.len().is_multiple_of(4);
    let text = data::decode(value).filter(|_| is_padded && value.len() <= MAX_WORDED_LEN)?;
    (text.len() >= 4 && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))).then_some(text)
}

/// Whether the value is a key for clients, which every visitor of the site can see.
fn is_public_id(value: &str) -> bool {
    table::PUBLIC_STARTS.iter().any(|start| value.starts_with(start))
}

/// Whether the value is the digest of a file or an image: `sha256:…`, `sha512-…`.
fn is_digest(value: &str) -> bool {
    value.strip_prefix("sha").is_some_and(|rest| {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < rest.len() && digits.starts_with([':', '-'])
    })
}

/// Whether the value describes itself as a secret or as a placeholder: `my_password`, `random_key`,
/// `do-not-use-in-production`.
fn describes_itself(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    table::DISCLAIMERS.iter().any(|words| lower.contains(words))
        || dummy_words(&lower).is_some_and(|words| {
            words.iter().any(|word| table::DESCRIBING_DUMMIES.contains(word))
                && !is_numbered_password(value, words.len())
        })
}

/// Whether a value of one or two words ends with digits, as people write passwords to satisfy a
/// policy: `Password123!`.
fn is_numbered_password(value: &str, word_count: usize) -> bool {
    let letters = value.trim_end_matches(|c: char| c.is_ascii_digit() || c.is_ascii_punctuation());
    word_count <= 2
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && value[letters.len()..].bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the last of several words names the kind of secret: `monitoring_password`.
fn names_its_kind(value: &str) -> bool {
    value.rsplit_once(['_', '-']).is_some_and(|(start, kind)| {
        matches!(kind, "password" | "passwd" | "pass" | "secret" | "token" | "key")
            && has_words_of(start, &['_', '-'], u8::is_ascii_lowercase)
    })
}

/// Whether a value consists of words of at least two letters of one case, with `separators`.
fn has_words_of(value: &str, separators: &[char], is_letter: fn(&u8) -> bool) -> bool {
    let is_word = |word: &str| {
        word.len() >= 2 && word.bytes().all(|byte| is_letter(&byte)) && !looks_random(word)
    };
    value.split(separators).all(is_word)
}

/// Whether the value is the name of a class or a function: `app.auth.TokenModel`,
/// `project.users.get_token`.
fn is_member_path(value: &str) -> bool {
    let segments: Vec<&str> = value.split('.').collect();
    let is_name = |segment: &&str| {
        !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
    };
    let is_joined = |name: &str| {
        name.trim_matches('_').contains('_')
            || name
                .as_bytes()
                .windows(2)
                .any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase())
    };
    segments.len() >= 2
        && segments.iter().all(is_name)
        && (segments.len() >= 3 || segments.iter().any(|name| is_joined(name)))
        && !segments.iter().any(|name| looks_random(name))
}

/// Whether the value is the name of a constant or a variable: `GOOGLE_CREDENTIALS_JSON`.
fn is_constant_name(value: &str) -> bool {
    value.matches('_').count() >= 2 && has_words_of(value, &['_'], u8::is_ascii_uppercase)
}

/// Whether a value has the form of a name in Kubernetes, Terraform or a cloud: three or more words
/// with hyphens, such as `prod-billing-database`. A passphrase of such words is not recognised.
fn is_resource_name(value: &str) -> bool {
    value.matches('-').count() >= 2 && has_words_of(value, &['-'], u8::is_ascii_lowercase)
}

/// Whether the value is a name of words in lower case: `mail_settings`.
fn is_snake_case(value: &str) -> bool {
    value.contains('_') && has_words_of(value, &['_'], u8::is_ascii_lowercase)
}

/// The value without outer digits and punctuation, and with letters for the inner characters that
/// resemble them: `P4ssw0rd!` → `Password`.
fn letters_for_digits(value: &str) -> String {
    let core = value.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    core.chars().map(letter).collect()
}

/// Whether the value is a single word in the usual spelling: `postgres`, `Heron`.
fn is_one_word(value: &str) -> bool {
    value.len() <= 24
        && value.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && !looks_random(value)
}

/// Whether a value in a file of labels is nevertheless a secret.
fn is_secret_in_label_file(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_inner = |three: &[u8]| {
        three[1].is_ascii_digit()
            && three[0].is_ascii_alphanumeric()
            && three[2].is_ascii_alphanumeric()
    };
    let is_mixed = bytes.iter().any(u8::is_ascii_digit) || value.len() >= 24;
    let is_strong = || {
        is_credible(value, Class::Password, Trust::Low)
            || is_credible(value, Class::Secret, Trust::Low)
            || (value.len() >= 8
                && value.is_ascii()
                && !value.contains(char::is_whitespace)
                && bytes.windows(3).any(is_inner))
    };
    is_mixed && is_strong()
}

/// Whether the comments of the file at `path` are examples written by the program that generated
/// the file.
fn has_sample_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    table::FILES_WITH_SAMPLE_COMMENTS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether the value is the first word of a comment in place of a value: `KEY=#deprecated, use B`.
fn begins_comment(text: &str, found: &Found) -> bool {
    let (value, rest) = (&text[found.span.range()], &text[found.span.end as usize..]);
    let rest = &rest[..rest.floor_char_boundary(MAX_COMMENT_LEN)];
    let is_quoted = text[..found.span.start as usize].ends_with(['"', '\'', '`']);
    let is_separate = rest.trim_start_matches([',', '.', ':']).starts_with(' ');
    let words = rest.lines().next().unwrap_or_default().split_whitespace();
    value.starts_with('#')
        && !is_quoted
        && is_separate
        && words.filter(|word| word.len() > 1).count() >= 2
}

/// For each name in `text` that ends in `secret` and has a value assigned: the part of the name
/// before `secret`, in lower case.
fn secret_names(text: &str) -> HashSet<String> {
    let names = text.split_inclusive(|c: char| !is_part_of_name(c));
    let mut end = 0;
    let starts = names.filter_map(|name| {
        end += name.len();
        let separator = name.len() - name.trim_end_matches(|c| !is_part_of_name(c)).len();
        let after = text[end - separator..].trim_start_matches(['"', '\'', ']', ' ']);
        if !after.starts_with(['=', ':']) {
            return None;
        }
        let name = &name[..name.len() - separator];
        let (start, end) = name.split_at_checked(name.len().checked_sub(6)?)?;
        end.eq_ignore_ascii_case("secret").then(|| start.to_ascii_lowercase())
    });
    starts.collect()
}

fn is_part_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Words in the names of keys that are secrets themselves. A key without such a word, next to a
/// secret of the same name, is the public half of a pair.
const SYMMETRIC_KEY_WORDS: [&str; 8] =
    ["cookie", "crypt", "encrypt", "hmac", "jwt", "session", "sign", "storage"];

/// The name of the setting to which a found value is assigned, or an empty string.
fn name_before<'a>(text: &'a str, found: &Found) -> &'a str {
    let before = &text[..found.span.start as usize];
    let near = before.ceil_char_boundary(before.len().saturating_sub(MAX_NAME_LEN));
    let before = before[near..].trim_end_matches(|c: char| !is_part_of_name(c));
    before.rsplit(|c: char| !is_part_of_name(c)).next().unwrap_or_default()
}

/// Whether a name indicates only that its value is a key, such as `apiKey`. If the service is
/// unknown, such a key is as often public, for example in a web page, as it is secret.
pub(crate) fn is_bare_key(name: &str) -> bool {
    let words = words(name);
    words.last().is_some_and(|word| word == "key" || word == "apikey")
        && !words.iter().any(|word| table::SECRET_KEY_WORDS.contains(word))
}

/// Whether a value identifies a client: every visitor of the site can see it (`VITE_MAP_KEY`), or it
/// is the public half of a pair whose other half is secret, as in OAuth (`GITHUB_APP_KEY` next to
/// `GITHUB_APP_SECRET`).
fn identifies_client(text: &str, found: &Found, secret_names: &HashSet<String>) -> bool {
    let start = name_before(text, found).to_ascii_lowercase();
    if table::BROWSER_STARTS.iter().any(|mark| start.contains(mark))
        || table::BROWSER_KEYS.contains(&start)
    {
        return true;
    }
    let start = start.strip_suffix("key").filter(|start| start.len() >= 2);
    // `APP_KEY` without the name of a service is the key of the application itself.
    start.is_some_and(|start| {
        let is_symmetric =
            start == "app_" || SYMMETRIC_KEY_WORDS.iter().any(|word| start.contains(word));
        !is_symmetric && secret_names.contains(start)
    })
}

/// Finds out which offsets are in a comment, in common languages. The offsets are passed in ascending
/// order, so each byte of the text is read once.
struct Comments<'a> {
    text: &'a str,
    /// End of the text that was read.
    end: usize,
    /// The end of the comment mark at the start of the current line; `None` if the line does not
    /// start with a comment mark.
    mark_end: Option<usize>,
}

impl<'a> Comments<'a> {
    fn new(text: &'a str) -> Self {
        let mut comments = Self { text, end: 0, mark_end: None };
        comments.begin_line(0);
        comments
    }

    fn contains(&mut self, at: usize) -> bool {
        if let Some(line_end) = self.text[self.end..at].rfind(['\n', '\r']) {
            self.begin_line(self.end + line_end + 1);
        }
        self.end = at;
        self.mark_end.is_some_and(|end| end <= at)
    }

    fn begin_line(&mut self, start: usize) {
        const MARKS: [&str; 8] = ["#", "//", ";", "* ", "/*", "<!--", "-- ", "REM "];
        let line = self.text[start..].trim_start();
        let mark = MARKS.iter().find(|mark| line.starts_with(**mark));
        self.mark_end = mark.map(|mark| self.text.len() - line.len() + mark.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strength_of_a_value_is_assessed() {
        for (value, expected) in [
            ("my_password", Strength::None),
            ("random_key", Strength::None),
            ("not-active", Strength::None),
            ("monitoring_password", Strength::Weak),
            ("kV8xRq3LmZ7t_password", Strength::Strong),
            ("guest", Strength::None),
            ("password", Strength::None),
            ("cGFzc3dvcmQ=", Strength::None),
            ("app.auth.TokenModel", Strength::None),
            ("GOOGLE_CREDENTIALS_JSON", Strength::Weak),
            ("dev-only-do-not-use-in-prod", Strength::None),
            ("changeme", Strength::Weak),
            ("Test123!", Strength::Weak),
            ("123456", Strength::Weak),
            ("f00d", Strength::Weak),
            ("Password123!", Strength::Weak),
            ("secret1234", Strength::Weak),
            ("MyPassword1", Strength::Weak),
            ("test_password_123", Strength::None),
            ("generate-with-openssl-rand-hex-32", Strength::None),
            ("ThisTokenIsNotSoSecretChangeIt", Strength::None),
            ("secret-key-for-development-only-123", Strength::None),
            ("a-very-long-secret-key-that-should-be-changed", Strength::None),
            ("generate_a_secure_random_string", Strength::None),
            ("super_secret_random_key_32_chars", Strength::None),
            ("set-in-secret-manager", Strength::None),
            ("mail_settings", Strength::Weak),
            ("cassandra", Strength::Weak),
            ("urlaubsverwaltung", Strength::Weak),
            ("Sup3rSecr3t", Strength::Weak),
            ("hunter2-Heron", Strength::Strong),
            ("s4ffron-Kite", Strength::Strong),
            ("prod-billing-database", Strength::Weak),
            ("correct-horse-battery-staple", Strength::Weak),
            ("kV8xRq3LmZ7tWp2Yd9Hs4Jf6Gb1Nc5Ee", Strength::Strong),
            ("U2lsdmVyLUJpcmNoNw==", Strength::Strong),
        ] {
            assert_eq!(strength(value), expected, "{value}");
        }
    }
}
