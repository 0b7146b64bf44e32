//! The paths in the head of the files and directories of the base.

use crate::project::git::Change;
use crate::text::listing::Listing;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Paths of the base → paths of the head, where they differ.
pub(super) struct Renames<'a> {
    base: Option<&'a Listing>,
    files: HashMap<&'a str, &'a str>,
    dirs: HashMap<&'a str, &'a str>,
}

impl<'a> Renames<'a> {
    /// Collects the renames from all changes of the project. `base` lists its files before the
    /// change; without it moved directories are not detected.
    pub(super) fn new(changes: &'a [Change], base: Option<&'a Listing>) -> Self {
        let both =
            changes.iter().filter_map(|one| Some((one.base.as_deref()?, one.head.as_deref()?)));
        let files: HashMap<&str, &str> = both.filter(|(base, head)| base != head).collect();
        let dirs = base.map_or_else(HashMap::new, |base| moved_dirs(changes, &files, base));
        Self { base, files, dirs }
    }

    /// The path in the head of a renamed file, of a moved directory, or of a path that was missing
    /// in a moved directory. `None`: not moved.
    pub(super) fn head_path(&self, path: &str) -> Option<Cow<'a, str>> {
        if let Some(head) = self.files.get(path) {
            return Some(Cow::Borrowed(head));
        }
        // A file that was not renamed is deleted, even if its directory moved.
        if self.dirs.is_empty() || self.base.is_some_and(|base| base.has_file(path)) {
            return None;
        }
        let mut dir = path;
        loop {
            if let Some(head) = self.dirs.get(dir) {
                let rest = &path[dir.len()..];
                let rest = if head.is_empty() { rest.trim_start_matches('/') } else { rest };
                return Some(Cow::Owned(format!("{head}{rest}")));
            }
            dir = dir.rsplit_once('/')?.0;
        }
    }
}

/// The directories that are empty after the change and most of whose files moved to the same
/// directory, each with the same path below it.
fn moved_dirs<'a>(
    changes: &'a [Change],
    files: &HashMap<&'a str, &'a str>,
    base: &Listing,
) -> HashMap<&'a str, &'a str> {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for (&from, &to) in files.iter().filter(|(from, _)| base.has_file(from)) {
        let (mut from, mut to) = (from, to);
        while let Some((from_dir, from_name)) = from.rsplit_once('/') {
            let (to_dir, to_name) = to.rsplit_once('/').unwrap_or(("", to));
            if from_name != to_name {
                break;
            }
            *counts.entry((from_dir, to_dir)).or_default() += 1;
            (from, to) = (from_dir, to_dir);
        }
    }
    if counts.is_empty() {
        return HashMap::new();
    }
    let mut gone: HashMap<&str, usize> = HashMap::new();
    let mut occupied: HashSet<&str> = HashSet::new();
    for change in changes {
        let head = change.head.as_deref();
        let left = change.base.as_deref().filter(|&path| head != Some(path) && base.has_file(path));
        for dir in left.into_iter().flat_map(parents) {
            *gone.entry(dir).or_default() += 1;
        }
        for dir in head.into_iter().flat_map(parents) {
            // If a directory is in the set, so are its parents.
            if !occupied.insert(dir) {
                break;
            }
        }
    }
    let moved = counts.into_iter().filter(|&((from, _), count)| {
        let all = base.beginning_with(&format!("{from}/")).len();
        2 * count > all && gone.get(from) == Some(&all) && !occupied.contains(from)
    });
    moved.map(|(dirs, _)| dirs).collect()
}

/// The parent directories of a path, without the root, the nearest first.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(end, _)| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn renamed(pairs: &[(&str, &str)]) -> Vec<Change> {
        let path = |path: &str| (!path.is_empty()).then(|| path.to_owned());
        let change = |(base, head): &(&str, &str)| Change {
            base: path(base),
            head: path(head),
            outside: None,
        };
        pairs.iter().map(change).collect()
    }

    fn listing(paths: &[&str]) -> Listing {
        Listing::new(paths.iter().map(|&path| path.to_owned()))
    }

    /// The new locations of `paths` in a change that moves files from one path to another; `""`:
    /// deleted or added.
    #[track_caller]
    fn leads(pairs: &[(&str, &str)], rest: &[&str], paths: &[(&str, Option<&str>)]) {
        let changes = renamed(pairs);
        let before = pairs.iter().map(|(base, _)| *base).filter(|path| !path.is_empty());
        let base = listing(&before.chain(rest.iter().copied()).collect::<Vec<_>>());
        let renames = Renames::new(&changes, Some(&base));
        for (path, head) in paths {
            assert_eq!(renames.head_path(path).as_deref(), *head, "{path}");
        }
    }

    #[test]
    fn a_directory_moves_with_its_files() {
        leads(
            &[
                ("packages/x/src/a.ts", "libs/x/src/a.ts"),
                ("packages/x/src/b.ts", "libs/x/src/b.ts"),
                ("packages/x/gone.ts", ""),
            ],
            &["packages/y/c.ts"],
            &[
                ("packages/x", Some("libs/x")),
                ("packages/x/README.md", Some("libs/x/README.md")),
                ("packages/x/src", Some("libs/x/src")),
                ("packages/x/src/a.ts", Some("libs/x/src/a.ts")),
                ("packages/x/gone.ts", None),
                ("packages/xy", None),
                ("packages", None),
                ("packages/y", None),
            ],
        );
        leads(&[("a/b/x", "c/x")], &[], &[("a/b", Some("c")), ("a/b/y", Some("c/y")), ("a", None)]);
        leads(&[("a/x", "x")], &["y"], &[("a", Some("")), ("a/z", Some("z")), ("", None)]);
    }

    #[test]
    fn a_directory_that_is_still_there_did_not_move() {
        // A file that stays, a new file there, and a file that moves in.
        leads(&[("a/x", "b/x")], &["a/y"], &[("a", None)]);
        leads(&[("a/x", "b/x"), ("", "a/y")], &[], &[("a", None)]);
        leads(&[("a/x", "b/x"), ("c/x", "a/x")], &[], &[("a", None), ("c", Some("a"))]);
        // Its subdirectories can still move.
        leads(&[("a/b/x", "c/b/x")], &["a/y"], &[("a", None), ("a/b", Some("c/b"))]);
    }

    #[test]
    fn a_directory_moves_where_most_of_its_files_go() {
        leads(&[("a/x", "b/x"), ("a/y", "b/y"), ("a/z", "c/z")], &[], &[("a", Some("b"))]);
        leads(&[("a/x", "b/x"), ("a/y", "c/y")], &[], &[("a", None)]);
        // One of several files is not a directory, even if the others are deleted.
        leads(&[("a/LICENSE", "b/LICENSE"), ("a/x", ""), ("a/y", "")], &[], &[("a", None)]);
        // A renamed file is no evidence for a move of its directory.
        leads(&[("a/x", "b/y")], &[], &[("a", None), ("a/x", Some("b/y"))]);
    }

    #[test]
    fn many_renames_cost_little_each() {
        let paths: Vec<(String, String)> = (0..16_000)
            .map(|at| (at % 100, at / 100 % 16, at))
            .map(|(a, b, c)| format!("{a}/{b}/{c}/file.txt"))
            .map(|path| (format!("old/{path}"), format!("new/{path}")))
            .collect();
        let pairs: Vec<(&str, &str)> = paths.iter().map(|(a, b)| (&**a, &**b)).collect();
        leads(&pairs, &[], &[("old", Some("new")), ("old/7/x", Some("new/7/x"))]);
    }

    proptest! {
        #[test]
        fn each_directory_of_one_that_moves_moves_along(
            files in proptest::collection::btree_set("[ab](/[ab]){0,3}/f", 1..12),
            others in proptest::collection::btree_set("[cd](/[ab]){0,2}/f", 0..6),
            edited in proptest::collection::btree_set("[cd]/g", 0..2),
        ) {
            let moved: BTreeMap<String, String> =
                files.iter().map(|path| (format!("from/{path}"), format!("to/in/{path}"))).collect();
            let mut pairs: Vec<(&str, &str)> = moved.iter().map(|(a, b)| (&**a, &**b)).collect();
            pairs.extend(edited.iter().map(|path| (&**path, &**path)));
            let changes = renamed(&pairs);
            let paths = moved.keys().chain(&others).chain(&edited);
            let base = Listing::new(paths.cloned());
            let renames = Renames::new(&changes, Some(&base));
            for dir in base.dirs().keys() {
                let expected = dir.strip_prefix("from").map(|rest| format!("to/in{rest}"));
                prop_assert_eq!(renames.head_path(dir).map(Cow::into_owned), expected.clone());
                let missing = format!("{dir}/missing").trim_start_matches('/').to_owned();
                let expected = expected.map(|dir| format!("{dir}/missing"));
                prop_assert_eq!(renames.head_path(&missing).map(Cow::into_owned), expected);
            }
        }
    }
}
