//! The language features on texts with a cursor: text in, text out.

mod actions;
mod completion;
mod every_action;
mod reading;
mod support;

use aidd_engine::check::Distribution;

/// What the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
