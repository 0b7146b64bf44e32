//! Whatever the edit: the comparison holds what a plain check holds, and no line that stayed is
//! blamed for what it was.

use crate::repository::Repository;
use crate::support::{RULE, run};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// A finding without its status: path, line, column, rule, id.
type Seen = (String, u64, u64, String, String);

fn seen(repository: &Repository, args: &[&str]) -> Vec<(Seen, String)> {
    let ran = run(repository, &[&["check", ".", "--format", "json"], args].concat());
    let report: Value = serde_json::from_slice(&ran.stdout).expect("a report");
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

/// Lines that are often alike, some with findings.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof!["[ab]{1,2}", "blue [ab]", " blue [ab]", Just(String::new())];
    proptest::collection::vec(line, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn changed_lines_have_the_findings_of_a_plain_check(
        before in proptest::collection::vec(lines(), 2),
        after in proptest::collection::vec(lines(), 3),
    ) {
        let repository = Repository::new();
        repository.write(RULE.0, RULE.1);
        for (at, lines) in before.iter().enumerate() {
            repository.write(format!("{at}.txt"), lines.join("\n"));
        }
        repository.commit(&[]);
        for (at, lines) in after.iter().enumerate() {
            repository.write(format!("{at}.txt"), lines.join("\n"));
        }
        let plain = seen(&repository, &[]);
        let judged = seen(&repository, &["--changed"]);
        for (at, lines) in after.iter().enumerate() {
            let path = format!("{at}.txt");
            let added = added(&repository, &path);
            let of = |found: &[(Seen, String)]| -> BTreeSet<Seen> {
                let there = |seen: &&Seen| seen.0 == path && added.contains(&seen.1);
                found.iter().map(|(seen, _)| seen).filter(there).cloned().collect()
            };
            prop_assert_eq!(of(&plain), of(&judged), "{}: {:?}", path, lines);
            for (seen, status) in &judged {
                if seen.0 == path && !added.contains(&seen.1) {
                    // Which of two equal lines stayed is a matter of opinion.
                    prop_assert_ne!(status, "new", "{:?}", seen);
                }
            }
        }
    }
}

/// The lines that Git calls added: a second opinion.
fn added(repository: &Repository, path: &str) -> BTreeSet<u64> {
    if !repository.run(&["ls-files", "--error-unmatch", path]).status.success() {
        return (1..100).collect();
    }
    let diff = repository.git(&["diff", "--histogram", "--unified=0", "HEAD", "--", path]);
    let mut lines = BTreeSet::new();
    for header in diff.lines().filter(|line| line.starts_with("@@")) {
        let head = header.split(['+', '@']).nth(3).expect("a range").trim();
        let (start, count) = head.split_once(',').unwrap_or((head, "1"));
        let start: u64 = start.parse().expect("a line");
        lines.extend(start..start + count.parse::<u64>().expect("a count"));
    }
    lines
}
