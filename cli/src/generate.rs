//! `aidd generate`: texts made from what is in the repository.

use crate::cli::{GenerateCommand, MessageFormat};
use aidd_authoring::commit_message::{self, Change, Fate, Input, Message};
use aidd_engine::check::Distribution;
use aidd_engine::project::git::{self, GitError, Repository, Snapshot};
use aidd_engine::text::files::Files;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project;
use anyhow::Result;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Larger files are named, and not looked into, in bytes.
const LARGEST: u64 = 1 << 20;
/// How many commits show which scopes a project has.
const RECENT: usize = 200;

/// Runs `aidd generate …`.
///
/// # Errors
/// When there is no repository, or nothing is staged.
pub fn run(command: &GenerateCommand, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        GenerateCommand::CommitMessage { format } => commit_message(*format, io),
    }
}

fn commit_message(format: MessageFormat, io: &mut Io<'_>) -> Result<Exit> {
    let message = staged_message(io.distribution, &io.cwd)?;
    match format {
        MessageFormat::Text => writeln!(io.out, "{message}")?,
        MessageFormat::Json => {
            io.out.json(&wire(&message))?;
        }
    }
    Ok(Exit::Clean)
}

/// A message for what is staged in the repository that `folder` lies in, without secrets.
///
/// # Errors
/// When there is no repository, or nothing is staged.
pub fn staged_message(distribution: &'static Distribution, folder: &Path) -> Result<Message> {
    let message = commit_message::describe(&staged(folder)?).ok_or_else(|| {
        UserError::new("nothing is staged").hint("stage what the commit is to hold: git add FILE…")
    })?;
    Ok(redacted(distribution, message))
}

/// The message without secrets: a name or a heading may hold one.
fn redacted(distribution: &'static Distribution, message: Message) -> Message {
    let clean = |text: String| distribution.redact(&text);
    Message {
        scope: message.scope.map(clean),
        subject: clean(message.subject),
        body: message.body.map(clean),
        footer: message.footer.map(clean),
        why: message.why.into_iter().map(clean).collect(),
        ..message
    }
}

fn wire(message: &Message) -> serde_json::Value {
    json!({
        "type": message.kind.name(),
        "scope": message.scope,
        "breaking": message.breaking,
        "subject": message.subject,
        "body": message.body,
        "footer": message.footer,
        "message": message.to_string(),
        "why": message.why,
    })
}

/// What is staged in the repository that `folder` lies in, the whole of it.
fn staged(folder: &Path) -> Result<Input> {
    let top = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
    let repository = Repository::open(top).map_err(|error| {
        let is_none = matches!(error, GitError::NoRepository(_));
        let hint = if is_none { "begin one with: git init" } else { "`git fsck` says more" };
        UserError::new(error.to_string()).hint(hint)
    })?;
    let last = repository.commit("HEAD").ok();
    let base = match &last {
        Some(commit) => repository.snapshot(commit).map_err(broken)?,
        None => repository.nothing(),
    };
    // In a hook of `git commit --only`, the index is another file.
    let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
    let index = index.map(|path| project::absolute(folder, &path));
    let staged = repository.staged(index.as_deref()).map_err(broken)?;
    let changes: Vec<Change> = repository
        .changes(&base, &staged)
        .map_err(broken)?
        .into_iter()
        .filter_map(|change| read(&base, &staged, change))
        .collect();
    let context = commit_message::context_paths(&changes)
        .into_iter()
        .filter_map(|path| text(&staged, &path).map(|text| (path, text)))
        .collect();
    let subjects = last.as_deref().map(|last| subjects(&repository, last)).unwrap_or_default();
    let reverts = last.filter(|commit| takes_back(&repository, commit, &staged) == Some(true));
    let reverts = reverts.and_then(|commit| Some((subjects.first()?.clone(), commit)));
    Ok(Input { changes, context, subjects, reverts })
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` gives")]
fn broken(error: GitError) -> UserError {
    UserError::new(error.to_string()).hint("`git fsck` says more")
}

fn read(base: &Snapshot, staged: &Snapshot, change: git::Change) -> Option<Change> {
    let fate = match (&change.base, &change.head) {
        (None, _) => Fate::Added,
        (_, None) => Fate::Deleted,
        _ => Fate::Changed,
    };
    let before = change.base.as_deref().and_then(|path| text(base, path));
    let after = change.head.as_deref().and_then(|path| text(staged, path));
    let path = change.head.as_ref().or(change.base.as_ref())?.clone();
    let old_path = change.base.filter(|old| *old != path);
    Some(Change { path, old_path, fate, before, after })
}

/// The text of a file; `None` when there is none, or it is no text, or too large.
fn text(files: &Snapshot, path: &str) -> Option<String> {
    let bytes = files.read(path, LARGEST + 1).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (text.len() as u64 <= LARGEST && !text.contains('\0')).then_some(text)
}

/// Whether what is staged is what was there before `commit`, the last one.
fn takes_back(repository: &Repository, commit: &str, staged: &Snapshot) -> Option<bool> {
    let parents = repository.parents(commit).ok()?;
    let [parent] = parents.as_slice() else { return None };
    let before = repository.snapshot(parent).ok()?;
    Some(repository.changes(&before, staged).ok()?.is_empty())
}

/// The subjects of the last commits up to `head`, the newest first, merges left out; none when the
/// history cannot be read.
fn subjects(repository: &Repository, head: &str) -> Vec<String> {
    let commits = repository.between(&[], head, 2 * RECENT).unwrap_or_default();
    let subject = |message: &str| {
        let lines = message.trim_start().lines().take_while(|line| !line.trim().is_empty());
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let own = commits.iter().filter(|commit| !commit.is_merge);
    own.take(RECENT).map(|commit| subject(&commit.message)).collect()
}
