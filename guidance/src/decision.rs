//! What a decision names: its kind and its object, technologies, figures, acts that cannot be undone,
//! reasons, what it is chosen over. Found by words and forms; nothing is guessed.

use super::knowledge::{Entry, Knowledge};
use aidd_lexicon::tables::{List, decisions as table};
use regex::Regex;
use serde::Deserialize;
use std::sync::LazyLock;

/// Characters of a decision that are read: it is a sentence and its reasons. More would be looked
/// through word by word against every entry.
pub const LONGEST: usize = 4000;

/// Characters of a decision that are quoted where it is spoken of.
const SUBJECT: usize = 90;

/// What a decision does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Puts one thing in the place of another.
    Switch,
    /// Takes something away for good.
    Removal,
    /// Brings something new.
    Adoption,
    /// Goes on with what was begun.
    Continuation,
    /// Says whose fault something is.
    Blame,
    /// Changes what is there: splits, joins, writes anew.
    Change,
    /// Binds others: prices, people, dates, promises.
    Terms,
}

/// What a decision names, as it names it.
#[derive(Debug, Default)]
pub struct Named<'k, 'a> {
    /// The decision in short.
    pub subject: String,
    /// What it does, where a word tells.
    pub kind: Option<Kind>,
    /// What it does that to: `the legacy_orders table`.
    pub object: Option<String>,
    /// Names of code or data in it: `legacy_orders`, `src/a.ts`.
    pub identifiers: Vec<String>,
    /// Technologies with an entry, and the words used.
    pub technologies: Vec<(&'k Entry<'a>, String)>,
    /// Those that it turns away from.
    pub left: Vec<&'k Entry<'a>>,
    /// Figures with their units.
    pub figures: Vec<String>,
    /// Acts that cannot be undone, or not easily.
    pub acts: Vec<String>,
    /// Reasons it gives.
    pub reasons: Vec<String>,
    /// Words that leave no exception.
    pub absolutes: Vec<String>,
    /// Words of effort spent, habit or fashion.
    pub pulls: Vec<String>,
}

impl<'k, 'a> Named<'k, 'a> {
    /// The technologies that it turns to.
    pub fn chosen(&self) -> impl Iterator<Item = &'k Entry<'a>> {
        let is_left = |entry: &Entry<'a>| self.left.iter().any(|left| std::ptr::eq(*left, entry));
        self.technologies.iter().map(|(entry, _)| *entry).filter(move |entry| !is_left(entry))
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Words in any case: English ones whole, Korean ones anywhere.
fn either(english: List, korean: List) -> String {
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
    LazyLock::new(|| pattern(&either(table::ABSOLUTES, table::ABSOLUTES_IN_KOREAN)));

static PULL: LazyLock<Regex> =
    LazyLock::new(|| pattern(&either(table::PULLS, table::PULLS_IN_KOREAN)));

/// "instead of X", "from X to", "replace X with", "X → Y", "over X": what is left.
static LEAVING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)(?:\b(?:{})\s+(?:the |our |all )?|\bfrom\s+)([\w.+#@/-]+(?: [A-Z][\w.+#-]*)?)",
        table::LEAVING.alternatives()
    ))
});
static ARROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"([\w.+#@/-]+)\s*(?:→|->|=>|대신|에서)"));

/// The words that tell a kind, the first that stands in the text counts; of two at one place the
/// earlier row.
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
    .map(|(kind, english, korean)| (kind, pattern(&either(english, korean))))
    .into()
});

/// The verb, what follows it, and the word that ends that.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:let'?s |we (?:should |will |want to |must )?|i (?:want to |will )?|please )?(?:keep )?[a-z]+\s+",
        r"(?:in |on |with |at |of )?(.{2,60}?)(?:\s+(?:so that|because|since|instead|rather|on|for|by|in|to|from|with|until|when|as|if|and)\b|[,;:.]|$)"
    ))
});

/// What comes before the particle of an object in Korean.
static KOREAN_OBJECT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(.{1,40}?)(?:을|를)\s"));

fn object(subject: &str) -> Option<String> {
    let is_hangul = subject.contains(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
    let form = if is_hangul { &KOREAN_OBJECT } else { &OBJECT };
    form.captures(subject).map(|hit| hit[1].trim().to_owned())
}

/// Names as code and data have them.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"`([^`\s]{3,60})`|\b(\w+(?:_\w+)+|[a-z]+[A-Z]\w+|[\w.-]+/[\w./-]+\.\w{1,5}|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b",
    )
});

fn kind_of(decision: &str) -> Option<Kind> {
    let line = decision.trim().lines().next().unwrap_or_default();
    let found = KINDS.iter().filter_map(|(kind, words)| Some((words.find(line)?.start(), *kind)));
    // Of a sentence that blames or goes on, the verb of what follows is no act of it.
    let found: Vec<(usize, Kind)> = found.collect();
    let is_first = |kind: &Kind| matches!(kind, Kind::Blame | Kind::Continuation | Kind::Terms);
    let early = found.iter().find(|(_, kind)| is_first(kind)).copied();
    early.or_else(|| found.into_iter().min_by_key(|(at, _)| *at)).map(|(_, kind)| kind)
}

/// What of a decision is read: its first [`LONGEST`] characters.
#[must_use]
pub fn clipped(text: &str) -> &str {
    text.char_indices().nth(LONGEST).map_or(text, |(at, _)| &text[..at])
}

/// Reads a decision.
#[must_use]
pub fn read<'k, 'a>(decision: &str, knowledge: &'k Knowledge<'a>) -> Named<'k, 'a> {
    let all = |pattern: &Regex| -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for hit in pattern.find_iter(decision) {
            let said = hit.as_str().trim().trim_end_matches(['.', ',']).to_owned();
            if !said.is_empty() && !found.contains(&said) {
                found.push(said);
            }
        }
        found.truncate(6);
        found
    };
    let mut left: Vec<&Entry<'a>> = Vec::new();
    for pattern in [&*LEAVING, &*ARROW] {
        for hit in pattern.captures_iter(decision) {
            for (entry, _) in knowledge.named_in(&hit[1]) {
                if !left.iter().any(|known| std::ptr::eq(*known, entry)) {
                    left.push(entry);
                }
            }
        }
    }
    let kind = kind_of(decision);
    let reasons = all(&REASON);
    // What only a reason names is not what is chosen: it is what one is unhappy with.
    let rest = reasons.iter().fold(decision.to_owned(), |text, reason| text.replace(reason, " "));
    let named = knowledge.named_in(&rest);
    for (entry, _) in knowledge.named_in(&reasons.join(" ; ")) {
        let is_chosen = named.iter().any(|(known, _)| std::ptr::eq(*known, entry));
        if !is_chosen && !left.iter().any(|known| std::ptr::eq(*known, entry)) {
            left.push(entry);
        }
    }
    let technologies = knowledge.named_in(decision);
    let is_product = |word: &str| !knowledge.named_in(word).is_empty();
    let mut identifiers: Vec<String> = Vec::new();
    for hit in IDENTIFIER.captures_iter(decision) {
        let word = hit.get(1).or(hit.get(2)).map_or("", |it| it.as_str());
        if !is_product(word) && !identifiers.iter().any(|known| known == word) {
            identifiers.push(word.to_owned());
        }
    }
    identifiers.truncate(4);
    let subject = subject(decision);
    Named {
        kind,
        object: object(&subject),
        identifiers,
        subject,
        technologies,
        left,
        figures: all(&FIGURE),
        acts: all(&ACT).iter().map(|act| trimmed(act)).collect(),
        reasons,
        absolutes: all(&ABSOLUTE),
        pulls: all(&PULL),
    }
}

/// An act without the words that lead on from it.
fn trimmed(act: &str) -> String {
    let act = act.split(" because").next().unwrap_or(act);
    let mut words: Vec<&str> = act.split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|word| table::LEADING_ON.contains(word)) {
        words.pop();
    }
    words.join(" ")
}

/// The first sentence, shortened.
fn subject(decision: &str) -> String {
    let line = decision.trim().lines().next().unwrap_or_default().trim();
    let end = [". ", "? ", "! "].iter().filter_map(|stop| line.find(stop)).min();
    let sentence = end.map_or(line, |end| &line[..end]).trim_end_matches(['.', '!', '?']);
    match sentence.char_indices().nth(SUBJECT) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}
