//! Secrets in trees: settings, JSON, YAML, XML.

use super::names::{Class, classify, words};
use super::strength::{Strength, strength};
use super::values::{Trust, is_address, is_credible, is_dummy, is_password_hash};
use super::{Format, Found, embedded};
use aidd_engine::parse::ini;
use aidd_engine::parse::tree::Tree;
use aidd_engine::text::placeholder::{is_description, is_reference};
use aidd_engine::text::shape::looks_random;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use aidd_lexicon::tables::credentials as table;

/// The file being scanned, its format, and how far its values are trusted.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a str,
    pub(super) rule: &'static str,
    pub(super) keys: &'a [&'static str],
    pub(super) trust: Trust,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str, path: &'a str, format: &'a Format, trust: Trust) -> Self {
        Self { text, path, rule: format.rule, keys: &format.keys, trust }
    }
}

/// Reports the secrets in a tree.
pub(super) fn scan_tree(tree: &Tree, scan: Scan<'_>, found: &mut Vec<Found>) {
    for index in 1..tree.nodes.len() {
        step();
        let node = &tree.nodes[index];
        let Some(value) = &node.value else { continue };
        // These keys contain the name of a sibling value, not a secret.
        if matches!(node.key.as_str(), "@key" | "@name" | "@id" | "@type") {
            continue;
        }
        if is_kubernetes_secret(tree, index) {
            report_kubernetes_value(tree, index, value, found);
            continue;
        }
        if node.key.is_empty() && report_pair(value, node.span, scan, found) {
            continue;
        }
        if value.contains('\n')
            && !is_command(&node.key)
            && !(node.key.is_empty() && is_command(parent_key(tree, index)))
            && report_nested_lines(node.span, scan, found)
        {
            continue;
        }
        let name = node_name(tree, index);
        // An item of a list of secrets is usually the name of a secret.
        let trust = if node.key.is_empty() { scan.trust.min(Trust::Medium) } else { scan.trust };
        let scan = Scan { trust, ..scan };
        report_named(&name, parent_key(tree, index), value, node.span, scan, found);
    }
}

/// Whether the setting with this key contains shell commands.
pub(super) fn is_command(key: &str) -> bool {
    matches!(key, "run" | "script" | "command" | "cmd" | "before_script" | "after_script")
}

/// Whether a setting of Bundler is named after a host (`BUNDLE_GEMS__ACME__IO`), rather than after a
/// gem or another server: `BUNDLE_BUILD__NOKOGIRI`.
fn names_host(name: &str) -> bool {
    let parts: Vec<&str> = name.trim_start_matches("BUNDLE_").split("__").collect();
    !matches!(parts[..], ["BUILD" | "LOCAL", _] | ["MIRROR", ..])
        && parts.last().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Reports `value` if its name denotes a secret.
pub(super) fn report_named(
    name: &str,
    parent: &str,
    value: &str,
    span: Span,
    scan: Scan<'_>,
    found: &mut Vec<Found>,
) {
    let rule = refine_rule(scan.rule, name, scan.path);
    // The name contains a host and the value is `user:password`.
    if name.starts_with("BUNDLE_") && name.contains("__") && !value.contains('/') {
        if !names_host(name) || value.starts_with("--") {
            return;
        }
        let start = value.find(':').map_or(0, |at| at + 1);
        if is_credible(&value[start..], Class::Secret, scan.trust) {
            let span = Span { start: span.start + Span::at(start).start, end: span.end };
            found.push(Found::new(rule, span));
        }
        return;
    }
    let is_known = rule != scan.rule || is_listed(name, parent, scan.keys);
    let is_key = || scan.trust == Trust::High && is_generated_key(name, value);
    let fallback_class = || (is_known || is_key()).then_some(Class::Secret);
    let Some(class) = classify(name).or_else(fallback_class) else { return };
    // Generated values can contain any characters, including spaces and long repetitions.
    if scan.trust == Trust::High
        && matches!(
            rule,
            "secrets/wordpress-salt" | "secrets/browser-saved-login" | "secrets/django-secret-key"
        )
    {
        if value.len() >= 16 && !is_description(value) && !is_reference_alone(value) {
            found.push(Found::new(rule, span));
        }
        return;
    }
    if class == Class::Hash
        || (class != Class::Secret && is_password_hash(value) && value.starts_with(['$', '{']))
    {
        if scan.trust > Trust::Low
            && is_password_hash(value)
            && is_credible(value, Class::Hash, scan.trust)
        {
            found.push(Found::new("secrets/password-hash", span));
        }
        return;
    }
    let is_name = is_secret_name(value, class)
        || spells_name(value, name)
        || (class == Class::Secret && is_object_name(value, classify(name).is_some()));
    if is_name {
        return;
    }
    embedded::report_value(value, span, rule, class, scan.trust, found);
}

/// Whether the value is the name of a secret: `secretKey: db-password`, `token: BOT_TOKEN`.
fn is_secret_name(value: &str, class: Class) -> bool {
    let is_name =
        value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let is_upper_case = !value.bytes().any(|byte| byte.is_ascii_lowercase());
    is_name
        && classify(value).is_some()
        && (is_upper_case || (class == Class::Secret && value != "secret"))
}

/// Whether a value is the name of an object rather than a generated value: `grafana-tls`,
/// `color.primary`. If `is_named` is true, the name of the setting denotes a secret, so a single
/// word can be the secret.
fn is_object_name(value: &str, is_named: bool) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.']).collect();
    let is_word =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let min_parts = if is_named { 2 } else { 1 };
    (min_parts..=3).contains(&parts.len()) && parts.iter().all(is_word) && !looks_random(value)
}

/// Whether the value consists of words of its name: `"apiKey": "API key"`,
/// `app_db_password: app_db_password`, `POSTGRES_PASSWORD=postgres`.
fn spells_name(value: &str, name: &str) -> bool {
    if value.eq_ignore_ascii_case(name) {
        return true;
    }
    let has_digit =
        value.trim_end_matches(|c: char| c.is_ascii_digit()).bytes().any(|b| b.is_ascii_digit());
    let name_words = words(name);
    let is_known = |word: &String| {
        let is_same = |other: &String| other == word || other.strip_suffix('s') == Some(word);
        name_words.iter().any(is_same) || is_dummy(word)
    };
    let value_words = words(value);
    !has_digit
        && value.len() <= 64
        && value_words.iter().any(|word| name_words.contains(word))
        && value_words.iter().all(is_known)
}

/// Whether a key that is in none of the lists, such as `STRIPE_KEY`, has a generated value.
fn is_generated_key(name: &str, value: &str) -> bool {
    let words = words(name);
    let is_public = |word: &String| {
        matches!(
            word.as_str(),
            "public"
                | "publishable"
                | "publish"
                | "site"
                | "cache"
                | "partition"
                | "primary"
                | "sort"
                | "foreign"
                | "host"
                | "known"
                | "project"
                // The keys with which clients send data to telemetry services are public.
                | "write"
        )
    };
    let ends_in_key = words.last().is_some_and(|word| word == "key" || word == "auth");
    let is_access_key_id =
        words.ends_with(&["access".to_owned(), "key".to_owned(), "id".to_owned()]);
    // If the name is only `key`, as for a cipher or a signature, the value must be long and random.
    let is_key = words.len() == 1 && words[0] == "key" && value.len() >= 24 && looks_random(value);
    is_key
        || (is_access_key_id && (16..=128).contains(&value.len()))
        || (ends_in_key
            && words.len() >= 2
            && !words.iter().any(is_public)
            && value.len() >= 16
            && looks_random(value))
}

/// Whether `value` as a whole refers to another value. A generated value can contain the characters
/// of a reference by chance.
fn is_reference_alone(value: &str) -> bool {
    is_reference(value) && (value.len() < 40 || value.contains("getenv") || value.contains("env("))
}

/// Whether the format lists this name as secret.
fn is_listed(name: &str, parent: &str, keys: &[&str]) -> bool {
    if keys.is_empty() {
        return false;
    }
    let full_name = normalize(name);
    let last = normalize(name.rsplit(['.', ':', '/']).next().unwrap_or(name));
    let parent = normalize(parent);
    keys.iter().any(|key| match key.strip_prefix('>') {
        Some(key) => key == parent,
        None => *key == full_name || *key == last,
    })
}

fn normalize(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The rule of the framework if only one framework uses the name, otherwise `rule`.
pub(super) fn refine_rule(rule: &'static str, name: &str, path: &str) -> &'static str {
    let plain_name = normalize(name.rsplit(['.', ':', '/']).next().unwrap_or(name));
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    match plain_name.as_str() {
        "authkey" | "secureauthkey" | "loggedinkey" | "noncekey" | "authsalt"
        | "secureauthsalt" | "loggedinsalt" | "noncesalt"
            if file.starts_with("wp-") || file.contains("env") =>
        {
            "secrets/wordpress-salt"
        }
        "secretkeybase" => "secrets/rails-secret-key-base",
        "djangosecretkey" => "secrets/django-secret-key",
        "secretkey"
            if file.ends_with(".py")
                && (file.contains("settings") || path.contains("settings/")) =>
        {
            "secrets/django-secret-key"
        }
        "hashsalt"
        | "cookiekey"
        | "cryptkey"
        | "blowfishsecret"
        | "cookievalidationkey"
        | "securitysalt"
        | "secrettoken"
        | "machinekey"
        | "validationkey"
        | "decryptionkey"
            if rule == "secrets/config-password" =>
        {
            "secrets/web-framework-secret"
        }
        _ => rule,
    }
}

/// The name of a node: its key, or the name in a sibling or attribute.
fn node_name(tree: &Tree, index: usize) -> String {
    let node = &tree.nodes[index];
    let parent = &tree.nodes[node.parent];
    if let Some(name) =
        ["@name", "@key", "@id", "@property"].iter().find_map(|key| tree.text(index, key))
    {
        return name.to_owned();
    }
    let key = node.key.trim_start_matches('@');
    if key.is_empty() {
        let key = parent.key.as_str();
        return key.strip_suffix('s').filter(|key| key.len() > 3).unwrap_or(key).to_owned();
    }
    let lower = key.to_ascii_lowercase();
    match lower.as_str() {
        "value" | "val" | "content" | "default" | "plaintext" | "defaultvalue" => {
            let mut siblings =
                ["name", "key", "id", "@name", "@key", "@id", "property", "variable"].iter();
            siblings
                .find_map(|key| tree.text(node.parent, key))
                .map_or_else(|| parent.key.trim_start_matches('@').to_owned(), str::to_owned)
        }
        "string" | "data" | "text" | "secret" => {
            preceding_key(tree, index).unwrap_or_else(|| key.to_owned())
        }
        _ => key.to_owned(),
    }
}

/// The text of the `key` element directly before the node, as in property lists.
fn preceding_key(tree: &Tree, index: usize) -> Option<String> {
    let siblings = &tree.nodes[tree.nodes[index].parent].children;
    let previous = siblings.binary_search(&index).ok()?.checked_sub(1)?;
    let node = &tree.nodes[siblings[previous]];
    (node.key == "key").then(|| node.value.clone()).flatten()
}

fn parent_key(tree: &Tree, index: usize) -> &str {
    &tree.nodes[tree.nodes[index].parent].key
}

/// Reports a secret in an item `NAME=value` of a list, as in compose files. Returns whether the
/// item has this syntax.
fn report_pair(value: &str, span: Span, scan: Scan<'_>, found: &mut Vec<Found>) -> bool {
    let Some((name, rest)) = value.split_once('=') else { return false };
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if !is_name || scan.text.get(span.range()) != Some(value) || rest.is_empty() {
        return false;
    }
    let inner = Span { start: span.start + Span::at(name.len() + 1).start, end: span.end };
    report_named(name, "", rest, inner, scan, found);
    true
}

/// Reports the secrets of a multi-line string, which is parsed like a settings file. Returns
/// whether the string was parsed.
fn report_nested_lines(span: Span, scan: Scan<'_>, found: &mut Vec<Found>) -> bool {
    let Some(raw) = scan.text.get(span.range()) else { return false };
    if raw.lines().count() < 2 || raw.contains("-----BEGIN") {
        return false;
    }
    let inner = ini::parse(raw);
    for node in &inner.nodes {
        step();
        if let Some(value) = &node.value {
            report_named(&node.key, "", value, node.span.shift(span.start as usize), scan, found);
        }
    }
    true
}

/// Whether the node is in `data` or `stringData` of a Kubernetes Secret.
fn is_kubernetes_secret(tree: &Tree, index: usize) -> bool {
    let parent = tree.nodes[index].parent;
    let object = tree.nodes[parent].parent;
    matches!(tree.nodes[parent].key.as_str(), "data" | "stringData")
        && tree.text(object, "kind") == Some("Secret")
}

fn report_kubernetes_value(tree: &Tree, index: usize, value: &str, found: &mut Vec<Found>) {
    let node = &tree.nodes[index];
    let lower = node.key.to_ascii_lowercase();
    let is_encoded = tree.nodes[node.parent].key == "data";
    let decoded = if is_encoded { decode(value) } else { None };
    let plain = decoded.as_deref().unwrap_or(value);
    let class = classify(&node.key);
    let is_public = class.is_none()
        && (lower.ends_with(".crt")
            || words(&node.key).iter().rev().take(2).any(|word| table::OPEN_KEYS.contains(word))
            || table::OPEN_KEYS.iter().any(|open| lower.ends_with(open)));
    let is_secret = if is_public || is_address(plain) || spells_name(plain, &node.key) {
        false
    } else if plain.trim_start().starts_with('{') {
        (plain.contains("\"auth\"") || super::hits(plain).next().is_some())
            && is_credible(plain, Class::Password, Trust::High)
    } else if plain.trim().contains('\n') {
        contains_secret(plain)
    } else if class.is_some() {
        is_credible(plain, Class::Password, Trust::High)
    } else {
        // A Kubernetes Secret can contain any setting. If the name does not denote a secret, the
        // value must look like one.
        is_credible(plain, Class::Secret, Trust::Medium) && !is_host(plain)
    };
    if !is_secret {
        let mut inner = Vec::new();
        if plain.contains("://") {
            embedded::report_urls(plain, "secrets/kubernetes-secret", Trust::High, &mut inner);
        }
        if inner.is_empty() {
            return;
        }
    }
    found.push(Found::new("secrets/kubernetes-secret", node.span));
}

/// Whether a file within a value contains a secret: a private key, or a setting whose name denotes
/// a secret.
fn contains_secret(file: &str) -> bool {
    file.contains("PRIVATE KEY-----")
        || ini::parse(file).nodes.iter().any(|node| {
            let Some(value) = &node.value else { return false };
            classify(&node.key).is_some()
                && is_credible(value, Class::Password, Trust::High)
                && strength(value) == Strength::Strong
        })
}

/// Whether the value is `host.name`, `host:port` or `host.name:port`.
fn is_host(value: &str) -> bool {
    let (host, port) = value.rsplit_once(':').unwrap_or((value, ""));
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    port.bytes().all(|byte| byte.is_ascii_digit())
        && (host.contains('.') || !port.is_empty())
        && host.split('.').all(is_segment)
}

/// The base64-decoded value, if the decoded value is text.
pub(super) fn decode(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len() * 3 / 4);
    let (mut bits, mut bit_count) = (0_u32, 0);
    for byte in value.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(sextet)) & 0xFF_FFFF;
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count & 0xFF) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}
