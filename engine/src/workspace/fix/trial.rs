//! Tries fixes on a text: applies the fixes, checks the result, and determines the fixes that fail.

use super::Reason;
use super::compare::{RemovedFinding, find_causes, match_findings, restored_findings};
use super::structure::{Structure, syntax_rules};
use crate::check::Engine;
use crate::text::edits::{EditMap, Edits};
use crate::text::files::Files;
use crate::text::finding::{Finding, RuleId, Severity, Status};
use crate::text::source::{Encoding, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of checks of a file per round to determine the fixes that fail.
const MAX_CHECKS: usize = 64;

/// A text and its findings.
pub(super) struct State {
    pub(super) bytes: Vec<u8>,
    pub(super) source: Source,
    pub(super) findings: Vec<Finding>,
    structure: Structure,
}

impl State {
    /// The findings among `candidates` that are not allowed and whose fixes can be applied
    /// together, sorted. If several fixes overlap, only the first finding is included.
    pub(super) fn without_overlap(&self, candidates: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut edits = Edits::default();
        let can_be_added = |at: &usize| {
            let finding = &self.findings[*at];
            finding.status == Status::New
                && finding.fix.as_ref().is_some_and(|fix| edits.add_fix(fix, self.bytes.len()))
        };
        candidates.filter(can_be_added).collect()
    }
}

/// The checks that fixes of one file must pass.
pub(super) struct Trial<'a> {
    engine: &'a Engine,
    path: &'a str,
    files: &'a dyn Files,
    syntax_rules: Vec<RuleId>,
}

/// The fixes of a round that succeed, and the fixes that fail.
pub(super) struct Round {
    /// The fixes that succeed; `None` if all fail.
    pub(super) accepted: Option<AcceptedFixes>,
    /// The findings whose fixes fail, each with the reason.
    pub(super) failed: Vec<(usize, Reason)>,
}

/// Fixes that succeed when they are applied together.
pub(super) struct AcceptedFixes {
    /// The findings that the fixes removed.
    pub(super) fixed: Vec<usize>,
    /// The text with the fixes.
    pub(super) state: State,
    /// The positions of the edits.
    pub(super) map: EditMap,
    /// For each finding of the new text, its match in the previous text.
    pub(super) matches: Vec<Option<usize>>,
}

/// The result of applying some fixes.
struct Attempt {
    state: State,
    map: EditMap,
    matches: Vec<Option<usize>>,
    /// The findings whose fixes fail: the finding is still reported, or the fix causes a new fault
    /// whose position shows that the fix caused it.
    failing: BTreeMap<usize, Reason>,
    /// A fault whose position does not show which fix caused it.
    fault: Option<Reason>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(engine: &'a Engine, path: &'a str, files: &'a dyn Files) -> Self {
        Self { engine, path, files, syntax_rules: syntax_rules(engine, path) }
    }

    /// Checks a text.
    pub(super) fn state(&self, bytes: Vec<u8>, source: Source) -> State {
        let structure = Structure::new(self.engine, &source, self.files, &self.syntax_rules);
        let findings = self.engine.check(&source, self.files).findings;
        State { bytes, source, findings, structure }
    }

    /// Applies the fixes of the findings `chosen`, which do not overlap, and undoes the fixes that
    /// fail. If no fix fails, one check is enough. Otherwise, fixes that fail at their own position
    /// are excluded, or halves are tried, so that a few failing fixes among many require few
    /// checks. After [`MAX_CHECKS`] checks the remaining fixes are undone.
    pub(super) fn run(
        &self,
        before: &State,
        chosen: Vec<usize>,
        removed: &[RemovedFinding],
    ) -> Round {
        let mut passing: Vec<usize> = Vec::new();
        let mut accepted = None;
        let mut failed = Vec::new();
        let mut untried = vec![chosen];
        let mut checks = 0;
        // The largest group first, so that most fixes are verified if the checks run out.
        while let Some(mut group) = take_largest(&mut untried) {
            if checks == MAX_CHECKS {
                failed.extend(group.into_iter().map(|at| (at, Reason::Unverified)));
                continue;
            }
            checks += 1;
            let combined: Vec<usize> = passing.iter().chain(&group).copied().collect();
            let attempt = self.attempt(before, &combined, removed);
            let Attempt { state, map, matches, failing, fault } = attempt;
            if failing.is_empty() && fault.is_none() {
                accepted = Some(AcceptedFixes { fixed: combined.clone(), state, map, matches });
                passing = combined;
                continue;
            }
            let count = group.len();
            group.retain(|at| match failing.get(at) {
                Some(reason) => {
                    failed.push((*at, reason.clone()));
                    false
                }
                None => true,
            });
            if group.len() < count {
                untried.push(group);
                continue;
            }
            if let [at] = group[..] {
                // A fix that does not itself fail makes an accepted fix fail.
                let other = failing.into_iter().next().map(|(other, reason)| match reason {
                    Reason::Remains => Reason::Restores(before.findings[other].rule.clone()),
                    reason => reason,
                });
                failed.push((at, fault.or(other).unwrap_or(Reason::Unverified)));
            } else {
                let second = group.split_off(group.len() / 2);
                untried.extend([group, second]);
            }
        }
        Round { accepted, failed }
    }

    fn attempt(&self, before: &State, chosen: &[usize], removed: &[RemovedFinding]) -> Attempt {
        let mut edits = Edits::default();
        for fix in chosen.iter().filter_map(|&at| before.findings[at].fix.as_ref()) {
            edits.add_fix(fix, before.bytes.len());
        }
        let (bytes, map) = edits.splice(&before.bytes);
        let source = Source::decode(self.path, bytes.clone());
        let state = self.state(bytes, source);
        let applied: BTreeSet<usize> = chosen.iter().copied().collect();
        let matches = match_findings(before, &state, &map, &applied);
        let mut failing = BTreeMap::new();
        let mut fault = before.structure.reason_if_broken(&state.structure);
        if fault.is_none() {
            let remaining = matches.iter().flatten().filter(|at| applied.contains(at));
            failing.extend(remaining.map(|&at| (at, Reason::Remains)));
            let new = new_faults(before, &state, &matches, &map, removed);
            let (faults, reasons): (Vec<usize>, Vec<Reason>) = new.into_iter().unzip();
            let mut reasons: BTreeMap<usize, Reason> =
                faults.iter().copied().zip(reasons).collect();
            for (at, cause) in find_causes(&faults, &state, &map, before, chosen) {
                if let Some(reason) = reasons.remove(&at) {
                    failing.entry(cause).or_insert(reason);
                }
            }
            fault = reasons.into_values().next();
        }
        Attempt { state, map, matches, failing, fault }
    }
}

/// Removes the largest group; `None` if all are empty.
fn take_largest(groups: &mut Vec<Vec<usize>>) -> Option<Vec<usize>> {
    let (at, _) = groups.iter().enumerate().max_by_key(|(_, group)| group.len())?;
    Some(groups.swap_remove(at)).filter(|group| !group.is_empty())
}

/// The findings that must not appear, each with the reason: new errors, and fixed findings that are
/// reported again.
fn new_faults(
    before: &State,
    after: &State,
    matches: &[Option<usize>],
    map: &EditMap,
    removed: &[RemovedFinding],
) -> Vec<(usize, Reason)> {
    let mut faults = Vec::new();
    for (at, (finding, old_index)) in after.findings.iter().zip(matches).enumerate() {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        if is_error(finding)
            && finding.status == Status::New
            && old_index.is_none_or(|old_index| !is_error(&before.findings[old_index]))
        {
            let position = after.source.position(finding.span.start, Encoding::CodePoints);
            let rule = finding.rule.clone();
            faults.push((at, Reason::AddsError { rule, line: position.line + 1 }));
        }
    }
    let restored = restored_findings(&after.findings, matches, map, removed);
    let restored = restored.into_iter().map(|at| (at, after.findings[at].rule.clone()));
    faults.extend(restored.map(|(at, rule)| (at, Reason::Restores(rule))));
    faults
}
