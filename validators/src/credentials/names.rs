//! Whether the name of a setting says that its value is a secret.

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

/// Words of which every secret name has one; what a prefilter looks for.
pub(crate) const KEYWORDS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "access-key",
    "private_key",
    "privatekey",
    "private-key",
    "credential",
    "auth_key",
    "authkey",
    "encryption_key",
    "encryptionkey",
    "signing_key",
    "signingkey",
    "master_key",
    "masterkey",
    "account_key",
    "accountkey",
    "shared_key",
    "sharedkey",
    "client_key",
    "connectionstring",
    "connection_string",
    "login(",
    "basicauth(",
    "basic_auth(",
    "securestring",
    "getconnection(",
    "_connect(",
    "mysqli(",
    "pdo(",
];

/// What the value of a setting of this name holds, if it is a secret.
#[must_use]
pub(crate) fn class(name: &str) -> Option<Class> {
    let words = words(name);
    let (last, class) = (0..words.len()).rev().find_map(|at| {
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        word_class(before, &words[at]).map(|class| (at, class))
    })?;
    if words[..last].iter().any(|word| NOT_BEFORE.contains(&word.as_str())) {
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
    const PASSWORDS: [&str; 23] = [
        "pass",
        "pwd",
        "pw",
        "passwd",
        "passwort",
        "passphrase",
        "passcode",
        "psk",
        "psw",
        "kennwort",
        "contrasena",
        "senha",
        "mdp",
        "passwrd",
        "rootpw",
        "bindpw",
        "requirepass",
        "masterauth",
        "userpw",
        "dbpw",
        "identpass",
        "adminpw",
        "storepass",
    ];
    const PASSWORD_ENDS: [&str; 6] =
        ["password", "passwd", "passphrase", "pwd", "passwort", "passcode"];
    const SECRETS: [&str; 18] = [
        "secret",
        "token",
        "apikey",
        "secretkey",
        "accesskey",
        "privatekey",
        "authkey",
        "masterkey",
        "signingkey",
        "encryptionkey",
        "accountkey",
        "sharedkey",
        "credential",
        "credentials",
        "connectionstring",
        "apitoken",
        "authtoken",
        "appkey",
    ];
    const KEY_OF: [&str; 28] = [
        "api",
        "secret",
        "private",
        "access",
        "auth",
        "encryption",
        "encrypt",
        "signing",
        "sign",
        "signature",
        "master",
        "account",
        "shared",
        "storage",
        "app",
        "application",
        "consumer",
        "client",
        "crypt",
        "crypto",
        "cipher",
        "hmac",
        "jwt",
        "security",
        "service",
        "deploy",
        "license",
        "ssh",
    ];
    // Words that only end like a password.
    const OTHER_PASSES: [&str; 12] = [
        "bypass",
        "compass",
        "overpass",
        "encompass",
        "surpass",
        "trespass",
        "underpass",
        "lowpass",
        "highpass",
        "allpass",
        "multipass",
        "subpass",
    ];
    let ends = PASSWORD_ENDS.iter().any(|end| word.ends_with(end));
    let is_pass = word.ends_with("pass") && !OTHER_PASSES.contains(&word) && word.len() <= 14;
    if PASSWORDS.contains(&word) || ends || is_pass {
        return Some(Class::Password);
    }
    let is_secret = SECRETS.contains(&word)
        || (word == "key" && KEY_OF.contains(&before))
        || (word == "string" && before == "connection")
        || ["secret", "token", "apikey", "secretkey"].iter().any(|end| {
            word.strip_suffix(end).is_some_and(|start| {
                matches!(
                    start,
                    "access"
                        | "auth"
                        | "client"
                        | "bot"
                        | "user"
                        | "refresh"
                        | "id"
                        | "session"
                        | "app"
                        | "api"
                        | "bearer"
                        | "oauth"
                        | "shared"
                        | "consumer"
                        | "github"
                        | "slack"
                        | "aws"
                        | "web"
                        | "jwt"
                        | "my"
                        | "db"
                        | "admin"
                )
            })
        });
    is_secret.then_some(Class::Secret)
}

/// Words before the secret word that make the name one of something else.
const NOT_BEFORE: [&str; 73] = [
    "existing",
    "random",
    "idempotency",
    "lock",
    "request",
    "update",
    "policy",
    "sync",
    "output",
    "input",
    "verification",
    "no",
    "show",
    "forgot",
    "forgotten",
    "reset",
    "change",
    "confirm",
    "confirmation",
    "invalid",
    "has",
    "is",
    "use",
    "uses",
    "require",
    "requires",
    "required",
    "enable",
    "disable",
    "allow",
    "max",
    "min",
    "num",
    "ask",
    "prompt",
    "hide",
    "hidden",
    "csrf",
    "xsrf",
    "public",
    "next",
    "page",
    "pagination",
    "continuation",
    "continue",
    "cancellation",
    "cancel",
    "design",
    "syntax",
    "lexer",
    "missing",
    "wrong",
    "bad",
    "incorrect",
    "empty",
    "toggle",
    "generate",
    "with",
    "without",
    "if",
    "should",
    "can",
    "expect",
    "expected",
    "count",
    "stop",
    "start",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "separator",
];

/// Words after the secret word that leave the name what it is.
fn is_tail(word: &str) -> bool {
    const TAILS: [&str; 36] = [
        "value",
        "string",
        "text",
        "plain",
        "plaintext",
        "cleartext",
        "raw",
        "base64",
        "b64",
        "hex",
        "prod",
        "production",
        "dev",
        "development",
        "test",
        "testing",
        "stage",
        "staging",
        "live",
        "sandbox",
        "qa",
        "uat",
        "local",
        "default",
        "base",
        "old",
        "new",
        "current",
        "primary",
        "secondary",
        "main",
        "backup",
        "admin",
        "user",
        "root",
        "salt",
    ];
    TAILS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
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
