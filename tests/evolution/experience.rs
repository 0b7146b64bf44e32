//! Drafts that follow from what sessions learned: observations that several sessions confirm, and rules
//! that are mostly allowed.

use crate::cli::evolve::{TimedMemory, name};
use crate::cli::support::Project;
use aidd_memory::kinds::Observation;
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::types::Kind;
use aidd_memory::usage::event::{Edit, Event, Mark, TimedEvent};
use serde_json::Value;
use std::collections::BTreeMap;

/// 1 November 2026.
const START: i64 = 1_793_491_200_000;

const RULE: &str = "---\nseverity: warning\ncheck:\n  files: [\"*.ts\"]\n  text: {regex: '\\bmoment\\('}\n---\n# team/no-moment\n\nWhy.\n";

/// A session that observes something and edits a file: findings of `team/no-moment` that are introduced,
/// fixed and allowed.
fn session(memory: &mut TimedMemory, observation: &str, findings: [u32; 3]) {
    let session = SessionState {
        branch: "main".to_owned(),
        ai_provider: AiProvider { provider: "local".to_owned(), ..AiProvider::default() },
        ..SessionState::default()
    };
    let id = memory.memory.start_session(session).expect("a session").id;
    if !observation.is_empty() {
        let body = Observation {
            narrative: Some("It was like this again.".to_owned()),
            ..Observation::default()
        };
        memory.memory.observe(&id, Kind::Convention, observation, &body).expect("saved");
    }
    let edit = Edit {
        path: Mark::new("a.ts"),
        lines: 3,
        old: None,
        new: Mark::new(&id),
        before: 0,
        after: 0,
        errors_before: 0,
        errors: 0,
        rules: BTreeMap::from([(name("team/no-moment"), findings)]),
        introduced: Vec::new(),
        fixed: Vec::new(),
    };
    let event = TimedEvent { at: memory.now(), event: Event::Edit(edit) };
    memory.memory.note_events(&id, &[event]).expect("noted");
    memory.memory.end_session(&id, &serde_json::Map::new()).expect("ended");
    memory.pass(3_600_000);
}

fn json(project: &Project, args: &[&str]) -> Value {
    let out = project.run(args).expect_code(0).out;
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}"))
}

/// The titles of what `aidd evolve run` drafts, and the ids.
fn run(project: &Project) -> Vec<(String, String)> {
    let run = json(project, &["evolve", "run", "--json"]);
    let drafted = run["drafted"].as_array().expect("drafts").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    drafted.map(|draft| (text(&draft["title"]), text(&draft["id"]))).collect()
}

#[test]
fn an_observation_of_three_sessions_becomes_a_drafted_convention() {
    let project = Project::new(&[(".aidd/config.json", "{}"), (".aidd/rules/moment.md", RULE)]);
    let mut memory = TimedMemory::open(&project, START);
    session(&mut memory, "Handlers return a problem document on errors", [0, 0, 0]);
    session(&mut memory, "On errors, handlers return a problem document", [0, 0, 0]);
    // Twice in one session confirms nothing.
    for _ in 0..4 {
        session(&mut memory, "", [0, 0, 0]);
    }
    assert_eq!(run(&project), []);
    session(&mut memory, "Handlers return a problem document on errors.", [0, 0, 0]);
    let drafted = run(&project);
    let [(title, id)] = &drafted[..] else { panic!("{drafted:?}") };
    assert_eq!(
        title,
        "convention that 3 sessions observed: Handlers return a problem document on errors."
    );
    project.run(&["draft", "approve", id]).expect_code(0);
    let memory = project.read("ai/memory/conventions.jsonl");
    assert!(memory.contains("problem document") && memory.contains("like this again"), "{memory}");
    // It is known now.
    assert_eq!(run(&project), []);
}

#[test]
fn a_rule_that_is_mostly_allowed_becomes_a_draft_that_relaxes_it() {
    let project = Project::new(&[
        (".aidd/config.json", "{\n  // Ours.\n  \"failOn\": \"error\"\n}\n"),
        (".aidd/rules/moment.md", RULE),
        ("a.ts", "const a = moment();\n"),
    ]);
    let mut memory = TimedMemory::open(&project, START);
    // Half of them are not more than half.
    for allowed in [1, 1, 1, 1, 0, 0, 0, 0] {
        session(&mut memory, "", [1, 0, allowed]);
    }
    assert_eq!(run(&project), []);
    session(&mut memory, "", [1, 0, 1]);
    let drafted = run(&project);
    let [(title, id)] = &drafted[..] else { panic!("{drafted:?}") };
    assert_eq!(title, "relax team/no-moment to info: 5 of 9 findings were allowed");
    let before = project.read(".aidd/config.json");
    project.run(&["draft", "approve", id]).expect_code(0);
    let config = project.read(".aidd/config.json");
    assert!(
        config.contains("// Ours.") && config.contains("\"team/no-moment\": \"info\""),
        "{config}"
    );
    let report = project.run(&["check", ".", "--format", "json"]).out;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["findings"][0]["severity"], "info");
    project.run(&["evolve", "revert", "--all"]).expect_code(0);
    assert_eq!(project.read(".aidd/config.json"), before);
}
