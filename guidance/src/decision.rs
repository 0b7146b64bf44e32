//! What a decision names: its kind and its object, technologies, figures, acts that cannot be undone,
//! reasons, what it is chosen over. Found by words and forms; nothing is guessed.

use super::knowledge::{Entry, Knowledge};
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

static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:[$€£₩¥]\s?\d[\d,.]*\s?[kmb]?\b|\b\d[\d,.]*\s*(?:%|percent|퍼센트|",
        r"ms|millis\w*|s\b|sec\w*|min\w*|hours?|h\b|days?|weeks?|months?|years?|quarters?|",
        r"[kmgt]i?b\b|bytes?|rps|qps|req\w*|users?|customers?|services?|rows?|records?|tables?|",
        r"nodes?|replicas?|instances?|people|persons?|developers?|engineers?|teams?|times|x\b|k\b|",
        r"million|billion|thousand|초|분|시간|일|주|개월|달|년|명|건|배|만|억|원)|\b\d{4,}\b|",
        r"\bteams? of \d+\b)"
    ))
});

/// What destroys, publishes or binds.
static ACT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:drop(?:s|ping)?|delet(?:e|es|ing)|remov(?:e|es|ing)|truncat(?:e|es|ing)|purg(?:e|es|ing)|",
        r"overwrit(?:e|es|ing)|migrat(?:e|es|ing)|rewrit(?:e|es|ing)|renam(?:e|es|ing)|publish(?:es|ing)?|",
        r"releas(?:e|es|ing)|force[- ]push(?:es|ing)?|rotat(?:e|es|ing)|revok(?:e|es|ing)|decommission(?:s|ing)?|",
        r"shut(?:s|ting)? down|switch(?:es|ing)? off|sign(?:s|ing)?)\b(?:\s+(?:the|all|our|old|its|a|an|every|of|from|to|[\w`./-]+)){0,4}",
        r"|[\p{Hangul}\w]+\s?(?:을|를)?\s?(?:삭제|제거|이전|마이그레이션|배포|폐기|재작성|덮어쓰기)"
    ))
});

static REASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:because|since it|so that|due to|as it is|in order to)\b|때문에|위해)\s*[^.;\n]{3,120}",
    )
});

static ABSOLUTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:always|never|everything|everyone|everywhere|nobody|all (?:the )?\w+|every \w+|impossible)\b|항상|절대|모든 \S+|전부",
    )
});

static PULL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:already (?:\w+ ){0,2}(?:built|wrote|written|invested|spent|started|have)|(?:have|has) (?:invested|spent)|(?:years?|months?|weeks?) (?:of work|spent)|too late|every(?:one|body) (?:else )?(?:uses|does|has|is)|popular|trend(?:y|ing)?|industry standard|best practice|modern|hype|we know it|used to it|prefer|obviously|obvious|of course|clearly|last (?:week|time|incident)|recent(?:ly)?)\b|이미 \S+|당연|인기|대세|익숙",
    )
});

/// "instead of X", "from X to", "replace X with", "X → Y", "over X": what is left.
static LEAVING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\b(?:instead of|rather than|away from|replac(?:e|es|ing)|drop(?:s|ping)?|remov(?:e|es|ing)|",
        r"retir(?:e|es|ing)|get rid of|leav(?:e|es|ing)|abandon(?:s|ing)?|over|not)\s+(?:the |our |all )?|",
        r"\bfrom\s+)([\w.+#@/-]+(?: [A-Z][\w.+#-]*)?)"
    ))
});
static ARROW: LazyLock<Regex> = LazyLock::new(|| pattern(r"([\w.+#@/-]+)\s*(?:→|->|=>|대신|에서)"));

/// The words that tell a kind, the first that stands in the text counts; of two at one place the
/// earlier row.
static KINDS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let rows = [
        (Kind::Blame, r"(?i)\b(?:blam\w+|fault of|on purpose|deliberate\w*|sabotag\w+)\b|탓|책임"),
        (
            Kind::Continuation,
            r"(?i)\b(?:keep|stay(?:ing)? (?:with|on)|stick\w*|continu\w+|go on with|carry on)\b|계속|유지",
        ),
        (
            Kind::Switch,
            r"(?i)\b(?:mov(?:e|ing)|migrat\w+|switch\w*|replac\w+|swap\w*|port|convert\w*)\b|이전|마이그레이션|교체|바꾸|바꿔|전환|대신",
        ),
        (
            Kind::Removal,
            r"(?i)\b(?:drop|delet\w+|remov\w+|truncat\w+|purg\w+|retir\w+|decommission\w*|shut(?:ting)? down|switch(?:ing)? off)\b|삭제|제거|폐기",
        ),
        (
            Kind::Terms,
            r"(?i)\b(?:prices?|pricing|hir(?:e|ing)|fir(?:e|ing)|licen[cs]es?|contracts?|deadlines?|promis\w+|SLA)\b|가격|인상|채용|계약|마감",
        ),
        (
            Kind::Change,
            r"(?i)\b(?:rewrit\w+|redesign\w*|refactor\w*|split\w*|merg\w+|renam\w+|rebuild\w*|restructur\w+)\b|재작성|재설계|나누|나눠|합치|개편",
        ),
        (
            Kind::Adoption,
            r"(?i)\b(?:adopt\w*|introduc\w+|add|us(?:e|ing)|choos\w+|pick|start(?:ing)?|go with|build|buy|create|enabl\w+|deploy\w*)\b|도입|추가|사용|쓰자|만들|적용|선택",
        ),
    ];
    rows.map(|(kind, words)| (kind, pattern(words))).into()
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
    const LEADING_ON: [&str; 16] = [
        "a", "all", "an", "and", "as", "because", "by", "for", "from", "in", "of", "on", "the",
        "to", "when", "with",
    ];
    let act = act.split(" because").next().unwrap_or(act);
    let mut words: Vec<&str> = act.split_whitespace().collect();
    while words.len() > 1 && words.last().is_some_and(|word| LEADING_ON.contains(word)) {
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
