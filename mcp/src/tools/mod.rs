//! All tools, collected from the modules of the tool groups.
#![expect(clippy::needless_pass_by_value, reason = "a tool owns the arguments it was called with")]

pub mod aifp;
pub mod checks;
pub mod core;
pub mod evolution;
pub mod index;
pub mod knowledge;
pub mod memory;
pub mod packs;

use crate::tool::Tool;

/// All tools, by name.
#[must_use]
pub fn all() -> Vec<Tool> {
    let mut tools = memory::tools();
    tools.extend(aifp::tools());
    tools.extend(checks::tools());
    tools.extend(core::tools());
    tools.extend(evolution::tools());
    tools.extend(index::tools());
    tools.extend(knowledge::tools());
    tools.extend(packs::tools());
    tools.sort_by_key(|tool| tool.name);
    tools
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Client;
    use serde_json::json;

    /// Every `Choice` refers to existing arguments and values, and lists each argument at most
    /// once.
    #[test]
    fn choices_refer_to_existing_arguments() {
        for (tool, choice) in
            all().iter().filter_map(|tool| tool.choice.map(|choice| (tool, choice)))
        {
            let input = serde_json::Value::Object(tool.input());
            let selector = &input["properties"][choice.argument];
            let values: Vec<&str> = match selector["enum"].as_array() {
                Some(values) => values.iter().filter_map(serde_json::Value::as_str).collect(),
                None => vec!["true", "false"],
            };
            let mut names: Vec<&str> = Vec::new();
            for (selected, arguments) in choice.allowed {
                assert!(
                    selected.iter().all(|value| values.contains(value)),
                    "{}: {selected:?}",
                    tool.name
                );
                names.extend(*arguments);
            }
            names.extend([choice.argument]);
            for name in &names {
                assert!(input["properties"].get(name).is_some(), "{}: {name}", tool.name);
                assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
            }
            let is_required = input["required"]
                .as_array()
                .is_some_and(|all| all.iter().any(|name| name == choice.argument));
            assert_eq!(choice.default.is_empty(), is_required, "{}", tool.name);
            if ["aidd_session", "aidd_branch"].contains(&tool.name) {
                let all = input["properties"].as_object().map(serde_json::Map::len);
                assert_eq!(
                    all,
                    Some(names.len()),
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
        let mut count = 0;
        let kinds = [
            PageKind::Agents,
            PageKind::Skills,
            PageKind::Rules,
            PageKind::Workflows,
            PageKind::Templates,
        ];
        let kinds =
            kinds.into_iter().chain([PageKind::Protocol, PageKind::Specs, PageKind::Prompts]);
        for page in kinds.flat_map(|kind| library.pages_of_kind(kind)) {
            let words = page.text().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words.filter(|word| word.starts_with("aidd_")) {
                let exists =
                    tools.iter().any(|tool| tool.name == word || tool.aliases.contains(&word));
                assert!(exists || prompts.contains(&word), "{}: unknown tool {word}", page.name);
                count += 1;
            }
        }
        assert!(count > 50, "{count}");
    }

    #[test]
    fn unknown_arguments_are_rejected() {
        let folder = tempfile::tempdir().expect("a directory");
        let mut client = Client::at(folder.path());
        for tool in all() {
            let text = client.text(tool.name, json!({"no such argument": 1}));
            assert!(text.starts_with("error: unknown argument `no such argument`"), "{text}");
        }
        client.disconnect();
    }
}
