//! `aidd hook commit-msg`: checks the message before the commit is created.

use aidd_engine::check::Selection;
use aidd_engine::forms::commits::{self, Commit, CommitInput, message};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{FailOn, Finding};
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::commit_checks;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::run::fail_on;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// Maximum size of a message in bytes.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;

/// Checks the message in `file`. Git shows the output and aborts the commit if the exit code is not
/// 0.
///
/// # Errors
/// Fails when the message or the configuration cannot be read.
pub(super) fn run(file: &Path, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, None)?;
    let engine = project.engine(&Selection::default())?;
    let required = commit_checks::required_inputs(&engine);
    // Read the message first, so that an invalid path is reported regardless of the rules.
    let text = read(file, io)?;
    if !required.any {
        return Ok(Exit::Clean);
    }
    let repository = Repository::open(project.root()).ok();
    let commit = Commit {
        message: message::clean(&text, &comment_prefix(repository.as_ref())),
        // Git has not set the author yet.
        ..Commit::default()
    };
    // Git itself rejects an empty message. The message of a fixup commit is replaced by autosquash.
    let autosquash_prefixes = ["fixup! ", "squash! ", "amend! "];
    let is_checked = !commit.message.is_empty()
        && !autosquash_prefixes.iter().any(|prefix| commit.message.starts_with(prefix));
    if !is_checked {
        return Ok(Exit::Clean);
    }
    let tracked = repository.as_ref().filter(|_| required.members);
    let tracked = tracked.and_then(|repository| repository.staged(None).ok()?.below("").ok());
    let tracked = tracked.unwrap_or_default();
    let files: &dyn Files = &project.disk;
    let input = CommitInput {
        commits: vec![commit],
        members: commits::members(files, tracked.iter().map(String::as_str)),
        ..CommitInput::default()
    };
    let report = commit_checks::run(&engine, &input, files);
    let fail_on = fail_on(None, &project);
    let mut fails = false;
    for (source, checked) in &report.texts {
        for finding in &checked.findings {
            fails |=
                matches!(fail_on, FailOn::Severity(threshold) if finding.severity >= threshold);
            print_finding(source, finding, io)?;
        }
    }
    if !fails {
        return Ok(Exit::Clean);
    }
    if file.as_os_str() != "-" {
        let file = file.display();
        writeln!(io.err, "commit-msg: commit aborted; the message is saved in {file}")?;
    }
    Ok(Exit::Findings)
}

fn read(file: &Path, io: &mut Io<'_>) -> Result<String> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        io.stdin.take(MAX_MESSAGE_BYTES + 1).read_to_end(&mut bytes).context("standard input")?;
    } else {
        let path = project::absolute(&io.cwd, file);
        let file_handle = File::open(&path).with_context(|| path.display().to_string())?;
        file_handle
            .take(MAX_MESSAGE_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| path.display().to_string())?;
    }
    if bytes.len() as u64 > MAX_MESSAGE_BYTES {
        return Err(UserError::new(format!(
            "the message is larger than {MAX_MESSAGE_BYTES} bytes"
        ))
        .into());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The comment prefix of a message: `core.commentChar`, by default `#`.
fn comment_prefix(repository: Option<&Repository>) -> String {
    let configured = repository.and_then(|repository| repository.setting("core.commentChar"));
    // With `auto`, only Git knows the character.
    configured
        .filter(|prefix| !prefix.is_empty() && prefix != "auto")
        .unwrap_or_else(|| "#".to_owned())
}

fn print_finding(source: &Source, finding: &Finding, io: &mut Io<'_>) -> Result<()> {
    let position = source.position(finding.span.start, Encoding::CodePoints);
    writeln!(
        io.err,
        "{}: line {}: {} [{}]",
        finding.severity,
        position.line + 1,
        finding.message,
        finding.rule
    )?;
    if let Some(help) = &finding.help {
        writeln!(io.err, "  {help}")?;
    }
    Ok(())
}
