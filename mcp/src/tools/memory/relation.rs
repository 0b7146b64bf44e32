//! Unknown relations of links, replaced by the nearest known relation.

use aidd_engine::text::nearest::{is_typo, nearest};
use aidd_lexicon::embedding::Table;
use aidd_memory::types::Relation;

/// The relation that is most similar to an unknown word. `supersedes` must be a typo: the word
/// `supports` is similar, but a decision that it deactivates would be lost.
pub(super) fn nearest_relation(word: &str) -> Option<Relation> {
    let word = word.trim().replace([' ', '-'], "_");
    let names = || Relation::ALL.iter().map(|relation| relation.word());
    let name = nearest(&word, names()).or_else(|| nearest_by_meaning(&word, names()))?;
    let relation: Relation = name.parse().ok()?;
    (relation != Relation::Supersedes || is_typo(&word, name)).then_some(relation)
}

/// Minimum cosine similarity of an unknown relation to the relation that replaces it.
const MIN_SIMILARITY: f32 = 0.75;

/// The name whose meaning is most similar to an unknown word, if it is similar enough.
fn nearest_by_meaning<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let table = Table::shipped();
    let vector = |text: &str| table.vector(&text.replace('_', " "));
    let unknown = vector(word);
    names
        .map(|name| (vector(name).cosine(&unknown), name))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_relation_is_replaced_by_its_meaning_or_spelling() {
        let near = |word: &str| nearest_relation(word).map(Relation::word);
        assert_eq!(near("builds on"), Some("builds_on"));
        assert_eq!(near("contradict"), Some("contradicts"));
        assert_eq!(near("banana"), None);
        // A similar word must not deactivate a decision.
        assert_ne!(near("supports"), Some("supersedes"));
    }
}
