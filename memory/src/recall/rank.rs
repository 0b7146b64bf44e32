//! Ranks memories by words and meaning. The weights were tuned on the tuning half of
//! `tests/retrieval`.

use super::bm25::{inverse_document_frequency, live_count, score_by_words};
use super::filters::passes_filters;
use super::first::First;
use super::index::{Brief, Index};
use super::meaning::{MeaningScores, score_by_meaning};
use super::word_vectors::{PartSimilarity, QuestionWord};
use super::wording::{PreparedQuestion, Wording};
use super::{Question, SearchOrder};
use crate::MemoryError;
use crate::store::StorageBackend;

/// Weight of the title, of the best sentence and of the whole text of a memory whose parts are
/// compared, relative to the weight of a whole text: a part is often closer to the question.
const PART_SHARE: f32 = 0.5;
/// The similarity of single words that a memory with questions that it answers loses: it has more
/// texts that can be similar by chance. With this, a memory without questions is found as often if
/// half of the others have questions. Tuned on the tuning half of `tests/retrieval`.
const QUESTIONS_PENALTY: f32 = 0.1;
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
    /// Whether the memory was compared by meaning.
    is_compared: bool,
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
    let least = scores.nth_sum(prepared);
    let matching = || {
        scores.candidates(index, prepared).filter(|candidate| {
            prepared.is_empty
                || candidate.words > 0.0
                || candidate.is_topic
                || in_period(index, candidate.slot, prepared) > 0.0
                || candidate.is_compared && candidate.sum >= least
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
    /// The scores by each wording of the question.
    wordings: Vec<WordingScores>,
    /// The sum of the word score and the similarity of the text; negative for memories that do not
    /// pass the filters.
    own: Vec<f32>,
    /// The same sum with the passage.
    sums: Vec<f32>,
    /// The memories whose parts were compared, in the order of their slots.
    compared: Vec<Compared>,
}

/// The scores of the memories by one wording, by slot.
struct WordingScores {
    /// The scores by words; empty if the wording has no terms.
    words: Vec<f32>,
    meaning: Option<MeaningScores>,
}

/// The parts of the score of a memory, as the mean over the wordings of the question.
#[derive(Clone, Copy, Debug, Default)]
struct Fused {
    words: f32,
    meaning: f32,
    /// The score by words and meaning.
    sum: f32,
    cosine: f32,
    /// Whether the memory was compared by meaning.
    is_compared: bool,
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
        let mut wordings = Vec::new();
        for wording in &prepared.wordings {
            let words = score_by_words(index, store, &wording.terms)?;
            let meaning = wording.vector.as_ref().map(|vector| score_by_meaning(index, vector));
            wordings.push(WordingScores { words, meaning });
        }
        index.build_passages();
        let index = &*index;
        let mut scores = Self {
            wordings,
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
            let sum = scores.parts(slot, prepared).sum + in_period(index, slot, prepared);
            if let Some(own) = scores.own.get_mut(slot) {
                *own = sum * factor(brief, question);
            }
        }
        scores.sums =
            (0..scores.own.len()).map(|slot| with_passage(index, &scores.own, slot)).collect();
        Ok(scores)
    }

    /// The parts of the score of a memory before its parts are compared.
    fn parts(&self, slot: usize, prepared: &PreparedQuestion) -> Fused {
        let mut fused = Fused::default();
        for (wording, scores) in prepared.wordings.iter().zip(&self.wordings) {
            let words = scores.words.get(slot).copied().unwrap_or_default();
            let (cosine, closeness) = match &scores.meaning {
                Some(meaning) => meaning.cosine_at(slot),
                None => (f32::NAN, 0.0),
            };
            let meaning = wording.weight * closeness;
            fused.words += prepared.share * words;
            fused.meaning += prepared.share * meaning;
            fused.sum += prepared.share * (wording.word_share * words + meaning);
            if !cosine.is_nan() {
                fused.cosine += prepared.share * cosine;
                fused.is_compared = true;
            }
        }
        fused
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
            let parts = self.parts(slot, prepared);
            let (word_similarity, added) = compared
                .next_if(|compared| compared.slot == slot)
                .map_or((0.0, 0.0), |compared| (compared.words, compared.added));
            let is_topic = is_topic(index, slot, prepared);
            Ranked {
                slot,
                score: score(sum, is_topic),
                words: parts.words,
                meaning: parts.meaning + added,
                sum,
                cosine: parts.cosine,
                is_compared: parts.is_compared,
                word_similarity,
                is_topic,
            }
        })
    }

    /// The sum of the last of the [`MAX_SIMILAR`] best memories that were compared by meaning.
    fn nth_sum(&self, prepared: &PreparedQuestion) -> f32 {
        if !prepared.compares_meaning() {
            return f32::NEG_INFINITY;
        }
        let is_compared = |slot: usize| {
            let mut meanings = self.wordings.iter().filter_map(|scores| scores.meaning.as_ref());
            meanings.any(|meaning| !meaning.cosine_at(slot).0.is_nan())
        };
        let mut best = First::new(MAX_SIMILAR + 1, |a: &f32, b: &f32| b.total_cmp(a));
        for (slot, sum) in self.visible() {
            if is_compared(slot) {
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
        if !prepared.compares_meaning() {
            return Ok(());
        }
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
        self.compared =
            best.into_iter().map(|slot| Compared { slot, words: 0.0, added: 0.0 }).collect();
        for (wording, scores) in prepared.wordings.iter().zip(&self.wordings) {
            let (Some(meaning), Some(vector)) = (&scores.meaning, &wording.vector) else {
                continue;
            };
            let weighted = weighted_words(index, store, wording)?;
            let similarities = index.part_similarities(store, vector, &weighted, &slots)?;
            for (compared, similarity) in self.compared.iter_mut().zip(similarities) {
                // The turns of a conversation are short and are ranked with their passage.
                let with_parts = index.passage(compared.slot).len() < 2;
                let added = added_by_parts(meaning, wording, compared.slot, similarity, with_parts);
                compared.words += prepared.share * similarity.words;
                compared.added += prepared.share * added;
            }
        }
        for Compared { slot, added, .. } in &self.compared {
            if let (Some(own), Some(brief)) = (self.own.get_mut(*slot), index.briefs().get(*slot)) {
                // A negative score would hide the memory.
                *own = (*own + added * factor(brief, question)).max(0.0);
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

/// What the parts of a memory add to its meaning score: its words and, if `with_parts`, its title and
/// its best sentence.
fn added_by_parts(
    meaning: &MeaningScores,
    wording: &Wording,
    slot: usize,
    similarity: PartSimilarity,
    with_parts: bool,
) -> f32 {
    let penalty = if similarity.has_questions { QUESTIONS_PENALTY } else { 0.0 };
    let by_words = wording.word_weight * (similarity.words - penalty);
    let (cosine, closeness) = meaning.cosine_at(slot);
    if cosine.is_nan() || !with_parts {
        return by_words;
    }
    let of_parts = meaning.closeness(similarity.title).max(0.0)
        + meaning.closeness(similarity.sentence).max(0.0)
        - closeness;
    by_words + PART_SHARE * wording.weight * of_parts
}

/// The words of a question, with their weights.
fn weighted_words<'a>(
    index: &mut Index,
    store: &mut dyn StorageBackend,
    wording: &'a Wording,
) -> Result<Vec<(&'a QuestionWord, f32)>, MemoryError> {
    let mut weighted = Vec::new();
    for word in &wording.words {
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
    /// is lower than fitted, so that 86 % of the hits whose certainty is close are answers. With other
    /// wordings, the means vary less and are fitted separately; that constant is 1 lower than fitted,
    /// so that questions without an answer are detected as often.
    pub(super) fn confidence(&self, prepared: &PreparedQuestion) -> f32 {
        if self.is_topic {
            return 1.0;
        }
        let [constant, words, cosine, word_similarity] = match prepared.wordings.len() {
            ..=1 => [-4.25, 1.42, 3.15, 3.74],
            _ => [-4.27, 4.42, 2.31, 4.84],
        };
        let logit = constant
            + words * self.words
            + cosine * self.cosine
            + word_similarity * self.word_similarity;
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
