//! The directives for a request.

use super::page::{Directive, DirectiveType, Directives};
use aidd_lexicon::embedding::{Table, Vector};
use aidd_lexicon::terms::distinct_terms;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// At this score and above, a directive is run.
pub const CERTAIN: f64 = 0.9;
/// At this score and above, a directive is run, and the choice is reported.
pub const LIKELY: f64 = 0.7;
/// At this score and above, the user decides; below, the nearest directives are listed.
pub const POSSIBLE: f64 = 0.5;

/// Maximum number of terms of a request or a text that are compared.
const MAX_TERMS: usize = 200;

/// What a term of the request counts if it occurs in the keywords, the name, the short description,
/// the summary or the page of a directive; the highest applies. These and the following constants
/// were chosen on the half `tune` of `tests/routing/directives.tsv`.
const FIELD_WEIGHTS: [f64; 5] = [1.0, 0.8, 0.7, 0.6, 0.3];
/// Added to the weight of the request, so that a single common word is not enough.
const MIN_REQUEST: f64 = 3.0;
/// What a keyword counts whose terms all occur in the request, and the weight at which it counts half.
const KEYWORD: (f64, f64) = (0.4, 6.0);
/// What the similarity of the meaning counts: to the description with the keywords, and to the first
/// paragraphs of the page.
const SIMILARITY: (f64, f64) = (0.35, 0.4);

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
    Searcher::new(directives).search(request, filter)
}

/// The directives with their terms and vectors, for several searches.
pub struct Searcher {
    pages: Vec<Page>,
    /// The number of directives that contain a term.
    counts: HashMap<String, u32>,
    table: Table,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").field("directives", &self.pages.len()).finish_non_exhaustive()
    }
}

impl Searcher {
    /// Reads the pages of the directives.
    #[must_use]
    pub fn new(directives: &Directives) -> Self {
        let table = Table::shipped();
        let pages: Vec<Page> =
            directives.all().map(|directive| Page::new(directive, &table)).collect();
        let mut counts = HashMap::new();
        for page in &pages {
            let all: BTreeSet<&String> = page.fields.iter().flatten().collect();
            for term in all {
                *counts.entry(term.clone()).or_default() += 1;
            }
        }
        Self { pages, counts, table }
    }

    /// The directives for a request, best first. An empty request matches all with the score 0.
    #[must_use]
    pub fn search(&self, request: &str, filter: Filter<'_>) -> Vec<Match> {
        let text = request.trim();
        let terms = terms(text).into_iter().map(|term| (self.weight(&term), term));
        let request = Request {
            terms: terms.map(|(weight, term)| (term, weight)).collect(),
            vector: self.table.vector(text),
            text: text.to_lowercase(),
        };
        let pages = self.pages.iter().filter(|page| {
            filter.category.is_none_or(|category| page.directive.category == category)
                && filter.kind.is_none_or(|kind| page.directive.kind == kind)
        });
        let mut matches: Vec<Match> = pages
            .map(|page| Match { score: request.score(page), directive: page.directive.clone() })
            .collect();
        matches.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.directive.name.cmp(&b.directive.name))
        });
        matches
    }

    /// The weight of a term: the rarer in the directives, the higher. A term that no directive
    /// contains has the highest weight, so that a request on another subject scores low.
    fn weight(&self, term: &str) -> f64 {
        let found = f64::from(self.counts.get(term).copied().unwrap_or_default());
        let all = f64::from(u32::try_from(self.pages.len()).unwrap_or(u32::MAX));
        ((all - found + 0.5) / (found + 0.5)).ln_1p()
    }
}

/// A directive with its terms and vectors.
struct Page {
    directive: Arc<Directive>,
    keywords: Vec<BTreeSet<String>>,
    /// The terms of all keywords, the name, the short description, the summary and the page, in the
    /// order of [`FIELD_WEIGHTS`].
    fields: [BTreeSet<String>; 5],
    /// The vector of the descriptions with the keywords.
    description: Vector,
    /// The vector of the first paragraphs.
    lead: Vector,
}

impl Page {
    fn new(directive: &Arc<Directive>, table: &Table) -> Self {
        let keywords: Vec<BTreeSet<String>> =
            directive.keywords.iter().map(|keyword| terms(keyword)).collect();
        let (_, own_name) = directive.name.split_once('_').unwrap_or(("", &directive.name));
        let mut page = terms(&directive.body);
        for block in &directive.roadblocks {
            page.extend(terms(&block.issue));
        }
        let fields = [
            keywords.iter().flatten().cloned().collect(),
            terms(&own_name.replace('_', " ")),
            terms(&directive.short),
            terms(&directive.summary),
            page,
        ];
        let description = format!(
            "{}. {}. {}",
            directive.short,
            directive.summary,
            directive.keywords.join(", ")
        );
        Self {
            directive: directive.clone(),
            keywords,
            fields,
            description: table.vector(&description),
            lead: table.vector(&lead(&directive.body)),
        }
    }

    /// What a term counts, from 0 to 1.
    fn weight(&self, term: &str) -> f64 {
        let weights = self.fields.iter().zip(FIELD_WEIGHTS);
        weights
            .filter(|(field, _)| field.contains(term))
            .map(|(_, weight)| weight)
            .fold(0.0, f64::max)
    }
}

struct Request {
    text: String,
    /// The terms, each with its weight.
    terms: BTreeMap<String, f64>,
    vector: Vector,
}

impl Request {
    /// The score of a directive: the share of the request that its terms explain, increased by a
    /// complete keyword and by the similarity of the meaning.
    fn score(&self, page: &Page) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        let directive = &page.directive;
        let is_name = |name: &String| self.text.split_whitespace().any(|word| word == name);
        if is_name(&directive.name) || directive.aliases.iter().any(is_name) {
            return 1.0;
        }
        let total: f64 = self.terms.values().sum();
        let explained: f64 =
            self.terms.iter().map(|(term, weight)| weight * page.weight(term)).sum();
        let complete = page.keywords.iter().filter_map(|keyword| {
            let weights = keyword.iter().map(|term| self.terms.get(term).copied());
            weights.sum::<Option<f64>>()
        });
        let keyword = complete.fold(0.0, f64::max);
        let similarity = |vector: &Vector| f64::from(self.vector.cosine(vector)).clamp(0.0, 1.0);
        let score = explained / (total + MIN_REQUEST)
            + KEYWORD.0 * keyword / (keyword + KEYWORD.1)
            + SIMILARITY.0 * similarity(&page.description)
            + SIMILARITY.1 * similarity(&page.lead);
        score.min(1.0)
    }
}

/// The text of a page between its title and the next heading.
fn lead(page: &str) -> String {
    let lines = page.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    lines.take_while(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ")
}

fn terms(text: &str) -> BTreeSet<String> {
    distinct_terms(text, MAX_TERMS).into_iter().collect()
}
