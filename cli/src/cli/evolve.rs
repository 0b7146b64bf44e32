//! Arguments of `aidd evolve` and `aidd draft`.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Arguments of the command `aidd evolve`.
#[derive(Debug, Args)]
#[command(
    after_help = "The figures of sessions suggest changes: a role for a kind of task, the severity of a rule, a rule\nagainst a repeated mistake. Changes are drafted for a person; `evolution.autoApply` in the\nconfiguration applies those that consist of a setting and have enough evidence.\n`evolution.enabled` or AIDD_EVOLUTION=off switches evolution off.\n\nExit codes:\n  0  done\n  1  a change could not be reverted\n  2  wrong usage or configuration\n\nExamples:\n  aidd evolve status\n  aidd evolve run\n  aidd evolve revert change_1764000000000_1a2b3c4d5e6f"
)]
pub struct Evolve {
    /// What to do.
    #[command(subcommand)]
    pub command: EvolveCommand,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd evolve`.
#[derive(Debug, Subcommand)]
pub enum EvolveCommand {
    /// Show what is applied, which drafts wait for a decision, and the last actions.
    Status,
    /// Show what the recorded sessions suggest; writes nothing.
    Analyze,
    /// Show a change or draft: figures, changed values and files, history.
    Review {
        /// Id of a change or draft, or its start.
        id: String,
    },
    /// Draft what the recorded sessions suggest, and apply what is configured to be applied.
    Run,
    /// Take back an applied change: its files are restored byte for byte.
    ///
    /// A file that was edited since is not overwritten.
    Revert {
        /// Id of the change, or its start.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        id: Option<String>,
        /// Take back all changes.
        #[arg(long)]
        all: bool,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

/// Arguments of the command `aidd draft`.
#[derive(Debug, Args)]
#[command(
    after_help = "Drafts are files in .aidd/drafts; edit them before you approve them.\n\nExamples:\n  aidd draft list\n  aidd draft show draft_17\n  aidd draft approve draft_17\n  aidd draft reject draft_17 --reason \"too strict for scripts\"\n  aidd draft create rules \"No moment()\" --file no-moment.md"
)]
pub struct Drafts {
    /// What to do.
    #[command(subcommand)]
    pub command: DraftCommand,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd draft`.
#[derive(Debug, Subcommand)]
pub enum DraftCommand {
    /// List the drafts that wait for a decision.
    List {
        /// Also list approved and rejected drafts.
        #[arg(long)]
        all: bool,
    },
    /// Print a draft, its figures and the trial of its rule.
    Show {
        /// Id of the draft, or its start.
        id: String,
    },
    /// Write a draft to its place: a page, a convention in the memory, or settings.
    Approve {
        /// Id of the draft, or its start.
        id: String,
    },
    /// Remove a draft; nothing similar is drafted for 30 days.
    Reject {
        /// Id of the draft, or its start.
        id: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Create a draft. A rule is tried on the project and the last 50 commits.
    Create {
        /// What the draft becomes.
        #[arg(value_enum)]
        category: DraftCategory,
        /// One line that says what changes.
        title: String,
        /// File with the text.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}

/// What a draft becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DraftCategory {
    /// A rule page.
    Rules,
    /// A knowledge entry.
    Knowledge,
    /// A skill page.
    Skills,
    /// A workflow page.
    Workflows,
    /// A convention in the memory.
    Conventions,
    /// Settings, as a JSON patch.
    Settings,
}
