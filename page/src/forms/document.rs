//! The form `doc`: Markdown as a document.

use super::super::values::Many;
use super::{DataHeader, Limits};
use serde::{Deserialize, Serialize};

/// What a document is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DocHeader {
    /// Headings in order, with `#` for their level: `*` is any run of headings, `# *` any heading of
    /// that level, `?## Notes` one that may be missing.
    #[serde(deserialize_with = "super::super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub headings: Vec<String>,
    /// No heading says what another says: in the whole `document`, or of those that stand below
    /// the same one (`siblings`).
    pub unique: Option<UniqueHeadings>,
    /// Tests of the front matter.
    pub front: Vec<DataHeader>,
    /// What must lead somewhere.
    pub links: Many<LinkKind>,
    /// The only HTML elements that may stand in it; `[]`: none.
    pub html: Option<Vec<String>>,
    /// Lines of the document.
    pub lines: Option<Limits>,
    /// Tokens of the document, as a model counts them.
    pub tokens: Option<Limits>,
    /// The deepest level of a heading.
    pub depth: Option<Limits>,
    /// No heading is more than one level below the one before it.
    pub steps: bool,
    /// Each block of code between fences names its language.
    pub named_blocks: bool,
}

/// Among which headings each is the only one of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UniqueHeadings {
    /// All of the document.
    Document,
    /// Those below the same heading.
    Siblings,
}

/// What of a document must lead somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// Links to files.
    Files,
    /// Links to headings.
    Anchors,
    /// Paths of the repository in backticks.
    Paths,
    /// Commands in backticks and in blocks of shell that name a script, a target or a recipe.
    Commands,
    /// Images say what they show.
    Images,
    /// Addresses are links, none stands bare.
    Addresses,
    /// `[text][name]` names what is defined.
    References,
    /// What is defined is referred to.
    Definitions,
}

impl DocHeader {
    pub(super) fn misshapen(&self) -> Option<String> {
        let none = self.headings.is_empty()
            && self.front.is_empty()
            && self.links.is_empty()
            && self.unique.is_none()
            && self.html.is_none()
            && self.lines.is_none()
            && self.tokens.is_none()
            && self.depth.is_none()
            && !self.steps
            && !self.named_blocks;
        if none {
            return Some("`doc` demands nothing: name at least one of `headings`, `unique`, `front`, `links`, `html`, `lines`, `tokens`, `depth`, `steps` and `named-blocks`".to_owned());
        }
        let limits = [(self.lines, "lines"), (self.tokens, "tokens"), (self.depth, "depth")];
        let in_limits =
            limits.into_iter().find_map(|(limits, name)| Limits::misshapen(limits, name));
        in_limits.or_else(|| self.front.iter().find_map(DataHeader::misshapen))
    }
}
