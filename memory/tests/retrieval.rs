//! Tests that memory search reaches the required scores on the retrieval set, in both stores, and
//! that searching changes nothing.
#![expect(clippy::disallowed_methods, reason = "compares the files of the store")]

#[path = "../benches/retrieval/set.rs"]
pub(crate) mod set;

use aidd_memory::kinds::Observation;
use aidd_memory::permanent::NewMemory;
use aidd_memory::project::ProjectMemory;
use aidd_memory::recall::{Certainty, Found, Hit, MatchFeatures, Question, SearchOrder};
use aidd_memory::records::{AiProvider, SessionState};
use aidd_memory::store::{BackendChoice, Layers};
use aidd_memory::types::{Kind, Outcome, Status};
use set::SetQuestion;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const BOTH: [BackendChoice; 2] = [BackendChoice::Sqlite, BackendChoice::Json];

/// Creates a memory whose store contains the retrieval set.
fn new_memory_with_set(choice: BackendChoice) -> (TempDir, ProjectMemory) {
    let folder = TempDir::new().expect("a directory");
    let memory = set::open_filled(folder.path(), choice, &[]);
    (folder, memory)
}

/// Runs `test` on a new memory with each kind of store.
fn on_both_stores(test: impl Fn(&mut ProjectMemory)) {
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        test(&mut set::open(folder.path(), choice));
    }
}

fn search(memory: &mut ProjectMemory, text: &str) -> Found {
    memory.search(&Question { text: text.into(), ..Question::new(Layers::ALL) }).expect("found")
}

fn titles(found: &Found) -> Vec<&str> {
    found.hits.iter().map(|hit| &*hit.title).collect()
}

fn save_decision(memory: &mut ProjectMemory, topic: &str, content: &str) -> String {
    let topic = Some(topic.to_owned()).filter(|topic| !topic.is_empty());
    let new = NewMemory { content: content.to_owned(), topic, ..NewMemory::default() };
    memory.save_decision(&new).expect("saved").id
}

#[test]
fn words_and_meaning_together_score_higher_than_each_alone() {
    let (_folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    let (independent, questions): (Vec<SetQuestion>, Vec<SetQuestion>) = set::questions()
        .into_iter()
        .filter(SetQuestion::is_test)
        .partition(SetQuestion::is_independent);
    let (later, questions): (Vec<SetQuestion>, Vec<SetQuestion>) =
        questions.into_iter().partition(SetQuestion::is_later);
    let [words, meaning, both] =
        [MatchFeatures::Words, MatchFeatures::Meaning, MatchFeatures::Both]
            .map(|features| set::scores(&mut memory, &questions, features));
    for (name, other) in [("words", &words), ("meaning", &meaning)] {
        let [mean, low, _] = set::gain_interval(&both, other);
        assert!(low > 0.0, "only {mean:.3} more than {name}, at least {low:.3}");
    }
    assert_means(&both, [0.84, 0.89, 0.78, 0.80]);
    let scores = set::scores(&mut memory, &later, MatchFeatures::Both);
    assert_means(&scores, [0.66, 0.75, 0.51, 0.56]);
    let scores = set::scores(&mut memory, &independent, MatchFeatures::Both);
    assert_means(&scores, [0.28, 0.38, 0.17, 0.22]);
}

/// The number of `questions` of the kind `paraphrase`, and the number of these with an answer among
/// the first five in the store of their own project.
pub(crate) fn count_in_first_five(
    memories: Vec<set::Memory>,
    questions: &[SetQuestion],
) -> (u32, u32) {
    let (mut all, mut in_first_five) = (0, 0);
    for (memories, questions) in set::by_project(memories, questions) {
        let folder = TempDir::new().expect("a directory");
        let mut memory = set::open_with(folder.path(), BackendChoice::Sqlite, &memories, &[]);
        for question in questions.iter().filter(|question| question.kind == "paraphrase") {
            let found = memory.search(&set::query(question)).expect("found");
            let is_answer = |hit: &Hit| question.relevant.get(&hit.id) >= Some(&3);
            all += 1;
            in_first_five += u32::from(found.hits.iter().take(5).any(is_answer));
        }
    }
    (all, in_first_five)
}

#[test]
fn other_wordings_find_the_answers_that_share_no_word_with_the_question() {
    let questions: Vec<SetQuestion> =
        set::with_wordings(set::questions()).into_iter().filter(SetQuestion::is_test).collect();
    let (all, in_first_five) = count_in_first_five(set::memories(), &questions);
    // The lower bound of the Wilson interval is then .93.
    assert!(all == 266 && in_first_five >= 256, "{in_first_five} of {all}");

    let (_folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    let scores = set::scores(&mut memory, &questions, MatchFeatures::Both);
    assert_means(&scores, [0.88, 0.94, 0.83, 0.86]);
    let unanswered: Vec<&SetQuestion> =
        questions.iter().filter(|question| !question.is_answered()).collect();
    let is_close = |question: &&&SetQuestion| {
        let found = memory.search(&set::query(question)).expect("found");
        found.certainty == Some(Certainty::Close)
    };
    let close = unanswered.iter().filter(is_close).count();
    assert!(unanswered.len() == 40 && close <= 4, "{close}");
}

#[test]
fn other_wordings_change_nothing_without_text_and_are_limited() {
    on_both_stores(|memory| {
        save_decision(memory, "", "Sessions are stored in Redis");
        save_decision(memory, "", "Invoices are printed on Mondays");
        let mut search = |text: &str, wordings: &[&str]| {
            let wordings = wordings.iter().map(|wording| (*wording).to_owned()).collect();
            let question = Question { text: text.into(), wordings, ..Question::new(Layers::ALL) };
            memory.search(&question).expect("found")
        };
        let plain = search("where is the login remembered", &[]);
        assert_eq!(search("where is the login remembered", &["", " ?! "]), plain);
        let found = search("where is the login remembered", &["session storage", "Redis"]);
        assert_eq!(titles(&found)[0], "Sessions are stored in Redis");
        assert!(found.hits[0].confidence > plain.hits[0].confidence);
        let first = ["a", "b", "c", "Redis"];
        let found = search("login", &first);
        assert_eq!(search("login", &[&first[..], &["Invoices", "printed"]].concat()), found);
        assert_eq!(search("", &["Invoices"]), search("", &[]));
    });
}

/// Asserts the minimum mean of each metric.
fn assert_means(scores: &[set::Score], min: [f64; 4]) {
    for (at, min) in min.into_iter().enumerate() {
        let mean = set::mean(scores.iter().map(|score| score.metrics()[at]));
        assert!(mean >= min, "{} is {mean:.3}", set::METRICS[at]);
    }
}

#[test]
fn turns_of_conversations_are_found_by_their_passages() {
    let folder = TempDir::new().expect("a directory");
    let mut memory = set::open_turns(folder.path());
    let questions: Vec<SetQuestion> =
        set::turn_questions().into_iter().filter(SetQuestion::is_test).collect();
    let scores = set::scores(&mut memory, &questions, MatchFeatures::Both);
    assert_means(&scores, [0.35, 0.47, 0.25, 0.29]);
}

#[test]
fn an_answer_precedes_its_question() {
    on_both_stores(|memory| {
        let ai_provider = AiProvider { provider: "p".into(), ..AiProvider::default() };
        let new = SessionState { branch: "main".into(), ai_provider, ..SessionState::default() };
        let session = memory.start_session(new).expect("a session").id;
        for turn in [
            "Bo: Good morning",
            "Ines: The import is slow",
            "Bo: How many suppliers are in the list?",
            "Ines: 1.4 million",
            "Bo: Coffee?",
        ] {
            memory
                .observe(&session, Kind::Context, turn, &Observation::default())
                .expect("observed");
            // Observations are ordered by their time in milliseconds.
            std::thread::sleep(Duration::from_millis(2));
        }
        let found = search(memory, "number of suppliers in the list");
        assert_eq!(titles(&found)[0], "Ines: 1.4 million");
    });
}

#[test]
fn the_certainty_states_whether_the_first_hit_is_the_answer() {
    let (_folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    let mut counts = std::collections::BTreeMap::new();
    for question in set::questions().iter().filter(|question| question.is_test()) {
        let found = memory.search(&set::query(question)).expect("found");
        let first = found.hits.first().map(|hit| hit.id.clone()).unwrap_or_default();
        let is_answer = question.relevant.get(&first) >= Some(&2);
        let (all, right) = counts.entry(found.certainty).or_insert((0, 0));
        (*all, *right) = (*all + 1, *right + usize::from(is_answer));
    }
    let share = |certainty| {
        let (all, right): (usize, usize) = counts[&Some(certainty)];
        (all, right * 100 / all)
    };
    // The probabilities were fitted on the tuning half.
    let (close, possible, none) =
        (share(Certainty::Close), share(Certainty::Possible), share(Certainty::None));
    assert!(close.0 > 70 && close.1 >= 85, "{counts:?}");
    assert!((35..=55).contains(&possible.1), "{counts:?}");
    assert!(none.0 > 70 && none.1 <= 20, "{counts:?}");
}

#[test]
fn both_stores_give_equal_results_in_new_and_old_processes() {
    let (folder, mut sqlite) = new_memory_with_set(BackendChoice::Sqlite);
    let (_other, mut json) = new_memory_with_set(BackendChoice::Json);
    for (at, question) in set::questions().iter().enumerate() {
        let query = set::query(question);
        let expected = sqlite.search(&query).expect("found");
        assert_eq!(
            json.search(&query).expect("found"),
            expected,
            "{}: {}",
            question.kind,
            question.id
        );
        // A process that searches for the first time looks up the terms in the store.
        if at % 10 == 0 {
            let mut new_process = set::open(folder.path(), BackendChoice::Sqlite);
            assert_eq!(
                new_process.search(&query).expect("found"),
                expected,
                "{}",
                question.question
            );
        }
    }
}

#[test]
fn an_exact_topic_comes_first_among_a_thousand() {
    let folder = TempDir::new().expect("a directory");
    let memories = set::memories();
    let others = set::others(1000 - memories.len());
    let mut memory = set::open_filled(folder.path(), BackendChoice::Sqlite, &others);
    let topics: Vec<&str> = memories
        .iter()
        .filter(|memory| memory.id.contains("-d"))
        .map(|memory| &*memory.topic)
        .collect();
    for topic in topics.iter().step_by(topics.len() / 20).take(20) {
        let found = search(&mut memory, &topic.to_uppercase().replace(' ', "_"));
        assert_eq!(found.hits[0].topic.as_deref(), Some(*topic));
        assert!(found.hits[0].score >= 0.9);
    }
}

/// The files of a store, except the file that contains the readers' locks.
fn files_of_store(root: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(root.join(".aidd")).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<(String, Vec<u8>)> = paths
        .filter(|path| path.extension().is_none_or(|extension| extension != "db-shm"))
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn a_thousand_searches_change_nothing() {
    for choice in BOTH {
        let (folder, mut memory) = new_memory_with_set(choice);
        let before = files_of_store(folder.path());
        assert!(before.iter().any(|(_, bytes)| bytes.len() > 100_000));
        let questions = set::questions();
        for question in questions.iter().cycle().take(1000) {
            memory.search(&set::query(question)).expect("found");
        }
        memory.timeline("shop-d02", 3).expect("a timeline");
        memory.entries_by_id(&["shop-d02".to_owned()]).expect("entries");
        assert!(files_of_store(folder.path()) == before, "{choice:?} wrote");
    }
}

#[test]
fn questions_in_any_script_and_with_any_punctuation_find_memories() {
    on_both_stores(|memory| {
        save_decision(memory, "", "인증은 JWT로 한다");
        save_decision(memory, "", "キャッシュはRedisに保存する");
        save_decision(memory, "", "支付服务使用分布式锁");
        save_decision(memory, "", "The Café menu is cached");
        // Memories saved in the same millisecond have the same age.
        std::thread::sleep(Duration::from_millis(2));
        save_decision(memory, "", "Quote \"SELECT *\" AND (NOT NEAR) OR a:b ^c");
        for (text, title) in [
            ("인증을", "인증은 JWT로 한다"),
            ("인증 방식", "인증은 JWT로 한다"),
            ("保存先", "キャッシュはRedisに保存する"),
            ("キャッシュ", "キャッシュはRedisに保存する"),
            ("分布式", "支付服务使用分布式锁"),
            ("cafe", "The Café menu is cached"),
            ("CAFÉ menus", "The Café menu is cached"),
            ("\"SELECT *\"", "Quote \"SELECT *\" AND (NOT NEAR) OR a:b ^c"),
            ("quote AND OR NOT ( \" ' * ^ : - + {", "Quote \"SELECT *\" AND (NOT NEAR) OR a:b ^c"),
        ] {
            assert_eq!(titles(&search(memory, text)).first(), Some(&title), "{text}");
        }
        // The nearest memories are returned, with the statement that none is close.
        assert_eq!(search(memory, "zyzzyva").certainty, Some(Certainty::None));
        assert_eq!(search(memory, "?! \u{0} \" * ").hits, []);
        let long = "cafe zebra ".repeat(100_000);
        assert_eq!(titles(&search(memory, &long))[0], "The Café menu is cached");
        let newest = titles(&search(memory, " ")).first().map(|title| (*title).to_owned());
        assert_eq!(newest.as_deref(), Some("Quote \"SELECT *\" AND (NOT NEAR) OR a:b ^c"));
        assert_eq!(search(memory, "").matched, 5);
    });
}

fn ids(memory: &mut ProjectMemory, question: Question) -> String {
    let found = memory.search(&Question { limit: 400, ..question }).expect("found");
    let mut ids: Vec<String> = found.hits.into_iter().map(|hit| hit.id).collect();
    ids.sort();
    ids.join(" ")
}

#[test]
fn filters_select_memories() {
    for choice in BOTH {
        let (_folder, mut memory) = new_memory_with_set(choice);
        let base = || Question::new(Layers::ALL);
        let mut found = |question: Question| ids(&mut memory, question);
        let topic = Some("Session-Storage".to_owned());
        assert_eq!(found(Question { topic: topic.clone(), ..base() }), "shop-d02");
        assert_eq!(found(Question { topic, with_superseded: true, ..base() }), "shop-d01 shop-d02");
        let branch = Some("feat/kr-launch".to_owned());
        assert!(found(Question { branch, ..base() }).contains("shop-d05"));
        let file = Some("auth/session.ts".to_owned());
        assert_eq!(found(Question { file, ..base() }), "shop-d02");
        let file = Some("sion.ts".to_owned());
        assert_eq!(found(Question { file, ..base() }), "");
        let session_id = Some("s-1219b".to_owned());
        assert!(found(Question { session_id, ..base() }).contains("shop-d02"));
        let failed = Question {
            outcome: Some(Outcome::Failed),
            kinds: vec![Kind::Decision],
            with_superseded: true,
            text: "login state in tokens".into(),
            ..base()
        };
        assert!(found(failed).contains("shop-d01"));
        let day =
            Question { since: Some(1_766_137_513_000), until: Some(1_766_137_513_001), ..base() };
        assert_eq!(found(day), "shop-d02");
        assert_eq!(
            found(Question { kinds: vec![Kind::Preference], ..base() }).split(' ').count(),
            4
        );
    }
}

#[test]
fn results_have_the_requested_order_and_limit() {
    let (_folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    let mut found = |text: &str, order, limit| {
        let question = Question { text: text.into(), order, limit, ..Question::new(Layers::ALL) };
        memory.search(&question).expect("found")
    };
    for text in ["", "session tokens"] {
        let newest = found(text, SearchOrder::Newest, 30);
        assert!(newest.hits.is_sorted_by(|a, b| a.created_at >= b.created_at), "{text}");
        let oldest = found(text, SearchOrder::Oldest, 30);
        assert!(oldest.hits.is_sorted_by(|a, b| a.created_at <= b.created_at), "{text}");
        assert_eq!(oldest.matched, newest.matched);
    }
    let best = found("session tokens", SearchOrder::Relevance, 5);
    assert!(best.hits.is_sorted_by(|a, b| a.score >= b.score));
    assert_eq!(best.hits.len(), 5);
    assert!(best.matched > 5);
    assert!(found("session tokens", SearchOrder::Relevance, 0).hits.is_empty());
}

#[test]
fn memories_of_other_processes_are_found() {
    for choice in BOTH {
        let folder = TempDir::new().expect("a directory");
        let mut memory = set::open(folder.path(), choice);
        let mut other = set::open(folder.path(), choice);
        let old = save_decision(&mut other, "queue", "Jobs run in Redis");
        // Searches twice, because the postings are cached between searches.
        for _ in 0..2 {
            assert_eq!(titles(&search(&mut memory, "where do jobs run")), ["Jobs run in Redis"]);
        }
        let new = save_decision(&mut other, "queue", "Jobs run in Postgres");
        assert_eq!(titles(&search(&mut memory, "jobs")), ["Jobs run in Postgres"]);
        let all =
            Question { text: "jobs".into(), with_superseded: true, ..Question::new(Layers::ALL) };
        let found = memory.search(&all).expect("found");
        assert_eq!(found.hits[1].status, Status::Superseded);
        assert_eq!(found.hits[1].superseded_by.as_ref(), Some(&new));
        other.set_outcome(&new, Outcome::Success, Some("faster backups")).expect("set");
        let found = search(&mut memory, "backups");
        assert_eq!(found.hits[0].outcome, Some(Outcome::Success));
        assert_eq!(found.hits[0].snippet, "faster backups");
        other.remove(Kind::Decision, &new, None).expect("removed");
        let found = search(&mut memory, "jobs");
        assert_eq!(found.hits.iter().map(|hit| &hit.id).collect::<Vec<_>>(), [&old]);
        // The lines are deleted from the file, so their memories are no longer found.
        std::fs::write(folder.path().join("ai/memory/decisions.jsonl"), "").expect("written");
        assert_eq!(search(&mut memory, "jobs").hits, []);
        assert_eq!(search(&mut other, "jobs").hits, []);
    }
}

#[test]
fn vectors_of_another_version_are_reported_and_rebuilt() {
    let (folder, memory) = new_memory_with_set(BackendChoice::Sqlite);
    drop(memory);
    let mut memory = set::open(folder.path(), BackendChoice::Sqlite);
    let text = "how can support log a customer out everywhere";
    let db = rusqlite::Connection::open(folder.path().join(".aidd/data.db")).expect("open");
    let sql = "UPDATE search SET model = 'older' WHERE id LIKE 'shop%'";
    let changed = db.execute(sql, []).expect("changed");
    let found = search(&mut memory, text);
    let reason = found.degraded.expect("a reason");
    assert!(reason.starts_with(&format!("{changed} memories")), "{reason}");
    let stale = || {
        let sql = "SELECT count(*) FROM search WHERE model = 'older'";
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a count")
    };
    // A search does not write.
    assert_eq!(stale(), i64::try_from(changed).expect("few"));
    let mut memory = set::open(folder.path(), BackendChoice::Sqlite);
    assert_eq!(stale(), 0);
    assert_eq!(search(&mut memory, text).degraded, None);
}

#[test]
fn damage_of_the_search_data_is_detected() {
    let (folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    assert_eq!(memory.check().expect("checked"), [""; 0]);
    let db = rusqlite::Connection::open(folder.path().join(".aidd/data.db")).expect("open");
    db.execute("UPDATE search_text_content SET c1 = 'other'", []).expect("changed");
    let found = memory.check().expect("checked");
    assert!(found.iter().any(|line| line.contains("search_text")), "{found:?}");
}

#[test]
fn hits_cost_few_tokens() {
    let (_folder, mut memory) = new_memory_with_set(BackendChoice::Sqlite);
    let mut sizes = Vec::new();
    for question in set::questions() {
        for mut hit in memory.search(&set::query(&question)).expect("found").hits {
            // The id is as long as the ids that the memory creates.
            hit.id = format!("{}_1766137513000_0123456789abcdef", hit.kind);
            sizes.push(serde_json::to_string(&hit).expect("JSON").chars().count());
        }
    }
    sizes.sort_unstable();
    let (median, max) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
    // Four characters per token, as is typical for JSON in English.
    assert!((200..=400).contains(&median), "{median} characters");
    assert!(max <= 520, "{max} characters");
}

#[test]
fn a_timeline_and_complete_entries_are_returned() {
    on_both_stores(|memory| {
        let saved: Vec<String> = (0..5)
            .map(|n| save_decision(memory, "", &format!("Choice number {n}\nand why")))
            .collect();
        let timeline = memory.timeline(&saved[2], 1).expect("a timeline");
        let mut all = vec![timeline.before[0].clone(), timeline.anchor, timeline.after[0].clone()];
        assert_eq!((timeline.before.len(), timeline.after.len()), (1, 1));
        assert!(all.is_sorted_by(|a, b| (a.created_at, &a.id) <= (b.created_at, &b.id)));
        assert_eq!(all.remove(1).id, saved[2]);
        let whole_timeline = memory.timeline(&saved[2], 9).expect("a timeline");
        assert_eq!(whole_timeline.before.len() + whole_timeline.after.len(), 4);
        assert_eq!(memory.timeline(&saved[2], 0).expect("a timeline").before, []);
        assert!(memory.timeline("decision_0_x", 3).is_err());
        let requested = [saved[1].clone(), "nobody".into(), saved[0].clone(), saved[1].clone()];
        let (entries, unknown) = memory.entries_by_id(&requested).expect("entries");
        let found: Vec<&String> = entries.iter().map(|entry| &entry.id).collect();
        assert_eq!(found, [&saved[1], &saved[0]]);
        assert_eq!(unknown, ["nobody"]);
    });
}
