//! The state of the work, which an agent should know before it starts. The state is read from the
//! memory with a few queries, without walking the project's files.

use crate::MemoryError;
use crate::brief::Brief;
use crate::project::ProjectMemory;
use crate::recall::{Hit, Question};
use crate::records::{BranchContext, Lifecycle, SessionState};
use crate::store::{Layers, Order, Query};
use crate::types::{Entry, Kind};
use serde_json::{Map, Value};

/// Maximum number of memories of one type that are read.
const MAX_PER_KIND: usize = 12;

/// The state of the work on a branch.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The context of that branch.
    pub context: BranchContext,
    /// The most recently started open session on the branch.
    pub session: Option<SessionState>,
    /// The active lifecycle of the branch; if the branch has none, the most recently started active
    /// lifecycle of the project.
    pub lifecycle: Option<Lifecycle>,
    /// Exit criteria of the lifecycle's phase that are not met: key and description.
    pub unmet: Vec<(&'static str, &'static str)>,
    /// Mistakes to avoid: repeated mistakes first, each group by relevance to the task.
    pub hazards: Vec<Brief>,
    /// Active decisions that have not failed.
    pub decisions: Vec<Brief>,
    /// Decisions that failed and must not be repeated.
    pub failed: Vec<Brief>,
    /// The project's conventions.
    pub conventions: Vec<Brief>,
    /// The last checkpoint on this branch.
    pub checkpoint: Option<Entry>,
}

/// Reads the state of the work on `branch`. Memories that are relevant to `task` come first.
///
/// # Errors
/// When the memory cannot be read.
pub fn read(
    memory: &mut ProjectMemory,
    branch: Option<&str>,
    task: Option<&str>,
) -> Result<State, MemoryError> {
    let mut state = State { branch: branch.map(str::to_owned), ..State::default() };
    if let Some(branch) = branch {
        state.context = memory.branch(branch)?;
        state.session = memory.sessions(Some(branch), Some(false), 1)?.pop();
        state.checkpoint = memory.last_checkpoint(Some(branch))?;
    }
    let active = memory.lifecycles(Some("active"), usize::MAX)?;
    let own = state.context.lifecycle_session_id.as_deref();
    let is_own = |lifecycle: &&Lifecycle| {
        let session = state.session.as_ref().map(|session| &*session.id);
        own == Some(&*lifecycle.id)
            || session.is_some() && lifecycle.session_id.as_deref() == session
    };
    state.lifecycle = active.iter().find(is_own).or(active.first()).cloned();
    if let Some(lifecycle) = &state.lifecycle {
        let criteria = memory.check_lifecycle(&lifecycle.id, &Map::new())?;
        let unmet = criteria.into_iter().filter(|criterion| !criterion.met);
        state.unmet = unmet.map(|criterion| (criterion.key, criterion.description)).collect();
    }
    state.hazards = relevant_memories(memory, Kind::Mistake, task)?;
    state.hazards.sort_by_key(|brief| std::cmp::Reverse(is_repeated(&brief.entry)));
    let decisions = relevant_memories(memory, Kind::Decision, task)?;
    (state.failed, state.decisions) =
        decisions.into_iter().partition(|brief| brief.entry.is_failed());
    state.conventions = relevant_memories(memory, Kind::Convention, task)?;
    Ok(state)
}

/// Whether a mistake occurred more than once.
fn is_repeated(entry: &Entry) -> bool {
    entry.metadata.get("occurrences").and_then(Value::as_u64).unwrap_or(1) > 1
}

/// Returns active permanent memories of a type: first the results of a search for the task, then
/// the last changed memories.
fn relevant_memories(
    memory: &mut ProjectMemory,
    kind: Kind,
    task: Option<&str>,
) -> Result<Vec<Brief>, MemoryError> {
    // Observations of a session or a branch are not project knowledge.
    let layers = Layers::PERMANENT;
    let query =
        Query { order: Order::Newest, limit: Some(MAX_PER_KIND), ..Query::active(layers, kind) };
    let newest = memory.read(&mut |store| store.entries(&query))?;
    let Some(task) = task.filter(|task| !task.trim().is_empty() && !newest.is_empty()) else {
        return memory.briefs(&newest);
    };
    let question = Question {
        text: task.to_owned(),
        kinds: vec![kind],
        limit: MAX_PER_KIND / 2,
        ..Question::new(layers)
    };
    let hits = memory.search(&question)?.hits.into_iter().filter(Hit::is_possible);
    let ids: Vec<String> = hits.map(|hit| hit.id).collect();
    let mut entries = memory.get(&ids)?;
    entries.retain(|entry| !entry.is_rejected());
    entries.extend(newest.into_iter().filter(|entry| !ids.contains(&entry.id)));
    entries.truncate(MAX_PER_KIND);
    memory.briefs(&entries)
}
