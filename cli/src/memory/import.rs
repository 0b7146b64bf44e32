//! `aidd memory import`: imports memories from a file.

use super::{MemoryCommandContext, to_user_error};
use crate::cli::{Import, MemoryForm as FormArg};
use aidd_memory::foreign::{self, Format};
use aidd_report::exit::UserError;
use aidd_report::project;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// Maximum number of skipped items that are listed; further items are only counted.
const MAX_LISTED: usize = 10;
/// Maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

pub(super) fn run(args: &Import, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let name = args.file.display().to_string();
    let bytes = bytes(&args.file, context)?;
    let format = args.from.map(|format| match format {
        FormArg::Aidd => Format::Aidd,
        FormArg::Older => Format::Older,
        FormArg::Mama => Format::Mama,
        FormArg::MemoryV2 => Format::MemoryV2,
        FormArg::ClaudeMem => Format::ClaudeMem,
        FormArg::ServerMemory => Format::ServerMemory,
    });
    let parsed = foreign::read(&name, &bytes, format).map_err(|error| {
        UserError::new(error.to_string())
            .hint("`aidd memory import --help` lists the formats; select one with --from")
    })?;
    let imported = context
        .memory
        .import_entries(&parsed.revisions, &parsed.entries, args.dry_run)
        .map_err(to_user_error)?;
    let skipped: Vec<_> = parsed
        .skipped
        .iter()
        .map(|skipped| json!({"place": skipped.position, "why": skipped.why}))
        .collect();
    let output = json!({
        "form": format_name(parsed.format), "dryRun": args.dry_run, "taken": imported.new,
        "known": imported.known, "redacted": imported.redacted, "skipped": skipped,
    });
    if context.print_json(&output)? {
        return Ok(());
    }
    let action = if args.dry_run { "would import" } else { "imported" };
    let memories = if imported.new.len() == 1 { "memory" } else { "memories" };
    let out = &mut context.io.out;
    writeln!(out, "read {name} as {}", format_name(parsed.format))?;
    writeln!(out, "{action} {} {memories}; {} already known", imported.new.len(), imported.known)?;
    if imported.redacted > 0 {
        writeln!(out, "redacted secrets or private text in {}", number(imported.redacted, "line"))?;
    }
    for skipped in parsed.skipped.iter().take(MAX_LISTED) {
        writeln!(out, "skipped {}: {}", one_line(&skipped.position), one_line(&skipped.why))?;
    }
    if parsed.skipped.len() > MAX_LISTED {
        writeln!(out, "skipped {} more; --json lists all", parsed.skipped.len() - MAX_LISTED)?;
    }
    Ok(())
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Aidd => "aidd",
        Format::Older => "older",
        Format::Mama => "mama",
        Format::MemoryV2 => "memory-v2",
        Format::ClaudeMem => "claude-mem",
        Format::ServerMemory => "server-memory",
    }
}

fn bytes(file: &Path, context: &mut MemoryCommandContext<'_, '_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let io_error = |error: std::io::Error| UserError::new(format!("{}: {error}", file.display()));
    let result = if file == Path::new("-") {
        (&mut *context.io.stdin).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
    } else {
        let open = fs::File::open(project::absolute(&context.io.cwd, file)).map_err(io_error)?;
        open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
    };
    let size = u64::try_from(result.map_err(io_error)?).unwrap_or(u64::MAX);
    if size > MAX_FILE_BYTES {
        let message = format!("{} is larger than {} MB", file.display(), MAX_FILE_BYTES >> 20);
        return Err(UserError::new(message).hint("split the file").into());
    }
    Ok(bytes)
}
