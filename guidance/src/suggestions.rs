//! Suggests the next steps from the state of the work, each with the tool that performs it and its
//! arguments filled in.

use aidd_memory::state::State;
use serde_json::{Map, Value, json};

/// A suggested step.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// A short description of the step.
    pub action: String,
    /// The name of the tool that performs the step.
    pub tool: &'static str,
    /// The arguments of the call.
    pub args: Map<String, Value>,
    /// Names of the arguments that only the agent can fill in.
    pub needs: &'static [&'static str],
    /// The reason for suggesting the step.
    pub reason: String,
}

/// Facts that [`State`] does not contain.
#[derive(Clone, Debug, Default)]
pub struct SuggestionInput<'a> {
    /// The agent's current task, as worded by the agent.
    pub task: Option<&'a str>,
    /// Names of tools that were called most recently.
    pub recent: &'a [String],
    /// Files that differ from the last commit; `None` if not determined.
    pub changed: Option<&'a [String]>,
    /// New findings in the changed files: the number of errors and the number of other findings.
    /// `None` if not determined.
    pub findings: Option<(usize, usize)>,
}

/// A kind of file and the tool that checks files of this kind.
struct FileTool {
    /// Whether the tool applies to a file of this name.
    is_for: fn(&str) -> bool,
    tool: &'static str,
    why: &'static str,
}

const FILE_TOOLS: &[FileTool] = &[
    FileTool {
        is_for: |name| name.starts_with("Dockerfile") || name.ends_with(".dockerfile"),
        tool: "aidd_validate_dockerfile",
        why: "a Dockerfile changed",
    },
    FileTool {
        is_for: |name| name.ends_with(".mmd") || name.ends_with(".mermaid"),
        tool: "aidd_validate_mermaid",
        why: "a diagram changed",
    },
    FileTool {
        is_for: |name| matches!(name, "AGENTS.md" | "CLAUDE.md" | "GEMINI.md" | "SKILL.md"),
        tool: "aidd_check_agents",
        why: "instructions for agents changed",
    },
    FileTool {
        is_for: |name| {
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            matches!(stem, "openapi" | "swagger")
        },
        tool: "aidd_validate_openapi",
        why: "an API description changed",
    },
    FileTool {
        is_for: |name| name.ends_with(".tokens.json") || name.ends_with(".tokens"),
        tool: "aidd_validate_design_tokens",
        why: "design tokens changed",
    },
    FileTool {
        is_for: |name| name.ends_with(".sql"),
        tool: "aidd_validate_sql",
        why: "a SQL file changed",
    },
    FileTool {
        is_for: |name| {
            name.contains(".test.")
                || name.contains(".spec.")
                || name.starts_with("test_") && name.ends_with(".py")
        },
        tool: "aidd_validate_tests",
        why: "tests changed",
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
pub fn suggest(state: &State, input: &SuggestionInput<'_>) -> Vec<Suggestion> {
    let mut all = Vec::new();
    add_findings(input, &mut all);
    add_opening(state, input, &mut all);
    add_work(state, input, &mut all);
    add_closing(state, input, &mut all);
    let recent =
        |name: &str| input.recent.iter().any(|called| called.replace(['/', '.'], "_") == name);
    all.retain(|next| !recent(next.tool));
    let mut tools: Vec<&str> = Vec::new();
    all.retain(|next| {
        let is_new = !tools.contains(&next.tool);
        tools.push(next.tool);
        is_new
    });
    all
}

/// Adds the suggestion to fix new findings.
fn add_findings(input: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let Some((errors, others)) = input.findings.filter(|(errors, others)| errors + others > 0) {
        let total = errors + others;
        let counted = if total == 1 { "1 finding".to_owned() } else { format!("{total} findings") };
        let errors = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
        let reason = format!("the changes add {counted}, including {errors}");
        all.push(new_suggestion("Fix the new findings", "aidd_ci_diff_check", json!({}), reason));
    }
}

fn add_opening(state: &State, input: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let (None, Some(branch)) = (&state.session, &state.branch) {
        let args = json!({"action": "start", "branch": branch});
        let start = new_suggestion(
            "Open a session",
            "aidd_session",
            args,
            format!("no session is open on {branch}"),
        );
        all.push(Suggestion { needs: &["aiProvider"], ..start });
    }
    if let Some(task) = input.task {
        let args = json!({"description": task});
        all.push(new_suggestion(
            "Classify the task",
            "aidd_classify_task",
            args,
            "roles, workflow and tier follow from it",
        ));
        let memories = [&state.hazards, &state.failed, &state.decisions, &state.conventions];
        // Do not suggest searching an empty memory.
        if memories.iter().any(|entries| !entries.is_empty()) {
            let args = json!({"query": task});
            let search = new_suggestion(
                "Search the memory",
                "aidd_memory_search",
                args,
                "before planning: decisions to follow, mistakes to avoid",
            );
            all.push(Suggestion { needs: &["otherWordings"], ..search });
        }
    }
}

fn add_work(state: &State, input: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
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
            Some((_, criterion)) => {
                // One call with evidence for every open criterion advances the lifecycle to the
                // next phase.
                let keys: Vec<&str> = state.unmet.iter().map(|(key, _)| *key).collect();
                let args = json!({"lifecycleId": id});
                let more = state.unmet.len() - 1;
                let action = match more {
                    0 => format!("Provide evidence: {criterion}"),
                    more => format!("Provide evidence: {criterion}, and {more} more"),
                };
                let (feature, keys) = (&lifecycle.feature, keys.join(", "));
                let reason = format!("leaving {phase} requires evidence for {feature}: {keys}");
                let advance = new_suggestion(action, "aidd_lifecycle_advance", args, reason);
                all.push(Suggestion { needs: &["evidence"], ..advance });
            }
        }
    }
    if let (Some(task), Some(branch)) = (state.context.pending_tasks.first(), &state.branch) {
        let remaining: Vec<&String> = state.context.pending_tasks.iter().skip(1).collect();
        let args = json!({"action": "save", "branch": branch, "completedTasks": [task], "pendingTasks": remaining});
        let count = remaining.len() + 1;
        let reason =
            format!("tasks pending on {branch}: {count}; save the branch when this task is done");
        all.push(new_suggestion(format!("Do the next task: {task}"), "aidd_branch", args, reason));
    }
    for path in input.changed.unwrap_or_default() {
        let name = path.rsplit('/').next().unwrap_or(path);
        for FileTool { is_for, tool, why } in FILE_TOOLS {
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

fn add_closing(state: &State, input: &SuggestionInput<'_>, all: &mut Vec<Suggestion>) {
    if let Some(changed) = input.changed.filter(|changed| !changed.is_empty()) {
        let count = changed.len();
        if input.findings.is_none() {
            let reason = format!("files that differ from the last commit: {count}");
            all.push(new_suggestion("Check what changed", "aidd_ci_diff_check", json!({}), reason));
        }
        all.push(new_suggestion(
            "Scan for secrets before the commit",
            "aidd_scan_secrets",
            json!({"filePath": "."}),
            format!("files to commit: {count}"),
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
        // A session that has just started is not done.
        let has_work = !session.decisions.is_empty()
            || !session.errors_resolved.is_empty()
            || !session.files_modified.is_empty()
            || !session.tasks_completed.is_empty();
        let is_done = has_work && state.context.pending_tasks.is_empty() && input.changed.is_some();
        if is_done && input.task.is_none() {
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

    fn tools(state: &State, input: &SuggestionInput<'_>) -> Vec<&'static str> {
        suggest(state, input).into_iter().map(|next| next.tool).collect()
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
        let new_branch = State { branch: Some("main".to_owned()), ..State::default() };
        assert_eq!(tools(&new_branch, &SuggestionInput::default()), ["aidd_session"]);
        let task = SuggestionInput { task: Some("Add a login"), ..SuggestionInput::default() };
        // Searching an empty memory is not suggested.
        assert_eq!(tools(&new_branch, &task), ["aidd_session", "aidd_classify_task"]);
        let with_memory = State { decisions: vec![decision().into()], ..new_branch.clone() };
        assert_eq!(
            tools(&with_memory, &task),
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
            ..new_branch
        };
        let input = SuggestionInput {
            changed: Some(&changed),
            findings: Some((1, 0)),
            ..SuggestionInput::default()
        };
        let all = suggest(&state, &input);
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
        // Evidence is left out, because only the agent has it; the reason names what is needed.
        assert_eq!(Value::Object(all[1].args.clone()), json!({"lifecycleId": "lifecycle_1_a"}));
        assert_eq!(all[1].needs, ["evidence"]);
        assert!(all[1].reason.ends_with(": tests, docs"), "{}", all[1].reason);
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
        let new_branch = State { branch: Some("main".to_owned()), decisions, ..State::default() };
        let recent = ["aidd/session".to_owned(), "aidd_classify_task".to_owned()];
        let input =
            SuggestionInput { task: Some("x"), recent: &recent, ..SuggestionInput::default() };
        assert_eq!(tools(&new_branch, &input), ["aidd_memory_search"]);
    }

    #[test]
    fn the_session_end_is_suggested_when_nothing_is_pending() {
        let session = SessionState { id: "session_1_a".to_owned(), ..SessionState::default() };
        let mut state =
            State { branch: Some("b".to_owned()), session: Some(session), ..State::default() };
        let unchanged = SuggestionInput { changed: Some(&[]), ..SuggestionInput::default() };
        // Nothing was done in the session yet.
        assert_eq!(tools(&state, &unchanged), [""; 0]);
        let session = state.session.as_mut().expect("a session");
        session.files_modified = vec!["src/a.ts".to_owned()];
        let all = suggest(&state, &unchanged);
        assert_eq!((all[0].tool, all[0].args["action"].as_str()), ("aidd_session", Some("end")));
        // Without information about changed files, the end of the session is not suggested.
        assert_eq!(tools(&state, &SuggestionInput::default()), [""; 0]);
    }
}
