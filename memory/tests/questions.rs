//! Tests of the questions that memories answer, as their authors state them on saving: searches find
//! the memories by these questions, and results do not repeat them.

use crate::retrieval::count_in_first_five;
use crate::retrieval::set::{self, SetQuestion};
use aidd_memory::kinds::{Convention, Decision, Insight, QUESTIONS};
use aidd_memory::permanent::{Edit, NewMemory};
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::{Certainty, Hit, Question};
use aidd_memory::store::{BackendChoice, Layers};
use aidd_memory::types::Kind;
use serde_json::{Map, json};
use tempfile::TempDir;

/// Minimum for the first five: the lower bound of the Wilson interval is then .89. Measured: 252.
const MIN_IN_FIRST_FIVE: u32 = 248;

#[test]
fn stated_questions_find_the_answers_that_share_no_word_with_the_question() {
    let questions: Vec<SetQuestion> =
        set::questions().into_iter().filter(SetQuestion::is_test).collect();
    let (all, in_first_five) = count_in_first_five(set::memories_with_questions(), &questions);
    assert!(all == 266 && in_first_five >= MIN_IN_FIRST_FIVE, "{in_first_five} of {all}");
}

#[test]
fn certainty_holds_with_stated_questions() {
    let folder = TempDir::new().expect("a directory");
    let memories = set::memories_with_questions();
    let mut memory = set::open_with(folder.path(), BackendChoice::Sqlite, &memories, &[]);
    let (mut close, mut right, mut unanswered) = (0, 0, 0);
    for question in set::questions().iter().filter(|question| question.is_test()) {
        let found = memory.search(&set::query(question)).expect("found");
        if found.certainty == Some(Certainty::Close) {
            let first = &found.hits[0].id;
            close += 1;
            right += u32::from(question.relevant.get(first) >= Some(&2));
            unanswered += u32::from(!question.is_answered());
        }
    }
    assert!(close > 150 && right * 100 >= close * 85, "{right} of {close}");
    assert!(unanswered <= 4, "{unanswered}");
}

fn decision(content: &str, questions: &[&str]) -> NewMemory<Decision> {
    let questions = questions.iter().map(|question| (*question).to_owned()).collect();
    let body = Decision { questions, ..Decision::default() };
    NewMemory { content: content.to_owned(), body, ..NewMemory::default() }
}

fn search(memory: &mut ProjectMemory, text: &str) -> Vec<Hit> {
    let question = Question { text: text.into(), ..Question::new(Layers::ALL) };
    memory.search(&question).expect("found").hits
}

fn new_memory(choice: BackendChoice) -> (TempDir, ProjectMemory) {
    let folder = TempDir::new().expect("a directory");
    let memory = set::open(folder.path(), choice);
    (folder, memory)
}

#[test]
fn questions_are_searched_but_not_repeated_in_hits() {
    for choice in [BackendChoice::Sqlite, BackendChoice::Json] {
        let (_folder, mut memory) = new_memory(choice);
        memory.save_decision(&decision("Invoices are printed on Mondays", &[])).expect("saved");
        let question = "Where do zebras graze?";
        let saved =
            memory.save_decision(&decision("Sessions live in Redis\nKeys expire", &[question]));
        let id = saved.expect("saved").id;
        let hits = search(&mut memory, "zebras that graze");
        assert_eq!(hits[0].id, id);
        let text = serde_json::to_string(&hits).expect("JSON");
        assert!(!text.contains("zebra"), "{text}");
        // Saving again replaces the questions; an edit removes them.
        let other = "Which giraffes sleep?";
        memory
            .save_decision(&decision("Sessions live in Redis\nKeys expire", &[other]))
            .expect("saved");
        assert_eq!(search(&mut memory, "giraffes")[0].id, id);
        let fields = Map::from_iter([(QUESTIONS.to_owned(), json!(null))]);
        let entry =
            memory.edit(Kind::Decision, &id, &Edit { fields, ..Edit::default() }).expect("edited");
        assert!(!entry.metadata.contains_key(QUESTIONS));
        let hits = search(&mut memory, "giraffes");
        assert!(hits.iter().all(|hit| hit.confidence < Some(0.25)), "{hits:?}");
    }
}

#[test]
fn questions_are_limited_in_number_and_length() {
    let (_folder, mut memory) = new_memory(BackendChoice::Sqlite);
    let long = "é".repeat(161);
    for (questions, expected) in [
        (&["a?", "b?", "c?", "d?"][..], "`questions` has 4 items; pass at most 3"),
        (&["a?", " "], "`questions[1]` is empty; omit it"),
        (&[&long], "`questions[0]` has 161 characters; shorten it to 160"),
    ] {
        let error = memory.save_decision(&decision("Use Redis", questions)).expect_err("an error");
        assert_eq!(error.to_string(), expected);
        let questions: Vec<String> = questions.iter().map(|text| (*text).to_owned()).collect();
        let body = Insight { questions: questions.clone(), ..Insight::default() };
        let error = memory.save_insight("A lesson", None, &body, None).expect_err("an error");
        assert_eq!(error.to_string(), expected);
        let body = Convention { example: "x".to_owned(), ..Convention::default() };
        let content = "Use tabs".to_owned();
        let id = memory.save_convention(&NewMemory { content, body, ..NewMemory::default() });
        let fields = Map::from_iter([(QUESTIONS.to_owned(), json!(questions))]);
        let edit = Edit { fields, ..Edit::default() };
        let error = memory.edit(Kind::Convention, &id.expect("saved").id, &edit);
        assert_eq!(error.expect_err("an error").to_string(), expected);
    }
    let longest = "é".repeat(160);
    memory.save_decision(&decision("Use Redis", &[&longest, "b?", "c?"])).expect("saved");
    assert_eq!(memory.search(&Question::new(Layers::ALL)).expect("found").hits.len(), 2);
}

#[test]
fn questions_pass_the_privacy_gate() {
    let (_folder, mut memory) = new_memory(BackendChoice::Sqlite);
    let question = "Why <private>the client Acme</private> left?";
    let saved = memory.save_decision(&decision("Use Redis", &[question])).expect("saved");
    let entry = memory.get(&[saved.id]).expect("entries").remove(0);
    let stored = entry.metadata[QUESTIONS].to_string();
    assert!(!stored.contains("Acme") && stored.contains("Why"), "{stored}");
}
