//! The tests of the crate from outside, as one test binary.

mod form_examples;
mod statements;

use aidd_engine::check::Distribution;

/// What the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
