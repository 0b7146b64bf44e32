//! `aidd generate`: prints facts about the repository, from which the user writes a text such as a
//! commit message.

use crate::cli::{GenerateCommand, MessageFormat};
use aidd_authoring::commit_message::staged::{StagedError, describe_staged};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;

/// Runs `aidd generate …`.
///
/// # Errors
/// Fails when there is no repository, or nothing is staged.
pub fn run(command: &GenerateCommand, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        GenerateCommand::CommitMessage { format } => commit_message(*format, io),
    }
}

fn commit_message(format: MessageFormat, io: &mut Io<'_>) -> Result<Exit> {
    let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
    let description = describe_staged(io.distribution, &io.cwd, index.as_deref())
        .map_err(|error| UserError::new(error.to_string()).hint(hint_for(&error)))?;
    match format {
        MessageFormat::Text => write!(io.out, "{description}")?,
        MessageFormat::Json => {
            io.out.json(&description)?;
        }
    }
    Ok(Exit::Clean)
}

/// The remedy for an error.
fn hint_for(error: &StagedError) -> &'static str {
    match error {
        StagedError::NothingStaged => "stage the changes to commit: git add FILE…",
        StagedError::NoRepository(_) => "create one with: git init",
        StagedError::Git(_) => "run `git fsck` to find the cause",
        StagedError::Project(_) => "run `aidd config schema` to see the allowed keys and values",
    }
}
