//! Arguments of `aidd memory import`.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Options of `aidd memory import`.
#[derive(Debug, Args)]
pub struct Import {
    /// File or directory to import; `-` reads standard input.
    #[arg(value_hint = ValueHint::AnyPath, required_unless_present = "undo")]
    pub file: Option<PathBuf>,
    /// Format [default: detected from the content].
    #[arg(long, value_enum)]
    pub from: Option<Form>,
    /// Print what would be imported, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Import this project of a database with several projects; repeatable [default: the project
    /// with the name of the root directory].
    #[arg(long = "project", value_name = "NAME")]
    pub projects: Vec<String>,
    /// Import all projects of a database.
    #[arg(long, conflicts_with = "projects")]
    pub all_projects: bool,
    /// Take back an import: the last one, or the one with this id. What was changed since remains
    /// and is listed.
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["file", "from", "dry_run", "projects", "all_projects"]
    )]
    pub undo: Option<String>,
}

/// Import formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// JSON Lines of aidd.
    Aidd,
    /// The older JSON files of decisions, mistakes and conventions.
    Older,
    /// The database of aidd.md, an earlier version of aidd.
    #[value(name = "aidd-md")]
    AiddMd,
    /// The database of the memory server MAMA, or its decisions as JSON.
    Mama,
    /// Logs and packs of Memory v2, an earlier memory format of aidd.
    #[value(name = "memory-v2")]
    MemoryV2,
    /// The database or an export of claude-mem.
    ClaudeMem,
    /// The database of AIFP.
    Aifp,
    /// The memory.jsonl of @modelcontextprotocol/server-memory.
    ServerMemory,
    /// The directory .serena/memories.
    Serena,
    /// CLAUDE.md, AGENTS.md and decision records, as drafts.
    Markdown,
}
