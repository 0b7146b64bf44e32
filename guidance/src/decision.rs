//! Extracts facts from the text of a decision: its kind and object, technologies, figures,
//! irreversible actions, reasons and rejected alternatives. Only words and patterns are matched;
//! nothing is guessed.

mod polarity;

use super::knowledge::{Entry, Knowledge};
use aidd_lexicon::tables::{List, decisions as table};
use polarity::Polarity;
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

/// Maximum number of characters of a decision that are read. The cost is proportional to the number
/// of words times the number of entries.
pub const MAX_CHARS: usize = 4000;

/// Maximum number of characters of a decision that are quoted.
const MAX_SUBJECT_CHARS: usize = 90;

/// Maximum number of phrases of a kind.
const MAX_PHRASES: usize = 6;

/// The kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Replaces one technology or practice by another.
    Switch,
    /// Removes data, code or a feature permanently.
    Removal,
    /// Introduces a new technology or practice.
    Adoption,
    /// Continues a project or practice that has already begun.
    Continuation,
    /// Assigns blame.
    Blame,
    /// Changes existing code or an existing practice, for example splits, merges or rewrites it.
    Change,
    /// Makes a commitment that affects others: prices, people, dates, promises.
    Terms,
    /// Rules out a technology or practice.
    Rejection,
    /// Keeps a technology or data that could be replaced or removed.
    Retention,
}

/// The facts in the text of a decision, in its own words.
#[derive(Debug, Default)]
pub struct DecisionFacts<'k, 'a> {
    /// The first sentence of the decision, shortened.
    pub subject: String,
    /// The kind, if a word of the decision indicates one.
    pub kind: Option<Kind>,
    /// The object of the decision: `the legacy_orders table`.
    pub object: Option<String>,
    /// Identifiers of code or data in the decision: `legacy_orders`, `src/a.ts`.
    pub identifiers: Vec<String>,
    /// The mentioned technologies that have a knowledge entry, and the words used for each.
    pub technologies: Vec<(&'k Entry<'a>, String)>,
    /// The technologies that the decision abandons.
    pub abandoned: Vec<&'k Entry<'a>>,
    /// The technologies that the decision rules out: "do not use X".
    pub rejected: Vec<&'k Entry<'a>>,
    /// The technologies that stay in use: "stay with X", "do not replace X".
    pub retained: Vec<&'k Entry<'a>>,
    /// Figures with their units.
    pub figures: Vec<String>,
    /// Actions that cannot be undone or are difficult to undo.
    pub actions: Vec<String>,
    /// The reasons that the decision states.
    pub reasons: Vec<String>,
    /// Words that allow no exception, such as `all` or `never`.
    pub absolutes: Vec<String>,
    /// Words that refer to sunk cost, habit or fashion.
    pub biases: Vec<String>,
}

impl<'k, 'a> DecisionFacts<'k, 'a> {
    /// The technologies that the decision adopts or keeps.
    pub fn chosen(&self) -> impl Iterator<Item = &'k Entry<'a>> {
        let entries = self.technologies.iter().map(|(entry, _)| *entry);
        entries
            .filter(|entry| !contains(&self.abandoned, entry) && !contains(&self.rejected, entry))
    }

    /// The technologies that the decision adopts.
    pub fn adopted(&self) -> impl Iterator<Item = &'k Entry<'a>> {
        self.chosen().filter(|entry| !contains(&self.retained, entry))
    }
}

fn contains(entries: &[&Entry<'_>], entry: &Entry<'_>) -> bool {
    entries.iter().any(|other| std::ptr::eq(*other, entry))
}

/// Adds the entries that are not in the list yet.
fn extend<'k, 'a>(list: &mut Vec<&'k Entry<'a>>, entries: impl IntoIterator<Item = &'k Entry<'a>>) {
    for entry in entries {
        if !contains(list, entry) {
            list.push(entry);
        }
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// A pattern that matches words ignoring letter case: English words as whole words, Korean words
/// anywhere.
fn any_word_pattern(english: List, korean: List) -> String {
    format!(r"(?i)\b(?:{})\b|{}", english.alternatives(), korean.alternatives())
}

static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:[$€£₩¥]\s?\d[\d,.]*\s?[kmb]?\b|\b\d[\d,.]*\s*(?:{})|\b\d{{4,}}\b|\bteams? of \d+\b)",
        table::UNITS.alternatives()
    ))
});

static ACT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:{})\b(?:\s+(?:{})){{0,4}}|[\p{{Hangul}}\w]+\s?(?:을|를)?\s?(?:{})",
        table::ACTS.alternatives(),
        table::ACT_OBJECTS.alternatives(),
        table::ACTS_IN_KOREAN.alternatives()
    ))
});

static REASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:\b(?:{})\b|{})\s*[^.;\n]{{3,120}}",
        table::REASONS.alternatives(),
        table::REASONS_IN_KOREAN.alternatives()
    ))
});

static ABSOLUTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&any_word_pattern(table::ABSOLUTES, table::ABSOLUTES_IN_KOREAN)));

static BIAS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&any_word_pattern(table::BIASES, table::BIASES_IN_KOREAN)));

/// "instead of X", "from X to", "replace X with", "X → Y", "over X": matches the technology that is
/// abandoned.
static ABANDONED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:\b(?:{})\s+(?:the |our |all )?|\bfrom\s+)([\w.+#@/-]+(?: [A-Z][\w.+#-]*)?)",
        table::LEAVING.alternatives()
    ))
});
static ARROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"([\w.+#@/-]+)\s*(?:→|->|=>|대신|에서)"));

/// The words that indicate a kind. The first match in the text decides. If two matches start at the
/// same position, the earlier row decides.
static KINDS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    [
        (Kind::Blame, table::BLAME, table::BLAME_IN_KOREAN),
        (Kind::Continuation, table::CONTINUATION, table::CONTINUATION_IN_KOREAN),
        (Kind::Switch, table::SWITCH, table::SWITCH_IN_KOREAN),
        (Kind::Removal, table::REMOVAL, table::REMOVAL_IN_KOREAN),
        (Kind::Terms, table::TERMS, table::TERMS_IN_KOREAN),
        (Kind::Change, table::CHANGE, table::CHANGE_IN_KOREAN),
        (Kind::Adoption, table::ADOPTION, table::ADOPTION_IN_KOREAN),
    ]
    .map(|(kind, english, korean)| (kind, pattern(&any_word_pattern(english, korean))))
    .into()
});

/// The verb, its object, and the word that ends the object.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:let'?s |we (?:should |will |want to |must )?|i (?:want to |will )?|please )?(?:keep )?[a-z]+\s+",
        r"(?:in |on |with |at |of )?(.{2,60}?)(?:\s+(?:so that|because|since|instead|rather|on|for|by|in|to|from|with|until|when|as|if|and)\b|[,;:.]|$)"
    ))
});

/// The words before the object particle in Korean.
static KOREAN_OBJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.{1,40}?)(?:을|를)\s"));

fn object(subject: &str) -> Option<String> {
    let is_hangul = subject.contains(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
    let pattern = if is_hangul { &KOREAN_OBJECT } else { &OBJECT };
    pattern.captures(subject).map(|captures| captures[1].trim().to_owned())
}

/// Identifiers as they appear in code and data.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"`([^`\s]{3,60})`|\b(\w+(?:_\w+)+|[a-z]+[A-Z]\w+|[\w.-]+/[\w./-]+\.\w{1,5}|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b",
    )
});

/// The kind, and the position of the word that indicates it.
fn kind_of(decision: &str) -> Option<(usize, Kind)> {
    let indent = decision.len() - decision.trim_start().len();
    let line = decision.trim().lines().next().unwrap_or_default();
    let matches = KINDS.iter().filter_map(|(kind, words)| Some((words.find(line)?.start(), *kind)));
    // In a sentence that assigns blame or continues something, the verb of the subordinate clause
    // does not determine the kind.
    let matches: Vec<(usize, Kind)> = matches.collect();
    let is_first = |kind: &Kind| matches!(kind, Kind::Blame | Kind::Continuation | Kind::Terms);
    let first_kind = matches.iter().find(|(_, kind)| is_first(kind)).copied();
    first_kind
        .or_else(|| matches.into_iter().min_by_key(|(position, _)| *position))
        .map(|(position, kind)| (position + indent, kind))
}

/// The kind of a decision with its negations: not to remove something is to keep it.
fn kind_with_polarity(decision: &str, polarity: &Polarity, has_rejected: bool) -> Option<Kind> {
    let Some((position, kind)) = kind_of(decision) else {
        return has_rejected.then_some(Kind::Rejection);
    };
    let is_after_negation = polarity.negated.iter().any(|range| range.start < position);
    Some(match kind {
        Kind::Blame => Kind::Blame,
        Kind::Removal if polarity.is_negated(position) => Kind::Retention,
        Kind::Continuation if polarity.is_negated(position) => Kind::Removal,
        Kind::Continuation if has_rejected && is_after_negation => Kind::Rejection,
        _ if polarity.is_negated(position) => Kind::Rejection,
        kind => kind,
    })
}

/// The part of a decision that is read: its first [`MAX_CHARS`] characters.
#[must_use]
pub fn truncate(text: &str) -> &str {
    text.char_indices().nth(MAX_CHARS).map_or(text, |(offset, _)| &text[..offset])
}

/// Extracts the facts from the text of a decision.
#[must_use]
pub fn extract_facts<'k, 'a>(
    decision: &str,
    knowledge: &'k Knowledge<'a>,
) -> DecisionFacts<'k, 'a> {
    let find_phrases = |pattern: &Regex| -> Vec<String> {
        let mut phrases: Vec<String> = Vec::new();
        for phrase_match in pattern.find_iter(decision) {
            let phrase = phrase_match.as_str().trim().trim_end_matches(['.', ',']).to_owned();
            if !phrase.is_empty() && !phrases.contains(&phrase) {
                phrases.push(phrase);
            }
        }
        phrases.truncate(MAX_PHRASES);
        phrases
    };
    let reasons = find_phrases(&REASON);
    // A technology that occurs only in a reason is the source of the problem, not a choice.
    let without_reasons = blank(decision, REASON.find_iter(decision).map(|found| found.range()));
    let named = |text: &str| -> Vec<&'k Entry<'a>> {
        knowledge.find_named_entries(text).into_iter().map(|(entry, _)| entry).collect()
    };
    let left_in = |text: &str| {
        let mut left = Vec::new();
        for pattern in [&*ABANDONED, &*ARROW] {
            for captures in pattern.captures_iter(text) {
                extend(&mut left, named(&captures[1]));
            }
        }
        left
    };
    let polarity = Polarity::new(&without_reasons, |text| !named(text).is_empty());
    let positive = blank(&without_reasons, polarity.negated.iter().cloned());
    let mut abandoned = left_in(&positive);
    let (mut rejected, mut retained) = (Vec::new(), Vec::new());
    for range in &polarity.negated {
        // "Do not replace X with Y" keeps X and rules out Y.
        let negated = &without_reasons[range.clone()];
        let left = left_in(negated);
        let others = named(negated).into_iter().filter(|entry| !contains(&left, entry));
        extend(&mut rejected, others);
        extend(&mut retained, left);
    }
    let chosen = named(&positive);
    rejected.retain(|entry| !contains(&chosen, entry));
    for range in &polarity.retained {
        let left = named(&positive[range.clone()]).into_iter();
        extend(&mut retained, left.filter(|entry| !contains(&abandoned, entry)));
    }
    let mut kind = kind_with_polarity(decision, &polarity, !rejected.is_empty());
    if kind == Some(Kind::Continuation) && !retained.is_empty() {
        kind = Some(Kind::Retention);
    }
    if matches!(kind, Some(Kind::Continuation | Kind::Retention)) {
        // "Keep X instead of Y": Y was never in use.
        extend(&mut rejected, std::mem::take(&mut abandoned));
    }
    let is_mentioned = |entry: &Entry<'a>| {
        contains(&chosen, entry) || contains(&rejected, entry) || contains(&retained, entry)
    };
    let only_in_reasons: Vec<_> =
        named(&reasons.join(" ; ")).into_iter().filter(|entry| !is_mentioned(entry)).collect();
    // The reason not to change something is what stays.
    let is_unchanged = matches!(kind, Some(Kind::Rejection | Kind::Retention));
    extend(if is_unchanged { &mut retained } else { &mut abandoned }, only_in_reasons);
    let technologies = knowledge.find_named_entries(decision);
    let is_product = |word: &str| !knowledge.find_named_entries(word).is_empty();
    let mut identifiers: Vec<String> = Vec::new();
    for captures in IDENTIFIER.captures_iter(decision) {
        let word = captures
            .get(1)
            .or(captures.get(2))
            .map_or("", |identifier_match| identifier_match.as_str());
        if !is_product(word) && !identifiers.iter().any(|other| other == word) {
            identifiers.push(word.to_owned());
        }
    }
    identifiers.truncate(4);
    let subject = subject(decision);
    let names = match kind {
        Some(Kind::Rejection) => &rejected[..],
        Some(Kind::Retention) => &retained[..],
        _ => &[],
    };
    let object = match names {
        [] => object(polarity::after_negation(&subject)),
        names => Some(names.iter().map(|entry| entry.name).collect::<Vec<_>>().join(" and ")),
    };
    let actions = ACT.find_iter(decision).filter(|act| !polarity.is_negated(act.start()));
    let mut actions: Vec<String> = actions.map(|act| trim_act(act.as_str().trim())).collect();
    actions.dedup();
    actions.truncate(MAX_PHRASES);
    DecisionFacts {
        kind,
        object,
        identifiers,
        subject,
        technologies,
        abandoned,
        rejected,
        retained,
        figures: find_phrases(&FIGURE),
        actions,
        reasons,
        absolutes: find_phrases(&ABSOLUTE),
        biases: find_phrases(&BIAS),
    }
}

/// The text with ranges replaced by spaces, so that offsets stay the same.
fn blank(text: &str, ranges: impl Iterator<Item = std::ops::Range<usize>>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        bytes[range].fill(b' ');
    }
    // The ranges begin and end between characters.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An action without the trailing words that lead into the next clause.
fn trim_act(act: &str) -> String {
    let act = act.split(" because").next().unwrap_or(act);
    let mut words: Vec<&str> = act.split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|word| table::LEADING_ON.contains(word)) {
        words.pop();
    }
    words.join(" ")
}

/// The first sentence, truncated to [`MAX_SUBJECT_CHARS`] characters.
fn subject(decision: &str) -> String {
    let line = decision.trim().lines().next().unwrap_or_default().trim();
    let end = [". ", "? ", "! "].iter().filter_map(|terminator| line.find(terminator)).min();
    let sentence = end.map_or(line, |end| &line[..end]).trim_end_matches(['.', '!', '?']);
    match sentence.char_indices().nth(MAX_SUBJECT_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}
