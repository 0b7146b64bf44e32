//! How well memories answer: words and meaning, fused. The weights are those of the tuning half of
//! `tests/retrieval`.

use super::index::{Index, Place, topic_hash};
use super::prepare::{self, COLUMNS};
use super::terms;
use super::{Question, SearchOrder, Using, dates};
use crate::MemoryError;
use crate::store::StorageBackend;
use crate::words::topic_key;
use aidd_lexicon::embedding::{Table, Vector};

/// How soon a term that is repeated says nothing new: the usual constant of BM25.
pub(super) const REPEAT: f32 = 1.2;
/// How much long memories are held back: the usual constant of BM25.
pub(super) const LENGTH: f32 = 0.75;
/// What meaning adds to words at most; words add about 1 when all of them stand in a memory.
pub(super) const MEANING: f32 = 0.5;
/// The same for a question that names something by its exact name.
const LITERAL: f32 = 0.1;
/// A memory whose vector is less like that of the question and that shares no word with it is no
/// answer.
pub(super) const ALIKE: f32 = 0.3;
/// Cosines lie at least so far apart where many memories are; of few that are all alike none is
/// near.
pub(super) const RANGE: f32 = 0.5;
/// What remains of the score of a memory that a later one replaced.
const SUPERSEDED: f32 = 0.8;
/// What remains of the score of what a tool did, where no type is asked for: hooks keep one for each
/// edit, and the names of files in them would stand before what was decided.
const TOOLS: f32 = 0.7;
/// In order of time, memories are left out that answer less well than this share of the best.
const GOOD: f32 = 0.5;

/// Bytes of a question that are looked at.
pub(super) const ASKED_BYTES: usize = 16 * 1024;
/// Terms of a question that are looked for.
pub(super) const ASKED_TERMS: usize = 256;

/// A question as memories are compared with it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) terms: Vec<String>,
    /// The question as a topic, by [`topic_hash`].
    topic: u64,
    /// `None` when meaning is not compared.
    vector: Option<Vector>,
    /// What meaning adds to words at most.
    weight: f32,
    /// From which cosine on meaning alone is an answer.
    alike: f32,
    is_empty: bool,
    has_filters: bool,
    file: Option<String>,
    of_topic: Option<String>,
}

impl Asked {
    pub(super) fn of(question: &Question, using: Using) -> Self {
        let text = prepare::clipped(question.text.trim(), ASKED_BYTES);
        let terms = terms::distinct(text, ASKED_TERMS);
        // Signs have vectors of their own, which say nothing.
        let by_meaning = using != Using::Words && text.contains(char::is_alphanumeric);
        let is_literal = using == Using::Both && is_literal(text, &terms);
        let vector = by_meaning.then(|| Table::shipped().vector(text));
        Self {
            topic: topic_hash(&topic_key(text)),
            weight: if is_literal { LITERAL } else { MEANING },
            alike: if using == Using::Meaning { f32::NEG_INFINITY } else { ALIKE },
            vector: vector.filter(|vector| !vector.is_empty()),
            terms: if using == Using::Meaning { Vec::new() } else { terms },
            is_empty: text.is_empty(),
            has_filters: has_filters(question),
            file: question.file.as_deref().map(prepare::plain),
            of_topic: question.topic.as_deref().map(topic_key),
        }
    }
}

/// Whether a question names a day, a session, a branch or a file, which has no meaning beyond its
/// words.
fn is_literal(text: &str, terms: &[String]) -> bool {
    dates::names_time(terms)
        || text.split_whitespace().any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_number = |c: char| c.is_ascii_digit();
            word.contains('/') && !word.contains("//")
                || word.contains('-') && word.contains(is_number)
                || text == word && word.contains(['.', '_'])
        })
}

/// A slot and how well its memory answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) slot: usize,
    /// From 0 to 1.
    pub(super) score: f32,
    /// Of it: what words and what meaning gave.
    pub(super) words: f32,
    pub(super) meaning: f32,
}

/// The memories that answer, in the order asked for, at most `question.limit`; and how many answer.
pub(super) fn rank(
    index: &Index,
    store: &mut dyn StorageBackend,
    question: &Question,
    asked: &Asked,
) -> Result<(Vec<Ranked>, usize), MemoryError> {
    let words = by_words(index, store, &asked.terms)?;
    let meaning = asked.vector.as_ref().map(|vector| by_meaning(index, vector));
    let mut found = Vec::new();
    for (slot, brief) in index.briefs().iter().enumerate() {
        let words = words.get(slot).copied().unwrap_or_default();
        let (cosine, near) = match &meaning {
            Some(meaning) => meaning.of(slot),
            None => (0.0, 0.0),
        };
        let is_topic = brief.topic != 0 && brief.topic == asked.topic;
        let answers = asked.is_empty || words > 0.0 || cosine >= asked.alike || is_topic;
        let stands = brief.is_live
            && question.layers.contains(brief.layer)
            && (!brief.is_superseded || question.with_superseded);
        if answers && stands && (!asked.has_filters || fits(index, slot, question, asked)) {
            let meaning = asked.weight * near;
            let sum = words + meaning;
            let sum = if brief.is_superseded { sum * SUPERSEDED } else { sum };
            let is_noise = brief.is_tools && question.kinds.is_empty();
            let sum = if is_noise { sum * TOOLS } else { sum };
            found.push(Ranked { slot, score: score(sum, is_topic), words, meaning });
        }
    }
    if question.order != SearchOrder::Relevance {
        let best = found.iter().fold(0.0_f32, |best, one| best.max(one.score));
        found.retain(|one| one.score >= GOOD * best);
    }
    let matched = found.len();
    let before = |one: &Ranked, other: &Ranked| order(index, question, asked, one, other);
    if question.limit > 0 && question.limit < found.len() {
        found.select_nth_unstable_by(question.limit - 1, before);
    }
    found.truncate(question.limit);
    found.sort_unstable_by(before);
    Ok((found, matched))
}

/// From 0 to 1, in the order of `sum`; what is exactly the topic comes first.
fn score(sum: f32, is_topic: bool) -> f32 {
    let part = sum / (1.0 + sum);
    if is_topic { 0.9 + 0.1 * part } else { 0.9 * part }
}

fn order(
    index: &Index,
    question: &Question,
    asked: &Asked,
    one: &Ranked,
    other: &Ranked,
) -> std::cmp::Ordering {
    let made = |one: &Ranked| index.docs().get(one.slot).map(|doc| (doc.created_at, &doc.id));
    match question.order {
        SearchOrder::Oldest => made(one).cmp(&made(other)),
        SearchOrder::Relevance if !asked.is_empty => {
            other.score.total_cmp(&one.score).then_with(|| made(other).cmp(&made(one)))
        }
        _ => made(other).cmp(&made(one)),
    }
}

/// Whether the filters leave a memory.
fn fits(index: &Index, slot: usize, question: &Question, asked: &Asked) -> bool {
    let is = |wanted: &Option<String>, own: &Option<Box<str>>| {
        wanted.as_ref().is_none_or(|wanted| own.as_deref() == Some(&**wanted))
    };
    let Some(doc) = index.docs().get(slot) else { return false };
    (question.kinds.is_empty() || question.kinds.contains(&doc.kind))
        && question.since.is_none_or(|since| doc.created_at >= since)
        && question.until.is_none_or(|until| doc.created_at < until)
        && is(&question.branch, &doc.branch)
        && is(&question.session_id, &doc.session)
        && is(&asked.of_topic, &doc.topic)
        && question.outcome.is_none_or(|wanted| doc.outcome == Some(wanted))
        && asked
            .file
            .as_ref()
            .is_none_or(|file| doc.files.iter().any(|own| prepare::names(own, file)))
}

/// Whether a question chooses by more than how memories stand.
fn has_filters(question: &Question) -> bool {
    !question.kinds.is_empty()
        || [question.since, question.until].iter().any(Option::is_some)
        || [&question.branch, &question.session_id, &question.topic, &question.file]
            .iter()
            .any(|filter| filter.is_some())
        || question.outcome.is_some()
}

/// BM25 of each slot, over what it would be if each term stood in it alone: about 1 when all do. A
/// term that stands nowhere counts, so that a question of which little is known finds little.
fn by_words(
    index: &Index,
    store: &mut dyn StorageBackend,
    terms: &[String],
) -> Result<Vec<f32>, MemoryError> {
    let mut sums = vec![0.0; if terms.is_empty() { 0 } else { index.docs().len() }];
    let mut most = 0.0;
    let average = index.average_length();
    for places in index.places(store, terms)? {
        let weight = rarity(index.len(), live(index, &places));
        most += weight;
        for (slot, counts) in &*places {
            let slot = *slot as usize;
            let (Some(brief), Some(sum)) = (index.briefs().get(slot), sums.get_mut(slot)) else {
                continue;
            };
            let count: f32 = counts.iter().zip(COLUMNS).map(|(n, (_, w))| f32::from(*n) * w).sum();
            let length = 1.0 - LENGTH + LENGTH * brief.length / average;
            *sum += weight * count * (REPEAT + 1.0) / (count + REPEAT * length);
        }
    }
    if most > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= most);
    }
    Ok(sums)
}

/// In how many memories a term stands.
fn live(index: &Index, places: &[Place]) -> usize {
    if index.is_full() {
        return places.len();
    }
    let is_live = |slot: u32| index.briefs().get(slot as usize).is_some_and(|brief| brief.is_live);
    places.iter().filter(|(slot, _)| is_live(*slot)).count()
}

/// How much a term tells that stands in `with` of `all` memories: little in most, never less than
/// nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of memories")]
pub(super) fn rarity(all: usize, with: usize) -> f32 {
    ((all as f32 + 1.0) / (with as f32 + 0.5)).ln()
}

/// How like the question memories are in meaning.
struct Meaning {
    cosines: Vec<f32>,
    least: f32,
    /// 1 ÷ the range.
    scale: f32,
}

impl Meaning {
    /// The cosine, and where it lies between the least and the greatest.
    fn of(&self, slot: usize) -> (f32, f32) {
        match self.cosines.get(slot) {
            Some(&cosine) if !cosine.is_nan() => (cosine, (cosine - self.least) * self.scale),
            _ => (0.0, 0.0),
        }
    }
}

fn by_meaning(index: &Index, asked: &Vector) -> Meaning {
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    let briefs = index.briefs().iter();
    let cosines = briefs.zip(index.vectors()).map(|(brief, vector)| match vector {
        Some(vector) if brief.is_live => {
            let cosine = asked.cosine(vector);
            least = least.min(cosine);
            most = most.max(cosine);
            cosine
        }
        _ => f32::NAN,
    });
    let cosines = cosines.collect();
    Meaning { cosines, least, scale: 1.0 / (most - least).max(RANGE) }
}
