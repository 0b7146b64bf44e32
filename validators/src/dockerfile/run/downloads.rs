//! Checks on `wget` and `curl`.

use super::{Check, Runs};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;

pub(super) const CHECKS: &[(&str, Check)] =
    &[("dockerfile/wget-progress", wget_progress), ("dockerfile/wget-and-curl", wget_and_curl)];

fn wget_progress(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["wget"]) {
        let command = site.command;
        let quiet = |text: &str| match text.strip_prefix("--") {
            Some(long) => ["quiet", "no-verbose", "progress", "output-file", "append-output"]
                .iter()
                .any(|option| {
                    long == *option
                        || long.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
                }),
            None => {
                let letters = text.strip_prefix('-').unwrap_or_default();
                // The text after one of these letters is a value.
                let letters = letters.split(['O', 'P', 'U', 'e', 'i', 't', 'T']).next();
                let letters = letters.unwrap_or_default();
                letters.contains("nv") || letters.contains(['q', 'o', 'a'])
            }
        };
        let shows_help = command.has_option(&["version", "help", "V", "h"]);
        if shows_help || command.arguments().iter().any(|word| quiet(word.text())) {
            continue;
        }
        let span = site.program_span();
        let finding = report.at(span, "the progress bar of `wget` floods the build log");
        finding.help("Add `--progress=dot:giga`, or `-q` for no output");
        if site.run.is_editable() {
            let edit = Edit::insert(span.end, " --progress=dot:giga");
            finding.fix("Add --progress=dot:giga", vec![edit]);
        }
    }
}

fn wget_and_curl(runs: &Runs<'_>, report: &mut Report<'_>) {
    let mut stage = None;
    let mut seen = [None, None];
    for run in &runs.runs {
        if run.instruction.stage != stage {
            (stage, seen) = (run.instruction.stage, [None, None]);
        }
        let mut calls = Vec::new();
        for site in run.commands() {
            let tool = match site.command.program() {
                "wget" => 0,
                "curl" => 1,
                _ => continue,
            };
            seen[tool].get_or_insert(site.program_span());
            calls.push((tool, site.program_span()));
        }
        let [Some(wget), Some(curl)] = seen else { continue };
        // Report the first call of the tool used second, or else the first call in the `RUN`.
        let used_second = if wget.start > curl.start { 0 } else { 1 };
        let call = calls.iter().find(|call| call.0 == used_second).or(calls.first());
        if let Some(&(tool, span)) = call {
            let (this, other, other_span) =
                if tool == 0 { ("wget", "curl", curl) } else { ("curl", "wget", wget) };
            report
                .at(span, format!("`{this}` is used although the stage also has `{other}`"))
                .help("Use only one of the two, and do not install the other")
                .related(other_span, format!("`{other}` is used here"));
        }
    }
}
