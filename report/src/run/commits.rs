//! Collects the commits, the branch, the title and the changes that commit rules check, from Git
//! and the event.

use crate::error::RunError;
use aidd_engine::check::Engine;
use aidd_engine::forms::commits::{self, Commit, CommitInput, TouchedFile};
use aidd_engine::project::git::{Change, Repository, Snapshot};
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::workspace::commit_checks::{self, CommitInputs};
use aidd_engine::workspace::diff::hunks;
use aidd_engine::workspace::walk::{FileReport, Outcome};

/// Maximum number of commits checked per run; a longer list is not one change, but a history.
const MAX_COMMITS: usize = 2_000;

/// The commits to check: `head` and its ancestors, without the excluded commits.
pub struct Line<'a> {
    /// The clone that contains the commits.
    pub repository: &'a Repository,
    /// Commits that are excluded together with their ancestors.
    pub bases: Vec<&'a str>,
    /// The last commit to check.
    pub head: &'a str,
    /// The branch name, if known.
    pub branch: Option<String>,
    /// The title of the pull request.
    pub title: Option<String>,
}

/// The two sides of a change, and the files that differ.
pub struct Sides<'a> {
    /// The files before the change.
    pub before: &'a Snapshot,
    /// The files after the change.
    pub after: &'a dyn Files,
    /// The paths of the files after the change, used to find the members of the workspace.
    pub paths: Vec<String>,
    /// The files that differ.
    pub changes: &'a [Change],
}

/// Checks the commits with the rules of `engine`, adds the findings to `outcome`, and returns notes
/// for the report.
///
/// # Errors
/// Fails when a Git object is missing.
pub fn check(
    engine: &Engine,
    line: Line<'_>,
    sides: &Sides<'_>,
    outcome: &mut Outcome,
) -> Result<Vec<String>, RunError> {
    let required = commit_checks::required_inputs(engine);
    if !required.any {
        return Ok(Vec::new());
    }
    let mut notes = Vec::new();
    let commits = line
        .repository
        .commits_between(&line.bases, line.head, MAX_COMMITS + 1)
        .map_err(RunError::Git)?;
    if commits.len() > MAX_COMMITS {
        notes.push(format!("Only the last {MAX_COMMITS} commits were checked"));
    } else if line.repository.is_shallow() {
        notes.push("The clone is shallow: commits missing from it were not checked".to_owned());
    }
    let commit = |commit: aidd_engine::project::git::AuthoredCommit| Commit {
        hash: commit.id,
        message: commit.message,
        author: commit.author,
        is_merge: commit.is_merge,
    };
    let input = CommitInput {
        commits: commits.into_iter().take(MAX_COMMITS).map(commit).collect(),
        title: line.title,
        branch: line.branch,
        touched: Some(touched(required, sides)),
        members: members(required, sides),
    };
    let report = commit_checks::run(engine, &input, sides.after);
    let texts = report.texts.into_iter();
    outcome.files.extend(texts.map(|(source, checked)| FileReport { source, checked }));
    outcome.checked_by_rule.extend(report.checked_by_rule);
    Ok(notes)
}

fn members(required: CommitInputs, sides: &Sides<'_>) -> Vec<String> {
    if !required.members {
        return Vec::new();
    }
    commits::members(sides.after, sides.paths.iter().map(String::as_str))
}

fn touched(required: CommitInputs, sides: &Sides<'_>) -> Vec<TouchedFile> {
    let touch = |change: &Change| TouchedFile {
        path: change.path().to_owned(),
        added: change.base.is_none(),
        lines: if required.lines { lines(change, sides) } else { 0 },
    };
    let mut touched: Vec<TouchedFile> = sides.changes.iter().map(touch).collect();
    touched.sort();
    touched
}

/// Number of lines that a change adds and removes; 0 for files that are not text.
fn lines(change: &Change, sides: &Sides<'_>) -> u64 {
    let text = |files: &dyn Files, path: Option<&String>| {
        path.map_or(Some(String::new()), |path| side_file(files, path))
    };
    let before = text(sides.before, change.base.as_ref());
    let after = text(sides.after, change.head.as_ref());
    let (Some(before), Some(after)) = (before, after) else { return 0 };
    let count = |hunk: &aidd_engine::workspace::diff::Hunk| {
        u64::from(hunk.base.end - hunk.base.start) + u64::from(hunk.head.end - hunk.head.start)
    };
    hunks(&before, &after).iter().map(count).sum()
}
