use super::*;
use crate::kinds::{self, Decision, Observation};
use aidd_engine::parse::lines::types::{Outcome, Relation};
use serde_json::json;

fn read_value(name: &str, value: &Value) -> ImportedFile {
    read(name, value.to_string().as_bytes(), None).expect("a format")
}

#[test]
fn lines_and_entries_of_aidd_are_read() {
    let decision = Revision::first(Kind::Decision, "decision_1_a".into(), 1, "a").with_rev();
    let insight = entry(Kind::Insight, 5, "x", "y", "lesson".into());
    let text = format!(
        "{}\n<<<<<<< HEAD\n{}\n{{\"id\":\n{}\n",
        decision.line(),
        json!(insight),
        r#"{"id":"pattern_1_a","type":"pattern","content":"p"}"#
    );
    let read = read("x.jsonl", text.as_bytes(), None).expect("a format");
    assert_eq!(
        (read.format, &*read.revisions, &*read.entries),
        (Format::Aidd, &[decision][..], &[insight][..])
    );
    let positions: Vec<&str> = read.skipped.iter().map(|skipped| &*skipped.position).collect();
    assert_eq!(positions, ["line 4", "line 5"]);
}

#[test]
fn older_files_are_recognised_by_their_lists_or_names() {
    let export = json!({
        "decisions": [{"decision": "Use SQLite", "date": "2026-02-05", "rationale": "r"}],
        "mistakes": [{"error": "boom", "fix": "f"}, 3],
    });
    let read = read_value("export.json", &export);
    let contents: Vec<&str> = read.revisions.iter().map(|revision| &*revision.content).collect();
    assert_eq!((read.format, contents), (Format::Older, vec!["Use SQLite", "boom"]));
    assert_eq!(read.skipped[0].why, "item 2 is not a mistake");
    let named = read_value("old/conventions.json", &json!([{"title": "Name files in kebab-case"}]));
    assert_eq!(named.revisions[0].kind, Kind::Convention);
    let typed = read_value("x.json", &json!([{"error": "boom"}]));
    assert_eq!(typed.revisions[0].kind, Kind::Mistake);
}

#[test]
fn lines_of_the_older_format_are_read() {
    let current = Revision::first(Kind::Decision, "decision_1_a".into(), 1, "ours").with_rev();
    let lines = [
        r#"{"decision":"Use SQLite","reasoning":"x","id":"m0","type":"decision","at":7}"#,
        r#"{"error":"boom","fix":"f"}"#,
        r#"{"convention":"kebab-case","type":"convention","content":""}"#,
        r#"{"decision":"Use SQLite","reasoning":"x","id":"m0","type":"decision","at":7}"#,
        &current.line(),
        r#"{"decision":3,"id":"m1","type":"decision"}"#,
        "",
    ];
    let read = read("old.jsonl", lines.join("\n").as_bytes(), None).expect("a format");
    let contents: Vec<(Kind, &str)> =
        read.revisions.iter().map(|revision| (revision.kind, &*revision.content)).collect();
    assert_eq!(read.format, Format::Older);
    assert_eq!(
        contents,
        [
            (Kind::Decision, "Use SQLite"),
            (Kind::Mistake, "boom"),
            (Kind::Convention, "kebab-case"),
            (Kind::Decision, "ours"),
        ]
    );
    assert_eq!((read.revisions[0].at, &read.revisions[0].metadata["reasoning"]), (7, &json!("x")));
    let skipped: Vec<(&str, &str)> =
        read.skipped.iter().map(|skipped| (&*skipped.position, &*skipped.why)).collect();
    assert_eq!(skipped, [("line 6", "decision without `content`; rename `decision` to `content`")]);
    // A single memory, on one line and on several lines.
    for text in [lines[1].to_owned(), "{\n\"error\": \"boom\",\n\"fix\": \"f\"\n}".to_owned()] {
        let read_alone = super::read("one.json", text.as_bytes(), None).expect("a format");
        assert_eq!(
            (read_alone.format, &read_alone.revisions[..]),
            (Format::Older, &read.revisions[1..2])
        );
    }
    let current =
        super::read("x", current.line().as_bytes(), Some(Format::Older)).expect_err("current");
    assert!(current.to_string().contains("contains no decisions"), "{current}");
}

#[test]
fn decisions_of_mama_retain_their_links() {
    let rows = json!({"decisions": [
        {"id": "decision_auth_1", "topic": "auth", "decision": "JWT", "reasoning": "simple",
         "confidence": 0.7, "outcome": "failed", "failure_reason": "too large",
         "created_at": 1_763_800_000_000_i64, "supersedes": null},
        {"id": "decision_auth_2", "topic": "auth", "decision": "Sessions", "outcome": "pending",
         "created_at": 1_763_900_000_i64, "supersedes": "[\"decision_auth_1\", \"gone\"]"},
        {"id": 7, "topic": "tabs", "decision": "Likes tabs", "kind": "preference"},
        {"topic": "none"},
    ], "checkpoints": [{"id": 12, "summary": "Half done", "open_files": "[\"a.rs\"]",
        "next_steps": "tests", "timestamp": 1_763_900_000_000_i64}]});
    let read = read_value("mama.json", &rows);
    assert_eq!(read.format, Format::Mama);
    let [first, second] = &read.revisions[..] else { panic!("{:?}", read.revisions) };
    let body: Decision = kinds::typed(&first.metadata).expect("a decision");
    assert_eq!(
        (body.outcome, body.outcome_reason.as_deref()),
        (Some(Outcome::Failed), Some("too large"))
    );
    assert_eq!((&*body.reasoning, body.confidence), ("simple", Some(0.7)));
    assert_eq!(second.at, 1_763_900_000_000);
    assert_eq!(second.metadata["statedOutcome"], "pending");
    assert_eq!((second.links[0].relation, &second.links[0].to), (Relation::Supersedes, &first.id));
    assert_eq!(second.links.len(), 1);
    let kinds: Vec<Kind> = read.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [Kind::Preference, Kind::Checkpoint]);
    assert_eq!(read.entries[1].metadata["openFiles"], json!(["a.rs"]));
    assert_eq!(read.skipped.len(), 1);
    assert_eq!(read_value("mama.json", &rows["decisions"]).revisions, read.revisions);
}

#[test]
fn decisions_of_memory_v2_retain_their_links_and_times() {
    let log = [
        r#"{"schema":"aidd.memory.decision.v1","ts":"2026-02-14T09:30:00Z","ticket":"T-1","scope_key":"api","stage":"plan","decision_id":"aaa","topic":"auth","decision":"JWT","alternatives":["sessions"],"rationale":"simple","source_path":"docs/prd.md","status":"active"}"#,
        r#"{"schema":"aidd.memory.decision.v1","ts":"2026-02-15T09:30:00Z","decision_id":"bbb","topic":"auth","decision":"Sessions","status":"active","supersedes":"aaa"}"#,
        r#"{"schema":"aidd.memory.decision.v1","ts":1771234200,"decision_id":"ccc","topic":"queue","decision":"Kafka","status":"active"}"#,
        // The same id again is a later state of the decision.
        r#"{"schema":"aidd.memory.decision.v1","ts":1771234300,"decision_id":"ccc","topic":"queue","decision":"Kafka","rationale":"too big","status":"rejected"}"#,
        // The other format has a title, a list of superseded decisions and a creation time.
        r#"{"decision_id":"DEC-1","title":"auth","decision":"Passkeys","created_at":"2026-03-16T00:00:00Z","status":"active","supersedes":["bbb","zzz"],"conflicts_with":["ccc"],"tags":["x"]}"#,
        "not JSON",
    ];
    let read = read("T-1.decisions.jsonl", log.join("\n").as_bytes(), None).expect("a format");
    assert_eq!(read.format, Format::MemoryV2);
    let [jwt, sessions, kafka, again, passkeys] = &read.revisions[..] else {
        panic!("{:#?}", read.revisions)
    };
    let times = [jwt, sessions, kafka, again, passkeys].map(|revision| revision.at);
    assert_eq!(
        times,
        [
            1_771_061_400_000,
            1_771_147_800_000,
            1_771_234_200_000,
            1_771_234_300_000,
            1_773_619_200_000
        ]
    );
    let links_of = |revision: &Revision| -> Vec<(Relation, String)> {
        revision.links.iter().map(|link| (link.relation, link.to.clone())).collect()
    };
    assert_eq!(links_of(sessions), [(Relation::Supersedes, jwt.id.clone())]);
    assert_eq!(
        links_of(passkeys),
        [(Relation::Supersedes, sessions.id.clone()), (Relation::Contradicts, kafka.id.clone())]
    );
    let body: Decision = kinds::typed(&jwt.metadata).expect("a decision");
    assert_eq!((&*body.reasoning, body.alternatives), ("simple", vec![json!("sessions")]));
    let origin = [body.ticket, body.scope_key, body.stage, body.source_path];
    let expected = ["T-1", "api", "plan", "docs/prd.md"].map(|text| Some(text.to_owned()));
    assert_eq!(origin, expected);
    assert_eq!(passkeys.topic.as_deref(), Some("auth"));
    // Both lines of the rejected decision are one memory, which is not active.
    assert_eq!((&again.id, &again.parents), (&kafka.id, &vec![kafka.rev.clone()]));
    assert_eq!((again.op, &again.metadata["status"]), (log::Op::Put, &json!("rejected")));
    assert!(!kafka.metadata.contains_key("status"));
    let skipped: Vec<&str> = read.skipped.iter().map(|skipped| &*skipped.position).collect();
    assert_eq!(skipped, ["line 6", "zzz"]);
}

#[test]
fn an_export_of_claude_mem_is_read() {
    let export = json!({
        "exportedAt": "2026-01-01T00:00:00Z", "exportedAtEpoch": 1, "query": "x",
        "observations": [
            {"id": 1, "memory_session_id": "s", "type": "bugfix", "title": "Fixed the watcher",
             "facts": "[\"ENOSPC\"]", "narrative": "story", "concepts": ["inotify"],
             "files_modified": "[\"vite.config.ts\"]", "discovery_tokens": 900,
             "created_at": "2026-01-01T00:00:00.000Z", "created_at_epoch": 1_767_225_600_000_i64},
            {"id": 2, "type": "discovery"},
        ],
        "summaries": [{"id": 4, "request": "fix it", "completed": "fixed", "next_steps": "ship",
            "created_at_epoch": 1_767_225_600_000_i64}],
        "sessions": [], "prompts": [{"id": 1}],
    });
    let read = read_value("memories.json", &export);
    assert_eq!((read.format, read.entries.len(), read.skipped.len()), (Format::ClaudeMem, 2, 2));
    let first = &read.entries[0];
    let body: Observation = kinds::typed(&first.metadata).expect("an observation");
    assert_eq!((first.kind, first.created_at), (Kind::Mistake, 1_767_225_600_000));
    assert_eq!(
        (&*body.facts, &*body.files_modified),
        (&["ENOSPC".to_owned()][..], &["vite.config.ts".to_owned()][..])
    );
    assert_eq!((body.discovery_tokens, first.session_id.as_deref()), (Some(900), Some("s")));
    assert_eq!((&*read.entries[1].content, read.entries[1].kind), ("fixed", Kind::Checkpoint));
}

#[test]
fn a_knowledge_graph_is_read_as_lines_and_as_one_object() {
    let lines = "{\"type\":\"entity\",\"name\":\"Auth\",\"entityType\":\"component\",\"observations\":[\"uses JWT\",\"by Kim\"]}\n\
        {\"type\":\"entity\",\"name\":\"Empty\",\"entityType\":\"x\",\"observations\":[]}\n\
        {\"type\":\"relation\",\"from\":\"Auth\",\"to\":\"Redis\",\"relationType\":\"depends_on\"}\n\nnonsense\n";
    let read = read("memory.jsonl", lines.as_bytes(), None).expect("a format");
    assert_eq!((read.format, read.entries.len(), read.skipped.len()), (Format::ServerMemory, 1, 2));
    assert_eq!(read.entries[0].content, "Auth: uses JWT\nby Kim\ndepends_on Redis");
    let graph = json!({
        "entities": [{"name": "Auth", "entityType": "component", "observations": ["uses JWT", "by Kim"]}],
        "relations": [{"from": "Auth", "to": "Redis", "relationType": "depends_on"}],
    });
    assert_eq!(read_value("graph.json", &graph).entries, read.entries);
    // A later export with more observations results in another memory; importing the same export
    // again does not.
    let id = |graph: &Value| read_value("graph.json", graph).entries[0].id.clone();
    let mut later = graph.clone();
    later["entities"][0]["observations"] = json!(["uses JWT", "by Kim", "since May"]);
    assert_eq!(id(&graph), read.entries[0].id);
    assert_ne!(id(&graph), id(&later));
    later["relations"] = json!([graph["relations"][0], {"from": "Auth", "to": "Redis"}]);
    let skipped = read_value("graph.json", &later).skipped;
    let skipped: Vec<(&str, &str)> =
        skipped.iter().map(|skipped| (&*skipped.position, &*skipped.why)).collect();
    assert_eq!(skipped, [("relation 2", "`from`, `to` or `relationType` is missing")]);
}

#[test]
fn files_without_memories_are_rejected() {
    for text in ["", "[]", "{}", "hello", "[1]", "{\"memories\": []}"] {
        let error = read("x.json", text.as_bytes(), None).expect_err(text);
        assert!(error.to_string().contains("no supported memory format"), "{error}");
    }
    assert!(read("x.json", b"{", Some(Format::Mama)).is_err());
    assert!(read("x.json", b"[]", Some(Format::Older)).is_err());
}
