//! The report in GitHub's Markdown, for job summaries and pull request comments.
//!
//! Every text from a finding is escaped with `escape`; links are built only from the document's
//! [`VersionControl`](super::VersionControl) and escaped paths. The version control data of an
//! untrusted report is discarded when the report is read, so the links of its Markdown are built
//! only from data of the run that reads it.

use super::counts::Counts;
use super::gfm::{escape, escape_outside_code};
use super::wire::{Finding, Status};
use super::{
    Caret, Document, SourceLines, blob_url, escape_log, number, rule, rule_url, severity_count,
    weakened,
};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::Severity;
use std::cmp::Reverse;

/// Maximum number of findings that are shown open, with an excerpt; the others are in a table.
const MAX_OPEN: usize = 10;
/// Maximum number of findings named in the line on what fails the run.
const MAX_NAMED: usize = 3;
/// Maximum number of skipped files listed.
const MAX_SKIPPED: usize = 10;
/// Maximum number of fixed findings listed.
const MAX_FIXED: usize = 20;
/// Maximum number of notes listed.
const MAX_NOTES: usize = 20;
/// Maximum size in bytes of a list of skipped files, fixed findings or notes.
const MAX_LIST_BYTES: usize = 4_000;
/// Bytes reserved for the text around a table.
const MARGIN_BYTES: usize = 300;

const TABLE_HEADER: &str = "| Location | Problem | Remedy | Rule |\n| --- | --- | --- | --- |\n";

/// Maximum length of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// A comment is limited to 65,536 characters; counting bytes never underestimates.
    Comment,
    /// A step's job summary is limited to 1,024 KiB; GitHub rejects longer ones entirely.
    Summary,
}

impl Budget {
    /// Maximum size of the text in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Comment => 65_000,
            Self::Summary => 1_000_000,
        }
    }
}

/// Renders the report in Markdown; `rules` are all rules, sorted by id.
#[must_use]
pub fn markdown(document: &Document, rules: &[Rule], budget: Budget) -> String {
    let page = Page { document, rules };
    let mut text = page.head();
    let sections = [page.fixed(), page.trend(), page.skipped(), page.notes()];
    let reserved = sections.iter().map(String::len).sum::<usize>();
    let limit = budget.bytes().saturating_sub(reserved + MARGIN_BYTES);

    let mut ranked = document.ranked();
    ranked.sort_by_key(|finding| Reverse((document.fails(finding), finding.severity)));
    let shown = page.findings(&ranked, limit, &mut text);
    if shown < ranked.len() {
        let hidden = number(ranked.len() - shown, "more problem");
        text.push_str(&format!("\n{hidden} not shown.\n"));
    }
    let [fixed, trend, skipped, notes] = sections;
    text.push_str(&fixed);
    text.push_str(&trend);
    page.pre_existing(limit, &mut text);
    text.push_str(&skipped);
    text.push_str(&notes);
    debug_assert!(text.len() <= budget.bytes(), "{} bytes", text.len());
    text
}

struct Page<'a> {
    document: &'a Document,
    rules: &'a [Rule],
}

impl Page<'_> {
    /// The verdict, what fails the run, and the counts by status.
    fn head(&self) -> String {
        let document = self.document;
        let counts = document.counts();
        let failing = self.failing();
        let mut text = match &document.comparison {
            None => {
                let files = number(document.checked, "file");
                format!("## aidd: {} in {files}\n{failing}", counts.found_text())
            }
            Some(comparison) => {
                let verdict = if document.is_failing() { "changes needed" } else { "passed" };
                let files = number(comparison.changed_files, "changed file");
                let base = escape(&comparison.base);
                let weakened = weakened::section(document);
                format!(
                    "## aidd: {verdict}: {} in {files}\n{failing}{weakened}\nCompared with {base}.\n",
                    document.title()
                )
            }
        };
        // In a comparison, the sections below contain the other counts.
        let known = match &document.comparison {
            None => counts,
            Some(_) => Counts { pre_existing: 0, moved: 0, fixed: 0, ..counts },
        };
        let counts = format!("{}{}", counts.fixable_text(), known.known_text());
        if let Some(counts) = counts.strip_prefix("; ") {
            text.push_str(&format!("\n{counts}\n"));
        }
        text
    }

    /// The findings that fail the run, on one line; empty if none does.
    fn failing(&self) -> String {
        let ranked = self.document.ranked();
        let failing: Vec<&&Finding> =
            ranked.iter().filter(|finding| self.document.fails(finding)).collect();
        if failing.is_empty() {
            return String::new();
        }
        let named = failing.iter().take(MAX_NAMED);
        let named: Vec<String> = named
            .map(|finding| {
                let (rule, location) = (self.rule(finding), self.location(finding));
                format!("{} at {location} ({rule})", self.message(finding))
            })
            .collect();
        let more = match failing.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("\n**Failing:** {}{more}\n", named.join(", "))
    }

    /// Adds the new findings: those that fail the run and the other errors open, the rest in a
    /// folded table for each severity. Returns the number of findings that fit.
    fn findings(&self, ranked: &[&Finding], limit: usize, text: &mut String) -> usize {
        // Without a policy, the severity decides which findings fail the run.
        let has_policy = ranked.iter().any(|finding| finding.gate.is_some());
        let mut shown = 0;
        let mut open = MAX_OPEN;
        let group = |finding: &Finding| (self.document.fails(finding), finding.severity);
        for findings in ranked.chunk_by(|a, b| group(a) == group(b)) {
            let Some(&first) = findings.first() else { break };
            let title = match first.severity {
                Severity::Error => "Errors",
                Severity::Warning => "Warnings",
                Severity::Info => "Info",
            };
            let fails = self.document.fails(first);
            let blocking = if has_policy && fails { ", blocking" } else { "" };
            let title = format!("{title}{blocking} ({})", findings.len());
            let is_open = fails || first.severity == Severity::Error;
            let (opened, folded) =
                findings.split_at(if is_open { findings.len().min(open) } else { 0 });
            let count = self.open(&title, opened, limit, text);
            open -= count;
            shown += count;
            if count < opened.len() {
                break;
            }
            let title =
                if opened.is_empty() { title } else { number(folded.len(), "more problem") };
            let count = self.table(&title, folded, limit, text);
            shown += count;
            if count < folded.len() {
                break;
            }
        }
        shown
    }

    /// Adds findings with their excerpts and remedies while `text` stays within `limit`; returns
    /// the number of findings that fit.
    fn open(&self, title: &str, findings: &[&Finding], limit: usize, text: &mut String) -> usize {
        let heading = format!("\n### {title}\n");
        for (count, finding) in findings.iter().enumerate() {
            let block = self.block(finding);
            let heading = if count == 0 { &*heading } else { "" };
            if text.len() + heading.len() + block.len() + MARGIN_BYTES > limit {
                return count;
            }
            text.push_str(heading);
            text.push_str(&block);
        }
        findings.len()
    }

    /// A finding with its excerpt and its remedy.
    fn block(&self, finding: &Finding) -> String {
        let (rule, location) = (self.rule(finding), self.location(finding));
        let message = self.message(finding);
        let mut text = format!("\n**{rule}** at {location}: {message}\n");
        if let Some(excerpt) = self.document.excerpts.get(&finding.id) {
            text.push_str(&code_block(excerpt, finding));
        }
        if let Some(help) = &finding.help {
            // The text must not start a line: in a log, `::` there is a command.
            text.push_str(&format!("\nhelp: {}\n", escape_outside_code(help)));
        }
        text
    }

    /// Adds a folded table while `text` stays within `limit`; returns the number of findings that fit.
    fn table(&self, title: &str, findings: &[&Finding], limit: usize, text: &mut String) -> usize {
        let mut remaining = limit.saturating_sub(text.len() + title.len() + MARGIN_BYTES);
        let mut rows = String::new();
        let mut count = 0;
        for finding in findings {
            let row = self.row(finding);
            if row.len() > remaining {
                break;
            }
            remaining -= row.len();
            rows.push_str(&row);
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        text.push_str(&format!("\n<details>\n<summary>{title}</summary>\n\n"));
        text.push_str(TABLE_HEADER);
        text.push_str(&rows);
        text.push_str("\n</details>\n");
        count
    }

    fn row(&self, finding: &Finding) -> String {
        let (rule, location) = (self.rule(finding), self.location(finding));
        let help = finding.help.as_deref().map(escape_outside_code).unwrap_or_default();
        format!("| {location} | {} | {help} | {rule} |\n", self.message(finding))
    }

    /// The id of the rule, linked to its page if the page is known.
    fn rule(&self, finding: &Finding) -> String {
        let commit = self.document.version_control.as_ref();
        let name = escape(&finding.rule);
        match rule(self.rules, &finding.rule).and_then(|rule| rule_url(commit, rule)) {
            Some(url) => format!("[{name}](<{url}>)"),
            None => name,
        }
    }

    fn message(&self, finding: &Finding) -> String {
        let message = escape_outside_code(&finding.message);
        match weakened::base_only_reason(finding.reason.as_deref()) {
            Some(reason) => format!("{message} ({})", escape(reason)),
            None => message,
        }
    }

    /// Path and line, linked if the commit that contains them is known.
    fn location(&self, finding: &Finding) -> String {
        let location = escape(&format!("{}:{}", finding.path, finding.start.line));
        let commit = self.document.version_control.as_ref();
        let base = || self.document.comparison.as_ref()?.base_sha.as_deref();
        let is_fixed = finding.status == Status::Fixed;
        let revision =
            commit.and_then(|commit| if is_fixed { base() } else { Some(&commit.revision) });
        let (Some(commit), Some(revision)) = (commit, revision) else { return location };
        let (first, last) = (finding.start.line, finding.end.line);
        let lines = if first == last { format!("L{first}") } else { format!("L{first}-L{last}") };
        let url = blob_url(&commit.repository, revision, &finding.path);
        format!("[{location}](<{url}#{lines}>)")
    }

    /// The findings that the change fixes.
    fn fixed(&self) -> String {
        let fixed: Vec<&Finding> = self.document.with_status(&[Status::Fixed]).collect();
        if fixed.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n### Fixed by this change ({})\n\nThank you for leaving the code better than you \
             found it.\n\n",
            fixed.len()
        );
        let line = |finding: &&Finding| {
            let rule = escape(&finding.rule);
            let message = escape_outside_code(&finding.message);
            format!("- {rule} at {}: {message}\n", self.location(finding))
        };
        append_list(fixed.iter().map(line), MAX_FIXED, &mut text);
        text
    }

    /// Number of problems in the checked files before and after the change, if it differs.
    fn trend(&self) -> String {
        let Some(comparison) = &self.document.comparison else { return String::new() };
        if comparison.before == comparison.after {
            return String::new();
        }
        let files = if comparison.whole_tree { "all files" } else { "the changed files" };
        let mut text =
            format!("\n| In {files} | Before | Now | Change |\n| --- | ---: | ---: | ---: |\n");
        for (severity, name) in Severity::ALL.into_iter().zip(["Errors", "Warnings", "Info"]) {
            let (before, after) =
                (comparison.before.count(severity), comparison.after.count(severity));
            if (before, after) == (0, 0) {
                continue;
            }
            let change = match after.cmp(&before) {
                std::cmp::Ordering::Equal => "0".to_owned(),
                std::cmp::Ordering::Greater => format!("+{}", after - before),
                std::cmp::Ordering::Less => format!("−{}", before - after),
            };
            text.push_str(&format!("| {name} | {before} | {after} | {change} |\n"));
        }
        text
    }

    /// The pre-existing findings, folded, while there is room.
    fn pre_existing(&self, limit: usize, text: &mut String) {
        let findings = self.document.with_status(&[Status::Moved, Status::PreExisting]);
        let mut findings: Vec<&Finding> = findings.collect();
        findings.sort_by_key(|finding| Reverse(finding.severity));
        if findings.is_empty() {
            return;
        }
        let counts = Severity::ALL.into_iter().filter_map(|severity| {
            let count = findings.iter().filter(|finding| finding.severity == severity).count();
            (count > 0).then(|| severity_count(count, severity))
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        let title = format!("Pre-existing: {counts}");
        let shown = self.table(&title, &findings, limit, text);
        if let count @ 1.. = findings.len() - shown {
            let hidden = number(count, "pre-existing problem");
            text.push_str(&format!("\n{hidden} not shown.\n"));
        }
    }

    fn skipped(&self) -> String {
        let skipped = &self.document.skipped;
        if skipped.is_empty() {
            return String::new();
        }
        let count = number(skipped.len(), "file");
        let mut text =
            format!("\n<details>\n<summary>{count} skipped or only partly checked</summary>\n\n");
        let line =
            |file: &super::Skipped| format!("- {}: {}\n", escape(&file.path), escape(&file.why));
        append_list(skipped.iter().map(line), MAX_SKIPPED, &mut text);
        text.push_str("\n</details>\n");
        text
    }

    fn notes(&self) -> String {
        let mut notes: Vec<String> =
            self.document.notes.iter().map(|note| format!("- {}\n", escape(note))).collect();
        if let stale @ 1.. = self.document.stale {
            let stale = if stale == 1 {
                "1 baseline entry no longer matches".to_owned()
            } else {
                format!("{stale} baseline entries no longer match")
            };
            notes.push(format!("- {stale}; run `aidd baseline prune` to remove stale entries\n"));
        }
        if notes.is_empty() {
            return String::new();
        }
        let mut text = "\n".to_owned();
        append_list(notes.into_iter(), MAX_NOTES, &mut text);
        text
    }
}

/// An indented code block with numbered lines; `>` marks the lines of the finding. The text of a
/// line cannot end an indented block.
fn code_block(excerpt: &SourceLines, finding: &Finding) -> String {
    let last = excerpt.first.saturating_add(excerpt.lines.len() as u64);
    let width = last.to_string().len();
    let mut text = "\n".to_owned();
    for (number, line) in (excerpt.first..).zip(&excerpt.lines) {
        let is_marked = (finding.start.line..=finding.end.line).contains(&number);
        let mark = if is_marked { '>' } else { ' ' };
        let shown = escape_log(&format!("    {mark} {number:>width$} | {line}"));
        text.push_str(shown.trim_end());
        text.push('\n');
        if let Some(caret) = excerpt.caret.filter(|_| is_marked) {
            text.push_str(&format!("      {:>width$} | {}\n", "", carets(line, caret)));
        }
    }
    text
}

/// The carets under the place of a finding in `line`, with the tabs of the line.
fn carets(line: &str, caret: Caret) -> String {
    let mut chars = line.chars();
    let pad = |c: char| if c == '\t' { "\t".to_owned() } else { " ".repeat(columns(c)) };
    let before: String = chars.by_ref().take(caret.start).map(pad).collect();
    let marked: String = chars.take(caret.length).map(|c| "^".repeat(columns(c))).collect();
    format!("{before}{marked}")
}

/// The number of columns of a character in a monospaced font.
fn columns(c: char) -> usize {
    textwrap::core::display_width(c.encode_utf8(&mut [0; 4]))
}

/// Appends at most `limit` of `lines` to `text`, within [`MAX_LIST_BYTES`] bytes, and the number of
/// omitted lines.
fn append_list(lines: impl ExactSizeIterator<Item = String>, limit: usize, text: &mut String) {
    let count = lines.len();
    let mut remaining = MAX_LIST_BYTES;
    let mut listed = 0;
    for line in lines.take(limit) {
        if line.len() > remaining {
            break;
        }
        remaining -= line.len();
        text.push_str(&line);
        listed += 1;
    }
    if listed < count {
        text.push_str(&format!("- {} more\n", count - listed));
    }
}
