//! Detects secrets in files with one record per line: password files, account lists, files with a
//! single secret.

use super::names::Class;
use super::values::{Trust, is_credible, is_password_hash};
use super::{Format, Found, embedded};
use aidd_engine::parse::ini::is_comment;
use aidd_engine::text::placeholder::is_placeholder;
use aidd_engine::text::shape::{entropy, looks_random};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;

/// The trimmed lines of `text` with their offsets, without comments and empty lines.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut offset = 0;
    text.split_inclusive(['\n', '\r']).filter_map(move |line| {
        step();
        let rest = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
        let start = offset + (line.len() - rest.len());
        offset += line.len();
        let line = rest.trim_end();
        (!line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
            .then_some((start, line))
    })
}

/// The words of a line with their offsets; quoted text is one word, without the quotes.
pub(super) fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(gap) = line[at..].find(|c: char| !c.is_whitespace()) {
        at += gap;
        let rest = &line[at..];
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (start, length, skip) = match quote.and_then(|quote| rest[1..].find(quote)) {
            Some(length) => (at + 1, length, length + 2),
            None => {
                let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (at, length, length)
            }
        };
        words.push((start, &line[start..start + length]));
        at += skip;
    }
    words
}

/// Reports the word after `password`, as in netrc and similar files.
pub(super) fn report_named_words(
    text: &str,
    format: &Format,
    trust: Trust,
    found: &mut Vec<Found>,
) {
    for (offset, line) in lines(text).filter(|(_, line)| !is_comment(line)) {
        let words = words(line);
        let mut at = 0;
        while at < words.len() {
            let (start, word) = words[at];
            let (name, joined) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let name = name.trim_end_matches(':');
            at += 1;
            if !is_secret_word(name, &format.keys) {
                continue;
            }
            let (from, value) = match joined {
                Some(value) if !value.is_empty() => {
                    let value = value.trim_matches(['"', '\'']);
                    let from = line[start..]
                        .find(value)
                        .map_or(start, |at| start + at.max(name.len() + 1));
                    (from, value)
                }
                _ => {
                    // Routers write the encoding before a password: `password 7 …`.
                    while at < words.len()
                        && (matches!(words[at].1, "=" | "is" | ":")
                            || (words[at].1.len() == 1
                                && words[at].1 < ":"
                                && at + 1 < words.len()))
                    {
                        at += 1;
                    }
                    let Some(&(from, value)) = words.get(at) else { break };
                    at += 1;
                    (from, value.trim_end_matches([',', ';']))
                }
            };
            if is_credible(value, Class::Password, trust) {
                let span = Span::new(offset + from, offset + from + value.len());
                found.push(Found::new(format.rule, span));
            }
        }
    }
}

fn is_secret_word(word: &str, keys: &[&str]) -> bool {
    let lower: String =
        word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    matches!(lower.as_str(), "password" | "passwd" | "pass" | "passphrase" | "pwd" | "authpassword")
        || keys.contains(&lower.as_str())
}

/// Reports the passwords in lines `host:port:database:user:password`, in which `\:` is a colon
/// within a field.
pub(super) fn report_pgpass(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let mut colons = Vec::new();
        let mut escaped = false;
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b':' => colons.push(at),
                _ => {}
            }
        }
        let Some(&last) = colons.get(3) else { continue };
        let value = &line[last + 1..];
        if is_credible(value, Class::Password, trust) {
            let start = offset + last + 1;
            found
                .push(Found::new("secrets/pgpass-password", Span::new(start, start + value.len())));
        }
    }
}

/// Reports the hashes in lines `user:hash` or, with a realm, `user:realm:hash`.
pub(super) fn report_htpasswd(text: &str, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let Some(first) = line.find(':') else { continue };
        let is_user = !line[..first].contains(|c: char| c.is_whitespace() || c == '=' || c == '"');
        let start = match line.rfind(':').filter(|&last| last > first) {
            Some(last) if line[last + 1..].len() == 32 => last + 1,
            _ => first + 1,
        };
        let length = line[start..].find([':', ' ', '\t']).unwrap_or(line.len() - start);
        let value = &line[start..start + length];
        if is_user && value.len() >= 4 && !is_placeholder(value) {
            let span = Span::new(offset + start, offset + start + length);
            found.push(Found::new("secrets/htpasswd-hash", span));
        }
    }
}

/// Reports the hashes in lines `user:hash:…` of shadow, passwd and, with two hashes, smbpasswd
/// files.
pub(super) fn report_shadow(text: &str, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let mut start = 0;
        for (at, field) in line.split(':').enumerate().take(5) {
            if at > 0 && is_stored_password(field, at) {
                let span = Span::new(offset + start, offset + start + field.len());
                found.push(Found::new("secrets/shadow-hash", span));
                break;
            }
            start += field.len() + 1;
        }
    }
}

fn is_stored_password(field: &str, at: usize) -> bool {
    let hash = field.trim_start_matches('!');
    let is_crypt = |text: &str| {
        text.len() == 13
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'))
    };
    let is_masked = hash.bytes().all(|byte| matches!(byte, b'X' | b'x' | b'*' | b'0'));
    let is_plain = ["{PLAIN}", "{CLEAR}", "{CLEARTEXT}"].iter().any(|mark| hash.starts_with(mark));
    !is_masked
        && (is_plain
            || is_password_hash(hash)
            || (at == 1 && (is_crypt(hash) || hash.starts_with('_') && hash.len() == 20)))
}

/// Reports the secrets in lines `client server secret addresses`.
pub(super) fn report_chap(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        if let Some(&(start, value)) = words(line).get(2)
            && is_credible(value, Class::Password, trust)
        {
            let span = Span::new(offset + start, offset + start + value.len());
            found.push(Found::new("secrets/vpn-secret", span));
        }
    }
}

/// Reports the passwords in lines `host user:password`, and `host:user:password` of exim.
pub(super) fn report_sasl(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let account = words(line).get(1).map(|&(start, _)| start).unwrap_or(0);
        let colon = if account > 0 {
            line[account..].find(':').map(|at| account + at)
        } else {
            line.rfind(':')
        };
        let Some(colon) = colon else { continue };
        let rest = line[colon + 1..].trim_start();
        let value = rest.trim_end();
        if is_credible(value, Class::Password, trust) {
            let start = offset + line.len() - rest.len();
            found.push(Found::new(
                "secrets/mail-client-password",
                Span::new(start, start + value.len()),
            ));
        }
    }
}

/// Reports the password in a file whose first line is the user and whose second line is the
/// password.
pub(super) fn report_two_lines(text: &str, trust: Trust, found: &mut Vec<Found>) {
    if let Some((offset, value)) = lines(text).nth(1)
        && is_credible(value, Class::Password, trust)
    {
        found.push(Found::new("secrets/vpn-secret", Span::new(offset, offset + value.len())));
    }
}

/// Reports the secrets in lines `selectors : PSK "secret"`, also with `XAUTH`, `EAP` or `PIN`, and
/// the passphrase in `RSA key.pem "…"`.
pub(super) fn report_ipsec(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let words = words(line);
        let kind = words.iter().position(|(_, word)| {
            let word = word.trim_start_matches(':');
            ["PSK", "XAUTH", "EAP", "PIN", "RSA", "ECDSA", "P12", "NTLM"].contains(&word)
        });
        let Some(kind) = kind else { continue };
        let distance =
            if matches!(words[kind].1.trim_start_matches(':'), "RSA" | "ECDSA" | "P12" | "PIN") {
                2
            } else {
                1
            };
        let Some(&(start, value)) = words.get(kind + distance) else { continue };
        if is_credible(value, Class::Password, trust)
            && value != "%prompt"
            && !value.starts_with('{')
        {
            let span = Span::new(offset + start, offset + start + value.len());
            found.push(Found::new("secrets/vpn-secret", span));
        }
    }
}

/// Reports the first line as the secret.
pub(super) fn report_first_line(text: &str, format: &Format, trust: Trust, found: &mut Vec<Found>) {
    let mut remaining = lines(text);
    let Some((offset, line)) = remaining.next() else { return };
    let value = line.split_once([':', '=']).map_or(line, |(name, value)| {
        if super::names::classify(name).is_some() { value.trim() } else { line }
    });
    let class =
        if format.rule == "secrets/rails-master-key" { Class::Secret } else { Class::Password };
    if remaining.count() < 3
        && !value.contains(' ')
        && is_credible(value, class, trust)
        && value.len() >= 4
    {
        let start = offset + line.len() - value.len();
        found.push(Found::new(format.rule, Span::new(start, start + value.len())));
    }
}

/// Reports the secrets in a list: `name: value`, `user password`, or bare values that look like
/// keys.
pub(super) fn report_values(text: &str, format: &Format, trust: Trust, found: &mut Vec<Found>) {
    let is_csv = text.lines().next().is_some_and(|line| {
        let lower = line.to_ascii_lowercase();
        lower.contains(',') && lower.contains("password")
    });
    if is_csv {
        return report_csv(text, format, found);
    }
    for (offset, line) in lines(text) {
        let push = |start: usize, value: &str, found: &mut Vec<Found>| {
            let span = Span::new(offset + start, offset + start + value.len());
            found.push(Found::new(format.rule, span));
        };
        let separator = line.find([':', '=']).filter(|&at| !line[at..].starts_with("://"));
        if let Some(at) = separator {
            let raw = &line[at + 1..];
            let value = raw.trim().trim_matches(['"', '\'']);
            let name = line[..at].trim();
            let start = at + 1 + raw.find(value).unwrap_or(0);
            let is_named = super::names::classify(name).is_some();
            let is_account = name.split_whitespace().count() <= 3 && !value.contains(' ');
            if is_named && is_credible(value, Class::Password, trust)
                || is_account
                    && (looks_random(value)
                        || format.rule == "secrets/secret-list" && is_mixed(value))
                    && !is_placeholder(value)
            {
                push(start, value, found);
                continue;
            }
        }
        for (start, word) in words(line) {
            let is_long_or_has_digit =
                word.len() >= 24 || word.bytes().any(|byte| byte.is_ascii_digit());
            if word.len() >= 8
                && is_long_or_has_digit
                && !is_placeholder(word)
                && looks_random(word)
                && entropy(word) >= 2.8
            {
                push(start, word, found);
                break;
            }
        }
    }
}

fn is_mixed(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !value.contains("//")
}

/// Reports the values in the column `password` of an export of a password manager or a browser.
fn report_csv(text: &str, format: &Format, found: &mut Vec<Found>) {
    let column = |line: &str| {
        line.split(',').position(|name| {
            matches!(
                name.trim_matches(['"', ' ', '\u{FEFF}']).to_ascii_lowercase().as_str(),
                "password" | "login_password"
            )
        })
    };
    let mut rows = lines(text);
    let Some(column) = rows.next().and_then(|(_, line)| column(line)) else { return };
    for (offset, line) in rows {
        let mut start = 0;
        for at in 0..=column {
            let rest = &line[start..];
            let length = match rest.strip_prefix('"').and_then(|inner| inner.find("\",")) {
                Some(quoted) => quoted + 2,
                None => rest.find(',').unwrap_or(rest.len()),
            };
            if at == column {
                let field = rest[..length].trim_matches('"');
                let from = offset + start + usize::from(rest.starts_with('"'));
                if is_credible(field, Class::Password, Trust::High) {
                    found.push(Found::new(format.rule, Span::new(from, from + field.len())));
                }
            }
            start = (start + length + 1).min(line.len());
        }
    }
}

/// Reports the password in `/msg nickserv identify PASSWORD`, one of the commands that a client
/// sends after connecting.
pub(super) fn report_identify(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        let lower = line.to_ascii_lowercase();
        let marks = ["identify ", " ident "];
        let commands = marks.iter().flat_map(|mark| lower.match_indices(mark));
        for at in commands.map(|(at, mark)| at + mark.len()) {
            // Limit the length, because one line can contain thousands of commands.
            let to = line.floor_char_boundary(at + 1024);
            let Some(command) = line.get(at..to) else { continue };
            let command = &command[..command.find(['"', ';', '|', '\'']).unwrap_or(command.len())];
            // `identify account password` has one additional word.
            let command_words = words(command);
            let Some(&(start, value)) = command_words.get(1).or(command_words.first()) else {
                continue;
            };
            if is_credible(value, Class::Password, trust) {
                let start = offset + at + start;
                found.push(Found::new(
                    "secrets/chat-client-password",
                    Span::new(start, start + value.len()),
                ));
            }
        }
    }
}

/// Reports the passphrases in `createUser name SHA "authentication" AES "privacy"`.
pub(super) fn report_snmp_users(text: &str, trust: Trust, found: &mut Vec<Found>) {
    for (offset, line) in lines(text).filter(|(_, line)| line.starts_with("createUser")) {
        for pair in words(line).windows(2) {
            let is_method = ["MD5", "SHA", "DES", "AES"].iter().any(|m| pair[0].1.starts_with(m));
            let (start, value) = pair[1];
            if is_method && is_credible(value, Class::Password, trust) {
                let span = Span::new(offset + start, offset + start + value.len());
                found.push(Found::new("secrets/network-service-password", span));
            }
        }
    }
}

/// Reports the value in `password 51:b:HEX`.
pub(super) fn report_rdp(text: &str, found: &mut Vec<Found>) {
    for (offset, line) in lines(text) {
        if let Some(value) = line.strip_prefix("password 51:b:").filter(|value| value.len() >= 16) {
            let start = offset + line.len() - value.len();
            found.push(Found::new(
                "secrets/remote-desktop-password",
                Span::new(start, start + value.len()),
            ));
        }
    }
}

/// Reports an armoured key, or a key without armour.
pub(super) fn report_private_key(text: &str, found: &mut Vec<Found>) {
    embedded::report_private_keys(text, found);
    // Files of libotr contain the private number of a DSA key.
    if let Some(at) =
        text.find("(private-key").and_then(|from| text[from..].find("(x #").map(|at| from + at + 4))
    {
        let length = text[at..].find('#').unwrap_or(0);
        if length >= 32 {
            found.push(Found::new("secrets/private-key-file", Span::new(at, at + length)));
        }
    }
    let body = text.trim();
    let is_bare_key = found.is_empty()
        && (32..=128).contains(&body.len())
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && looks_random(body);
    if is_bare_key {
        let start = text.find(body).unwrap_or(0);
        found.push(Found::new("secrets/private-key-file", Span::new(start, start + body.len())));
    }
}

/// Reports a binary store of secrets at the start of the file, unless the file is empty or contains
/// prose instead of a store.
pub(super) fn report_store(text: &str, format: &Format, found: &mut Vec<Found>) {
    let is_text = |c: char| matches!(c, ' '..='~' | '\n' | '\r' | '\t');
    let is_prose = text.trim().contains(' ') && text.chars().all(is_text);
    if !text.trim().is_empty() && !is_prose {
        found.push(Found::new(format.rule, Span::at(0)));
    }
}
