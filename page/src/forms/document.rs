//! The form `doc`: structure of Markdown documents.

use super::super::values::Many;
use super::{DataHeader, Limits};
use serde::{Deserialize, Serialize};

/// The requirements on a Markdown document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DocHeader {
    /// Headings in order, with `#` for their level. `*` matches any sequence of headings, `# *` any
    /// heading of that level; `?## Notes` is an optional heading.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub headings: Vec<String>,
    /// No two headings in the whole `document`, or below the same parent heading (`siblings`), have
    /// the same text.
    pub unique: Option<UniqueHeadings>,
    /// Tests of the front matter.
    pub front: Vec<DataHeader>,
    /// The kinds of links and references that must resolve.
    pub links: Many<LinkKind>,
    /// The only HTML elements allowed; `[]` allows none.
    pub html: Option<Vec<String>>,
    /// Number of lines of the document.
    pub lines: Option<Limits>,
    /// Number of tokens of the document, as counted by a language model.
    pub tokens: Option<Limits>,
    /// The deepest heading level.
    pub depth: Option<Limits>,
    /// No heading is more than one level deeper than the previous heading.
    pub steps: bool,
    /// Every fenced code block names its language.
    pub named_blocks: bool,
}

/// The headings among which the text of each heading must be unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UniqueHeadings {
    /// All headings of the document.
    Document,
    /// Headings below the same parent heading.
    Siblings,
}

/// The kinds of links and references that must resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// Links to files must resolve.
    Files,
    /// Links to headings must resolve.
    Anchors,
    /// Repository paths in backticks must exist.
    Paths,
    /// Commands in backticks and shell blocks that name a script, target or recipe must exist.
    Commands,
    /// Images must have alternative text.
    Images,
    /// URLs must be links, not bare text.
    Addresses,
    /// `[text][name]` must refer to a defined name.
    References,
    /// Every definition must be used.
    Definitions,
}

impl DocHeader {
    pub(super) fn find_error(&self) -> Option<String> {
        let has_no_requirement = self.headings.is_empty()
            && self.front.is_empty()
            && self.links.is_empty()
            && self.unique.is_none()
            && self.html.is_none()
            && self.lines.is_none()
            && self.tokens.is_none()
            && self.depth.is_none()
            && !self.steps
            && !self.named_blocks;
        if has_no_requirement {
            return Some("`doc` has no requirement; set at least one of `headings`, `unique`, `front`, `links`, `html`, `lines`, `tokens`, `depth`, `steps` and `named-blocks`".to_owned());
        }
        let limits = [(self.lines, "lines"), (self.tokens, "tokens"), (self.depth, "depth")];
        let in_limits =
            limits.into_iter().find_map(|(limits, name)| Limits::find_error(limits, name));
        in_limits.or_else(|| self.front.iter().find_map(DataHeader::find_error))
    }
}
