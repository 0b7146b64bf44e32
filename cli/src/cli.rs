//! What may be typed: commands, options and their help.

mod commits;
mod init;
mod mcp;
mod memory;
mod parse;
mod suggest;

pub use commits::{GenerateCommand, HookCommand, HookName, MessageFormat};
pub use init::{Client, Init};
pub use mcp::{Mcp, Profile};
pub use memory::{
    AddCommand, AddConvention, AddDecision, AddInsight, AddMistake, Branch, Edit, Export,
    ExportFormat, Form as MemoryForm, Import, Links, Memory, MemoryCommand, Prune, Recent, Search,
    Sessions, Sort, Text,
};
pub use parse::{meant, parse, plainly, variable};
pub use suggest::{RuleCoverage, RuleSuggest, SuggestFormat};

use aidd_ci::args::{BaselineArgs, Ci, SelectionArgs, WalkArgs};
use aidd_report::Format;
use aidd_report::run::compare::Against;
use aidd_report::{When, project};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Applies a team's rules the same way in the editor, in the pull request and in the AI agent.
#[derive(Debug, Parser)]
#[command(name = "aidd", version, styles = STYLES, max_term_width = 100)]
#[command(
    after_help = "Begin with:\n  aidd check .           find problems here\n  aidd explain RULE      say why a rule is one\n  aidd rule packs        see what else can be checked\n  aidd init              write a configuration\n\nExit codes:\n  0  nothing to tell\n  1  findings, or what was asked for is not as it should be\n  2  wrong usage or configuration\n  3  something could not be read"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Where the configuration lies, instead of `.aidd/config.json` at the root.
    #[arg(long, global = true, env = "AIDD_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// When to use colours. NO_COLOR is respected.
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find problems in files.
    Check(Box<Check>),
    /// Check what a pull request or push changed, and report it where the CI system shows it.
    Ci(Box<Ci>),
    /// Serve an editor: findings while typing, over the Language Server Protocol.
    #[command(
        after_help = "Editors start it by themselves. It speaks on standard input and output."
    )]
    Lsp {
        /// What many clients say: the protocol runs on standard input and output anyway.
        #[arg(long, hide = true)]
        stdio: bool,
        /// What some clients say: the process to end with; the protocol tells it anyway.
        #[arg(long = "clientProcessId", hide = true, value_name = "ID")]
        client_process_id: Option<u32>,
    },
    /// Serve an AI agent: the project's memory and checks, over the Model Context Protocol.
    Mcp(Box<Mcp>),
    /// Say why a rule is one, with examples.
    Explain(Explain),
    /// List, write and test rules.
    #[command(subcommand)]
    Rule(RuleCommand),
    /// Record findings to put off.
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Show the configuration, or its schema.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Set a project up: a minimal configuration, what Git has to know of the memory, and what the
    /// clients of agents read.
    Init(Init),
    /// Say what aidd sees here, and what is wrong with the set-up.
    Doctor,
    /// Print a script that completes commands and options in a shell.
    #[command(
        after_help = "Where shells look for it:\n  bash  aidd completions bash > ~/.local/share/bash-completion/completions/aidd\n  zsh   aidd completions zsh > DIR/_aidd, where DIR is one of $fpath\n  fish  aidd completions fish > ~/.config/fish/completions/aidd.fish"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page of aidd, or of one of its commands, as roff.
    #[command(after_help = "Read it with: aidd man | man -l -, or: aidd man check | man -l -")]
    Man {
        /// The command, such as `check` or `baseline write`.
        command: Vec<String>,
    },
    /// Make texts of what is in the repository.
    #[command(subcommand)]
    Generate(GenerateCommand),
    /// Have Git run aidd before it commits or pushes, and an agent's client before it answers.
    #[command(subcommand)]
    Hook(HookCommand),
    /// Remember decisions, mistakes and conventions, and find them again.
    Memory(Box<Memory>),
}

/// Options of `aidd check`.
#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("fixes").args(["fix", "fix_unsafe"]).multiple(true),
    after_help = "Exit codes:\n  0  nothing at or above --fail-on\n  1  findings; with --dry-run: there is something to mend\n  2  wrong usage or configuration\n  3  something could not be read\n\nExamples:\n  aidd check src Dockerfile\n  aidd check . --format github --output results.sarif --output report.md\n  aidd check . --only 'secrets/*' --no-ignore\n  aidd check . --fix --dry-run\n  aidd check . --diff main\n  cat Dockerfile | aidd check - --stdin-path Dockerfile"
)]
pub struct Check {
    /// Files and folders; `-` reads standard input.
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// How to write the findings to standard output.
    #[arg(long, value_enum, default_value_t = Format::Text, env = "AIDD_FORMAT")]
    pub format: Format,
    /// Also write them to a file; may be given several times. The format follows from the ending
    /// (.sarif, .json, .md, .xml, .txt), or is named: `gitlab=report.json`.
    #[arg(long, value_name = "[FORMAT=]FILE", value_hint = ValueHint::FilePath)]
    pub output: Vec<String>,
    /// Write nothing to standard output.
    #[arg(long, short)]
    pub quiet: bool,
    /// The least severity that makes the exit code 1: error, warning, info or never [default: error].
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Also say, on standard error, what the rules of the project and of its packs looked at.
    #[arg(long, short)]
    pub verbose: bool,
    /// Which rules run.
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Which files are read.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// Apply the safe fixes.
    #[arg(long)]
    pub fix: bool,
    /// Apply all fixes, also those that may change the meaning of a file.
    #[arg(long)]
    pub fix_unsafe: bool,
    /// Print what the fixes would change as a patch, and change nothing.
    #[arg(long, requires = "fixes")]
    pub dry_run: bool,
    /// The path that standard input stands for.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub stdin_path: Option<PathBuf>,
    /// What the findings are compared with.
    #[command(flatten)]
    pub diff: DiffArgs,
    /// Which findings are known.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Keep baselined and allowed findings in SARIF, marked as suppressed.
    #[arg(long)]
    pub sarif_suppressed: bool,
    /// Tells several runs on one commit apart in code scanning.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

/// What the findings are compared with: only what changed is checked, and only new findings fail.
#[derive(Debug, Args)]
#[group(multiple = false, conflicts_with_all = ["fix", "fix_unsafe", "stdin_path"])]
pub struct DiffArgs {
    /// Check what changed since the work at hand left this revision: main, origin/main, HEAD~3.
    #[arg(long, value_name = "BASE")]
    pub diff: Option<String>,
    /// Check what changed since the last commit.
    #[arg(long)]
    pub changed: bool,
    /// Check what the next commit would change.
    #[arg(long)]
    pub staged: bool,
}

impl DiffArgs {
    /// What to compare with; `None` where nothing is compared. Relative paths start from `cwd`.
    #[must_use]
    pub fn against(&self, cwd: &std::path::Path) -> Option<Against> {
        if self.staged {
            let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
            return Some(Against::Staged(index.map(|path| project::absolute(cwd, &path))));
        }
        let revision = self.diff.clone().map(Against::Revision);
        revision.or(self.changed.then_some(Against::LastCommit))
    }

    /// Whether anything is compared.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.diff.is_some() || self.changed || self.staged
    }
}

/// Options of `aidd explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Rule id or alias.
    pub rule: String,
    /// Print the page as it is written.
    #[arg(long)]
    pub markdown: bool,
}

/// `aidd rule …`.
#[derive(Debug, Subcommand)]
pub enum RuleCommand {
    /// List all rules: severity in this project, id, aliases, what they are about.
    #[command(
        after_help = "Examples:\n  aidd rule list\n  aidd rule list 'secrets/*' DL3007\n  aidd rule list --json"
    )]
    List {
        /// Only these: ids, aliases or globs.
        rules: Vec<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the packs: sets of rules that are off until `compliance` in the configuration names one.
    #[command(after_help = "Examples:\n  aidd rule packs\n  aidd rule packs typescript-strict")]
    Packs {
        /// Only this one, with its rules.
        pack: Option<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Begin a rule page of the project.
    #[command(
        after_help = "Examples:\n  aidd rule new team/console-log\n  aidd rule new team/module-name --form tree"
    )]
    New {
        /// Its id, `kind/kebab-name`.
        id: String,
        /// What it will check.
        #[arg(long, value_enum, default_value_t = Form::Text)]
        form: Form,
    },
    /// Run the examples of rule pages, and say what of the project each rule looks at.
    #[command(
        after_help = "Exit codes:\n  0  all examples give what their pages say\n  1  one does not, or a page cannot be read\n  2  wrong usage or configuration\n\nExamples:\n  aidd rule test\n  aidd rule test team/console-log"
    )]
    Test {
        /// Only these rules; without any, all rules of the project.
        rules: Vec<String>,
    },
    /// Tell the rules that hold where agents look first.
    ///
    /// Writes them between two markers and leaves all else in the file alone; written again, the file
    /// stays as it is.
    Export(RuleExport),
    /// Make rule pages of what another tool is configured with.
    ///
    /// Reads the configuration of alint, commitlint, ls-lint, ast-grep or markdownlint, and writes a
    /// page for each rule that a check of ours can state: with its message, its severity, where it
    /// comes from, and examples that were run. What cannot be carried over is told item by item, with
    /// the reason and what covers it instead. Nothing is run: of a configuration written in JavaScript
    /// what is literal is read.
    #[command(
        after_help = "Exit codes:\n  0  all pages are as they should be\n  1  a page that says something else was kept\n  2  wrong usage, or a configuration that cannot be read\n  3  a page could not be made: a fault of the import\n\nExamples:\n  aidd rule import --dry-run\n  aidd rule import .ls-lint.yml\n  aidd rule import tools/no-eval.yml --from ast-grep"
    )]
    Import(RuleImport),
    /// Show who enforces a sentence and which forms can check it; validate a drafted rule.
    ///
    /// Without arguments lists the sentences of AGENTS.md, CONTRIBUTING and rule pages with who
    /// enforces each. Of one sentence shows where it is stated, related rules and the forms of a
    /// check. With `--draft` validates a rule page, runs its examples and tries it on the project.
    /// Writes nothing.
    #[command(
        after_help = "Exit codes:\n  0  done; the draft is valid\n  1  the draft has problems\n  2  wrong usage or configuration\n\nExamples:\n  aidd rule suggest AGENTS.md\n  aidd rule suggest \"Never use moment\"\n  git log -1 --format=%s | aidd rule suggest -\n  aidd rule suggest \"Never use moment\" --draft page.md"
    )]
    Suggest(RuleSuggest),
    /// Count the sentences that are enforced, and by whom.
    Coverage(RuleCoverage),
}

/// `aidd rule export`.
#[derive(Debug, Args)]
pub struct RuleExport {
    /// What to write.
    #[arg(value_enum)]
    pub form: ExportForm,
    /// The file, from the project's root.
    #[arg(long, short, value_name = "FILE", default_value = "AGENTS.md", value_hint = ValueHint::FilePath)]
    pub output: String,
    /// Write nothing; exit with 1 when the file is not current.
    #[arg(long)]
    pub check: bool,
    /// Print what would stand between the markers.
    #[arg(long, conflicts_with = "check")]
    pub stdout: bool,
}

/// `aidd rule import`.
#[derive(Debug, Args)]
pub struct RuleImport {
    /// Configurations; without any, those in the project's root that are known by their names.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<String>,
    /// The tool that they are of, where their names and contents do not tell.
    #[arg(long, value_enum, value_name = "TOOL")]
    pub from: Option<ImportTool>,
    /// The rules folder to write to, from the project's root.
    #[arg(long, value_name = "DIR", default_value = ".aidd/rules", value_hint = ValueHint::DirPath)]
    pub to: String,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Write over pages that say something else.
    #[arg(long)]
    pub force: bool,
}

/// The tools whose rules are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportTool {
    /// Files, names, contents and values.
    Alint,
    /// Commit messages.
    Commitlint,
    /// Names of files and folders.
    LsLint,
    /// Shapes of code.
    AstGrep,
    /// Markdown.
    Markdownlint,
}

/// The forms that rules are exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// A section of AGENTS.md.
    AgentsMd,
}

/// The forms of check that a page can begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A regular expression on the text.
    Text,
    /// A pattern on the syntax tree.
    Syntax,
    /// Files, folders and their names.
    Tree,
    /// Values in JSON, YAML and TOML.
    Data,
    /// None: the page only guides.
    Guidance,
}

/// `aidd baseline …`.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Record today's findings as known.
    Write {
        /// Files and folders.
        #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
        paths: Vec<PathBuf>,
        /// Also record findings that an existing baseline does not have.
        #[arg(long)]
        accept_new: bool,
        /// The file to write.
        #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
        baseline: Option<PathBuf>,
    },
    /// Take out what is no longer found.
    Prune {
        /// The file to prune.
        #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
        baseline: Option<PathBuf>,
    },
}

/// `aidd config …`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print each setting with where it came from.
    Show {
        /// Settings of the rules for this file.
        #[arg(value_hint = ValueHint::FilePath)]
        path: Option<PathBuf>,
    },
    /// Print the JSON schema of the configuration.
    Schema,
}
