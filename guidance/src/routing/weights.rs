//! Learned evidence for the shipped rows: how strongly the words and the meaning of a task indicate
//! each row. `guidance/routing/train.py` writes the weights.

use super::Row;
use crate::task_model::{direction_from, features, normalized};
use aidd_lexicon::embedding::{DIMENSIONS, Table};
use std::collections::HashMap;
use std::sync::LazyLock;

static FILE: &[u8] = include_bytes!("../../routing/weights.bin");

static SHIPPED: LazyLock<Option<Weights>> = LazyLock::new(|| Weights::parse(FILE));

/// The weights of a multinomial logistic regression.
struct Weights {
    /// The name of the table of vectors with which the weights were learned.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test compares it"))]
    table: &'static str,
    /// The ids of the rows; `-` is "not a task".
    rows: Vec<&'static str>,
    /// Feature → index in `by_word`.
    words: HashMap<&'static str, usize>,
    /// The factor of the evidence that is not learned.
    known: f32,
    /// The mean of the vectors of the known tasks.
    mean: Vec<f32>,
    /// The evidence for each row without any word.
    bias: Vec<f32>,
    word_scale: f32,
    direction_scale: f32,
    /// For each dimension, the weight for each row.
    directions: &'static [u8],
    /// For each word, the weight for each row.
    by_word: &'static [u8],
}

impl Weights {
    /// Reads the format that `train.py` writes: three lines of text, 32-bit numbers, 8-bit weights.
    fn parse(file: &'static [u8]) -> Option<Self> {
        let mut rest = file;
        let mut line = || {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let line = std::str::from_utf8(&rest[..end]).ok()?;
            rest = &rest[end + 1..];
            Some(line)
        };
        let (table, rows, words) = (line()?, line()?, line()?);
        let rows: Vec<&str> = rows.split(' ').collect();
        let words: HashMap<&str, usize> =
            words.split(' ').enumerate().map(|(index, word)| (word, index)).collect();
        let mut numbers = |count: usize| -> Option<Vec<f32>> {
            let (bytes, after) = rest.split_at_checked(4 * count)?;
            rest = after;
            let (numbers, _) = bytes.as_chunks::<4>();
            Some(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        };
        let known = numbers(1)?[0];
        let (mean, bias) = (numbers(DIMENSIONS)?, numbers(rows.len())?);
        let (word_scale, direction_scale) = (numbers(1)?[0], numbers(1)?[0]);
        let (directions, by_word) = rest.split_at_checked(DIMENSIONS * rows.len())?;
        (by_word.len() == words.len() * rows.len()).then_some(Self {
            table,
            rows,
            words,
            known,
            mean,
            bias,
            word_scale,
            direction_scale,
            directions,
            by_word,
        })
    }

    /// The evidence for each of `rows`.
    fn evidence(&self, tokens: &[String]) -> Vec<f32> {
        let features = features(tokens);
        let known: Vec<usize> =
            features.iter().filter_map(|feature| self.words.get(&**feature).copied()).collect();
        let mut sums = self.bias.clone();
        let count = u16::try_from(known.len().max(1)).unwrap_or(u16::MAX);
        let factor = 2.0 * self.word_scale / f32::from(count).sqrt();
        for index in known {
            add(&mut sums, self.by_word, index, factor);
        }
        let vector = Table::shipped().vector(&tokens.join(" "));
        if !vector.is_empty() {
            let direction = direction_from(&normalized(&vector), &self.mean);
            for (index, value) in direction.iter().enumerate() {
                add(&mut sums, self.directions, index, value * self.direction_scale);
            }
        }
        sums
    }
}

/// Adds `factor` times the weights at `index` of `matrix`, which has one weight for each sum.
fn add(sums: &mut [f32], matrix: &[u8], index: usize, factor: f32) {
    let weights = &matrix[index * sums.len()..][..sums.len()];
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += factor * f32::from(i8::from_ne_bytes([*weight]));
    }
}

/// Adds the learned evidence to the scores of the shipped rows, and to that of "not a task", which
/// follows the rows. Rows of the project have no learned weights; a task that fits one of them best
/// is not changed.
pub(super) fn add_learned(scores: &mut [f64], rows: &[Row], tokens: &[String]) {
    let Some(weights) = SHIPPED.as_ref() else { return };
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    if best.and_then(|best| rows.get(best)).is_some_and(|row| row.is_own) {
        return;
    }
    scores.iter_mut().for_each(|score| *score *= f64::from(weights.known));
    for (id, evidence) in weights.rows.iter().zip(weights.evidence(tokens)) {
        let row = match *id {
            "-" => Some(rows.len()),
            id => rows.iter().position(|row| row.id == id && !row.is_own),
        };
        if let Some(score) = row.and_then(|row| scores.get_mut(row)) {
            *score += f64::from(evidence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;
    use crate::routing::Routing;
    use aidd_lexicon::embedding::NAME;

    #[test]
    fn the_shipped_weights_fit_the_table_of_vectors_and_the_rows() {
        let weights = SHIPPED.as_ref().expect("weights");
        assert_eq!(weights.table, NAME);
        assert!(FILE.len() < 300_000, "{}", FILE.len());
        let routing = Routing::new(&Library::shipped(&aidd_content::RULES)).expect("the tables");
        let rows: Vec<&str> = routing.rows.iter().map(|row| &*row.id).chain(["-"]).collect();
        assert_eq!(weights.rows, rows);
    }

    #[test]
    fn damaged_weights_are_rejected() {
        for end in [0, 10, 500, FILE.len() - 1] {
            assert!(Weights::parse(&FILE[..end]).is_none(), "{end}");
        }
    }
}
