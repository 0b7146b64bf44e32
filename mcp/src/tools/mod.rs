//! All tools, from the modules of their groups.
#![expect(clippy::needless_pass_by_value, reason = "a tool owns the arguments it was called with")]

pub mod checks;
pub mod core;
pub mod knowledge;
pub mod memory;

use crate::tool::Tool;

/// All tools, by name.
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

    /// Every choice refers to existing arguments and values, and lists each argument once.
    #[test]
    fn choices_refer_to_existing_arguments() {
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
            assert_eq!(choice.default.is_empty(), is_required, "{}", tool.name);
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

    /// Every guidance page refers only to tools that the agent can call.
    #[test]
    fn pages_refer_to_existing_tools() {
        use aidd_guidance::{Library, PageKind};
        let library = Library::shipped(&aidd_content::RULES);
        let tools = all();
        let prompts: Vec<&str> =
            library.pages_of_kind(PageKind::Prompts).map(|page| &*page.name).collect();
        let mut named = 0;
        let shelves = [
            PageKind::Agents,
            PageKind::Skills,
            PageKind::Rules,
            PageKind::Workflows,
            PageKind::Templates,
        ];
        let shelves =
            shelves.into_iter().chain([PageKind::Protocol, PageKind::Specs, PageKind::Prompts]);
        for page in shelves.flat_map(|shelf| library.pages_of_kind(shelf)) {
            let words = page.text().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words.filter(|word| word.starts_with("aidd_")) {
                let is_there =
                    tools.iter().any(|tool| tool.name == word || tool.aliases.contains(&word));
                assert!(is_there || prompts.contains(&word), "{}: unknown tool {word}", page.name);
                named += 1;
            }
        }
        assert!(named > 50, "{named}");
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        let folder = tempfile::tempdir().expect("a directory");
        let mut client = Client::at(folder.path());
        for tool in all() {
            let said = client.text(tool.name, json!({"no such argument": 1}));
            assert!(said.starts_with("error: unknown argument `no such argument`"), "{said}");
        }
        client.disconnect();
    }
}
