//! Feature lifecycles with six phases. A phase can be completed when there is evidence for each
//! exit criterion, or when a reason for completing it without evidence is stated.

mod evidence;
mod gates;
mod phases;

pub use evidence::CriterionResult;
pub use gates::{
    CheckedGate, GATES, Gate, GateStatus, MEMORY_PHASES, MEMORY_RECORDED, gate_named, gates_of,
};
pub use phases::{Content, Criterion, EvidenceKind, PHASES, Phase, criterion, phase};

use super::MemoryError;
use super::project::ProjectMemory;
use super::records::{Lifecycle, PassedPhase};
use super::store::{Durability, StorageBackend, Table};
use super::times::millis;
use evidence::Context;
use serde_json::{Map, Value, json};

/// Result of an attempt to complete a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// The lifecycle in its current state.
    pub lifecycle: Lifecycle,
    /// The phase that was current before the attempt.
    pub left: &'static str,
    /// The exit criteria of that phase.
    pub results: Vec<CriterionResult>,
    /// Whether the phase was completed.
    pub moved: bool,
}

fn lifecycle(store: &mut dyn StorageBackend, id: &str) -> Result<Lifecycle, MemoryError> {
    let unknown = || MemoryError::Unknown { item: "lifecycle", id: id.to_owned() };
    Ok(serde_json::from_value(store.document(Table::Lifecycles, id)?.ok_or_else(unknown)?)?)
}

impl ProjectMemory {
    /// Starts a lifecycle at a phase.
    ///
    /// # Errors
    /// When the feature has no name, or the session or the phase does not exist.
    pub fn start_lifecycle(
        &mut self,
        feature: &str,
        session_id: Option<&str>,
        start: Option<&str>,
    ) -> Result<Lifecycle, MemoryError> {
        if feature.trim().is_empty() {
            return Err(MemoryError::Invalid("the name of the feature is empty".to_owned()));
        }
        let first = phase(start.unwrap_or(PHASES[0].name))?;
        if let Some(session) = session_id {
            self.session(session)?;
        }
        let at = self.now();
        let state = Lifecycle {
            id: self.new_id("lifecycle", at, feature),
            feature: feature.to_owned(),
            status: "active".to_owned(),
            current_phase: first.name.to_owned(),
            phases: vec![entered(first, at)],
            session_id: session_id.map(str::to_owned),
            created_at: at.into(),
            updated_at: at.into(),
            extra: Map::new(),
        };
        self.change_lifecycle(&state.id, &mut |_| Ok(state.clone()))
    }

    /// Reads a lifecycle by id.
    ///
    /// # Errors
    /// When no lifecycle has this id.
    pub fn lifecycle(&mut self, id: &str) -> Result<Lifecycle, MemoryError> {
        self.read(&mut |store| lifecycle(store, id))
    }

    /// Lifecycles with a status (any status if `None`), the last started first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn lifecycles(
        &mut self,
        status: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Lifecycle>, MemoryError> {
        let all = self.read(&mut |store| store.documents(Table::Lifecycles))?;
        let states = all.into_iter().filter_map(|state| serde_json::from_value(state).ok());
        let has_status = |state: &Lifecycle| status.is_none_or(|status| state.status == status);
        Ok(states.filter(has_status).take(limit).collect())
    }

    /// Checks the exit criteria of a lifecycle's phase by `evidence`, which maps criteria to
    /// evidence (see [`EvidenceKind`]). Criteria without evidence are checked by the records.
    ///
    /// # Errors
    /// When the lifecycle is not active, or evidence is for an unknown criterion.
    pub fn check_lifecycle(
        &mut self,
        id: &str,
        evidence: &Map<String, Value>,
    ) -> Result<Vec<CriterionResult>, MemoryError> {
        let state = self.read(&mut |store| active_lifecycle(store, id))?;
        self.check_criteria(&state, evidence)
    }

    fn check_criteria(
        &mut self,
        state: &Lifecycle,
        evidence: &Map<String, Value>,
    ) -> Result<Vec<CriterionResult>, MemoryError> {
        let current = phase(&state.current_phase)?;
        if let Some(other) = evidence.keys().find(|key| criterion(current, key).is_none()) {
            let keys: Vec<&str> = current.exit.iter().map(|criterion| criterion.key).collect();
            return Err(MemoryError::Invalid(format!(
                "`{other}` is not an exit criterion of {}; expected one of {}",
                current.name,
                keys.join(", ")
            )));
        }
        let session = match state.session_id.as_deref() {
            Some(session) => self.session(session).ok(),
            None => None,
        };
        let root = self.root().to_owned();
        let began = millis(&state.created_at).unwrap_or_default();
        let context = Context { root: &root, began, branch: session.map(|session| session.branch) };
        let mut results = Vec::new();
        for criterion in current.exit {
            let supplied = evidence_for(current, evidence, criterion.key);
            results.push(evidence::check_criterion(self, &context, criterion, supplied)?);
        }
        Ok(results)
    }

    /// Moves to the next phase if the criteria are met according to [`Self::check_lifecycle`], or
    /// if `force` states why the phase is completed with unmet criteria; the reason is recorded.
    /// After the last phase, the feature is complete.
    ///
    /// # Errors
    /// When the lifecycle is not active, evidence is for an unknown criterion, or another process
    /// changed the phase meanwhile.
    pub fn advance_lifecycle(
        &mut self,
        id: &str,
        evidence: &Map<String, Value>,
        notes: Option<&str>,
        force: Option<&str>,
    ) -> Result<Advance, MemoryError> {
        let before = self.read(&mut |store| active_lifecycle(store, id))?;
        let current = phase(&before.current_phase)?;
        let results = self.check_criteria(&before, evidence)?;
        let is_met = results.iter().all(|result| result.met);
        let force = force.filter(|why| !why.trim().is_empty());
        if !is_met && force.is_none() {
            return Ok(Advance { lifecycle: before, left: current.name, results, moved: false });
        }
        let at = self.now();
        let evidence_used: Map<String, Value> = results
            .iter()
            .filter(|result| result.met)
            .map(|result| {
                let supplied = evidence_for(current, evidence, result.key).cloned();
                (result.key.to_owned(), supplied.unwrap_or_else(|| json!(result.why)))
            })
            .collect();
        let lifecycle = self.change_lifecycle(id, &mut |store| {
            let mut state = active_lifecycle(store, id)?;
            if state.phases.len() != before.phases.len() {
                return Err(MemoryError::Invalid(format!(
                    "another process changed the phase of `{id}` in the meantime; retry"
                )));
            }
            if let Some(last) = state.phases.last_mut() {
                last.exited_at = Some(at.into());
                last.notes = notes.map(str::to_owned);
                last.evidence.clone_from(&evidence_used);
                last.forced = force.filter(|_| !is_met).map(str::to_owned);
            }
            match PHASES.iter().skip_while(|phase| phase.name != current.name).nth(1) {
                Some(next) => enter(&mut state, next, at),
                None => "completed".clone_into(&mut state.status),
            }
            state.updated_at = at.into();
            Ok(state)
        })?;
        Ok(Advance { lifecycle, left: current.name, results, moved: true })
    }

    /// Returns to an earlier phase, for example because the specification turned out to be wrong.
    ///
    /// # Errors
    /// When the phase is not an earlier phase, the reason is empty, or the lifecycle is not active.
    pub fn return_lifecycle(
        &mut self,
        id: &str,
        to: &str,
        reason: &str,
    ) -> Result<Lifecycle, MemoryError> {
        require_reason(reason)?;
        let target = phase(to)?;
        let at = self.now();
        self.change_lifecycle(id, &mut |store| {
            let mut state = active_lifecycle(store, id)?;
            let position = |name: &str| PHASES.iter().position(|phase| phase.name == name);
            if position(target.name) >= position(&state.current_phase) {
                return Err(MemoryError::Invalid(format!(
                    "{} does not come before {}, the current phase; specify an earlier phase",
                    target.name, state.current_phase
                )));
            }
            if let Some(last) = state.phases.last_mut() {
                last.exited_at = Some(at.into());
                last.notes = Some(reason.to_owned());
            }
            enter(&mut state, target, at);
            state.updated_at = at.into();
            Ok(state)
        })
    }

    /// Abandons a lifecycle.
    ///
    /// # Errors
    /// When the lifecycle is not active, or the reason is empty.
    pub fn abandon_lifecycle(&mut self, id: &str, reason: &str) -> Result<Lifecycle, MemoryError> {
        require_reason(reason)?;
        let at = self.now();
        self.change_lifecycle(id, &mut |store| {
            let mut state = active_lifecycle(store, id)?;
            "abandoned".clone_into(&mut state.status);
            if let Some(last) = state.phases.last_mut() {
                last.exited_at = Some(at.into());
                last.notes = Some(reason.to_owned());
            }
            state.updated_at = at.into();
            Ok(state)
        })
    }

    fn change_lifecycle(
        &mut self,
        id: &str,
        change: &mut dyn FnMut(&mut dyn StorageBackend) -> Result<Lifecycle, MemoryError>,
    ) -> Result<Lifecycle, MemoryError> {
        self.write(Durability::Full, &mut |store, gate| {
            let state = gate.clean(&change(store)?)?.into_inner();
            let began = state.created_at.as_i64().unwrap_or_default();
            store.put_document(Table::Lifecycles, id, began, &gate.clean(&json!(state))?)?;
            Ok(state)
        })
    }
}

/// Returns the evidence for the criterion with this key. The keys of `evidence` can be keys or
/// descriptions of criteria.
fn evidence_for<'a>(
    current: &Phase,
    evidence: &'a Map<String, Value>,
    key: &str,
) -> Option<&'a Value> {
    let is_for = |name: &str| criterion(current, name).is_some_and(|named| named.key == key);
    evidence.iter().find(|(name, _)| is_for(name)).map(|(_, value)| value)
}

fn require_reason(reason: &str) -> Result<(), MemoryError> {
    if reason.trim().is_empty() {
        return Err(MemoryError::Invalid("the reason is empty; state why".to_owned()));
    }
    Ok(())
}

fn entered(phase: &Phase, at: i64) -> PassedPhase {
    PassedPhase { name: phase.name.to_owned(), entered_at: at.into(), ..PassedPhase::default() }
}

fn enter(state: &mut Lifecycle, phase: &Phase, at: i64) {
    phase.name.clone_into(&mut state.current_phase);
    state.phases.push(entered(phase, at));
}

fn active_lifecycle(store: &mut dyn StorageBackend, id: &str) -> Result<Lifecycle, MemoryError> {
    let state = lifecycle(store, id)?;
    if state.status == "active" {
        return Ok(state);
    }
    Err(MemoryError::Invalid(format!("the lifecycle `{id}` is {}, not active", state.status)))
}

#[cfg(test)]
mod tests;
