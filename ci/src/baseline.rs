//! `aidd baseline`: recording findings to put off, and taking out what is gone.

use crate::Io;
use crate::cli::BaselineCommand;
use crate::exit::{Exit, UserError};
use crate::progress::Progress;
use crate::project::{self, Project};
use aidd_engine::baseline::Baseline;
use aidd_engine::check::Selection;
use aidd_engine::finding::{Finding, Status};
use aidd_engine::walk::{self, Outcome, Walk};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs `aidd baseline …`.
///
/// # Errors
/// When a file cannot be read or written, or new findings would be recorded unasked.
pub fn run(command: &BaselineCommand, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        BaselineCommand::Write { paths, accept_new, baseline } => {
            let paths = project::locate(&io.cwd, paths)?;
            let project = Project::open(paths.first().context("no path")?, config)?;
            write(&project, paths, *accept_new, baseline.as_deref(), io)
        }
        BaselineCommand::Prune { baseline } => {
            let project = Project::open(&io.cwd, config)?;
            prune(&project, baseline.as_deref(), io)
        }
    }
}

fn write(
    project: &Project,
    paths: Vec<PathBuf>,
    accept_new: bool,
    given: Option<&Path>,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let path = project.baseline_path(given);
    let known = project.baseline(&path, false)?;
    let mut outcome = check(project, paths)?;
    if let Some(known) = &known {
        known.apply(outcome.files.iter_mut().flat_map(|file| &mut file.checked.findings));
        let new = findings(&outcome).filter(|(_, finding)| finding.status == Status::New).count();
        if new > 0 && !accept_new {
            let message = format!("{new} findings are not in the baseline");
            return Err(UserError::new(message)
                .hint("look at them with `aidd check`; --accept-new records them, `aidd baseline prune` only takes out")
                .into());
        }
    }
    let baseline = Baseline::of(findings(&outcome));
    save(&path, &baseline)?;
    let count: u32 = baseline.entries().map(|entry| entry.count).sum();
    writeln!(io.err, "recorded {count} findings in {}", path.display())?;
    Ok(Exit::Clean)
}

fn prune(project: &Project, given: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let path = project.baseline_path(given);
    let baseline = project.baseline(&path, true)?.unwrap_or_default();
    let mut outcome = check(project, vec![project.root().to_owned()])?;
    let stale =
        baseline.apply(outcome.files.iter_mut().flat_map(|file| &mut file.checked.findings));
    let count: u32 = stale.iter().map(|entry| entry.count).sum();
    if count > 0 {
        save(&path, &baseline.without(&stale))?;
    }
    writeln!(io.err, "took out {count} findings that are gone")?;
    Ok(Exit::Clean)
}

fn check(project: &Project, paths: Vec<PathBuf>) -> Result<Outcome> {
    let engine = project.engine(&Selection::default())?;
    let walk = Walk { paths, jobs: 0, no_ignore: false, no_hidden: false };
    let progress = Progress::start();
    walk::check_tree(&engine, &project.config, &project.disk, &walk, &|| progress.advance(1))
        .map_err(|why| UserError::new(format!("include or exclude: {why}")).into())
}

fn findings(outcome: &Outcome) -> impl Iterator<Item = (&str, &Finding)> {
    outcome
        .files
        .iter()
        .flat_map(|file| file.checked.findings.iter().map(|finding| (file.source.path(), finding)))
}

fn save(path: &Path, baseline: &Baseline) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::write(path, baseline.write()).with_context(|| path.display().to_string())
}
