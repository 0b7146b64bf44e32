//! Tests the guidance tools as the server calls them.
#![expect(clippy::disallowed_methods, reason = "the tests create a repository with Git")]

use crate::context::{Context, Environment, Setup};
use crate::tool::{Answer, ToolError};
use crate::tools;
use aidd_guidance::PageKind;
use aidd_lexicon::tokens;
use aidd_report::settings::effective;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

pub(super) fn try_call(
    context: &Context,
    name: &str,
    arguments: Value,
) -> Result<Answer<Value>, ToolError> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let tools = tools::all();
    let is_named = |tool: &&crate::tool::Tool| tool.name == name || tool.aliases.contains(&name);
    tools.iter().find(is_named).expect("a tool").call(context, arguments)
}

pub(super) fn call(root: &Path, name: &str, arguments: Value) -> Answer<Value> {
    try_call(&Context::at(&crate::DISTRIBUTION, root), name, arguments).expect("an answer")
}

fn failure(root: &Path, name: &str, arguments: Value) -> String {
    let context = Context::at(&crate::DISTRIBUTION, root);
    try_call(&context, name, arguments).expect_err("an error").to_string()
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn git(root: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
    assert!(git.output().expect("Git runs").status.success(), "{args:?}");
}

/// A repository with a commit, on the branch `feature/login`.
pub(super) fn repository() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("shop").tempdir().expect("a directory");
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    write(root, "src/a.ts", "export const a = 1;\n");
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "feat: first"]);
    git(root, &["checkout", "-q", "-b", "feature/login"]);
    folder
}

/// Replaces values that differ between runs.
fn stabilize(text: &str, root: &Path) -> String {
    let name = root.file_name().expect("a name").to_string_lossy();
    let text = text.replace(&*name, "shop");
    let mut words = Vec::new();
    for word in text.split(' ') {
        let starts = ["session_1", "decision_1", "mistake_1", "lifecycle_1"];
        let start = starts.iter().find_map(|kind| word.find(kind));
        let replaced = start.map(|index| {
            let rest = &word[index..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let kind = rest.split('_').next().unwrap_or_default();
            format!("{}{kind}_ID{}", &word[..index], &rest[end..])
        });
        words.push(replaced.unwrap_or_else(|| word.to_owned()));
    }
    words.join(" ")
}

#[test]
fn bootstrap_of_a_new_project_lists_first_steps_and_shipped_rules() {
    let folder = repository();
    let answer = call(folder.path(), "aidd_bootstrap", json!({"task": "Add a login page"}));
    insta::assert_snapshot!(stabilize(&answer.text, folder.path()), @r#"
    ## shop: current state
    Branch feature/login
    ## First
    - Open a session: `aidd_session {"action":"start","branch":"feature/login"}` with your aiProvider (no session is open on feature/login)
    - Classify the task: `aidd_classify_task {"description":"Add a login page"}` (roles, workflow and tier follow from it)
    ## Rules
    By topic at aidd://rules/NAME: backend, code-style, deliverables, documentation, frontend, git-workflow, interfaces, orchestrator, performance, routing, security, testing
    - NEVER present a guess as a fact, or a plan as done.
    - NEVER disable a check, a rule or a test to get past it.
    - NEVER commit a secret.
    - NEVER leave commented-out code, debug output or a to-do comment without an issue number.
    - NEVER write a path or address of an individual's machine into a tracked file.
    - NEVER use filler: no praise, no repetition of the question, no words that hide a missing fact.
    - MUST support each claim about code, tools or versions with a run, a file or a source.
    - MUST state what was not verified.
    - MUST resolve versions by the version protocol before using an API.
    - MUST report a contradiction between request, rule, memory and code before continuing.
    - MUST do what was requested, and report other problems instead of fixing them in passing.
    - MUST ask before a breaking change, a new dependency, deleting data, or rewriting shared history.
    - MUST name functions with a verb, values with a noun, booleans with is, has, can or should.
    - MUST name files and directories in kebab-case, unless the language or tool requires another form.
    - MUST write dates as YYYY-MM-DD and times by RFC 3339 in UTC.
    - MUST name a dated document `YYYY-MM-DD-<name>.md` and a decision record `NNN-<name>.md`.
    - MUST put the answer first (BLUF-6).
    ## Also available with aidd_get_agent
    Roles: ai-engineer, backend-engineer, contract-architect, data-architect, design-architect, experience-engineer, i18n-specialist, interface-artisan, knowledge-architect, memory, performance-engineer, platform-engineer, quality-engineer, release-engineer, reliability-engineer, security-architect, system-architect
    Workflows: analyze, audit, bug-fix, dependency-upgrade, design, docs, feature-branch, full-stack-feature, incident, migration, orchestrator, performance, product, refactor, release, review, technology-selection, test
    Templates: adr, algebraic-data-type, brainstorm, checklist, issue, migration, penetration-test, plan, research, result-type, retro, spec
    Knowledge: 177 technologies (aidd_query_tkb)
    "#);
    assert_eq!(answer.data["budget"], 1200);
    assert_eq!(answer.data["sessionId"], Value::Null);
}

#[test]
fn bootstrap_contains_rules_mistakes_decisions_and_work_state() {
    let folder = repository();
    let root = folder.path();
    write(
        root,
        "ai/rules/money.md",
        "---\nsummary: How money is handled.\n---\n# Money\n\n- MUST store amounts in cents.\n- NEVER use floats for money. `team/no-float`\n- SHOULD round half up.\n",
    );
    let context = Context::at(&crate::DISTRIBUTION, root);
    let run = |name: &str, arguments| try_call(&context, name, arguments).expect("an answer");
    run(
        "aidd_memory_add_mistake",
        json!({"error": "Login tokens were logged", "rootCause": "debug line", "fix": "removed it", "prevention": "never log headers"}),
    );
    run(
        "aidd_memory_add_decision",
        json!({"decision": "Sessions live in Redis", "reasoning": "shared by servers"}),
    );
    run(
        "aidd_memory_add_convention",
        json!({"convention": "Errors are RFC 9457 problems", "example": "{}"}),
    );
    run(
        "aidd_branch",
        json!({"action": "save", "feature": "login", "pendingTasks": ["form", "tests"]}),
    );
    run("aidd_lifecycle_init", json!({"feature": "login"}));
    let provider = json!({"provider": "p", "model": "m", "modelId": "m-1", "client": "c"});
    let params =
        json!({"aiProvider": provider, "memorySessionId": "thread", "tokenBudget": "minimal"});
    let answer = run("aidd_start", params.clone());
    insta::assert_snapshot!(stabilize(&answer.text, root), @r#"
    ## shop: current state
    Started session session_ID.
    Branch feature/login: login
    Lifecycle lifecycle_ID, login, in UNDERSTAND. Unmet: The context is loaded; The requirements are clear; Acceptance criteria are written as given, when, then; Edge cases are listed
    Pending: form; tests
    ## Rules of this project
    money: How money is handled.
    - NEVER use floats for money.
    - MUST store amounts in cents.
    ## Mistakes not to repeat
    - Login tokens were logged -> never log headers [mistake_ID]
    ## Active decisions
    - Sessions live in Redis [decision_ID]
    ## Conventions
    - Errors are RFC 9457 problems
    ## First
    - Provide evidence: The context is loaded, and 3 more: `aidd_lifecycle_advance {"lifecycleId":"lifecycle_ID"}` with your evidence (leaving UNDERSTAND requires evidence for login: context, requirements, acceptance, edges)
    - Do the next task: form: `aidd_branch {"action":"save","branch":"feature/login","completedTasks":["form"],"pendingTasks":["tests"]}` (tasks pending on feature/login: 2; save the branch when this task is done)
    "#);
    let session = answer.data["sessionId"].as_str().expect("a session").to_owned();
    // The same conversation resumes the same session.
    let again = run("aidd_bootstrap", params);
    assert_eq!(again.data["sessionId"], json!(session));
    assert!(again.text.contains(&format!("Continuing session {session} of this conversation.")));
    // The page is invalid; the note about it would exceed the `minimal` budget.
    write(root, "ai/rules/broken.md", "---\nsummary: [\n---\n# Broken\n");
    let full = run("aidd_bootstrap", json!({"tokenBudget": "full"}));
    for expected in [
        "NEVER use floats for money.",
        "MUST store amounts in cents.",
        "Sessions live in Redis",
        "Errors are RFC 9457 problems",
        "never log headers",
        "ai/rules/broken.md",
        "Pending: form; tests",
    ] {
        assert!(full.text.contains(expected), "{expected}: {}", full.text);
    }
    // The running server sees the edit.
    write(root, "ai/rules/money.md", "# Money\n\n- NEVER pay twice.\n");
    assert!(run("aidd_bootstrap", json!({})).text.contains("NEVER pay twice."));
}

#[test]
fn bootstrap_rejects_other_projects_and_reports_missing_arguments() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    fs::create_dir(root.join("sub")).expect("created");
    let error = failure(root, "aidd_bootstrap", json!({"path": "sub"}));
    assert!(error.contains("this server only serves the project root"), "{error}");
    assert!(failure(root, "aidd_bootstrap", json!({"path": ".."})).contains("outside"));
    let provider = json!({"provider": "p", "model": "m"});
    let error = failure(root, "aidd_bootstrap", json!({"aiProvider": provider}));
    assert!(error.contains("`branch` is missing"), "{error}");
    call(root, "aidd_bootstrap", json!({"path": "."}));
    write(
        root,
        ".aidd/config.json",
        "{\"content\": {\"tokenBudget\": \"minimal\", \"overrideMode\": \"project_only\"}}",
    );
    let answer = call(root, "aidd_bootstrap", json!({}));
    assert_eq!(answer.data["budget"], 400);
    write(root, ".aidd/config.json", "{\"content\": {\"tokenBudget\": \"huge\"}}");
    assert!(failure(root, "aidd_bootstrap", json!({})).contains("config.json"));
}

#[test]
fn the_environment_variable_overrides_the_configured_mode() {
    fn bundled(name: &str) -> Option<String> {
        (name == "AIDD_CONTENT_OVERRIDE_MODE").then(|| "bundled_only".to_owned())
    }
    fn invalid(name: &str) -> Option<String> {
        (name == "AIDD_CONTENT_OVERRIDE_MODE").then(|| "both".to_owned())
    }
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    write(root, "rules/own.md", "# Own\n\nMUST hold.\n");
    write(root, ".aidd/config.json", "{\"content\": {\"overrideMode\": \"merge\"}}");
    let context = |environment: Environment| {
        Context::new(Setup { environment, ..Setup::at(&crate::DISTRIBUTION, root) })
    };
    let has_project_page = |context: &Context| {
        let library = context.library().expect("pages");
        library.pages_of_kind(PageKind::Rules).any(|page| page.path == "rules/own.md")
    };
    assert!(has_project_page(&context(|_| None)));
    assert!(!has_project_page(&context(bundled)));
    let settings = effective(&context(bundled).project().expect("a project"), &bundled);
    let content = settings.expect("settings").into_iter().find(|setting| setting.key == "content");
    let content = content.expect("a setting");
    assert_eq!(content.value["overrideMode"], "bundled_only");
    assert_eq!(content.origin, "AIDD_CONTENT_OVERRIDE_MODE over .aidd/config.json");
    let error = context(invalid).library().expect_err("no mode").to_string();
    assert!(error.contains("merge, project_only or bundled_only"), "{error}");
}

#[test]
fn no_session_is_recorded_if_disabled() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    let params = json!({"branch": "main", "aiProvider": {
        "provider": "p", "model": "m", "modelId": "m-1", "client": "c"
    }});
    write(root, ".aidd/config.json", "{\"content\": {\"sessionTracking\": false}}");
    let answer = call(root, "aidd_bootstrap", params.clone());
    assert_eq!(answer.data["sessionId"], Value::Null);
    assert!(answer.text.contains("sessionTracking is false"), "{}", answer.text);
    write(root, ".aidd/config.json", "{}");
    let answer = call(root, "aidd_bootstrap", params);
    assert!(answer.data["sessionId"].is_string(), "{}", answer.text);
}

#[test]
fn a_task_is_classified_in_english_and_korean() {
    let folder = tempfile::tempdir().expect("a directory");
    let roles = |task: &str| {
        call(folder.path(), "aidd_classify_task", json!({"description": task})).data["roles"]
            .clone()
    };
    assert_eq!(roles("Design a microservices architecture"), json!(["system-architect"]));
    assert_eq!(
        roles("Create a Button component"),
        json!(["design-architect", "experience-engineer", "interface-artisan"])
    );
    assert_eq!(roles("Scan code for vulnerabilities"), json!(["security-architect"]));
    assert_eq!(roles("결제 모듈 단위 테스트 커버리지를 올려줘"), json!(["quality-engineer"]));
    let params = json!({"description": "Fix the wrong month in the date helper", "files": ["src/date.ts"], "lines": 8, "tested": true});
    insta::assert_snapshot!(call(folder.path(), "aidd_classify_task", params).text, @"
    bug (99 %)
    roles: quality-engineer
    workflow: bug-fix
    phase: BUILD
    tier: 2
    template: issue
    complexity: low
    fast track: yes, skipping brainstorm, research, SPEC
    ");
    insta::assert_snapshot!(call(folder.path(), "aidd_classify_task", json!({"description": "hm, perhaps later"})).text, @"
    No row of the routing table matches. Ask the user what is needed, why and for whom (template brainstorm), or name a role in the description. aidd_get_routing_table lists all rows.
    complexity: low
    fast track: no
      unknown (pass files, lines, tested): at most three files and 50 changed lines are expected; no tier 1 role is needed; the phase is not SHIP, or only documents change; tests cover the changed code, or only text changes
    ");
    assert!(
        failure(folder.path(), "aidd_classify_task", json!({"description": " "})).contains("empty")
    );
    let table = call(folder.path(), "aidd_get_routing_table", json!({"phase": "ship"}));
    insta::assert_snapshot!(table.text, @"
    task: role, workflow, tier, template
    # SHIP
    incident: reliability-engineer, incident, 1, retro
    platform: platform-engineer, feature-branch, 2, checklist
    release: release-engineer, release, 3, checklist
    documents: knowledge-architect, docs, 3
    memory: knowledge-architect, docs, 3
    retro: knowledge-architect, docs, 3, retro
    git: release-engineer, feature-branch, 3
    ");
    assert!(
        failure(folder.path(), "aidd_get_routing_table", json!({"phase": "DESIGN"}))
            .contains("UNDERSTAND, PLAN")
    );
}

#[test]
fn project_roles_override_shipped_roles() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    let answer = call(root, "aidd_get_agent", json!({"agent": "security architect"}));
    assert_eq!(
        (&answer.data["name"], &answer.data["own"]),
        (&json!("security-architect"), &json!(false))
    );
    insta::assert_snapshot!(failure(root, "aidd_get_agent", json!({"agent": "security-auditor"})), @"
    unknown role `security-auditor`
    hint: did you mean security-architect?
    ");
    insta::assert_snapshot!(failure(root, "aidd_get_agent", json!({"agent": "qqq"})), @"
    unknown role `qqq`
    hint: known: ai-engineer, backend-engineer, contract-architect, data-architect, design-architect, experience-engineer, i18n-specialist, interface-artisan, knowledge-architect, memory, performance-engineer, platform-engineer, quality-engineer, release-engineer, reliability-engineer, security-architect, system-architect
    ");
    write(
        root,
        "skills/guard/SKILL.md",
        "---\nname: security-architect\ncompetencies:\n  - { name: Vaults, level: primary }\n---\n# Our guard\n",
    );
    let project_role = call(root, "aidd_get_agent", json!({"agent": "security-architect"}));
    assert_eq!(project_role.text, "# Our guard\n");
    let matrix = call(root, "aidd_get_competency_matrix", json!({"filter": "vault"}));
    assert_eq!(matrix.text, "competency: lead roles; supporting roles\nVaults: security-architect");
    assert!(
        failure(root, "aidd_get_competency_matrix", json!({"filter": "xyz"}))
            .contains("omit `filter`")
    );
}

#[test]
fn next_steps_follow_from_the_project_state() {
    let folder = repository();
    let root = folder.path();
    write(root, "Dockerfile", "FROM debian:latest\nUSER app\n");
    let context = Context::at(&crate::DISTRIBUTION, root);
    let answer = try_call(&context, "aidd_suggest_next", json!({})).expect("an answer");
    insta::assert_snapshot!(stabilize(&answer.text, root), @r#"
    - Fix the new findings: `aidd_ci_diff_check` (the changes add 2 findings, including 0 errors)
    - Open a session: `aidd_session {"action":"start","branch":"feature/login"}` with your aiProvider (no session is open on feature/login)
    - Check Dockerfile: `aidd_validate_dockerfile {"filePath":"Dockerfile"}` (a Dockerfile changed)
    - Scan for secrets before the commit: `aidd_scan_secrets {"filePath":"."}` (files to commit: 1)
    - Save the state of the branch: `aidd_branch {"action":"save","branch":"feature/login"}` (so that the next session can continue)
    "#);
    let call = |next: &Value| {
        let Value::Object(arguments) = next["args"].clone() else { panic!("an object") };
        let tools = tools::all();
        let tool = tools.iter().find(|tool| next["tool"] == tool.name).expect("a tool");
        tool.call(&context, arguments)
    };
    // Suggestions without missing arguments can be called directly.
    for next in answer.data["suggestions"].as_array().expect("a list") {
        if next["needs"].is_null() {
            call(next).expect("an answer");
        }
    }
    let recent = json!({"recentActions": ["aidd_ci_diff_check", "aidd_session"]});
    let later = try_call(&context, "aidd_suggest_next", recent).expect("an answer");
    let tools: Vec<&Value> = later.data["suggestions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|next| &next["tool"])
        .collect();
    assert!(!tools.contains(&&json!("aidd_ci_diff_check")) && !tools.is_empty(), "{tools:?}");
}

#[test]
fn a_context_stays_within_its_budget() {
    let folder = repository();
    let context = Context::at(&crate::DISTRIBUTION, folder.path());
    for number in 0..30 {
        let decision =
            format!("Decision number {number} about the order service and its many queues");
        try_call(
            &context,
            "aidd_memory_add_decision",
            json!({"decision": decision, "reasoning": "why"}),
        )
        .expect("saved");
    }
    for budget in [100, 150, 300, 1000, 4000, 20_000] {
        let answer = try_call(
            &context,
            "aidd_optimize_context",
            json!({"budget": budget, "task": "order queues"}),
        )
        .expect("an answer");
        let reserve = answer.data["reserve"].as_u64().expect("a number");
        let counted = tokens::count(&answer.text) as u64;
        assert!(counted + reserve <= budget, "{budget}: {counted} and {reserve}");
        assert_eq!(answer.data["tokens"], json!(counted));
    }
    let memory =
        try_call(&context, "aidd_optimize_context", json!({"sections": ["memory"], "budget": 300}))
            .expect("an answer");
    assert!(memory.text.starts_with("## Active decisions\n"), "{}", memory.text);
    let error = try_call(&context, "aidd_optimize_context", json!({"sections": ["memories"]}))
        .expect_err("refused");
    assert!(error.message.contains("expected one of header, memory"), "{error}");
}

/// All paths in a directory, with their contents.
fn tree(root: &Path) -> Vec<(String, String)> {
    let mut remaining = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = remaining.pop() {
        for entry in fs::read_dir(folder).expect("a directory").flatten() {
            if entry.path().is_dir() {
                remaining.push(entry.path());
            } else {
                let path = entry
                    .path()
                    .strip_prefix(root)
                    .expect("below")
                    .to_string_lossy()
                    .replace('\\', "/");
                found.push((path, fs::read_to_string(entry.path()).expect("text")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn scaffolding_never_overwrites_files() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    write(root, "AGENTS.md", "# Ours\n");
    let before = tree(root);
    let dry = call(root, "aidd_scaffold", json!({"dryRun": true, "preset": "minimal"}));
    assert_eq!(tree(root), before);
    assert_eq!(dry.data["created"], json!(["agents/roles.md", "rules/house.md"]));
    assert_eq!(dry.data["kept"], json!(["AGENTS.md"]));
    let diff = dry.data["diff"].as_str().expect("a diff");
    assert!(diff.contains("--- /dev/null\n+++ b/rules/house.md\n@@ -0,0 +1,"), "{diff}");
    let full = call(root, "aidd_scaffold", json!({"preset": "full"}));
    assert_eq!(full.data["kept"], json!(["AGENTS.md"]));
    let after = tree(root);
    assert!(after.contains(&("AGENTS.md".to_owned(), "# Ours\n".to_owned())));
    for (path, text) in after.iter().filter(|(path, _)| {
        dry.data["created"].as_array().is_some_and(|all| all.contains(&json!(path)))
    }) {
        let shown: String = text.lines().map(|line| format!("+{line}\n")).collect();
        assert!(diff.contains(&shown), "{path}");
    }
    let again = call(root, "aidd_scaffold", json!({"preset": "full"}));
    assert_eq!(again.data["created"], json!([]));
    assert_eq!(tree(root), after);
    // The created pages are loaded, and the configuration is valid.
    let config = call(root, "aidd_get_config", json!({}));
    assert!(config.text.contains("rules/house.md"), "{}", config.text);
    assert_eq!(config.data["problems"], json!([]));
}

#[test]
fn scaffolding_stays_inside_the_project() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path().join("project");
    fs::create_dir_all(&root).expect("created");
    for path in ["..", "../other", "/"] {
        assert!(
            failure(&root, "aidd_scaffold", json!({"path": path})).contains("outside"),
            "{path}"
        );
    }
    // Paths that are absolute on another operating system are rejected everywhere.
    let rooted = [r"C:\web", "C:web", r"\\host\web", "//host/web", "~/web"];
    let rooted = rooted.map(|path| (path, "specify a path relative to the project's root"));
    let others = [(r"..\web", "separate directories with `/`"), ("web/nul", "choose another name")];
    for (path, remedy) in rooted.into_iter().chain(others).chain([("web.", "another name")]) {
        let error = failure(&root, "aidd_scaffold", json!({"path": path}));
        assert!(error.starts_with("`path`: ") && error.contains(remedy), "{path}: {error}");
    }
    assert_eq!(tree(folder.path()), []);
    call(&root, "aidd_scaffold", json!({"path": "packages/web", "preset": "minimal"}));
    assert!(root.join("packages/web/rules/house.md").is_file());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), root.join("agents")).expect("linked");
        assert!(failure(&root, "aidd_scaffold", json!({})).contains("outside"));
        assert!(!folder.path().join("roles.md").exists());
    }
}
