//! `aidd pack`: the memory packs of a ticket.

use crate::cli::{Pack, PackCommand, PackName};
use aidd_index::query::Reader;
use aidd_index::{refresh_before_exit, store};
use aidd_pack::{Gathered, Limits, PackError, PackKind, gather, place};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::one_line;
use aidd_report::project::Project;
use anyhow::{Error, Result};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

/// Runs `aidd pack`.
///
/// # Errors
/// Fails when the name of the ticket is invalid, or a pack cannot be read or written.
pub(crate) fn run(args: &Pack, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let memory = project.config.memory.clone().unwrap_or_default();
    let gathered =
        gather(&project, args.ticket.as_deref(), Limits::from(&memory)).map_err(to_user_error)?;
    match &args.command {
        PackCommand::Build => {
            let reader = index(&project, true)?;
            let written = build(&gathered, &reader, &project, memory.tracks_packs())?;
            print_written(&gathered, &written, args.json, io)?;
        }
        PackCommand::Verify => return verify(&gathered, &project, args.json, io),
        PackCommand::Slice { query } => {
            let reader = index(&project, false)?;
            let slice = gathered.slice(query, reader.as_ref()).map_err(to_user_error)?;
            let is_written = slice.write(project.root()).map_err(to_user_error)?;
            place::set_tracked(project.root(), memory.tracks_packs()).map_err(to_user_error)?;
            if args.json {
                let pack: Value = serde_json::from_str(&slice.text)?;
                io.out.json(&json!({ "path": slice.path, "written": is_written, "pack": pack }))?;
            } else {
                write!(io.out, "{}", slice.text)?;
                writeln!(io.err, "{}", slice.path)?;
            }
        }
        PackCommand::Show { pack } => {
            let reader = index(&project, false)?;
            let pack = gathered.pack(to_kind(*pack), reader.as_ref()).map_err(to_user_error)?;
            write!(io.out, "{}", pack.text)?;
        }
    }
    Ok(Exit::Clean)
}

fn to_user_error(error: PackError) -> Error {
    match error {
        PackError::Memory(error) => crate::memory::to_user_error(error),
        other => UserError::new(other.to_string()).into(),
    }
}

fn to_kind(name: PackName) -> PackKind {
    match name {
        PackName::Semantic => PackKind::Semantic,
        PackName::Decisions => PackKind::Decisions,
        PackName::Rlm => PackKind::Rlm,
        PackName::Log => PackKind::Log,
    }
}

/// The code index, brought up to date; with `create`, it is created if there is none.
fn index(project: &Project, create: bool) -> Result<Option<Reader>> {
    if !create && !store::exists(project.root()) {
        return Ok(None);
    }
    refresh_before_exit(&project.disk, &project.config)?;
    Ok(Some(Reader::open(project.root())?))
}

/// Builds all packs; returns their paths, and whether each was written.
fn build(
    gathered: &Gathered<'_>,
    reader: &Option<Reader>,
    project: &Project,
    tracked: bool,
) -> Result<Vec<(String, bool, usize)>> {
    let mut written = Vec::new();
    for pack in gathered.packs(reader.as_ref()).map_err(to_user_error)? {
        let is_written = pack.write(project.root()).map_err(to_user_error)?;
        written.push((pack.path, is_written, pack.text.chars().count()));
    }
    place::set_tracked(project.root(), tracked).map_err(to_user_error)?;
    Ok(written)
}

fn print_written(
    gathered: &Gathered<'_>,
    written: &[(String, bool, usize)],
    as_json: bool,
    io: &mut Io<'_>,
) -> Result<()> {
    if as_json {
        let packs: Vec<Value> = written
            .iter()
            .map(|(path, is_written, chars)| json!({ "path": path, "written": is_written, "chars": chars }))
            .collect();
        io.out.json(&json!({ "ticket": gathered.ticket(), "packs": packs }))?;
        return Ok(());
    }
    for (path, is_written, chars) in written {
        let state = if *is_written { "written" } else { "current" };
        writeln!(io.out, "{state} {} ({chars} characters)", one_line(path))?;
    }
    Ok(())
}

fn verify(
    gathered: &Gathered<'_>,
    project: &Project,
    as_json: bool,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let reader = index(project, false)?;
    let problems = gathered.verify(reader.as_ref()).map_err(to_user_error)?;
    if as_json {
        io.out.json(&json!({ "ticket": gathered.ticket(), "problems": problems }))?;
    } else {
        for problem in &problems {
            let text = format!("{}: {}: {}", problem.path, problem.code, problem.message);
            writeln!(io.out, "{}", one_line(&text))?;
        }
        if problems.is_empty() {
            writeln!(io.out, "the packs of {} are valid and current", one_line(gathered.ticket()))?;
        }
    }
    Ok(if problems.is_empty() { Exit::Clean } else { Exit::Findings })
}
