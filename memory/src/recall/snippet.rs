//! The part of a memory that matches the question, in one line.

use super::prepare::{clipped, each_metadata_text};
use super::terms;
use crate::types::{Entry, Outcome};

/// Maximum length in characters: with a title and its other fields, a hit has 50 to 100 tokens.
const MAX_SNIPPET_CHARS: usize = 120;
/// Maximum number of bytes of a memory that are searched for a snippet.
const MAX_SEARCHED_BYTES: usize = 4096;

/// The sentence of `entry` that shares the most terms with the question, or the first that the
/// title does not show when none does. Empty when the title contains everything.
pub(super) fn snippet_for(entry: &Entry, title: &str, asked: &[String]) -> String {
    let content = entry.content.trim_start();
    // The last word of a truncated title is repeated.
    let shown = title.strip_suffix('…').map_or(title, |cut| {
        cut.rfind(char::is_whitespace).and_then(|at| cut.get(..at)).unwrap_or(cut)
    });
    let mut parts = vec![content.strip_prefix(shown).unwrap_or(content)];
    // The outcome of a decision is a separate field of the hit.
    each_metadata_text(entry, &mut |text| {
        parts.extend(Outcome::read(text).is_err().then_some(text));
    });
    let mut left = MAX_SEARCHED_BYTES;
    let mut best: Option<(usize, String)> = None;
    for part in parts {
        let part = clipped(part, left);
        left -= part.len();
        for sentence in sentences(part) {
            let (shared, window) = window(sentence, asked);
            if best.as_ref().is_none_or(|(most, _)| shared > *most) {
                best = Some((shared, window));
            }
            if asked.is_empty() {
                return best.map(|(_, window)| window).unwrap_or_default();
            }
        }
    }
    best.map(|(_, window)| window).unwrap_or_default()
}

/// The sentences of a text that contain letters or digits.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let parts = text.split(move |c: char| {
        let ends = matches!(c, '\n' | '。') || c == ' ' && matches!(before, '.' | '!' | '?' | ';');
        before = c;
        ends
    });
    parts.map(str::trim).filter(|part| part.contains(char::is_alphanumeric))
}

/// The words of a sentence that share the most terms with `asked` and fit into a snippet.
fn window(sentence: &str, asked: &[String]) -> (usize, String) {
    let words: Vec<(&str, usize, usize)> = sentence
        .split_whitespace()
        .map(|word| (word, word.chars().count() + 1, shared(word, asked)))
        .collect();
    let (mut start, mut length, mut count) = (0, 0, 0);
    let mut best = (0, 0, 0);
    for (end, (_, chars, shared)) in words.iter().enumerate() {
        length += chars;
        count += shared;
        while length > MAX_SNIPPET_CHARS && start < end {
            length -= words[start].1;
            count -= words[start].2;
            start += 1;
        }
        if end == 0 || count > best.0 || count == best.0 && start == best.1 {
            best = (count, start, end + 1);
        }
    }
    let (count, start, end) = best;
    let chosen: Vec<&str> = words[start..end].iter().map(|(word, ..)| *word).collect();
    let mut text = chosen.join(" ");
    if let Some((cut, _)) = text.char_indices().nth(MAX_SNIPPET_CHARS) {
        text.truncate(cut);
        text.push('…');
    } else if end < words.len() {
        text.push('…');
    }
    if start > 0 {
        text.insert(0, '…');
    }
    (count, text)
}

/// Number of terms of `word` that are in the question.
fn shared(word: &str, asked: &[String]) -> usize {
    let mut shared = 0;
    if !asked.is_empty() {
        terms::each(word, &mut |term| shared += usize::from(asked.iter().any(|own| own == term)));
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn snippet(content: &str, question: &str) -> String {
        let entry: Entry = serde_json::from_value(json!({
            "id": "decision_1_a", "type": "decision", "layer": "local", "content": content,
            "metadata": {"reasoning": "Two pods shared nothing.\nSticky sessions were no way."},
            "status": "active", "createdAt": 1, "updatedAt": 1, "schemaVersion": 1
        }))
        .expect("an entry");
        snippet_for(&entry, &entry.title(80), &terms::distinct(question, 99))
    }

    #[test]
    fn the_sentence_that_answers_is_shown() {
        let content =
            "Keep sessions in Redis\nThe cookie is opaque. Keys live 14 days; e.g. longer.";
        assert_eq!(snippet(content, "how long do keys live"), "Keys live 14 days;");
        assert_eq!(snippet(content, "sticky session"), "Sticky sessions were no way.");
        assert_eq!(snippet(content, ""), "The cookie is opaque.");
        assert_eq!(snippet("Only this", "zebra"), "Two pods shared nothing.");
        let long = format!("{}words and more of them", "many ".repeat(15));
        assert_eq!(snippet(&long, "words"), "words and more of them");
    }

    #[test]
    fn long_sentences_are_cut_around_the_answer() {
        let content = format!("T\n{} needle here {}", "hay ".repeat(60), "straw ".repeat(60));
        let found = snippet(&content, "needle");
        assert!(found.starts_with("…hay") && found.contains("needle") && found.ends_with("…"));
        assert!(found.chars().count() <= MAX_SNIPPET_CHARS + 2, "{found}");
        let dense = snippet(&format!("T\n{}", "캐시".repeat(200)), "캐시");
        assert_eq!(dense.chars().count(), MAX_SNIPPET_CHARS + 1);
    }
}
