//! Predicts the type of a commit: a multinomial logistic regression on the project's own history,
//! on top of weights learnt from other projects.

use super::calibration::Calibration;
use super::features::hash;
use super::history::{Features, PastCommit, examples};
use aidd_lexicon::tables::commit_types as table;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::LazyLock;

/// The number of latest examples that are learnt from.
const MAX_EXAMPLES: usize = 300;
/// The number of latest examples from which the frequency of a type is counted.
const WINDOW: usize = 200;
/// The number of commits that the frequency of types in other projects counts for.
const PRIOR_COMMITS: f32 = 10.0;
/// The share of a type that other projects do not have.
const RARE: f32 = 0.002;
/// Minimum number of uses of a type that other projects do not have.
const MIN_USES: usize = 3;
const EPOCHS: u8 = 10;
const LEARNING_RATE: f32 = 0.012;

/// The weights learnt from other projects.
struct Prior {
    /// The types with their share of the commits.
    types: Vec<(&'static str, f32)>,
    /// The weights of each feature, one for each type.
    weights: HashMap<u32, Vec<f32>>,
}

#[cfg(test)]
mod train;

static PRIOR: LazyLock<Prior> = LazyLock::new(|| Prior {
    types: table::TYPES
        .pairs()
        .filter_map(|(name, share)| Some((name, share.parse().ok()?)))
        .collect(),
    weights: table::WEIGHTS
        .pairs()
        .map(|(name, tenths)| (hash(name), parse_tenths(tenths)))
        .collect(),
});

fn parse_tenths(text: &str) -> Vec<f32> {
    text.split(' ').filter_map(|number| Some(number.parse::<f32>().ok()? / 10.0)).collect()
}

/// The likeliest types of a commit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeGuess {
    /// The types, likeliest first.
    pub(super) types: Vec<String>,
    /// How often guesses like the first type were right before.
    pub(super) share: f64,
    /// The number of commits that the guess is learnt from.
    pub(super) commits: usize,
}

/// Guesses the type of the last of `commits`, which is an example with any type, from the others,
/// oldest first. Only types that `is_allowed` are guessed.
pub(super) fn guess(
    commits: &[PastCommit],
    is_allowed: impl Fn(&str) -> bool,
) -> Option<TypeGuess> {
    let mut examples = examples(commits);
    let (_, change) = examples.pop()?;
    examples.drain(..examples.len().saturating_sub(MAX_EXAMPLES));
    let types = known_types(&examples);
    let number = |kind: &str| types.iter().position(|known| *known == kind);
    let answers: Vec<Option<usize>> =
        examples.iter().map(|(commit, _)| number(commit.kind.as_deref()?)).collect();
    let rows: Vec<&Features> = examples.iter().map(|(_, row)| row).chain([&change]).collect();
    let data = Data::new(&rows, &answers, &types);
    let mut past_guesses = Vec::new();
    let thirds = [1, 2, 3].map(|part| answers.len() * part / 3);
    for part in thirds.windows(2) {
        let weights = data.train(part[0]);
        let tested = answers.iter().enumerate().take(part[1]).skip(part[0]);
        for (at, answer) in tested {
            let Some(answer) = answer else { continue };
            let (best, probability) = best(&data.probabilities(&weights, at));
            past_guesses.push((probability, best == *answer));
        }
    }
    let mut probabilities = data.probabilities(&data.train(answers.len()), answers.len());
    for (probability, kind) in probabilities.iter_mut().zip(&types) {
        *probability = if is_allowed(kind) { *probability } else { 0.0 };
    }
    let (_, probability) = best(&probabilities);
    let mut order: Vec<usize> = (0..types.len()).filter(|at| is_allowed(types[*at])).collect();
    order.sort_by(|one, other| probabilities[*other].total_cmp(&probabilities[*one]));
    Some(TypeGuess {
        types: order.into_iter().map(|at| types[at].to_owned()).collect(),
        share: Calibration::TYPES.fit(&past_guesses).share(probability),
        commits: answers.len(),
    })
}

/// The types of other projects, then the other types of this project.
fn known_types<'a>(examples: &[(&'a PastCommit, Features)]) -> Vec<&'a str> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in examples.iter().filter_map(|(commit, _)| commit.kind.as_deref()) {
        *uses.entry(kind).or_default() += 1;
    }
    let mut types: Vec<&str> = PRIOR.types.iter().map(|(kind, _)| *kind).collect();
    let own = uses.iter().filter(|(kind, uses)| **uses >= MIN_USES && !types.contains(*kind));
    let own: Vec<&str> = own.map(|(kind, _)| *kind).collect();
    types.extend(own);
    types
}

/// The rows that are learnt from, and the row whose type is guessed.
struct Data<'a> {
    /// Index and value of the features that several rows have.
    rows: Vec<Vec<(usize, f32)>>,
    answers: &'a [Option<usize>],
    /// The score of each type without the project's own weights: its frequency before the commit,
    /// and the weights learnt from other projects.
    base: Vec<Vec<f32>>,
    types: usize,
    features: usize,
}

impl<'a> Data<'a> {
    fn new(rows: &[&Features], answers: &'a [Option<usize>], types: &[&str]) -> Self {
        let mut uses: HashMap<u32, usize> = HashMap::new();
        for (feature, _) in rows.iter().take(answers.len()).flat_map(|row| row.iter()) {
            *uses.entry(*feature).or_default() += 1;
        }
        let mut shared: Vec<u32> =
            uses.into_iter().filter(|(_, uses)| *uses > 1).map(|(feature, _)| feature).collect();
        shared.sort_unstable();
        Self {
            rows: rows.iter().map(|row| with_indices(row, &shared)).collect(),
            answers,
            base: base_scores(rows, answers, types, &PRIOR.weights),
            types: types.len(),
            features: shared.len(),
        }
    }

    /// The weights after stochastic gradient descent over the first `count` rows.
    fn train(&self, count: usize) -> Vec<f32> {
        let mut weights = vec![0.0; self.features * self.types];
        for epoch in 0..EPOCHS {
            let rate = LEARNING_RATE / (1.0 + 0.3 * f32::from(epoch));
            for at in 0..count {
                let Some(answer) = self.answers[at] else { continue };
                let mut errors = self.probabilities(&weights, at);
                errors[answer] -= 1.0;
                for &(feature, value) in &self.rows[at] {
                    let row = &mut weights[feature * self.types..][..self.types];
                    for (weight, error) in row.iter_mut().zip(&errors) {
                        *weight -= rate * value * error;
                    }
                }
            }
        }
        weights
    }

    /// The probability of each type for a row.
    fn probabilities(&self, weights: &[f32], at: usize) -> Vec<f32> {
        let mut scores = self.base[at].clone();
        for &(feature, value) in &self.rows[at] {
            let row = &weights[feature * self.types..][..self.types];
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += value * weight;
            }
        }
        let highest = scores.iter().copied().fold(f32::MIN, f32::max);
        scores.iter_mut().for_each(|score| *score = (*score - highest).exp());
        let sum: f32 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= sum);
        scores
    }
}

/// The features that are in the sorted list `known`, with their indices.
fn with_indices(row: &Features, known: &[u32]) -> Vec<(usize, f32)> {
    let index = |(feature, value): &(u32, f32)| Some((known.binary_search(feature).ok()?, *value));
    row.iter().filter_map(index).collect()
}

/// Computes the scores of [`Data::base`] for each row.
fn base_scores(
    rows: &[&Features],
    answers: &[Option<usize>],
    types: &[&str],
    weights: &HashMap<u32, Vec<f32>>,
) -> Vec<Vec<f32>> {
    let share = |at: usize| PRIOR.types.get(at).map_or(RARE, |(_, share)| *share);
    let all: f32 = (0..types.len()).map(share).sum();
    let mut counts: Vec<f32> = (0..types.len()).map(|at| PRIOR_COMMITS * share(at) / all).collect();
    let mut window: VecDeque<usize> = VecDeque::new();
    let mut base = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let sum: f32 = counts.iter().sum();
        let mut scores: Vec<f32> = counts.iter().map(|count| (count / sum).ln()).collect();
        for (feature, value) in row.iter() {
            let Some(weights) = weights.get(feature) else { continue };
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        }
        base.push(scores);
        if let Some(answer) = answers.get(at).copied().flatten() {
            counts[answer] += 1.0;
            window.push_back(answer);
            if window.len() > WINDOW {
                window.pop_front().into_iter().for_each(|oldest| counts[oldest] -= 1.0);
            }
        }
    }
    base
}

/// The index of the highest probability, and the probability.
fn best(probabilities: &[f32]) -> (usize, f64) {
    let highest = probabilities.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
    highest.map_or((0, 0.0), |(at, probability)| (at, f64::from(*probability)))
}
