//! `aidd memory accept`: saves drafts as memories of the team.

use super::{MemoryCommandContext, current_branch, to_user_error};
use crate::cli::Accept;
use aidd_memory::MemoryError;
use aidd_report::exit::UserError;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

/// Maximum number of skipped drafts that are listed; further drafts are only counted.
const MAX_LISTED: usize = 10;

pub(super) fn run(args: &Accept, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let drafts = if args.all {
        let drafts = context.memory.drafts(args.from.as_deref()).map_err(to_user_error)?;
        drafts.into_iter().map(|draft| draft.id).collect::<Vec<String>>()
    } else {
        // Resolve and check all ids before accepting the first draft.
        let ids = args.ids.iter().map(|id| context.id(id)).collect::<Result<Vec<String>>>()?;
        for id in &ids {
            context.memory.check_draft(id).map_err(|error| with_hint(error, id))?;
        }
        ids
    };
    let branch = current_branch(context.root);
    let (mut lines, mut accepted, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for id in drafts {
        if args.all
            && let Err(error) = context.memory.check_draft(&id)
        {
            skipped.push(json!({"id": id, "why": error.to_string()}));
            continue;
        }
        let title = one_line(&context.entry(&id)?.title(60));
        if args.dry_run {
            lines.push(format!("would accept {id}: {title}"));
            accepted.push(json!({"draft": id}));
            continue;
        }
        let (kind, saved) =
            context.memory.accept_draft(&id, branch.as_deref()).map_err(to_user_error)?;
        let state = if saved.is_new { "as" } else { "into the existing" };
        lines.push(format!("accepted {id} {state} {}: {title}", saved.id));
        lines.extend(saved.superseded.iter().map(|old| format!("superseded {old}")));
        accepted.push(json!({
            "draft": id, "id": saved.id, "type": kind, "isNew": saved.is_new,
            "superseded": saved.superseded,
        }));
    }
    print(args, &lines, &accepted, &skipped, context)
}

fn print(
    args: &Accept,
    lines: &[String],
    accepted: &[Value],
    skipped: &[Value],
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let output = json!({"dryRun": args.dry_run, "accepted": accepted, "skipped": skipped});
    if context.print_json(&output)? {
        return Ok(());
    }
    for line in lines {
        writeln!(context.io.out, "{line}")?;
    }
    for item in skipped.iter().take(MAX_LISTED) {
        let why = item["why"].as_str().unwrap_or_default();
        writeln!(context.io.out, "skipped: {}", one_line(why))?;
    }
    if skipped.len() > MAX_LISTED {
        let more = skipped.len() - MAX_LISTED;
        writeln!(context.io.out, "skipped {more} more; --json lists all")?;
    }
    if args.all {
        let verb = if args.dry_run { "would accept" } else { "accepted" };
        writeln!(context.io.err, "{verb} {}", number(accepted.len(), "draft"))?;
    }
    Ok(())
}

fn with_hint(error: MemoryError, id: &str) -> anyhow::Error {
    match error {
        MemoryError::Invalid(why) => UserError::new(why)
            .hint(format!("print the memory with `aidd memory show {id}`"))
            .into(),
        other => to_user_error(other),
    }
}
