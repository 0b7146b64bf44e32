//! Arguments of `aidd stats`.

use clap::{Args, ValueEnum};

/// Arguments of the command `aidd stats`.
#[derive(Debug, Args)]
#[command(
    after_help = "The server and the hooks of agent clients record names, counts and times, never text.\n\"evolution\": {\"record\": false} in .aidd/config.json records nothing;\n`aidd memory forget --analytics` deletes what was recorded.\n\nExamples:\n  aidd stats\n  aidd stats rules --days 30\n  aidd stats models --json"
)]
pub struct Stats {
    /// Which figures to print; without it, the most important ones of each kind.
    #[arg(value_enum)]
    pub section: Option<StatsSection>,
    /// Only sessions that ended in the last N days.
    #[arg(long, default_value_t = 90, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=365))]
    pub days: u16,
    /// Print JSON; field names are stable across versions.
    #[arg(long)]
    pub json: bool,
}

/// Kinds of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsSection {
    /// Tools, resources and prompts that agents used.
    Tools,
    /// Findings by rule.
    Rules,
    /// Roles, workflows, knowledge and memories that agents used.
    Knowledge,
    /// Results by model and kind of task.
    Models,
    /// Features by phase.
    Lifecycle,
}
