//! Finds the entries whose technologies a text mentions.

use super::{Entry, Knowledge, normalize_name};
use aidd_lexicon::tables::knowledge as table;

impl<'a> Knowledge<'a> {
    /// The entries whose technologies a text mentions, in order of appearance, each with the words
    /// used. An everyday word counts as a name only if it is written as a name.
    #[must_use]
    pub fn find_named_entries(&self, text: &str) -> Vec<(&Entry<'a>, String)> {
        let words: Vec<(usize, &str)> = words(text);
        let mut found: Vec<(usize, &Entry<'a>, String)> = Vec::new();
        let mut position = 0;
        while position < words.len() {
            // Try the longest name first: "React Router" is not React.
            let named =
                (1..=4).rev().filter(|count| position + count <= words.len()).find_map(|count| {
                    let start = words[position].0;
                    let (last, word) = words[position + count - 1];
                    let phrase = &text[start..last + word.len()];
                    let entry = self.find_exact(phrase)?;
                    if is_everyday(phrase) && !is_name_in(text, start, last + word.len()) {
                        return None;
                    }
                    Some((count, start, entry, phrase.to_owned()))
                });
            match named {
                Some((count, start, entry, phrase)) => {
                    if !found.iter().any(|(_, other, _)| std::ptr::eq(*other, entry)) {
                        found.push((start, entry, phrase));
                    }
                    position += count;
                }
                None => position += 1,
            }
        }
        found.into_iter().map(|(_, entry, phrase)| (entry, phrase)).collect()
    }

    /// The entry with exactly this name or alias.
    fn find_exact(&self, phrase: &str) -> Option<&Entry<'a>> {
        let normalized = normalize_name(phrase);
        if normalized.chars().count() < 2 {
            return None;
        }
        // In Korean, a particle follows a name without a space.
        let is_hangul = normalized.ends_with(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
        if is_hangul {
            let without_particle =
                table::PARTICLES.iter().filter_map(|particle| normalized.strip_suffix(particle));
            let has_name = |entry: &Entry<'a>, name: &str| {
                entry.names().any(|other_name| normalize_name(other_name) == name)
            };
            let mut candidates = [&*normalized]
                .into_iter()
                .chain(without_particle)
                .filter(|name| name.chars().count() > 1);
            return candidates
                .find_map(|name| self.entries.iter().find(|entry| has_name(entry, name)));
        }
        let matches = |entry: &&Entry<'a>| {
            [entry.name, entry.stem()]
                .into_iter()
                .chain(entry.aliases.iter().copied())
                .any(|name| normalize_name(name) == normalized)
        };
        self.entries.iter().find(matches)
    }
}

/// Whether a name is also a common word: "go", "next", "rest", "express".
fn is_everyday(phrase: &str) -> bool {
    table::EVERYDAY_NAMES.contains(&normalize_name(phrase)) && !phrase.contains('.')
}

/// Whether the everyday word between two offsets is written as a name: with a capital that does not
/// begin a sentence ("Go live"), and not as part of a longer name ("Solid Queue").
fn is_name_in(text: &str, start: usize, end: usize) -> bool {
    let (before, word, after) = (text[..start].trim_end(), &text[start..end], &text[end..]);
    if !word.starts_with(char::is_uppercase) {
        return false;
    }
    let is_whole = before.is_empty() && after.trim_end_matches(['.', '!', '?']).trim().is_empty();
    let begins_sentence =
        (before.is_empty() || before.ends_with(['.', '!', '?'])) && after.starts_with(' ');
    let mut following = after.strip_prefix(' ').unwrap_or_default().chars();
    let is_continued = following.next().is_some_and(char::is_uppercase)
        && following.next().is_some_and(char::is_lowercase);
    is_whole || !begins_sentence && !is_continued
}

/// Words with their offsets: letters, digits and the characters that join parts of names.
/// Characters of another script that directly follow a name are a separate word.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '#' | '@' | '/');
    let mut found = Vec::new();
    let mut start: Option<(usize, bool)> = None;
    for (offset, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if let Some((word_start, is_ascii)) = start
            && (!is_inner(c) || is_ascii != c.is_ascii())
        {
            let word = text[word_start..offset].trim_end_matches(['.', '-', '/']);
            if !word.is_empty() {
                found.push((word_start, word));
            }
            start = None;
        }
        if start.is_none() && is_inner(c) {
            start = Some((offset, c.is_ascii()));
        }
    }
    found
}
