//! The quality gate `memory_recorded`: the memory packs of the ticket exist, are valid and current.

use crate::context::Context;
use crate::tool::ToolError;
use aidd_engine::project::config::GateMode;
use aidd_engine::workspace::project::Project;
use aidd_memory::lifecycle::MEMORY_PHASES;
use aidd_memory::pack_log::{PackRead, Reader};
use aidd_pack::current::{gate_state, settings};

/// The result of the gate at the end of a phase.
pub(in crate::tools) struct PackGate {
    pub(in crate::tools) passes: bool,
    /// Whether the phase cannot be completed until the gate passes.
    pub(in crate::tools) blocks: bool,
    pub(in crate::tools) why: String,
    ticket: String,
    codes: Vec<String>,
}

impl PackGate {
    /// Records that a person waived the gate.
    pub(in crate::tools) fn waive(
        &mut self,
        context: &Context,
        phase: &str,
        reason: &str,
    ) -> Result<(), ToolError> {
        context.memory(|memory| {
            memory.note_pack_gate(&self.ticket, phase, &self.codes, Some(reason))
        })?;
        self.passes = true;
        self.why = format!("waived: {reason}");
        Ok(())
    }
}

/// Checks the gate and records a block; `None` if the configuration disables it for the phase.
pub(in crate::tools) fn check(
    context: &Context,
    project: &Project,
    phase: &str,
) -> Result<Option<PackGate>, ToolError> {
    let config = settings(project);
    let mode = config.gate.unwrap_or_default();
    if mode == GateMode::Off || !MEMORY_PHASES.contains(&phase) {
        return Ok(None);
    }
    let state = gate_state(project)?;
    let mut why: Vec<String> = state
        .problems
        .iter()
        .map(|problem| format!("{}: {}", problem.code, problem.message))
        .collect();
    let mut codes: Vec<String> =
        state.problems.iter().map(|problem| problem.code.clone()).collect();
    let needs_read = config.require_served.unwrap_or_default() && phase != "PLAN";
    if needs_read && state.problems.is_empty() {
        let reads = context.memory(|memory| memory.pack_reads(&state.ticket))?;
        let is_pack = |read: &PackRead| !read.is_covered;
        if !reads.iter().any(is_pack) {
            codes.push("memory_pack_not_served".to_owned());
            why.push("memory_pack_not_served: no pack was read; call aidd_pack".to_owned());
        }
    }
    let passes = codes.is_empty();
    let mut gate = PackGate {
        passes,
        blocks: mode == GateMode::Hard,
        why: why.join("; "),
        ticket: state.ticket,
        codes,
    };
    if passes {
        let decisions = state.decisions;
        gate.why =
            format!("the packs of {} are valid and current; decisions: {decisions}", gate.ticket);
        return Ok(Some(gate));
    }
    let waiver = context.memory(|memory| memory.pack_waiver(&gate.ticket, phase))?;
    match waiver {
        Some(reason) => {
            gate.passes = true;
            gate.why = format!("waived: {reason}");
        }
        None => context
            .memory(|memory| memory.note_pack_gate(&gate.ticket, phase, &gate.codes, None))?,
    }
    Ok(Some(gate))
}

/// Notes that a pack was served.
pub(crate) fn note_served(context: &Context, ticket: &str, path: &str) -> Result<(), ToolError> {
    context.memory(|memory| memory.note_pack_read(ticket, path, Reader::Server, false))
}
