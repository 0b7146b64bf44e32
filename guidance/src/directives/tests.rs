use super::page::{Directives, RecordKind};
use super::run::{Found, Pending, Record, Run, RunError, State, Subject, World, advance};
use super::search::{Certainty, Filter, search};
use crate::Library;
use aidd_engine::project::config::ContentConfig;
use aidd_engine::text::files::Disk;
use std::collections::BTreeMap;
use std::fs;

/// The directives of a project with these pages.
#[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
fn project(pages: &[(&str, &str)]) -> Directives {
    let folder = tempfile::tempdir().expect("a directory");
    let directory = folder.path().join("ai/directives");
    fs::create_dir_all(&directory).expect("created");
    for (name, text) in pages {
        fs::write(directory.join(format!("{name}.md")), text).expect("written");
    }
    let disk = Disk::new(folder.path());
    let library = Library::load(&aidd_content::RULES, &disk, &ContentConfig::default());
    Directives::from_library(&library)
}

const RELEASE: &str = "---
type: project
category: release
threshold: 0.8
keywords: [ship a release]
steps:
  - { when: uninitialized, do: { ask: \"Create the project record?\" }, else: { index: true } }
  - { do: { check: [\"secrets/*\"] } }
  - first:
      - { when: { findings: [\"secrets/*\"] }, do: { ask: \"Rotate the keys?\" } }
      - { when: { task: open }, do: { call: close_tasks } }
    else: { advise: \"Nothing to do\" }
  - { when: { answer: yes }, do: { record: decision, text: \"Rotate, said {answer} for {task}\" } }
  - { do: { tool: aidd_query, with: { sql: \"SELECT 1\" } }, on_error: { advise: \"Skip the query\" } }
  - { do: { record: task_done, text: \"{task}\" } }
---
# release

Ships a release.
";

const CLOSE: &str = "---
type: project
steps:
  - { do: { advise: \"Close {task}\" } }
---
# close_tasks

Closes tasks.
";

#[derive(Clone, Default)]
struct Fake {
    is_initialized: bool,
    task: &'static str,
    found: Vec<&'static str>,
    saved: Option<Run>,
    records: BTreeMap<String, Record>,
    /// The number of writes until every write fails, as if the process were killed.
    writes: usize,
}

impl Fake {
    fn write(&mut self) -> Result<(), String> {
        self.writes = self.writes.checked_sub(1).ok_or("killed")?;
        Ok(())
    }
}

impl World for Fake {
    fn is_initialized(&mut self) -> bool {
        self.is_initialized
    }
    fn exists(&mut self, _: &str) -> bool {
        false
    }
    fn has_task(&mut self, status: &str) -> bool {
        self.task == status
    }
    fn is_complete(&mut self) -> bool {
        self.task == "done"
    }
    fn check(&mut self, _: &[String], _: &Subject) -> Result<Vec<Found>, String> {
        let found = self.found.iter().map(|rule| Found {
            rule: (*rule).to_owned(),
            path: "a.env".to_owned(),
            line: 1,
            message: "a key".to_owned(),
        });
        Ok(found.collect())
    }
    fn index(&mut self) -> Result<String, String> {
        Ok("updated the index".to_owned())
    }
    fn save(&mut self, run: &Run) -> Result<(), String> {
        self.write()?;
        self.saved = Some(run.clone());
        Ok(())
    }
    fn record(&mut self, id: &str, record: &Record, _: &Subject) -> Result<(), String> {
        self.write()?;
        let known = self.records.insert(id.to_owned(), record.clone());
        assert!(known.is_none_or(|known| known == *record), "{id} is another record");
        Ok(())
    }
}

fn start(directives: &Directives) -> Run {
    let directive = directives.get("release").expect("a directive");
    let subject = Subject { task: Some("T1".to_owned()), ..Subject::default() };
    Run::new("run_1".to_owned(), directive, subject, None)
}

fn question(run: &Run) -> &str {
    match run.pending.as_ref().expect("a step of the agent") {
        Pending::Ask { question } => question,
        Pending::Advise { text } => text,
        Pending::Tool { name, .. } => name,
    }
}

#[test]
fn a_run_does_the_steps_of_the_server_and_records_at_the_end() {
    let directives = project(&[("release", RELEASE), ("close_tasks", CLOSE)]);
    assert_eq!(directives.problems, Vec::<String>::new());
    let mut world = Fake { found: vec!["secrets/jwt"], writes: 99, ..Fake::default() };
    let mut run = start(&directives);
    let mut next = |run: &mut Run, answer: Option<&str>| {
        if let Some(answer) = answer {
            run.complete(Some(answer.to_owned())).expect("completed");
        }
        advance(&directives, run, &mut world, None).expect("advanced");
        world.records.len()
    };
    next(&mut run, None);
    assert_eq!(question(&run), "Create the project record?");
    next(&mut run, Some("no"));
    assert_eq!(question(&run), "Rotate the keys?");
    assert_eq!(next(&mut run, Some("yes, today")), 0);
    assert_eq!(question(&run), "aidd_query");
    assert_eq!(next(&mut run, Some("1 row")), 2);
    assert_eq!(run.state, State::Done);
    assert_eq!(
        run.records,
        [
            Record { kind: RecordKind::Decision, text: "Rotate, said yes, today for T1".into() },
            Record { kind: RecordKind::TaskDone, text: "T1".into() }
        ]
    );
    assert_eq!(advance(&directives, &mut run, &mut Fake::default(), None), Err(RunError::Ended));
}

#[test]
fn a_failed_step_without_recovery_records_nothing() {
    let directives = project(&[("release", RELEASE), ("close_tasks", CLOSE)]);
    let mut world = Fake { is_initialized: true, task: "open", writes: 99, ..Fake::default() };
    let mut run = start(&directives);
    advance(&directives, &mut run, &mut world, None).expect("advanced");
    assert_eq!(question(&run), "Close T1");
    let error = advance(&directives, &mut run, &mut world, Some("no rights")).expect_err("failed");
    assert_eq!(
        error.to_string(),
        "step 1 of `close_tasks` failed: no rights; nothing was recorded"
    );
    assert_eq!((run.state, world.records.len()), (State::Failed, 0));

    let mut run = start(&directives);
    advance(&directives, &mut run, &mut world, None).expect("advanced");
    run.complete(None).expect("completed");
    advance(&directives, &mut run, &mut world, None).expect("advanced");
    assert_eq!(question(&run), "aidd_query");
    advance(&directives, &mut run, &mut world, Some("no index")).expect("recovered");
    assert_eq!(question(&run), "Skip the query");
}

/// The process is killed before each write; another process goes on with the saved run.
#[test]
fn a_run_that_is_killed_at_any_write_records_everything_once() {
    let directives = project(&[("release", RELEASE), ("close_tasks", CLOSE)]);
    for writes in 0..40 {
        let mut world = Fake { found: vec!["secrets/jwt"], writes, ..Fake::default() };
        let mut run = start(&directives);
        let mut kills = 0;
        while run.state != State::Done {
            if run.pending.is_some() {
                run.complete(Some("yes".to_owned())).expect("completed");
            }
            if advance(&directives, &mut run, &mut world, None).is_err() {
                kills += 1;
                world.writes = 99;
                run = world.saved.clone().unwrap_or_else(|| start(&directives));
            }
        }
        assert!(kills <= 1, "{kills}");
        assert_eq!(world.records.len(), 2, "killed before write {writes}");
    }
}

#[test]
fn malformed_pages_are_problems() {
    let page = |header: &str| format!("---\ntype: fp\n{header}\n---\n# a\n\nText.\n");
    for (header, expected) in [
        ("steps: [{ do: { check: [a], ask: b } }]", "step 1: an action is one of"),
        ("steps: [{ when: sometimes, do: { ask: b } }]", "step 1: unknown condition `sometimes`"),
        ("steps: [{ when: { moon: full }, do: { ask: b } }]", "step 1: unknown condition `moon`"),
        ("steps: [{ when: always }]", "step 1: a step has either `do`"),
        ("steps: [{ do: { ask: b, with: {} } }]", "step 1: `with` belongs to `tool`"),
        ("steps: []\nthreshold: 7", "`threshold` must be a number from 0 to 1"),
        ("steps: [{ do: { call: a } }]", "its calls form a cycle"),
        ("steps: [{ do: { call: b } }]", "calls `b`, which does not exist"),
        ("steps: []\ncolour: red", "unknown field `colour`"),
    ] {
        let directives = project(&[("a", &page(header))]);
        let problem = directives.problems.first().expect(header);
        assert!(
            problem.starts_with("ai/directives/a.md: ") && problem.contains(expected),
            "{problem}"
        );
    }
}

#[test]
fn requests_are_matched_by_keywords_names_and_descriptions() {
    let directives = project(&[("release", RELEASE), ("close_tasks", CLOSE)]);
    let best = |request: &str| {
        let matches = search(&directives, request, Filter::default());
        (matches[0].directive.name.clone(), Certainty::of(matches[0].score))
    };
    assert_eq!(best("run release"), ("release".to_owned(), Certainty::Certain));
    assert_eq!(best("close_tasks"), ("close_tasks".to_owned(), Certainty::Certain));
    assert_eq!(best("what is the weather").1, Certainty::None);
    let filter = Filter { category: Some("release"), kind: None };
    assert_eq!(search(&directives, "", filter).len(), 1);
}
