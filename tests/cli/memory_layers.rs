//! Tests of permanent and session memories, outcomes and branches, with the binary in a real
//! repository.

use crate::cli::agent_hooks::claude_event;
use crate::cli::support::{Project, RunOutput};
use serde_json::{Value, json};

const DECISIONS: &str = "ai/memory/decisions.jsonl";

impl Project {
    /// A repository with a committed memory setup.
    fn with_memory() -> Self {
        let project = Self::repository();
        project.run(&["init"]).expect_code(0);
        project.commit_all();
        project
    }

    fn commit_all(&self) {
        self.git(&["add", "-A"]).expect_code(0);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "docs: remember"]).expect_code(0);
    }

    fn checkout(&self, args: &[&str]) {
        self.git(&[&["checkout", "--quiet"], args].concat()).expect_code(0);
    }

    fn add_memory(&self, args: &[&str]) -> String {
        let answer = self.memory(&[&["add"], args].concat());
        answer["id"].as_str().expect("an id").to_owned()
    }

    fn memory_output(&self, args: &[&str]) -> String {
        let output: RunOutput = self.run(&[&["memory"], args].concat()).expect_code(0);
        output.out
    }

    /// The contexts that an agent receives at the start of a conversation and for a prompt.
    fn agent_contexts(&self, prompt: &str) -> [String; 2] {
        let start = self
            .answer("session-start", &claude_event("SessionStart", json!({"source": "startup"})));
        let start = start["hookSpecificOutput"]["additionalContext"].as_str();
        let prompt = self
            .run_hook("user-prompt", &claude_event("UserPromptSubmit", json!({"prompt": prompt})));
        [start.unwrap_or_default().to_owned(), prompt.expect_code(0).out]
    }
}

fn titles(found: &Value) -> Vec<&str> {
    let hits = found["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["title"].as_str().expect("a title")).collect()
}

#[test]
fn observations_on_a_branch_are_not_project_decisions() {
    let project = Project::with_memory();
    project.add_memory(&["decision", "Use PostgreSQL for the carts", "--topic", "store"]);
    let observation = json!({
        "id": "decision_1763800000000_0a1b2c3d4e5f", "type": "decision", "layer": "session",
        "content": "Keep all carts in MongoDB", "metadata": {}, "status": "active",
        "sessionId": "session_1763800000000_0a1b2c3d4e5f", "branch": "feature/login",
        "createdAt": 1_763_800_000_000_i64, "updatedAt": 1_763_800_000_000_i64,
        "schemaVersion": 1, "topic": "store",
    });
    project.write("noted.jsonl", format!("{observation}\n"));
    project.run(&["memory", "import", "noted.jsonl"]).expect_code(0);
    for text in project.agent_contexts("what did we decide, do we keep all carts in MongoDB?") {
        assert!(!text.contains("MongoDB"), "{text}");
    }
    assert!(!project.memory_output(&["topics"]).contains("MongoDB"));
    assert!(!project.memory_output(&["export", "--tracked"]).contains("MongoDB"));
    let page = project.memory_output(&["export", "--format", "markdown"]);
    let (shared, local) = page.split_once("# Only in this checkout").expect("two parts");
    assert!(!shared.contains("MongoDB"), "{page}");
    assert!(local.contains("Keep all carts in MongoDB"), "{page}");
    let found = project.memory_output(&["search", "carts in MongoDB"]);
    assert!(
        found.contains("Keep all carts in MongoDB [observed in a session on feature/login]"),
        "{found}"
    );
}

#[test]
fn failed_decisions_are_marked_everywhere() {
    let project = Project::with_memory();
    let text = "Sessions live in signed cookies";
    let failed_id =
        project.add_memory(&["decision", text, "--topic", "auth", "--reasoning", "no store"]);
    let partial_id =
        project.add_memory(&["decision", "Carts are cached in Redis", "--topic", "cache"]);
    project.memory_output(&["outcome", &failed_id, "failed", "--reason", "Cookies grew over 4 KB"]);
    project.memory_output(&["outcome", &partial_id, "partial", "--reason", "evictions at noon"]);
    let mark = "[FAILED: Cookies grew over 4 KB]";
    let [start, prompt] = project.agent_contexts("where do our sessions live, in signed cookies?");
    assert!(start.contains("Failed decisions, not to be repeated"), "{start}");
    let (_, active) = start.split_once("## Active decisions").expect("a part");
    let active = active.split("\n## ").next().unwrap_or_default();
    assert!(active.contains("Carts are cached in Redis [PARTIAL: evictions at noon]"), "{start}");
    assert!(!active.contains(text), "{start}");
    for (surface, text) in [
        ("start", start.as_str()),
        ("prompt", &prompt),
        ("search", &project.memory_output(&["search", "signed cookies"])),
        ("recent", &project.memory_output(&["recent"])),
        ("show", &project.memory_output(&["show", &failed_id])),
        ("timeline", &project.memory_output(&["timeline", &partial_id])),
        ("topics", &project.memory_output(&["topics"])),
    ] {
        assert!(text.contains(mark), "{surface}: {text}");
    }
    assert!(!prompt.contains("because: no store"), "{prompt}");
    let page = project.memory_output(&["export", "--format", "markdown"]);
    let (_, failed) = page.split_once("## Decisions that failed").expect("a part");
    assert!(failed.contains(text) && !failed.contains("Redis"), "{page}");
    let found = project.memory(&["search", "signed cookies"]);
    assert_eq!(found["hits"][0]["outcomeReason"], "Cookies grew over 4 KB", "{found}");
    // A further decision on the topic replaces the failed decision.
    let other = project.add_memory(&["decision", "Sessions live in Redis", "--topic", "AUTH!"]);
    assert_eq!(project.memory(&["topics"])["topics"][0]["active"], json!([other]));
}

#[test]
fn memories_of_a_file_missing_on_the_branch_do_not_apply() {
    let project = Project::with_memory();
    project.checkout(&["-b", "with"]);
    project.add_memory(&["decision", "Use Redis for the carts", "--topic", "store"]);
    project.commit_all();
    project.checkout(&["main"]);
    assert!(!project.path().join(DECISIONS).exists());
    assert_eq!(titles(&project.memory(&["search", "Redis"])), [""; 0]);
    let [start, _] = project.agent_contexts("where are the carts stored in production now?");
    assert!(!start.contains("Redis"), "{start}");
    project.run(&["memory", "doctor", "--fix"]);
    assert!(!project.path().join(DECISIONS).exists());
    project.checkout(&["with"]);
    assert_eq!(titles(&project.memory(&["search", "Redis"])), ["Use Redis for the carts"]);
    // A file that is in Git but missing from the work tree is treated as deleted by mistake.
    std::fs::remove_file(project.path().join(DECISIONS)).expect("removed");
    assert_eq!(titles(&project.memory(&["search", "Redis"])), ["Use Redis for the carts"]);
}

#[test]
fn a_merge_combines_the_memories_of_two_branches() {
    let project = Project::with_memory();
    let old = project.add_memory(&["decision", "Talk REST between services"]);
    project.run(&["init"]).expect_code(0);
    project.commit_all();
    for (branch, new, convention) in
        [("one", "Talk GraphQL", "Dates are UTC"), ("two", "Talk gRPC", "dates are  UTC.")]
    {
        project.checkout(&["-b", branch, "main"]);
        project.memory_output(&["supersede", &old, new]);
        project.add_memory(&["convention", convention]);
        project.commit_all();
    }
    project.git(&["merge", "--quiet", "-m", "merged", "one"]).expect_code(0);
    let conflicts = project.memory(&["conflicts"]);
    let conflicts = conflicts["conflicts"].as_array().expect("conflicts");
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(conflicts[0]["kind"], "forked");
    let text = project.memory_output(&["conflicts"]);
    assert!(text.contains("Talk GraphQL") && text.contains("Talk gRPC"), "{text}");
    let checked = project.run(&["check", "ai/memory"]);
    assert!(checked.out.contains("memory/competing-decisions"), "{}", checked.out);
    let found = project.memory(&["search", "dates UTC", "--type", "convention"]);
    assert_eq!(found["hits"].as_array().expect("hits").len(), 1, "{found}");
    let all = project.memory(&["search", "dates UTC", "--type", "convention", "--all"]);
    for hit in all["hits"].as_array().expect("hits") {
        project.memory_output(&["show", hit["id"].as_str().expect("an id")]);
    }
}

#[test]
fn a_memory_is_found_by_its_questions_and_hooks_do_not_repeat_them() {
    let project = Project::with_memory();
    let question = "Where do zebras graze?";
    let text = "Sessions live in signed cookies";
    let id = project.add_memory(&["decision", text, "--topic", "auth", "--question", question]);
    project.add_memory(&["convention", "Dates are UTC", "--question", "Which giraffes sleep?"]);
    let found = project.memory(&["search", "which zebras graze"]);
    assert_eq!(titles(&found)[0], text);
    assert!(!found.to_string().contains(question), "{found}");
    for context in project.agent_contexts("which zebras graze on the sessions in cookies") {
        assert!(context.contains(text) && !context.contains("zebras"), "{context}");
    }
    assert!(project.memory_output(&["show", &id]).contains(question));
    assert!(project.memory_output(&["export"]).contains(question));
    project.memory_output(&["edit", &id, "--question", "Which lions hunt?", "--question", "b?"]);
    assert!(!project.memory_output(&["show", &id]).contains(question));
    assert_eq!(titles(&project.memory(&["search", "lions that hunt"]))[0], text);
    let long = "x".repeat(161);
    let output = project.run(&["memory", "edit", &id, "--question", &long]).expect_code(2);
    assert!(output.err.contains("has 161 characters; shorten it to 160"), "{}", output.err);
}
