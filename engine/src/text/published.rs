//! Well-known values that are not secret: keys of emulators, tokens in standards, examples in the
//! documentation of vendors.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::LazyLock;

/// One part of a value per line; blank lines and lines that start with `#` are not values.
static TABLE: &str = include_str!("published.txt");

/// Not a deterministic automaton, which would need more than a megabyte; values are short.
static PARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(parts()).ok()
});

fn parts() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether `value` is or contains a published value. The comparison is case-sensitive.
#[must_use]
pub fn is_published(value: &str) -> bool {
    PARTS.as_ref().is_some_and(|parts| parts.is_match(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_long_enough_not_to_occur_by_chance() {
        let mut seen = std::collections::BTreeSet::new();
        for part in parts() {
            assert!(part.len() >= 10 && !part.contains(' '), "{part}");
            assert!(seen.insert(part), "{part} is listed twice");
        }
        assert!(seen.len() >= 60);
    }

    #[test]
    fn published_values_are_recognised() {
        let azurite =
            "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1S";
        for value in [
            "2YotnFZFEjr1zCsicMWpAA",
            azurite,
            "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
        ] {
            assert!(is_published(value), "{value}");
        }
        for value in ["", "2yotnfzfejr1zcsicmwpaa", "Zx9Kp2Lm7Qw4Rt8Yv1Bn5Hj3"] {
            assert!(!is_published(value), "{value}");
        }
    }
}
