//! Changes memories: `aidd memory edit`, `outcome`, `remove`, `link`, `conflicts` and `resolve`.

use super::{MemoryCommandContext, add, to_user_error};
use crate::cli::Edit as EditArgs;
use aidd_engine::workspace::memory_checks::{self, CHECK};
use aidd_memory::kinds::QUESTIONS;
use aidd_memory::permanent::{Conflict, Edit};
use aidd_memory::times;
use aidd_memory::types::{Entry, Layer, Link, Outcome, Relation};
use aidd_report::exit::UserError;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

pub(super) fn edit(args: &EditArgs, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let entry = context.entry(&args.id)?;
    let questions = QUESTIONS.to_owned();
    let content = args.content.as_deref().map(|text| context.text(text)).transpose()?;
    let mut edit = Edit { content, topic: args.topic.clone(), ..Edit::default() };
    let mut names = BTreeSet::new();
    if !args.questions.is_empty() {
        names.insert(&questions);
        edit.fields.insert(questions.clone(), json!(args.questions));
    }
    let values = args.set.iter().map(|(name, text)| (name, Some(text)));
    for (name, text) in values.chain(args.unset.iter().map(|name| (name, None))) {
        if !names.insert(name) {
            return Err(UserError::new(format!("field `{name}` is set twice"))
                .hint("pass each field only once")
                .into());
        }
        apply_change(&mut edit, &entry, name, text)?;
    }
    let edited = context.memory.edit(entry.kind, &entry.id, &edit).map_err(to_user_error)?;
    if context.print_json(&edited)? {
        return Ok(());
    }
    writeln!(context.io.out, "changed {}", edited.id)?;
    let sets_check = args.set.iter().any(|(name, _)| name == CHECK);
    if sets_check && memory_checks::check_of(&edited).is_some() {
        let (_, findings) = add::check_findings(&edited.id, context);
        writeln!(context.io.err, "note: {}", one_line(&findings))?;
    }
    Ok(())
}

/// Applies `--set NAME=TEXT`, or `--unset NAME` without a text, to an edit. `content` and `topic`
/// are accepted as field names.
fn apply_change(edit: &mut Edit, entry: &Entry, name: &str, text: Option<&String>) -> Result<()> {
    let field = match name {
        "content" => &mut edit.content,
        "topic" => &mut edit.topic,
        _ => {
            let value = text.map_or(Value::Null, |text| value_for(entry.metadata.get(name), text));
            edit.fields.insert(name.to_owned(), value);
            return Ok(());
        }
    };
    if field.is_some() {
        return Err(UserError::new(format!(
            "`--{name}` and `--set` or `--unset` both change `{name}`"
        ))
        .hint("pass only one of them")
        .into());
    }
    // An empty string removes the topic; empty content is rejected when the memory is saved.
    *field = Some(text.cloned().unwrap_or_default());
    Ok(())
}

/// Parses a value from the command line. Parses a list, a number or an object as JSON, unless the
/// current value of the field is a string.
fn value_for(before: Option<&Value>, text: &str) -> Value {
    match (before, serde_json::from_str(text)) {
        (Some(Value::String(_)), _) | (_, Err(_)) => text.into(),
        (_, Ok(Value::Null | Value::String(_))) => text.into(),
        (_, Ok(value)) => value,
    }
}

pub(super) fn outcome(
    id: &str,
    outcome: Outcome,
    reason: Option<&str>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let id = context.id(id)?;
    context.memory.set_outcome(&id, outcome, reason).map_err(to_user_error)?;
    if !context.print_json(&json!({"id": id, "outcome": outcome, "reason": reason}))? {
        writeln!(context.io.out, "recorded outcome {outcome} for {id}")?;
    }
    Ok(())
}

pub(super) fn remove(
    ids: &[String],
    reason: Option<&str>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let mut removed = Vec::new();
    // Resolve all ids before retracting the first memory.
    let ids: Vec<String> = ids.iter().map(|id| context.id(id)).collect::<Result<_>>()?;
    for id in &ids {
        removed.push(context.memory.remove_any(id, reason).map_err(to_user_error)?);
    }
    let output: Vec<Value> =
        removed.iter().map(|entry| json!({"id": entry.id, "type": entry.kind})).collect();
    if context.print_json(&json!({"removed": output}))? {
        return Ok(());
    }
    for entry in &removed {
        let status = if entry.layer == Layer::Permanent { "retracted" } else { "deleted" };
        writeln!(context.io.out, "{status} {}: {}", entry.id, one_line(&entry.title(60)))?;
    }
    Ok(())
}

pub(super) fn link(
    from: &str,
    relation: Relation,
    to: &str,
    reason: Option<&str>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let (from, to) = (context.id(from)?, context.id(to)?);
    let link = Link { reason: reason.map(str::to_owned), ..Link::new(relation, &to) };
    context.memory.link(&from, &link).map_err(to_user_error)?;
    let output = json!({"from": from, "relation": relation, "to": to, "reason": reason});
    if !context.print_json(&output)? {
        writeln!(context.io.out, "{from} {} {to}", relation.word().replace('_', " "))?;
    }
    Ok(())
}

pub(super) fn print_conflicts(context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let conflicts = context.memory.conflicts().map_err(to_user_error)?;
    let mut output = Vec::new();
    for conflict in &conflicts {
        output.push(to_json(conflict, context)?);
    }
    if context.print_json(&json!({"conflicts": output}))? {
        return Ok(());
    }
    for (conflict, conflict_json) in conflicts.iter().zip(&output) {
        print(conflict, conflict_json, context)?;
    }
    let hint =
        if conflicts.is_empty() { "" } else { "; resolve each with `aidd memory resolve ID`" };
    writeln!(context.io.err, "{}{hint}", number(conflicts.len(), "conflict"))?;
    Ok(())
}

/// A conflict as JSON: its kind, and the edits or memories in conflict.
fn to_json(conflict: &Conflict, context: &mut MemoryCommandContext<'_, '_>) -> Result<Value> {
    let (kind, topic, ids) = match conflict {
        Conflict::TwoHeads { id, heads } => {
            let history = context.memory.history(id).map_err(to_user_error)?;
            let edits: Vec<Value> = heads
                .iter()
                .filter_map(|rev| history.iter().find(|line| line.rev == *rev))
                .map(|line| {
                    json!({"rev": line.rev, "at": line.at, "op": line.op, "content": line.content})
                })
                .collect();
            return Ok(json!({"kind": "twoEdits", "id": id, "edits": edits}));
        }
        Conflict::OneTopic { topic, ids } => ("oneTopic", Some(topic), ids.clone()),
        Conflict::Contradiction { from, to } => {
            ("contradiction", None, vec![from.clone(), to.clone()])
        }
        Conflict::Cycle { from, to } => ("circle", None, vec![from.clone(), to.clone()]),
        Conflict::Forked { ids } => ("forked", None, ids.clone()),
    };
    let entries = context.memory.get(&ids).map_err(to_user_error)?;
    let side = |entry: &Entry| {
        let mut side =
            json!({"id": entry.id, "title": entry.title(80), "updatedAt": entry.updated_at});
        if let (Some(outcome), Some(map)) = (entry.outcome(), side.as_object_mut()) {
            map.insert("outcome".to_owned(), json!(outcome));
            let reason = entry.outcome_reason().map(Value::from);
            map.extend(reason.map(|reason| ("outcomeReason".to_owned(), reason)));
        }
        side
    };
    let memories: Vec<Value> = entries.iter().map(side).collect();
    Ok(match topic {
        Some(topic) => json!({"kind": kind, "topic": topic, "memories": memories}),
        None => json!({"kind": kind, "memories": memories}),
    })
}

fn print(
    conflict: &Conflict,
    conflict_json: &Value,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let heading = match conflict {
        Conflict::TwoHeads { id, .. } => format!("two edits of {id}"),
        Conflict::OneTopic { topic, .. } => format!("several decisions on {topic}"),
        Conflict::Contradiction { .. } => "contradiction".to_owned(),
        Conflict::Cycle { .. } => "decisions that supersede each other".to_owned(),
        Conflict::Forked { .. } => "decisions that supersede the same memory".to_owned(),
    };
    writeln!(context.io.out, "{}", context.paint.bold(&heading))?;
    let text = |value: &Value| {
        one_line(value.as_str().unwrap_or_default().lines().next().unwrap_or_default())
    };
    let sides = conflict_json["edits"].as_array().or(conflict_json["memories"].as_array());
    for side in sides.into_iter().flatten() {
        let (name, title, day) = if side["rev"].is_string() {
            let title = if side["op"] == "remove" {
                "retracted".to_owned()
            } else {
                text(&side["content"])
            };
            (format!("--rev {}", text(&side["rev"])), title, &side["at"])
        } else {
            let outcome = side["outcome"].as_str().map(|outcome| {
                let reason = side["outcomeReason"].as_str();
                let reason = reason.map(|reason| format!(": {}", one_line(reason)));
                format!(" [{outcome}{}]", reason.unwrap_or_default())
            });
            let title = text(&side["title"]) + &outcome.unwrap_or_default();
            (text(&side["id"]), title, &side["updatedAt"])
        };
        let day = times::day(day.as_i64().unwrap_or_default());
        writeln!(context.io.out, "  {name}  {}  {title}", context.paint.dim(&day))?;
    }
    Ok(())
}

pub(super) fn resolve_conflict(
    id: &str,
    rev: Option<&str>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let id = context.id(id)?;
    let resolution = context.memory.resolve(&id, rev).map_err(|error| match error {
        aidd_memory::MemoryError::Invalid(why) => {
            UserError::new(why).hint("`aidd memory conflicts` lists ids and edits").into()
        }
        other => to_user_error(other),
    })?;
    let output = json!({
        "id": id, "dropped": resolution.dropped, "superseded": resolution.superseded,
        "unlinked": resolution.unlinked,
    });
    if context.print_json(&output)? {
        return Ok(());
    }
    if resolution.is_empty() {
        writeln!(context.io.err, "no conflict: {id} is active")?;
        return Ok(());
    }
    writeln!(context.io.out, "retained {id}")?;
    for (status, names) in [
        ("dropped edit", &resolution.dropped),
        ("superseded", &resolution.superseded),
        ("no longer superseded by", &resolution.unlinked),
    ] {
        for name in names {
            writeln!(context.io.out, "{status} {name}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_the_field() {
        assert_eq!(value_for(Some(&json!("x")), "[1]"), json!("[1]"));
        assert_eq!(value_for(Some(&json!(["a"])), "[\"b\"]"), json!(["b"]));
        assert_eq!(value_for(None, "plain words"), json!("plain words"));
        assert_eq!(value_for(None, "0.5"), json!(0.5));
        assert_eq!(value_for(None, "null"), json!("null"));
    }
}
