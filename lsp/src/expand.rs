//! Created, deleted and renamed directories: editors report only the directory, not its contents.

use crate::documents::{DocumentLocation, lock};
use crate::roots;
use crate::state::State;
use aidd_engine::workspace::walk;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A path reported by the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reported {
    pub(crate) path: PathBuf,
    /// Whether the path was created, deleted or renamed. If a directory has only changed, the
    /// reports on its files are sufficient. Some watchers report the directory together with each
    /// changed file.
    pub(crate) is_created_or_deleted: bool,
}

/// The files and directories affected by changes on disk.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// The reported paths, and the files in the directories among them.
    pub(crate) paths: BTreeSet<PathBuf>,
    /// The reported directories, including deleted ones; nested directories are omitted.
    pub(crate) directories: BTreeSet<PathBuf>,
}

/// Adds the files in the reported directories: the existing files, and the files that were known
/// before. Reads the disk.
pub(crate) fn expand(state: &Arc<State>, reported: Vec<Reported>) -> Changes {
    let mut changes = Changes::default();
    let mut candidates: BTreeSet<PathBuf> = BTreeSet::new();
    for Reported { path, is_created_or_deleted } in reported {
        let can_be_directory = !path.is_file();
        if can_be_directory && is_created_or_deleted {
            candidates.insert(path.clone());
        }
        changes.paths.insert(path);
    }
    // Sorted: a directory comes before its contents.
    for path in candidates {
        if path.ancestors().any(|above| changes.directories.contains(above)) {
            continue;
        }
        let mut below = known_below(state, &path);
        let is_directory = path.is_dir();
        if is_directory && !is_ignored(state, &path) {
            let found = roots::files_below(&state.roots, vec![path.clone()]);
            for (workspace, paths) in found {
                let root = workspace.project.root();
                below.extend(paths.iter().map(|path| root.join(path)));
            }
        }
        if is_directory || !below.is_empty() {
            changes.directories.insert(path);
        }
        changes.paths.extend(below);
    }
    changes
}

/// The known project files and the open files below `path`.
fn known_below(state: &Arc<State>, path: &Path) -> BTreeSet<PathBuf> {
    let open = lock(&state.documents).paths();
    let mut below: BTreeSet<PathBuf> =
        open.into_iter().filter(|file| file != path && file.starts_with(path)).collect();
    let workspaces = state.with_roots_then_report_errors(|roots| {
        let (workspace, _) = roots.locate(&DocumentLocation::File(path.to_owned()));
        roots.workspaces_below(path).chain([workspace]).collect::<Vec<_>>()
    });
    for workspace in workspaces {
        below.extend(workspace.known_below(path));
    }
    below
}

/// Whether ignore files exclude everything in the directory at `path`.
fn is_ignored(state: &Arc<State>, path: &Path) -> bool {
    let location = DocumentLocation::File(path.to_owned());
    let (workspace, relative) =
        state.with_roots_then_report_errors(|roots| roots.locate(&location));
    !relative.is_empty() && !walk::covers(&workspace.project.disk, &format!("{relative}/x"))
}
