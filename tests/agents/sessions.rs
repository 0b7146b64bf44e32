//! Agent sessions in three repositories, as transcripts of the agent's requests and answers.

use crate::agents::normalize::Normalizer;
use crate::agents::{AIDD, as_argument, script};
use aidd_lexicon::tokens;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::Path;

/// Number of lines shown from the start and from the end of an answer.
const SHOWN_LINES: (usize, usize) = (16, 4);

/// Maximum number of tokens of an answer without a budget: the longest role or workflow page plus a
/// third.
const MAX_TOKENS: usize = 1600;

/// Maximum number of tokens of the structured data of an answer without a budget; keys and quotes
/// roughly double the cost of many rows.
const MAX_DATA_TOKENS: usize = 2400;

/// A request and its answer.
#[derive(Deserialize)]
struct Step {
    request: String,
    answer: String,
    /// The structured answer, which some clients show instead.
    data: String,
    /// Token budget of the answer, if the request states one.
    budget: Option<usize>,
}

/// Runs the sessions of a repository, and compares the transcript with the snapshot in `snapshots`.
fn run_session(name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let description =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/agents/repositories/{name}.txt"));
    let Some(output) =
        script("days.py", &[AIDD, as_argument(folder.path()), as_argument(&description)])
    else {
        return;
    };
    let mut normalizer = Normalizer::default();
    let mut transcript = String::new();
    for line in output.lines() {
        let step: Step = serde_json::from_str(line).expect("a step");
        let (cost, as_data) = (tokens::count(&step.answer), tokens::count(&step.data));
        let (max, max_as_data) =
            step.budget.map_or((MAX_TOKENS, MAX_DATA_TOKENS), |max| (max, max));
        assert!(cost <= max, "{} costs {cost} tokens of {max}\n{}", step.request, step.answer);
        let is_too_long = as_data > max_as_data;
        assert!(!is_too_long, "{}: {as_data} tokens of {max_as_data}\n{}", step.request, step.data);
        let _ = writeln!(transcript, "> {}", normalizer.text(&step.request));
        let _ = writeln!(transcript, "{}", abbreviate(&normalizer.text(&step.answer), step.budget));
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, transcript);
    });
}

/// Abbreviates a long answer: the middle is replaced by the number of its lines. Of an answer with a
/// budget, only the start is retained: how many lines are within the budget depends on the ids, whose
/// token count differs between runs.
fn abbreviate(answer: &str, budget: Option<usize>) -> String {
    let lines: Vec<&str> = answer.lines().collect();
    let (first, last) = SHOWN_LINES;
    let mut text = String::new();
    let hidden = lines.len().saturating_sub(first + last);
    for (at, line) in lines.iter().enumerate() {
        if hidden > 1 && (first..first + hidden).contains(&at) {
            if at == first {
                let _ = match budget {
                    Some(max) => writeln!(text, "… within {max} tokens"),
                    None => writeln!(text, "… {hidden} lines …"),
                };
            }
        } else if budget.is_some() && hidden > 1 && at >= first {
            break;
        } else {
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text
}

#[test]
fn sessions_in_a_typescript_monorepo_match_the_transcript() {
    run_session("shop");
}

#[test]
fn sessions_in_a_rust_workspace_match_the_transcript() {
    run_session("ledger");
}

#[test]
fn sessions_in_a_python_service_match_the_transcript() {
    run_session("notify");
}
