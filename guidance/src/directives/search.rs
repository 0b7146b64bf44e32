//! The directives for a request.

use super::page::{Directive, DirectiveType, Directives};
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms::distinct_terms;
use std::collections::BTreeSet;
use std::sync::Arc;

/// At this score and above, a directive is run.
pub const CERTAIN: f64 = 0.9;
/// At this score and above, a directive is run, and the choice is reported.
pub const LIKELY: f64 = 0.7;
/// At this score and above, the user decides; below, the nearest directives are listed.
pub const POSSIBLE: f64 = 0.5;

/// Maximum number of terms of a request or a text that are compared.
const MAX_TERMS: usize = 64;

/// What to do with the best match of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Run the directive.
    Certain,
    /// Run the directive and report the choice.
    Likely,
    /// Ask the user.
    Possible,
    /// No directive fits.
    None,
}

impl Certainty {
    /// The certainty of a score.
    #[must_use]
    pub fn of(score: f64) -> Self {
        match score {
            score if score >= CERTAIN => Self::Certain,
            score if score >= LIKELY => Self::Likely,
            score if score >= POSSIBLE => Self::Possible,
            _ => Self::None,
        }
    }

    /// The word in answers.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Certain => "run",
            Self::Likely => "run_and_report",
            Self::Possible => "ask",
            Self::None => "none",
        }
    }
}

/// A directive and how well it fits a request, from 0 to 1.
#[derive(Clone, Debug)]
pub struct Match {
    /// What was found.
    pub directive: Arc<Directive>,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// Restricts a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Only directives of this category.
    pub category: Option<&'a str>,
    /// Only directives of this type.
    pub kind: Option<DirectiveType>,
}

/// The directives for a request, best first. An empty request matches all with the score 0.
#[must_use]
pub fn search(directives: &Directives, request: &str, filter: Filter<'_>) -> Vec<Match> {
    let request = Request::new(request);
    let mut matches: Vec<Match> = directives
        .all()
        .filter(|directive| {
            filter.category.is_none_or(|category| directive.category == category)
                && filter.kind.is_none_or(|kind| directive.kind == kind)
        })
        .map(|directive| Match { score: request.score(directive), directive: directive.clone() })
        .collect();
    matches.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| a.directive.name.cmp(&b.directive.name))
    });
    matches
}

struct Request {
    text: String,
    terms: BTreeSet<String>,
    vector: Vector,
    table: Table,
}

impl Request {
    fn new(text: &str) -> Self {
        let table = Table::shipped();
        let text = text.trim().to_lowercase();
        Self { terms: terms(&text), vector: table.vector(&text), text, table }
    }

    /// The score of a directive: the complement of the product of what each hit leaves uncertain, so
    /// several hits add up and never exceed 1. A keyword weighs three times as much as a word of the
    /// description.
    fn score(&self, directive: &Directive) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        let is_name = |name: &String| self.text.split_whitespace().any(|word| word == name);
        if is_name(&directive.name) || directive.aliases.iter().any(is_name) {
            return 1.0;
        }
        let mut doubt = 1.0;
        // The share of the words of a keyword that the request contains; a keyword of which only a
        // part occurs counts little.
        for keyword in &directive.keywords {
            let words = terms(keyword);
            let found = words.intersection(&self.terms).count();
            if found == words.len() && found > 0 {
                doubt *= 0.4;
            } else if found > 0 {
                doubt *= 0.9;
            }
        }
        let (_, own_name) = directive.name.split_once('_').unwrap_or(("", &directive.name));
        let words = terms(&own_name.replace('_', " "));
        let found = words.intersection(&self.terms).count();
        if found == words.len() {
            doubt *= 0.3;
        } else if found > 0 {
            doubt *= 0.8;
        }
        let words = terms(&directive.summary);
        for _ in words.intersection(&self.terms) {
            doubt *= 0.9;
        }
        let cosine = f64::from(self.vector.cosine(&self.table.vector(&directive.summary)));
        doubt *= 1.0 - (cosine.clamp(0.0, 1.0) - 0.5).max(0.0);
        1.0 - doubt
    }
}

fn terms(text: &str) -> BTreeSet<String> {
    distinct_terms(text, MAX_TERMS).into_iter().collect()
}
