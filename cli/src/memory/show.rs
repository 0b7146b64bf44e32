//! `aidd memory show`: prints memories in full.

use super::{MemoryCommandContext, to_user_error};
use aidd_engine::workspace::memory_checks;
use aidd_memory::brief::Brief;
use aidd_memory::log::{Op, Revision};
use aidd_memory::times;
use aidd_memory::types::{Entry, Layer, Link, Status};
use aidd_report::{one_line, printable};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;

/// A memory with its history and links.
#[derive(Serialize)]
struct FullEntry {
    #[serde(flatten)]
    entry: Entry,
    links: Vec<Link>,
    history: Vec<Revision>,
}

pub(super) fn run(ids: &[String], context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let mut entries = Vec::new();
    for id in ids {
        let entry = context.entry(id)?;
        let links =
            context.memory.read(&mut |store| store.links(&entry.id)).map_err(to_user_error)?;
        let history = match entry.layer {
            Layer::Permanent => context.memory.history(&entry.id).map_err(to_user_error)?,
            _ => Vec::new(),
        };
        entries.push(FullEntry { entry, links, history });
    }
    if context.print_json(&json!({"entries": entries}))? {
        return Ok(());
    }
    for (index, full) in entries.iter().enumerate() {
        if index > 0 {
            writeln!(context.io.out)?;
        }
        print(full, context)?;
    }
    Ok(())
}

fn print(full: &FullEntry, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let (entry, paint) = (&full.entry, context.paint);
    writeln!(context.io.out, "{}", paint.bold(&entry.id))?;
    let brief = context.memory.brief(entry).map_err(to_user_error)?;
    writeln!(context.io.out, "{}", paint.dim(&facts(&brief).join(" · ")))?;
    writeln!(context.io.out, "\n{}", printable(entry.content.trim_end()))?;
    let fields: String = entry.metadata.iter().map(|(name, value)| field(name, value)).collect();
    if !fields.is_empty() {
        write!(context.io.out, "\n{fields}")?;
    }
    if !full.links.is_empty() {
        writeln!(context.io.out, "\n{}", paint.bold("Links"))?;
    }
    for link in &full.links {
        let line = link_line(&entry.id, link, context)?;
        writeln!(context.io.out, "  {line}")?;
    }
    if full.history.len() > 1 {
        writeln!(context.io.out, "\n{}", paint.bold("History"))?;
        for revision in &full.history {
            writeln!(context.io.out, "  {}", revision_line(revision, entry))?;
        }
    }
    Ok(())
}

fn facts(brief: &Brief) -> Vec<String> {
    let entry = &brief.entry;
    let mut facts = vec![entry.kind.to_string(), entry.status.to_string()];
    facts.extend(Some(one_line(brief.marks().trim())).filter(|marks| !marks.is_empty()));
    facts.extend(entry.topic.as_deref().map(one_line));
    let rule = memory_checks::rule_of(entry).filter(|_| entry.status == Status::Active);
    facts.extend(rule.map(|rule| format!("enforced as {}", one_line(&rule))));
    facts.push(times::moment(entry.created_at));
    if entry.updated_at != entry.created_at {
        facts.push(format!("changed {}", times::moment(entry.updated_at)));
    }
    facts.extend(entry.branch.as_deref().map(|branch| format!("on {}", one_line(branch))));
    facts.extend(entry.session_id.as_deref().map(one_line));
    if entry.is_contested() {
        facts.push(format!("{} concurrent edits", entry.heads.len()));
    }
    facts
}

/// A field of a memory, on one or more lines.
fn field(name: &str, value: &Value) -> String {
    let format_value = |value: &Value| match value {
        Value::String(text) => printable(text.trim_end()).replace('\n', "\n    "),
        // Only fields with this suffix contain a time.
        Value::Number(time) if name.ends_with("At") => {
            time.as_i64().map_or_else(|| time.to_string(), times::moment)
        }
        other => one_line(&other.to_string()),
    };
    match value {
        Value::Array(items) => {
            let items: String =
                items.iter().map(|item| format!("  - {}\n", format_value(item))).collect();
            format!("{}:\n{items}", one_line(name))
        }
        value => format!("{}: {}\n", one_line(name), format_value(value)),
    }
}

/// A link of the memory `id`, on one line.
fn link_line(id: &str, link: &Link, context: &mut MemoryCommandContext<'_, '_>) -> Result<String> {
    let is_source = link.from == id;
    let other = if is_source { &link.to } else { &link.from };
    let entry = context.memory.read(&mut |store| store.entry(other)).map_err(to_user_error)?;
    let title = match entry {
        None => "not in this checkout".to_owned(),
        Some(entry) => {
            let marks = context.memory.brief(&entry).map_err(to_user_error)?.marks();
            one_line(&(entry.title(60) + &marks))
        }
    };
    let relation = if link.is_promotion() {
        "was promoted from".to_owned()
    } else {
        link.relation.word().replace('_', " ")
    };
    let reason = link.reason.as_deref().map(|why| format!(" ({})", one_line(why)));
    let line = if is_source {
        format!("{relation} {other}: {title}")
    } else {
        format!("{other} {relation} {id}: {title}")
    };
    Ok(line + &reason.unwrap_or_default())
}

/// A revision in the history, on one line.
fn revision_line(revision: &Revision, entry: &Entry) -> String {
    let time = times::moment(revision.at);
    let mark = if entry.is_contested() && entry.heads.contains(&revision.rev) { "*" } else { " " };
    let text = match revision.op {
        Op::Put => {
            let line = revision.content.lines().find(|line| !line.trim().is_empty());
            let outcome = revision.metadata.get("outcome").and_then(Value::as_str);
            let outcome = outcome.map(|outcome| format!(" [{outcome}]")).unwrap_or_default();
            format!("{}{outcome}", line.unwrap_or_default().trim())
        }
        Op::Remove => {
            let why = revision.reason.as_deref().map(|why| format!(": {why}"));
            format!("retracted{}", why.unwrap_or_default())
        }
        Op::Seen => "occurred again".to_owned(),
    };
    format!("{time} {mark} {}  {}", revision.rev, one_line(&text))
}
