//! Features on their way through the six phases. A phase is left when each of its exit criteria
//! has evidence that holds, or when someone says why it is left without.

use super::MemoryError;
use super::project::ProjectMemory;
use super::records::{Lifecycle, PassedPhase};
use super::store::{Durability, StorageBackend, Table};
use serde_json::{Map, Value, json};

/// A phase: what it takes to enter, to leave, and what is done in it.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What must hold to enter it.
    pub entry: &'static [&'static str],
    /// What must hold to leave it.
    pub exit: &'static [&'static str],
    /// What is done in it.
    pub activities: &'static [&'static str],
}

/// The phases, in order.
pub const PHASES: [Phase; 6] = [
    Phase {
        name: "UNDERSTAND",
        description: "Know what is asked for and what is there",
        entry: &["A request, a task or a bug is at hand"],
        exit: &[
            "The context is loaded",
            "The requirements are clear",
            "Acceptance criteria are written as given, when, then",
            "Edge cases are listed",
        ],
        activities: &["Load memory and rules", "Ask what is not clear", "Write the criteria"],
    },
    Phase {
        name: "PLAN",
        description: "Cut the work into tasks",
        entry: &["The requirements are approved"],
        exit: &[
            "The task list names the files",
            "Each task has a complexity and a tier",
            "Dependencies are in order",
            "The user approved the plan",
        ],
        activities: &["Look at the code", "List the tasks", "Order them"],
    },
    Phase {
        name: "SPEC",
        description: "Write down what will be built",
        entry: &["The plan is approved"],
        exit: &["The specification is committed", "The branch is there, if one is needed"],
        activities: &["Write the specification", "Commit it apart from code"],
    },
    Phase {
        name: "BUILD",
        description: "Write the code",
        entry: &["The specification is committed"],
        exit: &["All tasks are done", "The code compiles", "There are no type errors"],
        activities: &["One task at a time", "Return to the specification where it turns out wrong"],
    },
    Phase {
        name: "VERIFY",
        description: "Show that it does what was asked for",
        entry: &["The implementation is complete"],
        exit: &[
            "Each criterion has a test",
            "All tests pass",
            "Type check and lint are clean",
            "There is no dead code",
            "The specification matches the code",
        ],
        activities: &["Write the missing tests", "Run all checks"],
    },
    Phase {
        name: "SHIP",
        description: "Hand it over",
        entry: &["Verification passed"],
        exit: &[
            "The implementation is committed",
            "The memory is up to date",
            "The summary has at most 20 lines",
            "The plan is archived",
        ],
        activities: &["Commit", "Record decisions and mistakes", "Write the summary"],
    },
];

/// Says whether evidence for a criterion holds, or why not.
pub type Verify<'a> = &'a dyn Fn(&str, &Value) -> Result<(), String>;

/// The phase of this name, in any case.
///
/// # Errors
/// The names, when it is none.
pub fn phase(name: &str) -> Result<&'static Phase, MemoryError> {
    PHASES.iter().find(|phase| phase.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names: Vec<&str> = PHASES.iter().map(|phase| phase.name).collect();
        MemoryError::Invalid(format!("`{name}` is none of {}", names.join(", ")))
    })
}

fn lifecycle(store: &mut dyn StorageBackend, id: &str) -> Result<Lifecycle, MemoryError> {
    let unknown = || MemoryError::Unknown { what: "lifecycle", id: id.to_owned() };
    Ok(serde_json::from_value(store.document(Table::Lifecycles, id)?.ok_or_else(unknown)?)?)
}

impl ProjectMemory {
    /// Begins a lifecycle at a phase.
    ///
    /// # Errors
    /// When the feature has no name, or session or phase are not there.
    pub fn start_lifecycle(
        &mut self,
        feature: &str,
        session_id: Option<&str>,
        start: Option<&str>,
    ) -> Result<Lifecycle, MemoryError> {
        if feature.trim().is_empty() {
            return Err(MemoryError::Invalid("a lifecycle needs a feature".to_owned()));
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

    /// A lifecycle.
    ///
    /// # Errors
    /// When there is none with this id.
    pub fn lifecycle(&mut self, id: &str) -> Result<Lifecycle, MemoryError> {
        self.read(&mut |store| lifecycle(store, id))
    }

    /// Lifecycles of a status (any, when none is given), the last begun first.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn lifecycles(
        &mut self,
        status: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Lifecycle>, MemoryError> {
        let all = self.read(&mut |store| store.documents(Table::Lifecycles))?;
        let states = all.into_iter().filter_map(|state| serde_json::from_value(state).ok());
        let wanted = |state: &Lifecycle| status.is_none_or(|status| state.status == status);
        Ok(states.filter(wanted).take(limit).collect())
    }

    /// Leaves the current phase for the next; from the last, the feature is complete. `evidence`
    /// goes from exit criterion to what shows it; `force` says why to go on without.
    ///
    /// # Errors
    /// When criteria are not met, named each with the reason; when the lifecycle is not active.
    pub fn advance_lifecycle(
        &mut self,
        id: &str,
        evidence: &Map<String, Value>,
        verify: Verify<'_>,
        notes: Option<&str>,
        force: Option<&str>,
    ) -> Result<Lifecycle, MemoryError> {
        let at = self.now();
        self.change_lifecycle(id, &mut |store| {
            let mut state = active(store, id)?;
            let here = phase(&state.current_phase)?;
            if let Some(other) = evidence.keys().find(|key| !here.exit.contains(&key.as_str())) {
                return Err(MemoryError::Invalid(format!(
                    "`{other}` is no exit criterion of {}: {}",
                    here.name,
                    here.exit.join("; ")
                )));
            }
            let unmet = unmet(here, evidence, verify);
            if !unmet.is_empty() && force.is_none_or(|why| why.trim().is_empty()) {
                return Err(MemoryError::Invalid(format!(
                    "{} cannot be left yet: {}",
                    here.name,
                    unmet.join("; ")
                )));
            }
            if let Some(last) = state.phases.last_mut() {
                last.exited_at = Some(at.into());
                last.notes = notes.map(str::to_owned);
                last.evidence.clone_from(evidence);
                last.forced = force.filter(|_| !unmet.is_empty()).map(str::to_owned);
            }
            match PHASES.iter().skip_while(|phase| phase.name != here.name).nth(1) {
                Some(next) => enter(&mut state, next, at),
                None => "completed".clone_into(&mut state.status),
            }
            state.updated_at = at.into();
            Ok(state)
        })
    }

    /// Goes back to an earlier phase: the work turned out to differ from its specification.
    ///
    /// # Errors
    /// When the phase is not an earlier one, or the lifecycle is not active.
    pub fn return_lifecycle(
        &mut self,
        id: &str,
        to: &str,
        reason: &str,
    ) -> Result<Lifecycle, MemoryError> {
        let target = phase(to)?;
        let at = self.now();
        self.change_lifecycle(id, &mut |store| {
            let mut state = active(store, id)?;
            let place = |name: &str| PHASES.iter().position(|phase| phase.name == name);
            if place(target.name) >= place(&state.current_phase) {
                return Err(MemoryError::Invalid(format!(
                    "{} does not come before {}",
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

    /// Gives a lifecycle up.
    ///
    /// # Errors
    /// When it is not active.
    pub fn abandon_lifecycle(&mut self, id: &str, reason: &str) -> Result<Lifecycle, MemoryError> {
        let at = self.now();
        self.change_lifecycle(id, &mut |store| {
            let mut state = active(store, id)?;
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

fn entered(phase: &Phase, at: i64) -> PassedPhase {
    PassedPhase { name: phase.name.to_owned(), entered_at: at.into(), ..PassedPhase::default() }
}

fn enter(state: &mut Lifecycle, phase: &Phase, at: i64) {
    phase.name.clone_into(&mut state.current_phase);
    state.phases.push(entered(phase, at));
}

fn active(store: &mut dyn StorageBackend, id: &str) -> Result<Lifecycle, MemoryError> {
    let state = lifecycle(store, id)?;
    if state.status == "active" {
        return Ok(state);
    }
    Err(MemoryError::Invalid(format!("the lifecycle `{id}` is {}", state.status)))
}

/// The exit criteria that nothing shows, each with the reason.
fn unmet(phase: &Phase, evidence: &Map<String, Value>, verify: Verify<'_>) -> Vec<String> {
    let why = |criterion: &&str| match evidence.get(*criterion) {
        None | Some(Value::Null | Value::Bool(_)) => Some("no evidence was given".to_owned()),
        Some(Value::String(text)) if text.trim().is_empty() => Some("the evidence is empty".into()),
        Some(shown) => verify(criterion, shown).err(),
    };
    phase
        .exit
        .iter()
        .filter_map(|criterion| why(criterion).map(|why| format!("\"{criterion}\" ({why})")))
        .collect()
}
