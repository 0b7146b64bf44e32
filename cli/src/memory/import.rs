//! `aidd memory import`: imports memories, and takes imports back.

use super::{MemoryCommandContext, to_user_error};
use crate::cli::{Import, MemoryForm as FormArg};
use aidd_memory::MemoryError;
use aidd_memory::foreign::{self, Format, ImportOptions, ImportedParts};
use aidd_memory::intake::ImportSummary;
use aidd_report::exit::UserError;
use aidd_report::project;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::json;
use std::io::{Read, Write};
use std::path::Path;

/// Maximum number of skipped items that are listed; further items are only counted.
const MAX_LISTED: usize = 10;
/// Maximum size of standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 256 << 20;

/// The places to which items go, and their descriptions.
const TARGETS: [(&str, &str); 6] = [
    ("tracked", "tracked files"),
    ("checkout", "this checkout"),
    ("drafts", "drafts in this checkout"),
    ("sessions", "sessions and branches"),
    ("work", "work list"),
    ("map", "names of themes and flows"),
];

pub(super) fn run(args: &Import, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let Some(file) = &args.file else {
        return undo(args.undo.as_deref().unwrap_or_default(), context);
    };
    let name = file.display().to_string();
    let parts = read(file, &name, args, context)?;
    let format = parts.format.name();
    let (imported, skipped_items) =
        context.memory.import_parts(parts, &name, args.dry_run).map_err(to_user_error)?;
    let skipped: Vec<_> = skipped_items
        .iter()
        .map(|skipped| json!({"place": skipped.position, "why": skipped.why}))
        .collect();
    let output = json!({
        "form": format, "dryRun": args.dry_run, "taken": imported.new,
        "known": imported.known, "redacted": imported.redacted, "targets": imported.targets,
        "batch": imported.batch, "skipped": skipped,
    });
    if context.print_json(&output)? {
        return Ok(());
    }
    let action = if args.dry_run { "would import" } else { "imported" };
    let items = counted_items(&imported);
    let out = &mut context.io.out;
    writeln!(out, "read {name} as {format}")?;
    writeln!(out, "{action} {items}; {} already known", imported.known)?;
    for (target, description) in TARGETS {
        let counts = imported.targets.get(target).into_iter().flatten();
        let counts: Vec<String> = counts.map(|(name, count)| format!("{count} {name}")).collect();
        if !counts.is_empty() {
            writeln!(out, "  {description}: {}", counts.join(", "))?;
        }
    }
    if imported.redacted > 0 {
        writeln!(out, "redacted secrets or private text in {}", number(imported.redacted, "line"))?;
    }
    for skipped in skipped_items.iter().take(MAX_LISTED) {
        writeln!(out, "skipped {}: {}", one_line(&skipped.position), one_line(&skipped.why))?;
    }
    if skipped_items.len() > MAX_LISTED {
        writeln!(out, "skipped {} more; --json lists all", skipped_items.len() - MAX_LISTED)?;
    }
    if let Some(batch) = &imported.batch {
        writeln!(out, "take it back with `aidd memory import --undo {batch}`")?;
    }
    Ok(())
}

/// The number of new items: memories, or items if there are others than memories.
fn counted_items(imported: &ImportSummary) -> String {
    let has_others =
        ["sessions", "work", "map"].iter().any(|target| imported.targets.contains_key(target));
    match (imported.new.len(), has_others) {
        (count, true) => number(count, "item"),
        (1, false) => "1 memory".to_owned(),
        (count, false) => format!("{count} memories"),
    }
}

fn read(
    file: &Path,
    name: &str,
    args: &Import,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<ImportedParts> {
    let format = args.from.map(|format| match format {
        FormArg::Aidd => Format::Aidd,
        FormArg::Older => Format::Older,
        FormArg::AiddMd => Format::AiddMd,
        FormArg::Mama => Format::Mama,
        FormArg::MemoryV2 => Format::MemoryV2,
        FormArg::ClaudeMem => Format::ClaudeMem,
        FormArg::Aifp => Format::Aifp,
        FormArg::ServerMemory => Format::ServerMemory,
        FormArg::Serena => Format::Serena,
        FormArg::Markdown => Format::Markdown,
    });
    let parsed = if file == Path::new("-") {
        foreign::read(name, &input(context)?, format).map(ImportedParts::from)
    } else {
        let root_name = context.root.canonicalize().ok();
        let root_name = root_name.as_deref().and_then(Path::file_name);
        let options = ImportOptions {
            format,
            projects: args.projects.clone(),
            all_projects: args.all_projects,
            root_name: root_name.map(|name| name.to_string_lossy().into_owned()),
        };
        ImportedParts::open(&project::absolute(&context.io.cwd, file), name, &options)
    };
    Ok(parsed.map_err(|error| match error {
        MemoryError::Io { error, .. } => UserError::new(format!("{name}: {error}")),
        error => UserError::new(error.to_string())
            .hint("`aidd memory import --help` lists the formats; select one with --from"),
    })?)
}

fn undo(id: &str, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let undone =
        context.memory.undo_import(Some(id).filter(|id| !id.is_empty())).map_err(to_user_error)?;
    let remaining: Vec<_> = undone
        .remaining
        .iter()
        .map(|item| json!({"id": item.id, "title": item.title, "why": item.why}))
        .collect();
    let output = json!({
        "batch": undone.id, "source": undone.source, "removed": undone.removed, "remaining": remaining,
    });
    if context.print_json(&output)? {
        return Ok(());
    }
    let out = &mut context.io.out;
    writeln!(out, "took back the import of {}", one_line(&undone.source))?;
    writeln!(out, "removed {}", number(undone.removed, "item"))?;
    for item in &undone.remaining {
        let title = one_line(&item.title);
        writeln!(out, "remains: {} ({title}): {}", one_line(&item.id), item.why)?;
    }
    Ok(())
}

fn input(context: &mut MemoryCommandContext<'_, '_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let size = (&mut *context.io.stdin)
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| UserError::new(format!("-: {error}")))?;
    if u64::try_from(size).unwrap_or(u64::MAX) > MAX_INPUT_BYTES {
        let message = format!("the input is larger than {} MB", MAX_INPUT_BYTES >> 20);
        return Err(UserError::new(message).hint("split the file").into());
    }
    Ok(bytes)
}
