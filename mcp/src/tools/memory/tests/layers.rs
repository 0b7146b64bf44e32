//! Memories that agents see as project knowledge: observations of a session on a branch are
//! excluded, and failed decisions are marked as failed.

use super::{TestAgent, provider};
use serde_json::{Value, json};

impl TestAgent {
    /// The text of a resource.
    fn page(&mut self, uri: &str) -> String {
        let answer = self.client.request("resources/read", json!({"uri": uri}));
        answer["result"]["contents"][0]["text"].as_str().expect("text").to_owned()
    }

    /// Every output that presents project knowledge, with the name of the tool or resource.
    fn outputs(&mut self, task: &str) -> Vec<(&'static str, String)> {
        let heuristics = json!({"decision": task, "stakes": "catastrophic", "limit": 10});
        vec![
            (
                "bootstrap",
                self.text("aidd_bootstrap", json!({"task": task, "tokenBudget": "full"})),
            ),
            ("optimize", self.text("aidd_optimize_context", json!({"task": task, "budget": 9000}))),
            ("heuristics", self.text("aidd_apply_heuristics", heuristics)),
            ("resource", self.page("aidd://memory/decisions")),
        ]
    }

    /// Records a decision as an observation of a new session on a branch; returns the ids of the
    /// session and of the observation.
    fn observe_decision(&mut self, title: &str) -> (String, String) {
        let start = json!({"action": "start", "branch": "feature/login", "aiProvider": provider()});
        let session = self.id("aidd_session", start);
        let seen = json!({"sessionId": session, "type": "decision", "title": title});
        let id = self.id("aidd_observation", seen);
        (session, id)
    }
}

#[test]
fn branch_decisions_become_project_knowledge_exactly_once_after_the_merge() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let decision = json!({"topic": "store", "decision": "Use PostgreSQL", "reasoning": "joins"});
    agent.id("save_decision", decision);
    let (session, observed) = agent.observe_decision("Keep the carts in MongoDB");
    for (name, text) in agent.outputs("Keep the carts in MongoDB") {
        // The answer can repeat the task itself.
        let is_listed =
            text.lines().any(|line| line.contains("MongoDB") && line.contains("[decision"));
        assert!(!is_listed && !text.contains(&observed), "{name}: {text}");
        assert!(!text.contains("observed in a session"), "{name}: {text}");
    }
    assert!(!agent.page("aidd://memory/decisions").contains("MongoDB"));
    // A search finds the observation, with its source.
    let found = agent.text("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    assert!(found.contains("[observed in a session on feature/login]"), "{found}");
    let data = agent.data("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    assert_eq!(data["results"][0]["layer"], "session", "{data}");
    agent.data("aidd_session", json!({"action": "end", "id": session}));
    assert!(!agent.page("aidd://memory/decisions").contains("MongoDB"));
    agent.data("aidd_branch", json!({"action": "merge", "branch": "feature/login"}));
    assert_eq!(agent.page("aidd://memory/decisions").matches("Keep the carts").count(), 1);
    let found = agent.data("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    let hits = found["results"].as_array().expect("hits");
    let matching = hits.iter().filter(|hit| hit["title"] == "Keep the carts in MongoDB");
    let matching: Vec<&Value> = matching.collect();
    assert_eq!(matching.len(), 1, "{found}");
    assert_ne!(matching[0]["id"], Value::from(observed));
    let start = agent.text("aidd_bootstrap", json!({"tokenBudget": "full"}));
    assert_eq!(start.matches("Keep the carts in MongoDB").count(), 1, "{start}");
}

#[test]
fn failed_decisions_are_marked_with_their_reason_everywhere() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let save = |agent: &mut TestAgent, topic: &str, decision: &str| {
        let decision = json!({"topic": topic, "decision": decision, "reasoning": "no state"});
        agent.id("save_decision", decision)
    };
    let text = "Sessions live in signed cookies";
    let failed = save(&mut agent, "auth", text);
    let partial = save(&mut agent, "cache", "Cache the sessions in Redis");
    let reason = json!({"id": failed, "outcome": "FAILED", "reason": "cookies grew over 4 KB"});
    agent.id("evolve_outcome", reason);
    let reason = json!({"id": partial, "outcome": "PARTIAL", "reason": "evictions at noon"});
    agent.id("evolve_outcome", reason);
    let mark = "[FAILED: cookies grew over 4 KB]";
    for (name, output) in agent.outputs("Where do sessions live, signed cookies or Redis?") {
        // A resource is Markdown, with brackets escaped.
        let output = output.replace("\\[", "[").replace("\\]", "]");
        for line in output.lines().filter(|line| line.contains(text) && !line.contains("? ")) {
            assert!(line.contains(mark), "{name}: {line}");
        }
        assert!(output.contains(mark), "{name}: {output}");
        assert!(output.contains("[PARTIAL: evictions at noon]"), "{name}: {output}");
        let active_section = output.split("hold").nth(1).unwrap_or_default().split('#').next();
        assert!(!active_section.unwrap_or_default().contains(text), "{name}: {output}");
    }
    for (tool, arguments) in [
        ("aidd_memory_search", json!({"query": "signed cookies"})),
        ("search_by_context", json!({"query": "signed cookies"})),
        ("search_by_topic", json!({"topic": "Auth"})),
        ("search_recent", json!({})),
        ("load_context", json!({"topic": "auth"})),
        ("aidd_memory_get", json!({"ids": [failed]})),
        ("aidd_memory_context", json!({"anchor": partial})),
        // A repeated decision is recognised and marked as failed.
        ("save_decision", json!({"topic": "auth", "decision": text, "reasoning": "no state"})),
    ] {
        let text_of_result = agent.text(tool, arguments);
        assert!(text_of_result.contains(mark), "{tool}: {text_of_result}");
    }
    let data = agent.data("aidd_memory_search", json!({"query": "signed cookies"}));
    assert_eq!(data["results"][0]["outcomeReason"], "cookies grew over 4 KB", "{data}");
    // The successor is shown, and the earlier decision is marked as failed.
    let successor =
        json!({"id": failed, "decision": "Sessions live in Redis", "reasoning": "size"});
    agent.id("evolve_supersede", successor);
    let text_of_result = agent.text("search_by_topic", json!({"topic": "auth"}));
    assert!(text_of_result.contains(&format!("{text} {mark}")), "{text_of_result}");
}
