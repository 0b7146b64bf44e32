//! Secrets that occur in files of any format: armoured private keys, passwords in URLs and in
//! connection strings.

use super::names::{Class, classify};
use super::strength::{Strength, strength};
use super::values::{Trust, is_credible, is_marked_hash};
use super::{Found, data};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;

/// Maximum length of an armoured key, in bytes.
const MAX_KEY_LEN: usize = 64 << 10;

/// Reports private keys between `BEGIN` and `END` lines, and private keys of PuTTY.
pub(super) fn report_private_keys(text: &str, found: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(next) = text[at..].find("-----BEGIN ").map(|next| at + next) {
        at = next + 11;
        let Some(label_end) = text[at..].bytes().take(64).position(|byte| byte == b'-') else {
            continue;
        };
        let label = &text[at..at + label_end];
        if !label.contains("PRIVATE KEY") {
            continue;
        }
        let window = &text[at..text.floor_char_boundary(text.len().min(next + MAX_KEY_LEN))];
        let limit = at + window.find("-----BEGIN ").unwrap_or(window.len());
        let end_line = format!("-----END {label}-----");
        let body = &text[at + label_end..limit];
        let end = body.find(&end_line).map(|end| at + label_end + end + end_line.len());
        // A `BEGIN` line without a body is a mention in code or prose, not a key.
        let inner = &body[..end.map_or(body.len(), |end| end - (at + label_end) - end_line.len())];
        if is_key_body(inner.trim_start_matches('-')) {
            let last = end.unwrap_or_else(|| key_end(text, at + label_end, limit));
            found.push(Found::new("secrets/private-key-file", Span::new(next, last)));
        }
        at = end.unwrap_or(at);
    }
    for header in ["PuTTY-User-Key-File-", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"] {
        if text.starts_with(header) {
            let body = text
                .find("Private-Lines:")
                .map_or(0, |at| text[at..].find('\n').map_or(at, |n| at + n + 1));
            let end = text[body..].find("\nPrivate-").map_or(text.trim_end().len(), |at| body + at);
            found.push(Found::new("secrets/private-key-file", Span::new(body, end.max(body))));
        }
    }
}

/// The end of a key without an `END` line: the end of its last consecutive line of base64.
fn key_end(text: &str, start: usize, limit: usize) -> usize {
    let body = &text[start..limit];
    let is_key_line = |line: &str| {
        let base64 = line.trim().trim_end_matches("\\n");
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        // Headers (`Proc-Type: 4,ENCRYPTED`) and the blank line after them precede the key.
        base64.contains(": ") || base64.len().is_multiple_of(4) && base64.bytes().all(is_base64)
    };
    let mut lines = body.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    let rest: usize = lines.take_while(|line| is_key_line(line)).map(str::len).sum();
    if rest == 0 {
        // The key is on one line, with line breaks written as `\n`.
        let line = &body[..first];
        return start + line[..line.find(['"', '\'']).unwrap_or(first)].trim_end().len();
    }
    start + body[..first + rest].trim_end().len()
}

/// Whether `body` contains lines of base64, optionally after headers, optionally with line breaks
/// written as `\n`.
fn is_key_body(body: &str) -> bool {
    let base64 = body
        .split(['\n', '\r', ' ', '"', '\'', '\\', ','])
        .map(|part| part.strip_prefix('n').filter(|rest| rest.len() >= 32).unwrap_or(part))
        .filter(|part| {
            part.len() >= 32
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        })
        .map(str::len)
        .sum::<usize>();
    base64 >= 64 && !body.contains("...")
}

/// Reports the passwords and tokens in `scheme://user:password@host`.
pub(super) fn report_urls(text: &str, rule: &'static str, trust: Trust, found: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(next) = text[at..].find("://").map(|next| at + next + 3) {
        at = next;
        let scheme = text[..next - 3].bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
        if scheme < 2 {
            continue;
        }
        let is_end =
            |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`');
        let length = text.as_bytes()[next..].iter().take(512).take_while(|b| !is_end(b)).count();
        let Some(authority) = text.get(next..next + length) else { continue };
        // Use the last `@` before the path: a password can contain an unescaped `@`.
        let slash = authority.find(['/', '?']).unwrap_or(authority.len());
        let Some(at_sign) = authority[..slash].rfind('@') else { continue };
        let Some(colon) = authority[..at_sign].find(':') else {
            // The user name can be a token: `https://TOKEN@host`. The key in a Sentry DSN is
            // public.
            if !authority[at_sign..slash].contains("sentry")
                && is_credible(&authority[..at_sign], Class::Secret, Trust::Low)
            {
                found.push(Found::new(rule, Span::new(next, next + at_sign)));
            }
            continue;
        };
        let password = &authority[colon + 1..at_sign];
        // If the password is one of these placeholders, the user name is the token.
        if matches!(password, "x-oauth-basic" | "x" | "X")
            && is_credible(&authority[..colon], Class::Secret, Trust::Medium)
        {
            found.push(Found::new(rule, Span::new(next, next + colon)));
            continue;
        }
        let host = &authority[at_sign + 1..];
        if is_url_password(&authority[..colon], password, host, trust) {
            let span = Span::new(next + colon + 1, next + at_sign);
            found.push(Found::new(rule, span));
        }
    }
}

fn is_url_password(user: &str, password: &str, host: &str, trust: Trust) -> bool {
    let equals_user = password.eq_ignore_ascii_case(user);
    let is_documented =
        host.starts_with("example.") || host.contains(".example") || host.is_empty();
    !password.is_empty()
        && !password.contains('$')
        && !(trust == Trust::Low && (is_documented || equals_user))
        && is_credible(password, Class::Password, trust)
}

/// The span of the password in `Server=…;User Id=…;Password=…` and `host=… password=…`.
pub(super) fn connection_password(value: &str) -> Option<(usize, usize)> {
    let lower = value.to_ascii_lowercase();
    let connection_keys = [
        "server=",
        "data source=",
        "host=",
        "addr=",
        "endpoint=",
        "accountname=",
        "initial catalog=",
        "jdbc:",
        "driver=",
        "dbname=",
    ];
    if !connection_keys.iter().any(|key| lower.contains(key)) {
        return None;
    }
    for key in ["password", "pwd", "accountkey", "sharedaccesskey", "passwd"] {
        for (at, _) in lower.match_indices(key) {
            step();
            let after = &value[at + key.len()..];
            let is_start = at == 0 || !value.as_bytes()[at - 1].is_ascii_alphanumeric();
            if let Some(rest) = after.trim_start().strip_prefix('=').filter(|_| is_start) {
                let value_start = value.len() - rest.len();
                let separator = |c: char| {
                    matches!(c, ';' | '&' | '"' | '\'' | '\n') || (!value.contains(';') && c == ' ')
                };
                let next_part = rest.match_indices(',').map(|(comma, _)| comma);
                let next_part = next_part.into_iter().find(|comma| is_setting(&rest[comma + 1..]));
                let length = rest.find(separator).unwrap_or(rest.len());
                let length = length.min(next_part.unwrap_or(length));
                return Some((value_start, value_start + length)).filter(|(from, to)| from < to);
            }
        }
    }
    None
}

/// Whether the text begins with `name=`.
fn is_setting(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    rest.starts_with('=') && rest.len() < text.len()
}

/// Reports the secret part of a named value: the password of a URL or a connection string, or the
/// whole value.
pub(super) fn report_value(
    value: &str,
    span: Span,
    rule: &'static str,
    class: Class,
    trust: Trust,
    found: &mut Vec<Found>,
) {
    if value.contains("://") && value.contains('@') {
        let before = found.len();
        let mut inner = Vec::new();
        let rule = if rule == "secrets/git-credentials" {
            rule
        } else {
            "secrets/connection-string-password"
        };
        report_urls(value, rule, trust, &mut inner);
        found.extend(
            inner.into_iter().map(|hit| Found::new(hit.rule, hit.span.shift(span.start as usize))),
        );
        if found.len() > before {
            return;
        }
    }
    if let Some((from, to)) = connection_password(value) {
        if is_credible(&value[from..to], Class::Password, trust) {
            let start = span.start as usize;
            found.push(Found::new(
                "secrets/connection-string-password",
                Span::new(start + from, start + to),
            ));
        }
        return;
    }
    if looks_like_connection(value) {
        return;
    }
    // The message of this rule states that the value is in plain text, which is wrong for a hash.
    // The rules on hashes report hashes.
    let is_reported_as_hash = rule == "secrets/config-password" && is_marked_hash(value);
    if !is_reported_as_hash && is_credible(value, class, trust) {
        found.push(Found::new(rule, span));
    }
}

/// Whether the value is a connection string without a password. A single setting is a connection
/// string only if it is a switch, such as `UseDevelopmentStorage=true`.
fn looks_like_connection(value: &str) -> bool {
    let is_switch = value.trim_end_matches(';').split_once('=').is_some_and(|(name, value)| {
        name.len() >= 3
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
            && matches!(value.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no")
    });
    let has_parts = value.matches('=').count() >= 2 && value.contains(';');
    is_switch || (has_parts && class_of_parts(value).is_none())
}

fn class_of_parts(value: &str) -> Option<Class> {
    value.split(';').filter_map(|part| part.split_once('=')).find_map(|(name, _)| classify(name))
}

/// Reports the tokens of `Authorization: Bearer …` in headers, commands and settings.
pub(super) fn report_authorization(
    text: &str,
    rule: &'static str,
    trust: Trust,
    found: &mut Vec<Found>,
) {
    for (at, mark) in text.match_indices("uthorization") {
        step();
        let from = at + mark.len();
        let rest = &text[from..text.floor_char_boundary(text.len().min(from + 48))];
        let scheme = ["Bearer ", "Basic ", "bearer ", "basic ", "token ", "Token "]
            .iter()
            .filter_map(|scheme| Some(rest.find(scheme)? + scheme.len()))
            .min();
        let Some(start) = scheme.filter(|&end| !rest[..end].contains('\n')).map(|end| from + end)
        else {
            continue;
        };
        let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=._~-".contains(byte);
        let length = text.as_bytes()[start..].iter().take(4096).take_while(|b| is_token(b)).count();
        let is_complete = text.as_bytes().get(start + length).is_none_or(u8::is_ascii);
        let token = &text[start..start + length];
        let is_basic = text[..start].ends_with("asic ");
        if is_complete
            && is_credible(token, Class::Secret, trust.min(Trust::Medium))
            && (!is_basic || is_account(token))
        {
            found.push(Found::new(rule, Span::new(start, start + length)));
        }
    }
}

/// Whether a value is `user:password` in base64, with a strong password.
fn is_account(value: &str) -> bool {
    let password = data::decode(value).and_then(|text| Some(text.split_once(':')?.1.to_owned()));
    password.is_some_and(|password| strength(&password) == Strength::Strong)
}

/// Reports quoted connection strings in `text`.
pub(super) fn report_connection_strings(text: &str, trust: Trust, found: &mut Vec<Found>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        step();
        let start = offset;
        offset += line.len();
        if line.len() > 4096 || !(line.contains(';') || line.contains("assword=")) {
            continue;
        }
        if let Some((from, to)) = connection_password(line)
            && is_credible(&line[from..to], Class::Password, trust)
        {
            found.push(Found::new(
                "secrets/connection-string-password",
                Span::new(start + from, start + to),
            ));
        }
    }
}
