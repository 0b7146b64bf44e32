//! Tests the memory tools as a client calls them: a short session, and errors.

mod enforced;
mod fields;
mod layers;
mod models;
mod refusals;

use super::tools;
use crate::catalog::Catalog;
use crate::context::{Context, Setup};
use crate::list::bytes_of;
use crate::profile::Profile;
use crate::server::Server;
use crate::testing::{Client, Era};
use aidd_memory::project::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

/// The names of the tested tools: current names and older names, in several spellings.
const TOOL_NAMES: &[&str] = &[
    "aidd_session",
    "aidd_branch",
    "aidd_memory_search",
    "aidd_memory_context",
    "aidd_memory_get",
    "aidd_memory_add_decision",
    "aidd_memory_add_mistake",
    "aidd_memory_add_convention",
    "aidd_memory_edit_decision",
    "aidd_memory_edit_mistake",
    "aidd_memory_edit_convention",
    "aidd_memory_prune",
    "aidd_memory_export",
    "aidd_memory_import",
    "aidd_observation",
    "aidd_lifecycle_get",
    "aidd_lifecycle_init",
    "aidd_lifecycle_advance",
    "aidd_lifecycle_status",
    "aidd_lifecycle_list",
    "aidd_diagnose_error",
    "aidd_project_health",
    "aidd_model_performance",
    "aidd_model_compare",
    "aidd_model_recommend",
    "save/decision",
    "save/checkpoint",
    "save/insight",
    "load/checkpoint",
    "load/context",
    "search/by_topic",
    "search/by_context",
    "search/recent",
    "evolve/outcome",
    "evolve/supersede",
    "save_decision",
    "save.checkpoint",
    "recall_decision",
    "suggest_decision",
    "list_decisions",
    "update_outcome",
    "search_narrative",
    "load_checkpoint",
];

/// A clock that advances by one second on each call.
fn clock() -> Clock {
    let time = AtomicI64::new(1_763_800_000_000);
    Box::new(move || time.fetch_add(1000, Ordering::Relaxed))
}

fn client(root: &Path) -> Client {
    let context = Context::new(Setup { clock, ..Setup::at(&crate::DISTRIBUTION, root) });
    let catalog = Catalog::new(crate::tools::all(), Profile::Plan);
    Client::new(Server::new(catalog, context), Era::Handshake("2025-11-25"))
}

/// Replaces ids with short names in the order of their appearance: `decision_1763…_0a1b2c3d4e5f`
/// becomes `decision#1`.
#[derive(Default)]
struct Ids {
    known: BTreeMap<String, String>,
}

impl Ids {
    fn shorten_ids(&mut self, text: &str) -> String {
        let mut short = String::new();
        let mut word = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            short.push_str(&self.short_name(&word));
            word.clear();
            short.push(c);
        }
        short.pop();
        short
    }

    fn short_name(&mut self, word: &str) -> String {
        let mut parts = word.rsplitn(3, '_');
        let (hash, time, kind) = (parts.next(), parts.next(), parts.next());
        let is_id = hash.is_some_and(|hash| hash.len() == 12)
            && time
                .is_some_and(|time| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit()));
        let Some(kind) = kind.filter(|_| is_id) else { return word.to_owned() };
        let next = self.known.values().filter(|name| name.starts_with(&format!("{kind}#"))).count();
        let name = || format!("{kind}#{}", next + 1);
        self.known.entry(word.to_owned()).or_insert_with(name).clone()
    }
}

/// A client whose results contain short ids.
struct TestAgent {
    client: Client,
    ids: Ids,
}

impl TestAgent {
    fn at(root: &Path) -> Self {
        Self { client: client(root), ids: Ids::default() }
    }

    fn text(&mut self, tool: &str, arguments: Value) -> String {
        let text = self.client.text(tool, arguments);
        self.ids.shorten_ids(&text)
    }

    /// The data of a successful result.
    fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.client.call(tool, arguments);
        assert_eq!(answer["isError"], false, "{answer}");
        answer["structuredContent"].clone()
    }

    fn id(&mut self, tool: &str, arguments: Value) -> String {
        self.data(tool, arguments)["id"].as_str().expect("an id").to_owned()
    }
}

fn provider() -> Value {
    json!({"provider": "anthropic", "model": "m", "modelId": "m-1", "client": "test"})
}

#[test]
fn every_planned_tool_exists_under_each_of_its_names() {
    let catalog = Catalog::new(crate::tools::all(), Profile::Engine);
    for name in TOOL_NAMES {
        assert!(catalog.find(name).is_ok(), "{name}");
    }
    let mut listed: Vec<&str> = tools().iter().map(|tool| tool.name).collect();
    listed.sort_unstable();
    assert_eq!(listed.len(), 35);
}

#[test]
fn the_tool_list_is_small() {
    let sizes: Vec<(usize, &str)> =
        tools().iter().map(|tool| (bytes_of(tool, Profile::Engine), tool.name)).collect();
    let sum: usize = sizes.iter().map(|(bytes, _)| bytes).sum();
    // The list costs tokens in every conversation, but clear sentences are worth the bytes.
    assert!(sum / sizes.len() <= 640, "{} on average: {sizes:?}", sum / sizes.len());
}

#[test]
fn a_session_is_recorded_from_start_to_merge() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    std::fs::create_dir(root.join("src")).expect("created");
    std::fs::write(root.join("src/login.ts"), "").expect("written");
    let mut agent = TestAgent::at(root);
    let session = json!({
        "action": "start", "branch": "feat/login", "aiProvider": provider(),
        "memorySessionId": "thread-1", "name": "login", "input": "add a login",
    });
    let session = agent.id("aidd_session", session);
    let old = json!({
        "topic": "auth strategy", "decision": "Use JWT in cookies", "reasoning": "no state",
        "sessionId": session,
    });
    let old = agent.id("save_decision", old);
    let mut log = String::new();
    let mut call = |agent: &mut TestAgent, tool: &str, arguments: Value| {
        let text = agent.text(tool, arguments);
        log.push_str(&format!("== {tool}\n{text}\n"));
    };
    call(&mut agent, "aidd_memory_get", json!({"ids": [old, "decision_1_gone"]}));
    call(
        &mut agent,
        "aidd_observation",
        json!({
            "sessionId": session, "type": "tool_outcome", "title": "unit tests",
            "command": "npm test", "exitCode": 0,
        }),
    );
    call(
        &mut agent,
        "aidd_memory_add_mistake",
        json!({
            "error": "TypeError: user is undefined\n    at login (/ci/app/src/login.ts:3:9)",
            "rootCause": "the session had expired", "fix": "ask to log in again",
            "prevention": "type the session as optional", "sessionId": session,
        }),
    );
    call(&mut agent, "evolve/outcome", json!({"id": old, "outcome": "FAILED", "reason": "theft"}));
    call(
        &mut agent,
        "evolve/supersede",
        json!({
            "id": old, "decision": "Switch to server side sessions", "reasoning": "they can be ended",
        }),
    );
    call(&mut agent, "recall_decision", json!({"topic": "Auth-Strategy"}));
    call(&mut agent, "search/by_topic", json!({"topic": "auth strategies"}));
    call(&mut agent, "aidd_memory_search", json!({"query": "sessions", "type": "decision"}));
    call(&mut agent, "aidd_memory_search", json!({"query": "", "limit": 900, "superseded": true}));
    call(&mut agent, "aidd_memory_context", json!({"anchor": old, "depth": 1}));
    call(&mut agent, "load_context", json!({"topic": "auth strategy"}));
    call(
        &mut agent,
        "aidd_diagnose_error",
        json!({
            "error": "TypeError: user is undefined\n    at login (/home/x/app/src/login.ts:7:2)",
        }),
    );
    call(
        &mut agent,
        "aidd_session",
        json!({
            "action": "update", "id": session, "tasksPending": ["docs"],
            "decisions": [{"decision": "Sessions last a day", "reasoning": "asked for"}],
        }),
    );
    call(
        &mut agent,
        "save_checkpoint",
        json!({
            "summary": "Login works", "nextSteps": ["docs"], "sessionId": session,
        }),
    );
    call(&mut agent, "load/checkpoint", json!({}));
    call(&mut agent, "aidd_session", json!({"action": "end", "id": session, "output": "a login"}));
    call(&mut agent, "aidd_branch", json!({"action": "merge", "branch": "feat/login"}));
    call(&mut agent, "aidd_memory_export", json!({}));
    call(&mut agent, "aidd_memory_import", json!({}));
    call(&mut agent, "list_decisions", json!({"limit": 2}));
    call(&mut agent, "aidd_project_health", json!({}));
    insta::assert_snapshot!(log, @"
    == aidd_memory_get
    decision#1 2025-11-22 active on auth strategy
    Use JWT in cookies
    confidence: 0.7
    reasoning: no state

    note: unknown memory decision_1_gone
    == aidd_observation
    Saved tool_outcome#1.
    == aidd_memory_add_mistake
    Saved mistake#1.
    == evolve/outcome
    decision#1: FAILED.
    == evolve/supersede
    Saved decision#2.
    decision#2 supersedes decision#1.
    == recall_decision
    decision#2 2025-11-22 active on auth strategy
    Switch to server side sessions
    confidence: 0.7
    reasoning: they can be ended
    decision#2 supersedes decision#1
    earlier: decision#1 2025-11-22 Use JWT in cookies [FAILED: theft]
    == search/by_topic
    No memories on auth strategies.
    similar topics: auth strategy
    == aidd_memory_search
    1:
    decision#2 2025-11-22 auth strategy: Switch to server side sessions | they can be ended
    == aidd_memory_search
    4:
    decision#2 2025-11-22 auth strategy: Switch to server side sessions | they can be ended
    mistake#1 2025-11-22 TypeError: user is undefined | at login (/ci/app/src/login.ts:3:9)
    tool_outcome#1 2025-11-22 unit tests | npm test
    decision#1 2025-11-22 auth strategy: Use JWT in cookies | theft [FAILED: theft] [superseded by decision#2]
    note: `limit` was reduced to the maximum, 100
    == aidd_memory_context
    > decision#1 2025-11-22 auth strategy: Use JWT in cookies | theft [FAILED: theft] [superseded by decision#2]
    tool_outcome#1 2025-11-22 unit tests | npm test
    == load_context
    decision#2 2025-11-22 active on auth strategy
    Switch to server side sessions
    confidence: 0.7
    reasoning: they can be ended
    decision#2 supersedes decision#1
    1 supersedes: decision#1 superseded Use JWT in cookies [FAILED: theft]
    == aidd_diagnose_error
    TypeError: user is undefined (type)
    in src/login.ts:7 login
    Which value has an unexpected type, and where is it created?
    1 of 1 known mistakes are similar:
    100 % mistake#1 (1x) TypeError: user is undefined
      cause: the session had expired
      fix: ask to log in again
      prevention: type the session as optional
    == aidd_session
    session#1 has 1 decision, 0 errors, 0 files, 1 pending task.
    == save_checkpoint
    Saved checkpoint#1; resume with load_checkpoint.
    == load/checkpoint
    checkpoint#1 2025-11-22 active
    Login works
    nextSteps: docs
    branch: feat/login
    open session: session#1
    pending: docs
    == aidd_session
    Ended session#1. Tokens: estimated.
    Added 1 decision and 0 errors to the branch feat/login.
    decisions: Sessions last a day
    == aidd_branch
    Merged feat/login; its context is archived in .aidd/branches/archive/feat-login~1a9c52cdceff.json.
    now permanent: decision#3
    was pending: docs
    == aidd_memory_export
    0 lines written; ai/memory contains 3 decisions, 1 mistake and 0 conventions. Commit ai/memory to share these memories.
    == aidd_memory_import
    Lines: 0 new, 0 removed.
    == list_decisions
    2:
    decision#3 2025-11-22 Sessions last a day | asked for
    decision#2 2025-11-22 auth strategy: Switch to server side sessions | they can be ended
    == aidd_project_health
    Not enough data for an overall score: 1 ended session.
    sessionSuccess: not enough data, fewer than 3 samples (1 sample, 1 of them measured): sessions whose tests passed and whose commits were not reverted
    complianceAvg: not enough data, fewer than 3 samples (0 samples, 0 of them measured): checks that passed when they last ran in a session
    errorRecurrence: not enough data, fewer than 3 samples (1 sample, 1 of them measured): mistakes that occurred only once
    modelConsistency: not enough data, fewer than 3 samples (0 samples, 0 of them measured): 100 minus the mean standard deviation of compliance within each model
    memoryUtilization: not enough data, fewer than 3 samples (1 sample, 1 of them measured): sessions that recorded a decision or a fixed error
    ");
}

#[test]
fn phases_are_completed_with_evidence() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    std::fs::write(root.join("story.md"), "Given a user\nWhen they ask\nThen they get\n")
        .expect("written");
    let mut agent = TestAgent::at(root);
    let session = json!({"action": "start", "branch": "feat/x", "aiProvider": provider()});
    let session = agent.id("aidd_session", session);
    let id = agent.id("aidd_lifecycle_init", json!({"feature": "x", "sessionId": session}));
    let error = agent.text("aidd_lifecycle_advance", json!({
        "lifecycleId": id, "evidence": {"acceptance": {"file": "story.md"}, "edges": {"file": "gone.md"}},
    }));
    insta::assert_snapshot!(error, @"
    error: UNDERSTAND is not complete:
    - context NOT met: The context is loaded (no evidence was supplied); evidence: the id of a memory, or a file, or a note
    - requirements NOT met: The requirements are clear (no evidence was supplied); evidence: a file, or the id of a memory, or a note
    - acceptance met: Acceptance criteria are written as given, when, then (the file `story.md`)
    - edges NOT met: Edge cases are listed (file `gone.md` does not exist); evidence: a file, or the id of a memory, or a note
    hint: pass `evidence` by criterion key; record a check run with aidd_observation, type tool_outcome, with command and exitCode; or pass `force` with `reason`
    ");
    let error_text = agent.text(
        "aidd_lifecycle_advance",
        json!({
            "lifecycleId": id, "evidence": {"all": "yes"},
        }),
    );
    assert_eq!(
        error_text,
        "error: `all` is not an exit criterion of UNDERSTAND; expected one of context, requirements, acceptance, edges"
    );
    let advanced = agent.data("aidd_lifecycle_advance", json!({
        "lifecycleId": id, "notes": "clear",
        "evidence": {
            "context": {"note": "read the last checkpoint"}, "requirements": "one page, no more",
            "acceptance": "story.md", "edges": {"note": "no user, two users"},
        },
    }));
    assert_eq!((&advanced["currentPhase"], &advanced["progress"]), (&json!("PLAN"), &json!("1/6")));
    let error_text =
        agent.text("aidd_lifecycle_advance", json!({"lifecycleId": id, "force": true}));
    assert_eq!(error_text, "error: `reason` is missing\nhint: state the reason; it is recorded");
    for _ in 0..2 {
        let forced = json!({"lifecycleId": id, "force": true, "reason": "a spike"});
        agent.data("aidd_lifecycle_advance", forced);
    }
    for (title, command, exit_code) in [("build", "cargo build", 0), ("tests", "cargo test", 1)] {
        agent.data(
            "aidd_observation",
            json!({
                "sessionId": session, "type": "tool_outcome", "title": title,
                "command": command, "exitCode": exit_code,
            }),
        );
    }
    agent.data(
        "aidd_branch",
        json!({
            "action": "save", "branch": "feat/x", "completedTasks": ["a"], "pendingTasks": [],
        }),
    );
    insta::assert_snapshot!(agent.text("aidd_lifecycle_status", json!({"lifecycleId": id})), @r"
    lifecycle#1 x active 3/6 in BUILD
    - tasks met: All tasks are done (1 completed tasks of `feat/x`, none pending)
    - compiles met: The code compiles (`tool_outcome#1` passed: build)
    - types met: There are no type errors (`tool_outcome#1` passed: build)
    UNDERSTAND 2025-11-22 - 2025-11-22 clear
    PLAN 2025-11-22 - 2025-11-22 forced: a spike
    SPEC 2025-11-22 - 2025-11-22 forced: a spike
    BUILD 2025-11-22
    ");
    let back = json!({"lifecycleId": id, "action": "back", "to": "SPEC", "reason": "it differs"});
    assert_eq!(agent.data("aidd_lifecycle_advance", back)["currentPhase"], "SPEC");
    let abandon = json!({"lifecycleId": id, "action": "abandon", "reason": "moot"});
    assert_eq!(agent.data("aidd_lifecycle_advance", abandon)["status"], "abandoned");
    let listed = agent.data("aidd_lifecycle_list", json!({"status": "abandoned"}));
    assert_eq!((&listed["count"], &listed["lifecycles"][0]["id"]), (&json!(1), &json!(id)));
    let phases = agent.data("aidd_lifecycle_get", json!({}));
    assert_eq!(phases["totalPhases"], 6);
}

#[test]
fn a_search_result_is_small() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    for (n, topic) in ["sessions", "queues", "caches", "tokens", "uploads"].iter().enumerate() {
        agent.id("save_decision", json!({
            "topic": format!("storage of {topic}"),
            "decision": format!("Keep {topic} in PostgreSQL with a lease of {n} minutes, so that a \
                                 worker that dies gives them back and none is lost or done twice"),
            "reasoning": format!("We run PostgreSQL anyway; a broker for {topic} is one more thing \
                                  to watch at night, and the load is far below what it can take"),
        }));
    }
    let query = json!({"query": "postgresql lease for workers"});
    let found = agent.data("aidd_memory_search", query.clone());
    let hits = found["results"].as_array().expect("hits");
    assert_eq!(hits.len(), 5);
    // A token has about four characters on average.
    let tokens = |chars: usize| chars / 4 / hits.len();
    let data = tokens(found["results"].to_string().len());
    let text = tokens(agent.client.text("aidd_memory_search", query).len());
    assert!((30..=100).contains(&data) && (30..=100).contains(&text), "{data} {text}");
}
