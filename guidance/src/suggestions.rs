//! Suggests the next steps from the state of the work, each with the tool that performs it and its
//! arguments filled in.

use aidd_memory::state::State;
use serde_json::{Map, Value, json};

/// A suggested step.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// A short description of the step.
    pub action: String,
    /// The name of the tool that performs it.
    pub tool: &'static str,
    /// The arguments of the call.
    pub args: Map<String, Value>,
    /// Names of the arguments that only the agent can fill in.
    pub needs: &'static [&'static str],
    /// The reason for suggesting it now.
    pub reason: String,
}

/// Facts that [`State`] does not contain.
#[derive(Clone, Debug, Default)]
pub struct SuggestionInput<'a> {
    /// The agent's current task, in its words.
    pub task: Option<&'a str>,
    /// Names of tools that were called most recently.
    pub recent: &'a [String],
    /// Files that differ from the last commit; `None` if not determined.
    pub changed: Option<&'a [String]>,
    /// New findings in those files: the number of errors, and of others. `None` if not determined.
    pub findings: Option<(usize, usize)>,
}

/// Maps a kind of file to the tool that checks it.
struct ByFile {
    /// Whether the tool applies to a file of this name.
    is_for: fn(&str) -> bool,
    tool: &'static str,
    why: &'static str,
}

const BY_FILE: &[ByFile] = &[
    ByFile {
        is_for: |name| name.starts_with("Dockerfile") || name.ends_with(".dockerfile"),
        tool: "aidd_validate_dockerfile",
        why: "a Dockerfile changed",
    },
    ByFile {
        is_for: |name| name.ends_with(".mmd") || name.ends_with(".mermaid"),
        tool: "aidd_validate_mermaid",
        why: "a diagram changed",
    },
];

fn new_suggestion(
    action: impl Into<String>,
    tool: &'static str,
    args: Value,
    reason: impl Into<String>,
) -> Suggestion {
    let args = if let Value::Object(args) = args { args } else { Map::new() };
    Suggestion { action: action.into(), tool, args, needs: &[], reason: reason.into() }
}

/// The suggested steps, most urgent first; empty when nothing is pending. Steps whose tool was just
/// called are omitted.
#[must_use]
pub fn suggest(state: &State, asked: &SuggestionInput<'_>) -> Vec<Suggestion> {
    let mut all = Vec::new();
    add_findings(asked, &mut all);
    add_opening(state, asked, &mut all);
    add_work(state, asked, &mut all);
    add_closing(state, asked, &mut all);
    let recent = |name: &str| asked.recent.iter().any(|done| done.replace(['/', '.'], "_") == name);
    all.retain(|next| !recent(next.tool));
    let mut seen: Vec<&str> = Vec::new();
    all.retain(|next| {
        let is_new = !seen.contains(&next.tool);
        seen.push(next.tool);
        is_new
    });
    all
}

/// New findings come first.
fn add_findings(asked: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let Some((errors, others)) = asked.findings.filter(|(errors, others)| errors + others > 0) {
        let all_of = errors + others;
        let many = if all_of == 1 { "1 finding".to_owned() } else { format!("{all_of} findings") };
        let reason = format!("the changes bring {many}, {errors} of them errors");
        all.push(new_suggestion("Fix the new findings", "aidd_ci_diff_check", json!({}), reason));
    }
}

fn add_opening(state: &State, asked: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let (None, Some(branch)) = (&state.session, &state.branch) {
        // Fields that only the agent can fill in are present but empty.
        let who = json!({"provider": "", "model": "", "client": ""});
        let args = json!({"action": "start", "branch": branch, "aiProvider": who});
        let start = new_suggestion(
            "Open a session",
            "aidd_session",
            args,
            format!("no session is open on {branch}"),
        );
        all.push(Suggestion { needs: &["aiProvider"], ..start });
    }
    if let Some(task) = asked.task {
        let args = json!({"description": task});
        all.push(new_suggestion(
            "Classify the task",
            "aidd_classify_task",
            args,
            "roles, workflow and tier follow from it",
        ));
        let known = [&state.hazards, &state.failed, &state.decisions, &state.conventions];
        // An empty memory is not worth searching.
        if known.iter().any(|kind| !kind.is_empty()) {
            let args = json!({"query": task});
            all.push(new_suggestion(
                "Search the memory",
                "aidd_memory_search",
                args,
                "before planning: decisions to follow, mistakes to avoid",
            ));
        }
    }
}

fn add_work(state: &State, asked: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let Some(lifecycle) = &state.lifecycle {
        let (id, phase) = (&lifecycle.id, &lifecycle.current_phase);
        match state.unmet.first() {
            None => {
                let args = json!({"lifecycleId": id});
                let reason =
                    format!("every exit criterion of {phase} is met for {}", lifecycle.feature);
                all.push(new_suggestion(
                    format!("Leave {phase}"),
                    "aidd_lifecycle_advance",
                    args,
                    reason,
                ));
            }
            Some((_, says)) => {
                // A phase is left with one call that contains evidence for every open criterion.
                let open = state.unmet.iter().map(|(key, _)| ((*key).to_owned(), json!("")));
                let evidence = Value::Object(open.collect());
                let args = json!({"lifecycleId": id, "evidence": evidence});
                let more = state.unmet.len() - 1;
                let action = match more {
                    0 => format!("Provide evidence: {says}"),
                    more => format!("Provide evidence: {says}, and {more} more"),
                };
                let reason = format!("leaving {phase} requires evidence for {}", lifecycle.feature);
                let meet = new_suggestion(action, "aidd_lifecycle_advance", args, reason);
                all.push(Suggestion { needs: &["evidence"], ..meet });
            }
        }
    }
    if let (Some(task), Some(branch)) = (state.context.pending_tasks.first(), &state.branch) {
        let left: Vec<&String> = state.context.pending_tasks.iter().skip(1).collect();
        let args = json!({"action": "save", "branch": branch, "completedTasks": [task], "pendingTasks": left});
        let reason = format!("pending on {branch}: {}; save when this one is done", left.len() + 1);
        all.push(new_suggestion(format!("Do the next task: {task}"), "aidd_branch", args, reason));
    }
    for path in asked.changed.unwrap_or_default() {
        let name = path.rsplit('/').next().unwrap_or(path);
        for ByFile { is_for, tool, why } in BY_FILE {
            if is_for(name) {
                all.push(new_suggestion(
                    format!("Check {path}"),
                    tool,
                    json!({"filePath": path}),
                    *why,
                ));
            }
        }
    }
    if state.lifecycle.is_none()
        && let Some(feature) = &state.context.feature
    {
        let args = json!({"feature": feature});
        all.push(new_suggestion(
            "Start the lifecycle",
            "aidd_lifecycle_init",
            args,
            "the branch has a feature but no lifecycle",
        ));
    }
}

fn add_closing(state: &State, asked: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let Some(changed) = asked.changed.filter(|changed| !changed.is_empty()) {
        let many = changed.len();
        if asked.findings.is_none() {
            let reason = format!("files that differ from the last commit: {many}");
            all.push(new_suggestion("Check what changed", "aidd_ci_diff_check", json!({}), reason));
        }
        all.push(new_suggestion(
            "Scan for secrets before the commit",
            "aidd_scan_secrets",
            json!({"filePath": "."}),
            format!("files to commit: {many}"),
        ));
        if let (None, Some(branch)) = (state.context.pending_tasks.first(), &state.branch) {
            let args = json!({"action": "save", "branch": branch});
            all.push(new_suggestion(
                "Save the state of the branch",
                "aidd_branch",
                args,
                "so that the next session can continue",
            ));
        }
    } else if let Some(session) = &state.session {
        let is_done = state.context.pending_tasks.is_empty() && asked.changed.is_some();
        if is_done && asked.task.is_none() {
            let args = json!({"action": "end", "id": session.id});
            let end = new_suggestion(
                "End the session",
                "aidd_session",
                args,
                "nothing is pending and nothing is uncommitted",
            );
            all.push(Suggestion { needs: &["outcome"], ..end });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_memory::records::{BranchContext, Lifecycle, SessionState};
    use aidd_memory::types::Entry;

    fn tools(state: &State, asked: &SuggestionInput<'_>) -> Vec<&'static str> {
        suggest(state, asked).into_iter().map(|next| next.tool).collect()
    }

    fn decision() -> Entry {
        let entry = json!({
            "id": "decision_1_a", "type": "decision", "layer": "permanent", "content": "Use b",
            "status": "active", "createdAt": 1, "updatedAt": 1, "schemaVersion": 1,
        });
        serde_json::from_value(entry).expect("an entry")
    }

    #[test]
    fn suggestions_follow_the_state() {
        let fresh = State { branch: Some("main".to_owned()), ..State::default() };
        assert_eq!(tools(&fresh, &SuggestionInput::default()), ["aidd_session"]);
        let task = SuggestionInput { task: Some("Add a login"), ..SuggestionInput::default() };
        // An empty memory is not worth searching.
        assert_eq!(tools(&fresh, &task), ["aidd_session", "aidd_classify_task"]);
        let known = State { decisions: vec![decision().into()], ..fresh.clone() };
        assert_eq!(
            tools(&known, &task),
            ["aidd_session", "aidd_classify_task", "aidd_memory_search"]
        );
        let changed = ["Dockerfile".to_owned(), "src/a.ts".to_owned()];
        let session = SessionState { id: "session_1_a".to_owned(), ..SessionState::default() };
        let context = BranchContext {
            pending_tasks: vec!["tests".to_owned(), "docs".to_owned()],
            ..BranchContext::default()
        };
        let lifecycle = Lifecycle {
            id: "lifecycle_1_a".to_owned(),
            current_phase: "BUILD".to_owned(),
            feature: "login".to_owned(),
            ..Lifecycle::default()
        };
        let state = State {
            session: Some(session),
            context,
            lifecycle: Some(lifecycle),
            unmet: vec![("tests", "All tests pass"), ("docs", "Documentation up to date")],
            ..fresh
        };
        let asked = SuggestionInput {
            changed: Some(&changed),
            findings: Some((1, 0)),
            ..SuggestionInput::default()
        };
        let all = suggest(&state, &asked);
        let names: Vec<&str> = all.iter().map(|next| next.tool).collect();
        assert_eq!(
            names,
            [
                "aidd_ci_diff_check",
                "aidd_lifecycle_advance",
                "aidd_branch",
                "aidd_validate_dockerfile",
                "aidd_scan_secrets"
            ]
        );
        // A phase is left with one call that contains evidence for every open criterion.
        assert_eq!(all[1].args["evidence"], json!({"tests": "", "docs": ""}));
        assert_eq!(all[1].action, "Provide evidence: All tests pass, and 1 more");
        assert_eq!(
            Value::Object(all[2].args.clone()),
            json!({"action": "save", "branch": "main", "completedTasks": ["tests"], "pendingTasks": ["docs"]})
        );
        assert_eq!(all[3].args["filePath"], "Dockerfile");
    }

    #[test]
    fn recently_called_tools_are_not_suggested() {
        let decisions = vec![decision().into()];
        let fresh = State { branch: Some("main".to_owned()), decisions, ..State::default() };
        let recent = ["aidd/session".to_owned(), "aidd_classify_task".to_owned()];
        let asked =
            SuggestionInput { task: Some("x"), recent: &recent, ..SuggestionInput::default() };
        assert_eq!(tools(&fresh, &asked), ["aidd_memory_search"]);
    }

    #[test]
    fn the_session_end_is_suggested_when_nothing_is_pending() {
        let session = SessionState { id: "session_1_a".to_owned(), ..SessionState::default() };
        let state =
            State { branch: Some("b".to_owned()), session: Some(session), ..State::default() };
        let none = SuggestionInput { changed: Some(&[]), ..SuggestionInput::default() };
        let all = suggest(&state, &none);
        assert_eq!((all[0].tool, all[0].args["action"].as_str()), ("aidd_session", Some("end")));
        // A step without a query is not suggested.
        assert_eq!(tools(&state, &SuggestionInput::default()), [""; 0]);
    }
}
