//! Checks and reports.

use crate::tool::Tool;

/// The tools that check.
#[must_use]
pub fn tools() -> Vec<Tool> {
    Vec::new()
}
