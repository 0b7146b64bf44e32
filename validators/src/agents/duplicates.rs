//! Instructions that several files of one directory repeat.

use super::AgentContext;
use super::model::Purpose;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::paths::below;
use std::collections::HashSet;

/// Files of one directory that are compared, each with those before it.
const COMPARED: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".github/copilot-instructions.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
];
/// Minimum length of a compared line, in bytes.
const MIN_LINE: usize = 24;
/// Minimum number of compared lines of the file.
const MIN_LINES: usize = 6;

pub(super) fn duplicate_instructions(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let is_name = |name: &str| {
        path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let Some(index) = COMPARED.iter().position(|name| is_name(name)) else { return };
    if context.file.purpose != Purpose::Instructions {
        return;
    }
    let lines = |text: &str| -> Vec<String> {
        let long = text.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE);
        long.map(str::to_lowercase).collect()
    };
    let own = lines(context.source.text());
    if own.len() < MIN_LINES {
        return;
    }
    let name = COMPARED[index];
    let directory = path[..path.len() - name.len()].trim_end_matches('/');
    for other in COMPARED[..index].iter().map(|other| below(directory, other)) {
        // A link is the same file under another name.
        if context.listing().is_some_and(|listing| !listing.has_file(&other)) {
            continue;
        }
        let Some(other_text) = side_file(context.files, &other) else { continue };
        let known: HashSet<String> = lines(&other_text).into_iter().collect();
        let shared = own.iter().filter(|line| known.contains(*line)).count();
        if shared * 2 <= own.len() {
            continue;
        }
        let message = format!("{shared} of {} lines repeat `{other}`", own.len());
        let help = match name {
            "CLAUDE.md" | "GEMINI.md" => "import the other file with `@`, and keep what differs",
            _ => "keep one file; most clients read AGENTS.md",
        };
        report.at(context.source.line_span(0), message).help(help);
        return;
    }
}
