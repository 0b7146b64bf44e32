//! Tests of the analysis and of the files of evolution.

use crate::candidates::{Candidate, Facts, Verdict, analyze, has_drifted};
use crate::log::{Action, Category, DraftData, LogEntry, OverlayChange, State};
use crate::record::{RuleUse, SessionRecord, TaskType};
use crate::store::{EvolutionError, LOG_PATH, LineWrite, MANIFEST_PATH, Store};
use crate::worlds::{World, simulate};
use aidd_engine::project::config::{AutoApply, ChangeKind, EvolutionConfig};
use aidd_engine::project::overlay::OVERLAY_PATH;
use std::fs;
use std::path::Path;

const DAY: i64 = 86_400_000;

/// Sessions of one task type: each text names its role, skills, model and tools, and ends with `+` or
/// `-`.
fn sessions(count: usize, lines: &[&str]) -> Vec<SessionRecord> {
    let texts = lines.iter().cycle().take(count);
    texts
        .enumerate()
        .map(|(at, line)| {
            let mut record = SessionRecord {
                id: format!("s{at}"),
                ended_at: at as i64 * DAY / 4,
                task: TaskType { domain: "backend".to_owned(), nature: "bugfix".to_owned() },
                ..SessionRecord::default()
            };
            for word in line.split_whitespace() {
                match word.split_once(':') {
                    Some(("role", name)) => {
                        record.roles.insert(name.to_owned(), 1);
                    }
                    Some(("skill", name)) => {
                        record.skills.insert(name.to_owned(), 1);
                    }
                    Some(("knows", name)) => {
                        record.knowledge.insert(name.to_owned(), 1);
                    }
                    Some(("model", name)) => record.model = name.to_owned(),
                    Some(("tools", names)) => {
                        record.sequence = names.split('>').map(str::to_owned).collect();
                    }
                    Some(("rule", name)) => {
                        let uses = RuleUse { introduced: 1, reverted: 1, ..RuleUse::default() };
                        record.rules.insert(name.to_owned(), uses);
                    }
                    Some(("kept", name)) => {
                        let uses = RuleUse { introduced: 1, ..RuleUse::default() };
                        record.rules.insert(name.to_owned(), uses);
                    }
                    _ => record.last_run_passed = Some(word == "+"),
                }
            }
            record
        })
        .collect()
}

fn automatic() -> EvolutionConfig {
    EvolutionConfig { auto_apply: Some(AutoApply::Above(0.9)), ..EvolutionConfig::default() }
}

fn decided(records: &[SessionRecord], config: &EvolutionConfig, facts: &mut Facts) -> Vec<String> {
    let now = records.last().map_or(0, |record| record.ended_at);
    let found = analyze(records, facts, config, now);
    let line = |candidate: Candidate| format!("{:?} {}", candidate.verdict, candidate.title);
    found.into_iter().filter(|candidate| candidate.verdict != Verdict::Pending).map(line).collect()
}

#[test]
fn a_better_role_is_applied_only_if_that_is_configured() {
    let records = sessions(80, &["role:auditor +", "role:writer -"]);
    let mut config = automatic();
    config.types = Some(vec![ChangeKind::RoutingWeight]);
    let applied = ["Apply prefer the role auditor for backend/bugfix"];
    assert_eq!(decided(&records, &config, &mut Facts::default()), applied);
    config.auto_apply = None;
    let drafted = ["Draft prefer the role auditor for backend/bugfix"];
    assert_eq!(decided(&records, &config, &mut Facts::default()), drafted);
    config.types = Some(vec![ChangeKind::SkillCombo]);
    assert!(decided(&records, &config, &mut Facts::default()).is_empty());
}

#[test]
fn nothing_is_proposed_during_the_learning_period_or_without_outcomes() {
    let records = sessions(4, &["role:auditor +", "role:writer -"]);
    assert!(analyze(&records, &mut Facts::default(), &automatic(), 0).is_empty());
    let records = sessions(60, &["role:auditor", "role:writer"]);
    assert!(decided(&records, &automatic(), &mut Facts::default()).is_empty());
}

#[test]
fn a_difference_between_models_is_no_effect_of_a_role() {
    let records = sessions(
        80,
        &[
            "role:auditor model:strong +",
            "role:auditor model:strong +",
            "role:auditor model:weak -",
            "role:writer model:strong +",
            "role:writer model:weak -",
            "role:writer model:weak -",
        ],
    );
    let mut config = automatic();
    config.types = Some(vec![ChangeKind::RoutingWeight]);
    assert!(decided(&records, &config, &mut Facts::default()).is_empty());
    config.types = Some(vec![ChangeKind::ModelRecommendation]);
    assert_eq!(
        decided(&records, &config, &mut Facts::default()),
        ["Apply recommend the model strong for backend/bugfix"]
    );
}

#[test]
fn words_are_drafted_and_never_applied() {
    let records = sessions(
        120,
        &[
            "role:auditor skill:sql tools:plan>check +",
            "role:auditor tools:read -",
            "role:auditor skill:sql tools:plan>check +",
        ],
    );
    let config = automatic();
    let found = decided(&records, &config, &mut Facts::default());
    assert_eq!(
        found,
        [
            "Draft one workflow for plan and check, which always follow each other",
            "Draft use the skill sql with the role auditor for backend/bugfix",
        ]
    );
}

#[test]
fn tools_that_are_always_used_are_no_workflow() {
    let records = sessions(60, &["tools:plan>check +", "tools:plan>check -"]);
    assert!(decided(&records, &automatic(), &mut Facts::default()).is_empty());
}

#[test]
fn a_rule_whose_findings_are_reverted_is_raised() {
    let records = sessions(80, &["rule:team/a kept:team/b +", "kept:team/b -"]);
    let mut facts = Facts::default();
    for rule in ["team/a", "team/b"] {
        facts.raisable.insert(rule.to_owned(), "error".to_owned());
    }
    assert_eq!(
        decided(&records, &automatic(), &mut facts),
        ["Apply raise the severity of team/a to error"]
    );
}

#[test]
fn the_required_evidence_grows_with_the_candidates_ever_looked_at() {
    let records = sessions(80, &["role:auditor +", "role:writer -"]);
    let mut facts = Facts::default();
    let seen = facts.seen.entry(ChangeKind::RoutingWeight).or_default();
    seen.extend((0..98).map(|at| format!("routing_weight:old:{at}")));
    let found = analyze(&records, &mut facts, &automatic(), 0);
    assert!(found.iter().all(|candidate| candidate.figures.required == Some(10_000.0)));
}

#[test]
fn old_sessions_count_less_so_that_a_change_can_drift() {
    let mut records = sessions(60, &["role:auditor +", "role:writer -"]);
    let later = sessions(60, &["role:auditor -", "role:writer +"]);
    records.extend(later.into_iter().map(|mut record| {
        record.ended_at += 400 * DAY;
        record
    }));
    let config = automatic();
    let found = analyze(&records, &mut Facts::default(), &config, 420 * DAY);
    let auditor = found
        .iter()
        .find(|candidate| {
            candidate.subject == "auditor" && candidate.kind == ChangeKind::RoutingWeight
        })
        .expect("a candidate");
    assert!(has_drifted(&auditor.figures, &config), "{auditor:?}");
}

/// A smaller version of the benchmark `simulation`, with a fixed seed.
#[test]
fn simulated_worlds_stay_within_the_error_rates() {
    let world = |effect| World { roles: 4, usage: 0.5, base: 0.5, effect };
    let none = simulate(world(0.0), 40, 10, 1);
    assert!(none.wrong < 0.01, "{none:?}");
    let some = simulate(world(0.3), 40, 10, 1);
    assert!(some.applied >= 0.6 && some.wrong <= 0.025 && some.drafted >= 0.8, "{some:?}");
}

/// An entry that sets a role for a task type.
pub(crate) fn apply(at: i64, key: &str, before: Option<&str>, after: Option<&str>) -> LogEntry {
    let mut entry = LogEntry::new(Action::Apply, &format!("prefer {key}"), at, "aidd");
    entry.overlay.push(OverlayChange {
        section: "routing".to_owned(),
        key: key.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    });
    entry
}

fn text(root: &Path, path: &str) -> String {
    let read = fs::OpenOptions::new().read(true).open(root.join(path));
    read.and_then(std::io::read_to_string).unwrap_or_default()
}

fn put(root: &Path, path: &str, text: &str) {
    use std::io::Write as _;
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn a_revert_restores_byte_for_byte() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    put(root, "rules/a.md", "before\r\n");
    let store = Store::new(root);
    let mut transaction = store.begin().expect("a lock");
    let change = transaction
        .commit(
            apply(1, "backend", None, Some("auditor")),
            vec![
                ("rules/a.md".to_owned(), Some(b"after\n".to_vec())),
                ("rules/b.md".to_owned(), Some(b"new\n".to_vec())),
            ],
        )
        .expect("applied");
    assert_eq!(text(root, "rules/a.md"), "after\n");
    assert!(text(root, OVERLAY_PATH).contains("\"backend\": \"auditor\""));
    transaction.revert(&change, 2, ("person", None), &[]).expect("reverted");
    assert_eq!(text(root, "rules/a.md"), "before\r\n");
    assert!(!root.join("rules/b.md").exists());
    assert!(!text(root, OVERLAY_PATH).contains("auditor"));
    assert_eq!(text(root, LOG_PATH).lines().count(), 2);
    assert!(store.state().expect("a state").applied.is_empty());
}

#[test]
fn a_revert_refuses_to_overwrite_later_edits() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    let mut transaction = Store::new(root).begin().expect("a lock");
    let files = vec![("rules/a.md".to_owned(), Some(b"new\n".to_vec()))];
    let change = transaction
        .commit(LogEntry::new(Action::Apply, "a page", 1, "aidd"), files)
        .expect("applied");
    put(root, "rules/a.md", "edited\n");
    let error = transaction.revert(&change, 2, ("person", None), &[]).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "rules/a.md was edited since the change was applied, not yet committed"
    );
    assert_eq!(text(root, "rules/a.md"), "edited\n");
    let overlay = transaction
        .commit(apply(3, "backend", None, Some("auditor")), Vec::new())
        .expect("applied");
    put(root, OVERLAY_PATH, "{\"routing\": {\"backend\": \"mine\"}}");
    let error = transaction.revert(&overlay, 4, ("person", None), &[]).expect_err("refused");
    assert!(matches!(error, EvolutionError::Edited { .. }), "{error}");
}

/// Two knowledge entries with the same outcomes, of which one was more expensive to learn.
#[test]
fn of_two_entries_with_the_same_gain_the_expensive_one_comes_first() {
    let mut records = Vec::new();
    for at in 0..40_u32 {
        let entry = ["cheap", "expensive", "", ""][at as usize % 4];
        let mut record = SessionRecord {
            id: format!("s{at}"),
            ended_at: 1,
            last_run_passed: Some(!entry.is_empty()),
            discovery_tokens: Some(if entry == "expensive" { 9000 } else { 10 }),
            ..SessionRecord::default()
        };
        if !entry.is_empty() {
            record.knowledge.insert(entry.to_owned(), 1);
        }
        records.push(record);
    }
    let found = analyze(&records, &mut Facts::default(), &Default::default(), 1);
    let subjects: Vec<&str> = found.iter().map(|candidate| &*candidate.subject).collect();
    assert_eq!(subjects, ["expensive", "cheap"]);
    assert_eq!(found[0].figures.confidence, found[1].figures.confidence);
}

#[test]
fn lines_are_completed_once_and_removed_whole() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    put(root, "memory.jsonl", "{\"a\":1}\n{\"b\":2}");
    let store = Store::new(root);
    let mut transaction = store.begin().expect("a lock");
    let line = |text: &str| ("memory.jsonl".to_owned(), format!("{text}\n"));
    let (path, added) = line("{\"c\":3}");
    let entry = LogEntry::new(Action::Approve, "a convention", 1, "person");
    let change = transaction
        .commit_with_lines(entry, Vec::new(), &[LineWrite::Add(path, added)])
        .expect("applied");
    drop(transaction);
    let all = "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n";
    assert_eq!(text(root, "memory.jsonl"), all);
    // A process that was interrupted before or after it wrote the line.
    let journal = serde_json::json!({"entry": change.id, "files": change.files}).to_string();
    for before in ["{\"a\":1}\n{\"b\":2}\n", all] {
        put(root, "memory.jsonl", before);
        put(root, ".aidd/evolution/journal.json", &journal);
        store.recover().expect("completed");
        assert_eq!(text(root, "memory.jsonl"), all);
    }
    let mut transaction = store.begin().expect("a lock");
    let (path, removed) = line("{\"b\":2}");
    transaction
        .revert(&change, 2, ("person", None), &[LineWrite::Remove(path, removed)])
        .expect("reverted");
    assert_eq!(text(root, "memory.jsonl"), "{\"a\":1}\n{\"c\":3}\n");
    // Lines are compared as a whole.
    let (path, part) = line("3}");
    let entry = LogEntry::new(Action::Revert, "a convention", 3, "person");
    transaction
        .commit_with_lines(entry, Vec::new(), &[LineWrite::Remove(path, part)])
        .expect("nothing to remove");
    assert_eq!(text(root, "memory.jsonl"), "{\"a\":1}\n{\"c\":3}\n");
}

/// Two changes of one value, reverted in the same millisecond.
#[test]
fn entries_of_the_same_time_keep_their_order() {
    let root = tempfile::tempdir().expect("a directory");
    let mut transaction = Store::new(root.path()).begin().expect("a lock");
    for role in 0..9 {
        let before = role.to_string();
        let before = Some(&*before).filter(|_| role > 0);
        let entry = apply(1, "backend", before, Some(&(role + 1).to_string()));
        transaction.commit(entry, Vec::new()).expect("applied");
    }
    for change in transaction.state().applied.iter().rev() {
        transaction.revert(change, 1, ("person", None), &[]).expect("reverted");
    }
    assert_eq!(transaction.state().overlay, State::default().overlay);
    assert!(transaction.state().conflicts.is_empty());
}

#[test]
fn an_overlay_with_conflict_markers_is_written_again_from_the_log() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    let mut transaction = Store::new(root).begin().expect("a lock");
    let change = transaction
        .commit(apply(1, "backend", None, Some("auditor")), Vec::new())
        .expect("applied");
    put(root, OVERLAY_PATH, "{\n<<<<<<< ours\n");
    transaction.revert(&change, 2, ("person", None), &[]).expect("reverted");
    assert_eq!(text(root, OVERLAY_PATH), State::default().overlay.to_text());
}

#[test]
fn an_interrupted_change_is_completed_or_forgotten() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    let store = Store::new(root);
    let mut transaction = store.begin().expect("a lock");
    let files = vec![("rules/a.md".to_owned(), Some(b"new\n".to_vec()))];
    let change =
        transaction.commit(apply(1, "backend", None, Some("auditor")), files).expect("applied");
    drop(transaction);
    let journal = serde_json::json!({"entry": change.id, "files": change.files}).to_string();
    // The line is in the log, the files are not written.
    fs::remove_file(root.join("rules/a.md")).expect("removed");
    fs::remove_file(root.join(OVERLAY_PATH)).expect("removed");
    put(root, ".aidd/evolution/journal.json", &journal);
    store.recover().expect("completed");
    assert_eq!(text(root, "rules/a.md"), "new\n");
    assert!(text(root, OVERLAY_PATH).contains("auditor"));
    // The line is not in the log: nothing was changed, and nothing is.
    put(root, ".aidd/evolution/journal.json", &journal.replace("change_1_", "change_2_"));
    fs::remove_file(root.join("rules/a.md")).expect("removed");
    store.recover().expect("forgotten");
    assert!(!root.join("rules/a.md").exists());
    assert!(!root.join(".aidd/evolution/journal.json").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links() {
    let (root, outside) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
    fs::create_dir_all(root.path().join(".aidd")).expect("a directory");
    std::os::unix::fs::symlink(outside.path(), root.path().join(".aidd/evolution"))
        .expect("a link");
    let error = Store::new(root.path()).begin().expect_err("refused");
    assert!(matches!(error, EvolutionError::Link(_) | EvolutionError::Io { .. }), "{error}");
    assert!(!outside.path().join("lock").exists() && !outside.path().join("log.jsonl").exists());
}

#[test]
fn drafts_are_listed_in_the_manifest() {
    let root = tempfile::tempdir().expect("a directory");
    let mut transaction = Store::new(root.path()).begin().expect("a lock");
    let mut entry = LogEntry::new(Action::Draft, "never call moment()", 1, "person");
    let path = ".aidd/drafts/rules/moment.md".to_owned();
    entry.draft =
        Some(DraftData { category: Category::Rules, path: path.clone(), notes: Vec::new() });
    let draft = transaction.commit(entry, vec![(path, Some(b"text".to_vec()))]).expect("drafted");
    let manifest = text(root.path(), MANIFEST_PATH);
    assert!(manifest.contains(&draft.id) && manifest.contains("\"status\": \"pending\""));
    let prefix = &draft.id[..draft.id.len() - 3];
    assert_eq!(transaction.pending_draft(prefix).expect("a draft").entry.id, draft.id);
    assert!(transaction.pending_draft("draft_9").is_err());
}
