//! Maps the files and directories of the base to their paths in the head.

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
    /// Collects the renames from all changes of the project. `base` lists the files before the
    /// change; without `base`, moved directories are not detected.
    pub(super) fn new(changes: &'a [Change], base: Option<&'a Listing>) -> Self {
        let pairs = changes
            .iter()
            .filter_map(|change| Some((change.base.as_deref()?, change.head.as_deref()?)));
        let files: HashMap<&str, &str> = pairs.filter(|(base, head)| base != head).collect();
        let dirs = base.map_or_else(HashMap::new, |base| moved_dirs(changes, &files, base));
        Self { base, files, dirs }
    }

    /// The path in the head of a renamed file, of a moved directory, or of a path that was missing
    /// in a moved directory. `None` if the path did not change.
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

/// The directories that are empty after the change because they moved: most of their files moved to
/// one other directory, and the paths of these files below the directory are unchanged.
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
    let mut removed_counts: HashMap<&str, usize> = HashMap::new();
    let mut occupied: HashSet<&str> = HashSet::new();
    for change in changes {
        let head = change.head.as_deref();
        let removed =
            change.base.as_deref().filter(|&path| head != Some(path) && base.has_file(path));
        for dir in removed.into_iter().flat_map(parents) {
            *removed_counts.entry(dir).or_default() += 1;
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
        2 * count > all && removed_counts.get(from) == Some(&all) && !occupied.contains(from)
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

    /// Checks the new locations of `paths` in a change that moves files from one path to another;
    /// an empty path means that the file is added or deleted.
    #[track_caller]
    fn assert_head_paths(pairs: &[(&str, &str)], rest: &[&str], paths: &[(&str, Option<&str>)]) {
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
        assert_head_paths(
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
        assert_head_paths(
            &[("a/b/x", "c/x")],
            &[],
            &[("a/b", Some("c")), ("a/b/y", Some("c/y")), ("a", None)],
        );
        assert_head_paths(
            &[("a/x", "x")],
            &["y"],
            &[("a", Some("")), ("a/z", Some("z")), ("", None)],
        );
    }

    #[test]
    fn a_directory_that_still_has_files_did_not_move() {
        // A file stays in the directory, a new file is added to it, or another file moves into it.
        assert_head_paths(&[("a/x", "b/x")], &["a/y"], &[("a", None)]);
        assert_head_paths(&[("a/x", "b/x"), ("", "a/y")], &[], &[("a", None)]);
        assert_head_paths(&[("a/x", "b/x"), ("c/x", "a/x")], &[], &[("a", None), ("c", Some("a"))]);
        // Its subdirectories can still move.
        assert_head_paths(&[("a/b/x", "c/b/x")], &["a/y"], &[("a", None), ("a/b", Some("c/b"))]);
    }

    #[test]
    fn a_directory_moves_to_where_most_of_its_files_moved() {
        assert_head_paths(
            &[("a/x", "b/x"), ("a/y", "b/y"), ("a/z", "c/z")],
            &[],
            &[("a", Some("b"))],
        );
        assert_head_paths(&[("a/x", "b/x"), ("a/y", "c/y")], &[], &[("a", None)]);
        // A directory did not move if only one of its files moved, even if the other files are
        // deleted.
        assert_head_paths(
            &[("a/LICENSE", "b/LICENSE"), ("a/x", ""), ("a/y", "")],
            &[],
            &[("a", None)],
        );
        // A renamed file is not evidence for a move of its directory.
        assert_head_paths(&[("a/x", "b/y")], &[], &[("a", None), ("a/x", Some("b/y"))]);
    }

    #[test]
    fn many_renames_are_processed_in_linear_time() {
        let paths: Vec<(String, String)> = (0..16_000)
            .map(|at| (at % 100, at / 100 % 16, at))
            .map(|(a, b, c)| format!("{a}/{b}/{c}/file.txt"))
            .map(|path| (format!("old/{path}"), format!("new/{path}")))
            .collect();
        let pairs: Vec<(&str, &str)> = paths.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_head_paths(&pairs, &[], &[("old", Some("new")), ("old/7/x", Some("new/7/x"))]);
    }

    proptest! {
        #[test]
        fn subdirectories_move_with_their_directory(
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
