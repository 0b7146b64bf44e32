//! Tests of the tools that compare models.

use super::*;
use crate::context::Context;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::{AiProvider, SessionState, TaskClassification};
use aidd_memory::usage::event::{Event, RunCheck, TimedEvent};

/// Records sessions of a model, with the results of their last test runs.
fn record(memory: &mut ProjectMemory, model: &str, nature: &str, results: &[bool]) {
    for (n, passed) in results.iter().enumerate() {
        let session = SessionState {
            branch: format!("feature/{n}"),
            ai_provider: AiProvider {
                provider: "maker".to_owned(),
                model: model.to_owned(),
                ..AiProvider::default()
            },
            task_classification: TaskClassification {
                domain: "backend-engineer".to_owned(),
                nature: nature.to_owned(),
                ..TaskClassification::default()
            },
            ..SessionState::default()
        };
        let id = memory.start_session(session).expect("started").id;
        let event = Event::Run(*passed, vec![RunCheck::Tests]);
        memory.note_events(&id, &[TimedEvent { at: 5, event }]).expect("noted");
        memory.end_session(&id, &serde_json::Map::new()).expect("ended");
    }
}

#[test]
fn models_are_compared_by_what_their_sessions_did() {
    let folder = tempfile::tempdir().expect("a directory");
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    let call = |name: &str, arguments: Value| {
        let tool = crate::tools::all().into_iter().find(|tool| tool.name == name).expect("a tool");
        let Value::Object(arguments) = arguments else { panic!("expected an object") };
        match tool.call(&context, arguments) {
            Ok(answer) => answer.text,
            Err(error) => format!("error: {error}"),
        }
    };
    let mut transcript = String::new();
    let mut show = |name: &str, arguments: Value| {
        let text = call(name, arguments.clone());
        transcript.push_str(&format!("> {name} {arguments}\n{text}\n\n"));
    };
    show("aidd_model_performance", json!({}));
    show("aidd_model_recommend", json!({}));
    context
        .memory(|memory| -> Result<(), crate::tool::ToolError> {
            let [good, bad] = [true, false];
            record(memory, "large-1", "bug-fix", &[good, good, good, good, good, good, bad, good]);
            record(memory, "small-1", "bug-fix", &[good, bad, bad, bad, good, bad]);
            record(memory, "small-1", "feature", &[good]);
            record(memory, "other-1", "bug-fix", &[good]);
            Ok(())
        })
        .expect("recorded");
    show("aidd_model_performance", json!({}));
    show("aidd_model_performance", json!({"model": "maker/SMALL-1", "nature": "bug-fix"}));
    show("aidd_model_performance", json!({"model": "medium-1"}));
    show("aidd_model_compare", json!({"models": ["large-1", "small-1", "other-1"]}));
    show("aidd_model_compare", json!({"models": ["large-1"]}));
    show("aidd_model_recommend", json!({"domain": "backend-engineer", "nature": "bug-fix"}));
    show("aidd_model_recommend", json!({"task": "Fix the bug in the login endpoint"}));
    show("aidd_model_recommend", json!({"nature": "feature"}));
    // A change that evolution applied names a model for a kind of task.
    let overlay =
        r#"{"models": {"backend-engineer/bug-fix": "maker/large-1", "feature": "maker/new-1"}}"#;
    std::fs::create_dir_all(folder.path().join(".aidd/evolution")).expect("a directory");
    std::fs::write(folder.path().join(".aidd/evolution/applied.json"), overlay).expect("written");
    show("aidd_model_recommend", json!({"domain": "backend-engineer", "nature": "bug-fix"}));
    show("aidd_model_recommend", json!({"nature": "feature"}));
    insta::assert_snapshot!(transcript);
    let page = crate::tools::memory::models::page(&context).expect("a page");
    assert!(
        page.contains("| maker/small-1 | backend-engineer, bug-fix | 6 | 6 | 33 % |"),
        "{page}"
    );
}
