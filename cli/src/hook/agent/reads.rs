//! Notes that an agent read a pack, or a whole document that a pack covers.

use super::payload::{Payload, text};
use aidd_engine::check::Distribution;
use aidd_engine::text::files::Disk;
use aidd_engine::workspace::project::Project;
use aidd_memory::pack_log::Reader;
use aidd_pack::{current, current_ticket, place};
use anyhow::Result;
use std::path::Path;

/// The names of the tools that read a file.
const TOOLS: [&str; 4] = ["Read", "read_file", "view", "read"];

/// The path that a tool call read as a whole; `None` for other calls.
pub(super) fn whole_file(payload: &Payload) -> Option<&str> {
    let input = payload.input();
    let is_part = ["offset", "limit", "start_line", "end_line", "view_range"]
        .iter()
        .any(|name| input.get(*name).is_some_and(|value| !value.is_null()));
    if !TOOLS.contains(&payload.tool()) || is_part {
        return None;
    }
    text(input, &["file_path", "filePath", "path"])
}

/// Notes the read of the file at `path`, if it is a pack or a document that a pack covers.
///
/// # Errors
/// Fails when a pack or the memory cannot be read, or the memory cannot be written.
pub(super) fn note(distribution: &'static Distribution, path: &str, root: &Path) -> Result<()> {
    let Some(path) = Disk::new(root).to_relative(path) else { return Ok(()) };
    let is_pack = path.starts_with(place::DIR);
    if !is_pack && !path.ends_with(".md") || !root.join(place::DIR).is_dir() {
        return Ok(());
    }
    let ticket = if is_pack {
        Some(current_ticket(root)?.1)
    } else {
        let project = Project::open(distribution, root, None)?;
        current::covering_ticket(&project, &path)?
    };
    let Some(ticket) = ticket else { return Ok(()) };
    if let Some(mut memory) = super::session_memory(distribution, root)? {
        memory.note_pack_read(&ticket, &path, Reader::Hook, !is_pack)?;
    }
    Ok(())
}
