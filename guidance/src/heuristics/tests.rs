//! Ten decisions with the questions that a responsible reader would ask about them.

use super::*;
use crate::Library;
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;

fn render(decision: &str, stakes: Stakes, mentions: &[Mention]) -> String {
    render_in(decision, stakes, mentions, &Stack::default())
}

fn render_in(decision: &str, stakes: Stakes, mentions: &[Mention], stack: &Stack) -> String {
    let library = Library::shipped(&aidd_content::RULES);
    let knowledge = Knowledge::new(&library);
    let context = HeuristicsContext {
        library: &library,
        knowledge: &knowledge,
        stack,
        memories: &[],
        mentions,
    };
    let report = apply(decision, stakes, DEFAULT_COUNT, &context).expect("heuristics");
    let mut lines = Vec::new();
    for heuristic in &report.applied {
        lines.push(format!("{} {} ({})", heuristic.id, heuristic.name, heuristic.because));
        lines.extend(heuristic.asks.iter().map(|question| format!("  ? {question}")));
        lines.extend(heuristic.evidence.iter().map(|line| format!("  = {line}")));
    }
    lines.join("\n")
}

/// Decisions, each with the phrases that its questions must contain and must not contain.
const DECISIONS: &[(&str, Stakes, &[&str], &[&str])] = &[
    (
        "Move our sessions from Postgres to Redis so that logins take under 50 ms",
        Stakes::High,
        &["50 ms: who measured it", "PostgreSQL and Redis run side by side"],
        &[],
    ),
    (
        "Rewrite the billing service in Rust because Go garbage collection pauses hurt us",
        Stakes::High,
        &["“because Go garbage collection pauses hurt us”", "“the billing service”"],
        // Go is the source of the problem, not the choice.
        &["which Go is good at"],
    ),
    (
        "Adopt microservices for our team of 5",
        Stakes::Catastrophic,
        &["cannot be met without “microservices”", "team of 5", "New product with one team"],
        &["no version"],
    ),
    (
        "Drop the legacy_orders table on Friday",
        Stakes::Catastrophic,
        &[
            "What still reads or writes “the legacy_orders table”",
            "From which backup",
            "renamed or locked",
        ],
        &["Which fifth"],
    ),
    (
        "Use feature flags for the new checkout instead of a long-lived branch",
        Stakes::Medium,
        &["Gradual release with quick rollback"],
        &["Which fifth"],
    ),
    (
        "Blame the vendor: their API must have been changed on purpose",
        Stakes::Medium,
        &["Which cause requires nobody's intent", "What changed on our side"],
        &["“must”", "Which fifth"],
    ),
    (
        "Replace Jest by Vitest, everybody uses it now",
        Stakes::Low,
        &["Jest"],
        &["made the mistake behind", "Newest version"],
    ),
    (
        "Raise the price by 20% for all existing customers in January",
        Stakes::High,
        &["20%", "withdrawn"],
        &["Which fifth"],
    ),
    ("결제 시스템을 카프카 기반 이벤트 구조로 바꾸자", Stakes::High, &["Apache Kafka"], &[]),
    (
        "Keep investing in the Angular rewrite, we have already spent 8 months on it",
        Stakes::High,
        &["Without “already spent”", "Ignoring what was spent so far", "8 months"],
        &["How is “Keep investing"],
    ),
];

#[test]
fn questions_are_specific_to_the_decision() {
    let mut failures = Vec::new();
    let mut all = Vec::new();
    for (decision, stakes, expected, unexpected) in DECISIONS {
        let text = render(decision, *stakes, &[]);
        let missing = expected
            .iter()
            .filter(|phrase| !text.contains(**phrase))
            .map(|phrase| format!("no `{phrase}`"));
        let present = unexpected
            .iter()
            .filter(|phrase| text.contains(**phrase))
            .map(|phrase| format!("`{phrase}`"));
        failures.extend(
            missing.chain(present).map(|failure| format!("{decision}: {failure} in\n{text}\n")),
        );
        // A question that quotes the whole decision is not specific.
        let repetitions = text.matches(&format!("“{decision}”")).count();
        if repetitions > 0 {
            failures
                .push(format!("{decision}: quoted completely {repetitions} times in\n{text}\n"));
        }
        all.extend(text.lines().filter(|line| line.starts_with("  ?")).map(str::to_owned));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Ten different decisions share hardly any questions.
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert!(distinct.len() * 10 >= all.len() * 9, "{} of {}", distinct.len(), all.len());
}

#[test]
fn mentions_in_the_code_are_evidence() {
    let mention = |locations: &[&str]| Mention {
        name: "legacy_orders".to_owned(),
        locations: locations.iter().map(|location| (*location).to_owned()).collect(),
        searched: 12,
    };
    let decision = "Drop the legacy_orders table";
    let text = render(decision, Stakes::High, &[mention(&["a.ts:3", "b.ts:9"])]);
    assert!(text.contains("= `legacy_orders` occurs in a.ts:3, b.ts:9"), "{text}");
    let text = render(decision, Stakes::High, &[mention(&[])]);
    assert!(text.contains("occurs in none of the 12 files searched"), "{text}");
}

/// The stack of a project with a back end in Python, whose services run in containers.
#[expect(clippy::disallowed_methods, reason = "writes the files of the project")]
fn shop() -> Stack {
    let folder = tempfile::tempdir().expect("a directory");
    let compose = "services:\n  db:\n    image: postgres:15.7-alpine\n  cache:\n    image: \
        ${CACHE:-valkey/valkey:7.2}\n  api:\n    build: .\n";
    let workflow = "jobs:\n  test:\n    services:\n      mq:\n        image: rabbitmq:3.13\n";
    for (path, text) in [
        ("api/requirements.txt", "psycopg==3.2.1\nredis==5.0.4\ndjango==5.1\n"),
        ("docker-compose.yml", compose),
        (".github/workflows/ci.yml", workflow),
        ("Dockerfile", "FROM python:3.12-slim\n"),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    stack::detect_with_images(&Disk::new(folder.path()))
}

#[test]
fn what_runs_in_containers_is_not_new_in_the_project() {
    let stack = shop();
    for (decision, name, usage) in [
        ("Use Redis for sessions", "Redis", "api/requirements.txt names redis, a client of Redis"),
        ("Adopt PostgreSQL for orders", "PostgreSQL", "docker-compose.yml has PostgreSQL 15.7"),
        ("Use Valkey as a cache", "Valkey", "docker-compose.yml has Valkey 7.2"),
        ("Use RabbitMQ for jobs", "RabbitMQ", ".github/workflows/ci.yml has RabbitMQ 3.13"),
    ] {
        let text = render_in(decision, Stakes::Catastrophic, &[], &stack);
        assert!(!text.contains(&format!("{name} would be new")), "{decision}: {text}");
        assert!(!text.contains(&format!("when {name} is added")), "{decision}: {text}");
        let knowledge_library = Library::shipped(&aidd_content::RULES);
        let knowledge = Knowledge::new(&knowledge_library);
        let entry = knowledge.find(name).expect("an entry");
        assert_eq!(project_usage(entry, &stack).as_deref(), Some(usage), "{decision}");
    }
    let text = render_in("Use MongoDB for orders", Stakes::Medium, &[], &stack);
    assert!(text.contains("MongoDB would be new in the project"), "{text}");
    assert!(text.contains("docker-compose.yml has PostgreSQL 15.7"), "{text}");
}

type Names = &'static [&'static str];

/// Decisions with a negation: the decision, what it rules out, what stays, what it adopts, and what
/// it abandons.
const NEGATED: &[(&str, Names, Names, Names, Names)] = &[
    ("Do not use MongoDB", &["MongoDB"], &[], &[], &[]),
    ("Do not use MongoDB; stay with PostgreSQL", &["MongoDB"], &["PostgreSQL"], &[], &[]),
    ("We will not adopt Redis", &["Redis"], &[], &[], &[]),
    ("We won't use Kafka, RabbitMQ is enough", &["Apache Kafka"], &[], &["RabbitMQ"], &[]),
    ("Do not migrate from React to Vue", &["Vue"], &["React"], &[], &[]),
    ("Don't replace PostgreSQL with MongoDB", &["MongoDB"], &["PostgreSQL"], &[], &[]),
    ("Never drop PostgreSQL", &[], &["PostgreSQL"], &[], &[]),
    ("Never use MongoDB for orders", &["MongoDB"], &[], &[], &[]),
    ("Stay with PostgreSQL instead of MongoDB", &["MongoDB"], &["PostgreSQL"], &[], &[]),
    ("Keep using Redis", &[], &["Redis"], &[], &[]),
    ("Use PostgreSQL, not MongoDB", &["MongoDB"], &[], &["PostgreSQL"], &[]),
    ("Use PostgreSQL instead of MongoDB", &[], &[], &["PostgreSQL"], &["MongoDB"]),
    ("Avoid MongoDB but use Redis for the cache", &["MongoDB"], &[], &["Redis"], &[]),
    ("MongoDB will not be used", &["MongoDB"], &[], &[], &[]),
    ("No MongoDB in new services", &["MongoDB"], &[], &[], &[]),
    ("Use Redis not only for the cache", &[], &[], &["Redis"], &[]),
    ("Stop using MongoDB", &[], &[], &[], &["MongoDB"]),
    ("Do not use MongoDB because PostgreSQL is enough", &["MongoDB"], &["PostgreSQL"], &[], &[]),
    ("Keep latency low with Redis", &[], &[], &["Redis"], &[]),
    ("MongoDB를 도입하지 않는다", &["MongoDB"], &[], &[], &[]),
];

#[test]
fn negated_decisions_are_understood() {
    let library = Library::shipped(&aidd_content::RULES);
    let knowledge = Knowledge::new(&library);
    let mut failures = Vec::new();
    for (decision, rejected, retained, adopted, abandoned) in NEGATED {
        let facts = decision::extract_facts(decision, &knowledge);
        let names = |entries: &[&Entry<'_>]| -> Vec<String> {
            entries.iter().map(|entry| entry.name.to_owned()).collect()
        };
        let found = [
            names(&facts.rejected),
            names(&facts.retained),
            names(&facts.adopted().collect::<Vec<_>>()),
            names(&facts.abandoned),
        ];
        let expected = [rejected, retained, adopted, abandoned]
            .map(|list| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        if found != expected {
            failures.push(format!("{decision}: {found:?}, not {expected:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn questions_about_negated_decisions_do_not_assume_the_opposite() {
    let stack = shop();
    for (decision, expected, unexpected) in [
        (
            "Do not use MongoDB",
            "Which requirement, in figures, would “MongoDB” meet",
            &["fully removed", "would be new", "is added"][..],
        ),
        (
            "We will not adopt Redis",
            "client of Redis: when is it removed, or is it an exception?",
            &["What exactly is removed", "would be new"],
        ),
        (
            "Do not migrate from React to Vue",
            "against the decision: Vue is good at",
            &["Vue is added", "moved from", "removed completely"],
        ),
        (
            "Stay with PostgreSQL",
            "Which measurement shows that “PostgreSQL” meets the need today?",
            &["will be finished", "would be new"],
        ),
        (
            "Do not drop the legacy_orders table",
            "Which measurement shows that “the legacy_orders table” meets the need today?",
            &["From which backup", "how is the previous state restored"],
        ),
        (
            "Use PostgreSQL instead of MongoDB",
            "best case for staying: MongoDB",
            &["When will MongoDB be fully removed"],
        ),
    ] {
        let text = render_in(decision, Stakes::Catastrophic, &[], &stack);
        assert!(text.contains(expected), "{decision}: no `{expected}` in\n{text}");
        for phrase in unexpected {
            assert!(!text.contains(phrase), "{decision}: `{phrase}` in\n{text}");
        }
    }
}
