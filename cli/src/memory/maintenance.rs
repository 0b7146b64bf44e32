//! Maintenance: `aidd memory rebuild`, `prune`, `sessions` and `branch`.

use super::{MemoryCommandContext, current_branch, to_user_error};
use crate::cli::{Branch, Prune, Sessions};
use aidd_engine::project::git::Repository;
use aidd_memory::prune::PruneConditions;
use aidd_memory::records::{BranchContext, SessionState};
use aidd_memory::times::{self, millis};
use aidd_report::exit::UserError;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

pub(super) fn rebuild(context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let imported = context.memory.import().map_err(to_user_error)?;
    if !context.print_json(&json!({"new": imported.new, "gone": imported.removed}))? {
        let (new, removed) = (number(imported.new, "new line"), number(imported.removed, "line"));
        writeln!(context.io.out, "rebuilt from the tracked files: {new}, {removed} removed")?;
    }
    Ok(())
}

pub(super) fn prune(args: &Prune, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.tracked {
        return prune_tracked(args, context);
    }
    let conditions = PruneConditions { days: args.days, sessions: args.sessions };
    let pruned = context.memory.prune(conditions, args.dry_run).map_err(to_user_error)?;
    let output = json!({
        "dryRun": args.dry_run, "sessions": pruned.sessions, "observations": pruned.observations,
    });
    if context.print_json(&output)? {
        return Ok(());
    }
    let action = if args.dry_run { "would delete" } else { "deleted" };
    let (sessions, observations) =
        (number(pruned.sessions.len(), "session"), number(pruned.observations, "observation"));
    writeln!(context.io.out, "{action} {sessions} and {observations}")?;
    Ok(())
}

pub(super) fn forget(context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let sessions = context.memory.forget_usage().map_err(to_user_error)?;
    if !context.print_json(&json!({"sessions": sessions}))? {
        writeln!(context.io.out, "deleted the statistics of {}", number(sessions, "session"))?;
    }
    Ok(())
}

fn prune_tracked(args: &Prune, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let pruned = context.memory.prune_tracked(args.days, !args.apply).map_err(to_user_error)?;
    let memories: Vec<Value> =
        pruned.iter().map(|memory| json!({"id": memory.id, "title": memory.title})).collect();
    if context.print_json(&json!({"dryRun": !args.apply, "memories": memories}))? {
        return Ok(());
    }
    let action = if args.apply { "removed the lines of" } else { "would remove the lines of" };
    for memory in &pruned {
        writeln!(context.io.out, "{action} {}: {}", memory.id, one_line(&memory.title))?;
    }
    if pruned.is_empty() {
        writeln!(context.io.out, "no memory was removed more than {} ago", days(args.days))?;
    } else if !args.apply {
        writeln!(context.io.err, "nothing was changed; run again with --apply")?;
    }
    Ok(())
}

fn days(days: u32) -> String {
    number(usize::try_from(days).unwrap_or(usize::MAX), "day")
}

pub(super) fn print_sessions(
    args: &Sessions,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let ended = args.active.then_some(false);
    let branch = args.branch.as_deref();
    let sessions = context.memory.sessions(branch, ended, args.limit).map_err(to_user_error)?;
    if context.print_json(&json!({"sessions": sessions}))? {
        return Ok(());
    }
    for session in &sessions {
        print(session, context)?;
    }
    writeln!(context.io.err, "{}", number(sessions.len(), "session"))?;
    Ok(())
}

fn print(session: &SessionState, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let began = millis(&session.started_at).map(times::moment).unwrap_or_default();
    let state = match session.ended_at.as_ref().map(millis) {
        None => "active".to_owned(),
        Some(Some(time)) => format!("ended {}", times::moment(time)),
        Some(None) => "ended".to_owned(),
    };
    let name = session.name.as_deref().or(session.input.as_deref()).unwrap_or("a session");
    let title = one_line(name.lines().next().unwrap_or_default());
    writeln!(context.io.out, "{}", context.paint.bold(&title))?;
    let counts = [
        (session.decisions.len(), "decision"),
        (session.errors_resolved.len(), "error"),
        (session.files_modified.len(), "file"),
        (session.tasks_pending.len(), "open task"),
    ];
    let mut facts = vec![session.id.clone(), one_line(&session.branch), began, state];
    facts.push(one_line(&session.ai_provider.provider));
    facts.extend(
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| number(*count, noun)),
    );
    facts.retain(|fact| !fact.is_empty());
    writeln!(context.io.out, "  {}", context.paint.dim(&facts.join(" · ")))?;
    Ok(())
}

pub(super) fn branch(args: &Branch, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    if args.list {
        return print_branches(context);
    }
    let name = args.branch.clone().or_else(|| current_branch(context.root)).ok_or_else(|| {
        let why = match Repository::open(context.root) {
            Ok(_) => "no branch is checked out",
            Err(_) => "the project is not in a Git repository, so it has no current branch",
        };
        UserError::new(why).hint("pass a name: aidd memory branch NAME")
    })?;
    if args.merge {
        let merged = context.memory.merge_branch(&name).map_err(to_user_error)?;
        let output = json!({
            "branch": name, "promoted": merged.promoted, "known": merged.known,
            "archived": merged.archived,
        });
        if context.print_json(&output)? {
            return Ok(());
        }
        for id in &merged.promoted {
            writeln!(context.io.out, "made {id} permanent")?;
        }
        for id in &merged.known {
            writeln!(context.io.out, "{id} was already permanent")?;
        }
        writeln!(context.io.out, "archived {}", merged.archived)?;
        return Ok(());
    }
    let branch_context = context.memory.branch(&name).map_err(to_user_error)?;
    if !context.print_json(&branch_context)? {
        print_branch(&branch_context, context)?;
    }
    Ok(())
}

fn print_branches(context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let (contexts, unread) = context.memory.branches().map_err(to_user_error)?;
    if context.print_json(&json!({"branches": contexts, "unread": unread}))? {
        return Ok(());
    }
    for branch_context in &contexts {
        let updated = millis(&branch_context.updated_at).map(times::moment).unwrap_or_default();
        let feature = branch_context.feature.as_deref().unwrap_or_default();
        writeln!(
            context.io.out,
            "{}  {updated}  {}",
            context.paint.bold(&branch_context.branch),
            one_line(feature)
        )?;
    }
    for path in &unread {
        writeln!(context.io.err, "note: cannot read {path}")?;
    }
    let branches = if contexts.len() == 1 { "branch" } else { "branches" };
    writeln!(context.io.err, "{} {branches}", contexts.len())?;
    Ok(())
}

fn print_branch(
    branch_context: &BranchContext,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let (paint, out) = (context.paint, &mut context.io.out);
    writeln!(out, "{}", paint.bold(&branch_context.branch))?;
    for (name, value) in [
        ("feature", &branch_context.feature),
        ("phase", &branch_context.phase),
        ("spec", &branch_context.spec),
        ("plan", &branch_context.plan),
    ] {
        if let Some(value) = value {
            writeln!(out, "{name}: {}", one_line(value))?;
        }
    }
    let decided: Vec<String> =
        branch_context.decisions.iter().map(|decision| decision.decision.clone()).collect();
    let fixed: Vec<String> = branch_context
        .errors_encountered
        .iter()
        .map(|encountered| {
            if encountered.fix.is_empty() {
                encountered.error.clone()
            } else {
                format!("{} → {}", encountered.error, encountered.fix)
            }
        })
        .collect();
    let mut is_empty = true;
    for (name, items) in [
        ("decided", &decided),
        ("fixed", &fixed),
        ("done", &branch_context.completed_tasks),
        ("to do", &branch_context.pending_tasks),
        ("files", &branch_context.files_modified),
    ] {
        if !items.is_empty() {
            is_empty = false;
            writeln!(out, "{name}:")?;
        }
        for item in items {
            writeln!(out, "  - {}", one_line(item))?;
        }
    }
    if is_empty && branch_context.sessions_count == 0 {
        writeln!(context.io.err, "nothing recorded yet")?;
    }
    Ok(())
}
