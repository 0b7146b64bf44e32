//! Ranges and versions of packages: whether a version satisfies a range, and which of two versions
//! is newer, by the rules of the ecosystem. Unlike [`Version`], which accepts
//! every text, the functions return `None` for everything they cannot decide.

use super::orders;
use super::stack::{Ecosystem, Version};
use std::cmp::Ordering;
use std::str::FromStr;

/// Whether `version` satisfies `requirement`; `None` if the rules of the ecosystem are not known
/// for one of them.
#[must_use]
pub fn satisfies(ecosystem: Ecosystem, requirement: &str, version: &str) -> Option<bool> {
    let requirement = requirement.trim();
    match ecosystem {
        Ecosystem::Npm => {
            let range = nodejs_semver::Range::parse(requirement).ok()?;
            Some(nodejs_semver::Version::parse(version).ok()?.satisfies(&range))
        }
        Ecosystem::Cargo => {
            let range = semver::VersionReq::parse(requirement).ok()?;
            Some(range.matches(&semver::Version::parse(version).ok()?))
        }
        Ecosystem::Pypi => python(requirement, version),
        Ecosystem::Go => Some(requirement == version),
        Ecosystem::Gem => {
            let version = numbers(version)?;
            let parts = requirement.split(',').map(|part| gem(part.trim(), &version));
            all(parts)
        }
        Ecosystem::Composer => composer(requirement, version),
        Ecosystem::Maven | Ecosystem::Nuget => None,
    }
}

/// The lowest version that `requirement` allows; `None` if it has no lower bound, or the rules of
/// the ecosystem are not known for it.
#[must_use]
pub fn minimum(ecosystem: Ecosystem, requirement: &str) -> Option<Version> {
    let requirement = requirement.trim();
    match ecosystem {
        Ecosystem::Npm => {
            let lowest = nodejs_semver::Range::parse(requirement).ok()?.min_version()?;
            Version::read(&lowest.to_string())
        }
        Ecosystem::Pypi if !requirement.contains('|') => {
            let bounds = requirement.split(',').map(str::trim);
            let bounds = bounds.filter(|part| !part.starts_with(['<', '!']));
            bounds.filter_map(Version::read).max()
        }
        Ecosystem::Cargo | Ecosystem::Go => Version::read(requirement),
        _ => None,
    }
}

/// The order of two versions; `None` if the rules of the ecosystem are not known for one of them.
#[must_use]
pub fn compare(ecosystem: Ecosystem, a: &str, b: &str) -> Option<Ordering> {
    match ecosystem {
        Ecosystem::Npm | Ecosystem::Cargo | Ecosystem::Go => compare_semantic(a, b),
        Ecosystem::Pypi => {
            let parse = |text: &str| pep440_rs::Version::from_str(text).ok();
            Some(parse(a)?.cmp(&parse(b)?))
        }
        Ecosystem::Maven => orders::maven(a.trim(), b.trim()),
        Ecosystem::Gem => orders::gem(a.trim(), b.trim()),
        Ecosystem::Composer | Ecosystem::Nuget => Some(by_number(&numbers(a)?, &numbers(b)?)),
    }
}

/// The order of two semantic versions; `None` if one of them is not a semantic version.
#[must_use]
pub fn compare_semantic(a: &str, b: &str) -> Option<Ordering> {
    Some(parse_semantic(a)?.cmp_precedence(&parse_semantic(b)?))
}

/// Parses a semantic version with one to three numbers: `0`, `1.2` and `1.2-rc.1` occur in
/// advisories.
fn parse_semantic(text: &str) -> Option<semver::Version> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let missing = 2_usize.saturating_sub(numbers.matches('.').count());
    semver::Version::parse(&format!("{numbers}{}{rest}", ".0".repeat(missing))).ok()
}

/// The conjunction of answers; `None` if no answer is `false` and one is unknown.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut conjunction = Some(true);
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            None => conjunction = None,
            Some(true) => {}
        }
    }
    conjunction
}

/// The numbers of a version; `None` if it contains anything else.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    version.split('.').map(|part| part.parse().ok()).collect()
}

fn by_number(a: &[u64], b: &[u64]) -> Ordering {
    let at = |numbers: &[u64], index: usize| numbers.get(index).copied().unwrap_or(0);
    let orders = (0..a.len().max(b.len())).map(|index| at(a, index).cmp(&at(b, index)));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The smallest version above all versions that share the first `len` numbers of `from`.
fn bump(from: &[u64], len: usize) -> Option<Vec<u64>> {
    let mut next = from.get(..len)?.to_vec();
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    Some(next)
}

/// Whether `version` is at least `low` and below the smallest version whose first `len` numbers are
/// greater.
fn within(version: &[u64], low: &[u64], len: usize) -> Option<bool> {
    let high = bump(low, len)?;
    Some(by_number(version, low).is_ge() && by_number(version, &high).is_lt())
}

/// `^1.2` allows everything up to the next change of the first number that is not zero.
fn caret(version: &[u64], low: &[u64]) -> Option<bool> {
    let first = low.iter().position(|number| *number != 0);
    within(version, low, first.map_or(low.len(), |first| first + 1))
}

/// A comparison such as `>=1.2`, without `^` and `~`.
fn comparison(text: &str, version: &[u64]) -> Option<bool> {
    let digits = text.find(|c: char| c.is_ascii_digit() || c == 'v').unwrap_or(text.len());
    let order = by_number(version, &numbers(&text[digits..])?);
    match text[..digits].trim() {
        "" | "=" | "==" => Some(order.is_eq()),
        "!=" | "<>" => Some(order.is_ne()),
        ">" => Some(order.is_gt()),
        ">=" => Some(order.is_ge()),
        "<" => Some(order.is_lt()),
        "<=" => Some(order.is_le()),
        _ => None,
    }
}

/// A requirement of RubyGems.
fn gem(text: &str, version: &[u64]) -> Option<bool> {
    let Some(low) = text.strip_prefix("~>") else { return comparison(text, version) };
    let low = numbers(low)?;
    within(version, &low, low.len().saturating_sub(1).max(1))
}

/// A requirement of Python, with the operators `^` and `~` of Poetry.
fn python(requirement: &str, version: &str) -> Option<bool> {
    if requirement.contains("||") {
        return None;
    }
    let parsed = pep440_rs::Version::from_str(version).ok()?;
    all(requirement.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| {
        if let Some(low) = part.strip_prefix('^') {
            return caret(&numbers(version)?, &numbers(low)?);
        }
        if let Some(low) = part.strip_prefix('~').filter(|low| !low.starts_with('=')) {
            let low = numbers(low)?;
            return within(&numbers(version)?, &low, low.len().min(2));
        }
        if part == "*" {
            return Some(true);
        }
        let is_bare = part.starts_with(|c: char| c.is_ascii_digit());
        let part = if is_bare { format!("=={part}") } else { part.to_owned() };
        Some(pep440_rs::VersionSpecifier::from_str(&part).ok()?.contains(&parsed))
    }))
}

/// A constraint of Composer: <https://getcomposer.org/doc/articles/versions.md>.
fn composer(requirement: &str, version: &str) -> Option<bool> {
    let version = numbers(version)?;
    let mut unknown = false;
    for alternative in requirement.split('|').map(str::trim).filter(|part| !part.is_empty()) {
        match composer_alternative(alternative, &version) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(false)
}

fn composer_alternative(text: &str, version: &[u64]) -> Option<bool> {
    if let Some((low, high)) = text.split_once(" - ") {
        let (low, high) = (numbers(low)?, numbers(high)?);
        let is_low = by_number(version, &low).is_ge();
        // A partial upper bound includes all versions that begin with it.
        let below = if high.len() < 3 {
            by_number(version, &bump(&high, high.len())?).is_lt()
        } else {
            by_number(version, &high).is_le()
        };
        return Some(is_low && below);
    }
    // `>= 1.2` can have a space after the operator.
    let joined = [">=", "<=", "!=", ">", "<", "="]
        .iter()
        .fold(text.to_owned(), |text, operator| text.replace(&format!("{operator} "), operator));
    all(joined.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| {
        if part == "*" {
            return Some(true);
        }
        if let Some(low) = part.strip_prefix('^') {
            return caret(version, &numbers(low)?);
        }
        if let Some(low) = part.strip_prefix('~') {
            let low = numbers(low)?;
            return within(version, &low, low.len().saturating_sub(1).max(1));
        }
        if let Some(series) = part.strip_suffix(".*") {
            let low = numbers(series)?;
            return within(version, &low, low.len());
        }
        comparison(part, version)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Ecosystem; 8] = [
        Ecosystem::Npm,
        Ecosystem::Cargo,
        Ecosystem::Pypi,
        Ecosystem::Go,
        Ecosystem::Maven,
        Ecosystem::Nuget,
        Ecosystem::Gem,
        Ecosystem::Composer,
    ];

    #[test]
    fn ranges_follow_the_ecosystem() {
        use Ecosystem::{Cargo, Composer, Gem, Maven, Npm, Pypi};
        for (ecosystem, range, version, expected) in [
            (Npm, "^1.2.0", "1.9.0", Some(true)),
            (Npm, "^1.2.0", "2.0.0", Some(false)),
            (Npm, "^1.2.0", "1.3.0-beta.1", Some(false)),
            (Npm, "1.x || >=3", "3.1.0", Some(true)),
            (Npm, "latest", "3.1.0", None),
            (Npm, "", "1.2.3", Some(true)),
            (Npm, ">1.2", "1.2.8", Some(false)),
            (Npm, "<=1.2", "1.2.9", Some(true)),
            (Npm, "1.2 - 2", "2.9.9", Some(true)),
            (Npm, "~1", "1.9.0", Some(true)),
            (Npm, "^0.0.3", "0.0.4", Some(false)),
            (Npm, "^0.2.3", "0.3.0", Some(false)),
            (Npm, "^1.2.3-beta.2", "1.2.3-beta.4", Some(true)),
            (Npm, "^1.2.3-beta.2", "1.2.4-beta.4", Some(false)),
            (Npm, "*", "1.0.0-rc.1", Some(false)),
            (Npm, ">= 1.0.0 < 2.0.0", "1.5.0", Some(true)),
            (Cargo, "=0.3.1", "0.3.1+build", Some(true)),
            (Cargo, "~1.2", "1.3.0", Some(false)),
            (Cargo, "1.*", "1.9.0", Some(true)),
            (Cargo, ">=1, <2", "2.0.0-rc.1", Some(false)),
            (Cargo, "0.0.3", "0.0.4", Some(false)),
            (Pypi, "==1.0", "1.0+local", Some(true)),
            (Pypi, "<3", "3.0rc1", Some(false)),
            (Pypi, ">1.0", "1.0.post1", Some(false)),
            (Pypi, "!=1.5.*", "1.5.2", Some(false)),
            (Pypi, "^0.0.3", "0.0.4", Some(false)),
            (Pypi, "^0", "0.9", Some(true)),
            (Gem, "~> 7", "7.9", Some(true)),
            (Gem, "!= 1.2", "1.2.0", Some(false)),
            (Composer, "~1", "1.9.0", Some(true)),
            (Composer, "^0.3", "0.4.0", Some(false)),
            (Composer, ">= 1.0, < 2.0", "1.5.0", Some(true)),
            (Cargo, "0.3", "0.3.9", Some(true)),
            (Cargo, "0.3", "0.4.0", Some(false)),
            (Pypi, ">=2,<3", "2.32.0", Some(true)),
            (Pypi, "~=1.4.2", "1.5.0", Some(false)),
            (Pypi, "^0.115", "0.115.4", Some(true)),
            (Pypi, "^0.115", "0.116.0", Some(false)),
            (Pypi, "~1.2", "1.3.0", Some(false)),
            (Pypi, "1.2.*", "1.2.9", Some(true)),
            (Pypi, "1.2", "1.2.0", Some(true)),
            (Pypi, "^1.0 || ^2.0", "3.0", None),
            (Gem, "~> 7.1", "7.2.1", Some(true)),
            (Gem, "~> 7.1.0", "7.2.1", Some(false)),
            (Gem, ">= 1, < 2", "1.5", Some(true)),
            (Gem, "~> 7.1", "8.0.0.beta1", None),
            (Composer, "^8.1", "v8.4.0", Some(true)),
            (Composer, "~1.2.3", "1.3.0", Some(false)),
            (Composer, "^1.0 || ^2.0", "2.4.1", Some(true)),
            (Composer, ">=1.0 <1.1", "1.1.0", Some(false)),
            (Composer, "1.0 - 2.0", "2.0.5", Some(true)),
            (Composer, "dev-main", "1.0.0", None),
            (Maven, "[1,2)", "1.5", None),
        ] {
            assert_eq!(satisfies(ecosystem, range, version), expected, "{range} {version}");
        }
    }

    #[test]
    fn versions_are_ordered_by_the_rules_of_the_ecosystem() {
        use Ecosystem::{Gem, Go, Maven, Npm, Pypi};
        for (ecosystem, a, b, expected) in [
            (Npm, "1.10.0", "1.9.0", Some(Ordering::Greater)),
            (Npm, "2.0.0-beta.2", "2.0.0-beta.10", Some(Ordering::Less)),
            (Go, "v1.2.3+incompatible", "1.2.3", Some(Ordering::Equal)),
            (Go, "0", "0.1.0", Some(Ordering::Less)),
            (Pypi, "2.0rc1", "2.0", Some(Ordering::Less)),
            (Gem, "7.0.8", "7.0.8.1", Some(Ordering::Less)),
            (Gem, "8.0.0.beta1", "8.0.0", Some(Ordering::Less)),
            (Maven, "1.0-SNAPSHOT", "1.0", Some(Ordering::Less)),
            (Maven, "31.1-jre", "32.0.0-android", Some(Ordering::Less)),
            (Npm, "1.2-rc.1", "1.2.0", Some(Ordering::Less)),
            (Npm, "1.2.0+b.1", "1.2", Some(Ordering::Equal)),
            (Npm, "vv1.0.0", "1.0.0", None),
            (Npm, "1.2.3.4", "1.2.3", None),
            (Pypi, "1.0+local", "1.0", Some(Ordering::Greater)),
            (Pypi, "1!0.1", "2.0", Some(Ordering::Greater)),
            (Pypi, "1.0.post1", "1.0", Some(Ordering::Greater)),
            (Pypi, "1.0.dev1", "1.0a1", Some(Ordering::Less)),
            (
                Go,
                "v0.0.0-20240101000000-abcdefabcdef",
                "0.0.0-20250101000000-000000000000",
                Some(Ordering::Less),
            ),
        ] {
            assert_eq!(compare(ecosystem, a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn the_minimum_is_the_lowest_allowed_version() {
        use Ecosystem::{Go, Maven, Npm, Pypi};
        for (ecosystem, range, expected) in [
            (Npm, "^18.2.0", Some("18.2.0")),
            (Npm, ">=16 <18 || ^19.0.0", Some("16.0.0")),
            (Npm, "*", Some("0.0.0")),
            (Npm, "latest", None),
            (Pypi, ">=2,<3", Some("2")),
            (Pypi, "!=2.0,>=1.4", Some("1.4")),
            (Pypi, "<3", None),
            (Pypi, "^3.11", Some("3.11")),
            (Pypi, "==5.*", Some("5")),
            (Go, "v1.63.2", Some("1.63.2")),
            (Maven, "1.0", None),
        ] {
            let found = minimum(ecosystem, range).map(|version| version.to_string());
            assert_eq!(found.as_deref(), expected, "{ecosystem:?} {range}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_compared_without_a_panic(range in "[-0-9.^~<>=!*|, v]{0,12}", version in "[0-9.av-]{0,24}") {
            for ecosystem in ALL {
                let _ = satisfies(ecosystem, &range, &version);
                let _ = minimum(ecosystem, &range);
                let _ = compare(ecosystem, &range, &version);
            }
        }
    }
}
