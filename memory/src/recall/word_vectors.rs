//! Compares the parts of memories with a question: for each word of the question, the most similar
//! word of the memory, and the vectors of the title and of the sentences. A memory is found although
//! it uses other words than the question, also in another language, and long memories are not at a
//! disadvantage as they are with one vector per memory.

use super::prepare::{ComparedTexts, split};
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms;
use std::collections::{HashMap, HashSet};

/// Two words with this cosine or a lower one are unrelated. Tuned on the tuning half of
/// `tests/retrieval`, as are the constants below.
const UNRELATED_COSINE: f32 = 0.1;
/// Two words with this cosine or a higher one count as the same word.
const SAME_COSINE: f32 = 0.6;
/// The similarity that a memory loses for each factor of e in its number of words: with more words,
/// one of them is more likely to be similar to a word of the question by chance.
const LENGTH_PENALTY: f32 = 0.08;
/// Number of words up to which a memory loses nothing.
const SHORT_MEMORY_WORDS: f32 = 8.0;
/// Maximum number of sentences of a memory that are compared.
const MAX_SENTENCES: usize = 32;
/// Maximum number of words whose vectors are cached between searches (about 1.5 MB).
const MAX_CACHED_WORDS: usize = 1 << 13;
/// Maximum number of memories whose words and sentences are cached between searches (about 0.8 MB).
const MAX_CACHED_MEMORIES: usize = 1 << 10;

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

/// The sentences and lines of a text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |before: char, after: char| match before {
        '\n' | '。' | '！' | '？' => true,
        '.' | '!' | '?' | ';' => after.is_whitespace(),
        _ => false,
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.trim_start();
        let pairs = start.char_indices().zip(start.chars().skip(1));
        let mut ends = pairs.filter(|((_, before), after)| is_end(*before, *after));
        let end = ends.next().map_or(start.len(), |((at, before), _)| at + before.len_utf8());
        let (sentence, after) = start.split_at(end);
        rest = after;
        Some(sentence.trim_end()).filter(|sentence| !sentence.is_empty())
    })
}

/// The similarity of two words with this cosine, from 0 to 1: a smooth step.
fn scaled(cosine: f32) -> f32 {
    let part = ((cosine - UNRELATED_COSINE) / (SAME_COSINE - UNRELATED_COSINE)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// The similarity that a memory with this number of words loses.
#[expect(clippy::cast_precision_loss, reason = "a count of words")]
fn length_penalty(words: usize) -> f32 {
    LENGTH_PENALTY * (words as f32 / SHORT_MEMORY_WORDS).max(1.0).ln()
}

/// Whether a word is compared: stop words are not.
fn is_compared(word: &str) -> bool {
    word.starts_with(terms::is_cjk) || term_of(word).is_some()
}

/// The term of a word; `None` for a stop word.
fn term_of(word: &str) -> Option<String> {
    terms::distinct_terms(word, 1).pop()
}

/// The similarity of a memory's parts to a question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PartSimilarity {
    /// The similarity of words, from 0 to 1.
    pub(super) words: f32,
    /// The cosine of the topic and the title.
    pub(super) title: f32,
    /// The highest cosine of a sentence or of a question that the memory answers.
    pub(super) sentence: f32,
    /// Whether the memory states questions that it answers.
    pub(super) has_questions: bool,
}

/// A memory split into the parts that are compared.
#[derive(Debug)]
struct Parts {
    /// The numbers of the distinct words.
    words: Box<[u32]>,
    title: Vector,
    sentences: Box<[Vector]>,
    has_questions: bool,
}

/// The vectors of the words of memories.
#[derive(Debug, Default)]
pub(super) struct WordVectors {
    /// The number of each word; `None` for words that are not compared.
    numbers: HashMap<Box<str>, Option<u32>>,
    /// By number; words without a known piece have an empty vector.
    vectors: Vec<Vector>,
    /// The parts of each memory, by slot.
    memories: HashMap<u32, Parts>,
}

impl WordVectors {
    /// The similarity of each memory to the question, whose text has the vector `question`. The
    /// similarity of words is the mean over `words`, weighted by the number next to each word, and
    /// lower for memories of many words.
    /// `texts` returns the texts of a memory by slot.
    pub(super) fn similarities<E>(
        &mut self,
        question: &Vector,
        words: &[(&QuestionWord, f32)],
        slots: &[u32],
        texts: &mut dyn FnMut(u32) -> Result<ComparedTexts, E>,
    ) -> Result<Vec<PartSimilarity>, E> {
        if self.vectors.len() > MAX_CACHED_WORDS || self.memories.len() > MAX_CACHED_MEMORIES {
            *self = Self::default();
        }
        for slot in slots {
            if !self.memories.contains_key(slot) {
                let parts = self.parts_of(&texts(*slot)?);
                self.memories.insert(*slot, parts);
            }
        }
        let total: f32 = words.iter().map(|(_, weight)| weight).sum();
        let share = if total > 0.0 { 1.0 / total } else { 0.0 };
        // Most words occur in several memories.
        let mut cosines: HashMap<u32, Vec<f32>> = HashMap::new();
        let mut word_similarity = |numbers: &[u32]| {
            let mut best = vec![0.0_f32; words.len()];
            for number in numbers {
                let cosines = cosines.entry(*number).or_insert_with(|| {
                    let vector = self.vectors.get(*number as usize);
                    let cosine =
                        |word: &QuestionWord| vector.map_or(0.0, |v| v.cosine(&word.vector));
                    words.iter().map(|(word, _)| cosine(word)).collect()
                });
                best.iter_mut().zip(cosines).for_each(|(best, cosine)| *best = best.max(*cosine));
            }
            let weighted =
                best.into_iter().zip(words).map(|(best, (_, weight))| scaled(best) * weight);
            (weighted.sum::<f32>() * share - length_penalty(numbers.len())).max(0.0)
        };
        let similarity = |slot: &u32| {
            let Some(parts) = self.memories.get(slot) else { return PartSimilarity::default() };
            let sentences = parts.sentences.iter().map(|sentence| question.cosine(sentence));
            PartSimilarity {
                words: word_similarity(&parts.words),
                title: question.cosine(&parts.title),
                sentence: sentences.fold(0.0, f32::max),
                has_questions: parts.has_questions,
            }
        };
        Ok(slots.iter().map(similarity).collect())
    }

    /// The parts of a memory that are compared.
    fn parts_of(&mut self, texts: &ComparedTexts) -> Parts {
        let ComparedTexts { text, questions } = texts;
        let table = Table::shipped();
        let (topic, content) = text.split_once('\n').unwrap_or(("", text));
        let (title, _) = split(content);
        Parts {
            words: self.words_of(texts),
            title: table.vector(&[topic, " ", title].concat()),
            sentences: sentences(text)
                .take(MAX_SENTENCES)
                .chain(questions.iter().map(String::as_str))
                .map(|own| table.vector(own))
                .collect(),
            has_questions: !questions.is_empty(),
        }
    }

    /// The numbers of the distinct words of a memory.
    fn words_of(&mut self, texts: &ComparedTexts) -> Box<[u32]> {
        let mut numbers = Vec::new();
        let mut add = |word: &str| {
            let number = self.numbers.get(word).copied().unwrap_or_else(|| {
                let number = u32::try_from(self.vectors.len()).ok().filter(|_| is_compared(word));
                if number.is_some() {
                    self.vectors.push(Table::shipped().vector(word));
                }
                self.numbers.insert(word.into(), number);
                number
            });
            numbers.extend(number);
        };
        for_each_word(&texts.text, &mut add);
        texts.questions.iter().for_each(|question| for_each_word(question, &mut add));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarities(question: &str, texts: &[&str]) -> Vec<PartSimilarity> {
        let words = question_words(question, 9);
        let weighted: Vec<_> = words.iter().map(|word| (word, 1.0)).collect();
        let slots: Vec<u32> = (0..).take(texts.len()).collect();
        let mut text = |slot: u32| {
            let text = texts[slot as usize].to_owned();
            Ok::<_, ()>(ComparedTexts { text, questions: Vec::new() })
        };
        let vector = Table::shipped().vector(question);
        let mut vectors = WordVectors::default();
        vectors.similarities(&vector, &weighted, &slots, &mut text).expect("similarities")
    }

    #[test]
    fn similar_words_are_found_in_other_words_and_another_language() {
        let texts = ["orders are deleted after a month", "invoices are printed", "", "메모리 부족"];
        let words = |question: &str| -> Vec<f32> {
            similarities(question, &texts).iter().map(|found| found.words).collect()
        };
        let found = words("when is a purchase removed");
        assert!(found[0] > found[1] && found[1] >= found[2], "{found:?}");
        assert_eq!(found[2], 0.0);
        let found = words("memory");
        assert!(found[3] > found[0] && found[3] > found[1], "{found:?}");
        assert_eq!(words("the of ?!"), [0.0; 4]);
    }

    #[test]
    fn a_sentence_of_a_long_memory_is_as_similar_as_a_short_memory() {
        let sentence = "Orders are deleted after a month.";
        let long = format!("retention\nInvoices\nPrinted on Mondays; {sentence} Mail is kept.");
        let found = similarities("when is an order removed", &[sentence, &long, "Orders\nKept"]);
        assert!((found[0].sentence - found[1].sentence).abs() < 0.01, "{found:?}");
        assert!(found[0].title > found[1].title && found[2].title > found[1].title, "{found:?}");
        assert_eq!(similarities("", &[sentence])[0].sentence, 0.0);
    }

    #[test]
    fn texts_are_split_into_sentences() {
        for (text, expected) in [
            ("", &[][..]),
            (" \n ", &[]),
            ("a", &["a"]),
            ("v1.2 is out; e.g. here.\n\nNext? ", &["v1.2 is out;", "e.g.", "here.", "Next?"]),
            ("保存した。値を消す", &["保存した。", "値を消す"]),
        ] {
            assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
