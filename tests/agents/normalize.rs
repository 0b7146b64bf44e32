//! Normalizes the parts of a text that differ between runs: ids, dates, hashes.

use std::collections::BTreeMap;

/// Replaces ids with short names in order of appearance: `decision_1763…_0a1b2c3d4e5f` becomes
/// `decision#1`.
#[derive(Default)]
pub(crate) struct Normalizer {
    known: BTreeMap<String, String>,
}

impl Normalizer {
    /// `text` without the parts that differ between runs.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut normalized = String::new();
        let mut word = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                word.push(c);
            } else {
                normalized.push_str(&self.word(&word));
                word.clear();
                normalized.push(c);
            }
        }
        normalized.pop();
        // Ids have different numbers of tokens.
        let lines = normalized.lines().map(|line| match line.starts_with("(tokens: ") {
            true => "(tokens: …)",
            false => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn word(&mut self, word: &str) -> String {
        if let Some(name) = self.id(word) {
            return name;
        }
        if is_date(word) {
            return "DAY".to_owned();
        }
        // Hashes of commits differ between versions of Git; ids of findings differ between versions of
        // a rule page.
        let is_hash = [7, 16].contains(&word.len())
            && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && word.bytes().any(|b| b.is_ascii_digit());
        if is_hash { "HASH".to_owned() } else { word.to_owned() }
    }

    fn id(&mut self, word: &str) -> Option<String> {
        let mut parts = word.rsplitn(3, '_');
        let (hash, at, kind) = (parts.next()?, parts.next()?, parts.next()?);
        let is_id =
            hash.len() == 12 && at.len() == 13 && at.bytes().all(|byte| byte.is_ascii_digit());
        if !is_id {
            return None;
        }
        let start = format!("{kind}#");
        let next = self.known.values().filter(|name| name.starts_with(&start)).count() + 1;
        let name = self.known.entry(word.to_owned()).or_insert_with(|| format!("{start}{next}"));
        Some(name.clone())
    }
}

/// Whether a word is a date: entries of the knowledge base contain the date of their last review.
fn is_date(word: &str) -> bool {
    word.len() == 10
        && word.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[test]
fn ids_dates_and_hashes_are_normalized() {
    let mut normalizer = Normalizer::default();
    let text = "decision_1795349590161_152913bbb839 2026-11-22 [5ebd02646d4d2ee0] (0b35d71) \
                decision_1795349590162_152913bbb839; decision_1795349590161_152913bbb839 is 10 deadbeef";
    assert_eq!(
        normalizer.text(text),
        "decision#1 DAY [HASH] (HASH) decision#2; decision#1 is 10 deadbeef"
    );
}
