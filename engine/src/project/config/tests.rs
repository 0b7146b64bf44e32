//! Tests of valid and invalid configurations.

use super::*;

#[test]
fn comments_and_trailing_commas_are_allowed() {
    let text = "// why\n{\"failOn\": \"warning\", \"rules\": {\"a/b\": \"off\", \"c/*\": {\"params\": {\"max\": 3}},},}";
    let (config, unknown) = read(text).expect("valid");
    assert_eq!((config.fail_on, unknown), (Some(FailOnName::Warning), vec![]));
    let rules = config.rules.expect("present");
    assert_eq!(rules["a/b"].level(), Some(Level::Off));
    assert_eq!(rules["c/*"].params().expect("present")["max"], 3);
    assert_eq!(read("{}").expect("valid").0, Config::default());
}

#[test]
fn an_empty_file_is_not_a_configuration() {
    for text in ["", " \n", "// only a comment\n", "\u{FEFF}"] {
        let problem = read(text).expect_err("invalid");
        assert_eq!(problem.message, "the file is empty; expected an object, at least `{}`");
    }
}

#[test]
fn an_unknown_key_is_reported_with_a_suggestion() {
    let text = r#"{"failsOn": "error", "overrides": [{"files": [], "rules": {"a/b": {"severty": "off"}}, "x": 1}]}"#;
    let (_, unknown) = read(text).expect("valid");
    let messages: Vec<_> = unknown.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown key `failsOn`; did you mean `failOn`?",
            "unknown key `severty` in `overrides[0].rules.a/b`; did you mean `severity`?",
            "unknown key `x` in `overrides[0]`; expected one of files, rules",
        ]
    );
    assert_eq!(&text[unknown[0].span.clone()], "\"failsOn\"");
}

#[test]
fn the_override_mode_selects_pages() {
    let text = r#"{"content": {"overrideMode": "project_only", "tokenBudget": "full", "paths": {"rules": "docs/rules", "specs": "x"}}}"#;
    let (config, unknown) = read(text).expect("valid");
    let content = config.content.expect("present");
    assert_eq!(content.override_mode, Some(ContentMode::ProjectOnly));
    assert_eq!(content.token_budget, Some(TokenBudget::Full));
    let paths = content.paths.expect("present");
    assert_eq!((paths.get("rules"), paths.get("skills")), (Some("docs/rules"), None));
    let messages: Vec<_> = unknown.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown key `specs` in `content.paths`; expected one of agents, directives, knowledge, rules, skills, templates, workflows"
        ]
    );
    assert!(read(r#"{"content": {"overrideMode": "both"}}"#).is_err());
    let mut content = ContentConfig::default();
    assert!(content.tracks_sessions());
    content.set_mode(" bundled_only ").expect("a mode");
    content.set_mode("").expect("nothing");
    assert_eq!(content.override_mode, Some(ContentMode::BundledOnly));
    let error = content.set_mode("both").expect_err("no mode").to_string();
    assert!(error.contains("AIDD_CONTENT_OVERRIDE_MODE: unknown mode `both`"), "{error}");
}

/// The message for a rejected configuration, and the text at its position.
fn error_in(text: &str) -> (String, String) {
    let problem = read(text).expect_err(text);
    (text[problem.span].to_owned(), problem.message)
}

#[test]
fn an_invalid_value_is_reported_at_its_position() {
    let assert_error = |text: &str, covered: &str, message: &str| {
        assert_eq!(error_in(text), (covered.to_owned(), message.to_owned()), "{text}");
    };
    assert_error(
        r#"{"failOn": "warn"}"#,
        "\"warn\"",
        "`failOn`: expected `error`, `warning`, `info` or `never`, found the string \"warn\"; did you mean `warning`?",
    );
    assert_error(
        r#"{"exclude": 3}"#,
        "3",
        "`exclude`: expected a string or a list of strings, found 3; put it in quotes",
    );
    assert_error(
        r#"{"exclude": ["a", 3]}"#,
        "3",
        "`exclude[1]`: expected a string, found 3; put it in quotes",
    );
    assert_error(
        r#"{"overrides": {"files": "a"}}"#,
        r#"{"files": "a"}"#,
        "`overrides`: expected a list, found an object",
    );
    assert_error(
        r#"{"overrides": [{"files": "a"}]}"#,
        r#"{"files": "a"}"#,
        "`overrides[0].rules` is missing (Rule id, alias or glob of ids → setting for these paths)",
    );
    assert_error(
        r#"{"rules": {"a/b": 2}}"#,
        "2",
        "`rules.a/b`: expected `off`, `info`, `warning`, `error` or an object with `params`, `severity`, found 2; did you mean `error`?",
    );
    assert_error(
        r#"{"rules": {"a/b": {"severity": "loud"}}}"#,
        "\"loud\"",
        "`rules.a/b.severity`: expected `off`, `info`, `warning` or `error`, found the string \"loud\"",
    );
    assert_error(
        r#"{"maxFileSize": "2MB"}"#,
        "\"2MB\"",
        "`maxFileSize`: expected an integer, such as 2097152, found the string \"2MB\"",
    );
    assert_error(
        r#"{"content": {"sessionTracking": "yes"}}"#,
        "\"yes\"",
        "`content.sessionTracking`: expected true or false, found the string \"yes\"",
    );
    assert_error("[]", "[]", "expected an object, found a list");
    assert_error(
        r#"{"ci": []}"#,
        "[]",
        "`ci`: expected an object with `blockOn`, `ignore`, `warnOn` (Which findings fail a pull request; takes precedence over `failOn`), found a list",
    );
    // Messages of serde are not shown to users.
    for text in [r#"{"rules": {"a/b": ["error", {}]}}"#, r#"{"overrides": [3]}"#, r#"{"ci": 1}"#] {
        let (_, message) = error_in(text);
        assert!(!message.contains("invalid type"), "{message}");
    }
}

#[test]
fn a_string_is_read_as_a_list() {
    let text = r#"{"include": "src/", "exclude": null, "compliance": "git", "ci": {"ignore": "a/*"}, "overrides": [{"files": "*.ts", "rules": {}}]}"#;
    let (config, unknown) = read(text).expect("valid");
    assert_eq!(unknown, []);
    assert_eq!(config.include.as_deref(), Some(&["src/".to_owned()][..]));
    assert_eq!(config.exclude, None);
    assert_eq!(config.compliance.as_deref(), Some(&["git".to_owned()][..]));
    assert_eq!(config.ci.expect("present").ignore.as_deref(), Some(&["a/*".to_owned()][..]));
    assert_eq!(config.overrides.expect("present")[0].files, ["*.ts"]);
}

#[test]
fn a_duplicate_key_is_reported() {
    let text = r#"{"failOn": "error", "rules": {"a/b": "off", "a/b": "info"}, "failOn": "info"}"#;
    let (config, problems) = read(text).expect("valid");
    assert_eq!(config.fail_on, Some(FailOnName::Info));
    let messages: Vec<_> =
        problems.iter().map(|problem| (problem.span.start, &*problem.message)).collect();
    assert_eq!(
        messages,
        [
            (1, "duplicate key `failOn`; the last value wins"),
            (30, "duplicate key `a/b`; the last value wins"),
        ]
    );
}

#[test]
fn a_malformed_glob_is_reported_at_its_position() {
    let text = r#"{"overrides": [{"files": ["a", "[b"], "rules": {}}]}"#;
    let why = "`overrides[0].files`: not a glob: `[b`: unclosed character class; missing ']'";
    assert_eq!(error_in(text), ("\"[b\"".to_owned(), why.to_owned()));
    let why = "`exclude`: empty glob";
    assert_eq!(error_in(r#"{"exclude": [""]}"#), ("\"\"".to_owned(), why.to_owned()));
}

#[test]
fn malformed_json_is_explained() {
    let message_of = |text: &str| error_in(text).1;
    let conflict = "<<<<<<< HEAD\n{\"failOn\": \"error\"}\n=======\n{}\n>>>>>>> b\n";
    let (covered, message) = error_in(conflict);
    assert_eq!(covered, "<<<<<<< HEAD");
    assert!(message.starts_with("merge conflict; resolve it"), "{message}");
    assert_eq!(message_of("{\"include\": ["), "missing `]`");
    assert_eq!(message_of("{"), "missing `}`");
    assert_eq!(message_of("{\"a\": 1 \"b\": 2}"), "missing comma before this");
    assert_eq!(message_of("{failOn: 1}"), "keys must be double-quoted");
    assert_eq!(message_of("{\"failOn\" \"error\"}"), "missing colon after this key");
    assert_eq!(message_of("{'a': 1}"), "strings must be double-quoted");
    assert_eq!(
        message_of("failOn: error\n"),
        "not JSON; strings must be double-quoted, and the file must be an object in `{ }`"
    );
}

#[test]
fn a_value_is_found_by_its_keys() {
    let text = "\u{FEFF}// why\n{\n  \"rules\": {\n    \"a/b\": \"off\"\n  },\n  \"overrides\": [\n    { \"files\": \"x\" },\n    { \"files\": \"y\" }\n  ],\n}";
    let at = |keys: &[&str]| line_of(text, keys);
    assert_eq!(at(&[]), Some(2));
    assert_eq!(at(&["rules", "a/b"]), Some(4));
    assert_eq!(at(&["overrides", "1", "files"]), Some(8));
    assert_eq!([at(&["exclude"]), at(&["rules", "a/c"]), at(&["overrides", "2"])], [None; 3]);
    assert_eq!([line_of("", &["a"]), line_of("{", &["a"])], [None; 2]);
    // The last duplicate key wins.
    assert_eq!(line_of("{\n\"a\": 1,\n\"a\": 2}", &["a"]), Some(3));
}

#[test]
fn the_section_on_evolution_is_read() {
    let text = r#"{"evolution": {"record": false, "autoApply": 0.9, "draft": 0.8, "types": ["rule_severity"]}}"#;
    let (config, unknown) = read(text).expect("valid");
    assert_eq!(unknown, vec![]);
    let evolution = config.evolution.expect("present");
    assert!(!evolution.records() && evolution.is_enabled());
    assert_eq!(evolution.applies_above(), Some(0.9));
    assert!(evolution.proposes(ChangeKind::RuleSeverity));
    assert!(!evolution.proposes(ChangeKind::SkillCombo));
    assert_eq!(EvolutionConfig::default().applies_above(), None);
    let (config, _) = read(r#"{"evolution": {"autoApply": "never"}}"#).expect("valid");
    assert_eq!(config.evolution.expect("present").applies_above(), None);
    for invalid in [
        r#"{"autoApply": "always"}"#,
        r#"{"autoApply": 0.5}"#,
        r#"{"draft": 70}"#,
        r#"{"types": ["x"]}"#,
    ] {
        read(&format!(r#"{{"evolution": {invalid}}}"#)).expect_err(invalid);
    }
}

#[test]
fn replaced_keys_are_explained() {
    let text = r#"{"evolution": {"autoApplyThreshold": 90, "killSwitch": false}, "modelTracking": {}, "memory": {"pruneAfterDays": 9}}"#;
    let (_, unknown) = read(text).expect("valid");
    let messages: Vec<_> = unknown.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown key `autoApplyThreshold` in `evolution`; set `autoApply` to a confidence from 0.8 to 1; by default, nothing is applied without asking",
            "unknown key `killSwitch` in `evolution`; set `enabled` to false",
            "unknown key `modelTracking`; set `evolution.record`; records are never shared between projects",
            "unknown key `pruneAfterDays` in `memory`; run `aidd memory prune --days N`",
        ]
    );
}
