//! Tests errors, calls that use older names, and notes in results.

use super::{TestAgent, provider};
use serde_json::json;

#[test]
fn invalid_calls_are_rejected_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let decision =
        agent.id("save_decision", json!({"topic": "a", "decision": "Use b", "reasoning": "c"}));
    let mut errors = String::new();
    for (tool, arguments) in [
        ("aidd_session", json!({"action": "start", "branch": "x"})),
        ("aidd_session", json!({"action": "start", "aiProvider": provider()})),
        ("aidd_session", json!({"action": "end"})),
        ("aidd_session", json!({"action": "get", "id": "session_1_x"})),
        ("aidd_session", json!({"action": "strat"})),
        ("aidd_observation", json!({"sessionId": "session_1_x", "type": "insight", "title": "t"})),
        ("aidd_session", json!({"action": "start", "branch": "x", "aiProvider": "me"})),
        (
            "aidd_session",
            json!({"action": "start", "branch": "x", "aiProvider": provider(), "errorsResolved": [{"message": "m"}]}),
        ),
        (
            "aidd_branch",
            json!({"action": "save", "branch": "x", "decisions": [{"decision": "d"}, {"text": "t"}]}),
        ),
        ("aidd_branch", json!({"action": "get"})),
        ("aidd_branch", json!({"action": "get", "branch": "x", "plan": "p"})),
        ("aidd_branch", json!({"action": "merge", "branch": "x"})),
        ("aidd_branch", json!({"action": "get", "branch": "x", "promoteDecisions": false})),
        ("aidd_session", json!({"action": "get", "id": "x", "decisions": [], "status": "active"})),
        ("aidd_session", json!({"action": "update", "id": "x", "branch": "y"})),
        (
            "aidd_lifecycle_advance",
            json!({"lifecycleId": "x", "action": "abandon", "reason": "r", "force": true}),
        ),
        ("aidd_lifecycle_advance", json!({"lifecycleId": "x", "to": "plan"})),
        ("aidd_ci_report", json!({"policy": true, "base": "main"})),
        ("aidd_memory_edit_decision", json!({"id": decision, "confidence": 70})),
        (
            "aidd_observation",
            json!({"sessionId": "x", "type": "insight", "title": "t", "discoveryTokens": -5}),
        ),
        ("aidd_memory_search", json!({"quary": "x"})),
        ("aidd_memory_search", json!({"query": "x", "since": "tomorrow"})),
        ("aidd_memory_context", json!({"anchor": "decision_1_x"})),
        ("aidd_memory_get", json!({"ids": []})),
        ("aidd_memory_get", json!({"ids": ["decision_1_x"]})),
        ("aidd_memory_add_decision", json!({"decision": " ", "reasoning": "r"})),
        ("aidd_memory_edit_decision", json!({"id": decision})),
        ("aidd_memory_edit_mistake", json!({"id": decision, "fix": "f"})),
        ("aidd_memory_prune", json!({"type": "convention", "id": decision})),
        ("aidd_memory_import", json!({"path": "../x.json"})),
        ("aidd_memory_import", json!({"path": "gone.json"})),
        ("save_decision", json!({"topic": " ", "decision": "d", "reasoning": "r"})),
        (
            "save_decision",
            json!({"topic": "t", "decision": "d", "reasoning": "r", "confidence": 5}),
        ),
        (
            "save_decision",
            json!({"topic": "t", "decision": "d", "reasoning": "r", "supersedes": ["x"]}),
        ),
        ("evolve_outcome", json!({"id": decision, "outcome": "GREAT"})),
        ("evolve_supersede", json!({"id": "x", "decision": "d", "reasoning": "r"})),
        ("load_context", json!({})),
        ("load_context", json!({"topic": "nothing"})),
        ("aidd_lifecycle_status", json!({"lifecycleId": "x"})),
        ("aidd_lifecycle_init", json!({"feature": "f", "startPhase": "SYNC"})),
        ("aidd_diagnose_error", json!({"error": " "})),
    ] {
        let text = agent.text(tool, arguments);
        assert!(text.starts_with("error: "), "{tool}: {text}");
        errors.push_str(&format!("{tool}: {}\n", &text["error: ".len()..]));
    }
    insta::assert_snapshot!(errors, @r#"
    aidd_session: `aiProvider` is missing
    hint: identify yourself: {provider, model, modelId, client}
    aidd_session: `branch` is missing
    hint: no branch is checked out; pass the branch you work on
    aidd_session: `id` of the session is missing
    hint: no session is open; list past sessions with action list
    aidd_session: unknown session `session_1_x`
    hint: list ids with aidd_session, action list
    aidd_session: `action`: expected `start`, `update`, `end`, `get`, `list` or `delete`, found the string "strat"; did you mean `start`?
    aidd_observation: unknown session `session_1_x`
    hint: list ids with aidd_session, action list
    aidd_session: `aiProvider`: expected an object (Model and client of the agent: {provider, model, modelId, client}), found the string "me"
    aidd_session: `errorsResolved[0].error` is missing; expected {"error": "…", "fix": "…"}
    aidd_branch: `decisions[1].decision` is missing; expected {"decision": "…", "reasoning": "…"}
    aidd_branch: `branch` is missing, and no branch is checked out
    aidd_branch: `plan` is only allowed if `action` is `save`; it is `get`
    aidd_branch: unknown branch `x`
    hint: the branch has no data; list known branches with aidd_branch, action list
    aidd_branch: `promoteDecisions` is only allowed if `action` is `merge`; it is `get`
    aidd_session: `status` is only allowed if `action` is `list`; it is `get`
    `decisions` is only allowed if `action` is `start`, `update` or `end`; it is `get`
    aidd_session: `branch` is only allowed if `action` is `start` or `list`; it is `update`
    aidd_lifecycle_advance: `force` is only allowed if `action` is `advance`; it is `abandon`
    aidd_lifecycle_advance: `to` is only allowed if `action` is `back`; it is `advance`
    aidd_ci_report: `base` is only allowed if `policy` is `false`; it is `true`
    aidd_memory_edit_decision: `confidence` must be from 0 to 1, found 70
    aidd_observation: `discoveryTokens` must be at least 0, found -5
    aidd_memory_search: unknown argument `quary`; did you mean `query`?
    `query` is missing
    aidd_memory_search: `since` is not a time: tomorrow
    hint: use the form 2026-01-05 or 2026-01-05T10:00:00Z
    aidd_memory_context: unknown memory `decision_1_x`
    hint: copy a full id from aidd_memory_search
    aidd_memory_get: `ids` is empty
    hint: get ids from aidd_memory_search or search_recent
    aidd_memory_get: unknown memory `decision_1_x`
    hint: copy a full id from aidd_memory_search
    aidd_memory_add_decision: a decision cannot be empty
    aidd_memory_edit_decision: no change requested
    hint: pass a field in addition to `id`
    aidd_memory_edit_mistake: `decision#1` is a decision, not a mistake
    aidd_memory_prune: `decision#1` is a decision, not a convention
    aidd_memory_import: `../x.json` is outside the project
    hint: pass a path inside the project, relative to its root
    aidd_memory_import: no such file: `gone.json`
    save_decision: `topic` is empty
    hint: pass a topic of one or two words, or use aidd_memory_add_decision
    save_decision: `confidence` must be from 0 to 1, found 5
    save_decision: unknown memory `x`
    hint: copy a full id from aidd_memory_search
    evolve_outcome: `outcome`: expected `SUCCESS`, `FAILED` or `PARTIAL`, found the string "GREAT"
    evolve_supersede: unknown memory `x`
    hint: copy a full id from aidd_memory_search
    load_context: pass either `id` or `topic`
    load_context: no memories on the topic `nothing`
    hint: search the contents with search_by_context
    aidd_lifecycle_status: unknown lifecycle `x`
    hint: list ids with aidd_lifecycle_list
    aidd_lifecycle_init: unknown phase `SYNC`; expected one of UNDERSTAND, PLAN, SPEC, BUILD, VERIFY, SHIP
    aidd_diagnose_error: the error text is empty
    "#);
}

#[test]
fn older_names_accept_their_older_arguments() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let id =
        agent.id("save/decision", json!({"topic": "a", "decision": "Use b", "reasoning": "c"}));
    let failed = json!({"decisionId": id, "outcome": "FAILED", "failure_reason": "slow"});
    agent.data("update_outcome", failed);
    let entry = agent.data("aidd_memory_get", json!({"ids": [id]}))["entries"][0].clone();
    assert_eq!(entry["metadata"]["outcomeReason"], "slow");
    assert_eq!(entry["metadata"]["confidence"], 0.7);
    let checkpoint = json!({"summary": "s", "open_files": ["a.rs"], "next_steps": "go on"});
    agent.data("save.checkpoint", checkpoint);
    let loaded = agent.data("load_checkpoint", json!({}));
    assert_eq!(loaded["checkpoint"]["metadata"]["openFiles"], json!(["a.rs"]));
    let found = agent.data("suggest_decision", json!({"userQuestion": "use b"}));
    assert_eq!(found["results"][0]["id"], json!(id));
    assert_eq!(agent.data("list_decisions", json!({"limit": 1}))["count"], 1);
    // The tool lists only decisions, even if another memory was saved last.
    agent.id("save_insight", json!({"content": "A lesson"}));
    let listed = agent.data("list_decisions", json!({}));
    let kinds: Vec<&str> = listed["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|row| row["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(kinds, ["decision"]);
    let both = json!({"decisionId": id, "id": id, "outcome": "FAILED"});
    assert!(agent.text("update_outcome", both).contains("unknown argument `decisionId`"));
}

/// Every argument of an older name is accepted: it has its old effect, or the result contains a
/// note that it has no effect.
#[test]
fn older_names_accept_all_their_arguments() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let scopes = json!([{"kind": "project", "id": "/x"}]);
    let first_id =
        agent.id("save_decision", json!({"topic": "a", "decision": "b", "reasoning": "c"}));
    let calls = [
        (
            "save_decision",
            json!({"topic": "d", "decision": "e", "reasoning": "f", "confidence": 0.5,
                "type": "user_decision", "outcome": "partial", "evidence": ["log"],
                "alternatives": ["g"], "risks": "h", "scopes": scopes, "event_date": "2026-01-01",
                "item": "i", "actors": [{"person": "p", "role": "r"}],
                "links": [{"id": first_id, "relation": "mentions", "reason": "near"}],
                "replaces": []}),
            &["type", "scopes", "event_date", "item", "actors"][..],
        ),
        (
            "recall_decision",
            json!({"topic": "a", "format": "json", "scopes": scopes}),
            &["format", "scopes"],
        ),
        (
            "suggest_decision",
            json!({"userQuestion": "b", "recencyWeight": 0.3, "disableRecency": true}),
            &["recencyWeight", "disableRecency"],
        ),
        (
            "search_narrative",
            json!({"query": "b", "depth": 0, "limit": 3, "mode": "full", "threshold": 0.7}),
            &["mode", "threshold"],
        ),
        ("list_decisions", json!({"limit": 5, "scopes": scopes}), &["scopes"]),
        (
            "update_outcome",
            json!({"decisionId": first_id, "outcome": "partial", "limitation": "only half"}),
            &[],
        ),
        (
            "save_checkpoint",
            json!({"summary": "s", "open_files": [], "next_steps": "n", "recent_conversation": []}),
            &["recent_conversation"],
        ),
        (
            "load_checkpoint",
            json!({"session_id": "x", "include_narrative": true, "include_links": true,
                "link_depth": 1}),
            &["session_id", "include_narrative", "include_links", "link_depth"],
        ),
    ];
    for (name, arguments, without_effect) in calls {
        let data = agent.data(name, arguments);
        let noted: Vec<&str> = data["notices"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|notice| notice.as_str().expect("text").split('`').nth(1).expect("a name"))
            .collect();
        assert_eq!(noted, without_effect, "{name}");
    }
    let saved = agent.data("recall_decision", json!({"topic": "d"}))["current"][0].clone();
    assert_eq!(saved["metadata"]["outcome"], "PARTIAL");
    assert_eq!(saved["metadata"]["evidence"], json!(["log"]));
    assert_eq!(saved["metadata"]["risks"], "h");
    assert_eq!(saved["links"][0]["relation"], "relates_to");
    let entry = agent.data("aidd_memory_get", json!({"ids": [first_id]}))["entries"][0].clone();
    assert_eq!(entry["metadata"]["outcomeReason"], "only half");
    // If the tool is called by its current name, an argument without effect is rejected as usual.
    assert!(
        agent.text("search_recent", json!({"scopes": []})).contains("unknown argument `scopes`")
    );
}

#[test]
fn outcomes_ignore_case() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let id = agent.id("save_decision", json!({"topic": "a", "decision": "b", "reasoning": "c"}));
    for (input, expected) in [
        ("failed", "FAILED"),
        ("Failed", "FAILED"),
        ("FAILED", "FAILED"),
        ("failure", "FAILED"),
        ("Success", "SUCCESS"),
        (" partial ", "PARTIAL"),
    ] {
        for tool in ["evolve_outcome", "update_outcome"] {
            let result = agent.data(tool, json!({"id": id, "outcome": input}));
            assert_eq!(result["outcome"], expected, "{tool} {input}");
        }
    }
    let error = agent.text("evolve_outcome", json!({"id": id, "outcome": "done"}));
    assert!(error.contains("expected `SUCCESS`, `FAILED` or `PARTIAL`"), "{error}");
}

#[test]
fn similar_and_conflicting_decisions_are_noted() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let tabs = json!({"topic": "style", "decision": "Use tabs", "reasoning": "width"});
    let tabs_id = agent.id("save_decision", tabs.clone());
    let again = agent.data("save_decision", tabs);
    assert_eq!((&again["id"], &again["duplicate"]), (&json!(tabs_id), &json!(true)));
    let spaces = agent.text(
        "save_decision",
        json!({
            "topic": "style", "decision": "Use spaces", "reasoning": "diffs",
            "links": [{"to": tabs_id, "relation": "contradicts"}],
        }),
    );
    insta::assert_snapshot!(spaces, @"
    Saved decision#1.
    note: 2 active decisions on style: decision#2, decision#1
    note: decision#1 contradicts decision#2, and both are active
    ");
    let similar = json!({"decision": "Use PostgreSQL for the event store", "reasoning": "r"});
    agent.data("aidd_memory_add_decision", similar);
    let similar = json!({"decision": "Use PostgreSQL as event store", "reasoning": "r"});
    let similar = agent.text("aidd_memory_add_decision", similar);
    assert!(
        similar
            .contains("note: 100 % similar to decision#4 \"Use PostgreSQL for the event store\""),
        "{similar}"
    );
    let new = json!({"topic": "cache", "decision": "Use Redis", "reasoning": "r"});
    let old = agent.id("save_decision", new);
    let new = json!({"topic": "cache", "decision": "Use Valkey", "reasoning": "r"});
    let new = agent.id("save_decision", new);
    let superseding = json!({"id": old, "decision": "Use nothing", "reasoning": "r"});
    let error = agent.client.text("evolve_supersede", superseding);
    assert!(error.contains(&format!("hint: supersede its successor `{new}`")), "{error}");
    let removed =
        agent.data("aidd_memory_prune", json!({"type": "decision", "id": new, "reason": "r"}));
    assert_eq!(removed["restored"], json!([old]));
}

#[test]
fn secrets_and_private_text_are_never_returned() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let id = agent.id(
        "save_insight",
        json!({
            "content": "The <private>salary of Kim</private> is not ours", "tags": ["a"],
        }),
    );
    let text = agent.text("aidd_memory_get", json!({"ids": [id]}));
    assert!(text.contains("The [REDACTED] is not ours"), "{text}");
}

#[test]
fn a_topic_resolves_to_its_decision() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let decision = json!({"topic": "cache", "decision": "Use Redis", "reasoning": "r"});
    let id = agent.id("save_decision", decision);
    agent.id("save_insight", json!({"topic": "cache", "content": "Redis is fast"}));
    assert_eq!(agent.data("load_context", json!({"topic": "cache"}))["entry"]["id"], json!(id));
}

#[test]
fn adjusted_limits_are_noted() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    agent.id("save_decision", json!({"topic": "a", "decision": "Use b", "reasoning": "c"}));
    let text = agent.text("search_by_context", json!({"query": "b", "limit": 0, "depth": 9}));
    assert!(
        text.contains("`limit` was raised to the minimum, 1")
            && text.contains("`depth` was reduced to the maximum, 5"),
        "{text}"
    );
}

#[test]
fn repeated_saves_write_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let id =
        agent.id("save_decision", json!({"topic": "a", "decision": "Use b", "reasoning": "c"}));
    let outcome = json!({"id": id, "outcome": "FAILED", "reason": "slow"});
    let edit = json!({"id": id, "decision": "Use d", "confidence": 0.9});
    let mut lines = Vec::new();
    for _ in 0..3 {
        agent.data("evolve_outcome", outcome.clone());
        agent.data("aidd_memory_edit_decision", edit.clone());
        let tracked = folder.path().join("ai/memory/decisions.jsonl");
        lines.push(std::fs::read_to_string(tracked).expect("text").lines().count());
    }
    assert_eq!(lines, [3, 3, 3]);
}

/// If the id of the session is missing, the error lists the open sessions. Branch data is rendered
/// with one line per field.
#[test]
fn errors_suggest_the_next_call() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let params = json!({"action": "start", "branch": "b", "aiProvider": provider()});
    let id = agent.id("aidd_session", params);
    let text = agent.client.text("aidd_session", json!({"action": "end"}));
    assert!(text.contains(&format!("open: {id} on b")), "{text}");
    let params = json!({
        "action": "save", "branch": "b", "feature": "orders", "completedTasks": ["route"],
        "pendingTasks": ["validate", "store"],
        "decisions": [{"decision": "Use zod", "reasoning": "it is there"}],
        "errorsEncountered": [{"error": "No table", "fix": "migrate first"}],
    });
    agent.client.text("aidd_branch", params);
    let text = agent.client.text("aidd_branch", json!({"action": "get", "branch": "b"}));
    let details = text.split_once('\n').map(|(_, details)| details.to_owned()).unwrap_or_default();
    insta::assert_snapshot!(details, @"
    feature: orders
    done: route
    pending: validate; store
    decided: Use zod (because: it is there)
    error: No table (fixed by: migrate first)
    ");
}
