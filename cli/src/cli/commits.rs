//! What may be typed of commit messages and of Git's hooks.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

/// `aidd generate …`.
#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// List what a commit message is written from: the staged changes, the project's types and
    /// scopes.
    #[command(
        after_help = "The type it names is the project's most frequent one, or docs, test or ci where only such\nfiles are staged. Examples:\n  aidd generate commit-message\n  aidd generate commit-message --format json"
    )]
    CommitMessage {
        /// How to write them.
        #[arg(long, value_enum, default_value_t = MessageFormat::Text)]
        format: MessageFormat,
    },
}

/// The formats of the facts for a commit message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// A line for each fact.
    Text,
    /// All facts, for programs.
    Json,
}

/// `aidd hook …`.
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Write hooks into the repository's folder of hooks.
    #[command(
        after_help = "Examples:\n  aidd hook install\n  aidd hook install --hook pre-commit --hook prepare-commit-msg"
    )]
    Install {
        /// Which hooks; may be given several times [default: pre-commit].
        #[arg(long = "hook", value_enum, value_name = "HOOK")]
        hooks: Vec<HookName>,
        /// Put aside a hook of another origin, as NAME.aidd-backup.
        #[arg(long)]
        force: bool,
        /// Put it aside likewise, and go on running it, before aidd.
        #[arg(long, conflicts_with = "force")]
        chain: bool,
    },
    /// Take out what `install` wrote, and put back what it put aside.
    Uninstall {
        /// Which hooks; without any, all.
        #[arg(long = "hook", value_enum, value_name = "HOOK")]
        hooks: Vec<HookName>,
    },
    /// Say which hooks there are.
    Status,
    /// Judge a commit message by the rules on commits, as Git's commit-msg hook does.
    #[command(
        after_help = "Comments, and what stands below the scissors of `git commit --verbose`, are no part of the\nmessage. Examples:\n  aidd hook commit-msg .git/COMMIT_EDITMSG\n  git log -1 --format=%B | aidd hook commit-msg -"
    )]
    CommitMsg {
        /// The file with the message; `-` is standard input.
        file: PathBuf,
    },
    /// For the client of an agent, when a conversation begins: what the project remembers.
    #[command(after_help = CLIENTS)]
    SessionStart,
    /// For the client of an agent, when its user typed something: what the project remembers of it,
    /// and which tools of the memory fit.
    #[command(after_help = CLIENTS)]
    UserPrompt,
    /// For the client of an agent, before a file is written: refuses secrets and errors.
    #[command(after_help = CLIENTS)]
    PreToolUse,
    /// For the client of an agent, after a tool was used: what the edit brought about; notes which
    /// files were edited and which checks were run.
    #[command(after_help = CLIENTS)]
    PostToolUse,
    /// For the client of an agent, before it shortens a conversation: saves where work stands.
    #[command(after_help = CLIENTS)]
    PreCompact,
    /// For the client of an agent, at the end of a turn: brings the session up to date.
    #[command(after_help = CLIENTS)]
    Stop,
    /// For the client of an agent, when a conversation ends: sums the session up.
    #[command(after_help = CLIENTS)]
    SessionEnd,
}

/// What is common to the hooks of clients.
const CLIENTS: &str = "The client runs it and says on standard input, as JSON, what happens; `aidd init --client CLIENT`\nsets it up. It is answered in the client's own form, or with nothing: whatever goes wrong is told\non standard error and ends with 0, so that no agent is kept from going on.";

/// The hooks of Git that aidd has something to do in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum HookName {
    /// Check what is staged.
    PreCommit,
    /// Add the facts of what is staged to an empty message, as comments.
    PrepareCommitMsg,
    /// Look for secrets in the message.
    CommitMsg,
    /// Check what is about to be pushed.
    PrePush,
}
