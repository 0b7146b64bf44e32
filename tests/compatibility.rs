//! Tests how often a verdict on two technologies agrees with the judgement of someone who has worked
//! with both.

use aidd_engine::project::stack::Stack;
use aidd_guidance::Library;
use aidd_guidance::compatibility::{self, Verdict};
use aidd_guidance::knowledge::Knowledge;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct Case {
    pair: [String; 2],
    /// From 0 to 100; from [`GOOD`], the person would use the pair.
    expert: i32,
}

/// The lowest judgement of a pair that works together.
const GOOD: i32 = 60;

/// Of the pairs with a verdict, the least share whose verdict agrees with the judgement, in percent.
const MIN_AGREEMENT: usize = 95;

#[test]
fn verdicts_agree_with_expert_judgement() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compatibility/pairs.yaml");
    let text = std::fs::read_to_string(path).expect("pairs");
    let cases: Vec<Case> = serde_saphyr::from_str(&text).expect("a list of pairs");
    let library = Library::shipped(&aidd_content::RULES);
    let knowledge = Knowledge::new(&library);
    let stack = Stack::default();
    let (mut counts, mut report) = ((0, 0, 0), Vec::new());
    for case in &cases {
        let [one, other] = &case.pair;
        let find = |name: &str| knowledge.find(name).unwrap_or_else(|_| panic!("no {name}"));
        let pair = compatibility::compare(find(one), find(other), &stack);
        let is_good = pair.verdict == Verdict::Compatible;
        if pair.verdict == Verdict::NotKnown {
            counts.2 += 1;
        } else if is_good == (case.expert >= GOOD) {
            counts.0 += 1;
        } else {
            counts.1 += 1;
            report.push(format!("{one} {other}: {:?} for {}", pair.verdict, case.expert));
        }
    }
    let (right, wrong, unknown) = counts;
    let report =
        format!("{right} right, {wrong} wrong, {unknown} not known\n{}", report.join("\n"));
    assert!(right * 100 >= (right + wrong) * MIN_AGREEMENT, "{report}");
    assert!(right + wrong > unknown, "{report}");
}
