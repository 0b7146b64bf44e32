//! The check for secrets that `ARG` and `ENV` store in the image.

use crate::credentials::is_bare_key;
use aidd_engine::parse::dockerfile::{Dockerfile, Instruction, Keyword, Pair, Variable};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::shape;
use aidd_engine::text::source::Span;
use std::collections::{HashMap, HashSet};

/// Words that denote a secret if they are one of the parts of a name between `_`.
const SECRET_PARTS: [&str; 10] = [
    "apikey",
    "auth",
    "credential",
    "credentials",
    "key",
    "password",
    "pword",
    "passwd",
    "secret",
    "token",
];

/// Strings that denote a secret anywhere in a name.
const SECRET_SUBSTRINGS: [&str; 7] =
    ["password", "passphrase", "secret", "token", "api_key", "private_key", "privatekey"];

/// Parts of a name that show that the value is not the secret itself.
const NON_SECRET_PARTS: [&str; 27] = [
    "public",
    "pub",
    "gpg",
    "file",
    "path",
    "dir",
    "url",
    "uri",
    "host",
    "port",
    "endpoint",
    "tokenizer",
    "tokenizers",
    "max",
    "min",
    "empty",
    "keyring",
    "keyserver",
    "method",
    "type",
    "use",
    "enable",
    "dummy",
    "example",
    "segment",
    "telemetry",
    "write",
];

/// Last parts of a name that denote a property of a secret or of the authentication.
const PROPERTIES: [&str; 27] = [
    "enabled",
    "disabled",
    "required",
    "mode",
    "role",
    "name",
    "user",
    "username",
    "provider",
    "service",
    "ttl",
    "expiry",
    "expiration",
    "expires",
    "lifetime",
    "timeout",
    "length",
    "size",
    "algorithm",
    "header",
    "prefix",
    "field",
    "fields",
    "file",
    "keyfile",
    "path",
    "period",
];

/// Prefixes of variables that build tools include in the client bundle, where they are public.
const CLIENT_PREFIXES: [&str; 5] = ["vite_", "react_app_", "vue_app_", "gatsby_", "expo_public_"];

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split('_').collect();
    let last = parts.last().copied().unwrap_or_default();
    let is_secret_id = name.ends_with("secret_id");
    let is_excluded = parts.iter().any(|part| NON_SECRET_PARTS.contains(part))
        || PROPERTIES.contains(&last)
        || last == "id" && !is_secret_id
        || CHECKSUM_PARTS.contains(&last) && !is_secret_id
        // Services issue client tokens for browsers.
        || parts.ends_with(&["client", "token"])
        || CLIENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    // `AUTH_MODE_X` and `KEY_Y` configure something; `NPM_AUTH` and `APP_KEY` are values.
    let is_secret_part = |(index, part): (usize, &&str)| {
        let is_vague = ["auth", "key"].contains(part);
        SECRET_PARTS.contains(part) && (!is_vague || index + 1 == parts.len())
    };
    !is_excluded
        && (parts.iter().enumerate().any(is_secret_part)
            || SECRET_SUBSTRINGS.iter().any(|text| name.contains(text)))
}

/// Parts of a name that mark a generated value as public.
const PUBLIC_PARTS: [&str; 8] =
    ["public", "pub", "publishable", "segment", "site", "telemetry", "tokenizer", "tokenizers"];
/// Last parts of a name that mark a checksum or an id.
const CHECKSUM_PARTS: [&str; 14] = [
    "checksum",
    "commit",
    "digest",
    "fingerprint",
    "hash",
    "id",
    "md5",
    "rev",
    "revision",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "version",
];

/// Whether a variable with a generated value is a secret, although [`is_secret_name`] is not true for
/// its name: `URL_SIGNING_SECRET`, `MYSQL_PWD`, `STRIPE_KEY_LIVE`.
fn is_generated_secret(name: &str, value: &str) -> bool {
    if !is_generated(value) || value.contains("://") || value.starts_with('/') {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split('_').collect();
    let has = |known: &[&str]| parts.iter().any(|part| known.contains(part));
    let last = parts.last().copied().unwrap_or_default();
    let is_key_id = has(&["gpg", "pgp", "keyring"]) && value.bytes().all(|b| b.is_ascii_hexdigit());
    let is_public = has(&PUBLIC_PARTS)
        || CHECKSUM_PARTS.contains(&last)
        || last == "key" && has(&["write"])
        || CLIENT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    !is_public
        && !is_key_id
        && (has(&SECRET_PARTS)
            || has(&["pass", "pwd"])
            || SECRET_SUBSTRINGS.iter().any(|text| name.contains(text)))
}

/// Whether a value is a boolean or a short number, which is never a secret.
fn is_switch(value: &str) -> bool {
    matches!(&*value.to_ascii_lowercase(), "true" | "false" | "yes" | "no" | "on" | "off" | "none")
        || value.len() < 4 && value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty()
}

/// Whether a variable is set to a value that cannot be a secret: a boolean, a short number, a
/// fingerprint, or a placeholder used during the build. An `ARG` without a value in a stage has
/// the value of the global `ARG`.
fn is_harmless(pair: &Pair, globals: &HashMap<&str, Variable<'_>>) -> bool {
    let global = || globals.get(&*pair.key.text)?.value;
    let value = pair.value.as_ref().map(|value| &*value.text).or_else(global).unwrap_or_default();
    is_switch(value) || is_fingerprint(value) || !value.contains('$') && is_placeholder(value)
}

/// Whether a value is the fingerprint of a public key, as GnuPG prints it.
fn is_fingerprint(value: &str) -> bool {
    value.len() == 40 && value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
}

/// Whether a variable is set to the value of one of `names`: `$NAME`, `${NAME}`.
fn is_copy_of(pair: &Pair, names: &HashSet<&str>) -> bool {
    let value = pair.value.as_ref().and_then(|value| copied_variable(&value.text));
    value.is_some_and(|name| names.contains(name))
}

/// Whether a value describes itself as a placeholder: `needs-to-be-set`, `dummy`.
fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 8] = [
        "cafebabe",
        "deadbeef",
        "dummy",
        "placeholder",
        "to-be-set",
        "not-set",
        "not-used",
        "unused",
    ];
    let value = value.to_ascii_lowercase().replace(['_', ' '], "-");
    matches!(&*value, "foo" | "bar") || WORDS.iter().any(|word| value.contains(word))
}

pub(super) fn secret_in_arg_or_env(file: &Dockerfile, report: &mut Report<'_>) {
    let globals = file.globals();
    let unset = copies_of_unset_variables(file);
    let is_setting =
        |instruction: &&Instruction| matches!(instruction.kind, Keyword::Arg | Keyword::Env);
    let mut harmless_args = HashSet::new();
    for instruction in file.instructions.iter().filter(is_setting) {
        for pair in &instruction.pairs {
            let name = &*pair.key.text;
            let is_harmless = is_harmless(pair, &globals) || is_copy_of(pair, &harmless_args);
            if instruction.kind == Keyword::Arg && is_harmless {
                harmless_args.insert(name);
            }
            // `ENV NAME=""` documents a variable that is set when the container starts.
            let is_empty = instruction.kind == Keyword::Env
                && (pair.value.as_ref().is_some_and(|value| value.text.is_empty())
                    || unset.contains(&pair.key.span));
            let value = pair.value.as_ref().map_or("", |value| &*value.text);
            let is_secret = is_secret_name(name) || is_generated_secret(name, value);
            if is_secret && !is_empty && !is_harmless {
                let kind = instruction.kind.name();
                let finding = report.at(
                    pair.key.span,
                    format!("`{name}` looks like a secret, and {kind} stores it in the image"),
                );
                finding
                    .help("Use RUN --mount=type=secret; anyone with the image can read this value");
                // A made-up default is publicly known, so it protects nothing. Keys of unknown
                // services are often client keys, which every copy of the program contains.
                let is_made_up = !value.is_empty() && !value.contains('$') && !is_generated(value);
                if is_made_up || !is_generated(value) && is_bare_key(name) {
                    finding.severity = finding.severity.min(Severity::Info);
                }
            }
        }
    }
}

/// Where `ENV` copies a variable that is not set, so the new variable is empty: `ENV TOKEN=$TOKEN`
/// without `ARG TOKEN`.
fn copies_of_unset_variables(file: &Dockerfile) -> HashSet<Span> {
    let mut copies = HashSet::new();
    file.walk(|instruction, scope| {
        if instruction.kind == Keyword::Env {
            let pairs = instruction.pairs.iter().filter(|pair| {
                let value = pair.value.as_ref();
                let name = value.and_then(|value| copied_variable(&value.text));
                name.is_some_and(|name| !scope.contains_key(name))
            });
            copies.extend(pairs.map(|pair| pair.key.span));
        }
    });
    copies
}

/// The name of the variable that a value consists of: `$NAME`, `${NAME}`.
fn copied_variable(value: &str) -> Option<&str> {
    let name = value.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some(name)
}

/// Whether a value was generated, as opposed to chosen by a person.
fn is_generated(value: &str) -> bool {
    !value.contains('$') && shape::is_generated(value)
}
