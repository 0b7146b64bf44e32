//! The tracked files of memory: writing what they miss, reading what they have.

use super::shown::Row;
use crate::context::Context;
use crate::tool::{Answer, Profile, Tool, ToolError};
use aidd_engine::memory::types::{Kind, Layer, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_memory_export",
            "Export memory",
            "Writes the lines that the team's files in ai/memory lack (they are written with each \
             save anyway). Use after a merge or deletion took lines away.",
            export,
        )
        .writes()
        .idempotent()
        .in_profiles(&[Profile::Memory]),
        Tool::new(
            "aidd_memory_import",
            "Import memory",
            "Reads the team's files in ai/memory anew, older forms too, and names what is wrong in \
             them. Use after editing them by hand; changes are otherwise taken in by themselves.",
            import,
        )
        .writes()
        .idempotent()
        .in_profiles(&[Profile::Memory]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Exported {
    /// Lines written.
    exported: usize,
    directory: &'static str,
    decisions: u64,
    mistakes: u64,
    conventions: u64,
}

fn export(context: &Context, _: Nothing) -> Result<Answer<Exported>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let exported = memory.export(true)?;
        let counts = memory.read(&mut |store| store.counts())?;
        let of = |kind: Kind| -> u64 {
            let held = counts.iter().filter(|(layer, own, status, _)| {
                *layer == Layer::Permanent && *own == kind && *status != Status::Removed
            });
            held.map(|(.., count)| u64::from(*count)).sum()
        };
        let data = Exported {
            exported,
            directory: "ai/memory",
            decisions: of(Kind::Decision),
            mistakes: of(Kind::Mistake),
            conventions: of(Kind::Convention),
        };
        let text = format!(
            "{exported} lines written; ai/memory has {} decisions, {} mistakes, {} conventions. \
             Commit it to share them.",
            data.decisions, data.mistakes, data.conventions
        );
        Ok(Answer::new(data, text))
    })
}

#[derive(Serialize, JsonSchema)]
struct Read {
    /// Lines that were not known.
    new: usize,
    /// Lines that are gone from the files.
    gone: usize,
    /// What is wrong in the files: path, line, message.
    problems: Vec<Row>,
}

fn import(context: &Context, _: Nothing) -> Result<Answer<Read>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let imported = memory.import()?;
        let problems = memory.problems()?;
        let mut text = format!("{} new lines, {} gone.", imported.new, imported.gone);
        for problem in &problems {
            let _ = write!(text, "\n{}:{} {}", problem.path, problem.line, problem.message);
        }
        let problems = problems.iter().map(Row::of).collect();
        Ok(Answer::new(Read { new: imported.new, gone: imported.gone, problems }, text))
    })
}
