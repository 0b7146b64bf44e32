//! `aidd ci merge`: joins the reports of all shards into the report of the run.

use super::event;
use super::location::ProjectLocation;
use super::outputs::{self, Outputs};
use crate::args::CiMerge;
use crate::saved::{self, Saved, Writer};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::document::fail_on_name;
use aidd_report::exit::Exit;
use aidd_report::project::{self, Project};
use aidd_report::run::fail_on;
use anyhow::Result;
use std::path::Path;

pub(super) fn run(
    args: &CiMerge,
    config: Option<&Path>,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let event = event()?;
    let open = |path| Saved::open(&project::absolute(&io.cwd, path), Writer::SameWorkflow);
    let shards = args.reports.iter().map(|path| open(path)).collect::<Result<Vec<_>>>()?;
    let mut merged = saved::merge(shards, saved::match_moved)?;
    let project = Project::open(io.distribution, &io.cwd, config)?;
    if args.fail_on.is_some() {
        merged.document.fail_on = fail_on_name(fail_on(args.fail_on, &project));
    }
    if args.outputs.category.is_some() {
        merged.document.category.clone_from(&args.outputs.category);
    }
    let registry = ProjectLocation::from_project(&project)
        .rules(&project)
        .unwrap_or_else(|| project.registry());
    let outputs = Outputs {
        args: &args.outputs,
        event: &event,
        rules: registry.rules(),
        saved: &merged,
        run: None,
        suggestions: &[],
    };
    outputs.write(color, io)?;
    Ok(outputs::exit_code(&merged.document))
}
