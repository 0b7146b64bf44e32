//! Compares the findings before and after fixes. The edits are known, so each finding is compared
//! at its own position.

use super::apply::EditMap;
use super::trial::State;
use crate::text::finding::{Finding, RuleId, Status};
use crate::text::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Maximum number of findings with which one is compared; more than that at one position are
/// nested.
const CANDIDATES: usize = 32;

/// A finding that a fix removed, at its position in the current text.
#[derive(Clone, Debug)]
pub(super) struct Gone {
    pub(super) rule: RuleId,
    pub(super) span: Span,
}

impl Gone {
    pub(super) fn from_finding(finding: &Finding) -> Self {
        Self { rule: finding.rule.clone(), span: finding.span }
    }
}

/// The findings of one rule: indexes before, and indexes after with their span before.
#[derive(Default)]
struct OfRule {
    before: Vec<usize>,
    after: Vec<(Span, usize)>,
}

/// The index of each finding's match in `before`. A finding whose fix was `applied` is matched only
/// if no other finding of its rule fits: then it remains.
pub(super) fn match_findings(
    before: &State,
    after: &State,
    map: &EditMap,
    applied: &BTreeSet<usize>,
) -> Vec<Option<usize>> {
    let mut rules: BTreeMap<&RuleId, OfRule> = BTreeMap::new();
    for (at, finding) in before.findings.iter().enumerate() {
        rules.entry(&finding.rule).or_default().before.push(at);
    }
    for (at, finding) in after.findings.iter().enumerate() {
        rules.entry(&finding.rule).or_default().after.push((map.back(finding.span), at));
    }
    let mut matches = vec![None; after.findings.len()];
    for OfRule { before: old, after: mut new } in rules.into_values() {
        let (fixed, other): (Vec<usize>, Vec<usize>) =
            old.into_iter().partition(|at| applied.contains(at));
        let mut used = BTreeSet::new();
        let mut record = |pairs: Vec<(usize, usize)>, new: &mut Vec<(Span, usize)>| {
            for (now, then) in pairs {
                matches[now] = Some(then);
                used.insert(then);
            }
            new.retain(|(_, now)| matches[*now].is_none());
            used.clone()
        };
        // A finding that an allow comment covered and no longer covers is new.
        let fits = |now: usize, then: usize| {
            after.findings[now].status == Status::Allowed
                || before.findings[then].status != Status::Allowed
        };
        let all: Vec<usize> = other.iter().chain(&fixed).copied().collect();
        let place = |then: usize| (before.findings[then].span, &*before.findings[then].message);
        let exact = first_with_first(
            new.iter().map(|&(span, now)| ((span, &*after.findings[now].message), now)),
            all.iter().map(|&then| (place(then), then)),
            fits,
        );
        let mut taken = record(exact, &mut new);
        for group in [&other, &fixed] {
            let free: Vec<(Span, usize)> = group
                .iter()
                .filter(|then| !taken.contains(then))
                .map(|&then| (before.findings[then].span, then))
                .collect();
            taken = record(pair_touching(&mut new, free, fits), &mut new);
        }
        // The edits can have moved the text of a finding.
        let text = |state: &State, at: usize| {
            let finding = &state.findings[at];
            (finding.message.clone(), state.source.slice(finding.span).to_owned())
        };
        let moved = first_with_first(
            new.iter().map(|&(_, now)| (text(after, now), now)),
            other
                .iter()
                .filter(|then| !taken.contains(then))
                .map(|&then| (text(before, then), then)),
            fits,
        );
        record(moved, &mut new);
    }
    matches
}

/// The findings that are new after the fixes, at the position of one that an earlier fix removed.
pub(super) fn restored(
    after: &[Finding],
    matches: &[Option<usize>],
    map: &EditMap,
    gone: &[Gone],
) -> Vec<usize> {
    let mut spans: BTreeMap<&RuleId, Vec<(Span, usize)>> = BTreeMap::new();
    for (at, one) in gone.iter().enumerate() {
        spans.entry(&one.rule).or_default().push((one.span, at));
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
    pairs.map(|(now, _)| now).collect()
}

/// For each finding of `culprits`, the finding among the `chosen` ones whose position or fix is at
/// its position.
pub(super) fn caused_by(
    culprits: &[usize],
    after: &State,
    map: &EditMap,
    before: &State,
    chosen: &[usize],
) -> Vec<(usize, usize)> {
    let back = |&at: &usize| (map.back(after.findings[at].span), at);
    let mut new: Vec<(Span, usize)> = culprits.iter().map(back).collect();
    let places = chosen.iter().flat_map(|&at| {
        let finding = &before.findings[at];
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        edits.chain([finding.span]).map(move |span| (span, at))
    });
    pair_touching(&mut new, places.collect(), |_, _| true)
}

/// Pairs items with equal keys in order, each used once.
fn first_with_first<K: Eq + std::hash::Hash>(
    new: impl Iterator<Item = (K, usize)>,
    old: impl Iterator<Item = (K, usize)>,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut left: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (key, then) in old {
        left.entry(key).or_default().push_back(then);
    }
    let pairs = new.filter_map(|(key, now)| {
        let left = left.get_mut(&key)?;
        let at = left.iter().take(CANDIDATES).position(|&then| fits(now, then))?;
        Some((now, left.remove(at)?))
    });
    pairs.collect()
}

/// Pairs spans that touch, each used once; of several, the one that ends first.
fn pair_touching(
    new: &mut [(Span, usize)],
    mut old: Vec<(Span, usize)>,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    new.sort_unstable();
    old.sort_unstable();
    let mut old = old.into_iter().peekable();
    let mut open: BTreeSet<(u32, u32, usize)> = BTreeSet::new();
    let mut pairs = Vec::new();
    for &(span, now) in &*new {
        while let Some((began, then)) = old.next_if(|(began, _)| began.start <= span.end) {
            open.insert((began.end, began.start, then));
        }
        let found = open
            .range((span.start, 0, 0)..)
            .take(CANDIDATES)
            .find(|&&(end, start, then)| touch(span, Span { start, end }) && fits(now, then))
            .copied();
        if let Some(found) = found {
            open.remove(&found);
            pairs.push((now, found.2));
        }
    }
    pairs
}

/// Whether the spans share a byte, or an empty one is in or next to the other.
fn touch(a: Span, b: Span) -> bool {
    if a.is_empty() || b.is_empty() { a.start <= b.end && b.start <= a.end } else { a.overlaps(b) }
}
