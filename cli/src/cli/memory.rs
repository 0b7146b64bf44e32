//! What may be typed of the project's memory.

mod parsers;

use aidd_memory::types::{Kind, Outcome, Relation};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use parsers::{confidence, field, json, kind, link, relation};
use serde_json::Value;
use std::path::PathBuf;

/// `aidd memory …`.
#[derive(Debug, Args)]
#[command(
    after_help = "Begin with:\n  aidd memory add decision \"Sessions live in signed cookies\" --topic auth --reasoning \"No store to run\"\n  aidd memory search \"where do sessions live\"\n\nDecisions, mistakes and conventions go into ai/memory/*.jsonl: commit them, and the whole team has\nthem. Everything else stays in this checkout. Secrets and <private> text are never written."
)]
pub struct Memory {
    /// What to do.
    #[command(subcommand)]
    pub command: MemoryCommand,
    /// Print JSON, with the same field names in every version.
    #[arg(long, global = true)]
    pub json: bool,
}

/// The commands of `aidd memory`.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Remember something.
    #[command(subcommand)]
    Add(AddCommand),
    /// Find memories by what they say, in any words.
    #[command(
        after_help = "Examples:\n  aidd memory search \"why did we drop Redis\"\n  aidd memory search --type mistake ECONNREFUSED\n  aidd memory search --topic auth --all\n  aidd memory search --since 2w --sort newest\n\nThe answer is short on purpose: aidd memory show ID gives the whole of what is worth reading."
    )]
    Search(Box<Search>),
    /// Print memories whole, with what was said before and what they are linked to.
    #[command(
        after_help = "An id may be shortened to its last part, as far as that is unambiguous."
    )]
    Show {
        /// Their ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Print what was remembered before and after a memory.
    Timeline {
        /// Its id.
        id: String,
        /// How many on either side.
        #[arg(long, default_value_t = 3, value_name = "N")]
        depth: usize,
    },
    /// Print what was remembered last.
    Recent(Recent),
    /// List the topics of decisions, with how many were made on each.
    Topics,
    /// Change a memory. What it said before stays in its history.
    #[command(
        after_help = "Examples:\n  aidd memory edit ID --content \"Sessions live in signed cookies, for a day\"\n  aidd memory edit ID --topic auth --set reasoning=\"Nothing to run\" --unset context"
    )]
    Edit(Edit),
    /// Decide otherwise: a new decision takes the place of an older one.
    #[command(
        after_help = "Example:\n  aidd memory supersede ID \"Sessions live in Redis\" --reasoning \"We have to end them at once\""
    )]
    Supersede {
        /// The decision whose place is taken.
        id: String,
        /// The new decision.
        #[command(flatten)]
        new: AddDecision,
    },
    /// Say what came of a decision.
    #[command(
        after_help = "Example:\n  aidd memory outcome ID failed --reason \"Cookies grew over 4 KB\""
    )]
    Outcome {
        /// The decision.
        id: String,
        /// success, failed or partial.
        #[arg(value_parser = Outcome::read)]
        outcome: Outcome,
        /// Why it came so.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Take memories back. The lines of tracked ones stay; what they superseded holds again.
    Remove {
        /// Their ids.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// List what does not go together.
    Conflicts,
    /// Say which of those counts: the decision, or the edit, to keep.
    #[command(
        after_help = "Examples:\n  aidd memory settle ID              keep the decision ID; it supersedes the others on its topic\n  aidd memory settle ID --rev REV    of two edits of ID, keep that one"
    )]
    Settle {
        /// The memory to keep.
        id: String,
        /// Which edit of it to keep, as `aidd memory conflicts` names it [default: the one shown].
        #[arg(long, value_name = "REV")]
        rev: Option<String>,
    },
    /// Link one memory to another.
    #[command(
        after_help = "Example:\n  aidd memory link ID builds_on OTHER --reason \"Needs the cookie key\""
    )]
    Link {
        /// Where the link starts: a decision, mistake or convention.
        from: String,
        /// What the first is to the second.
        #[arg(value_parser = relation)]
        relation: Relation,
        /// Where it ends.
        to: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Print the memory, or write tracked lines back that a file has lost.
    Export(Export),
    /// Take memories in from a file.
    #[command(
        after_help = "Read are: lines of aidd (ai/memory/*.jsonl, `aidd memory export`), the older JSON files of\ndecisions, mistakes and conventions, decisions of MAMA as JSON, the decision log of Memory v2, the\nexport of claude-mem, and the memory.jsonl of @modelcontextprotocol/server-memory. Taking in the same file again adds nothing."
    )]
    Import(Import),
    /// Say how the memory is, and what to do about what is wrong.
    Doctor {
        /// Mend what can be mended without losing anything.
        #[arg(long)]
        fix: bool,
    },
    /// Make the store anew of the tracked files.
    Rebuild,
    /// Let go of old sessions and what they observed.
    #[command(
        after_help = "Tracked files are left alone unless --tracked is given, and even then --apply has to be, too:\nthe lines of memories that were taken back long ago go."
    )]
    Prune(Prune),
    /// List the sessions of agents.
    Sessions(Sessions),
    /// Print where a branch stands, or make what it decided permanent.
    Branch(Branch),
}

/// `aidd memory add …`.
#[derive(Debug, Subcommand)]
pub enum AddCommand {
    /// A choice and its reasons. It takes the place of what was decided on its topic before.
    #[command(
        after_help = "Example:\n  aidd memory add decision \"Sessions live in signed cookies\" --topic auth \\\n    --reasoning \"No store to run\" --alternative \"Redis: one more service\""
    )]
    Decision(Box<AddDecision>),
    /// An error, its cause and its cure. The same error again is counted.
    #[command(
        after_help = "Example:\n  aidd memory add mistake \"ENOSPC: no space left on device, watch\" \\\n    --cause \"Too few inotify watches\" --fix \"Raise fs.inotify.max_user_watches\" --file vite.config.ts"
    )]
    Mistake(Box<AddMistake>),
    /// How things are done here.
    #[command(
        after_help = "Examples:\n  aidd memory add convention \"Errors say what to do\" --example 'hint: run `aidd init`'\n  aidd memory add convention \"Dates are made with Temporal, never with moment\" \\\n    --check '{\"files\": [\"*.ts\"], \"text\": {\"regex\": \"\\\\bmoment\\\\(\"}, \"fails\": {\"a.ts\": \"moment()\"}}'"
    )]
    Convention(Box<AddConvention>),
    /// A lesson in a sentence or two. It stays in this checkout.
    Insight(Box<AddInsight>),
}

/// The text of a memory.
#[derive(Debug, Args)]
pub struct Text {
    /// What to remember; `-` reads it from standard input.
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// What it is about, in a word or two. Decisions on one topic follow each other.
    #[arg(long)]
    pub topic: Option<String>,
}

/// What memories of the tracked files may be linked to.
#[derive(Debug, Args)]
pub struct Links {
    /// A link to another memory, such as builds_on:ID; may be given several times.
    #[arg(long = "link", value_name = "RELATION:ID", value_parser = link)]
    pub links: Vec<(Relation, String)>,
}

/// Options of `aidd memory add decision`.
#[derive(Debug, Args)]
pub struct AddDecision {
    /// The decision.
    #[command(flatten)]
    pub text: Text,
    /// Why.
    #[arg(long, short, value_name = "TEXT")]
    pub reasoning: Option<String>,
    /// What else was looked at, and why it was not taken; may be given several times.
    #[arg(long = "alternative", value_name = "TEXT")]
    pub alternatives: Vec<String>,
    /// In what situation.
    #[arg(long, value_name = "TEXT")]
    pub context: Option<String>,
    /// How sure, from 0 to 1.
    #[arg(long, value_name = "NUMBER", value_parser = confidence)]
    pub confidence: Option<f64>,
    /// A decision whose place it takes, on whatever topic; may be given several times.
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// What it is linked to.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add mistake`.
#[derive(Debug, Args)]
pub struct AddMistake {
    /// The error.
    #[command(flatten)]
    pub text: Text,
    /// Why it happened.
    #[arg(long, value_name = "TEXT")]
    pub cause: Option<String>,
    /// What mended it.
    #[arg(long, value_name = "TEXT")]
    pub fix: Option<String>,
    /// What keeps it from coming back.
    #[arg(long, value_name = "TEXT")]
    pub prevention: Option<String>,
    /// A file it was about; may be given several times.
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// A check that enforces it, as under `check:` of a rule page; also rule, severity, message, help,
    /// fails and passes.
    #[arg(long, value_name = "JSON", value_parser = json)]
    pub check: Option<Value>,
    /// What it is linked to.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add convention`.
#[derive(Debug, Args)]
pub struct AddConvention {
    /// The convention.
    #[command(flatten)]
    pub text: Text,
    /// How it looks when followed; may be given several times.
    #[arg(long = "example", value_name = "TEXT")]
    pub examples: Vec<String>,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub rationale: Option<String>,
    /// What sort of convention.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// A check that enforces it, as under `check:` of a rule page; also rule, severity, message, help,
    /// fails and passes.
    #[arg(long, value_name = "JSON", value_parser = json)]
    pub check: Option<Value>,
    /// What it is linked to.
    #[command(flatten)]
    pub links: Links,
}

/// Options of `aidd memory add insight`.
#[derive(Debug, Args)]
pub struct AddInsight {
    /// The lesson.
    #[command(flatten)]
    pub text: Text,
    /// What sort of lesson.
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// A word to find it by; may be given several times.
    #[arg(long = "tag", value_name = "WORD")]
    pub tags: Vec<String>,
    /// Where it comes from.
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
}

/// Options of `aidd memory search`.
#[derive(Debug, Args)]
pub struct Search {
    /// The question. Without one, the filters choose.
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Only these types; comma or repeat.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Made at this time or later: 2026-01-31, or so long ago: 7d, 2w, 12h.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Made before this time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Of this branch.
    #[arg(long)]
    pub branch: Option<String>,
    /// Naming this file.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub file: Option<String>,
    /// Of this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Decisions that came to this: success, failed or partial.
    #[arg(long, value_parser = Outcome::read)]
    pub outcome: Option<Outcome>,
    /// On this topic.
    #[arg(long)]
    pub topic: Option<String>,
    /// Also what a later memory took the place of.
    #[arg(long)]
    pub all: bool,
    /// The order.
    #[arg(long, value_enum, default_value_t = Sort::Relevance)]
    pub sort: Sort,
    /// At most so many.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Say how they were found.
    #[arg(long)]
    pub diagnostics: bool,
}

/// The orders of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The best answer first.
    Relevance,
    /// The last made first.
    Newest,
    /// The first made first.
    Oldest,
}

/// Options of `aidd memory recent`.
#[derive(Debug, Args)]
pub struct Recent {
    /// At most so many.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// Only these types; comma or repeat.
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<Kind>,
    /// Of this branch.
    #[arg(long)]
    pub branch: Option<String>,
}

/// Options of `aidd memory edit`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("changes")
    .args(["content", "topic", "set", "unset"]).required(true).multiple(true))]
pub struct Edit {
    /// The memory: a decision, mistake or convention.
    pub id: String,
    /// What it says from now on; `-` reads it from standard input.
    #[arg(long, value_name = "TEXT")]
    pub content: Option<String>,
    /// What it is about; an empty text takes the topic away.
    #[arg(long)]
    pub topic: Option<String>,
    /// A field, such as reasoning=TEXT or files='["a.rs"]'; may be given several times. An unknown one
    /// is refused with those that the memory has.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = field)]
    pub set: Vec<(String, String)>,
    /// A field to take out; may be given several times.
    #[arg(long, value_name = "FIELD")]
    pub unset: Vec<String>,
}

/// Options of `aidd memory export`.
#[derive(Debug, Args)]
pub struct Export {
    /// How to write it.
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub format: ExportFormat,
    /// Write it to a file.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Only what lies in the tracked files.
    #[arg(long)]
    pub tracked: bool,
    /// Print nothing: write the lines back that this checkout knows and a tracked file no longer
    /// holds.
    #[arg(long, conflicts_with_all = ["format", "output", "tracked"])]
    pub missing: bool,
}

/// The formats of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A line each, whole, with all history: what `aidd memory import` reads.
    Jsonl,
    /// One object, as the memories stand now.
    Json,
    /// A page to read.
    Markdown,
}

/// Options of `aidd memory import`.
#[derive(Debug, Args)]
pub struct Import {
    /// The file; `-` reads standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// What form it has [default: seen from its content].
    #[arg(long, value_enum)]
    pub from: Option<Form>,
    /// Say what would be taken, and take nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// The forms of memory that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Lines of aidd.
    Aidd,
    /// The older JSON files of decisions, mistakes and conventions.
    Older,
    /// Decisions of MAMA, as JSON.
    Mama,
    /// The decision log of Memory v2.
    #[value(name = "memory-v2")]
    MemoryV2,
    /// An export of claude-mem.
    ClaudeMem,
    /// The memory.jsonl of @modelcontextprotocol/server-memory.
    ServerMemory,
}

/// Options of `aidd memory prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// Sessions that began more than so many days ago go.
    #[arg(long, default_value_t = 90, value_name = "N")]
    pub days: u32,
    /// So do those beyond the last so many.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub sessions: usize,
    /// Say what would go, and let nothing go. The default with --tracked.
    #[arg(long)]
    pub dry_run: bool,
    /// Instead: lines of memories that were taken back more than --days ago, in tracked files.
    #[arg(long)]
    pub tracked: bool,
    /// With --tracked: let them go.
    #[arg(long, requires = "tracked", conflicts_with = "dry_run")]
    pub apply: bool,
}

/// Options of `aidd memory sessions`.
#[derive(Debug, Args)]
pub struct Sessions {
    /// On this branch.
    #[arg(long)]
    pub branch: Option<String>,
    /// Only those that were not ended.
    #[arg(long)]
    pub active: bool,
    /// At most so many.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    pub limit: usize,
}

/// Options of `aidd memory branch`.
#[derive(Debug, Args)]
pub struct Branch {
    /// Its name [default: the branch that is checked out].
    pub branch: Option<String>,
    /// List all branches that something is known of.
    #[arg(long, conflicts_with_all = ["branch", "merge"])]
    pub list: bool,
    /// It was merged: make what it decided and mended permanent, and archive its context.
    #[arg(long)]
    pub merge: bool,
}
