//! The directories of rule pages and memories in packages of a project.
#![expect(clippy::disallowed_methods, reason = "reads directories below the root")]

use super::Disk;
use crate::text::paths::below;

/// The rule and memory directories of packages inside the project, ordered. The search is at most
/// two levels deep, skips hidden and dependency directories, and is limited to the first thousand
/// directories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nested {
    /// Directories of rule pages: `packages/a/.aidd/rules`.
    pub rules: Vec<String>,
    /// Directories with their own memory: `packages/a` for `packages/a/ai/memory`.
    pub memories: Vec<String>,
}

/// Directories of third-party code or build output.
const FOREIGN_DIRS: [&str; 6] = ["node_modules", "vendor", "target", "dist", "build", "out"];

/// Whether [`nested`] searches the directory `folder`.
#[must_use]
pub fn is_searched(folder: &str) -> bool {
    let is_own = |part: &str| !part.starts_with('.') && !FOREIGN_DIRS.contains(&part);
    folder.split('/').count() <= 2 && folder.split('/').all(is_own)
}

/// Finds rule pages and memories in directories inside the project.
#[must_use]
pub fn nested(disk: &Disk) -> Nested {
    const MAX_DIRS: usize = 1000;
    let is_own =
        |folder: &String| !FOREIGN_DIRS.contains(&folder.rsplit('/').next().unwrap_or_default());
    let is_folder = |path: &String| disk.locate(path).is_ok_and(|path| path.is_dir());
    let mut nested = Nested::default();
    // `can_contain` is whether a directory can have an entry with a name.
    let mut add = |folder: &str, can_contain: &dyn Fn(&str) -> bool| {
        if can_contain(".aidd") {
            nested.rules.extend(Some(format!("{folder}/.aidd/rules")).filter(is_folder));
        }
        if can_contain("ai") && is_folder(&format!("{folder}/ai")) {
            nested.rules.extend(Some(format!("{folder}/ai/rules")).filter(is_folder));
            let memory = Some(folder.to_owned());
            nested.memories.extend(memory.filter(|at| is_folder(&format!("{at}/ai/memory"))));
        }
    };
    let outer: Vec<String> = dirs_below(disk, "").into_iter().filter(is_own).collect();
    let mut inner = Vec::new();
    for folder in outer.iter().take(MAX_DIRS) {
        let entries = entries(disk, folder);
        // The directories of rules and memories can be links.
        add(folder, &|name| entries.iter().any(|(other, _)| other == name));
        if outer.len() + inner.len() < MAX_DIRS {
            let visible = entries.into_iter().filter_map(visible_dir);
            inner.extend(visible.map(|name| format!("{folder}/{name}")).filter(is_own));
        }
    }
    for folder in inner.iter().take(MAX_DIRS.saturating_sub(outer.len())) {
        add(folder, &|_| true);
    }
    nested
}

/// The directories directly below `folder` (empty for the root), ordered, without hidden
/// directories and links.
#[must_use]
pub fn dirs_below(disk: &Disk, folder: &str) -> Vec<String> {
    let visible = entries(disk, folder).into_iter().filter_map(visible_dir);
    visible.map(|name| below(folder, &name)).collect()
}

/// The name of an entry if it is a directory that is not hidden.
fn visible_dir((name, is_dir): (String, bool)) -> Option<String> {
    (is_dir && !name.starts_with('.')).then_some(name)
}

/// The entries directly below `folder` (empty for the root), ordered: the name, and whether it is a
/// directory and no link.
fn entries(disk: &Disk, folder: &str) -> Vec<(String, bool)> {
    let Ok(entries) = disk.locate(folder).and_then(std::fs::read_dir) else { return Vec::new() };
    let entry = |entry: std::fs::DirEntry| {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        Some((entry.file_name().into_string().ok()?, is_dir))
    };
    let mut entries: Vec<(String, bool)> = entries.flatten().filter_map(entry).collect();
    entries.sort();
    entries
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn pages_and_memories_are_found_at_both_levels_and_behind_links() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path();
        for path in ["a/.aidd/rules", "b/c/ai/rules", "b/c/ai/memory", "d/src", "shared/rules"] {
            fs::create_dir_all(root.join(path)).expect("a directory");
        }
        fs::create_dir_all(root.join("node_modules/e/.aidd/rules")).expect("a directory");
        std::os::unix::fs::symlink("../shared", root.join("d/ai")).expect("a link");
        let found = nested(&Disk::new(root));
        assert_eq!(found.rules, ["a/.aidd/rules", "d/ai/rules", "b/c/ai/rules"]);
        assert_eq!(found.memories, ["b/c"]);
    }
}
