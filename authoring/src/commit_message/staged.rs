//! Gathers the staged changes of a repository from Git for [`super::describe`].

use super::convention::subject;
use super::prediction::{PastCommit, cache};
use super::{Change, ChangeKind, CommitRules, DescribeParams, Description, RevertedCommit};
use crate::commit_message;
use aidd_engine::check::{Distribution, Selection};
use aidd_engine::forms::commits::{is_bot, members};
use aidd_engine::project::git::{self, AuthoredCommit, GitError, Repository, Snapshot};
use aidd_engine::text::files::Files;
use aidd_engine::workspace::commit_checks;
use aidd_engine::workspace::project::ProjectError;
use aidd_report::project::{self, Project};
use std::collections::HashMap;
use std::path::Path;
use thiserror::Error;

/// Maximum size in bytes of a file whose contents are read; larger files are only listed.
const MAX_FILE_SIZE: u64 = 1 << 20;
/// The number of recent commits from which the convention is derived.
const MAX_COMMITS: usize = 200;
/// Maximum number of recent commits, without merges, from which type and scope are predicted.
const MAX_PAST: usize = 600;
/// Maximum number of these commits whose texts are read.
const MAX_EXAMPLES: usize = 300;
/// Maximum number of files of a past commit whose texts are read.
const MAX_PAST_FILES: usize = 30;
/// Maximum size in bytes of these files.
const MAX_PAST_SIZE: u64 = 1 << 17;

/// Why there is no description of the staged changes.
#[derive(Debug, Error)]
pub enum StagedError {
    /// The index equals the last commit.
    #[error("nothing is staged")]
    NothingStaged,
    /// The directory is not in a Git repository.
    #[error(transparent)]
    NoRepository(GitError),
    /// The Git repository is damaged.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The project's settings are invalid.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// Describes the staged changes of the repository that contains `folder`, with secrets masked.
/// `index` is an alternative index file, as in a hook of `git commit --only`.
///
/// # Errors
/// Fails when there is no repository, nothing is staged, or the configuration cannot be read.
pub fn describe_staged(
    distribution: &'static Distribution,
    folder: &Path,
    index: Option<&Path>,
) -> Result<Description, StagedError> {
    let mut description = commit_message::describe(&staged_changes(distribution, folder, index)?)
        .ok_or(StagedError::NothingStaged)?;
    let mut texts = description.texts_mut();
    let masked = distribution.redact_all(texts.iter().map(|text| (**text).clone()));
    for (text, masked) in texts.iter_mut().zip(masked) {
        **text = masked;
    }
    Ok(description)
}

/// All staged changes of the repository that contains `folder`.
fn staged_changes(
    distribution: &'static Distribution,
    folder: &Path,
    index: Option<&Path>,
) -> Result<DescribeParams, StagedError> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
    let repository = Repository::open(top).map_err(|error| match error {
        GitError::NoRepository(_) => StagedError::NoRepository(error),
        _ => StagedError::Git(error),
    })?;
    let last = repository.commit("HEAD").ok();
    let base = match &last {
        Some(commit) => repository.snapshot(commit)?,
        None => repository.empty_snapshot(),
    };
    let index = index.map(|path| project::absolute(folder, path));
    let staged = repository.staged(index.as_deref())?;
    let changes: Vec<Change> = repository
        .changes(&base, &staged)?
        .into_iter()
        .filter_map(|change| read_change(&base, &staged, change, MAX_FILE_SIZE))
        .collect();
    let context = commit_message::context_paths(&changes)
        .into_iter()
        .filter_map(|path| read_text(&staged, &path, MAX_FILE_SIZE).map(|text| (path, text)))
        .collect();
    let commits = last.as_deref().map(|last| recent_commits(&repository, last)).unwrap_or_default();
    let by_people = commits.iter().filter(|commit| !is_bot(&commit.author)).take(MAX_COMMITS);
    let messages = by_people.map(|commit| commit.message.clone()).collect();
    let past = past_commits(&repository, top, &commits);
    let reverts = last.filter(|commit| is_exact_revert(&repository, commit, &staged) == Some(true));
    let reverts = reverts.and_then(|commit| {
        Some(RevertedCommit { subject: subject(&commits.first()?.message), commit })
    });
    let allowed = commit_rules(distribution, folder, &staged)?;
    Ok(DescribeParams { changes, context, messages, past, commit_rules: allowed, reverts })
}

/// The types of the first rule that lists types, and the scopes of the first rule that lists scopes.
fn commit_rules(
    distribution: &'static Distribution,
    folder: &Path,
    staged: &Snapshot,
) -> Result<CommitRules, StagedError> {
    let project = Project::open(distribution, folder, None)?;
    let engine = project.engine(&Selection::default())?;
    let mut allowed = CommitRules::default();
    for (rule, header) in commit_checks::conventional(&engine) {
        allowed.scope_required |= header.scope_required;
        if allowed.types.is_empty() && !header.types.is_empty() {
            allowed.types.clone_from(&header.types);
            allowed.rule = Some(rule.id.to_string());
        }
        if allowed.scopes.is_empty() {
            allowed.scopes =
                header.scopes.iter().filter(|scope| *scope != "workspace").cloned().collect();
            if header.scopes.iter().any(|scope| scope == "workspace") {
                let paths = staged.below("").unwrap_or_default();
                let paths = paths.iter().map(String::as_str);
                allowed.scopes.extend(members(&project.disk, paths));
            }
        }
    }
    if allowed.types.is_empty()
        && let Some(commitlint) = commitlint_rules(staged)
    {
        (allowed.types, allowed.rule) = (commitlint.types, commitlint.rule);
        allowed.length = commitlint.length;
    }
    Ok(allowed)
}

/// The settings files of commitlint in the root directory.
const COMMITLINT: [&str; 13] = [
    "commitlint.config.js",
    "commitlint.config.cjs",
    "commitlint.config.mjs",
    "commitlint.config.ts",
    ".commitlintrc",
    ".commitlintrc.json",
    ".commitlintrc.yaml",
    ".commitlintrc.yml",
    ".commitlintrc.js",
    ".commitlintrc.cjs",
    ".commitlintrc.mjs",
    ".commitlintrc.ts",
    "package.json",
];

/// What the settings of commitlint allow.
fn commitlint_rules(staged: &Snapshot) -> Option<CommitRules> {
    COMMITLINT.iter().find_map(|path| {
        let text = read_text(staged, path, MAX_FILE_SIZE)?;
        let text = if *path == "package.json" {
            serde_json::from_str::<serde_json::Value>(&text).ok()?.get("commitlint")?.to_string()
        } else {
            text
        };
        CommitRules::from_commitlint(path, &text)
    })
}

fn read_change(
    base: &Snapshot,
    staged: &Snapshot,
    change: git::Change,
    max_size: u64,
) -> Option<Change> {
    let kind = match (&change.base, &change.head) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Changed,
    };
    let before = change.base.as_deref().and_then(|path| read_text(base, path, max_size));
    let after = change.head.as_deref().and_then(|path| read_text(staged, path, max_size));
    let path = change.head.as_ref().or(change.base.as_ref())?.clone();
    let old_path = change.base.filter(|old| *old != path);
    Some(Change { path, old_path, kind, before, after })
}

/// The text of a file; `None` if it does not exist, is not text or is too large.
fn read_text(files: &Snapshot, path: &str, max_size: u64) -> Option<String> {
    if max_size == 0 {
        return None;
    }
    let bytes = files.read(path, max_size + 1).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (text.len() as u64 <= max_size && !text.contains('\0')).then_some(text)
}

/// Whether the staged state equals the state before `commit`, the most recent commit.
fn is_exact_revert(repository: &Repository, commit: &str, staged: &Snapshot) -> Option<bool> {
    let parents = repository.parents(commit).ok()?;
    let [parent] = parents.as_slice() else { return None };
    let before = repository.snapshot(parent).ok()?;
    Some(repository.changes(&before, staged).ok()?.is_empty())
}

/// The most recent commits up to `head`, newest first, without merges; empty when the history cannot
/// be read.
fn recent_commits(repository: &Repository, head: &str) -> Vec<AuthoredCommit> {
    let mut commits = repository.commits_between(&[], head, 2 * MAX_PAST).unwrap_or_default();
    commits.retain(|commit| !commit.is_merge);
    commits.truncate(MAX_PAST);
    commits
}

/// The commits from which type and scope are predicted, oldest first. Those that are not stored are
/// read from Git, then stored.
fn past_commits(
    repository: &Repository,
    top: &Path,
    commits: &[AuthoredCommit],
) -> Vec<PastCommit> {
    let stored = cache::load(top);
    let mut known: HashMap<String, PastCommit> =
        stored.into_iter().map(|commit| (commit.id.clone(), commit)).collect();
    let (mut past, mut examples, mut is_new) = (Vec::new(), 0, false);
    for commit in commits {
        if examples == MAX_EXAMPLES {
            break;
        }
        let row = known.remove(&commit.id).or_else(|| {
            is_new = true;
            read_past_commit(repository, commit)
        });
        let Some(row) = row else { continue };
        examples += usize::from(row.is_example());
        past.push(row);
    }
    past.reverse();
    if is_new {
        cache::store(top, &past);
    }
    past
}

/// The commits from which type and scope of the next commit in `top` are predicted.
#[cfg(test)]
pub(super) fn past_commits_of(top: &Path) -> Result<Vec<PastCommit>, GitError> {
    let repository = Repository::open(top)?;
    let commits = recent_commits(&repository, &repository.commit("HEAD")?);
    Ok(past_commits(&repository, top, &commits))
}

fn read_past_commit(repository: &Repository, commit: &AuthoredCommit) -> Option<PastCommit> {
    let past = PastCommit::new(&commit.id, &subject(&commit.message), &commit.author);
    let after = repository.snapshot(&commit.id).ok()?;
    let before = match repository.parents(&commit.id).ok()?.first() {
        Some(parent) => repository.snapshot(parent).ok()?,
        None => repository.empty_snapshot(),
    };
    let changes = repository.changes(&before, &after).ok()?.into_iter().enumerate();
    let changes: Vec<Change> = changes
        .filter_map(|(at, change)| {
            let is_read = past.is_example() && at < MAX_PAST_FILES;
            read_change(&before, &after, change, if is_read { MAX_PAST_SIZE } else { 0 })
        })
        .collect();
    Some(past.with_changes(&changes))
}
