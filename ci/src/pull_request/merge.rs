//! `aidd ci merge`: the reports of all parts of a run become the report of the run.

use super::outputs::{self, Outputs};
use super::{event, fail_on};
use crate::Io;
use crate::cli::{CiMerge, When};
use crate::exit::Exit;
use crate::project::{self, Project};
use crate::report::document::fail_on_name;
use crate::report::wire::Status;
use crate::saved::{self, From, Saved};
use aidd_engine::diff::{match_moves, moved_from};
use anyhow::Result;
use std::collections::HashSet;
use std::path::Path;

pub(super) fn run(
    args: &CiMerge,
    config: Option<&Path>,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let event = event()?;
    let open = |path| Saved::open(&project::absolute(&io.cwd, path), From::Ourselves);
    let parts = args.reports.iter().map(|path| open(path)).collect::<Result<Vec<_>>>()?;
    let mut whole = saved::merge(parts, settle)?;
    let project = Project::open(&io.cwd, config)?;
    if args.fail_on.is_some() {
        whole.document.fail_on = fail_on_name(fail_on(args.fail_on, &project));
    }
    if args.outputs.category.is_some() {
        whole.document.category.clone_from(&args.outputs.category);
    }
    let registry = project.registry();
    let outputs = Outputs {
        args: &args.outputs,
        event: &event,
        rules: registry.rules(),
        saved: &whole,
        run: None,
        suggestions: &[],
    };
    outputs.write(color, io)?;
    Ok(outputs::exit(&whole.document))
}

/// Matches what is new in one part with what another has fixed: it moved.
fn settle(whole: &mut Saved) {
    let having = |status: Status| -> Vec<usize> {
        let findings = whole.document.findings.iter().zip(&whole.match_keys).enumerate();
        let wanted = findings.filter(|(_, (finding, key))| finding.status == status && !key.is_empty());
        wanted.map(|(at, _)| at).collect()
    };
    let (new, gone) = (having(Status::New), having(Status::Fixed));
    let keys = |at: &[usize]| -> Vec<&str> { at.iter().map(|&at| &*whole.match_keys[at]).collect() };
    let pairs = match_moves(&keys(&new), &keys(&gone));
    let mut moved = HashSet::new();
    for (to, from) in pairs {
        let base = &whole.document.findings[gone[from]];
        let line = u32::try_from(base.start.line).unwrap_or(u32::MAX);
        let reason = moved_from(&base.path, line);
        let finding = &mut whole.document.findings[new[to]];
        (finding.status, finding.reason, finding.gate) = (Status::Moved, Some(reason), None);
        moved.insert(gone[from]);
    }
    let mut at = 0;
    whole.retain(|_, _| {
        at += 1;
        !moved.contains(&(at - 1))
    });
}
