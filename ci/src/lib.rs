//! What a pull request or push is checked by: the event of the CI system, the commit to compare
//! with, the check of both sides, and where its report goes.

pub mod args;
pub mod base;
pub mod event;
pub mod github;
pub mod progress;
pub mod pull_request;
pub mod saved;

/// What the program ships, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
