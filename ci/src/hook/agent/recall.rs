//! What an agent is told when a conversation begins: what the tool of the agent door tells at a
//! start, within the budget of the configuration.

use crate::report::number;
use aidd_engine::config::ContentConfig;
use aidd_engine::guidance::next::{self, Asked};
use aidd_engine::guidance::start::{Told, start};
use aidd_engine::guidance::{Library, state};
use aidd_engine::memory::MemoryError;
use aidd_engine::memory::kinds::{self, Checkpoint};
use aidd_engine::memory::project::ProjectMemory;
use aidd_engine::memory::records::SessionState;
use aidd_engine::project::Project;
use serde_json::Value;
use std::path::Path;

/// The pages that guide an agent, and how much of them it is told.
pub(super) struct Pages {
    library: Library,
    content: ContentConfig,
    note: Option<String>,
}

/// The pages of the project at `root`; under the default settings where its own do not hold.
pub(super) fn pages(root: &Path) -> Pages {
    let mut note = None;
    let project = Project::open(root, None).unwrap_or_else(|error| {
        note = Some(format!("The default settings apply: {}", error.message));
        Project::unconfigured(root)
    });
    let mut content = project.config.content.clone().unwrap_or_default();
    if let Err(why) = content.set_mode(&crate::settings::content_mode()) {
        note = Some(format!("The variable is passed over: {why}."));
    }
    Pages { library: Library::load(&project.disk, &content), content, note }
}

/// What to tell at the beginning of a conversation on `branch`.
///
/// # Errors
/// When the store does not answer.
pub(super) fn context(
    memory: &mut ProjectMemory,
    pages: &Pages,
    root: &Path,
    session: Option<&SessionState>,
    branch: &str,
) -> Result<String, MemoryError> {
    let mut notes: Vec<String> = pages.note.iter().cloned().collect();
    let state = state::read(memory, Some(branch), None)?;
    if let Some(own) =
        session.filter(|own| state.session.as_ref().map(|open| &open.id) != Some(&own.id))
    {
        notes.push(format!("Session of this conversation: {}", own.id));
    }
    if let Some(entry) = &state.checkpoint {
        let body: Checkpoint = kinds::typed(&entry.metadata).unwrap_or_default();
        if let Some(steps) = body.next_steps.as_ref().and_then(steps) {
            notes.push(format!("Next, by the last checkpoint: {steps}"));
        }
        if !body.open_files.is_empty() {
            notes.push(format!("Files at hand then: {}", body.open_files.join(", ")));
        }
    }
    let conflicts = memory.conflicts()?.len();
    if conflicts > 0 {
        let conflicts = number(conflicts, "conflict");
        notes.push(format!("{conflicts} in memory to settle: `aidd memory conflicts`"));
    }
    let steps = next::suggest(&state, &Asked::default());
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let told = Told {
        library: &pages.library,
        state: &state,
        next: &steps,
        project: name.as_deref().unwrap_or("project"),
        notes: &notes,
    };
    Ok(start(&told, pages.content.token_budget.unwrap_or_default()).text)
}

fn steps(steps: &Value) -> Option<String> {
    match steps {
        Value::String(text) => Some(text.clone()),
        Value::Array(steps) => {
            let steps: Vec<&str> = steps.iter().filter_map(Value::as_str).collect();
            (!steps.is_empty()).then(|| steps.join("; "))
        }
        _ => None,
    }
}
