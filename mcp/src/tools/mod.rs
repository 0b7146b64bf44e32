//! All tools, from the folders of their families.
#![expect(clippy::needless_pass_by_value, reason = "a tool owns the arguments it was called with")]

pub mod checks;
pub mod core;
pub mod memory;

use crate::tool::Tool;

/// Every tool, by name.
#[must_use]
pub fn all() -> Vec<Tool> {
    let mut tools = memory::tools();
    tools.extend(checks::tools());
    tools.extend(core::tools());
    tools.sort_by_key(|tool| tool.name);
    tools
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Client;
    use serde_json::json;

    #[test]
    fn no_tool_swallows_an_argument_it_does_not_know() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut client = Client::at(folder.path());
        for tool in all() {
            let said = client.text(tool.name, json!({"no such argument": 1}));
            assert!(said.starts_with("error: `no such argument` is no argument"), "{said}");
        }
        client.leave();
    }
}
