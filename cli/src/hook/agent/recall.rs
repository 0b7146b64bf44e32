//! The context at the start of a conversation. It is the output of the MCP tool `aidd_bootstrap`,
//! within the token budget of the configuration.

use aidd_authoring::evolve::{Evolve, summary_line};
use aidd_engine::check::Distribution;
use aidd_engine::project::config::{ContentConfig, MemoryConfig, TokenBudget};
use aidd_engine::workspace::project::Project;
use aidd_guidance::Library;
use aidd_guidance::session_start::{StartContext, render_start};
use aidd_guidance::suggestions::{self, SuggestionInput};
use aidd_memory::MemoryError;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::SessionState;
use aidd_memory::state;
use aidd_memory::times;
use aidd_pack::current;
use aidd_report::number;
use std::path::Path;

/// The guidance pages and their settings.
pub(super) struct Pages {
    library: Library,
    content: ContentConfig,
    memory: MemoryConfig,
    /// The ticket of the branch, if it has packs.
    ticket: Option<String>,
    note: Option<String>,
    project: Project,
}

/// The pages of the project at `root`, whose packs are brought up to date. If its configuration is invalid, default settings apply.
pub(super) fn pages(distribution: &'static Distribution, root: &Path) -> Pages {
    let mut note = None;
    let project = Project::open(distribution, root, None).unwrap_or_else(|error| {
        note = Some(format!("Default settings apply: {}", error.message));
        Project::unconfigured(distribution, root)
    });
    let mut content = project.config.content.clone().unwrap_or_default();
    if let Err(why) = content.set_mode(&aidd_report::settings::content_mode()) {
        note = Some(format!("Environment variable ignored: {why}."));
    }
    let memory = current::settings(&project);
    let ticket = current::keep_current(&project).unwrap_or_else(|error| {
        note = Some(format!("The memory packs were not updated: {error}."));
        None
    });
    let library = Library::load(distribution.pages, &project.disk, &content);
    Pages { library, content, memory, ticket, note, project }
}

/// First line of the context, so that the agent neither requests the same text again nor opens a
/// second session.
const INTRODUCTION: &str = "This is the output of aidd_bootstrap; do not call it again. For a task, call aidd_classify_task.";

/// The context at the start of a conversation on `branch`. A `resumed` conversation already
/// contains the rules, so the context mainly describes the state of the work.
///
/// # Errors
/// Fails when the store fails.
pub(super) fn context(
    memory: &mut ProjectMemory,
    pages: &Pages,
    root: &Path,
    session: Option<&SessionState>,
    branch: &str,
    resumed: bool,
) -> Result<String, MemoryError> {
    let mut notes = vec![INTRODUCTION.to_owned()];
    notes.extend(pages.note.clone());
    let state = state::read(memory, Some(branch), None)?;
    if let Some(session) =
        session.filter(|session| state.session.as_ref().map(|open| &open.id) != Some(&session.id))
    {
        notes.push(format!("Session of this conversation: {}", session.id));
    }
    notes.extend(memory.new_unread_notice());
    let conflicts = memory.conflicts()?.len();
    if conflicts > 0 {
        let conflicts = number(conflicts, "conflict");
        notes.push(format!("{conflicts} in memory to resolve: `aidd memory conflicts`"));
    }
    notes.extend(evolution_note(memory, &pages.project, session)?);
    let steps = suggestions::suggest(&state, &SuggestionInput::default());
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let reading = match &pages.ticket {
        Some(ticket) => current::read_chain(&pages.memory, root, ticket, &state),
        None => Vec::new(),
    };
    let start_context = StartContext {
        library: &pages.library,
        state: &state,
        next: &steps,
        project: name.as_deref().unwrap_or("project"),
        reading: &reading,
        notes: &notes,
    };
    let configured = pages.content.token_budget.unwrap_or_default();
    let budget = if resumed { TokenBudget::Minimal } else { configured };
    Ok(render_start(&start_context, budget).text)
}

/// What was applied without asking since the previous session.
fn evolution_note(
    memory: &mut ProjectMemory,
    project: &Project,
    session: Option<&SessionState>,
) -> Result<Option<String>, MemoryError> {
    let evolve = Evolve::new(project, None, "aidd");
    if !evolve.store().exists() {
        return Ok(None);
    }
    let started = |session: &SessionState| times::millis(&session.started_at);
    let current = session.map(|session| session.id.as_str());
    let previous = memory.sessions(None, None, 10)?;
    let previous = previous.iter().find(|other| Some(other.id.as_str()) != current);
    let since = previous.and_then(started).unwrap_or_default();
    Ok(summary_line(&evolve, since))
}
