//! Results when requested rules are disabled, and when a fix does not resolve its finding.

use super::{call, git, project};
use serde_json::{Value, json};
use std::fs;

/// The first line of a result without findings if all rules of a requested group are disabled.
const DISABLED_GROUP: &str =
    "no findings in 1 file; not checked: all rules of a requested group are disabled\n";

/// Disabled rules report nothing, so the result must not claim that the check passed.
#[test]
fn a_check_by_disabled_rules_does_not_pass() {
    let code = "const a = eval(input);\n";
    let folder = project(&[(".aidd/x", ""), ("a.ts", code)]);
    let root = folder.path();
    let check = |arguments: Value| call(root, "aidd_check_compliance", arguments);
    let check_rules = |names: &[&str]| {
        check(json!({"filePath": "a.ts", "ruleCategories": names})).expect("an answer")
    };
    let category = check_rules(&["compliance"]);
    assert_eq!(category.data["passes"], false);
    assert!(
        category
            .text
            .strip_prefix(DISABLED_GROUP)
            .is_some_and(|rest| rest.starts_with("note: disabled: "))
            && category.text.contains(" compliance rules (compliance/adr-number, ")
            && category.text.contains("; to enable in .aidd/config.json: add \"security\", "),
        "{}",
        category.text
    );
    // A tag selects rules of several categories, some of which are disabled as a whole.
    let security = check_rules(&["security"]);
    assert_eq!(security.data["passes"], false);
    assert!(
        security.text.contains("; not checked: all rules of a requested group are disabled\n"),
        "{}",
        security.text
    );
    assert!(security.text.contains(" compliance rules of `security` ("), "{}", security.text);
    assert!(!security.text.contains(" secrets rules of `security`"), "{}", security.text);
    let glob = check_rules(&["compliance/*-eval"]);
    assert_eq!(glob.data["passes"], false);
    assert!(
        glob.text.contains("add \"security\" to `compliance`") && !glob.text.contains("pass"),
        "{}",
        glob.text
    );
    // A rule requested by its full id runs, even if it is disabled.
    let exact = check_rules(&["compliance/eval"]);
    assert_eq!(exact.data["findings"][0]["rule"], "compliance/eval");
    assert!(!exact.text.contains("disabled"), "{}", exact.text);

    let config = |text: &str| fs::write(root.join(".aidd/config.json"), text).expect("written");
    config(r#"{"compliance": ["security"]}"#);
    let security = check_rules(&["security"]);
    assert_eq!(security.data["passes"], false);
    assert!(security.text.contains("a.ts:1:11 compliance/eval"), "{}", security.text);
    assert!(security.text.starts_with("1 error, 0 warnings, 0 info in 1 file; the check fails\n"));
    config(r#"{"rules": {"secrets/*": "off"}}"#);
    let arguments = json!({"content": "x"});
    let secrets = call(root, "aidd_scan_secrets", arguments).expect("an answer");
    assert_eq!(secrets.data["passes"], false);
    assert!(
        secrets.text.starts_with(DISABLED_GROUP)
            && secrets.text.ends_with(
                "to enable in .aidd/config.json: remove \"secrets/*\": \"off\" from `rules`"
            ),
        "{}",
        secrets.text
    );
    config(r#"{"overrides": [{"files": ["a.ts"], "rules": {"secrets/*": "off"}}]}"#);
    let secrets = check_rules(&["secrets"]);
    assert_eq!(secrets.data["passes"], false);
    assert!(secrets.text.ends_with("change the override for this path"), "{}", secrets.text);
}

/// An agent applies the edits of a result, so fixes that do not resolve their finding are omitted.
#[test]
fn a_fix_that_does_not_resolve_its_finding_is_omitted() {
    let rule = |id: &str, regex: &str, to: &str| {
        format!(
            "---\nseverity: error\ncheck:\n  text: {{ regex: '{regex}' }}\n  fix: {{ replace: '{to}', safe: true }}\n---\n# t/{id}\n\nWhy.\n"
        )
    };
    let folder = project(&[
        (".aidd/rules/blue.md", &rule("blue", "blue", "teal")),
        (".aidd/rules/same.md", &rule("same", "stays", "stays!")),
    ]);
    let arguments = json!({"filePath": "a.txt", "content": "blue\nstays\n"});
    let answer = call(folder.path(), "aidd_check_compliance", arguments).expect("an answer");
    assert!(answer.data["findings"][0]["fix"].is_object(), "{}", answer.data);
    assert!(answer.data["findings"][1].get("fix").is_none(), "{}", answer.data);
    assert!(
        answer.text.ends_with("\nnote: fix of t/same at a.txt:2:1 omitted: the finding remained"),
        "{}",
        answer.text
    );
}

#[test]
fn gates_are_evaluated_from_evidence() {
    let config = r#"{"rules": {"dockerfile/*": "off"}}"#;
    let folder = project(&[(".aidd/config.json", config), ("a.py", "x = 1\n")]);
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "feat: x"]);
    git(root, &["switch", "-q", "-c", "work"]);
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    fs::write(root.join("a.py"), format!("x = 1\ntoken = \"{token}\"\n")).expect("written");
    let gates = |arguments| call(root, "aidd_check_quality_gates", arguments);
    let build = gates(json!({"phase": "build"})).expect("an answer");
    insta::assert_snapshot!(build.text, @"
    BUILD is not complete; 3 of 3 gates not met
    fail no_secrets: secrets/github-personal-access-token a.py:2
    missing types_clean: expected a tool_outcome observation of a type check or a build that passed
    missing lint_clean: expected a tool_outcome observation of a linter run that passed
    ");

    fs::write(root.join("a.py"), "x = 2\n").expect("written");
    let start = json!({"action": "start", "branch": "work", "aiProvider": {"provider": "a", "model": "b", "modelId": "c", "client": "d"}});
    let session = call(root, "aidd_session", start).expect("a session").data["id"].clone();
    for (title, command) in [("types", "mypy ."), ("lint", "ruff check"), ("tests", "pytest")] {
        let run = json!({
            "sessionId": session, "type": "tool_outcome", "title": title,
            "command": command, "exitCode": i32::from(command == "pytest"),
        });
        call(root, "aidd_observation", run).expect("observed");
    }
    assert_eq!(gates(json!({"phase": "BUILD"})).expect("an answer").data["passes"], true);
    let evidence = json!({"spec_matches": "note: compared with the issue by hand", "acceptance_criteria": true});
    let verify = gates(json!({"evidence": evidence})).expect("an answer");
    let is_run_id = |id: &str| id.starts_with("tool_outcome_");
    let text = verify.text.split('`').map(|part| if is_run_id(part) { "ID" } else { part });
    insta::assert_snapshot!(text.collect::<Vec<_>>().join("`"), @r#"
    VERIFY is not complete; 2 of 10 gates not met; blocking gates with disabled rules: module_rules, no_unchecked_types, no_dead_code
    pass no_secrets: no new findings by secrets/*
    not applicable naming_conventions (does not block): rules disabled in this project: compliance/file-name-case, compliance/identifier-case
    not applicable module_rules: rules disabled in this project: compliance/commonjs, compliance/wildcard-import, compliance/layer-breach, compliance/import-cycle; to enable in .aidd/config.json: add "typescript-strict", "architecture" to `compliance`
    not applicable no_unchecked_types: rules disabled in this project: compliance/any-type, compliance/non-null-assertion; to enable in .aidd/config.json: add "typescript-strict" to `compliance`
    pass types_clean: `ID` passed
    pass lint_clean: `ID` passed
    pass no_dead_code: `ID` passed; rules disabled in this project: compliance/commented-out-code; to enable in .aidd/config.json: add "clean-code" to `compliance`
    fail tests_pass: `ID` failed; no new findings by tests/focused-test; rules disabled in this project: tests/disabled-test; to enable in .aidd/config.json: add "testing" to `compliance`
    missing acceptance_criteria: no evidence was supplied
    pass spec_matches: a note
    "#);
    let config =
        r#"{"compliance": ["typescript-strict"], "rules": {"compliance/any-type": "off"}}"#;
    fs::write(root.join(".aidd/config.json"), config).expect("written");
    let verify = gates(json!({"phase": "VERIFY"})).expect("an answer");
    let gate = verify.data["gates"].as_array().expect("gates").iter();
    let gate = gate.clone().find(|gate| gate["id"] == "no_unchecked_types").expect("a gate");
    assert_eq!(gate.get("disabled"), None);
    let why = gate["why"].as_str().expect("a reason");
    assert!(
        why.ends_with(
            "; rules disabled in this project: compliance/any-type; to enable in .aidd/config.json: remove \
             \"compliance/any-type\": \"off\" from `rules`"
        ),
        "{why}"
    );
    let no_gates = gates(json!({"phase": "PLAN"})).expect_err("no gates");
    assert_eq!(no_gates.message, "PLAN has no gates, only exit criteria");
    let unknown_gate =
        gates(json!({"evidence": {"docs_updated": "x"}})).expect_err("not of this phase");
    assert!(
        unknown_gate
            .message
            .starts_with("`docs_updated` is not a gate of VERIFY; expected one of no_secrets,"),
        "{unknown_gate}"
    );
}
