//! What a decision names: technologies, figures, acts that cannot be undone, reasons, what it is
//! chosen over. Found by words and forms; nothing is guessed.

use super::knowledge::{Entry, Knowledge};
use regex::Regex;
use std::sync::LazyLock;

/// Characters of a decision that are quoted where it is spoken of.
const SUBJECT: usize = 90;

/// What a decision names, as it names it.
#[derive(Debug, Default)]
pub struct Named<'k, 'a> {
    /// The decision in short.
    pub subject: String,
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
        r"nodes?|replicas?|instances?|people|developers?|engineers?|teams?|times|x\b|k\b|",
        r"million|billion|thousand|초|분|시간|일|주|개월|달|년|명|건|배|만|억|원)|\b\d{4,}\b)"
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
        r"(?i)\b(?:always|never|everything|everyone|everywhere|nobody|all (?:the )?\w+|every \w+|no longer|impossible|must)\b|항상|절대|모든 \S+|전부",
    )
});

static PULL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:already (?:\w+ ){0,2}(?:built|wrote|written|invested|spent|started|have)|(?:have|has) (?:invested|spent)|years? (?:of work|spent)|too late|everyone uses|popular|trend(?:y|ing)?|industry standard|best practice|modern|hype|we know it|used to it|prefer|obviously|obvious|of course|clearly|last (?:week|time|incident)|recent(?:ly)?)\b|이미 \S+|당연|인기|대세|익숙",
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
    Named {
        subject: subject(decision),
        technologies: knowledge.named_in(decision),
        left,
        figures: all(&FIGURE),
        acts: all(&ACT).iter().map(|act| trimmed(act)).collect(),
        reasons: all(&REASON),
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
