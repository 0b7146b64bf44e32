//! Integration tests of the crate, in one test binary.

mod form_examples;
mod reach;
mod secrets_engine;
mod severities;
mod statements;

use aidd_engine::check::Distribution;

/// The content that the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
