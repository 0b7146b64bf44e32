//! `aidd-eval`: measures the quality and the speed of memory search.
//!
//! `cargo bench -p aidd-memory --bench retrieval` scores the retrieval set. With
//! `-- speed 100000`, other memories are added until the store contains 100,000 memories, and the
//! searches are also timed. With `-- rows`, the results of each question are printed as
//! tab-separated rows, for comparing two versions question by question; with `-- wordings`, the same
//! for the questions with their other wordings. `-- with-questions` prints
//! them for memories that state the questions that they answer, and `-- with-both` for both.
#![expect(clippy::print_stdout, reason = "prints measurements")]
#![expect(clippy::disallowed_methods, reason = "reads the processor time from the system")]

mod set;

use aidd_engine::check::Distribution;
use aidd_lexicon::embedding::DIMENSIONS;
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::{MatchFeatures, Question};
use aidd_memory::store::{BackendChoice, Layers};
use set::{METRICS, Score, SetQuestion};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The shipped rules and validators.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

/// The search methods to compare.
const METHODS: [(&str, MatchFeatures); 3] = [
    ("words", MatchFeatures::Words),
    ("meaning", MatchFeatures::Meaning),
    ("both", MatchFeatures::Both),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let count = args.iter().find_map(|arg| arg.parse().ok());
    match args.first().map(String::as_str) {
        Some("speed") => speed(count.unwrap_or(1000)),
        Some("rows") => print_rows(set::memories, |questions| questions),
        Some("wordings") => print_rows(set::memories, set::with_wordings),
        Some("with-questions") => print_rows(set::memories_with_questions, |questions| questions),
        Some("with-both") => print_rows(set::memories_with_questions, set::with_wordings),
        _ => {
            let root = TempDir::new().expect("a directory");
            evaluate(&mut set::open_filled(root.path(), BackendChoice::Sqlite, &[]));
            let root = TempDir::new().expect("a directory");
            let mut memory = set::open_turns(root.path());
            for (half, is_test) in [("tuning half", false), ("test half", true)] {
                let selected: Vec<SetQuestion> =
                    set::turn_questions().into_iter().filter(|q| q.is_test() == is_test).collect();
                println!("\nconversations, {half}, {} questions", selected.len());
                for (name, features) in METHODS {
                    print_row(name, &set::scores(&mut memory, &selected, features));
                }
            }
        }
    }
}

fn evaluate(memory: &mut ProjectMemory) {
    let questions = set::questions();
    for (half, is_test) in [("tuning half", false), ("test half", true)] {
        let selected: Vec<SetQuestion> = set::questions()
            .into_iter()
            .filter(|question| question.is_test() == is_test && question.is_answered())
            .collect();
        println!("\n{half}, {} questions", selected.len());
        print!("{:12}", "");
        METRICS.iter().for_each(|metric| print!("{metric:>9}"));
        println!();
        let scores = METHODS.map(|(name, features)| {
            let scores = set::scores(memory, &selected, features);
            print_row(name, &scores);
            scores
        });
        let [words, meaning, both] = &scores;
        for (name, other) in [("words", words), ("meaning", meaning)] {
            let [mean, low, high] = set::gain_interval(both, other);
            println!("gain of both over {name} alone: {mean:+.3} nDCG@10 [{low:+.3}, {high:+.3}]");
        }
        print_by_kind(&selected, &scores);
    }
    evaluate_unanswered(memory, &questions);
}

/// Prints the results of each question: in the store of all projects, in the store of its own
/// project, and in the store of the conversations. The columns are store, half, age, kind, id,
/// whether a complete answer is among the first five, R@10, nDCG@10, MRR, and score and confidence
/// of the first hit.
fn print_rows(
    memories: fn() -> Vec<set::Memory>,
    prepare: fn(Vec<SetQuestion>) -> Vec<SetQuestion>,
) {
    let root = TempDir::new().expect("a directory");
    let mut memory = set::open_with(root.path(), BackendChoice::Sqlite, &memories(), &[]);
    print_question_rows("all", &mut memory, &prepare(set::questions()));
    for (memories, questions) in set::by_project(memories(), &prepare(set::questions())) {
        let root = TempDir::new().expect("a directory");
        let mut memory = set::open_with(root.path(), BackendChoice::Sqlite, &memories, &[]);
        print_question_rows("project", &mut memory, &questions);
    }
    let root = TempDir::new().expect("a directory");
    print_question_rows("talk", &mut set::open_turns(root.path()), &prepare(set::turn_questions()));
}

fn print_question_rows(store: &str, memory: &mut ProjectMemory, questions: &[SetQuestion]) {
    for question in questions {
        let found = memory.search(&set::query(question)).expect("found");
        let first = found.hits.first();
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.id.clone()).collect();
        let half = if question.is_test() { "test" } else { "tuning" };
        let age = if question.is_independent() {
            "independent"
        } else if question.is_later() {
            "later"
        } else {
            "earlier"
        };
        let (mut top_5, mut score) = (false, Score::default());
        if question.is_answered() {
            top_5 = ids.iter().take(5).any(|id| question.relevant.get(id) >= Some(&3));
            score = set::score(question, &ids);
        }
        println!(
            "{store}\t{half}\t{age}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{:.4}\t{:.3}\t{:.2}",
            question.kind,
            question.id,
            u8::from(top_5),
            score.recall_10,
            score.gain,
            score.rank,
            first.map_or(0.0, |hit| hit.score),
            first.and_then(|hit| hit.confidence).unwrap_or_default(),
        );
    }
}

fn print_row(name: &str, scores: &[Score]) {
    print!("{name:12}");
    for at in 0..METRICS.len() {
        print!("{:9.3}", set::mean(scores.iter().map(|score| score.metrics()[at])));
    }
    println!();
}

fn print_by_kind(questions: &[SetQuestion], scores: &[Vec<Score>; 3]) {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, question) in questions.iter().enumerate() {
        kinds.entry(&question.kind).or_default().push(at);
    }
    println!("nDCG@10 by kind{:13}{:>9}{:>9}{:>9}", "", METHODS[0].0, METHODS[1].0, METHODS[2].0);
    for (kind, at) in kinds {
        print!("  {kind:22}{:4}", at.len());
        for scores in scores {
            print!("{:9.3}", set::mean(at.iter().map(|at| scores[*at].gain)));
        }
        println!();
    }
}

/// Prints the mean score of the first hit, for questions with and without an answer in the set.
fn evaluate_unanswered(memory: &mut ProjectMemory, questions: &[SetQuestion]) {
    let mut best = |question: &&SetQuestion| {
        let found = memory.search(&set::query(question)).expect("found");
        found.hits.first().map_or(0.0, |hit| hit.score)
    };
    let (answered, unanswered): (Vec<&SetQuestion>, Vec<&SetQuestion>) =
        questions.iter().partition(|question| question.is_answered());
    let answered_score = set::mean(answered.iter().map(&mut best));
    let unanswered_score = set::mean(unanswered.iter().map(&mut best));
    println!(
        "\nscore of the first hit: {answered_score:.2} for questions with an answer, {unanswered_score:.2} for the others"
    );
}

fn speed(count: usize) {
    let root = TempDir::new().expect("a directory");
    let own = set::memories().len();
    let start = Instant::now();
    drop(set::open_filled(
        root.path(),
        BackendChoice::Sqlite,
        &set::others(count.saturating_sub(own)),
    ));
    println!("{count} memories saved in {:.1} s", start.elapsed().as_secs_f64());
    let questions = set::questions();

    let mut cold = Vec::new();
    for question in questions.iter().take(20) {
        let start = Instant::now();
        let mut memory = set::open(root.path(), BackendChoice::Sqlite);
        let opened = start.elapsed();
        memory.search(&set::query(question)).expect("found");
        cold.push(start.elapsed() - opened);
    }
    print_percentiles("first search of a process", &mut cold);

    let mut memory = set::open(root.path(), BackendChoice::Sqlite);
    memory.search(&Question { text: "first".into(), ..Question::new(Layers::ALL) }).expect("found");
    let start = Instant::now();
    memory
        .search(&Question { text: "second".into(), ..Question::new(Layers::ALL) })
        .expect("found");
    println!("second search: {}", format_duration(start.elapsed()));

    let mut times = Vec::new();
    let cpu_start = cpu_time();
    for _ in 0..3 {
        for question in &questions {
            let start = Instant::now();
            memory.search(&set::query(question)).expect("found");
            times.push(start.elapsed());
        }
    }
    let cpu_used = cpu_time().zip(cpu_start).map(|(end, start)| end - start);
    let searches = u32::try_from(times.len()).expect("few");
    print_percentiles("each later search", &mut times);
    let mut times = Vec::new();
    for question in set::with_wordings(set::questions()) {
        let start = Instant::now();
        memory.search(&set::query(&question)).expect("found");
        times.push(start.elapsed());
    }
    print_percentiles("each search with three other wordings", &mut times);
    if let Some(cpu_used) = cpu_used {
        println!("CPU time per search: {}", format_duration(cpu_used / searches));
    }
    print_limit(count);
    evaluate(&mut memory);
}

fn format_duration(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

fn print_percentiles(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |percent: usize| format_duration(times[(times.len() - 1) * percent / 100]);
    println!("{name}: min {}, p50 {}, p95 {}, p99 {}", at(0), at(50), at(95), at(99));
}

/// Processor time of this thread, where the system reports it.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Prints the minimum time for reading all vectors once.
fn print_limit(count: usize) {
    let bytes = count * DIMENSIONS;
    let words = vec![1_u64; (64 << 20) / 8];
    let best = (0..20)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
            start.elapsed()
        })
        .min()
        .expect("a time");
    #[expect(clippy::cast_precision_loss, reason = "displayed only")]
    let (rate, seconds) = {
        let rate = (64 << 20) as f64 / best.as_secs_f64();
        (rate, bytes as f64 / rate)
    };
    println!(
        "limit: {bytes} bytes of vectors at {:.1} GB/s take {:.3} ms",
        rate / 1e9,
        seconds * 1000.0
    );
}
