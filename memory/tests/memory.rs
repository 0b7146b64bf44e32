//! Tests that no acknowledged write is lost when many processes write and are killed at any time.
//!
//! This test program starts itself as a worker: `worker` is a test that does nothing unless the
//! environment contains a task. The default sizes are small; `AIDD_FAULT_WRITES` sets the number of
//! writes of each of the eight processes.
#![expect(
    clippy::disallowed_methods,
    reason = "starts processes, and reads what they acknowledged"
)]

use aidd_memory::kinds::Observation;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::store::{BackendChoice, Layers, Query};
use aidd_memory::types::Kind;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROCESSES: usize = 8;

fn writes_per_process() -> usize {
    std::env::var("AIDD_FAULT_WRITES").ok().and_then(|text| text.parse().ok()).unwrap_or(25)
}

fn open(root: &Path, store: &str) -> ProjectMemory {
    let choice = if store == "json" { BackendChoice::Json } else { BackendChoice::Sqlite };
    ProjectMemory::open(&crate::DISTRIBUTION, root, choice, system_clock()).expect("a memory")
}

/// The worker: saves memories, and after each save appends the id of the memory to its own file.
#[test]
fn worker() {
    let (Ok(root), Ok(store), Ok(acks)) = (
        std::env::var("AIDD_WORKER_ROOT"),
        std::env::var("AIDD_WORKER_STORE"),
        std::env::var("AIDD_WORKER_ACKS"),
    ) else {
        return;
    };
    let mut memory = open(Path::new(&root), &store);
    if acks.is_empty() {
        return;
    }
    let mut acks = OpenOptions::new().create(true).append(true).open(acks).expect("acks");
    let provider = AiProvider { provider: "p".into(), ..AiProvider::default() };
    let session =
        SessionState { branch: "main".into(), ai_provider: provider, ..SessionState::default() };
    let session = memory.start_session(session).expect("a session").id;
    let process = std::process::id();
    for n in 0..writes_per_process() {
        let content = format!("process {process} decided number {n}, and nobody else did");
        let saved =
            memory.save_decision(&NewMemory { content, ..NewMemory::default() }).expect("saved");
        writeln!(acks, "{}", saved.id).expect("acknowledged");
        let title = format!("process {process} saw number {n}");
        let id = memory
            .observe(&session, Kind::Insight, &title, &Observation::default())
            .expect("observed");
        writeln!(acks, "{id}").expect("acknowledged");
    }
}

fn start(root: &Path, store: &str, acks: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["memory::worker", "--exact", "--nocapture", "--test-threads=1"])
        .env("AIDD_WORKER_ROOT", root)
        .env("AIDD_WORKER_STORE", store)
        .env("AIDD_WORKER_ACKS", acks)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// Eight processes write at once. Every 120 milliseconds one of them is killed and restarted,
/// `kills` times; then all processes finish.
fn check_many_processes(store: &str, kills: usize) {
    let folder = tempfile::TempDir::new().expect("a directory");
    let root = folder.path();
    let mut count = 0;
    let mut start_worker = || {
        count += 1;
        start(root, store, &root.join(format!("acks-{count}")).display().to_string())
    };
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| start_worker()).collect();
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(120));
        let child = &mut children[kill % PROCESSES];
        // SIGKILL: no destructor runs, and no buffer is flushed.
        child.kill().expect("killed");
        child.wait().expect("an exit status");
        children[kill % PROCESSES] = start_worker();
    }
    for child in children {
        let output = child.wait_with_output().expect("an exit status");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "a writer failed: {stderr}");
    }
    let mut acknowledged = BTreeSet::new();
    for entry in fs::read_dir(root).expect("a directory").flatten() {
        if entry.file_name().to_string_lossy().starts_with("acks-") {
            let text = fs::read_to_string(entry.path()).expect("acks");
            // A killed worker can leave a partial line.
            let complete = text.rsplit_once('\n').map_or("", |(complete, _)| complete);
            acknowledged.extend(complete.lines().map(str::to_owned));
        }
    }
    assert!(
        acknowledged.len() >= PROCESSES * writes_per_process() * 2,
        "{} acks",
        acknowledged.len()
    );
    let mut memory = open(root, store);
    assert_eq!(memory.take_notices(), [""; 0]);
    let found = memory.read(&mut |store| store.entries(&Query::new(Layers::ALL))).expect("entries");
    let found: BTreeSet<String> = found.into_iter().map(|entry| entry.id).collect();
    let lost: Vec<&String> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), acknowledged.len());
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    assert_eq!(memory.problems().expect("problems"), []);
    // The tracked files alone contain every decision.
    let decisions = acknowledged.iter().filter(|id| id.starts_with("decision_"));
    let lines = fs::read_to_string(root.join("ai/memory/decisions.jsonl")).expect("lines");
    for id in decisions {
        assert!(lines.contains(id.as_str()), "{id} is not in the tracked file");
    }
}

#[test]
fn eight_processes_lose_nothing_in_sqlite() {
    check_many_processes("sqlite", 12);
}

#[test]
fn eight_processes_lose_nothing_in_json() {
    check_many_processes("json", 12);
}

#[test]
fn eight_processes_can_create_the_store() {
    for round in 0..4 {
        let folder = tempfile::TempDir::new().expect("a directory");
        let store = if round % 2 == 0 { "sqlite" } else { "json" };
        let children: Vec<Child> =
            (0..PROCESSES).map(|_| start(folder.path(), store, "")).collect();
        for child in children {
            let output = child.wait_with_output().expect("an exit status");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{stderr}");
        }
        let mut memory = open(folder.path(), store);
        assert_eq!(memory.check().expect("checked"), [""; 0]);
    }
}

/// Git replaces the tracked file while a worker writes to it.
#[test]
fn a_file_replaced_during_a_write_retains_acknowledged_lines() {
    let folder = tempfile::TempDir::new().expect("a directory");
    let root = folder.path();
    let acks = root.join("acks");
    let mut child = start(root, "sqlite", &acks.display().to_string());
    let file = root.join("ai/memory/decisions.jsonl");
    let limit = Instant::now() + Duration::from_secs(60);
    while child.try_wait().expect("an exit status").is_none() && Instant::now() < limit {
        if let Ok(text) = fs::read(&file) {
            // Git writes a new file and renames it. Lines that are written between reading and
            // renaming would be lost, and Git refuses to overwrite such uncommitted changes. So the
            // file is replaced only by a complete copy of its newest state.
            let new = file.with_extension("new");
            fs::write(&new, &text).expect("written");
            if fs::read(&file).is_ok_and(|current| current == text) {
                fs::rename(&new, &file).expect("replaced");
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().expect("an exit status").success());
    let mut memory = open(root, "sqlite");
    memory.export(true).expect("exported");
    let found = memory.read(&mut |store| store.entries(&Query::new(Layers::ALL))).expect("entries");
    let found: BTreeSet<String> = found.into_iter().map(|entry| entry.id).collect();
    for id in fs::read_to_string(&acks).expect("acks").lines() {
        assert!(found.contains(id), "{id} is lost");
    }
}
