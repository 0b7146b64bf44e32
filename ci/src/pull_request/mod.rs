//! `aidd ci`: reports the findings that a pull request or push introduced, where the CI system
//! displays findings.

mod evolution;
mod location;
mod merge;
mod outputs;
mod post;
mod sides;
mod suggest;
mod weakened;

use crate::args::{Ci, CiCheck, CiCommand, Scope};
use crate::base::{self, BaseChoice, BaseSearch};
use crate::event::{Event, System, Trigger};
use crate::github;
use crate::reach::ReachReport;
use crate::saved::{Context, Saved, Shard};
use aidd_engine::check::{Engine, Selection, text_keys};
use aidd_engine::forms::commits;
use aidd_engine::project::git::Snapshot;
use aidd_engine::text::finding::Status;
use aidd_engine::workspace::baseline::Entry;
use aidd_engine::workspace::diff::{ALLOW_COMMENT_REMOVED, CompareResult, Hunk};
use aidd_engine::workspace::walk::{FileReport, Walk, check_tree};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::gate::Policy;
use aidd_report::project::{self, Project};
use aidd_report::run::baseline;
use aidd_report::run::compare;
use aidd_report::run::fail_on;
use aidd_report::{
    self as report, BY_BASE, Comparison, ComplianceInput, Document, Run, VersionControl, wire,
};
use anyhow::{Context as _, Result};
use location::ProjectLocation;
use outputs::Outputs;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use weakened::Weakened;

/// Number of context lines on either side of a change. The diff of a pull request shows these lines
/// and accepts comments on them.
const CONTEXT_LINES: u32 = 3;
/// Maximum size of an event payload in bytes; GitHub's own limit is 25 MB.
const MAX_PAYLOAD_SIZE: u64 = 32 << 20;

/// Runs `aidd ci …`.
///
/// # Errors
/// Fails on invalid usage or configuration, a base that cannot be found, or output that cannot be
/// written.
pub fn run(args: &Ci, config: Option<&Path>, color: When, io: &mut Io<'_>) -> Result<Exit> {
    match &args.command {
        None => check(&args.check, config, color, io),
        Some(CiCommand::Merge(args)) => merge::run(args, config, color, io),
        Some(CiCommand::Post(args)) => post::run(args, io),
    }
}

/// The value of an environment variable, if it is set and not empty.
fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Reads the event of this run from the environment.
fn event() -> Result<Event> {
    let payload = match env("GITHUB_EVENT_PATH") {
        None => None,
        Some(path) => {
            let name = || format!("GITHUB_EVENT_PATH: {path}");
            let mut bytes = Vec::new();
            let file = fs::File::open(&path).with_context(name)?;
            file.take(MAX_PAYLOAD_SIZE + 1).read_to_end(&mut bytes).with_context(name)?;
            Some(bytes)
        }
    };
    Ok(Event::read(&env, payload.as_deref())?)
}

/// The token for GitHub's API.
fn token() -> Option<String> {
    env("AIDD_GITHUB_TOKEN").or_else(|| env("GITHUB_TOKEN"))
}

/// The inputs and state of one run.
struct Job<'a> {
    args: &'a CiCheck,
    event: Event,
    project: Project,
    /// The files of the commit whose rules apply, if another commit is checked out.
    trusted: Option<Snapshot>,
    paths: Vec<PathBuf>,
    notes: Vec<String>,
    weakened: Weakened,
    /// The configuration file set on the command line, instead of the default one.
    config: Option<&'a Path>,
    cwd: PathBuf,
    started: Instant,
}

fn check(args: &CiCheck, config: Option<&Path>, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let started = Instant::now();
    let event = event()?;
    let paths = project::locate(&io.cwd, &args.paths)?;
    let root = project::root_above(&io.cwd, &paths);
    if let Some(format) = args.policy {
        return print_policy(args, &Project::open(io.distribution, &root, config)?, format, io);
    }
    let token = token();
    let on_github = event.repository.clone().filter(|_| event.system == System::GitHub);
    let api = on_github.zip(token);
    let fetch_merge_base = |base: &str, head: &str| match &api {
        Some((repository, token)) => github::merge_base(repository, token, base, head),
        None => anyhow::bail!("no token for GitHub's API"),
    };
    let fetch_merge_base: Option<base::Compare<'_>> =
        api.as_ref().map(|_| &fetch_merge_base as base::Compare<'_>);
    let distribution = io.distribution;
    let mut log = |text: &str| {
        let _ = writeln!(io.err, "aidd: {text}");
    };
    let mut found = base::find(
        distribution,
        &root,
        &event,
        args.base.as_deref(),
        args.no_base,
        fetch_merge_base,
        &mut log,
    )?;
    let (project, trusted) = match (&event.trigger, &event.pull, &found.against) {
        (Trigger::PullRequestTarget, _, BaseChoice::WholeTree { why }) => {
            return Err(UserError::new(format!(
                "{why}: without a base there are no trusted rules"
            ))
            .hint("pull_request_target runs only use the rules of the target")
            .into());
        }
        (Trigger::PullRequestTarget, Some(pull), _) => {
            // Read the head from the object store even if it is checked out.
            found.head.get_or_insert_with(|| pull.head_sha.clone());
            let (project, files) = sides::open_trusted(
                distribution,
                &root,
                &pull.base_sha,
                (config, args.baseline.baseline.as_deref()),
                &mut log,
            )?;
            (project, Some(files))
        }
        _ => (Project::open(io.distribution, &root, config)?, None),
    };
    let project = project::with_current_date(project);
    let (notes, weakened, cwd) = (Vec::new(), Weakened::default(), io.cwd.clone());
    let mut job =
        Job { args, event, project, trusted, paths, notes, weakened, config, cwd, started };
    apply_options(args, &mut job.project, &job.cwd);
    job.run(&found, color, io)
}

/// Prints the rules that the configuration enforces, without checking files.
fn print_policy(
    args: &CiCheck,
    project: &Project,
    format: report::ComplianceFormat,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let engine = project.engine(&Selection::default())?;
    let path = project.baseline_path(args.baseline.baseline.as_deref());
    let baseline = project.baseline(&path, args.baseline.baseline.is_some())?;
    let input = ComplianceInput {
        config: &project.config,
        engine: &engine,
        fail_on: fail_on(args.fail_on, project),
        baseline: baseline
            .map(|baseline| baseline.entries().map(|entry| entry.count as usize).sum()),
    };
    io.out.write_all(report::compliance(input, format).as_bytes())?;
    Ok(Exit::Clean)
}

/// Applies the options of the run to the project's configuration, and excludes the reports of an
/// earlier run, which this run overwrites.
fn apply_options(args: &CiCheck, project: &mut Project, cwd: &Path) {
    let exclude = project.config.exclude.get_or_insert_default();
    exclude.extend(crate::args::split_values(&args.walk.exclude));
    project.exclude(args.outputs.files().map(|path| project::absolute(cwd, &path)));
    let limit = args.walk.max_file_size;
    project.config.max_file_size = limit.or(project.config.max_file_size);
}

impl Job<'_> {
    fn walk(&self) -> Walk {
        Walk {
            jobs: self.args.walk.jobs,
            no_ignore: self.args.walk.no_ignore,
            no_hidden: self.args.walk.no_hidden,
            part: self.args.shard,
            branch: self.event.head_name().map(str::to_owned),
            ..Walk::over(self.paths.clone())
        }
    }

    /// Whether all files are checked. A push to the default branch requires that, because code
    /// scanning marks findings that are missing from a branch's report as fixed. For an untrusted
    /// head, only changed files are read.
    fn checks_all_files(&self) -> bool {
        if self.trusted.is_some() {
            return false;
        }
        let to_default = self.event.trigger == Trigger::Push
            && self.event.branch().is_some()
            && self.event.branch() == self.event.default_branch.as_deref();
        match self.args.scope {
            Scope::Auto => to_default,
            Scope::All => true,
            Scope::Changed => false,
        }
    }

    fn run(&mut self, found: &BaseSearch, color: When, io: &mut Io<'_>) -> Result<Exit> {
        let engine = self.project.engine(&Selection::default())?;
        let (policy, unknown) = self.policy(&self.project, &engine);
        let (compared, comparison, stale, policy) =
            self.check_and_compare(&engine, found, policy)?;
        self.notes.extend(unknown);
        let notes = compared.outcome.notes.iter();
        self.notes.extend(notes.map(|(rule, note)| format!("{rule}: {note}")));
        let has_changed_files_only =
            comparison.as_ref().is_some_and(|comparison| !comparison.whole_tree);
        let kind = if has_changed_files_only { "changed" } else { "tracked" };
        self.notes.extend(compared.outcome.excluded.message(kind));
        if let BaseChoice::Base(base) = &found.against {
            let root = self.project.root();
            self.notes.extend(evolution::describe(root, &base.sha, found.head.as_deref()));
        }
        let reach = self.reach(found);
        self.notes.extend(reach.iter().map(|reach| reach.note.clone()));
        let version_control = self.version_control(found);
        let location = ProjectLocation::from_project(&self.project);
        let registry = location.rules(&self.project);
        let run = Run {
            files: compare::files(&compared.outcome.files),
            fixed: compare::files(&compared.fixed),
            rules: registry.as_ref().unwrap_or(engine.registry()).rules(),
            checked: compared.outcome.checked,
            skipped: &compared.outcome.skipped,
            fail_on: policy.fail_on,
            policy: Some(&policy),
            comparison,
            notes: self.notes.clone(),
            reach: reach.and_then(|reach| reach.details),
            elapsed: self.started.elapsed(),
            root: &location.top,
            baseline: stale.is_some(),
            stale: stale.unwrap_or_default(),
            suppressed: self.args.outputs.sarif_suppressed,
            category: self.args.outputs.category.as_deref(),
            version_control: version_control.as_ref(),
        };
        self.report(&engine, (&run, &location), &compared, found, (color, io))
    }

    /// What the change reaches. The index describes the work tree, so this is unknown if another
    /// commit is checked.
    fn reach(&self, found: &BaseSearch) -> Option<ReachReport> {
        let BaseChoice::Base(base) = &found.against else { return None };
        if self.args.shard.is_some_and(|part| part.index > 1) {
            return None;
        }
        if self.trusted.is_some() || found.head.is_some() {
            let why = "the reach of the change is unknown: the checked commit is not checked out";
            let unknown = || ReachReport { note: why.to_owned(), details: None };
            return self.args.reach.then(unknown);
        }
        crate::reach::report(&self.project, Some(&base.sha), self.args.reach)
    }

    /// Checks the files and compares them with the base. Also returns the number of stale baseline
    /// entries, if there is a baseline.
    fn check_and_compare(
        &mut self,
        engine: &Engine,
        found: &BaseSearch,
        policy: Policy,
    ) -> Result<(CompareResult, Option<Comparison>, Option<usize>, Policy)> {
        let (mut compared, base) = match &found.against {
            BaseChoice::Base(base) => {
                let compared = self.compare(engine, base, found.head.as_deref())?;
                let short = &base.sha[..base.sha.len().min(7)];
                let name = format!("{short} ({})", base.why);
                (compared, Some(compare::Base { commit: Some(base.sha.clone()), name }))
            }
            BaseChoice::WholeTree { why } => {
                self.notes.push(format!("All files were checked: {why}"));
                (self.check_all(engine)?, None)
            }
        };
        compared.outcome.skip_irregular(self.project.irregular());
        let checks_all = base.is_none() || self.checks_all_files();
        let complete = checks_all && self.args.walk.exclude.is_empty() && !self.args.walk.no_hidden;
        let (args, outcome) = (&self.args.baseline, &mut compared.outcome);
        let stale = baseline::apply(args.options(), &self.project, &self.paths, outcome, complete)?;
        // A shard has only its own files, so `aidd ci merge` matches moved findings across all
        // shards.
        if self.args.shard.is_none() {
            compared.match_across();
        }
        let policy = self.add_findings_under_base_settings(&mut compared, policy);
        let comparison = base.map(|base| Comparison {
            weakened: std::mem::take(&mut self.weakened.entries),
            ..compare::comparison(base, checks_all, &compared)
        });
        let in_shard =
            |entry: &&Entry| self.args.shard.is_none_or(|part| part.contains(&entry.path));
        let stale = stale.map(|stale| {
            stale.iter().filter(in_shard).map(|entry| entry.count as usize).sum::<usize>()
        });
        Ok((compared, comparison, stale, policy))
    }

    fn report(
        &self,
        engine: &Engine,
        (run, location): (&Run<'_>, &ProjectLocation),
        compared: &CompareResult,
        found: &BaseSearch,
        (color, io): (When, &mut Io<'_>),
    ) -> Result<Exit> {
        let document = Document::from_run(run, self.args.outputs.needs_line_hashes());
        let mut saved = Saved {
            shard: self.args.shard.map(|part| Shard { index: part.index, count: part.of }),
            match_keys: match_keys(run, &document),
            diff_lines: diff_lines(compared),
            ..Saved::new(self.context(&found.against), document)
        };
        let suggestions = self.suggestions(engine, run, found.head.as_deref(), &mut saved.document);
        location.prefix_paths(&mut saved);
        let outputs = Outputs {
            args: &self.args.outputs,
            event: &self.event,
            rules: run.rules,
            saved: &saved,
            run: Some(run),
            suggestions: &suggestions,
        };
        outputs.write(color, io)?;
        Ok(outputs::exit_code(&saved.document))
    }

    fn check_all(&self, engine: &Engine) -> Result<CompareResult> {
        let progress = crate::progress::Progress::start();
        let (config, disk) = (&self.project.config, &self.project.disk);
        let outcome = check_tree(engine, config, disk, &self.walk(), &|| progress.advance(1))
            .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?;
        progress.finish();
        Ok(CompareResult { outcome, ..CompareResult::default() })
    }

    /// The commit whose files are checked. It can differ from the commit of the event.
    fn version_control(&self, found: &BaseSearch) -> Option<VersionControl> {
        let checked = found.head.clone().or_else(|| location::head_commit(self.project.root()));
        Some(VersionControl {
            repository: self.event.repository.as_ref()?.url(),
            revision: checked.or_else(|| self.event.sha.clone())?,
            branch: self.event.branch().map(str::to_owned),
        })
    }

    fn context(&self, against: &BaseChoice) -> Context {
        let base = match against {
            BaseChoice::Base(base) => Some(&*base.sha),
            BaseChoice::WholeTree { .. } => None,
        };
        Context::from_event(&self.event, base)
    }
}

/// For each file with findings, the line ranges that the diff of the pull request shows, counted
/// from 1.
fn diff_lines(compared: &CompareResult) -> BTreeMap<String, Vec<(u32, u32)>> {
    let shown = |hunk: &Hunk| {
        (
            hunk.head.start.saturating_sub(CONTEXT_LINES) + 1,
            hunk.head.end.saturating_add(CONTEXT_LINES),
        )
    };
    let mut lines: BTreeMap<String, Vec<(u32, u32)>> = compared
        .hunks
        .iter()
        .map(|(path, hunks)| (path.clone(), hunks.iter().map(shown).collect()))
        .collect();
    // The diff shows a new file in full. The text of a commit is not a file, so no diff shows its
    // lines.
    let is_file = |file: &&FileReport| !commits::is_virtual_path(file.source.path());
    for file in compared.outcome.files.iter().filter(is_file) {
        lines.entry(file.source.path().to_owned()).or_insert_with(|| {
            let new = file.checked.findings.iter().any(|found| found.status == Status::New);
            if new { vec![(1, u32::MAX)] } else { Vec::new() }
        });
    }
    lines
}

/// The key of each finding of the document; see [`Saved::match_keys`].
fn match_keys(run: &Run<'_>, document: &Document) -> Vec<String> {
    let mut keys = HashMap::new();
    for file in run.files.iter().chain(&run.fixed) {
        let found = file.findings.iter().copied();
        // A finding on a whole file has no text to match.
        let has_text = !file.source.text().is_empty();
        for (finding, key) in file.findings.iter().zip(text_keys(file.source, found)) {
            let reason = finding.reason.as_deref().unwrap_or_default();
            let may_move =
                has_text && reason != ALLOW_COMMENT_REMOVED && !reason.starts_with(BY_BASE);
            keys.insert(&*finding.id, if may_move { key } else { String::new() });
        }
    }
    let key = |finding: &wire::Finding| keys.get(&*finding.id).cloned().unwrap_or_default();
    document.findings.iter().map(key).collect()
}
