//! Analysis of the recorded sessions, and what is done with its result.

use super::approve::{NewDraft, create_in, overlay_changes};
use super::proposals::{self, Proposal};
use super::{Evolve, EvolveError, convention, slug};
use aidd_engine::check::Selection;
use aidd_engine::project::config::ChangeKind;
use aidd_engine::project::overlay::Overlay;
use aidd_engine::text::finding::Severity;
use aidd_evolution::SessionRecord;
use aidd_evolution::candidates::{self, Candidate, Facts, Verdict, has_drifted};
use aidd_evolution::log::{Action, Category, DraftStatus, LogEntry, State};
use aidd_evolution::store::PENDING_PATH;
use aidd_evolution::transaction::Transaction;
use aidd_memory::project::ProjectMemory;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of drafts by aidd that wait for a decision: more are not read by anyone.
const MAX_OPEN_DRAFTS: usize = 10;

/// What the records of sessions suggest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Why nothing is proposed.
    pub disabled: Option<&'static str>,
    /// Number of recorded sessions.
    pub sessions: usize,
    /// Number of sessions that are recorded before anything is proposed.
    pub learning_period: usize,
    /// The candidates, with the decided ones first.
    pub candidates: Vec<Candidate>,
    /// Drafts that experience suggests.
    pub proposals: Vec<Proposal>,
}

impl Analysis {
    /// The analysis of a project in which no session is recorded.
    #[must_use]
    pub fn without_sessions(evolve: &Evolve<'_>) -> Self {
        Self {
            disabled: evolve.disabled(),
            learning_period: evolve.config().learning_sessions() as usize,
            ..Self::default()
        }
    }

    /// Number of sessions that are missing before anything is proposed.
    #[must_use]
    pub fn missing_sessions(&self) -> usize {
        self.learning_period.saturating_sub(self.sessions)
    }
}

/// What a run changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// What the run is based on.
    pub analysis: Analysis,
    /// Changes that were applied without asking.
    pub applied: Vec<LogEntry>,
    /// Drafts that wait for a decision of a person.
    pub drafted: Vec<LogEntry>,
    /// Applied changes that are no longer supported.
    pub drifted: Vec<LogEntry>,
    /// Candidates and proposals that are neither applied nor drafted now, and why.
    pub skipped: Vec<(String, String)>,
}

/// What was looked at before, in this checkout.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Pending {
    /// Candidates that were ever looked at, by kind.
    seen: BTreeMap<ChangeKind, BTreeSet<String>>,
    /// Candidates that are neither applied nor drafted.
    pending: Vec<Candidate>,
}

fn read_pending(evolve: &Evolve<'_>) -> Result<Pending, EvolveError> {
    let bytes = evolve.store().read(PENDING_PATH)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

/// Analyzes the recorded sessions; writes nothing.
///
/// # Errors
/// When the memory, the configuration or the files of evolution cannot be read.
pub fn analyze(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    now: i64,
) -> Result<Analysis, EvolveError> {
    Ok(analyze_with(evolve, memory, now)?.0)
}

fn analyze_with(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    now: i64,
) -> Result<(Analysis, Facts), EvolveError> {
    let config = evolve.config();
    let mut analysis = Analysis::without_sessions(evolve);
    let mut facts = Facts { seen: read_pending(evolve)?.seen, ..Facts::default() };
    if analysis.disabled.is_some() {
        return Ok((analysis, facts));
    }
    let records = memory.session_records()?;
    analysis.sessions = records.len();
    if analysis.missing_sessions() > 0 {
        return Ok((analysis, facts));
    }
    facts.raisable = raisable(evolve, &records)?;
    analysis.candidates = candidates::analyze(&records, &mut facts, &config, now);
    analysis.proposals = proposals::all(evolve, memory, &records, now)?;
    Ok((analysis, facts))
}

/// The recorded rules whose severity can be raised by one step.
fn raisable(
    evolve: &Evolve<'_>,
    records: &[SessionRecord],
) -> Result<BTreeMap<String, String>, EvolveError> {
    let engine = evolve.project.engine(&Selection::default())?;
    let settings = engine.settings("");
    let raised = &evolve.project.config.raised;
    let rules: BTreeSet<&String> = records.iter().flat_map(|record| record.rules.keys()).collect();
    let step = |rule: &&String| {
        let setting = settings.get(rule.as_str())?;
        if setting.is_configured || raised.contains(*rule) {
            return None;
        }
        match setting.severity? {
            Severity::Info => Some("warning"),
            Severity::Warning => Some("error"),
            Severity::Error => None,
        }
    };
    let found = rules.into_iter().filter_map(|rule| Some((rule.clone(), step(&rule)?.to_owned())));
    Ok(found.collect())
}

/// The overlay of a candidate; `None` if it consists of words.
fn overlay_of(candidate: &Candidate, facts: &Facts) -> Option<Overlay> {
    let mut overlay = Overlay::default();
    let (task, subject) = (candidate.task.as_str(), candidate.subject.as_str());
    match candidate.kind {
        ChangeKind::RoutingWeight => overlay.set("routing", task, Some(subject)),
        ChangeKind::ModelRecommendation => overlay.set("models", task, Some(subject)),
        ChangeKind::KnowledgePromotion => overlay.set("knowledge", subject, Some(task)),
        ChangeKind::RuleSeverity => {
            overlay.set("severities", subject, Some(facts.raisable.get(subject)?));
        }
        ChangeKind::SkillCombo | ChangeKind::CompoundWorkflow | ChangeKind::NewConvention => {
            return None;
        }
    }
    Some(overlay)
}

/// Analyzes the recorded sessions, drafts what they suggest and applies what is configured to be
/// applied without asking.
///
/// # Errors
/// When the memory, the configuration or the files of evolution cannot be read or written.
pub fn run(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    now: i64,
) -> Result<RunReport, EvolveError> {
    let (analysis, facts) = analyze_with(evolve, memory, now)?;
    let mut report = RunReport { analysis, ..RunReport::default() };
    if report.analysis.disabled.is_some() || report.analysis.missing_sessions() > 0 {
        return Ok(report);
    }
    let mut transaction = evolve.store().begin()?;
    let candidates = report.analysis.candidates.clone();
    for candidate in &candidates {
        let state = transaction.state();
        if let Some(change) = drifted(candidate, &state, evolve) {
            let mut entry = LogEntry::new(Action::Drift, &change.title, now, evolve.actor);
            entry.target = Some(change.id.clone());
            entry.kind = change.kind;
            entry.figures = Some(candidate.figures.clone());
            report.drifted.push(transaction.commit(entry, Vec::new())?);
            continue;
        }
        if candidate.verdict == Verdict::Pending || state.has_applied(&candidate.id) {
            continue;
        }
        if candidate.verdict == Verdict::Apply
            && let Some(wanted) = overlay_of(candidate, &facts)
        {
            apply(evolve, candidate, &wanted, &mut transaction, now, &mut report)?;
            continue;
        }
        if state.has(&candidate.id) {
            continue;
        }
        let new = draft_of(candidate, &facts);
        draft(evolve, memory, &mut transaction, &new, now, &mut report)?;
    }
    for proposal in report.analysis.proposals.clone() {
        if transaction.state().has(&proposal.key) {
            continue;
        }
        let new = NewDraft {
            category: proposal.category,
            title: proposal.title,
            name: Some(proposal.name),
            text: proposal.text,
            notes: proposal.notes,
            candidate: Some((proposal.key, proposal.kind, proposal.figures)),
        };
        draft(evolve, memory, &mut transaction, &new, now, &mut report)?;
    }
    let open = |candidate: &Candidate| candidate.verdict == Verdict::Pending;
    let pending =
        Pending { seen: facts.seen, pending: candidates.into_iter().filter(open).collect() };
    let text = serde_json::to_string_pretty(&pending).unwrap_or_default();
    evolve.store().write(PENDING_PATH, Some(text.as_bytes()))?;
    Ok(report)
}

/// Applies a candidate, unless a person rejected a similar draft. A draft of the same candidate is
/// removed.
fn apply(
    evolve: &Evolve<'_>,
    candidate: &Candidate,
    wanted: &Overlay,
    transaction: &mut Transaction,
    now: i64,
    report: &mut RunReport,
) -> Result<(), EvolveError> {
    let state = transaction.state();
    if let Some(draft) = state.silenced_by(&candidate.title, now) {
        let why = format!("a similar draft was rejected: {}", draft.entry.id);
        report.skipped.push((candidate.title.clone(), why));
        return Ok(());
    }
    transaction.check_overlay(&state)?;
    let mut entry = LogEntry::new(Action::Apply, &candidate.title, now, evolve.actor);
    entry.kind = Some(candidate.kind);
    entry.candidate = Some(candidate.id.clone());
    entry.figures = Some(candidate.figures.clone());
    entry.overlay = overlay_changes(&state.overlay, wanted);
    if entry.overlay.is_empty() {
        return Ok(());
    }
    let draft = state.pending_draft(&candidate.id);
    entry.target = draft.map(|draft| draft.entry.id.clone());
    let file = draft.and_then(|draft| draft.data()).map(|data| (data.path.clone(), None));
    report.applied.push(transaction.commit(entry, file.into_iter().collect())?);
    Ok(())
}

/// Creates a draft, unless too many drafts wait already or it is refused.
fn draft(
    evolve: &Evolve<'_>,
    memory: &ProjectMemory,
    transaction: &mut Transaction,
    new: &NewDraft,
    now: i64,
    report: &mut RunReport,
) -> Result<(), EvolveError> {
    let state = transaction.state();
    let is_open = |status: DraftStatus| status == DraftStatus::Pending;
    let open = state.drafts.values().filter(|draft| is_open(draft.status)).count();
    if open >= MAX_OPEN_DRAFTS {
        let why = format!("{open} drafts wait for a decision; decide on them first");
        report.skipped.push((new.title.clone(), why));
        return Ok(());
    }
    match create_in(evolve, memory, transaction, new, now) {
        Ok(entry) => report.drafted.push(entry),
        Err(EvolveError::Refused(why)) => report.skipped.push((new.title.clone(), why)),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The applied change of a candidate that its figures no longer support.
fn drifted(candidate: &Candidate, state: &State, evolve: &Evolve<'_>) -> Option<LogEntry> {
    let is_same = |entry: &&LogEntry| entry.candidate.as_deref() == Some(candidate.id.as_str());
    let change = state.applied.iter().find(is_same)?;
    (has_drifted(&candidate.figures, &evolve.config()) && !state.drifted.contains(&change.id))
        .then(|| change.clone())
}

/// The draft of a candidate.
fn draft_of(candidate: &Candidate, facts: &Facts) -> NewDraft {
    let name = format!("{}-{}", candidate.kind.name(), slug(&candidate.subject));
    let (category, text) = match overlay_of(candidate, facts) {
        Some(overlay) => {
            let mut sections = serde_json::to_value(&overlay).unwrap_or_default();
            if let Some(sections) = sections.as_object_mut() {
                sections
                    .retain(|_, section| section.as_object().is_some_and(|map| !map.is_empty()));
            }
            let patch = serde_json::json!({ "overlay": sections });
            let text = serde_json::to_string_pretty(&patch).unwrap_or_default();
            (Category::Settings, format!("{text}\n"))
        }
        None if candidate.kind == ChangeKind::CompoundWorkflow => {
            (Category::Workflows, workflow(candidate, &name))
        }
        None => (Category::Conventions, format!("{}\n", capitalized(&candidate.title))),
    };
    NewDraft {
        category,
        title: candidate.title.clone(),
        name: Some(name),
        text,
        notes: Vec::new(),
        candidate: Some((candidate.id.clone(), candidate.kind, candidate.figures.clone())),
    }
}

fn capitalized(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn workflow(candidate: &Candidate, name: &str) -> String {
    let steps: Vec<String> = candidate
        .subject
        .split(" → ")
        .enumerate()
        .map(|(at, tool)| format!("{}. Call `{tool}`.", at + 1))
        .collect();
    format!(
        "---\nname: {name}\ndescription: {}\n---\n# {}\n\n## Steps\n\n{}\n",
        candidate.subject.replace(" → ", ", then "),
        capitalized(&candidate.title),
        steps.join("\n")
    )
}

/// Reverts an applied or approved change.
///
/// # Errors
/// When there is no such change, a file was edited since, or a file cannot be written.
pub fn revert(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    id: &str,
    reason: Option<&str>,
    now: i64,
) -> Result<LogEntry, EvolveError> {
    let mut transaction = evolve.store().begin()?;
    revert_in(evolve, memory, &mut transaction, id, reason, now)
}

fn revert_in(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    transaction: &mut Transaction,
    id: &str,
    reason: Option<&str>,
    now: i64,
) -> Result<LogEntry, EvolveError> {
    let reason = reason.map(|reason| memory.clean_text(reason)).transpose()?;
    let change = transaction.applied(id)?;
    let lines = convention::to_take_back(evolve, memory, &change)?;
    // Another process must not append between the reading and the replacing of the file.
    let _lock = lines.is_some().then(|| memory.journal().lock()).transpose()?;
    Ok(transaction.revert(&change, now, (evolve.actor, reason), lines.as_slice())?)
}

/// A change that cannot be reverted, and the reason.
type Refused = (LogEntry, String);

/// Reverts all changes, the newest first. Returns the entries, and the changes that cannot be reverted
/// with the reason.
///
/// # Errors
/// When a file of evolution cannot be read or written.
pub fn revert_all(
    evolve: &Evolve<'_>,
    memory: &mut ProjectMemory,
    reason: Option<&str>,
    now: i64,
) -> Result<(Vec<LogEntry>, Vec<Refused>), EvolveError> {
    let mut transaction = evolve.store().begin()?;
    let (mut reverted, mut refused) = (Vec::new(), Vec::new());
    for change in transaction.state().applied.into_iter().rev() {
        match revert_in(evolve, memory, &mut transaction, &change.id, reason, now) {
            Ok(entry) => reverted.push(entry),
            Err(error) => refused.push((change, error.to_string())),
        }
    }
    Ok((reverted, refused))
}
