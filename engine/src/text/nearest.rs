//! Finds the known word that a misspelled word was probably meant to be.

use super::time_limit::{may_compare, step};
use aidd_lexicon::embedding::Table;

/// The candidate that is most similar to `word`; `None` if no candidate is similar enough.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A comparison takes time proportional to the product of the lengths.
    if word.len() > 128 {
        return None;
    }
    let word = word.to_lowercase();
    let similarity = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        // In a short word such as `gti`, a single typo leaves little similarity.
        let is_typo = (3..=5).contains(&word.len()) && strsim::osa_distance(&word, &candidate) == 1;
        strsim::jaro_winkler(&word, &candidate).max(if is_typo { 0.81 } else { 0.0 })
    };
    candidates
        .take_while(|_| may_compare())
        .map(|candidate| (similarity(candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The candidates, those first that are most similar to `word` by meaning or spelling.
fn ranked<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // Unrelated words have about half of the letters in common, but hardly any meaning.
    const SPELLING: f64 = 0.5;
    let word: String = word.chars().take(128).collect();
    let table = Table::shipped();
    let meaning = table.vector(&words(&word));
    let similarity = |candidate: &str| {
        let spelling = strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase());
        let meaning = f64::from(table.vector(&words(candidate)).cosine(&meaning));
        meaning.max(spelling * SPELLING)
    };
    let mut ranked: Vec<(f64, &str)> =
        candidates.map(|candidate| (similarity(candidate), candidate)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The `names` that are nearest to an unknown `word`, for a message to an agent, which has the whole
/// list in the description of the tool.
pub fn nearest_names<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 3;
    let mut ranked = ranked(word, names);
    ranked.truncate(MAX_NAMES);
    match ranked[..] {
        [] => "expected no further one".to_owned(),
        _ => format!("nearest: `{}`", ranked.join("`, `")),
    }
}

/// The words of a name such as `sessionId` or `session_id`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() || !c.is_alphanumeric() {
            words.push(' ');
        }
        words.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
    }
    words
}

/// The value of the candidate that differs from `word` by at most one edit per four letters.
/// Candidates are pairs of a name and a value.
pub fn closest<'a, T>(word: &str, candidates: impl Iterator<Item = (&'a str, T)>) -> Option<T> {
    let word = normalize(word);
    let limit = (word.chars().count() / 4).clamp(1, 3);
    // The distance is at least the difference of the lengths.
    let is_similar = |name: &str| name.len().abs_diff(word.len()) <= 4 * limit;
    let near = candidates
        .take_while(|_| may_compare())
        .filter(|(name, _)| word.len() <= 128 && is_similar(name));
    near.map(|(name, value)| (strsim::osa_distance(&word, &normalize(name)), value))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, value)| value)
}

/// Whether `word` differs from `name` only in case, in separators or by one edit, so that it can
/// hardly mean anything else.
#[must_use]
pub fn is_typo(word: &str, name: &str) -> bool {
    step();
    // The distance is at least the difference of the lengths.
    let max_difference = if word.is_ascii() && name.is_ascii() { 1 } else { 8 };
    word.len().abs_diff(name.len()) <= max_difference
        && word.len() <= 256
        && strsim::osa_distance(&normalize(word), &normalize(name)) <= 1
}

/// `word` in lower case, with `-` as the only separator.
fn normalize(word: &str) -> String {
    word.to_lowercase().replace(['_', ' ', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_differs_in_case_separators_or_one_edit() {
        assert!(is_typo("Latest_Tag", "latest-tag") && is_typo("latest-tg", "latest-tag"));
        assert!(!is_typo("nope", "none-at-all") && !is_typo("latest-gt", "latest-ag-x"));
        let names = || ["latest-tag", "sudo"].into_iter().map(|name| (name, name));
        assert_eq!(closest("latest-gat", names()), Some("latest-tag"));
        assert_eq!(closest("nope", names()), None);
    }

    #[test]
    fn candidates_are_ranked_by_meaning_and_spelling() {
        let ranked =
            |word: &str| ranked(word, ["filePath", "limit", "query", "reason"].into_iter());
        assert_eq!(ranked("rationale")[0], "reason");
        assert_eq!(ranked("maximum")[0], "limit");
        assert_eq!(ranked("fileName")[0], "filePath");
        assert_eq!(words("noSuch_thing"), "no such thing");
    }

    #[test]
    fn a_short_word_with_swapped_letters_is_recognised() {
        assert_eq!(nearest("gti", ["git", "go"].into_iter()), Some("git"));
        assert_eq!(nearest("xyz", ["git", "go"].into_iter()), None);
    }
}
