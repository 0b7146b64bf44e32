//! Converts the probability of a guess to the share of such guesses that were right before.

/// Maximum number of iterations of Newton's method.
const MAX_STEPS: usize = 50;

/// A logistic curve fitted to past guesses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Calibration {
    slope: f64,
    shift: f64,
}

impl Calibration {
    /// Fits the curve to `guesses`, each with its probability and whether it was right. Few guesses
    /// change `self`, the curve of other projects, little.
    pub(super) fn fit(self, guesses: &[(f64, bool)]) -> Self {
        let (slope_weight, shift_weight) = (5.0, 1.0);
        let mut fitted = self;
        for _ in 0..MAX_STEPS {
            let mut slope_gradient = slope_weight * (fitted.slope - self.slope);
            let mut shift_gradient = shift_weight * (fitted.shift - self.shift);
            let (mut both_slope, mut mixed, mut both_shift) = (slope_weight, 0.0, shift_weight);
            for &(probability, is_right) in guesses {
                let x = log_odds(probability);
                let expected = fitted.share(probability);
                let error = expected - f64::from(u8::from(is_right));
                slope_gradient += error * x;
                shift_gradient += error;
                let weight = expected * (1.0 - expected);
                both_slope += weight * x * x;
                mixed += weight * x;
                both_shift += weight;
            }
            let determinant = both_slope * both_shift - mixed * mixed;
            let slope_step = (both_shift * slope_gradient - mixed * shift_gradient) / determinant;
            let shift_step = (both_slope * shift_gradient - mixed * slope_gradient) / determinant;
            fitted.slope -= slope_step;
            fitted.shift -= shift_step;
            if slope_step.abs() + shift_step.abs() < 1e-6 {
                break;
            }
        }
        fitted
    }

    /// The share of guesses with this probability that are right.
    pub(super) fn share(self, probability: f64) -> f64 {
        1.0 / (1.0 + (-self.slope * log_odds(probability) - self.shift).exp())
    }

    /// The curve of guesses of the type, in the projects of the prior.
    pub(super) const TYPES: Self = Self { slope: 0.6, shift: 0.0 };
    /// The curve of guesses of the scope.
    pub(super) const SCOPES: Self = Self { slope: 0.6, shift: -0.3 };
}

fn log_odds(probability: f64) -> f64 {
    let probability = probability.clamp(1e-6, 1.0 - 1e-6);
    (probability / (1.0 - probability)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_follows_past_guesses() {
        let guesses = |right: usize| (0..100).map(|at| (0.9, at < right)).collect::<Vec<_>>();
        let often = Calibration::TYPES.fit(&guesses(90)).share(0.9);
        let seldom = Calibration::TYPES.fit(&guesses(40)).share(0.9);
        assert!((0.85..0.92).contains(&often), "{often}");
        assert!((0.38..0.48).contains(&seldom), "{seldom}");
    }
}
