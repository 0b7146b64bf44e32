//! What agents see as project knowledge: no notes of a session on a branch, and no failed decision
//! as if it were active.

use super::{Day, provider};
use serde_json::{Value, json};

impl Day {
    /// The text of a resource.
    fn page(&mut self, uri: &str) -> String {
        let answer = self.client.request("resources/read", json!({"uri": uri}));
        answer["result"]["contents"][0]["text"].as_str().expect("text").to_owned()
    }

    /// Every surface that presents project knowledge, by name.
    fn surfaces(&mut self, task: &str) -> Vec<(&'static str, String)> {
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

    /// A session on a branch that observed a decision, and the observation.
    fn observed(&mut self, title: &str) -> (String, String) {
        let start = json!({"action": "start", "branch": "feature/login", "aiProvider": provider()});
        let session = self.id("aidd_session", start);
        let seen = json!({"sessionId": session, "type": "decision", "title": title});
        let id = self.id("aidd_observation", seen);
        (session, id)
    }
}

#[test]
fn branch_decisions_become_project_knowledge_once_after_the_merge() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut day = Day::at(folder.path());
    let decided = json!({"topic": "store", "decision": "Use PostgreSQL", "reasoning": "joins"});
    day.id("save_decision", decided);
    let (session, observed) = day.observed("Keep the carts in MongoDB");
    for (surface, text) in day.surfaces("Keep the carts in MongoDB") {
        // The task itself can be repeated.
        let noted = text.lines().any(|line| line.contains("MongoDB") && line.contains("[decision"));
        assert!(!noted && !text.contains(&observed), "{surface}: {text}");
        assert!(!text.contains("observed in a session"), "{surface}: {text}");
    }
    assert!(!day.page("aidd://memory/decisions").contains("MongoDB"));
    // A search finds it, with its source.
    let found = day.text("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    assert!(found.contains("[observed in a session on feature/login]"), "{found}");
    let data = day.data("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    assert_eq!(data["results"][0]["layer"], "session", "{data}");
    day.data("aidd_session", json!({"action": "end", "id": session}));
    assert!(!day.page("aidd://memory/decisions").contains("MongoDB"));
    day.data("aidd_branch", json!({"action": "merge", "branch": "feature/login"}));
    assert_eq!(day.page("aidd://memory/decisions").matches("Keep the carts").count(), 1);
    let found = day.data("aidd_memory_search", json!({"query": "carts in MongoDB"}));
    let hits = found["results"].as_array().expect("hits");
    let titled = hits.iter().filter(|hit| hit["title"] == "Keep the carts in MongoDB");
    let titled: Vec<&Value> = titled.collect();
    assert_eq!(titled.len(), 1, "{found}");
    assert_ne!(titled[0]["id"], Value::from(observed));
    let start = day.text("aidd_bootstrap", json!({"tokenBudget": "full"}));
    assert_eq!(start.matches("Keep the carts in MongoDB").count(), 1, "{start}");
}

#[test]
fn failed_decisions_are_marked_with_their_reason_everywhere() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut day = Day::at(folder.path());
    let save = |day: &mut Day, topic: &str, decision: &str| {
        let decided = json!({"topic": topic, "decision": decision, "reasoning": "no state"});
        day.id("save_decision", decided)
    };
    let text = "Sessions live in signed cookies";
    let bad = save(&mut day, "auth", text);
    let half = save(&mut day, "cache", "Cache the sessions in Redis");
    let reason = json!({"id": bad, "outcome": "FAILED", "reason": "cookies grew over 4 KB"});
    day.id("evolve_outcome", reason);
    let reason = json!({"id": half, "outcome": "PARTIAL", "reason": "evictions at noon"});
    day.id("evolve_outcome", reason);
    let mark = "[FAILED: cookies grew over 4 KB]";
    for (surface, shown) in day.surfaces("Where do sessions live, signed cookies or Redis?") {
        // A resource is Markdown, with brackets escaped.
        let shown = shown.replace("\\[", "[").replace("\\]", "]");
        for line in shown.lines().filter(|line| line.contains(text) && !line.contains("? ")) {
            assert!(line.contains(mark), "{surface}: {line}");
        }
        assert!(shown.contains(mark), "{surface}: {shown}");
        assert!(shown.contains("[PARTIAL: evictions at noon]"), "{surface}: {shown}");
        let held = shown.split("hold").nth(1).unwrap_or_default().split('#').next();
        assert!(!held.unwrap_or_default().contains(text), "{surface}: {shown}");
    }
    for (tool, arguments) in [
        ("aidd_memory_search", json!({"query": "signed cookies"})),
        ("search_by_context", json!({"query": "signed cookies"})),
        ("search_by_topic", json!({"topic": "Auth"})),
        ("search_recent", json!({})),
        ("load_context", json!({"topic": "auth"})),
        ("aidd_memory_get", json!({"ids": [bad]})),
        ("aidd_memory_context", json!({"anchor": half})),
        // Decided again, it is known and marked as failed.
        ("save_decision", json!({"topic": "auth", "decision": text, "reasoning": "no state"})),
    ] {
        let said = day.text(tool, arguments);
        assert!(said.contains(mark), "{tool}: {said}");
    }
    let data = day.data("aidd_memory_search", json!({"query": "signed cookies"}));
    assert_eq!(data["results"][0]["outcomeReason"], "cookies grew over 4 KB", "{data}");
    // The successor is shown, with the earlier decision as failed.
    let better = json!({"id": bad, "decision": "Sessions live in Redis", "reasoning": "size"});
    day.id("evolve_supersede", better);
    let said = day.text("search_by_topic", json!({"topic": "auth"}));
    assert!(said.contains(&format!("{text} {mark}")), "{said}");
}
