//! `aidd memory export`: as JSON Lines for import, as one JSON object, or as a page to read.

use super::{MemoryCommandContext, to_user_error};
use crate::cli::{Export, ExportFormat};
use aidd_engine::text::escape::{self, markdown};
use aidd_memory::brief::Brief;
use aidd_memory::id::canonical;
use aidd_memory::store::{Layers, Order, Query};
use aidd_memory::times;
use aidd_memory::types::{Entry, Kind, Layer, Link, Status};
use aidd_report::number;
use aidd_report::project;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

pub(super) fn run(args: &Export, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.missing {
        let count = desk.memory.export(true).map_err(to_user_error)?;
        if !desk.print_json(&json!({"written": count}))? {
            writeln!(desk.io.out, "wrote {} to the tracked files", number(count, "line"))?;
        }
        return Ok(());
    }
    let format = if desk.json { ExportFormat::Json } else { args.format };
    let (text, count) = match format {
        ExportFormat::Jsonl => lines(args.tracked, desk)?,
        ExportFormat::Json => object(args.tracked, desk)?,
        ExportFormat::Markdown => page(args.tracked, desk)?,
    };
    match &args.output {
        None if format == ExportFormat::Markdown => write!(desk.io.out, "{text}")?,
        None => desk.io.out.json_text(&text)?,
        Some(path) => {
            let place = project::absolute(&desk.io.cwd, path);
            fs::write(&place, text).with_context(|| path.display().to_string())?;
            let memories = if count == 1 { "memory" } else { "memories" };
            writeln!(desk.io.err, "wrote {count} {memories} to {}", path.display())?;
        }
    }
    Ok(())
}

/// The memories to export, oldest first.
fn entries(
    tracked: bool,
    statuses: Vec<Status>,
    desk: &mut MemoryCommandContext<'_, '_>,
) -> Result<Vec<Entry>> {
    let layers = if tracked { Layers::PERMANENT } else { Layers::ALL };
    let query = Query { statuses, order: Order::Oldest, ..Query::new(layers) };
    desk.memory.read(&mut |store| store.entries(&query)).map_err(to_user_error)
}

/// The lines of tracked memories with full history, and one line for each other memory.
fn lines(tracked: bool, desk: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let entries = entries(tracked, Status::ALL.to_vec(), desk)?;
    let count = entries.len();
    let (mut revisions, mut text) = (Vec::new(), String::new());
    let mut own = String::new();
    for entry in entries {
        if entry.layer == Layer::Permanent {
            revisions.extend(desk.memory.history(&entry.id).map_err(to_user_error)?);
        } else {
            own.push_str(&canonical(&json!(entry)));
            own.push('\n');
        }
    }
    revisions.sort_by(|a, b| (a.at, &a.id, &a.rev).cmp(&(b.at, &b.id, &b.rev)));
    for revision in revisions {
        text.push_str(&revision.line());
        text.push('\n');
    }
    Ok((text + &own, count))
}

#[derive(Serialize)]
struct Linked {
    #[serde(flatten)]
    entry: Entry,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
}

fn object(tracked: bool, desk: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let mut memories = Vec::new();
    for entry in entries(tracked, Vec::new(), desk)? {
        let links = desk.memory.read(&mut |store| store.links(&entry.id)).map_err(to_user_error)?;
        let links = links.into_iter().filter(|link| link.from == entry.id).collect();
        memories.push(Linked { entry, links });
    }
    let count = memories.len();
    let object = json!({"schemaVersion": 1, "memories": memories});
    Ok((serde_json::to_string_pretty(&object)? + "\n", count))
}

/// A page of active memories by type, then failed ones and those of this checkout only. Superseded
/// memories are omitted.
fn page(tracked: bool, desk: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let entries = entries(tracked, vec![Status::Active], desk)?;
    let count = entries.len();
    let briefs = desk.memory.briefs(&entries).map_err(to_user_error)?;
    let (known, own): (Vec<Brief>, Vec<Brief>) =
        briefs.into_iter().partition(|brief| brief.entry.layer == Layer::Permanent);
    let (failed, holding): (Vec<Brief>, Vec<Brief>) =
        known.into_iter().partition(|brief| brief.entry.is_failed());
    let mut text = String::from("# Project memory\n");
    write_section(&holding, "", &mut text)?;
    write_section(&failed, " that failed", &mut text)?;
    if !own.is_empty() {
        text.push_str("\n# Only in this checkout\n");
        write_section(&own, "", &mut text)?;
    }
    Ok((text, count))
}

/// Memories grouped by type; `more` is appended to the type name.
fn write_section(briefs: &[Brief], more: &str, text: &mut String) -> Result<()> {
    for kind in Kind::ALL {
        let of_kind: Vec<&Brief> =
            briefs.iter().filter(|brief| brief.entry.kind == *kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        write!(text, "\n## {}{more}\n", heading(*kind))?;
        for brief in of_kind {
            write_entry(brief, text)?;
        }
    }
    Ok(())
}

fn heading(kind: Kind) -> String {
    let words = kind.word().replace('_', " ");
    let (first, rest) = words.split_at(1);
    let plural = if kind == Kind::Context { "" } else { "s" };
    format!("{}{rest}{plural}", first.to_uppercase())
}

fn write_entry(brief: &Brief, text: &mut String) -> Result<()> {
    let entry = &brief.entry;
    write!(text, "\n### {}\n\n", escaped(&brief.line(80)))?;
    if entry.content.trim() != entry.title(80) {
        write!(text, "{}\n\n", code_block(&entry.content))?;
    }
    for (name, value) in &entry.metadata {
        let name = escaped(name);
        match value {
            Value::String(said) if said.contains('\n') => {
                write!(text, "- {name}:\n\n{}\n", code_block(said))?;
            }
            Value::String(said) => writeln!(text, "- {name}: {}", escaped(said))?,
            Value::Array(items) => {
                let item = |item: &Value| {
                    item.as_str().map_or_else(|| escaped(&item.to_string()), escaped)
                };
                let items: Vec<String> = items.iter().map(item).collect();
                writeln!(text, "- {name}: {}", items.join("; "))?;
            }
            Value::Number(at) if name.ends_with("At") => {
                writeln!(text, "- {name}: {}", times::day(at.as_i64().unwrap_or_default()))?;
            }
            other => writeln!(text, "- {name}: {}", escaped(&other.to_string()))?,
        }
    }
    writeln!(text, "- {} · {}", times::day(entry.created_at), escaped(&entry.id))?;
    Ok(())
}

/// Text on one line, with Markdown escaped.
fn escaped(text: &str) -> String {
    markdown::words(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Text of several lines as a code block.
fn code_block(text: &str) -> String {
    let text = escape::lines(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_shows_text_literally() {
        assert_eq!(escaped("a *b*\n <i> `c`"), "a \\*b\\* \\<i> \\`c\\`");
        assert_eq!(code_block("a\n```\nb\n"), "````text\na\n```\nb\n````");
        assert_eq!(heading(Kind::ToolOutcome), "Tool outcomes");
    }
}
