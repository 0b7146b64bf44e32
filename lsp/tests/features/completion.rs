//! Completions, and the text after accepting them.

use crate::features::support::{FULL_CLIENT, Project, apply_edits};
use aidd_lsp::client::Client;
use aidd_lsp::completion::{self, complete};
use insta::assert_snapshot;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionResponse, CompletionTextEdit, Documentation,
};

fn items(project: &Project, path: &str, marked: &str) -> Option<Vec<CompletionItem>> {
    let (snapshot, range) = project.open_at(path, marked);
    complete(&snapshot, range.start, FULL_CLIENT).map(|response| match response {
        CompletionResponse::Array(items) => items,
        CompletionResponse::List(list) => list.items,
    })
}

/// The labels, and the text after accepting the first item.
fn accept_first(project: &Project, path: &str, marked: &str) -> String {
    let Some(items) = items(project, path, marked) else { return "nothing".to_owned() };
    let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).take(6).collect();
    let Some(first) = items.first() else { return "none".to_owned() };
    let Some(CompletionTextEdit::Edit(edit)) = &first.text_edit else { panic!("no edit") };
    let additional = first.additional_text_edits.iter().flatten();
    let edits: Vec<_> = [edit].into_iter().chain(additional).cloned().collect();
    let text = apply_edits(&marked.replace('‸', ""), &edits, project.encoding);
    format!("{} of {}\n{text}", labels.join(" "), items.len())
}

#[test]
fn rule_names_are_completed_in_allow_comments() {
    let project = Project::new(&[]);
    let completions_at = |marked: &str| accept_first(&project, "Dockerfile", marked);
    assert_snapshot!(completions_at("FROM debian:latest\n# 😀\n# aidd:allow ‸\nRUN sudo a\n"), @"
    aidd/unused-allow dockerfile/latest-tag dockerfile/sudo a11y/access-key a11y/active-descendant-without-focus a11y/ambiguous-link-text of 200
    FROM debian:latest
    # 😀
    # aidd:allow aidd/unused-allow
    RUN sudo a
    ");
    assert_snapshot!(completions_at("# aidd:allow dockerfile/lat‸ why\n"), @"
    dockerfile/latest-tag of 1
    # aidd:allow dockerfile/latest-tag why
    ");
    assert_snapshot!(completions_at("# aidd:allow dockerfile/sudo, DL300‸\n"), @"
    DL3000 DL3001 DL3002 DL3003 DL3004 DL3006 of 9
    # aidd:allow dockerfile/sudo, DL3000
    ");
    assert_snapshot!(completions_at("# hadolint ignore=‸\n"), @"
    DL1000 DL1001 DL3000 DL3001 DL3002 DL3003 of 86
    # hadolint ignore=DL1000
    ");
    assert_snapshot!(completions_at("# hadolint ignore=DL3007,SC2‸\n"), @"
    SC2046 SC2086 SC2115 SC2164 of 4
    # hadolint ignore=DL3007,SC2046
    ");
    assert_snapshot!(completions_at("# check=skip=J‸\n"), @"
    JSONArgsRecommended of 1
    # check=skip=JSONArgsRecommended
    ");
    for none in ["# aidd:allow dockerfile/sudo wh‸\n", "# talk ‸\n", "‸"] {
        assert_eq!(completions_at(none), "nothing", "{none}");
    }
}

#[test]
fn the_rule_page_is_added_on_resolve() {
    let project = Project::new(&[]);
    let (snapshot, range) = project.open_at("Dockerfile", "# aidd:allow dockerfile/latest‸\n");
    let Some(CompletionResponse::List(list)) = complete(&snapshot, range.start, FULL_CLIENT) else {
        panic!("a list")
    };
    let item = list.items.into_iter().next().expect("an item");
    assert_eq!(item.documentation, None);
    assert_eq!(completion::document(&item).as_ref(), Some(&snapshot.uri));
    let item = completion::resolve(&snapshot, item, FULL_CLIENT);
    let Some(Documentation::MarkupContent(content)) = item.documentation else { panic!("none") };
    assert_snapshot!(content.value, @"
    **[dockerfile/latest-tag](https://github.com/aidd-dev/aidd/blob/main/content/rules/dockerfile/latest-tag.md)** · warning · also DL3007

    The tag `latest` moves: two builds of the same Dockerfile can start from different images, and upgrades arrive without a change to the Dockerfile.

    Use a version tag. If the reference also has a digest, the tag is only a label and is not reported. If the name of the image contains the version (`ubi9/ubi-minimal`), or if the project itself builds the image, the finding is an `info`.
    ");
    assert_snapshot!(item.detail.expect("a summary"), @"The tag `latest` moves: two builds of the same Dockerfile can start from different images, and upgrades arrive without a change to the Dockerfile.");
}

#[test]
fn the_number_of_proposed_rules_is_limited() {
    let project = Project::new(&[]);
    let (snapshot, range) = project.open_at("a.py", "# aidd:allow ‸\n");
    let Some(CompletionResponse::List(list)) = complete(&snapshot, range.start, FULL_CLIENT) else {
        panic!("a list")
    };
    assert!(list.is_incomplete && list.items.len() == 200, "{}", list.items.len());
}

#[test]
fn the_configuration_is_completed_from_its_schema() {
    let project = Project::new(&[]);
    let completions_at = |marked: &str| accept_first(&project, ".aidd/config.json", marked);
    assert_snapshot!(completions_at("{‸}"), @r#"
    $schema include exclude failOn rules compliance of 14
    {"\$schema": "$1"}
    "#);
    assert_snapshot!(completions_at("{\"baseline\": \"x\", \"ci\": {}, \"‸\"}"), @r#"
    $schema include exclude failOn rules compliance of 12
    {"baseline": "x", "ci": {}, "\$schema": "$1"}
    "#);
    assert_snapshot!(completions_at("{\"failOn\": ‸}"), @r#"
    error warning info never of 4
    {"failOn": "error"}
    "#);
    assert_snapshot!(completions_at("{\"rules\": {\"dockerfile/sud‸\": \"off\"}}"), @r#"
    dockerfile/sudo of 1
    {"rules": {"dockerfile/sudo": "off"}}
    "#);
    assert_snapshot!(completions_at("{\"rules\": {\"dockerfile/sudo\": \"‸\"}}"), @r#"
    off info warning error of 4
    {"rules": {"dockerfile/sudo": "off"}}
    "#);
    assert_snapshot!(completions_at("{\"rules\": {\"dockerfile/sudo\": {‸}}}"), @r#"
    severity params of 2
    {"rules": {"dockerfile/sudo": {"severity": ${1|"off","info","warning","error"|}}}}
    "#);
    assert_snapshot!(completions_at("{\"overrides\": [{\"files\": [], ‸}]}"), @r#"
    rules of 1
    {"overrides": [{"files": [], "rules": {$1}}]}
    "#);
    assert_snapshot!(completions_at("{\"overrides\": [{\"rules\": {\"DL3004‸"), @r#"
    DL3004 of 1
    {"overrides": [{"rules": {"DL3004": ${1|"off","info","warning","error"|}
    "#);
    assert_snapshot!(completions_at("{\"ci\": {\"blockOn\": [\"dockerfile/sudo‸\"]}}"), @r#"
    dockerfile/sudo accessibility angular architecture ci compatibility of 126
    {"ci": {"blockOn": ["dockerfile/sudo"]}}
    "#);
    assert_snapshot!(completions_at("{\"accessibility\": {\"components\": {\"Link\": \"‸\"}}}"), @r#"
    a abbr area article aside audio of 73
    {"accessibility": {"components": {"Link": "a"}}}
    "#);
    assert_eq!(completions_at("{\"baseline\": \"‸\"}"), "none");
    assert_eq!(completions_at("// ‸"), "nothing");
    assert_snapshot!(completions_at("{‸ \"ci\": {}}"), @r#"
    $schema include exclude failOn rules compliance of 13
    {"\$schema": "$1", "ci": {}}
    "#);
    assert_snapshot!(completions_at("{\"failOn\": \"info\" \"compl‸\"\n // why\n \"ci\": {}}"), @r#"
    $schema include exclude rules compliance overrides of 12
    {"failOn": "info", "\$schema": "$1",
     // why
     "ci": {}}
    "#);
    assert_snapshot!(completions_at("{\"failOn\": ‸ \"ci\": {}}"), @r#"
    error warning info never of 4
    {"failOn": "error", "ci": {}}
    "#);
    let (snapshot, range) = project.open_at(".aidd/config.json", "{\"ci\": {\"‸\"}}");
    let plain = Client { snippets: false, ..FULL_CLIENT };
    let Some(CompletionResponse::Array(plain)) = complete(&snapshot, range.start, plain) else {
        panic!("an array")
    };
    let Some(CompletionTextEdit::Edit(edit)) = &plain[0].text_edit else { panic!("no edit") };
    assert_eq!((&*edit.new_text, plain[0].insert_text_format), ("\"blockOn\": []", None));
    let items = items(&project, ".aidd/config.json", "{\"‸\"}").expect("items");
    let Some(Documentation::String(text)) = &items[0].documentation else { panic!("none") };
    assert_snapshot!(text, @"The JSON schema of this file, for editors.");
}

#[test]
fn the_front_matter_is_completed_from_its_schema() {
    let project = Project::new(&[]);
    let completions_at = |header: &str| {
        let page = format!("---\n{header}\n---\n# team/a\n");
        let shown = accept_first(&project, "rules/a.md", &page);
        shown.replace("\n---\n# team/a\n", "").replace("\n---", "")
    };
    assert_snapshot!(completions_at("‸"), @"
    severity enabled tags aliases security-severity summary of 11
    severity:
    ");
    assert_snapshot!(completions_at("severity: ‸"), @"
    info warning error of 3
    severity: info
    ");
    assert_snapshot!(completions_at("severity: info\ncheck:\n  ‸"), @"
    files exclude when params text syntax of 13
    severity: info
    check:
      files:
    ");
    assert_snapshot!(completions_at("check:\n  text:\n    unless‸"), @"
    regex assigned swap in first last of 16
    check:
      text:
        regex:
    ");
    assert_snapshot!(completions_at("check: { text: { secret: ‸ } }"), @"
    low medium high of 3
    check: { text: { secret: low } }
    ");
    assert_snapshot!(completions_at("check:\n  syntax:\n    language: [typ‸]"), @"
    bash c csharp css go html of 16
    check:
      syntax:
        language: [bash]
    ");
    assert_snapshot!(completions_at("enabled: ‸"), @"
    true false of 2
    enabled: true
    ");
    assert_snapshot!(completions_at("tags:\n  - ‸"), @"
    accessibility angular architecture ci compatibility compliance of 125
    tags:
      - accessibility
    ");
    let in_text = accept_first(&project, "rules/a.md", "---\nseverity: info\n---\n# team/a\n‸");
    assert_eq!(in_text, "nothing");
}
