//! Finds rules of aidd about the subject of a sentence, by words and meaning, for a reader to compare.
//! These rules do not necessarily enforce the sentence.

use aidd_engine::check::Engine;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::Disk;
use aidd_engine::text::listing::Listing;
use aidd_engine::workspace::project_checks;
use aidd_lexicon::terms::for_each_term;
use aidd_memory::recall::texts::Texts;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

/// Maximum number of rules that are listed.
const MAX_RELATED: usize = 3;
/// Minimum score of a related rule, from 0 to 1. The value was not measured on a held-out set.
const MIN_SCORE: f32 = 0.45;
/// Number of best matches, including matches without an effect in the project, which are dropped.
const MAX_CANDIDATES: usize = 12;
/// Categories of rules on file formats. Documents of teams do not contain such requirements, so
/// these rules are not candidates.
const FORMATS: [&str; 4] = ["aidd/", "memory/", "mermaid/", "tkb/"];

/// Words of requirements that do not name a subject.
const MODAL_WORDS: [&str; 24] = [
    "add",
    "allow",
    "allowed",
    "always",
    "avoid",
    "code",
    "ensure",
    "every",
    "file",
    "forbid",
    "forbidden",
    "keep",
    "make",
    "must",
    "name",
    "need",
    "never",
    "only",
    "prefer",
    "require",
    "required",
    "set",
    "use",
    "value",
];

/// The terms of a text that name its subject.
fn content_words(text: &str) -> HashSet<String> {
    let mut modal = HashSet::new();
    for word in MODAL_WORDS {
        for_each_term(word, &mut |term| {
            modal.insert(term.to_owned());
        });
    }
    let mut words = HashSet::new();
    for_each_term(text, &mut |term| {
        if term.chars().nth(1).is_some() && !modal.contains(term) {
            words.insert(term.to_owned());
        }
    });
    words
}

/// A rule that can be about the same subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedRule {
    /// The rule id; `secrets/*` for all rules on secrets.
    pub rule: String,
    /// Whether the rule is enabled.
    pub on: bool,
    /// The summary of the rule.
    pub summary: String,
}

/// The rules nearest to `text` that have an effect in the project, best first.
pub(super) fn find_related(
    engine: &Engine,
    disk: &Disk,
    listing: &Listing,
    text: &str,
) -> Vec<RelatedRule> {
    let is_secret = |rule: &&Rule| rule.id.starts_with("secrets/");
    let all = engine.registry().rules();
    let has_dockerfile = listing.files().iter().any(|path| path.contains("ockerfile"));
    let is_candidate = |rule: &&Rule| {
        !FORMATS.iter().any(|kind| rule.id.starts_with(kind))
            && (has_dockerfile || !rule.id.starts_with("dockerfile/"))
    };
    let rules: Vec<&Rule> =
        all.iter().filter(|rule| !is_secret(rule)).filter(is_candidate).collect();
    let names: Vec<String> = rules
        .iter()
        .map(|rule| format!("{} {}", rule.id.replace(['/', '-'], " "), rule.aliases.join(" ")))
        .collect();
    let texts = rules.iter().zip(&names);
    let texts = texts.map(|(rule, name)| vec![(2.0, name.as_str()), (1.0, rule.summary.as_str())]);
    let secrets = "secrets credentials passwords api keys access tokens private keys hard-coded";
    let found = Texts::new(texts.chain([vec![(1.0, secrets)]])).rank(text);
    let has_effect = |at: usize| {
        let selected = |rule: &&Rule| project_checks::selected(engine, rule, disk, listing);
        // The files that a rule written in Rust selects are unknown.
        rules.get(at).and_then(selected).is_none_or(|(count, _)| count > 0)
    };
    let words = content_words(text);
    let shares_word = |at: usize| {
        // Aliases are names of other tools: `aria-props` is not about props.
        let subject = rules.get(at).map_or_else(
            || secrets.to_owned(),
            |rule| format!("{} {}", rule.id.replace(['/', '-'], " "), rule.summary),
        );
        !content_words(&subject).is_disjoint(&words)
    };
    let best = found.into_iter().filter(|(_, score)| *score >= MIN_SCORE).take(MAX_CANDIDATES);
    let best = best.filter(|(at, _)| shares_word(*at));
    let best = best.filter(|(at, _)| has_effect(*at)).take(MAX_RELATED);
    best.map(|(at, _)| match rules.get(at) {
        Some(rule) => RelatedRule {
            rule: rule.id.to_string(),
            on: engine.is_enabled_anywhere(&rule.id),
            summary: rule.summary.clone(),
        },
        None => RelatedRule {
            rule: "secrets/*".to_owned(),
            on: all.iter().filter(is_secret).any(|rule| engine.is_enabled_anywhere(&rule.id)),
            summary: "Code does not contain credentials.".to_owned(),
        },
    })
    .collect()
}
