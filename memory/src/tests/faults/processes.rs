//! Tests with many processes at once, some of which are killed. Each process is this test program,
//! started as a worker; the environment contains the task of the worker.
#![expect(clippy::disallowed_methods, reason = "starts itself as worker processes")]

use super::*;
use crate::recall::Question;
use crate::store::{Durability, sqlite, transaction};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The task of a worker.
pub(super) struct Job<'a> {
    pub(super) work: &'a str,
    pub(super) root: &'a Path,
    pub(super) choice: BackendChoice,
    pub(super) number: usize,
    pub(super) count: usize,
}

impl Job<'_> {
    pub(super) fn acks(&self) -> PathBuf {
        acks(self.root, self.number)
    }

    /// The command that starts this program as a worker.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["tests::faults::processes::worker", "--exact", "--ignored"])
            .args(["--nocapture", "--test-threads=1"])
            .env("AIDD_WORKER", self.work)
            .env("AIDD_WORKER_ROOT", self.root)
            .env("AIDD_WORKER_JSON", if self.choice == BackendChoice::Json { "1" } else { "0" })
            .env("AIDD_WORKER_NUMBER", self.number.to_string())
            .env("AIDD_WORKER_COUNT", self.count.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    pub(super) fn start(&self) -> Child {
        self.command().spawn().expect("a process")
    }
}

/// The file in which a worker acknowledges its writes.
fn acks(root: &Path, number: usize) -> PathBuf {
    root.join(format!("acks-{number}"))
}

/// The ids of the memories that a worker has acknowledged as written.
pub(super) fn acknowledged_ids(root: &Path, number: usize) -> Vec<String> {
    complete_lines(&acks(root, number))
}

fn complete_lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    // A line without a newline was not written completely.
    text.split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'))
        .map(str::to_owned)
        .collect()
}

fn worker_variable(name: &str) -> String {
    std::env::var(format!("AIDD_WORKER{name}")).unwrap_or_default()
}

#[test]
#[ignore = "the worker of other tests, which start it"]
fn worker() {
    let (work, root) = (worker_variable(""), PathBuf::from(worker_variable("_ROOT")));
    if work.is_empty() {
        return;
    }
    let choice =
        if worker_variable("_JSON") == "1" { BackendChoice::Json } else { BackendChoice::Sqlite };
    let number = worker_variable("_NUMBER").parse().expect("a number");
    let count = worker_variable("_COUNT").parse().expect("a number");
    let job = Job { work: &work, root: &root, choice, number, count };
    match job.work {
        "save" => save_and_acknowledge(&job),
        "save-and-delete" => lost::save_and_delete(&job),
        "migrate" => migrate(&job),
        "report-contents" => places::report_contents(&root, choice),
        "disk" => disk::fill(&job),
        other => panic!("unknown task `{other}`"),
    }
}

/// Saves until there are as many acknowledgements as requested; every fourth memory is permanent.
fn save_and_acknowledge(job: &Job<'_>) {
    let acknowledged = complete_lines(&job.acks()).len();
    let mut acks = OpenOptions::new().create(true).append(true).open(job.acks()).expect("acks");
    let seed = u64::from(std::process::id()) << 32 | job.number as u64;
    let mut numbers = Rng(seed);
    let mut memory = open_with_notices(job.root, job.choice);
    let session = memory.start_session(new_session("main")).expect("a session").id;
    for n in acknowledged..job.count {
        let text = numbers.words(5);
        let id = if n % 4 == 0 {
            memory.save_decision(&decision(&text, Some(&text))).expect("saved").id
        } else {
            memory
                .observe(&session, Kind::Pattern, &text, &Observation::default())
                .expect("observed")
        };
        // The line is written in one call, so that a killed process does not leave a part of it.
        acks.write_all(format!("{id}\n").as_bytes()).expect("written");
    }
}

/// Waits for a worker; returns its output if it failed.
fn error_output(child: Child) -> Option<String> {
    let output = child.wait_with_output().expect("ended");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Starts workers, kills and restarts them at random times, and checks that all acknowledged writes
/// are present.
fn check_killed_writers(choice: BackendChoice, writers: usize, count: usize, kills: usize) {
    let folder = TempDir::new().expect("a directory");
    let root = folder.path();
    drop(open_with_notices(root, choice));
    let job = |number| Job { work: "save", root, choice, number, count };
    let mut children: Vec<Option<Child>> = (0..writers).map(|n| Some(job(n).start())).collect();
    let mut numbers = Rng(3);
    let (mut killed, start) = (0, Instant::now());
    while killed < kills && start.elapsed() < Duration::from_secs(1200) {
        std::thread::sleep(Duration::from_millis(20 + numbers.next() % 130));
        let number = numbers.below(writers);
        // A process is killed while it works, not before it starts or after it ends.
        let progress = complete_lines(&acks(root, number)).len();
        if progress == 0 || progress >= count {
            if (0..writers).all(|n| complete_lines(&acks(root, n)).len() >= count) {
                break;
            }
            continue;
        }
        let mut child = children[number].take().expect("a child");
        child.kill().expect("killed");
        child.wait().expect("ended");
        killed += 1;
        children[number] = Some(job(number).start());
    }
    let errors: Vec<String> = children.into_iter().flatten().filter_map(error_output).collect();
    assert_eq!(errors, [""; 0], "the errors of the workers");
    let duration = start.elapsed();

    let mut memory = open_with_notices(root, choice);
    assert_eq!(memory.take_notices(), [""; 0]);
    let known: BTreeSet<String> = memory
        .read(&mut |store| store.entries(&Query::new(Layers::ALL)))
        .expect("entries")
        .into_iter()
        .map(|entry| entry.id)
        .collect();
    let mut all = 0;
    for number in 0..writers {
        let acknowledged = complete_lines(&acks(root, number));
        let lost: Vec<&String> = acknowledged.iter().filter(|id| !known.contains(*id)).collect();
        assert_eq!(lost, Vec::<&String>::new(), "acknowledged by worker {number} and lost");
        assert!(
            acknowledged.len() >= count,
            "worker {number} acknowledged {} of {count}",
            acknowledged.len()
        );
        all += acknowledged.len();
    }
    assert!(
        known.len() <= all + killed,
        "{} memories, {all} acknowledged, {killed} kills",
        known.len()
    );
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let problems = memory.problems().expect("problems");
    assert!(problems.len() <= killed, "{problems:?}");
    assert_eq!(permanent_text(&mut memory), permanent_text_of_files(root));
    print_note(&format!(
        "{choice:?}: {all} writes of {writers} processes, {killed} killed, in {:.1} s",
        duration.as_secs_f64()
    ));
}

#[test]
fn killed_processes_lose_no_acknowledged_write_in_sqlite() {
    check_killed_writers(BackendChoice::Sqlite, 8, size(40, 6000), size(8, 50));
}

#[test]
fn killed_processes_lose_no_acknowledged_write_in_json() {
    check_killed_writers(BackendChoice::Json, 4, size(30, 1000), size(4, 25));
}

/// The migration steps of a later version.
fn next_steps() -> Vec<&'static str> {
    let later = "CREATE TABLE later (x); INSERT INTO later SELECT id FROM memories;";
    crate::store::steps().iter().copied().chain([later]).collect()
}

fn migrate(job: &Job<'_>) {
    // All processes start to migrate at the same time.
    let start_file = job.root.join("go");
    while !start_file.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let folder = job.root.join(".aidd");
    let steps = next_steps();
    let steps = if job.count == 1 { &steps[..steps.len() - 1] } else { &steps[..] };
    let mut opened = sqlite::open_with(&folder, steps, 50).expect("migrated");
    let gate = crate::privacy::Gate::new(&crate::DISTRIBUTION);
    let document = gate.clean(&serde_json::json!({"id": job.number})).expect("clean");
    transaction(&mut *opened.store, Durability::Full, &mut |store| {
        let table = crate::store::Table::Analytics;
        store.put_document(table, &job.number.to_string(), 1, &document)
    })
    .expect("written");
    fs::write(job.acks(), opened.notices.join("\n") + "\n").expect("written");
}

/// Starts eight processes at once on the database in `root`; returns their notices.
fn race(root: &Path, count: usize) -> Vec<String> {
    let job = |number| Job { work: "migrate", root, choice: BackendChoice::Sqlite, number, count };
    let children: Vec<Child> = (0..8).map(|number| job(number).start()).collect();
    std::thread::sleep(Duration::from_millis(200));
    fs::write(root.join("go"), "").expect("written");
    let errors: Vec<String> = children.into_iter().filter_map(error_output).collect();
    assert_eq!(errors, [""; 0]);
    (0..8)
        .flat_map(|number| complete_lines(&acks(root, number)))
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn eight_processes_migrate_an_old_database_once() {
    for round in 0..size(2, 20) {
        let folder = TempDir::new().expect("a directory");
        let mut old = open_memory(folder.path(), BackendChoice::Sqlite);
        save_some(&mut old, &mut Rng(round as u64), 3);
        let counts_before = counts(&mut old);
        // The database stays open, so part of it is in its log.
        let notices = race(folder.path(), 2);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains("the store was migrated from schema"), "{notices:?}");
        let connection = rusqlite::Connection::open(sqlite::path(&folder.path().join(".aidd")))
            .expect("a database");
        let number = |sql: &str| -> u32 {
            connection.query_row(sql, [], |row| row.get(0)).expect("a number")
        };
        assert_eq!(number("PRAGMA user_version") as usize, next_steps().len());
        assert_eq!(
            number("SELECT count(*) FROM later") as usize,
            counts_before[0] + counts_before[1] + counts_before[2]
        );
        assert_eq!(number("SELECT count(*) FROM analytics"), 8);
        let backups = fs::read_dir(folder.path().join(".aidd")).expect("a directory").flatten();
        let backups = backups.filter(|file| file.file_name().to_string_lossy().ends_with(".bak"));
        assert_eq!(backups.count(), 1);
        // The open process gets an error, and writes nothing into the newer schema.
        let error = old.save_insight("late", None, &Insight::default(), None).expect_err("old");
        assert!(error.to_string().ends_with("update aidd"), "{error}");
    }
}

#[test]
fn eight_processes_migrate_the_first_schema_once() {
    let folder = TempDir::new().expect("a directory");
    let aidd = folder.path().join(".aidd");
    fs::create_dir_all(&aidd).expect("made");
    let old = rusqlite::Connection::open(sqlite::path(&aidd)).expect("a database");
    let rows = "PRAGMA journal_mode = WAL; PRAGMA user_version = 1;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO memories SELECT 'insight_1_' || i, 'insight', 'local', NULL, NULL,
            'lesson ' || i, '{}', 'active', NULL, NULL, i, i, 1, '[]', '{}', i FROM n;
        UPDATE counter SET value = 20;";
    old.execute_batch(crate::store::steps()[0]).expect("the first schema");
    old.execute_batch(rows).expect("memories");
    // The database stays open, so part of it is in its log.
    let notices = race(folder.path(), 1);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("the store was migrated from schema 1 to"), "{notices:?}");
    let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
    assert_eq!(counts(&mut memory), [0, 20, 0, 0]);
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let question = Question { text: "lesson 7".to_owned(), ..Question::new(Layers::ALL) };
    assert_eq!(memory.search(&question).expect("found").hits[0].id, "insight_1_7");
}

#[test]
fn eight_processes_create_one_new_database() {
    for _ in 0..size(2, 20) {
        let folder = TempDir::new().expect("a directory");
        fs::create_dir_all(folder.path().join(".aidd")).expect("made");
        assert_eq!(race(folder.path(), 1), [""; 0]);
        let mut memory = open_with_notices(folder.path(), BackendChoice::Sqlite);
        assert_eq!(memory.check().expect("checked"), [""; 0]);
        let table = crate::store::Table::Analytics;
        let documents = memory.read(&mut |store| store.documents(table)).expect("documents");
        assert_eq!(documents.len(), 8);
    }
}

/// Neither a search nor a timeline changes a byte of the store, and no file is created or deleted.
#[test]
fn a_search_changes_no_byte_of_the_store() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = TempDir::new().expect("a directory");
        let root = folder.path();
        save_some(&mut open_with_notices(root, choice), &mut Rng(21), 8);
        // Opening a store updates the search data and checkpoints its log.
        let mut memory = open_with_notices(root, choice);
        let search = |memory: &mut ProjectMemory, text: &str| {
            let question = Question { text: text.to_owned(), ..Question::new(Layers::ALL) };
            memory.search(&question).expect("found").hits
        };
        search(&mut memory, "anything");
        let bytes = || -> Vec<(PathBuf, Vec<u8>)> {
            let mut files: Vec<PathBuf> = Vec::new();
            let mut pending = vec![root.to_owned()];
            while let Some(directory) = pending.pop() {
                for entry in fs::read_dir(directory).expect("a directory").flatten() {
                    let path = entry.path();
                    if path.is_dir() {
                        pending.push(path);
                    } else if path.extension().is_none_or(|extension| extension != "db-shm") {
                        // The shared-memory file (`-shm`) contains read marks, which every reader
                        // changes.
                        files.push(path);
                    }
                }
            }
            files.sort();
            files.into_iter().map(|path| (path.clone(), fs::read(path).expect("bytes"))).collect()
        };
        let before = bytes();
        let mut numbers = Rng(21);
        let mut found = 0;
        for n in 0..size(100, 1000) {
            let text = match n % 4 {
                0 => format!("topic {}", n % 9),
                1 => numbers.words(6),
                2 => "어제 결정한 인증 방식 \" OR NEAR(".to_owned(),
                _ => numbers.words(1),
            };
            found += search(&mut memory, &text).len();
            if n % 10 == 0 {
                for hit in search(&mut memory, "topic 1").iter().take(2) {
                    memory.timeline(&hit.id, 3).expect("a timeline");
                    memory.walk(&hit.id, &[], 5).expect("a walk");
                    memory.entries_by_id(&[hit.id.clone(), "none".into()]).expect("entries");
                }
            }
        }
        assert!(found > 0);
        let after = bytes();
        let names = |files: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
            files.iter().map(|(path, _)| path.clone()).collect()
        };
        assert_eq!(names(&before), names(&after));
        for ((path, before), (_, after)) in before.iter().zip(&after) {
            assert!(before == after, "{} changed", path.display());
        }
    }
}
