//! Checks on variables that are used before they are set, used in the instruction that sets them,
//! or contain secrets.

use super::super::Checks;
use super::base::is_platform;
use crate::credentials::is_bare_key;
use aidd_engine::parse::dockerfile::{
    Dockerfile, Instruction, Keyword, Pair, Stage, Variable, Word, uses,
};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::shape;
use aidd_engine::text::source::Span;
use std::collections::{HashMap, HashSet};

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/env-self-reference", env_self_reference),
    ("dockerfile/secret-in-arg-or-env", secret_in_arg_or_env),
    ("dockerfile/undefined-variable", undefined_variable),
];

fn env_self_reference(file: &Dockerfile, report: &mut Report<'_>) {
    let mut known: HashSet<&str> = HashSet::new();
    for instruction in &file.instructions {
        match instruction.kind {
            Keyword::From => known.clear(),
            Keyword::Arg | Keyword::Env => {
                if instruction.kind == Keyword::Env {
                    self_references(file, instruction, &known, report);
                }
                known.extend(instruction.pairs.iter().map(|pair| &*pair.key.text));
            }
            _ => {}
        }
    }
}

fn self_references(
    file: &Dockerfile,
    env: &Instruction,
    known: &HashSet<&str>,
    report: &mut Report<'_>,
) {
    let mut first: HashMap<&str, (usize, Span)> = HashMap::new();
    for (at, pair) in env.pairs.iter().enumerate() {
        first.entry(&pair.key.text).or_insert((at, pair.key.span));
    }
    for (at, pair) in env.pairs.iter().enumerate() {
        let Some(value) = &pair.value else { continue };
        for (name, span, operator) in uses_in(file, env, value) {
            // `A=$A` uses the previous value of `A`.
            let definition = first.get(&*name).filter(|&&(index, _)| index != at);
            let Some(&(_, definition)) =
                definition.filter(|_| !known.contains(&*name) && operator.is_empty())
            else {
                continue;
            };
            report
                .at(span, format!("`{name}` is set by the same ENV and not yet available"))
                .help("Set it in a separate ENV before this instruction")
                .related(definition, "set here");
        }
    }
}

/// The variables in `word`: name, span and operator.
fn uses_in<'a>(
    file: &Dockerfile,
    instruction: &'a Instruction,
    word: &Word,
) -> impl Iterator<Item = (String, Span, &'static str)> + use<'a> {
    let start = word.at.start;
    uses(&instruction.logical.text()[word.at.clone()], file.escape).into_iter().map(move |used| {
        let at = start + used.at.start..start + used.at.end;
        (used.name, instruction.logical.span(at), used.operator)
    })
}

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
const SECRET_SUBSTRINGS: [&str; 8] = [
    "password",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "private_key",
    "privatekey",
    "access_key_id",
];

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
    let is_secret_id = name.contains("access_key_id") || name.ends_with("secret_id");
    let is_excluded = parts.iter().any(|part| NON_SECRET_PARTS.contains(part))
        || PROPERTIES.contains(&last)
        || last == "id" && !is_secret_id
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
/// fingerprint, or a placeholder used during the build. An `ARG` without a value in a stage has the value of the global `ARG`.
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
    let value = pair.value.as_ref().and_then(|value| value.text.strip_prefix('$'));
    value.is_some_and(|name| names.contains(name.trim_matches(['{', '}'])))
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

fn secret_in_arg_or_env(file: &Dockerfile, report: &mut Report<'_>) {
    let globals = file.globals();
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
                && pair.value.as_ref().is_some_and(|value| value.text.is_empty());
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

/// Whether a value was generated, as opposed to chosen by a person.
fn is_generated(value: &str) -> bool {
    !value.contains('$') && shape::is_generated(value)
}

/// Variables that are always set: the builder's proxies, and `PATH`.
const PREDEFINED: [&str; 11] = [
    "PATH",
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "FTP_PROXY",
    "ftp_proxy",
    "NO_PROXY",
    "no_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// Whether the builder expands variables in instructions of this kind.
fn expands_variables(kind: Keyword) -> bool {
    use Keyword as K;
    matches!(
        kind,
        K::Add
            | K::Arg
            | K::Copy
            | K::Env
            | K::Expose
            | K::Label
            | K::Stopsignal
            | K::User
            | K::Volume
            | K::Workdir
    )
}

/// Reports a variable that is certainly not set. Variables set by a base image are not in the file,
/// so this means: on `scratch`, every unset name; otherwise, a name that the file sets elsewhere, or
/// a name similar to a visible variable.
fn undefined_variable(file: &Dockerfile, report: &mut Report<'_>) {
    let mut elsewhere: HashMap<&str, Span> = HashMap::new();
    for instruction in &file.instructions {
        if matches!(instruction.kind, Keyword::Arg | Keyword::Env) {
            for pair in &instruction.pairs {
                elsewhere.entry(&pair.key.text).or_insert(pair.key.span);
            }
        }
    }
    let globals = file.globals();
    file.walk(|instruction, scope| {
        if expands_variables(instruction.kind) {
            let visible = VisibleVariables { scope, globals: &globals, elsewhere: &elsewhere };
            check_instruction(file, instruction, &visible, report);
        }
    });
}

/// The variables of a file, as visible to one instruction.
struct VisibleVariables<'a, 'b> {
    scope: &'b HashMap<&'a str, Variable<'a>>,
    globals: &'b HashMap<&'a str, Variable<'a>>,
    elsewhere: &'b HashMap<&'a str, Span>,
}

fn check_instruction(
    file: &Dockerfile,
    instruction: &Instruction,
    visible: &VisibleVariables<'_, '_>,
    report: &mut Report<'_>,
) {
    // `ENV A=$A:x` extends the value set by a base image.
    let own_names: HashSet<&str> = instruction.pairs.iter().map(|pair| &*pair.key.text).collect();
    let values = instruction.pairs.iter().filter_map(|pair| pair.value.as_ref());
    let words = instruction.words.iter().filter(|_| instruction.pairs.is_empty());
    let flags = instruction.flags.iter().filter_map(|flag| flag.value.as_ref());
    for word in flags.chain(values).chain(words) {
        for (name, span, operator) in uses_in(file, instruction, word) {
            let known = visible.scope.contains_key(&*name) || PREDEFINED.contains(&&*name);
            if !known && !own_names.contains(&*name) && matches!(operator, "" | "#" | "%" | "/") {
                report_undefined(file, instruction, &name, span, visible, report);
            }
        }
    }
}

fn report_undefined(
    file: &Dockerfile,
    instruction: &Instruction,
    name: &str,
    span: Span,
    visible: &VisibleVariables<'_, '_>,
    report: &mut Report<'_>,
) {
    let message = format!("variable `{name}` is not set here");
    if let Some(global) = visible.globals.get(name) {
        report
            .at(span, message)
            .help(format!(
                "Repeat `ARG {name}` in the stage; arguments before FROM are not visible in it"
            ))
            .related(global.span, "only set before the first FROM");
    } else if is_platform(name) {
        report
            .at(span, message)
            .help(format!("Declare `ARG {name}` in the stage; the builder then sets it"));
    } else if instruction.stage.is_some_and(|stage| has_variable_base(file, stage)) {
        // The base can be a stage of this file that sets the variable.
    } else if let Some(&other) = visible.elsewhere.get(name) {
        report
            .at(span, message)
            .help("Set it in this stage, before it is used")
            .related(other, "set here, not visible to this instruction");
    } else if let Some(near) = nearest_name(name, visible.scope.keys().copied()) {
        report.at(span, message).help(format!("Did you mean `{near}`?"));
    } else if instruction.stage.and_then(|stage| root_stage(file, stage)).is_some_and(is_scratch) {
        report.at(span, message).help("The variable is empty; set it with ARG or ENV first");
    }
}

/// Maximum number of names compared for a suggestion.
const MAX_CANDIDATES: usize = 200;

/// The known name that `name` is probably a misspelling of.
pub(super) fn nearest_name<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if !(4..48).contains(&name.len()) {
        return None;
    }
    known
        .filter(|known| known.len().abs_diff(name.len()) < 3 && known.len() > 3)
        .take(MAX_CANDIDATES)
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|&(distance, known)| distance <= if known.len() > 7 { 2 } else { 1 })
        .filter(|&(_, known)| !differ_in_digits(known, name))
        .min()
        .map(|(_, known)| known)
}

/// Whether two names differ only in their final digits: `LIB2` is not a misspelling of `LIB1`.
fn differ_in_digits(a: &str, b: &str) -> bool {
    let without_digits =
        |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    without_digits(a) == without_digits(b)
}

/// The first stage in the chain that `stage` builds on.
fn root_stage(file: &Dockerfile, stage: usize) -> Option<&Stage> {
    let mut root = stage;
    while let Some(base) = file.stages.get(root)?.base {
        root = base;
    }
    file.stages.get(root)
}

/// Whether a stage builds on an image whose name contains a variable: `FROM build_${TARGET}`.
fn has_variable_base(file: &Dockerfile, stage: usize) -> bool {
    let image = root_stage(file, stage).and_then(|stage| stage.image.as_ref());
    image.is_some_and(|image| image.text.contains('$'))
}

fn is_scratch(stage: &Stage) -> bool {
    stage.image.as_ref().is_some_and(|image| image.text == "scratch")
}
