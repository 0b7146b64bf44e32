//! Arguments of `aidd rule`.

use super::{RuleCoverage, RuleSuggest};
use aidd_page::Form as CheckForm;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};

/// Arguments of the command `aidd rule`.
#[derive(Debug, Subcommand)]
pub enum RuleCommand {
    /// List all rules with their severity in this project, id, aliases and title.
    #[command(
        after_help = "Examples:\n  aidd rule list\n  aidd rule list 'secrets/*' DL3007\n  aidd rule list --json"
    )]
    List {
        /// Only these rules: ids, aliases or globs.
        rules: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the packs: sets of rules that are disabled until `compliance` in the configuration
    /// names them.
    #[command(after_help = "Examples:\n  aidd rule packs\n  aidd rule packs typescript-strict")]
    Packs {
        /// Only this pack, with its rules.
        pack: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Create a rule page in the project, with examples in one of its languages.
    #[command(
        after_help = "Examples:\n  aidd rule new team/console-log\n  aidd rule new team/no-direct-axios\n  aidd rule new team/module-name --form tree\n  aidd rule new team/no-print --language py --form syntax"
    )]
    New {
        /// Rule id, `kind/kebab-name`.
        id: String,
        /// Form of the check [default: import if the id names a dependency, text otherwise].
        #[arg(long, value_enum)]
        form: Option<Form>,
        /// Language of the examples, by the extension of its files [default: the language of most
        /// files, or of a function that the id names].
        #[arg(long, value_name = "EXTENSION", value_parser = PossibleValuesParser::new(crate::rules::languages_of_new()))]
        language: Option<String>,
    },
    /// Run the examples of rule pages, and print which project files each rule applies to.
    #[command(
        after_help = "Exit codes:\n  0  all examples pass\n  1  an example fails, or a page is invalid\n  2  wrong usage or configuration\n\nExamples:\n  aidd rule test\n  aidd rule test team/console-log"
    )]
    Test {
        /// Only these rules [default: all rules of the project].
        rules: Vec<String>,
    },
    /// Write the enabled rules to a file that agents read.
    ///
    /// The rules are written between two markers; the rest of the file is unchanged. A repeated run
    /// changes nothing.
    Export(RuleExport),
    /// Convert the rules of another tool to rule pages.
    ///
    /// Reads the configuration of alint, commitlint, ls-lint, ast-grep or markdownlint and writes a
    /// page for each rule that can be expressed as a check. The page contains the message,
    /// severity, source and examples; the examples are run before the page is written. Unsupported
    /// items are listed with the reason and an alternative. No code is executed: only literals are
    /// read from a JavaScript configuration.
    #[command(
        after_help = "Exit codes:\n  0  all pages are up to date\n  1  an existing page differs and was not overwritten\n  2  wrong usage or invalid configuration\n  3  a page could not be generated: a bug in the import\n\nExamples:\n  aidd rule import --dry-run\n  aidd rule import .ls-lint.yml\n  aidd rule import tools/no-eval.yml --from ast-grep"
    )]
    Import(RuleImport),
    /// Show what enforces a requirement (a sentence in the documentation) and which forms of check
    /// could enforce it, or validate a drafted rule.
    ///
    /// Without arguments, lists the sentences of AGENTS.md, CONTRIBUTING and rule pages, each with
    /// the rule or tool that enforces it. For one sentence, shows the documents that contain it,
    /// related rules and the forms of check that could enforce it. With `--draft`, validates a rule
    /// page, runs its examples and runs it on the project. Writes nothing.
    #[command(
        after_help = "Exit codes:\n  0  done; the draft is valid\n  1  the draft has problems\n  2  wrong usage or configuration\n\nExamples:\n  aidd rule suggest AGENTS.md\n  aidd rule suggest \"Never use moment\"\n  git log -1 --format=%s | aidd rule suggest -\n  aidd rule suggest \"Never use moment\" --draft page.md"
    )]
    Suggest(RuleSuggest),
    /// Count the requirements in AGENTS.md, CONTRIBUTING and rule pages, and how many of them a
    /// rule or another tool enforces.
    Coverage(RuleCoverage),
}

/// Arguments of the command `aidd rule export`.
#[derive(Debug, Args)]
pub struct RuleExport {
    /// Output format.
    #[arg(value_enum)]
    pub form: ExportForm,
    /// File, relative to the project root.
    #[arg(long, short, value_name = "FILE", default_value = "AGENTS.md", value_hint = ValueHint::FilePath)]
    pub output: String,
    /// Write nothing; exit with 1 if the file is out of date.
    #[arg(long)]
    pub check: bool,
    /// Print the text between the markers instead of writing it.
    #[arg(long, conflicts_with = "check")]
    pub stdout: bool,
}

/// Arguments of the command `aidd rule import`.
#[derive(Debug, Args)]
pub struct RuleImport {
    /// Configuration files [default: known names in the project root].
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<String>,
    /// Source tool, if it cannot be detected from the file name and content.
    #[arg(long, value_enum, value_name = "TOOL")]
    pub from: Option<ImportTool>,
    /// Rules directory to write to, relative to the project root.
    #[arg(long, value_name = "DIR", default_value = ".aidd/rules", value_hint = ValueHint::DirPath)]
    pub to: String,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Overwrite existing pages that differ.
    #[arg(long)]
    pub force: bool,
}

/// Tools whose rules can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportTool {
    /// File names, paths, contents and values.
    Alint,
    /// Commit messages.
    Commitlint,
    /// Names of files and directories.
    LsLint,
    /// Syntax patterns.
    AstGrep,
    /// Markdown.
    Markdownlint,
}

/// Output formats of `aidd rule export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// A section of AGENTS.md.
    AgentsMd,
}

/// The form of a new rule page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A page with a check of this form.
    Check(CheckForm),
    /// A page that forbids the import of a package.
    Import,
    /// A page without a check.
    Guidance,
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Form; CheckForm::ALL.len() + 2] = {
            let mut all = [Form::Guidance; CheckForm::ALL.len() + 2];
            let mut at = 0;
            while at < CheckForm::ALL.len() {
                all[at] = Form::Check(CheckForm::ALL[at]);
                at += 1;
            }
            all[at] = Form::Import;
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Form::Check(CheckForm::Text) => "A regular expression on the text",
            Form::Check(CheckForm::Syntax) => "A pattern on the syntax tree",
            Form::Check(CheckForm::Tree) => "Files, directories and their names",
            Form::Check(CheckForm::Data) => "Values in JSON, YAML and TOML",
            Form::Check(CheckForm::Layers) => "Imports between parts of the code",
            Form::Check(CheckForm::Dependencies) => "Dependencies in manifests",
            Form::Check(CheckForm::Commit) => "Commit messages, branch names and changes",
            Form::Check(CheckForm::Doc) => "Headings, sections and links of Markdown documents",
            Form::Import => {
                "A package that must not be imported, which the id names: `team/no-axios`"
            }
            Form::Guidance => "The page has no check and is guidance only",
        };
        let name = match self {
            Form::Check(form) => form.key(),
            Form::Import => "import",
            Form::Guidance => "guidance",
        };
        Some(PossibleValue::new(name).help(help))
    }
}
