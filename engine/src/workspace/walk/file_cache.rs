//! Caches the files of a project and their stamps, and reports what changed between two calls.

use super::globs;
use super::stamps::Stamps;
use super::tree::Tree;
use crate::project::config::Config;
use crate::text::files::Disk;
use crate::text::paths::GlobError;
use std::collections::BTreeSet;

/// The files of a project, with the stamps of some of them.
#[derive(Debug)]
pub struct FileCache {
    tree: Tree,
    stamps: Stamps,
}

impl FileCache {
    /// Lists the files of the project.
    #[must_use]
    pub fn new(disk: &Disk) -> Self {
        Self { tree: Tree::new(disk), stamps: Stamps::default() }
    }

    /// Whether a file was added or removed, or a file whose name `is_relevant` accepts can have
    /// changed, since the last update. Files that were written within the last two seconds always
    /// count as changed.
    pub fn update(&mut self, disk: &Disk, is_relevant: impl Fn(&str) -> bool) -> bool {
        let differs = self.tree.update(disk, std::iter::empty()).differs;
        let changed = self.stamps.update(disk, &self.tree, is_relevant);
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
        fs::write(root.join("b.txt"), "1").expect("written");
        assert!(!cache.update(&disk, is_code));
        fs::write(root.join("d/c.rs"), "1").expect("written");
        assert!(cache.update(&disk, is_code));
        std::thread::sleep(Duration::from_millis(2100));
        assert!(cache.update(&disk, is_code));
        assert!(!cache.update(&disk, is_code));
        fs::write(root.join(".gitignore"), "d/\n").expect("written");
        assert!(cache.update(&disk, is_code));
        let config = Config::default();
        let listed = list(&config, &disk, &Walk::over(vec![root.to_owned()])).expect("listed");
        assert_eq!(cache.files(&config).expect("listed"), listed);
        assert!(!listed.contains("d/c.rs"));
    }
}
