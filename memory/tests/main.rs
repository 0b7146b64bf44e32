//! Tests of the crate's public interface, as one test binary.

mod diagnose;
mod memory;
mod questions;
mod retrieval;

use aidd_engine::check::Distribution;

/// The shipped rules and validators.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
