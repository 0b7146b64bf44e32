//! Decides whether a value can be the secret that its name denotes.

use super::names::Class;
use aidd_engine::text::placeholder::{is_placeholder, is_template};
use aidd_engine::text::shape::{entropy, looks_random};
use aidd_lexicon::tables::credentials as table;

/// Maximum length in bytes of a secret in a file that is not known to contain secrets.
pub(super) const MAX_SECRET_LEN: usize = 2048;

/// Minimum length in bytes of a password in a file that is known to contain secrets.
const MIN_PASSWORD_LEN: usize = 4;

/// How far the values of a file are trusted to be real secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// Source code, tests, documentation, samples: most values are made up or not secrets.
    Low,
    /// A settings file of an unknown program.
    Medium,
    /// A settings file known to contain credentials: even `changeme` is reported.
    High,
}

/// Whether `value` is credible as a secret of `class`.
pub(crate) fn is_credible(value: &str, class: Class, trust: Trust) -> bool {
    let value = value.trim();
    if class != Class::Hash && trust > Trust::Low && is_app_password(value) {
        return true;
    }
    // A fast path: one value can contain thousands of names.
    if trust < Trust::High && value.len() > MAX_SECRET_LEN {
        return false;
    }
    let is_substitute =
        if trust == Trust::High { is_template(value) } else { is_placeholder(value) };
    if is_substitute
        || is_expression(value)
        || is_pattern(value)
        || is_validation(value)
        || is_lookup(value)
        || is_path(value)
        || is_prose(value)
        || is_address(value)
    {
        return false;
    }
    match (class, trust) {
        (Class::Hash, _) => is_password_hash(value),
        (_, _) if is_type_word(value) => false,
        (Class::Password, Trust::High) => value.len() >= MIN_PASSWORD_LEN,
        (Class::Password, Trust::Medium) => {
            value.len() >= MIN_PASSWORD_LEN
                && !is_dummy(value)
                && !is_word(value)
                && !value.contains(' ')
        }
        (Class::Password, Trust::Low) => is_strong_password(value) && !is_uuid(value),
        (Class::Secret, Trust::High) => {
            value.len() >= MIN_PASSWORD_LEN && !is_number(value) && !is_header_name(value)
        }
        (Class::Secret, Trust::Medium) => is_token(value, 8),
        (Class::Secret, Trust::Low) => {
            is_token(value, 12) && looks_random(value) && !is_uuid(value)
        }
    }
}

/// Whether a value is machine-generated and has at least `min_len` bytes.
fn is_token(value: &str, min_len: usize) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_marks = value.contains(['[', '(', '{', '<', '|', '"'])
        || value.contains('#') && value.contains('/');
    value.len() >= min_len
        && !value.contains(char::is_whitespace)
        && !is_address(value)
        && !is_escaped(value)
        && !has_marks
        && !is_dummy(value)
        && (looks_random(value) || (min_len < 12 && has_digit && has_letter))
        && entropy(value) >= 2.5
}

/// Whether a value in source code is unlikely to be a label: it has mixed character classes, and
/// does not consist only of words.
fn is_strong_password(value: &str) -> bool {
    let count = |predicate: fn(&u8) -> bool| value.bytes().filter(predicate).count();
    let digits = count(u8::is_ascii_digit);
    let letters = count(u8::is_ascii_alphabetic);
    let punctuation = value.len() - digits - letters;
    let is_identifier = value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:/".contains(&b));
    let is_numbered_word = value
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'-');
    (6..=64).contains(&value.len())
        && value.is_ascii()
        && letters >= 2
        && !value.contains(char::is_whitespace)
        && !value.contains(['(', '{', '<', '\\'])
        && !is_escaped(value)
        && !is_address(value)
        && !is_dummy(value)
        && entropy(value) >= 2.3
        && if is_identifier {
            looks_random(value) || (digits >= 2 && !is_numbered_word && value.len() <= 24)
        } else {
            digits > 0 && punctuation <= letters + digits
        }
}

/// Whether a value is a hash in the format of `crypt`, databases and frameworks.
pub(crate) fn is_password_hash(value: &str) -> bool {
    if value.len() < 13 || value.contains(char::is_whitespace) {
        return false;
    }
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    table::HASH_MARKS.iter().any(|mark| value.starts_with(mark))
        || is_hex_digest(value)
        || value.strip_prefix('*').is_some_and(|hex| hex.len() == 40 && is_hex(hex))
        || value.strip_prefix("md5").is_some_and(|hex| hex.len() == 32 && is_hex(hex))
}

/// Whether a value has the length of a digest in hexadecimal digits: MD5, SHA-1, SHA-2.
fn is_hex_digest(value: &str) -> bool {
    matches!(value.len(), 32 | 40 | 56 | 64 | 96 | 128)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a value is a hash with the mark of its algorithm: `$argon2id$…`, `$pbkdf2-sha512$…`.
pub(super) fn is_marked_hash(value: &str) -> bool {
    value.len() >= 13 && value.starts_with('$') && is_password_hash(value)
}

/// Whether a value consists of words that tests, samples and forms use in place of a secret:
/// `my-secret-key`, `test_password_123`.
pub(crate) fn is_dummy(value: &str) -> bool {
    dummy_words(&value.to_ascii_lowercase()).is_some()
}

/// The words of a lower-case value; `None` if the value does not consist of dummy words.
pub(super) fn dummy_words(value: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let next = rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        if next.is_empty() {
            return (rest.len() < 8).then_some(words);
        }
        let known = table::DUMMIES.iter().filter(|word| next.starts_with(word));
        let length = known.map(str::len).max()?;
        words.push(&next[..length]);
        rest = &next[length..];
    }
    Some(words)
}

/// Whether a value is a word that names a type, a method or a state rather than a secret.
fn is_type_word(value: &str) -> bool {
    let lower = value.trim_end_matches([',', ';']).to_ascii_lowercase();
    table::TYPE_WORDS.contains(&lower)
}

/// Whether a value starts a template, or is a variable with an escaped `$`: `{{ .Values.x`,
/// `$$NAME`.
fn is_expression(value: &str) -> bool {
    let is_variable = |name: &str| {
        let name = name.trim_end_matches([';', ',']);
        name.starts_with(['{', '(']) || is_template(&format!("${name}"))
    };
    ["{{", "{%", "<%"].iter().any(|open| value.starts_with(open))
        || value.strip_prefix("$$").is_some_and(is_variable)
}

/// Whether a value is part of a regular expression or of a format string: `[^@]+)`, `%s`.
fn is_pattern(value: &str) -> bool {
    let is_verb =
        |verb: &str| verb.len() == 1 && verb.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_class = value.contains("[^") && value.contains(']');
    has_class || value.contains("(?") || value.strip_prefix('%').is_some_and(is_verb)
}

/// Whether a value is a list of validation rules, as Laravel writes them: `required|string|min:8`.
fn is_validation(value: &str) -> bool {
    let is_rule = |rule: &str| {
        let name = rule.split(':').next().unwrap_or_default();
        name.len() >= 2 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    const RULES: [&str; 8] =
        ["required", "nullable", "string", "sometimes", "confirmed", "email", "numeric", "integer"];
    let is_known = |rule: &str| RULES.contains(&rule);
    value.contains('|') && value.split('|').all(is_rule) && value.split('|').any(is_known)
}

/// Whether a value is the name of an HTTP header: `Authorization`, `X-Api-Key`.
fn is_header_name(value: &str) -> bool {
    value.split('-').all(|word| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
    }) && !looks_random(value)
}

/// Whether a value is an expression: a call, a member or a variable.
fn is_lookup(value: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:$->".contains(&b))
    };
    let is_call = value
        .strip_suffix(')')
        .and_then(|value| value.find('(').map(|at| &value[..at]))
        .is_some_and(|callee| is_name(callee) && callee.bytes().any(|b| b.is_ascii_lowercase()));
    let is_index = value
        .strip_suffix(']')
        .and_then(|value| value.find('[').map(|at| &value[..at]))
        .is_some_and(|name| is_name(name) && name.len() > 2);
    let is_prefix = |text: &str| value.starts_with(text);
    is_call
        || is_index
        || ["$_", "$this->", "self.", "this.", "&", "ENV"].into_iter().any(is_prefix)
            && is_name(value.trim_start_matches('&'))
}

/// Whether a value is a file path: `/etc/key.pem`, `~/.secret`, `./a/b`, `C:\keys\x`.
fn is_path(value: &str) -> bool {
    let slashes = value.matches(['/', '\\']).count();
    let is_rooted = ["/", "~/", "./", "../", "\\\\"].iter().any(|start| value.starts_with(start))
        || value.as_bytes().get(1..3).is_some_and(|start| start == b":\\" || start == b":/");
    let lower = value.to_ascii_lowercase();
    // `#/…` is a reference within a JSON document.
    value.starts_with("#/")
        || table::FILE_ENDS.iter().any(|end| lower.ends_with(end))
        || (is_rooted && (slashes >= 2 || value.starts_with('~')) && !looks_random(value))
}

/// Whether a value contains bytes written as escapes: `\x9b`, `%F0%9F`.
fn is_escaped(value: &str) -> bool {
    let escape =
        |pair: &[u8]| pair[0] == b'%' && pair[1].is_ascii_hexdigit() && pair[2].is_ascii_hexdigit();
    value.contains("\\x") || value.contains("\\u") || value.as_bytes().windows(3).any(escape)
}

/// Whether a value has the standard format of a UUID, which is more often an id than a secret.
fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value is a URL, an e-mail address or a host name.
pub(super) fn is_address(value: &str) -> bool {
    value.contains("://") || value.starts_with("www.") || value.starts_with("mailto:")
}

/// Whether a value is a password for one application as Google displays it: four groups of four
/// random letters.
pub(super) fn is_app_password(value: &str) -> bool {
    let groups: Vec<&str> = value.split(' ').collect();
    let is_group =
        |group: &&str| group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_lowercase());
    groups.len() == 4 && groups.iter().all(is_group) && looks_random(&groups.concat())
}

/// Whether a value is text in a natural language: several words, or letters that passwords rarely
/// contain.
fn is_prose(value: &str) -> bool {
    let is_natural = |word: &str| {
        word.trim_matches(|c: char| c.is_ascii_punctuation()).chars().all(char::is_alphabetic)
    };
    let words = value.split_whitespace().filter(|word| is_natural(word));
    words.count() >= 4
        || (value.ends_with(['?', ':', '.']) && value.contains(' '))
        || is_label(value)
}

/// Whether a value is the text of a label: `User password`, `Clé d’accès`, `密码`.
pub(super) fn is_label(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_word = |word: &str| {
        word.chars().all(|c| {
            c.is_alphabetic()
                || matches!(c, '-' | '\'' | ',' | '.' | '!' | '?' | '…' | '’' | '(' | ')')
        })
    };
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphabetic();
    let is_titled = value.starts_with(char::is_uppercase)
        && value.contains(' ')
        && value.split_whitespace().all(is_word);
    !has_digit
        && (value.contains(is_foreign) || is_titled || (value.contains(' ') && !value.is_ascii()))
}

/// Whether a value is a single word in the usual spelling.
fn is_word(value: &str) -> bool {
    value.chars().all(|c| c.is_alphabetic() || c == '_' || c == '-' || c == '.')
        && !looks_random(value)
}

fn is_number(value: &str) -> bool {
    value.len() < 16 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credible(value: &str, class: Class) -> [bool; 3] {
        [Trust::Low, Trust::Medium, Trust::High].map(|trust| is_credible(value, class, trust))
    }

    #[test]
    fn passwords_are_credible_depending_on_trust() {
        for (value, expected) in [
            ("Xk9#mQ2!vL", [true, true, true]),
            ("s3cr3tP4ss", [true, true, true]),
            ("letmein", [false, false, true]),
            ("changeme", [false, false, true]),
            ("password123", [false, false, true]),
            ("Enter your password here", [false, false, false]),
            ("getPassword()", [false, false, false]),
            ("required|string|min:8", [false, false, false]),
            ("%s", [false, false, false]),
            ("[^@]+))?@", [false, false, false]),
            ("b84e4048-15dc-4dd0-8640-f4f60813c8af", [false, true, true]),
            ("string", [false, false, false]),
            ("/etc/ssl/private/key.pem", [false, false, false]),
            ("${DB_PASSWORD}", [false, false, false]),
            ("", [false, false, false]),
        ] {
            assert_eq!(credible(value, Class::Password), expected, "{value}");
        }
    }

    #[test]
    fn app_passwords_are_credible() {
        assert_eq!(credible("qzvx plmt wkrd hnfj", Class::Password), [false, true, true]);
        assert_eq!(credible("this will pass test", Class::Password), [false; 3]);
        assert_eq!(credible("qzvx plmt wkrd hnfjk", Class::Password), [false; 3]);
    }

    #[test]
    fn tokens_are_credible_depending_on_trust() {
        for (value, expected) in [
            ("9f8a7c6e5d4b3a291807f6e5d4c3b2a1", [true, true, true]),
            ("abc123def", [false, true, true]),
            ("bearer", [false, false, true]),
            ("3600", [false, false, false]),
            ("https://example.org/token", [false, false, false]),
            ("my-secret-token", [false, false, true]),
        ] {
            assert_eq!(credible(value, Class::Secret), expected, "{value}");
        }
    }

    #[test]
    fn dummy_values_consist_only_of_known_words() {
        for value in [
            "",
            "12",
            "password",
            "My-Secret-Key",
            "test_password_123",
            "changeme1",
            "theapikey",
            "passw0rd",
        ] {
            assert!(is_dummy(value), "{value}");
        }
        for value in
            ["s3cr3tP4ss", "password12345678", "12345678", "correct-horse", "tokén", "xkey"]
        {
            assert!(!is_dummy(value), "{value}");
        }
    }

    #[test]
    fn password_hashes_are_recognised() {
        for value in [
            "$2y$10$Qh7pXk1vNw3RzL5tYb9uSe",
            "5f4dcc3b5aa765d61d8327deb882cf99",
            "{SSHA}0c1N6FyRq3T5bQ==",
        ] {
            assert!(is_password_hash(value), "{value}");
        }
        assert!(!is_password_hash("hunter2"));
    }
}
