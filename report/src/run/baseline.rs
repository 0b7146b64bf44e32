//! The known findings of a project, applied to a run.

use crate::project::Project;
use aidd_engine::workspace::baseline::Entry;
use aidd_engine::workspace::walk::Outcome;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Marks what the baseline knows; returns what it knows and was not found in the files checked,
/// those below `paths`. `None`: there is no baseline. `complete`: all rules and files were asked
/// for; else a run says nothing of the rest.
pub fn judge(
    (given, none): (Option<&Path>, bool),
    project: &Project,
    paths: &[PathBuf],
    outcome: &mut Outcome,
    complete: bool,
) -> Result<Option<Vec<Entry>>> {
    if none {
        return Ok(None);
    }
    let path = project.baseline_path(given);
    let Some(baseline) = project.baseline(&path, given.is_some())? else { return Ok(None) };
    let findings = outcome.files.iter_mut().flat_map(|file| &mut file.checked.findings);
    let mut stale = baseline.apply(findings);
    stale.retain(|entry| complete && was_checked(entry, project, paths, outcome));
    Ok(Some(stale))
}

/// Whether a run over `paths` tells if a known finding is still there: its file lies below one of
/// them, and could be read or is gone.
pub fn was_checked(entry: &Entry, project: &Project, paths: &[PathBuf], outcome: &Outcome) -> bool {
    let place = project.root().join(&entry.path);
    let failed = outcome.skipped.iter().filter(|skipped| skipped.failed);
    paths.iter().any(|path| place.starts_with(path))
        && !failed
            .map(|skipped| project.root().join(&skipped.path))
            .any(|unread| place.starts_with(unread))
}
