//! Tests of the data set for memory search, which `tests/retrieval/README.md` describes.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Kinds of questions whose words can occur verbatim in the answers, because the questions quote
/// literal text.
const LITERAL: [&str; 3] = ["topic", "error", "file"];

/// Stop words.
const STOP_WORDS: [&str; 38] = [
    "about", "after", "all", "and", "any", "are", "because", "but", "can", "did", "does", "for",
    "from", "has", "have", "how", "into", "its", "not", "once", "our", "same", "should", "that",
    "the", "them", "they", "too", "was", "were", "what", "when", "where", "which", "who", "why",
    "with", "without",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    id: String,
    project: String,
    r#type: String,
    topic: String,
    title: String,
    content: String,
    metadata: BTreeMap<String, String>,
    files: Vec<String>,
    branch: String,
    session: String,
    created_at: i64,
    supersedes: Option<String>,
}

impl Memory {
    /// All searchable text, in lower case.
    fn text(&self) -> String {
        let mut parts = vec![&*self.topic, &*self.title, &*self.content];
        parts.extend(self.metadata.values().map(String::as_str));
        parts.extend(self.files.iter().map(String::as_str));
        parts.join("\n").to_lowercase()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    id: String,
    kind: String,
    question: String,
    relevant: BTreeMap<String, u8>,
}

impl Question {
    /// The number within the kind. Questions with odd numbers are for tuning, the others for testing.
    fn number(&self) -> usize {
        let number = self.id.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
        number.unwrap_or_else(|| panic!("{}: no number", self.id))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/retrieval")
}

fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(folder().join(name)).expect("a file");
    let read = |(at, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", at + 1))
    };
    text.lines().enumerate().map(read).collect()
}

/// Other wordings of a question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wordings {
    id: String,
    wordings: Vec<String>,
}

fn memories() -> Vec<Memory> {
    lines("memories.jsonl")
}

fn questions() -> Vec<Question> {
    lines("questions.jsonl")
}

fn count<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() > 2 && !STOP_WORDS.contains(word)).collect()
}

/// Removes suffixes such as plurals, approximately.
fn stem(word: &str) -> &str {
    let keep = word.chars().count().saturating_sub(2).max(4);
    word.char_indices().nth(keep).map_or(word, |(end, _)| &word[..end])
}

fn is_hangul(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Japanese and Chinese characters.
fn is_kana_or_han(c: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&c) || ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[test]
fn memories_are_complete_and_distinct() {
    let memories = memories();
    let mut ids = BTreeSet::new();
    let mut titles = BTreeSet::new();
    for memory in &memories {
        let id = &memory.id;
        assert!(ids.insert(id), "{id}: duplicate ID");
        assert!(titles.insert(memory.title.to_lowercase()), "{id}: duplicate title");
        let fields = [&memory.project, &memory.topic, &memory.title, &memory.branch];
        assert!(fields.iter().all(|field| !field.trim().is_empty()), "{id}: empty field");
        assert!(!memory.session.is_empty(), "{id}: no session");
        // 1 October 2024 to 1 April 2027, in milliseconds.
        assert!((1_727_740_800_000..1_806_537_600_000).contains(&memory.created_at), "{id}: date");
    }
    let texts: Vec<_> = memories.iter().map(Memory::text).collect();
    let texts: Vec<_> = texts.iter().map(|text| words(text)).collect();
    for (at, one) in texts.iter().enumerate() {
        for (other_at, other) in texts.iter().enumerate().skip(at + 1) {
            let shared = one.intersection(other).count();
            let all = one.union(other).count();
            let pair = (&memories[at].id, &memories[other_at].id);
            assert!(shared * 2 < all, "{pair:?} share {shared} of {all} words");
        }
    }
}

#[test]
fn superseded_memories_are_older_and_of_the_same_topic() {
    let memories = memories();
    let by_id: BTreeMap<_, _> = memories.iter().map(|memory| (&memory.id, memory)).collect();
    let mut chains = 0;
    for memory in &memories {
        let Some(old) = &memory.supersedes else { continue };
        let old = by_id.get(old).unwrap_or_else(|| panic!("{}: unknown {old}", memory.id));
        assert_eq!(memory.topic, old.topic, "{}", memory.id);
        assert!(
            old.created_at < memory.created_at,
            "{} is older than {}, which it supersedes",
            memory.id,
            old.id
        );
        chains += 1;
    }
    assert!(chains >= 15, "{chains} chains");
}

#[test]
fn questions_refer_to_memories() {
    let memories = memories();
    let ids: BTreeSet<_> = memories.iter().map(|memory| &memory.id).collect();
    let mut seen = BTreeSet::new();
    for question in questions() {
        let id = &question.id;
        for (memory, grade) in &question.relevant {
            assert!(ids.contains(memory), "{id}: unknown {memory}");
            assert!((1..=3).contains(grade), "{id}: grade {grade}");
        }
        let answered = question.relevant.values().any(|grade| *grade == 3);
        assert_eq!(
            answered,
            question.kind != "none",
            "{id}: only questions of the kind `none` lack a memory of grade 3"
        );
        assert!(seen.insert(question.question.to_lowercase()), "{id}: duplicate question");
    }
}

#[test]
fn both_halves_contain_the_same_kinds() {
    let questions = questions();
    for (kind, number) in count(questions.iter().map(|question| &*question.kind)) {
        assert!(number >= 12, "{kind}: only {number} questions");
        let of_kind = questions.iter().filter(|question| question.kind == kind);
        let numbers: Vec<_> = of_kind.map(Question::number).collect();
        // The numbers are consecutive, so the counts of odd and even ones differ by at most one.
        assert_eq!(numbers, (1..=number).collect::<Vec<_>>(), "{kind}");
    }
    for question in &questions {
        assert_eq!(question.id, format!("{}-{:02}", question.kind, question.number()));
    }
}

#[test]
fn questions_do_not_copy_their_answers() {
    let memories = memories();
    let texts: BTreeMap<_, _> = memories.iter().map(|memory| (&memory.id, memory.text())).collect();
    for question in questions() {
        let text_asked = question.question.to_lowercase();
        for (memory, grade) in &question.relevant {
            let text = &texts[memory];
            if !LITERAL.contains(&&*question.kind) {
                assert!(!text.contains(&text_asked), "{} copies {memory}", question.id);
            }
            if question.kind == "paraphrase" && *grade == 3 {
                let answer_words: BTreeSet<_> = words(text).into_iter().map(stem).collect();
                let question_words: BTreeSet<_> =
                    words(&text_asked).into_iter().map(stem).collect();
                let shared: Vec<_> = question_words.intersection(&answer_words).collect();
                let few = shared.len() * 2 < question_words.len();
                assert!(few, "{} shares {shared:?} with {memory}", question.id);
            }
        }
    }
}

#[test]
fn questions_have_other_wordings_that_copy_no_memory() {
    let texts: Vec<String> = memories().iter().map(Memory::text).collect();
    let mut wordings: BTreeMap<String, Vec<String>> =
        lines("wordings.jsonl").into_iter().map(|row: Wordings| (row.id, row.wordings)).collect();
    let turn_questions: Vec<Question> = lines("turn-questions.jsonl");
    for question in questions().into_iter().chain(turn_questions) {
        let id = &question.id;
        let wordings = wordings.remove(id).unwrap_or_default();
        assert_eq!(wordings.is_empty(), LITERAL.contains(&&*question.kind), "{id}");
        let distinct: BTreeSet<&String> = wordings.iter().collect();
        assert!(distinct.len() == wordings.len() && [0, 3].contains(&distinct.len()), "{id}");
        for wording in &wordings {
            let words = wording.split_whitespace().count();
            assert!((1..=20).contains(&words), "{id}: {wording}");
            let wording = wording.to_lowercase();
            let is_copy = words >= 5 && texts.iter().any(|text| text.contains(&wording));
            assert!(!is_copy, "{id}: {wording}");
        }
    }
    assert_eq!(wordings.into_keys().collect::<Vec<_>>(), [""; 0]);
}

/// The questions that a memory answers, as its author writes them on saving.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionsAtSave {
    id: String,
    questions: Vec<String>,
}

#[test]
fn memories_have_questions_that_repeat_no_question_of_the_set() {
    let known: BTreeSet<String> =
        questions().into_iter().map(|question| question.question.to_lowercase()).collect();
    let rows: Vec<QuestionsAtSave> = lines("questions-at-save.jsonl");
    let ids: Vec<&String> = rows.iter().map(|row| &row.id).collect();
    let memories = memories();
    assert_eq!(ids, memories.iter().map(|memory| &memory.id).collect::<Vec<_>>());
    for (row, memory) in rows.iter().zip(&memories) {
        let distinct: BTreeSet<&String> = row.questions.iter().collect();
        assert!(distinct.len() == 3 && row.questions.len() == 3, "{}", row.id);
        let text = memory.text();
        for question in &row.questions {
            assert!(question.chars().count() <= 160, "{}: {question}", row.id);
            let question = question.to_lowercase();
            assert!(!known.contains(&question) && !text.contains(&question), "{question}");
        }
    }
}

#[test]
fn superseded_questions_include_the_old_answer() {
    let memories = memories();
    for question in questions().iter().filter(|question| question.kind == "superseded") {
        let better = memories.iter().any(|memory| {
            let old = memory.supersedes.as_ref().and_then(|old| question.relevant.get(old));
            let new = question.relevant.get(&memory.id);
            new.zip(old).is_some_and(|(new, old)| new > old)
        });
        assert!(better, "{}: no memory is graded higher than the one it supersedes", question.id);
    }
}

#[test]
fn the_counts_in_the_readme_are_correct() {
    let memories = memories();
    let questions = questions();
    let scripts = |has: fn(char) -> bool| {
        memories.iter().filter(|memory| memory.text().contains(has)).count()
    };
    let hangul = scripts(is_hangul);
    assert!((hangul * 100 / memories.len()).abs_diff(15) <= 4, "{hangul} with Hangul");

    let mut rows = vec![
        ("memories", memories.len()),
        ("with Hangul", hangul),
        ("with kana or Han characters", scripts(is_kana_or_han)),
        ("questions", questions.len()),
    ];
    rows.extend(count(memories.iter().map(|memory| &*memory.r#type)));
    rows.extend(count(memories.iter().map(|memory| &*memory.project)));
    rows.extend(count(questions.iter().map(|question| &*question.kind)));
    let readme = fs::read_to_string(folder().join("README.md")).expect("a file");
    for (name, number) in rows {
        let row = format!("| {name} | {number} |");
        assert!(readme.contains(&row), "missing row in README.md: `{row}`");
    }
}
