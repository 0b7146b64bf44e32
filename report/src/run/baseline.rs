//! Applies the project's baseline to a run.

use crate::error::RunError;
use crate::project::Project;
use aidd_engine::workspace::baseline::Entry;
use aidd_engine::workspace::walk::Outcome;
use std::path::{Path, PathBuf};

/// Marks the findings in the baseline; returns the stale entries: entries below `paths` without a
/// finding in the checked files. `None` if there is no baseline. `typed` is the path of the
/// baseline on the command line. `complete` states that all rules and files were requested;
/// otherwise unmatched entries are not stale.
pub fn apply(
    (typed, is_disabled): (Option<&Path>, bool),
    project: &Project,
    paths: &[PathBuf],
    outcome: &mut Outcome,
    complete: bool,
) -> Result<Option<Vec<Entry>>, RunError> {
    if is_disabled {
        return Ok(None);
    }
    let path = project.baseline_path(typed);
    let Some(baseline) = project.baseline(&path, typed.is_some())? else { return Ok(None) };
    let mut stale = baseline.apply(&mut outcome.files, &is_gone(project));
    stale.retain(|entry| complete && was_checked(entry, project, paths, outcome));
    Ok(Some(stale))
}

/// Whether there is no file at a path of the project: the file may have moved.
pub fn is_gone(project: &Project) -> impl Fn(&str) -> bool {
    |path| !project.root().join(path).exists()
}

/// Whether a run over `paths` determines if a baselined finding still exists: the file of the
/// finding is below one of `paths`, and was read or deleted.
pub fn was_checked(entry: &Entry, project: &Project, paths: &[PathBuf], outcome: &Outcome) -> bool {
    let file = project.root().join(&entry.path);
    let failed = outcome.skipped.iter().filter(|skipped| skipped.failed);
    paths.iter().any(|path| file.starts_with(path))
        && !failed
            .map(|skipped| project.root().join(&skipped.path))
            .any(|unread_file| file.starts_with(unread_file))
}
