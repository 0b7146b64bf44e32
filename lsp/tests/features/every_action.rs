//! Tests every action on every example of the rule pages: the edit applies and removes the finding.

use crate::features::support::{FULL_CLIENT, Project, describe_edit, text_after};
use aidd_engine::text::files::{Files, Memory};
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Example, Expected};
use aidd_lsp::actions::Refusal;
use std::collections::BTreeMap;
use std::fs;

/// Only every 40th rule on secrets is tested, because these rules are similar.
const SECRET_RULE_STEP: usize = 40;

/// Writes the files of an example, tries its actions, and counts the actions by the first word of
/// their titles.
fn try_all(rule: &str, example: &Example, counts: &mut BTreeMap<String, [usize; 2]>) {
    let nearby: Vec<(&str, String)> = example
        .siblings
        .0
        .iter()
        .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()))
        .collect();
    let nearby: Vec<(&str, &str)> =
        nearby.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let project = Project::new(&nearby);
    let before = project.open(&example.path, &example.text);
    // In a file such as `example.html`, the findings of some families are grouped into one.
    let size = |finding: &Finding| {
        1 + finding.related.iter().filter(|_| finding.message.ends_with(" more below")).count()
    };
    let shown = |findings: &[Finding]| -> usize {
        findings
            .iter()
            .filter(|finding| &*finding.rule == rule && finding.status == Status::New)
            .map(size)
            .sum()
    };
    let count_before = shown(&before.checked.findings);
    // A rule that is disabled by default has no finding.
    let Some(finding) = before.checked.findings.iter().find(|finding| &*finding.rule == rule)
    else {
        return;
    };
    let mut marked = example.text.clone();
    marked.insert(finding.span.start as usize, '‸');
    let (snapshot, actions) = project.actions(&example.path, &marked, FULL_CLIENT);
    for action in actions {
        let concerns_finding = |data: &serde_json::Value| {
            data["rule"] == rule || data["id"] == finding.id.as_str() || data["do"] == "fixAll"
        };
        if !action.data.as_ref().is_some_and(concerns_finding) {
            continue;
        }
        let word = action.title.split(' ').next().unwrap_or_default().to_owned();
        let word = if action.is_preferred.is_some() { "(fix)".to_owned() } else { word };
        let [done, refused] = counts.entry(word.clone()).or_default();
        let edit = match project.resolve(&snapshot, &action, &Memory::default()) {
            Ok(edit) => edit,
            // JSON has no comments.
            Err(Refusal::NoComment) if example.path.ends_with(".json") => continue,
            Err(Refusal::NoComment | Refusal::Gone) if word == "Allow" || word == "Apply" => {
                *refused += 1;
                continue;
            }
            Err(other) => panic!("{rule}: {}: {other}", action.title),
        };
        *done += 1;
        if word == "Disable" {
            let shown = describe_edit(&project, &edit, &[]);
            let (_, config) = shown.split_once("edit .aidd/config.json @null\n").expect("an edit");
            assert_disabled(rule, example, &nearby, config);
            continue;
        }
        let text = text_after(&project, &edit, &example.path, &example.text);
        let after = project.open(&example.path, &text).checked.findings;
        if word != "Apply" {
            assert!(
                shown(&after) < count_before,
                "{rule}: {} does not remove the finding\n{text}",
                action.title
            );
        }
        if word == "Allow" {
            // Some rules take any comment for an explanation, so their finding disappears.
            let is_unused = |finding: &Finding| &*finding.rule == "aidd/unused-allow";
            assert!(text.contains("aidd:allow") && !after.iter().any(is_unused), "{rule}\n{text}");
        }
    }
}

fn assert_disabled(rule: &str, example: &Example, nearby: &[(&str, &str)], config: &str) {
    let mut files = nearby.to_vec();
    files.push((".aidd/config.json", config));
    let project = Project::new(&files);
    assert!(fs::exists(project.disk().root().join(".aidd/config.json")).expect("readable"));
    let source = Source::new(example.path.as_str(), example.text.as_str());
    let files: &dyn Files = project.disk();
    let found = project.engine().check(&source, files).findings;
    assert!(
        found.iter().all(|finding| &*finding.rule != rule),
        "{rule}: still enabled with\n{config}"
    );
}

#[test]
fn every_action_removes_its_finding() {
    let project = Project::new(&[]);
    let mut counts = BTreeMap::new();
    for (index, rule) in project.engine().registry().rules().iter().enumerate() {
        if rule.id.starts_with("secrets/") && index % SECRET_RULE_STEP != 0 {
            continue;
        }
        let (examples, _) = examples::read(rule).expect("a page");
        for example in
            examples.iter().filter(|example| matches!(example.expected, Expected::Fails(_)))
        {
            try_all(&rule.id, example, &mut counts);
        }
    }
    let shown: String = counts
        .iter()
        .map(|(word, [done, refused])| format!("{word}: {done} done, {refused} refused\n"))
        .collect();
    for word in ["(fix)", "Allow", "Disable", "Fix", "Apply"] {
        assert!(counts.get(word).is_some_and(|[done, _]| *done > 0), "{word}\n{shown}");
    }
    let [done, refused] = counts["Allow"];
    assert!(refused * 20 < done, "too many comments are refused\n{shown}");
}
