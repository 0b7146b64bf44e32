//! Detects example passwords, by common placeholder words and by the hosts that the passwords are
//! used with.

use crate::text::shape::looks_random;
use regex::Regex;
use std::sync::LazyLock;

/// A placeholder word that documentation and tests use as a password.
static PLACEHOLDER_WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "p[a4]ss(?:w(?:[o0]r)?d|code|phrase)?[0-9!]{0,4}|pass%.*|s[e3]cr[e3]?t?[0-9]{0,3}|asdf\\w*|qwerty\\w*|secrets\
        |hunter2|xyzzy|passw0rd|pwd?|user(?:name)?|token|key|api[_-]?key|admin|administrator|root\
        |guest|login|test(?:ing|pass(?:word)?)?|dev(?:elopment)?|local(?:host)?|docker|foo|bar|baz\
        |foobar|qux|abc|xyz|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbit(?:mq)?|sa|db\
        |database|default|none|null|mypass(?:word)?|your[_-]?\\w+|my[_-]?\\w*(?:pass|secret|token)\\w*\
        |contrase(?:n|ñ)a|mot[_-]?de[_-]?passe|passwort|kennwort|wachtwoord|senha|parola|has[lł]o|пароль|密码\
        |some[_-]?\\w+|\\w+[_-](?:pass|pwd)|weak|other|x-oauth-basic|@?password@?|\\w*[_-]?(?:password|passwd|secret|token)_?(?:here|value)?";
    Regex::new(&format!("^(?i:{words})$")).ok()
});

/// A variable name or a template instead of a value: `DB_PASSWORD`, `%s`, `[password]`.
static TEMPLATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:[A-Z][A-Z0-9_]*_[A-Z0-9_]*|[$%{<:\[(].*|.*[})\]>]|\*+|\.+|%[sdv].*|\+.*)$")
        .ok()
});

/// A reserved or placeholder host in a URL or a connection string.
static PLACEHOLDER_HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:[@=/.\s]|\btcp:)(?:example|exemple|beispiel|ejemplo|exemplo|esempio|voorbeeld|domain|company|(?:my|your)(?:company|domain|host|site)|foo|bar)\.(?:com|org|net|edu)\b|[a-z0-9]\.(?:example|invalid)(?:[:;/,\s]|$)").ok()
});

/// The local machine as the host in a URL or a connection string.
static LOCAL_HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)[@=/(](?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1|local\)|\.(?:;|\\))").ok()
});

/// Whether `password` is only an example. `context` is the surrounding text: a URL or connection
/// string with user and host.
#[must_use]
pub fn is_example(password: &str, context: &str) -> bool {
    let matches = |regex: &LazyLock<Option<Regex>>, text: &str| {
        regex.as_ref().is_some_and(|regex| regex.is_match(text))
    };
    matches(&PLACEHOLDER_WORD, password)
        || matches(&TEMPLATE, password)
        || repeats_user(password, context)
        || matches(&PLACEHOLDER_HOST, context)
        // A made-up password for localhost protects only a local development database.
        || (matches(&LOCAL_HOST, context) && !looks_random(password))
}

/// Whether the password repeats the user name, as in `guest:guest@`.
fn repeats_user(password: &str, url: &str) -> bool {
    let user = url.split_once("//").and_then(|(_, rest)| rest.split_once(':'));
    user.is_some_and(|(user, rest)| {
        user.eq_ignore_ascii_case(password)
            && rest.strip_prefix(password).is_some_and(|rest| rest.starts_with('@'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_recognised_by_word_and_host() {
        for (password, context) in [
            ("password", "amqp://app:PW@mq.acme.io"),
            ("Passw0rd", "amqp://app:PW@mq.acme.io"),
            ("DB_PASSWORD", "mysql://app:PW@db"),
            ("[password]", "mysql://app:PW@db"),
            ("tiger7", "oracle://Tiger7:PW@db"),
            ("k3j5h2g4f6d8", "http://evil:PW@example.com/"),
            ("k3j5h2g4f6d8", "http://evil:PW@api.example.org"),
            ("k3j5h2g4f6d8", "http://evil:PW@printer.example"),
            ("k3j5h2g4f6d8", "Server=tcp:example.com;Password=PW"),
            ("kulgrej", "https://hemligearne:PW@localhost"),
            ("sunshine", "Data Source=(local);Password=PW"),
        ] {
            assert!(is_example(password, &context.replace("PW", password)), "{context}");
        }
        for (password, context) in [
            ("sunshine", "mysql://app:PW@db.acme.io"),
            ("k3j5h2g4f6d8", "mysql://app:PW@localhost"),
            ("k3j5h2g4f6d8", "mysql://app:PW@counterexample.com"),
            ("tiger7", "oracle://tiger:PW@db"),
        ] {
            assert!(!is_example(password, &context.replace("PW", password)), "{context}");
        }
    }
}
