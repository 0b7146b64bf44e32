//! Every action on every example of the rule pages: its edit applies and removes the finding.

use crate::features::support::{FULL, Project, applied, text_after};
use aidd_engine::text::files::{Files, Memory};
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Example, Expected};
use aidd_lsp::actions::Refusal;
use std::collections::BTreeMap;
use std::fs;

/// One in this many of the similar rules on secrets is tested.
const SECRETS: usize = 40;

/// Writes the files of an example, tries its actions, and counts them by their first word.
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
    let shown = |findings: &[Finding]| {
        findings.iter().filter(|one| &*one.rule == rule && one.status == Status::New).count()
    };
    let was = shown(&before.checked.findings);
    // A rule that is disabled by default has no finding.
    let Some(finding) = before.checked.findings.iter().find(|one| &*one.rule == rule) else {
        return;
    };
    let mut marked = example.text.clone();
    marked.insert(finding.span.start as usize, '‸');
    let (snapshot, actions) = project.actions(&example.path, &marked, FULL);
    for action in actions {
        let is_own = |data: &serde_json::Value| {
            data["rule"] == rule || data["id"] == finding.id.as_str() || data["do"] == "fixAll"
        };
        if !action.data.as_ref().is_some_and(is_own) {
            continue;
        }
        let word = action.title.split(' ').next().unwrap_or_default().to_owned();
        let word = if action.is_preferred.is_some() { "(fix)".to_owned() } else { word };
        let [done, refused] = counts.entry(word.clone()).or_default();
        let edit = match project.resolve(&snapshot, &action, &Memory::default()) {
            Ok(edit) => edit,
            Err(Refusal::NoComment | Refusal::Gone) if word == "Allow" || word == "Apply" => {
                *refused += 1;
                continue;
            }
            Err(other) => panic!("{rule}: {}: {other}", action.title),
        };
        *done += 1;
        if word == "Disable" {
            let shown = applied(&project, &edit, &[]);
            let (_, config) = shown.split_once("edit .aidd/config.json @null\n").expect("an edit");
            turned_off(rule, example, &nearby, config);
            continue;
        }
        let text = text_after(&project, &edit, &example.path, &example.text);
        let after = project.open(&example.path, &text).checked.findings;
        if word != "Apply" {
            assert!(shown(&after) < was, "{rule}: {} leaves\n{text}", action.title);
        }
        if word == "Allow" {
            assert!(after.iter().any(|one| &*one.rule == rule && one.status == Status::Allowed));
        }
    }
}

fn turned_off(rule: &str, example: &Example, nearby: &[(&str, &str)], config: &str) {
    let mut files = nearby.to_vec();
    files.push((".aidd/config.json", config));
    let project = Project::new(&files);
    assert!(fs::exists(project.disk().root().join(".aidd/config.json")).expect("readable"));
    let source = Source::new(example.path.as_str(), example.text.as_str());
    let files: &dyn Files = project.disk();
    let found = project.engine().check(&source, files).findings;
    assert!(found.iter().all(|one| &*one.rule != rule), "{rule}: still on under\n{config}");
}

#[test]
fn every_action_does_away_with_its_finding() {
    let project = Project::new(&[]);
    let mut counts = BTreeMap::new();
    for (at, rule) in project.engine().registry().rules().iter().enumerate() {
        if rule.id.starts_with("secrets/") && at % SECRETS != 0 {
            continue;
        }
        let (examples, _) = examples::read(rule).expect("a page");
        for example in examples.iter().filter(|one| matches!(one.expected, Expected::Fails(_))) {
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
