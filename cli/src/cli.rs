//! Commands, options and their help texts.

mod commits;
mod evolve;
mod index;
mod init;
mod mcp;
mod memory;
mod pack;
mod parse;
mod rules;
mod stats;
mod suggest;
mod work;

pub use commits::{GenerateCommand, HookCommand, HookName, MessageFormat};
pub use evolve::{DraftCategory, DraftCommand, Drafts, Evolve, EvolveCommand};
pub use index::{Index, IndexCommand, NameKind};
pub use init::{Client, Init};
pub use mcp::{Mcp, Profile};
pub use memory::{
    Accept, AddCommand, AddConvention, AddDecision, AddInsight, AddMistake, Branch, Edit, Export,
    ExportFormat, Form as MemoryForm, Import, Links, Memory, MemoryCommand, Prune, Recent, Search,
    Sessions, Sort, Text,
};
pub use pack::{Pack, PackCommand, PackName};
pub use parse::{equivalent_of, parse, reword_number_errors, source_variable};
pub use rules::{ExportForm, Form, ImportTool, RuleCommand, RuleExport, RuleImport};
pub use stats::{Stats, StatsSection};
pub use suggest::{RuleCoverage, RuleSuggest, SuggestFormat};
pub use work::{Work, WorkCommand, WorkLevel, WorkPriority};

use aidd_ci::args::{BaselineArgs, Ci, SelectionArgs, WalkArgs};
use aidd_ci::reach::ReachReport;
use aidd_report::Format;
use aidd_report::project::Project;
use aidd_report::run::compare::Against;
use aidd_report::{When, project};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Checks code against a team's rules, with the same findings in the editor, in pull requests and
/// for AI agents.
#[derive(Debug, Parser)]
#[command(name = "aidd", version, styles = STYLES, max_term_width = 100)]
#[command(
    after_help = "Begin with:\n  aidd check .           check this directory\n  aidd explain RULE      explain a rule\n  aidd rule packs        list optional rule packs\n  aidd init              write a configuration\n\nExit codes:\n  0  no findings at or above the severity that fails the run (`failOn`)\n  1  such findings, or problems found by `doctor` or `rule test`\n  2  wrong usage or configuration\n  3  some files could not be checked"
)]
pub struct CommandLine<C: Subcommand> {
    /// The command to run.
    #[command(subcommand)]
    pub command: C,
    /// Configuration file to use instead of `.aidd/config.json` in the project root.
    #[arg(long, global = true, env = "AIDD_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// When to use colors. NO_COLOR is respected.
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// The command line with all commands.
pub type Cli = CommandLine<Command>;

/// The commands that start most often, at each save of a file and each call of an agent's tool.
#[derive(Debug, Subcommand)]
enum FrequentCommand {
    Check(Box<Check>),
    #[command(subcommand)]
    Hook(HookCommand),
}

impl From<FrequentCommand> for Command {
    fn from(command: FrequentCommand) -> Self {
        match command {
            FrequentCommand::Check(args) => Self::Check(args),
            FrequentCommand::Hook(command) => Self::Hook(command),
        }
    }
}

/// Top-level commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check files.
    Check(Box<Check>),
    /// Check the changes of a pull request or push, and report findings to the CI system.
    Ci(Box<Ci>),
    /// Start the language server: findings while typing, over the Language Server Protocol.
    #[command(
        after_help = "The editor starts the server, which communicates over standard input and output."
    )]
    Lsp {
        /// Accepted for compatibility: the server always uses standard input and output.
        #[arg(long, hide = true)]
        stdio: bool,
        /// Accepted for compatibility: the `initialize` request carries the process id.
        #[arg(long = "clientProcessId", hide = true, value_name = "ID")]
        client_process_id: Option<u32>,
    },
    /// Start the MCP server: memory and checks for AI agents, over the Model Context Protocol.
    Mcp(Box<Mcp>),
    /// Explain a rule, with examples.
    Explain(Explain),
    /// List the dependencies of the project: declared, locked and used, with their end of support.
    ///
    /// Reads manifests, lock files and imports. Nothing is installed or downloaded; without
    /// `--online`, facts that require a network are shown as not checked.
    Deps(Deps),
    /// Answer questions about the code: where a symbol is, what calls it, what a change can break.
    Index(Index),
    /// Build, check and print the memory packs of a ticket.
    Pack(Pack),
    /// Show what agents did: tools, findings by rule, knowledge, models, lifecycles.
    Stats(Stats),
    /// Show and change the work list: stages, milestones, tasks and their parts.
    Work(Work),
    /// Show, apply and revert changes that recorded sessions suggest.
    Evolve(Evolve),
    /// Decide on drafts: rules, knowledge, skills, workflows, conventions, settings.
    Draft(Drafts),
    /// List, write and test rules.
    #[command(subcommand)]
    Rule(RuleCommand),
    /// Record existing findings in a baseline.
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Show the configuration or its schema.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Set up a project: configuration with the fitting rule packs, agent clients.
    Init(Init),
    /// Show the detected project and problems with its setup.
    #[command(after_help = "The exit code is 1 if there are problems.")]
    Doctor,
    /// Print a shell completion script.
    #[command(
        after_help = "Where shells look for the script:\n  bash  aidd completions bash > ~/.local/share/bash-completion/completions/aidd\n  zsh   aidd completions zsh > DIR/_aidd, where DIR is one of $fpath\n  fish  aidd completions fish > ~/.config/fish/completions/aidd.fish"
    )]
    Completions {
        /// Shell to complete for.
        shell: Shell,
    },
    /// Print the manual page of aidd or of a command, as roff.
    #[command(after_help = "Read the page:\n  aidd man | man -l -\n  aidd man check | man -l -")]
    Man {
        /// Command, such as `check` or `baseline write` [default: aidd itself].
        command: Vec<String>,
    },
    /// Generate text from the repository.
    #[command(subcommand)]
    Generate(GenerateCommand),
    /// Install Git hooks, and run the hooks of Git and agent clients.
    #[command(subcommand)]
    Hook(HookCommand),
    /// Store and search decisions, mistakes and conventions.
    Memory(Box<Memory>),
}

/// Options of `aidd check`.
#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("fixes").args(["fix", "fix_unsafe"]).multiple(true),
    after_help = "Exit codes:\n  0  nothing at or above --fail-on\n  1  findings; with --dry-run: at least one fix is available\n  2  wrong usage or configuration\n  3  unreadable input\n\nExamples:\n  aidd check src Dockerfile\n  aidd check . --format github --output results.sarif --output report.md\n  aidd check . --statistics\n  aidd check . --only 'secrets/*' --no-ignore\n  aidd check . --fix --dry-run\n  aidd check . --diff main\n  cat Dockerfile | aidd check - --stdin-path Dockerfile"
)]
pub struct Check {
    /// Files and directories; `-` reads standard input.
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Output format on standard output.
    #[arg(long, value_enum, default_value_t = Format::Text, env = "AIDD_FORMAT")]
    pub format: Format,
    /// List all findings: in text, findings of severity `info` and findings that comments allow are
    /// only counted, and on a terminal, at most 50 findings are listed.
    #[arg(long)]
    pub all: bool,
    /// List only the number of findings per rule in text.
    #[arg(long, conflicts_with = "all")]
    pub statistics: bool,
    /// Also write the findings to a file; repeatable. The format is derived from the extension
    /// (.sarif, .json, .md, .xml, .txt) or specified before `=`: `gitlab=report.json`.
    #[arg(long, value_name = "[FORMAT=]FILE", value_hint = ValueHint::FilePath)]
    pub output: Vec<String>,
    /// Write nothing to standard output.
    #[arg(long, short)]
    pub quiet: bool,
    /// Minimum severity that makes the exit code 1: error, warning, info or never [default: error].
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Also list, on standard error, the files that each rule and pack of the project applies to.
    #[arg(long, short)]
    pub verbose: bool,
    /// Rules to run.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Files to read.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// Apply safe fixes.
    #[arg(long)]
    pub fix: bool,
    /// Apply all fixes, including those that can change the meaning of a file.
    #[arg(long)]
    pub fix_unsafe: bool,
    /// Print the fixes as a patch without writing them.
    #[arg(long, requires = "fixes")]
    pub dry_run: bool,
    /// Path to assume for standard input.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub stdin_path: Option<PathBuf>,
    /// Revision to compare with.
    #[command(flatten)]
    pub diff: DiffArgs,
    /// Also report which callers and tests the changes reach, and build the code index for this; the
    /// default if there is an index.
    #[arg(long, requires = "DiffArgs")]
    pub reach: bool,
    /// The baseline of existing findings.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Include baselined and allowed findings in SARIF, marked as suppressed.
    #[arg(long)]
    pub sarif_suppressed: bool,
    /// Name that distinguishes several runs on one commit in code scanning.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

impl Check {
    /// Whether the run covers all rules and all files.
    pub(crate) fn is_complete(&self) -> bool {
        let all_rules = self.selection.only.is_empty()
            && self.selection.skip.is_empty()
            && self.selection.severity.is_none();
        let all_files = self.walk.exclude.is_empty() && !self.walk.no_hidden;
        all_rules && all_files && !self.diff.is_set()
    }

    /// Whether the exit code is the only result: the findings are not shown, compared or fixed.
    pub(crate) fn only_counts(&self, project: &Project) -> bool {
        let (baseline, is_disabled) = self.baseline.options();
        let reads_baseline =
            || !is_disabled && (baseline.is_some() || project.baseline_path(None).exists());
        let is_shown = !self.quiet || !self.output.is_empty();
        let is_used = self.fix || self.fix_unsafe || self.diff.is_set() || reads_baseline();
        !is_shown && !is_used
    }
}

/// Revision to compare with: only changed files are checked, and only new findings fail.
#[derive(Debug, Args)]
#[group(multiple = false, conflicts_with_all = ["fix", "fix_unsafe", "stdin_path"])]
pub struct DiffArgs {
    /// Check the changes since the merge base with this revision: main, origin/main, HEAD~3.
    #[arg(long, alias = "base", value_name = "BASE")]
    pub diff: Option<String>,
    /// Check the changes since the last commit.
    #[arg(long)]
    pub changed: bool,
    /// Check the staged changes.
    #[arg(long)]
    pub staged: bool,
}

impl DiffArgs {
    /// Revision to compare with, or `None` without a comparison. Relative paths are resolved
    /// against `cwd`.
    #[must_use]
    pub fn against(&self, cwd: &std::path::Path) -> Option<Against> {
        if self.staged {
            let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
            return Some(Against::Staged(index.map(|path| project::absolute(cwd, &path))));
        }
        let revision = self.diff.clone().map(Against::Revision);
        revision.or(self.changed.then_some(Against::LastCommit))
    }

    /// What the changes reach; see [`aidd_ci::reach::report`]. `None` for staged changes, because the
    /// index describes the work tree.
    #[must_use]
    pub fn reach(&self, project: &Project, is_requested: bool) -> Option<ReachReport> {
        if self.staged || !self.is_set() {
            return None;
        }
        aidd_ci::reach::report(project, self.diff.as_deref(), is_requested)
    }

    /// Whether one of the options is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.diff.is_some() || self.changed || self.staged
    }
}

/// Options of `aidd explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Rule id or alias.
    pub rule: String,
    /// Print the page as Markdown source.
    #[arg(long)]
    pub markdown: bool,
}

/// Options of `aidd deps`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  0  no advisory applies, or none were checked\n  1  an advisory applies\n  2  wrong usage or configuration\n\nExamples:\n  aidd deps\n  aidd deps apps/web --json\n  aidd deps --osv ~/osv/npm\n  aidd deps --online"
)]
pub struct Deps {
    /// Only the manifests at or below this path.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Match locked versions against the advisories in this directory: JSON files in the OSV
    /// format, such as an unpacked export of osv.dev.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub osv: Option<PathBuf>,
    /// Ask the registries for the newest versions, and for versions that are deprecated, yanked or
    /// missing: the registries that npm, Cargo, pip, uv, Go, Bundler, Composer and Maven are
    /// configured for in the project and by the user. The names of the dependencies are sent,
    /// credentials are not.
    #[arg(long)]
    pub online: bool,
}

/// `aidd baseline …`.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Record existing findings in the baseline.
    Write {
        /// Files and directories.
        #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
        paths: Vec<PathBuf>,
        /// Also add new findings to an existing baseline: those of the paths and of the rules in
        /// `--only`.
        #[arg(long)]
        accept_new: bool,
        /// Record only the findings of these rules: ids, aliases or globs; comma-separated or
        /// repeated. The entries of other rules stay.
        #[arg(long, value_name = "RULE")]
        only: Vec<String>,
        /// Baseline file to write.
        #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
        baseline: Option<PathBuf>,
    },
    /// Remove entries that no longer match a finding.
    Prune {
        /// Baseline file to prune.
        #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
        baseline: Option<PathBuf>,
    },
}

/// `aidd config …`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print each setting with its source.
    Show {
        /// Print the rule settings for this file.
        #[arg(value_hint = ValueHint::FilePath)]
        path: Option<PathBuf>,
    },
    /// Print the JSON Schema of the configuration.
    Schema,
}
