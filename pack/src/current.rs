//! Keeps the packs of the current ticket up to date, and lists what an agent reads first.

use crate::budget::one_line;
use crate::verify::Problem;
use crate::{Gathered, Limits, PackError, PackKind, current_ticket, gather, place};
use aidd_engine::project::config::{MemoryConfig, ReadEntry};
use aidd_engine::workspace::project::Project;
use aidd_index::query::Reader;
use aidd_index::{refresh, store};
use aidd_memory::state::State;
use std::path::Path;

/// Maximum number of characters of a line of the read chain.
const MAX_LINE: usize = 160;

/// The settings of the packs of a project.
#[must_use]
pub fn settings(project: &Project) -> MemoryConfig {
    project.config.memory.clone().unwrap_or_default()
}

/// The code index, brought up to date, if the project has one.
///
/// # Errors
/// When the index cannot be read or written.
pub fn existing_index(project: &Project) -> Result<Option<Reader>, PackError> {
    if !store::exists(project.root()) {
        return Ok(None);
    }
    refresh(&project.disk, &project.config)?;
    Ok(Some(Reader::open(project.root())?))
}

/// The packs of a ticket that exist.
fn existing(root: &Path, ticket: &str) -> Vec<PackKind> {
    let exists =
        |kind: &PackKind| place::read(root, &kind.path(ticket)).is_ok_and(|text| text.is_some());
    PackKind::ALL.into_iter().filter(exists).collect()
}

/// Brings the packs of the current ticket up to date as the configuration says, without creating a
/// code index; returns the ticket if it has packs.
///
/// # Errors
/// When a pack or the memory cannot be read or written.
pub fn keep_current(project: &Project) -> Result<Option<String>, PackError> {
    let config = settings(project);
    let (_, ticket) = current_ticket(project.root())?;
    let is_known = !existing(project.root(), &ticket).is_empty();
    if !is_kept(&config, is_known) {
        return Ok(is_known.then_some(ticket));
    }
    let gathered = gather(project, Some(&ticket), Limits::from(&config))?;
    write_all(project, &gathered, existing_index(project)?.as_ref())?;
    Ok(Some(ticket))
}

/// Whether the packs of a ticket are brought up to date; `is_known`: the ticket has packs.
fn is_kept(config: &MemoryConfig, is_known: bool) -> bool {
    config.builds_packs().unwrap_or(is_known)
}

fn write_all(
    project: &Project,
    gathered: &Gathered<'_>,
    reader: Option<&Reader>,
) -> Result<(), PackError> {
    for pack in gathered.packs(reader)? {
        pack.write(project.root())?;
    }
    place::set_tracked(project.root(), settings(project).tracks_packs())
}

/// What the gate `memory_recorded` finds for the current ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateState {
    /// The ticket of the branch that is checked out.
    pub ticket: String,
    /// The problems of its semantic and decision packs; empty if the packs are valid and current.
    pub problems: Vec<Problem>,
    /// The number of decisions of the ticket.
    pub decisions: usize,
}

/// Brings existing packs up to date and checks those of the current ticket.
///
/// # Errors
/// When a pack or the memory cannot be read or written.
pub fn gate_state(project: &Project) -> Result<GateState, PackError> {
    let config = settings(project);
    let gathered = gather(project, None, Limits::from(&config))?;
    let ticket = gathered.ticket().to_owned();
    let reader = existing_index(project)?;
    if is_kept(&config, !existing(project.root(), &ticket).is_empty()) {
        write_all(project, &gathered, reader.as_ref())?;
    }
    let mut problems = gathered.verify(reader.as_ref())?;
    // The research pack and the view of the log are optional: there may be no index.
    let required = [PackKind::Semantic, PackKind::Decisions].map(|kind| kind.path(&ticket));
    problems.retain(|problem| required.contains(&problem.path));
    Ok(GateState { decisions: gathered.own_decisions(), ticket, problems })
}

/// What an agent reads first, in the configured order, one line each; empty if the ticket has no
/// packs.
#[must_use]
pub fn read_chain(config: &MemoryConfig, root: &Path, ticket: &str, state: &State) -> Vec<String> {
    let packs = existing(root, ticket);
    if packs.is_empty() {
        return Vec::new();
    }
    let pack = |kind: PackKind, what: &str| {
        packs.contains(&kind).then(|| format!("{}: {what}", kind.path(ticket)))
    };
    let entry = |entry: ReadEntry| match entry {
        ReadEntry::Rlm => pack(PackKind::Rlm, "code of the ticket"),
        ReadEntry::Semantic => pack(PackKind::Semantic, "terms, defaults, constraints, invariants"),
        ReadEntry::Decisions => pack(PackKind::Decisions, "decisions that hold"),
        ReadEntry::Loop => Some(match &state.lifecycle {
            Some(lifecycle) => {
                format!(
                    "lifecycle {}: {} in {}",
                    lifecycle.id, lifecycle.feature, lifecycle.current_phase
                )
            }
            None => "lifecycle: none active".to_owned(),
        }),
        ReadEntry::Context => Some(match (&state.checkpoint, &state.branch) {
            (Some(checkpoint), _) => format!("checkpoint {}", checkpoint.id),
            (None, Some(branch)) => format!("state of the branch {branch}: aidd_branch get"),
            (None, None) => "state of the branch: none".to_owned(),
        }),
        ReadEntry::Slices => {
            Some("for a single question: aidd_pack slice, `aidd pack slice`".to_owned())
        }
    };
    let lines = config.read_chain().into_iter().filter_map(entry);
    lines
        .enumerate()
        .map(|(at, line)| format!("{}. {}", at + 1, one_line(&line, MAX_LINE)))
        .collect()
}

/// Whether a pack of the current ticket covers the document at `path`, so that a reader of the whole
/// document could have read the pack; returns the ticket.
///
/// # Errors
/// When the memory cannot be read.
pub fn covering_ticket(project: &Project, path: &str) -> Result<Option<String>, PackError> {
    let (_, ticket) = current_ticket(project.root())?;
    if !existing(project.root(), &ticket).contains(&PackKind::Semantic) {
        return Ok(None);
    }
    let gathered = gather(project, Some(&ticket), Limits::MAX)?;
    let is_covered = gathered.document_paths().any(|document| document == path);
    Ok(is_covered.then_some(ticket))
}
