//! How often a task in a sentence is routed to where a person would send it.

use aidd_engine::guidance::Library;
use aidd_engine::guidance::routing::Routing;
use serde::Deserialize;
use std::path::Path;

/// A task, and the row it belongs to; several where a person could send it to each.
#[derive(Deserialize)]
struct Case {
    task: String,
    row: Rows,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Rows {
    One(String),
    Several(Vec<String>),
}

impl Rows {
    fn hold(&self, row: Option<&str>) -> bool {
        match self {
            Self::One(wanted) => row == Some(wanted),
            Self::Several(wanted) => wanted.iter().any(|wanted| row == Some(wanted)),
        }
    }

    fn said(&self) -> String {
        match self {
            Self::One(wanted) => wanted.clone(),
            Self::Several(wanted) => wanted.join(" or "),
        }
    }
}

/// Each set of cases, and how many of its tasks go where they should. The words of the table were
/// chosen with the first two at hand. The next three were written before the table was asked, and gave
/// 25 of 40, 10 of 40 (tasks that avoid the usual words: for 19 of them it asks back) and 27 of 30;
/// words were then added with the third and the fourth at hand, not with the fifth.
///
/// The sixth avoids the usual words again and gave 19 of 60. The examples under `like` were then
/// written, for each row from what it is about, with the sixth at hand (44 of 60 now). The seventh had been written
/// before them by the same hand, and was asked once after: 23 of 30 (10 with the examples of before).
/// The eighth was written when the examples stood, on trades that none of them speaks of, and is the
/// one to judge by: 10 of 30 (4 before), and for 8 more it asks back instead of guessing.
const SETS: &[(&str, usize)] = &[
    ("first", 106),
    ("second", 42),
    ("third", 40),
    ("fourth", 39),
    ("fifth", 28),
    ("sixth", 44),
    ("seventh", 23),
    ("eighth", 10),
];

#[test]
fn tasks_go_where_they_belong() {
    let routing = Routing::new(&Library::shipped()).expect("the tables");
    let mut report = Vec::new();
    let mut sums = Vec::new();
    for (set, _) in SETS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/routing/{set}.yaml"));
        let text = std::fs::read_to_string(path).expect("cases");
        let cases: Vec<Case> = serde_saphyr::from_str(&text).expect("a list of cases");
        let mut right = 0;
        for case in &cases {
            let route = routing.classify(&case.task);
            let row = route.row.as_deref();
            if case.row.hold(row) {
                right += 1;
            } else {
                let (got, wanted) = (row.unwrap_or("nothing"), case.row.said());
                report.push(format!("{set}: {}: {got} instead of {wanted}", case.task));
            }
        }
        report.push(format!("{set}: {right} of {}", cases.len()));
        sums.push((*set, right));
    }
    assert_eq!(sums, SETS, "{}", report.join("\n"));
}
