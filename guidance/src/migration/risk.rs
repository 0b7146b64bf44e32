//! The risk of a step of a migration.

use serde::Serialize;

/// The risk of a step: the probability of failure and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// The step can be undone immediately.
    Low,
    /// The tests must confirm the step.
    Medium,
    /// A person must review the step.
    High,
}
