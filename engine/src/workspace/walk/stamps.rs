//! The modification stamps of all files of a project, by directory. With tens of thousands of
//! files, the work per file matters.

use super::tree::Tree;
use crate::text::files::{Disk, Stamp};
use crate::text::paths::below;
use std::collections::HashMap;
use std::time::SystemTime;

/// The stamps of all files at the last update.
#[derive(Debug, Default)]
pub(super) struct Stamps(HashMap<String, Vec<Known>>);

/// A file of a directory, and its stamp; `None`: written so recently that its modification time
/// cannot prove that it is unchanged.
#[derive(Debug)]
struct Known {
    name: Box<str>,
    stamp: Option<Stamp>,
}

impl Stamps {
    /// Updates the stamps of the files of `tree`; returns those that may have changed since the
    /// last update.
    pub(super) fn update(&mut self, disk: &Disk, tree: &Tree) -> Vec<String> {
        let mut changed = Vec::new();
        let mut count = 0;
        // Taken before the stamps are read, because a file can be written in between.
        let now = SystemTime::now();
        let is_settled =
            |stamp: &Stamp| now.duration_since(stamp.0).is_ok_and(|age| age > tree.settled());
        for (folder, names) in tree.folders().filter(|(_, names)| !names.is_empty()) {
            count += 1;
            let known = match self.0.get_mut(folder) {
                Some(known) => known,
                None => self.0.entry(folder.to_owned()).or_default(),
            };
            if !known.iter().map(|one| &*one.name).eq(names.iter().map(String::as_str)) {
                align(known, names);
            }
            for (known, stamp) in known.iter_mut().zip(disk.stamps(folder, names)) {
                if stamp.is_none() || known.stamp != stamp {
                    changed.push(below(folder, &known.name));
                    known.stamp = stamp.filter(is_settled);
                }
            }
        }
        if self.0.len() > count {
            self.0.retain(|folder, _| tree.has_files(folder));
        }
        changed
    }
}

/// Aligns the known files with `names`; both are sorted.
fn align(known: &mut Vec<Known>, names: &[String]) {
    let mut before = std::mem::take(known).into_iter().peekable();
    *known = names
        .iter()
        .map(|name| {
            while before.next_if(|one| *one.name < **name).is_some() {}
            let same = before.next_if(|one| *one.name == **name);
            same.unwrap_or_else(|| Known { name: name.as_str().into(), stamp: None })
        })
        .collect();
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "trees made for the tests")]
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

    fn take(root: &Path, (path, what): (usize, u8)) {
        let place = root.join(PATHS[path]);
        match what {
            0 => drop(fs::remove_file(&place)),
            1 => drop(fs::rename(&place, root.join(PATHS[0]))),
            // Moved in from elsewhere, with an older modification time.
            2 => drop(fs::rename(root.join(PATHS[1]), &place)),
            more => {
                fs::create_dir_all(place.parent().expect("a folder")).expect("made");
                fs::write(&place, "x".repeat(more.into())).expect("written");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 64, ..ProptestConfig::default() })]

        #[test]
        fn exactly_the_changed_files_are_returned(
            rounds in proptest::collection::vec(
                proptest::collection::vec((0..PATHS.len(), 0_u8..6), 0..4),
                1..8,
            ),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let root = folder.path();
            let disk = Disk::new(root);
            take(root, (3, 5));
            std::thread::sleep(TICK);
            let mut tree = Tree::settling(&disk, Duration::ZERO);
            let mut stamps = Stamps::default();
            stamps.update(&disk, &tree);
            for steps in rounds {
                let before = texts(root);
                for step in &steps {
                    take(root, *step);
                }
                std::thread::sleep(TICK);
                tree.update(&disk, std::iter::empty());
                let said = stamps.update(&disk, &tree);
                let said: BTreeSet<&str> = said.iter().map(String::as_str).collect();
                let now = texts(root);
                let differ = now.iter().filter(|(path, text)| before.get(*path) != Some(*text));
                let differ: BTreeSet<&str> = differ.map(|(path, _)| *path).collect();
                prop_assert!(differ.is_subset(&said), "{differ:?} {said:?} after {steps:?}");
                let touched = |path: &&str| {
                    steps.iter().any(|(at, what)| {
                        PATHS[*at] == *path || *what == 1 && *path == PATHS[0]
                    })
                };
                prop_assert!(said.iter().all(touched), "{said:?} after {steps:?}");
            }
        }
    }

    #[test]
    fn recently_written_files_are_always_returned() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a"), "").expect("written");
        let disk = Disk::new(folder.path());
        let tree = Tree::new(&disk);
        let mut stamps = Stamps::default();
        assert_eq!(stamps.update(&disk, &tree), ["a"]);
        assert_eq!(stamps.update(&disk, &tree), ["a"]);
    }
}
