//! Maintenance: `aidd memory rebuild`, `prune`, `sessions` and `branch`.

use super::{MemoryCommandContext, checked_out, to_user_error};
use crate::cli::{Branch, Prune, Sessions};
use aidd_memory::prune::Rules;
use aidd_memory::records::{BranchContext, SessionState};
use aidd_memory::times::{self, millis};
use aidd_report::exit::UserError;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn rebuild(desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let read = desk.memory.import().map_err(to_user_error)?;
    if !desk.print_json(&json!({"new": read.new, "gone": read.gone}))? {
        let (new, gone) = (number(read.new, "new line"), number(read.gone, "line"));
        writeln!(desk.io.out, "rebuilt from the tracked files: {new}, {gone} removed")?;
    }
    Ok(())
}

pub(super) fn prune(args: &Prune, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.tracked {
        return prune_tracked(args, desk);
    }
    let rules = Rules { days: args.days, sessions: args.sessions };
    let pruned = desk.memory.prune(rules, args.dry_run).map_err(to_user_error)?;
    let answer = json!({
        "dryRun": args.dry_run, "sessions": pruned.sessions, "observations": pruned.observations,
    });
    if desk.print_json(&answer)? {
        return Ok(());
    }
    let would = if args.dry_run { "would delete" } else { "deleted" };
    let (sessions, observations) =
        (number(pruned.sessions.len(), "session"), number(pruned.observations, "observation"));
    writeln!(desk.io.out, "{would} {sessions} and {observations}")?;
    Ok(())
}

fn prune_tracked(args: &Prune, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let dropped = desk.memory.prune_tracked(args.days, !args.apply).map_err(to_user_error)?;
    let memories: Vec<Value> =
        dropped.iter().map(|one| json!({"id": one.id, "title": one.title})).collect();
    if desk.print_json(&json!({"dryRun": !args.apply, "memories": memories}))? {
        return Ok(());
    }
    let would = if args.apply { "removed the lines of" } else { "would remove the lines of" };
    for one in &dropped {
        writeln!(desk.io.out, "{would} {}: {}", one.id, one_line(&one.title))?;
    }
    if dropped.is_empty() {
        writeln!(desk.io.out, "nothing was retracted more than {} ago", days(args.days))?;
    } else if !args.apply {
        writeln!(desk.io.err, "nothing was changed; run again with --apply")?;
    }
    Ok(())
}

fn days(days: u32) -> String {
    number(usize::try_from(days).unwrap_or(usize::MAX), "day")
}

pub(super) fn sessions(args: &Sessions, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let ended = args.active.then_some(false);
    let branch = args.branch.as_deref();
    let sessions = desk.memory.sessions(branch, ended, args.limit).map_err(to_user_error)?;
    if desk.print_json(&json!({"sessions": sessions}))? {
        return Ok(());
    }
    for session in &sessions {
        print(session, desk)?;
    }
    writeln!(desk.io.err, "{}", number(sessions.len(), "session"))?;
    Ok(())
}

fn print(session: &SessionState, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let began = millis(&session.started_at).map(times::moment).unwrap_or_default();
    let state = match session.ended_at.as_ref().map(millis) {
        None => "active".to_owned(),
        Some(Some(at)) => format!("ended {}", times::moment(at)),
        Some(None) => "ended".to_owned(),
    };
    let name = session.name.as_deref().or(session.input.as_deref()).unwrap_or("a session");
    let title = one_line(name.lines().next().unwrap_or_default());
    writeln!(desk.io.out, "{}", desk.paint.bold(&title))?;
    let counts = [
        (session.decisions.len(), "decision"),
        (session.errors_resolved.len(), "error"),
        (session.files_modified.len(), "file"),
        (session.tasks_pending.len(), "open task"),
    ];
    let mut facts = vec![session.id.clone(), one_line(&session.branch), began, state];
    facts.push(one_line(&session.ai_provider.provider));
    facts.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| number(*n, noun)));
    facts.retain(|fact| !fact.is_empty());
    writeln!(desk.io.out, "  {}", desk.paint.dim(&facts.join(" · ")))?;
    Ok(())
}

pub(super) fn branch(args: &Branch, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.list {
        return branches(desk);
    }
    let name = args.branch.clone().or_else(|| checked_out(desk.root)).ok_or_else(|| {
        UserError::new("no branch is checked out").hint("pass a name: aidd memory branch NAME")
    })?;
    if args.merge {
        let merged = desk.memory.merge_branch(&name).map_err(to_user_error)?;
        let answer = json!({
            "branch": name, "promoted": merged.promoted, "known": merged.known,
            "archived": merged.archived,
        });
        if desk.print_json(&answer)? {
            return Ok(());
        }
        for id in &merged.promoted {
            writeln!(desk.io.out, "made permanent {id}")?;
        }
        for id in &merged.known {
            writeln!(desk.io.out, "already permanent {id}")?;
        }
        writeln!(desk.io.out, "archived {}", merged.archived)?;
        return Ok(());
    }
    let context = desk.memory.branch(&name).map_err(to_user_error)?;
    if !desk.print_json(&context)? {
        print_branch(&context, desk)?;
    }
    Ok(())
}

fn branches(desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let (contexts, unread) = desk.memory.branches().map_err(to_user_error)?;
    if desk.print_json(&json!({"branches": contexts, "unread": unread}))? {
        return Ok(());
    }
    for context in &contexts {
        let updated = millis(&context.updated_at).map(times::moment).unwrap_or_default();
        let feature = context.feature.as_deref().unwrap_or_default();
        writeln!(
            desk.io.out,
            "{}  {updated}  {}",
            desk.paint.bold(&context.branch),
            one_line(feature)
        )?;
    }
    for path in &unread {
        writeln!(desk.io.err, "note: cannot read {path}")?;
    }
    let branches = if contexts.len() == 1 { "branch" } else { "branches" };
    writeln!(desk.io.err, "{} {branches}", contexts.len())?;
    Ok(())
}

fn print_branch(context: &BranchContext, desk: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let (paint, out) = (desk.paint, &mut desk.io.out);
    writeln!(out, "{}", paint.bold(&context.branch))?;
    for (name, value) in [
        ("feature", &context.feature),
        ("phase", &context.phase),
        ("spec", &context.spec),
        ("plan", &context.plan),
    ] {
        if let Some(value) = value {
            writeln!(out, "{name}: {}", one_line(value))?;
        }
    }
    let decided: Vec<String> = context.decisions.iter().map(|one| one.decision.clone()).collect();
    let fixed: Vec<String> = context
        .errors_encountered
        .iter()
        .map(|one| {
            if one.fix.is_empty() {
                one.error.clone()
            } else {
                format!("{} → {}", one.error, one.fix)
            }
        })
        .collect();
    let mut is_empty = true;
    for (name, items) in [
        ("decided", &decided),
        ("fixed", &fixed),
        ("done", &context.completed_tasks),
        ("to do", &context.pending_tasks),
        ("files", &context.files_modified),
    ] {
        if !items.is_empty() {
            is_empty = false;
            writeln!(out, "{name}:")?;
        }
        for item in items {
            writeln!(out, "  - {}", one_line(item))?;
        }
    }
    if is_empty && context.sessions_count == 0 {
        writeln!(desk.io.err, "nothing recorded yet")?;
    }
    Ok(())
}
