//! Errors of runs. The remedy depends on the frontend: each frontend chooses the remedy by variant.

use aidd_engine::check::EngineError;
use aidd_engine::project::config::UnknownMode;
use aidd_engine::project::git::GitError;
use aidd_engine::text::paths::GlobError;
use aidd_engine::workspace::project::ProjectError;
use std::io;
use thiserror::Error;

/// The reason why a run failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// A path on the command line cannot be read.
    #[error("{path}: {}", describe(.error))]
    Unreadable {
        /// The path as typed.
        path: String,
        /// The error of the operating system, which is part of the message.
        error: io::Error,
    },
    /// The paths on the command line are in different projects.
    #[error("{path} is not below {root}")]
    SeveralProjects {
        /// The first path in another project, as typed.
        path: String,
        /// The root of the project of the first path.
        root: String,
    },
    /// A path from an agent is outside of the project.
    #[error("{0} is not in the project")]
    OutsideProject(String),
    /// A path from an agent does not exist.
    #[error("{0}: no such file")]
    NoSuchFile(String),
    /// There is no Git repository to compare with.
    #[error(transparent)]
    NoRepository(GitError),
    /// No branch to compare with can be found.
    #[error(
        "no main branch found: there is no origin/HEAD, origin/main, origin/master, main or \
         master, nor a branch named by the repository's `init.defaultBranch`"
    )]
    NoMainBranch,
    /// The revision to compare with is not in the clone.
    #[error("{error}{}", did_you_mean(similar.as_deref()))]
    UnknownRevision {
        /// The error of Git.
        error: GitError,
        /// The main branch of the clone.
        similar: Option<String>,
        /// Whether the clone is shallow.
        shallow: bool,
    },
    /// There is no commit to compare with.
    #[error("the repository has no commit yet")]
    NoCommit,
    /// The revision to compare with has no common commit with HEAD.
    #[error("`{revision}` and HEAD have no common commit")]
    NoCommonCommit {
        /// The revision as typed.
        revision: String,
        /// Whether the clone is shallow.
        shallow: bool,
    },
    /// The Git repository is damaged.
    #[error(transparent)]
    Git(GitError),
    /// A glob of the configuration is malformed.
    #[error("`include` or `exclude`: {0}")]
    Glob(#[from] GlobError),
    /// The rules of the base or the head cannot be built.
    #[error("`include` or `exclude`: {0}")]
    Rules(EngineError),
    /// The project's settings are invalid.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The environment variable of the content mode has an unknown value.
    #[error(transparent)]
    UnknownMode(#[from] UnknownMode),
    /// A setting cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The run was cancelled; a partial result could be mistaken for a complete one.
    #[error("cancelled")]
    Cancelled,
}

/// The description of an error without the number of the operating system.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        _ => error.to_string(),
    }
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
