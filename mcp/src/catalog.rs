//! The tools of a server and their lookup by name.

use crate::profile::Profile;
use crate::tool::Tool;
use aidd_engine::text::nearest::nearest;

/// The tools of a server.
#[derive(Debug)]
pub struct Catalog {
    tools: Vec<Tool>,
    profile: Profile,
}

impl Catalog {
    /// Limits `tools` to a profile.
    #[must_use]
    pub fn new(mut tools: Vec<Tool>, profile: Profile) -> Self {
        tools.sort_by_key(|tool| tool.name);
        Self { tools, profile }
    }

    /// The listed tools, in the order of their names.
    pub fn listed(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| tool.is_in(self.profile))
    }

    /// The tools that can be called but are not listed.
    pub fn unlisted(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| self.can_call(tool) && !tool.is_in(self.profile))
    }

    /// The profile whose tools are listed.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    fn can_call(&self, tool: &Tool) -> bool {
        matches!(self.profile, Profile::Engine | Profile::Lean | Profile::Plan)
            || tool.is_in(self.profile)
    }

    /// Finds a tool by name or alias.
    ///
    /// # Errors
    /// The error message for an unknown name.
    pub fn find(&self, name: &str) -> Result<&Tool, String> {
        let normalized_name = normalized(name);
        let found = self
            .tools
            .iter()
            .find(|tool| names(tool).any(|tool_name| tool_name == normalized_name));
        match found {
            Some(tool) if self.can_call(tool) => Ok(tool),
            Some(_) => Err(format!(
                "the tool `{name}` is not in this server's profile `{}`",
                self.profile.name()
            )),
            None => {
                let callable = self.tools.iter().filter(|tool| self.can_call(tool));
                let near = nearest(&normalized_name, callable.map(|tool| tool.name));
                let hint = near.map(|near| format!("; did you mean `{near}`?"));
                Err(format!("unknown tool `{name}`{}", hint.unwrap_or_default()))
            }
        }
    }
}

/// Replaces `/` and `.` in a name with `_`.
#[must_use]
pub fn normalized(name: &str) -> String {
    name.replace(['/', '.'], "_")
}

/// All names and aliases of a tool, normalized.
fn names(tool: &Tool) -> impl Iterator<Item = String> {
    let older = tool.older.iter().map(|older| older.name);
    std::iter::once(tool.name).chain(tool.aliases.iter().copied()).chain(older).map(normalized)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::tool::{Answer, ToolError};
    use crate::tools;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct NoParams {}

    fn echo_params(_: &Context, params: NoParams) -> Result<Answer<NoParams>, ToolError> {
        Ok(Answer::new(params, ""))
    }

    fn tool(name: &'static str) -> Tool {
        Tool::new(name, "", "", echo_params)
    }

    fn catalog(profile: Profile) -> Catalog {
        let tools = vec![
            tool("save_decision").in_profiles(&[Profile::Memory, Profile::Lean]),
            tool("aidd_memory_search")
                .in_profiles(&[Profile::Memory])
                .with_aliases(&["search/memory"]),
            tool("aidd_scan_secrets").in_profiles(&[Profile::Tools]),
        ];
        Catalog::new(tools, profile)
    }

    fn listed(profile: Profile) -> Vec<&'static str> {
        catalog(profile).listed().map(|tool| tool.name).collect()
    }

    #[test]
    fn a_profile_lists_its_own_tools() {
        assert_eq!(
            listed(Profile::Engine),
            ["aidd_memory_search", "aidd_scan_secrets", "save_decision"]
        );
        assert_eq!(listed(Profile::Memory), ["aidd_memory_search", "save_decision"]);
        assert_eq!(listed(Profile::Lean), ["save_decision"]);
        let lean = catalog(Profile::Lean);
        let unlisted: Vec<&str> = lean.unlisted().map(|tool| tool.name).collect();
        assert_eq!(unlisted, ["aidd_memory_search", "aidd_scan_secrets"]);
        assert_eq!(catalog(Profile::Memory).unlisted().count(), 0);
    }

    #[test]
    fn names_can_be_spelled_with_slashes_and_dots() {
        let catalog = catalog(Profile::Lean);
        let name = |name: &str| catalog.find(name).map(|tool| tool.name);
        assert_eq!(name("save/decision"), Ok("save_decision"));
        assert_eq!(name("save.decision"), Ok("save_decision"));
        assert_eq!(name("aidd.memory.search"), Ok("aidd_memory_search"));
        assert_eq!(name("search_memory"), Ok("aidd_memory_search"));
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest_name() {
        let error_text =
            |profile, name: &str| catalog(profile).find(name).expect_err("none").clone();
        assert_eq!(
            error_text(Profile::Engine, "save_decisions"),
            "unknown tool `save_decisions`; did you mean `save_decision`?"
        );
        assert_eq!(error_text(Profile::Engine, "xyz"), "unknown tool `xyz`");
        assert_eq!(
            error_text(Profile::Memory, "aidd_scan_secrets"),
            "the tool `aidd_scan_secrets` is not in this server's profile `memory`"
        );
    }

    #[test]
    fn every_name_is_valid_and_unique() {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for tool in tools::all() {
            assert!(is_name(tool.name), "{}", tool.name);
            assert!(!tool.title.is_empty(), "{} has no title", tool.name);
            for alias in tool.aliases {
                assert!(is_name(&normalized(alias)), "{alias}");
            }
            for name in names(&tool) {
                let other = seen.insert(name.clone(), tool.name);
                assert_eq!(other.unwrap_or(tool.name), tool.name, "{name} is ambiguous");
            }
        }
    }

    #[test]
    fn every_description_explains_when_to_use_the_tool() {
        for tool in tools::all() {
            let description = tool.description.to_lowercase();
            assert!(
                description.contains("use "),
                "{} does not explain when to use the tool",
                tool.name
            );
            assert!(!tool.is_destructive || !tool.reads_only, "{}", tool.name);
        }
    }

    /// `^[a-z][a-z0-9_]{0,39}$`
    fn is_name(name: &str) -> bool {
        let mut bytes = name.bytes();
        bytes.next().is_some_and(|first| first.is_ascii_lowercase())
            && name.len() <= 40
            && bytes.all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
    }
}
