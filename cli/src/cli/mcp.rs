//! What may be typed of the agent door.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Options of `aidd mcp`.
#[derive(Debug, Args)]
#[command(
    after_help = "Agents start it by themselves; it speaks on standard input and output. Set it up once:\n  claude mcp add aidd -- aidd mcp\n  codex mcp add aidd -- aidd mcp\n\nOver HTTP, for several clients:\n  aidd mcp --http 127.0.0.1:8765\nEvery address but those of this machine itself needs a token, in AIDD_MCP_TOKEN or --token-file;\nclients send it as `Authorization: Bearer TOKEN`."
)]
pub struct Mcp {
    /// The project's folder [default: the nearest one above that has `.aidd` or `.git`].
    #[arg(long, env = "AIDD_ROOT", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Which tools the agent is shown.
    #[arg(long, env = "AIDD_MCP_PROFILE", value_enum, default_value_t = Profile::Engine)]
    pub profile: Profile,
    /// Print what each profile lists and what that costs an agent, and serve nobody.
    #[arg(long)]
    pub list: bool,
    /// Put the tools first that fit what the agent is about, and tell it; for clients of the revisions
    /// before 2026-07-28.
    #[arg(long)]
    pub dynamic: bool,
    /// Serve over HTTP at this address, under /mcp; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with_all = ["dynamic", "stdio"])]
    pub http: Option<String>,
    /// The file whose first line is the token, instead of the variable AIDD_MCP_TOKEN.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "http")]
    pub token_file: Option<PathBuf>,
    /// A name that this machine is called by, beside localhost; may be given several times.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// Where web pages that may call come from, by scheme and host; may be given several times.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub allow_origin: Vec<String>,
    /// What many clients say: standard input and output are the default anyway.
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Which tools are listed. Every tool is in [`Profile::Engine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Profile {
    /// All.
    #[default]
    Engine,
    /// Guidance.
    Core,
    /// The project's memory.
    Memory,
    /// Checks and reports.
    Tools,
    /// The ten most useful; the others can be called all the same.
    Lean,
}

impl Profile {
    /// Every one, in order.
    pub const ALL: [Self; 5] = [Self::Engine, Self::Core, Self::Memory, Self::Tools, Self::Lean];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Lean => "lean",
        }
    }
}
