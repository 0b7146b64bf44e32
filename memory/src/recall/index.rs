//! The search index of a process: filterable fields, vectors, and the postings of the terms that
//! were searched for. The index is updated from the store and never written to it.

use super::docs::{Doc, Docs};
use super::prepare::{COLUMNS, ComparedTexts};
use super::word_vectors::{PartSimilarity, QuestionWord, WordVectors};
use crate::MemoryError;
use crate::heap;
use crate::store::{Counts, SearchData, StorageBackend};
use crate::types::{Kind, Layer, Status};
use aidd_lexicon::embedding::Vector;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The index is rebuilt when more than this number of slots, and more than a quarter of all slots,
/// belong to deleted or replaced memories. Each memory has a slot.
const MIN_STALE_SLOTS: usize = 256;
/// Maximum number of postings that are cached between searches, of 8 bytes each.
const MAX_CACHED_POSTINGS: usize = 1 << 18;

/// After searches compared this number of memories, the memory that they freed is returned to the
/// operating system. For 100,000 memories, this takes about 1 ms for each search.
const COMPARED_PER_TRIM: usize = 100_000;

/// Number of observations before an observation that belong to its passage. An answer follows its
/// question, so that more observations count before it than after it. Tuned on the tuning half of
/// the conversations in `tests/retrieval`.
const PASSAGE_BEFORE: u32 = 6;
/// Number of observations after an observation that belong to its passage.
const PASSAGE_AFTER: u32 = 2;

/// The part of each memory's data that every search reads; it is small, so that searches are fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief {
    /// Hash of the topic; 0 without a topic.
    pub(super) topic: u64,
    /// Number of terms, at most 65,535.
    pub(super) length: u16,
    /// Whether the memory was neither deleted nor replaced by a later state.
    pub(super) is_live: bool,
    pub(super) is_superseded: bool,
    /// Whether the memory is a tool outcome: hooks record a tool outcome for each edit.
    pub(super) is_tool_outcome: bool,
    /// Whether the text ends with a question.
    pub(super) is_question: bool,
    pub(super) layer: Layer,
}

/// A hash for comparing topics quickly; never 0.
pub(super) fn topic_hash(topic: &str) -> u64 {
    hash(topic).max(1)
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The slot of a memory that contains a term, with the number of occurrences.
pub(super) type Posting = (u32, Counts);

/// For each term, the slots of the memories that contain the term.
type Postings = HashMap<Box<str>, Vec<Posting>>;

/// The observations of all sessions, in their order.
#[derive(Debug)]
struct Passages {
    /// The slots of the observations of each session in turn.
    order: Vec<u32>,
    /// The part of `order` that is the passage of each slot; empty for other memories, and if there
    /// are no observations.
    of_slot: Vec<Range<u32>>,
}

/// All memories except removed ones.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The store's change number when the index was last updated.
    change_number: Option<i64>,
    deletions: i64,
    docs: Docs,
    /// In the order of `docs`.
    briefs: Vec<Brief>,
    /// In the order of `docs`; `None` for a memory whose vector was computed with another `SCHEME`.
    vectors: Vec<Option<Vector>>,
    /// The slot of each memory, by the hash of its id. The map is built on the first change; a single
    /// search does not need it.
    slots: Option<HashMap<u64, u32>>,
    /// Number of slots with a live memory.
    live: usize,
    /// Number of terms of all live memories.
    length: f64,
    /// Number of memories whose vector was computed with another `SCHEME`.
    stale: usize,
    /// The postings of the terms that were searched for, or of all terms if `has_all_terms`.
    terms: Postings,
    /// Number of postings in `terms`.
    cached_postings: usize,
    /// Whether the store has no index of its own: `terms` then contains every term.
    has_all_terms: bool,
    /// The slots of the live memories, sorted by row; built when postings are looked up.
    rows: Option<Vec<u32>>,
    /// Built when searching.
    passages: Option<Passages>,
    words: WordVectors,
    /// Number of memories that searches compared since free memory was last returned.
    compared: usize,
}

impl Index {
    /// Updates the index from the store.
    pub(super) fn refresh(&mut self, store: &mut dyn StorageBackend) -> Result<(), MemoryError> {
        let (change_number, deletions) = (store.change_number()?, store.deletions()?);
        let dead = self.docs.len() - self.live;
        let is_sparse = dead > MIN_STALE_SLOTS && dead * 4 > self.docs.len();
        if self.deletions != deletions || is_sparse {
            *self = Self::default();
        }
        if self.change_number == Some(change_number) {
            return Ok(());
        }
        if self.change_number.is_some() {
            self.build_slots();
        }
        self.has_all_terms = !store.has_postings();
        // Changed memories are added to the postings that are already known.
        let (after, with_terms) =
            (self.change_number, self.has_all_terms || !self.terms.is_empty());
        let result = store.indexed(after, with_terms, &mut |indexed| self.add(&indexed));
        if result.is_err() {
            *self = Self::default();
        }
        result?;
        self.change_number = Some(change_number);
        self.deletions = deletions;
        if after.is_none() {
            heap::trim();
        }
        Ok(())
    }

    /// Returns the memory that searches freed to the operating system, if they compared many memories.
    pub(super) fn trim(&mut self) {
        self.compared += self.docs.len();
        if self.compared >= COMPARED_PER_TRIM {
            self.compared = 0;
            heap::trim();
        }
    }

    /// Builds the map from memories to slots.
    fn build_slots(&mut self) {
        if self.slots.is_none() {
            let ids = (0_u32..).zip(self.docs.iter().zip(&self.briefs));
            let live = ids.filter(|(_, (_, brief))| brief.is_live);
            self.slots = Some(live.map(|(slot, (doc, _))| (hash(doc.id), slot)).collect());
        }
    }

    fn add(&mut self, indexed: &SearchData) {
        let key = hash(&indexed.id);
        let known = self.slots.as_mut().and_then(|slots| slots.remove(&key));
        // Another memory can have the same hash, although that is unlikely.
        let is_same = |doc: Doc<'_>| doc.id == &*indexed.id;
        if let Some(slot) = known.filter(|slot| self.docs.get(*slot as usize).is_some_and(is_same))
        {
            self.drop_slot(slot);
        }
        if indexed.status == Status::Removed {
            return;
        }
        let Some(slot) = self.docs.push(indexed) else { return };
        if let Some(columns) = &indexed.columns {
            self.add_terms(slot, columns);
        }
        (self.rows, self.passages) = (None, None);
        if let Some(slots) = &mut self.slots {
            slots.insert(key, slot);
        }
        self.live += 1;
        let length = u16::try_from(indexed.length).unwrap_or(u16::MAX);
        self.briefs.push(Brief {
            topic: indexed.topic_key.as_deref().map_or(0, topic_hash),
            length,
            is_live: true,
            is_superseded: indexed.status == Status::Superseded,
            is_tool_outcome: indexed.kind == Kind::ToolOutcome,
            is_question: indexed.is_question,
            layer: indexed.layer,
        });
        self.length += f64::from(length);
        self.stale += usize::from(indexed.vector.is_none());
        self.vectors.push(indexed.vector);
    }

    fn drop_slot(&mut self, slot: u32) {
        let slot = slot as usize;
        if let Some(brief) = self.briefs.get_mut(slot) {
            brief.is_live = false;
            self.live -= 1;
            self.length -= f64::from(brief.length);
        }
        self.stale -= usize::from(self.vectors.get(slot).is_none_or(Option::is_none));
    }

    /// The memories, by slot.
    pub(super) fn docs(&self) -> &Docs {
        &self.docs
    }

    /// The brief form of the memories, by slot.
    pub(super) fn briefs(&self) -> &[Brief] {
        &self.briefs
    }

    /// Whether every slot contains a live memory.
    pub(super) fn is_full(&self) -> bool {
        self.docs.len() == self.live
    }

    /// The vectors, by slot; `None` for memories that cannot be compared.
    pub(super) fn vectors(&self) -> &[Option<Vector>] {
        &self.vectors
    }

    /// Number of live memories.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    /// Number of memories whose vector was computed with another `SCHEME`.
    pub(super) fn stale(&self) -> usize {
        self.stale
    }

    /// Average number of terms of a memory, never 0.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "counts of words"
    )]
    pub(super) fn average_length(&self) -> f32 {
        (self.length / self.len().max(1) as f64).max(1.0) as f32
    }

    /// Orders the observations of each session after a change.
    pub(super) fn build_passages(&mut self) {
        if self.passages.is_some() {
            return;
        }
        let slots = (0_u32..).zip(self.docs.iter().zip(&self.briefs));
        // Hooks record the same tool outcomes again and again.
        let is_observed = |brief: &Brief| {
            brief.is_live && brief.layer == Layer::Session && !brief.is_tool_outcome
        };
        let observed = slots.filter(|(_, (_, brief))| is_observed(brief));
        let mut observed: Vec<(&str, i64, &str, u32)> = observed
            .filter_map(|(slot, (doc, _))| Some((doc.session?, doc.created_at, doc.id, slot)))
            .collect();
        observed.sort_unstable();
        let order = observed.iter().map(|(.., slot)| *slot).collect();
        let slots = if observed.is_empty() { 0 } else { self.docs.len() };
        let mut passages = Passages { order, of_slot: vec![0..0; slots] };
        let mut start = 0;
        for session in observed.chunk_by(|a, b| a.0 == b.0) {
            let end = start + u32::try_from(session.len()).unwrap_or(u32::MAX);
            for (at, (.., slot)) in (start..).zip(session) {
                if let Some(passage) = passages.of_slot.get_mut(*slot as usize) {
                    let first = at.saturating_sub(PASSAGE_BEFORE).max(start);
                    *passage = first..(at + PASSAGE_AFTER + 1).min(end);
                }
            }
            start = end;
        }
        self.passages = Some(passages);
    }

    /// Whether there are observations of sessions.
    pub(super) fn has_passages(&self) -> bool {
        self.passages.as_ref().is_some_and(|passages| !passages.order.is_empty())
    }

    /// The slots of the observations around an observation in its session, including its own slot;
    /// empty for other memories.
    pub(super) fn passage(&self, slot: usize) -> &[u32] {
        let slots = self.passages.as_ref().and_then(|passages| {
            let passage = passages.of_slot.get(slot)?;
            passages.order.get(passage.start as usize..passage.end as usize)
        });
        slots.unwrap_or_default()
    }

    /// The slot of the question that the observation in `slot` answers: the observation before it in
    /// its session, if that ends with a question.
    pub(super) fn answered_question(&self, slot: usize) -> Option<usize> {
        let passage = self.passage(slot);
        let at = passage.iter().position(|other| *other as usize == slot)?;
        let previous = *passage.get(at.checked_sub(1)?)? as usize;
        self.is_question(previous).then_some(previous)
    }

    /// The slot of the observation that answers the question in `slot`: see
    /// [`Self::answered_question`].
    pub(super) fn answer(&self, slot: usize) -> Option<usize> {
        let passage = self.passage(slot);
        let at = passage.iter().position(|other| *other as usize == slot)?;
        let next = *passage.get(at + 1)? as usize;
        self.is_question(slot).then_some(next)
    }

    /// Whether the memory in `slot` ends with a question.
    pub(super) fn is_question(&self, slot: usize) -> bool {
        self.briefs.get(slot).is_some_and(|brief| brief.is_question)
    }

    /// The similarity of words, titles and sentences: see [`WordVectors::similarities`].
    pub(super) fn part_similarities(
        &mut self,
        store: &mut dyn StorageBackend,
        question: &Vector,
        words: &[(&QuestionWord, f32)],
        slots: &[u32],
    ) -> Result<Vec<PartSimilarity>, MemoryError> {
        let docs = &self.docs;
        self.words.similarities(question, words, slots, &mut |slot| {
            let Some(doc) = docs.get(slot as usize) else { return Ok(ComparedTexts::default()) };
            let entry = store.entry(doc.id)?;
            Ok(entry.as_ref().map(ComparedTexts::from_entry).unwrap_or_default())
        })
    }

    /// Looks up `term` in the store unless its postings are known.
    pub(super) fn load_postings(
        &mut self,
        store: &mut dyn StorageBackend,
        term: &str,
    ) -> Result<(), MemoryError> {
        if !self.has_all_terms && !self.terms.contains_key(term) {
            let postings = self.stored_postings(store, term)?;
            if self.cached_postings + postings.len() > MAX_CACHED_POSTINGS {
                self.terms.clear();
                self.cached_postings = 0;
            }
            self.cached_postings += postings.len();
            self.terms.insert(term.into(), postings);
        }
        Ok(())
    }

    /// The slots of the memories that contain `term`, including memories that were deleted or
    /// replaced. The term must have been looked up with [`Self::load_postings`].
    pub(super) fn postings(&self, term: &str) -> &[Posting] {
        self.terms.get(term).map_or(&[], Vec::as_slice)
    }

    /// Looks up a term in the store.
    fn stored_postings(
        &mut self,
        store: &mut dyn StorageBackend,
        term: &str,
    ) -> Result<Vec<Posting>, MemoryError> {
        let docs = &self.docs;
        let rows = self.rows.get_or_insert_with(|| {
            let slots = (0_u32..).zip(&self.briefs);
            let mut rows: Vec<u32> =
                slots.filter(|(_, brief)| brief.is_live).map(|(slot, _)| slot).collect();
            // The rows are almost sorted already, because the store returns memories in this order.
            rows.sort_by_key(|slot| docs.row(*slot));
            rows
        });
        let mut slots = rows.iter().filter_map(|slot| Some((docs.row(*slot)?, *slot))).peekable();
        let mut postings = Vec::new();
        // Both lists are sorted by row.
        for (row, counts) in store.postings(term)? {
            while slots.next_if(|(known, _)| *known < row).is_some() {}
            if let Some((_, slot)) = slots.peek().filter(|(known, _)| *known == row) {
                postings.push((*slot, counts));
            }
        }
        postings.shrink_to_fit();
        Ok(postings)
    }

    /// Adds the terms of the memory in `slot` to the known postings.
    fn add_terms(&mut self, slot: u32, columns: &[String; COLUMNS.len()]) {
        for (column, text) in columns.iter().enumerate() {
            for term in text.split_ascii_whitespace() {
                if self.has_all_terms && !self.terms.contains_key(term) {
                    self.terms.insert(term.into(), Vec::new());
                }
                let Some(postings) = self.terms.get_mut(term) else { continue };
                if postings.last().is_none_or(|(last, _)| *last != slot) {
                    postings.push((slot, Counts::default()));
                    self.cached_postings += 1;
                }
                let counts = postings.last_mut().map(|(_, counts)| counts);
                if let Some(count) = counts.and_then(|counts| counts.get_mut(column)) {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}
