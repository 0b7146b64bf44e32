//! Predicts the scope of a commit from the scopes of earlier commits to similar paths.

use super::calibration::Calibration;
use super::features::hash;
use super::history::PastCommit;
use std::collections::{BTreeMap, HashMap};

/// The number of latest commits that vote.
const MAX_VOTES: usize = 300;
/// The number of latest guesses that are compared with the scopes that the commits have.
const MAX_GUESSES: usize = 150;
/// Minimum number of commits before a guess.
const MIN_VOTES: usize = 30;
/// Minimum similarity of a commit that votes.
const MIN_SIMILARITY: f64 = 0.1;
/// The weight of a commit, relative to that of the next commit.
const AGEING: f64 = 0.997;

/// The scope that past commits suggest, with its certainty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScopeGuess {
    /// A scope that the history of the project has.
    pub(super) scope: String,
    /// How often guesses like this were right before.
    pub(super) share: f64,
}

/// Guesses the scope of the last of `commits`, oldest first, from the others. `None` if the commit
/// likely has no scope. Only scopes that `is_allowed` are guessed.
pub(super) fn guess(
    commits: &[PastCommit],
    is_allowed: impl Fn(&str) -> bool,
) -> Option<ScopeGuess> {
    let examples: Vec<&PastCommit> = commits.iter().filter(|commit| commit.is_example()).collect();
    let last = examples.len().checked_sub(1)?;
    let vectors = vectors(&examples);
    let any = |_: &str| true;
    let mut past_guesses = Vec::new();
    for at in last.saturating_sub(MAX_GUESSES)..last {
        if let Some((Some(scope), probability)) = vote(&examples, &vectors, at, any) {
            past_guesses.push((probability, examples[at].scope.as_deref() == Some(scope)));
        }
    }
    let (scope, probability) = vote(&examples, &vectors, last, is_allowed)?;
    let share = Calibration::SCOPES.fit(&past_guesses).share(probability);
    Some(ScopeGuess { scope: scope?.to_owned(), share })
}

/// The parts of the paths of a commit, sorted, weighted by rarity and normalised to length 1.
type Vector = Vec<(u32, f64)>;

fn vectors(examples: &[&PastCommit]) -> Vec<Vector> {
    let mut uses: HashMap<u32, usize> = HashMap::new();
    for (part, _) in examples.iter().flat_map(|commit| commit.parts()) {
        *uses.entry(*part).or_default() += 1;
    }
    let all = examples.len() as f64 + 1.0;
    let rarity = |part: &u32| (all / (uses[part] as f64 + 0.5)).ln();
    let vector = |commit: &&PastCommit| {
        let mut vector: Vector =
            commit.parts().iter().map(|(part, _)| (*part, rarity(part))).collect();
        vector.sort_unstable_by_key(|(part, _)| *part);
        let length = similarity(&vector, &vector).sqrt().max(1e-9);
        vector.iter_mut().for_each(|(_, weight)| *weight /= length);
        vector
    };
    examples.iter().map(vector).collect()
}

/// The scalar product of two sparse vectors.
fn similarity(one: &[(u32, f64)], other: &[(u32, f64)]) -> f64 {
    let mut rest = other.iter().peekable();
    let mut sum = 0.0;
    for (part, weight) in one {
        while rest.next_if(|(next, _)| next < part).is_some() {}
        if let Some((_, other)) = rest.next_if(|(next, _)| next == part) {
            sum += weight * other;
        }
    }
    sum
}

/// The likeliest scope of the commit `at` with its probability, by the commits before it; the scope
/// is `None` if the commit likely has none.
fn vote<'a>(
    examples: &[&'a PastCommit],
    vectors: &[Vector],
    at: usize,
    is_allowed: impl Fn(&str) -> bool,
) -> Option<(Option<&'a str>, f64)> {
    let first = at.saturating_sub(MAX_VOTES);
    if at - first < MIN_VOTES {
        return None;
    }
    let mut votes: BTreeMap<Option<&str>, (f64, f64)> = BTreeMap::new();
    for other in first..at {
        let scope = examples[other].scope.as_deref();
        if !scope.is_none_or(&is_allowed) {
            continue;
        }
        let vote = votes.entry(scope).or_default();
        vote.0 += 1.0;
        let similarity = similarity(&vectors[at], &vectors[other]);
        if similarity > MIN_SIMILARITY {
            vote.1 += similarity.powi(3) * AGEING.powi((at - other) as i32);
        }
    }
    let shares: HashMap<u32, f32> = examples[at].parts().iter().copied().collect();
    let score = |scope: Option<&str>, (commits, similar): (f64, f64)| {
        let part = scope.and_then(|scope| shares.get(&hash(&scope.to_lowercase())));
        let share = f64::from(part.copied().unwrap_or_default());
        0.7 * (commits + 0.5).ln() + 1.5 * (40.0 * similar).ln_1p() + 4.0 * share
    };
    let scores: Vec<(Option<&'a str>, f64)> =
        votes.into_iter().map(|(scope, vote)| (scope, score(scope, vote))).collect();
    let (scope, highest) = scores.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let sum: f64 = scores.iter().map(|(_, score)| (score - highest).exp()).sum();
    Some((*scope, 1.0 / sum))
}
