//! Changes that follow from recorded sessions, and drafts.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Choice, Tool, ToolError};
use aidd_authoring::evolve::{
    self, Evolve, EvolveError, NewDraft, analysis_text, draft_line, overview, review_text,
};
use aidd_evolution::EvolutionError;
use aidd_evolution::candidates::Verdict;
use aidd_evolution::log::{Category, Draft, DraftStatus, Figures, LogEntry};
use aidd_evolution::transaction::find;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tools of this group.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let plan: &[Profile] = &[Profile::Plan];
    vec![
        Tool::new(
            "aidd_evolution_analyze",
            "Analyze sessions",
            "Lists the changes that the recorded sessions suggest, with confidence and samples. \
             Use to see what would be drafted; `aidd evolve run` drafts it.",
            analyze,
        )
        .in_profiles(plan),
        Tool::new(
            "aidd_evolution_status",
            "Evolution status",
            "Lists applied changes, drafts that wait for a decision, and the last actions. \
             Use for an overview; use aidd_evolution_review for one change.",
            status,
        )
        .in_profiles(plan),
        Tool::new(
            "aidd_evolution_review",
            "Review change",
            "Returns a change or draft with its figures, changed values and files, and history. \
             Use before a decision on it.",
            review,
        )
        .in_profiles(plan),
        Tool::new(
            "aidd_evolution_revert",
            "Revert change",
            "Takes back an applied change; its files are restored byte for byte. Refused if a file \
             was edited since. Use only when the user decided so.",
            revert,
        )
        .destructive()
        .in_profiles(plan),
        Tool::new(
            "aidd_draft_create",
            "Create draft",
            "Creates a draft in .aidd/drafts for a person to approve: a rule, knowledge, skill or \
             workflow page, a convention, or settings. A rule is tried on the project first. Use for \
             what a person has to decide; use aidd_suggest_rule to develop a rule.",
            create,
        )
        .non_destructive()
        .with_spellings(&[("fileName", "filename")])
        .in_profiles(plan),
        Tool::new("aidd_draft_list", "List drafts", "Lists drafts with their confidence. Use to find the id of a draft.", list)
            .in_profiles(plan),
        Tool::new(
            "aidd_draft_approve",
            "Decide on draft",
            "Writes a draft to its place, or with `reject` and a reason removes it. Use only when \
             the user decided so.",
            approve,
        )
        .non_destructive()
        .with_choice(CHOICE)
        .in_profiles(plan),
    ]
}

/// The arguments of each decision.
const CHOICE: Choice =
    Choice { argument: "reject", default: "false", allowed: &[(&["true"], &["reason"])] };

impl From<EvolutionError> for ToolError {
    fn from(error: EvolutionError) -> Self {
        let remedy = match &error {
            EvolutionError::Unknown { item: "draft", .. } => "list ids with aidd_draft_list",
            EvolutionError::Unknown { .. } => "list ids with aidd_evolution_status",
            EvolutionError::Ambiguous(_) => "pass the full id",
            EvolutionError::Edited { .. } => "ask the user whether to retain the edit",
            EvolutionError::Io { .. } => {
                "check that the directory is writable and the disk is not full"
            }
            EvolutionError::Link(_) | EvolutionError::Refused(_) => "",
        };
        Self::new(error.to_string()).remedy(remedy)
    }
}

impl From<EvolveError> for ToolError {
    fn from(error: EvolveError) -> Self {
        match error {
            EvolveError::Evolution(error) => error.into(),
            EvolveError::Memory(error) => error.into(),
            EvolveError::Project(error) => error.into(),
            EvolveError::Trial(error) => {
                let remedy = error.remedy();
                Self::new(error.to_string()).remedy(remedy)
            }
            EvolveError::Io(_) | EvolveError::Refused(_) => Self::new(error.to_string()),
        }
    }
}

/// Runs `work` with the project's evolution.
fn with_evolve<T>(
    context: &Context,
    work: impl FnOnce(&Evolve<'_>) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    let project = context.project()?;
    let variable = context.variable("AIDD_EVOLUTION");
    work(&Evolve::new(&project, variable.as_deref(), "agent"))
}

#[derive(Deserialize, JsonSchema)]
struct NoParams {}

#[derive(Serialize, JsonSchema)]
struct CandidateView {
    id: String,
    kind: String,
    title: String,
    /// `apply`, `draft` or `pending`.
    verdict: Verdict,
    figures: Figures,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AnalyzeAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
    sessions: usize,
    /// Sessions that are missing before anything is proposed.
    sessions_needed: usize,
    candidates: Vec<CandidateView>,
}

fn analyze(context: &Context, _: NoParams) -> Result<Answer<AnalyzeAnswer>, ToolError> {
    let now = context.now();
    let analysis = with_evolve(context, |evolve| {
        context.memory(|memory| evolve::analyze(evolve, memory, now))
    })?;
    let text = analysis_text(&analysis);
    let proposals = analysis.proposals.iter().map(|proposal| CandidateView {
        id: proposal.key.clone(),
        kind: proposal.kind.name().to_owned(),
        title: proposal.title.clone(),
        verdict: Verdict::Draft,
        figures: proposal.figures.clone(),
    });
    let candidates = analysis.candidates.iter().map(|candidate| CandidateView {
        id: candidate.id.clone(),
        kind: candidate.kind.name().to_owned(),
        title: candidate.title.clone(),
        verdict: candidate.verdict,
        figures: candidate.figures.clone(),
    });
    let answer = AnalyzeAnswer {
        disabled: analysis.disabled.map(str::to_owned),
        sessions: analysis.sessions,
        sessions_needed: analysis.missing_sessions(),
        candidates: proposals.chain(candidates).collect(),
    };
    Ok(Answer::new(answer, text))
}

#[derive(Serialize, JsonSchema)]
struct ChangeView {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<Figures>,
}

impl From<&LogEntry> for ChangeView {
    fn from(entry: &LogEntry) -> Self {
        Self { id: entry.id.clone(), title: entry.title.clone(), figures: entry.figures.clone() }
    }
}

#[derive(Serialize, JsonSchema)]
struct StatusAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
    applied: Vec<ChangeView>,
    drafts: Vec<DraftView>,
}

#[derive(Serialize, JsonSchema)]
struct DraftView {
    id: String,
    category: Option<Category>,
    title: String,
    path: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    notes: Vec<String>,
}

impl From<&Draft> for DraftView {
    fn from(draft: &Draft) -> Self {
        let data = draft.data();
        Self {
            id: draft.entry.id.clone(),
            category: data.map(|data| data.category),
            title: draft.entry.title.clone(),
            path: data.map(|data| data.path.clone()).unwrap_or_default(),
            status: draft.status.name().to_owned(),
            confidence: draft.entry.figures.as_ref().and_then(|figures| figures.confidence),
            notes: data.map(|data| data.notes.clone()).unwrap_or_default(),
        }
    }
}

fn status(context: &Context, _: NoParams) -> Result<Answer<StatusAnswer>, ToolError> {
    with_evolve(context, |evolve| {
        let text = overview(evolve)?;
        let state = evolve.store().state()?;
        let drafts = state.drafts.values().filter(|draft| draft.status == DraftStatus::Pending);
        let answer = StatusAnswer {
            disabled: evolve.disabled().map(str::to_owned),
            applied: state.applied.iter().map(ChangeView::from).collect(),
            drafts: drafts.map(DraftView::from).collect(),
        };
        Ok(Answer::new(answer, text))
    })
}

/// The page of the resource on evolution.
pub(crate) fn resource(context: &Context) -> Result<String, ToolError> {
    with_evolve(context, |evolve| Ok(format!("# Evolution\n\n{}", overview(evolve)?)))
}

#[derive(Deserialize, JsonSchema)]
struct ReviewParams {
    /// Of a change or draft
    #[serde(alias = "candidateId")]
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct ReviewAnswer {
    change: ChangeView,
    /// The file that a draft is in, and the files that a change writes
    files: Vec<String>,
    history: Vec<ChangeView>,
}

fn review(context: &Context, params: ReviewParams) -> Result<Answer<ReviewAnswer>, ToolError> {
    with_evolve(context, |evolve| {
        let (entries, _) = evolve.store().entries()?;
        let known = entries.iter().map(|entry| (entry.id.as_str(), entry));
        let entry = find(known, "change", &params.id)?;
        let history: Vec<&LogEntry> =
            entries.iter().filter(|other| other.target.as_deref() == Some(&entry.id)).collect();
        let answer = ReviewAnswer {
            change: entry.into(),
            files: entry.files.iter().map(|file| file.path.clone()).collect(),
            history: history.iter().map(|entry| ChangeView::from(*entry)).collect(),
        };
        Ok(Answer::new(answer, review_text(entry, &history)))
    })
}

#[derive(Deserialize, JsonSchema)]
struct RevertParams {
    /// Of an applied change
    #[serde(alias = "candidateId")]
    id: String,
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RevertAnswer {
    reverted: ChangeView,
    /// The restored files
    files: Vec<String>,
}

fn revert(context: &Context, params: RevertParams) -> Result<Answer<RevertAnswer>, ToolError> {
    let now = context.now();
    let entry = with_evolve(context, |evolve| {
        let reason = params.reason.as_deref();
        context.memory(|memory| evolve::revert(evolve, memory, &params.id, reason, now))
    })?;
    let answer = RevertAnswer {
        reverted: (&entry).into(),
        files: entry.files.iter().map(|file| file.path.clone()).collect(),
    };
    Ok(Answer::new(answer, format!("reverted: {}", entry.title)))
}

#[derive(Deserialize, JsonSchema)]
struct CreateParams {
    category: Category,
    /// One line that says what changes
    title: String,
    /// The page, or the settings as a JSON patch
    content: String,
    /// Default: from the title
    filename: Option<String>,
}

fn create(context: &Context, params: CreateParams) -> Result<Answer<DraftView>, ToolError> {
    let now = context.now();
    let name = params.filename.map(|name| name.trim_end_matches(".md").to_owned());
    let new = NewDraft {
        category: params.category,
        title: params.title,
        name,
        text: params.content,
        notes: Vec::new(),
        candidate: None,
    };
    let entry = with_evolve(context, |evolve| {
        context.memory(|memory| evolve::create(evolve, memory, &new, now))
    })?;
    let draft = Draft { entry, status: DraftStatus::Pending, decided_at: None, reason: None };
    let view = DraftView::from(&draft);
    let mut text = format!("{} {}", view.id, view.path);
    for note in &view.notes {
        text.push_str(&format!("\n- {note}"));
    }
    Ok(Answer::new(view, text))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StatusName {
    #[default]
    Pending,
    Approved,
    Rejected,
}

#[derive(Deserialize, JsonSchema)]
struct ListParams {
    category: Option<Category>,
    #[serde(default)]
    status: Option<StatusName>,
    /// Default 20
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct ListAnswer {
    count: usize,
    drafts: Vec<DraftView>,
}

fn list(context: &Context, params: ListParams) -> Result<Answer<ListAnswer>, ToolError> {
    let status = match params.status.unwrap_or_default() {
        StatusName::Pending => DraftStatus::Pending,
        StatusName::Approved => DraftStatus::Approved,
        StatusName::Rejected => DraftStatus::Rejected,
    };
    with_evolve(context, |evolve| {
        evolve.store().recover()?;
        let state = evolve.store().state()?;
        let drafts: Vec<&Draft> = state
            .drafts
            .values()
            .filter(|draft| draft.status == status)
            .filter(|draft| {
                let category = draft.data().map(|data| data.category);
                params.category.is_none() || params.category == category
            })
            .collect();
        let shown = drafts.iter().take(params.limit.unwrap_or(20));
        let mut text: String =
            shown.clone().map(|draft| format!("{}\n", draft_line(draft))).collect();
        if drafts.is_empty() {
            text = "no drafts".to_owned();
        }
        let answer = ListAnswer {
            count: drafts.len(),
            drafts: shown.map(|draft| DraftView::from(*draft)).collect(),
        };
        Ok(Answer::new(answer, text))
    })
}

#[derive(Deserialize, JsonSchema)]
struct ApproveParams {
    id: String,
    #[serde(default)]
    reject: bool,
    /// Required with `reject`
    reason: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ApproveAnswer {
    id: String,
    status: String,
    /// What was written: a path, or the id of a memory
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

fn approve(context: &Context, params: ApproveParams) -> Result<Answer<ApproveAnswer>, ToolError> {
    let now = context.now();
    with_evolve(context, |evolve| {
        if params.reject {
            let reason = params.reason.as_deref().unwrap_or_default();
            let entry =
                context.memory(|memory| evolve::reject(evolve, memory, &params.id, reason, now))?;
            let answer =
                ApproveAnswer { id: entry.id, status: "rejected".to_owned(), written: None };
            return Ok(Answer::new(answer, format!("rejected: {}", entry.title)));
        }
        let (entry, written) =
            context.memory(|memory| evolve::approve(evolve, memory, &params.id, now))?;
        let text = format!("approved: {}\nwritten: {written}", entry.title);
        let answer =
            ApproveAnswer { id: entry.id, status: "approved".to_owned(), written: Some(written) };
        Ok(Answer::new(answer, text))
    })
}

#[cfg(test)]
mod tests;
