//! The normalised words of a task, and matching against word tables.

use serde::Deserialize;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Words by language.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Words {
    #[serde(default)]
    pub(super) en: Vec<String>,
    #[serde(default)]
    pub(super) ko: Vec<String>,
}

/// A task text, normalised for routing.
pub(super) struct NormalizedTask {
    /// The text in lower case.
    pub(super) text: String,
    /// The words of the text.
    pub(super) tokens: Vec<String>,
}

impl NormalizedTask {
    pub(super) fn new(text: &str) -> Self {
        let text = normalize(text);
        let tokens = tokens(&text);
        Self { text, tokens }
    }

    /// The tokens that an English entry matches: consecutive whole words, the last one as a prefix
    /// if the entry ends with `*`.
    fn match_english(&self, entry: &str) -> BTreeSet<usize> {
        let is_prefix = entry.ends_with('*');
        let entry = words(&normalize(entry));
        let Some((last, first)) = entry.split_last() else { return BTreeSet::new() };
        let matches = |window: &[String]| {
            let (end, start) = (&window[first.len()], &window[..first.len()]);
            start == first && if is_prefix { end.starts_with(&**last) } else { end == last }
        };
        let matching =
            self.tokens.windows(entry.len()).enumerate().filter(|(_, window)| matches(window));
        matching.flat_map(|(start, _)| start..start + entry.len()).collect()
    }

    /// The tokens that a Korean entry matches; the entry can occur anywhere in the text.
    fn match_korean(&self, entry: &str) -> BTreeSet<usize> {
        let entry = normalize(entry);
        if entry.is_empty() || !self.text.contains(&entry) {
            return BTreeSet::new();
        }
        let parts: Vec<&str> = entry.split_whitespace().collect();
        let is_covered = |token: &String| parts.iter().any(|part| token.contains(part));
        (0..self.tokens.len()).filter(|&index| is_covered(&self.tokens[index])).collect()
    }

    /// The number of words of `words` that match the task, each entry once, and the matched tokens.
    pub(super) fn weight(&self, words: &Words) -> (f64, BTreeSet<usize>) {
        let english = words.en.iter().map(|entry| (entry, self.match_english(entry)));
        let korean = words.ko.iter().map(|entry| (entry, self.match_korean(entry)));
        let mut weight = 0.0;
        let mut matched = BTreeSet::new();
        for (entry, tokens) in english.chain(korean) {
            if !tokens.is_empty() {
                weight += self::words(&normalize(entry)).len().max(1) as f64;
                matched.extend(tokens);
            }
        }
        (weight, matched)
    }
}

/// The words of a text in lower case; Korean particles after Latin words become separate tokens.
pub(super) fn tokens(text: &str) -> Vec<String> {
    words(&normalize(text)).into_iter().flat_map(without_particle).collect()
}

/// The text in lower case and in composed Unicode form (NFC).
fn normalize(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

/// Splits a text at each character that is neither a letter nor a digit.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Splits "api를" into "api" and "를".
fn without_particle(token: String) -> Vec<String> {
    let end = token.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(token.len());
    let is_hangul = token[end..].chars().all(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
    if end == 0 || end == token.len() || !is_hangul {
        return vec![token];
    }
    vec![token[..end].to_owned(), token[end..].to_owned()]
}

/// The entries of `words` that match `text`.
pub(super) fn matching_words(text: &str, words: &Words) -> Vec<String> {
    let task = NormalizedTask::new(text);
    let english = words.en.iter().filter(|entry| !task.match_english(entry).is_empty());
    let korean = words.ko.iter().filter(|entry| !task.match_korean(entry).is_empty());
    english.chain(korean).cloned().collect()
}
