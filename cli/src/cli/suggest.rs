//! Arguments of `aidd rule suggest` and `aidd rule coverage`.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// `aidd rule suggest`.
#[derive(Debug, Args)]
pub struct RuleSuggest {
    /// Documents, or one sentence in quotes; `-` reads a sentence from standard input [default: all
    /// documents of the project].
    #[arg(value_name = "SENTENCE|FILE", value_hint = ValueHint::FilePath)]
    pub subjects: Vec<String>,
    /// Validate this rule page (or its header), run its examples and try it on the project; `-`
    /// reads standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub draft: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = SuggestFormat::Text)]
    pub format: SuggestFormat,
}

/// `aidd rule coverage`.
#[derive(Debug, Args)]
pub struct RuleCoverage {
    /// Only the sentences of these documents.
    #[arg(value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = SuggestFormat::Text)]
    pub format: SuggestFormat,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuggestFormat {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}
