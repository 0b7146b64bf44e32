//! `aidd index name`: the names that people give to themes and flows.

use super::Answer;
use crate::cli::{IndexCommand, NameKind};
use crate::memory::to_user_error;
use aidd_engine::workspace::walk;
use aidd_index::names::{self, Named};
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::project_map::{MapEntry, MapKind, ProjectMap};
use aidd_memory::store::BackendChoice;
use aidd_report::exit::UserError;
use aidd_report::project::{self, Project};
use aidd_report::{Io, one_line};
use anyhow::Result;
use std::fmt::Write as _;
use std::path::Path;

/// The names of the project, and what is wrong with them.
pub(super) fn read(root: &Path) -> Result<(Vec<Named>, Vec<String>)> {
    let map = ProjectMap::of_project(root).map_err(to_user_error)?;
    let named = named(&map);
    let mut problems = map.problems.clone();
    problems.extend(names::problems(root, &named)?);
    Ok((named, problems))
}

fn named(map: &ProjectMap) -> Vec<Named> {
    let entries = map.entries().map(|(place, entry)| Named {
        is_flow: entry.kind == MapKind::Flow,
        name: entry.name.clone(),
        description: entry.description.clone(),
        paths: entry.paths.clone(),
        entries: entry.entries.clone(),
        themes: entry.themes.clone(),
        place,
    });
    entries.collect()
}

/// Writes a name, or lists the names.
pub(super) fn answer(command: &IndexCommand, project: &Project, io: &Io<'_>) -> Result<Answer> {
    let root = project.root();
    if let IndexCommand::Name {
        kind: Some(kind),
        name: Some(name),
        paths,
        entries,
        themes,
        description,
        rm,
    } = command
    {
        let relative =
            |path: &String| walk::relative(root, &project::absolute(&io.cwd, Path::new(path)));
        let kind = match kind {
            NameKind::Theme => MapKind::Theme,
            NameKind::Flow => MapKind::Flow,
        };
        let entry = MapEntry {
            description: description.clone(),
            paths: paths.iter().map(relative).collect(),
            entries: entries.clone(),
            themes: themes.clone(),
            removed: *rm,
            ..MapEntry::new(kind, name)
        };
        if !rm {
            refuse_unknown(root, &entry)?;
        }
        let clock = system_clock();
        let mut memory =
            ProjectMemory::open(io.distribution, root, BackendChoice::default(), clock)
                .map_err(to_user_error)?;
        memory.change_map(entry).map_err(to_user_error)?;
    }
    let map = ProjectMap::of_project(root).map_err(to_user_error)?;
    let mut text = String::new();
    for (_, entry) in map.entries() {
        let parts: Vec<&str> =
            entry.paths.iter().chain(&entry.entries).map(String::as_str).collect();
        let description = entry.description.as_ref().map(|text| format!(": {text}"));
        let line = format!(
            "{} {}{} [{}]",
            entry.kind.word(),
            entry.name,
            description.unwrap_or_default(),
            parts.join(", ")
        );
        let _ = writeln!(text, "{}", one_line(&line));
    }
    for problem in read(root)?.1 {
        let _ = writeln!(text, "note: {}", one_line(&problem));
    }
    if text.is_empty() {
        text.push_str("no theme or flow is named; start with: aidd index name theme NAME PATH\n");
    }
    Answer::new(text, map.entries().map(|(_, entry)| entry).collect::<Vec<_>>())
}

/// Refuses paths, entry points and themes that do not exist.
fn refuse_unknown(root: &Path, entry: &MapEntry) -> Result<()> {
    let mut all = read(root)?.0;
    let new = named(&ProjectMap::read(serde_json::to_string(entry)?.as_bytes(), ""));
    all.retain(|known| {
        new.iter().all(|new| (known.is_flow, &known.name) != (new.is_flow, &new.name))
    });
    all.extend(new);
    let problems = names::problems(root, &all)?;
    match problems.iter().find_map(|problem| problem.strip_prefix(":1: ")) {
        Some(problem) => Err(UserError::new(problem.to_owned()).into()),
        None => Ok(()),
    }
}
