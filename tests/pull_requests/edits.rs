//! Property test with arbitrary edits: on changed lines, a comparison reports the same findings as a
//! plain check, before and after the commit, sharded or not; and no finding on an unchanged line is
//! reported as new.

use crate::pull_requests::support::{RULE, run};
use crate::repository::Repository;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// A finding without its status: path, line, column, rule, id.
type FindingKey = (String, u64, u64, String, String);

/// The findings that a command reports, except fixed ones, each with its status.
fn reported_findings(repository: &Repository, args: &[&str]) -> Vec<(FindingKey, String)> {
    let output = run(repository, &[args, &["--format", "json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let findings = report["findings"].as_array().expect("findings").clone();
    let text = |finding: &Value, name: &str| finding[name].as_str().expect("text").to_owned();
    let number = |position: &Value, name: &str| position[name].as_u64().expect("a number");
    let finding = |finding: &Value| {
        let start = &finding["start"];
        let (line, column) = (number(start, "line"), number(start, "column"));
        let (rule, id) = (text(finding, "rule"), text(finding, "id"));
        let key = (text(finding, "path"), line, column, rule, id);
        (key, text(finding, "status"))
    };
    findings.iter().map(finding).filter(|(_, status)| status != "fixed").collect()
}

/// Generates lines; some are equal, and some have findings.
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
        let committed = reported_findings(&repository, &["ci", "--base", &base]);
        prop_assert_eq!(&changed, &committed);
        for part in ["1/2", "2/2"] {
            let save = format!("part-{}.json", &part[..1]);
            let args = ["ci", "--base", &base, "--shard", part, "--save", &save];
            reported_findings(&repository, &args);
        }
        let merged = reported_findings(&repository, &["ci", "merge", "part-1.json", "part-2.json"]);
        prop_assert_eq!(&merged, &committed);

        for (at, lines) in after.iter().enumerate() {
            let path = format!("{at}.txt");
            let added = added_lines(&repository, &base, &path);
            let on_added_lines = |found: &[(FindingKey, String)]| -> BTreeSet<FindingKey> {
                let is_added = |key: &&FindingKey| key.0 == path && added.contains(&key.1);
                found.iter().map(|(key, _)| key).filter(is_added).cloned().collect()
            };
            let (plain_added, added) = (on_added_lines(&plain), on_added_lines(&committed));
            prop_assert_eq!(plain_added, added, "{}: {:?}", path, lines);
            let old_lines = before.get(at).map_or(&[][..], Vec::as_slice);
            assert_no_excess_new_findings(&committed, &path, old_lines, lines)?;
        }
    }
}

/// Checks that the number of equal lines with a new finding is at most the number of such lines that
/// were added. Which of the equal lines are new is ambiguous.
fn assert_no_excess_new_findings(
    committed: &[(FindingKey, String)],
    path: &str,
    before: &[String],
    after: &[String],
) -> Result<(), TestCaseError> {
    let line = |key: &FindingKey| after[usize::try_from(key.1).expect("a small number") - 1].trim();
    for text in after.iter().map(|line| line.trim()).filter(|text| text.contains("blue")) {
        let count = |lines: &[String]| lines.iter().filter(|line| line.trim() == text).count();
        let reported_new = committed
            .iter()
            .filter(|(key, status)| key.0 == path && status == "new" && line(key) == text);
        let added_count = count(after).saturating_sub(count(before));
        prop_assert!(reported_new.count() <= added_count, "{}: {}", path, text);
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
