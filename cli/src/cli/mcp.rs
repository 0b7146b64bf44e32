//! Arguments of `aidd mcp`.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Options of `aidd mcp`.
#[derive(Debug, Args)]
#[command(
    after_help = "The agent client starts the server, which communicates over standard input and output. Set it up once:\n  claude mcp add aidd -- aidd mcp\n  codex mcp add aidd -- aidd mcp\n\nOver HTTP, for several clients:\n  aidd mcp --http 127.0.0.1:8765\nEvery non-loopback address requires a token, in AIDD_MCP_TOKEN or --token-file; clients send it\nas `Authorization: Bearer TOKEN`."
)]
pub struct Mcp {
    /// Project root [default: the nearest parent directory that contains `.aidd` or `.git`].
    #[arg(long, env = "AIDD_ROOT", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Tools listed for the agent.
    #[arg(long, env = "AIDD_MCP_PROFILE", value_enum, default_value_t = Profile::Engine)]
    pub profile: Profile,
    /// Print the tools of each profile and their token cost, then exit.
    #[arg(long)]
    pub list: bool,
    /// Reorder the tool list by the agent's current task and notify the client; only for clients
    /// that use a protocol revision before 2026-07-28.
    #[arg(long)]
    pub dynamic: bool,
    /// Serve over HTTP at this address, under /mcp; port 0 selects a free port.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with_all = ["dynamic", "stdio"])]
    pub http: Option<String>,
    /// File whose first line is the token; used instead of AIDD_MCP_TOKEN.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "http")]
    pub token_file: Option<PathBuf>,
    /// Host name that requests can use in addition to localhost; repeatable.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// Origin (scheme and host) of web pages that can call the server; repeatable.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub allow_origin: Vec<String>,
    /// Accepted for compatibility: standard input and output are the default.
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Tool sets. [`Profile::Engine`] contains every tool, and lists one tool per job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Profile {
    /// One tool per job; the others can still be called.
    #[default]
    Engine,
    /// Guidance tools.
    Core,
    /// Memory tools.
    Memory,
    /// Checks and reports.
    Tools,
    /// Questions about the code.
    Index,
    /// Directives and the state of the project, under the names of the AIFP blueprint.
    Aifp,
    /// The most useful tools; the others can still be called.
    Lean,
    /// All tools, with their titles and output schemas.
    Plan,
}

impl Profile {
    /// All profiles, in the order of the help text.
    pub const ALL: [Self; 8] = [
        Self::Engine,
        Self::Core,
        Self::Memory,
        Self::Tools,
        Self::Index,
        Self::Aifp,
        Self::Lean,
        Self::Plan,
    ];

    /// Name of the profile on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Index => "index",
            Self::Aifp => "aifp",
            Self::Lean => "lean",
            Self::Plan => "plan",
        }
    }
}
