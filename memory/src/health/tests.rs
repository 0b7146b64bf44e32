//! Tests that metrics are computed from measurements and report the number of measurements.

use super::*;
use crate::kinds::Observation;
use crate::tests::repository::TestRepository;
use crate::tests::{START, mistake, new_session, on_both_stores};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

/// An ended session with its recorded runs.
fn session(memory: &mut ProjectMemory, runs: &[(&str, i64)], patch: Value) {
    let session = memory.start_session(new_session("main")).expect("a session").id;
    for (command, code) in runs {
        let extra = map(json!({"command": command, "exitCode": code}));
        let body = Observation { extra, ..Observation::default() };
        memory.observe(&session, Kind::ToolOutcome, "a run", &body).expect("observed");
    }
    memory.end_session(&session, &map(patch)).expect("ended");
}

fn outcome(passing: bool, score: f64) -> Value {
    json!({"outcome": {"testsPassing": passing, "complianceScore": score, "reverts": 0, "reworks": 0}})
}

fn render(memory: &mut ProjectMemory) -> String {
    let health = memory.health(50).expect("health");
    let mut output = format!("{:?} of {}\n", health.overall.map(f64::round), health.sessions);
    for metric in &health.metrics {
        let value = metric.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
        let _ = writeln!(output, "{} {value} {}/{}", metric.name, metric.measured, metric.samples);
    }
    output
}

#[test]
fn metrics_with_too_few_samples_have_no_value() {
    on_both_stores(|_, memory| {
        assert!(render(memory).starts_with("None of 0\nsessionSuccess - 0/0\n"));
        session(memory, &[("cargo test", 0)], json!({}));
        session(memory, &[], outcome(true, 90.0));
        memory.save_mistake(&mistake("disk full", "rotate")).expect("saved");
        assert_eq!(
            render(memory),
            "None of 2\nsessionSuccess - 1/2\ncomplianceAvg - 1/2\nerrorRecurrence - 1/1\n\
             modelConsistency - 0/0\nmemoryUtilization - 2/2\n"
        );
    });
}

#[test]
fn measured_values_override_reported_values() {
    on_both_stores(|_, memory| {
        // The session reports success, but its recorded runs failed.
        session(memory, &[("npm test", 1), ("eslint", 1), ("tsc", 0)], outcome(true, 100.0));
        session(
            memory,
            &[("npm test", 1), ("npm test", 0)],
            json!({"decisions": [{"decision": "d", "reasoning": "r"}]}),
        );
        session(memory, &[("eslint", 0)], outcome(false, 10.0));
        session(memory, &[], outcome(true, 80.0));
        for error in ["disk full while writing logs", "port 8080 is taken", "cookie is not sent"] {
            memory.save_mistake(&mistake(error, "fix")).expect("saved");
        }
        memory.save_mistake(&mistake("disk full while writing logs", "fix")).expect("seen");
        // tsc is both a type check and a build: two of the first session's three checks passed.
        assert_eq!(
            render(memory),
            "Some(62.0) of 4\nsessionSuccess 50.0 2/4\ncomplianceAvg 82.2 2/3\n\
             errorRecurrence 66.7 3/3\nmodelConsistency 86.3 2/3\nmemoryUtilization 25.0 4/4\n"
        );
        let advice = memory.health(50).expect("health").advice;
        assert!(advice[0].starts_with("sessionSuccess is below 60"), "{advice:?}");
        assert!(advice.iter().any(|line| {
            line.contains("instead of measured: complianceAvg, modelConsistency, sessionSuccess")
        }));
        assert_eq!(memory.health(1).expect("health").sessions, 1);
    });
}

#[test]
fn reverted_commits_lower_the_success_of_their_session() {
    on_both_stores(|root, memory| {
        let repository = TestRepository::new(root);
        for _ in 0..3 {
            session(memory, &[("cargo test", 0)], json!({}));
        }
        assert!(render(memory).contains("sessionSuccess 100.0 3/3"));
        let commit = repository.commit(START, "feat: a", &["a"]);
        repository.commit(
            START + 5000,
            &format!("Revert \"feat: a\"\n\nThis reverts commit {commit}."),
            &[],
        );
        assert!(render(memory).contains("sessionSuccess 0.0 3/3"), "{}", render(memory));
        assert!(!memory.health(9).expect("health").advice.is_empty());
    });
}
