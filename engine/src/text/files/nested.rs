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
        let names = dir_names(disk, folder);
        add(folder, &|name| names.iter().any(|other| other == name));
        if outer.len() + inner.len() < MAX_DIRS {
            let visible = names.into_iter().filter(|name| !name.starts_with('.'));
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
    let names = dir_names(disk, folder).into_iter().filter(|name| !name.starts_with('.'));
    names.map(|name| below(folder, &name)).collect()
}

/// The names of the directories directly below `folder` (empty for the root), ordered, without links.
fn dir_names(disk: &Disk, folder: &str) -> Vec<String> {
    let Ok(entries) = disk.locate(folder).and_then(std::fs::read_dir) else { return Vec::new() };
    let dirs = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> =
        dirs.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}
