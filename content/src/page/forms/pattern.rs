//! Patterns in the text and in the syntax tree.

use super::super::values::Yaml;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A text pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextHeader {
    /// Rust regular expression. The finding covers the group named `at`, else the whole match.
    /// Exactly one of `regex` and `assigned` is given.
    #[serde(default)]
    pub regex: Option<String>,
    /// Rust regular expression of a value that is assigned to a name which contains one of the
    /// keywords, in any notation: `KEYWORD_token = "…"`, `"keyword": "…"`, `<keyword>…`,
    /// `--keyword …`. The finding covers the value.
    #[serde(default)]
    pub assigned: Option<String>,
    /// Literals, compared without regard to ASCII case: the expression is tried only on the lines
    /// around one of them. Empty: tried on the whole text.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Bytes past the keyword's line that a match may reach into; for patterns over several lines.
    #[serde(default)]
    pub reach: u32,
    /// Least Shannon entropy of the finding's text, in bits per character.
    #[serde(default)]
    pub entropy: f32,
    /// The finding's text must look random: no words, mixed character classes.
    #[serde(default)]
    pub random: bool,
    /// The finding's text is a password: none of the words, and beside none of the hosts, that
    /// examples are written with.
    #[serde(default)]
    pub password: bool,
    /// The finding's text must not match any of these expressions.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The whole match must not match any of these expressions: for what excuses a finding but
    /// stands beside it, as the host of a URL beside its password.
    #[serde(default)]
    pub unless_match: Vec<String>,
    /// The match is a secret: never shown, tried on files of any size and kind. The value says how
    /// sure a match is; the surer rule wins where two match the same text.
    #[serde(default)]
    pub secret: Option<Confidence>,
}

/// How sure a match of a secret pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// By its surroundings only.
    Low,
    /// By its shape and its surroundings.
    Medium,
    /// By a shape that nothing else has.
    High,
}

/// A syntax pattern: the parts of an ast-grep rule that a page does not already have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntaxHeader {
    /// Languages, by ast-grep's names; `typescript` also covers TSX.
    pub language: Vec<String>,
    /// The rule object.
    pub rule: Yaml,
    /// Rules on single meta variables.
    #[serde(default)]
    pub constraints: Option<Yaml>,
    /// Named rules used by `matches`.
    #[serde(default)]
    pub utils: Option<Yaml>,
    /// New meta variables made of others.
    #[serde(default)]
    pub transform: Option<Yaml>,
    /// The replacement, with meta variables.
    #[serde(default)]
    pub fix: Option<Yaml>,
    /// The fix keeps the meaning of the file.
    #[serde(default)]
    pub safe: bool,
    /// Meta variable → what a related place says.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

impl TextHeader {
    pub(super) fn misshapen(&self) -> Option<String> {
        (self.regex.is_some() == self.assigned.is_some())
            .then(|| "a text pattern has either `regex` or `assigned`".to_owned())
    }
}
