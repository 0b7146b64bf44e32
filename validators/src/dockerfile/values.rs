//! Types of label values: URL, date, licence, Git hash, version, e-mail address.

use super::spdx;

/// Whether a text is an absolute URI: a scheme, followed by valid URI characters.
pub(super) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let starts_with_letter = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    starts_with_letter && scheme.bytes().all(is_scheme_byte) && is_uri_text(rest)
}

fn is_uri_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, &byte)| match byte {
        b'%' => {
            let digits = bytes.get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        }
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte),
    })
}

/// Whether a text is a date and time as in RFC 3339.
pub(super) fn is_date(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let Some(date) = numbers(date, '-', &[4, 2, 2]) else { return false };
    let zone_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(c, f)| (c, Some(f)));
    let Some(clock) = numbers(clock, ':', &[2, 2, 2]) else { return false };
    is_day(date[0], date[1], date[2])
        && clock[0] < 24
        && clock[1] < 60
        && clock[2] <= 60
        && fraction.is_none_or(is_number)
        && is_zone(zone)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The numbers in `text`, separated by `separator`, each with the corresponding number of digits.
fn numbers(text: &str, separator: char, digits: &[usize]) -> Option<Vec<u32>> {
    let parts: Vec<&str> = text.split(separator).collect();
    let is_valid = parts.len() == digits.len()
        && parts.iter().zip(digits).all(|(part, &count)| part.len() == count && is_number(part));
    is_valid.then(|| parts.iter().filter_map(|part| part.parse().ok()).collect())
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=last).contains(&day)
}

fn is_zone(zone: &str) -> bool {
    if matches!(zone, "Z" | "z") {
        return true;
    }
    let Some(rest) = zone.strip_prefix(['+', '-']) else { return false };
    let parts = numbers(rest, ':', &[2, 2]).or_else(|| {
        let (hours, minutes) = rest.split_at_checked(2)?;
        numbers(&format!("{hours}:{minutes}"), ':', &[2, 2])
    });
    parts.is_some_and(|parts| parts[0] < 24 && parts[1] < 60)
}

/// Whether a text consists of licences of the SPDX list, combined by `AND`, `OR` and `WITH`.
pub(super) fn is_license(text: &str) -> bool {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut depth = 0_usize;
    let mut expects_name = true;
    let mut expects_exception = false;
    for word in spaced.split_whitespace() {
        match word {
            "(" if expects_name && !expects_exception => depth += 1,
            ")" if !expects_name && depth > 0 => depth -= 1,
            "AND" | "OR" if !expects_name => expects_name = true,
            "WITH" if !expects_name => (expects_name, expects_exception) = (true, true),
            _ if expects_name && (expects_exception || is_license_name(word)) => {
                (expects_name, expects_exception) = (false, false);
            }
            _ => return false,
        }
    }
    depth == 0 && !expects_name
}

fn is_license_name(word: &str) -> bool {
    let is_license_ref =
        |text: &str| text.strip_prefix("LicenseRef-").is_some_and(|name| !name.is_empty());
    is_license_ref(word)
        || word
            .strip_prefix("DocumentRef-")
            .and_then(|w| w.split_once(':'))
            .is_some_and(|w| is_license_ref(w.1))
        || spdx::is_license(word.strip_suffix('+').unwrap_or(word))
}

/// Whether a text is a full or abbreviated Git hash.
pub(super) fn is_git_hash(text: &str) -> bool {
    matches!(text.len(), 7 | 40)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text is a semantic version.
pub(super) fn is_version(text: &str) -> bool {
    let (rest, build) =
        text.split_once('+').map_or((text, None), |(rest, tail)| (rest, Some(tail)));
    let (core, pre_release) =
        rest.split_once('-').map_or((rest, None), |(core, tail)| (core, Some(tail)));
    let parts: Vec<&str> = core.split('.').collect();
    let is_valid_tail = |tail: Option<&str>| {
        tail.is_none_or(|tail| {
            tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        })
    };
    parts.len() == 3
        && parts.iter().all(|part| is_number(part))
        && is_valid_tail(pre_release)
        && is_valid_tail(build)
}

/// Whether a text is an e-mail address without a display name.
pub(super) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.trim().rsplit_once('@') else { return false };
    is_local(local) && is_domain(domain)
}

fn is_local(local: &str) -> bool {
    if let Some(quoted) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return !quoted.contains(['"', '\\']);
    }
    let is_local_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    local.split('.').all(|part| !part.is_empty() && part.bytes().all(is_local_byte))
}

fn is_domain(domain: &str) -> bool {
    if domain.starts_with('[') {
        return domain.len() > 2 && domain.ends_with(']');
    }
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_label = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.bytes().all(is_inner)
    };
    domain.strip_suffix('.').unwrap_or(domain).split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_all(fits: fn(&str) -> bool, valid: &[&str], invalid: &[&str]) {
        for text in valid {
            assert!(fits(text), "{text}");
        }
        for text in invalid {
            assert!(!fits(text), "{text}");
        }
    }

    #[test]
    fn urls_are_recognised() {
        let valid = ["http://a.b/c?d", "ftp://x/y", "mailto:x@y.z", "urn:x:y", "HTTP://A"];
        let invalid =
            ["x", "/a", "", "http://a b", "git@a.b:c/d", "http://a/%zz", "http://é.x", "1a:b"];
        assert_all(is_url, &valid, &invalid);
    }

    #[test]
    fn dates_are_recognised() {
        let valid =
            ["2020-01-01T00:00:00Z", "2020-02-29t23:59:60.123+01:00", "2020-01-01T00:00:00+0100"];
        let invalid = [
            "2020-01-01",
            "2021-02-29T00:00:00Z",
            "2020-01-01T00:00:00",
            "2020-13-01T00:00:00Z",
            "2020-01-01T24:00:00Z",
            "2020-01-01 00:00:00Z",
            "2020-01-01T00:00:00,5Z",
            "2020-01-01T00:00Z",
            "2020-01-01T00:00:00+é",
        ];
        assert_all(is_date, &valid, &invalid);
    }

    #[test]
    fn licenses_are_recognised() {
        let valid = [
            "MIT",
            "0BSD",
            "GPL-3.0-or-later",
            "(MIT AND BSD-3-Clause) OR Apache-2.0",
            "GPL-2.0-only WITH Classpath-exception-2.0",
            "LicenseRef-own",
        ];
        let invalid = ["", "mit", "Apache 2.0", "MIT/Apache-2.0", "MIT OR", "(MIT", "Proprietary"];
        assert_all(is_license, &valid, &invalid);
    }

    #[test]
    fn hashes_versions_and_addresses_are_recognised() {
        let full = "0123456789012345678901234567890123456789";
        assert_all(is_git_hash, &["abcdef1", full], &["abcdef", "ABCDEF1", "abcdefg", "01234567"]);
        assert_all(
            is_version,
            &["1.2.3", "1.2.3-rc.1+b"],
            &["1.2", "v1.2.3", "1.2.3.4", "1.2.3+a_b"],
        );
        let invalid =
            ["a", "A B <a@b.c>", "a b@c.d", "a.@b.c", "@b.c", "a@-b.c", "a@b_c.d", "a..b@c.d"];
        assert_all(is_email, &["a@b.c", "a+b@c.d", "\"a b\"@c.d", "a@[1.2.3.4]", "a@b."], &invalid);
    }
}
