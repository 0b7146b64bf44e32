//! The keywords of text patterns, and the patterns that each keyword belongs to.

use crate::rules::rule::Rule;
use aidd_page::Tables;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Used instead of a pattern index for words that belong to no pattern.
const NO_OWNER: u32 = u32::MAX;

/// The keywords, identified by their index in sorted order.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    /// Keyword → the range in `owners` of the patterns that it belongs to.
    owned: Vec<Range<u32>>,
    owners: Vec<u32>,
    /// Keyword → the lists in `watch` that contain it, one bit each. Such words belong to no pattern;
    /// only their occurrences are recorded.
    watched: Vec<u32>,
    /// Patterns without keywords, which are searched for in the whole text.
    pub(super) everywhere: Vec<u32>,
}

impl Keywords {
    /// Collects the keywords of `rules` and the words of each list in `watch`; also returns the
    /// sorted keywords. `rules` contains one rule per pattern, in pattern order.
    pub(super) fn new<'r>(
        tables: &'static Tables,
        rules: impl Iterator<Item = &'r Rule>,
        watch: &[&[&'static str]],
    ) -> (Self, Vec<Cow<'static, str>>) {
        // The keywords of the shipped pages come from a sorted table.
        let mut pattern_of_page = vec![NO_OWNER; tables.pages.len()];
        let mut project_words: Vec<(Cow<'static, str>, u32)> = Vec::new();
        for (rule, index) in rules.zip(0..) {
            match rule.shipped_page() {
                Some(page) => pattern_of_page[page] = index,
                None => project_words
                    .extend(keywords_of(rule).into_iter().map(|word| (word.into(), index))),
            }
        }
        let shipped = tables.keywords.all();
        let shipped = shipped.map(|(word, page)| (Cow::Borrowed(word), pattern_of_page[page]));
        let mut words: Vec<_> = shipped.filter(|(_, owner)| *owner != NO_OWNER).collect();
        words.extend(project_words);
        let mut lists: BTreeMap<&'static str, u32> = BTreeMap::new();
        for (list, watch) in watch.iter().enumerate() {
            for &word in *watch {
                *lists.entry(word).or_default() |= 1 << list;
            }
        }
        words.extend(lists.keys().map(|&word| (Cow::Borrowed(word), NO_OWNER)));
        words.sort();
        words.dedup();
        Self::merge(words, &lists)
    }

    /// Merges sorted pairs of a word and its pattern, without duplicates; `lists` maps each watched
    /// word to the lists that contain it.
    fn merge(
        words: Vec<(Cow<'static, str>, u32)>,
        lists: &BTreeMap<&'static str, u32>,
    ) -> (Self, Vec<Cow<'static, str>>) {
        let mut merged = Self::default();
        let mut keywords: Vec<Cow<'static, str>> = Vec::with_capacity(words.len());
        for (word, owner) in words {
            if word.is_empty() {
                merged.everywhere.push(owner);
                continue;
            }
            if keywords.last() != Some(&word) {
                let start = u32::try_from(merged.owners.len()).unwrap_or(NO_OWNER);
                keywords.push(word);
                merged.owned.push(start..start);
                merged.watched.push(0);
            }
            match (owner, merged.owned.last_mut(), merged.watched.last_mut()) {
                (NO_OWNER, _, Some(watched)) => {
                    let word = keywords.last().map(|word| &**word).unwrap_or_default();
                    *watched = lists.get(word).copied().unwrap_or_default();
                }
                (_, Some(owned), _) => {
                    merged.owners.push(owner);
                    owned.end += 1;
                }
                _ => {}
            }
        }
        (merged, keywords)
    }

    /// The patterns that a keyword belongs to.
    pub(super) fn owners(&self, keyword: usize) -> &[u32] {
        let owned = &self.owned[keyword];
        &self.owners[owned.start as usize..owned.end as usize]
    }

    /// The lists in `watch` that contain a keyword, one bit each.
    pub(super) fn watched(&self, keyword: usize) -> u32 {
        self.watched[keyword]
    }
}

/// The lower-case keywords of a project rule; the empty keyword if it has none.
fn keywords_of(rule: &Rule) -> BTreeSet<String> {
    let text = rule.check.as_ref().and_then(|check| check.text.as_ref());
    text.map(aidd_page::TextHeader::words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_merged_with_their_patterns_and_watch_lists() {
        let words = [("", 1), ("a", 0), ("a", 2), ("b", NO_OWNER), ("c", 2), ("c", NO_OWNER)];
        let words = words.map(|(word, owner)| (Cow::Borrowed(word), owner)).to_vec();
        let (merged, keywords) = Keywords::merge(words, &BTreeMap::from([("b", 1), ("c", 2)]));
        assert_eq!(keywords, ["a", "b", "c"]);
        let actual: Vec<_> = (0..3).map(|at| (merged.owners(at), merged.watched(at))).collect();
        assert_eq!(actual, [(&[0, 2][..], 0), (&[], 1), (&[2], 2)]);
        assert_eq!(merged.everywhere, [1]);
    }
}
