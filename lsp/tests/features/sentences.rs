//! A sentence as a check: offered where it stands, drafted when it is chosen.

use crate::features::support::{FULL, Project, applied};
use aidd_engine::text::files::Memory;
use aidd_lsp::actions::Refusal;
use aidd_lsp::client::Client;
use insta::assert_snapshot;
use tower_lsp_server::ls_types::CodeAction;

const CODE: (&str, &str) = ("src/a.ts", "const text = load();\nconst user = legacyParse(text);\n");

fn drafted(actions: &[CodeAction]) -> Option<&CodeAction> {
    actions.iter().find(|action| action.title == "Draft a check for this sentence")
}

#[test]
fn a_rule_page_gets_its_check_into_its_header() {
    let text = "# Parsing\n\nNever call `legacyParse()`. It is slow.\n";
    let project = Project::new(&[CODE, ("rules/parse.md", text)]);
    let marked = text.replace("Never call", "Never ‸call");
    let (snapshot, actions) = project.actions("rules/parse.md", &marked, FULL);
    let action = drafted(&actions).expect("an offer");
    assert_eq!(
        action.kind.as_ref().map(|kind| kind.as_str().to_owned()),
        Some("refactor".to_owned())
    );
    let edit = project.resolve(&snapshot, action, &Memory::default()).expect("an edit");
    assert_snapshot!(applied(&project, &edit, &[("rules/parse.md", text)]), @r#"
    edit rules/parse.md @7
    ---
    severity: warning
    message: "`legacyParse()` is not used here"
    check:
      syntax:
        language:
        - typescript
        rule:
          pattern: legacyParse($$$ARGS)
    ---
    # Parsing

    Never call `legacyParse()`. It is slow.

    ## Fails

    ```ts path=src/a.ts
    const user = legacyParse(text);
    ```

    ```finding
    1:14 legacyParse(text)
    ```

    ## Passes

    ```ts path=src/a.ts
    const text = load();
    ```
    "#);
}

#[test]
fn a_sentence_elsewhere_gets_a_page() {
    let text = "# Ours\n\n- Be kind, always.\n- Never call `legacyParse()`.\n";
    let project = Project::new(&[CODE, ("AGENTS.md", text)]);
    let marked = text.replace("Never call", "Never ‸call");
    let (snapshot, actions) = project.actions("AGENTS.md", &marked, FULL);
    let edit = project.resolve(&snapshot, drafted(&actions).expect("an offer"), &Memory::default());
    let shown = applied(&project, &edit.expect("an edit"), &[]);
    assert!(shown.starts_with("create .aidd/rules/no-legacyparse.md\n"), "{shown}");
    assert!(shown.contains("\nseverity: warning\n") && shown.contains("\n## Fails\n"), "{shown}");
}

#[test]
fn nothing_is_offered_where_nothing_can_come_of_it() {
    let project = Project::new(&[CODE]);
    let none = |path: &str, marked: &str, client: Client| {
        assert!(drafted(&project.actions(path, marked, client).1).is_none(), "{path}: {marked}");
    };
    none("AGENTS.md", "- Be ‸kind, always.\n", FULL);
    none("AGENTS.md", "Nothing ‸is asked.\n", FULL);
    none("notes.md", "Never ‸call `legacyParse()`.\n", FULL);
    none("AGENTS.md", "Never ‸call `a()`.\n", Client { create_files: false, ..FULL });
    none(
        "rules/a.md",
        "---\nseverity: info\ncheck:\n  text: { regex: a }\n---\nNever ‸call `a()`.\n",
        FULL,
    );
}

#[test]
fn a_sentence_that_is_enforced_already_is_refused() {
    let text = "Never use `any`.\n";
    let on = r#"{"rules": {"compliance/any-type": "warning"}}"#;
    let project = Project::new(&[CODE, ("AGENTS.md", text), (".aidd/config.json", on)]);
    let (snapshot, actions) = project.actions("AGENTS.md", "Never ‸use `any`.\n", FULL);
    let refused =
        project.resolve(&snapshot, drafted(&actions).expect("an offer"), &Memory::default());
    assert_eq!(refused.expect_err("refused"), Refusal::NoDraft);
}
