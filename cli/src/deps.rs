//! `aidd deps`: the dependencies of the project, as declared, locked and used.

mod online;

use crate::cli::Deps;
use aidd_engine::check::Selection;
use aidd_engine::forms::dependencies::table::{DependencyRow, DependencyTable};
use aidd_engine::project::advisories::{Match, Matcher};
use aidd_engine::project::locked::MAX_BYTES;
use aidd_engine::workspace::project_checks::dependency_table;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Maximum depth of directories below the directory of advisories.
const MAX_DEPTH: usize = 3;

/// The value of facts that require a network or advisories.
const NOT_CHECKED: &str = "not checked";

/// The advisories that apply to the locked packages.
#[derive(Serialize)]
#[serde(untagged)]
enum Advisories {
    NotChecked(&'static str),
    Checked { read: usize, invalid: usize, matches: Vec<Match> },
}

/// Whether registries were queried for newer versions. The answers are in the rows.
#[derive(Serialize)]
#[serde(untagged)]
enum NewerVersions {
    NotChecked(&'static str),
    Checked {
        #[serde(rename = "asked")]
        queried: BTreeSet<String>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'t> {
    schema_version: u32,
    dependencies: &'t [DependencyRow],
    advisories: &'t Advisories,
    newer_versions: &'t NewerVersions,
    notes: &'t [String],
}

/// Runs `aidd deps`.
///
/// # Errors
/// Fails when the configuration is invalid, or the directory of advisories cannot be read.
pub fn run(args: &Deps, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let engine = project.engine(&Selection::default())?;
    let walk = Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &walk);
    let mut table = dependency_table(&engine, &project.config, &project.disk, &listing)?;
    if let Some(path) = &args.path {
        retain_below(&mut table, &project, &project::absolute(&io.cwd, path))?;
    }
    let advisories = match &args.osv {
        Some(dir) => check_advisories(&table, &project::absolute(&io.cwd, dir))?,
        None => Advisories::NotChecked(NOT_CHECKED),
    };
    let newer_versions = match args.online {
        true => NewerVersions::Checked { queried: online::ask(&mut table, &project.disk) },
        false => NewerVersions::NotChecked(NOT_CHECKED),
    };
    if args.json {
        io.out.json(&Document {
            schema_version: 1,
            dependencies: &table.dependencies,
            advisories: &advisories,
            newer_versions: &newer_versions,
            notes: &table.notes,
        })?;
    } else {
        print(&table, &advisories, &newer_versions, io)?;
    }
    let is_affected = matches!(&advisories, Advisories::Checked { matches, .. }
        if matches.iter().any(|found| found.affected == Some(true)));
    Ok(if is_affected { Exit::Findings } else { Exit::Clean })
}

/// Removes the manifests and lock files that are not at or below `path`.
fn retain_below(table: &mut DependencyTable, project: &Project, path: &Path) -> Result<()> {
    if !path.exists() || !path.starts_with(project.root()) {
        let error = UserError::new(format!("{} is not a path of the project", path.display()));
        return Err(error.hint("pass a manifest or a directory").into());
    }
    let is_below = |other: &str| project.root().join(other).starts_with(path);
    table.dependencies.retain(|row| is_below(&row.manifest));
    let used: Vec<&String> =
        table.dependencies.iter().filter_map(|row| row.lock.as_ref()).collect();
    table.locks.retain(|lock| is_below(&lock.path) || used.contains(&&lock.path));
    Ok(())
}

/// Compares the lock files with the advisories in the JSON files below `dir`.
fn check_advisories(table: &DependencyTable, dir: &Path) -> Result<Advisories> {
    let mut matcher = Matcher::new(&table.locks);
    let mut dirs: Vec<(PathBuf, usize)> = vec![(dir.to_owned(), 0)];
    while let Some((dir, depth)) = dirs.pop() {
        let entries = fs::read_dir(&dir).map_err(|error| unreadable(&dir, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&dir, &error))?;
            let path = entry.path();
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_dir && depth < MAX_DEPTH {
                dirs.push((path, depth + 1));
            } else if !is_dir && path.extension().is_some_and(|extension| extension == "json") {
                let is_large = entry.metadata().is_ok_and(|data| data.len() > MAX_BYTES);
                let text = if is_large { None } else { fs::read_to_string(&path).ok() };
                matcher.add(text.as_deref().unwrap_or_default());
            }
        }
    }
    if matcher.advisories == 0 {
        let error = UserError::new(format!("{} contains no advisories", dir.display()));
        return Err(error.hint("pass a directory with JSON files in the OSV format").into());
    }
    let (read, invalid) = (matcher.advisories, matcher.invalid);
    Ok(Advisories::Checked { read, invalid, matches: matcher.matches() })
}

fn unreadable(path: &Path, error: &io::Error) -> UserError {
    UserError::new(format!("cannot read {}: {error}", path.display()))
        .hint("correct the path in `--osv`")
}

fn print(
    table: &DependencyTable,
    advisories: &Advisories,
    newer_versions: &NewerVersions,
    io: &mut Io<'_>,
) -> Result<()> {
    const HEAD: [&str; 6] = ["name", "ecosystem", "declared", "locked", "imported by", "notes"];
    for rows in table.dependencies.chunk_by(|a, b| a.manifest == b.manifest) {
        let lock = rows.iter().find_map(|row| row.lock.as_deref());
        let locked = lock.map(|lock| format!(", locked in {lock}")).unwrap_or_default();
        writeln!(io.out, "{}{locked}", rows[0].manifest)?;
        let lines: Vec<[String; 6]> =
            std::iter::once(HEAD.map(str::to_owned)).chain(rows.iter().map(cells)).collect();
        let width = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
        for line in &lines {
            let padded = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(io.out, "  {}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        writeln!(io.out)?;
    }
    if table.dependencies.is_empty() {
        writeln!(io.out, "no dependencies found")?;
    }
    for note in &table.notes {
        writeln!(io.out, "note: {note}")?;
    }
    match advisories {
        Advisories::NotChecked(_) => {
            writeln!(io.out, "advisories: not checked; pass a local export with --osv DIR")?;
        }
        Advisories::Checked { read, invalid, matches } => {
            for found in matches {
                let state = match found.affected {
                    Some(_) => "affected",
                    None => "not checked: the versions cannot be compared",
                };
                let fixed = match found.fixed.is_empty() {
                    true => String::new(),
                    false => format!("; fixed in {}", found.fixed.join(", ")),
                };
                writeln!(
                    io.out,
                    "{}: {} {} {}: {state}{fixed}",
                    found.lock, found.package, found.version, found.advisory
                )?;
            }
            let affected = matches.iter().filter(|found| found.affected == Some(true)).count();
            let unknown = matches.len() - affected;
            let skipped = match invalid {
                0 => String::new(),
                1 => ", 1 file is not an advisory".to_owned(),
                count => format!(", {count} files are not advisories"),
            };
            writeln!(
                io.out,
                "advisories: {affected} apply, {unknown} not checked, of {read} read{skipped}"
            )?;
        }
    }
    match newer_versions {
        NewerVersions::NotChecked(_) => {
            writeln!(io.out, "newer versions: not checked; ask the registries with --online")?;
        }
        NewerVersions::Checked { queried } => {
            writeln!(io.out, "{}", online::summary(&table.dependencies, queried))?;
        }
    }
    Ok(())
}

/// The cells of a row.
fn cells(row: &DependencyRow) -> [String; 6] {
    let used_by = match row.used_by {
        None => NOT_CHECKED.to_owned(),
        Some(1) => "1 file".to_owned(),
        Some(count) => format!("{count} files"),
    };
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    [
        row.name.clone(),
        row.ecosystem.to_string(),
        or_dash(row.declared.clone().unwrap_or_default()),
        or_dash(row.locked.join(", ")),
        used_by,
        row.notes.join("; "),
    ]
}
