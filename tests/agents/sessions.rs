//! A day in each of three repositories, as a transcript of an agent's requests and answers.

use crate::agents::normalize::Normalizer;
use crate::agents::{AIDD, script, word};
use aidd_lexicon::tokens;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::Path;

/// Number of lines shown from the start and from the end of an answer.
const SHOWN_LINES: (usize, usize) = (16, 4);

/// Maximum number of tokens of an answer without a budget: the longest role or workflow page plus a
/// third.
const MAX_TOKENS: usize = 1600;

/// The same for data, whose keys and quotes roughly double the cost of many rows.
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

/// Runs the day of a repository; the transcript is the snapshot in `snapshots`.
fn run_session(name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let description =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/agents/repositories/{name}.txt"));
    let Some(said) = script("days.py", &[AIDD, word(folder.path()), word(&description)]) else {
        return;
    };
    let mut steady = Normalizer::default();
    let mut transcript = String::new();
    for line in said.lines() {
        let step: Step = serde_json::from_str(line).expect("a step");
        let (cost, as_data) = (tokens::count(&step.answer), tokens::count(&step.data));
        let (most, most_as_data) =
            step.budget.map_or((MAX_TOKENS, MAX_DATA_TOKENS), |most| (most, most));
        assert!(cost <= most, "{} costs {cost} tokens of {most}\n{}", step.request, step.answer);
        let dear = as_data > most_as_data;
        assert!(!dear, "{}: {as_data} tokens of {most_as_data}\n{}", step.request, step.data);
        let _ = writeln!(transcript, "> {}", steady.text(&step.request));
        let _ = writeln!(transcript, "{}", abbreviate(&steady.text(&step.answer), step.budget));
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, transcript);
    });
}

/// A long answer without its middle, whose lines are counted; an answer with a budget without its
/// end: how many lines fit depends on the tokens of the ids, which differ between runs.
fn abbreviate(answer: &str, budget: Option<usize>) -> String {
    let lines: Vec<&str> = answer.lines().collect();
    let (first, last) = SHOWN_LINES;
    let mut text = String::new();
    let hidden = lines.len().saturating_sub(first + last);
    for (at, line) in lines.iter().enumerate() {
        if hidden > 1 && (first..first + hidden).contains(&at) {
            if at == first {
                let _ = match budget {
                    Some(most) => writeln!(text, "… within {most} tokens"),
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
fn a_monorepo_in_typescript() {
    run_session("shop");
}

#[test]
fn a_workspace_in_rust() {
    run_session("ledger");
}

#[test]
fn a_service_in_python() {
    run_session("notify");
}
