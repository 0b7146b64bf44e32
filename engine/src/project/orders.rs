//! The orders of versions in Maven and RubyGems, for which there is no library.

use std::cmp::Ordering;

/// A part of a version: a number, or a word in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Word(String),
    Number(u64),
}

/// The runs of digits and of letters in `text` as `(offset, part)`; `None` if a number is too large.
fn parts(text: &str) -> Option<Vec<(usize, Part)>> {
    let mut all = Vec::new();
    let bytes = text.as_bytes();
    let mut start = 0;
    while let Some(first) = bytes.get(start) {
        let is_digit = first.is_ascii_digit();
        let is_same =
            |byte: &u8| !matches!(byte, b'.' | b'-' | b'_') && byte.is_ascii_digit() == is_digit;
        let length = bytes[start..].iter().take_while(|byte| is_same(byte)).count();
        if length == 0 {
            start += 1;
            continue;
        }
        let run = &text[start..start + length];
        let part = if is_digit {
            Part::Number(run.parse().ok()?)
        } else {
            Part::Word(run.to_ascii_lowercase())
        };
        all.push((start, part));
        start += length;
    }
    Some(all)
}

/// A part of a version of Maven, with the separator before it.
struct MavenPart {
    is_after_dot: bool,
    part: Part,
}

/// The position of a qualifier: before the release, the release, after it, or unknown.
fn qualifier(word: &str) -> (u8, &str) {
    match word {
        "alpha" => (0, ""),
        "beta" => (1, ""),
        "milestone" => (2, ""),
        "rc" | "cr" => (3, ""),
        "snapshot" => (4, ""),
        "" | "final" | "ga" | "release" => (5, ""),
        "sp" => (6, ""),
        other => (7, other),
    }
}

impl MavenPart {
    /// Whether the part does not change the version.
    fn is_null(&self) -> bool {
        match &self.part {
            Part::Number(number) => *number == 0,
            Part::Word(word) => qualifier(word).0 == 5,
        }
    }

    /// Qualifiers precede numbers after a hyphen, which precede numbers after a dot.
    fn rank(&self) -> u8 {
        match &self.part {
            Part::Word(_) => 0,
            Part::Number(_) => 1 + u8::from(self.is_after_dot),
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (&self.part, &other.part) {
            (Part::Word(a), Part::Word(b)) => qualifier(a).cmp(&qualifier(b)),
            (Part::Number(a), Part::Number(b)) => self.rank().cmp(&other.rank()).then(a.cmp(b)),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// The order of the part and of the end of a version.
    fn compare_to_end(&self) -> Ordering {
        match &self.part {
            Part::Word(word) => qualifier(word).cmp(&qualifier("")),
            Part::Number(number) => number.cmp(&0),
        }
    }
}

/// The parts of a version of Maven, without those that do not change the version.
fn maven_parts(version: &str) -> Option<Vec<MavenPart>> {
    let text = version.as_bytes();
    let all = parts(version)?;
    let mut split: Vec<MavenPart> = Vec::with_capacity(all.len());
    for (index, (at, part)) in all.iter().enumerate() {
        // A dot before a qualifier has the effect of a hyphen.
        let is_after_dot = matches!(part, Part::Number(_))
            && at.checked_sub(1).is_none_or(|before| text[before] == b'.');
        let next = all.get(index + 1).map(|(next, _)| *next);
        let part = match part {
            // `a1` is short for `alpha-1`.
            Part::Word(word) if next == Some(at + word.len()) => match word.as_str() {
                "a" => Part::Word("alpha".to_owned()),
                "b" => Part::Word("beta".to_owned()),
                "m" => Part::Word("milestone".to_owned()),
                _ => part.clone(),
            },
            _ => part.clone(),
        };
        split.push(MavenPart { is_after_dot, part });
    }
    let mut kept: Vec<MavenPart> = Vec::with_capacity(split.len());
    // Parts without effect are removed at the end, and before each hyphen.
    let mut is_end = true;
    for part in split.into_iter().rev() {
        if is_end && part.is_null() {
            continue;
        }
        is_end = !part.is_after_dot;
        kept.push(part);
    }
    kept.reverse();
    Some(kept)
}

/// The order of two versions of Maven:
/// <https://maven.apache.org/pom.html#version-order-specification>; `None` if a version does not
/// begin with a number.
pub(super) fn maven(a: &str, b: &str) -> Option<Ordering> {
    let is_version = |text: &str| text.is_ascii() && text.starts_with(|c: char| c.is_ascii_digit());
    if !is_version(a) || !is_version(b) {
        return None;
    }
    let (a, b) = (maven_parts(a)?, maven_parts(b)?);
    let orders = (0..a.len().max(b.len())).map(|index| match (a.get(index), b.get(index)) {
        (Some(a), Some(b)) => a.compare(b),
        (Some(a), None) => a.compare_to_end(),
        (None, Some(b)) => b.compare_to_end().reverse(),
        (None, None) => Ordering::Equal,
    });
    Some(orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}

/// The parts of a version of RubyGems. Zeros at the end, and before the first word, have no effect.
fn gem_parts(version: &str) -> Option<Vec<Part>> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    if !version.starts_with(|c: char| c.is_ascii_digit()) || !version.bytes().all(is_valid) {
        return None;
    }
    let version = version.replace('-', ".pre.");
    let all = parts(&version)?.into_iter().map(|(_, part)| part);
    let mut kept: Vec<Part> = Vec::new();
    let mut has_word = false;
    let drop_zeros = |kept: &mut Vec<Part>| {
        while kept.last() == Some(&Part::Number(0)) {
            kept.pop();
        }
    };
    for part in all {
        if matches!(part, Part::Word(_)) && !has_word {
            has_word = true;
            drop_zeros(&mut kept);
        }
        kept.push(part);
    }
    drop_zeros(&mut kept);
    Some(kept)
}

/// The order of two versions of RubyGems; `None` if one of them is malformed. A word is a
/// pre-release.
pub(super) fn gem(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (gem_parts(a)?, gem_parts(b)?);
    let zero = Part::Number(0);
    let orders = (0..a.len().max(b.len())).map(|index| {
        match (a.get(index).unwrap_or(&zero), b.get(index).unwrap_or(&zero)) {
            (Part::Number(a), Part::Number(b)) => a.cmp(b),
            (Part::Word(a), Part::Word(b)) => a.cmp(b),
            (Part::Word(_), Part::Number(_)) => Ordering::Less,
            (Part::Number(_), Part::Word(_)) => Ordering::Greater,
        }
    });
    Some(orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn versions_of_maven_are_ordered() {
        let ascending = [
            "1-alpha",
            "1-beta2",
            "1-milestone",
            "1-rc",
            "1-SNAPSHOT",
            "1",
            "1-sp",
            "1-foo2",
            "1-foo10",
            "1-1",
            "1.0.1",
            "1.1-rc1",
            "1.1",
            "1.10",
            "31.1-jre",
            "32.0.0-android",
        ];
        for (index, a) in ascending.iter().enumerate() {
            for (other, b) in ascending.iter().enumerate() {
                assert_eq!(maven(a, b), Some(index.cmp(&other)), "{a} {b}");
            }
        }
        for (a, b) in [
            ("1", "1.0.0"),
            ("1.ga", "1-final"),
            ("1.foo", "1-foo"),
            ("1-a1", "1-alpha-1"),
            ("1.0.0-foo.0.0", "1-foo"),
            ("1-CR1", "1-rc1"),
        ] {
            assert_eq!(maven(a, b), Some(Ordering::Equal), "{a} {b}");
        }
        assert_eq!(maven("${version}", "1"), None);
    }

    #[test]
    fn versions_of_rubygems_are_ordered() {
        let ascending = ["1.0.a", "1.0.a.2", "1.0.b1", "1.0.rc1", "1", "1.0.0.1", "1.2", "1.10"];
        for (index, a) in ascending.iter().enumerate() {
            for (other, b) in ascending.iter().enumerate() {
                assert_eq!(gem(a, b), Some(index.cmp(&other)), "{a} {b}");
            }
        }
        assert_eq!(gem("1.0.a", "1.a"), Some(Ordering::Equal));
        assert_eq!(gem("2-1", "2.pre.1"), Some(Ordering::Equal));
        assert_eq!(gem("dev", "1"), None);
    }

    proptest! {
        #[test]
        fn both_orders_are_total(
            a in "1[-.a0-2]{0,8}",
            b in "1[-.a0-2]{0,8}",
            c in "1[-.a0-2]{0,8}",
        ) {
            for order in [maven, gem] {
                prop_assert_eq!(order(&a, &a), Some(Ordering::Equal));
                prop_assert_eq!(order(&a, &b), order(&b, &a).map(Ordering::reverse));
                if order(&a, &b) == Some(Ordering::Less) && order(&b, &c) == Some(Ordering::Less) {
                    prop_assert_eq!(order(&a, &c), Some(Ordering::Less));
                }
            }
        }

        #[test]
        fn any_text_is_compared_without_a_panic(a in ".{0,20}", b in ".{0,20}") {
            let _ = (maven(&a, &b), gem(&a, &b));
        }
    }
}
