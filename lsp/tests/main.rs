//! Integration tests of the crate, as one test binary.

mod features;
mod server;

use aidd_engine::check::Distribution;

/// The embedded distribution.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
