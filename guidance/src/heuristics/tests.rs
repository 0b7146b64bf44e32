//! Ten decisions with the questions that a responsible reader would ask about them.

use super::*;
use crate::Library;

fn render(decision: &str, stakes: Stakes, mentions: &[Mention]) -> String {
    let library = Library::shipped(&aidd_content::RULES);
    let knowledge = Knowledge::new(&library);
    let stack = Stack::default();
    let context = HeuristicsContext {
        library: &library,
        knowledge: &knowledge,
        stack: &stack,
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
