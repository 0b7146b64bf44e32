//! Scores how likely a task is to belong to each row of the routing table, based on labelled tasks
//! (`content/routing/tasks.txt`). The score combines shared words and embedding similarity.

use super::words::tokens;
use aidd_lexicon::embedding::{DIMENSIONS, Table, Vector};
use aidd_lexicon::tables::scores::meaning as score;
use std::collections::{BTreeSet, HashMap};

/// Minimum length in letters of a word that can be a typo.
const MIN_TYPO_LEN: usize = 5;
/// Maximum number of unknown words that are spell-checked, which limits the cost of long texts.
const MAX_TYPOS: usize = 30;

/// Statistics of the labelled tasks of each row.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskModel {
    /// Word → the rows whose tasks contain it, with the number of tasks.
    counts: HashMap<String, Vec<(usize, f32)>>,
    /// The log weight of a word that does not occur in a row, by row.
    unseen: Vec<f32>,
    /// The log of the denominator of each row's counts.
    totals: Vec<f32>,
    mean: Vec<f32>,
    /// The unit vector of each row relative to the mean.
    centres: Vec<Vec<f32>>,
    /// Known English words, for spelling correction.
    known_words: BTreeSet<String>,
}

impl TaskModel {
    /// Builds the statistics from tasks and single words, each with the index of its row; `rows` is
    /// the number of rows.
    pub(super) fn new(rows: usize, tasks: &[(&str, usize)], words: &[(&str, usize)]) -> Self {
        let mut counts: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
        let mut sums = vec![0.0_f32; rows];
        let mut known_words = BTreeSet::new();
        for &(task, row) in tasks.iter().chain(words) {
            let tokens = tokens(task);
            known_words.extend(tokens.iter().filter(|token| is_long_latin(token)).cloned());
            for feature in features(&tokens) {
                sums[row] += 1.0;
                let row_counts = counts.entry(feature).or_default();
                match row_counts.iter_mut().find(|(other_row, _)| *other_row == row) {
                    Some((_, count)) => *count += 1.0,
                    None => row_counts.push((row, 1.0)),
                }
            }
        }
        let smoothing = score::UNSEEN * counts.len() as f32;
        let totals: Vec<f32> = sums.iter().map(|sum| (sum + smoothing).ln()).collect();
        let unseen = totals.iter().map(|total| score::UNSEEN.ln() - total).collect();
        let (mean, centres) = directions(rows, tasks);
        Self { counts, unseen, totals, mean, centres, known_words }
    }

    /// Scores a task against each row. Higher is better; only differences are meaningful.
    pub(super) fn score(&self, tokens: &[String]) -> Vec<f32> {
        let rows = self.unseen.len();
        let mut sums = vec![0.0_f32; rows];
        let mut feature_count = 0_u16;
        for feature in features(tokens) {
            let Some(row_counts) = self.counts.get(&feature) else { continue };
            feature_count = feature_count.saturating_add(1);
            let mut weights = self.unseen.clone();
            for &(row, count) in row_counts {
                weights[row] = (count + score::UNSEEN).ln() - self.totals[row];
            }
            let mean = weights.iter().sum::<f32>() / rows as f32;
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += weight - mean;
            }
        }
        let scale = f32::from(feature_count.max(1)).sqrt();
        let vector = Table::shipped().vector(&tokens.join(" "));
        let from_mean =
            (!vector.is_empty()).then(|| direction_from(&normalized(&vector), &self.mean));
        let similarity =
            |centre: &Vec<f32>| from_mean.as_ref().map_or(0.0, |task| dot(task, centre));
        sums.iter()
            .zip(&self.centres)
            .map(|(sum, centre)| sum / scale + score::DIRECTION * similarity(centre))
            .collect()
    }

    /// Corrects tokens that differ by one typo from a word of a labelled task.
    pub(super) fn correct_typos(&self, tokens: &mut [String]) {
        let table = Table::shipped();
        let is_unknown = |token: &&mut String| {
            is_long_latin(token) && !self.known_words.contains(*token) && !table.contains(token)
        };
        for token in tokens.iter_mut().filter(is_unknown).take(MAX_TYPOS) {
            if let Some(word) = self.known_words.iter().find(|word| is_typo(token, word)) {
                token.clone_from(word);
            }
        }
    }
}

/// The mean of all task vectors, and the unit vector of each row relative to it.
fn directions(rows: usize, tasks: &[(&str, usize)]) -> (Vec<f32>, Vec<Vec<f32>>) {
    let table = Table::shipped();
    let vectors: Vec<(Vec<f32>, usize)> = tasks
        .iter()
        .map(|&(task, row)| (normalized(&table.vector(&tokens(task).join(" "))), row))
        .collect();
    let mut mean = vec![0.0_f32; DIMENSIONS];
    for (vector, _) in &vectors {
        add(&mut mean, vector);
    }
    let count = vectors.len().max(1) as f32;
    mean.iter_mut().for_each(|value| *value /= count);
    let mut centres = vec![vec![0.0_f32; DIMENSIONS]; rows];
    for (vector, row) in &vectors {
        add(&mut centres[*row], &direction_from(vector, &mean));
    }
    centres.iter_mut().for_each(|centre| normalize(centre));
    (mean, centres)
}

pub(super) fn normalized(vector: &Vector) -> Vec<f32> {
    let mut values = vector.values().to_vec();
    normalize(&mut values);
    values
}

/// The unit vector from `mean` to `vector`.
pub(super) fn direction_from(vector: &[f32], mean: &[f32]) -> Vec<f32> {
    let mut direction: Vec<f32> =
        vector.iter().zip(mean).map(|(value, mean)| value - mean).collect();
    normalize(&mut direction);
    direction
}

fn add(sum: &mut [f32], vector: &[f32]) {
    for (sum, value) in sum.iter_mut().zip(vector) {
        *sum += value;
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// Normalises to length 1; a zero vector is unchanged.
fn normalize(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// The distinct features of a task: English words without their suffix, and two and three
/// consecutive syllables of Korean words, whose particles vary.
pub(super) fn features(tokens: &[String]) -> BTreeSet<String> {
    let mut features = BTreeSet::new();
    for token in tokens {
        if token.chars().any(is_hangul) {
            // The beginning of a word counts as a separate character.
            let characters: Vec<char> = std::iter::once('^').chain(token.chars()).collect();
            for length in [2, 3] {
                features
                    .extend(characters.windows(length).map(|part| part.iter().collect::<String>()));
            }
        } else {
            features.insert(stem(token).to_owned());
        }
    }
    features
}

fn stem(token: &str) -> &str {
    let stem = ["ing", "ed", "es", "s"].iter().find_map(|suffix| {
        let stem = token.strip_suffix(suffix)?;
        (stem.chars().count() > 3).then_some(stem)
    });
    stem.unwrap_or(token)
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

fn is_long_latin(token: &str) -> bool {
    token.len() >= MIN_TYPO_LEN && token.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether two words differ by one inserted, removed or replaced letter, or by two swapped letters.
fn is_typo(left: &str, right: &str) -> bool {
    left.len().abs_diff(right.len()) <= 1 && strsim::osa_distance(left, right) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_by_one_letter_are_typos() {
        for (left, right) in [
            ("docuemnt", "document"),
            ("dockrfile", "dockerfile"),
            ("updatte", "update"),
            ("updabe", "update"),
            ("test", "tests"),
        ] {
            assert!(is_typo(left, right) && is_typo(right, left), "{left}");
        }
        for (left, right) in [("deploy", "employ"), ("abc", "cba"), ("color", "colours")] {
            assert!(!is_typo(left, right), "{left}");
        }
    }

    #[test]
    fn known_words_determine_the_score_and_unknown_words_are_neutral() {
        let tasks = [("It crashes on save", 0), ("크래시가 나요", 0), ("Write the manual", 1)];
        let model = TaskModel::new(2, &tasks, &[("broken", 0), ("guide", 1)]);
        let score_task = |text: &str| model.score(&tokens(text));
        let crash_scores = score_task("why does it crash");
        assert!(crash_scores[0] > crash_scores[1], "{crash_scores:?}");
        let guide_scores = score_task("a guide");
        assert!(guide_scores[1] > guide_scores[0], "{guide_scores:?}");
        assert_eq!(score_task(""), [0.0, 0.0]);
        let mut typo = tokens("the mnaual of a qqqqqqqqqq");
        model.correct_typos(&mut typo);
        assert_eq!(typo, ["the", "manual", "of", "a", "qqqqqqqqqq"]);
    }
}
