//! The reports of `aidd rule suggest` and `aidd_suggest_rule`, as data and as text.

use crate::suggest::{
    Counts, Coverage, DraftReport, FORMS, FormHint, Place, RelatedRule, StatedSentence, Statement,
    Survey, Trial,
};
use aidd_report::{number, one_line, printable};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// Maximum number of samples of a trial in the text.
const MAX_SAMPLES: usize = 5;

/// The report on the sentences of documents, on one sentence, or on a draft.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The number of sentences by coverage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Counts>,
    /// The sentences of the documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sentences: Vec<StatedSentence>,
    /// The sentence that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// The forms of check that can enforce the sentence, if no rule enforces it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<FormHint>,
    /// The draft that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftReport>,
    /// Descriptions of the parts that were skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Suggestion {
    /// Reports a survey: at most `limit` sentences; sentences that no rule enforces come first.
    #[must_use]
    pub fn from_survey(survey: Survey, limit: usize) -> Self {
        let Survey { mut sentences, mut notes, .. } = survey;
        let count = Counts::from_sentences(&sentences);
        if let Some(more @ 1..) = sentences.len().checked_sub(limit) {
            sentences.sort_by_key(|stated| {
                matches!(
                    stated.coverage,
                    Coverage::Enforced { .. } | Coverage::EnforcedByOtherTool { .. }
                )
            });
            sentences.truncate(limit);
            notes.push(format!("not listed: {}", number(more, "more sentence")));
        }
        Self { count: Some(count), sentences, notes, ..Self::default() }
    }

    /// Reports one sentence.
    #[must_use]
    pub fn from_statement(statement: Statement) -> Self {
        let has_no_enforcer = matches!(statement.stated.coverage, Coverage::NotEnforced { .. });
        let forms = if has_no_enforcer { FORMS.to_vec() } else { Vec::new() };
        Self { statement: Some(statement), forms, ..Self::default() }
    }

    /// Reports a draft.
    #[must_use]
    pub fn from_draft(draft: DraftReport) -> Self {
        Self { draft: Some(draft), ..Self::default() }
    }

    /// The report as text, for people and for models that see only text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(count) = &self.count {
            let _ = writeln!(text, "{}", counts_line(count));
        }
        for stated in &self.sentences {
            let places = format_places(&stated.places);
            let _ = writeln!(text, "{places}  {}", one_line(&stated.sentence));
            write_coverage(&stated.coverage, false, &mut text);
        }
        if let Some(statement) = &self.statement {
            write_statement(statement, &mut text);
        }
        if !self.forms.is_empty() {
            text.push_str("\nForms (a header has `severity`, `message` and one of these):\n");
        }
        for FormHint { form, judges, header } in &self.forms {
            let _ = writeln!(text, "  {form:<13}{judges}\n{:15}{header}", "");
        }
        if let Some(report) = &self.draft {
            write_draft(report, &mut text);
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {}", one_line(note));
        }
        text
    }
}

/// The counts on one line.
#[must_use]
pub fn counts_line(count: &Counts) -> String {
    let Counts { sentences, enforced, enforced_by_other_tools, disabled, not_enforced } = count;
    format!(
        "{}: {enforced} enforced, {enforced_by_other_tools} enforced by other tools, {disabled} covered by disabled rules, {not_enforced} not enforced",
        number(*sentences, "sentence")
    )
}

fn format_places(places: &[Place]) -> String {
    let Some(first) = places.first() else { return "not in a document".to_owned() };
    let others = &places[1..];
    let mut text = format!("{}:{}", one_line(&first.path), first.line);
    if !others.is_empty() {
        let others: Vec<String> = others
            .iter()
            .map(|place| format!("{}:{}", one_line(&place.path), place.line))
            .collect();
        let _ = write!(text, " (also {})", others.join(", "));
    }
    text
}

fn write_row(name: &str, value: &str, text: &mut String) {
    let _ = writeln!(text, "  {name:12}{}", one_line(value));
}

/// `compares` is whether rules on the same subject are enabled.
fn write_coverage(coverage: &Coverage, compares: bool, text: &mut String) {
    match coverage {
        Coverage::Enforced { rules } => {
            write_row("enforced", &format!("by {}", rules.join(", ")), text);
        }
        Coverage::EnforcedByOtherTool { rule, settings } => {
            write_row("enforced", &format!("by {rule} ({settings})"), text);
        }
        Coverage::Disabled { rules, packs } => {
            write_row("off", &rules.join(", "), text);
            write_row("turn on", &enabling_config(rules, packs), text);
        }
        Coverage::NotEnforced { note } => {
            let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            let known = if compares { "unknown; compare the rules below" } else { "no" };
            write_row("enforced", &format!("{known}{note}"), text);
        }
    }
}

/// The configuration that enables rules.
fn enabling_config(rules: &[String], packs: &[String]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("\"{rule}\": \"warning\"")).collect();
    let by_rule = format!("\"rules\": {{{}}} in .aidd/config.json", rules.join(", "));
    match packs.first() {
        Some(pack) => format!("{by_rule}, or the pack \"{pack}\" in \"compliance\""),
        None => by_rule,
    }
}

fn write_statement(statement: &Statement, text: &mut String) {
    let Statement { stated, related, page } = statement;
    let _ = writeln!(text, "{}", one_line(&stated.sentence));
    write_row("stated in", &format_places(&stated.places), text);
    if !stated.scope.is_empty() {
        write_row("about", &stated.scope.join(", "), text);
    }
    write_coverage(&stated.coverage, related.iter().any(|rule| rule.on), text);
    for RelatedRule { rule, on, summary } in related {
        let state = if *on { "on" } else { "off" };
        write_row("compare", &format!("{rule} ({state}): {summary}"), text);
    }
    if matches!(stated.coverage, Coverage::NotEnforced { .. }) {
        write_row(
            "draft",
            "none; write the page yourself, or start from `aidd rule new ID --form FORM`",
            text,
        );
        write_row("page", page, text);
    }
}

fn write_draft(report: &DraftReport, text: &mut String) {
    let state = if report.valid { "valid" } else { "not valid" };
    let rule = if report.rule.is_empty() { "a page" } else { &report.rule };
    let save = if report.valid { "save it as " } else { "" };
    let _ = writeln!(text, "{state}: {} ({save}{})", one_line(rule), one_line(&report.path));
    for problem in &report.problems {
        let line =
            if problem.line > 0 { format!("line {}: ", problem.line) } else { String::new() };
        let _ = writeln!(text, "  {line}{}", one_line(&problem.message));
        let _ = writeln!(text, "    {}", one_line(&problem.remedy));
    }
    if let Some(trial) = &report.trial {
        let examples = report.examples;
        write_row(
            "examples",
            &format!("{} under `## Fails`, {} under `## Passes`", examples.fails, examples.passes),
            text,
        );
        write_row("trial", &trial_line(trial), text);
        for sample in trial.samples.iter().take(MAX_SAMPLES) {
            let line = if sample.line > 0 { format!(":{}", sample.line) } else { String::new() };
            let found = if sample.text.is_empty() { &sample.message } else { &sample.text };
            write_row("", &format!("{}{line}  {found}", sample.path), text);
        }
        if let Some(more @ 1..) = trial.findings.checked_sub(trial.samples.len().min(MAX_SAMPLES)) {
            write_row("", &format!("and {more} more"), text);
        }
        trial.notes.iter().for_each(|note| write_row("note", note, text));
    }
    if let Some(advice) = &report.advice {
        write_row("severity", &format!("{}: {}", advice.severity, advice.reason), text);
    }
    report.notes.iter().for_each(|note| write_row("note", note, text));
    if let Some(page) = &report.page {
        let _ = writeln!(text, "\n{}", printable(page.trim_end()));
    }
}

fn trial_line(trial: &Trial) -> String {
    let Trial { findings, files, evaluated, .. } = trial;
    match (findings, evaluated) {
        (0, 0) => "0 findings: the project has nothing that the rule checks".to_owned(),
        (0, _) => format!("0 findings in {}", number(*evaluated, "checked item")),
        _ => format!("{} in {files} of {evaluated} checked items", number(*findings, "finding")),
    }
}
