//! Loads the retrieval set of `tests/retrieval` into a store, runs its questions and scores the
//! results.
#![expect(clippy::disallowed_methods, reason = "reads the files of the set")]

use aidd_memory::kinds::QUESTIONS;
use aidd_memory::privacy::Gate;
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::recall::{MatchFeatures, Question};
use aidd_memory::store::{self, BackendChoice, Durability, Layers, transaction};
use aidd_memory::types::{Entry, Kind, Layer, Link, Relation, SCHEMA_VERSION, Status};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A memory of the set.
#[derive(Deserialize)]
pub(crate) struct Memory {
    pub(crate) id: String,
    r#type: Kind,
    pub(crate) topic: String,
    title: String,
    content: String,
    metadata: Map<String, Value>,
    files: Vec<String>,
    branch: String,
    session: String,
    created_at: i64,
    supersedes: Option<String>,
}

/// A question of the set.
#[derive(Clone, Deserialize)]
pub(crate) struct SetQuestion {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) question: String,
    /// Other wordings to search for with the question.
    #[serde(default)]
    pub(crate) wordings: Vec<String>,
    /// Maps the ids of memories to grades.
    pub(crate) relevant: BTreeMap<String, u8>,
}

impl SetQuestion {
    /// Whether the question belongs to the held-out half that was not used for tuning.
    pub(crate) fn is_test(&self) -> bool {
        let number = self.id.rsplit_once('-').and_then(|(_, number)| number.parse::<u32>().ok());
        number.is_some_and(|number| number % 2 == 0)
    }

    /// Whether the question was written after the weights of the first version were tuned, and by
    /// the same author.
    pub(crate) fn is_later(&self) -> bool {
        let last = match &*self.kind {
            "paraphrase" => 84,
            "crosslingual" => 16,
            "none" => 14,
            _ => u32::MAX,
        };
        self.is_after(last) && !self.is_independent()
    }

    /// Whether the question was written by an author who did not know the search.
    pub(crate) fn is_independent(&self) -> bool {
        self.is_after(match &*self.kind {
            "paraphrase" => 220,
            "crosslingual" => 96,
            "korean" => 34,
            _ => u32::MAX,
        })
    }

    /// Whether the number of the question within its kind is beyond `last`.
    fn is_after(&self, last: u32) -> bool {
        let number = self.id.rsplit_once('-').and_then(|(_, number)| number.parse::<u32>().ok());
        number.is_some_and(|number| number > last)
    }

    /// Whether the set contains an answer.
    pub(crate) fn is_answered(&self) -> bool {
        !self.relevant.is_empty()
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/retrieval")
}

fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(directory().join(name)).expect("a file");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of the set")).collect()
}

pub(crate) fn memories() -> Vec<Memory> {
    lines("memories.jsonl")
}

/// The memories with the questions that their author writes on saving: see
/// `tests/retrieval/README.md`.
pub(crate) fn memories_with_questions() -> Vec<Memory> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        questions: Vec<String>,
    }
    let rows: Vec<Row> = lines("questions-at-save.jsonl");
    let mut questions: BTreeMap<String, Vec<String>> =
        rows.into_iter().map(|row| (row.id, row.questions)).collect();
    let mut memories = memories();
    for memory in &mut memories {
        let own = questions.remove(&memory.id).expect("questions");
        memory.metadata.insert(QUESTIONS.to_owned(), json!(own));
    }
    memories
}

pub(crate) fn questions() -> Vec<SetQuestion> {
    lines("questions.jsonl")
}

fn entry(memory: &Memory, superseded: &BTreeSet<&String>) -> Entry {
    let mut metadata = memory.metadata.clone();
    metadata.insert("files".into(), json!(memory.files));
    Entry {
        id: memory.id.clone(),
        kind: memory.r#type,
        layer: Layer::Local,
        topic: Some(memory.topic.clone()),
        content: format!("{}\n{}", memory.title, memory.content),
        metadata,
        status: if superseded.contains(&memory.id) { Status::Superseded } else { Status::Active },
        session_id: Some(memory.session.clone()),
        branch: Some(memory.branch.clone()),
        created_at: memory.created_at,
        updated_at: memory.created_at,
        schema_version: SCHEMA_VERSION,
        heads: Vec::new(),
        extra: Map::new(),
    }
}

/// The memories of each project, with the questions whose best answer is one of them.
pub(crate) fn by_project(
    memories: Vec<Memory>,
    questions: &[SetQuestion],
) -> Vec<(Vec<Memory>, Vec<SetQuestion>)> {
    let mut projects: BTreeMap<String, Vec<Memory>> = BTreeMap::new();
    for memory in memories {
        // An id starts with the short name of the project.
        let project = memory.id.split('-').next().unwrap_or_default().to_owned();
        projects.entry(project).or_default().push(memory);
    }
    let with_questions = projects.into_values().map(|memories| {
        let is_about = |question: &&SetQuestion| {
            let best = question.relevant.iter().max_by_key(|(_, grade)| **grade);
            best.is_some_and(|(id, _)| memories.iter().any(|memory| memory.id == *id))
        };
        let questions = questions.iter().filter(is_about).cloned().collect();
        (memories, questions)
    });
    with_questions.collect()
}

/// Fills the memory of the project at `root` with the set and `others`.
pub(crate) fn open_filled(root: &Path, choice: BackendChoice, others: &[Entry]) -> ProjectMemory {
    open_with(root, choice, &memories(), others)
}

/// Fills the memory of the project at `root` with `memories` and `others`.
pub(crate) fn open_with(
    root: &Path,
    choice: BackendChoice,
    memories: &[Memory],
    others: &[Entry],
) -> ProjectMemory {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut store = store::open(&root.join(".aidd"), choice, 1).expect("a store").store;
    let superseded = memories.iter().filter_map(|memory| memory.supersedes.as_ref()).collect();
    let mut entries: Vec<Entry> =
        memories.iter().map(|memory| entry(memory, &superseded)).collect();
    entries.extend_from_slice(others);
    for part in entries.chunks(1000) {
        transaction(&mut *store, Durability::Normal, &mut |store| {
            // Pages on secrets contain examples that the gate rejects.
            let mut clean = part.iter().filter_map(|entry| gate.clean(entry).ok());
            clean.try_for_each(|entry| store.put_entry(&entry))
        })
        .expect("written");
    }
    transaction(&mut *store, Durability::Full, &mut |store| {
        for memory in memories {
            if let Some(old) = &memory.supersedes {
                let from = memory.id.clone();
                let links = vec![Link { from, ..Link::new(Relation::Supersedes, old) }];
                store.put_links(&memory.id, &gate.clean(&links)?)?;
            }
        }
        Ok(())
    })
    .expect("linked");
    drop(store);
    open(root, choice)
}

pub(crate) fn open(root: &Path, choice: BackendChoice) -> ProjectMemory {
    ProjectMemory::open(&crate::DISTRIBUTION, root, choice, system_clock()).expect("a memory")
}

/// A turn of a conversation.
#[derive(Deserialize)]
struct Turn {
    id: String,
    session: String,
    text: String,
    created_at: i64,
}

/// The other wordings of each question, by its id: see `tests/retrieval/README.md`.
pub(crate) fn wordings() -> BTreeMap<String, Vec<String>> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        wordings: Vec<String>,
    }
    lines("wordings.jsonl").into_iter().map(|row: Row| (row.id, row.wordings)).collect()
}

/// Returns the questions with their other wordings; questions without any are omitted.
pub(crate) fn with_wordings(questions: Vec<SetQuestion>) -> Vec<SetQuestion> {
    let mut wordings = wordings();
    let add = |question: SetQuestion| {
        let wordings = wordings.remove(&question.id)?;
        Some(SetQuestion { wordings, ..question })
    };
    questions.into_iter().filter_map(add).collect()
}

/// The questions about the conversations.
pub(crate) fn turn_questions() -> Vec<SetQuestion> {
    lines("turn-questions.jsonl")
}

/// Fills the memory of the project at `root` with the turns of all conversations, as observations
/// of sessions.
pub(crate) fn open_turns(root: &Path) -> ProjectMemory {
    let gate = Gate::new(&crate::DISTRIBUTION);
    let mut store =
        store::open(&root.join(".aidd"), BackendChoice::Sqlite, 1).expect("a store").store;
    transaction(&mut *store, Durability::Normal, &mut |store| {
        lines("turns.jsonl").into_iter().try_for_each(|turn: Turn| {
            let entry = Entry {
                id: turn.id,
                kind: Kind::Context,
                layer: Layer::Session,
                topic: None,
                content: turn.text,
                metadata: Map::new(),
                status: Status::Active,
                session_id: Some(turn.session),
                branch: None,
                created_at: turn.created_at,
                updated_at: turn.created_at,
                schema_version: SCHEMA_VERSION,
                heads: Vec::new(),
                extra: Map::new(),
            };
            store.put_entry(&gate.clean(&entry)?)
        })
    })
    .expect("written");
    drop(store);
    open(root, BackendChoice::Sqlite)
}

/// Returns memories that answer none of the questions. Each consists of three sentences of this
/// project's own pages.
pub(crate) fn others(count: usize) -> Vec<Entry> {
    let mut sentences = Vec::new();
    for name in ["content", "docs"] {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
        collect_sentences(&directory, &mut sentences);
    }
    sentences.sort();
    let mut random = Rng::new();
    let mut other = |at: usize| {
        let mut random_sentence = || sentences[random.below(sentences.len())].clone();
        let (title, first, second) = (random_sentence(), random_sentence(), random_sentence());
        let time = 1_730_000_000_000 + i64::try_from(at).expect("few") * 600_000;
        Entry {
            id: format!("insight_{time}_{at}"),
            kind: Kind::ALL[at % Kind::ALL.len()],
            layer: Layer::Local,
            topic: None,
            content: format!("{title}\n{first} {second}"),
            metadata: Map::new(),
            status: Status::Active,
            session_id: Some(format!("session-{}", at / 50)),
            branch: Some(format!("work-{}", at / 500)),
            created_at: time,
            updated_at: time,
            schema_version: SCHEMA_VERSION,
            heads: Vec::new(),
            extra: Map::new(),
        }
    };
    (0..count).map(&mut other).collect()
}

fn collect_sentences(directory: &Path, sentences: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect_sentences(&path, sentences);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).expect("text");
            let long = text.split(['\n']).map(str::trim).filter(|line| line.len() > 40);
            sentences.extend(long.map(str::to_owned));
        }
    }
}

/// A deterministic random sequence: xorshift64.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("below")
    }
}

/// Returns the query for a question: ten hits, including superseded memories, because the set
/// grades superseded memories too.
pub(crate) fn query(question: &SetQuestion) -> Question {
    Question {
        text: question.question.clone(),
        wordings: question.wordings.clone(),
        with_superseded: true,
        ..Question::new(Layers::ALL)
    }
}

/// The score of the results of a question.
#[derive(Clone, Copy, Default)]
pub(crate) struct Score {
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) rank: f64,
    pub(crate) gain: f64,
}

/// The names of the metrics of a score.
pub(crate) const METRICS: [&str; 4] = ["R@5", "R@10", "MRR", "nDCG@10"];

impl Score {
    pub(crate) fn metrics(&self) -> [f64; 4] {
        [self.recall_5, self.recall_10, self.rank, self.gain]
    }
}

/// Scores the first ten hits as `tests/retrieval/README.md` defines.
#[expect(clippy::cast_precision_loss, reason = "counts up to ten")]
pub(crate) fn score(question: &SetQuestion, found: &[String]) -> Score {
    let is_relevant = |id: &String| question.relevant.get(id).is_some_and(|grade| *grade >= 2);
    let relevant_count = question.relevant.values().filter(|grade| **grade >= 2).count() as f64;
    let within =
        |limit: usize| found.iter().take(limit).filter(|id| is_relevant(id)).count() as f64;
    let discount = |at: usize| 1.0 / (at as f64 + 2.0).log2();
    let gain = |grade: u8| f64::from(2_u32.pow(u32::from(grade)) - 1);
    let actual =
        found.iter().take(10).enumerate().map(|(at, id)| {
            question.relevant.get(id).map_or(0.0, |grade| gain(*grade) * discount(at))
        });
    let mut grades: Vec<u8> = question.relevant.values().copied().collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    let best = grades.iter().take(10).enumerate().map(|(at, grade)| gain(*grade) * discount(at));
    Score {
        recall_5: within(5) / relevant_count,
        recall_10: within(10) / relevant_count,
        rank: found.iter().position(is_relevant).map_or(0.0, |at| 1.0 / (at as f64 + 1.0)),
        gain: actual.sum::<f64>() / best.sum::<f64>(),
    }
}

/// Returns the score of each question that has an answer in the set.
pub(crate) fn scores(
    memory: &mut ProjectMemory,
    questions: &[SetQuestion],
    features: MatchFeatures,
) -> Vec<Score> {
    let answered = questions.iter().filter(|question| question.is_answered());
    answered
        .map(|question| {
            let found = memory.search_using(&query(question), features).expect("found");
            let ids: Vec<String> = found.hits.into_iter().map(|hit| hit.id).collect();
            score(question, &ids)
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    sum / count.max(1) as f64
}

/// Returns the difference in gain between the scores `a` and `b` of the same questions: the mean,
/// and the bounds of its 95 % bootstrap interval.
pub(crate) fn gain_interval(a: &[Score], b: &[Score]) -> [f64; 3] {
    let gains: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.gain - b.gain).collect();
    let mut random = Rng::new();
    let mut means: Vec<f64> = (0..2000)
        .map(|_| mean((0..gains.len()).map(|_| gains[random.below(gains.len())])))
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    [mean(gains.iter().copied()), means[50], means[1949]]
}
