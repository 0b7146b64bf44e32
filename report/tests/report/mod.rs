//! Every output format over one small run, and their promises over any text.

mod comparison;
mod compliance;
mod excerpts;
mod fixture;
mod formats;
mod promises;
mod sarif;

use aidd_engine::check::Distribution;

/// What the program ships.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
