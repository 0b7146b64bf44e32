//! Checks a pull request or push: reads the event of the CI system, finds the commit to compare
//! with, checks both sides, and publishes the report.

pub mod args;
pub mod base;
pub mod event;
pub mod github;
pub mod progress;
pub mod pull_request;
pub mod reach;
pub mod saved;

/// The embedded distribution, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
