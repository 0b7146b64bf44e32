//! What a change brought about: findings before and after it, told apart line by line.
//!
//! A finding is judged by where it stood, not only by whether its line was touched: it is
//! pre-existing when the base has it at the place that the lines of the diff lead back to, moved
//! when the base had the same rule broken by the same text elsewhere, and new otherwise. What the
//! base had and no finding answers to is fixed.

use crate::check::{Engine, text_keys};
use crate::config::Config;
use crate::files::{Disk, Files};
use crate::finding::{Finding, RuleId, Severity, Status};
use crate::git::{Change, Snapshot};
use crate::ignored::Ignored;
use crate::source::{Encoding, Source, Span};
use crate::walk::{self, FileReport, Outcome, Walk};
use gix::diff::blob::{Algorithm, Diff, InternedInput};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Most bytes of a file whose lines are compared; larger ones are compared by text alone.
const DIFF_LIMIT: u64 = 16 << 20;

/// Lines of the base that were replaced by lines of the head; from 0, one side may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// In the base.
    pub base: Range<u32>,
    /// In the head.
    pub head: Range<u32>,
}

/// The side of a change that is judged.
#[derive(Debug)]
pub enum Head<'a> {
    /// What lies on the disk.
    WorkTree {
        /// The files.
        disk: &'a Disk,
        /// Which of them; `only` is set by the comparison, or left out to check all.
        walk: Walk,
        /// Check every file, not only the changed ones.
        whole: bool,
    },
    /// A revision or the index.
    Snapshot(&'a Snapshot),
}

/// What a change brought about.
#[derive(Debug, Default)]
pub struct Compared {
    /// The findings of the head, with their statuses.
    pub outcome: Outcome,
    /// The files of the base that had findings which are gone; only those.
    pub fixed: Vec<FileReport>,
    /// Path of a changed file in the head → what changed in it. Of files with findings only.
    pub hunks: BTreeMap<String, Vec<Hunk>>,
    /// How many files changed, among those that are checked.
    pub changed: usize,
    /// How many findings stood in the files checked before the change, allowed ones left out; in
    /// the order of [`Severity::ALL`].
    pub before: [usize; 3],
}

/// Checks both sides of `changes` and judges the findings of the head. `done` is told of each file
/// of the head, from any thread.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn compare(
    engine: &Engine,
    config: &Config,
    (base, head): (&Snapshot, Head<'_>),
    changes: &[Change],
    done: &(dyn Fn() + Sync),
) -> Result<Compared, String> {
    let jobs = match &head {
        Head::WorkTree { walk, .. } => walk.jobs,
        Head::Snapshot(_) => 0,
    };
    let heads = changes.iter().filter_map(|change| change.head.clone());
    let (outcome, files): (Outcome, &dyn Files) = match head {
        Head::WorkTree { disk, mut walk, whole } => {
            walk.only = (!whole).then(|| heads.collect());
            (walk::check_tree(engine, config, disk, &walk, done)?, disk)
        }
        Head::Snapshot(snapshot) => {
            let mut ignored = Ignored::new(snapshot);
            let paths: Vec<String> = heads.filter(|path| !ignored.leaves_out(path)).collect();
            (walk::check_files(engine, config, snapshot, &paths, jobs)?, snapshot)
        }
    };
    let met = |path: &String| outcome.met.contains(path);
    // What is gone was checked if it would be now.
    let mut ignored = Ignored::new(files);
    let counts: Vec<&Change> = changes
        .iter()
        .filter(|change| match &change.head {
            Some(head) => met(head),
            None => change.base.as_ref().is_some_and(|base| !ignored.leaves_out(base)),
        })
        .collect();
    let bases: Vec<String> = counts.iter().filter_map(|change| change.base.clone()).collect();
    let before = walk::check_files(engine, config, base, &bases, jobs)?;
    let mut comparison = Compared { outcome, changed: counts.len(), ..Compared::default() };
    comparison.judge(&counts, (base, files), before);
    Ok(comparison)
}

impl Compared {
    fn judge(&mut self, changes: &[&Change], sides: (&Snapshot, &dyn Files), base: Outcome) {
        let mut heads = Side::of(&self.outcome.files);
        let mut bases = Side::of(&base.files);
        let unread: HashSet<&str> =
            self.outcome.skipped.iter().map(|skipped| &*skipped.path).collect();
        for change in changes {
            let (now, then) = (heads.at(change.head.as_deref()), bases.at(change.base.as_deref()));
            if now.is_empty() && then.is_empty() {
                continue;
            }
            let hunks = hunks_of(change, sides);
            let lines = LineMap(hunks.as_deref());
            pair(&mut heads.placed[now.clone()], &mut bases.placed[then.clone()], &lines);
            for placed in &mut heads.placed[now] {
                placed.judge_new(change.base.is_none(), &lines);
            }
            let lost = change.head.as_deref().is_some_and(|head| unread.contains(head));
            for placed in &mut bases.placed[then] {
                placed.judge_gone(change.head.is_none(), lost, &lines);
            }
            if let (Some(head), Some(hunks)) = (&change.head, hunks) {
                self.hunks.insert(head.clone(), hunks);
            }
        }
        cross_files(&mut heads, &mut bases);
        self.before = bases.standing();
        for (to, count) in self.before.iter_mut().zip(heads.standing_untouched()) {
            *to += count;
        }
        let verdicts = heads.verdicts();
        for (at, status, reason) in verdicts {
            let finding = &mut self.outcome.files[at.0].checked.findings[at.1];
            if finding.status == Status::New {
                finding.status = status;
                finding.reason = Some(reason);
            }
        }
        let fixed = bases.verdicts();
        self.fixed = fixed_files(base.files, fixed);
    }
}

/// Only the findings that are gone, with their verdicts.
fn fixed_files(mut files: Vec<FileReport>, fixed: Vec<Verdict>) -> Vec<FileReport> {
    let fixed: HashMap<(usize, usize), (Status, String)> =
        fixed.into_iter().map(|(at, status, reason)| (at, (status, reason))).collect();
    for (index, file) in files.iter_mut().enumerate() {
        let findings = std::mem::take(&mut file.checked.findings);
        let gone = findings.into_iter().enumerate().filter_map(|(at, mut finding)| {
            let (status, reason) = fixed.get(&(index, at))?.clone();
            (finding.status, finding.reason, finding.fix) = (status, Some(reason), None);
            Some(finding)
        });
        file.checked.findings = gone.collect();
    }
    files.retain(|file| !file.checked.findings.is_empty());
    files
}

/// Where a finding is (file, finding), its status and why.
type Verdict = ((usize, usize), Status, String);

/// A finding of one side, as the comparison needs it.
struct Placed {
    at: (usize, usize),
    path: String,
    rule: RuleId,
    severity: Severity,
    message: String,
    /// First and last line, from 0, in the whole file.
    lines: (u32, u32),
    column: u32,
    /// The text under the span.
    text: String,
    /// The first of its lines.
    line: String,
    key: String,
    status: Status,
    /// Whether a finding of the other side answers to it.
    matched: bool,
    verdict: Option<(Status, String)>,
}

/// The findings of one side, by path.
struct Side {
    placed: Vec<Placed>,
    paths: HashMap<String, Range<usize>>,
}

impl Side {
    fn of(files: &[FileReport]) -> Self {
        let mut side = Self { placed: Vec::new(), paths: HashMap::new() };
        for (index, file) in files.iter().enumerate() {
            let start = side.placed.len();
            let keys = text_keys(&file.source, &file.checked.findings);
            let findings = file.checked.findings.iter().enumerate().zip(keys);
            side.placed.extend(
                findings.map(|((at, finding), key)| place((index, at), &file.source, finding, key)),
            );
            // The windows of a large file follow one another.
            let end = side.placed.len();
            side.paths.entry(file.source.path().to_owned()).or_insert(start..end).end = end;
        }
        side
    }

    fn at(&self, path: Option<&str>) -> Range<usize> {
        path.and_then(|path| self.paths.get(path)).cloned().unwrap_or_default()
    }

    /// How many of the base stood, by severity.
    fn standing(&self) -> [usize; 3] {
        count(self.placed.iter().filter(|placed| placed.status != Status::Allowed))
    }

    /// How many stand in files that did not change.
    fn standing_untouched(&self) -> [usize; 3] {
        let open = |placed: &&Placed| placed.status != Status::Allowed && placed.verdict.is_none();
        count(self.placed.iter().filter(open))
    }

    fn verdicts(self) -> Vec<Verdict> {
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

fn place(at: (usize, usize), source: &Source, finding: &Finding, key: String) -> Placed {
    let start = source.position(finding.span.start, Encoding::CodePoints);
    let end = source.position(finding.span.end, Encoding::CodePoints);
    let line = source.lines_around(Span { end: finding.span.start, ..finding.span });
    Placed {
        at,
        path: source.path().to_owned(),
        rule: finding.rule.clone(),
        severity: finding.severity,
        message: finding.message.clone(),
        lines: (start.line, end.line.max(start.line)),
        column: start.column,
        text: source.slice(finding.span).to_owned(),
        line: source.slice(line).trim().to_owned(),
        key,
        status: finding.status,
        matched: false,
        verdict: None,
    }
}

impl Placed {
    /// What the line is called in a reason.
    fn shown_line(&self) -> u32 {
        self.lines.0 + 1
    }

    /// A finding of the head that nothing in the base answers to.
    fn judge_new(&mut self, file_is_new: bool, lines: &LineMap<'_>) {
        if self.verdict.is_some() {
            return;
        }
        let reason = if file_is_new {
            "the file is new"
        } else if lines.head_hunk(self.lines).is_some() {
            "this change added or changed the line"
        } else if lines.0.is_some() {
            "the line is as it was: a change elsewhere brought it about"
        } else {
            "the base has no such line"
        };
        self.verdict = Some((Status::New, reason.to_owned()));
    }

    /// A finding of the base that nothing in the head answers to; `lost`: the head could not be
    /// checked, so nothing is known.
    fn judge_gone(&mut self, file_is_gone: bool, lost: bool, lines: &LineMap<'_>) {
        if self.matched || lost || self.status == Status::Allowed {
            self.matched = true;
            return;
        }
        let reason = if file_is_gone {
            "the file is gone"
        } else if lines.0.is_some() && lines.to_head(self.lines).is_some() {
            "the line is as it was: a change elsewhere mended it"
        } else {
            "the line was changed or removed"
        };
        self.verdict = Some((Status::Fixed, reason.to_owned()));
    }

    /// Says that `before` answers to this finding.
    fn answer(&mut self, before: &mut Self, status: Status, reason: String) {
        before.matched = true;
        self.matched = true;
        self.verdict = Some(if before.status == Status::Allowed {
            (Status::New, "the comment that allowed it is gone".to_owned())
        } else {
            (status, reason)
        });
    }
}

/// Finds for each finding of a file's head the one of its base that it was.
fn pair(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    same_place(heads, bases, lines);
    edited_in_place(heads, bases, lines);
    same_text(heads, bases, lines);
}

/// On lines that did not change: the same rule at the same column.
fn same_place(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    let mut there: HashMap<(RuleId, (u32, u32), u32), Vec<usize>> = HashMap::new();
    for (at, base) in bases.iter().enumerate() {
        if let Some(now) = lines.to_head(base.lines) {
            there.entry((base.rule.clone(), now, base.column)).or_default().push(at);
        }
    }
    for head in heads {
        let Some(found) = there.get_mut(&(head.rule.clone(), head.lines, head.column)) else {
            continue;
        };
        let alike = |&at: &usize| bases[at].message == head.message && bases[at].text == head.text;
        let at = found.iter().position(alike).or((!found.is_empty()).then_some(0));
        let Some(at) = at else { continue };
        let base = &mut bases[found.remove(at)];
        let reason = format!("line {} of the base has it too", base.shown_line());
        head.answer(base, Status::PreExisting, reason);
    }
}

/// On a line that was changed, but not where the problem is.
fn edited_in_place(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    let mut there: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, base) in bases.iter().enumerate() {
        if let (false, Some(hunk)) = (base.matched, lines.base_hunk(base.lines)) {
            there.entry(hunk).or_default().push(at);
        }
    }
    for head in heads.iter_mut().filter(|head| !head.matched) {
        let Some(near) = lines.head_hunk(head.lines).and_then(|hunk| there.get(&hunk)) else {
            continue;
        };
        let found = near.iter().copied().find(|&at| {
            let base = &bases[at];
            !base.matched
                && (&base.rule, &base.message, &base.text)
                    == (&head.rule, &head.message, &head.text)
                && base.key != head.key
                && is_edited(&base.line, &head.line)
        });
        if let Some(at) = found {
            let base = &mut bases[at];
            let reason = format!(
                "the line was changed around it; line {} of the base has it too",
                base.shown_line()
            );
            head.answer(base, Status::PreExisting, reason);
        }
    }
}

/// Whether one line became the other by an edit in one place: what both begin and end with makes up
/// half of the longer one.
fn is_edited(before: &str, after: &str) -> bool {
    let same = |(a, b): &(char, char)| a == b;
    let longer = before.chars().count().max(after.chars().count());
    let shorter = before.chars().count().min(after.chars().count());
    let begins = before.chars().zip(after.chars()).take_while(same).count();
    let ends = before.chars().rev().zip(after.chars().rev()).take_while(same).count();
    2 * (begins + ends).min(shorter) >= longer
}

/// The same rule broken by the same text, elsewhere in the file.
fn same_text(heads: &mut [Placed], bases: &mut [Placed], lines: &LineMap<'_>) {
    let left = |placed: &Placed| !placed.matched;
    let (now, then) = (indices(heads, left), indices(bases, left));
    for (head, base) in matches(heads, &now, bases, &then) {
        let (head, base) = (&mut heads[head], &mut bases[base]);
        let line = base.shown_line();
        let (status, reason) = match lines.0 {
            None => (Status::PreExisting, format!("line {line} of the base is the same")),
            Some(_) => (Status::Moved, format!("it was on line {line} of the base")),
        };
        head.answer(base, status, reason);
    }
}

/// The same rule broken by the same text, in another file that changed.
fn cross_files(heads: &mut Side, bases: &mut Side) {
    let is_new = |placed: &Placed| {
        placed.status == Status::New
            && !placed.matched
            && matches!(placed.verdict, Some((Status::New, _)))
    };
    let is_gone = |placed: &Placed| matches!(placed.verdict, Some((Status::Fixed, _)));
    let (now, then) = (indices(&heads.placed, is_new), indices(&bases.placed, is_gone));
    for (head, base) in matches(&heads.placed, &now, &bases.placed, &then) {
        let (head, base) = (&mut heads.placed[head], &mut bases.placed[base]);
        base.verdict = None;
        let reason = moved_from(&base.path, base.shown_line());
        head.answer(base, Status::Moved, reason);
    }
}

/// Why a finding counts as moved that stood in another file.
#[must_use]
pub fn moved_from(path: &str, line: u32) -> String {
    format!("it was in `{path}`, line {line} of the base")
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

/// Pairs equal keys of [`text_keys`], each used once, the first with the first: positions in `new`
/// and in `gone`.
#[must_use]
pub fn match_moves(new: &[&str], gone: &[&str]) -> Vec<(usize, usize)> {
    let mut left: HashMap<&str, std::collections::VecDeque<usize>> = HashMap::new();
    for (at, key) in gone.iter().enumerate() {
        left.entry(key).or_default().push_back(at);
    }
    let pairs = new.iter().enumerate().filter_map(|(at, key)| {
        let gone = left.get_mut(key)?.pop_front()?;
        Some((at, gone))
    });
    pairs.collect()
}

/// Leads from lines of the base to lines of the head; `None`: the texts were not compared.
struct LineMap<'a>(Option<&'a [Hunk]>);

impl LineMap<'_> {
    /// Where lines of the base are now, if none of them changed.
    fn to_head(&self, (first, last): (u32, u32)) -> Option<(u32, u32)> {
        let hunks = self.0?;
        let before = hunks.partition_point(|hunk| hunk.base.end <= first);
        // What was inserted right before the first line lies before it, among them parts them.
        if hunks.get(before).is_some_and(|hunk| hunk.base.start <= last) {
            return None;
        }
        let last_before = before.checked_sub(1).map(|at| &hunks[at]);
        let now = |line: u32| match last_before {
            Some(hunk) => hunk.head.end + (line - hunk.base.end),
            None => line,
        };
        Some((now(first), now(last)))
    }

    fn head_hunk(&self, lines: (u32, u32)) -> Option<usize> {
        self.hunk(lines, |hunk| &hunk.head)
    }

    fn base_hunk(&self, lines: (u32, u32)) -> Option<usize> {
        self.hunk(lines, |hunk| &hunk.base)
    }

    fn hunk(
        &self,
        (first, last): (u32, u32),
        side: impl Fn(&Hunk) -> &Range<u32>,
    ) -> Option<usize> {
        let hunks = self.0?;
        let at = hunks.partition_point(|hunk| side(hunk).end <= first);
        hunks.get(at).is_some_and(|hunk| side(hunk).start <= last).then_some(at)
    }
}

/// What changed in a file; `None` when it is new, gone or too large to compare.
fn hunks_of(change: &Change, (base, head): (&Snapshot, &dyn Files)) -> Option<Vec<Hunk>> {
    let read = |files: &dyn Files, path: &str| {
        let bytes = files.read(path, DIFF_LIMIT + 1).ok()?;
        (bytes.len() as u64 <= DIFF_LIMIT).then(|| Source::decode(path, bytes))
    };
    let before = read(base, change.base.as_deref()?)?;
    let after = read(head, change.head.as_deref()?)?;
    Some(hunks(before.text(), after.text()))
}

/// The lines that differ, in order. Line ends (CRLF, LF) do not count: the work tree may have
/// others than the store.
#[must_use]
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.lines());
    input.update_after(after.lines());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunk = |hunk: gix::diff::blob::Hunk| Hunk { base: hunk.before, head: hunk.after };
    diff.hunks().map(hunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_lead_from_the_base_to_the_head() {
        let hunks = hunks("a\nb\nc\nd\n", "a\r\nnew\r\nb\r\nd\r\n");
        assert_eq!(hunks, [Hunk { base: 1..1, head: 1..2 }, Hunk { base: 2..3, head: 3..3 }]);
        let map = LineMap(Some(&hunks));
        let to = [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 3)].map(|lines| map.to_head(lines));
        assert_eq!(to, [Some((0, 0)), Some((2, 2)), None, Some((3, 3)), None, None]);
        assert_eq!((map.head_hunk((1, 1)), map.head_hunk((2, 2))), (Some(0), None));
        assert_eq!((map.head_hunk((2, 3)), map.base_hunk((2, 2))), (Some(1), Some(1)));
    }

    #[test]
    fn an_edit_leaves_half_of_the_line() {
        assert!(is_edited("FROM node:latest", "FROM node:latest AS build"));
        assert!(is_edited("FROM node:18", "FROM node:20"));
        assert!(!is_edited("password = hunter2", "x = 1"));
        assert!(!is_edited("aaaa", "aaaaaaaaaaaaaaa"));
    }

    proptest! {
        #[test]
        fn an_unchanged_line_keeps_its_text(
            before in proptest::collection::vec("[abc]{0,1}", 0..20),
            after in proptest::collection::vec("[abc]{0,1}", 0..20),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let hunks = hunks(&text(&before), &text(&after));
            let map = LineMap(Some(&hunks));
            let mut reached = std::collections::BTreeSet::new();
            for (line, text) in (0_u32..).zip(&before) {
                if let Some((now, _)) = map.to_head((line, line)) {
                    prop_assert_eq!(text, &after[now as usize]);
                    prop_assert_eq!(map.head_hunk((now, now)), None);
                    reached.insert(now);
                }
            }
            for now in 0..u32::try_from(after.len()).expect("few") {
                prop_assert_eq!(!reached.contains(&now), map.head_hunk((now, now)).is_some());
            }
        }
    }
}
