//! Tests of the tools on evolution and drafts.

use crate::context::Context;
use crate::profile::Profile;
use crate::tools;
use serde_json::{Value, json};
use std::fs;

fn call(context: &Context, name: &str, arguments: Value) -> Result<(Value, String), String> {
    let tool = tools::all().into_iter().find(|tool| tool.name == name).expect("a tool");
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let answer = tool.call(context, arguments).map_err(|error| error.to_string())?;
    Ok((answer.data, answer.text))
}

#[test]
fn a_draft_is_created_listed_approved_and_reverted() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(".aidd")).expect("created");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let new = json!({
        "category": "knowledge", "title": "Fastify at our site", "content": "# Fastify\n",
        "filename": "../../evil.md",
    });
    let (created, text) = call(&context, "aidd_draft_create", new).expect("created");
    assert_eq!(created["path"], ".aidd/drafts/knowledge/evil.md", "{text}");
    let id = created["id"].clone();
    let (listed, _) = call(&context, "aidd_draft_list", json!({})).expect("listed");
    assert_eq!(listed["count"], 1);
    let (approved, _) = call(&context, "aidd_draft_approve", json!({"id": id})).expect("approved");
    assert_eq!(approved["written"], ".aidd/knowledge/evil.md");
    assert!(dir.path().join(".aidd/knowledge/evil.md").exists());
    let change = approved["id"].clone();
    let (review, text) =
        call(&context, "aidd_evolution_review", json!({"id": change})).expect("a review");
    assert_eq!(review["files"].as_array().map(Vec::len), Some(2), "{text}");
    let (_, status) = call(&context, "aidd_evolution_status", json!({})).expect("a status");
    assert!(status.contains("applied: 1; drafts to decide: 0"), "{status}");
    call(&context, "aidd_evolution_revert", json!({"id": change})).expect("reverted");
    assert!(!dir.path().join(".aidd/knowledge/evil.md").exists());
    let error = call(&context, "aidd_evolution_revert", json!({"id": change}))
        .expect_err("reverted before");
    assert!(error.contains("unknown change"), "{error}");
}

#[test]
fn a_rejection_needs_a_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(".aidd")).expect("created");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let new = json!({"category": "conventions", "title": "Money is cents", "content": "Money is cents\n"});
    let (created, _) = call(&context, "aidd_draft_create", new.clone()).expect("created");
    let id = created["id"].clone();
    let error = call(&context, "aidd_draft_approve", json!({"id": id, "reject": true}));
    assert!(error.expect_err("no reason").contains("needs a reason"));
    let rejected = json!({"id": id, "reject": true, "reason": "known"});
    call(&context, "aidd_draft_approve", rejected).expect("rejected");
    let error = call(&context, "aidd_draft_create", new).expect_err("silenced");
    assert!(error.contains("rejected less than 30 days ago"), "{error}");
}

#[test]
fn settings_are_validated_and_analysis_explains_what_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(".aidd")).expect("created");
    let context = Context::at(&crate::DISTRIBUTION, dir.path());
    let new = json!({"category": "settings", "title": "x", "content": "{\"rules\": {}}"});
    let error = call(&context, "aidd_draft_create", new).expect_err("invalid");
    assert!(error.contains("a draft of settings is JSON"), "{error}");
    let (analysis, text) = call(&context, "aidd_evolution_analyze", json!({})).expect("an answer");
    assert_eq!(analysis["sessionsNeeded"], 5, "{text}");
    let new = json!({
        "category": "settings", "title": "relax a rule",
        "content": "{\"config\": {\"rules\": {\"compliance/any-type\": \"info\"}}}",
    });
    let (created, _) = call(&context, "aidd_draft_create", new).expect("created");
    call(&context, "aidd_draft_approve", json!({"id": created["id"]})).expect("approved");
    let config = fs::read_to_string(dir.path().join(".aidd/config.json")).expect("a file");
    assert!(config.contains("\"compliance/any-type\": \"info\""), "{config}");
}

#[test]
fn only_the_profile_plan_lists_the_tools() {
    for tool in super::tools() {
        assert!(tool.is_in(Profile::Plan) && !tool.is_in(Profile::Engine), "{}", tool.name);
        assert!(!tool.is_in(Profile::Lean), "{}", tool.name);
    }
}
