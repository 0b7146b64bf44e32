//! Measures opening the memory, saving, searching and following links, in one process and in eight
//! processes at once. Times are wall times in milliseconds. The first row is the lower bound:
//! a line of 400 bytes is written and synced on the same disk, and no durable save can be faster.
//!
//! ```sh
//! cargo bench -p aidd-memory --bench memory            # everything
//! cargo bench -p aidd-memory --bench memory -- save    # one part: limit save open walk record many scale
//! ```
//!
//! `AIDD_BENCH_DISK` sets the directory to measure in; all sizes are divided by `AIDD_BENCH_SHARE`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]
#![expect(clippy::disallowed_methods, reason = "starts itself as worker processes")]

mod scale;

use aidd_engine::check::Distribution;
use aidd_memory::kinds::Observation;
use aidd_memory::log::Revision;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::recall::Question;
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::store::{BackendChoice, Layers, Query};
use aidd_memory::types::{Kind, Link, Relation};
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Call, Event, Mark, TimedEvent};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The shipped rules and validators.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

fn main() {
    if let Ok(root) = std::env::var("AIDD_BENCH_WORKER") {
        return run_worker(Path::new(&root));
    }
    if let Ok(root) = std::env::var("AIDD_BENCH_SCALE") {
        return scale::run_task(Path::new(&root));
    }
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_requested =
        |part: &str| parts.is_empty() || parts.iter().any(|requested| requested == part);
    let disk = std::env::var_os("AIDD_BENCH_DISK").map_or_else(std::env::temp_dir, PathBuf::from);
    let mut storages = vec![("disk", disk)];
    if Path::new("/dev/shm").is_dir() {
        storages.push(("memory", PathBuf::from("/dev/shm")));
    }
    println!("| operation | storage | p50 | p99 | max | n |\n|---|---|---|---|---|---|");
    for (storage, directory) in &storages {
        for (part, measure) in PARTS {
            if is_requested(part) {
                measure(storage, directory);
            }
        }
    }
}

/// The name of a part and its benchmark function. The arguments of the function are the label of
/// the storage in the table, and the directory to measure in.
type Part = (&'static str, fn(&str, &Path));

const PARTS: [Part; 7] = [
    ("limit", limit),
    ("save", save),
    ("open", open),
    ("walk", walk),
    ("record", record),
    ("many", save_concurrently),
    ("scale", scale::scale),
];

/// Number of calls of a session, and of calls that the server stores at once.
const CALLS: usize = 128;
const BATCH: usize = 64;

/// Measures what recording a tool call costs: counting the tokens of an answer, and the share of a
/// call in storing a batch. Prints the bytes that a call occupies in the files of the store.
fn record(storage: &str, directory: &Path) {
    let answer =
        "src/orders.ts:12 Orders are validated with zod before they are stored. ".repeat(30);
    let mut times = Vec::new();
    for _ in 0..size(2000) {
        let start = Instant::now();
        std::hint::black_box(aidd_lexicon::tokens::count(&answer));
        times.push(start.elapsed());
    }
    print_row("count the tokens of an answer of 500 tokens", storage, times);
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let folder = TempDir::new_in(directory).expect("a directory");
        let mut memory = ProjectMemory::open(&DISTRIBUTION, folder.path(), choice, system_clock())
            .expect("a memory");
        let before = bytes_in(folder.path());
        let tools = ["aidd_memory_search", "aidd_ci_diff_check", "aidd_explore", "save_decision"];
        let (mut times, mut count) = (Vec::new(), 0);
        for _ in 0..size(100) {
            let session = memory.usage_id();
            for batch in 0..CALLS / BATCH {
                let events: Vec<TimedEvent> = (0..BATCH)
                    .map(|n| {
                        let tool = Name::new(tools[n % tools.len()]).expect("a name");
                        let findings =
                            if n % 8 == 0 { Mark::from_findings(["a", "b"]) } else { vec![] };
                        let (millis, bytes, tokens) = (12, 1834, 420);
                        let call = Call { tool, millis, bytes, tokens, is_error: false, findings };
                        let at = i64::try_from(batch * BATCH + n).expect("a time") * 7000;
                        TimedEvent { at, event: Event::Call(call) }
                    })
                    .collect();
                let start = Instant::now();
                memory.note_events(&session, &events).expect("noted");
                times.push(start.elapsed() / u32::try_from(BATCH).expect("a number"));
                count += BATCH;
            }
        }
        let name = memory.backend();
        print_row(&format!("record a call, {name}"), storage, times);
        // Closing the store empties SQLite's log of changes, whose length does not depend on the calls.
        drop(memory);
        let stored = bytes_in(folder.path()) - before;
        println!("| {} bytes a call, {name} | {storage} | | | | {count} |", stored / count);
    }
}

/// The length of all files below a directory.
fn bytes_in(directory: &Path) -> usize {
    let entries =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry"));
    let length = |entry: fs::DirEntry| match entry.file_type().expect("a type").is_dir() {
        true => bytes_in(&entry.path()),
        false => usize::try_from(entry.metadata().expect("a file").len()).expect("a length"),
    };
    entries.map(length).sum()
}

/// Returns `full`, divided by `AIDD_BENCH_SHARE` for a quick run.
fn size(full: usize) -> usize {
    let divisor = std::env::var("AIDD_BENCH_SHARE").ok().and_then(|divisor| divisor.parse().ok());
    (full / divisor.unwrap_or(1)).max(10)
}

/// Prints one row of measured durations.
fn print_row(operation: &str, storage: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len() - 1);
        times[index].as_secs_f64() * 1e3
    };
    println!(
        "| {operation} | {storage} | {:.3} | {:.3} | {:.3} | {} |",
        at(50),
        at(99),
        at(100),
        times.len()
    );
}

fn timed(count: usize, mut work: impl FnMut(usize)) -> Vec<Duration> {
    (0..count)
        .map(|n| {
            let start = Instant::now();
            work(n);
            start.elapsed()
        })
        .collect()
}

fn temp_dir(directory: &Path) -> TempDir {
    TempDir::new_in(directory).expect("a directory")
}

fn memory(root: &Path) -> ProjectMemory {
    ProjectMemory::open(&DISTRIBUTION, root, BackendChoice::Sqlite, system_clock())
        .expect("a memory")
}

/// Returns words distributed as in natural text: a few are frequent, and many are rare.
fn text(n: usize) -> String {
    const VERBS: [&str; 8] = ["use", "keep", "move", "split", "cache", "retry", "drop", "pin"];
    const NOUNS: [&str; 8] =
        ["service", "queue", "schema", "token", "index", "worker", "gateway", "report"];
    format!(
        "{} the {} {}{} for {}{} because {}{} was slow",
        VERBS[n % 8],
        NOUNS[n / 8 % 8],
        NOUNS[n / 64 % 8],
        n % 977,
        NOUNS[n / 3 % 8],
        n % 89,
        VERBS[n / 5 % 8],
        n
    )
}

/// Writes tracked files with `count` decisions. Each decision has its own topic and links to the
/// decisions with the numbers that `links` returns.
fn write_tracked_files(root: &Path, count: usize, links: impl Fn(usize) -> Vec<usize>) {
    let at = 1_763_800_000_000_i64;
    let time = |n: usize| at + i64::try_from(n).expect("a time");
    let id = |n: usize| format!("decision_{}_{n:012x}", time(n));
    let mut lines = String::new();
    for n in 0..count {
        let mut line = Revision::first(Kind::Decision, id(n), time(n), text(n));
        line.topic = Some(format!("topic {n}"));
        line.links =
            links(n).into_iter().map(|to| Link::new(Relation::RelatesTo, &id(to))).collect();
        writeln!(lines, "{}", line.with_rev().line()).expect("a string");
    }
    fs::create_dir_all(root.join("ai/memory")).expect("made");
    fs::write(root.join("ai/memory/decisions.jsonl"), lines).expect("written");
}

/// Writes `count` decisions with topics, reasons and files to a file: about 500 bytes each.
fn write_lines(path: &Path, count: usize) {
    let mut lines = std::io::BufWriter::new(fs::File::create(path).expect("a file"));
    for n in 0..count {
        let at = 1_763_800_000_000_i64 + i64::try_from(n).expect("a time");
        let id = format!("decision_{at}_{n:012x}");
        let mut line = Revision::first(Kind::Decision, id, at, text(n));
        line.topic = Some(format!("topic {n}"));
        let reason = format!("{}, and {}; {}", text(n * 5 + 1), text(n * 11 + 2), text(n * 3));
        line.metadata.insert("reasoning".to_owned(), reason.into());
        line.metadata.insert("files".to_owned(), vec![format!("src/{}.ts", n % 4001)].into());
        writeln!(lines, "{}", line.with_rev().line()).expect("written");
    }
    lines.flush().expect("written");
}

fn limit(storage: &str, directory: &Path) {
    let root = temp_dir(directory);
    let path = root.path().join("lines");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    let times = timed(size(500), |_| {
        file.write_all(&[b'x'; 400]).and_then(|()| file.sync_data()).expect("synced");
    });
    print_row("lower bound: 400 bytes written and synced", storage, times);
}

fn save_decision(memory: &mut ProjectMemory, n: usize) {
    let new =
        NewMemory { content: text(n), topic: Some(format!("topic {n}")), ..NewMemory::default() };
    assert!(memory.save_decision(&new).expect("saved").is_new);
}

fn new_session() -> SessionState {
    SessionState {
        branch: "main".to_owned(),
        ai_provider: AiProvider { provider: "none".to_owned(), ..AiProvider::default() },
        ..SessionState::default()
    }
}

fn save(storage: &str, directory: &Path) {
    for full in [0, 1_000, 10_000, 100_000] {
        let count = if full == 0 { 0 } else { size(full) };
        let root = temp_dir(directory);
        write_tracked_files(root.path(), count, |_| Vec::new());
        let mut memory = memory(root.path());
        let first = timed(1, |_| save_decision(&mut memory, count));
        print_row(
            &format!("first decision saved by a process, in a store of {count}"),
            storage,
            first,
        );
        let times = timed(size(500), |n| save_decision(&mut memory, count + 1 + n));
        print_row(&format!("decision saved in a store of {count}"), storage, times);
        let session = memory.start_session(new_session()).expect("a session").id;
        let times = timed(size(500), |n| {
            let observed =
                memory.observe(&session, Kind::Pattern, &text(n), &Observation::default());
            observed.expect("observed");
        });
        print_row(&format!("observation saved in a store of {count}"), storage, times);
        let times = timed(size(300), |n| {
            let question = Question { text: text(n * 7), ..Question::new(Layers::ALL) };
            memory.search(&question).expect("found");
        });
        print_row(&format!("search in a store of {count}"), storage, times);
    }
}

fn open(storage: &str, directory: &Path) {
    for count in [1_000, 10_000].map(size) {
        let root = temp_dir(directory);
        write_tracked_files(root.path(), count, |_| Vec::new());
        let times = timed(1, |_| drop(memory(root.path())));
        print_row(&format!("{count} memories of a new clone indexed"), storage, times);
        let times = timed(size(100), |_| drop(memory(root.path())));
        print_row(&format!("store of {count} opened"), storage, times);
    }
}

/// Measures walks along the links of ten thousand memories: each memory is linked to three others,
/// and in the second part a thousand memories are also linked to the first memory.
fn walk(storage: &str, directory: &Path) {
    let count = size(10_000);
    let mesh = |n: usize| -> Vec<usize> {
        [n * 7 + 1, n * 13 + 5, n / 2]
            .map(|to| to % count)
            .into_iter()
            .filter(|to| *to != n)
            .collect()
    };
    let star = |n: usize| {
        let mut links = mesh(n);
        if n > 0 && n <= count / 10 {
            links.push(0);
        }
        links
    };
    measure_walk("3 links each", storage, directory, count, &mesh);
    measure_walk("1,000 extra links to one memory", storage, directory, count, &star);
}

fn measure_walk(
    links_label: &str,
    storage: &str,
    directory: &Path,
    count: usize,
    links: &dyn Fn(usize) -> Vec<usize>,
) {
    let root = temp_dir(directory);
    write_tracked_files(root.path(), count, links);
    let mut memory = memory(root.path());
    let query = Query { limit: Some(50), ..Query::active(Layers::PERMANENT, Kind::Decision) };
    let mut ids: Vec<String> = memory
        .read(&mut |store| store.entries(&query))
        .expect("entries")
        .into_iter()
        .map(|entry| entry.id)
        .collect();
    // The memory to which a thousand memories are linked in the second part.
    ids.push(format!("decision_1763800000000_{:012x}", 0));
    let mut visited = 0;
    let times = timed(size(100), |n| {
        // Every other walk starts at the centre of the star.
        let start = if n % 2 == 0 { ids.last() } else { ids.get(n % ids.len()) };
        visited += memory.walk(start.expect("an id"), &[], 5).expect("a walk").steps.len();
    });
    let visited = visited / times.len();
    print_row(
        &format!("walk to depth 5 in a store of {count}, {links_label} ({visited} visited)"),
        storage,
        times,
    );
}

/// Measures eight processes that save at the same time; a quarter of their memories are decisions.
fn save_concurrently(storage: &str, directory: &Path) {
    let root = temp_dir(directory);
    drop(memory(root.path()));
    let program = std::env::current_exe().expect("this program");
    let start = Instant::now();
    let children: Vec<_> = (0..8)
        .map(|number: usize| {
            Command::new(&program)
                .env("AIDD_BENCH_WORKER", root.path())
                .env("AIDD_BENCH_NUMBER", number.to_string())
                .spawn()
                .expect("a process")
        })
        .collect();
    for child in children {
        assert!(child.wait_with_output().expect("ended").status.success());
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut all = Vec::new();
    for number in 0..8 {
        let text = fs::read_to_string(root.path().join(format!("times-{number}")));
        let micros = text.expect("times");
        all.extend(micros.lines().filter_map(|line| line.parse().ok()).map(Duration::from_micros));
    }
    let count = all.len();
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let rate = count as f64 / seconds;
    print_row(&format!("save, 8 processes at once ({rate:.0} a second)"), storage, all);
    let mut memory = memory(root.path());
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let stored =
        memory.read(&mut |store| store.entries(&Query::new(Layers::ALL))).expect("entries").len();
    assert_eq!(stored, count, "memories");
}

fn run_worker(root: &Path) {
    let number: usize =
        std::env::var("AIDD_BENCH_NUMBER").ok().and_then(|n| n.parse().ok()).expect("a number");
    let mut memory = memory(root);
    let session = memory.start_session(new_session()).expect("a session").id;
    let times = timed(size(1_000), |n| {
        let n = number * 1_000_000 + n;
        if n.is_multiple_of(4) {
            save_decision(&mut memory, n);
        } else {
            let observed =
                memory.observe(&session, Kind::Pattern, &text(n), &Observation::default());
            observed.expect("observed");
        }
    });
    let micros: String = times.iter().map(|time| format!("{}\n", time.as_micros())).collect();
    fs::write(root.join(format!("times-{number}")), micros).expect("written");
}
