//! Matches the findings of the head with those of the base.

use super::lines::LineMap;
use crate::check::text_keys;
use crate::text::finding::{Finding, RuleId, Severity, Status};
use crate::text::source::{Encoding, Source, Span};
use crate::workspace::walk::FileReport;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// Why a finding is new although the base has it: its allow comment was removed. It is not a
/// candidate for a move.
pub const ALLOW_COMMENT_REMOVED: &str = "the comment that allowed it was removed";

/// The indexes of a finding (file, finding), its status and the reason.
pub(super) type Verdict = ((usize, usize), Status, String);

/// A finding of one side with the data that the comparison needs.
pub(super) struct Placed {
    at: (usize, usize),
    rule: RuleId,
    severity: Severity,
    message: String,
    /// First and last zero-based line in the whole file.
    lines: (u32, u32),
    column: u32,
    /// The text under the span.
    text: String,
    /// The text of its first line, shared by the findings on that line.
    line: Arc<str>,
    key: String,
    status: Status,
    /// Whether a finding of the other side matches it.
    matched: bool,
    verdict: Option<(Status, String)>,
}

/// The findings of one side, by path.
pub(super) struct Side {
    pub(super) placed: Vec<Placed>,
    paths: HashMap<String, Range<usize>>,
}

impl Side {
    pub(super) fn new(files: &[FileReport]) -> Self {
        let mut side = Self { placed: Vec::new(), paths: HashMap::new() };
        for (index, file) in files.iter().enumerate() {
            let start = side.placed.len();
            let keys = text_keys(&file.source, &file.checked.findings);
            let findings = file.checked.findings.iter().enumerate().zip(keys);
            let mut lines = LineTexts { source: &file.source, last: None };
            side.placed.extend(
                findings.map(|((at, finding), key)| place((index, at), &mut lines, finding, key)),
            );
            // The windows of a large file are consecutive.
            let end = side.placed.len();
            side.paths.entry(file.source.path().to_owned()).or_insert(start..end).end = end;
        }
        side
    }

    pub(super) fn at(&self, path: Option<&str>) -> Range<usize> {
        path.and_then(|path| self.paths.get(path)).cloned().unwrap_or_default()
    }

    /// The number of findings of the base that were not allowed, by severity.
    pub(super) fn count_active(&self) -> [usize; 3] {
        count(self.placed.iter().filter(|placed| placed.status != Status::Allowed))
    }

    /// As [`Self::count_active`], for files that did not change.
    pub(super) fn count_active_untouched(&self) -> [usize; 3] {
        let open = |placed: &&Placed| placed.status != Status::Allowed && placed.verdict.is_none();
        count(self.placed.iter().filter(open))
    }

    pub(super) fn verdicts(self) -> Vec<Verdict> {
        let untouched = || (Status::PreExisting, "the file did not change".to_owned());
        let head = self.placed.into_iter().filter_map(|placed| {
            let verdict = placed.verdict.or_else(|| (!placed.matched).then(untouched));
            verdict.map(|(status, reason)| (placed.at, status, reason))
        });
        head.collect()
    }
}

fn count<'a>(placed: impl Iterator<Item = &'a Placed>) -> [usize; 3] {
    let mut counts = [0; 3];
    for placed in placed {
        let at = Severity::ALL.iter().position(|&severity| severity == placed.severity);
        counts[at.unwrap_or_default()] += 1;
    }
    counts
}

/// The texts of lines, copied once: one line of megabytes can have many findings.
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

fn place(at: (usize, usize), lines: &mut LineTexts<'_>, finding: &Finding, key: String) -> Placed {
    let source = lines.source;
    let start = source.position(finding.span.start, Encoding::CodePoints);
    let end = source.position(finding.span.end, Encoding::CodePoints);
    Placed {
        at,
        rule: finding.rule.clone(),
        severity: finding.severity,
        message: finding.message.clone(),
        lines: (start.line, end.line.max(start.line)),
        column: start.column,
        text: source.slice(finding.span).to_owned(),
        line: lines.at(finding.span.start),
        key,
        status: finding.status,
        matched: false,
        verdict: None,
    }
}

impl Placed {
    /// The number of the line in a reason, from 1.
    fn display_line(&self) -> u32 {
        self.lines.0 + 1
    }

    /// Classifies a finding of the head without a match in the base. `unknown`: not every rule
    /// could check the base, so a finding on an unchanged line does not count as new.
    pub(super) fn classify_new(&mut self, file_is_new: bool, unknown: bool, lines: &LineMap<'_>) {
        if self.verdict.is_some() {
            return;
        }
        let stayed = lines.0.is_some() && lines.head_hunk(self.lines).is_none();
        if stayed && unknown {
            let reason = "the line is unchanged; the base was checked only in part";
            self.verdict = Some((Status::PreExisting, reason.to_owned()));
            return;
        }
        let reason = if file_is_new {
            "the file is new"
        } else if stayed {
            "the line is unchanged; caused by a change elsewhere"
        } else if lines.0.is_some() {
            "this change added or changed the line"
        } else {
            "the line does not exist in the base"
        };
        self.verdict = Some((Status::New, reason.to_owned()));
    }

    /// Classifies a finding of the base without a match in the head. `lost`: the head could not be
    /// checked, so its status is unknown.
    pub(super) fn classify_fixed(&mut self, file_is_gone: bool, lost: bool, lines: &LineMap<'_>) {
        if self.matched || lost || self.status == Status::Allowed {
            self.matched = true;
            return;
        }
        let reason = if file_is_gone {
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
pub(super) fn pair(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    same_place(heads, bases, lines);
    same_text(heads, bases, lines);
    edited_in_place(heads, bases, lines);
}

/// Findings of the same rule at the same column of unchanged lines; those with the same text first.
fn same_place(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    let now = |head: &Placed| Some((head.lines, head.column));
    let then = |base: &Placed| Some((lines.to_head(base.lines)?, base.column));
    let reason =
        |base: &Placed| format!("already present on line {} of the base", base.display_line());
    for same_words in [true, false] {
        let key = |placed: &Placed, place: Option<_>| {
            let words = same_words.then(|| (placed.message.clone(), placed.text.clone()));
            (!placed.matched).then_some((placed.rule.clone(), place?, words))
        };
        let heads_by = heads.iter().map(|head| key(head, now(head)));
        let bases_by = bases.iter().map(|base| key(base, then(base)));
        for (head, base) in first_with_first(heads_by, bases_by) {
            let reason = reason(&bases[base]);
            heads[head].match_with(&mut bases[base], Status::PreExisting, reason);
        }
    }
}

/// Maximum number of findings of the base that a finding of the head is compared with, line by
/// line.
const CANDIDATES: usize = 32;

/// Findings on a line that was changed, but not at the finding.
fn edited_in_place(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    type Key = (usize, RuleId, String, String);
    let key = |placed: &Placed, hunk: usize| -> Key {
        (hunk, placed.rule.clone(), placed.message.clone(), placed.text.clone())
    };
    let mut there: HashMap<Key, VecDeque<usize>> = HashMap::new();
    for (at, base) in bases.iter().enumerate() {
        if let (false, Some(hunk)) = (base.matched, lines.base_hunk(base.lines)) {
            there.entry(key(base, hunk)).or_default().push_back(at);
        }
    }
    let mut edited: HashMap<(usize, usize), bool> = HashMap::new();
    let mut is_edited = |base: &Arc<str>, head: &Arc<str>| {
        let pair = (base.as_ptr().addr(), head.as_ptr().addr());
        *edited.entry(pair).or_insert_with(|| is_edited(base, head))
    };
    for head in heads.iter_mut().filter(|head| !head.matched) {
        let near = lines.head_hunk(head.lines).and_then(|hunk| there.get_mut(&key(head, hunk)));
        let Some(near) = near else { continue };
        let found = near.iter().take(CANDIDATES).position(|&at| {
            let base = &bases[at];
            base.key != head.key && is_edited(&base.line, &head.line)
        });
        if let Some(at) = found.and_then(|place| near.remove(place)) {
            let base = &mut bases[at];
            let reason = format!(
                "the line was changed around it; already present on line {} of the base",
                base.display_line()
            );
            head.match_with(base, Status::PreExisting, reason);
        }
    }
}

/// Whether the lines differ by an edit in one place: their common prefix and suffix make up half of
/// the longer line.
fn is_edited(before: &str, after: &str) -> bool {
    let same = |(a, b): &(char, char)| a == b;
    let longer = before.chars().count().max(after.chars().count());
    let shorter = before.chars().count().min(after.chars().count());
    let begins = before.chars().zip(after.chars()).take_while(same).count();
    let ends = before.chars().rev().zip(after.chars().rev()).take_while(same).count();
    2 * (begins + ends).min(shorter) >= longer
}

/// Findings of the same rule on the same text elsewhere in the file.
fn same_text(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    let left = |placed: &Placed| !placed.matched;
    let (now, then) = (indices(heads, left), indices(bases, left));
    for (head, base) in matches(heads, &now, bases, &then) {
        let (head, base) = (&mut heads[head], &mut bases[base]);
        let line = base.display_line();
        let (status, reason) = match lines.0 {
            None => (Status::PreExisting, format!("identical to line {line} of the base")),
            Some(_) => (Status::Moved, format!("moved from line {line} of the base")),
        };
        head.match_with(base, status, reason);
    }
}

/// The reason of a finding that moved from another file.
#[must_use]
pub fn moved_from(path: &str, line: u32) -> String {
    format!("moved from `{path}`, line {line} of the base")
}

fn indices(placed: &[Placed], wanted: impl Fn(&Placed) -> bool) -> Vec<usize> {
    (0..placed.len()).filter(|&at| wanted(&placed[at])).collect()
}

fn matches(
    heads: &[Placed],
    now: &[usize],
    bases: &[Placed],
    then: &[usize],
) -> Vec<(usize, usize)> {
    let new: Vec<&str> = now.iter().map(|&at| &*heads[at].key).collect();
    let gone: Vec<&str> = then.iter().map(|&at| &*bases[at].key).collect();
    match_moves(&new, &gone).into_iter().map(|(head, base)| (now[head], then[base])).collect()
}

/// Pairs equal keys of [`text_keys`] in order, each used once. Returns indexes in `new` and in
/// `gone`.
#[must_use]
pub fn match_moves<K: AsRef<str>>(new: &[K], gone: &[K]) -> Vec<(usize, usize)> {
    let some = |keys| <[K]>::iter(keys).map(|key| Some(key.as_ref()));
    first_with_first(some(new), some(gone))
}

/// Pairs equal keys in order, each used once; items without a key are skipped.
fn first_with_first<K: Eq + Hash>(
    new: impl Iterator<Item = Option<K>>,
    gone: impl Iterator<Item = Option<K>>,
) -> Vec<(usize, usize)> {
    let mut left: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (at, key) in gone.enumerate() {
        if let Some(key) = key {
            left.entry(key).or_default().push_back(at);
        }
    }
    let pairs = new.enumerate().filter_map(|(at, key)| {
        let gone = left.get_mut(&key?)?.pop_front()?;
        Some((at, gone))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_keeps_half_of_the_line() {
        assert!(is_edited("FROM node:latest", "FROM node:latest AS build"));
        assert!(is_edited("FROM node:18", "FROM node:20"));
        assert!(!is_edited("password = hunter2", "x = 1"));
        assert!(!is_edited("aaaa", "aaaaaaaaaaaaaaa"));
    }
}
