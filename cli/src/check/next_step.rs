//! The lines after the report: the command that a person probably needs next.

use super::Report;
use crate::cli::Check;
use aidd_authoring::packs;
use aidd_engine::text::finding::{Finding, Safety, Severity, Status};
use aidd_report::{Format, Io, Run, Style, layout, one_line};
use std::io::{self, Write};

/// Number of findings above which a baseline is suggested.
const MANY_FINDINGS: usize = 10;
/// Maximum number of files with fixes that are named.
const MAX_FIXABLE: usize = 3;
/// Maximum number of packs named.
const MAX_PACKS: usize = 2;
/// Maximum number of invalid settings files and rule pages named.
const MAX_INVALID: usize = 3;

/// Writes the next command, and, on a terminal, the packs that fit a project without configuration.
pub(super) fn write(
    report: &Report<'_>,
    run: &Run<'_>,
    style: &Style,
    io: &mut Io<'_>,
) -> io::Result<()> {
    if report.args.format != Format::Text {
        return Ok(());
    }
    for (index, step) in next_steps(report, run, style).iter().enumerate() {
        let label = if index == 0 { "next: " } else { "      " };
        writeln!(io.out, "{}", layout::hanging(label, step, style))?;
    }
    let is_unconfigured = report.project.config_path.is_none() && report.is_whole_project;
    let packs = if is_unconfigured && style.wrap { fitting_packs(report) } else { None };
    match packs {
        Some(packs) => writeln!(io.out, "{}", layout::wrap(&packs, 0, style)),
        None => Ok(()),
    }
}

fn next_steps(report: &Report<'_>, run: &Run<'_>, style: &Style) -> Vec<String> {
    let findings = run.files.iter().flat_map(|file| &file.findings);
    let new: Vec<&Finding> =
        findings.copied().filter(|finding| finding.status == Status::New).collect();
    let is_shown = |finding: &&Finding| {
        finding.severity > Severity::Info || aidd_report::is_secret(&finding.rule)
    };
    let (listed, infos): (Vec<&Finding>, Vec<&Finding>) = new.into_iter().partition(is_shown);
    let call = call(report.args);
    let mut steps = Vec::new();
    steps.extend(invalid_settings(run));
    if !steps.is_empty() {
        // The findings can change once the settings have an effect.
    } else if listed.is_empty() {
        let is_hidden = !infos.is_empty() && !style.listing.infos;
        steps.extend(is_hidden.then(|| format!("list the infos with `{call} --all`")));
    } else if let Some(command) = fix_command(report.args, run) {
        steps.push(format!("review the fixes with `{command} --fix --dry-run`"));
    } else if let Some(worst) = most_severe(&listed) {
        steps.push(format!("read the reason and the fix with `aidd explain {}`", worst.rule));
    }
    if listed.len() + infos.len() > MANY_FINDINGS && !run.baseline && run.comparison.is_none() {
        let text = "record the existing findings with `aidd baseline write`, so that only new \
                    findings are reported";
        steps.push(text.to_owned());
    }
    steps
}

/// The step to correct invalid settings and rule pages; `None` if there are none.
fn invalid_settings(run: &Run<'_>) -> Option<String> {
    let is_invalid = |finding: &&Finding| {
        finding.status == Status::New && aidd_report::is_about_settings(&finding.rule)
    };
    let invalid = run.files.iter().filter(|file| file.findings.iter().any(is_invalid));
    let mut paths: Vec<String> = invalid.map(|file| one_line(file.source.path())).collect();
    paths.dedup();
    let more = paths.split_off(paths.len().min(MAX_INVALID)).len();
    let last = match more {
        0 => paths.pop()?,
        1 => "1 more file".to_owned(),
        _ => format!("{more} more files"),
    };
    Some(match &paths[..] {
        [] => format!("correct {last} first, because it determines what is checked"),
        _ => format!(
            "correct {} and {last} first, because they determine what is checked",
            paths.join(", ")
        ),
    })
}

/// The finding that is listed first: the first one of the highest severity, secrets first.
fn most_severe<'a>(listed: &[&'a Finding]) -> Option<&'a Finding> {
    // `max_by_key` returns the last of several equal items.
    let rank = |finding: &&&Finding| (finding.severity, aidd_report::is_secret(&finding.rule));
    listed.iter().rev().max_by_key(rank).copied()
}

/// The command that checks the files with safe fixes: the same call, or, because a comparison
/// cannot be combined with fixes, the names of the files.
fn fix_command(args: &Check, run: &Run<'_>) -> Option<String> {
    let is_safe = |finding: &&Finding| {
        let is_listed = finding.status == Status::New && finding.severity > Severity::Info;
        is_listed && finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe)
    };
    let fixable =
        run.files.iter().filter(|file| file.findings.iter().copied().any(|one| is_safe(&one)));
    let paths: Vec<String> = fixable
        .map(|file| quoted(&run.root.join(file.source.path()).display().to_string()))
        .collect();
    match paths.len() {
        0 => None,
        _ if !args.diff.is_set() => Some(call(args)),
        n if n > MAX_FIXABLE => None,
        _ => Some(format!("aidd check {}", paths.join(" "))),
    }
}

/// The command line of the call, without the options that concern only the output.
fn call(args: &Check) -> String {
    let mut words = vec!["aidd".to_owned(), "check".to_owned()];
    let paths = args.paths.iter().map(|path| path.display().to_string());
    let mut paths: Vec<String> = paths.filter(|path| path != ".").collect();
    paths.sort();
    words.extend(paths.iter().map(|path| quoted(path)));
    let diff = &args.diff;
    words.extend(diff.diff.iter().map(|base| format!("--diff {}", quoted(base))));
    for (is_set, flag) in [
        (diff.changed, "--changed"),
        (diff.staged, "--staged"),
        (args.walk.no_ignore, "--no-ignore"),
        (args.walk.no_hidden, "--no-hidden"),
    ] {
        words.extend(is_set.then(|| flag.to_owned()));
    }
    let lists = [
        ("--only", &args.selection.only),
        ("--skip", &args.selection.skip),
        ("--exclude", &args.walk.exclude),
    ];
    for (flag, values) in lists {
        words.extend(values.iter().map(|value| format!("{flag} {}", quoted(value))));
    }
    words.join(" ")
}

/// A word of a command line, quoted if a shell would change it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The packs that fit the project, in one line.
fn fitting_packs(report: &Report<'_>) -> Option<String> {
    let paths: Vec<String> = report.compared.outcome.visited.iter().cloned().collect();
    let fits = packs::fitting(report.project, report.engine.registry(), &paths);
    let names: Vec<&str> = fits.iter().map(|fit| &*fit.name).collect();
    packs_text(&names)
}

fn packs_text(names: &[&str]) -> Option<String> {
    let (named, more) = names.split_at(names.len().min(MAX_PACKS));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let named = named.join(", ");
    (!named.is_empty()).then(|| format!("rule packs that fit: {named}{more}; try `aidd init`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_are_quoted_if_necessary() {
        assert_eq!(quoted("src/a-b.ts"), "src/a-b.ts");
        assert_eq!(quoted("secrets/*"), "'secrets/*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn packs_are_named_in_one_line() {
        assert_eq!(packs_text(&[]), None);
        let text = |names| packs_text(names).expect("text");
        assert_eq!(text(&["go", "sql"]), "rule packs that fit: go, sql; try `aidd init`");
        let many = text(&["go", "sql", "testing", "react", "security"]);
        let expected = "rule packs that fit: go, sql and 3 more; try `aidd init`";
        assert_eq!(many, expected);
    }
}
