//! The features of a change from which its type and scope are predicted: kinds and sizes of the
//! files, words in changed lines, and parts of the paths.

use crate::commit_message::file_kind::{self, FileKind};
use crate::commit_message::{Change, ChangeKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of files whose paths are features.
const MAX_PATHS: usize = 50;
/// Lengths of words that are features.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 2..=16;

/// The hash by which features and paths are compared and stored; the words are not stored.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The names of the features of a change.
pub(super) fn names(changes: &[Change]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (mut total, mut source) = (Lines::default(), Lines::default());
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    let mut words: HashMap<String, i64> = HashMap::new();
    let mut kinds = BTreeSet::new();
    for change in changes {
        let kind = file_kind::from_path(&change.path);
        kinds.insert(kind.name());
        names.insert(format!("has {}", kind.name()));
        match (change.kind, &change.old_path) {
            (ChangeKind::Added, _) => names.insert(format!("new {}", kind.name())),
            (ChangeKind::Deleted, _) => names.insert(format!("gone {}", kind.name())),
            (ChangeKind::Changed, Some(_)) => names.insert(format!("moved {}", kind.name())),
            (ChangeKind::Changed, None) => false,
        };
        if matches!(kind, FileKind::Lock | FileKind::Generated) {
            continue;
        }
        let lines = count_words(change, kind, &mut words);
        *by_kind.entry(kind.name()).or_default() += lines.added + lines.removed;
        total.add(lines);
        if kind == FileKind::Source {
            source.add(lines);
        }
    }
    if let Some((kind, _)) = by_kind.iter().rev().max_by_key(|(_, lines)| **lines) {
        names.insert(format!("most {kind}"));
    }
    let has_source = kinds.contains(FileKind::Source.name());
    kinds.remove(FileKind::Lock.name());
    kinds.remove(FileKind::Generated.name());
    if let (1, Some(kind)) = (kinds.len(), kinds.first()) {
        names.insert(format!("only {kind}"));
    }
    if total.added + total.removed == 0 {
        names.insert("no lines".to_owned());
    }
    names.insert(format!("files {}", magnitude(changes.len()).min(6)));
    names.insert(format!("added {}", magnitude(total.added).min(9)));
    names.insert(format!("removed {}", magnitude(total.removed).min(9)));
    if has_source {
        names.insert(format!("source added {}", magnitude(source.added).min(9)));
        names.insert(format!("source removed {}", magnitude(source.removed).min(9)));
        let all = source.added + source.removed;
        if let Some(sixths) = (12 * source.added + all).checked_div(2 * all) {
            names.insert(format!("source share {sixths}"));
        }
    }
    for (word, count) in words {
        match count {
            1.. => names.insert(format!("+{word}")),
            ..0 => names.insert(format!("-{word}")),
            0 => false,
        };
    }
    path_names(changes, &mut names);
    names
}

/// The directories, names and extensions of the paths.
fn path_names(changes: &[Change], names: &mut BTreeSet<String>) {
    for change in changes.iter().take(MAX_PATHS) {
        let (folders, name) = change.path.rsplit_once('/').unwrap_or(("", &change.path));
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            names.insert(format!("dir {}", folder.to_lowercase()));
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, name));
        names.insert(format!("ext {}", extension.to_lowercase()));
        names.extend(split_words(stem).into_iter().map(|word| format!("name {word}")));
    }
}

/// The paths, their directories and the words in them, in lower case, each with the share of the
/// files that have it.
pub(super) fn path_parts(changes: &[Change]) -> BTreeMap<String, f32> {
    let paths: Vec<&str> =
        changes.iter().take(MAX_PATHS).map(|change| change.path.as_str()).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in &paths {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let written = path.rsplit('/').next().unwrap_or(path);
        let stem = written.rsplit_once('.').map_or(written, |(stem, _)| stem);
        let mut parts: HashSet<String> = split_words(stem).into_iter().collect();
        parts.extend(folders.split('/').map(str::to_owned));
        parts.extend(name.split('.').next().map(str::to_owned));
        parts.extend(lower.match_indices('/').map(|(at, _)| lower[..=at].to_owned()));
        parts.insert(lower.clone());
        parts.remove("");
        for part in parts {
            *counts.entry(part).or_default() += 1;
        }
    }
    let share = |count: usize| count as f32 / paths.len() as f32;
    counts.into_iter().map(|(part, count)| (part, share(count))).collect()
}

/// The number of added and removed lines that are not blank; moved lines are not counted.
#[derive(Clone, Copy, Default)]
struct Lines {
    added: usize,
    removed: usize,
}

impl Lines {
    fn add(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
    }
}

/// Counts the changed lines of a file, and adds for each word the difference between the number of
/// added and removed lines that contain it.
fn count_words(change: &Change, kind: FileKind, words: &mut HashMap<String, i64>) -> Lines {
    let prefix = match kind {
        FileKind::Source => "",
        FileKind::Test => "test.",
        _ => "other.",
    };
    let mut lines = Lines::default();
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    for (line, count) in line_differences(before, after) {
        match usize::try_from(count) {
            Ok(count) => lines.added += count,
            Err(_) => lines.removed += usize::try_from(-count).unwrap_or_default(),
        }
        for word in split_words(line).into_iter().collect::<HashSet<_>>() {
            *words.entry(format!("{prefix}{word}")).or_default() += count;
        }
    }
    lines
}

/// How many times more often each line is in `after` than in `before`, without indentation.
fn line_differences<'a>(before: &'a str, after: &'a str) -> HashMap<&'a str, i64> {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let equal = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    (old, new) = (old.split_off(equal), new.split_off(equal));
    let equal = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    old.truncate(old.len() - equal);
    new.truncate(new.len() - equal);
    let mut counts: HashMap<&str, i64> = HashMap::new();
    for (lines, step) in [(old, -1), (new, 1)] {
        for line in lines.into_iter().map(str::trim).filter(|line| !line.is_empty()) {
            *counts.entry(line).or_default() += step;
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// The words in a text, in lower case: `parseHTTPUrl` contains `parse`, `http` and `url`.
fn split_words(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let is_letter = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        let starts_word = is_letter && at > start && bytes[at].is_ascii_uppercase() && {
            let next_is_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            bytes[at - 1].is_ascii_lowercase() || next_is_lower
        };
        if is_letter && !starts_word {
            continue;
        }
        if WORD_LENGTHS.contains(&(at - start)) {
            words.push(text[start..at].to_ascii_lowercase());
        }
        start = if is_letter { at } else { at + 1 };
    }
    words
}

/// 0 for 0, otherwise the number of binary digits.
fn magnitude(count: usize) -> u32 {
    count.checked_ilog2().map_or(0, |digits| digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_capitals_and_other_characters() {
        assert_eq!(
            split_words("parseHTTPUrl(a, snake_case9x) É"),
            ["parse", "http", "url", "snake", "case"]
        );
        assert_eq!(split_words(&"a".repeat(17)), [""; 0]);
    }

    #[test]
    fn the_features_of_a_change_are_named() {
        let change = Change {
            path: "web/api/userList.ts".to_owned(),
            before: Some("a\nconst old = 1\nb\n".to_owned()),
            after: Some("a\n  if (user) {}\n  return user\nb\n".to_owned()),
            ..Change::default()
        };
        let names: Vec<String> = names(std::slice::from_ref(&change)).into_iter().collect();
        assert_eq!(
            names.join("; "),
            "+if; +return; +user; -const; -old; added 2; dir api; dir web; ext ts; files 1; has source; most source; name list; name user; only source; removed 1; source added 2; source removed 1; source share 4"
        );
        let parts: Vec<String> = path_parts(&[change]).into_keys().collect();
        assert_eq!(
            parts,
            ["api", "list", "user", "userlist", "web", "web/", "web/api/", "web/api/userlist.ts"]
        );
    }
}
