//! Command-line options of `aidd ci`, and the options that it shares with `aidd check`.

use aidd_engine::text::finding::Severity;
use aidd_engine::text::nearest::nearest;
use aidd_report::Format;
use aidd_report::exit::UserError;
use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::{Path, PathBuf};

/// Options of `aidd ci`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "The event, the base and the job summary file are read from the environment of\nGitHub Actions and GitLab CI. Elsewhere, set the base: aidd ci --base origin/main\n\nExit codes:\n  0  no blocking findings\n  1  new blocking findings\n  2  invalid usage or configuration, or no base to compare with\n  3  some files could not be checked\n\nExamples:\n  aidd ci --comment\n  aidd ci --report json\n  aidd ci --policy markdown\n  aidd ci --shard 1/4 --save part.json\n  aidd ci merge part-*.json --comment\n  aidd ci --save report.json && aidd ci post report.json --comment"
)]
pub struct Ci {
    /// Subcommand that merges or posts saved reports.
    #[command(subcommand)]
    pub command: Option<CiCommand>,
    /// Options of a check, used when no subcommand is given.
    #[command(flatten)]
    pub check: CiCheck,
}

/// Options of `aidd ci` without a subcommand.
#[derive(Debug, Args)]
pub struct CiCheck {
    /// Files and directories to check.
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Revision to compare with, instead of the one from the CI event.
    #[arg(long, alias = "diff", env = "AIDD_BASE", value_name = "REV")]
    pub base: Option<String>,
    /// What to do when there is no base to compare with.
    #[arg(long, value_enum, default_value_t = crate::base::NoBase::Error)]
    pub no_base: crate::base::NoBase,
    /// Which files to check.
    #[arg(long, value_enum, default_value_t = Scope::Auto)]
    pub scope: Scope,
    /// Which settings apply to the change [default: both; head for a push to the default branch].
    #[arg(long, env = "AIDD_SETTINGS", value_enum, value_name = "SIDE")]
    pub settings: Option<Settings>,
    /// Lowest severity of new findings that makes the exit code 1: error, warning, info or never
    /// [default: error]. The `ci` section of the configuration takes precedence.
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Check one of N parts of the repository, such as 1/4; `aidd ci merge` joins the reports.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<aidd_engine::workspace::walk::Part>,
    /// Check nothing; print what the configuration enforces.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub policy: Option<aidd_report::ComplianceFormat>,
    /// Also report which callers and tests the change reaches, and build the code index for this;
    /// the default if there is an index.
    #[arg(long)]
    pub reach: bool,
    /// File discovery options.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// Baseline options.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Output options.
    #[command(flatten)]
    pub outputs: CiOutputs,
}

/// The settings that apply to a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Settings {
    /// Settings of the change and of its base: a finding reported under either of them counts.
    Both,
    /// Settings of the change only, for use after the checks that the change weakens have been reviewed.
    Head,
}

/// The files that a run checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// All files on a push to the default branch, so that code scanning receives every finding;
    /// changed files otherwise.
    Auto,
    /// Changed files.
    Changed,
    /// All files; findings that the base also has are reported as pre-existing.
    All,
}

/// Subcommands that work on saved reports.
#[derive(Debug, Subcommand)]
pub enum CiCommand {
    /// Join the reports of all shards of a run.
    Merge(CiMerge),
    /// Post a saved report to its pull request, from a `workflow_run` workflow with write access.
    Post(CiPost),
}

/// Options of `aidd ci merge`.
#[derive(Debug, Args)]
pub struct CiMerge {
    /// Reports saved by `aidd ci --shard I/N --save REPORT`, all N of them.
    #[arg(required = true, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub reports: Vec<PathBuf>,
    /// Lowest severity of new findings that makes the exit code 1, instead of the one in the
    /// reports.
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Output options.
    #[command(flatten)]
    pub outputs: CiOutputs,
}

/// Options of `aidd ci post`.
#[derive(Debug, Args)]
pub struct CiPost {
    /// Report saved by `aidd ci --save REPORT`. Its contents are treated as untrusted.
    #[arg(value_hint = ValueHint::FilePath)]
    pub report: PathBuf,
    /// Where to post the report.
    #[command(flatten)]
    pub posts: CiPosts,
    /// Upload the report to code scanning (security-events: write).
    #[arg(long)]
    pub upload_sarif: bool,
    /// Name that distinguishes several reports on one pull request.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

/// Output options of `aidd ci` and `aidd ci merge`.
#[derive(Debug, Args)]
pub struct CiOutputs {
    /// Format of the report on standard output [default: github on GitHub, else text].
    #[arg(long, visible_alias = "report", value_enum, env = "AIDD_FORMAT")]
    pub format: Option<Format>,
    /// Also write the report to a file, like `aidd check --output`; repeatable.
    #[arg(long, value_name = "[FORMAT=]FILE", value_hint = ValueHint::FilePath)]
    pub output: Vec<String>,
    /// Append the report as Markdown to this file [default: the job summary on GitHub].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub summary: Option<PathBuf>,
    /// Annotate the changed lines; the default on GitHub.
    #[arg(long, conflicts_with = "format")]
    pub annotations: bool,
    /// Do not annotate.
    #[arg(long, conflicts_with = "annotations")]
    pub no_annotations: bool,
    /// Save the report for `aidd ci merge` and `aidd ci post`.
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
    /// Reports to post through GitHub's API, with the token in GITHUB_TOKEN.
    #[command(flatten)]
    pub posts: CiPosts,
    /// Suggest safe fixes as review comments (pull-requests: write).
    #[arg(long)]
    pub review: bool,
    /// Upload the report to code scanning (security-events: write).
    #[arg(long)]
    pub upload_sarif: bool,
    /// Include baselined and allowed findings in SARIF, marked as suppressed.
    #[arg(long)]
    pub sarif_suppressed: bool,
    /// Name that distinguishes several runs on one commit, in code scanning and in comments.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

/// What to post through GitHub's API.
#[derive(Debug, Args)]
pub struct CiPosts {
    /// Keep one comment on the pull request up to date (pull-requests: write).
    #[arg(long)]
    pub comment: bool,
    /// Create a check run, which has no limit of ten annotations (checks: write).
    #[arg(long)]
    pub check_run: bool,
}

/// Parses `I/N`.
fn parse_shard(text: &str) -> Result<aidd_engine::workspace::walk::Part, String> {
    let invalid = || "expected I/N with I from 1 to N, such as 1/4".to_owned();
    let (index, count) = text.split_once('/').ok_or_else(invalid)?;
    let index = index.parse().map_err(|_| invalid())?;
    let count = count.parse().map_err(|_| invalid())?;
    let part = aidd_engine::workspace::walk::Part { index, of: count };
    if (1..=part.of).contains(&part.index) && part.of <= 1000 { Ok(part) } else { Err(invalid()) }
}

/// Options that select rules.
#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// Run only these rules: ids, aliases (DL3007) or globs (`secrets/*`); comma-separated or
    /// repeated.
    #[arg(long, value_name = "RULE")]
    pub only: Vec<String>,
    /// Do not run these rules; same syntax as `--only`.
    #[arg(long, value_name = "RULE")]
    pub skip: Vec<String>,
    /// Run no rule below this severity: error, warning or info.
    #[arg(long)]
    pub severity: Option<Severity>,
}

/// File discovery options.
#[derive(Debug, Args)]
pub struct WalkArgs {
    /// Also check ignored files (.gitignore, .ignore, .aiddignore).
    #[arg(long)]
    pub no_ignore: bool,
    /// Skip files and directories whose name starts with a dot.
    #[arg(long)]
    pub no_hidden: bool,
    /// Number of threads [default: number of processors].
    #[arg(
        long,
        short,
        env = "AIDD_JOBS",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub jobs: usize,
    /// Globs of paths to exclude, in addition to the configured globs; comma-separated or repeated.
    #[arg(long, env = "AIDD_EXCLUDE", value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Maximum size in bytes of a file that is parsed [default: 2097152].
    #[arg(long, env = "AIDD_MAX_FILE_SIZE", value_name = "BYTES")]
    pub max_file_size: Option<u64>,
}

/// Baseline options.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Baseline file of existing findings [default: .aidd/baseline.json].
    #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// Treat every finding as new.
    #[arg(long, conflicts_with = "baseline")]
    pub no_baseline: bool,
}

impl BaselineArgs {
    /// The baseline file set by `--baseline`, and whether `--no-baseline` is set.
    #[must_use]
    pub fn options(&self) -> (Option<&Path>, bool) {
        (self.baseline.as_deref(), self.no_baseline)
    }
}

/// Parses a value of `--output`. The format comes from the part before `=`, else from the file
/// extension, else from `default`, the value of `--format`.
pub fn parse_output(text: &str, default: Format) -> Result<(Format, PathBuf)> {
    if let Some((name, path)) = text.split_once('=').filter(|(name, _)| is_word(name)) {
        let Ok(format) = Format::from_str(name, true) else {
            let all = Format::value_variants().iter().filter_map(Format::to_possible_value);
            let all: Vec<String> = all.map(|value| value.get_name().to_owned()).collect();
            let suggestion = nearest(name, all.iter().map(String::as_str));
            let suggestion = suggestion
                .map_or(String::new(), |suggestion| format!("; did you mean `{suggestion}`?"));
            return Err(UserError::new(format!(
                "--output {text}: unknown format `{name}`{suggestion}"
            ))
            .hint(format!("the formats are {}", all.join(", ")))
            .into());
        };
        if path.is_empty() {
            return Err(UserError::new(format!("--output {text}: missing file name")).into());
        }
        return Ok((format, path.into()));
    }
    let path = PathBuf::from(text);
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("sarif") => Format::Sarif,
        Some("json") => Format::Json,
        Some("md") => Format::Markdown,
        Some("xml") => Format::Junit,
        Some("txt") => Format::Text,
        _ if default != Format::Text => default,
        _ => {
            return Err(UserError::new(format!("--output {text}: unknown format"))
                .hint(format!("add the format: --output sarif={text}"))
                .into());
        }
    };
    Ok((format, path))
}

/// Whether `text` can be a format name. Paths contain dots or slashes.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The comma-separated values of a repeatable option. Commas between braces belong to a glob.
#[must_use]
pub fn split_values(values: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for text in values {
        let mut depth = 0usize;
        let parts = text.split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        all.extend(parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_between_braces_does_not_separate_values() {
        let split = |given: &[&str]| {
            split_values(&given.iter().map(|&text| text.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(split(&["a,b", "c"]), ["a", "b", "c"]);
        assert_eq!(split(&["**/*.{js,{ts,tsx}}, vendor/"]), ["**/*.{js,{ts,tsx}}", "vendor/"]);
        assert_eq!(split(&["a},b", ",,"]), ["a}", "b"]);
        // An unclosed brace is part of the value.
        assert_eq!(split(&["a{b,c"]), ["a{b,c"]);
    }
}
