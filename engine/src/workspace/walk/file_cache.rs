//! Caches the files of a project and their stamps, and reports what changed between two calls.

use super::globs;
use super::stamps::Stamps;
use super::tree::{IGNORE_ENTRIES, Tree};
use super::watch::Watch;
use crate::project::config::Config;
use crate::text::files::Disk;
use crate::text::paths::GlobError;
use std::collections::BTreeSet;

/// The files of a project, with the stamps of some of them.
#[derive(Debug)]
pub struct FileCache {
    tree: Tree,
    stamps: Stamps,
    /// `None` if the files cannot be watched; their stamps are read instead.
    watch: Option<Watch>,
    /// Whether changes since the last update are certainly observed.
    is_watched: bool,
}

impl FileCache {
    /// Lists the files of the project.
    #[must_use]
    pub fn new(disk: &Disk) -> Self {
        let watch = Watch::new(disk.root());
        Self { tree: Tree::new(disk), stamps: Stamps::default(), watch, is_watched: false }
    }

    /// Whether a file was added or removed, or a file whose name `is_relevant` accepts can have
    /// changed, since the last update. Files that were written less than two seconds before the
    /// update count as changed again in the next one, if the files cannot be watched.
    pub fn update(&mut self, disk: &Disk, is_relevant: impl Fn(&str) -> bool) -> bool {
        let is_observed = |name: &str| is_relevant(name) || IGNORE_ENTRIES.contains(&name);
        // The events are read before the stamps, so that a later change is found in the next update.
        let is_quiet = self.watch.as_mut().is_some_and(|watch| watch.is_quiet(is_observed));
        if is_quiet && self.is_watched && self.tree.is_outside_unchanged(disk) {
            return false;
        }
        let differs = self.tree.update(disk, std::iter::empty()).differs;
        let changed = self.stamps.update(disk, &self.tree, is_relevant);
        // A file in a directory that was not watched yet can have changed since its stamp was read.
        self.is_watched = match &mut self.watch {
            Some(watch) => match watch.add(self.tree.dirs().map(|(dir, _)| dir)) {
                Some(is_new) => !is_new,
                None => {
                    self.watch = None;
                    false
                }
            },
            None => false,
        };
        differs || !changed.is_empty()
    }

    /// The files that [`list`](super::list) returns for a walk over the whole project.
    ///
    /// # Errors
    /// A malformed glob in the configuration.
    pub fn files(&self, config: &Config) -> Result<BTreeSet<String>, GlobError> {
        let globs = globs(config)?;
        Ok(self.tree.files().filter(|path| globs.matches(path)).collect())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "directories created for the tests")]
mod tests {
    use super::*;
    use crate::workspace::walk::{Walk, list};
    use std::fs;
    use std::time::Duration;

    #[test]
    fn every_change_is_reported() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("created");
            fs::write(path, text).expect("written");
        };
        write("a.rs", "");
        write("d/c.rs", "");
        let disk = Disk::new(root);
        let mut cache = FileCache::new(&disk);
        let is_code = |name: &str| name.ends_with(".rs");
        // Until all directories are watched and all stamps are old enough.
        std::thread::sleep(Duration::from_millis(2100));
        let settle = |cache: &mut FileCache| {
            let is_changed = cache.update(&disk, is_code);
            let start = std::time::Instant::now();
            while cache.update(&disk, is_code) {
                assert!(start.elapsed() < Duration::from_secs(20), "the files do not change");
                std::thread::sleep(Duration::from_millis(100));
            }
            is_changed
        };
        assert!(settle(&mut cache));
        let steps: [&dyn Fn(); 8] = [
            &|| write("a.rs", "1"),
            &|| write("a.rs", "2"),
            &|| write("new/deep/e.rs", ""),
            &|| write("new/deep/e.rs", "1"),
            &|| fs::rename(root.join("new"), root.join("moved")).expect("moved"),
            &|| write("moved/deep/e.rs", "2"),
            &|| fs::remove_dir_all(root.join("moved")).expect("removed"),
            &|| write("moved/deep/e.rs", "3"),
        ];
        for (at, step) in steps.iter().enumerate() {
            step();
            assert!(settle(&mut cache), "step {at}");
            assert!(!cache.update(&disk, is_code), "step {at}");
        }
    }

    #[test]
    fn relevant_changes_are_reported_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        fs::create_dir(root.join("d")).expect("created");
        for path in ["a.rs", "b.txt", "d/c.rs", ".gitignore"] {
            fs::write(root.join(path), "").expect("written");
        }
        // Files that were just written always count as changed.
        std::thread::sleep(Duration::from_millis(2100));
        let disk = Disk::new(root);
        let mut cache = FileCache::new(&disk);
        let is_code = |name: &str| name.ends_with(".rs");
        assert!(cache.update(&disk, is_code));
        assert!(!cache.update(&disk, is_code));
        assert!(!cache.update(&disk, is_code));
        fs::write(root.join("b.txt"), "1").expect("written");
        assert!(!cache.update(&disk, is_code));
        fs::write(root.join("d/c.rs"), "1").expect("written");
        assert!(cache.update(&disk, is_code));
        std::thread::sleep(Duration::from_millis(2100));
        cache.update(&disk, is_code);
        assert!(!cache.update(&disk, is_code));
        fs::write(root.join(".gitignore"), "d/\n").expect("written");
        assert!(cache.update(&disk, is_code));
        let config = Config::default();
        let listed = list(&config, &disk, &Walk::over(vec![root.to_owned()])).expect("listed");
        assert_eq!(cache.files(&config).expect("listed"), listed);
        assert!(!listed.contains("d/c.rs"));
    }
}
