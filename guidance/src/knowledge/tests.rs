//! Tests of the knowledge base: names, search, pairs, decisions, versions.
#![expect(clippy::disallowed_methods, reason = "the tests create projects")]

use super::*;
use crate::compatibility::compare;
use crate::decision;
use crate::heuristics::{self, RelatedMemory, Stakes};
use crate::legacy::{self, Occurrence, SearchRequest};
use crate::migration::{self, PlanParams};
use crate::versions::{self, Confidence, MemoryMention, Outcome};
use aidd_engine::project::stack;
use aidd_engine::project::stack::installed::InstalledPackages;
use aidd_engine::project::stack::{Stack, Version};
use aidd_engine::text::files::Disk;
use std::fs;
use std::sync::LazyLock;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::shipped(&aidd_content::RULES));

fn knowledge() -> Knowledge<'static> {
    Knowledge::new(&LIBRARY)
}

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Stack) {
    let directory = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
    let stack = stack::detect(&Disk::new(directory.path()));
    (directory, stack)
}

#[test]
fn every_entry_is_found_first_by_its_name_alias_and_package() {
    let knowledge = knowledge();
    assert!(knowledge.entries().len() >= 100);
    let mut failures = Vec::new();
    for entry in knowledge.entries() {
        for name in [entry.name, entry.stem()] {
            let query = Query { text: Some(name), ..Query::default() };
            let first =
                knowledge.query(&query).first().map(|result| result.entry.page.name.clone());
            if first.as_ref() != Some(&entry.page.name) {
                failures.push(format!("{name}: {first:?}"));
            }
        }
        for name in entry.names() {
            let found = knowledge.find(name).map(|result| &*result.page.name);
            if found.is_err() {
                failures.push(format!("find {name}: {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn queries_find_the_right_entries() {
    let knowledge = knowledge();
    let first_names = |query: &Query<'_>, count: usize| -> Vec<&str> {
        knowledge.query(query).iter().take(count).map(|result| result.entry.name).collect()
    };
    let text = |text| Query { text: Some(text), ..Query::default() };
    assert_eq!(first_names(&text("vitest"), 1), ["Vitest"]);
    assert_eq!(first_names(&text("react"), 1), ["React"]);
    for (question, expected) in [
        ("unit tests for a vite project", "Vitest"),
        ("python package manager", "uv"),
        ("browser end-to-end testing", "Playwright"),
        ("relational database", "PostgreSQL"),
        ("utility classes css", "Tailwind CSS"),
        ("message broker queue", "RabbitMQ"),
        ("kubernetes deployment from git", "Argo CD"),
        ("rust web framework", "Axum"),
        ("secrets scanning of images vulnerabilities", "Trivy"),
        ("columnar analytics", "ClickHouse"),
    ] {
        let found = first_names(&text(question), 5);
        assert!(found.contains(&expected), "{question}: {found:?}");
    }
    let filtered =
        Query { category: Some("Testing"), maturity: Some("deprecated"), ..Query::default() };
    assert_eq!(first_names(&filtered, 9), ["Enzyme"]);
    let case = Query { use_case: Some("cache in front of a database"), ..Query::default() };
    let found = knowledge.query(&case);
    let names: Vec<&str> = found.iter().take(6).map(|result| result.entry.name).collect();
    assert!(
        names.iter().any(|name| ["Redis", "Valkey", "Cache-Aside"].contains(name)),
        "{names:?}"
    );
    assert!(found[0].use_case.as_ref().is_some_and(|case| case.fit >= 5));
}

#[test]
fn similar_names_are_suggested_for_an_unknown_name() {
    let knowledge = knowledge();
    let suggestions = |name: &str| knowledge.find(name).expect_err("unknown");
    assert_eq!(suggestions("vitset")[0], "Vitest");
    assert_eq!(suggestions("postgress")[0], "PostgreSQL");
    assert!(suggestions("").len() <= 5);
}

#[test]
fn names_are_found_in_sentences() {
    let knowledge = knowledge();
    let named = |text: &str| -> Vec<&str> {
        knowledge.find_named_entries(text).into_iter().map(|(entry, _)| entry.name).collect()
    };
    assert_eq!(named("Use React Router, not Next.js, for the shop."), ["React Router", "Next.js"]);
    assert_eq!(named("세션을 Redis에 저장한다"), ["Redis"]);
    for text in ["Write it in Go", "Go", "Go로 다시 작성한다", "Rewrite it in Go."] {
        assert_eq!(named(text), ["Go"], "{text}");
    }
    let none = "go to the next node and rest\nGo live with the billing page in March\na solid base
        Ship it. Next week we measure it\nUse Solid Cache for caching\nSidekiq or Solid Queue";
    none.lines().for_each(|text| assert_eq!(named(text), Vec::<&str>::new(), "{text}"));
    assert_eq!(named("Replace React with Solid"), ["React", "SolidJS"]);
}

#[test]
fn pairs_are_judged_from_facts_with_a_source() {
    let knowledge = knowledge();
    let stack = Stack::default();
    let pair = |first: &str, second: &str| {
        let (first, second) = (knowledge.find(first), knowledge.find(second));
        compare(first.expect("an entry"), second.expect("an entry"), &stack)
    };
    let render = |first: &str, second: &str| {
        let pair = pair(first, second);
        let facts = pair.facts.iter().map(|fact| format!("\n{} ({})", fact.fact, fact.source));
        format!("{}{}", pair.verdict.display(), facts.collect::<String>())
    };
    insta::assert_snapshot!(render("vitest", "vite"), @"
    work together
    the entry on Vitest states that it works with Vite (testing/vitest)
    the entry on Vite states that it works with Vitest (tooling/vite)
    ");
    insta::assert_snapshot!(render("vitest", "jest"), @"
    conflict
    stated conflict: Two runners with the same globals; use one per repository. (testing/vitest)
    Jest is an alternative to Vitest: React Native or a large suite with custom Jest transforms (testing/vitest)
    ");
    insta::assert_snapshot!(render("create-react-app", "react"), @"
    not for new work
    Create React App is deprecated (entry of 2026-11-22) (frontend/create-react-app)
    the entry on Create React App states that it works with React (frontend/create-react-app)
    ");
    insta::assert_snapshot!(render("mysql", "postgresql"), @"
    alternatives to each other
    PostgreSQL is an alternative to MySQL: The project starts fresh or needs partial indexes and transactional DDL (data/mysql)
    ");
    insta::assert_snapshot!(render("django", "react"), @"
    not in one program
    Django is published for pypi, React for npm: they communicate over a network or files, not in one program (backend/django)
    ");
    insta::assert_snapshot!(render("redis", "vite"), @"not known");
    for first in knowledge.entries().iter().step_by(7) {
        for second in knowledge.entries().iter().step_by(5) {
            let (forward, backward) =
                (compare(first, second, &stack), compare(second, first, &stack));
            assert_eq!(forward.verdict, backward.verdict, "{} {}", first.name, second.name);
            assert!(forward.facts.iter().all(|fact| !fact.source.is_empty()));
        }
    }
}

#[test]
fn the_versions_of_the_project_are_facts() {
    let manifest = r#"{"dependencies": {"react": "^17.0.0"}, "devDependencies": {"jest": "^29"}}"#;
    let (_folder, stack) = project(&[("package.json", manifest)]);
    let knowledge = knowledge();
    let find = |name| knowledge.find(name).expect("an entry");
    let pair = compare(find("react"), find("vitest"), &stack);
    let has_older_version =
        pair.facts.iter().any(|fact| fact.fact.starts_with("the project has React 17.0.0;"));
    assert!(has_older_version, "{pair:?}");
    let conflicts = crate::compatibility::find_conflicts(&[find("vitest")], &knowledge, &stack);
    assert_eq!(conflicts.len(), 1);
    assert_eq!((&*conflicts[0].0, &*conflicts[0].1), ("Vitest", "Jest"));
}

#[test]
fn facts_are_extracted_from_decisions() {
    let knowledge = knowledge();
    let text = "Replace Moment with date-fns and drop the legacy table because it is faster: 40 ms instead of 2 s, for all users. We already have invested 3 weeks.";
    let facts = decision::extract_facts(text, &knowledge);
    assert_eq!(facts.abandoned.iter().map(|entry| entry.name).collect::<Vec<_>>(), ["Moment.js"]);
    assert_eq!(facts.figures, ["40 ms", "2 s", "3 weeks"]);
    assert!(facts.actions[0].starts_with("drop the legacy table"), "{:?}", facts.actions);
    assert!(facts.reasons[0].starts_with("because it is faster"), "{:?}", facts.reasons);
    assert_eq!(facts.absolutes, ["all users"]);
    assert!(facts.biases[0].contains("invested"), "{:?}", facts.biases);
    let korean = decision::extract_facts(
        "Redis 대신 Valkey로 이전하고 기존 데이터를 삭제한다, 2주 안에",
        &knowledge,
    );
    assert_eq!(korean.abandoned.iter().map(|entry| entry.name).collect::<Vec<_>>(), ["Redis"]);
    assert_eq!(korean.chosen().map(|entry| entry.name).collect::<Vec<_>>(), ["Valkey"]);
    assert_eq!(korean.figures, ["2주"]);
    assert!(!korean.actions.is_empty());
}

#[test]
fn heuristics_ask_about_the_decision() {
    let manifest = r#"{"dependencies": {"pg": "^8", "jest": "^29", "react": "^18.0.0"}}"#;
    let (_folder, stack) = project(&[("package.json", manifest)]);
    let knowledge = knowledge();
    let memories = [RelatedMemory {
        id: "decision_1".into(),
        kind: "decision".into(),
        title: "Tests run on Jest".into(),
        outcome: Some(aidd_memory::types::Outcome::Partial),
        marks: " [PARTIAL: slow]".into(),
    }];
    let context = heuristics::HeuristicsContext {
        library: &LIBRARY,
        knowledge: &knowledge,
        stack: &stack,
        memories: &memories,
        mentions: &[],
    };
    let render_heuristics = |text: &str, stakes| {
        let report = heuristics::apply(text, stakes, 4, &context).expect("heuristics");
        let mut lines = Vec::new();
        for heuristic in &report.applied {
            lines.push(format!("{} {} ({})", heuristic.id, heuristic.name, heuristic.because));
            lines.extend(heuristic.asks.iter().map(|ask| format!("  ? {ask}")));
            lines.extend(heuristic.evidence.iter().map(|line| format!("  = {line}")));
            lines.extend(heuristic.open.iter().map(|line| format!("  open: {line}")));
        }
        lines.push(format!("more {}", report.more));
        lines.join("\n")
    };
    insta::assert_snapshot!(render_heuristics("Migrate all tests from Jest to Vitest because it is 3 times faster", Stakes::Medium), @"
    H3 Pareto (the decision mentions all)
      ? “all tests”: which small part of the cases accounts for most of the effect, and is that part enough?
      ? Which few uses of Jest cause most of the load, and is it enough to move those?
      open: use counts
      open: a profile
      open: tickets by cause
      open: a list of what is left out
    H6 Limit the loss (stakes medium)
      ? “Migrate all tests from Jest”: how is the previous state restored, how long does it take, and when was that last tested?
      ? Can Jest and Vitest run side by side behind a feature flag, and who decides to switch back, based on which measurement?
      = entry testing/jest: 29 to 30 breaks Alias matchers are removed; Node.js 18 and TypeScript 5.4 are the minimum; jsdom 26 in jest-environment-jsdom
      = decision_1: Tests run on Jest [PARTIAL: slow]
    H10 Report contradictions (stakes medium)
      ? decision “Tests run on Jest”: does it still apply, or does this supersede it?
      ? The project has Jest, which conflicts with Vitest: which of the two stays?
      ? Which recorded decision chose Jest, and which of its reasons is no longer valid?
      = decision_1: Tests run on Jest [PARTIAL: slow]
      = Vitest and Jest: Two runners with the same globals; use one per repository.
    H7 Remove before adding (stakes medium)
      ? When will Jest be fully removed, and what will still need it then?
      ? When is Jest removed completely, and what still needs it the day before?
      = package.json has Jest 29, an alternative to Vitest: React Native or a large suite with custom Jest transforms
      = package.json has Jest 29
    more 5
    ");
    insta::assert_snapshot!(render_heuristics("Delete the orders table in production", Stakes::Catastrophic), @"
    H6 Limit the loss (the decision mentions production, delete)
      ? “Delete the orders table”: how is the previous state restored, how long does it take, and when was that last tested?
      ? From which backup is “the orders table” restored, in how many minutes, and when was that last done?
      ? Can “the orders table” be renamed or locked for two weeks before it is removed?
      = decision_1: Tests run on Jest [PARTIAL: slow]
    H10 Report contradictions (stakes catastrophic)
      ? decision “Tests run on Jest”: does it still apply, or does this supersede it?
      ? Which code, job, report or contract still references “the orders table”?
      = decision_1: Tests run on Jest [PARTIAL: slow]
    H1 Zero trust (stakes catastrophic)
      ? What still reads or writes “the orders table”: what do the logs of a full month show, including the end of the month?
    H2 First principles (stakes catastrophic)
      ? Which obligation (law, contract, audit) requires keeping “the orders table”, and until when?
    more 0
    ");
    insta::assert_snapshot!(render_heuristics("Rename a local variable", Stakes::Low), @"
    H6 Limit the loss (stakes low)
      ? “Rename a local variable”: how is the previous state restored, how long does it take, and when was that last tested?
      ? Can the old and the new form serve the same calls for a while, so that they can be compared?
      = decision_1: Tests run on Jest [PARTIAL: slow]
    H10 Report contradictions (stakes low)
      ? decision “Tests run on Jest”: does it still apply, or does this supersede it?
      ? Which recorded decision set the current boundary, and who wrote it?
      = decision_1: Tests run on Jest [PARTIAL: slow]
    H3 Pareto (stakes low)
      ? According to the commit history, which part of “a local variable” changes most often, and is it enough to change that part?
    H4 Occam's razor (stakes low)
      ? Which smaller step (moving a function, adding an interface) would bring most of the benefit?
    more 1
    ");
    let first = heuristics::apply("Add Kafka", Stakes::Low, 9, &context).expect("heuristics");
    let second =
        heuristics::apply("Fix the login bug", Stakes::Low, 9, &context).expect("heuristics");
    assert_ne!(first.applied, second.applied);
}

const PACKAGE: &str = r#"{"scripts": {"test": "vitest run", "lint": "eslint ."}, "devDependencies": {"vitest": "^3.2.0", "vite": "^6", "@vitest/ui": "^3"}}"#;
const LOCK: &str = "lockfileVersion: '9.0'\nimporters:\n  .:\n    devDependencies:\n      vitest:\n        specifier: ^3.2.0\n        version: 3.2.4\n";

fn outdated_uses(folder: &tempfile::TempDir, name: &str, paths: &[&str]) -> Vec<Occurrence> {
    let knowledge = knowledge();
    let entry = knowledge.find(name).expect(name);
    let ecosystems = entry.packages.iter().map(|(word, _)| *word).collect();
    let request =
        SearchRequest { name: entry.name, ecosystems, patterns: entry.legacy.iter().collect() };
    legacy::search(&Disk::new(folder.path()), paths.iter().copied(), &[request]).found
}

#[test]
fn migrations_are_planned_from_the_manifest() {
    let config = "export default { test: { poolOptions: { threads: {} } } };\n";
    let files = [("package.json", PACKAGE), ("pnpm-lock.yaml", LOCK), ("vitest.config.ts", config)];
    let (folder, stack) = project(&files);
    let knowledge = knowledge();
    let found = outdated_uses(&folder, "vitest", &["vitest.config.ts", "package.json"]);
    assert_eq!((found.len(), found[0].line), (1, 1));
    let params =
        PlanParams { from: None, to: Some("5"), outdated_uses: &found, ..PlanParams::default() };
    let entry = knowledge.find("vitest").expect("an entry");
    let plan = migration::plan(entry, params, &knowledge, &stack).expect("a plan");
    assert_eq!(plan.hops, ["3.2.4", "4", "5"]);
    let lines: Vec<String> = plan
        .steps
        .iter()
        .map(|step| format!("{:?} {} {:?}", step.risk, step.what, step.commands))
        .chain(plan.guardrails.iter().map(|line| format!("guard: {line}")))
        .chain(plan.notes.iter().map(|line| format!("note: {line}")))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    Low Create a branch from a clean work tree; run the checks and record their output ["pnpm run lint", "pnpm run test"]
    Low 3.2.4 to 4: read the guide and note what affects this project []
    Medium Check whether this change affects the project, and adapt the code: poolOptions is removed []
    Medium Check whether this change affects the project, and adapt the code: browser mode takes a provider object []
    Medium Check whether this change affects the project, and adapt the code: workspace files are removed []
    High Set 4 in package.json and commit the lock file with it ["pnpm update vitest@4"]
    Medium Replace the uses of APIs that are outdated in 4: `poolOptions` with maxWorkers and pool settings at the top level of test (vitest.config.ts:1) []
    Medium After the step to 4: run the checks, compare the output with the recorded output, review deprecation warnings, and commit ["pnpm run lint", "pnpm run test"]
    Low 4 to 5: read the guide and note what affects this project []
    Medium Check whether this change affects the project, and adapt the code: Vite 6.4 and Node.js 22.12 are the minimum []
    Medium Check whether this change affects the project, and adapt the code: vite is a peer dependency and must be listed with Yarn []
    Medium Check whether this change affects the project, and adapt the code: clearMocks is on by default []
    Medium Check whether this change affects the project, and adapt the code: nested vi.mock and vi.hoisted calls throw []
    High Set 5 in package.json and commit the lock file with it ["pnpm update vitest@5"]
    Medium After the step to 5: run the checks, compare the output with the recorded output, review deprecation warnings, and commit ["pnpm run lint", "pnpm run test"]
    guard: One hop at a time (3.2.4, 4, 5): merge and deploy each hop before you begin the next
    guard: Rollback: revert the commit, then `pnpm install --frozen-lockfile` restores pnpm-lock.yaml; test this once before the first hop
    guard: Update the packages of this publisher in the same commit: @vitest/ui
    guard: Check that these packages support each version on the path: vite
    "#);
}

#[test]
fn impossible_migrations_are_rejected() {
    let knowledge = knowledge();
    let stack = Stack::default();
    let plan_error = |name: &str, from, to| {
        let entry = knowledge.find(name).expect(name);
        let params = PlanParams { from, to, ..PlanParams::default() };
        migration::plan(entry, params, &knowledge, &stack).expect_err("refused").to_string()
    };
    assert!(plan_error("vitest", Some("5"), Some("4")).contains("is older than"));
    assert!(plan_error("vitest", Some("5.1.2"), Some("5.1")).contains("already"));
    assert!(plan_error("vitest", None, Some("5")).contains("currentVersion"));
    assert!(plan_error("vitest", Some("x"), Some("5")).contains("`x` is not a version"));
    assert!(plan_error("vitest", Some("4"), Some("next")).contains("`next` is neither a version"));
    let plan = |name: &str, from, to| {
        let entry = knowledge.find(name).expect(name);
        let params = PlanParams { from, to, ..PlanParams::default() };
        migration::plan(entry, params, &knowledge, &stack).expect("a plan")
    };
    // A gap in the entries is reported.
    let gap = plan("vitest", Some("1"), Some("5"));
    assert_eq!(gap.hops, ["1", "3", "4", "5"]);
    assert!(
        gap.notes
            .iter()
            .any(|note| note.contains("the breaking changes of Vitest 1 to 3 are unknown"))
    );
    assert!(gap.steps.iter().any(|step| step.risk == migration::Risk::High));
    let moved = plan("create-react-app", Some("5"), None);
    assert_eq!(moved.hops, ["Create React App 5", "Vite"]);
    let longest = plan("postgresql", Some("15"), Some("19"));
    assert_eq!(longest.hops, ["15", "19"]);
    for entry in knowledge.entries() {
        for migration in &entry.migrations {
            let params = PlanParams {
                from: Some(&migration.from),
                to: Some(&migration.to),
                ..PlanParams::default()
            };
            if Version::read(&migration.from).is_some() {
                let planned = migration::plan(entry, params, &knowledge, &stack);
                assert!(planned.is_ok(), "{} {params:?}: {planned:?}", entry.name);
            }
        }
    }
}

#[test]
fn versions_are_verified_with_evidence() {
    let installed = r#"{"version": "3.2.4", "types": "./dist/index.d.ts"}"#;
    let code = "import { test } from 'vitest';\nconst file = 'vitest.workspace.ts';\ntest.sequential('a', () => {});\n";
    let (folder, stack) = project(&[
        ("package.json", PACKAGE),
        ("pnpm-lock.yaml", LOCK),
        ("node_modules/vitest/package.json", installed),
        ("a.test.ts", code),
        ("rules/tests.md", "# Tests\n\nMUST use Vitest 4 and vite-node 2.\n"),
    ]);
    let disk = Disk::new(folder.path());
    let library = Library::load(
        &aidd_content::RULES,
        &disk,
        &aidd_engine::project::config::ContentConfig::default(),
    );
    let knowledge = Knowledge::new(&library);
    let memories =
        [MemoryMention { id: "decision_1".into(), text: "Pin vitest@3.2 until the move".into() }];
    let found = outdated_uses(&folder, "vitest", &["a.test.ts"]);
    let context = versions::VersionContext {
        installs: &InstalledPackages::new(&disk),
        stack: &stack,
        library: &library,
        knowledge: &knowledge,
        memories: &memories,
        outdated_uses: &found,
        searched: 1,
        today: "2026-11-23".parse().ok(),
    };
    let lines: Vec<String> = stack
        .dependencies()
        .map(|(manifest, dependency)| {
            let verified = versions::verify(&context, manifest, dependency);
            let steps = verified.steps.iter().map(|step| {
                format!("  {} {:?}\n    {}", step.id, step.outcome, step.evidence.join("\n    "))
            });
            let steps = steps.collect::<Vec<_>>().join("\n");
            format!("{} {:?}\n{steps}", verified.package, verified.confidence)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    vitest Medium
      detect Done
        package.json specifies ^3.2.0
        pnpm-lock.yaml resolves it to 3.2.4
      context Failed
        rules/tests.md:3 mentions version 4; the project has 3.2.4
        decision_1 mentions version 3.2, as in the project
        knowledge entry testing/vitest describes 5.1, reviewed 2026-11-22: current
      document Done
        node_modules/vitest/package.json is version 3.2.4; its types: node_modules/vitest/dist/index.d.ts
        the entry covers 5.1, not 3.2.4
      filter Failed
        a.test.ts:2: `vitest.workspace.ts` was replaced in 3.2 by test.projects in vitest.config.ts
    vite Low
      detect Failed
        package.json specifies ^6
        pnpm-lock.yaml does not resolve it for this manifest
      context Done
        knowledge entry tooling/vite describes 8.3, reviewed 2026-11-22: current
      document Failed
        the entry covers 8.3, not 6
      filter Done
        searched 1 file for 2 outdated API uses: none found
    @vitest/ui Low
      detect Failed
        package.json specifies ^3
        pnpm-lock.yaml does not resolve it for this manifest
      context NotDone
        no rule, memory or knowledge entry mentions it
      document NotDone
        not installed, and no knowledge entry: find the documentation of this version
      filter NotDone
        no outdated API uses are known
    ");
    // Everything verified: the locked version, its documentation, no outdated API use.
    let tidy_manifest = r#"{"devDependencies": {"vitest": "^5.1.0"}}"#;
    let lock = LOCK.replace("3.2.4", "5.1.3");
    let (folder, stack) = project(&[("package.json", tidy_manifest), ("pnpm-lock.yaml", &lock)]);
    let disk = Disk::new(folder.path());
    let context = versions::VersionContext {
        installs: &InstalledPackages::new(&disk),
        stack: &stack,
        outdated_uses: &[],
        memories: &[],
        library: &LIBRARY,
        ..context
    };
    let (manifest, dependency) = stack.dependencies().next().expect("one");
    let verified = versions::verify(&context, manifest, dependency);
    assert_eq!(verified.confidence, Confidence::High, "{verified:?}");
    assert!(verified.steps.iter().all(|step| step.outcome == Outcome::Done));
}
