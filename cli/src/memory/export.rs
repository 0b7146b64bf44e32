//! `aidd memory export`: exports memories as JSON Lines for import, as one JSON object, or as a
//! Markdown page.

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

pub(super) fn run(args: &Export, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.missing {
        let count = context.memory.export(true).map_err(to_user_error)?;
        if !context.print_json(&json!({"written": count}))? {
            writeln!(context.io.out, "wrote {} to the tracked files", number(count, "line"))?;
        }
        return Ok(());
    }
    let format = if context.json { ExportFormat::Json } else { args.format };
    let (text, count) = match format {
        ExportFormat::Jsonl => lines(args.tracked, context)?,
        ExportFormat::Json => object(args.tracked, context)?,
        ExportFormat::Markdown => page(args.tracked, context)?,
    };
    match &args.output {
        None if format == ExportFormat::Markdown => write!(context.io.out, "{text}")?,
        None => context.io.out.json_text(&text)?,
        Some(path) => {
            let target = project::absolute(&context.io.cwd, path);
            fs::write(&target, text).with_context(|| path.display().to_string())?;
            let memories = if count == 1 { "memory" } else { "memories" };
            writeln!(context.io.err, "wrote {count} {memories} to {}", path.display())?;
        }
    }
    Ok(())
}

/// The memories to export, oldest first.
fn entries(
    tracked: bool,
    statuses: Vec<Status>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<Vec<Entry>> {
    let layers = if tracked { Layers::PERMANENT } else { Layers::ALL };
    let query = Query { statuses, order: Order::Oldest, ..Query::new(layers) };
    context.memory.read(&mut |store| store.entries(&query)).map_err(to_user_error)
}

/// The lines of tracked memories with full history, and one line for each other memory.
fn lines(tracked: bool, context: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let entries = entries(tracked, Status::ALL.to_vec(), context)?;
    let count = entries.len();
    let (mut revisions, mut text) = (Vec::new(), String::new());
    let mut local = String::new();
    for entry in entries {
        if entry.layer == Layer::Permanent {
            revisions.extend(context.memory.history(&entry.id).map_err(to_user_error)?);
        } else {
            local.push_str(&canonical(&json!(entry)));
            local.push('\n');
        }
    }
    revisions.sort_by(|a, b| (a.at, &a.id, &a.rev).cmp(&(b.at, &b.id, &b.rev)));
    for revision in revisions {
        text.push_str(&revision.line());
        text.push('\n');
    }
    Ok((text + &local, count))
}

#[derive(Serialize)]
struct Linked {
    #[serde(flatten)]
    entry: Entry,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
}

fn object(tracked: bool, context: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let mut memories = Vec::new();
    for entry in entries(tracked, Vec::new(), context)? {
        let links =
            context.memory.read(&mut |store| store.links(&entry.id)).map_err(to_user_error)?;
        let links = links.into_iter().filter(|link| link.from == entry.id).collect();
        memories.push(Linked { entry, links });
    }
    let count = memories.len();
    let object = json!({"schemaVersion": 1, "memories": memories});
    Ok((serde_json::to_string_pretty(&object)? + "\n", count))
}

/// A Markdown page with the active memories by type, then the failed decisions, then the memories
/// that exist only in this checkout. Superseded memories are omitted.
fn page(tracked: bool, context: &mut MemoryCommandContext<'_, '_>) -> Result<(String, usize)> {
    let entries = entries(tracked, vec![Status::Active], context)?;
    let count = entries.len();
    let briefs = context.memory.briefs(&entries).map_err(to_user_error)?;
    let (permanent, local): (Vec<Brief>, Vec<Brief>) =
        briefs.into_iter().partition(|brief| brief.entry.layer == Layer::Permanent);
    let (failed, effective): (Vec<Brief>, Vec<Brief>) =
        permanent.into_iter().partition(|brief| brief.entry.is_failed());
    let mut text = String::from("# Project memory\n");
    write_section(&effective, "", &mut text)?;
    write_section(&failed, " that failed", &mut text)?;
    if !local.is_empty() {
        text.push_str("\n# Only in this checkout\n");
        write_section(&local, "", &mut text)?;
    }
    Ok((text, count))
}

/// Writes memories grouped by type; `suffix` is appended to the name of the type.
fn write_section(briefs: &[Brief], suffix: &str, text: &mut String) -> Result<()> {
    for kind in Kind::ALL {
        let briefs_of_kind: Vec<&Brief> =
            briefs.iter().filter(|brief| brief.entry.kind == *kind).collect();
        if briefs_of_kind.is_empty() {
            continue;
        }
        write!(text, "\n## {}{suffix}\n", heading(*kind))?;
        for brief in briefs_of_kind {
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
            Value::String(text_value) if text_value.contains('\n') => {
                write!(text, "- {name}:\n\n{}\n", code_block(text_value))?;
            }
            Value::String(text_value) => writeln!(text, "- {name}: {}", escaped(text_value))?,
            Value::Array(items) => {
                let item = |item: &Value| {
                    item.as_str().map_or_else(|| escaped(&item.to_string()), escaped)
                };
                let items: Vec<String> = items.iter().map(item).collect();
                writeln!(text, "- {name}: {}", items.join("; "))?;
            }
            Value::Number(time) if name.ends_with("At") => {
                writeln!(text, "- {name}: {}", times::day(time.as_i64().unwrap_or_default()))?;
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
