//! Integration tests of the crate, as one test binary.

mod linear;
mod report;
#[path = "support/repository.rs"]
mod repository;

use aidd_engine::check::Distribution;

/// The embedded distribution.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
