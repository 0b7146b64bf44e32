//! The lines after the report: the command that a person probably needs next.

use super::Report;
use aidd_authoring::packs;
use aidd_engine::text::finding::{Finding, Safety, Severity, Status};
use aidd_report::{Format, Io, Run, Style, layout};
use std::io::{self, Write};

/// Number of findings above which a baseline is suggested.
const MANY_FINDINGS: usize = 30;
/// Maximum number of packs named.
const MAX_PACKS: usize = 2;

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
    if let Some(step) = next_command(run, style) {
        writeln!(io.out, "{}", layout::wrap(&format!("next: {step}"), 0, style))?;
    }
    let is_unconfigured = report.project.config_path.is_none() && report.is_whole_project;
    let packs = if is_unconfigured && style.wrap { fitting_packs(report) } else { None };
    match packs {
        Some(packs) => writeln!(io.out, "{}", layout::wrap(&packs, 0, style)),
        None => Ok(()),
    }
}

fn next_command(run: &Run<'_>, style: &Style) -> Option<String> {
    let findings = run.files.iter().flat_map(|file| &file.findings);
    let new: Vec<&Finding> =
        findings.copied().filter(|finding| finding.status == Status::New).collect();
    let (infos, listed): (Vec<&Finding>, Vec<&Finding>) =
        new.into_iter().partition(|finding| finding.severity == Severity::Info);
    if listed.is_empty() {
        let is_hidden = !infos.is_empty() && !style.listing.infos;
        return is_hidden.then(|| "list the infos with `aidd check --all`".to_owned());
    }
    let is_safe =
        |finding: &&Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe);
    if listed.iter().any(is_safe) {
        return Some("review the fixes with `aidd check --fix --dry-run`".to_owned());
    }
    if listed.len() > MANY_FINDINGS && !run.baseline && run.comparison.is_none() {
        let text = "record the existing findings with `aidd baseline write`, so that only new \
                    findings fail";
        return Some(text.to_owned());
    }
    let worst = listed.iter().max_by_key(|finding| finding.severity)?;
    Some(format!("read the reason and the fix with `aidd explain {}`", worst.rule))
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
    fn packs_are_named_in_one_line() {
        assert_eq!(packs_text(&[]), None);
        let text = |names| packs_text(names).expect("text");
        assert_eq!(text(&["go", "sql"]), "rule packs that fit: go, sql; try `aidd init`");
        let many = text(&["go", "sql", "testing", "react", "security"]);
        let expected = "rule packs that fit: go, sql and 3 more; try `aidd init`";
        assert_eq!(many, expected);
    }
}
