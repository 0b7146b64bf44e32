//! Diagnosis of errors: message, frames, and similar known mistakes.

use super::render::{Row, cap_limit, parse_confidence};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_memory::diagnose::{Diagnosis, ErrorText, Frame, Match};
use aidd_memory::types::Layer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt::Write as _;

/// Maximum number of frames in an answer; frames in project files come first.
const MAX_FRAMES: usize = 12;
/// The category of an unclassified error.
const UNKNOWN: &str = "unknown";
/// Default minimum similarity of a mistake.
const DEFAULT_THRESHOLD: f64 = 0.3;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_diagnose_error",
            "Diagnose error",
            "Finds the code of a stack trace, and past mistakes similar to an error message, with \
             their fixes. Use before a fix; use aidd_memory_add_mistake afterwards.",
            diagnose,
        )
        .in_profiles(&[Profile::Memory, Profile::Lean]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct DiagnoseParams {
    error: String,
    limit: Option<i64>,
    /// Minimum similarity from 0 to 1; default: 0.3
    threshold: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Diagnosed {
    #[schemars(skip)]
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[schemars(skip)]
    category: Row,
    /// The stack frames and the path of the primary file.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_trace: Option<Row>,
    matches: Vec<Row>,
    #[schemars(skip)]
    total_matches: usize,
    #[schemars(skip)]
    permanent_memory_matches: usize,
    #[schemars(skip)]
    observation_matches: usize,
}

fn diagnose(context: &Context, params: DiagnoseParams) -> Result<Answer<Diagnosed>, ToolError> {
    let (limit, note) = cap_limit("limit", params.limit, 5, 20);
    let threshold = parse_confidence("threshold", params.threshold)?.unwrap_or(DEFAULT_THRESHOLD);
    let found = context.memory(|memory| memory.diagnose(&params.error, threshold, limit))?;
    let mut text = render(&found);
    if let Some(note) = note {
        let _ = write!(text, "\nnote: {note}");
    }
    let observed = found.matches.iter().filter(|similar| similar.layer == Layer::Session).count();
    let category = &found.category;
    let data = Diagnosed {
        message: found.trace.raised.line(),
        cause: found.trace.cause.as_ref().map(ErrorText::line),
        language: found.trace.language,
        category: Row::from_value(json!({
            "category": category.name,
            "confidence": rounded(category.confidence),
            "suggestion": category.suggestion,
        })),
        stack_trace: trace(&found),
        matches: found.matches.iter().map(row).collect(),
        total_matches: found.matched,
        permanent_memory_matches: found.matches.len() - observed,
        observation_matches: observed,
    };
    Ok(Answer::new(data, text))
}

fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

/// The frames to show: project frames first, in order.
fn visible_frames(found: &Diagnosis) -> Vec<&Frame> {
    let (project_frames, other_frames): (Vec<&Frame>, Vec<&Frame>) =
        found.trace.frames.iter().partition(|frame| frame.project_path.is_some());
    project_frames.into_iter().chain(other_frames).take(MAX_FRAMES).collect()
}

/// Locations in project files, the primary location first.
fn project_locations(found: &Diagnosis) -> impl Iterator<Item = String> {
    let location = |frame: &Frame| {
        let path = frame.project_path.as_ref()?;
        Some(match frame.line {
            Some(line) => format!("{path}:{line}"),
            None => path.clone(),
        })
    };
    let first = found.primary.as_ref().and_then(location);
    let all = found.trace.frames.iter().filter_map(location);
    let mut locations: Vec<String> = first.into_iter().collect();
    for location in all {
        if !locations.contains(&location) {
            locations.push(location);
        }
    }
    locations.into_iter()
}

fn trace(found: &Diagnosis) -> Option<Row> {
    if found.trace.frames.is_empty() {
        return None;
    }
    let frames: Vec<Row> = visible_frames(found)
        .into_iter()
        .map(|frame| {
            let mut row = Row::from_value(json!({
                "file": frame.project_path.as_ref().unwrap_or(&frame.file),
                "own": frame.project_path.is_some(),
            }));
            for (name, value) in [
                ("line", frame.line.map(|line| json!(line))),
                ("column", frame.column.map(|column| json!(column))),
                ("functionName", frame.function.as_ref().map(|name| json!(name))),
            ] {
                if let Some(value) = value {
                    row.0.insert(name.to_owned(), value);
                }
            }
            row
        })
        .collect();
    let primary = found.primary.as_ref().and_then(|frame| frame.project_path.clone());
    let module = primary.as_ref().and_then(|file| file.rsplit_once('/').map(|(folder, _)| folder));
    let mut row =
        Row::from_value(json!({"frames": frames, "totalFrames": found.trace.frames.len()}));
    if let Some(file) = &primary {
        row.0.insert("primaryFile".to_owned(), json!(file));
        row.0.insert("primaryModule".to_owned(), json!(module));
    }
    Some(row)
}

fn row(mistake: &Match) -> Row {
    let mut row = Row::from_value(json!({
        "id": mistake.id, "error": mistake.error, "similarity": rounded(mistake.similarity),
        "occurrences": mistake.occurrences, "category": mistake.category,
    }));
    for (name, text) in [
        ("rootCause", &mistake.root_cause),
        ("fix", &mistake.fix),
        ("prevention", &mistake.prevention),
    ] {
        if !text.is_empty() {
            row.0.insert(name.to_owned(), json!(text));
        }
    }
    if !mistake.files.is_empty() {
        row.0.insert("files".to_owned(), json!(mistake.files));
    }
    row
}

fn render(found: &Diagnosis) -> String {
    let trace = &found.trace;
    let mut text = format!("{} ({})", trace.headline().line(), found.category.name);
    match &trace.cause {
        Some(_) if trace.is_cause_declared => {
            let _ = write!(text, "\nraised as: {}", trace.raised.line());
        }
        Some(handled) => {
            let _ = write!(text, "\nwhile handling: {}", handled.line());
        }
        None => {}
    }
    match &found.primary {
        Some(frame) => {
            let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
            let function = frame.function.as_deref().unwrap_or("");
            let file = frame.project_path.as_deref().unwrap_or(&frame.file);
            let _ = write!(text, "\nin {file}{line} {function}");
            let others: Vec<String> =
                project_locations(found).skip(1).take(MAX_FRAMES - 1).collect();
            if !others.is_empty() {
                let _ = write!(text, "\nvia {}", others.join(", "));
            }
        }
        None if trace.frames.is_empty() => {}
        None => text.push_str("\nno frame in a project file"),
    }
    // Omit the generic advice for an unknown category if a location is known.
    if found.primary.is_none() || found.category.name != UNKNOWN {
        let _ = write!(text, "\n{}", found.category.suggestion);
    }
    if found.matches.is_empty() {
        let _ = write!(text, "\nNone of {} known mistakes is similar.", found.known);
    } else {
        let _ = write!(text, "\n{} of {} known mistakes are similar:", found.matched, found.known);
    }
    for mistake in &found.matches {
        let _ = write!(
            text,
            "\n{:.0} % {} ({}x) {}",
            mistake.similarity * 100.0,
            mistake.id,
            mistake.occurrences,
            mistake.error
        );
        for (name, value) in [
            ("cause", &mistake.root_cause),
            ("fix", &mistake.fix),
            ("prevention", &mistake.prevention),
        ] {
            if !value.is_empty() {
                let _ = write!(text, "\n  {name}: {value}");
            }
        }
    }
    if trace.is_truncated {
        text.push_str("\nnote: the text is too long; parts of it were skipped");
    }
    text
}
