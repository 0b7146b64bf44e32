//! The options of `aidd ci`, and those that it shares with `aidd check`.

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
    after_help = "The event, the base and the place for the job summary follow from the environment of\nGitHub Actions and GitLab CI. Elsewhere name the base: aidd ci --base origin/main\n\nExit codes:\n  0  nothing that blocks\n  1  new findings that block\n  2  wrong usage or configuration, or no base to compare with\n  3  something could not be checked\n\nExamples:\n  aidd ci --comment\n  aidd ci --report json\n  aidd ci --policy markdown\n  aidd ci --shard 1/4 --save part.json\n  aidd ci merge part-*.json --comment\n  aidd ci --save report.json && aidd ci post report.json --comment"
)]
pub struct Ci {
    /// Merging and posting of saved reports.
    #[command(subcommand)]
    pub command: Option<CiCommand>,
    /// Checking.
    #[command(flatten)]
    pub check: CiCheck,
}

/// Options of `aidd ci` itself.
#[derive(Debug, Args)]
pub struct CiCheck {
    /// Files and folders.
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The revision to compare with, instead of the one the event tells.
    #[arg(long, env = "AIDD_BASE", value_name = "REV")]
    pub base: Option<String>,
    /// What to do when there is nothing to compare with.
    #[arg(long, value_enum, default_value_t = crate::base::NoBase::Error)]
    pub no_base: crate::base::NoBase,
    /// Which files are checked.
    #[arg(long, value_enum, default_value_t = Scope::Auto)]
    pub scope: Scope,
    /// By which settings a change is judged [default: both; of a push to the default branch: head].
    #[arg(long, env = "AIDD_SETTINGS", value_enum, value_name = "SIDE")]
    pub settings: Option<Settings>,
    /// The least severity of new findings that makes the exit code 1: error, warning, info or never
    /// [default: error]. What the configuration says under `ci` goes before.
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Check one of several parts of the repository, such as 1/4; `aidd ci merge` joins the reports.
    #[arg(long, value_name = "I/N", value_parser = part)]
    pub shard: Option<aidd_engine::workspace::walk::Part>,
    /// Check nothing: state what the configuration enforces.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub policy: Option<aidd_report::ComplianceFormat>,
    /// Which files are read.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// Which findings are known.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub outputs: CiOutputs,
}

/// By which settings a change is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Settings {
    /// Those of the change and those of its base: what either reports counts.
    Both,
    /// Those of the change alone, once somebody has reviewed how it weakens them.
    Head,
}

/// Which files are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// All on a push to the default branch, so that code scanning knows what stands; else those that
    /// changed.
    Auto,
    /// Those that changed.
    Changed,
    /// All; what the base has too is told as pre-existing.
    All,
}

/// Saved reports.
#[derive(Debug, Subcommand)]
pub enum CiCommand {
    /// Join the reports of all parts of a run.
    Merge(CiMerge),
    /// Show a saved report on its pull request: from a `workflow_run` workflow, which may write.
    Post(CiPost),
}

/// Options of `aidd ci merge`.
#[derive(Debug, Args)]
pub struct CiMerge {
    /// What `aidd ci --shard I/N --save REPORT` saved, all N.
    #[arg(required = true, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub reports: Vec<PathBuf>,
    /// The least severity of new findings that makes the exit code 1, instead of that of the parts.
    #[arg(long, env = "AIDD_FAIL_ON", value_name = "SEVERITY")]
    pub fail_on: Option<aidd_engine::text::finding::FailOn>,
    /// Where the report goes.
    #[command(flatten)]
    pub outputs: CiOutputs,
}

/// Options of `aidd ci post`.
#[derive(Debug, Args)]
pub struct CiPost {
    /// What `aidd ci --save REPORT` saved. Nothing in it is trusted.
    #[arg(value_hint = ValueHint::FilePath)]
    pub report: PathBuf,
    /// Where it is posted.
    #[command(flatten)]
    pub posts: CiPosts,
    /// Upload it to code scanning (security-events: write).
    #[arg(long)]
    pub upload_sarif: bool,
    /// Tells several reports on one pull request apart.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

/// Where a report goes.
#[derive(Debug, Args)]
pub struct CiOutputs {
    /// How to write it to standard output [default: github on GitHub, else text].
    #[arg(long, visible_alias = "report", value_enum, env = "AIDD_FORMAT")]
    pub format: Option<Format>,
    /// Also write it to a file, as `aidd check --output` does; may be given several times.
    #[arg(long, value_name = "[FORMAT=]FILE", value_hint = ValueHint::FilePath)]
    pub output: Vec<String>,
    /// Append it as Markdown to this file [default: the job summary on GitHub].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub summary: Option<PathBuf>,
    /// Annotate the changed lines; the default on GitHub.
    #[arg(long, conflicts_with = "format")]
    pub annotations: bool,
    /// Do not annotate.
    #[arg(long, conflicts_with_all = ["format", "annotations"])]
    pub no_annotations: bool,
    /// Save it for `aidd ci merge` and `aidd ci post`.
    #[arg(long, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
    /// Through GitHub's API, with the token in GITHUB_TOKEN.
    #[command(flatten)]
    pub posts: CiPosts,
    /// Suggest safe fixes as review comments (pull-requests: write).
    #[arg(long)]
    pub review: bool,
    /// Upload it to code scanning (security-events: write).
    #[arg(long)]
    pub upload_sarif: bool,
    /// Keep baselined and allowed findings in SARIF, marked as suppressed.
    #[arg(long)]
    pub sarif_suppressed: bool,
    /// Tells several runs on one commit apart, in code scanning and in comments.
    #[arg(long, value_name = "NAME")]
    pub category: Option<String>,
}

/// What is posted through GitHub's API.
#[derive(Debug, Args)]
pub struct CiPosts {
    /// Keep one comment on the pull request up to date (pull-requests: write).
    #[arg(long)]
    pub comment: bool,
    /// Make a check run, whose annotations have no limit of ten (checks: write).
    #[arg(long)]
    pub check_run: bool,
}

/// Reads `I/N`.
fn part(text: &str) -> Result<aidd_engine::workspace::walk::Part, String> {
    let wrong = || "a part is named I/N, with I from 1 to N: 1/4".to_owned();
    let (index, of) = text.split_once('/').ok_or_else(wrong)?;
    let (index, of) = (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
    let part = aidd_engine::workspace::walk::Part { index, of };
    if (1..=part.of).contains(&part.index) && part.of <= 1000 { Ok(part) } else { Err(wrong()) }
}

/// Which rules run.
#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// Run only these rules: ids, aliases (DL3007) or globs (`secrets/*`); comma or repeat.
    #[arg(long, value_name = "RULE")]
    pub only: Vec<String>,
    /// Do not run these rules: named as above.
    #[arg(long, value_name = "RULE")]
    pub skip: Vec<String>,
    /// Run no rule below this severity: error, warning or info.
    #[arg(long)]
    pub severity: Option<Severity>,
}

/// Which files are read.
#[derive(Debug, Args)]
pub struct WalkArgs {
    /// Check ignored files too (.gitignore, .ignore, .aiddignore).
    #[arg(long)]
    pub no_ignore: bool,
    /// Leave out files and folders whose name begins with a dot.
    #[arg(long)]
    pub no_hidden: bool,
    /// Threads [default: one a processor].
    #[arg(
        long,
        short,
        env = "AIDD_JOBS",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub jobs: usize,
    /// Globs of paths not to check, besides the configured ones; comma or repeat.
    #[arg(long, env = "AIDD_EXCLUDE", value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Most bytes a file may have to be parsed [default: 2097152].
    #[arg(long, env = "AIDD_MAX_FILE_SIZE", value_name = "BYTES")]
    pub max_file_size: Option<u64>,
}

/// Which findings are known.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// The file of known findings [default: .aidd/baseline.json].
    #[arg(long, env = "AIDD_BASELINE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// Judge every finding as new.
    #[arg(long, conflicts_with = "baseline")]
    pub no_baseline: bool,
}

impl BaselineArgs {
    /// The file that was named, and whether there is to be none.
    #[must_use]
    pub fn known(&self) -> (Option<&Path>, bool) {
        (self.baseline.as_deref(), self.no_baseline)
    }
}

/// What `--output` names: the format before `=`, by the ending, or as `--format` says.
pub fn output_of(text: &str, otherwise: Format) -> Result<(Format, PathBuf)> {
    if let Some((name, path)) = text.split_once('=').filter(|(name, _)| is_word(name)) {
        let Ok(format) = Format::from_str(name, true) else {
            let all = Format::value_variants().iter().filter_map(Format::to_possible_value);
            let all: Vec<String> = all.map(|value| value.get_name().to_owned()).collect();
            let near = nearest(name, all.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(UserError::new(format!("--output {text}: `{name}` is no format{near}"))
                .hint(format!("formats are {}", all.join(", ")))
                .into());
        };
        if path.is_empty() {
            return Err(UserError::new(format!("--output {text}: which file?")).into());
        }
        return Ok((format, path.into()));
    }
    let path = PathBuf::from(text);
    let format = match path.extension().and_then(|ending| ending.to_str()) {
        Some("sarif") => Format::Sarif,
        Some("json") => Format::Json,
        Some("md") => Format::Markdown,
        Some("xml") => Format::Junit,
        Some("txt") => Format::Text,
        _ if otherwise != Format::Text => otherwise,
        _ => {
            return Err(UserError::new(format!("--output {text}: which format?"))
                .hint(format!("name it: --output sarif={text}"))
                .into());
        }
    };
    Ok((format, path))
}

/// Whether a text could be the name of a format: paths have dots and slashes.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The values of an option that takes several, divided by commas: those between braces are a glob's.
#[must_use]
pub fn listed(given: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for text in given {
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
    fn a_comma_between_braces_divides_nothing() {
        let of =
            |given: &[&str]| listed(&given.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["a,b", "c"]), ["a", "b", "c"]);
        assert_eq!(of(&["**/*.{js,{ts,tsx}}, vendor/"]), ["**/*.{js,{ts,tsx}}", "vendor/"]);
        assert_eq!(of(&["a},b", ",,"]), ["a}", "b"]);
        // One that is not closed is told as it was typed.
        assert_eq!(of(&["a{b,c"]), ["a{b,c"]);
    }
}
