//! Arguments of `aidd init`.

use clap::{Args, ValueEnum};

/// Options of `aidd init`.
#[derive(Debug, Args)]
#[command(
    after_help = "Lists the rule packs that fit the project, with what they would find, and writes\n.aidd/config.json unless it exists. --pack enables packs in it, also in an\nexisting one, without the rules that a linter of the project enforces. --client also configures that agent client: the MCP server, the hooks,\ninstructions for the agent, and the Git settings of the memory. Existing content is preserved.\nRunning the command again changes nothing; --remove restores the previous state.\n\nExamples:\n  aidd init\n  aidd init --pack go,sql\n  aidd init --client claude-code --client cursor\n  aidd init --client codex --dry-run\n  aidd init --client codex --remove"
)]
pub struct Init {
    /// Agent client to set up; repeatable.
    #[arg(long = "client", value_enum, value_name = "CLIENT")]
    pub clients: Vec<Client>,
    /// Pack to enable in the configuration; repeatable, or separated by commas.
    #[arg(long = "pack", value_name = "PACK", value_delimiter = ',', conflicts_with = "remove")]
    pub packs: Vec<String>,
    /// Print the packs that fit and the changes as a patch, without writing them.
    #[arg(long)]
    pub dry_run: bool,
    /// Remove the entries that `aidd init` wrote to the files of these clients; all other content
    /// stays unchanged.
    #[arg(long, requires = "clients")]
    pub remove: bool,
}

/// Agent clients that can be set up.
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
