//! Learns the weights of `lexicon/tables/commit_types.txt` again; see `benches/commits/train`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "reads the names of repositories and prints a table for a person"
)]

use super::*;
use crate::commit_message::staged::past_commits_of;
use std::path::Path;

/// Prints the section `weights` with the same features, learnt from the repositories in
/// `AIDD_TRAIN`, which are separated by `:`.
#[test]
#[ignore = "run by benches/commits/train"]
fn print_weights() {
    let repositories = std::env::var("AIDD_TRAIN").expect("AIDD_TRAIN lists repositories");
    let types: Vec<&str> = PRIOR.types.iter().map(|(kind, _)| *kind).collect();
    let mut names: Vec<(u32, &str)> =
        table::WEIGHTS.pairs().map(|(name, _)| (hash(name), name)).collect();
    names.sort_unstable();
    let known: Vec<u32> = names.iter().map(|(hash, _)| *hash).collect();
    let mut rows = Vec::new();
    for top in repositories.split(':') {
        let past = past_commits_of(Path::new(top)).expect("a repository with commits");
        let examples = examples(&past);
        let answers: Vec<Option<usize>> = examples
            .iter()
            .map(|(commit, _)| types.iter().position(|kind| Some(*kind) == commit.kind.as_deref()))
            .collect();
        let features: Vec<&Features> = examples.iter().map(|(_, row)| row).collect();
        let base = base_scores(&features, &answers, &types, &HashMap::new());
        let indexed = features.iter().map(|row| with_indices(row, &known));
        rows.extend(indexed.zip(answers).zip(base).enumerate());
    }
    // Take turns between the repositories.
    rows.sort_by_key(|(at, _)| *at);
    let answers: Vec<Option<usize>> = rows.iter().map(|(_, ((_, answer), _))| *answer).collect();
    let (features, base) = rows.into_iter().map(|(_, ((row, _), base))| (row, base)).unzip();
    let (types, count) = (types.len(), known.len());
    let data = Data { rows: features, answers: &answers, base, types, features: count };
    let weights = data.train(answers.len());
    let mut lines: Vec<String> = Vec::new();
    for ((_, name), row) in names.iter().zip(weights.chunks(types)) {
        let tenths: Vec<String> =
            row.iter().map(|weight| format!("{:.0}", weight * 10.0)).collect();
        lines.push(format!("{name} = {}", tenths.join(" ").replace("-0", "0")));
    }
    lines.sort_unstable();
    println!("[weights]\n{}", lines.join("\n"));
}
