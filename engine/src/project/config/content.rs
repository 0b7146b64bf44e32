//! Settings of the guidance for agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which pages guide an agent, and how much of their content the agent receives.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentConfig {
    /// Which pages are used: `merge` (the project's pages override the shipped ones, the default),
    /// `project_only`, `bundled_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_mode: Option<ContentMode>,
    /// How much guidance an agent receives at start: `minimal`, `standard` (the default), `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<TokenBudget>,
    /// Whether to record the sessions of an agent: the files it edited and the checks it ran
    /// (default true). Sessions started explicitly with the session tool are always recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_tracking: Option<bool>,
    /// Directories of the project's pages, relative to the root, instead of `NAME/`, `ai/NAME/` and
    /// `.aidd/NAME/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<ContentPaths>,
}

impl ContentConfig {
    /// The environment variable that overrides `overrideMode`; the frontends read it.
    pub const MODE_VARIABLE: &str = "AIDD_CONTENT_OVERRIDE_MODE";

    /// Whether sessions are recorded.
    #[must_use]
    pub fn tracks_sessions(&self) -> bool {
        self.session_tracking.unwrap_or(true)
    }

    /// Overrides the mode of the file with `word`; an empty `word` has no effect.
    ///
    /// # Errors
    /// When `word` is not a mode.
    pub fn set_mode(&mut self, word: &str) -> Result<(), UnknownMode> {
        let mode = match word.trim() {
            "" => return Ok(()),
            "merge" => ContentMode::Merge,
            "project_only" => ContentMode::ProjectOnly,
            "bundled_only" => ContentMode::BundledOnly,
            other => return Err(UnknownMode(other.to_owned())),
        };
        self.override_mode = Some(mode);
        Ok(())
    }
}

/// A value of [`ContentConfig::MODE_VARIABLE`] that is not a mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{variable}: unknown mode `{0}`; expected merge, project_only or bundled_only",
    variable = ContentConfig::MODE_VARIABLE
)]
pub struct UnknownMode(pub String);

/// Which pages guide an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentMode {
    /// The project's pages, which override the shipped ones.
    #[default]
    Merge,
    /// The project's pages, and the shipped pages that a project cannot replace, such as the
    /// lifecycle and the heuristics.
    ProjectOnly,
    /// The shipped pages only.
    BundledOnly,
}

/// How much guidance an agent receives at start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenBudget {
    /// Only the essentials.
    Minimal,
    /// The guidance that most tasks need.
    #[default]
    Standard,
    /// All relevant guidance.
    Full,
}

/// Directories of a project's pages, relative to the root.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct ContentPaths {
    /// Guidance for all roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<String>,
    /// Rules in prose. Rules with a check are read from `rules/`, `ai/rules/` and `.aidd/rules/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Roles: `ROLE/SKILL.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<String>,
    /// Workflows: steps with roles and gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflows: Option<String>,
    /// Templates to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub templates: Option<String>,
    /// Knowledge about technologies: `CATEGORY/NAME.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Directives: procedures whose steps are data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directives: Option<String>,
}

impl ContentPaths {
    /// The directory of a kind of pages, by its key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let folder = match key {
            "agents" => &self.agents,
            "rules" => &self.rules,
            "skills" => &self.skills,
            "workflows" => &self.workflows,
            "templates" => &self.templates,
            "knowledge" => &self.knowledge,
            "directives" => &self.directives,
            _ => return None,
        };
        folder.as_deref()
    }
}
