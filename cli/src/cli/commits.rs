//! Arguments of `aidd generate` and `aidd hook`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

/// `aidd generate …`.
#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// List the facts for a commit message: the staged changes, the project's types and scopes.
    #[command(
        after_help = "Type and scope are learnt from the project's history. They are left open if past predictions like\nthese were often wrong. Examples:\n  aidd generate commit-message\n  aidd generate commit-message --format json"
    )]
    CommitMessage {
        /// Output format.
        #[arg(long, value_enum, default_value_t = MessageFormat::Text)]
        format: MessageFormat,
    },
}

/// Output formats of `aidd generate commit-message`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// One line per fact.
    Text,
    /// All facts as JSON.
    Json,
}

/// `aidd hook …`.
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Install Git hooks in the repository's hooks directory.
    #[command(
        after_help = "Examples:\n  aidd hook install\n  aidd hook install --hook pre-commit --hook prepare-commit-msg"
    )]
    Install {
        /// Hooks to install; repeatable [default: pre-commit].
        #[arg(long = "hook", value_enum, value_name = "HOOK")]
        hooks: Vec<HookName>,
        /// Move an existing hook from another source to NAME.aidd-backup.
        #[arg(long)]
        force: bool,
        /// Move an existing hook to NAME.aidd-backup and keep running it before aidd.
        #[arg(long, conflicts_with = "force")]
        chain: bool,
    },
    /// Remove the hooks that `install` wrote and restore the hooks it moved.
    Uninstall {
        /// Hooks to remove [default: all].
        #[arg(long = "hook", value_enum, value_name = "HOOK")]
        hooks: Vec<HookName>,
    },
    /// Show the installed hooks.
    Status,
    /// Check a commit message against the commit rules, as Git's commit-msg hook does.
    #[command(
        after_help = "Comments and everything below the scissors line of `git commit --verbose` are ignored.\nExamples:\n  aidd hook commit-msg .git/COMMIT_EDITMSG\n  git log -1 --format=%B | aidd hook commit-msg -"
    )]
    CommitMsg {
        /// File with the message; `-` reads standard input.
        file: PathBuf,
    },
    /// Agent hook at the start of a session: prints the project's memory.
    #[command(after_help = CLIENTS)]
    SessionStart,
    /// Agent hook after the user submits a prompt: prints related memories and suitable memory
    /// tools.
    #[command(after_help = CLIENTS)]
    UserPrompt,
    /// Agent hook before a file is written: blocks secrets and errors.
    #[command(after_help = CLIENTS)]
    PreToolUse,
    /// Agent hook after a tool call: reports the findings that an edit introduced, and records
    /// the edited files and the checks that were run.
    #[command(after_help = CLIENTS)]
    PostToolUse,
    /// Agent hook before the conversation is compacted: saves the state of the work.
    #[command(after_help = CLIENTS)]
    PreCompact,
    /// Agent hook at the end of a turn: updates the session.
    #[command(after_help = CLIENTS)]
    Stop,
    /// Agent hook at the end of a conversation: writes the session summary.
    #[command(after_help = CLIENTS)]
    SessionEnd,
}

/// Help text shared by the agent hooks.
const CLIENTS: &str = "The agent client runs this hook and passes the event as JSON on standard input; set it up with\n`aidd init --client CLIENT`. The output has the client's format or is empty. Errors go to standard\nerror and the exit code is 0, so that a failing hook never blocks the agent.";

/// Git hooks that aidd supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum HookName {
    /// Check the staged changes.
    PreCommit,
    /// Add facts about the staged changes to an empty message, as comments.
    PrepareCommitMsg,
    /// Check the message for secrets.
    CommitMsg,
    /// Check the commits to be pushed.
    PrePush,
}
