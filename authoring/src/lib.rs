//! Authoring support: rule pages from the configuration of other tools, checks for sentences in the
//! team's documents, rule packs that fit a project, facts about a change for its commit message, and
//! changes that follow from recorded sessions.

pub mod commit_message;
pub mod evolve;
pub mod packs;
pub mod rule_import;
pub mod suggest;

/// The shipped distribution, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
