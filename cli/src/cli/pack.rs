//! Arguments of `aidd pack`.

use clap::{Args, Subcommand, ValueEnum};

/// `aidd pack …`.
#[derive(Debug, Args)]
#[command(
    after_help = "Packs are derived files below aidd/reports, which Git ignores unless `memory.packs.tracked` is\nset. Each is within a budget: at most 8000 characters, 180 lines and 15 rows of a section.\n\nExit codes:\n  0  done; for `verify`: all packs are valid and current\n  1  `verify` found problems\n  2  wrong usage or configuration\n\nExamples:\n  aidd pack build\n  aidd pack show decisions --ticket ABC-12\n  aidd pack slice \"retry policy\""
)]
pub struct Pack {
    /// What to do.
    #[command(subcommand)]
    pub command: PackCommand,
    /// Ticket [default: the feature of the branch, the key in its name, or `project`].
    #[arg(long, global = true, value_name = "TICKET")]
    pub ticket: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd pack`.
#[derive(Debug, Subcommand)]
pub enum PackCommand {
    /// Build the packs of a ticket; files that are current are not written.
    ///
    /// The semantic pack has terms, defaults, constraints, invariants and open questions; the
    /// decision pack has the decisions that hold; the research pack has the code that the ticket
    /// touches, from the code index, which is brought up to date.
    Build,
    /// Check the packs of a ticket: schema, budget, ids, and whether they are current.
    Verify,
    /// Write the rows of all packs that contain all words of a query, or have an id.
    Slice {
        /// Words, a topic or an id.
        query: String,
    },
    /// Print a pack as it would be built now; writes nothing.
    Show {
        /// Pack to print.
        #[arg(value_enum, default_value_t = PackName::Semantic)]
        pack: PackName,
    },
}

/// The packs of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PackName {
    /// Terms, defaults, constraints, invariants, open questions.
    Semantic,
    /// The decisions that hold.
    Decisions,
    /// The code of the ticket.
    Rlm,
    /// All decisions of the ticket, one per line.
    Log,
}
