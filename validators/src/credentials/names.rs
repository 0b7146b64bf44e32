//! Whether the name of a setting says that its value is a secret.

use aidd_lexicon::tables::credentials as table;

/// What kind of secret a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Something a person may have thought up.
    Password,
    /// Something a machine made: a token, a key.
    Secret,
    /// A hash of a password.
    Hash,
}

/// What the value of a setting of this name holds, if it is a secret.
#[must_use]
pub(crate) fn class(name: &str) -> Option<Class> {
    let words = words(name);
    let (last, class) = (0..words.len()).rev().find_map(|at| {
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        word_class(before, &words[at]).map(|class| (at, class))
    })?;
    if words[..last].iter().any(|word| table::NOT_BEFORE.contains(word)) {
        return None;
    }
    let after = &words[last + 1..];
    if after.iter().any(|word| matches!(word.as_str(), "hash" | "hashed" | "digest" | "md5")) {
        return Some(Class::Hash);
    }
    after.iter().all(|word| is_tail(word)).then_some(class)
}

/// The words of a name, in lower case: split at signs and at the humps of camel case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            before = ' ';
            continue;
        }
        let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let is_hump = c.is_uppercase()
            && (before.is_lowercase()
                || before.is_ascii_digit()
                || (before.is_uppercase() && next_is_lower));
        let lower = c.to_lowercase();
        match words.last_mut() {
            Some(word) if before != ' ' && !is_hump => word.extend(lower),
            _ => words.push(lower.collect()),
        }
        before = c;
    }
    words
}

fn word_class(before: &str, word: &str) -> Option<Class> {
    let ends = table::PASSWORD_ENDS.iter().any(|end| word.ends_with(end));
    let is_pass = word.ends_with("pass") && !table::OTHER_PASSES.contains(word) && word.len() <= 14;
    if table::PASSWORDS.contains(word) || ends || is_pass {
        return Some(Class::Password);
    }
    let is_secret = table::SECRETS.contains(word)
        || (word == "key" && table::KINDS_OF_KEY.contains(before))
        || (word == "string" && before == "connection")
        || table::SECRET_ENDS.iter().any(|end| {
            word.strip_suffix(end).is_some_and(|start| table::SECRET_STARTS.contains(start))
        });
    is_secret.then_some(Class::Secret)
}

/// Words after the secret word that leave the name what it is.
fn is_tail(word: &str) -> bool {
    table::TAILS.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name() {
        assert_eq!(words("dbUserPassword"), ["db", "user", "password"]);
        assert_eq!(words("AWS_SECRET_ACCESS_KEY"), ["aws", "secret", "access", "key"]);
        assert_eq!(words("spring.datasource.password"), ["spring", "datasource", "password"]);
        assert_eq!(words("APIKey2"), ["api", "key2"]);
        assert_eq!(words(""), Vec::<String>::new());
    }

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPass",
            "userPassword",
            "smtp_pwd",
            "ftppass",
            "PGPASSWORD",
            "requirepass",
            "spring.datasource.password",
            "MYSQL_ROOT_PASSWORD",
            "password_prod",
            "wifi-psk",
            "passphrase",
            "Pass",
        ] {
            assert_eq!(class(name), Some(Class::Password), "{name}");
        }
        for name in [
            "secret",
            "client_secret",
            "api_key",
            "apiKey",
            "X-Api-Key",
            "AWS_SECRET_ACCESS_KEY",
            "token",
            "authToken",
            "_authToken",
            "SECRET_KEY",
            "secret_key_base",
            "ConnectionString",
            "privateKey",
            "ACCESS_TOKEN",
            "github_token",
            "consumerSecret",
            "accessToken",
        ] {
            assert_eq!(class(name), Some(Class::Secret), "{name}");
        }
        assert_eq!(class("password_hash"), Some(Class::Hash));
    }

    #[test]
    fn names_of_other_things() {
        for name in [
            "password_file",
            "tokenUrl",
            "token_type",
            "secretName",
            "passwordField",
            "max_tokens",
            "public_key",
            "next_token",
            "show_password",
            "reset_password",
            "bypass",
            "compass",
            "password_min_length",
            "tokens",
            "tokenizer",
            "author",
            "keyboard",
            "passed",
            "passes",
            "passing",
            "csrf_token",
            "key",
            "ask_password",
            "passwordPolicy",
        ] {
            assert_eq!(class(name), None, "{name}");
        }
    }
}
