//! Relations of links in other words: a table of synonyms, then the nearest known relation.

use super::render::Row;
use crate::tool::ToolError;
use aidd_engine::text::nearest::{is_typo, nearest};
use aidd_lexicon::embedding::Table;
use aidd_memory::types::{Link, Relation};
use serde::Deserialize;
use serde_json::json;

/// Other words for relations.
const SYNONYMS: &str = include_str!("relations.txt");

/// Minimum cosine similarity of an unknown relation to the relation that replaces it.
const MIN_SIMILARITY: f32 = 0.75;

/// The meaning of an unknown relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NearRelation {
    /// The relation that the word means.
    Known(Relation),
    /// The linked memory replaces the new one, which a link of the new memory cannot state.
    Reverse,
}

/// Parses a link argument: to, relation, reason. Returns a note if the relation is unknown and was
/// replaced with the nearest one.
pub(super) fn link(index: usize, item: &Row) -> Result<(Link, Option<String>), ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct LinkParams {
        // The name of this field in MAMA.
        #[serde(alias = "id")]
        to: String,
        relation: String,
        reason: Option<String>,
    }
    let invalid = |error: String| ToolError::new(format!("`links[{index}]`: {error}"));
    let params: LinkParams =
        serde_json::from_value(json!(item)).map_err(|error| invalid(error.to_string()))?;
    let (relation, note) = match params.relation.parse() {
        Ok(relation) => (relation, None),
        Err(error) => match nearest_relation(&params.relation) {
            // The names in MAMA have exactly this meaning.
            Some(NearRelation::Known(relation))
                if ["amends", "mentions"].contains(&&*params.relation) =>
            {
                (relation, None)
            }
            Some(NearRelation::Known(relation)) => {
                let (word, to) = (&params.relation, &params.to);
                let effect = match relation {
                    Relation::Supersedes => format!("; {to} is no longer active"),
                    _ => String::new(),
                };
                let note = format!("unknown relation `{word}` was saved as `{relation}`{effect}");
                (relation, Some(note))
            }
            Some(NearRelation::Reverse) => {
                let (word, to) = (&params.relation, &params.to);
                return Err(ToolError::new(format!(
                    "`links[{index}]`: `{word}` would make the new memory inactive"
                ))
                .remedy(format!("save the link on {to}, with the relation `supersedes`")));
            }
            None => return Err(invalid(error)),
        },
    };
    Ok((Link { reason: params.reason, ..Link::new(relation, &params.to) }, note))
}

/// The relation that a word means, or that is most similar to it. `supersedes` must be a synonym or a
/// typo: the word `supports` is similar, but a decision that it deactivates would be lost.
pub(super) fn nearest_relation(word: &str) -> Option<NearRelation> {
    let word = word.trim().to_lowercase().replace([' ', '-'], "_");
    if let Some(known) = synonym(&word) {
        return Some(known);
    }
    let names = || Relation::ALL.iter().map(|relation| relation.word());
    let name = nearest(&word, names()).or_else(|| nearest_by_meaning(&word, names()))?;
    let relation: Relation = name.parse().ok()?;
    (relation != Relation::Supersedes || is_typo(&word, name))
        .then_some(NearRelation::Known(relation))
}

/// The meaning of a word in the table; verbs also match without their last `s`.
fn synonym(word: &str) -> Option<NearRelation> {
    let rows = SYNONYMS.lines().filter(|line| !line.starts_with('#'));
    let mut rows = rows.filter_map(|line| line.split_once(" = "));
    let same = |known: &str| {
        let known = known.replace(' ', "_");
        known == word || known.strip_suffix('s') == Some(word)
    };
    let (_, relation) = rows.find(|(known, _)| same(known))?;
    if relation == "-" {
        return Some(NearRelation::Reverse);
    }
    relation.parse().ok().map(NearRelation::Known)
}

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
        let near = |word: &str| match nearest_relation(word) {
            Some(NearRelation::Known(relation)) => Some(relation.word()),
            Some(NearRelation::Reverse) => Some("reverse"),
            None => None,
        };
        for (word, expected) in [
            ("builds on", Some("builds_on")),
            ("contradict", Some("contradicts")),
            ("replaces", Some("supersedes")),
            ("Replace", Some("supersedes")),
            ("overrides", Some("supersedes")),
            ("superseeds", Some("supersedes")),
            ("superseded_by", Some("reverse")),
            ("replaced-by", Some("reverse")),
            ("extends", Some("builds_on")),
            ("depends on", Some("builds_on")),
            ("depends_on", Some("builds_on")),
            ("see also", Some("relates_to")),
            ("updates", Some("refines")),
            ("conflicts with", Some("contradicts")),
            ("banana", None),
        ] {
            assert_eq!(near(word), expected, "{word}");
        }
        // A similar word must not deactivate a decision.
        assert_ne!(near("supports"), Some("supersedes"));
    }

    #[test]
    fn the_table_names_known_relations_once() {
        let rows = SYNONYMS.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let (word, relation) = line.split_once(" = ").expect("a word and a relation");
            assert!(relation == "-" || relation.parse::<Relation>().is_ok(), "{line}");
            assert!(word.parse::<Relation>().is_err(), "{line}");
            word
        });
        let rows: Vec<&str> = rows.collect();
        assert!(rows.is_sorted() && rows.len() >= 30, "{rows:?}");
    }
}
