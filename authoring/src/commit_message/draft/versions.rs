//! Changes of a single version number, such as that of the project or of a tool.

use crate::commit_message::facts::File;
use similar::{DiffTag, TextDiff};
use std::collections::BTreeSet;

/// Maximum number of lines that contain the version.
const MAX_LINES: usize = 40;
/// Minimum length of a hash in hexadecimal digits, which changes with a version.
const HASH: usize = 32;
/// Words before a version that do not name what has the version.
const NOISE: [&str; 10] =
    ["version", "image", "tag", "rev", "ref", "uses", "from", "with", "default", "sha"];

/// A version number that changed, if nothing else changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// The version before the change, without the letter `v`.
    pub(super) old: String,
    /// The version after the change, without the letter `v`.
    pub(super) new: String,
    /// The word before the version, if it is the same everywhere.
    pub(super) name: Option<String>,
}

/// The version that changed in `files`, if all changed lines differ only in it.
pub(super) fn changed(files: &[&File<'_>]) -> Option<Changed> {
    let mut versions: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut names: BTreeSet<Option<&str>> = BTreeSet::new();
    for file in files {
        let (before, after) = (file.change.before.as_deref()?, file.change.after.as_deref()?);
        if file.lines.added != file.lines.removed || file.lines.added > MAX_LINES {
            return None;
        }
        let (old, new): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        for op in TextDiff::from_slices(&old, &new).ops() {
            if op.tag() == DiffTag::Equal {
                continue;
            }
            if op.old_range().len() != op.new_range().len() {
                return None;
            }
            for (old, new) in old[op.old_range()].iter().zip(&new[op.new_range()]) {
                versions.extend(compare(old, new)?.iter().copied());
                names.insert(name_before(new, versions.last()?.1));
            }
        }
    }
    let &(old, new) = versions.first().filter(|_| versions.len() == 1)?;
    let name = names.first().copied().flatten().filter(|_| names.len() == 1);
    Some(Changed { old: old.to_owned(), new: new.to_owned(), name: name.map(str::to_owned) })
}

/// The versions in which two lines differ; `None` if they differ in anything else.
fn compare<'a>(old: &'a str, new: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (tokens(old).collect(), tokens(new).collect());
    let mut versions = Vec::new();
    for (old, new) in old.iter().zip(&new).filter(|(old, new)| old != new) {
        if is_hash(old) && is_hash(new) {
            continue;
        }
        let (old, new) = (old.trim_start_matches('v'), new.trim_start_matches('v'));
        if !is_version(old) || !is_version(new) {
            return None;
        }
        versions.push((old, new));
    }
    (old.len() == new.len()).then_some(versions)
}

/// The parts of a line: words with digits and dots, and the characters between them.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(|c: char| !is_part(c)).flat_map(|part| {
        let end = part.trim_end_matches(|c: char| !is_part(c)).len();
        let (word, rest) = part.split_at(end);
        [word, rest].into_iter().filter(|part| !part.is_empty())
    })
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+')
}

fn is_hash(word: &str) -> bool {
    word.len() >= HASH && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word is a version: numbers with dots between them.
fn is_version(word: &str) -> bool {
    word.contains('.')
        && word
            .split('.')
            .take(2)
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The last word before the version that names something.
fn name_before<'a>(line: &'a str, version: &str) -> Option<&'a str> {
    let start = &line[..line.find(version)?];
    let words = start.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let is_name = |word: &&str| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_alphabetic())
            && !NOISE.contains(&word.to_lowercase().as_str())
    };
    let mut names: Vec<&str> = words.filter(is_name).collect();
    names.pop().map(|name| {
        let lower = name.to_ascii_lowercase();
        let end =
            ["-version", "_version", "_tag", "-tag"].iter().find(|end| lower.ends_with(**end));
        end.map_or(name, |end| &name[..name.len() - end.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_line() {
        assert_eq!(
            compare("FROM go:1.26.1@x", "FROM go:1.27.0@x"),
            Some(vec![("1.26.1", "1.27.0")])
        );
        assert_eq!(compare("  lint: v2.1", "  lint: v2.2"), Some(vec![("2.1", "2.2")]));
        assert_eq!(compare("a: 1.2", "b: 1.3"), None);
        assert_eq!(compare("a: 1", "a: 2"), None);
        assert_eq!(name_before("  golangci-lint-version: v2.1", "2.1"), Some("golangci-lint"));
        assert_eq!(name_before("version: 2.1", "2.1"), None);
    }
}
