//! Configurations, good and bad.

use super::*;

#[test]
fn comments_and_trailing_commas_are_allowed() {
    let text = "// why\n{\"failOn\": \"warning\", \"rules\": {\"a/b\": \"off\", \"c/*\": {\"params\": {\"max\": 3}},},}";
    let (config, unknown) = read(text).expect("valid");
    assert_eq!((config.fail_on, unknown), (Some(FailOnName::Warning), vec![]));
    let rules = config.rules.expect("present");
    assert_eq!(rules["a/b"].level(), Some(Level::Off));
    assert_eq!(rules["c/*"].params().expect("present")["max"], 3);
    assert_eq!(read("").expect("valid").0, Config::default());
}

#[test]
fn an_unknown_key_is_named_with_what_was_meant() {
    let text = r#"{"failsOn": "error", "overrides": [{"files": [], "rules": {"a/b": {"severty": "off"}}, "x": 1}]}"#;
    let (_, unknown) = read(text).expect("valid");
    let said: Vec<_> = unknown.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "unknown key `failsOn`; did you mean `failOn`?",
            "unknown key `severty`; did you mean `severity`?",
            "unknown key `x`; known here: files, rules",
        ]
    );
    assert_eq!(&text[unknown[0].span.clone()], "\"failsOn\"");
}

#[test]
fn content_says_whose_pages_count() {
    let text = r#"{"content": {"overrideMode": "project_only", "tokenBudget": "full", "paths": {"rules": "docs/rules", "specs": "x"}}}"#;
    let (config, unknown) = read(text).expect("valid");
    let content = config.content.expect("present");
    assert_eq!(content.override_mode, Some(ContentMode::ProjectOnly));
    assert_eq!(content.token_budget, Some(TokenBudget::Full));
    let paths = content.paths.expect("present");
    assert_eq!((paths.get("rules"), paths.get("skills")), (Some("docs/rules"), None));
    let said: Vec<_> = unknown.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        said,
        ["unknown key `specs`; known here: agents, rules, skills, workflows, templates, knowledge"]
    );
    assert!(read(r#"{"content": {"overrideMode": "both"}}"#).is_err());
    let mut content = ContentConfig::default();
    assert!(content.tracks_sessions());
    content.set_mode(" bundled_only ").expect("a mode");
    content.set_mode("").expect("nothing");
    assert_eq!(content.override_mode, Some(ContentMode::BundledOnly));
    let refused = content.set_mode("both").expect_err("no mode");
    assert!(refused.contains("AIDD_CONTENT_OVERRIDE_MODE is `both`"), "{refused}");
}

#[test]
fn a_wrong_value_is_placed() {
    let at = |text: &str| {
        let problem = read(text).expect_err("invalid");
        (text[problem.span].to_owned(), problem.message)
    };
    let (place, message) = at(r#"{"failOn": "fatal"}"#);
    assert_eq!(place, "\"fatal\"");
    assert!(message.contains("unknown variant `fatal`"), "{message}");
    let (place, message) = at(r#"{"rules": {"a/b": "loud"}}"#);
    assert_eq!(place, "\"loud\"");
    assert!(message.contains("a rule is set to `off`"), "{message}");
    assert!(read("{\"include\": [").is_err());
}
