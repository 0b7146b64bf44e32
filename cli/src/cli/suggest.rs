//! Options of `aidd rule suggest` and `aidd rule coverage`.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// `aidd rule suggest`.
#[derive(Debug, Args)]
pub struct RuleSuggest {
    /// Only the sentences of these files.
    #[arg(value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Write the pages; none is overwritten, and none that the code contradicts is written.
    #[arg(long)]
    pub write: bool,
    /// How it is told.
    #[arg(long, value_enum, default_value_t = SuggestFormat::Text)]
    pub format: SuggestFormat,
}

/// `aidd rule coverage`.
#[derive(Debug, Args)]
pub struct RuleCoverage {
    /// Only the sentences of these files.
    #[arg(value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// How it is told.
    #[arg(long, value_enum, default_value_t = SuggestFormat::Text)]
    pub format: SuggestFormat,
}

/// How sentences are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuggestFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}
