//! The part of a memory that matches the question, in one line.

use super::prepare::{for_each_metadata_text, truncate};
use crate::types::{Entry, Outcome};
use aidd_lexicon::terms;

/// Maximum length of a snippet in characters. With its title and other fields, a hit then has 50 to
/// 100 tokens.
const MAX_SNIPPET_CHARS: usize = 120;
/// Maximum number of bytes of a memory that are searched for a snippet.
const MAX_SEARCHED_BYTES: usize = 4096;

/// Returns the sentence of `entry` that shares the most terms with the question. If no sentence
/// shares a term, returns the first sentence that the title does not show, or an empty string when
/// the title contains everything.
pub(super) fn snippet_for(entry: &Entry, title: &str, question_terms: &[String]) -> String {
    let content = entry.content.trim_start();
    // The last word of a truncated title can be incomplete, so the snippet repeats it.
    let shown = title.strip_suffix('…').map_or(title, |start| {
        start.rfind(char::is_whitespace).and_then(|at| start.get(..at)).unwrap_or(start)
    });
    let mut parts = vec![content.strip_prefix(shown).unwrap_or(content)];
    // The outcome of a decision is a separate field of the hit.
    for_each_metadata_text(entry, &mut |text| {
        parts.extend(Outcome::read(text).is_err().then_some(text));
    });
    let mut remaining = MAX_SEARCHED_BYTES;
    let mut best: Option<(usize, String)> = None;
    for part in parts {
        let part = truncate(part, remaining);
        remaining -= part.len();
        for sentence in sentences(part) {
            let (shared, window) = best_window(sentence, question_terms);
            if best.as_ref().is_none_or(|(max, _)| shared > *max) {
                best = Some((shared, window));
            }
            if question_terms.is_empty() {
                return best.map(|(_, window)| window).unwrap_or_default();
            }
        }
    }
    best.map(|(_, window)| window).unwrap_or_default()
}

/// The sentences of a text that contain letters or digits.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut previous = ' ';
    let parts = text.split(move |c: char| {
        let ends =
            matches!(c, '\n' | '。') || c == ' ' && matches!(previous, '.' | '!' | '?' | ';');
        previous = c;
        ends
    });
    parts.map(str::trim).filter(|part| part.contains(char::is_alphanumeric))
}

/// Returns the consecutive words of a sentence that share the most terms with the question and fit
/// into a snippet, and the number of shared terms.
fn best_window(sentence: &str, question_terms: &[String]) -> (usize, String) {
    let words: Vec<(&str, usize, usize)> = sentence
        .split_whitespace()
        .map(|word| (word, word.chars().count() + 1, shared_term_count(word, question_terms)))
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
fn shared_term_count(word: &str, question_terms: &[String]) -> usize {
    let mut shared = 0;
    if !question_terms.is_empty() {
        terms::for_each_term(word, &mut |term| {
            shared += usize::from(question_terms.iter().any(|own| own == term));
        });
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
            "metadata": {"reasoning": "Two pods shared nothing.\nSticky sessions did not help."},
            "status": "active", "createdAt": 1, "updatedAt": 1, "schemaVersion": 1
        }))
        .expect("an entry");
        snippet_for(&entry, &entry.title(80), &terms::distinct_terms(question, 99))
    }

    #[test]
    fn the_sentence_with_the_most_shared_terms_is_shown() {
        let content =
            "Keep sessions in Redis\nThe cookie is opaque. Keys live 14 days; e.g. longer.";
        assert_eq!(snippet(content, "how long do keys live"), "Keys live 14 days;");
        assert_eq!(snippet(content, "sticky session"), "Sticky sessions did not help.");
        assert_eq!(snippet(content, ""), "The cookie is opaque.");
        assert_eq!(snippet("Only this", "zebra"), "Two pods shared nothing.");
        let long = format!("{}words and more of them", "many ".repeat(15));
        assert_eq!(snippet(&long, "words"), "words and more of them");
    }

    #[test]
    fn long_sentences_are_truncated_around_the_match() {
        let content = format!("T\n{} needle here {}", "hay ".repeat(60), "straw ".repeat(60));
        let found = snippet(&content, "needle");
        assert!(found.starts_with("…hay") && found.contains("needle") && found.ends_with("…"));
        assert!(found.chars().count() <= MAX_SNIPPET_CHARS + 2, "{found}");
        let cjk = snippet(&format!("T\n{}", "캐시".repeat(200)), "캐시");
        assert_eq!(cjk.chars().count(), MAX_SNIPPET_CHARS + 1);
    }
}
