//! The line of an approved convention in the memory, and how a revert takes it back.

use super::{Evolve, EvolveError};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::Files as _;
use aidd_evolution::EvolutionError;
use aidd_evolution::log::LogEntry;
use aidd_evolution::store::LineWrite;
use aidd_memory::kinds::Convention;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::ProjectMemory;

/// Maximum size of the committed file that is searched for a line, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The id of the convention of a draft, and the line to write; no line if it is already known.
pub(super) fn to_save(
    memory: &mut ProjectMemory,
    text: &str,
) -> Result<(String, Option<LineWrite>), EvolveError> {
    let (content, rationale) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let rationale = Some(rationale.trim().to_owned()).filter(|text| !text.is_empty());
    let prepared = memory.prepare_convention(&NewMemory {
        content: content.trim_start_matches('#').trim().to_owned(),
        body: Convention { rationale, ..Convention::default() },
        ..NewMemory::default()
    })?;
    let path = prepared.path.to_owned();
    let line = (!prepared.lines.is_empty()).then_some(LineWrite::Add(path, prepared.lines));
    Ok((prepared.id, line))
}

/// How the convention of a change is taken back. A line that is not committed is taken out of its file.
/// After a commit, others can have the line: merges would bring it back, so a line that removes the
/// convention is added instead.
pub(super) fn to_take_back(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    change: &LogEntry,
) -> Result<Option<LineWrite>, EvolveError> {
    let Some(id) = &change.memory else { return Ok(None) };
    let Some((_, lines)) = memory.convention_lines(id)? else { return Ok(None) };
    let added = change.files.iter().find_map(|file| Some((&file.path, file.added.as_ref()?)));
    if lines.len() > 1 {
        let path = added.map_or(id, |(path, _)| path);
        let by = evolve.store().editor_of(path);
        return Err(EvolutionError::Edited { path: path.clone(), by }.into());
    }
    if let Some((path, hash)) = added {
        let line = evolve.store().snapshot_lines(hash)?;
        if is_uncommitted(evolve, memory, path, &line)? {
            return Ok(Some(LineWrite::Remove(path.clone(), line)));
        }
    }
    let prepared = memory.prepare_removal(id, Some("the draft was reverted"))?;
    Ok(Some(LineWrite::Add(prepared.path.to_owned(), prepared.lines)))
}

/// Whether the line is in the file and in no commit. Without a repository, that is unknown.
fn is_uncommitted(
    evolve: &Evolve<'_>,
    memory: &ProjectMemory,
    path: &str,
    line: &str,
) -> Result<bool, EvolveError> {
    let Ok(repository) = Repository::open(evolve.project.root()) else { return Ok(false) };
    let contains = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(line);
    let current = evolve.store().read(path)?.unwrap_or_default();
    // The lines of a file that Git tracks remain in effect when it is deleted.
    let is_last = current.len() == line.len() && !memory.journal().is_absent_from_commit(path);
    if !contains(&current) || is_last {
        return Ok(false);
    }
    let Ok(head) = repository.commit("HEAD") else { return Ok(true) };
    let Ok(snapshot) = repository.snapshot(&head) else { return Ok(false) };
    Ok(!snapshot.read(path, MAX_FILE).is_ok_and(|bytes| contains(&bytes)))
}
