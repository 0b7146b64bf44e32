//! One test binary with all tests that run the real program or check rule pages, documentation and
//! repository-wide invariants.

mod action;
mod agents;
mod cli;
mod compatibility;
mod docs;
mod editor;
mod editors;
mod evolution;
mod fixes;
mod frontends;
mod mcp;
mod precision;
mod pull_requests;
#[path = "../report/tests/support/repository.rs"]
mod repository;
mod retrieval;
mod routing;
mod rule_pages;
mod tidy;
mod walkthrough;
mod wording;

use aidd_engine::check::Distribution;

/// The content that the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
