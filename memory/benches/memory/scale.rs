//! Measures a store of 100,000 memories in processes of their own: indexing the tracked files of a new
//! clone, importing the same lines, the first and later saves, and searches. Prints the wall time, the
//! processor time of all threads, and the resident memory at the end and at its maximum.

use super::{memory, save_decision, size, temp_dir, text, write_lines};
use aidd_memory::foreign::{ImportOptions, ImportedParts};
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::Question;
use aidd_memory::store::Layers;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Number of memories in the store.
const MEMORIES: usize = 100_000;
/// Number of saves and of searches after the first.
const REPETITIONS: usize = 100;

/// The tasks, each run in a process of its own; the ones with the same store follow each other.
const TASKS: [&str; 5] = ["index", "import", "save", "search", "open"];

/// Prints one row per task.
pub(super) fn scale(storage: &str, directory: &Path) {
    let root = temp_dir(directory);
    fs::create_dir_all(root.path().join("clone")).expect("made");
    fs::create_dir_all(root.path().join("import")).expect("made");
    let count = size(MEMORIES);
    write_lines(&root.path().join("lines.jsonl"), count);
    fs::create_dir_all(root.path().join("clone/ai/memory")).expect("made");
    let tracked = root.path().join("clone/ai/memory/decisions.jsonl");
    fs::copy(root.path().join("lines.jsonl"), tracked).expect("copied");
    let program = std::env::current_exe().expect("this program");
    for task in TASKS {
        let status = Command::new(&program)
            .env("AIDD_BENCH_SCALE", root.path())
            .env("AIDD_BENCH_TASK", task)
            .env("AIDD_BENCH_STORAGE", storage)
            .status();
        assert!(status.expect("ended").success(), "{task}");
    }
}

/// Runs a task of [`scale`] in the store below `root`.
pub(super) fn run_task(root: &Path) {
    let name = |name: &str| std::env::var(name).expect("set");
    let (task, storage) = (name("AIDD_BENCH_TASK"), name("AIDD_BENCH_STORAGE"));
    let clone = root.join("clone");
    let count = size(MEMORIES);
    let row = |what: &str, work: &mut dyn FnMut()| print_task(what, &storage, work);
    match &*task {
        "index" => row(&format!("index the {count} memories of a new clone"), &mut || {
            drop(memory(&clone));
        }),
        "import" => {
            let mut memory = memory(&root.join("import"));
            row(&format!("import {count} memories"), &mut || {
                import(&mut memory, &root.join("lines.jsonl"));
            });
        }
        "save" => {
            let mut memory = memory(&clone);
            row("first decision saved by a process", &mut || save_decision(&mut memory, count));
            row(&format!("{REPETITIONS} later decisions"), &mut || {
                (1..=REPETITIONS).for_each(|n| save_decision(&mut memory, count + n));
            });
        }
        "search" => {
            let mut memory = memory(&clone);
            row("first search of a process", &mut || search(&mut memory, 0));
            row("second search", &mut || search(&mut memory, 1));
            row(&format!("{REPETITIONS} later searches"), &mut || {
                (2..REPETITIONS + 2).for_each(|n| search(&mut memory, n));
            });
        }
        _ => row("open the store", &mut || drop(memory(&clone))),
    }
}

fn import(memory: &mut ProjectMemory, lines: &Path) {
    let name = lines.display().to_string();
    let parts = ImportedParts::open(lines, &name, &ImportOptions::default()).expect("read");
    let (imported, _) = memory.import_parts(parts, &name, false).expect("imported");
    assert_eq!(imported.new.len(), size(MEMORIES));
}

fn search(memory: &mut ProjectMemory, n: usize) {
    let question = Question { text: text(n * 7 + 3), ..Question::new(Layers::ALL) };
    memory.search(&question).expect("found");
}

/// Runs `work` and prints what it cost.
fn print_task(what: &str, storage: &str, work: &mut dyn FnMut()) {
    let (start, cpu) = (Instant::now(), cpu_time());
    work();
    let (wall, cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
    println!(
        "| {what} | {storage} | {:.0} ms | {:.2} CPU s | {} MB, at most {} MB |",
        wall.as_secs_f64() * 1e3,
        cpu.as_secs_f64(),
        resident_megabytes("VmRSS:"),
        resident_megabytes("VmHWM:"),
    );
}

/// Processor time of all threads of this process, where the system reports it.
fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// A figure of the system on the memory of this process.
fn resident_megabytes(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or_default() / 1024
}
