//! Compares the findings before and after fixes. The edits are known, so each finding is compared
//! at its own position.

use super::trial::State;
use crate::text::edits::EditMap;
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Maximum number of findings that a finding is compared with; only nested findings exceed this
/// number at one position.
const MAX_CANDIDATES: usize = 32;

/// A finding that a fix removed, at its position in the current text.
#[derive(Clone, Debug)]
pub(super) struct RemovedFinding {
    pub(super) rule: RuleId,
    pub(super) span: Span,
}

impl RemovedFinding {
    pub(super) fn from_finding(finding: &Finding) -> Self {
        Self { rule: finding.rule.clone(), span: finding.span }
    }
}

/// The findings of one rule: their indexes in the old text, and their indexes in the new text, each
/// with the corresponding span of the old text.
#[derive(Default)]
struct RuleFindings {
    before: Vec<usize>,
    after: Vec<(Span, usize)>,
}

/// The index of each finding's match in `before`. A finding whose fix was `applied` is matched only
/// if no other finding of its rule matches; in that case the fix did not remove the finding.
pub(super) fn match_findings(
    before: &State,
    after: &State,
    map: &EditMap,
    applied: &BTreeSet<usize>,
) -> Vec<Option<usize>> {
    let mut rules: BTreeMap<&RuleId, RuleFindings> = BTreeMap::new();
    for (at, finding) in before.findings.iter().enumerate() {
        rules.entry(&finding.rule).or_default().before.push(at);
    }
    for (at, finding) in after.findings.iter().enumerate() {
        rules.entry(&finding.rule).or_default().after.push((map.back(finding.span), at));
    }
    let mut matches = vec![None; after.findings.len()];
    for RuleFindings { before: old, after: mut new } in rules.into_values() {
        let (fixed, other): (Vec<usize>, Vec<usize>) =
            old.into_iter().partition(|at| applied.contains(at));
        let mut used = BTreeSet::new();
        let mut record = |pairs: Vec<(usize, usize)>, new: &mut Vec<(Span, usize)>| {
            for (new_index, old_index) in pairs {
                matches[new_index] = Some(old_index);
                used.insert(old_index);
            }
            new.retain(|(_, new_index)| matches[*new_index].is_none());
            used.clone()
        };
        // A finding that an allow comment covered and no longer covers is new.
        let can_match = |new_index: usize, old_index: usize| {
            after.findings[new_index].status == Status::Allowed
                || before.findings[old_index].status != Status::Allowed
        };
        let all: Vec<usize> = other.iter().chain(&fixed).copied().collect();
        let position = |old_index: usize| {
            (before.findings[old_index].span, &*before.findings[old_index].message)
        };
        let exact = pair_in_order(
            new.iter()
                .map(|&(span, new_index)| ((span, &*after.findings[new_index].message), new_index)),
            all.iter().map(|&old_index| (position(old_index), old_index)),
            can_match,
        );
        let mut matched = record(exact, &mut new);
        for group in [&other, &fixed] {
            let unmatched: Vec<(Span, usize)> = group
                .iter()
                .filter(|old_index| !matched.contains(old_index))
                .map(|&old_index| (before.findings[old_index].span, old_index))
                .collect();
            matched = record(pair_touching(&mut new, unmatched, can_match), &mut new);
        }
        // The edits may have moved the text of a finding.
        let text = |state: &State, at: usize| {
            let finding = &state.findings[at];
            (finding.message.clone(), state.source.slice(finding.span).to_owned())
        };
        let moved = pair_in_order(
            new.iter().map(|&(_, new_index)| (text(after, new_index), new_index)),
            other
                .iter()
                .filter(|old_index| !matched.contains(old_index))
                .map(|&old_index| (text(before, old_index), old_index)),
            can_match,
        );
        record(moved, &mut new);
    }
    matches
}

/// The findings that are new after the fixes, at the position of a finding that an earlier fix
/// removed.
pub(super) fn restored_findings(
    after: &[Finding],
    matches: &[Option<usize>],
    map: &EditMap,
    removed: &[RemovedFinding],
) -> Vec<usize> {
    let mut spans: BTreeMap<&RuleId, Vec<(Span, usize)>> = BTreeMap::new();
    for (at, finding) in removed.iter().enumerate() {
        spans.entry(&finding.rule).or_default().push((finding.span, at));
    }
    let mut new: BTreeMap<&RuleId, Vec<(Span, usize)>> = BTreeMap::new();
    for (at, finding) in after.iter().enumerate() {
        if matches[at].is_none() && finding.status == Status::New {
            new.entry(&finding.rule).or_default().push((map.back(finding.span), at));
        }
    }
    let pairs = spans.into_iter().flat_map(|(rule, spans)| {
        let mut new = new.remove(rule).unwrap_or_default();
        pair_touching(&mut new, spans, |_, _| true)
    });
    pairs.map(|(new_index, _)| new_index).collect()
}

/// For each of the `faults` (findings of `after`), the finding among `chosen` whose span or fix
/// touches the fault.
pub(super) fn find_causes(
    faults: &[usize],
    after: &State,
    map: &EditMap,
    before: &State,
    chosen: &[usize],
) -> Vec<(usize, usize)> {
    let back = |&at: &usize| (map.back(after.findings[at].span), at);
    let mut new: Vec<(Span, usize)> = faults.iter().map(back).collect();
    let positions = chosen.iter().flat_map(|&at| {
        let finding = &before.findings[at];
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        edits.chain([finding.span]).map(move |span| (span, at))
    });
    pair_touching(&mut new, positions.collect(), |_, _| true)
}

/// Pairs items with equal keys in order, each used once.
fn pair_in_order<K: Eq + std::hash::Hash>(
    new: impl Iterator<Item = (K, usize)>,
    old: impl Iterator<Item = (K, usize)>,
    can_match: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut candidates: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (key, old_index) in old {
        candidates.entry(key).or_default().push_back(old_index);
    }
    let pairs = new.filter_map(|(key, new_index)| {
        let candidates = candidates.get_mut(&key)?;
        let at = candidates
            .iter()
            .take(MAX_CANDIDATES)
            .position(|&old_index| can_match(new_index, old_index))?;
        Some((new_index, candidates.remove(at)?))
    });
    pairs.collect()
}

/// Pairs spans that touch; each span is used once. If several spans touch, the span that ends first
/// is used.
fn pair_touching(
    new: &mut [(Span, usize)],
    mut old: Vec<(Span, usize)>,
    can_match: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    new.sort_unstable();
    old.sort_unstable();
    let mut old = old.into_iter().peekable();
    let mut open: BTreeSet<(u32, u32, usize)> = BTreeSet::new();
    let mut pairs = Vec::new();
    for &(span, new_index) in &*new {
        while let Some((old_span, old_index)) =
            old.next_if(|(old_span, _)| old_span.start <= span.end)
        {
            open.insert((old_span.end, old_span.start, old_index));
        }
        let found = open
            .range((span.start, 0, 0)..)
            .take(MAX_CANDIDATES)
            .find(|&&(end, start, old_index)| {
                touch(span, Span { start, end }) && can_match(new_index, old_index)
            })
            .copied();
        if let Some(found) = found {
            open.remove(&found);
            pairs.push((new_index, found.2));
        }
    }
    pairs
}

/// Whether the spans share a byte, or an empty span is in or next to the other span.
fn touch(a: Span, b: Span) -> bool {
    if a.is_empty() || b.is_empty() { a.start <= b.end && b.start <= a.end } else { a.overlaps(b) }
}
