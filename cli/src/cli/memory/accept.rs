//! Arguments of `aidd memory accept`.

use clap::Args;

/// Options of `aidd memory accept`.
#[derive(Debug, Args)]
pub struct Accept {
    /// Ids of drafts.
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub ids: Vec<String>,
    /// Accept all drafts that are in effect.
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// With --all: only drafts from this source: the path or the id of an import, or the file that
    /// states the memory.
    #[arg(long, value_name = "SOURCE", requires = "all")]
    pub from: Option<String>,
    /// Print what would be accepted, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
}
