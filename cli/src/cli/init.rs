//! What may be typed of setting a project up.

use clap::{Args, ValueEnum};

/// Options of `aidd init`.
#[derive(Debug, Args)]
#[command(
    after_help = "Writes .aidd/config.json unless there is one, and adds to .gitattributes and .gitignore what is\nmissing there. With --client also what that client of an agent reads: where the MCP server is, the\nhooks, and what the agent should know of aidd. What is there stays as it is. Doing it again\nchanges nothing, and --remove brings back what was there.\n\nExamples:\n  aidd init\n  aidd init --client claude-code --client cursor\n  aidd init --client codex --dry-run\n  aidd init --client codex --remove"
)]
pub struct Init {
    /// A client of an agent to set up; may be given several times.
    #[arg(long = "client", value_enum, value_name = "CLIENT")]
    pub clients: Vec<Client>,
    /// Print what would change as a patch, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Take out of the files of these clients what was written, and nothing else: what was there
    /// before is there again.
    #[arg(long, requires = "clients")]
    pub remove: bool,
}

/// The clients of agents that can be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Client {
    /// Claude Code.
    #[value(alias = "claude")]
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// VS Code.
    #[value(aliases = ["vs-code", "copilot"])]
    Vscode,
    /// Codex.
    Codex,
    /// Windsurf.
    #[value(alias = "devin")]
    Windsurf,
    /// Zed.
    Zed,
    /// Gemini CLI.
    #[value(alias = "gemini-cli")]
    Gemini,
}
