//! The quality gates between work and release: the phases at whose end each gate is checked, and
//! the evidence that it requires. `content/specs/quality-gates.md` documents the gates; a test
//! compares the page with this file.

use super::evidence::{self, Context};
use super::phases::{Content, Criterion, EvidenceKind, join_hints};
use crate::MemoryError;
use crate::outcomes::{self, Check};
use crate::project::ProjectMemory;
use crate::store::{Layers, Order, Query};
use crate::types::Kind;
use serde_json::{Map, Value};

/// A quality gate.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// Identifier, for example `tests_pass`.
    pub id: &'static str,
    /// Display name.
    pub name: &'static str,
    /// Older identifiers.
    pub aliases: &'static [&'static str],
    /// Phases at whose end the gate is checked.
    pub phases: &'static [&'static str],
    /// Globs of the ids of rules that must report nothing in the changed files.
    pub rules: &'static [&'static str],
    /// Accepted kinds of further evidence; evidence of one kind suffices. Empty when no further
    /// evidence is required.
    pub accepts: &'static [EvidenceKind],
    /// Whether the phase cannot be completed until the gate is passed.
    pub blocks: bool,
}

const fn gate(
    id: &'static str,
    name: &'static str,
    phases: &'static [&'static str],
    rules: &'static [&'static str],
    accepts: &'static [EvidenceKind],
) -> Gate {
    Gate { id, name, aliases: &[], phases, rules, accepts, blocks: true }
}

const VERIFY: &[&str] = &["VERIFY"];
const BUILD_AND_VERIFY: &[&str] = &["BUILD", "VERIFY"];

/// The gates, cheapest first.
pub const GATES: [Gate; 13] = [
    gate("no_secrets", "No secrets", &["BUILD", "VERIFY", "SHIP"], &["secrets/*"], &[]),
    Gate {
        blocks: false,
        ..gate(
            "naming_conventions",
            "Names follow the rules",
            VERIFY,
            &["compliance/file-name-case", "compliance/identifier-case"],
            &[],
        )
    },
    Gate {
        aliases: &["es_modules"],
        ..gate(
            "module_rules",
            "Module system and layers",
            VERIFY,
            &[
                "compliance/commonjs",
                "compliance/wildcard-import",
                "compliance/layer-breach",
                "compliance/import-cycle",
            ],
            &[],
        )
    },
    Gate {
        aliases: &["no_any"],
        ..gate(
            "no_unchecked_types",
            "No unchecked types",
            VERIFY,
            &["compliance/any-type", "compliance/non-null-assertion"],
            &[],
        )
    },
    Gate {
        aliases: &["typescript_clean"],
        ..gate(
            "types_clean",
            "Compiler and types clean",
            BUILD_AND_VERIFY,
            &[],
            &[EvidenceKind::Outcome(Check::Types), EvidenceKind::Outcome(Check::Build)],
        )
    },
    gate(
        "lint_clean",
        "Linter clean",
        BUILD_AND_VERIFY,
        &[],
        &[EvidenceKind::Outcome(Check::Lint)],
    ),
    gate(
        "no_dead_code",
        "No dead code",
        VERIFY,
        &["compliance/commented-out-code"],
        &[EvidenceKind::Outcome(Check::Lint), EvidenceKind::Note(Content::Words)],
    ),
    gate(
        "tests_pass",
        "Tests pass",
        &["VERIFY", "SHIP"],
        &["tests/disabled-test", "tests/focused-test"],
        &[EvidenceKind::Outcome(Check::Tests)],
    ),
    gate(
        "acceptance_criteria",
        "Criteria met",
        VERIFY,
        &[],
        &[EvidenceKind::File(Content::Test), EvidenceKind::Person],
    ),
    gate(
        "spec_matches",
        "Specification current",
        VERIFY,
        &[],
        &[
            EvidenceKind::Commit,
            EvidenceKind::File(Content::Words),
            EvidenceKind::Note(Content::Words),
        ],
    ),
    Gate {
        blocks: false,
        ..gate(
            "docs_updated",
            "Documentation up to date",
            &["SHIP"],
            &["compliance/broken-link", "compliance/document-header"],
            &[
                EvidenceKind::Commit,
                EvidenceKind::File(Content::Words),
                EvidenceKind::Note(Content::Words),
            ],
        )
    },
    gate("commits_conform", "Commits conform", &["SHIP"], &["compliance/commit-message"], &[]),
    // Off unless the configuration enables it; the frontends check the packs.
    gate(MEMORY_RECORDED, "Memory recorded", MEMORY_PHASES, &[], &[EvidenceKind::Person]),
];

/// The gate that requires the memory packs of the ticket.
pub const MEMORY_RECORDED: &str = "memory_recorded";
/// The phases of [`MEMORY_RECORDED`].
pub const MEMORY_PHASES: &[&str] = &["PLAN", "VERIFY", "SHIP"];

/// Status of a gate according to the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateStatus {
    /// The gate is passed.
    Pass,
    /// A record contradicts the gate.
    Fail,
    /// No evidence yet.
    Missing,
}

/// Result of a gate according to evidence and records; the findings of its rules are added later.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedGate {
    /// Identifier of the gate.
    pub id: &'static str,
    /// Status; `None` when the gate depends on its rules alone.
    pub status: Option<GateStatus>,
    /// The evidence, or the expected evidence; empty when the gate depends on its rules alone.
    pub why: String,
}

/// The gates that are checked at the end of `phase`, whose name is compared ignoring case.
pub fn gates_of(phase: &str) -> impl Iterator<Item = &'static Gate> {
    let phase = phase.to_ascii_uppercase();
    GATES.iter().filter(move |gate| gate.phases.contains(&&*phase))
}

/// The gate with this current or older identifier.
#[must_use]
pub fn gate_named(name: &str) -> Option<&'static Gate> {
    GATES.iter().find(|gate| gate.id == name || gate.aliases.contains(&name))
}

impl ProjectMemory {
    /// Returns the status of the gates at the end of `phase`, determined by the records of `branch`
    /// and by `evidence`, which maps gates to evidence as [`Self::check_lifecycle`] accepts it.
    /// Runs before `changed`, the time of the last change in milliseconds since 1970, do not count.
    ///
    /// # Errors
    /// When evidence is supplied for an unknown gate, or the store cannot be read.
    pub fn check_gates(
        &mut self,
        phase: &str,
        branch: Option<&str>,
        changed: i64,
        evidence: &Map<String, Value>,
    ) -> Result<Vec<CheckedGate>, MemoryError> {
        let gates: Vec<&Gate> = gates_of(phase).collect();
        let is_gate_of_phase = |name: &String| {
            gate_named(name).is_some_and(|named| gates.iter().any(|gate| gate.id == named.id))
        };
        if let Some(other) = evidence.keys().find(|name| !is_gate_of_phase(name)) {
            let ids: Vec<&str> = gates.iter().map(|gate| gate.id).collect();
            return Err(MemoryError::Invalid(format!(
                "`{other}` is not a gate of {}; expected one of {}",
                phase.to_ascii_uppercase(),
                ids.join(", ")
            )));
        }
        let mut results = Vec::new();
        for gate in gates {
            let supplied = evidence
                .iter()
                .find(|(name, _)| gate_named(name).is_some_and(|named| named.id == gate.id));
            let supplied = supplied.map(|(_, value)| value);
            let (status, why) = self.check_gate(gate, branch, changed, supplied)?;
            results.push(CheckedGate { id: gate.id, status, why });
        }
        Ok(results)
    }

    fn check_gate(
        &mut self,
        gate: &Gate,
        branch: Option<&str>,
        changed: i64,
        supplied_evidence: Option<&Value>,
    ) -> Result<(Option<GateStatus>, String), MemoryError> {
        if gate.accepts.is_empty() {
            return Ok(match supplied_evidence {
                None => (None, String::new()),
                Some(_) => {
                    (None, "the gate depends only on its rules; evidence is ignored".to_owned())
                }
            });
        }
        let last = self.last_run_of(gate, branch, changed)?;
        if let Some((id, passed)) = &last {
            return Ok(match passed {
                true => (Some(GateStatus::Pass), format!("`{id}` passed")),
                false => (Some(GateStatus::Fail), format!("`{id}` failed")),
            });
        }
        if supplied_evidence.is_some() {
            let root = self.root().to_owned();
            let context = Context { root: &root, began: 0, branch: branch.map(str::to_owned) };
            let criterion =
                Criterion { key: gate.id, description: gate.name, accepts: gate.accepts };
            let result = evidence::check_criterion(self, &context, &criterion, supplied_evidence)?;
            let status = if result.met { GateStatus::Pass } else { GateStatus::Missing };
            return Ok((Some(status), result.why));
        }
        Ok((Some(GateStatus::Missing), format!("expected {}", join_hints(gate.accepts))))
    }

    /// The newest run of one of the gate's checks since the last change, with a result.
    fn last_run_of(
        &mut self,
        gate: &Gate,
        branch: Option<&str>,
        changed: i64,
    ) -> Result<Option<(String, bool)>, MemoryError> {
        let checks: Vec<Check> = gate
            .accepts
            .iter()
            .filter_map(|kind| match kind {
                EvidenceKind::Outcome(check) => Some(*check),
                _ => None,
            })
            .collect();
        if checks.is_empty() {
            return Ok(None);
        }
        let query = Query {
            branch: branch.map(str::to_owned),
            since: Some(changed),
            order: Order::Newest,
            ..Query::active(Layers::SESSION.union(Layers::LOCAL), Kind::ToolOutcome)
        };
        let entries = self.read(&mut |store| store.entries(&query))?;
        Ok(entries.iter().find_map(|entry| {
            let run = outcomes::read(entry);
            let is_relevant = run.checks.iter().any(|check| checks.contains(check));
            Some((entry.id.clone(), run.passed.filter(|_| is_relevant)?))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The page must match the code, because people read the page.
    #[test]
    fn the_page_matches_the_gates() {
        let page = aidd_content::RULES
            .guides
            .iter()
            .find(|page| page.path == "specs/quality-gates.md")
            .expect("the page of the gates");
        let header: Value = serde_json::from_str(page.header).expect("a header");
        let mut expected: Vec<Value> = header["gates"].as_array().expect("gates").clone();
        for gate in &mut expected {
            let map = gate.as_object_mut().expect("a gate");
            map.retain(|name, _| !matches!(name.as_str(), "shown_by" | "evidence"));
            map.entry("aliases").or_insert_with(|| json!([]));
        }
        let mut actual: Vec<Value> = GATES
            .iter()
            .map(|gate| {
                json!({
                    "id": gate.id, "name": gate.name, "aliases": gate.aliases,
                    "phases": gate.phases, "rules": gate.rules, "blocks": gate.blocks,
                })
            })
            .collect();
        let by_id = |gate: &Value| gate["id"].to_string();
        expected.sort_by_key(by_id);
        actual.sort_by_key(by_id);
        assert_eq!(actual, expected);
    }

    #[test]
    fn every_phase_of_a_gate_exists() {
        for gate in &GATES {
            for name in gate.phases {
                assert!(super::super::phases::phase(name).is_ok(), "{name}");
            }
            assert!(!gate.rules.is_empty() || !gate.accepts.is_empty(), "{}", gate.id);
        }
        assert_eq!(gates_of("plan").count(), 1);
        assert_eq!(gates_of("understand").count(), 0);
        assert_eq!(gate_named("no_any").map(|gate| gate.id), Some("no_unchecked_types"));
    }
}
