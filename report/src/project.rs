//! Resolves paths as typed by the user; the project itself is in the engine.

use crate::error::RunError;
use aidd_engine::text::kind::CONFIG_PATH;
use std::path::{Component, Path, PathBuf};

pub use aidd_engine::workspace::project::{Project, root_of};
use aidd_engine::workspace::project::{directory_of, marked_root};

/// `project` with the current date of the system clock.
#[must_use]
pub fn with_current_date(mut project: Project) -> Project {
    project.today = Some(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date());
    project
}

/// Resolves `path` against `cwd` to an absolute path without `.` and `..`; links are not followed.
#[must_use]
pub fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// The absolute paths to check.
///
/// # Errors
/// Fails when a path does not exist, or the paths are in different projects.
pub fn locate(cwd: &Path, paths: &[PathBuf]) -> Result<Vec<PathBuf>, RunError> {
    let located: Vec<PathBuf> = paths.iter().map(|path| absolute(cwd, path)).collect();
    for (typed, path) in paths.iter().zip(&located) {
        path.symlink_metadata()
            .map_err(|error| RunError::Unreadable { path: typed.display().to_string(), error })?;
    }
    let root = root_above(cwd, &located);
    if let Some(outside) = located.iter().position(|path| !path.starts_with(&root)) {
        return Err(RunError::SeveralProjects {
            path: paths[outside].display().to_string(),
            root: root.display().to_string(),
        });
    }
    Ok(located)
}

/// File names expected by users of other tools; aidd does not read them.
const MISNAMED: [&str; 12] = [
    ".aidd/config.jsonc",
    ".aidd/config.json5",
    ".aidd/config.yml",
    ".aidd/config.yaml",
    ".aidd/config.toml",
    ".aidd.json",
    ".aiddrc",
    ".aiddrc.json",
    "aidd.json",
    "aidd.toml",
    "aidd.yml",
    "aidd.yaml",
];

/// Returns a note if the project has no configuration, but contains a file whose name suggests a
/// configuration: aidd does not read this file.
#[must_use]
pub fn unread_config(project: &Project) -> Option<String> {
    if project.config_path.is_some() {
        return None;
    }
    let name = MISNAMED.iter().find(|name| project.root().join(name).is_file())?;
    Some(format!("{name} is not read; move the settings to {CONFIG_PATH}, in JSON"))
}

/// The root of the project that contains all `paths`: the nearest directory with `.aidd` or `.git`
/// that contains all of them, because packages of a repository can be separate projects. If no path
/// is in such a directory, the root is `cwd` if it contains all paths, otherwise their deepest
/// common directory.
#[must_use]
pub fn root_above(cwd: &Path, paths: &[PathBuf]) -> PathBuf {
    let Some(first) = paths.first() else { return root_of(cwd) };
    let contains_all = |dir: &&Path| paths.iter().all(|path| path.starts_with(dir));
    let first = directory_of(first);
    let common = first.ancestors().find(contains_all).unwrap_or(first);
    // The caller reports a path outside of the project of another path.
    let marked = marked_root(common).or_else(|| paths.iter().find_map(|path| marked_root(path)));
    marked.unwrap_or_else(|| if contains_all(&cwd) { cwd } else { common }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_several_packages_have_the_root_of_the_repository() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        for created in [".git", "a/.aidd", "b/src", "c/.aidd"] {
            std::fs::create_dir_all(root.join(created)).expect("a directory");
        }
        let common_root = |paths: &[&str]| {
            root_above(root, &paths.iter().map(|path| root.join(path)).collect::<Vec<_>>())
        };
        assert_eq!(common_root(&["a"]), root.join("a"));
        assert_eq!(common_root(&["a", "b"]), root);
        assert_eq!(common_root(&["b", "a"]), root);
        assert_eq!(common_root(&["a", "c"]), root);
        // The caller reports a path outside of any project.
        assert_eq!(root_above(root, &[root.join("a"), "/nowhere".into()]), root.join("a"));
        assert_eq!(root_above(root, &["/nowhere".into(), root.join("a")]), root.join("a"));
    }

    #[test]
    fn without_a_marker_the_root_is_independent_of_the_order_of_the_paths() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path();
        for created in ["src/deep", "other"] {
            std::fs::create_dir_all(root.join(created)).expect("a directory");
        }
        std::fs::write(root.join("Dockerfile"), "").expect("written");
        let root_of_both = |cwd: &Path, one: &str, other: &str| {
            let (one, other) = (root.join(one), root.join(other));
            let found = root_above(cwd, &[one.clone(), other.clone()]);
            assert_eq!(found, root_above(cwd, &[other, one]));
            found
        };
        assert_eq!(root_of_both(root, "src", "Dockerfile"), root);
        assert_eq!(root_of_both(root, "src", "src/deep"), root);
        assert_eq!(root_of_both(&root.join("other"), "src", "src/deep"), root.join("src"));
        assert_eq!(root_of_both(&root.join("other"), "src", "Dockerfile"), root);
        assert_eq!(root_above(root, &[]), root);
    }

    #[test]
    fn paths_become_absolute_without_dots() {
        let absolute_path = |path: &str| absolute(Path::new("/a/b"), Path::new(path));
        assert_eq!(absolute_path("."), Path::new("/a/b"));
        assert_eq!(absolute_path("../c/./d"), Path::new("/a/c/d"));
        assert_eq!(absolute_path("/x/../y"), Path::new("/y"));
    }
}
