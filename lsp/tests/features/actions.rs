//! Code actions: the positions at which they are offered, and their effects.

use crate::features::support::{FULL_CLIENT, Project, describe_edit, text_after};
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::Safety;
use aidd_engine::text::source::Encoding;
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::fix;
use aidd_lsp::actions::{self, FIX_ALL, Refusal, SUPPRESS};
use aidd_lsp::client::Client;
use aidd_lsp::convert;
use insta::assert_snapshot;
use proptest::prelude::*;
use tower_lsp_server::ls_types::{CodeAction, CodeActionContext, CodeActionKind};

const TWO_FINDINGS: &str = "FROM debian:12\nENV ‸a b\nENV c d\n";

/// The actions, one per line: kind, whether preferred, title.
fn titles(actions: &[CodeAction]) -> String {
    let line = |action: &CodeAction| {
        let kind = action.kind.as_ref().map_or("", CodeActionKind::as_str);
        let preferred = if action.is_preferred == Some(true) { " (preferred)" } else { "" };
        format!("{kind}{preferred}: {}", action.title)
    };
    actions.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn find_action<'a>(actions: &'a [CodeAction], start: &str) -> &'a CodeAction {
    actions.iter().find(|action| action.title.starts_with(start)).expect(start)
}

/// The effect of the action whose title starts with `start`.
fn apply_action(project: &Project, marked: &str, start: &str) -> String {
    let (snapshot, actions) = project.actions("Dockerfile", marked, FULL_CLIENT);
    let action = find_action(&actions, start);
    assert_eq!(action.edit, None, "the edit is computed on resolve");
    assert_eq!(actions::document(action).as_ref(), Some(&snapshot.uri));
    let edit = project.resolve(&snapshot, action, &Memory::default()).expect("an edit");
    describe_edit(project, &edit, &[("Dockerfile", snapshot.source.text())])
}

#[test]
fn a_finding_has_actions_at_its_location() {
    let project = Project::new(&[]);
    let titles_at = |marked: &str| titles(&project.actions("Dockerfile", marked, FULL_CLIENT).1);
    assert_snapshot!(titles_at(TWO_FINDINGS), @"
    quickfix (preferred): Write KEY=value
    quickfix: Fix all `dockerfile/legacy-key-value` in this file
    quickfix.suppress.aidd: Allow `dockerfile/legacy-key-value` here with a comment
    quickfix.suppress.aidd: Disable `dockerfile/legacy-key-value` in .aidd/config.json
    source.fixAll.aidd: Apply all safe fixes of aidd in this file
    ");
    assert_snapshot!(titles_at(&TWO_FINDINGS.replace('‸', "").replace("FROM", "FR‸OM")), @"source.fixAll.aidd: Apply all safe fixes of aidd in this file");
    assert_snapshot!(titles_at("FROM debian:12\nADD‸ a /b\n"), @"
    quickfix: Use COPY instead of ADD (may change the meaning)
    quickfix.suppress.aidd: Allow `dockerfile/add-instead-of-copy` here with a comment
    quickfix.suppress.aidd: Disable `dockerfile/add-instead-of-copy` in .aidd/config.json
    ");
}

#[test]
fn each_action_applies_the_edit_in_its_title() {
    let project = Project::new(&[]);
    assert_snapshot!(apply_action(&project, TWO_FINDINGS, "Write"), @"
    edit Dockerfile @7
    FROM debian:12
    ENV a=b
    ENV c d
    ");
    assert_snapshot!(apply_action(&project, TWO_FINDINGS, "Fix all"), @"
    edit Dockerfile @7
    FROM debian:12
    ENV a=b
    ENV c=d
    ");
    assert_snapshot!(apply_action(&project, TWO_FINDINGS, "Allow"), @"
    edit Dockerfile @7
    FROM debian:12
    # aidd:allow dockerfile/legacy-key-value
    ENV a b
    ENV c d
    ");
    assert_snapshot!(apply_action(&project, TWO_FINDINGS, "Disable"), @r#"
    create .aidd/config.json
    edit .aidd/config.json @null
    {
      "rules": {
        "dockerfile/legacy-key-value": "off"
      }
    }
    "#);
    assert_snapshot!(apply_action(&project, TWO_FINDINGS, "Apply all"), @"
    edit Dockerfile @7
    FROM debian:12
    ENV a=b
    ENV c=d
    ");
}

#[test]
fn a_fix_that_does_not_remove_its_finding_is_undone_and_reported() {
    let page = |id: &str, regex: &str, to: &str| {
        format!(
            "---\nseverity: warning\ncheck:\n  files: ['*.txt']\n  text: {{ regex: '{regex}' }}\n  fix: {{ replace: '{to}', safe: true }}\n---\n# t/{id}\n\nWhy.\n"
        )
    };
    let project = Project::new(&[
        ("rules/blue.md", &page("blue", "blue", "teal")),
        ("rules/stays.md", &page("stays", "stays", "stays!")),
    ]);
    let (snapshot, actions) = project.actions("a.txt", "‸blue\nstays\nstays\n", FULL_CLIENT);
    let all = project.resolve(&snapshot, find_action(&actions, "Apply all"), &Memory::default());
    let after = text_after(&project, &all.expect("an edit"), "a.txt", snapshot.source.text());
    assert_eq!(after, "teal\nstays\nstays\n");
    let undone = ["t/stays 2: the finding remained", "t/stays 3: the finding remained"];
    assert_eq!(project.undone.take(), undone);
    let (snapshot, actions) = project.actions("a.txt", "blue\n‸stays\nstays\n", FULL_CLIENT);
    let fixed = project.resolve(&snapshot, find_action(&actions, "Fix all"), &Memory::default());
    assert_eq!(fixed, Err(Refusal::Ineffective));
    assert_eq!(project.undone.take(), undone);
}

#[test]
fn a_quick_fix_that_does_not_remove_its_finding_is_not_offered() {
    let rule = "---\nseverity: warning\ncheck:\n  files: ['*.txt']\n  text: { regex: 'stays' }\n  fix: { replace: 'stays!', safe: true }\n---\n# t/stays\n\nWhy.\n";
    let project = Project::new(&[("rules/stays.md", rule)]);
    for client in [FULL_CLIENT, Client { lazy_edits: false, ..FULL_CLIENT }] {
        let (_, actions) = project.actions("a.txt", "blue\n‸stays\n", client);
        assert!(!titles(&actions).contains("Replace"), "{}", titles(&actions));
    }
    // In a long text, the fix is verified when it is chosen.
    let long = format!("‸stays\n{}", "blue\n".repeat(40_000));
    let (snapshot, actions) = project.actions("a.txt", &long, FULL_CLIENT);
    project.undone.take();
    let single = find_action(&actions, "Replace");
    let fixed = project.resolve(&snapshot, single, &Memory::default());
    assert_eq!(fixed, Err(Refusal::Ineffective));
    assert_eq!(project.undone.take(), ["t/stays 1: the finding remained"]);
}

#[test]
fn a_quick_fix_that_breaks_the_file_is_not_offered() {
    let rule = "---\nseverity: warning\ncheck:\n  files: ['*.json']\n  text: { regex: '\"old\"' }\n  fix: { replace: '\"new', safe: true }\n---\n# t/old\n\nWhy.\n";
    let project = Project::new(&[("rules/old.md", rule)]);
    let (_, actions) = project.actions("a.json", "{\"a\": ‸\"old\"}\n", FULL_CLIENT);
    assert!(!titles(&actions).contains("Replace"), "{}", titles(&actions));
    let plain = Client { lazy_edits: false, ..FULL_CLIENT };
    let (_, actions) = project.actions("a.json", "{\"a\": ‸\"old\"}\n", plain);
    assert!(!titles(&actions).contains("Replace"), "{}", titles(&actions));
    // The fix of the finding, and the action that applies all fixes.
    let undone = project.undone.take();
    assert_eq!(undone, ["t/old 1: the file no longer parsed as JSON"; 2]);
}

#[test]
fn comments_in_the_configuration_are_preserved() {
    let config = "{\n  // Why.\n  \"failOn\": \"error\"\n}\n";
    let path = ".aidd/config.json";
    let project = Project::new(&[(path, config)]);
    let client = Client { create_files: false, ..FULL_CLIENT };
    let (snapshot, actions) = project.actions("Dockerfile", TWO_FINDINGS, client);
    let action = find_action(&actions, "Disable");
    let edit = project.resolve(&snapshot, action, &Memory::default()).expect("an edit");
    assert_snapshot!(describe_edit(&project, &edit, &[(path, config)]), @r#"
    edit .aidd/config.json @null
    {
      // Why.
      "failOn": "error",
      "rules": {
        "dockerfile/legacy-key-value": "off"
      }
    }
    "#);
    // The open document is used, not the file on disk.
    let unsaved = "{\"rules\": {\"LegacyKeyValueFormat\": {\"params\": {}}}}";
    let open = Memory([(path.to_owned(), unsaved.as_bytes().to_vec())].into());
    let edit = project.resolve(&snapshot, action, &open).expect("an edit");
    assert_snapshot!(describe_edit(&project, &edit, &[(path, unsaved)]), @r#"
    edit .aidd/config.json @3
    {"rules": {"LegacyKeyValueFormat": {
          "params": {},
          "severity": "off"
        }}}
    "#);
    let open = Memory([(path.to_owned(), b"{".to_vec())].into());
    assert_eq!(project.resolve(&snapshot, action, &open), Err(Refusal::Config));
}

#[test]
fn no_file_is_created_for_a_client_that_does_not_support_file_creation() {
    let project = Project::new(&[]);
    let client = Client { create_files: false, ..FULL_CLIENT };
    let (_, actions) = project.actions("Dockerfile", TWO_FINDINGS, client);
    assert!(!titles(&actions).contains("Disable"), "{}", titles(&actions));
}

#[test]
fn an_action_is_refused_when_its_finding_is_gone() {
    let project = Project::new(&[]);
    let (_, actions) = project.actions("Dockerfile", TWO_FINDINGS, FULL_CLIENT);
    let later = project.open("Dockerfile", "FROM debian:12\nENV a=b\n");
    for (start, refusal) in [
        ("Write", Refusal::Gone),
        ("Fix all", Refusal::Gone),
        ("Allow", Refusal::Gone),
        ("Apply", Refusal::Gone),
    ] {
        let action = find_action(&actions, start);
        assert_eq!(project.resolve(&later, action, &Memory::default()), Err(refusal), "{start}");
    }
    let other = project.open("other/Dockerfile", "FROM debian:12\nENV a b\n");
    let action = find_action(&actions, "Write");
    assert_eq!(project.resolve(&other, action, &Memory::default()), Err(Refusal::Unknown));
    let foreign = CodeAction { data: None, ..action.clone() };
    assert_eq!(project.resolve(&other, &foreign, &Memory::default()), Err(Refusal::Unknown));
}

#[test]
fn an_action_follows_its_finding_to_another_line() {
    let project = Project::new(&[]);
    let (_, actions) = project.actions("Dockerfile", TWO_FINDINGS, FULL_CLIENT);
    let text = "FROM debian:12\nRUN a\n\nENV a b\nENV c d\n";
    let later = project.open("Dockerfile", text);
    let edit = project
        .resolve(&later, find_action(&actions, "Write"), &Memory::default())
        .expect("an edit");
    let after = text_after(&project, &edit, "Dockerfile", text);
    assert_eq!(after, text.replace("a b", "a=b"));
}

#[test]
fn a_finding_is_allowed_with_the_reason_that_the_client_adds() {
    let project = Project::new(&[]);
    let (snapshot, actions) = project.actions("Dockerfile", TWO_FINDINGS, FULL_CLIENT);
    let mut action = find_action(&actions, "Allow").clone();
    action.data.as_mut().expect("data")["reason"] = "needed\nby the  legacy tool".into();
    let edit = project.resolve(&snapshot, &action, &Memory::default()).expect("an edit");
    assert_snapshot!(text_after(&project, &edit, "Dockerfile", snapshot.source.text()), @"
    FROM debian:12
    # aidd:allow dockerfile/legacy-key-value needed by the legacy tool
    ENV a b
    ENV c d
    ");
}

#[test]
fn only_requested_kinds_are_returned() {
    let project = Project::new(&[]);
    let (snapshot, range) = project.open_at("Dockerfile", TWO_FINDINGS);
    let kinds_for = |only: &[&'static str]| {
        let only = only.iter().map(|kind| CodeActionKind::new(kind)).collect();
        let context = CodeActionContext { only: Some(only), ..CodeActionContext::default() };
        let actions =
            project.with_action_context(FULL_CLIENT, &Memory::default(), |action_context| {
                actions::actions(&snapshot, range, &context, action_context)
            });
        let mut kinds: Vec<String> = actions
            .iter()
            .map(|action| {
                action.kind.clone().map_or(String::new(), |kind| kind.as_str().to_owned())
            })
            .collect();
        kinds.dedup();
        kinds
    };
    for all in ["source.fixAll.aidd", "source.fixAll", "source"] {
        assert_eq!(kinds_for(&[all]), [FIX_ALL.as_str()], "{all}");
    }
    let (fix, suppress, fix_all) = ("quickfix", "quickfix.suppress.aidd", "source.fixAll.aidd");
    assert_eq!((SUPPRESS.as_str(), FIX_ALL.as_str()), (suppress, fix_all));
    assert_eq!(kinds_for(&[fix]), [fix, suppress]);
    assert_eq!(kinds_for(&[fix, "source"]), [fix, suppress, fix_all]);
    assert_eq!(kinds_for(&[""]), [fix, suppress, fix_all]);
    assert_eq!(kinds_for(&["quickfix.suppress"]), [suppress]);
    for none in ["refactor", "source.fixAll.other", "source.organizeImports", "sourc"] {
        assert_eq!(kinds_for(&[none]), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn a_client_without_resolve_receives_edits_immediately() {
    let project = Project::new(&[]);
    assert_eq!(project.actions("Dockerfile", TWO_FINDINGS, Client::default()).1, []);
    let plain = Client { actions: true, ..Client::default() };
    let (snapshot, actions) = project.actions("Dockerfile", TWO_FINDINGS, plain);
    let edit = find_action(&actions, "Write").edit.as_ref().expect("an edit without resolve");
    let shown = describe_edit(&project, edit, &[("Dockerfile", snapshot.source.text())]);
    assert_snapshot!(shown, @"
    edit Dockerfile
    FROM debian:12
    ENV a=b
    ENV c d
    ");
}

#[test]
fn an_action_contains_the_diagnostic_sent_by_the_client() {
    let project = Project::new(&[]);
    let (snapshot, range) = project.open_at("Dockerfile", TWO_FINDINGS);
    let mut diagnostics = convert::diagnostics(&snapshot);
    for diagnostic in &mut diagnostics {
        diagnostic.message = "from the client".to_owned();
    }
    let context = CodeActionContext { diagnostics, ..CodeActionContext::default() };
    let actions = project.with_action_context(FULL_CLIENT, &Memory::default(), |action_context| {
        actions::actions(&snapshot, range, &context, action_context)
    });
    let diagnostics = find_action(&actions, "Write").diagnostics.as_ref().expect("a diagnostic");
    assert_eq!(diagnostics[0].message, "from the client");
    assert_eq!(diagnostics[0].range.start.line, 1);
}

#[test]
fn a_baselined_finding_can_be_fixed_and_an_allowed_finding_is_skipped() {
    let text = TWO_FINDINGS.replace('‸', "");
    let first = Project::new(&[]);
    let known = first.open("Dockerfile", &text).checked.findings;
    let baseline =
        Baseline::from_findings(known.iter().map(|finding| ("Dockerfile", finding))).to_json();
    let project = Project::new(&[(".aidd/baseline.json", &baseline)]);
    let (_, actions) = project.actions("Dockerfile", TWO_FINDINGS, FULL_CLIENT);
    assert!(titles(&actions).contains("Write KEY"), "{}", titles(&actions));
    let allowed = "FROM debian:12\n# aidd:allow dockerfile/legacy-key-value why\nENV ‸a b\n";
    let (_, actions) = project.actions("Dockerfile", allowed, FULL_CLIENT);
    assert!(!titles(&actions).contains("Write KEY"), "{}", titles(&actions));
}

#[test]
fn columns_use_the_position_encoding_of_the_client() {
    let marked = "FROM debian:12\r\nRUN echo 😀é && ‹apt-get install› curl=1\r\n";
    let mut results = Vec::new();
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::CodePoints] {
        let mut project = Project::new(&[]);
        project.encoding = encoding;
        results.push(apply_action(&project, marked, "Add"));
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:#?}");
    assert_snapshot!(results[0].replace('\r', "␍"), @"
    edit Dockerfile @7
    FROM debian:12␍
    RUN echo 😀é && apt-get install -y curl=1␍
    ");
}

/// Lines of a Dockerfile, with and without findings.
const LINES: [&str; 12] = [
    "FROM debian:latest",
    "ADD a /a",
    "ADD 😀 /b",
    "RUN apt-get install curl",
    "RUN sudo apt install x && cd /y",
    "run echo é",
    "MAINTAINER me",
    "ENV a b",
    "WORKDIR x",
    "COPY --from=0 a b",
    "# aidd:allow dockerfile/sudo why",
    "CMD a",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn fix_all_has_the_same_result_as_the_command_line(
        lines in proptest::collection::vec(0..LINES.len(), 0..8),
        is_crlf in any::<bool>(),
    ) {
        let end = if is_crlf { "\r\n" } else { "\n" };
        let text: String = lines.iter().map(|&index| format!("{}{end}", LINES[index])).collect();
        let project = Project::new(&[]);
        let (snapshot, actions) = project.actions("Dockerfile", &format!("‸{text}"), FULL_CLIENT);
        let bytes = text.clone().into_bytes();
        let fixed = fix::fix_file(project.engine(), "Dockerfile", bytes, project.disk(), Safety::Safe);
        let expected = String::from_utf8(fixed.bytes).expect("text");
        let all = actions.iter().find(|action| action.kind == Some(FIX_ALL));
        let after = match all {
            Some(action) => match project.resolve(&snapshot, action, &Memory::default()) {
                Ok(edit) => text_after(&project, &edit, "Dockerfile", &text),
                Err(Refusal::Gone) => text.clone(),
                Err(other) => panic!("{other}"),
            },
            None => text.clone(),
        };
        prop_assert_eq!(after, expected);
    }
}

#[test]
fn files_are_created_and_renamed_if_the_client_supports_these_operations() {
    let page = |id: &str, check: &str, fix: &str| {
        format!(
            "---\nseverity: warning\ncheck:\n  exclude: ['*.test.ts']\n  tree: {{ each: 'src/*.ts', {check} }}\n  fix: {{ {fix}: true }}\n---\n# t/{id}\n\nWhy.\n\n## Template\n\n```ts\ntest('<stem>')\n```\n"
        )
    };
    let project = Project::new(&[
        ("rules/tested.md", &page("tested", "exists: '<dir>/<stem>.test.ts'", "create")),
        ("rules/named.md", &page("named", "name: kebab", "rename")),
        ("src/UserCard.ts", "a\n"),
    ]);
    let (snapshot, actions) = project.actions("src/UserCard.ts", "‸a\n", FULL_CLIENT);
    let edit_of = |start: &str| {
        let action = find_action(&actions, start);
        let edit = project.resolve(&snapshot, action, &Memory::default()).expect("an edit");
        describe_edit(&project, &edit, &[])
    };
    assert_snapshot!(edit_of("Create"), @"
    create src/UserCard.test.ts
    edit src/UserCard.test.ts @null
    test('UserCard')
    ");
    assert_snapshot!(edit_of("Rename"), @"rename src/UserCard.ts to src/user-card.ts");
    assert!(find_action(&actions, "Rename").title.ends_with("(may change the meaning)"));
    assert_ne!(find_action(&actions, "Rename").is_preferred, Some(true));
    // A file with this name has been created in the meantime.
    let existing = Memory([("src/user-card.ts".to_owned(), Vec::new())].into());
    let refused = project.resolve(&snapshot, find_action(&actions, "Rename"), &existing);
    assert_eq!(refused, Err(Refusal::Gone));
    let plain = Client { rename_files: false, create_files: false, ..FULL_CLIENT };
    let (_, actions) = project.actions("src/UserCard.ts", "‸a\n", plain);
    assert!(!titles(&actions).contains("Create") && !titles(&actions).contains("Rename"));
}

#[test]
fn imports_are_checked_as_they_are_typed() {
    let rule = "---\nseverity: error\ncheck:\n  layers: { order: ['app/**', 'domain/**'] }\n---\n# t/layers\n\nWhy.\n";
    let project = Project::new(&[
        ("rules/layers.md", rule),
        ("app/a.ts", "export const a = 1;\n"),
        ("domain/b.ts", "export const b = 1;\n"),
    ]);
    let found = |text: &str| {
        let snapshot = project.open("domain/b.ts", &text.replace("ALLOW", "aidd:allow"));
        let line = |finding: &aidd_engine::text::finding::Finding| {
            format!("{} {} {}", finding.span.start, finding.rule, finding.status)
        };
        snapshot.checked.findings.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(found("export const b = 1;\n"), [""; 0]);
    let import = "import { a } from '../app/a';\n";
    assert_eq!(found(import), ["19 t/layers new"]);
    assert_eq!(found(&format!("\n{import}")), ["20 t/layers new"]);
    assert_eq!(found(&format!("// ALLOW t/layers why\n{import}")), ["46 t/layers allowed"]);
    assert_eq!(found("// ALLOW t/layers why\nexport const b = 2;\n"), ["3 aidd/unused-allow new"]);
    assert_eq!(found("export const b = 1;\n"), [""; 0]);
}
