//! Where work stands, as far as an agent should know before it does anything: read from the memory in
//! a few look-ups, without a walk over the project's files.

use crate::MemoryError;
use crate::brief::Brief;
use crate::project::ProjectMemory;
use crate::recall::Question;
use crate::records::{BranchContext, Lifecycle, SessionState};
use crate::store::{Layers, Order, Query};
use crate::types::{Entry, Kind};
use serde_json::{Map, Value};

/// Most memories of one type that are looked up.
const MOST: usize = 12;

/// Where work stands.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What is checked out.
    pub branch: Option<String>,
    /// What is known of it.
    pub context: BranchContext,
    /// The open session on it, the last begun.
    pub session: Option<SessionState>,
    /// The feature on its way: the branch's own, else the last begun.
    pub lifecycle: Option<Lifecycle>,
    /// Exit criteria of its phase that nothing shows to be met: key, and what it says.
    pub unmet: Vec<(&'static str, &'static str)>,
    /// Mistakes not to make again, those that fit the task first.
    pub hazards: Vec<Brief>,
    /// Decisions that hold.
    pub decisions: Vec<Brief>,
    /// Decisions that failed: nothing to do again.
    pub failed: Vec<Brief>,
    /// How things are done here.
    pub conventions: Vec<Brief>,
    /// What the last one on this branch left.
    pub checkpoint: Option<Entry>,
}

/// Reads where work on `branch` stands; what fits `task` comes first.
///
/// # Errors
/// When the memory does not answer.
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
        let judged = memory.judge_lifecycle(&lifecycle.id, &Map::new())?;
        let open = judged.into_iter().filter(|one| !one.met);
        state.unmet = open.map(|one| (one.key, one.says)).collect();
    }
    state.hazards = fitting(memory, Kind::Mistake, task)?;
    state.hazards.sort_by_key(|brief| std::cmp::Reverse(is_repeated(&brief.entry)));
    let decisions = fitting(memory, Kind::Decision, task)?;
    (state.failed, state.decisions) =
        decisions.into_iter().partition(|brief| brief.entry.is_failed());
    state.conventions = fitting(memory, Kind::Convention, task)?;
    Ok(state)
}

/// Whether a mistake was made more than once.
fn is_repeated(entry: &Entry) -> bool {
    entry.metadata.get("occurrences").and_then(Value::as_u64).unwrap_or(1) > 1
}

/// Permanent memories of a type that were not replaced: those that a task's words find, then the last changed.
fn fitting(
    memory: &mut ProjectMemory,
    kind: Kind,
    task: Option<&str>,
) -> Result<Vec<Brief>, MemoryError> {
    // What a session or a branch noted is nothing that the project knows.
    let layers = Layers::PERMANENT;
    let query = Query { order: Order::Newest, limit: Some(MOST), ..Query::active(layers, kind) };
    let newest = memory.read(&mut |store| store.entries(&query))?;
    let Some(task) = task.filter(|task| !task.trim().is_empty() && !newest.is_empty()) else {
        return memory.briefs(&newest);
    };
    let question = Question {
        text: task.to_owned(),
        kinds: vec![kind],
        limit: MOST / 2,
        ..Question::new(layers)
    };
    let ids: Vec<String> = memory.search(&question)?.hits.into_iter().map(|hit| hit.id).collect();
    let mut entries = memory.get(&ids)?;
    entries.extend(newest.into_iter().filter(|entry| !ids.contains(&entry.id)));
    entries.truncate(MOST);
    memory.briefs(&entries)
}
