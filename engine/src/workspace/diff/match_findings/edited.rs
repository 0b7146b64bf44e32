//! Matches findings on lines that the change edited.

use super::{SideFinding, pair_in_order};
use crate::text::finding::{RuleId, Status};
use crate::workspace::diff::lines::LineMap;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Matches findings about the whole file, whatever its first line is.
pub(super) fn match_about_file(heads: &mut [SideFinding], bases: &mut [SideFinding]) {
    let key = |finding: &SideFinding| {
        finding.is_about_file.then(|| (finding.rule.clone(), finding.message.clone()))
    };
    let pairs = pair_in_order(heads.iter().map(key), bases.iter().map(key));
    for (head, base) in pairs {
        let reason = "already present in the base".to_owned();
        heads[head].match_with(&mut bases[base], Status::PreExisting, reason);
    }
}

/// Maximum number of findings of the base that a finding of the head is compared with, line by
/// line.
const MAX_CANDIDATES: usize = 32;

/// Matches findings on a line that was changed, but not at the finding.
pub(super) fn match_on_edited_lines(
    heads: &mut [SideFinding],
    bases: &mut [SideFinding],
    lines: &LineMap<'_>,
) {
    type Key = (usize, RuleId, String, String);
    let key = |finding: &SideFinding, hunk: usize| -> Key {
        (hunk, finding.rule.clone(), finding.message.clone(), unquoted(&finding.text))
    };
    let mut base_findings: HashMap<Key, VecDeque<usize>> = HashMap::new();
    for (at, base) in bases.iter().enumerate() {
        if let (false, Some(hunk)) = (base.matched, lines.base_hunk(base.lines)) {
            base_findings.entry(key(base, hunk)).or_default().push_back(at);
        }
    }
    let mut edited: HashMap<(usize, usize), bool> = HashMap::new();
    let mut is_edited = |base: &Arc<str>, head: &Arc<str>| {
        let pair = (base.as_ptr().addr(), head.as_ptr().addr());
        *edited.entry(pair).or_insert_with(|| is_edited(base, head))
    };
    for head in heads.iter_mut().filter(|head| !head.matched) {
        let candidates =
            lines.head_hunk(head.lines).and_then(|hunk| base_findings.get_mut(&key(head, hunk)));
        let Some(candidates) = candidates else { continue };
        let found = candidates.iter().take(MAX_CANDIDATES).position(|&at| {
            let base = &bases[at];
            base.key != head.key && is_edited(&base.line, &head.line)
        });
        if let Some(at) = found.and_then(|index| candidates.remove(index)) {
            let base = &mut bases[at];
            let reason = format!(
                "the line was changed around the finding; already present on line {} of the base",
                base.display_line()
            );
            head.match_with(base, Status::PreExisting, reason);
        }
    }
}

/// The text of a finding without quotes: a formatter can replace them.
fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

/// Matches findings of several lines, with the same rule and message, whose lines were changed
/// inside: the first line is unchanged, or it was edited and at least half of the lines are
/// unchanged. Secrets are not matched: another value is another secret.
pub(super) fn match_edited_inside(
    heads: &mut [SideFinding],
    bases: &mut [SideFinding],
    lines: &LineMap<'_>,
) {
    let reason = |base: &SideFinding| {
        let line = base.display_line();
        format!("lines of the finding were changed; already present on line {line} of the base")
    };
    let key = |finding: &SideFinding, line: Option<u32>| {
        (!finding.matched && !finding.is_secret).then_some((
            finding.rule.clone(),
            finding.message.clone(),
            finding.column,
            line?,
        ))
    };
    let heads_by = heads.iter().map(|head| key(head, Some(head.lines.0)));
    let bases_by = bases.iter().map(|base| {
        let first = base.lines.0;
        key(base, lines.to_head((first, first)).map(|(first, _)| first))
    });
    for (head, base) in pair_in_order(heads_by, bases_by) {
        let reason = reason(&bases[base]);
        heads[head].match_with(&mut bases[base], Status::PreExisting, reason);
    }
    let is_candidate = |finding: &SideFinding| {
        !finding.matched && !finding.is_secret && finding.lines.0 < finding.lines.1
    };
    let mut by_hunk: HashMap<(usize, RuleId, String), VecDeque<usize>> = HashMap::new();
    for (at, base) in bases.iter().enumerate().filter(|(_, base)| is_candidate(base)) {
        if let Some(hunk) = lines.base_hunk((base.lines.0, base.lines.0)) {
            let key = (hunk, base.rule.clone(), base.message.clone());
            by_hunk.entry(key).or_default().push_back(at);
        }
    }
    if by_hunk.is_empty() {
        return;
    }
    let changed = lines.changed_lines();
    let length = |finding: &SideFinding| finding.lines.1 - finding.lines.0 + 1;
    for head in heads.iter_mut().filter(|head| is_candidate(head)) {
        let Some(hunk) = lines.head_hunk((head.lines.0, head.lines.0)) else { continue };
        let key = (hunk, head.rule.clone(), head.message.clone());
        let Some(candidates) = by_hunk.get_mut(&key) else { continue };
        let found = candidates.iter().take(MAX_CANDIDATES).position(|&at| {
            let base = &bases[at];
            let unchanged = length(base) - changed.within(base.lines);
            2 * unchanged >= length(base).max(length(head)) && is_edited(&base.line, &head.line)
        });
        if let Some(at) = found.and_then(|index| candidates.remove(index)) {
            let reason = reason(&bases[at]);
            head.match_with(&mut bases[at], Status::PreExisting, reason);
        }
    }
}

/// Whether the lines differ by an edit in one place: their common prefix and suffix make up half of
/// the longer line.
fn is_edited(before: &str, after: &str) -> bool {
    let same = |(a, b): &(char, char)| a == b;
    let longer = before.chars().count().max(after.chars().count());
    let shorter = before.chars().count().min(after.chars().count());
    let prefix = before.chars().zip(after.chars()).take_while(same).count();
    let suffix = before.chars().rev().zip(after.chars().rev()).take_while(same).count();
    2 * (prefix + suffix).min(shorter) >= longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_share_half_of_their_text_count_as_edited() {
        assert!(is_edited("FROM node:latest", "FROM node:latest AS build"));
        assert!(is_edited("FROM node:18", "FROM node:20"));
        assert!(!is_edited("password = hunter2", "x = 1"));
        assert!(!is_edited("aaaa", "aaaaaaaaaaaaaaa"));
    }
}
