//! Rules that demand something and rules that forbid the same thing.

use super::markdown::Instructions;
use super::words::CONDITIONS;
use aidd_engine::text::source::Span;
use std::collections::BTreeMap;

/// What sentences demand and forbid, each with the first sentence.
#[derive(Debug, Default)]
pub(super) struct Demands {
    /// By the verb and its object, in lower case, without articles and marks: the demand, and the
    /// sentence that forbids the same.
    by_text: BTreeMap<String, [Option<Span>; 2]>,
}

impl Demands {
    pub(super) fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    /// The sentences of which one demands what the other one forbids: of `self`, and of `other`.
    pub(super) fn contradictions(&self, other: &Self) -> impl Iterator<Item = (Span, Span)> {
        other.by_text.iter().flat_map(|(text, [demands, forbids])| {
            let [own_demands, own_forbids] = self.by_text.get(text).copied().unwrap_or_default();
            own_demands.zip(*forbids).into_iter().chain(own_forbids.zip(*demands))
        })
    }
}

/// Words with which a sentence forbids what follows.
const FORBIDDING: [&str; 7] =
    ["never ", "do not ever ", "do not ", "don't ever ", "don't ", "don’t ", "must not "];
/// Words with which a sentence demands what follows.
const DEMANDING: [&str; 4] = ["always ", "you must always ", "must always ", "please always "];
/// Words between a verb and its object that change nothing.
const FILLERS: [&str; 5] = ["a", "an", "any", "the", "ever"];
/// Maximum number of words of a demand: longer sentences also say when it applies.
const MAX_WORDS: usize = 7;

/// The demands of instructions that depend on nothing: sentences that begin with "always" or "never"
/// and consist of a verb and its object, in a part of the text that is about the whole project.
pub(super) fn demands(instructions: &Instructions<'_>) -> Demands {
    let mut found = Demands::default();
    for (offset, line) in instructions.prose() {
        let start = line.len() - line.trim_start_matches(LEADING).len();
        let mut at = start;
        for sentence in line[start..].split_inclusive(['.', ';', '!']) {
            let from = offset + at;
            at += sentence.len();
            let lead = sentence.len() - sentence.trim_start_matches(LEADING).len();
            let span = Span::new(from + lead, from + sentence.trim_end().len());
            if let Some((text, is_negative)) = demand(&sentence[lead..])
                && !instructions.is_in_part(span)
            {
                let spans = found.by_text.entry(text).or_default();
                spans[usize::from(is_negative)].get_or_insert(span);
            }
        }
    }
    found
}

/// Characters before the text of a line.
const LEADING: [char; 10] = ['\u{FEFF}', ' ', '\t', '*', '-', '+', '>', '_', '❌', '✅'];

/// What a sentence demands, and whether it forbids it; `None` if it says something else, or when it
/// applies.
fn demand(sentence: &str) -> Option<(String, bool)> {
    let lower = sentence.trim().replace(['`', '*', '_', '"'], "").to_lowercase();
    let text = lower.trim_end_matches(['.', ';', '!']);
    let forbidden = FORBIDDING.iter().find_map(|start| text.strip_prefix(start));
    let (rest, is_negative) = match forbidden {
        Some(rest) => (rest, true),
        None => (DEMANDING.iter().find_map(|start| text.strip_prefix(start))?, false),
    };
    let is_bounded = rest.contains([',', ':', '(', '—', '–', '/']) || rest.contains(" - ");
    let words: Vec<&str> = rest.split_whitespace().filter(|word| !FILLERS.contains(word)).collect();
    let is_conditional = words.iter().any(|word| CONDITIONS.contains(word));
    (!is_bounded && !is_conditional && (2..=MAX_WORDS).contains(&words.len()))
        .then(|| (words.join(" "), is_negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_demand_or_forbid() {
        for (sentence, expected) in [
            ("Always use **named exports**.", Some(("use named exports", false))),
            ("Never use the named exports", Some(("use named exports", true))),
            ("Don't add `any` comments!", Some(("add comments", true))),
            ("Never commit secrets unless needed.", None),
            ("Always use tabs in Go files", None),
            ("Use named exports.", None),
            ("Never mind", None),
        ] {
            let found = demand(sentence);
            let expected = expected.map(|(text, is_negative)| (text.to_owned(), is_negative));
            assert_eq!(found, expected, "{sentence}");
        }
    }
}
