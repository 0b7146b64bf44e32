//! All tools, from the folders of their families.

pub mod checks;
pub mod memory;

use crate::tool::Tool;

/// Every tool, by name.
#[must_use]
pub fn all() -> Vec<Tool> {
    let mut tools = memory::tools();
    tools.extend(checks::tools());
    tools.sort_by_key(|tool| tool.name);
    tools
}
