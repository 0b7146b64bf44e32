//! Findings as an agent reads them: under the names that `--format json` has, without what is empty.

use crate::tool::{Answer, ToolError};
use aidd_engine::rules::registry::project_rule;
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::project::Project;
use aidd_report::run::{Document, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Files that were not wholly checked that are named in an answer.
const NAMED: usize = 20;
/// Most characters of a rule's reason in an answer; the page has the rest.
const WHY: usize = 240;

/// What a check found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Findings {
    /// Whether nothing new would fail a pull request.
    passes: bool,
    /// New findings, the worst first.
    findings: Vec<Found>,
    /// How many of each there are.
    summary: Summary,
    /// Why the rules of these findings exist.
    why: Vec<Why>,
    /// What could not be checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    /// What else to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// What the files were compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
}

/// One place where a rule is broken.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    id: String,
    rule: String,
    severity: String,
    path: String,
    start: wire::Position,
    end: wire::Position,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    status: wire::Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<wire::Gate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<wire::Fix>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<wire::Related>,
}

/// Counts. Those of severities are of new findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary {
    error: usize,
    warning: usize,
    info: usize,
    files: usize,
    /// New findings that this answer leaves out.
    more: usize,
    /// Files that were not, or not wholly, checked; not all of them are named.
    skipped: usize,
    pre_existing: usize,
    moved: usize,
    fixed: usize,
    baselined: usize,
    allowed: usize,
}

/// Why a rule exists.
#[derive(Debug, Serialize, JsonSchema)]
struct Why {
    rule: String,
    why: String,
}

/// What was not, or not wholly, checked.
#[derive(Debug, Serialize, JsonSchema)]
struct Skipped {
    path: String,
    why: String,
}

/// An error of the check as one of the tool: what it says after `hint:` is the remedy.
#[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
pub(super) fn said(error: anyhow::Error) -> ToolError {
    let text = format!("{error:#}");
    match text.split_once("\nhint: ") {
        Some((message, hint)) => ToolError::new(message).remedy(hint),
        None => ToolError::new(text),
    }
}

/// A document as an answer with at most `limit` findings.
pub(super) fn answer(project: &Project, document: &Document, limit: usize) -> Answer<Findings> {
    let ranked = document.ranked();
    let shown = &ranked[..ranked.len().min(limit)];
    let findings = Findings {
        passes: !document.is_failing(),
        findings: shown.iter().map(|found| Found::of(found)).collect(),
        summary: summary(document, ranked.len() - shown.len()),
        why: why(project, shown),
        skipped: document
            .skipped
            .iter()
            .take(NAMED)
            .map(|file| Skipped { path: file.path.clone(), why: file.why.clone() })
            .collect(),
        notes: document.notes.iter().cloned().chain(unread(project)).collect(),
        base: document.comparison.as_ref().map(|comparison| comparison.base.clone()),
    };
    let text = findings.text();
    Answer::new(findings, text)
}

/// Which of the project's rule pages cannot be read: whoever checks another file would take it that
/// their rules hold.
pub(super) fn unread(project: &Project) -> Option<String> {
    let means_a_pack = |text: &str| text.lines().any(|line| line.starts_with("pack:"));
    let of = |(path, text): &(String, String)| {
        let is_read = project_rule(path, text).is_some() || means_a_pack(text);
        (!is_read).then(|| path.clone())
    };
    let paths: Vec<String> = project.pages.iter().filter_map(of).collect();
    (!paths.is_empty()).then(|| {
        let names = paths.join(", ");
        format!(
            "no rule holds of what cannot be read: {names}; aidd_check_compliance on it says why"
        )
    })
}

fn summary(document: &Document, more: usize) -> Summary {
    let of = |status| document.findings.iter().filter(move |found| found.status == status);
    let new = |severity| of(wire::Status::New).filter(|found| found.severity == severity).count();
    Summary {
        error: new(Severity::Error),
        warning: new(Severity::Warning),
        info: new(Severity::Info),
        files: document.checked,
        more,
        skipped: document.skipped.len(),
        pre_existing: of(wire::Status::PreExisting).count(),
        moved: of(wire::Status::Moved).count(),
        fixed: of(wire::Status::Fixed).count(),
        baselined: of(wire::Status::Baselined).count(),
        allowed: of(wire::Status::Allowed).count(),
    }
}

/// The reason of each rule once: the first paragraph of its page.
fn why(project: &Project, shown: &[&wire::Finding]) -> Vec<Why> {
    let registry = project.registry();
    let rules: BTreeSet<&str> = shown.iter().map(|found| &*found.rule).collect();
    let of = |id: &str| {
        let rule = registry.get(id)?;
        let why = cut(rule.lead());
        (!why.is_empty()).then(|| Why { rule: id.to_owned(), why })
    };
    rules.into_iter().filter_map(of).collect()
}

/// A text cut at a sentence, where that can be.
fn cut(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(WHY) else { return text };
    match text[..end].rfind(". ") {
        Some(stop) => text[..=stop].to_owned(),
        None => format!("{}…", text[..end].trim_end()),
    }
}

impl Found {
    fn of(found: &wire::Finding) -> Self {
        Self {
            id: found.id.clone(),
            rule: found.rule.clone(),
            severity: found.severity.to_string(),
            path: found.path.clone(),
            start: found.start,
            end: found.end,
            message: found.message.clone(),
            help: found.help.clone(),
            status: found.status,
            reason: found.reason.clone(),
            gate: found.gate,
            fix: found.fix.clone(),
            related: found.related.clone(),
        }
    }
}

impl Findings {
    /// A line of totals, a line or three for each finding, then the reasons.
    fn text(&self) -> String {
        let mut text = self.totals();
        for found in &self.findings {
            let Found { id, rule, severity, path, start, message, .. } = found;
            let _ = write!(
                text,
                "\n{severity} {path}:{}:{} {rule} [{id}] {message}",
                start.line, start.column
            );
            if let Some(help) = &found.help {
                let _ = write!(text, "\n  help: {help}");
            }
            if let Some(fix) = &found.fix {
                let _ = write!(text, "\n  fix ({}): {}", fix.safety, fix.title);
            }
        }
        if self.summary.more > 0 {
            let _ =
                write!(text, "\nand {} more; raise `limit` or narrow the path", self.summary.more);
        }
        for Why { rule, why } in &self.why {
            let _ = write!(text, "\nwhy {rule}: {why}");
        }
        for Skipped { path, why } in &self.skipped {
            let _ = write!(text, "\nnot wholly checked: {path}: {why}");
        }
        if let Some(more @ 1..) = self.summary.skipped.checked_sub(self.skipped.len()) {
            let _ = write!(text, "\nand {more} more were not wholly checked; narrow the path");
        }
        for note in &self.notes {
            let _ = write!(text, "\nnote: {note}");
        }
        text
    }

    fn totals(&self) -> String {
        let Summary { error, warning, info, files, pre_existing, fixed, .. } = self.summary;
        let found = match (error, warning, info) {
            (0, 0, 0) => "nothing found".to_owned(),
            _ => format!("errors {error}, warnings {warning}, info {info}"),
        };
        let mut text = format!("{found}; files checked {files}");
        if let Some(base) = &self.base {
            let _ = write!(
                text,
                "; against {base}: new as above, there before {pre_existing}, fixed {fixed}"
            );
        }
        text.push_str(if self.passes { "; passes" } else { "; fails" });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_cut_at_a_sentence() {
        assert_eq!(cut("It is so. And so on.".to_owned()), "It is so. And so on.");
        assert_eq!(cut(format!("It is so. {}.", "and so on ".repeat(40))), "It is so.");
        assert_eq!(cut("긴".repeat(1000)).chars().count(), WHY + 1);
    }
}
