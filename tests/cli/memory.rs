//! Tests of the memory on the command line.

use crate::cli::support::{Project, RunOutput, token};
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;

const DECISIONS: &str = "ai/memory/decisions.jsonl";

impl RunOutput {
    /// The output, parsed as JSON.
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}:\n{}", self.out))
    }
}

impl Project {
    /// A project outside a repository.
    pub(crate) fn outside_repository() -> Self {
        let project = Self::new(&[]);
        fs::remove_dir(project.path().join(".git")).expect("removed");
        project
    }

    /// Runs `aidd memory … --json`; returns the answer.
    #[track_caller]
    pub(crate) fn memory(&self, args: &[&str]) -> Value {
        let args = [&["memory"], args, &["--json"]].concat();
        self.run(&args).expect_code(0).json()
    }

    /// Adds a decision; returns its id.
    #[track_caller]
    pub(crate) fn add_decision(&self, text: &str, more: &[&str]) -> String {
        let answer = self.memory(&[&["add", "decision", text], more].concat());
        answer["id"].as_str().expect("an id").to_owned()
    }
}

/// Replaces the parts of a text that differ between runs: ids, hashes, times.
pub(crate) fn normalize(text: &str, ids: &[&str]) -> String {
    let mut text = text.to_owned();
    for (index, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("ID{}", index + 1));
    }
    let lines = text.lines().map(|line| {
        let words = line.split(' ').map(|word| {
            let is_time = |word: &str| {
                word.len() >= 5
                    && word.starts_with(|c: char| c.is_ascii_digit())
                    && word.chars().all(|c| c.is_ascii_digit() || "-:".contains(c))
            };
            let is_hash = word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit());
            // A hash can consist only of digits, so hashes come first.
            if is_hash {
                "REV"
            } else if is_time(word) {
                "TIME"
            } else {
                word
            }
        });
        words.collect::<Vec<_>>().join(" ") + "\n"
    });
    lines.collect()
}

#[test]
fn queries_without_a_memory_write_nothing() {
    let project = Project::outside_repository();
    for args in [
        &["memory", "search", "auth"][..],
        &["memory", "recent"],
        &["memory", "topics"],
        &["memory", "conflicts"],
        &["memory", "sessions"],
        &["memory", "export"],
        &["memory", "doctor"],
        &["memory", "prune"],
    ] {
        project.run(args).expect_code(0);
    }
    let output = project.run(&["memory", "show", "decision_1"]).expect_code(2);
    assert!(output.err.contains("the memory is empty"), "{}", output.err);
    assert_eq!(fs::read_dir(project.path()).expect("a folder").count(), 0);
}

#[test]
fn a_decision_is_saved_found_shown_and_superseded() {
    let project = Project::outside_repository();
    let output = project.run(&[
        "memory",
        "add",
        "decision",
        "Sessions live in signed cookies",
        "--topic",
        "auth",
        "--reasoning",
        "No store to run",
        "--alternative",
        "Redis: one more service",
        "--confidence",
        "0.8",
    ]);
    let output = output.expect_code(0);
    let first = output.out.split(' ').nth(1).expect("an id").to_owned();
    assert_eq!(output.out, format!("saved {first} in ai/memory/decisions.jsonl\n"));
    assert_eq!(project.read(DECISIONS).lines().count(), 1);
    let found = project.memory(&["search", "where", "do", "sessions", "live"]);
    assert_eq!(found["hits"][0]["id"], *first);
    assert_eq!(found["hits"][0]["topic"], "auth");

    // A decision can be named by the last part of its id.
    let hash = first.rsplit('_').next().expect("a hash");
    let answer = project.memory(&["supersede", hash, "Sessions live in Redis", "-r", "End them"]);
    let second = answer["id"].as_str().expect("an id").to_owned();
    assert_eq!(answer["superseded"], serde_json::json!([first]));
    project.run(&["memory", "outcome", &second, "partial", "--reason", "Slow"]).expect_code(0);
    let text = project.run(&["memory", "show", &second]).expect_code(0).out;
    assert_snapshot!(normalize(&text, &[&first, &second]), @r"
    ID2
    decision · active · [PARTIAL: Slow] · auth · TIME TIME · changed TIME TIME

    Sessions live in Redis

    outcome: PARTIAL
    outcomeAt: TIME TIME
    outcomeReason: Slow
    reasoning: End them

    Links
      supersedes ID1: Sessions live in signed cookies

    History
      TIME TIME   REV  Sessions live in Redis
      TIME TIME   REV  Sessions live in Redis [PARTIAL]
    ");
    let text = project.run(&["memory", "show", &first]).expect_code(0).out;
    assert_snapshot!(normalize(&text, &[&first, &second]), @r"
    ID1
    decision · superseded · auth · TIME TIME

    Sessions live in signed cookies

    alternatives:
      - Redis: one more service
    confidence: 0.8
    reasoning: No store to run

    Links
      ID2 supersedes ID1: Sessions live in Redis [PARTIAL: Slow]
    ");
    let topics = project.memory(&["topics"]);
    assert_eq!(topics["topics"][0]["decisions"], 2);
    assert_eq!(topics["topics"][0]["active"], serde_json::json!([second]));
    let recent = project.run(&["memory", "recent", "--type", "decision"]).expect_code(0);
    assert_snapshot!(normalize(&recent.out, &[&first, &second]), @"
    Sessions live in Redis [PARTIAL: Slow]
      Slow
      ID2 · TIME · auth
    ");

    project.run(&["memory", "remove", &second, "--reason", "No"]).expect_code(0);
    let memory = project.memory(&["show", &first]);
    assert_eq!(memory["entries"][0]["status"], "active", "the superseded decision is active again");
    let output = project.run(&["memory", "remove", &second]).expect_code(2);
    assert!(output.err.contains(&second[..]), "{}", output.err);
}

#[test]
fn errors_contain_a_remedy() {
    let project = Project::outside_repository();
    let id = project.add_decision("Use SQLite", &[]);
    let errors: String = [
        &["memory", "show", "nothing"][..],
        &["memory", "supersede", "nothing", "x"],
        &["memory", "link", &id, "supersedes", &id],
        &["memory", "search", "x", "--since", "soon"],
        &["memory", "resolve", &id, "--rev", "zzz"],
        &["memory", "add", "decision", " "],
        &["memory", "branch"],
    ]
    .iter()
    .map(|args| project.run(args).expect_code(2).err)
    .collect();
    let output = project.run(&["memory", "import", "none.json"]).expect_code(2);
    assert!(output.err.starts_with("error: none.json: "), "{}", output.err);
    assert_snapshot!(normalize(&errors, &[&id]), @"
    error: unknown memory `nothing`
    hint: `aidd memory recent` and `aidd memory search` print ids
    error: unknown memory `nothing`
    hint: `aidd memory recent` and `aidd memory search` print ids
    error: `ID1` cannot be linked to itself
    error: not a date or an age: `soon`
    hint: expected a date, such as 2026-01-31, or an age: 12h, 7d, 2w
    error: `zzz` must match exactly one of the edits REV
    hint: `aidd memory conflicts` lists ids and edits
    error: a decision cannot be empty
    error: the project is not in a Git repository, so it has no current branch
    hint: pass a name: aidd memory branch NAME
    ");
}

#[test]
fn long_texts_come_from_standard_input_and_secrets_are_redacted() {
    let project = Project::outside_repository();
    let text = format!("Deploys failed\nwith {}\n<private>my notes</private>\n", token());
    let args = ["memory", "add", "mistake", "-", "--fix", "Rotate", "--file", "deploy.env"];
    let output = project.run_with(text.as_bytes(), &args).expect_code(0);
    assert!(output.err.contains("replaced by [REDACTED]"), "{}", output.err);
    let id = output.out.split(' ').nth(1).expect("an id").to_owned();
    let lines = project.read("ai/memory/mistakes.jsonl");
    assert!(!lines.contains(&token()) && !lines.contains("my notes"), "{lines}");
    let output = project.run_with(text.as_bytes(), &args).expect_code(0);
    assert_eq!(output.out, format!("{id} occurred 2 times\n"));
}

#[test]
fn two_branches_are_merged_and_resolved() {
    let project = Project::outside_repository();
    let base = project.add_decision("Sessions live in memory", &["--topic", "auth"]);
    let tracked = project.read(DECISIONS);
    let side = |text: &str| {
        let clone = Project::new(&[(DECISIONS, &tracked)]);
        let id = clone.memory(&["supersede", &base, text])["id"].as_str().expect("id").to_owned();
        (id, clone.read(DECISIONS).replace(&tracked, ""))
    };
    let ((ours, our_line), (theirs, their_line)) = (side("In cookies"), side("In Redis"));
    let conflict =
        format!("{tracked}<<<<<<< HEAD\n{our_line}=======\n{their_line}>>>>>>> feature\n");
    project.write(DECISIONS, &conflict);
    let checked = project.run(&["check", ".", "--format", "json"]).expect_code(1).json();
    let rules: Vec<&str> = checked["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["rule"].as_str().expect("a rule"))
        .collect();
    assert_eq!(
        rules,
        [
            "memory/conflict-marker",
            "memory/conflict-marker",
            "memory/competing-decisions",
            "memory/conflict-marker"
        ]
    );
    let output = project.run(&["memory", "conflicts"]).expect_code(0);
    let mut both = [&*ours, &*theirs];
    both.sort_unstable();
    assert_snapshot!(normalize(&output.out, &both).replace("In cookies", "…").replace("In Redis", "…"), @r"
    several decisions on auth
      ID1  TIME  …
      ID2  TIME  …
    ");
    project.run(&["memory", "doctor"]).expect_code(1);
    let output = project.run(&["memory", "resolve", &ours]).expect_code(0);
    assert_eq!(output.out, format!("retained {ours}\nsuperseded {theirs}\n"));
    let output = project.run(&["memory", "doctor", "--fix"]).expect_code(0);
    assert!(
        output.out.contains("fixed          3 lines in ai/memory/decisions.jsonl"),
        "{}",
        output.out
    );
    project.run(&["check", "."]).expect_code(0);
    assert_eq!(project.memory(&["conflicts"])["conflicts"], serde_json::json!([]));
}

#[test]
fn two_conflicting_edits_are_resolved_by_revision() {
    let project = Project::outside_repository();
    let id = project.add_decision("Cookies live for an hour", &[]);
    let tracked = project.read(DECISIONS);
    let side = |text: &str| {
        let clone = Project::new(&[(DECISIONS, &tracked)]);
        clone.run(&["memory", "edit", &id, "--content", text]).expect_code(0);
        clone.read(DECISIONS).replace(&tracked, "")
    };
    let text = format!("{tracked}{}{}", side("For a day"), side("For a week"));
    project.write(DECISIONS, text);
    let output = project.run(&["check", ".", "--only", "memory/*"]).expect_code(0);
    assert!(output.out.contains("has 2 conflicting edits"), "{}", output.out);
    let conflicts = project.memory(&["conflicts"]);
    let edits = conflicts["conflicts"][0]["edits"].as_array().expect("edits");
    let day = edits.iter().find(|edit| edit["content"] == "For a day").expect("an edit");
    let rev = day["rev"].as_str().expect("a hash");
    project.run(&["memory", "resolve", &id, "--rev", rev]).expect_code(0);
    let memory = project.memory(&["show", &id]);
    assert_eq!(memory["entries"][0]["content"], "For a day");
    assert_eq!(memory["entries"][0]["history"].as_array().expect("a history").len(), 4);
    let output = project.run(&["check", ".", "--only", "memory/*"]).expect_code(0);
    assert!(output.out.starts_with("no problems"), "{}", output.out);
}

#[test]
fn an_export_is_imported_elsewhere_once() {
    let project = Project::outside_repository();
    let first = project.add_decision("Use `SQLite`", &["--topic", "store"]);
    project.add_decision("Use files", &["--topic", "store"]);
    project.memory(&["add", "convention", "Errors say what to do", "--example", "hint: …"]);
    project.memory(&["add", "insight", "Long lines hide conflicts", "--tag", "git"]);
    project.run(&["memory", "export", "-o", "all.jsonl"]).expect_code(0);
    let text = project.read("all.jsonl");
    assert_eq!(text.lines().count(), 4);

    let other = Project::outside_repository();
    let output =
        other.run_with(text.as_bytes(), &["memory", "import", "-", "--dry-run"]).expect_code(0);
    assert_eq!(
        output.out,
        "read - as aidd\nwould import 4 memories; 0 already known\n  tracked files: 1 convention, 2 decision, 1 link\n  this checkout: 1 insight\n"
    );
    assert!(!other.path().join("ai").exists());
    let output = other.run_with(text.as_bytes(), &["memory", "import", "-"]).expect_code(0);
    assert!(output.out.contains("imported 4 memories; 0 already known\n"), "{}", output.out);
    let output = other.run_with(text.as_bytes(), &["memory", "import", "-"]).expect_code(0);
    assert_eq!(output.out, "read - as aidd\nimported 0 memories; 4 already known\n");
    assert_eq!(other.run(&["memory", "export"]).expect_code(0).out, text);
    assert_eq!(other.memory(&["show", &first])["entries"][0]["status"], "superseded");
    let page =
        other.run(&["memory", "export", "--format", "markdown", "--tracked"]).expect_code(0).out;
    let ids: Vec<String> = other.memory(&["recent"])["hits"]
        .as_array()
        .expect("hits")
        .iter()
        .map(|hit| hit["id"].as_str().expect("an id").to_owned())
        .collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_snapshot!(normalize(&page, &ids), @"
    # Project memory

    ## Decisions

    ### store: Use files

    - TIME · ID3

    ## Conventions

    ### Errors say what to do

    - example: hint: …
    - TIME · ID2
    ");
}

#[cfg(unix)]
#[test]
fn the_doctor_reports_problems_that_it_cannot_fix() {
    let project = Project::new(&[]);
    let id = project.add_decision("Use SQLite", &[]);
    // Older stores have no `.gitignore`.
    fs::remove_file(project.path().join(".aidd/.gitignore")).expect("removed");
    let line = project.read(DECISIONS);
    let outside = tempfile::tempdir().expect("a folder");
    let victim = outside.path().join("decisions.jsonl");
    fs::write(&victim, format!("{line}{line}")).expect("written");
    fs::remove_file(project.path().join(DECISIONS)).expect("removed");
    std::os::unix::fs::symlink(&victim, project.path().join(DECISIONS)).expect("linked");
    let output = project.run(&["memory", "doctor", "--fix"]).expect_code(1);
    assert_snapshot!(normalize(&output.out, &[&id]), @"
    root           ROOT
    store          sqlite, intact
    memories       1 decision
    merging        merges keep both sides
    ignored        the store is not committed
    fixed          wrote .gitattributes
    fixed          wrote .gitignore
    problem        tracked file: not fixed: ai/memory/decisions.jsonl is not read: it is a link that leads out of the project
                   make the file readable and writable
    ");
    assert_eq!(fs::read_to_string(&victim).expect("text"), format!("{line}{line}"));
}

#[test]
fn the_doctor_reports_and_fixes_each_problem() {
    let project = Project::new(&[(".gitignore", ".aidd/branches/\n")]);
    let id = project.add_decision("Use SQLite", &[]);
    // Older stores have no `.gitignore`.
    fs::remove_file(project.path().join(".aidd/.gitignore")).expect("removed");
    let line = project.read(DECISIONS);
    project.write(DECISIONS, format!("{line}{line}torn {{\n"));
    let output = project.run(&["memory", "doctor"]).expect_code(1);
    assert_snapshot!(normalize(&output.out, &[&id]), @"
    root           ROOT
    store          sqlite, intact
    memories       1 decision
    problem        tracked file: ai/memory/decisions.jsonl:2: duplicate line of `ID1`
                   run `aidd memory doctor --fix`
    problem        tracked file: ai/memory/decisions.jsonl:3: not a memory: not JSON: expected ident
                   fix the file manually, or restore it from the history: git log -p
    problem        merging: .gitattributes does not contain `ai/memory/*.jsonl merge=union`
                   run `aidd init` to add it
    problem        ignored: .gitignore does not contain `/.aidd/data.*`
                   run `aidd init` to add it
    problem        ignored: .gitignore excludes .aidd/branches, so it is not shared
                   delete the line that excludes it, or add after that line: !.aidd/branches/
    ");
    let output = project.run(&["memory", "doctor", "--fix"]).expect_code(1);
    assert_snapshot!(normalize(&output.out, &[&id]), @"
    root           ROOT
    store          sqlite, intact
    memories       1 decision
    merging        merges keep both sides
    ignored        the store is not committed
    fixed          wrote .gitattributes
    fixed          added to .gitignore
    fixed          1 line in ai/memory/decisions.jsonl
    problem        tracked file: ai/memory/decisions.jsonl:2: not a memory: not JSON: expected ident
                   fix the file manually, or restore it from the history: git log -p
    problem        ignored: .gitignore excludes .aidd/branches, so it is not shared
                   delete the line that excludes it, or add after that line: !.aidd/branches/
    ");
    assert_eq!(project.read(DECISIONS), format!("{line}torn {{\n"));
    let report = project.run(&["memory", "doctor", "--json"]).expect_code(1).json();
    assert_eq!(report["wrong"].as_array().expect("a list").len(), 2);
    // A missing or invalid store is rebuilt.
    fs::write(project.path().join(".aidd/data.db"), "not a database").expect("written");
    project.write(DECISIONS, &line);
    project.write(".gitignore", "/.aidd/data.*\n");
    project.run(&["memory", "doctor"]).expect_code(0);
    assert_eq!(project.memory(&["show", &id])["entries"][0]["content"], "Use SQLite");
}

#[test]
fn tracked_files_are_pruned_only_with_apply() {
    let project = Project::outside_repository();
    let id = project.add_decision("Use SQLite", &[]);
    project.run(&["memory", "remove", &id]).expect_code(0);
    let before = project.read(DECISIONS);
    std::thread::sleep(std::time::Duration::from_millis(5));
    let args = ["memory", "prune", "--tracked", "--days", "0"];
    let output = project.run(&args).expect_code(0);
    assert!(output.out.starts_with("would remove the lines of"), "{}", output.out);
    assert_eq!(project.read(DECISIONS), before);
    project.run(&[&args[..], &["--apply"]].concat()).expect_code(0);
    assert_eq!(project.read(DECISIONS), "");
    project.run(&["memory", "prune", "--apply"]).expect_code(2);
}

#[test]
fn a_prompt_hook_succeeds_on_any_input() {
    let project = Project::outside_repository();
    let hook =
        |stdin: &str| project.run_with(stdin.as_bytes(), &["hook", "user-prompt"]).expect_code(0);
    let prompt = |text: &str| {
        serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": "/",
            "hook_event_name": "UserPromptSubmit", "prompt": text})
        .to_string()
    };
    assert_snapshot!(
        [
            "어제 작업 이어서 하자",
            "Which database did we decide on?",
            "캐시를 어떻게 했지?",
            "The rollout failed"
        ]
        .map(|text| hook(&prompt(text)).out)
        .concat(),
        @"
    aidd memory (resuming): to resume earlier work, call load_checkpoint first, then load_context.
    aidd memory (deciding): find earlier decisions with search_by_context; record a new decision with save_decision and a lesson with save_insight.
    aidd memory (searching): search the project's memory: search_by_topic for a topic, search_by_context for a question, search_recent for the last days.
    aidd memory (tracking): record the outcome of a decision with evolve_outcome (search_by_topic finds its id), its replacement with evolve_supersede; record an error and its fix with aidd_memory_add_mistake.
    "
    );
    for silent in [prompt("Write a parser"), "{".into(), String::new(), "[1]".into()] {
        let output = hook(&silent);
        assert_eq!((&*output.out, &*output.err), ("", ""), "{silent}");
    }
    // Exit code 2 would block the prompt.
    project.run(&["hook", "user-prompt", "--no-such-option"]).expect_code(0);
    assert_eq!(fs::read_dir(project.path()).expect("a folder").count(), 0);
}
