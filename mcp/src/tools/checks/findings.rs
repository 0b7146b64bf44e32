//! Findings for an agent, with the field names of `--format json` and without empty fields.

use super::disabled::Disabled;
use super::verified;
use crate::tool::{Answer, ToolError};
use aidd_engine::check::Selection;
use aidd_engine::rules::registry::project_rule;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::project::Project;
use aidd_report::error::RunError;
use aidd_report::number;
use aidd_report::run::{Document, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Maximum number of incompletely checked files that an answer lists.
const MAX_SKIPPED: usize = 20;
/// Maximum length of a rule's reason in characters; the rule page contains the full text.
const MAX_REASON_CHARS: usize = 240;

/// The result of a check.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Findings {
    /// Whether the rules ran and no new finding would fail a pull request.
    passes: bool,
    /// Whether all rules of a requested category are disabled.
    #[serde(skip)]
    is_unchecked: bool,
    /// Whether some of the requested rules are disabled.
    #[serde(skip)]
    is_partial: bool,
    /// New findings, most severe first.
    findings: Vec<FoundItem>,
    /// The numbers of findings and files.
    summary: Summary,
    /// The reasons of the rules that reported these findings.
    why: Vec<Why>,
    /// Files that could not be checked completely.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The revision with which the files were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FoundItem {
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

/// Counts. The counts by severity include only new findings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary {
    error: usize,
    warning: usize,
    info: usize,
    files: usize,
    /// Number of new findings omitted from this answer.
    more: usize,
    /// Number of files that were not checked completely; not all are listed.
    skipped: usize,
    pre_existing: usize,
    moved: usize,
    fixed: usize,
    baselined: usize,
    allowed: usize,
}

/// The reason of a rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Why {
    rule: String,
    why: String,
}

/// A file that was not checked completely.
#[derive(Debug, Serialize, JsonSchema)]
struct Skipped {
    path: String,
    why: String,
}

/// Converts an error of a run to a tool error, with the remedy for an agent.
#[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
pub(super) fn to_tool_error(error: RunError) -> ToolError {
    let remedy = match &error {
        RunError::OutsideProject(_) | RunError::NoSuchFile(_) | RunError::Unreadable { .. } => {
            "paths are relative to the project root"
        }
        RunError::SeveralProjects { .. } => "pass only paths of one project",
        RunError::NoRepository(_) => {
            "use aidd_check_compliance with `filePath` to check files without Git"
        }
        RunError::NoMainBranch => {
            "pass `base`, the target branch; `HEAD` compares only with the last commit"
        }
        RunError::UnknownRevision { shallow: true, .. }
        | RunError::NoCommonCommit { shallow: true, .. } => {
            "the clone is shallow; run `git fetch --unshallow`, then retry"
        }
        RunError::UnknownRevision { .. } => "run `git branch --all` to list the branches",
        RunError::NoCommit => {
            "use aidd_check_compliance with `filePath` to check files without a commit"
        }
        RunError::NoCommonCommit { .. } => "pass an ancestor of the current work",
        RunError::Git(_) => "run `git fsck` to find the cause",
        RunError::Glob(_)
        | RunError::Rules(_)
        | RunError::Project(_)
        | RunError::UnknownMode(_)
        | RunError::Json(_) => "fix .aidd/config.json; `aidd_get_config` lists the settings",
        RunError::Cancelled => return ToolError::new(error.to_string()),
    };
    ToolError::new(error.to_string()).remedy(remedy)
}

/// Options for the result of a check.
pub(super) struct AnswerOptions<'a> {
    /// Maximum number of findings.
    pub(super) limit: usize,
    /// The rules that were checked.
    pub(super) selection: &'a Selection,
    /// The files that were checked.
    pub(super) files: &'a dyn Files,
    /// The requested rules that are disabled.
    pub(super) disabled: Option<Disabled>,
}

/// Converts a report document to a tool result. Fixes that do not resolve their finding, or that
/// cause another finding, are omitted.
pub(super) fn answer(
    project: &Project,
    document: &Document,
    options: AnswerOptions<'_>,
) -> Answer<Findings> {
    let ranked = document.ranked();
    let shown = &ranked[..ranked.len().min(options.limit)];
    let failing = verified::ineffective_fixes(project, options.selection, options.files, shown);
    let (is_unchecked, disabled) = options
        .disabled
        .map_or_else(Default::default, |disabled| (disabled.has_disabled_group, disabled.notes));
    let is_unchecked = is_unchecked && !document.is_failing();
    let notes = document.notes.iter().cloned().chain(invalid_pages(project));
    let findings = Findings {
        passes: !document.is_failing() && !is_unchecked,
        is_unchecked,
        is_partial: !disabled.is_empty(),
        findings: shown.iter().map(|found| FoundItem::from_wire(found, &failing)).collect(),
        summary: summary(document, ranked.len() - shown.len()),
        why: reasons(project, shown),
        skipped: document
            .skipped
            .iter()
            .take(MAX_SKIPPED)
            .map(|file| Skipped { path: file.path.clone(), why: file.why.clone() })
            .collect(),
        notes: disabled.into_iter().chain(failing.into_values()).chain(notes).collect(),
        base: document.comparison.as_ref().map(|comparison| comparison.base.clone()),
    };
    let text = findings.text();
    Answer::new(findings, text)
}

/// A note on invalid rule pages, because their rules are not applied to any file.
pub(super) fn invalid_pages(project: &Project) -> Option<String> {
    let is_pack = |text: &str| text.lines().any(|line| line.starts_with("pack:"));
    let invalid_path = |(path, text): &(String, String)| {
        let is_valid = project_rule(path, text).is_some() || is_pack(text);
        (!is_valid).then(|| path.clone())
    };
    let paths: Vec<String> = project.pages.iter().filter_map(invalid_path).collect();
    (!paths.is_empty()).then(|| {
        let names = paths.join(", ");
        format!("invalid rule pages, not applied: {names}; check them with aidd_check_compliance")
    })
}

fn summary(document: &Document, more: usize) -> Summary {
    let with_status = |status| document.findings.iter().filter(move |found| found.status == status);
    let new = |severity| {
        with_status(wire::Status::New).filter(|found| found.severity == severity).count()
    };
    Summary {
        error: new(Severity::Error),
        warning: new(Severity::Warning),
        info: new(Severity::Info),
        files: document.checked,
        more,
        skipped: document.skipped.len(),
        pre_existing: with_status(wire::Status::PreExisting).count(),
        moved: with_status(wire::Status::Moved).count(),
        fixed: with_status(wire::Status::Fixed).count(),
        baselined: with_status(wire::Status::Baselined).count(),
        allowed: with_status(wire::Status::Allowed).count(),
    }
}

/// The reason of each rule, without duplicates: the first paragraph of the rule page.
fn reasons(project: &Project, shown: &[&wire::Finding]) -> Vec<Why> {
    let registry = project.registry();
    let rules: BTreeSet<&str> = shown.iter().map(|found| &*found.rule).collect();
    let reason_of = |id: &str| {
        let rule = registry.get(id)?;
        let why = truncate(rule.lead());
        (!why.is_empty()).then(|| Why { rule: id.to_owned(), why })
    };
    rules.into_iter().filter_map(reason_of).collect()
}

/// Shortens a text, at the end of a sentence if possible.
fn truncate(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_REASON_CHARS) else { return text };
    match text[..end].rfind(". ") {
        Some(stop) => text[..=stop].to_owned(),
        None => format!("{}…", text[..end].trim_end()),
    }
}

impl FoundItem {
    fn from_wire(found: &wire::Finding, failing: &BTreeMap<String, String>) -> Self {
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
            fix: found.fix.clone().filter(|_| !failing.contains_key(&found.id)),
            related: found.related.clone(),
        }
    }
}

impl Findings {
    /// Renders one line of totals, up to three lines per finding, then the reasons.
    fn text(&self) -> String {
        let mut text = self.totals();
        for found in &self.findings {
            let FoundItem { id, rule, severity, path, start, message, .. } = found;
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
            let _ = write!(text, "\nreason for {rule}: {why}");
        }
        for Skipped { path, why } in &self.skipped {
            let _ = write!(text, "\nnot checked completely: {path}: {why}");
        }
        if let Some(more @ 1..) = self.summary.skipped.checked_sub(self.skipped.len()) {
            let more = number(more, "more file");
            let _ = write!(text, "\nnot checked completely: {more}; narrow the path");
        }
        for note in &self.notes {
            let _ = write!(text, "\nnote: {note}");
        }
        text
    }

    fn totals(&self) -> String {
        let Summary { error, warning, info, files, pre_existing, fixed, .. } = self.summary;
        let found = match (error, warning, info) {
            (0, 0, 0) => "no findings".to_owned(),
            _ => format!("{}, {}, {info} info", number(error, "error"), number(warning, "warning")),
        };
        let mut text = format!("{found} in {}", number(files, "file"));
        if let Some(base) = &self.base {
            let _ = write!(
                text,
                "; only findings that are new compared with {base} are counted; {pre_existing} pre-existing, {fixed} fixed"
            );
        }
        text.push_str(match (self.passes, self.is_unchecked) {
            (true, _) if self.is_partial => "; the enabled rules pass",
            (true, _) => "; the check passes",
            (false, true) => "; not checked: all rules of a requested group are disabled",
            (false, false) => "; the check fails",
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_ends_with_a_sentence() {
        assert_eq!(truncate("It is so. And so on.".to_owned()), "It is so. And so on.");
        assert_eq!(truncate(format!("It is so. {}.", "and so on ".repeat(40))), "It is so.");
        assert_eq!(truncate("긴".repeat(1000)).chars().count(), MAX_REASON_CHARS + 1);
    }
}
