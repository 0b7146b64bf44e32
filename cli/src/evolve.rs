//! `aidd evolve` and `aidd draft`: changes that follow from recorded sessions.

use crate::cli::{DraftCategory, DraftCommand, Drafts, Evolve as EvolveArgs, EvolveCommand};
use crate::memory;
use aidd_authoring::evolve::{
    self, Analysis, Evolve, EvolveError, NewDraft, draft_line, figures_line,
};
use aidd_engine::text::files::read_regular;
use aidd_evolution::EvolutionError;
use aidd_evolution::log::{Category, Draft, DraftStatus, LogEntry};
use aidd_evolution::transaction::find;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{Project, absolute};
use aidd_report::{Io, one_line};
use anyhow::{Error, Result};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

/// Maximum size of a text that becomes a draft.
const MAX_FILE: u64 = 256 << 10;

fn environment() -> Option<String> {
    std::env::var("AIDD_EVOLUTION").ok()
}

fn open_memory(project: &Project, io: &Io<'_>) -> Result<ProjectMemory> {
    ProjectMemory::open(io.distribution, project.root(), BackendChoice::default(), system_clock())
        .map_err(memory::to_user_error)
}

fn to_user_error(error: EvolveError) -> Error {
    let hint = match &error {
        EvolveError::Memory(_) => {
            let EvolveError::Memory(error) = error else { return error.into() };
            return memory::to_user_error(error);
        }
        EvolveError::Evolution(EvolutionError::Unknown { item: "draft", .. }) => {
            "`aidd draft list --all` lists all drafts"
        }
        EvolveError::Evolution(EvolutionError::Unknown { .. }) => {
            "`aidd evolve status` lists the applied changes"
        }
        EvolveError::Evolution(EvolutionError::Ambiguous(_)) => "pass the full id",
        EvolveError::Evolution(EvolutionError::Edited { .. }) => {
            "undo the edit and run the command again, or revert the change by hand"
        }
        EvolveError::Evolution(EvolutionError::Io { .. }) => {
            "check that the directory is writable and the disk is not full"
        }
        _ => return UserError::new(error.to_string()).into(),
    };
    UserError::new(error.to_string()).hint(hint).into()
}

/// Runs `aidd evolve`.
///
/// # Errors
/// Fails when the configuration is invalid, an id is unknown, or a file cannot be read or written.
pub(crate) fn run(args: &EvolveArgs, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let environment = environment();
    let evolve = Evolve::new(&project, environment.as_deref(), "person");
    match &args.command {
        EvolveCommand::Status => status(&evolve, args.json, io)?,
        EvolveCommand::Review { id } => review(&evolve, id, args.json, io)?,
        EvolveCommand::Analyze if !memory::exists(project.root()) => {
            print_analysis(&Analysis::without_sessions(&evolve), args.json, io)?;
        }
        EvolveCommand::Analyze => {
            let mut memory = open_memory(&project, io)?;
            let now = memory.now();
            let analysis = evolve::analyze(&evolve, &mut memory, now).map_err(to_user_error)?;
            print_analysis(&analysis, args.json, io)?;
        }
        EvolveCommand::Run => {
            let evolve = Evolve::new(&project, environment.as_deref(), "aidd");
            let mut memory = open_memory(&project, io)?;
            let now = memory.now();
            let report = evolve::run(&evolve, &mut memory, now).map_err(to_user_error)?;
            print_run(&report, args.json, io)?;
        }
        EvolveCommand::Revert { id, reason, .. } => {
            let mut memory = open_memory(&project, io)?;
            return revert(&evolve, &mut memory, id.as_deref(), reason.as_deref(), args.json, io);
        }
    }
    Ok(Exit::Clean)
}

fn status(evolve: &Evolve<'_>, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    let text = evolve::overview(evolve).map_err(to_user_error)?;
    if !as_json {
        return print_text(&text, io);
    }
    let state = evolve.store().state().map_err(|error| to_user_error(error.into()))?;
    let drafts = state.drafts.values().filter(|draft| draft.status == DraftStatus::Pending);
    io.out.json(&json!({
        "disabled": evolve.disabled(),
        "overlay": state.overlay,
        "applied": state.applied,
        "drifted": state.drifted,
        "conflicts": state.conflicts,
        "drafts": drafts.map(draft_json).collect::<Vec<_>>(),
    }))?;
    Ok(())
}

/// Prints lines, each without control characters.
fn print_text(text: &str, io: &mut Io<'_>) -> Result<()> {
    for line in text.lines() {
        writeln!(io.out, "{}", one_line(line))?;
    }
    Ok(())
}

fn review(evolve: &Evolve<'_>, id: &str, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    let failed = |error: EvolutionError| to_user_error(error.into());
    let (entries, _) = evolve.store().entries().map_err(failed)?;
    let known = entries.iter().map(|entry| (entry.id.as_str(), entry));
    let entry = find(known, "change", id).map_err(failed)?;
    let history: Vec<&LogEntry> = entries
        .iter()
        .filter(|other| {
            other.target.as_deref() == Some(&entry.id)
                || entry.candidate.is_some() && other.candidate == entry.candidate
        })
        .collect();
    if as_json {
        io.out.json(&json!({ "entry": entry, "history": history }))?;
        return Ok(());
    }
    print_text(&evolve::review_text(entry, &history), io)
}

fn print_analysis(analysis: &Analysis, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    if as_json {
        let proposals: Vec<Value> = analysis
            .proposals
            .iter()
            .map(|proposal| json!({ "key": proposal.key, "title": proposal.title, "category": proposal.category, "figures": proposal.figures, "notes": proposal.notes }))
            .collect();
        io.out.json(&json!({
            "disabled": analysis.disabled,
            "sessions": analysis.sessions,
            "missingSessions": analysis.missing_sessions(),
            "candidates": analysis.candidates,
            "proposals": proposals,
        }))?;
        return Ok(());
    }
    print_text(&evolve::analysis_text(analysis), io)
}

fn print_run(report: &evolve::RunReport, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    if as_json {
        let skipped: Vec<Value> = report
            .skipped
            .iter()
            .map(|(title, reason)| json!({ "title": title, "reason": reason }))
            .collect();
        io.out.json(&json!({
            "disabled": report.analysis.disabled,
            "sessions": report.analysis.sessions,
            "missingSessions": report.analysis.missing_sessions(),
            "applied": report.applied,
            "drafted": report.drafted,
            "drifted": report.drifted,
            "skipped": skipped,
        }))?;
        return Ok(());
    }
    print_text(&evolve::run_text(report), io)
}

fn revert(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    id: Option<&str>,
    reason: Option<&str>,
    as_json: bool,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let now = memory.now();
    let (reverted, refused) = match id {
        Some(id) => {
            let entry = evolve::revert(evolve, memory, id, reason, now).map_err(to_user_error)?;
            (vec![entry], Vec::new())
        }
        None => evolve::revert_all(evolve, memory, reason, now).map_err(to_user_error)?,
    };
    if as_json {
        let refused: Vec<Value> =
            refused.iter().map(|(change, why)| json!({ "id": change.id, "reason": why })).collect();
        io.out.json(&json!({ "reverted": reverted, "refused": refused }))?;
    } else {
        if reverted.is_empty() && refused.is_empty() {
            writeln!(io.out, "nothing is applied")?;
        }
        for entry in &reverted {
            writeln!(io.out, "reverted: {}", one_line(&entry.title))?;
        }
        for (change, why) in &refused {
            writeln!(io.out, "not reverted: {}: {}", one_line(&change.id), one_line(why))?;
        }
    }
    Ok(if refused.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn draft_json(draft: &Draft) -> Value {
    json!({
        "id": draft.entry.id,
        "title": draft.entry.title,
        "category": draft.data().map(|data| data.category),
        "path": draft.data().map(|data| &data.path),
        "notes": draft.data().map(|data| &data.notes),
        "status": draft.status.name(),
        "figures": draft.entry.figures,
        "createdAt": draft.entry.at,
        "decidedAt": draft.decided_at,
        "reason": draft.reason,
    })
}

/// Runs `aidd draft`.
///
/// # Errors
/// Fails when the configuration is invalid, an id is unknown, or a file cannot be read or written.
pub(crate) fn run_drafts(args: &Drafts, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let environment = environment();
    let evolve = Evolve::new(&project, environment.as_deref(), "person");
    let failed = |error: EvolutionError| to_user_error(error.into());
    let store = evolve.store();
    store.recover().map_err(failed)?;
    match &args.command {
        DraftCommand::List { all } => {
            let state = store.state().map_err(failed)?;
            let drafts: Vec<&Draft> = state
                .drafts
                .values()
                .filter(|draft| *all || draft.status == DraftStatus::Pending)
                .collect();
            if args.json {
                let drafts: Vec<Value> = drafts.into_iter().map(draft_json).collect();
                io.out.json(&json!({ "drafts": drafts }))?;
            } else {
                for draft in &drafts {
                    writeln!(io.out, "{}", one_line(&draft_line(draft)))?;
                }
                if drafts.is_empty() {
                    writeln!(io.out, "no drafts")?;
                }
            }
        }
        DraftCommand::Show { id } => show(&evolve, id, args.json, io)?,
        DraftCommand::Approve { id } => {
            let mut memory = open_memory(&project, io)?;
            let now = memory.now();
            let (entry, path) =
                evolve::approve(&evolve, &mut memory, id, now).map_err(to_user_error)?;
            if args.json {
                io.out.json(&json!({ "entry": entry, "written": path }))?;
            } else {
                let (title, path) = (one_line(&entry.title), one_line(&path));
                writeln!(
                    io.out,
                    "approved: {title}\nwritten: {path}\nundo: aidd evolve revert {}",
                    entry.id
                )?;
            }
        }
        DraftCommand::Reject { id, reason } => {
            let memory = open_memory(&project, io)?;
            let entry = evolve::reject(&evolve, &memory, id, reason, memory.now())
                .map_err(to_user_error)?;
            if args.json {
                io.out.json(&json!({ "entry": entry }))?;
            } else {
                let title = one_line(&entry.title);
                writeln!(io.out, "rejected: {title}; nothing similar is drafted for 30 days")?;
            }
        }
        DraftCommand::Create { category, title, file } => {
            let path = absolute(&io.cwd, file);
            let bytes = read_regular(&path, MAX_FILE).map_err(|error| {
                UserError::new(format!("{}: {error}", file.display()))
                    .hint("pass a text file of at most 256 KiB")
            })?;
            let memory = open_memory(&project, io)?;
            let new = NewDraft {
                category: to_category(*category),
                title: title.clone(),
                name: None,
                text: String::from_utf8_lossy(&bytes).into_owned(),
                notes: Vec::new(),
                candidate: None,
            };
            let entry =
                evolve::create(&evolve, &memory, &new, memory.now()).map_err(to_user_error)?;
            if args.json {
                io.out.json(&json!({ "entry": entry }))?;
            } else {
                let data = entry.draft.as_ref();
                let path = data.map(|data| one_line(&data.path)).unwrap_or_default();
                writeln!(io.out, "{} {path}", entry.id)?;
                for note in data.into_iter().flat_map(|data| &data.notes) {
                    writeln!(io.out, "- {}", one_line(note))?;
                }
                writeln!(io.out, "next: aidd draft approve {}", entry.id)?;
            }
        }
    }
    Ok(Exit::Clean)
}

fn to_category(category: DraftCategory) -> Category {
    match category {
        DraftCategory::Rules => Category::Rules,
        DraftCategory::Knowledge => Category::Knowledge,
        DraftCategory::Skills => Category::Skills,
        DraftCategory::Workflows => Category::Workflows,
        DraftCategory::Conventions => Category::Conventions,
        DraftCategory::Settings => Category::Settings,
    }
}

fn show(evolve: &Evolve<'_>, id: &str, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    let failed = |error: EvolutionError| to_user_error(error.into());
    let state = evolve.store().state().map_err(failed)?;
    let known = state.drafts.values().map(|draft| (draft.entry.id.as_str(), draft));
    let draft = find(known, "draft", id).map_err(failed)?;
    let data = draft.data();
    let path = data.map(|data| data.path.as_str()).unwrap_or_default();
    let text = evolve.store().read(path).map_err(failed)?;
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if as_json {
        let mut value = draft_json(draft);
        value["text"] = json!(text);
        io.out.json(&value)?;
        return Ok(());
    }
    writeln!(io.out, "{}", one_line(&draft_line(draft)))?;
    writeln!(io.out, "{}", one_line(path))?;
    for note in data.into_iter().flat_map(|data| &data.notes) {
        writeln!(io.out, "- {}", one_line(note))?;
    }
    if let Some(figures) = &draft.entry.figures {
        writeln!(io.out, "- {}", one_line(&figures_line(figures)))?;
    }
    if let Some(text) = text {
        writeln!(io.out)?;
        print_text(&text, io)?;
    }
    Ok(())
}
