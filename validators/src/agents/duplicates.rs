//! Instructions that several files of one directory repeat.

use super::AgentContext;
use super::model::{Purpose, classify};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{sibling, side_file};
use std::collections::HashSet;

/// Files that are compared with `AGENTS.md` in the same directory.
const COMPARED: [&str; 5] =
    ["CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules"];
/// Minimum length of a compared line, in bytes.
const MIN_LINE: usize = 24;
/// Minimum number of compared lines of the file.
const MIN_LINES: usize = 6;

pub(super) fn duplicate_instructions(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_compared = COMPARED.contains(&name) || path == ".github/copilot-instructions.md";
    let is_instructions = classify(path).is_some_and(|file| file.purpose == Purpose::Instructions);
    if !is_compared || !is_instructions {
        return;
    }
    let other = if name == "copilot-instructions.md" {
        "AGENTS.md".to_owned()
    } else {
        sibling(path, "AGENTS.md")
    };
    let Some(other_text) = side_file(context.files, &other) else { return };
    let lines = |text: &str| -> Vec<String> {
        let long = text.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE);
        long.map(str::to_lowercase).collect()
    };
    let known: HashSet<String> = lines(&other_text).into_iter().collect();
    let own = lines(context.source.text());
    let shared = own.iter().filter(|line| known.contains(*line)).count();
    if own.len() < MIN_LINES || shared * 2 <= own.len() {
        return;
    }
    let message = format!("{shared} of {} lines repeat `{other}`", own.len());
    let help = match name {
        "CLAUDE.md" | "GEMINI.md" => {
            "import the other file with `@AGENTS.md`, and keep what differs"
        }
        _ => "keep one file; most clients read AGENTS.md",
    };
    report.at(context.source.line_span(0), message).help(help);
}
