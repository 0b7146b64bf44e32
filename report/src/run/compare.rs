//! What a run is compared with: a revision, and the side that is judged against it.

use super::commits::{self, Line, Sides};
use crate::exit::UserError;
use crate::project::Project;
use crate::{Comparison, FileFindings, Severities};
use aidd_engine::check::Engine;
use aidd_engine::project::git::{Change, GitError, Repository, Snapshot};
use aidd_engine::text::finding::{Severity, Status};
use aidd_engine::workspace::diff::{self, Compared, Head};
use aidd_engine::workspace::walk::{self, FileReport, Skipped, Uncommitted, Walk, Within};
use anyhow::Result;
use std::path::PathBuf;

/// The base of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its commit; `None`: there is none yet.
    pub commit: Option<String>,
    /// What it is called: `main (1a2b3c4)`.
    pub name: String,
}

/// The repository that the project lies in.
///
/// # Errors
/// When there is none.
pub fn repository(project: &Project) -> Result<Repository> {
    Repository::open(project.root()).map_err(|error| {
        let hint = match error {
            GitError::NoRepository(_) => "without Git, `aidd check` checks all files",
            _ => "`git fsck` tells what is wrong",
        };
        UserError::new(error.to_string()).hint(hint).into()
    })
}

/// What the work at hand is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Where it left the line of a revision.
    Revision(String),
    /// The last commit.
    LastCommit,
    /// The last commit, and what is compared is the index: of the file at the absolute path given,
    /// else of the repository.
    Staged(Option<PathBuf>),
}

/// Checks what changed, and judges it. What is `known` to differ from the last commit is not looked
/// for again; `advance` is called for each file that was checked.
///
/// # Errors
/// When there is no repository, or nothing to compare with.
pub fn check(
    against: &Against,
    (project, engine): (&Project, &Engine),
    (walk, known): (Walk, Option<&Uncommitted>),
    advance: &(dyn Fn() + Sync),
) -> Result<(Compared, Base)> {
    let repository = repository(project)?;
    let within = walk.within(project.root());
    let (base, snapshot) = match against {
        Against::Revision(rev) => merge_base(&repository, rev)?,
        Against::LastCommit | Against::Staged(_) => last_commit(&repository)?,
    };
    if let Against::Staged(index) = against {
        let staged = repository.staged(index.as_deref()).map_err(broken)?;
        let all = repository.changes(&snapshot, &staged).map_err(broken)?;
        let head = Head::Snapshot { files: &staged, ignores: &staged, branch: None };
        let compared = judge(project, engine, (&snapshot, head), (&all, &within), advance)?;
        return Ok((compared, base));
    }
    let all = match known.filter(|known| base.commit.as_ref() == Some(&known.head)) {
        Some(known) => known.changes.clone(),
        None => walk::work_tree_changes(&repository, &snapshot, &project.disk).map_err(broken)?,
    };
    let head = Head::WorkTree { disk: &project.disk, walk, whole: false };
    let mut compared = judge(project, engine, (&snapshot, head), (&all, &within), advance)?;
    if let Some(commit) = base.commit.as_deref().filter(|_| matches!(against, Against::Revision(_)))
    {
        let head = repository.commit("HEAD").map_err(broken)?;
        let line = Line {
            repository: &repository,
            bases: vec![commit],
            head: &head,
            branch: repository.branch(),
            title: None,
        };
        let tracked = repository.staged(None).map_err(broken)?;
        let paths = tracked.below("").unwrap_or_default();
        let sides = Sides { before: &snapshot, after: &project.disk, paths, changes: &all };
        let notes = commits::judge(engine, line, &sides, &mut compared.outcome)?;
        for note in notes {
            compared.outcome.skipped.push(Skipped {
                path: ".".to_owned(),
                why: note,
                failed: false,
            });
        }
    }
    Ok((compared, base))
}

/// Checks both sides of the changes within the run, among all changes; `advance` is called for each
/// file that was checked.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn judge(
    project: &Project,
    engine: &Engine,
    sides: (&Snapshot, Head<'_>),
    changes: (&[Change], &Within),
    advance: &(dyn Fn() + Sync),
) -> Result<Compared> {
    diff::compare(engine, &project.config, sides, changes, advance)
        .map_err(|why| UserError::new(format!("include or exclude: {why}")).into())
}

/// What a report says of a comparison.
#[must_use]
pub fn comparison(base: Base, whole_tree: bool, compared: &Compared) -> Comparison {
    let mut before = Severities::default();
    for (severity, count) in Severity::ALL.into_iter().zip(compared.before) {
        (0..count).for_each(|_| before.add(severity));
    }
    let mut after = Severities::default();
    let files = compared.outcome.files.iter();
    for finding in files.flat_map(|file| &file.checked.findings) {
        if finding.status != Status::Allowed {
            after.add(finding.severity);
        }
    }
    Comparison {
        base: base.name,
        base_sha: base.commit,
        whole_tree,
        changed_files: compared.changed,
        before,
        after,
        weakened: Vec::new(),
    }
}

/// What a report shows of checked files.
#[must_use]
pub fn files(reports: &[FileReport]) -> Vec<FileFindings<'_>> {
    reports.iter().map(shown).collect()
}

fn shown(file: &FileReport) -> FileFindings<'_> {
    FileFindings {
        source: &file.source,
        findings: file.checked.findings.iter().collect(),
        secrets: &file.checked.secrets,
    }
}

/// What to do where a clone lacks branches and history: `--depth` brings one branch alone.
const SHALLOW: &str = "the clone is shallow, and may hold one branch alone: `git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'` brings the rest; `aidd ci --base origin/main` fetches what it needs by itself";

/// Where the work at hand left the line of `rev`.
fn merge_base(repository: &Repository, rev: &str) -> Result<(Base, Snapshot)> {
    let commit = repository.commit(rev).map_err(|error| {
        UserError::new(error.to_string()).hint(if repository.is_shallow() {
            SHALLOW
        } else {
            "`git fetch` brings what the other side has; `git branch --all` names the branches"
        })
    })?;
    let head = repository.commit("HEAD").map_err(broken)?;
    let found = repository.merge_bases(&commit, &head).map_err(broken)?;
    let base = found.into_iter().next().ok_or_else(|| {
        UserError::new(format!("`{rev}` and HEAD have no common commit here")).hint(
            if repository.is_shallow() {
                SHALLOW
            } else {
                "name a revision that the work at hand grew from"
            },
        )
    })?;
    let short = &base[..base.len().min(7)];
    let name = if base == commit {
        format!("{rev} ({short})")
    } else {
        format!("{rev} (merge base {short})")
    };
    let snapshot = repository.snapshot(&base).map_err(broken)?;
    Ok((Base { commit: Some(base), name }, snapshot))
}

fn last_commit(repository: &Repository) -> Result<(Base, Snapshot)> {
    let Ok(head) = repository.commit("HEAD") else {
        let base = Base { commit: None, name: "nothing: there is no commit yet".to_owned() };
        return Ok((base, repository.nothing()));
    };
    let name = format!("HEAD ({})", &head[..head.len().min(7)]);
    let snapshot = repository.snapshot(&head).map_err(broken)?;
    Ok((Base { commit: Some(head), name }, snapshot))
}

/// What Git's store says when it is not whole.
#[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
pub fn broken(error: GitError) -> UserError {
    UserError::new(error.to_string()).hint("`git fsck` tells what is wrong with the repository")
}
