//! Finds the comment that allows a rule on a line.

use super::markers::Scope;
use super::{Directive, Rules};
use crate::rules::registry::Registry;
use crate::text::finding::RuleId;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// The lines on which comments allow one rule. If several comments allow the rule on a line, the
/// first in the file is used.
pub(super) struct AllowedLines {
    /// The first line of each section, sorted, and the index of the comment that allows the rule in
    /// that section.
    sections: Vec<(usize, Option<usize>)>,
    /// Line → index of the first comment that applies only to this line, or to the statement that
    /// begins on it.
    single_lines: HashMap<usize, usize>,
}

/// The range of lines on which one comment allows a rule.
struct AllowedRange {
    lines: (usize, usize),
    directive: usize,
}

impl AllowedLines {
    /// The lines on which `directives`, the comments of a file in order, allow `rule`.
    pub(super) fn new(directives: &[Directive], rule: &RuleId, registry: &Registry) -> Self {
        let mut ranges = Vec::new();
        let mut single_lines = HashMap::new();
        // The last line before the next `End` comment; `None` if this comment is on the first line.
        let mut until = Some(usize::MAX);
        for (at, directive) in directives.iter().enumerate().rev() {
            let (first, last) = directive.lines;
            if directive.scope == Scope::End {
                match &directive.rules {
                    // From this line on, the rule is no longer allowed.
                    Rules::Named(rules) if rules.iter().any(|ids| ids.contains(rule)) => {
                        until = first.checked_sub(1);
                    }
                    Rules::Named(_) => {}
                    _ => until = Some(first),
                }
                continue;
            }
            if !directive.allows(rule, registry) {
                continue;
            }
            let lines = match directive.scope {
                Scope::File => Some((0, usize::MAX)),
                Scope::Rest => until.map(|until| (first, until)),
                _ => Some((first, last)),
            };
            if directive.scope == Scope::Here {
                single_lines.insert(first, at);
            }
            let lines = lines.filter(|(first, last)| first <= last);
            ranges.extend(lines.map(|lines| AllowedRange { lines, directive: at }));
        }
        Self { sections: split_into_sections(ranges), single_lines }
    }

    /// The index of the comment that allows the rule for a finding on the lines from `first` to
    /// `last`.
    pub(super) fn at(&self, first: usize, last: usize) -> Option<usize> {
        let after = self.sections.partition_point(|(line, _)| *line <= first);
        let by_range = after.checked_sub(1).and_then(|at| self.sections[at].1);
        let by_last = self.single_lines.get(&last).copied();
        by_range.into_iter().chain(by_last).min()
    }
}

/// Splits the lines at the start and end of each range. Returns the first line of each section, and
/// the first comment whose range contains the section.
fn split_into_sections(mut ranges: Vec<AllowedRange>) -> Vec<(usize, Option<usize>)> {
    ranges.sort_by_key(|range| Reverse(range.lines.0));
    let begin = ranges.iter().map(|range| range.lines.0);
    let end = ranges.iter().filter_map(|range| range.lines.1.checked_add(1));
    let lines: BTreeSet<usize> = begin.chain(end).collect();
    let mut open = BinaryHeap::new();
    let mut sections = Vec::with_capacity(lines.len());
    for line in lines {
        while let Some(range) = ranges.pop_if(|range| range.lines.0 == line) {
            open.push(Reverse((range.directive, range.lines.1)));
        }
        while open.peek().is_some_and(|Reverse((_, last))| *last < line) {
            open.pop();
        }
        sections.push((line, open.peek().map(|Reverse((directive, _))| *directive)));
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_range_that_contains_a_line_is_used(
            ranges in proptest::collection::vec((0_usize..12, 0_usize..6), 0..12),
        ) {
            let all: Vec<(usize, usize)> =
                ranges.iter().map(|(first, length)| (*first, first + length)).collect();
            let range = |(directive, &lines): (usize, &(usize, usize))| AllowedRange { lines, directive };
            let sections = split_into_sections(all.iter().enumerate().map(range).collect());
            let allowed_lines = AllowedLines { sections, single_lines: HashMap::new() };
            for line in 0..20 {
                let first = all.iter().position(|(first, last)| (*first..=*last).contains(&line));
                prop_assert_eq!(allowed_lines.at(line, line), first);
            }
        }
    }
}
