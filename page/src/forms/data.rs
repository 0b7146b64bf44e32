//! The form `data`: values in JSON, YAML, TOML and front matter.

use super::super::values::{Many, Yaml};
use super::Limits;
use serde::{Deserialize, Serialize};

/// A test of the values at a place. Comparisons judge what is found; only `present` asks that
/// something is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DataHeader {
    /// Where: names, indexes, `*` and `..` of RFC 9535 (`$.jobs.*.steps[*].uses`).
    pub at: String,
    /// In a condition: the file, from the root.
    pub file: Option<String>,
    /// The value.
    pub equals: Option<Yaml>,
    /// Not this value.
    pub not_equals: Option<Yaml>,
    /// One of these values.
    #[serde(rename = "in")]
    pub within: Option<Vec<Yaml>>,
    /// None of these values.
    pub not_in: Option<Vec<Yaml>>,
    /// An expression that the text of the value matches.
    pub matches: Option<String>,
    /// An expression that the text of the value does not match.
    pub not_matches: Option<String>,
    /// The least number, or version.
    pub min: Option<Yaml>,
    /// The greatest number, or version.
    pub max: Option<Yaml>,
    /// The type, or the types.
    #[serde(rename = "type")]
    pub kind: Many<DataType>,
    /// `true`: something must be there.
    pub present: bool,
    /// `true`: nothing may be there.
    pub absent: bool,
    /// `true`: no two of the values are equal.
    pub unique: bool,
    /// How many items a list or a mapping has; characters of a text.
    pub count: Option<Limits>,
    /// The only keys that a mapping may have.
    pub keys: Option<Vec<String>>,
    /// The text is a path to a file that exists, from here.
    pub resolves: Option<Resolves>,
    /// The value equals one elsewhere.
    pub same: Option<SameHeader>,
    /// Tests of the same file that must hold first.
    #[serde(rename = "where")]
    pub first: Vec<DataHeader>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataType {
    /// A text.
    String,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Nothing.
    Null,
    /// A list.
    Array,
    /// A mapping.
    Object,
}

/// Where a path in a value counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Resolves {
    /// The folder of the file.
    File,
    /// The root of the project.
    Root,
}

/// A value elsewhere to compare with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SameHeader {
    /// The file, from the root; absent: the same file.
    pub file: Option<String>,
    /// Where in it.
    pub at: String,
    /// How the two compare.
    pub relation: Relation,
}

/// How two sets of values compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Each value here equals the one there.
    #[default]
    Equal,
    /// Each value here is among those there.
    Subset,
    /// Each value there is among those here.
    Superset,
}

impl DataHeader {
    pub(super) fn misshapen(&self) -> Option<String> {
        if self.file.is_some() {
            return Some(
                "`file` belongs in a condition; which files are judged is said by `files`"
                    .to_owned(),
            );
        }
        self.test_misshapen().or_else(|| self.first.iter().find_map(Self::inner_misshapen))
    }

    fn inner_misshapen(&self) -> Option<String> {
        if !self.first.is_empty() || self.file.is_some() {
            return Some("a test under `where` has no `where` and no `file` of its own".to_owned());
        }
        self.test_misshapen()
    }

    /// What is wrong with the test itself.
    pub(super) fn test_misshapen(&self) -> Option<String> {
        if !self.at.starts_with('$') {
            return Some(format!(
                "`at` begins with `$`, the root of the file: `{}` does not",
                self.at
            ));
        }
        let tests = [
            self.equals.is_some(),
            self.not_equals.is_some(),
            self.within.is_some(),
            self.not_in.is_some(),
            self.matches.is_some(),
            self.not_matches.is_some(),
            self.min.is_some(),
            self.max.is_some(),
            !self.kind.is_empty(),
            self.present,
            self.absent,
            self.unique,
            self.count.is_some(),
            self.keys.is_some(),
            self.resolves.is_some(),
            self.same.is_some(),
        ];
        if tests.iter().all(|test| !test) {
            return Some("`data` tests nothing: name at least one of `equals`, `in`, `matches`, `min`, `max`, `type`, `present`, `absent`, `unique`, `count`, `keys`, `resolves` and `same`".to_owned());
        }
        if self.present && self.absent {
            return Some("a value cannot be both `present` and `absent`".to_owned());
        }
        Limits::misshapen(self.count, "count")
    }
}
