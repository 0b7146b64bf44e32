//! The parts of a decision that are negated or that keep something: "do not use X", "never X",
//! "stay with X".

use super::any_word_pattern;
use aidd_lexicon::tables::decisions as table;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Maximum number of words after "keep" or "no" to which the word refers.
const NEAR_WORDS: usize = 3;

static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(&any_word_pattern(table::NEGATIONS, table::NEGATIONS_IN_KOREAN))
});

/// Negations that refer only to the next words.
static ABSENCE: LazyLock<Regex> =
    LazyLock::new(|| super::pattern(&format!(r"(?i)\b(?:{})\b", table::ABSENCES.alternatives())));

static KEEPING: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(&any_word_pattern(table::CONTINUATION, table::CONTINUATION_IN_KOREAN))
});

/// The end of a clause.
static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(&format!(
        r"(?i)[.;:!?,](?:\s|$)|\n|\b(?:{})\b",
        table::CLAUSE_ENDS.alternatives()
    ))
});

/// A subject before a negated verb: "MongoDB will", "Redis is".
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    super::pattern(r"(?i)\b(?:is|are|was|will|should|must|shall|can|may|does)\s*$")
});

/// The ranges of a text that its words negate, and the ranges after words such as "keep".
#[derive(Debug, Default)]
pub(super) struct Polarity {
    /// The negated ranges, with the negation.
    pub(super) negated: Vec<Range<usize>>,
    /// The ranges after words such as "keep".
    pub(super) retained: Vec<Range<usize>>,
}

impl Polarity {
    /// Reads a text. `names` is whether a part of the text names a technology.
    pub(super) fn new(text: &str, names: impl Fn(&str) -> bool) -> Self {
        let mut clauses = Vec::new();
        let mut start = 0;
        for end in CLAUSE_END.find_iter(text) {
            clauses.push(start..end.start());
            start = end.end();
        }
        clauses.push(start..text.len());
        let mut found = Self::default();
        for clause in clauses {
            found.add_clause(text, clause, &names);
        }
        found
    }

    fn add_clause(&mut self, text: &str, clause: Range<usize>, names: &impl Fn(&str) -> bool) {
        let words = &text[clause.clone()];
        let at = |offset: usize| clause.start + offset;
        if let Some(negation) = first_negation(words) {
            let is_korean = !negation.as_str().is_ascii();
            let before = &words[..negation.start()];
            let after = words[negation.end()..].trim_start().to_lowercase();
            let has_subject = is_korean
                || after.starts_with("be ")
                || ["isn", "aren"].iter().any(|verb| negation.as_str().starts_with(verb))
                || SUBJECT.is_match(before);
            let is_passive = has_subject && names(before) && !names(&words[negation.end()..]);
            let start = if is_passive { 0 } else { negation.start() };
            self.negated.push(at(start)..clause.end);
            return;
        }
        // "No longer" ends something.
        let absences = ABSENCE.find_iter(words);
        for absence in absences.filter(|found| !words[found.end()..].starts_with(" longer")) {
            self.negated.push(at(absence.start())..at(near(words, absence.end())));
        }
        if let Some(keeping) = KEEPING.find(words) {
            // In Korean, the verb follows its object.
            let range = match keeping.as_str().is_ascii() {
                true => at(keeping.start())..at(near(words, keeping.end())),
                false => clause.start..at(keeping.end()),
            };
            self.retained.push(range);
        }
    }

    /// Whether the text at `offset` is negated.
    pub(super) fn is_negated(&self, offset: usize) -> bool {
        self.negated.iter().any(|range| range.contains(&offset))
    }
}

/// The first negation, except "not only" and "why not".
fn first_negation(words: &str) -> Option<regex::Match<'_>> {
    NEGATION.find_iter(words).find(|negation| {
        let after = words[negation.end()..].trim_start().to_lowercase();
        let before = words[..negation.start()].trim_end().to_lowercase();
        !["only ", "just "].iter().any(|word| after.starts_with(word)) && !before.ends_with("why")
    })
}

/// The text after its first negation; the whole text if nothing is negated.
pub(super) fn after_negation(text: &str) -> &str {
    let end = first_negation(text).filter(|negation| negation.as_str().is_ascii());
    end.map_or(text, |negation| text[negation.end()..].trim_start())
}

/// The end of the few words after `start`.
fn near(words: &str, start: usize) -> usize {
    let mut end = start;
    for word in words[start..].split_whitespace().take(NEAR_WORDS) {
        // The words are parts of the text after `end`.
        end += words[end..].find(word).map_or(0, |at| at + word.len());
    }
    end
}
