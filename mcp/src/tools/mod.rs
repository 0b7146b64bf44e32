//! All tools, from the folders of their families.
#![expect(clippy::needless_pass_by_value, reason = "a tool owns the arguments it was called with")]

pub mod checks;
pub mod core;
pub mod knowledge;
pub mod memory;

use crate::tool::Tool;

/// Every tool, by name.
#[must_use]
pub fn all() -> Vec<Tool> {
    let mut tools = memory::tools();
    tools.extend(checks::tools());
    tools.extend(core::tools());
    tools.extend(knowledge::tools());
    tools.sort_by_key(|tool| tool.name);
    tools
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Client;
    use serde_json::json;

    /// A choice names arguments and words that there are; an argument is named once.
    #[test]
    fn choices_are_of_what_there_is() {
        for (tool, choice) in
            all().iter().filter_map(|tool| tool.choice.map(|choice| (tool, choice)))
        {
            let input = serde_json::Value::Object(tool.input());
            let chooser = &input["properties"][choice.by];
            let words: Vec<&str> = match chooser["enum"].as_array() {
                Some(words) => words.iter().filter_map(serde_json::Value::as_str).collect(),
                None => vec!["true", "false"],
            };
            let mut named: Vec<&str> = Vec::new();
            for (with, arguments) in choice.takes {
                assert!(with.iter().all(|word| words.contains(word)), "{}: {with:?}", tool.name);
                named.extend(*arguments);
            }
            named.extend([choice.by]);
            for name in &named {
                assert!(input["properties"].get(name).is_some(), "{}: {name}", tool.name);
                assert_eq!(named.iter().filter(|other| *other == name).count(), 1, "{name}");
            }
            let is_required = input["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|name| name == choice.by));
            assert_eq!(choice.usual.is_empty(), is_required, "{}", tool.name);
            if ["aidd_session", "aidd_branch"].contains(&tool.name) {
                let all = input["properties"].as_object().map(serde_json::Map::len);
                assert_eq!(
                    all,
                    Some(named.len()),
                    "{}: an argument is not in its choice",
                    tool.name
                );
            }
        }
    }

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
