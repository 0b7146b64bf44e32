//! Versions of packages in all ecosystems, in enough detail to compare them and to find the lower
//! bound of a range.

use std::cmp::Ordering;
use std::fmt;

/// A version: its numbers, and the pre-release suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    numbers: Vec<u64>,
    /// `beta.1` for `2.0.0-beta.1`; empty for a release.
    pre: String,
}

impl Version {
    /// The first version in a text: a version such as `v5.1.0-beta.2`, or the lower bound of a
    /// range such as `^5.1` or `>=1.2,<2`. `None` when the text has no number, as in `*`, or is a
    /// range without a lower bound.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.starts_with('<') {
            return None;
        }
        let start = text.find(|c: char| c.is_ascii_digit())?;
        // `latest2` and `git+https://host/1` are not versions.
        let prefix = &text[..start];
        if prefix.chars().any(|c| c.is_alphabetic() && !matches!(c, 'v' | 'V')) {
            return None;
        }
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let numbers: Vec<u64> =
            rest[..end].split('.').map_while(|part| part.parse().ok()).collect();
        let tail = &rest[end..];
        // `90 days` is a duration.
        if tail.starts_with(' ') && tail.trim_start().starts_with(char::is_alphabetic) {
            return None;
        }
        let pre = tail.strip_prefix('-').unwrap_or(tail);
        let is_pre = tail.starts_with(|c: char| c == '-' || c.is_ascii_alphabetic());
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-');
        let pre = if is_pre { pre.split(is_end).next().unwrap_or_default() } else { "" };
        // `1.x` and `3.2.RELEASE` are releases.
        let release_suffixes = ["x", "RELEASE", "Final", "GA"];
        let pre = if release_suffixes.contains(&pre) { "" } else { pre };
        (!numbers.is_empty()).then(|| Self { numbers, pre: pre.to_owned() })
    }

    /// The major version.
    #[must_use]
    pub fn major(&self) -> u64 {
        self.numbers[0]
    }

    /// How many numbers the version has: 2 for 5.1.
    #[must_use]
    pub fn precision(&self) -> usize {
        self.numbers.len()
    }

    /// The numbers that a breaking release increments: the major version, and the minor version
    /// while the major version is zero.
    #[must_use]
    pub fn compatibility_series(&self) -> (u64, u64) {
        let second = self.numbers.get(1).copied().unwrap_or(0);
        if self.numbers[0] == 0 { (0, second) } else { (self.numbers[0], 0) }
    }

    /// Whether this version belongs to the release series `other`, compared by as many numbers as
    /// `other` has: 5.1.2 belongs to 5 and to 5.1.
    #[must_use]
    pub fn is_in_series(&self, other: &Self) -> bool {
        let at = |index: usize| self.numbers.get(index).copied().unwrap_or(0);
        other.numbers.iter().enumerate().all(|(index, number)| at(index) == *number)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let at = |numbers: &[u64], index: usize| numbers.get(index).copied().unwrap_or(0);
        let by_number = (0..length)
            .map(|index| at(&self.numbers, index).cmp(&at(&other.numbers, index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal);
        // A pre-release sorts before the release with the same numbers.
        by_number
            .then_with(|| self.pre.is_empty().cmp(&other.pre.is_empty()))
            .then_with(|| self.pre.cmp(&other.pre))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))?;
        if self.pre.is_empty() { Ok(()) } else { write!(f, "-{}", self.pre) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &str) -> String {
        Version::read(text).map_or_else(|| "none".to_owned(), |version| version.to_string())
    }

    #[test]
    fn versions_are_found_in_ranges() {
        for (text, expected) in [
            ("^19.1.0", "19.1.0"),
            (">=1.2,<2", "1.2"),
            ("v5.0.0-beta.2", "5.0.0-beta.2"),
            ("~> 7.1", "7.1"),
            ("1.x", "1"),
            ("3.2.RELEASE", "3.2"),
            ("2.0rc1", "2.0-rc1"),
            ("<4", "none"),
            ("*", "none"),
            ("latest", "none"),
            ("workspace:*", "none"),
            ("git+ssh://host/a#1.2", "none"),
            ("", "none"),
            ("90 days", "none"),
            ("^18 || ^19", "18"),
            ("99999999999999999999", "none"),
        ] {
            assert_eq!(render(text), expected, "{text}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        let read = |text| Version::read(text).expect(text);
        assert!(read("10.0") > read("9.9.9"));
        assert!(read("5.0.0-beta") < read("5"));
        assert_eq!(read("5").cmp(&read("5.0.0")), Ordering::Equal);
        assert!(
            read("5.1.2").is_in_series(&read("5")) && !read("5.1.2").is_in_series(&read("5.2"))
        );
        assert_eq!(
            (read("0.3.1").compatibility_series(), read("3.1").compatibility_series()),
            ((0, 3), (3, 0))
        );
    }
}
