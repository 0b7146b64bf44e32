//! Text on evolution for people and agents.

use super::{Analysis, Evolve, EvolveError, RunReport};
use aidd_engine::project::overlay::OVERLAY_PATH;
use aidd_evolution::candidates::Verdict;
use aidd_evolution::log::{Action, Category, Draft, DraftStatus, Figures, LogEntry};
use aidd_memory::times;
use std::fmt::Write as _;

/// Number of actions in the overview.
const RECENT: usize = 10;
/// Number of candidates that are listed.
const MAX_CANDIDATES: usize = 30;

/// A probability as a whole percentage. 100 is reserved for certainty.
fn percent(value: f64) -> String {
    let rounded = (value * 100.0).round();
    if rounded >= 100.0 && value < 1.0 { ">99 %".to_owned() } else { format!("{rounded:.0} %") }
}

/// Figures in a few words; empty if there are none.
#[must_use]
pub fn figures_line(figures: &Figures) -> String {
    let mut parts = Vec::new();
    if let Some(confidence) = figures.confidence {
        parts.push(format!("confidence {}", percent(confidence)));
    }
    if let (Some(with), Some(without)) = (figures.share_with, figures.share_without) {
        parts.push(format!(
            "{} of {} sessions with it, {} of {} without",
            percent(with),
            figures.sessions_with,
            percent(without),
            figures.sessions_without
        ));
    } else if figures.sessions_with > 0 {
        parts.push(format!("n = {}", figures.sessions_with));
    }
    if let (Some(evidence), Some(required)) = (figures.evidence, figures.required) {
        parts.push(format!("evidence {evidence:.0} of {required:.0}"));
    }
    parts.join("; ")
}

/// A draft in one line.
#[must_use]
pub fn draft_line(draft: &Draft) -> String {
    let category = draft.data().map_or("", |data| Category::name(data.category));
    let figures = draft.entry.figures.as_ref().map(figures_line).unwrap_or_default();
    let figures = if figures.is_empty() { figures } else { format!(" ({figures})") };
    let status = match draft.status {
        DraftStatus::Pending => String::new(),
        status => format!(" [{}]", status.name()),
    };
    format!("{} {category}: {}{figures}{status}", draft.entry.id, draft.entry.title)
}

/// A line of the log for people.
#[must_use]
pub fn log_line(entry: &LogEntry) -> String {
    let what = match entry.action {
        Action::Apply => "applied",
        Action::Draft => "drafted",
        Action::Approve => "approved",
        Action::Reject => "rejected",
        Action::Revert => "reverted",
        Action::Drift => "no longer supported",
    };
    let reason = entry.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{} {} {what}: {}{reason}", times::day(entry.at), entry.id, entry.title)
}

/// The state of evolution in a project.
///
/// # Errors
/// When the files of evolution cannot be read.
pub fn overview(evolve: &Evolve<'_>) -> Result<String, EvolveError> {
    let config = evolve.config();
    let store = evolve.store();
    store.recover()?;
    let (entries, unread) = store.entries()?;
    let state = aidd_evolution::log::State::new(&entries);
    let mut text = String::new();
    match evolve.disabled() {
        Some(why) => {
            let _ = writeln!(text, "off: {why}; what is applied remains");
        }
        None => match config.applies_above() {
            Some(limit) => {
                let _ = writeln!(
                    text,
                    "on: changes above {} confidence with {} or more sessions and enough evidence \
                     are applied without asking; others are drafted",
                    percent(limit),
                    config.apply_sessions()
                );
            }
            None => text.push_str(
                "on: changes are drafted for a person; nothing is applied without asking, unless \
                 `evolution.autoApply` is set\n",
            ),
        },
    }
    let pending: Vec<&Draft> =
        state.drafts.values().filter(|draft| draft.status == DraftStatus::Pending).collect();
    let _ = writeln!(text, "applied: {}; drafts to decide: {}", state.applied.len(), pending.len());
    for change in &state.applied {
        let drifted = if state.drifted.contains(&change.id) {
            " [no longer supported: revert it]"
        } else {
            ""
        };
        let _ = writeln!(text, "- {} {}{drifted}", change.id, change.title);
    }
    for draft in pending {
        let _ = writeln!(text, "- {}", draft_line(draft));
    }
    for (one, other) in &state.conflicts {
        let _ = writeln!(text, "- {one} and {other} set the same value; the later one holds");
    }
    if unread > 0 {
        let _ = writeln!(text, "unreadable lines in the log: {unread}");
    }
    if !entries.is_empty() {
        text.push_str("recent:\n");
        for entry in entries.iter().rev().take(RECENT) {
            let _ = writeln!(text, "- {}", log_line(entry));
        }
    }
    Ok(text)
}

/// What an analysis suggests.
#[must_use]
pub fn analysis_text(analysis: &Analysis) -> String {
    let mut text = String::new();
    if let Some(why) = analysis.disabled {
        return format!("off: {why}\n");
    }
    if analysis.missing_sessions() > 0 {
        return format!(
            "learning: {} of {} sessions are recorded; nothing is proposed before that\n",
            analysis.sessions, analysis.learning_period
        );
    }
    let _ = writeln!(
        text,
        "{} sessions, {} candidates, {} proposals",
        analysis.sessions,
        analysis.candidates.len(),
        analysis.proposals.len()
    );
    for proposal in &analysis.proposals {
        let _ = writeln!(text, "- draft {}: {}", proposal.category.name(), proposal.title);
    }
    for candidate in analysis.candidates.iter().take(MAX_CANDIDATES) {
        let verdict = match candidate.verdict {
            Verdict::Apply => "apply",
            Verdict::Draft => "draft",
            Verdict::Pending => "pending",
        };
        let figures = figures_line(&candidate.figures);
        let _ = writeln!(text, "- {verdict}: {} ({figures})", candidate.title);
    }
    let omitted = analysis.candidates.len().saturating_sub(MAX_CANDIDATES);
    if omitted > 0 {
        let _ = writeln!(text, "{omitted} more candidates with less confidence");
    }
    text
}

/// What a run changed.
#[must_use]
pub fn run_text(report: &RunReport) -> String {
    let analysis = &report.analysis;
    if analysis.disabled.is_some() || analysis.missing_sessions() > 0 {
        return analysis_text(analysis);
    }
    let mut text = format!(
        "{} sessions: {} applied, {} drafted, {} no longer supported, {} skipped\n",
        analysis.sessions,
        report.applied.len(),
        report.drafted.len(),
        report.drifted.len(),
        report.skipped.len()
    );
    for entry in report.applied.iter().chain(&report.drafted).chain(&report.drifted) {
        let _ = writeln!(text, "- {}", log_line(entry));
    }
    for (title, why) in &report.skipped {
        let _ = writeln!(text, "- skipped: {title}: {why}");
    }
    text
}

/// A change or draft with its figures, changes and history.
#[must_use]
pub fn review_text(entry: &LogEntry, history: &[&LogEntry]) -> String {
    let mut text = format!("{}\n", log_line(entry));
    if let Some(figures) = entry.figures.as_ref().map(figures_line).filter(|line| !line.is_empty())
    {
        let _ = writeln!(text, "figures: {figures}");
    }
    for note in entry.draft.iter().flat_map(|draft| &draft.notes) {
        let _ = writeln!(text, "- {note}");
    }
    for change in &entry.overlay {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        let _ = writeln!(
            text,
            "{OVERLAY_PATH}: {} of `{}`: {} → {}",
            change.section,
            change.key,
            value(&change.before),
            value(&change.after)
        );
    }
    for file in &entry.files {
        let what = match (&file.before, &file.after) {
            _ if file.added.is_some() => "a line added",
            _ if file.removed.is_some() => "a line removed",
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        };
        let _ = writeln!(text, "{}: {what}", file.path);
    }
    if let Some(memory) = &entry.memory {
        let _ = writeln!(text, "memory: {memory}");
    }
    if !entry.patch.is_empty() {
        let _ = writeln!(text, "patch {}, by {}", entry.patch, entry.actor);
    }
    if !history.is_empty() {
        text.push_str("history:\n");
        for other in history {
            let _ = writeln!(text, "- {}", log_line(other));
        }
    }
    text
}

/// What was applied without asking since `since`, in one line; `None` if nothing was.
#[must_use]
pub fn summary_line(evolve: &Evolve<'_>, since: i64) -> Option<String> {
    let store = evolve.store();
    if !store.exists() {
        return None;
    }
    store.recover().ok()?;
    let state = store.state().ok()?;
    let new: Vec<&LogEntry> = state
        .applied
        .iter()
        .filter(|change| change.action == Action::Apply && change.at > since)
        .collect();
    let last = new.last()?;
    let noun = if new.len() == 1 { "change" } else { "changes" };
    Some(format!(
        "{} {noun} applied since the last session: {}; undo: aidd evolve revert {}",
        new.len(),
        new.iter().map(|change| change.title.as_str()).collect::<Vec<_>>().join("; "),
        last.id
    ))
}
