//! The shapes of sentences that a check can be made of, the surest first.

use super::drafts;
use super::{Draft, Ground, Sentence, Verdict};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A shape: an expression on [`Sentence::shape`], and what is made of what it caught.
pub(super) struct Shape {
    expression: LazyLock<Regex>,
    make: fn(&Caught<'_>, &Ground<'_>) -> Option<Made>,
}

/// What a shape makes of a sentence.
pub(super) enum Made {
    Draft(Draft),
    Run(String),
}

/// A sentence and what the expression caught of it.
pub(super) struct Caught<'a> {
    pub(super) sentence: &'a Sentence,
    groups: Captures<'a>,
}

impl Caught<'_> {
    /// What stands in the backticks that a group caught.
    pub(super) fn code(&self, group: &str) -> Option<&str> {
        let number: usize = self.groups.name(group)?.as_str().parse().ok()?;
        Some(self.sentence.code.get(number)?.trim())
    }

    /// The words that a group caught.
    pub(super) fn words(&self, group: &str) -> Option<&str> {
        Some(self.groups.name(group)?.as_str())
    }

    /// What stands in all backticks of a group.
    pub(super) fn codes_in(&self, group: &str) -> Vec<&str> {
        let words = self.words(group).unwrap_or_default();
        let numbers =
            words.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        numbers
            .filter_map(|number: usize| self.sentence.code.get(number))
            .map(|code| code.trim())
            .collect()
    }

    /// Everything in backticks from a group on.
    pub(super) fn codes_from(&self, group: &str) -> Vec<&str> {
        let first = self.groups.name(group).and_then(|found| found.as_str().parse().ok());
        let codes = self.sentence.code.iter().skip(first.unwrap_or(usize::MAX));
        codes.map(|code| code.trim()).collect()
    }
}

impl Shape {
    pub(super) fn read(&self, sentence: &Sentence, ground: &Ground<'_>) -> Option<Verdict> {
        let groups = self.expression.captures(&sentence.shape)?;
        match (self.make)(&Caught { sentence, groups }, ground)? {
            Made::Draft(draft) => Some(Verdict::Draft(draft)),
            Made::Run(command) => Some(Verdict::Run(command)),
        }
    }
}

macro_rules! shapes {
    ($($expression:literal => $make:path,)*) => {
        [$(Shape { expression: LazyLock::new(|| Regex::new($expression).expect("an expression")), make: $make },)*]
    };
}

/// Tried in order; the first that makes something of a sentence counts.
pub(super) static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    Vec::from(shapes! {
        r"(?i)\bconventional commits?\b" => drafts::conventional,
        r"(?i)\bcommit (?:messages?|subjects?|titles?).{0,30}\b(?:start|begin)s? with «(?<start>\d+)»" => drafts::subject_start,
        r"(?i)\bcommit (?:messages?|subjects?|titles?|headers?).{0,60}(?:at most|no more than|under|longer than|exceed) (?<max>\d+) characters" => drafts::subject_length,
        r"(?i)\b(?:never|must not|do not|don't|may not) (?:commit|check in|track)\b[^«]{0,30}«(?<first>\d+)»" => drafts::untracked,
        r"(?i)«(?<from>\d+)» (?:\w+ )?(?:must|may|should|shall|can) ?(?:not|never) (?:import|depend on|use|know|reference|reach into)(?: anything| code)?(?: from| of| in)? «(?<to>\d+)»" => drafts::forbidden_import,
        r"(?i)\b(?:never|do not|don't|must not) import (?:anything )?(?:from )?«(?<to>\d+)» (?:in|into|inside|within|from) «(?<from>\d+)»" => drafts::forbidden_import,
        r"(?i)\b(?:every|each|all)\b[^«]{0,20}«(?<each>\d+)»[^«]{0,30}\b(?:has|have|contains?|needs?|comes? with)\b[^«]{0,20}«(?<has>\d+)»" => drafts::companion,
        r"(?i)\bwhen(?:ever)? (?:something (?:in|below|under) |you change )?«(?<touches>\d+)»(?: (?:is|are)? ?changed?s?| changes)?,? [^«]{0,30}\b(?:update|change|touch|add|edit|extend)\b[^«]{0,30}«(?<requires>\d+)»" => drafts::together,
        r"(?i)\b(?:file ?names?|files|folders|directories|components|modules|tests)\b.{0,60}?(?<case>kebab-case|snake_case|camelCase|PascalCase|«\d+»)" => drafts::file_names,
        r"(?i)(?:at most|no more than|not exceed|no longer than|under|below|up to|longer than|over|more than) (?<max>\d[\d,_]*) (?<unit>lines|bytes|tokens)" => drafts::limit,
        r"(?i)\b(?:sections?|headings?)\b[^«]{0,20}«(?<first>\d+)»" => drafts::sections,
        r"(?i)\b(?:set|pin|require|enable|keep)s? «(?<key>\d+)»(?: (?:to|at|=) «(?<value>\d+)»)? in «(?<file>\d+)»" => drafts::setting,
        r"(?i)\b(?:use|prefer) «(?<good>\d+)» (?:instead of|over|rather than|and not|, not) «(?<bad>\d+)»" => drafts::instead,
        r"(?i)\b(?:never|must not|do not|don't|may not|avoid|no|without)\b(?: (?:use|call|write|leave|add|have|using|calling|uses? of|calls? (?:of|to)|the|any|new|a|an|with|to|allowed|direct))* (?<bad>«\d+»(?:(?:, and|, or|,| and| or) «\d+»)*)" => drafts::banned,
        r"(?i)\b(?:run|execute) «(?<command>\d+)»" => drafts::to_run,
    })
});
