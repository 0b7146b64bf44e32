//! The project's memory.

use crate::tool::Tool;

/// The tools of the memory.
#[must_use]
pub fn tools() -> Vec<Tool> {
    Vec::new()
}
