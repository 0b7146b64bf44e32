//! Posterior probabilities of proportions, exact under the uniform prior Beta(1, 1).

use statrs::function::beta::{checked_beta_reg, ln_beta};
use std::f64::consts::FRAC_PI_2;

/// Nodes and weights of the Gauss-Legendre rule with four points on [-1, 1].
const GAUSS: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_86),
];
/// Number of parts into which the range of an integral is divided.
const PANELS: u32 = 24;
/// Number of standard deviations around the mean that an integral covers.
const REACH: f64 = 9.0;
/// Number of bins from 0 to 1 in which distributions of several strata are added.
const BINS: usize = 400;

/// The numbers of successes and of observations on the two sides of a comparison. Numbers can be
/// fractions, because old observations count less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Successes with the property.
    pub with_successes: f64,
    /// Observations with the property.
    pub with: f64,
    /// Successes without the property.
    pub without_successes: f64,
    /// Observations without the property.
    pub without: f64,
}

/// The parameters of the posterior Beta distribution of a proportion.
fn posterior(successes: f64, n: f64) -> (f64, f64) {
    let n = n.max(0.0);
    let successes = successes.clamp(0.0, n);
    (1.0 + successes, 1.0 + n - successes)
}

/// The probability that a variable with the distribution Beta(a, b) is at most `x`.
fn cumulative((a, b): (f64, f64), x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    checked_beta_reg(a, b, x).unwrap_or(0.5)
}

/// The probability that the proportion of `a` exceeds that of `b` by more than `delta`, given
/// `a_success` successes of `a_n` observations and `b_success` of `b_n`.
#[must_use]
pub fn beta_posterior_greater(
    a_success: f64,
    a_n: f64,
    b_success: f64,
    b_n: f64,
    delta: f64,
) -> f64 {
    let (a, b) = posterior(a_success, a_n);
    let other = posterior(b_success, b_n);
    // With the proportion `sin²(t)`, the density is smooth, and the width hardly depends on the mean.
    let (from, to) = angles((a, b));
    // The other distribution grows from 0 to 1 between two angles, and its density can have a pole
    // where `x - delta` is 0 or 1. Each part between these places is integrated on its own, because
    // a narrow step inside a wide part would fall between the nodes.
    let angle = |x: f64| (x + delta).clamp(0.0, 1.0).sqrt().asin().clamp(from, to);
    let (low, high) = angles(other);
    let parts = [
        from,
        angle(0.0),
        angle(low.sin().powi(2)),
        angle((other.0 / (other.0 + other.1)).clamp(0.0, 1.0)),
        angle(high.sin().powi(2)),
        angle(1.0),
        to,
    ];
    let scale = ln_beta(a, b);
    let integrand = |t: f64| {
        let (sin, cos) = t.sin_cos();
        let exponent = (2.0 * a - 1.0) * sin.ln() + (2.0 * b - 1.0) * cos.ln() - scale;
        2.0 * exponent.exp() * cumulative(other, sin * sin - delta)
    };
    parts.windows(2).map(|part| integral(&integrand, part[0], part[1])).sum::<f64>().clamp(0.0, 1.0)
}

/// The range of angles `t` that contains the proportion `sin²(t)` except in one of 10¹⁸ cases.
fn angles((a, b): (f64, f64)) -> (f64, f64) {
    let middle = (a / (a + b)).sqrt().asin();
    let reach = REACH / 2.0 / (a + b).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(FRAC_PI_2))
}

fn integral(function: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    if to <= from {
        return 0.0;
    }
    let half = (to - from) / f64::from(PANELS) / 2.0;
    let middles = (0..PANELS).map(|panel| from + half * f64::from(2 * panel + 1));
    let part = |middle: f64| -> f64 {
        GAUSS.iter().map(|(node, weight)| weight * half * function(middle + half * node)).sum()
    };
    middles.map(part).sum()
}

/// The interval that contains a proportion with probability `level`, with equal tails, given
/// `success` successes of `n` observations.
#[must_use]
pub fn beta_interval(success: f64, n: f64, level: f64) -> (f64, f64) {
    let shape = posterior(success, n);
    let tail = (1.0 - level.clamp(0.0, 1.0)) / 2.0;
    (quantile(shape, tail), quantile(shape, 1.0 - tail))
}

/// The value that a variable with a Beta distribution exceeds with probability `1 - probability`.
fn quantile(shape: (f64, f64), probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if cumulative(shape, middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The probability that the difference between the two sides exceeds `delta`, where the difference is
/// the mean over strata, weighted by their information `with * without / (with + without)`.
#[must_use]
pub fn stratified_greater(strata: &[Counts], delta: f64) -> f64 {
    match strata {
        [] => beta_posterior_greater(0.0, 0.0, 0.0, 0.0, delta),
        [one] => beta_posterior_greater(
            one.with_successes,
            one.with,
            one.without_successes,
            one.without,
            delta,
        ),
        _ => sum_greater(strata, delta),
    }
}

/// [`stratified_greater`] for several strata: the distributions of the weighted proportions are
/// added on a grid of [`BINS`] bins.
fn sum_greater(strata: &[Counts], delta: f64) -> f64 {
    let weights: Vec<f64> = strata.iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    // The distribution of the sum, and the value of its first bin in units of the grid.
    let (mut sum, mut first) = (vec![1.0], 0.0);
    for (stratum, weight) in strata.iter().zip(&weights) {
        let share = if total > 0.0 { weight / total } else { 0.0 };
        let with = binned(posterior(stratum.with_successes, stratum.with), share);
        let mut without = binned(posterior(stratum.without_successes, stratum.without), share);
        without.reverse();
        first -= without.len() as f64 - 1.0;
        sum = convolve(&convolve(&sum, &with), &without);
    }
    let limit = delta * BINS as f64 - first;
    // A bin covers half a step on each side of its value; the bin of the limit counts in part.
    let above = |(at, mass): (usize, &f64)| mass * (at as f64 + 0.5 - limit).clamp(0.0, 1.0);
    sum.iter().enumerate().map(above).sum::<f64>().clamp(0.0, 1.0)
}

fn weight(stratum: &Counts) -> f64 {
    let all = stratum.with + stratum.without;
    if all > 0.0 { stratum.with * stratum.without / all } else { 0.0 }
}

/// The probabilities of the bins of `share` times a variable with a Beta distribution.
fn binned(shape: (f64, f64), share: f64) -> Vec<f64> {
    let width = share * BINS as f64;
    let bins = width.ceil() as usize + 1;
    let up_to = |edge: f64| if width > 0.0 { cumulative(shape, edge / width) } else { 1.0 };
    let mut before = 0.0;
    (0..bins)
        .map(|bin| {
            let until = if bin + 1 == bins { 1.0 } else { up_to(bin as f64 + 0.5) };
            let mass = until - before;
            before = until;
            mass
        })
        .collect()
}

fn convolve(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; one.len() + other.len() - 1];
    for (at, mass) in one.iter().enumerate().filter(|(_, mass)| **mass > 1e-15) {
        for (to, more) in sum[at..].iter_mut().zip(other) {
            *to += mass * more;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// P(b > a) for integer counts, as a finite sum.
    fn closed_form(a: (u32, u32), b: (u32, u32)) -> f64 {
        let shape = |(successes, n)| (f64::from(successes + 1), f64::from(n - successes + 1));
        let ((a_1, a_2), (b_1, b_2)): ((f64, f64), (f64, f64)) = (shape(a), shape(b));
        let term = |i: u32| {
            let i = f64::from(i);
            let ln = ln_beta(a_1 + i, a_2 + b_2) - ln_beta(1.0 + i, b_2) - ln_beta(a_1, a_2);
            ln.exp() / (b_2 + i)
        };
        assert!(b_1 >= 1.0);
        (0..=b.0).map(term).sum()
    }

    #[test]
    fn the_posterior_equals_the_closed_form() {
        for (a, b) in [
            ((0, 0), (0, 0)),
            ((8, 10), (5, 10)),
            ((1, 20), (19, 20)),
            ((80, 100), (50, 100)),
            ((3, 4), (300, 500)),
        ] {
            let exact = closed_form(a, b);
            let computed =
                beta_posterior_greater(b.0.into(), b.1.into(), a.0.into(), a.1.into(), 0.0);
            assert!((computed - exact).abs() < 1e-7, "{a:?} {b:?}: {computed} {exact}");
        }
    }

    #[test]
    fn an_interval_of_no_observations_is_the_prior() {
        let (low, high) = beta_interval(0.0, 0.0, 0.9);
        assert!((low - 0.05).abs() < 1e-9 && (high - 0.95).abs() < 1e-9, "{low} {high}");
        // 8 of 10: the quantiles of Beta(9, 3).
        let (low, high) = beta_interval(8.0, 10.0, 0.95);
        assert!((low - 0.4822).abs() < 1e-3 && (high - 0.9398).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn strata_with_the_same_effect_add_up() {
        let counts = |with_successes, without_successes| Counts {
            with_successes,
            with: 20.0,
            without_successes,
            without: 20.0,
        };
        let one = stratified_greater(&[counts(15.0, 10.0)], 0.05);
        let two = stratified_greater(&[counts(15.0, 10.0), counts(15.0, 10.0)], 0.05);
        assert!(two > one, "{one} {two}");
        // A difference between the strata is no effect.
        let confounded = stratified_greater(&[counts(18.0, 18.0), counts(4.0, 4.0)], 0.05);
        assert!(confounded < 0.4, "{confounded}");
    }

    proptest! {
        #[test]
        fn probabilities_are_complementary(
            a in 0.0..1.0f64, m in 0.0..300.0f64, b in 0.0..1.0f64, n in 0.0..300.0f64,
            delta in -0.3..0.3f64,
        ) {
            let up = beta_posterior_greater(a * m, m, b * n, n, delta);
            let down = beta_posterior_greater(b * n, n, a * m, m, -delta);
            prop_assert!((up + down - 1.0).abs() < 1e-5, "{up} {down}");
        }

        #[test]
        fn the_sum_of_one_stratum_is_close_to_the_integral(
            a in 0.0..1.0f64, m in 1.0..100.0f64, b in 0.0..1.0f64, n in 1.0..100.0f64,
        ) {
            let stratum = Counts {
                with_successes: a * m, with: m, without_successes: b * n, without: n,
            };
            let exact = stratified_greater(&[stratum], 0.05);
            prop_assert!((sum_greater(&[stratum], 0.05) - exact).abs() < 5e-3);
        }
    }
}
