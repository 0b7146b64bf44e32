//! Measures opening, saving, searching and walking the memory, alone and with eight processes at
//! once. Wall time, in milliseconds. The first table is the lower bound: a line of 400 bytes,
//! written and synced on the same disk; no durable save can be faster.
//!
//! ```sh
//! cargo bench -p aidd-memory --bench memory            # everything
//! cargo bench -p aidd-memory --bench memory -- save    # one part: limit save open walk many
//! ```
//!
//! `AIDD_BENCH_DISK` names another directory to measure in; `AIDD_BENCH_SHARE` divides all sizes.
#![expect(clippy::print_stdout, reason = "this is what a benchmark is for")]
#![expect(clippy::disallowed_methods, reason = "the eight processes are this program")]

use aidd_engine::check::Distribution;
use aidd_memory::kinds::Observation;
use aidd_memory::log::Revision;
use aidd_memory::permanent::New;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::recall::Question;
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::store::{Layers, Query, Wanted};
use aidd_memory::types::{Kind, Link, Relation};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The shipped rules and families.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

fn main() {
    if let Ok(root) = std::env::var("AIDD_BENCH_WORKER") {
        return run_worker(Path::new(&root));
    }
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wants = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let disk = std::env::var_os("AIDD_BENCH_DISK").map_or_else(std::env::temp_dir, PathBuf::from);
    let mut places = vec![("disk", disk)];
    if Path::new("/dev/shm").is_dir() {
        places.push(("memory", PathBuf::from("/dev/shm")));
    }
    println!("| what | where | p50 | p99 | most | n |\n|---|---|---|---|---|---|");
    for (name, place) in &places {
        for (part, measure) in PARTS {
            if wants(part) {
                measure(name, place);
            }
        }
    }
}

/// The name of a part, and the function that measures it in a directory, which has a name in the
/// table.
type Part = (&'static str, fn(&str, &Path));

const PARTS: [Part; 5] =
    [("limit", limit), ("save", save), ("open", open), ("walk", walk), ("many", save_concurrently)];

/// A size, reduced for a quick run.
fn size(full: usize) -> usize {
    let share = std::env::var("AIDD_BENCH_SHARE").ok().and_then(|share| share.parse().ok());
    (full / share.unwrap_or(1)).max(10)
}

/// Prints one row of measured durations.
fn row(what: &str, place: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len() - 1);
        times[index].as_secs_f64() * 1e3
    };
    println!(
        "| {what} | {place} | {:.3} | {:.3} | {:.3} | {} |",
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

fn folder(place: &Path) -> TempDir {
    TempDir::new_in(place).expect("a directory")
}

fn memory(root: &Path) -> ProjectMemory {
    ProjectMemory::open(&DISTRIBUTION, root, Wanted::Sqlite, system_clock()).expect("a memory")
}

/// Words distributed as in natural text: a few frequent, many rare.
fn text(n: usize) -> String {
    const VERBS: [&str; 8] = ["use", "keep", "move", "split", "cache", "retry", "drop", "pin"];
    const THINGS: [&str; 8] =
        ["service", "queue", "schema", "token", "index", "worker", "gateway", "report"];
    format!(
        "{} the {} {}{} for {}{} because {}{} was slow",
        VERBS[n % 8],
        THINGS[n / 8 % 8],
        THINGS[n / 64 % 8],
        n % 977,
        THINGS[n / 3 % 8],
        n % 89,
        VERBS[n / 5 % 8],
        n
    )
}

/// Tracked files with this number of decisions, each with its own topic and linked to others by
/// `links`.
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
        writeln!(lines, "{}", line.sealed().line()).expect("a string");
    }
    fs::create_dir_all(root.join("ai/memory")).expect("made");
    fs::write(root.join("ai/memory/decisions.jsonl"), lines).expect("written");
}

fn limit(name: &str, place: &Path) {
    let folder = folder(place);
    let path = folder.path().join("lines");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    let times = timed(size(500), |_| {
        file.write_all(&[b'x'; 400]).and_then(|()| file.sync_data()).expect("synced");
    });
    row("the limit: 400 bytes written and synced", name, times);
}

fn decide(memory: &mut ProjectMemory, n: usize) {
    let new = New { content: text(n), topic: Some(format!("topic {n}")), ..New::default() };
    assert!(memory.save_decision(&new).expect("saved").is_new);
}

fn new_session() -> SessionState {
    SessionState {
        branch: "main".to_owned(),
        ai_provider: AiProvider { provider: "none".to_owned(), ..AiProvider::default() },
        ..SessionState::default()
    }
}

fn save(name: &str, place: &Path) {
    for full in [0, 1_000, 10_000, 100_000] {
        let count = if full == 0 { 0 } else { size(full) };
        let folder = folder(place);
        write_tracked_files(folder.path(), count, |_| Vec::new());
        let mut memory = memory(folder.path());
        let first = timed(1, |_| decide(&mut memory, count));
        row(&format!("first decision saved by a process, of {count}"), name, first);
        let times = timed(size(500), |n| decide(&mut memory, count + 1 + n));
        row(&format!("decision saved, of {count}"), name, times);
        let session = memory.start_session(new_session()).expect("a session").id;
        let times = timed(size(500), |n| {
            let seen = memory.observe(&session, Kind::Pattern, &text(n), &Observation::default());
            seen.expect("observed");
        });
        row(&format!("observation saved, of {count}"), name, times);
        let times = timed(size(300), |n| {
            let question = Question { text: text(n * 7), ..Question::new(Layers::ALL) };
            memory.search(&question).expect("found");
        });
        row(&format!("search, of {count}"), name, times);
    }
}

fn open(name: &str, place: &Path) {
    for count in [1_000, 10_000].map(size) {
        let folder = folder(place);
        write_tracked_files(folder.path(), count, |_| Vec::new());
        let times = timed(1, |_| drop(memory(folder.path())));
        row(&format!("{count} memories of a clone taken in"), name, times);
        let times = timed(size(100), |_| drop(memory(folder.path())));
        row(&format!("open, of {count}"), name, times);
    }
}

/// Ten thousand memories, each linked to three others; and the same with a thousand links to one.
fn walk(name: &str, place: &Path) {
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
    measure_walk("3 links each", name, place, count, &mesh);
    measure_walk("1,000 more on one", name, place, count, &star);
}

fn measure_walk(
    what: &str,
    name: &str,
    place: &Path,
    count: usize,
    links: &dyn Fn(usize) -> Vec<usize>,
) {
    let folder = folder(place);
    write_tracked_files(folder.path(), count, links);
    let mut memory = memory(folder.path());
    let query = Query { limit: Some(50), ..Query::active(Layers::PERMANENT, Kind::Decision) };
    let mut ids: Vec<String> = memory
        .read(&mut |store| store.entries(&query))
        .expect("entries")
        .into_iter()
        .map(|entry| entry.id)
        .collect();
    // The memory with a thousand links.
    ids.push(format!("decision_1763800000000_{:012x}", 0));
    let mut met = 0;
    let times = timed(size(100), |n| {
        // Every other time from the centre of the star.
        let start = if n % 2 == 0 { ids.last() } else { ids.get(n % ids.len()) };
        met += memory.walk(start.expect("an id"), &[], 5).expect("a walk").steps.len();
    });
    let each = met / times.len();
    row(&format!("walk to depth 5 of {count}, {what} ({each} met)"), name, times);
}

/// Eight processes that save at once; a quarter of their memories are decisions.
fn save_concurrently(name: &str, place: &Path) {
    let folder = folder(place);
    drop(memory(folder.path()));
    let program = std::env::current_exe().expect("this program");
    let start = Instant::now();
    let children: Vec<_> = (0..8)
        .map(|number: usize| {
            Command::new(&program)
                .env("AIDD_BENCH_WORKER", folder.path())
                .env("AIDD_BENCH_NUMBER", number.to_string())
                .spawn()
                .expect("a process")
        })
        .collect();
    for child in children {
        assert!(child.wait_with_output().expect("ended").status.success());
    }
    let took = start.elapsed().as_secs_f64();
    let mut all = Vec::new();
    for number in 0..8 {
        let said = fs::read_to_string(folder.path().join(format!("times-{number}")));
        let micros = said.expect("times");
        all.extend(micros.lines().filter_map(|line| line.parse().ok()).map(Duration::from_micros));
    }
    let count = all.len();
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let rate = count as f64 / took;
    row(&format!("save, 8 processes at once ({rate:.0} a second)"), name, all);
    let mut memory = memory(folder.path());
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let there =
        memory.read(&mut |store| store.entries(&Query::new(Layers::ALL))).expect("entries").len();
    assert_eq!(there, count, "memories");
}

fn run_worker(root: &Path) {
    let number: usize =
        std::env::var("AIDD_BENCH_NUMBER").ok().and_then(|n| n.parse().ok()).expect("a number");
    let mut memory = memory(root);
    let session = memory.start_session(new_session()).expect("a session").id;
    let times = timed(size(1_000), |n| {
        let n = number * 1_000_000 + n;
        if n.is_multiple_of(4) {
            decide(&mut memory, n);
        } else {
            let seen = memory.observe(&session, Kind::Pattern, &text(n), &Observation::default());
            seen.expect("observed");
        }
    });
    let micros: String = times.iter().map(|time| format!("{}\n", time.as_micros())).collect();
    fs::write(root.join(format!("times-{number}")), micros).expect("written");
}
