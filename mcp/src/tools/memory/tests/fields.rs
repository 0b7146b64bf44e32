//! Tests the fields of results, and arguments that are corrected.

use super::{TestAgent, provider};
use serde_json::json;

#[test]
fn results_have_the_planned_fields() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let session = agent.data(
        "aidd_session",
        json!({"action": "start", "branch": "main", "aiProvider": provider(),
            "summary": "the cache", "note": "ask Mina"}),
    );
    let session = session["id"].as_str().expect("an id").to_owned();
    let record = agent.data("aidd_session", json!({"action": "get", "id": session}));
    assert_eq!(record["session"]["summary"], "the cache");
    assert_eq!(record["session"]["note"], "ask Mina");

    let id = agent.id(
        "aidd_observation",
        json!({"sessionId": session, "type": "context", "title": "The cache lives in Redis",
            "facts": ["one node"], "filesRead": ["src/cache.ts"]}),
    );
    let found = agent.data("aidd_memory_search", json!({"query": "where does the cache live"}));
    let hit = &found["results"][0];
    assert_eq!(hit["id"], json!(id));
    assert_eq!(hit["sessionId"], json!(session));
    assert!(hit["relevanceScore"].as_f64().expect("a number") > 0.0);
    assert!(hit["confidence"].as_f64().expect("a number") > 0.0);
    let entry = agent.data("aidd_memory_get", json!({"ids": [id]}))["entries"][0].clone();
    assert_eq!(entry["facts"], json!(["one node"]));
    assert_eq!(entry["filesRead"], json!(["src/cache.ts"]));
    assert_eq!(entry["metadata"].get("facts"), None);
}

#[test]
fn other_wordings_are_searched() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    for content in ["Sessions are stored in Redis", "Invoices are printed on Mondays"] {
        agent.id("save_decision", json!({"topic": content, "decision": content, "reasoning": "r"}));
    }
    let query = "where is the login remembered";
    let search = |agent: &mut TestAgent, wordings: &[&str]| {
        agent.data("aidd_memory_search", json!({"query": query, "otherWordings": wordings}))
    };
    let found = search(&mut agent, &["session storage", "sessions in Redis"]);
    assert_eq!(found["results"][0]["title"], "Sessions are stored in Redis");
    assert_eq!(found["certainty"], "close");
    let too_many = json!({"query": query, "otherWordings": ["a", "b", "c", "d", "Invoices"]});
    let text = agent.text("aidd_memory_search", too_many);
    assert!(text.contains("only the first 4 of `otherWordings` were searched"), "{text}");
}

#[test]
fn memories_are_found_by_the_questions_that_they_answer() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let questions = ["Where do zebras graze?"];
    let decision =
        json!({"topic": "a", "decision": "Use Redis", "reasoning": "r", "questions": questions});
    let decision = agent.id("save_decision", decision);
    let successor = json!({"id": decision, "decision": "Use Postgres", "reasoning": "r", "questions": questions});
    let calls = [
        ("evolve_supersede", successor),
        (
            "aidd_memory_add_decision",
            json!({"decision": "Use gRPC", "reasoning": "r", "questions": questions}),
        ),
        (
            "aidd_memory_add_mistake",
            json!({"error": "ENOSPC", "rootCause": "c", "fix": "f", "prevention": "p", "questions": questions}),
        ),
        (
            "aidd_memory_add_convention",
            json!({"convention": "Names are short", "example": "x", "questions": questions}),
        ),
        ("save_insight", json!({"content": "Tests are slow on Mondays", "questions": questions})),
    ];
    let mut ids: Vec<String> =
        calls.into_iter().map(|(tool, arguments)| agent.id(tool, arguments)).collect();
    agent.id("save_insight", json!({"content": "Lunch is at noon"}));
    let search = json!({"query": "which zebras graze"});
    let found = agent.data("aidd_memory_search", search.clone());
    let rows = found["results"].as_array().expect("results");
    let mut first: Vec<&str> = rows[..5].iter().filter_map(|row| row["id"].as_str()).collect();
    first.sort_unstable();
    ids.sort_unstable();
    assert_eq!(first, ids, "{found}");
    let text = agent.text("aidd_memory_search", search);
    assert!(
        !text.contains("zebras graze?") && !found.to_string().contains("zebras graze?"),
        "{text}"
    );
    let id = ids.iter().find(|id| id.starts_with("mistake")).expect("a mistake");
    let entry = agent.data("aidd_memory_get", json!({"ids": [id]}))["entries"][0].clone();
    assert_eq!(entry["metadata"]["questions"], json!(questions));
    let edited = json!({"id": id, "questions": ["a?", "b?", "c?", "d?"]});
    let text = agent.text("aidd_memory_edit_mistake", edited);
    assert!(text.contains("`questions` has 4 items; pass at most 3"), "{text}");
}

#[test]
fn memories_are_saved_with_an_earlier_date() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let calls = [
        ("save_decision", json!({"topic": "a", "decision": "b", "reasoning": "c"})),
        ("aidd_memory_add_convention", json!({"convention": "names are short", "example": "x"})),
    ];
    for (tool, mut arguments) in calls {
        arguments["date"] = json!("2025-03-01");
        let id = agent.id(tool, arguments);
        let entry = agent.data("aidd_memory_get", json!({"ids": [id]}))["entries"][0].clone();
        assert!(entry["createdAt"].to_string().contains("1740787200000"), "{entry}");
    }
}

#[test]
fn an_unknown_relation_is_replaced_with_the_nearest() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    let first = agent.id("save_decision", json!({"topic": "a", "decision": "b", "reasoning": "c"}));
    let mut save = |topic: &str, relation: &str| {
        let arguments = json!({"topic": topic, "decision": topic, "reasoning": "r",
            "links": [{"to": first, "relation": relation}]});
        agent.text("save_decision", arguments)
    };
    let text = save("d", "build-on");
    assert!(text.contains("unknown relation `build-on` was saved as `builds_on`"), "{text}");
    let text = save("e", "superseeds");
    assert!(text.contains("was saved as `supersedes`"), "{text}");
    for relation in ["extends", "depends on", "see also"] {
        assert!(save(relation, relation).contains("was saved as `"), "{relation}");
    }
    // Similar words with another meaning must not deactivate a decision.
    for relation in ["supports", "colour"] {
        let text = save("f", relation);
        assert!(text.contains("`links[0]`"), "{text}");
    }
}

#[test]
fn words_for_replacing_supersede_the_linked_decision() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut agent = TestAgent::at(folder.path());
    for (topic, relation) in [("queue", "replaces"), ("cache", "overrides")] {
        let old = json!({"topic": topic, "decision": "old", "reasoning": "r"});
        let old = agent.id("save_decision", old);
        let new = json!({"topic": format!("{topic} again"), "decision": "new", "reasoning": "r",
            "links": [{"to": old, "relation": relation}]});
        let text = agent.text("save_decision", new);
        let note = format!("unknown relation `{relation}` was saved as `supersedes`; ");
        assert!(text.contains(&note) && text.contains("is no longer active"), "{text}");
        let entry = agent.data("aidd_memory_get", json!({"ids": [old]}))["entries"][0].clone();
        assert_eq!(entry["status"], "superseded", "{entry}");
    }
    let first = agent.id("save_decision", json!({"topic": "a", "decision": "b", "reasoning": "c"}));
    let text = agent.text(
        "save_decision",
        json!({"topic": "d", "decision": "e", "reasoning": "f",
        "links": [{"to": first, "relation": "superseded by"}]}),
    );
    assert!(text.contains("would make the new memory inactive"), "{text}");
    assert!(text.contains("save the link on"), "{text}");
}
