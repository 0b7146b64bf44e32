//! Arguments of `aidd memory`.

mod accept;
mod import;
mod origin;
mod parsers;

pub use accept::Accept;
use aidd_memory::types::{Kind, Outcome, Relation};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
pub use import::{Form, Import};
use origin::DecisionOrigin;
use parsers::{confidence, field, json, kind, link, relation};
use serde_json::Value;
use std::path::PathBuf;

/// `aidd memory …`.
#[derive(Debug, Args)]
#[command(
    after_help = "Begin with:\n  aidd memory add decision \"Sessions live in signed cookies\" --topic auth --reasoning \"No store to run\"\n  aidd memory search \"where do sessions live\"\n\nDecisions, mistakes and conventions are written to ai/memory/*.jsonl; commit these files to share\nthem with the team. All other memories stay in this checkout. Secrets and <private> text are never\nwritten."
)]
pub struct Memory {
    /// The command to run.
    #[command(subcommand)]
    pub command: MemoryCommand,
    /// Print JSON; field names are stable across versions.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd memory`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Add a memory.
    #[command(subcommand)]
    Add(AddCommand),
    /// Search memories by meaning or keyword.
    #[command(
        after_help = "Examples:\n  aidd memory search \"why did we drop Redis\"\n  aidd memory search --type mistake ECONNREFUSED\n  aidd memory search --topic auth --all\n  aidd memory search --since 2w --sort newest\n\nResults are abbreviated; `aidd memory show ID` prints a memory in full."
    )]
    Search(Box<Search>),
    /// Print memories in full, with their history and links.
    #[command(
        after_help = "An id can be shortened to its last part, or the beginning of that part, if the short form is unambiguous."
    )]
    Show {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Print the memories recorded before and after a memory.
    Timeline {
        /// Memory id.
        id: String,
        /// Number of memories on either side.
        #[arg(long, default_value_t = 3, value_name = "N")]
        depth: usize,
    },
    /// Print the most recent memories.
    Recent(Recent),
    /// List decision topics with the number of decisions on each.
    Topics,
    /// Edit a memory. The previous text remains in the memory's history.
    #[command(
        after_help = "Examples:\n  aidd memory edit ID --content \"Sessions live in signed cookies, for a day\"\n  aidd memory edit ID --topic auth --set reasoning=\"Nothing to run\" --unset context"
    )]
    Edit(Edit),
    /// Replace a decision with a new one.
    #[command(
        after_help = "Example:\n  aidd memory supersede ID \"Sessions live in Redis\" --reasoning \"We must be able to revoke them immediately\""
    )]
    Supersede {
        /// The decision to replace.
        id: String,
        /// The new decision.
        #[command(flatten)]
        new: Box<AddDecision>,
    },
    /// Record the outcome of a decision.
    #[command(
        after_help = "Example:\n  aidd memory outcome ID failed --reason \"Cookies grew over 4 KB\""
    )]
    Outcome {
        /// Id of the decision.
        id: String,
        /// success, failed or partial.
        #[arg(value_parser = Outcome::read)]
        outcome: Outcome,
        /// Reason for the outcome.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Remove memories. Their lines in tracked files remain; decisions that a removed memory
    /// superseded become active again.
    Remove {
        /// Memory ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Reason for the removal.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// List conflicting memories.
    Conflicts,
    /// Resolve a conflict: choose the decision, or the edit, to keep.
    #[command(
        after_help = "Examples:\n  aidd memory resolve ID              keep the decision ID; it supersedes the others on its topic\n  aidd memory resolve ID --rev REV    of two edits of ID, keep REV"
    )]
    Resolve {
        /// The memory to keep.
        id: String,
        /// Revision of the edit to keep, as printed by `aidd memory conflicts` [default: the edit whose
        /// text `aidd memory show` prints].
        #[arg(long, value_name = "REV")]
        rev: Option<String>,
    },
    /// Link one memory to another.
    #[command(
        after_help = "Example:\n  aidd memory link ID builds_on OTHER --reason \"Needs the cookie key\""
    )]
    Link {
        /// Source of the link: a decision, mistake or convention.
        from: String,
        /// Relation of the source to the target.
        #[arg(value_parser = relation)]
        relation: Relation,
        /// Target of the link.
        to: String,
        /// Reason for the link.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Print all memories, or restore lines that are missing from tracked files.
    Export(Export),
    /// Import memories from a file, a database or a directory, or take an import back.
    #[command(
        after_help = "Supported: the databases of MAMA, claude-mem, AIFP and aidd.md (an earlier version of aidd); exports\nof MAMA and claude-mem as JSON; logs and packs of Memory v2 (an earlier memory format of aidd);\nmemory.jsonl of @modelcontextprotocol/server-memory; .serena/memories; CLAUDE.md, AGENTS.md and\ndirectories of decision records, as drafts; aidd JSON Lines (`aidd memory export`) and the older JSON\nfiles. Importing the same file again adds nothing.\n\nExamples:\n  aidd memory import ~/.claude-mem/claude-mem.db --project shop --dry-run\n  aidd memory import docs/adr\n  aidd memory import --undo"
    )]
    Import(Import),
    /// Save drafts of an import as memories of the team.
    #[command(
        after_help = "Imports of guidance and of decision records add drafts to this checkout. An accepted draft becomes a\ndecision, mistake or convention in the tracked files, with its source.\n\nExamples:\n  aidd memory accept ID\n  aidd memory accept --all --from docs/adr --dry-run"
    )]
    Accept(Accept),
    /// Check the memory and print how to fix problems.
    Doctor {
        /// Apply fixes that lose no data.
        #[arg(long)]
        fix: bool,
    },
    /// Rebuild the store from the tracked files.
    Rebuild,
    /// Delete old sessions and their observations.
    #[command(
        after_help = "Tracked files are not changed, except with --tracked and --apply, which remove the lines of\nmemories that were removed more than --days ago."
    )]
    Prune(Prune),
    /// Delete the statistics of agent sessions.
    #[command(
        after_help = "Statistics are names, counts and times that the server and the hooks record; `aidd stats` prints\nthem. Memories and sessions remain."
    )]
    Forget {
        /// Delete the statistics of all sessions.
        #[arg(long, required = true)]
        analytics: bool,
    },
    /// List agent sessions.
    Sessions(Sessions),
    /// Show the state of a branch, or make its decisions permanent.
    Branch(Branch),
}

/// `aidd memory add …`.
#[derive(Debug, Subcommand)]
pub enum AddCommand {
    /// Add a decision and its reasons. It supersedes earlier decisions on its topic.
    #[command(
        after_help = "Example:\n  aidd memory add decision \"Sessions live in signed cookies\" --topic auth \\\n    --reasoning \"No store to run\" --alternative \"Redis: one more service\""
    )]
    Decision(Box<AddDecision>),
    /// Add an error with its cause and fix. Repeated errors are counted.
    #[command(
        after_help = "Example:\n  aidd memory add mistake \"ENOSPC: no space left on device, watch\" \\\n    --cause \"Too few inotify watches\" --fix \"Raise fs.inotify.max_user_watches\" --file vite.config.ts"
    )]
    Mistake(Box<AddMistake>),
    /// Add a project convention.
    #[command(
        after_help = "Examples:\n  aidd memory add convention \"Errors say what to do\" --example 'hint: run `aidd init`'\n  aidd memory add convention \"Create dates with Temporal, never with moment\" \\\n    --check '{\"files\": [\"*.ts\"], \"text\": {\"regex\": \"\\\\bmoment\\\\(\"}, \"fails\": {\"a.ts\": \"moment()\"}}'"
    )]
    Convention(Box<AddConvention>),
    /// Add a lesson in a sentence or two. The lesson is stored only in this checkout.
    Insight(Box<AddInsight>),
}

/// Text and topic of a new memory.
#[derive(Debug, Args)]
pub struct Text {
    /// Text to remember; `-` reads standard input.
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// Topic in a word or two.
    #[arg(long)]
    pub topic: Option<String>,
    /// Question that the memory answers, in the words of somebody who does not know it, for searches;
    /// up to 3.
    #[arg(long = "question", value_name = "TEXT")]
    pub questions: Vec<String>,
}

/// Links to other memories in the tracked files, and the date of a new one.
#[derive(Debug, Args)]
pub struct Links {
    /// Link to another memory, such as builds_on:ID; repeatable.
    #[arg(long = "link", value_name = "RELATION:ID", value_parser = link)]
    pub links: Vec<(Relation, String)>,
    /// Date of the memory, if it is from an earlier day, such as 2026-03-01.
    #[arg(long, value_name = "TIME")]
    pub date: Option<String>,
}

/// Options of `aidd memory add decision`.
#[derive(Debug, Args)]
pub struct AddDecision {
    /// Text and topic of the decision.
    #[command(flatten)]
    pub text: Text,
    /// Reason for the decision.
    #[arg(long, short, value_name = "TEXT")]
    pub reasoning: Option<String>,
    /// Rejected alternative and the reason; repeatable.
    #[arg(long = "alternative", value_name = "TEXT")]
    pub alternatives: Vec<String>,
    /// Situation in which the decision was made.
    #[arg(long, value_name = "TEXT")]
    pub context: Option<String>,
    /// Confidence from 0 to 1.
    #[arg(long, value_name = "NUMBER", value_parser = confidence)]
    pub confidence: Option<f64>,
    /// Decision to supersede, on any topic; repeatable.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// Origin of the decision.
    #[command(flatten)]
    pub origin: DecisionOrigin,
    /// Links to other memories.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add mistake`.
#[derive(Debug, Args)]
pub struct AddMistake {
    /// Error message and topic.
    #[command(flatten)]
    pub text: Text,
    /// Cause of the error.
    #[arg(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// Fix that worked.
    #[arg(long, value_name = "TEXT")]
    pub fix: Option<String>,
    /// How to prevent the error.
    #[arg(long, value_name = "TEXT")]
    pub prevention: Option<String>,
    /// Affected file; repeatable.
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Check that finds the mistake, with the keys of `check:` in a rule page and the additional
    /// keys rule, severity, message, help, fails and passes.
    #[arg(long, value_name = "JSON", value_parser = json)]
    pub check: Option<Value>,
    /// Links to other memories.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add convention`.
#[derive(Debug, Args)]
pub struct AddConvention {
    /// Text and topic of the convention.
    #[command(flatten)]
    pub text: Text,
    /// Example that follows the convention; repeatable.
    #[arg(long = "example", value_name = "TEXT")]
    pub examples: Vec<String>,
    /// Reason for the convention.
    #[arg(long, value_name = "TEXT")]
    pub rationale: Option<String>,
    /// Category, in one word.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// Check that enforces the convention, with the keys of `check:` in a rule page and the
    /// additional keys rule, severity, message, help, fails and passes.
    #[arg(long, value_name = "JSON", value_parser = json)]
    pub check: Option<Value>,
    /// Links to other memories.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add insight`.
#[derive(Debug, Args)]
pub struct AddInsight {
    /// Text and topic of the lesson.
    #[command(flatten)]
    pub text: Text,
    /// Category, in one word.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// Tag under which the lesson can be found; repeatable.
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Source of the lesson.
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
}

/// Options of `aidd memory search`.
#[derive(Debug, Args)]
pub struct Search {
    /// Search text. Without it, only the filters apply.
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Another wording of the search text, as the memory may state it; can be repeated.
    #[arg(long = "wording", value_name = "TEXT", requires = "words")]
    pub wordings: Vec<String>,
    /// Only these types; comma-separated or repeated.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Only memories created at or after this time: a date (2026-01-31) or an age (7d, 2w, 12h).
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only memories created before this time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only memories of this branch.
    #[arg(long)]
    pub branch: Option<String>,
    /// Only memories that name this file.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub file: Option<String>,
    /// Only memories of this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only decisions with this outcome: success, failed or partial.
    #[arg(long, value_parser = Outcome::read)]
    pub outcome: Option<Outcome>,
    /// Only memories on this topic.
    #[arg(long)]
    pub topic: Option<String>,
    /// Include superseded memories.
    #[arg(long)]
    pub all: bool,
    /// Sort order.
    #[arg(long, value_enum, default_value_t = Sort::Relevance)]
    pub sort: Sort,
    /// Maximum number of results.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Print how the results were found.
    #[arg(long)]
    pub diagnostics: bool,
}

/// Sort orders of search results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Best match first.
    Relevance,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

/// Options of `aidd memory recent`.
#[derive(Debug, Args)]
pub struct Recent {
    /// Maximum number of memories.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Only these types; comma-separated or repeated.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Only memories of this branch.
    #[arg(long)]
    pub branch: Option<String>,
}

/// Options of `aidd memory edit`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("changes")
    .args(["content", "topic", "questions", "set", "unset"]).required(true).multiple(true))]
pub struct Edit {
    /// Id of a decision, mistake or convention.
    pub id: String,
    /// New text; `-` reads standard input.
    #[arg(long, value_name = "TEXT")]
    pub content: Option<String>,
    /// New topic; an empty string removes the topic.
    #[arg(long)]
    pub topic: Option<String>,
    /// Question that the memory answers; repeatable. They replace the earlier questions.
    #[arg(long = "question", value_name = "TEXT")]
    pub questions: Vec<String>,
    /// Field to set, such as reasoning=TEXT or files='["a.rs"]'; repeatable. An unknown field is an
    /// error that lists the known fields.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = field)]
    pub set: Vec<(String, String)>,
    /// Field to remove; repeatable.
    #[arg(long, value_name = "FIELD")]
    pub unset: Vec<String>,
}

/// Options of `aidd memory export`.
#[derive(Debug, Args)]
pub struct Export {
    /// Output format.
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub format: ExportFormat,
    /// Write to a file instead of standard output.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Only memories in the tracked files.
    #[arg(long)]
    pub tracked: bool,
    /// Print nothing; restore the lines that are missing from a tracked file but still stored in
    /// this checkout.
    #[arg(long, conflicts_with_all = ["format", "output", "tracked"])]
    pub missing: bool,
}

/// The formats in which `memory export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// JSON Lines with full history, as read by `aidd memory import`.
    Jsonl,
    /// One JSON object with the current state of each memory.
    Json,
    /// A Markdown page for people.
    Markdown,
}

/// Options of `aidd memory prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// Delete sessions that began more than N days ago.
    #[arg(long, default_value_t = 90, value_name = "N")]
    pub days: u32,
    /// Delete all but the latest N sessions.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub sessions: usize,
    /// Print what would be deleted, and delete nothing. The default with --tracked.
    #[arg(long)]
    pub dry_run: bool,
    /// Instead, remove from the tracked files the lines of memories that were removed more than
    /// --days ago.
    #[arg(long)]
    pub tracked: bool,
    /// With --tracked: write the changes.
    #[arg(long, requires = "tracked", conflicts_with = "dry_run")]
    pub apply: bool,
}

/// Options of `aidd memory sessions`.
#[derive(Debug, Args)]
pub struct Sessions {
    /// Only sessions on this branch.
    #[arg(long)]
    pub branch: Option<String>,
    /// Only sessions that have not ended.
    #[arg(long)]
    pub active: bool,
    /// Maximum number of sessions.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
}

/// Options of `aidd memory branch`.
#[derive(Debug, Args)]
pub struct Branch {
    /// Branch name [default: the current branch].
    pub branch: Option<String>,
    /// List all known branches.
    #[arg(long, conflicts_with_all = ["branch", "merge"])]
    pub list: bool,
    /// Mark the branch as merged: add its decisions and fixed errors to the permanent memory, and
    /// archive its context.
    #[arg(long)]
    pub merge: bool,
}
