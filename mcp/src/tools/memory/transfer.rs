//! The tracked memory files: restoring missing lines, and importing.

use super::render::{Row, count_noun};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::text::files::{Disk, Files as _};
use aidd_memory::foreign;
use aidd_memory::types::{Kind, Layer, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_memory_export",
            "Restore memory",
            "Restores lines that are missing from the files in ai/memory. Use after a merge \
             removed lines; not needed after a save.",
            export,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
        Tool::new(
            "aidd_memory_import",
            "Import memory",
            "Imports a memory file of aidd, MAMA, claude-mem or server-memory. Use without `path` \
             to reload ai/memory and list the problems in its files.",
            import,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Memory, Profile::Plan]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct NoParams {}

#[derive(Serialize, JsonSchema)]
struct Exported {
    /// Number of lines written.
    exported: usize,
    #[schemars(skip)]
    directory: &'static str,
    #[schemars(skip)]
    decisions: u64,
    #[schemars(skip)]
    mistakes: u64,
    #[schemars(skip)]
    conventions: u64,
}

/// Restores lines that are missing from the memory files. Each save already writes its line, so
/// lines are missing only after a change outside aidd, such as a merge.
fn export(context: &Context, _: NoParams) -> Result<Answer<Exported>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let exported = memory.export(true)?;
        let counts = memory.read(&mut |store| store.counts())?;
        let count_of = |kind: Kind| -> u64 {
            let matching = counts.iter().filter(|(layer, entry_kind, status, _)| {
                *layer == Layer::Permanent && *entry_kind == kind && *status != Status::Removed
            });
            matching.map(|(.., count)| u64::from(*count)).sum()
        };
        let data = Exported {
            exported,
            directory: memory.folder(),
            decisions: count_of(Kind::Decision),
            mistakes: count_of(Kind::Mistake),
            conventions: count_of(Kind::Convention),
        };
        let counted =
            |count: u64, word| count_noun(usize::try_from(count).unwrap_or(usize::MAX), word);
        let text = format!(
            "{} written; {directory} contains {}, {} and {}. Commit {directory} to share these memories.",
            count_noun(exported, "line"),
            counted(data.decisions, "decision"),
            counted(data.mistakes, "mistake"),
            counted(data.conventions, "convention"),
            directory = data.directory,
        );
        Ok(Answer::new(data, text))
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportParams {
    path: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct ImportResult {
    /// Number of new memories in the file, or of new lines in ai/memory.
    new: usize,
    /// Number of memories in the file that are already known.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<usize>,
    /// Number of new memories in the file with redacted secrets or private text.
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted: Option<usize>,
    /// Number of lines removed from ai/memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<usize>,
    /// Entries that could not be read, with position and reason.
    #[schemars(skip)]
    problems: Vec<Row>,
}

/// Maximum size of an imported file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

fn import(context: &Context, params: ImportParams) -> Result<Answer<ImportResult>, ToolError> {
    match params.path {
        Some(path) => import_file(context, &path, params.dry_run),
        None if params.dry_run => Err(ToolError::new("`dryRun` is only allowed with `path`")),
        None => reload(context),
    }
}

fn import_file(
    context: &Context,
    path: &str,
    dry_run: bool,
) -> Result<Answer<ImportResult>, ToolError> {
    let path = context.to_relative(path)?;
    let disk = Disk::new(context.root());
    if !disk.exists(&path) {
        return Err(ToolError::new(format!("no such file: `{path}`")));
    }
    let bytes = disk
        .read(&path, MAX_FILE_BYTES + 1)
        .map_err(|error| ToolError::new(format!("{path}: {error}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_FILE_BYTES {
        return Err(ToolError::new(format!("{path} is larger than {} MB", MAX_FILE_BYTES >> 20))
            .remedy("split the file"));
    }
    let parsed = foreign::read(&path, &bytes, None)?;
    let imported = context.memory(|memory| memory.import_file(&parsed, &path, dry_run))?;
    let verb = if dry_run { "Would import" } else { "Imported" };
    let mut text =
        format!("{verb} memories: {}; already known: {}.", imported.new.len(), imported.known);
    if imported.redacted > 0 {
        let _ = write!(
            text,
            "\nMemories with redacted secrets or private text: {}.",
            imported.redacted
        );
    }
    for skipped in parsed.skipped.iter().take(MAX_SKIPPED) {
        let _ = write!(text, "\nskipped {}: {}", skipped.position, skipped.why);
    }
    if parsed.skipped.len() > MAX_SKIPPED {
        let _ = write!(text, "\nskipped {} more", parsed.skipped.len() - MAX_SKIPPED);
    }
    let problem = |skipped: &foreign::SkippedItem| {
        Row::from_value(serde_json::json!({"place": skipped.position, "message": skipped.why}))
    };
    let data = ImportResult {
        new: imported.new.len(),
        known: Some(imported.known),
        redacted: Some(imported.redacted),
        gone: None,
        problems: parsed.skipped.iter().take(MAX_SKIPPED).map(problem).collect(),
    };
    Ok(Answer::new(data, text))
}

/// Maximum number of skipped items or problems listed.
const MAX_SKIPPED: usize = 20;

fn reload(context: &Context) -> Result<Answer<ImportResult>, ToolError> {
    context.memory(|memory| -> Result<_, ToolError> {
        let imported = memory.import()?;
        let problems = memory.problems()?;
        let mut text = format!("Lines: {} new, {} removed.", imported.new, imported.removed);
        if let Some(folder) = memory.journal().unread_folder() {
            let _ = write!(
                text,
                "\n{folder} also contains memories, but only {} is read",
                memory.folder()
            );
        }
        for problem in problems.iter().take(MAX_SKIPPED) {
            let _ = write!(text, "\n{}:{} {}", problem.path, problem.line, problem.message);
        }
        if problems.len() > MAX_SKIPPED {
            let more = problems.len() - MAX_SKIPPED;
            let _ = write!(
                text,
                "\nand {more} more; list them with aidd_check_compliance on {}",
                memory.folder()
            );
        }
        let data = ImportResult {
            new: imported.new,
            known: None,
            redacted: None,
            gone: Some(imported.removed),
            problems: problems.iter().take(MAX_SKIPPED).map(Row::from_value).collect(),
        };
        Ok(Answer::new(data, text))
    })
}
