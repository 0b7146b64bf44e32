//! The types of directives.

use serde::{Deserialize, Serialize};

/// The type of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectiveType {
    /// On the style of code.
    Fp,
    /// On the work of a project.
    Project,
    /// On branches and commits.
    Git,
    /// On what is recorded about users.
    UserSystem,
    /// On the preferences of users.
    UserPreference,
}

impl DirectiveType {
    /// The word in headers and answers.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fp => "fp",
            Self::Project => "project",
            Self::Git => "git",
            Self::UserSystem => "user_system",
            Self::UserPreference => "user_preference",
        }
    }
}
