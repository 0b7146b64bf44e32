//! Finds the keywords of all patterns in a single pass over a text.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of bytes of text in which each keyword is searched for separately: building an
/// automaton of 1,500 keywords takes about as long as searching that many bytes.
const MAX_SEPARATE_BYTES: usize = 32 << 10;
/// Minimum number of bytes of text that make a DFA worthwhile: a DFA is three times as fast as an
/// NFA, but takes three times as long to build.
const MIN_DFA_BYTES: usize = 2 << 20;

/// A set of keywords, searched for case-insensitively (ASCII). The search strategy depends on how
/// much text has been searched so far; the result does not.
#[derive(Debug)]
pub struct Prefilter {
    /// The keywords, in lower case and not empty.
    keywords: Vec<Cow<'static, str>>,
    nfa: OnceLock<Option<AhoCorasick>>,
    dfa: OnceLock<Option<AhoCorasick>>,
    /// Number of bytes searched so far.
    seen: AtomicUsize,
}

impl Prefilter {
    /// A prefilter for `keywords`, which must be lower-case and not empty.
    #[must_use]
    pub fn new(keywords: Vec<Cow<'static, str>>) -> Self {
        Self { keywords, nfa: OnceLock::new(), dfa: OnceLock::new(), seen: AtomicUsize::new(0) }
    }

    /// The heap memory of the automatons that are built so far, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let built = [&self.nfa, &self.dfa].into_iter().filter_map(|cell| cell.get()?.as_ref());
        built.map(AhoCorasick::memory_usage).sum()
    }

    /// Calls `found` with the index and the range of each keyword in `text`, ordered by the end of
    /// the range.
    pub fn for_each_match(&self, text: &str, found: impl FnMut(usize, Range<usize>)) {
        let seen = self.seen.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len());
        match seen {
            0..MAX_SEPARATE_BYTES => self.search_separately(text, found),
            MAX_SEPARATE_BYTES..MIN_DFA_BYTES => {
                self.search_with_automaton(&self.nfa, AhoCorasickKind::ContiguousNFA, text, found);
            }
            _ => self.search_with_automaton(&self.dfa, AhoCorasickKind::DFA, text, found),
        }
    }

    fn search_separately(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let lower = text.to_ascii_lowercase();
        let mut hits = Vec::new();
        // Most keywords contain a byte that a short text does not.
        let mut occurring = [false; 256];
        lower.bytes().for_each(|byte| occurring[usize::from(byte)] = true);
        let can_occur = |keyword: &str| keyword.bytes().all(|byte| occurring[usize::from(byte)]);
        for (index, keyword) in self.keywords.iter().enumerate() {
            if !can_occur(keyword) {
                continue;
            }
            let mut from = 0;
            while let Some(at) = memchr::memmem::find(&lower.as_bytes()[from..], keyword.as_bytes())
            {
                hits.push((from + at + keyword.len(), index, from + at));
                from += at + 1;
            }
        }
        hits.sort_unstable();
        for (end, index, start) in hits {
            found(index, start..end);
        }
    }

    fn search_with_automaton(
        &self,
        cell: &OnceLock<Option<AhoCorasick>>,
        kind: AhoCorasickKind,
        text: &str,
        mut found: impl FnMut(usize, Range<usize>),
    ) {
        // More than about 100 MB of keywords exceed the limits of an automaton. Each keyword is
        // then searched for separately.
        let Some(automaton) = cell.get_or_init(|| build(&self.keywords, kind).ok()) else {
            return self.search_separately(text, found);
        };
        for hit in automaton.find_overlapping_iter(text) {
            found(hit.pattern().as_usize(), hit.start()..hit.end());
        }
    }
}

fn build(keywords: &[Cow<'static, str>], kind: AhoCorasickKind) -> Result<AhoCorasick, BuildError> {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(kind))
        .build(keywords.iter().map(|word| word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hits(prefilter: &Prefilter, text: &str) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        prefilter.for_each_match(text, |index, range| hits.push((range.end, index, range.start)));
        hits.sort_unstable();
        hits
    }

    proptest! {
        #[test]
        fn all_strategies_find_the_same_keywords(
            keywords in proptest::collection::btree_set("[ab_]{1,3}", 1..6),
            text in "[abAB_é]{0,40}",
        ) {
            let prefilter = Prefilter::new(keywords.into_iter().map(Cow::Owned).collect());
            let separate = hits(&prefilter, &text);
            prefilter.seen.store(MAX_SEPARATE_BYTES, Ordering::Relaxed);
            prop_assert_eq!(&separate, &hits(&prefilter, &text));
            prefilter.seen.store(MIN_DFA_BYTES, Ordering::Relaxed);
            prop_assert_eq!(&separate, &hits(&prefilter, &text));
        }
    }
}
