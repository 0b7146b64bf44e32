//! `aidd memory import`: imports memories from a file.

use super::{MemoryCommandContext, to_user_error};
use crate::cli::{Import, MemoryForm as FormArg};
use aidd_memory::foreign::{self, Form};
use aidd_report::exit::UserError;
use aidd_report::project;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// Maximum number of skipped items that are listed; the rest is counted.
const MAX_LISTED: usize = 10;
/// Maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

pub(super) fn run(args: &Import, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let name = args.file.display().to_string();
    let bytes = bytes(&args.file, desk)?;
    let form = args.from.map(|form| match form {
        FormArg::Aidd => Form::Aidd,
        FormArg::Older => Form::Older,
        FormArg::Mama => Form::Mama,
        FormArg::MemoryV2 => Form::MemoryV2,
        FormArg::ClaudeMem => Form::ClaudeMem,
        FormArg::ServerMemory => Form::ServerMemory,
    });
    let read = foreign::read(&name, &bytes, form).map_err(|error| {
        UserError::new(error.to_string())
            .hint("`aidd memory import --help` lists the formats; select one with --from")
    })?;
    let taken = desk
        .memory
        .import_entries(&read.revisions, &read.entries, args.dry_run)
        .map_err(to_user_error)?;
    let skipped: Vec<_> = read
        .skipped
        .iter()
        .map(|skipped| json!({"place": skipped.place, "why": skipped.why}))
        .collect();
    let answer = json!({
        "form": format_name(read.form), "dryRun": args.dry_run, "taken": taken.new,
        "known": taken.known, "redacted": taken.redacted, "skipped": skipped,
    });
    if desk.print_json(&answer)? {
        return Ok(());
    }
    let would = if args.dry_run { "would import" } else { "imported" };
    let memories = if taken.new.len() == 1 { "memory" } else { "memories" };
    let out = &mut desk.io.out;
    writeln!(out, "read {name} as {}", format_name(read.form))?;
    writeln!(out, "{would} {} {memories}; {} already known", taken.new.len(), taken.known)?;
    if taken.redacted > 0 {
        writeln!(out, "redacted secrets or private text in {}", number(taken.redacted, "line"))?;
    }
    for skipped in read.skipped.iter().take(MAX_LISTED) {
        writeln!(out, "skipped {}: {}", one_line(&skipped.place), one_line(&skipped.why))?;
    }
    if read.skipped.len() > MAX_LISTED {
        writeln!(out, "skipped {} more; --json lists all", read.skipped.len() - MAX_LISTED)?;
    }
    Ok(())
}

fn format_name(form: Form) -> &'static str {
    match form {
        Form::Aidd => "aidd",
        Form::Older => "older",
        Form::Mama => "mama",
        Form::MemoryV2 => "memory-v2",
        Form::ClaudeMem => "claude-mem",
        Form::ServerMemory => "server-memory",
    }
}

fn bytes(file: &Path, desk: &mut MemoryCommandContext<'_, '_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wrong = |error: std::io::Error| UserError::new(format!("{}: {error}", file.display()));
    let read = if file == Path::new("-") {
        (&mut *desk.io.stdin).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
    } else {
        let open = fs::File::open(project::absolute(&desk.io.cwd, file)).map_err(wrong)?;
        open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
    };
    let size = u64::try_from(read.map_err(wrong)?).unwrap_or(u64::MAX);
    if size > MAX_FILE_BYTES {
        let message = format!("{} is larger than {} MB", file.display(), MAX_FILE_BYTES >> 20);
        return Err(UserError::new(message).hint("split the file").into());
    }
    Ok(bytes)
}
