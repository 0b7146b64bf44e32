//! `aidd baseline`: records existing findings and removes entries that no longer match.

use crate::cli::BaselineCommand;
use aidd_ci::args::split_values;
use aidd_ci::progress::Progress;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::text::finding::{Finding, Severity, Status};
use aidd_engine::text::source::Encoding;
use aidd_engine::workspace::baseline::{Baseline, Entry};
use aidd_engine::workspace::walk::{self, Outcome, Walk};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::run::baseline::{is_gone, was_checked};
use aidd_report::{Severities, count_current, is_secret, number, one_line};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs `aidd baseline …`.
///
/// # Errors
/// Fails when a file cannot be read or written, or when new findings would be recorded without
/// `--accept-new`.
pub fn run(command: &BaselineCommand, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        BaselineCommand::Write { paths, accept_new, only, baseline } => {
            let selection = Selection { only: split_values(only), ..Selection::default() };
            if selection.only.is_empty() && !only.is_empty() {
                return Err(UserError::new("--only requires at least one rule").into());
            }
            let paths = project::locate(&io.cwd, paths)?;
            let project =
                Project::open(io.distribution, &project::root_above(&io.cwd, &paths), config)?;
            let project = project::with_current_date(project);
            write((&project, &paths), &selection, *accept_new, baseline.as_deref(), io)
        }
        BaselineCommand::Prune { baseline } => {
            let project =
                project::with_current_date(Project::open(io.distribution, &io.cwd, config)?);
            prune(&project, baseline.as_deref(), io)
        }
    }
}

fn write(
    (project, paths): (&Project, &[PathBuf]),
    selection: &Selection,
    accept_new: bool,
    option: Option<&Path>,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let path = baseline_to_write(project, option)?;
    let existing = project.baseline(&path, false)?;
    let engine = project.engine(selection)?;
    let mut outcome = check(project, &engine, paths.to_vec())?;
    // Before the baseline is applied, which removes known items from the findings.
    let mut baseline = Baseline::from_findings(findings(&outcome));
    if let Some(existing) = &existing {
        existing.apply(&mut outcome.files, &is_gone(project));
        let new = findings(&outcome).filter(|(_, finding)| finding.status == Status::New).count();
        if new > 0 && !accept_new {
            let verb = if new == 1 { "is" } else { "are" };
            let message = format!("{} {verb} not in the baseline", number(new, "finding"));
            return Err(UserError::new(message)
                .hint("show them with `aidd check`; --accept-new records them, with paths or `--only RULE` only some of them; `aidd baseline prune` only removes entries")
                .into());
        }
    }
    let recorded = finding_count(baseline.entries());
    let is_retained = |entry: &Entry| {
        let is_selected = selection.only.is_empty() || engine.is_enabled_anywhere(&entry.rule);
        !is_selected || !was_checked(entry, project, paths, &outcome)
    };
    let retained: Vec<Entry> =
        existing.iter().flat_map(Baseline::entries).filter(is_retained).collect();
    let retained_count = finding_count(retained.iter().cloned());
    let has_retained = !retained.is_empty();
    baseline.extend(retained);
    save(&path, &baseline)?;
    let shown = path.strip_prefix(&io.cwd).unwrap_or(&path).display();
    let counts = severity_text(count_current(&outcome.files));
    writeln!(io.err, "recorded {recorded} in {shown}{counts}")?;
    if has_retained {
        writeln!(io.err, "retained {retained_count} of other files and rules")?;
    }
    print_secrets(&outcome, io)?;
    writeln!(
        io.err,
        "commit this file: from now on, `aidd check` reports only findings that are not in it"
    )?;
    print_skipped(project, outcome, io)
}

/// `: 1 error, 2 warnings`.
fn severity_text(counts: Severities) -> String {
    let present = Severity::ALL.into_iter().filter(|&severity| counts.count(severity) > 0);
    let parts: Vec<String> = present
        .map(|severity| match severity {
            Severity::Info => format!("{} info", counts.count(severity)),
            _ => number(counts.count(severity), &severity.to_string()),
        })
        .collect();
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}

/// Maximum number of secrets that are named.
const MAX_SECRETS: usize = 20;

/// Names the recorded secrets: they stay valid until they are revoked.
fn print_secrets(outcome: &Outcome, io: &mut Io<'_>) -> Result<()> {
    let mut places = Vec::new();
    for file in &outcome.files {
        let source = &file.source;
        let secrets = file
            .checked
            .findings
            .iter()
            .filter(|finding| is_secret(&finding.rule) && finding.status != Status::Allowed);
        places.extend(secrets.map(|finding| {
            let line = source.position(finding.span.start, Encoding::CodePoints).line + 1;
            format!("{}:{line}: {}", one_line(source.path()), finding.rule)
        }));
    }
    if places.is_empty() {
        return Ok(());
    }
    let count = number(places.len(), "possible secret");
    writeln!(io.err, "includes {count}; a recorded secret that is in use must still be revoked:")?;
    for place in places.iter().take(MAX_SECRETS) {
        writeln!(io.err, "  {place}")?;
    }
    if let Some(rest @ 1..) = places.len().checked_sub(MAX_SECRETS) {
        writeln!(io.err, "  and {rest} more: aidd check --only 'secrets/*' --no-baseline")?;
    }
    Ok(())
}

fn prune(project: &Project, option: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let path = baseline_to_write(project, option)?;
    let baseline = project.baseline(&path, true)?.unwrap_or_default();
    let paths = vec![project.root().to_owned()];
    let engine = project.engine(&Selection::default())?;
    let mut outcome = check(project, &engine, paths.clone())?;
    let mut stale = baseline.apply(&mut outcome.files, &is_gone(project));
    stale.retain(|entry| was_checked(entry, project, &paths, &outcome));
    let removed = finding_count(stale.iter().cloned());
    if !stale.is_empty() {
        save(&path, &baseline.without(&stale))?;
    }
    let shown = path.strip_prefix(&io.cwd).unwrap_or(&path).display();
    writeln!(io.err, "removed {removed} from {shown}")?;
    print_skipped(project, outcome, io)
}

/// Lists the paths that could not be read; their findings are not recorded, and their existing
/// entries stay in the baseline.
fn print_skipped(project: &Project, mut outcome: Outcome, io: &mut Io<'_>) -> Result<Exit> {
    outcome.skip_irregular(project.irregular());
    outcome.skipped.retain(|skipped| skipped.failed);
    if outcome.skipped.is_empty() {
        return Ok(Exit::Clean);
    }
    writeln!(io.err, "{} skipped:", number(outcome.skipped.len(), "path"))?;
    for skipped in &outcome.skipped {
        writeln!(io.err, "  {}: {}", one_line(&skipped.path), one_line(&skipped.why))?;
    }
    Ok(Exit::Unchecked)
}

/// The number of findings in words, such as `1 finding`.
pub(crate) fn finding_count(entries: impl Iterator<Item = Entry>) -> String {
    number(entries.map(|entry| entry.count as usize).sum(), "finding")
}

fn check(project: &Project, engine: &Engine, paths: Vec<PathBuf>) -> Result<Outcome> {
    let walk = Walk::over(paths);
    let progress = Progress::start();
    walk::check_tree(engine, &project.config, &project.disk, &walk, &|| progress.advance(1))
        .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")).into())
}

fn findings(outcome: &Outcome) -> impl Iterator<Item = (&str, &Finding)> {
    outcome
        .files
        .iter()
        .flat_map(|file| file.checked.findings.iter().map(|finding| (file.source.path(), finding)))
}

/// The baseline file to write. A path from the configuration must be inside the project, because
/// the author of that file is not necessarily the user who runs the command.
fn baseline_to_write(project: &Project, option: Option<&Path>) -> Result<PathBuf> {
    if option.is_none() {
        project.own_baseline()?;
    }
    Ok(project.baseline_path(option))
}

fn save(path: &Path, baseline: &Baseline) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    }
    fs::write(path, baseline.to_json()).with_context(|| path.display().to_string())
}
