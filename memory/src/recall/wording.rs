//! A question and its other wordings, prepared for comparison.

use super::filters::has_filters;
use super::index::topic_hash;
use super::periods::{self, Period};
use super::prepare;
use super::word_vectors::{QuestionWord, question_words};
use super::{MAX_WORDINGS, MatchFeatures, Question, dates};
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

/// Extensions of file names that are also parts of the names of frameworks.
const FRAMEWORK_EXTENSIONS: [&str; 3] = ["js", "io", "net"];

/// Maximum number of bytes of a question that are read.
pub(super) const MAX_QUESTION_BYTES: usize = 16 * 1024;
/// Maximum number of terms of a question that are searched for.
pub(super) const MAX_QUESTION_TERMS: usize = 256;
/// Maximum number of words of a question that are compared one by one.
const MAX_QUESTION_WORDS: usize = 64;
/// Maximum number of bytes of another wording that are read: a wording is a phrase or a sentence.
const MAX_WORDING_BYTES: usize = 1024;

/// A question prepared for comparison.
#[derive(Debug)]
pub(super) struct PreparedQuestion {
    /// The text of the question, then its other wordings.
    pub(super) wordings: Vec<Wording>,
    /// Share of each wording in the scores.
    pub(super) share: f32,
    /// Hash of the question as a topic: see [`topic_hash`].
    pub(super) topic: u64,
    /// The period that the question names.
    pub(super) period: Option<Period>,
    pub(super) is_empty: bool,
    pub(super) has_filters: bool,
    file: Option<String>,
    /// The hash of the requested topic.
    topic_filter: Option<u64>,
}

impl PreparedQuestion {
    #[expect(clippy::cast_precision_loss, reason = "a small count")]
    pub(super) fn from_question(question: &Question, features: MatchFeatures, now: i64) -> Self {
        let text = prepare::truncate(question.text.trim(), MAX_QUESTION_BYTES);
        let mut wordings = vec![Wording::new(text, features)];
        // Without a question, everything that passes the filters is returned.
        if !text.is_empty() {
            let others = question.wordings.iter().map(|other| other.trim());
            let others = others.filter(|other| other.contains(char::is_alphanumeric));
            let others = others.map(|other| prepare::truncate(other, MAX_WORDING_BYTES));
            wordings.extend(others.take(MAX_WORDINGS).map(|other| Wording::new(other, features)));
        }
        Self {
            share: 1.0 / wordings.len() as f32,
            wordings,
            topic: topic_hash(&topic_key(text)),
            period: periods::find(text, now),
            is_empty: text.is_empty(),
            has_filters: has_filters(question),
            file: question.file.as_deref().map(prepare::normalise_path),
            topic_filter: question.topic.as_deref().map(|topic| topic_hash(&topic_key(topic))),
        }
    }

    /// The requested file and the hash of the requested topic.
    pub(super) fn filters(&self) -> (Option<&str>, Option<u64>) {
        (self.file.as_deref(), self.topic_filter)
    }

    /// The distinct terms of all wordings.
    pub(super) fn terms(&self) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        for term in self.wordings.iter().flat_map(|wording| &wording.terms) {
            if !terms.contains(term) {
                terms.push(term.clone());
            }
        }
        terms
    }

    /// Whether memories are compared by meaning.
    pub(super) fn compares_meaning(&self) -> bool {
        self.wordings.iter().any(|wording| wording.vector.is_some())
    }
}

/// One wording of a question, prepared for comparison.
#[derive(Debug)]
pub(super) struct Wording {
    pub(super) terms: Vec<String>,
    /// `None` when meaning is not compared.
    pub(super) vector: Option<Vector>,
    /// Factor for the word score.
    pub(super) word_share: f32,
    /// Maximum amount that meaning adds to the word score.
    pub(super) weight: f32,
    /// Maximum amount that the similarity of single words adds.
    pub(super) word_weight: f32,
    /// The words to compare one by one; empty when meaning is not compared.
    pub(super) words: Vec<QuestionWord>,
}

impl Wording {
    fn new(text: &str, features: MatchFeatures) -> Self {
        let terms = terms::distinct_terms(text, MAX_QUESTION_TERMS);
        // The vector table also has vectors for punctuation, but punctuation has no meaning.
        let by_meaning = features != MatchFeatures::Words && text.contains(char::is_alphanumeric);
        let is_literal = features == MatchFeatures::Both && is_literal(text, &terms);
        let vector = by_meaning.then(|| Table::shipped().question_vector(text));
        Self {
            word_share: if is_literal || !by_meaning { 1.0 } else { WORD_SHARE },
            weight: if is_literal { MAX_MEANING_LITERAL } else { MAX_MEANING },
            word_weight: if is_literal { 0.0 } else { MAX_WORD_SIMILARITY },
            words: if by_meaning { question_words(text, MAX_QUESTION_WORDS) } else { Vec::new() },
            vector: vector.filter(|vector| !vector.is_empty()),
            terms: if features == MatchFeatures::Meaning { Vec::new() } else { terms },
        }
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
