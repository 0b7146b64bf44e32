//! Finds the known word that a misspelled word was probably meant to be.

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
        .map(|candidate| (similarity(candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_word_with_swapped_letters_is_recognised() {
        assert_eq!(nearest("gti", ["git", "go"].into_iter()), Some("git"));
        assert_eq!(nearest("xyz", ["git", "go"].into_iter()), None);
    }
}
