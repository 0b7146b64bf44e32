//! Reads the result of checks from their output: the counts in the summary of a run.

use aidd_lexicon::tables::runs;

/// Whether an output reports that checks passed (`true`) or failed. Only counts, such as `3 failed`
/// or `Failures: 0`, and words in capitals are results: the name of a test can contain "error".
pub(super) fn result_in_output(output: &str) -> Option<bool> {
    let mut result = Counts::default();
    for line in output.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for at in 0..words.len() {
            let plain = plain_word(words[at]);
            let word = plain.to_lowercase();
            let has_failed = runs::FAILED.contains(&word);
            let is_in_capitals = plain.len() > 1 && !plain.contains(char::is_lowercase);
            match count_at(&words, at) {
                Some(count) if has_failed => {
                    result.has_failures |= count > 0;
                    result.has_no_failures |= count == 0;
                }
                None if has_failed && is_in_capitals => result.has_failures = true,
                None if has_failed => result.has_words_of_failure = true,
                Some(count) if runs::PASSED.contains(&word) => result.has_passed |= count > 0,
                // `OK (5 tests)`, `ok  shop/cart  0.1s`.
                None if at == 0 && word == "ok" => result.has_passed = true,
                _ => {}
            }
        }
    }
    let has_passed = result.has_no_failures || result.has_passed && !result.has_words_of_failure;
    if result.has_failures { Some(false) } else { has_passed.then_some(true) }
}

/// What the lines of an output state.
#[derive(Default)]
struct Counts {
    has_failures: bool,
    has_no_failures: bool,
    has_words_of_failure: bool,
    has_passed: bool,
}

fn plain_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The count of a word: the number after a colon (`Failures: 2`), or before the word, with at most
/// one noun between (`2 failed`, `2 tests failed`).
fn count_at(words: &[&str], at: usize) -> Option<u64> {
    let number = |word: &str| plain_word(word).parse().ok();
    if words[at].ends_with(':') {
        return number(words.get(at + 1)?);
    }
    let ends_clause = |word: &str| word.ends_with([',', ':', ';', '.', ')']);
    let before = words[..at].iter().rev().take(2).take_while(|word| !ends_clause(word));
    before.into_iter().find_map(|word| number(word))
}
