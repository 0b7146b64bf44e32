//! Stores the modification stamps of all files of a project, by directory. With tens of thousands
//! of files, the cost per file matters.

use super::names::Names;
use super::tree::Tree;
use crate::text::files::{Disk, Stamp};
use crate::text::paths::below;
use std::collections::HashMap;
use std::time::SystemTime;

/// The stamps of all files at the last update, by directory.
#[derive(Debug, Default)]
pub(super) struct Stamps(HashMap<Box<str>, KnownDir>);

/// The files of a directory, and their stamps. The stamp is `None` if the file was written so recently
/// that its modification time cannot prove that the file is unchanged.
#[derive(Debug, Default)]
struct KnownDir {
    names: Names,
    stamps: Box<[Option<Stamp>]>,
}

impl Stamps {
    /// Updates the stamps of the files of `tree` whose names `is_relevant` accepts; returns those that
    /// may have changed since the last update.
    pub(super) fn update(
        &mut self,
        disk: &Disk,
        tree: &Tree,
        is_relevant: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let mut changed = Vec::new();
        let mut count = 0;
        // Take the time before the stamps are read, because a file can be written in between.
        let now = SystemTime::now();
        let is_settled =
            |stamp: &Stamp| now.duration_since(stamp.0).is_ok_and(|age| age > tree.min_age());
        for (dir, names) in tree.dirs().filter(|(_, names)| !names.is_empty()) {
            count += 1;
            let known = match self.0.get_mut(dir) {
                Some(known) => known,
                None => self.0.entry(dir.into()).or_default(),
            };
            // With the same names as the tree, both share their memory.
            let relevant = match names.iter().all(&is_relevant) {
                true => names.clone(),
                false => Names::new(names.iter().filter(|name| is_relevant(name)).collect()),
            };
            if known.names != relevant {
                known.align(relevant);
            }
            if known.names.is_empty() {
                continue;
            }
            let stamps = disk.stamps(dir, known.names.iter());
            for ((known, name), stamp) in
                known.stamps.iter_mut().zip(known.names.iter()).zip(stamps)
            {
                if stamp.is_none() || *known != stamp {
                    changed.push(below(dir, name));
                    *known = stamp.filter(is_settled);
                }
            }
        }
        if self.0.len() > count {
            self.0.retain(|dir, _| tree.has_files(dir));
        }
        changed
    }
}

impl KnownDir {
    /// Replaces the names; files with the same name retain their stamp.
    fn align(&mut self, names: Names) {
        let known = std::mem::take(self);
        let mut before = known.names.iter().zip(&known.stamps).peekable();
        let stamps = names.iter().map(|name| {
            while before.next_if(|(known, _)| *known < name).is_some() {}
            before.next_if(|(known, _)| *known == name).and_then(|(_, stamp)| *stamp)
        });
        self.stamps = stamps.collect();
        self.names = names;
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories created for the tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    /// Modification times have the resolution of the system clock's tick, at most 10 milliseconds.
    const TICK: Duration = Duration::from_millis(25);
    const PATHS: [&str; 7] = ["a", "b", "d/a", "d/b", "d/e/a", "d.x", "f/a"];

    /// The contents at each path.
    fn texts(root: &Path) -> BTreeMap<&'static str, String> {
        let text = |path: &&'static str| Some((*path, fs::read_to_string(root.join(path)).ok()?));
        PATHS.iter().filter_map(text).collect()
    }

    fn apply_step(root: &Path, (path, operation): (usize, u8)) {
        let file_path = root.join(PATHS[path]);
        match operation {
            0 => drop(fs::remove_file(&file_path)),
            1 => drop(fs::rename(&file_path, root.join(PATHS[0]))),
            // Another file moves to this path, with an older modification time.
            2 => drop(fs::rename(root.join(PATHS[1]), &file_path)),
            length => {
                fs::create_dir_all(file_path.parent().expect("a directory")).expect("created");
                fs::write(&file_path, "x".repeat(length.into())).expect("written");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

        #[test]
        fn every_changed_file_is_returned_and_every_returned_file_was_written(
            rounds in proptest::collection::vec(
                proptest::collection::vec((0..PATHS.len(), 0_u8..6), 0..4),
                1..8,
            ),
        ) {
            let dir = tempfile::tempdir().expect("a directory");
            let root = dir.path();
            let disk = Disk::new(root);
            apply_step(root, (3, 5));
            std::thread::sleep(TICK);
            let mut tree = Tree::with_min_age(&disk, Duration::ZERO);
            let mut stamps = Stamps::default();
            stamps.update(&disk, &tree, |_| true);
            for steps in rounds {
                let before = texts(root);
                for step in &steps {
                    apply_step(root, *step);
                }
                std::thread::sleep(TICK);
                tree.update(&disk, std::iter::empty());
                let reported = stamps.update(&disk, &tree, |_| true);
                let reported: BTreeSet<&str> = reported.iter().map(String::as_str).collect();
                let after = texts(root);
                let changed = after.iter().filter(|(path, text)| before.get(*path) != Some(*text));
                let changed: BTreeSet<&str> = changed.map(|(path, _)| *path).collect();
                prop_assert!(changed.is_subset(&reported), "{changed:?} {reported:?} after {steps:?}");
                let touched = |path: &&str| {
                    steps.iter().any(|(at, operation)| {
                        PATHS[*at] == *path || *operation == 1 && *path == PATHS[0]
                    })
                };
                prop_assert!(reported.iter().all(touched), "{reported:?} after {steps:?}");
            }
        }
    }

    #[test]
    fn recently_written_files_are_always_returned() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("a"), "").expect("written");
        let disk = Disk::new(dir.path());
        let tree = Tree::new(&disk);
        let mut stamps = Stamps::default();
        assert_eq!(stamps.update(&disk, &tree, |_| true), ["a"]);
        assert_eq!(stamps.update(&disk, &tree, |_| true), ["a"]);
    }
}
