//! `aidd baseline`: records existing findings and removes entries that no longer match.

use crate::cli::BaselineCommand;
use aidd_ci::progress::Progress;
use aidd_engine::check::Selection;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::workspace::baseline::{Baseline, Entry};
use aidd_engine::workspace::walk::{self, Outcome, Walk};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::run::baseline::was_checked;
use aidd_report::{number, one_line};
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
        BaselineCommand::Write { paths, accept_new, baseline } => {
            let paths = project::locate(&io.cwd, paths)?;
            let project =
                Project::open(io.distribution, &project::root_above(&io.cwd, &paths), config)?;
            let project = project::with_current_date(project);
            write(&project, &paths, *accept_new, baseline.as_deref(), io)
        }
        BaselineCommand::Prune { baseline } => {
            let project =
                project::with_current_date(Project::open(io.distribution, &io.cwd, config)?);
            prune(&project, baseline.as_deref(), io)
        }
    }
}

fn write(
    project: &Project,
    paths: &[PathBuf],
    accept_new: bool,
    option: Option<&Path>,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let path = baseline_to_write(project, option)?;
    let existing = project.baseline(&path, false)?;
    let mut outcome = check(project, paths.to_vec())?;
    if let Some(existing) = &existing {
        existing.apply(outcome.files.iter_mut().flat_map(|file| &mut file.checked.findings));
        let new = findings(&outcome).filter(|(_, finding)| finding.status == Status::New).count();
        if new > 0 && !accept_new {
            let verb = if new == 1 { "is" } else { "are" };
            let message = format!("{} {verb} not in the baseline", number(new, "finding"));
            return Err(UserError::new(message)
                .hint("show them with `aidd check`; --accept-new records them, `aidd baseline prune` only removes entries")
                .into());
        }
    }
    let mut baseline = Baseline::from_findings(findings(&outcome));
    let existing_entries = existing.iter().flat_map(Baseline::entries);
    baseline.extend(existing_entries.filter(|entry| !was_checked(entry, project, paths, &outcome)));
    save(&path, &baseline)?;
    writeln!(io.err, "recorded {} in {}", finding_count(baseline.entries()), path.display())?;
    print_skipped(project, outcome, io)
}

fn prune(project: &Project, option: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let path = baseline_to_write(project, option)?;
    let baseline = project.baseline(&path, true)?.unwrap_or_default();
    let paths = vec![project.root().to_owned()];
    let mut outcome = check(project, paths.clone())?;
    let mut stale =
        baseline.apply(outcome.files.iter_mut().flat_map(|file| &mut file.checked.findings));
    stale.retain(|entry| was_checked(entry, project, &paths, &outcome));
    let removed = finding_count(stale.iter().cloned());
    if !stale.is_empty() {
        save(&path, &baseline.without(&stale))?;
    }
    writeln!(io.err, "removed {removed} from {}", path.display())?;
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

fn check(project: &Project, paths: Vec<PathBuf>) -> Result<Outcome> {
    let engine = project.engine(&Selection::default())?;
    let walk = Walk::over(paths);
    let progress = Progress::start();
    walk::check_tree(&engine, &project.config, &project.disk, &walk, &|| progress.advance(1))
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
