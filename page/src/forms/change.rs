//! The form `commit`: messages, the branch, and what a change touches.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// What a change is judged by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CommitHeader {
    /// Messages follow Conventional Commits 1.0.
    pub conventional: Option<ConventionalHeader>,
    /// The first line of a message.
    pub subject: Option<SubjectHeader>,
    /// What follows the first line.
    pub body: Option<BodyHeader>,
    /// The message as a whole.
    pub message: Option<MessageHeader>,
    /// The footers together, where there are any.
    pub footers: Option<FootersHeader>,
    /// Trailers that must be there: `Signed-off-by`.
    pub trailers: Many<String>,
    /// An expression that the name of the branch matches.
    pub branch: Option<String>,
    /// `conventional` and `subject` also judge the title of the pull request.
    pub title: bool,
    /// What the change touches, and what it must touch then.
    pub change: Option<ChangeHeader>,
    /// What is not judged; left out: merges, reverts and bots.
    pub skip: Option<Vec<SkippedCommit>>,
}

/// The parts of a conventional message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ConventionalHeader {
    /// The types; none: any.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub types: Vec<String>,
    /// The scopes; `workspace`: the names of its members. None: any.
    pub scopes: Many<String>,
    /// There must be a scope.
    pub scope_required: bool,
    /// How a breaking change is marked.
    pub breaking: Option<Breaking>,
}

/// How a breaking change is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Breaking {
    /// With `!`, and with a footer that says what breaks.
    Footer,
    /// With `!`.
    Mark,
    /// Not at all: there must be none.
    Forbid,
}

/// The first line of a message, without its type and scope when it is conventional. A ` (#12)` at
/// its end is not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SubjectHeader {
    /// An expression that the whole line matches.
    pub matches: Option<String>,
    /// An expression that it does not match.
    pub not_matches: Option<String>,
    /// Most characters of the whole line.
    pub max: Option<u64>,
    /// The case of the description, or the cases: `lower`, `sentence`.
    pub case: Many<String>,
    /// Characters that it does not end with.
    pub end: Option<String>,
}

/// What follows the first line. Lines with a URL may be of any length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BodyHeader {
    /// Types whose messages need one; `*`: all.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub required_for: Vec<String>,
    /// Most characters of a line.
    pub max_line: Option<u64>,
    /// An expression that a body, which is what stands before the trailers, matches.
    pub matches: Option<String>,
    /// An expression that it does not match.
    pub not_matches: Option<String>,
    /// Fewest characters of a body that is there.
    pub min: Option<u64>,
    /// Most characters of it; `0`: there is none.
    pub max: Option<u64>,
}

/// The message as a whole: first line, body and trailers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MessageHeader {
    /// An expression that it matches.
    pub matches: Option<String>,
    /// An expression that it does not match.
    pub not_matches: Option<String>,
}

/// The footers together: from the first to the end of the message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FootersHeader {
    /// Fewest characters.
    pub min: Option<u64>,
    /// Most characters.
    pub max: Option<u64>,
}

/// What a change touches. Paths are globs from the root of the rule's folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ChangeHeader {
    /// Only a change that touches one of these is judged; none: every change.
    pub touches: Many<String>,
    /// What it must touch then; ` | ` between some of which one must be.
    pub requires: Many<String>,
    /// What it must add then; ` | ` as above.
    pub added: Many<String>,
    /// How many files it may touch.
    pub max_files: Option<u64>,
    /// How many lines it may add and remove.
    pub max_lines: Option<u64>,
}

/// What is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SkippedCommit {
    /// Merges.
    Merges,
    /// Reverts, as Git words them.
    Reverts,
    /// Commits of bots.
    Bots,
    /// What a rebase joins with another: `fixup!`, `squash!`, `amend!`.
    Fixups,
}

impl CommitHeader {
    pub(super) fn misshapen(&self) -> Option<String> {
        let none = self.conventional.is_none()
            && self.subject.is_none()
            && self.body.is_none()
            && self.message.is_none()
            && self.footers.is_none()
            && self.trailers.is_empty()
            && self.branch.is_none()
            && self.change.is_none();
        if none {
            return Some("`commit` demands nothing: name at least one of `conventional`, `subject`, `body`, `message`, `footers`, `trailers`, `branch` and `change`".to_owned());
        }
        let change = self.change.as_ref()?;
        let nothing = change.requires.is_empty()
            && change.added.is_empty()
            && change.max_files.is_none()
            && change.max_lines.is_none();
        nothing.then(|| "`change` demands nothing: name at least one of `requires`, `added`, `max-files` and `max-lines`".to_owned())
    }
}
