//! Ranks memories by words and meaning. The weights were tuned on the tuning half of
//! `tests/retrieval`.

use super::bm25::{inverse_document_frequency, live_count, score_by_words};
use super::filters::{has_filters, passes_filters};
use super::first::First;
use super::index::{Brief, Index, topic_hash};
use super::meaning::{MeaningScores, score_by_meaning};
use super::periods::{self, Period};
use super::prepare;
use super::word_vectors::{QuestionWord, question_words};
use super::{MatchFeatures, Question, SearchOrder, dates};
use crate::MemoryError;
use crate::store::StorageBackend;
use crate::words::topic_key;
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms;

/// Factor for the word score, which is about 1 when a memory contains all words of the question: the
/// similarity of single words counts equal words again.
const WORD_SHARE: f32 = 0.45;
/// Maximum amount that the similarity of texts adds to the word score.
const MAX_MEANING: f32 = 1.7;
/// Maximum amount that the similarity of texts adds for a question that contains an exact name, whose
/// word score has the factor 1.
const MAX_MEANING_LITERAL: f32 = 0.1;
/// Maximum amount that the similarity of single words adds: see [`super::word_vectors`].
const MAX_WORD_SIMILARITY: f32 = 2.4;
/// Weight of the title, of the best sentence and of the whole text of a memory whose parts are
/// compared, relative to the weight of a whole text: a part is often closer to the question.
const PART_SHARE: f32 = 0.5;
/// Number of memories whose parts and single words are compared with the question: the best by word
/// score and similarity of texts. More memories do not change the first ten.
const MAX_COMPARED: usize = 60;
/// The same number in a store with observations, which are short and are ranked with their passage.
const MAX_COMPARED_OBSERVATIONS: usize = 120;
/// Number of the best memories that match without a common word. There is no minimum similarity:
/// the best answer to a question in other words can have a low one. The confidence of a hit states
/// whether it is close.
const MAX_SIMILAR: usize = 10;
/// Weight of an observation's own score next to the score of its passage, which is the mean of the
/// two best: an answer in a conversation often shares no word with the question.
const OWN_SHARE: f32 = 0.3;
/// Share of the score of a question in a session that is added to the observation after it, which is
/// likely to answer it.
const ANSWER_SHARE: f32 = 0.4;
/// Factor for the score of an observation that ends with a question: it answers nothing.
const QUESTION_FACTOR: f32 = 0.8;
/// Amount added to memories created in the period that the question names.
const IN_PERIOD: f32 = 0.5;
/// Weight of a question's word without postings, relative to a term that occurs in no memory.
const UNKNOWN_WORD_SHARE: f32 = 0.7;
/// Minimum range of cosines for scaling: the range that is typical of many memories. With a smaller
/// range, the best of a few dissimilar memories would count as close.
pub(super) const MIN_COSINE_RANGE: f32 = 0.5;
/// Factor for the score of a superseded memory.
const SUPERSEDED_FACTOR: f32 = 0.8;
/// Factor for the score of a tool outcome when no type is requested: hooks record a tool outcome
/// for each edit, and its file names would rank it above decisions.
const TOOL_OUTCOME_FACTOR: f32 = 0.7;
/// When ordering by time, the minimum score as a share of the best.
const MIN_SCORE_SHARE: f32 = 0.5;

/// Extensions of file names that are also parts of the names of frameworks.
const FRAMEWORK_EXTENSIONS: [&str; 3] = ["js", "io", "net"];

/// Maximum number of bytes of a question that are read.
pub(super) const MAX_QUESTION_BYTES: usize = 16 * 1024;
/// Maximum number of terms of a question that are searched for.
pub(super) const MAX_QUESTION_TERMS: usize = 256;
/// Maximum number of words of a question that are compared one by one.
const MAX_QUESTION_WORDS: usize = 64;

/// A question prepared for comparison.
#[derive(Debug)]
pub(super) struct PreparedQuestion {
    pub(super) terms: Vec<String>,
    /// Hash of the question as a topic: see [`topic_hash`].
    topic: u64,
    /// `None` when meaning is not compared.
    vector: Option<Vector>,
    /// Factor for the word score.
    word_share: f32,
    /// Maximum amount that meaning adds to the word score.
    weight: f32,
    /// Maximum amount that the similarity of single words adds.
    word_weight: f32,
    /// The words to compare one by one; empty when meaning is not compared.
    words: Vec<QuestionWord>,
    /// The period that the question names.
    period: Option<Period>,
    pub(super) is_empty: bool,
    has_filters: bool,
    file: Option<String>,
    /// The hash of the requested topic.
    topic_filter: Option<u64>,
}

impl PreparedQuestion {
    pub(super) fn from_question(question: &Question, features: MatchFeatures, now: i64) -> Self {
        let text = prepare::truncate(question.text.trim(), MAX_QUESTION_BYTES);
        let terms = terms::distinct_terms(text, MAX_QUESTION_TERMS);
        // The vector table also has vectors for punctuation, but punctuation has no meaning.
        let by_meaning = features != MatchFeatures::Words && text.contains(char::is_alphanumeric);
        let is_literal = features == MatchFeatures::Both && is_literal(text, &terms);
        let vector = by_meaning.then(|| Table::shipped().question_vector(text));
        Self {
            topic: topic_hash(&topic_key(text)),
            word_share: if is_literal || !by_meaning { 1.0 } else { WORD_SHARE },
            weight: if is_literal { MAX_MEANING_LITERAL } else { MAX_MEANING },
            word_weight: if is_literal { 0.0 } else { MAX_WORD_SIMILARITY },
            words: if by_meaning { question_words(text, MAX_QUESTION_WORDS) } else { Vec::new() },
            period: periods::find(text, now),
            vector: vector.filter(|vector| !vector.is_empty()),
            terms: if features == MatchFeatures::Meaning { Vec::new() } else { terms },
            is_empty: text.is_empty(),
            has_filters: has_filters(question),
            file: question.file.as_deref().map(prepare::normalise_path),
            topic_filter: question.topic.as_deref().map(|topic| topic_hash(&topic_key(topic))),
        }
    }

    /// The requested file and the hash of the requested topic.
    fn filters(&self) -> (Option<&str>, Option<u64>) {
        (self.file.as_deref(), self.topic_filter)
    }
}

/// Whether a question names a day, a session, a branch or a file: such names have no meaning beyond
/// their words.
fn is_literal(text: &str, terms: &[String]) -> bool {
    dates::has_month_or_year(terms)
        || text.split_whitespace().any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_number = |c: char| c.is_ascii_digit();
            word.contains('/') && !word.contains("//")
                || word.contains('-') && word.contains(is_number)
                || is_file_name(word)
                || text == word && word.contains(['.', '_'])
        })
}

/// Whether a word is the name of a file, such as `next.config.ts`. The names of frameworks, such as
/// `Next.js`, are ordinary words.
fn is_file_name(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    prepare::looks_like_a_file(word)
        && (stem.contains('.') || !FRAMEWORK_EXTENSIONS.contains(&&*extension.to_lowercase()))
}

/// A slot with the score of its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) slot: usize,
    /// Total score, from 0 to 1.
    pub(super) score: f32,
    /// The parts of the score from words and from meaning.
    pub(super) words: f32,
    pub(super) meaning: f32,
    sum: f32,
    cosine: f32,
    word_similarity: f32,
    is_topic: bool,
}

/// The matching memories in the requested order, at most `question.limit`, and the number of all
/// matches.
pub(super) fn rank(
    index: &mut Index,
    store: &mut dyn StorageBackend,
    question: &Question,
    prepared: &PreparedQuestion,
) -> Result<(Vec<Ranked>, usize), MemoryError> {
    let mut scores = Scores::new(index, store, question, prepared)?;
    scores.compare_parts(index, store, question, prepared)?;
    let index = &*index;
    let least = scores.nth_sum();
    let matching = || {
        scores.candidates(index, prepared).filter(|candidate| {
            prepared.is_empty
                || candidate.words > 0.0
                || candidate.is_topic
                || in_period(index, candidate.slot, prepared) > 0.0
                || !candidate.cosine.is_nan() && candidate.sum >= least
        })
    };
    let min_score = match question.order {
        SearchOrder::Relevance => 0.0,
        _ => MIN_SCORE_SHARE * matching().fold(0.0_f32, |best, it| best.max(it.score)),
    };
    let mut first =
        First::new(question.limit, |a: &Ranked, b: &Ranked| order(index, question, prepared, a, b));
    let mut matched = 0;
    for candidate in matching().filter(|candidate| candidate.score >= min_score) {
        matched += 1;
        first.add(candidate);
    }
    Ok((first.finish(), matched))
}

/// The scores of the memories, by slot: a few numbers per memory, because a project can have
/// 100,000 memories.
struct Scores {
    /// The scores by words; empty if the question has no terms.
    words: Vec<f32>,
    meaning: Option<MeaningScores>,
    /// The sum of the word score and the similarity of the text; negative for memories that do not
    /// pass the filters.
    own: Vec<f32>,
    /// The same sum with the passage.
    sums: Vec<f32>,
    /// The memories whose parts were compared, in the order of their slots.
    compared: Vec<Compared>,
}

/// A memory whose parts were compared with the question.
struct Compared {
    slot: usize,
    /// The similarity of single words, from 0 to 1.
    words: f32,
    /// What its parts add to its meaning score.
    added: f32,
}

impl Scores {
    fn new(
        index: &mut Index,
        store: &mut dyn StorageBackend,
        question: &Question,
        prepared: &PreparedQuestion,
    ) -> Result<Self, MemoryError> {
        let words = score_by_words(index, store, &prepared.terms)?;
        index.build_passages();
        let index = &*index;
        let meaning = prepared.vector.as_ref().map(|vector| score_by_meaning(index, vector));
        let mut scores = Self {
            words,
            meaning,
            own: vec![-1.0; index.docs().len()],
            sums: Vec::new(),
            compared: Vec::new(),
        };
        for (slot, brief) in index.briefs().iter().enumerate() {
            let is_visible = brief.is_live
                && question.layers.contains(brief.layer)
                && (!brief.is_superseded || question.with_superseded);
            if !is_visible
                || prepared.has_filters
                    && !passes_filters(index, slot, question, prepared.filters())
            {
                continue;
            }
            let (words, meaning, _) = scores.parts(slot, prepared);
            let by_words = prepared.word_share * words;
            let sum = by_words + meaning + in_period(index, slot, prepared);
            if let Some(own) = scores.own.get_mut(slot) {
                *own = sum * factor(brief, question);
            }
        }
        scores.sums =
            (0..scores.own.len()).map(|slot| with_passage(index, &scores.own, slot)).collect();
        Ok(scores)
    }

    /// The score of a memory by words, its score by the similarity of its text, and the cosine.
    fn parts(&self, slot: usize, prepared: &PreparedQuestion) -> (f32, f32, f32) {
        let words = self.words.get(slot).copied().unwrap_or_default();
        let (cosine, closeness) = match &self.meaning {
            Some(meaning) => meaning.cosine_at(slot),
            None => (f32::NAN, 0.0),
        };
        (words, prepared.weight * closeness, cosine)
    }

    /// The slots of the memories that pass the filters, with their sums.
    fn visible(&self) -> impl Iterator<Item = (usize, f32)> {
        let sums = self.own.iter().zip(&self.sums).enumerate();
        sums.filter(|(_, (own, _))| **own >= 0.0).map(|(slot, (_, sum))| (slot, *sum))
    }

    /// The memories that pass the filters.
    fn candidates(
        &self,
        index: &Index,
        prepared: &PreparedQuestion,
    ) -> impl Iterator<Item = Ranked> {
        let mut compared = self.compared.iter().peekable();
        self.visible().map(move |(slot, sum)| {
            let (words, meaning, cosine) = self.parts(slot, prepared);
            let (word_similarity, added) = compared
                .next_if(|compared| compared.slot == slot)
                .map_or((0.0, 0.0), |compared| (compared.words, compared.added));
            let is_topic = is_topic(index, slot, prepared);
            Ranked {
                slot,
                score: score(sum, is_topic),
                words,
                meaning: meaning + added,
                sum,
                cosine,
                word_similarity,
                is_topic,
            }
        })
    }

    /// The sum of the last of the [`MAX_SIMILAR`] best memories that were compared by meaning.
    fn nth_sum(&self) -> f32 {
        let Some(meaning) = &self.meaning else { return f32::NEG_INFINITY };
        let mut best = First::new(MAX_SIMILAR + 1, |a: &f32, b: &f32| b.total_cmp(a));
        for (slot, sum) in self.visible() {
            if !meaning.cosine_at(slot).0.is_nan() {
                best.add(sum);
            }
        }
        let best = best.finish();
        // All of at most `MAX_SIMILAR` memories match.
        let nth = best.get(MAX_SIMILAR - 1).filter(|_| best.len() > MAX_SIMILAR);
        nth.copied().unwrap_or(f32::NEG_INFINITY)
    }

    /// Compares the parts and the single words of the best memories with the question.
    fn compare_parts(
        &mut self,
        index: &mut Index,
        store: &mut dyn StorageBackend,
        question: &Question,
        prepared: &PreparedQuestion,
    ) -> Result<(), MemoryError> {
        let (Some(meaning), Some(vector)) = (&self.meaning, &prepared.vector) else {
            return Ok(());
        };
        let weighted = weighted_words(index, store, prepared)?;
        let limit = if index.has_passages() { MAX_COMPARED_OBSERVATIONS } else { MAX_COMPARED };
        let mut best = First::new(limit, |a: &(bool, f32, usize), b: &(bool, f32, usize)| {
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
        });
        for (slot, sum) in self.visible() {
            best.add((is_topic(index, slot, prepared), sum, slot));
        }
        let mut best: Vec<usize> = best.finish().into_iter().map(|(.., slot)| slot).collect();
        best.sort_unstable();
        let slots: Vec<u32> = best.iter().filter_map(|slot| u32::try_from(*slot).ok()).collect();
        let similarities = index.part_similarities(store, vector, &weighted, &slots)?;
        let compared = best.into_iter().zip(similarities).map(|(slot, similarity)| {
            let mut added = prepared.word_weight * similarity.words;
            let (cosine, closeness) = meaning.cosine_at(slot);
            // The turns of a conversation are short and are ranked with their passage.
            if !cosine.is_nan() && index.passage(slot).len() < 2 {
                let of_parts = meaning.closeness(similarity.title).max(0.0)
                    + meaning.closeness(similarity.sentence).max(0.0)
                    - closeness;
                added += PART_SHARE * prepared.weight * of_parts;
            }
            Compared { slot, words: similarity.words, added }
        });
        self.compared = compared.collect();
        for Compared { slot, added, .. } in &self.compared {
            if let (Some(own), Some(brief)) = (self.own.get_mut(*slot), index.briefs().get(*slot)) {
                *own += added * factor(brief, question);
            }
        }
        let compared = self.compared.iter().map(|compared| compared.slot);
        let answers = compared.clone().filter_map(|slot| index.answer(slot));
        for slot in compared.chain(answers) {
            if let Some(sum) = self.sums.get_mut(slot) {
                *sum = with_passage(index, &self.own, slot);
            }
        }
        Ok(())
    }
}

/// The words of a question, with their weights.
fn weighted_words<'a>(
    index: &mut Index,
    store: &mut dyn StorageBackend,
    prepared: &'a PreparedQuestion,
) -> Result<Vec<(&'a QuestionWord, f32)>, MemoryError> {
    let mut weighted = Vec::new();
    for word in &prepared.words {
        let mut known = 0;
        if !word.term.is_empty() {
            index.load_postings(store, &word.term)?;
            known = live_count(index, index.postings(&word.term));
        }
        let weight = match known {
            0 => UNKNOWN_WORD_SHARE * inverse_document_frequency(index.len(), 0),
            _ => inverse_document_frequency(index.len(), known),
        };
        weighted.push((word, weight));
    }
    Ok(weighted)
}

/// Whether the question is the topic of the memory in a slot.
fn is_topic(index: &Index, slot: usize, prepared: &PreparedQuestion) -> bool {
    let topic = index.briefs().get(slot).map_or(0, |brief| brief.topic);
    topic != 0 && topic == prepared.topic
}

/// The score of an observation with its passage and the question before it: see [`OWN_SHARE`] and
/// [`ANSWER_SHARE`]. The score of other memories is their own.
fn with_passage(index: &Index, own: &[f32], slot: usize) -> f32 {
    let score_of = |slot: usize| own.get(slot).copied().unwrap_or_default();
    let (mut best, mut second) = (-1.0_f32, -1.0_f32);
    for score in index.passage(slot).iter().map(|slot| score_of(*slot as usize)) {
        if score > best {
            (best, second) = (score, best);
        } else {
            second = second.max(score);
        }
    }
    let score = match second {
        0.0.. => (f32::midpoint(best, second) + OWN_SHARE * score_of(slot)) / (1.0 + OWN_SHARE),
        _ => return score_of(slot),
    };
    let answered = index.answered_question(slot).map_or(0.0, score_of);
    let factor = if index.is_question(slot) { QUESTION_FACTOR } else { 1.0 };
    (score + ANSWER_SHARE * answered.max(0.0)) * factor
}

/// The amount added to a memory that was created in the period of the question.
fn in_period(index: &Index, slot: usize, prepared: &PreparedQuestion) -> f32 {
    let is_in = prepared
        .period
        .zip(index.docs().get(slot))
        .is_some_and(|((since, until), doc)| (since..until).contains(&doc.created_at));
    if is_in { IN_PERIOD } else { 0.0 }
}

/// The factor for the score of a memory by its status and type.
fn factor(brief: &Brief, question: &Question) -> f32 {
    let superseded = if brief.is_superseded { SUPERSEDED_FACTOR } else { 1.0 };
    let is_demoted = brief.is_tool_outcome && question.kinds.is_empty();
    superseded * if is_demoted { TOOL_OUTCOME_FACTOR } else { 1.0 }
}

impl Ranked {
    /// The probability that the memory answers the question: a logistic regression on the first hits
    /// of the tuning half of `tests/retrieval`, including the questions without an answer. The constant
    /// is lower than fitted, so that 86 % of the hits whose certainty is close are answers.
    pub(super) fn confidence(&self) -> f32 {
        if self.is_topic {
            return 1.0;
        }
        let cosine = if self.cosine.is_nan() { 0.0 } else { self.cosine };
        let logit = -4.25 + 1.42 * self.words + 3.15 * cosine + 3.74 * self.word_similarity;
        1.0 / (1.0 + (-logit).exp())
    }
}

/// Maps `sum` to a score from 0 to 1, preserving order; an exact topic match comes first.
fn score(sum: f32, is_topic: bool) -> f32 {
    let part = sum / (1.0 + sum);
    if is_topic { 0.9 + 0.1 * part } else { 0.9 * part }
}

fn order(
    index: &Index,
    question: &Question,
    prepared: &PreparedQuestion,
    a: &Ranked,
    b: &Ranked,
) -> std::cmp::Ordering {
    let creation =
        |ranked: &Ranked| index.docs().get(ranked.slot).map(|doc| (doc.created_at, doc.id));
    match question.order {
        SearchOrder::Oldest => creation(a).cmp(&creation(b)),
        SearchOrder::Relevance if !prepared.is_empty => {
            b.score.total_cmp(&a.score).then_with(|| creation(b).cmp(&creation(a)))
        }
        _ => creation(b).cmp(&creation(a)),
    }
}
