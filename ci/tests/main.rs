//! Integration tests of the crate, as one test binary.

mod base;
mod events;
mod github;
#[path = "../../report/tests/support/repository.rs"]
mod repository;
mod saved;

use aidd_engine::check::Distribution;

/// The embedded distribution.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
