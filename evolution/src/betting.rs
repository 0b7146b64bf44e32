//! An anytime-valid test of a difference: a mixture of betting martingales.
//!
//! The result can be looked at after every observation. If observations with a property are not better
//! than those without it, the value ever reaches `x` with probability at most `1 / x` (Ville's
//! inequality), however often one looks.

use std::collections::BTreeMap;

/// The stakes of the martingales in the mixture: the share of the wealth that is bet on the next
/// difference.
const STAKES: [f64; 3] = [0.4, 0.6, 0.8];

/// A test of whether observations with a property have a higher mean than those without it.
#[derive(Clone, Debug)]
pub struct BettingTest {
    wealth: [f64; STAKES.len()],
    max: f64,
    strata: BTreeMap<String, Stratum>,
}

/// The observations of a stratum.
#[derive(Clone, Debug, Default)]
struct Stratum {
    with: Side,
    without: Side,
}

/// The observations on one side of a stratum.
#[derive(Clone, Debug, Default)]
struct Side {
    /// Number of all observations.
    count: usize,
    /// The observations that are not compared yet.
    waiting: Vec<f64>,
}

impl Side {
    /// The number of observations of this side in a comparison: all observations are used if the
    /// proportion of the sides remains the same. It depends on numbers only, never on values.
    fn share(&self, other: &Self) -> usize {
        ((self.count + other.count / 2) / other.count.max(1)).max(1)
    }

    /// Takes the oldest `count` observations, and returns their mean.
    fn take(&mut self, count: usize) -> f64 {
        let taken = self.waiting.drain(..count.min(self.waiting.len()));
        taken.sum::<f64>() / count as f64
    }
}

impl Default for BettingTest {
    fn default() -> Self {
        Self { wealth: [1.0; STAKES.len()], max: 1.0, strata: BTreeMap::new() }
    }
}

impl BettingTest {
    /// Adds an observation from 0 to 1. Observations are compared with those of the same stratum
    /// only: as soon as both sides have enough, the difference of their means is bet on.
    pub fn add(&mut self, stratum: &str, with: bool, value: f64) {
        if !self.strata.contains_key(stratum) {
            self.strata.insert(stratum.to_owned(), Stratum::default());
        }
        let Some(Stratum { with: one, without: other }) = self.strata.get_mut(stratum) else {
            return;
        };
        let side = if with { &mut *one } else { &mut *other };
        side.count += 1;
        side.waiting.push(value.clamp(0.0, 1.0));
        let (many, few) = (one.share(other), other.share(one));
        if one.waiting.len() < many || other.waiting.len() < few {
            return;
        }
        let difference = one.take(many) - other.take(few);
        for (wealth, stake) in self.wealth.iter_mut().zip(STAKES) {
            *wealth *= 1.0 + stake * difference;
        }
        self.max = self.max.max(self.wealth.iter().sum::<f64>() / STAKES.len() as f64);
    }

    /// The highest wealth so far: the evidence for the difference.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wealth_grows_with_differences_only() {
        let mut test = BettingTest::default();
        for _ in 0..20 {
            test.add("a", true, 1.0);
            test.add("a", false, 1.0);
        }
        assert!((test.value() - 1.0).abs() < f64::EPSILON);
        for _ in 0..20 {
            test.add("a", true, 1.0);
            test.add("a", false, 0.0);
        }
        assert!(test.value() > 1000.0);
    }

    #[test]
    fn observations_of_different_strata_are_not_compared() {
        let mut test = BettingTest::default();
        for _ in 0..50 {
            test.add("strong model", true, 1.0);
            test.add("weak model", false, 0.0);
        }
        assert!((test.value() - 1.0).abs() < f64::EPSILON);
    }
}
