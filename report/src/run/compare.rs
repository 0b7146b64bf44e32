//! The base and the head of a comparison.

use super::branch;
use super::commits::{self, Line, Sides};
use crate::error::RunError;
use crate::project::Project;
use crate::{Comparison, FileFindings, Severities};
use aidd_engine::check::Engine;
use aidd_engine::project::git::{Change, GitError, Repository, Snapshot};
use aidd_engine::text::finding::{Severity, Status};
use aidd_engine::workspace::diff::{self, CompareResult, Head};
use aidd_engine::workspace::walk::{
    self, CheckedPaths, FileReport, Skipped, UncommittedChanges, Walk,
};
use std::path::PathBuf;

/// The base of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The commit; `None` if there is no commit yet.
    pub commit: Option<String>,
    /// The displayed name, such as `main (1a2b3c4)`.
    pub name: String,
}

/// The repository that contains the project.
///
/// # Errors
/// Fails when no repository contains the project.
pub fn repository(project: &Project) -> Result<Repository, RunError> {
    Repository::open(project.root()).map_err(|error| match error {
        GitError::NoRepository(_) => RunError::NoRepository(error),
        _ => RunError::Git(error),
    })
}

/// The base for local changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// The merge base with a revision.
    Revision(String),
    /// The last commit, compared with the working tree.
    LastCommit,
    /// The last commit, compared with the index: the index file at this absolute path, or else the
    /// index of the repository.
    Staged(Option<PathBuf>),
}

/// Checks the changes. If the changes since the last commit were already computed, `known` are
/// these changes, and they are not computed again; `advance` is called for each checked file.
///
/// # Errors
/// Fails when there is no repository, or no base to compare with.
pub fn check(
    against: &Against,
    (project, engine): (&Project, &Engine),
    (walk, known): (Walk, Option<&UncommittedChanges>),
    advance: &(dyn Fn() + Sync),
) -> Result<(CompareResult, Base), RunError> {
    let repository = repository(project)?;
    let within = walk.within(project.root());
    let (base, snapshot) = match against {
        Against::Revision(rev) => merge_base(&repository, rev)?,
        Against::LastCommit | Against::Staged(_) => last_commit(&repository)?,
    };
    if let Against::Staged(index) = against {
        let staged = repository.staged(index.as_deref()).map_err(RunError::Git)?;
        let all = repository.changes(&snapshot, &staged).map_err(RunError::Git)?;
        let head = Head::Snapshot { files: &staged, ignores: &staged, branch: None };
        let compared = check_sides(project, engine, (&snapshot, head), (&all, &within), advance)?;
        return Ok((compared, base));
    }
    let all = match known.filter(|known| base.commit.as_ref() == Some(&known.head)) {
        Some(known) => known.changes.clone(),
        None => {
            walk::work_tree_changes(&repository, &snapshot, &project.disk).map_err(RunError::Git)?
        }
    };
    let head = Head::WorkTree { disk: &project.disk, walk, check_all: false };
    let mut compared = check_sides(project, engine, (&snapshot, head), (&all, &within), advance)?;
    if let Some(commit) = base.commit.as_deref().filter(|_| matches!(against, Against::Revision(_)))
    {
        let head = repository.commit("HEAD").map_err(RunError::Git)?;
        let line = Line {
            repository: &repository,
            bases: vec![commit],
            head: &head,
            branch: repository.branch(),
            title: None,
        };
        let tracked = repository.staged(None).map_err(RunError::Git)?;
        let paths = tracked.below("").unwrap_or_default();
        let sides = Sides { before: &snapshot, after: &project.disk, paths, changes: &all };
        let notes = commits::check(engine, line, &sides, &mut compared.outcome)?;
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

/// Checks both sides of the changes that belong to the run; `advance` is called for each checked
/// file.
///
/// # Errors
/// Fails when a glob of the configuration is malformed.
pub fn check_sides(
    project: &Project,
    engine: &Engine,
    sides: (&Snapshot, Head<'_>),
    changes: (&[Change], &CheckedPaths),
    advance: &(dyn Fn() + Sync),
) -> Result<CompareResult, RunError> {
    diff::compare(engine, &project.config, sides, changes, advance).map_err(RunError::Rules)
}

/// Creates the comparison for the report.
#[must_use]
pub fn comparison(base: Base, whole_tree: bool, compared: &CompareResult) -> Comparison {
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

/// The checked files in the form used by reports.
#[must_use]
pub fn files(reports: &[FileReport]) -> Vec<FileFindings<'_>> {
    reports.iter().map(file_findings).collect()
}

fn file_findings(file: &FileReport) -> FileFindings<'_> {
    FileFindings {
        source: &file.source,
        findings: file.checked.findings.iter().collect(),
        secrets: &file.checked.secrets,
    }
}

/// The merge base of HEAD and `rev`.
fn merge_base(repository: &Repository, rev: &str) -> Result<(Base, Snapshot), RunError> {
    let shallow = repository.is_shallow();
    let head = repository.commit("HEAD");
    let commit = repository.commit(rev).map_err(|error| match head {
        Ok(_) => {
            // Another usual name of the main branch.
            let name = rev.rsplit('/').next().unwrap_or(rev);
            let is_main = matches!(name, "main" | "master" | "trunk" | "develop" | "dev");
            let similar = branch::main_branch(repository).ok();
            let similar = similar.filter(|known| is_main && known != rev);
            RunError::UnknownRevision { error, similar, shallow }
        }
        Err(_) => RunError::NoCommit,
    })?;
    let head = head.map_err(RunError::Git)?;
    let bases = repository.merge_bases(&commit, &head).map_err(RunError::Git)?;
    let base = bases
        .into_iter()
        .next()
        .ok_or_else(|| RunError::NoCommonCommit { revision: rev.to_owned(), shallow })?;
    let short = &base[..base.len().min(7)];
    let name = if base == commit {
        format!("{rev} ({short})")
    } else {
        format!("{rev} (merge base {short})")
    };
    let snapshot = repository.snapshot(&base).map_err(RunError::Git)?;
    Ok((Base { commit: Some(base), name }, snapshot))
}

fn last_commit(repository: &Repository) -> Result<(Base, Snapshot), RunError> {
    let Ok(head) = repository.commit("HEAD") else {
        let base =
            Base { commit: None, name: "nothing: the repository has no commit yet".to_owned() };
        return Ok((base, repository.empty_snapshot()));
    };
    let name = format!("HEAD ({})", &head[..head.len().min(7)]);
    let snapshot = repository.snapshot(&head).map_err(RunError::Git)?;
    Ok((Base { commit: Some(head), name }, snapshot))
}
