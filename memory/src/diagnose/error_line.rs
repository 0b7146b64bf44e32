//! The line that describes an error, prepared for comparison with others.

use super::Weights;
use crate::words::{error_key, pieces};
use std::collections::BTreeSet;

/// Factor for lines whose first names in quotes differ.
const OTHER_NAME_FACTOR: f64 = 0.5;
/// Maximum number of words of a line that fits many errors.
const MAX_VAGUE_WORDS: usize = 1;

/// A line that describes an error.
pub(super) struct ErrorLine {
    key: String,
    pub(super) words: BTreeSet<u64>,
    name: Option<String>,
    is_assertion: bool,
}

impl ErrorLine {
    pub(super) fn new(line: &str) -> Self {
        let key = error_key(line);
        let is_assertion = key.contains("assert") || key.starts_with("expect");
        Self { words: pieces(&key), name: quoted_name(line), is_assertion, key }
    }

    /// Whether errors with different causes often have this line.
    pub(super) fn is_vague(&self) -> bool {
        self.is_assertion || self.words.len() <= MAX_VAGUE_WORDS
    }

    /// The weight of the shared words, divided by the weight of all words of both lines.
    pub(super) fn similarity(&self, other: &Self, weights: &Weights) -> f64 {
        if self.key == other.key && !self.key.is_empty() {
            return 1.0;
        }
        let all = weights.total_weight(self.words.union(&other.words));
        let shared = weights.total_weight(self.words.intersection(&other.words));
        let has_other_name = self.name.is_some() && other.name.is_some() && self.name != other.name;
        let factor = if has_other_name { OTHER_NAME_FACTOR } else { 1.0 };
        if all > 0.0 { factor * shared / all } else { 0.0 }
    }
}

/// The first name in quotes, without variable parts. It distinguishes errors of the same form.
fn quoted_name(line: &str) -> Option<String> {
    let mut rest = line;
    while let Some(at) = rest.find(['\'', '"', '`', '‘']) {
        let quote = rest[at..].chars().next()?;
        let inner = &rest[at + quote.len_utf8()..];
        let closing: &[char] = if quote == '‘' { &['’'] } else { &[quote, '\''] };
        // An apostrophe is part of a word.
        let is_apostrophe = quote == '\'' && rest[..at].ends_with(char::is_alphanumeric);
        rest = inner;
        if let Some(end) = inner.find(closing).filter(|_| !is_apostrophe) {
            let key = error_key(&inner[..end]);
            if !key.is_empty() {
                return Some(key);
            }
            let mut after = inner[end..].chars();
            after.next();
            rest = after.as_str();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_quotes_are_found() {
        let found = |line: &str| quoted_name(line).unwrap_or_default();
        assert_eq!(found("Cannot read properties (reading 'id')"), "id");
        assert_eq!(found("undefined reference to `total'"), "total");
        assert_eq!(found("can't open \"/srv/a/web.yaml\", don't retry"), "web yaml");
        assert_eq!(found("use of ‘totl’"), "totl");
        for line in ["", "don't", "'", "''", "port '5432'"] {
            assert_eq!(found(line), "", "{line}");
        }
    }
}
