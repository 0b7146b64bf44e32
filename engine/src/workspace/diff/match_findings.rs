//! Matches the findings of the head with those of the base.

mod edited;

use super::lines::LineMap;
use crate::check::text_keys;
use crate::text::finding::{Finding, RuleId, Severity, Status};
use crate::text::source::{Encoding, Source, Span};
use crate::workspace::walk::FileReport;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// The reason for the status of a finding that is new although the base contains it, because the
/// allow comment was removed. Such a finding is not a candidate for a move.
pub const ALLOW_COMMENT_REMOVED: &str = "the comment that allowed it was removed";

/// The indexes of a finding (file, finding), its status and the reason.
pub(super) type Verdict = ((usize, usize), Status, String);

/// A finding of one side of the change, with the data that the comparison needs.
pub(super) struct SideFinding {
    at: (usize, usize),
    rule: RuleId,
    severity: Severity,
    message: String,
    /// First and last zero-based line in the whole file.
    lines: (u32, u32),
    column: u32,
    /// The text that the span covers.
    text: String,
    /// The text of its first line, shared by the findings on that line.
    line: Arc<str>,
    key: String,
    is_secret: bool,
    is_about_file: bool,
    status: Status,
    /// Whether the finding is matched with a finding of the other side.
    matched: bool,
    verdict: Option<(Status, String)>,
}

/// The findings of one side, by path.
pub(super) struct Side {
    pub(super) findings: Vec<SideFinding>,
    paths: HashMap<String, Range<usize>>,
}

impl Side {
    pub(super) fn new(files: &[FileReport]) -> Self {
        let mut side = Self { findings: Vec::new(), paths: HashMap::new() };
        for (index, file) in files.iter().enumerate() {
            let start = side.findings.len();
            let keys = text_keys(&file.source, &file.checked.findings);
            let findings = file.checked.findings.iter().enumerate().zip(keys);
            let mut lines = LineTexts { source: &file.source, last: None };
            side.findings.extend(findings.map(|((at, finding), key)| {
                to_side_finding((index, at), &mut lines, finding, key)
            }));
            // The windows of a large file are consecutive.
            let end = side.findings.len();
            side.paths.entry(file.source.path().to_owned()).or_insert(start..end).end = end;
        }
        side
    }

    pub(super) fn at(&self, path: Option<&str>) -> Range<usize> {
        path.and_then(|path| self.paths.get(path)).cloned().unwrap_or_default()
    }

    /// The number of findings that are not allowed, by severity.
    pub(super) fn count_active(&self) -> [usize; 3] {
        count(self.findings.iter().filter(|finding| finding.status != Status::Allowed))
    }

    /// Like [`Self::count_active`], for files that did not change.
    pub(super) fn count_active_untouched(&self) -> [usize; 3] {
        let is_active =
            |finding: &&SideFinding| finding.status != Status::Allowed && finding.verdict.is_none();
        count(self.findings.iter().filter(is_active))
    }

    pub(super) fn verdicts(self) -> Vec<Verdict> {
        let untouched = || (Status::PreExisting, "the file did not change".to_owned());
        let head = self.findings.into_iter().filter_map(|finding| {
            let verdict = finding.verdict.or_else(|| (!finding.matched).then(untouched));
            verdict.map(|(status, reason)| (finding.at, status, reason))
        });
        head.collect()
    }
}

fn count<'a>(findings: impl Iterator<Item = &'a SideFinding>) -> [usize; 3] {
    let mut counts = [0; 3];
    for finding in findings {
        let at = Severity::ALL.iter().position(|&severity| severity == finding.severity);
        counts[at.unwrap_or_default()] += 1;
    }
    counts
}

/// The texts of lines, copied once: a line of several megabytes can have many findings.
struct LineTexts<'a> {
    source: &'a Source,
    last: Option<(Span, Arc<str>)>,
}

impl LineTexts<'_> {
    fn at(&mut self, offset: u32) -> Arc<str> {
        let line = self.source.lines_around(Span { start: offset, end: offset });
        match &self.last {
            Some((last, text)) if *last == line => Arc::clone(text),
            _ => {
                let text: Arc<str> = self.source.slice(line).trim().into();
                self.last = Some((line, Arc::clone(&text)));
                text
            }
        }
    }
}

fn to_side_finding(
    at: (usize, usize),
    lines: &mut LineTexts<'_>,
    finding: &Finding,
    key: String,
) -> SideFinding {
    let source = lines.source;
    let start = source.position(finding.span.start, Encoding::CodePoints);
    let end = source.position(finding.span.end, Encoding::CodePoints);
    SideFinding {
        at,
        rule: finding.rule.clone(),
        severity: finding.severity,
        message: finding.message.clone(),
        lines: (start.line, end.line.max(start.line)),
        column: start.column,
        text: source.slice(finding.span).to_owned(),
        line: lines.at(finding.span.start),
        key,
        is_secret: finding.secret.is_some(),
        is_about_file: finding.is_about_file,
        status: finding.status,
        matched: false,
        verdict: None,
    }
}

impl SideFinding {
    /// The number of the line in a reason, from 1.
    fn display_line(&self) -> u32 {
        self.lines.0 + 1
    }

    /// Classifies a finding of the head without a match in the base. If `is_base_incomplete`, not
    /// every rule could check the base, so a finding on an unchanged line does not count as new.
    pub(super) fn classify_new(
        &mut self,
        file_is_new: bool,
        is_base_incomplete: bool,
        lines: &LineMap<'_>,
    ) {
        if self.verdict.is_some() {
            return;
        }
        let is_unchanged = lines.0.is_some() && lines.head_hunk(self.lines).is_none();
        if is_unchanged && is_base_incomplete {
            let reason = "the line is unchanged; the base was checked only in part";
            self.verdict = Some((Status::PreExisting, reason.to_owned()));
            return;
        }
        let reason = if file_is_new {
            "the file is new"
        } else if is_unchanged {
            "the line is unchanged; caused by a change elsewhere"
        } else if lines.0.is_some() {
            "this change added or changed the line"
        } else {
            "the line does not exist in the base"
        };
        self.verdict = Some((Status::New, reason.to_owned()));
    }

    /// Classifies a finding of the base without a match in the head. If `is_head_incomplete`, the
    /// head could not be checked, so the status of the finding is unknown.
    pub(super) fn classify_fixed(
        &mut self,
        file_is_deleted: bool,
        is_head_incomplete: bool,
        lines: &LineMap<'_>,
    ) {
        if self.matched || is_head_incomplete || self.status == Status::Allowed {
            self.matched = true;
            return;
        }
        let reason = if file_is_deleted {
            "the file was removed"
        } else if lines.0.is_some() && lines.to_head(self.lines).is_some() {
            "the line is unchanged; fixed by a change elsewhere"
        } else {
            "the line was changed or removed"
        };
        self.verdict = Some((Status::Fixed, reason.to_owned()));
    }

    /// Records that `before` matches this finding.
    fn match_with(&mut self, before: &mut Self, status: Status, reason: String) {
        before.matched = true;
        self.matched = true;
        self.verdict = Some(if before.status == Status::Allowed {
            (Status::New, ALLOW_COMMENT_REMOVED.to_owned())
        } else {
            (status, reason)
        });
    }
}

/// Matches the findings of a file's head with those of its base.
pub(super) fn pair(heads: &mut [SideFinding], bases: &mut [SideFinding], lines: &LineMap<'_>) {
    edited::match_about_file(heads, bases);
    match_by_position(heads, bases, lines);
    match_by_text(heads, bases, lines);
    pair_edited(heads, bases, lines);
}

/// Matches the remaining findings on lines that the change edited.
fn pair_edited(heads: &mut [SideFinding], bases: &mut [SideFinding], lines: &LineMap<'_>) {
    edited::match_on_edited_lines(heads, bases, lines);
    edited::match_edited_inside(heads, bases, lines);
}

/// Matches the findings of the project pass in two versions of a file, of which the ids and texts
/// differ. Returns the verdicts on the findings of the head, and the matched findings of the base.
pub(super) fn pair_edited_files(
    (base, base_open): (&FileReport, &[usize]),
    (head, head_open): (&FileReport, &[usize]),
) -> (Vec<(usize, Status, String)>, Vec<usize>) {
    let mut bases = side_findings(base, base_open);
    let mut heads = side_findings(head, head_open);
    let hunks = super::hunks(base.source.text(), head.source.text());
    pair_edited(&mut heads, &mut bases, &LineMap(Some(&hunks)));
    let verdicts = heads.into_iter().filter_map(|head| {
        let (status, reason) = head.verdict?;
        Some((head.at.1, status, reason))
    });
    let matched = bases.into_iter().filter(|base| base.matched).map(|base| base.at.1);
    (verdicts.collect(), matched.collect())
}

fn side_findings(file: &FileReport, indexes: &[usize]) -> Vec<SideFinding> {
    let mut lines = LineTexts { source: &file.source, last: None };
    let keys = text_keys(&file.source, indexes.iter().map(|&at| &file.checked.findings[at]));
    let findings = indexes.iter().zip(keys);
    findings
        .map(|(&at, key)| to_side_finding((0, at), &mut lines, &file.checked.findings[at], key))
        .collect()
}

/// Matches findings of the same rule at the same column of unchanged lines; findings with the same
/// text are matched first.
fn match_by_position(heads: &mut [SideFinding], bases: &mut [SideFinding], lines: &LineMap<'_>) {
    let head_position = |head: &SideFinding| Some((head.lines, head.column));
    let base_position = |base: &SideFinding| Some((lines.to_head(base.lines)?, base.column));
    let reason =
        |base: &SideFinding| format!("already present on line {} of the base", base.display_line());
    for with_text in [true, false] {
        let key = |finding: &SideFinding, position: Option<_>| {
            let text = with_text.then(|| (finding.message.clone(), finding.text.clone()));
            (!finding.matched).then_some((finding.rule.clone(), position?, text))
        };
        let heads_by = heads.iter().map(|head| key(head, head_position(head)));
        let bases_by = bases.iter().map(|base| key(base, base_position(base)));
        for (head, base) in pair_in_order(heads_by, bases_by) {
            let reason = reason(&bases[base]);
            heads[head].match_with(&mut bases[base], Status::PreExisting, reason);
        }
    }
}

/// Matches findings of the same rule on the same text elsewhere in the file.
fn match_by_text(heads: &mut [SideFinding], bases: &mut [SideFinding], lines: &LineMap<'_>) {
    let is_unmatched = |finding: &SideFinding| !finding.matched;
    let (head_indexes, base_indexes) = (indices(heads, is_unmatched), indices(bases, is_unmatched));
    for (head, base) in pair_by_key(heads, &head_indexes, bases, &base_indexes) {
        let (head, base) = (&mut heads[head], &mut bases[base]);
        let line = base.display_line();
        let (status, reason) = match lines.0 {
            None => (Status::PreExisting, format!("identical to line {line} of the base")),
            Some(_) => (Status::Moved, format!("moved from line {line} of the base")),
        };
        head.match_with(base, status, reason);
    }
}

/// The reason for the status of a finding that moved from another file.
#[must_use]
pub fn moved_from(path: &str, line: u32) -> String {
    format!("moved from `{path}`, line {line} of the base")
}

fn indices(findings: &[SideFinding], is_wanted: impl Fn(&SideFinding) -> bool) -> Vec<usize> {
    (0..findings.len()).filter(|&at| is_wanted(&findings[at])).collect()
}

/// Pairs the findings with these indexes whose rule and text are equal.
fn pair_by_key(
    heads: &[SideFinding],
    head_indexes: &[usize],
    bases: &[SideFinding],
    base_indexes: &[usize],
) -> Vec<(usize, usize)> {
    let head_keys: Vec<&str> = head_indexes.iter().map(|&at| &*heads[at].key).collect();
    let base_keys: Vec<&str> = base_indexes.iter().map(|&at| &*bases[at].key).collect();
    match_moves(&head_keys, &base_keys)
        .into_iter()
        .map(|(head, base)| (head_indexes[head], base_indexes[base]))
        .collect()
}

/// Pairs equal keys of [`text_keys`] in order, each used once. Returns pairs of an index in `new`
/// and an index in `removed`.
#[must_use]
pub fn match_moves<K: AsRef<str>>(new: &[K], removed: &[K]) -> Vec<(usize, usize)> {
    let some = |keys| <[K]>::iter(keys).map(|key| Some(key.as_ref()));
    pair_in_order(some(new), some(removed))
}

/// Pairs equal keys in order, each used once; items without a key are skipped.
fn pair_in_order<K: Eq + Hash>(
    new: impl Iterator<Item = Option<K>>,
    removed: impl Iterator<Item = Option<K>>,
) -> Vec<(usize, usize)> {
    let mut remaining: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (at, key) in removed.enumerate() {
        if let Some(key) = key {
            remaining.entry(key).or_default().push_back(at);
        }
    }
    let pairs = new.enumerate().filter_map(|(at, key)| {
        let removed = remaining.get_mut(&key?)?.pop_front()?;
        Some((at, removed))
    });
    pairs.collect()
}
