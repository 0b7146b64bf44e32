//! What the name of a value says about it: a secret, or an identifier.

use super::tree::names::words;
use aidd_lexicon::tables::credentials;

/// Whether the name denotes an identifier or a user: `HEROKU_APP_ID`, `herokuUser`, but not
/// `SECRET_ID`.
pub(crate) fn denotes_identifier(name: &str) -> bool {
    let words = words(name);
    let words = words.iter().rev().map(|word| without_number(word));
    let mut words = words.filter(|word| !word.is_empty());
    words.next().is_some_and(|last| credentials::IDENTIFIERS.contains(last))
        && !words.next().is_some_and(is_secret_word)
}

/// Whether one of the words of a text denotes a secret: `HEROKU_API_KEY:`, `Circle-Token:`.
pub(crate) fn mentions_secret(text: &str) -> bool {
    words(text).iter().any(|word| is_secret_word(without_number(word)))
}

fn is_secret_word(word: &str) -> bool {
    credentials::ENDS_OF_SECRET_WORDS.iter().any(|end| word.ends_with(end))
        || credentials::SECRET_WORDS.contains(word)
}

fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_identifiers_are_recognised() {
        for (name, expected) in [
            ("HEROKU_USER", true),
            ("herokuAppId", true),
            ("heroku-app", true),
            ("HEROKU_ACCOUNT_2", true),
            ("HEROKU_API_KEY", false),
            ("VAULT_SECRET_ID", false),
            ("heroku", false),
            ("HEROKU_KEY2", false),
        ] {
            assert_eq!(denotes_identifier(name), expected, "{name}");
        }
    }

    #[test]
    fn words_for_secrets_are_recognised() {
        for (text, expected) in [
            ("HEROKU_API_KEY: ", true),
            ("curl -H \"Circle-Token: ", true),
            ("herokuapikey=", true),
            ("DD_API=", true),
            ("heroku: ", false),
            ("monkeys of heroku ", false),
            ("the author of heroku ", false),
        ] {
            assert_eq!(mentions_secret(text), expected, "{text}");
        }
    }
}
