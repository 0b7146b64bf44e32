//! Finds the entries that a text names.

use super::{Entry, Knowledge, normalize_name};
use aidd_lexicon::tables::knowledge as table;

impl<'a> Knowledge<'a> {
    /// The entries that a text names, in order of appearance, each with the words used. One-letter
    /// and everyday words count as names only when written as such.
    #[must_use]
    pub fn find_named_entries(&self, text: &str) -> Vec<(&Entry<'a>, String)> {
        let words: Vec<(usize, &str)> = words(text);
        let mut found: Vec<(usize, &Entry<'a>, String)> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            // The longest name first: "React Router" is not React.
            let hit = (1..=4).rev().filter(|count| at + count <= words.len()).find_map(|count| {
                let start = words[at].0;
                let (last, word) = words[at + count - 1];
                let said = &text[start..last + word.len()];
                let entry = self.find_exact(said)?;
                Some((count, start, entry, said.to_owned()))
            });
            match hit {
                Some((count, start, entry, said)) => {
                    if !found.iter().any(|(_, known, _)| std::ptr::eq(*known, entry)) {
                        found.push((start, entry, said));
                    }
                    at += count;
                }
                None => at += 1,
            }
        }
        found.into_iter().map(|(_, entry, said)| (entry, said)).collect()
    }

    /// The entry with exactly this name or alias.
    fn find_exact(&self, said: &str) -> Option<&Entry<'a>> {
        let asked = normalize_name(said);
        if asked.chars().count() < 2 {
            return None;
        }
        // A particle follows a Korean name without a space.
        let is_hangul = asked.ends_with(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
        if is_hangul {
            let bare = table::PARTICLES.iter().filter_map(|it| asked.strip_suffix(it));
            let names = |entry: &Entry<'a>, name: &str| {
                entry.names().any(|own| normalize_name(own) == name)
            };
            let mut forms = [&*asked].into_iter().chain(bare).filter(|it| it.chars().count() > 1);
            return forms.find_map(|name| self.entries.iter().find(|entry| names(entry, name)));
        }
        let own = |entry: &&Entry<'a>| {
            [entry.name, entry.stem()]
                .into_iter()
                .chain(entry.aliases.iter().copied())
                .any(|name| normalize_name(name) == asked)
        };
        let entry = self.entries.iter().find(own)?;
        // "go", "next", "rest", "express" are everyday words unless capitalised.
        let is_everyday = table::EVERYDAY_NAMES.contains(&asked);
        let is_written = said.chars().next().is_some_and(char::is_uppercase) || said.contains('.');
        (!is_everyday || is_written).then_some(entry)
    }
}

/// Words with their offsets: letters, digits and the characters that join parts of names.
/// Characters of another script that directly follow a name are a separate word.
fn words(text: &str) -> Vec<(usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '#' | '@' | '/');
    let mut found = Vec::new();
    let mut start: Option<(usize, bool)> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if let Some((begin, is_ascii)) = start
            && (!is_inner(c) || is_ascii != c.is_ascii())
        {
            let word = text[begin..at].trim_end_matches(['.', '-', '/']);
            if !word.is_empty() {
                found.push((begin, word));
            }
            start = None;
        }
        if start.is_none() && is_inner(c) {
            start = Some((at, c.is_ascii()));
        }
    }
    found
}
