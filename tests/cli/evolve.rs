//! Tests of `aidd evolve` and `aidd draft` with real processes.

use crate::cli::support::Project;
use aidd_memory::kinds::Mistake;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::store::BackendChoice;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Event, PageUse, RunCheck, TimedEvent};
use serde_json::Value;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

/// Milliseconds between two sessions.
const STEP: i64 = 3_600_000;

/// A memory whose time is set by the test.
pub(crate) struct TimedMemory {
    pub(crate) memory: ProjectMemory,
    now: Arc<AtomicI64>,
}

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

impl TimedMemory {
    pub(crate) fn open(project: &Project, now: i64) -> Self {
        let now = Arc::new(AtomicI64::new(now));
        let clock = now.clone();
        let memory = ProjectMemory::open(
            &crate::DISTRIBUTION,
            project.path(),
            BackendChoice::default(),
            Box::new(move || clock.load(Ordering::Relaxed)),
        )
        .expect("a memory");
        Self { memory, now }
    }

    pub(crate) fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    pub(crate) fn pass(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    /// Records a session with the role `role` on a task, and whether its tests passed.
    pub(crate) fn session(&mut self, task: (&str, &str), roles: &[&str], passed: bool) {
        let session = self
            .memory
            .start_session(SessionState {
                branch: "main".into(),
                ai_provider: AiProvider { provider: "local".into(), ..AiProvider::default() },
                ..SessionState::default()
            })
            .expect("a session");
        let mut events = vec![Event::Task(name(task.0), name(task.1))];
        events.extend(roles.iter().map(|role| Event::Served(PageUse::Role, name(role))));
        events.push(Event::Run(passed, vec![RunCheck::Tests]));
        let at = self.now();
        let events: Vec<TimedEvent> =
            events.into_iter().map(|event| TimedEvent { at, event }).collect();
        self.memory.note_events(&session.id, &events).expect("noted");
        self.memory.end_session(&session.id, &serde_json::Map::new()).expect("ended");
        self.pass(STEP);
    }
}

/// A time a few days ago: old sessions count less.
fn recently() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
    i64::try_from(now.as_millis()).expect("a time") - 70 * STEP
}

/// A project in which the role `security-auditor` always succeeds and no other role does.
fn project_with_sessions(config: &str) -> Project {
    let project = Project::new(&[(".aidd/config.json", config), ("src/a.ts", "export {};\n")]);
    let mut memory = TimedMemory::open(&project, recently());
    for at in 0..60 {
        let (role, passed) =
            if at % 2 == 0 { ("security-auditor", true) } else { ("tester", false) };
        memory.session(("backend", "bugfix"), &[role], passed);
    }
    project
}

const AUTOMATIC: &str = r#"{"evolution": {"autoApply": 0.9}}"#;
const OVERLAY: &str = ".aidd/evolution/applied.json";

fn json(project: &Project, args: &[&str]) -> Value {
    let out = project.run(args).expect_code(0).out;
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}"))
}

#[test]
fn by_default_changes_are_drafted_and_a_person_decides() {
    let project = project_with_sessions("{}");
    let analysis = json(&project, &["evolve", "analyze", "--json"]);
    assert_eq!(analysis["sessions"], 60);
    assert!(!project.path().join(".aidd/evolution/log.jsonl").exists(), "analyze writes nothing");
    let run = json(&project, &["evolve", "run", "--json"]);
    assert_eq!(run["applied"], serde_json::json!([]));
    let drafts = run["drafted"].as_array().expect("drafts");
    assert!(!drafts.is_empty());
    assert!(!project.path().join(OVERLAY).exists());
    let draft =
        drafts.iter().find(|draft| draft["title"].as_str().expect("a title").contains("auditor"));
    let id = draft.expect("a draft")["id"].as_str().expect("an id").to_owned();
    let shown = project.run(&["draft", "show", &id]).expect_code(0).out;
    assert!(shown.contains("\"routing\"") && shown.contains("confidence"), "{shown}");
    // The same analysis drafts nothing twice.
    let again = json(&project, &["evolve", "run", "--json"]);
    assert_eq!(again["drafted"], serde_json::json!([]));
    let approved = project.run(&["draft", "approve", &id]).expect_code(0).out;
    assert!(approved.contains("undo: aidd evolve revert"), "{approved}");
    assert!(project.read(OVERLAY).contains("\"backend/bugfix\": \"security-auditor\""));
    project.run(&["draft", "approve", &id]).expect_code(2);
    let status = project.run(&["evolve", "status"]).expect_code(0).out;
    assert!(status.contains("nothing is applied without asking"), "{status}");
    project.run(&["evolve", "revert", "--all"]).expect_code(0);
    assert!(!project.read(OVERLAY).contains("auditor"));
}

#[test]
fn a_change_is_applied_without_asking_only_if_a_team_sets_it() {
    let project = project_with_sessions(AUTOMATIC);
    let run = json(&project, &["evolve", "run", "--json"]);
    let applied = run["applied"].as_array().expect("changes");
    assert_eq!(applied.len(), 1, "{run}");
    assert_eq!(applied[0]["title"], "prefer the role security-auditor for backend/bugfix");
    let figures = &applied[0]["figures"];
    assert!(figures["evidence"].as_f64() >= figures["required"].as_f64(), "{figures}");
    let overlay = project.read(OVERLAY);
    let id = applied[0]["id"].as_str().expect("an id");
    let review = project.run(&["evolve", "review", id]).expect_code(0).out;
    assert!(review.contains("routing of `backend/bugfix`: (none) → security-auditor"), "{review}");
    // A later edit by hand is not overwritten.
    project.write(OVERLAY, overlay.replace("security-auditor", "mine"));
    let refused = project.run(&["evolve", "revert", id]).expect_code(2).err;
    assert!(refused.contains("was edited since"), "{refused}");
    project.write(OVERLAY, &overlay);
    project.run(&["evolve", "revert", id, "--reason", "not for us"]).expect_code(0);
    let status = project.run(&["evolve", "status"]).expect_code(0).out;
    assert!(status.contains("reverted") && status.contains("(not for us)"), "{status}");
}

#[test]
fn the_start_of_a_session_names_what_was_applied() {
    let project = project_with_sessions(AUTOMATIC);
    let start = |id: &str| {
        let payload = serde_json::json!({
            "session_id": id, "hook_event_name": "SessionStart", "source": "startup",
            "cwd": project.path(),
        });
        project.run_with(payload.to_string().as_bytes(), &["hook", "session-start"]).out
    };
    let before = start("one");
    assert!(!before.contains("applied since the last session"), "{before}");
    project.run(&["evolve", "run"]).expect_code(0);
    let after = start("two");
    assert!(
        after.contains("1 change applied since the last session: prefer the role security-auditor"),
        "{after}"
    );
    assert!(after.contains("undo: aidd evolve revert change_"), "{after}");
}

#[test]
fn the_switches_stop_proposals_and_hide_nothing() {
    let project = project_with_sessions(AUTOMATIC);
    let off = project.run_env(&[("AIDD_EVOLUTION", "off")], &["evolve", "run"]).expect_code(0).out;
    assert!(off.contains("AIDD_EVOLUTION"), "{off}");
    assert!(!project.path().join(OVERLAY).exists());
    project.run(&["evolve", "run"]).expect_code(0);
    project.write(".aidd/config.json", r#"{"evolution": {"enabled": false, "autoApply": 0.9}}"#);
    let status = project.run(&["evolve", "status"]).expect_code(0).out;
    assert!(status.starts_with("off:") && status.contains("applied: 1"), "{status}");
    project.run(&["evolve", "revert", "--all"]).expect_code(0);
    assert!(project.run(&["evolve", "status"]).out.contains("applied: 0"));
    project.write(".aidd/config.json", r#"{"evolution": {"learningPeriod": 500}}"#);
    let learning = project.run(&["evolve", "analyze"]).expect_code(0).out;
    assert!(learning.contains("60 of 500 sessions"), "{learning}");
}

#[test]
fn a_mistake_that_recurs_becomes_a_drafted_rule_with_a_check() {
    let project = Project::new(&[
        ("src/time.ts", "const now = moment();\n"),
        ("src/other.ts", "const other = clock();\n"),
    ]);
    let mut memory = TimedMemory::open(&project, recently());
    for _ in 0..3 {
        let mistake = NewMemory {
            content: "`moment()` returned the local time".to_owned(),
            body: Mistake {
                root_cause: "the time zone was lost".to_owned(),
                fix: "use Temporal".to_owned(),
                prevention: "Create dates with Temporal".to_owned(),
                files: vec!["src/time.ts".to_owned()],
                ..Mistake::default()
            },
            ..NewMemory::default()
        };
        memory.memory.save_mistake(&mistake).expect("saved");
    }
    for _ in 0..6 {
        memory.session(("backend", "bugfix"), &[], true);
    }
    let run = json(&project, &["evolve", "run", "--json"]);
    let draft = &run["drafted"][0];
    let path = draft["draft"]["path"].as_str().expect("a path").to_owned();
    let notes = draft["draft"]["notes"].to_string();
    assert!(notes.contains("occurs only in the files of the mistake"), "{notes}");
    assert!(notes.contains("project: 1 finding in 1 of 2 files"), "{notes}");
    let id = draft["id"].as_str().expect("an id").to_owned();
    project.run(&["draft", "approve", &id]).expect_code(0);
    assert!(!project.path().join(&path).exists());
    let found = project.run(&["check", ".", "--all"]).out;
    assert!(found.contains("src/time.ts:1:13"), "{found}");
    assert!(!found.contains("src/other.ts"), "{found}");
    let name = path.rsplit('/').next().expect("a name");
    assert!(project.path().join(".aidd/rules").join(name).exists());
    project.run(&["evolve", "revert", "--all"]).expect_code(0);
    assert!(!project.path().join(".aidd/rules").join(name).exists());
    assert!(project.path().join(&path).exists(), "the draft is restored");
}

#[test]
fn a_rejected_draft_silences_similar_ones() {
    let project =
        Project::new(&[(".aidd/config.json", "{}"), ("rule.md", "# project/x\n\nText.\n")]);
    let create = ["draft", "create", "rules", "never call moment in src", "--file", "rule.md"];
    let created = project.run(&create).expect_code(0).out;
    let id = created.split_whitespace().next().expect("an id").to_owned();
    assert!(created.contains("not tried"), "{created}");
    project.run(&create).expect_code(2);
    project.run(&["draft", "reject", &id]).expect_code(2);
    project.run(&["draft", "reject", &id, "--reason", "too strict"]).expect_code(0);
    let refused = project.run(&create).expect_code(2).err;
    assert!(
        refused.contains("rejected less than 30 days ago") && refused.contains("too strict"),
        "{refused}"
    );
    assert!(project.run(&["draft", "list"]).out.contains("no drafts"));
    assert!(project.run(&["draft", "list", "--all"]).out.contains("[rejected]"));
}

#[test]
fn drafts_stay_inside_the_project() {
    let project = Project::new(&[(".aidd/config.json", "{}"), ("a.md", "text\n")]);
    let created = project
        .run(&["draft", "create", "knowledge", "../../../evil", "--file", "a.md"])
        .expect_code(0)
        .out;
    assert!(created.contains(".aidd/drafts/knowledge/evil.md"), "{created}");
    project.write(".aidd/knowledge/evil.md", "mine\n");
    let id = created.split_whitespace().next().expect("an id");
    let refused = project.run(&["draft", "approve", id]).expect_code(2).err;
    assert!(refused.contains("already exists"), "{refused}");
    assert_eq!(project.read(".aidd/knowledge/evil.md"), "mine\n");
}

/// A process that is killed while it approves a draft has either approved and logged it, or neither.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_a_change_applied_and_logged_or_neither() {
    let project = Project::new(&[(".aidd/config.json", "{}"), ("a.md", "text\n")]);
    let (mut applied, mut unchanged) = (0, 0);
    for round in 0..12u64 {
        let title = format!("entry number{round}");
        let args = ["draft", "create", "knowledge", &title, "--file", "a.md"];
        let created = project.run(&args).expect_code(0).out;
        let id = created.split_whitespace().next().expect("an id").to_owned();
        let mut command = project.command("", &["draft", "approve", &id]);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process");
        thread::sleep(Duration::from_millis(round * round * 3));
        // `kill` sends SIGKILL.
        let _ = child.kill();
        child.wait().expect("ended");
        let drafts = json(&project, &["draft", "list", "--all", "--json"]);
        let drafts = drafts["drafts"].as_array().expect("drafts");
        let draft = drafts.iter().find(|draft| draft["id"] == *id).expect("the draft");
        let page = format!(".aidd/knowledge/entry-number{round}.md");
        let file = format!(".aidd/drafts/knowledge/entry-number{round}.md");
        let is_page = project.path().join(&page).exists();
        let is_draft = project.path().join(&file).exists();
        match draft["status"].as_str() {
            Some("approved") => {
                assert!(is_page && !is_draft, "round {round}: logged and not applied");
                applied += 1;
            }
            Some("pending") => {
                assert!(!is_page && is_draft, "round {round}: applied and not logged");
                unchanged += 1;
            }
            other => panic!("{other:?}"),
        }
        let log = project.read(".aidd/evolution/log.jsonl");
        assert!(log.ends_with('\n') || applied == 0);
    }
    assert_eq!(applied + unchanged, 12);
}

/// The severity of a rule is raised by one step, unless the configuration sets it.
#[test]
fn the_overlay_raises_a_severity_and_the_configuration_wins() {
    let page = "---\nseverity: info\ncheck:\n  files: [\"*.txt\"]\n  text:\n    regex: blue\n---\n# team/blue\n\nNo blue.\n";
    let project = Project::new(&[
        (".aidd/rules/blue.md", page),
        ("a.txt", "a blue sky\n"),
        (OVERLAY, r#"{"severities": {"team/blue": "error"}}"#),
    ]);
    let severity = || {
        let out = project.run(&["check", ".", "--format", "json"]).out;
        let report: Value = serde_json::from_str(&out).expect("JSON");
        report["findings"][0]["severity"].as_str().map(str::to_owned)
    };
    // One step only, whatever the file says.
    assert_eq!(severity().as_deref(), Some("warning"));
    project.write(".aidd/config.json", r#"{"rules": {"team/blue": "info"}}"#);
    assert_eq!(severity().as_deref(), Some("info"));
    project.write(".aidd/config.json", r#"{"rules": {"team/blue": "off"}}"#);
    assert_eq!(severity(), None);
    project.write(".aidd/config.json", "{}");
    project.write(OVERLAY, "<<<<<<< ours\n");
    assert_eq!(severity().as_deref(), Some("info"));
}
