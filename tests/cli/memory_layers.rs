//! Layers, outcomes and branches of the memory, as shown by the binary in a real repository.

use crate::cli::agent_hooks::claude;
use crate::cli::support::{Project, Ran};
use serde_json::{Value, json};

const DECISIONS: &str = "ai/memory/decisions.jsonl";

impl Project {
    /// A repository with a committed memory setup.
    fn remembering() -> Self {
        let project = Self::repository();
        project.run(&["init"]).ends(0);
        project.commits();
        project
    }

    fn commits(&self) {
        self.git(&["add", "-A"]).ends(0);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "docs: remember"]).ends(0);
    }

    fn goes_to(&self, args: &[&str]) {
        self.git(&[&["checkout", "--quiet"], args].concat()).ends(0);
    }

    fn remembers(&self, args: &[&str]) -> String {
        let answer = self.memory(&[&["add"], args].concat());
        answer["id"].as_str().expect("an id").to_owned()
    }

    fn said(&self, args: &[&str]) -> String {
        let ran: Ran = self.run(&[&["memory"], args].concat()).ends(0);
        ran.out
    }

    /// The text that an agent receives at the start of a conversation, and for a prompt.
    fn told(&self, prompt: &str) -> [String; 2] {
        let start =
            self.answer("session-start", &claude("SessionStart", json!({"source": "startup"})));
        let start = start["hookSpecificOutput"]["additionalContext"].as_str();
        let prompt =
            self.tells("user-prompt", &claude("UserPromptSubmit", json!({"prompt": prompt})));
        [start.unwrap_or_default().to_owned(), prompt.ends(0).out]
    }
}

fn titles(found: &Value) -> Vec<&str> {
    let hits = found["hits"].as_array().expect("hits");
    hits.iter().map(|hit| hit["title"].as_str().expect("a title")).collect()
}

#[test]
fn what_a_session_noted_on_a_branch_is_no_decision_of_the_project() {
    let project = Project::remembering();
    project.remembers(&["decision", "Use PostgreSQL for the carts", "--topic", "store"]);
    let noted = json!({
        "id": "decision_1763800000000_0a1b2c3d4e5f", "type": "decision", "layer": "session",
        "content": "Keep all carts in MongoDB", "metadata": {}, "status": "active",
        "sessionId": "session_1763800000000_0a1b2c3d4e5f", "branch": "feature/login",
        "createdAt": 1_763_800_000_000_i64, "updatedAt": 1_763_800_000_000_i64,
        "schemaVersion": 1, "topic": "store",
    });
    project.write("noted.jsonl", format!("{noted}\n"));
    project.run(&["memory", "import", "noted.jsonl"]).ends(0);
    for text in project.told("what did we decide, do we keep all carts in MongoDB?") {
        assert!(!text.contains("MongoDB"), "{text}");
    }
    assert!(!project.said(&["topics"]).contains("MongoDB"));
    assert!(!project.said(&["export", "--tracked"]).contains("MongoDB"));
    let page = project.said(&["export", "--format", "markdown"]);
    let (known, own) = page.split_once("# Only in this checkout").expect("two parts");
    assert!(!known.contains("MongoDB"), "{page}");
    assert!(own.contains("Keep all carts in MongoDB"), "{page}");
    let found = project.said(&["search", "carts in MongoDB"]);
    assert!(
        found.contains("Keep all carts in MongoDB [observed in a session on feature/login]"),
        "{found}"
    );
}

#[test]
fn what_failed_says_so_wherever_it_is_shown() {
    let project = Project::remembering();
    let text = "Sessions live in signed cookies";
    let bad = project.remembers(&["decision", text, "--topic", "auth", "--reasoning", "no store"]);
    let half = project.remembers(&["decision", "Carts are cached in Redis", "--topic", "cache"]);
    project.said(&["outcome", &bad, "failed", "--reason", "Cookies grew over 4 KB"]);
    project.said(&["outcome", &half, "partial", "--reason", "evictions at noon"]);
    let mark = "[FAILED: Cookies grew over 4 KB]";
    let [start, prompt] = project.told("where do our sessions live, in signed cookies?");
    assert!(start.contains("Failed decisions, not to be repeated"), "{start}");
    let (_, held) = start.split_once("## Active decisions").expect("a part");
    let held = held.split("\n## ").next().unwrap_or_default();
    assert!(held.contains("Carts are cached in Redis [PARTIAL: evictions at noon]"), "{start}");
    assert!(!held.contains(text), "{start}");
    for (surface, shown) in [
        ("start", start.as_str()),
        ("prompt", &prompt),
        ("search", &project.said(&["search", "signed cookies"])),
        ("recent", &project.said(&["recent"])),
        ("show", &project.said(&["show", &bad])),
        ("timeline", &project.said(&["timeline", &half])),
        ("topics", &project.said(&["topics"])),
    ] {
        assert!(shown.contains(mark), "{surface}: {shown}");
    }
    assert!(!prompt.contains("because: no store"), "{prompt}");
    let page = project.said(&["export", "--format", "markdown"]);
    let (_, failed) = page.split_once("## Decisions that failed").expect("a part");
    assert!(failed.contains(text) && !failed.contains("Redis"), "{page}");
    let found = project.memory(&["search", "signed cookies"]);
    assert_eq!(found["hits"][0]["outcomeReason"], "Cookies grew over 4 KB", "{found}");
    // A further decision on its topic reports both outcomes.
    let other = project.remembers(&["decision", "Sessions live in Redis", "--topic", "AUTH!"]);
    assert_eq!(project.memory(&["topics"])["topics"][0]["active"], json!([other]));
}

#[test]
fn a_branch_without_the_file_has_none_of_its_lines() {
    let project = Project::remembering();
    project.goes_to(&["-b", "with"]);
    project.remembers(&["decision", "Use Redis for the carts", "--topic", "store"]);
    project.commits();
    project.goes_to(&["main"]);
    assert!(!project.path().join(DECISIONS).exists());
    assert_eq!(titles(&project.memory(&["search", "Redis"])), [""; 0]);
    let [start, _] = project.told("where are the carts stored in production now?");
    assert!(!start.contains("Redis"), "{start}");
    project.run(&["memory", "doctor", "--fix"]);
    assert!(!project.path().join(DECISIONS).exists());
    project.goes_to(&["with"]);
    assert_eq!(titles(&project.memory(&["search", "Redis"])), ["Use Redis for the carts"]);
    // A file that is in Git but missing in the work tree was deleted by mistake.
    std::fs::remove_file(project.path().join(DECISIONS)).expect("removed");
    assert_eq!(titles(&project.memory(&["search", "Redis"])), ["Use Redis for the carts"]);
}

#[test]
fn what_two_branches_said_is_joined_by_a_merge() {
    let project = Project::remembering();
    let old = project.remembers(&["decision", "Talk REST between services"]);
    project.commits();
    for (branch, new, convention) in
        [("one", "Talk GraphQL", "Dates are UTC"), ("two", "Talk gRPC", "dates are  UTC.")]
    {
        project.goes_to(&["-b", branch, "main"]);
        project.said(&["supersede", &old, new]);
        project.remembers(&["convention", convention]);
        project.commits();
    }
    project.git(&["merge", "--quiet", "-m", "merged", "one"]).ends(0);
    let conflicts = project.memory(&["conflicts"]);
    let conflicts = conflicts["conflicts"].as_array().expect("conflicts");
    assert_eq!(conflicts.len(), 1, "{conflicts:?}");
    assert_eq!(conflicts[0]["kind"], "forked");
    let text = project.said(&["conflicts"]);
    assert!(text.contains("Talk GraphQL") && text.contains("Talk gRPC"), "{text}");
    let checked = project.run(&["check", "ai/memory"]);
    assert!(checked.out.contains("memory/competing-decisions"), "{}", checked.out);
    let found = project.memory(&["search", "dates UTC", "--type", "convention"]);
    assert_eq!(found["hits"].as_array().expect("hits").len(), 1, "{found}");
    let all = project.memory(&["search", "dates UTC", "--type", "convention", "--all"]);
    for hit in all["hits"].as_array().expect("hits") {
        project.said(&["show", hit["id"].as_str().expect("an id")]);
    }
}
