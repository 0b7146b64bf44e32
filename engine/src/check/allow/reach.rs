//! Finds the comment that allows a rule on a line.

use super::markers::Scope;
use super::{Directive, Rules};
use crate::rules::registry::Registry;
use crate::text::finding::RuleId;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// For one rule, the comment that allows it from each line on; of several comments the first in the
/// file.
pub(super) struct AllowedLines {
    /// Sorted by line.
    from: Vec<(usize, Option<usize>)>,
    /// Line → the first comment that applies only to it or to the statement that begins there.
    here: HashMap<usize, usize>,
}

/// The range of lines on which one comment allows a rule.
struct AllowedRange {
    lines: (usize, usize),
    directive: usize,
}

impl AllowedLines {
    /// The ranges for `rule`; `directives` are the comments of a file in order.
    pub(super) fn new(directives: &[Directive], rule: &RuleId, registry: &Registry) -> Self {
        let mut stretches = Vec::new();
        let mut here = HashMap::new();
        // The last line before the next comment that ends an allowance; `None` before the first
        // line.
        let mut until = Some(usize::MAX);
        for (at, directive) in directives.iter().enumerate().rev() {
            let (first, last) = directive.lines;
            if directive.reach == Scope::End {
                match &directive.rules {
                    // The rule counts again from this line on.
                    Rules::These(rules) if rules.iter().any(|some| some.contains(rule)) => {
                        until = first.checked_sub(1);
                    }
                    Rules::These(_) => {}
                    _ => until = Some(first),
                }
                continue;
            }
            if !directive.allows(rule, registry) {
                continue;
            }
            let lines = match directive.reach {
                Scope::File => Some((0, usize::MAX)),
                Scope::Rest => until.map(|until| (first, until)),
                _ => Some((first, last)),
            };
            if directive.reach == Scope::Here {
                here.insert(first, at);
            }
            let lines = lines.filter(|(first, last)| first <= last);
            stretches.extend(lines.map(|lines| AllowedRange { lines, directive: at }));
        }
        Self { from: first_of(stretches), here }
    }

    /// The comment that allows the rule for a finding on the lines from `first` to `last`.
    pub(super) fn at(&self, first: usize, last: usize) -> Option<usize> {
        let after = self.from.partition_point(|(line, _)| *line <= first);
        let by_stretch = after.checked_sub(1).and_then(|at| self.from[at].1);
        let by_last = self.here.get(&last).copied();
        by_stretch.into_iter().chain(by_last).min()
    }
}

/// For each line where it changes, the first comment whose range contains the line.
fn first_of(mut stretches: Vec<AllowedRange>) -> Vec<(usize, Option<usize>)> {
    stretches.sort_by_key(|stretch| Reverse(stretch.lines.0));
    let begin = stretches.iter().map(|stretch| stretch.lines.0);
    let end = stretches.iter().filter_map(|stretch| stretch.lines.1.checked_add(1));
    let lines: BTreeSet<usize> = begin.chain(end).collect();
    let mut open = BinaryHeap::new();
    let mut from = Vec::with_capacity(lines.len());
    for line in lines {
        while let Some(stretch) = stretches.pop_if(|stretch| stretch.lines.0 == line) {
            open.push(Reverse((stretch.directive, stretch.lines.1)));
        }
        while open.peek().is_some_and(|Reverse((_, last))| *last < line) {
            open.pop();
        }
        from.push((line, open.peek().map(|Reverse((directive, _))| *directive)));
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_stretch_that_holds_a_line_counts(
            stretches in proptest::collection::vec((0_usize..12, 0_usize..6), 0..12),
        ) {
            let all: Vec<(usize, usize)> =
                stretches.iter().map(|(first, length)| (*first, first + length)).collect();
            let stretch = |(directive, &lines): (usize, &(usize, usize))| AllowedRange { lines, directive };
            let from = first_of(all.iter().enumerate().map(stretch).collect());
            let reaches = AllowedLines { from, here: HashMap::new() };
            for line in 0..20 {
                let first = all.iter().position(|(first, last)| (*first..=*last).contains(&line));
                prop_assert_eq!(reaches.at(line, line), first);
            }
        }
    }
}
