//! Tests that a phase can be completed only with valid evidence.

use super::*;
use crate::kinds::{Insight, Observation};
use crate::records::BranchContext;
use crate::tests::repository::TestRepository;
use crate::tests::{START, new_session, on_both_stores, write};
use crate::types::Kind;

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

fn error_text<T: std::fmt::Debug>(result: Result<T, MemoryError>) -> String {
    result.expect_err("an error").to_string()
}

/// Renders each criterion with its result, one per line.
fn render_criteria(memory: &mut ProjectMemory, id: &str, evidence: Value) -> String {
    let results = memory.check_lifecycle(id, &map(evidence)).expect("checked");
    let lines = results.iter().map(|result| {
        let met = if result.met { "met" } else { "unmet" };
        format!("{} {met}: {}\n", result.key, result.why)
    });
    lines.collect()
}

fn run(memory: &mut ProjectMemory, session: &str, command: &str, code: i64) -> String {
    let extra = map(json!({"command": command, "exitCode": code}));
    let body = Observation { extra, ..Observation::default() };
    memory.observe(session, Kind::ToolOutcome, "a run", &body).expect("observed")
}

#[test]
fn every_criterion_is_unique_and_accepts_evidence() {
    for phase in &PHASES {
        for exit in phase.exit {
            assert!(!exit.accepts.is_empty(), "{}", exit.key);
            let same = phase.exit.iter().filter(|other| other.key == exit.key);
            assert_eq!(same.count(), 1, "{}", exit.key);
            assert!(criterion(phase, exit.description).is_some());
        }
    }
    assert!(error_text(phase("SYNC")).contains("expected one of UNDERSTAND"));
}

#[test]
fn a_phase_can_be_completed_only_with_evidence_or_a_reason() {
    on_both_stores(|_, memory| {
        let id = memory.start_lifecycle("login", None, None).expect("started").id;
        let none = Map::new();
        let refused = memory.advance_lifecycle(&id, &none, None, None).expect("checked");
        assert!(!refused.moved && refused.results.iter().all(|result| !result.met));
        let claims =
            map(json!({"context": true, "requirements": "yes", "edges": " ", "acceptance": 1}));
        let refused = memory.advance_lifecycle(&id, &claims, None, Some(" ")).expect("checked");
        assert!(!refused.moved && refused.results.iter().all(|result| !result.met), "{refused:?}");
        assert_eq!(memory.lifecycle(&id).expect("read").current_phase, "UNDERSTAND");
        let other = map(json!({"All is well": "yes"}));
        assert!(error_text(memory.advance_lifecycle(&id, &other, None, None)).ends_with(
            "not an exit criterion of UNDERSTAND; expected one of context, requirements, acceptance, edges"
        ));
        for _ in 0..6 {
            memory.advance_lifecycle(&id, &none, None, Some("trivial")).expect("advanced");
        }
        let done = memory.lifecycle(&id).expect("read");
        assert_eq!((&*done.status, done.phases.len()), ("completed", 6));
        assert_eq!(done.phases[5].forced.as_deref(), Some("trivial"));
        assert!(error_text(memory.abandon_lifecycle(&id, "x")).contains("is completed"));
    });
}

#[test]
fn notes_files_and_memories_are_checked() {
    on_both_stores(|root, memory| {
        write(root, "docs/story.md", "Given a user\nWhen they log in\nThen they see the cart\n");
        write(root, "docs/list.md", "1. change src/login.rs, complexity low, tier 2\n");
        let id = memory.start_lifecycle("login", None, None).expect("started").id;
        let lesson = memory.save_insight("Cookies are Lax here", None, &Insight::default(), None);
        let lesson = lesson.expect("saved");
        let output = render_criteria(
            memory,
            &id,
            json!({
                "context": lesson, "requirements": {"file": "docs/story.md"},
                "acceptance": "docs/list.md", "edges": {"file": "../outside.md"},
            }),
        );
        assert_eq!(
            output,
            format!(
                "context met: `{lesson}`\n\
                 requirements met: the file `docs/story.md`\n\
                 acceptance unmet: `docs/list.md`: expected the words `given`, `when` and `then`\n\
                 edges unmet: `../outside.md` is outside the project\n"
            )
        );
        let evidence = map(json!({
            "context": lesson, "requirements": "what is asked for is written down",
            "acceptance": "file:docs/story.md", "edges": ["no cookie, old cookie, two tabs", "docs/list.md"],
        }));
        let moved = memory.advance_lifecycle(&id, &evidence, Some("ok"), None).expect("checked");
        assert!(moved.moved, "{moved:?}");
        let passed = &moved.lifecycle.phases[0];
        assert_eq!((passed.evidence.len(), passed.forced.as_ref()), (4, None));
        assert_eq!(passed.evidence["context"], json!(lesson));
        assert_eq!(moved.results[3].why, "a note; the file `docs/list.md`");
        let output = render_criteria(
            memory,
            &id,
            json!({
                "tasks": "docs/list.md", "estimates": "docs/list.md", "order": "memory:insight_1_x",
                "approval": "the user said yes to it",
            }),
        );
        assert_eq!(
            output,
            "tasks met: the file `docs/list.md`\n\
             estimates met: the file `docs/list.md`\n\
             order unmet: unknown memory `insight_1_x`\n\
             approval unmet: the note has no `by`; set it to the person who approved\n"
        );
        let by =
            json!({"approval": {"note": "yes, go on then", "by": "Kim"}, "order": "docs/gone.md"});
        assert!(render_criteria(memory, &id, by).ends_with("approval met: a note by Kim\n"));
    });
}

#[test]
fn commits_and_branches_are_looked_up() {
    on_both_stores(|root, memory| {
        let repository = TestRepository::new(root);
        let old = repository.commit(START - 60_000, "chore: begin", &["a"]);
        let id = memory.start_lifecycle("login", None, Some("spec")).expect("started").id;
        let new = repository.commit(START + 60_000, "docs: spec\n\nmore", &["a", "spec.md"]);
        let short = &new[..8];
        for (commit, why) in [
            (
                json!({"commit": old}),
                format!("unmet: the commit {} was made before the lifecycle started", &old[..8]),
            ),
            (
                json!({"commit": new, "file": "spec.md"}),
                format!("met: the commit {short} \"docs: spec\""),
            ),
            (json!(short), format!("met: the commit {short} \"docs: spec\"")),
            (
                json!({"commit": new, "file": "b"}),
                format!("unmet: the commit {short} has no file `b`"),
            ),
            (json!("commit:nope"), "unmet: unknown revision `nope`".to_owned()),
            (
                json!("it is committed, really"),
                "unmet: a note is not accepted as evidence for this criterion".to_owned(),
            ),
        ] {
            let output = render_criteria(memory, &id, json!({"spec": commit}));
            assert_eq!(output.lines().next(), Some(&*format!("spec {why}")));
        }
        for (branch, why) in [
            (json!("main"), "met: the branch `main`"),
            (
                json!({"branch": "feature/login"}),
                "unmet: the repository has no branch `feature/login`",
            ),
            (json!("none is needed: trivial"), "met: a note"),
        ] {
            let output = render_criteria(memory, &id, json!({"branch": branch}));
            assert_eq!(output.lines().nth(1), Some(&*format!("branch {why}")));
        }
    });
}

#[test]
fn recorded_runs_and_tasks_meet_criteria_without_explicit_evidence() {
    on_both_stores(|_, memory| {
        let session = memory.start_session(new_session("login")).expect("a session").id;
        let before = run(memory, &session, "cargo test", 0);
        let id =
            memory.start_lifecycle("login", Some(&session), Some("build")).expect("started").id;
        assert_eq!(
            render_criteria(memory, &id, json!({})),
            "tasks unmet: no tasks are saved for the branch `login`\n\
             compiles unmet: no build is recorded on `login` since the lifecycle started\n\
             types unmet: no type check is recorded on `login` since the lifecycle started\n"
        );
        let context = |value| serde_json::from_value::<BranchContext>(value).expect("a context");
        let tasks =
            json!({"branch": "login", "pendingTasks": ["docs"], "completedTasks": ["form"]});
        memory.save_branch(&context(tasks)).expect("saved");
        let failed = run(memory, &session, "cargo build", 101);
        assert_eq!(
            render_criteria(memory, &id, json!({"types": before})),
            format!(
                "tasks unmet: `login` has pending tasks (1), such as \"docs\"\n\
                 compiles unmet: `{failed}` failed\n\
                 types unmet: `{before}` was recorded before the lifecycle started\n"
            )
        );
        memory
            .save_branch(&context(json!({"branch": "login", "completedTasks": ["docs"]})))
            .expect("saved");
        let passed = run(memory, &session, "cargo build", 0);
        assert_eq!(
            render_criteria(memory, &id, json!({})),
            format!(
                "tasks met: 2 completed tasks of `login`, none pending\n\
                 compiles met: `{passed}` passed: a run\n\
                 types met: `{passed}` passed: a run\n"
            )
        );
        run(memory, &session, "cargo test", 1);
        assert!(
            render_criteria(memory, &id, json!({})).contains("compiles met"),
            "a failed test run does not contradict the build"
        );
        let later = run(memory, &session, "cargo build", 1);
        let output =
            render_criteria(memory, &id, json!({"compiles": passed, "tasks": "branch:login"}));
        assert!(output.contains(&format!("compiles unmet: `{later}` failed")), "{output}");
        assert!(output.starts_with("tasks met"), "{output}");
        run(memory, &session, "cargo test", 0);
        let moved = memory.advance_lifecycle(&id, &Map::new(), None, None).expect("checked");
        assert_eq!((moved.moved, &*moved.lifecycle.current_phase), (true, "VERIFY"));
    });
}

#[test]
fn the_last_phase_requires_a_short_summary_an_archive_and_a_memory() {
    on_both_stores(|root, memory| {
        write(root, "plans/done/login.md", "");
        write(root, "tests/login.rs", "");
        write(root, "long.md", &"line\n".repeat(21));
        let id = memory.start_lifecycle("login", None, Some("verify")).expect("started").id;
        let output =
            render_criteria(memory, &id, json!({"covered": "tests/login.rs", "dead": "long.md"}));
        assert!(
            output.starts_with("covered met: the file `tests/login.rs`\ntests unmet: no evidence"),
            "{output}"
        );
        assert!(
            output.contains("dead unmet: a file is not accepted as evidence for this criterion"),
            "{output}"
        );
        // Only test files count as tests, and a file is never a memory, whatever its name.
        write(root, "specs/login/spec.md", "");
        let output = render_criteria(memory, &id, json!({"covered": "file:specs/login/spec.md"}));
        assert!(
            output.contains("the path `specs/login/spec.md` does not look like the path of a test"),
            "{output}"
        );
        write(root, "decision_log_test.rs", "");
        let output = render_criteria(memory, &id, json!({"covered": "decision_log_test.rs"}));
        assert!(output.starts_with("covered met: the file `decision_log_test.rs`"), "{output}");
        let id = memory.start_lifecycle("login", None, Some("ship")).expect("started").id;
        let evidence = json!({"summary": "long.md", "archived": "plans/done/login.md"});
        assert_eq!(
            render_criteria(memory, &id, evidence).lines().skip(1).collect::<Vec<_>>(),
            [
                "memory unmet: no memory was saved since the lifecycle started",
                "summary unmet: `long.md`: expected 1 to 20 lines, found 21",
                "archived met: the file `plans/done/login.md`",
            ]
        );
        memory.save_insight("Ship it", None, &Insight::default(), None).expect("saved");
        assert!(
            render_criteria(memory, &id, json!({"archived": "long.md"})).contains("memory met")
        );
    });
}

#[test]
fn a_lifecycle_can_return_to_a_phase_or_be_abandoned() {
    on_both_stores(|_, memory| {
        let id = memory.start_lifecycle("search", None, Some("build")).expect("started").id;
        assert!(
            error_text(memory.return_lifecycle(&id, "VERIFY", "x"))
                .contains("does not come before")
        );
        assert!(error_text(memory.return_lifecycle(&id, "SPEC", " ")).contains("reason"));
        let back = memory.return_lifecycle(&id, "spec", "it differs").expect("back");
        assert_eq!(back.current_phase, "SPEC");
        assert_eq!(back.phases[0].notes.as_deref(), Some("it differs"));
        memory.abandon_lifecycle(&id, "moot").expect("abandoned");
        assert_eq!(memory.lifecycles(Some("abandoned"), 9).expect("listed").len(), 1);
        assert!(error_text(memory.check_lifecycle(&id, &Map::new())).contains("is abandoned"));
    });
}
