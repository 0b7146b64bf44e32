//! The form `commit`: commit messages, the branch, and the files that a change touches.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// The requirements on a change and its commits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CommitHeader {
    /// Messages must follow Conventional Commits 1.0.
    pub conventional: Option<ConventionalHeader>,
    /// Requirements on the first line of a message.
    pub subject: Option<SubjectHeader>,
    /// Requirements on the text after the first line.
    pub body: Option<BodyHeader>,
    /// Requirements on the whole message.
    pub message: Option<MessageHeader>,
    /// Requirements on the footers, if the message has any.
    pub footers: Option<FootersHeader>,
    /// Required trailers: `Signed-off-by`.
    pub trailers: Many<String>,
    /// A regular expression that the branch name must match.
    pub branch: Option<String>,
    /// `conventional` and `subject` also check the title of the pull request.
    pub title: bool,
    /// Limits on the size of the change, and files that it must touch in addition.
    pub change: Option<ChangeHeader>,
    /// The commits to skip. Default: merges, reverts and bots.
    pub skip: Option<Vec<SkippedCommit>>,
}

/// The parts of a Conventional Commits message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ConventionalHeader {
    /// The allowed types. Empty: any type.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub types: Vec<String>,
    /// The allowed scopes; `workspace` allows the names of the workspace members. Empty: any scope.
    pub scopes: Many<String>,
    /// Whether a scope is required.
    pub scope_required: bool,
    /// How a breaking change must be marked.
    pub breaking: Option<Breaking>,
}

/// How a breaking change must be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Breaking {
    /// With `!` and with a footer that describes the break.
    Footer,
    /// With `!` only.
    Mark,
    /// Breaking changes are not allowed.
    Forbid,
}

/// The first line of a message, without type and scope if the message follows Conventional Commits.
/// A trailing ` (#12)` is not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SubjectHeader {
    /// A regular expression that the whole line must match.
    pub matches: Option<String>,
    /// A regular expression that the line must not match.
    pub not_matches: Option<String>,
    /// Maximum number of characters of the whole line.
    pub max: Option<u64>,
    /// The allowed case or cases of the description: `lower`, `sentence`.
    pub case: Many<String>,
    /// Characters that the line must not end with.
    pub end: Option<String>,
}

/// The text after the first line. Lines that contain a URL can have any length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BodyHeader {
    /// The types whose messages require a body; `*` means all.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub required_for: Vec<String>,
    /// Maximum number of characters per line.
    pub max_line: Option<u64>,
    /// A regular expression that the body, which ends before the trailers, must match.
    pub matches: Option<String>,
    /// A regular expression that the body must not match.
    pub not_matches: Option<String>,
    /// Minimum number of characters of the body, if the message has a body.
    pub min: Option<u64>,
    /// Maximum number of characters of the body; `0` forbids a body.
    pub max: Option<u64>,
}

/// The whole message: first line, body and trailers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MessageHeader {
    /// A regular expression that the message must match.
    pub matches: Option<String>,
    /// A regular expression that the message must not match.
    pub not_matches: Option<String>,
}

/// All footers together: from the first footer to the end of the message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FootersHeader {
    /// Minimum number of characters.
    pub min: Option<u64>,
    /// Maximum number of characters.
    pub max: Option<u64>,
}

/// Limits on the size of a change, and files that it must touch. Paths are globs relative to the
/// root of the rule's directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ChangeHeader {
    /// Check only changes that touch one of these paths. Empty: every change.
    pub touches: Many<String>,
    /// The paths that such a change must also touch. ` | ` separates alternatives.
    pub requires: Many<String>,
    /// The paths of files that such a change must add. ` | ` separates alternatives.
    pub added: Many<String>,
    /// Maximum number of files in the change.
    pub max_files: Option<u64>,
    /// Maximum number of lines added plus removed.
    pub max_lines: Option<u64>,
}

/// A kind of commits that are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SkippedCommit {
    /// Merge commits.
    Merges,
    /// Revert commits, recognised by the message that Git writes.
    Reverts,
    /// Commits by bots.
    Bots,
    /// Commits that a rebase combines with another commit: `fixup!`, `squash!`, `amend!`.
    Fixups,
}

impl CommitHeader {
    pub(super) fn find_error(&self) -> Option<String> {
        let has_no_requirement = self.conventional.is_none()
            && self.subject.is_none()
            && self.body.is_none()
            && self.message.is_none()
            && self.footers.is_none()
            && self.trailers.is_empty()
            && self.branch.is_none()
            && self.change.is_none();
        if has_no_requirement {
            return Some("`commit` has no requirement; set at least one of `conventional`, `subject`, `body`, `message`, `footers`, `trailers`, `branch` and `change`".to_owned());
        }
        let change = self.change.as_ref()?;
        let change_has_no_requirement = change.requires.is_empty()
            && change.added.is_empty()
            && change.max_files.is_none()
            && change.max_lines.is_none();
        change_has_no_requirement.then(|| "`change` has no requirement; set at least one of `requires`, `added`, `max-files` and `max-lines`".to_owned())
    }
}
