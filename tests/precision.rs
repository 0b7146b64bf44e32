//! Tests that the tables of `docs/precision.md` match the verdicts of the evaluations.

use crate::tidy::root;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

const PAGE: &str = "docs/precision.md";
/// The verdicts of evaluation 20 on all families, of evaluations 21 to 24 on two, and of
/// evaluations 25 to 29 on the rules on agents.
const VERDICTS: [&str; 10] = [
    "tests/precision/verdicts.tsv",
    "tests/precision/verdicts-21.tsv",
    "tests/precision/verdicts-22.tsv",
    "tests/precision/verdicts-23.tsv",
    "tests/precision/verdicts-24.tsv",
    "tests/precision/verdicts-25.tsv",
    "tests/precision/verdicts-26.tsv",
    "tests/precision/verdicts-27.tsv",
    "tests/precision/verdicts-28.tsv",
    "tests/precision/verdicts-29.tsv",
];
const END: &str = "<!-- end -->\n";

/// Numbers of findings by verdict: right, pointless, wrong.
type Counts = [u32; 3];

fn add(to: &mut Counts, counts: Counts) {
    for (sum, count) in to.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// A row of a table, with shares in percent.
fn row(name: &str, counts: Counts) -> String {
    let all: u32 = counts.iter().sum();
    let share = |count: u32| f64::from(100 * count) / f64::from(all.max(1));
    let [right, pointless, wrong] = counts;
    format!(
        "| {name} | {all} | {right} ({:.0} %) | {pointless} ({:.0} %) | {wrong} ({:.0} %) |\n",
        share(right),
        share(pointless),
        share(wrong)
    )
}

fn tables(verdicts: &str) -> String {
    let mut severities: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut rules: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let mut repositories: BTreeMap<&str, &str> = BTreeMap::new();
    for line in verdicts.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [severity, rule, repository, commit, right, pointless, wrong] = cells[..] else {
            panic!("expected seven columns: {line}");
        };
        let counts = [right, pointless, wrong].map(|count| count.parse().expect("a number"));
        add(severities.entry(severity).or_default(), counts);
        add(rules.entry((severity, rule)).or_default(), counts);
        repositories.insert(repository, commit);
    }
    const HEAD: &str =
        "judged | right | pointless | wrong |\n| --- | ---: | ---: | ---: | ---: |\n";
    let mut text = format!("| Severity | {HEAD}");
    for (severity, counts) in severities {
        text += &row(severity, counts);
    }
    write!(text, "\n| Rule | {HEAD}").expect("a string");
    for ((severity, rule), counts) in rules {
        text += &row(&format!("`{rule}` ({severity})"), counts);
    }
    text += "\nRepositories with findings, at their commits: ";
    let named: Vec<String> = repositories.iter().map(|(name, at)| format!("{name} {at}")).collect();
    text + &named.join(", ") + ".\n"
}

#[test]
fn the_tables_on_precision_are_current() {
    let read =
        |path: &str| fs::read_to_string(root().join(path)).expect("text").replace("\r\n", "\n");
    for path in VERDICTS {
        let page = read(PAGE);
        let begin = format!("<!-- counted from {path} -->\n");
        let (before, rest) = page.split_once(&begin).expect("the start of the tables");
        let (found, after) = rest.split_once(END).expect("the end of the tables");
        let tables = tables(&read(path));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let text = format!("{before}{begin}{tables}{END}{after}");
            fs::write(root().join(PAGE), text).expect("written");
            continue;
        }
        assert!(found == tables, "{PAGE} is out of date; update it with UPDATE_DOCS=1");
    }
}
