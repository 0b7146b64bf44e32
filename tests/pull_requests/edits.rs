//! Property test on arbitrary edits: a comparison has the same findings as a plain check, before
//! and after the commit, unsharded and sharded; and no finding on an unchanged line is reported as
//! new.

use crate::pull_requests::support::{RULE, run};
use crate::repository::Repository;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// A finding without its status: path, line, column, rule, id.
type FindingKey = (String, u64, u64, String, String);

/// The findings that a command reports, without fixed ones.
fn reported_findings(repository: &Repository, args: &[&str]) -> Vec<(FindingKey, String)> {
    let ran = run(repository, &[args, &["--format", "json"]].concat());
    let said = String::from_utf8_lossy(&ran.stderr);
    let report: Value =
        serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let findings = report["findings"].as_array().expect("findings").clone();
    let text = |finding: &Value, name: &str| finding[name].as_str().expect("text").to_owned();
    let number = |place: &Value, name: &str| place[name].as_u64().expect("a number");
    let finding = |finding: &Value| {
        let start = &finding["start"];
        let place = (number(start, "line"), number(start, "column"));
        let names = (text(finding, "rule"), text(finding, "id"));
        let seen = (text(finding, "path"), place.0, place.1, names.0, names.1);
        (seen, text(finding, "status"))
    };
    findings.iter().map(finding).filter(|(_, status)| status != "fixed").collect()
}

/// Lines, some of them equal, some with findings.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof!["[ab]{1,2}", "blue [ab]", " blue [ab]", Just(String::new())];
    proptest::collection::vec(line, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_lines_have_the_findings_of_a_plain_check(
        before in proptest::collection::vec(lines(), 3),
        after in proptest::collection::vec(lines(), 4),
    ) {
        let repository = Repository::new();
        repository.write(RULE.0, RULE.1);
        let write = |texts: &[Vec<String>]| {
            for (at, lines) in texts.iter().enumerate() {
                repository.write(format!("{at}.txt"), lines.join("\n"));
            }
        };
        write(&before);
        let base = repository.commit(&[]);
        write(&after);
        let plain = reported_findings(&repository, &["check", "."]);
        let changed = reported_findings(&repository, &["check", ".", "--changed"]);
        repository.commit(&[]);
        let judged = reported_findings(&repository, &["ci", "--base", &base]);
        prop_assert_eq!(&changed, &judged);
        for part in ["1/2", "2/2"] {
            let save = format!("part-{}.json", &part[..1]);
            let args = ["ci", "--base", &base, "--shard", part, "--save", &save];
            reported_findings(&repository, &args);
        }
        let merged = reported_findings(&repository, &["ci", "merge", "part-1.json", "part-2.json"]);
        prop_assert_eq!(&merged, &judged);

        for (at, lines) in after.iter().enumerate() {
            let path = format!("{at}.txt");
            let added = added_lines(&repository, &base, &path);
            let of = |found: &[(FindingKey, String)]| -> BTreeSet<FindingKey> {
                let there = |seen: &&FindingKey| seen.0 == path && added.contains(&seen.1);
                found.iter().map(|(seen, _)| seen).filter(there).cloned().collect()
            };
            prop_assert_eq!(of(&plain), of(&judged), "{}: {:?}", path, lines);
            let then = before.get(at).map_or(&[][..], Vec::as_slice);
            has_no_excess_new_findings(&judged, &path, then, lines)?;
        }
    }
}

/// Of equal lines, at most as many are new as were added. Which of them are new is ambiguous.
fn has_no_excess_new_findings(
    judged: &[(FindingKey, String)],
    path: &str,
    before: &[String],
    after: &[String],
) -> Result<(), TestCaseError> {
    let line = |seen: &FindingKey| after[usize::try_from(seen.1).expect("small") - 1].trim();
    for text in after.iter().map(|line| line.trim()).filter(|text| text.contains("blue")) {
        let count = |lines: &[String]| lines.iter().filter(|line| line.trim() == text).count();
        let blamed = judged
            .iter()
            .filter(|(seen, status)| seen.0 == path && status == "new" && line(seen) == text);
        let came = count(after).saturating_sub(count(before));
        prop_assert!(blamed.count() <= came, "{}: {}", path, text);
    }
    Ok(())
}

/// The lines that Git considers added, as an independent reference.
fn added_lines(repository: &Repository, base: &str, path: &str) -> BTreeSet<u64> {
    let diff = repository.git(&["diff", "--histogram", "--unified=0", base, "--", path]);
    let mut lines = BTreeSet::new();
    for header in diff.lines().filter(|line| line.starts_with("@@")) {
        let head = header.split(['+', '@']).nth(3).expect("a range").trim();
        let (start, count) = head.split_once(',').unwrap_or((head, "1"));
        let start: u64 = start.parse().expect("a line");
        lines.extend(start..start + count.parse::<u64>().expect("a count"));
    }
    lines
}
