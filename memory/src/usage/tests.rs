use super::event::{Call, Edit, Event, Mark, PageUse, RunCheck, TimedEvent};
use super::replay::replay;
use super::{FINAL_AFTER_MS, Name, RETENTION_DAYS};
use crate::project::ProjectMemory;
use crate::store::BackendChoice;
use crate::tests::{new_session, on_both_stores, open_memory, text};
use aidd_evolution::SessionRecord;
use aidd_evolution::record::TaskType;
use proptest::prelude::*;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

fn call(tool: &str) -> Call {
    let tool = name(tool);
    Call { tool, millis: 12, bytes: 800, tokens: 200, is_error: false, findings: Vec::new() }
}

fn edit(path: &str, old: &str, new: &str) -> Edit {
    Edit {
        path: Mark::new(path),
        lines: 4,
        old: Some(Mark::new(old)),
        new: Mark::new(new),
        before: 0,
        after: 0,
        errors_before: 0,
        errors: 0,
        rules: BTreeMap::new(),
        introduced: Vec::new(),
        fixed: Vec::new(),
    }
}

/// Events from a script, one per line: `call TOOL [names FINDING | fails]`, `edit PATH OLD NEW
/// [introduces RULE FINDING | fixes RULE FINDING | allows RULE]`, `tests pass`, `lint fail`, `used
/// TOOL LINE`, `memory ID`, `role NAME`, `task DOMAIN NATURE`.
fn script(text: &str) -> Vec<TimedEvent> {
    let parse = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["call", tool] => Event::Call(call(tool)),
            ["call", tool, "names", finding] => {
                Event::Call(Call { findings: vec![Mark::new(finding)], ..call(tool) })
            }
            ["call", tool, "fails"] => Event::Call(Call { is_error: true, ..call(tool) }),
            ["edit", path, old, new, ..] => {
                let mut edit = edit(path, old, new);
                match words[4..] {
                    ["introduces", rule, finding] => {
                        edit.rules.insert(name(rule), [1, 0, 0]);
                        edit.introduced = vec![Mark::new(finding)];
                        (edit.after, edit.errors) = (1, 1);
                    }
                    ["fixes", rule, finding] => {
                        edit.rules.insert(name(rule), [0, 1, 0]);
                        edit.fixed = vec![Mark::new(finding)];
                        (edit.before, edit.errors_before) = (1, 1);
                    }
                    ["allows", rule] => _ = edit.rules.insert(name(rule), [0, 0, 1]),
                    _ => {}
                }
                Event::Edit(edit)
            }
            ["tests", result] => Event::Run(result == "pass", vec![RunCheck::Tests]),
            ["lint", result] => Event::Run(result == "pass", vec![RunCheck::Lint]),
            ["used", tool, at] => Event::Used(name(tool), at.parse().expect("a line")),
            ["memory", id] => Event::Memory(name(id)),
            ["role", role] => Event::Served(PageUse::Role, name(role)),
            ["task", domain, nature] => Event::Task(name(domain), name(nature)),
            _ => panic!("{line}"),
        }
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.zip(1..).map(|(line, at)| TimedEvent { at, event: parse(line) }).collect()
}

/// What a record says, without the figures that are zero.
fn describe(record: &SessionRecord) -> String {
    let mut text = String::new();
    for (name, tool) in &record.tools {
        let (calls, good, bad) = (tool.calls, tool.good, tool.bad);
        writeln!(text, "{name}: {calls} calls, {good} good, {bad} bad").expect("a string");
    }
    for (name, rule) in &record.rules {
        let numbers = [rule.introduced, rule.fixed, rule.allowed, rule.reverted];
        writeln!(text, "{name}: {numbers:?}").expect("a string");
    }
    if let Some(outcome) = record.outcome {
        writeln!(
            text,
            "findings {} → {}, errors left {}, reverted {}, reworked {}",
            outcome.findings_start,
            outcome.findings_end,
            outcome.errors_left,
            outcome.files_reverted,
            outcome.files_reworked
        )
        .expect("a string");
    }
    let (runs, last) = (record.runs, record.last_run_passed);
    writeln!(text, "runs {} passed, {} failed, last {last:?}", runs.passed, runs.failed)
        .expect("a string");
    text + &record.sequence.join(" → ")
}

fn replayed(text: &str) -> String {
    describe(&replay("session_1_a", script(text)))
}

#[test]
fn a_result_is_good_if_it_was_used_and_the_tests_passed() {
    insta::assert_snapshot!(replayed("
        call aidd_memory_search
        call aidd_memory_search
        used aidd_memory_search 1
        call aidd_check_compliance names f1
        call aidd_check_compliance fails
        edit a.ts 0 1 fixes team/no-any f1
        tests fail
        call aidd_explore
        tests pass
        call aidd_explore
        lint pass
    "), @"
        aidd_check_compliance: 2 calls, 1 good, 1 bad
        aidd_explore: 2 calls, 1 good, 0 bad
        aidd_memory_search: 2 calls, 1 good, 0 bad
        team/no-any: [0, 1, 0, 0]
        findings 1 → 0, errors left 0, reverted 0, reworked 0
        runs 2 passed, 1 failed, last Some(true)
        aidd_memory_search → aidd_check_compliance → aidd_explore
    ");
}

#[test]
fn advice_that_was_taken_back_was_bad() {
    insta::assert_snapshot!(replayed("
        call aidd_check_compliance names f1
        edit a.ts 0 1 fixes team/no-any f1
        edit a.ts 1 0 introduces team/no-any f1
    "), @"
        aidd_check_compliance: 1 calls, 0 good, 1 bad
        team/no-any: [1, 1, 0, 0]
        findings 1 → 1, errors left 0, reverted 1, reworked 0
        runs 0 passed, 0 failed, last None
        aidd_check_compliance
    ");
}

#[test]
fn an_edit_that_restores_an_earlier_state_is_a_revert() {
    insta::assert_snapshot!(replayed("
        edit a.ts 0 1 introduces team/no-any f1
        edit b.ts 0 1
        tests fail
        edit a.ts 1 0 fixes team/no-any f1
        edit b.ts 1 0
        edit b.ts 0 2 allows team/no-any
        tests pass
    "), @"
        team/no-any: [1, 1, 1, 1]
        findings 0 → 0, errors left 0, reverted 1, reworked 2
        runs 1 passed, 1 failed, last Some(true)
    ");
}

#[test]
fn the_order_in_which_events_arrive_does_not_matter() {
    let mut events = script(
        "call aidd_explore names f1
        edit a.ts 0 1 fixes team/no-any f1
        tests pass
        task backend-engineer bug-fix
        role backend-engineer
        memory decision_1763800000000_0123456789ab",
    );
    let expected = replay("session_1_a", events.clone());
    assert_eq!(
        expected.task,
        TaskType { domain: "backend-engineer".into(), nature: "bug-fix".into() }
    );
    events.reverse();
    assert_eq!(replay("session_1_a", events), expected);
}

/// A memory whose time the test sets.
fn timed_memory(root: &Path, choice: BackendChoice) -> (ProjectMemory, Arc<AtomicI64>) {
    let time = Arc::new(AtomicI64::new(1_763_800_000_000));
    let of_clock = time.clone();
    let clock = Box::new(move || of_clock.fetch_add(1, Ordering::Relaxed));
    let memory = ProjectMemory::open(&crate::DISTRIBUTION, root, choice, clock);
    (memory.expect("a memory"), time)
}

#[test]
fn records_are_the_same_before_and_after_folding() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = tempfile::tempdir().expect("a directory");
        let (mut memory, time) = timed_memory(folder.path(), choice);
        let session = memory.start_session(new_session("main")).expect("started").id;
        let start = time.load(Ordering::Relaxed);
        let events = script("call aidd_explore\nedit a.ts 0 1\ntests pass\nmemory decision_1_a");
        for event in &events {
            let event = TimedEvent { at: start + event.at, ..event.clone() };
            memory.note_events(&session, &[event]).expect("noted");
        }
        assert_eq!(memory.session_records().expect("records"), []);
        let outcome = json!({"userFeedback": "positive"});
        let patch = json!({"outcome": outcome, "tokenTelemetrySource": "reported",
            "tokenUsage": {"inputTokens": 10, "outputTokens": 5, "totalCost": 0.25}});
        let patch: Map<_, _> = serde_json::from_value(patch).expect("a patch");
        memory.end_session(&session, &patch).expect("ended");
        let before = memory.session_records().expect("records");
        let record = &before[0];
        assert_eq!((record.provider.as_str(), record.success()), ("anthropic", Some(1.0)));
        assert_eq!((record.cost, record.tokens.map(|tokens| tokens.input)), (Some(0.25), Some(10)));
        memory.fold_usage().expect("folded");
        let rows = |memory: &mut ProjectMemory, prefix: &str| {
            let rows = memory.read(&mut |store| store.rows(super::Table::Analytics, prefix));
            rows.expect("rows").len()
        };
        assert_eq!((rows(&mut memory, "usage_"), rows(&mut memory, "record_")), (4, 0));
        time.fetch_add(2 * FINAL_AFTER_MS, Ordering::Relaxed);
        memory.fold_usage().expect("folded");
        assert_eq!((rows(&mut memory, "usage_"), rows(&mut memory, "record_")), (0, 1));
        assert_eq!(memory.session_records().expect("records"), before);
        // A server can store its last events after the session was folded.
        let late = TimedEvent { at: start + 9, event: Event::Call(call("aidd_explore")) };
        memory.note_events(&session, &[late]).expect("noted");
        assert_eq!(memory.session_records().expect("records")[0].tools["aidd_explore"].calls, 2);
        time.fetch_add(RETENTION_DAYS * 24 * FINAL_AFTER_MS, Ordering::Relaxed);
        memory.fold_usage().expect("folded");
        assert_eq!((rows(&mut memory, "usage_"), rows(&mut memory, "record_")), (0, 0));
    }
}

#[test]
fn forgetting_removes_all_statistics_and_nothing_else() {
    on_both_stores(|_, memory| {
        let session = memory.start_session(new_session("main")).expect("started").id;
        let other = memory.usage_id();
        for id in [&session, &other] {
            memory.note_events(id, &script("call aidd_explore")).expect("noted");
        }
        assert_eq!(memory.all_session_records().expect("records").len(), 2);
        assert_eq!(memory.forget_usage().expect("forgotten"), 2);
        assert_eq!(memory.all_session_records().expect("records"), []);
        assert!(memory.session(&session).is_ok());
    });
}

#[test]
fn a_deleted_session_leaves_no_statistics() {
    on_both_stores(|_, memory| {
        let session = memory.start_session(new_session("main")).expect("started").id;
        memory.note_events(&session, &script("call aidd_explore")).expect("noted");
        memory.delete_session(&session).expect("deleted");
        assert_eq!(memory.all_session_records().expect("records"), []);
    });
}

/// Texts of every kind: names, sentences, secrets, markup.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,12}(/[a-z-]{1,12})?",
        "[a-z]{1,8}( [a-z]{1,8}){1,6}",
        any::<String>(),
        Just(format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")),
        Just("<private>the name of a customer</private>".to_owned()),
        Just("CREATE-USER-x-IDENTIFIED-BY'hunter2'".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn neither_text_nor_secrets_can_be_stored(texts in prop::collection::vec(any_text(), 1..8)) {
        let folder = tempfile::tempdir().expect("a directory");
        let mut memory = open_memory(folder.path(), BackendChoice::Json);
        let names: Vec<Name> = texts.iter().filter_map(|text| Name::new(text)).collect();
        let mut events = vec![Event::Run(true, vec![RunCheck::Tests])];
        for name in names {
            let edit = Edit {
                rules: BTreeMap::from([(name.clone(), [1, 0, 0])]),
                ..edit(&texts[0], &texts[0], name.as_str())
            };
            events.extend([
                Event::Call(call(name.as_str())),
                Event::Served(PageUse::Knowledge, name.clone()),
                Event::Task(name.clone(), name.clone()),
                Event::Model(name.clone(), name.clone()),
                Event::Used(name.clone(), 1),
                Event::Memory(name),
                Event::Edit(edit),
            ]);
        }
        let events: Vec<TimedEvent> =
            events.into_iter().map(|event| TimedEvent { at: 1, event }).collect();
        memory.note_events("session_1_a", &events).expect("noted");
        for file in [".aidd/data.jsonl", ".aidd/data.jsonl.backup"] {
            let stored = text(folder.path(), file);
            prop_assert!(!stored.contains("aB3dE5fG7hJ9"), "{stored}");
            for text in texts.iter().filter(|text| text.chars().count() > 3 && Name::new(text).is_none()) {
                prop_assert!(!stored.contains(text.as_str()), "{text} in {stored}");
            }
        }
    }
}
