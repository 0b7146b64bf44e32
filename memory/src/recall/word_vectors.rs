//! Compares memories with a question word by word: for each word of the question, the most similar
//! word of the memory. A memory is found although it uses other words than the question, also in
//! another language, and long memories are not at a disadvantage as they are with one vector per
//! memory.

use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms;
use std::collections::{HashMap, HashSet};

/// Minimum cosine of two words: below it, words are unrelated. Tuned on the tuning half of
/// `tests/retrieval`.
const MIN_WORD_COSINE: f32 = 0.2;
/// Maximum number of words whose vectors are cached between searches (about 3 MB).
const MAX_CACHED_WORDS: usize = 1 << 14;
/// Maximum number of memories whose words are cached between searches (about 1 MB).
const MAX_CACHED_MEMORIES: usize = 1 << 12;

/// A word of a question.
#[derive(Debug)]
pub(super) struct QuestionWord {
    /// The term of the word in the search index; empty for words of scripts without spaces.
    pub(super) term: String,
    vector: Vector,
}

/// The words of `text` that have a vector, except stop words, without duplicates.
pub(super) fn question_words(text: &str, limit: usize) -> Vec<QuestionWord> {
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    for_each_word(text, &mut |word| {
        if words.len() < limit && is_compared(word) && seen.insert(word.to_owned()) {
            let vector = Table::shipped().vector(word);
            if !vector.is_empty() {
                let term = if word.contains(terms::is_cjk) { None } else { term_of(word) };
                words.push(QuestionWord { term: term.unwrap_or_default(), vector });
            }
        }
    });
    words
}

/// Calls `visit` with each word of `text` in lower case: words of letters and digits, and runs of
/// characters of scripts without spaces.
fn for_each_word(text: &str, visit: &mut dyn FnMut(&str)) {
    let is_part = |c: char| c.is_alphanumeric() || terms::is_mark(c);
    for mut rest in text.split(|c| !is_part(c)) {
        while let Some(first) = rest.chars().next() {
            let is_cjk = terms::is_cjk(first);
            let end = rest.find(|c| terms::is_cjk(c) != is_cjk).unwrap_or(rest.len());
            let (run, after) = rest.split_at(end);
            rest = after;
            visit(&run.to_lowercase());
        }
    }
}

/// Whether a word is compared: stop words are not.
fn is_compared(word: &str) -> bool {
    word.starts_with(terms::is_cjk) || term_of(word).is_some()
}

/// The term of a word; `None` for a stop word.
fn term_of(word: &str) -> Option<String> {
    terms::distinct_terms(word, 1).pop()
}

/// The vectors of the words of memories.
#[derive(Debug, Default)]
pub(super) struct WordVectors {
    /// The number of each word; `None` for words that are not compared.
    numbers: HashMap<Box<str>, Option<u32>>,
    /// By number; words without a known piece have an empty vector.
    vectors: Vec<Vector>,
    /// The words of each memory, by slot.
    memories: HashMap<u32, Box<[u32]>>,
}

impl WordVectors {
    /// The similarity of each memory to the question, from 0 to 1: the mean over `words`, weighted
    /// by the number next to each word. `text` returns the text of a memory by slot.
    pub(super) fn similarities<E>(
        &mut self,
        words: &[(&QuestionWord, f32)],
        slots: &[u32],
        text: &mut dyn FnMut(u32) -> Result<String, E>,
    ) -> Result<Vec<f32>, E> {
        let total: f32 = words.iter().map(|(_, weight)| weight).sum();
        if total <= 0.0 {
            return Ok(vec![0.0; slots.len()]);
        }
        if self.vectors.len() > MAX_CACHED_WORDS || self.memories.len() > MAX_CACHED_MEMORIES {
            *self = Self::default();
        }
        for slot in slots {
            if !self.memories.contains_key(slot) {
                let words = self.words_of(&text(*slot)?);
                self.memories.insert(*slot, words);
            }
        }
        // Most words occur in several memories.
        let mut cosines: HashMap<u32, Vec<f32>> = HashMap::new();
        let similarity = |slot: &u32| {
            let mut best = vec![0.0_f32; words.len()];
            for number in self.memories.get(slot).into_iter().flatten() {
                let cosines = cosines.entry(*number).or_insert_with(|| {
                    let vector = self.vectors.get(*number as usize);
                    let cosine =
                        |word: &QuestionWord| vector.map_or(0.0, |v| v.cosine(&word.vector));
                    words.iter().map(|(word, _)| cosine(word)).collect()
                });
                best.iter_mut().zip(cosines).for_each(|(best, cosine)| *best = best.max(*cosine));
            }
            let scaled =
                |cosine: f32| (cosine - MIN_WORD_COSINE).max(0.0) / (1.0 - MIN_WORD_COSINE);
            best.into_iter().zip(words).map(|(cosine, (_, w))| scaled(cosine) * w).sum::<f32>()
                / total
        };
        Ok(slots.iter().map(similarity).collect())
    }

    /// The numbers of the distinct words of a text.
    fn words_of(&mut self, text: &str) -> Box<[u32]> {
        let mut numbers = Vec::new();
        for_each_word(text, &mut |word| {
            let number = self.numbers.get(word).copied().unwrap_or_else(|| {
                let number = u32::try_from(self.vectors.len()).ok().filter(|_| is_compared(word));
                if number.is_some() {
                    self.vectors.push(Table::shipped().vector(word));
                }
                self.numbers.insert(word.into(), number);
                number
            });
            numbers.extend(number);
        });
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_words_are_found_in_other_words_and_another_language() {
        let texts = ["orders are deleted after a month", "invoices are printed", "", "메모리 부족"];
        let mut vectors = WordVectors::default();
        let mut compare = |question: &str| {
            let words = question_words(question, 9);
            let weighted: Vec<_> = words.iter().map(|word| (word, 1.0)).collect();
            let mut text = |slot: u32| Ok::<_, ()>(texts[slot as usize].to_owned());
            vectors.similarities(&weighted, &[0, 1, 2, 3], &mut text).expect("similarities")
        };
        let found = compare("when is a purchase removed");
        assert!(found[0] > found[1] && found[1] >= found[2], "{found:?}");
        assert_eq!(found[2], 0.0);
        let found = compare("memory");
        assert!(found[3] > found[0] && found[3] > found[1], "{found:?}");
        assert_eq!(compare("the of ?!"), [0.0; 4]);
    }
}
