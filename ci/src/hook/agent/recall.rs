//! What an agent is told when a conversation begins: what the project remembers, the weightiest
//! first, within a budget that every conversation pays.

use crate::report::{number, one_line};
use aidd_engine::memory::MemoryError;
use aidd_engine::memory::kinds::{self, Checkpoint, Convention, Decision, Mistake};
use aidd_engine::memory::project::ProjectMemory;
use aidd_engine::memory::records::SessionState;
use aidd_engine::memory::store::{Order, Query};
use aidd_engine::memory::times::{day, millis};
use aidd_engine::memory::types::{Entry, Kind, Layer};
use serde_json::Value;

/// Most bytes in all: some 1,200 tokens, at four bytes each.
const BUDGET: usize = 4800;
/// Most characters of a line.
const LINE: usize = 240;
/// At most so many memories of a type are looked at.
const LOOKED_AT: usize = 200;

/// A heading, its lines, and how many bytes of the budget they may take.
struct Section {
    heading: String,
    lines: Vec<String>,
    most: usize,
}

/// What to tell at the beginning of a conversation on `branch`.
///
/// # Errors
/// When the store does not answer.
pub(super) fn context(
    memory: &mut ProjectMemory,
    session: Option<&SessionState>,
    branch: &str,
) -> Result<String, MemoryError> {
    let sections = [
        standing(memory, session, branch)?,
        decisions(memory)?,
        hazards(memory)?,
        conventions(memory)?,
    ];
    let mut text = String::from("aidd keeps this project's memory and checks its files.");
    if let Some(session) = session {
        text.push_str(&format!(
            " Session {} on {branch} is open: add to it with aidd_session (action update).",
            session.id
        ));
    }
    let conflicts = memory.conflicts()?.len();
    if conflicts > 0 {
        let conflicts = number(conflicts, "conflict");
        text.push_str(&format!(" {conflicts} in memory to settle: `aidd memory conflicts`."));
    }
    let is_bare = sections.iter().all(|section| section.lines.is_empty());
    for section in sections.into_iter().filter(|section| !section.lines.is_empty()) {
        put(&mut text, section);
    }
    text.push_str(if is_bare {
        "\nNothing is remembered here yet: keep what is decided with save_decision."
    } else {
        "\naidd_memory_search finds the rest; save_decision keeps what is decided."
    });
    Ok(text)
}

/// Adds the lines that fit, and says how many do not.
fn put(text: &mut String, section: Section) {
    let most = section.most.min(BUDGET.saturating_sub(text.len() + section.heading.len()));
    let (mut used, mut shown) = (0, 0);
    let mut lines = String::new();
    for line in &section.lines {
        let line = cut(&one_line(line));
        if used + line.len() + 3 > most {
            break;
        }
        used += line.len() + 3;
        shown += 1;
        lines.push_str("\n- ");
        lines.push_str(&line);
    }
    if shown > 0 {
        text.push_str(&format!("\n\n{}:{lines}", section.heading));
        let left = section.lines.len() - shown;
        if left > 0 {
            text.push_str(&format!("\n- … {left} more"));
        }
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE) {
        None => line.trim().to_owned(),
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

/// Where work stands: the last checkpoint, what is pending, sessions that were not ended.
fn standing(
    memory: &mut ProjectMemory,
    session: Option<&SessionState>,
    branch: &str,
) -> Result<Section, MemoryError> {
    let mut lines = Vec::new();
    if let Some(entry) = memory.last_checkpoint(Some(branch))? {
        lines.push(format!("{} checkpoint: {}", day(entry.updated_at), entry.content));
        let body: Checkpoint = kinds::typed(&entry.metadata).unwrap_or_default();
        if let Some(steps) = body.next_steps.as_ref().and_then(steps) {
            lines.push(format!("next: {steps}"));
        }
        if !body.open_files.is_empty() {
            lines.push(format!("open files: {}", body.open_files.join(", ")));
        }
    }
    // Of a branch that nothing is known of, nothing is pending.
    let mut pending = memory.branch(branch).map(|known| known.pending_tasks).unwrap_or_default();
    let own = session.map(|session| session.id.as_str());
    for open in memory.sessions(Some(branch), Some(false), 5)? {
        let is_own = own == Some(open.id.as_str());
        if !is_own && !(open.tasks_pending.is_empty() && open.name.is_none()) {
            let began = millis(&open.started_at).map(day).unwrap_or_default();
            let name = open.name.unwrap_or_default();
            lines.push(format!("{began} session not ended: {} {name}", open.id));
        }
        pending.extend(open.tasks_pending);
    }
    let mut seen: Vec<String> = Vec::new();
    for task in pending {
        if !seen.contains(&task) {
            seen.push(task);
        }
    }
    lines.extend(seen.into_iter().map(|task| format!("pending: {task}")));
    Ok(Section { heading: format!("Where work stands on {branch}"), lines, most: 1400 })
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

/// The team's memories of a type that hold, the newest first.
fn newest(memory: &mut ProjectMemory, kind: Kind) -> Result<Vec<Entry>, MemoryError> {
    let query = Query {
        layers: vec![Layer::Permanent],
        order: Order::Newest,
        limit: Some(LOOKED_AT),
        ..Query::active(kind)
    };
    memory.read(&mut |store| store.entries(&query))
}

fn decisions(memory: &mut ProjectMemory) -> Result<Section, MemoryError> {
    let mut lines = Vec::new();
    for entry in newest(memory, Kind::Decision)? {
        let body: Decision = kinds::typed(&entry.metadata).unwrap_or_default();
        let topic = entry.topic.as_ref().map(|topic| format!("{topic}: ")).unwrap_or_default();
        let outcome = body.outcome.map(|outcome| format!(" [{outcome}]")).unwrap_or_default();
        lines.push(format!("{topic}{}{outcome} ({})", entry.title(160), entry.id));
    }
    Ok(Section { heading: "Decisions that hold".to_owned(), lines, most: 1600 })
}

/// Mistakes that were made here, those that came back first.
fn hazards(memory: &mut ProjectMemory) -> Result<Section, MemoryError> {
    let mut mistakes: Vec<(Entry, Mistake)> = Vec::new();
    for entry in newest(memory, Kind::Mistake)? {
        let body = kinds::typed(&entry.metadata).unwrap_or_default();
        mistakes.push((entry, body));
    }
    mistakes.sort_by_key(|(_, body)| std::cmp::Reverse(body.occurrences.unwrap_or(1)));
    let line = |(entry, body): (Entry, Mistake)| {
        let cure = if body.prevention.is_empty() { body.fix } else { body.prevention };
        let cure = if cure.is_empty() { String::new() } else { format!(" → {cure}") };
        let times = body.occurrences.filter(|times| *times > 1);
        let times = times.map(|times| format!(" ({times} times)")).unwrap_or_default();
        format!("{}{times}{cure}", entry.title(120))
    };
    let lines = mistakes.into_iter().map(line).collect();
    Ok(Section { heading: "Hazards: mistakes made here".to_owned(), lines, most: 900 })
}

fn conventions(memory: &mut ProjectMemory) -> Result<Section, MemoryError> {
    let mut lines = Vec::new();
    for entry in newest(memory, Kind::Convention)? {
        let body: Convention = kinds::typed(&entry.metadata).unwrap_or_default();
        let category = body.category.map(|category| format!("{category}: ")).unwrap_or_default();
        lines.push(format!("{category}{}", entry.title(200)));
    }
    Ok(Section { heading: "Conventions".to_owned(), lines, most: 900 })
}
