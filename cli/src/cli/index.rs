//! Arguments of `aidd index`.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// `aidd index …`.
#[derive(Debug, Args)]
#[command(
    after_help = "The index is the file .aidd/data.index.db, which Git ignores. It is brought up to date before\neach answer. A SYMBOL is a name, a qualified name (`Type.method`), a key (`path#name~kind`) or a\nplace (`path:line`).\n\nExamples:\n  aidd index\n  aidd index callers Engine.check\n  aidd index map --tokens 2000 --focus src/api
  aidd index callers Engine.check --rev main"
)]
pub struct Index {
    /// The question; without it, the index is built or brought up to date.
    #[command(subcommand)]
    pub command: Option<IndexCommand>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Answer for a commit instead of the work tree, such as `main` or `HEAD~3`.
    #[arg(long, global = true, value_name = "REV")]
    pub rev: Option<String>,
    /// Print the numbers of files, symbols and references.
    #[arg(long)]
    pub stats: bool,
    /// Remove the index.
    #[arg(long, conflicts_with = "stats")]
    pub rm: bool,
}

/// The formats of `aidd index export`.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ExportFormat {
    /// Symbols as a tags file, in the extended format of Universal Ctags.
    #[arg(long)]
    pub tags: bool,
    /// References between directories as a Mermaid flowchart.
    #[arg(long)]
    pub mermaid: bool,
    /// Symbols and proved references in the binary format SCIP; the file is written.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub scip: Option<PathBuf>,
}

/// The questions of `aidd index`.
#[derive(Debug, Subcommand)]
pub enum IndexCommand {
    /// Find symbols by a part of their names.
    Find {
        /// Part of a name.
        text: String,
        /// Maximum number of symbols.
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Print the source of a symbol, with its callers and callees.
    Show {
        /// Name, key or place of a symbol.
        symbol: String,
    },
    /// List the places that call or use a symbol.
    Callers {
        /// Name, key or place of a symbol.
        symbol: String,
        /// Also list calls that are possible but not proved.
        #[arg(long)]
        possible: bool,
    },
    /// List what a symbol calls and uses.
    Callees {
        /// Name, key or place of a symbol.
        symbol: String,
        /// Also list calls that are possible but not proved.
        #[arg(long)]
        possible: bool,
    },
    /// List the symbols that a change to a symbol can break: its direct and indirect callers.
    Impact {
        /// Name, key or place of a symbol.
        symbol: String,
        /// Maximum length of a call chain.
        #[arg(long, default_value_t = 3, value_name = "N")]
        depth: usize,
    },
    /// Show what an entry point leads to, or the calls between two symbols; without arguments, list
    /// the entry points.
    Flows {
        /// Symbol at which the flow begins.
        from: Option<String>,
        /// Symbol at which the flow ends.
        to: Option<String>,
        /// Maximum length of a call chain.
        #[arg(long, default_value_t = 6, value_name = "N")]
        depth: usize,
    },
    /// List the routes that the project serves, with the functions that answer them.
    Routes {
        /// Part of a method, path or framework.
        text: Option<String>,
        /// Maximum number of routes.
        #[arg(long, default_value_t = 500, value_name = "N")]
        limit: u32,
    },
    /// Print the most important symbols within a token budget.
    Map {
        /// Maximum number of tokens.
        #[arg(long, default_value_t = 2000, value_name = "N")]
        tokens: usize,
        /// Files and directories that matter most.
        #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
        focus: Vec<String>,
    },
    /// List the test files that changes of files can affect.
    Affected {
        /// Changed files [default: the uncommitted changes].
        #[arg(value_hint = ValueHint::FilePath)]
        paths: Vec<String>,
    },
    /// Tell which functions of a file are pure, and what the others do besides returning a result.
    #[command(after_help = "The exit code is 1 if a function is not pure.")]
    Pure {
        /// File to read; `-` reads standard input.
        #[arg(value_hint = ValueHint::FilePath)]
        file: String,
        /// Language of the code [default: by the extension, or guessed].
        #[arg(long, value_name = "LANGUAGE")]
        lang: Option<String>,
    },
    /// List functions and types that nothing in the project refers to.
    Dead {
        /// Include symbols that are exported.
        #[arg(long)]
        exported: bool,
        /// Maximum number of symbols.
        #[arg(long, default_value_t = 100, value_name = "N")]
        limit: u32,
    },
    /// Name a theme or a flow; the name replaces those that the index derives. Without arguments,
    /// list the names.
    #[command(
        after_help = "The names are in the file ai/memory/map.jsonl. Commit it: Git merges it line by line.\n\nExamples:\n  aidd index name theme pricing src/prices src/tax.py\n  aidd index name flow checkout --entry src/cart.py#pay --theme pricing\n  aidd index name flow checkout --rm"
    )]
    Name {
        /// What is named.
        #[arg(value_enum, requires = "name")]
        kind: Option<NameKind>,
        /// The new name.
        name: Option<String>,
        /// Files and directories that belong to it.
        #[arg(value_hint = ValueHint::AnyPath)]
        paths: Vec<String>,
        /// Symbol at which the flow begins, as NAME or PATH#NAME; can be repeated.
        #[arg(long = "entry", value_name = "SYMBOL")]
        entries: Vec<String>,
        /// Theme of the flow; can be repeated.
        #[arg(long = "theme", value_name = "NAME")]
        themes: Vec<String>,
        /// What it contains or does.
        #[arg(long)]
        description: Option<String>,
        /// Withdraw the name.
        #[arg(long)]
        rm: bool,
    },
    /// Run a read-only SQL query.
    ///
    /// Tables: files, symbols, refs, candidates, imports, bindings, routes. Views with the names of
    /// the AIFP project database: project, functions, types, interactions, themes, flows, flow_steps,
    /// flow_themes, file_flows, infrastructure. Limits: one statement, 2 seconds, 500 rows, 64 KB.
    Sql {
        /// SELECT statement.
        query: String,
    },
    /// Print the index in the format of another tool.
    #[command(
        after_help = "Examples:\n  aidd index export --tags > tags\n  aidd index export --scip index.scip\n  aidd index export --mermaid --focus src/api"
    )]
    Export {
        /// Format of the output.
        #[command(flatten)]
        format: ExportFormat,
        /// Files and directories whose dependencies the flowchart shows, file by file.
        #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath, conflicts_with_all = ["tags", "scip"])]
        focus: Vec<String>,
        /// Maximum number of nodes of the flowchart.
        #[arg(long, default_value_t = 30, value_name = "N", conflicts_with_all = ["tags", "scip"])]
        limit: usize,
    },
    /// Check the index for damage.
    #[command(after_help = "The exit code is 1 if there are problems.")]
    Doctor,
}

/// What `aidd index name` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NameKind {
    /// A group of files on one subject.
    Theme,
    /// A procedure: entry points and what they reach.
    Flow,
}
