//! Arguments of `aidd work`.

use clap::{Args, Subcommand, ValueEnum};

/// `aidd work …`.
#[derive(Debug, Args)]
#[command(
    after_help = "The list is the file ai/memory/work.jsonl. Commit it: Git merges it line by line. An ENTRY is an\nid, the start of an id, or a title. The state of an entry with parts follows from its parts.\n\nExamples:\n  aidd work add \"Parse dates\" --level task --parent Import\n  aidd work start \"Parse dates\"\n  aidd work"
)]
pub struct Work {
    /// What to do; without it, the entries to continue with are listed.
    #[command(subcommand)]
    pub command: Option<WorkCommand>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd work`.
#[derive(Debug, Subcommand)]
pub enum WorkCommand {
    /// Add an entry.
    Add {
        /// What is to be done.
        title: String,
        /// Level of the entry.
        #[arg(long, value_enum, default_value_t = WorkLevel::Task)]
        level: WorkLevel,
        /// Entry of which the new entry is a part.
        #[arg(long, value_name = "ENTRY")]
        parent: Option<String>,
        /// Priority of the entry.
        #[arg(long, value_enum, default_value_t = WorkPriority::Medium)]
        priority: WorkPriority,
        /// Flow of the code that the work concerns; can be repeated.
        #[arg(long = "flow", value_name = "NAME")]
        flows: Vec<String>,
        /// Note, such as where to begin.
        #[arg(long)]
        note: Option<String>,
    },
    /// List all entries with their progress.
    List,
    /// Mark an entry as started.
    Start {
        /// Id, start of an id, or title.
        entry: String,
    },
    /// Mark an entry as done.
    Done {
        /// Id, start of an id, or title.
        entry: String,
    },
    /// Mark an entry as blocked.
    Block {
        /// Id, start of an id, or title.
        entry: String,
        /// What it waits for.
        reason: Option<String>,
    },
    /// Mark an entry as open.
    Reopen {
        /// Id, start of an id, or title.
        entry: String,
    },
    /// Give up an entry; it is no longer counted.
    Drop {
        /// Id, start of an id, or title.
        entry: String,
        /// Why.
        reason: Option<String>,
    },
    /// Print the progress of the stages.
    Status,
}

/// The level of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkLevel {
    /// A stage of the project.
    Stage,
    /// A milestone of a stage.
    Milestone,
    /// A task of a stage or milestone.
    Task,
    /// A part of a task.
    Subtask,
    /// Work that interrupts a task.
    Sidequest,
    /// A single step.
    Item,
}

/// The priority of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkPriority {
    /// After everything else.
    Low,
    /// The default.
    Medium,
    /// Before medium.
    High,
    /// Before everything else.
    Critical,
}
