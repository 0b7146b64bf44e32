//! The form `data`: values in JSON, YAML, TOML and front matter.

use super::super::values::{Many, Yaml};
use super::Limits;
use serde::{Deserialize, Serialize};

/// A test of the values at a path. Comparisons apply to the values that exist; only `present`
/// requires that a value exists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DataHeader {
    /// The path of the values: names, indexes, `*` and `..` of RFC 9535 (`$.jobs.*.steps[*].uses`).
    pub at: String,
    /// In a condition: the file, relative to the root.
    pub file: Option<String>,
    /// The required value.
    pub equals: Option<Yaml>,
    /// A value that is not allowed.
    pub not_equals: Option<Yaml>,
    /// The values that are accepted; every other value is a violation.
    #[serde(rename = "in")]
    pub allowed_values: Option<Vec<Yaml>>,
    /// The values that are not allowed.
    pub not_in: Option<Vec<Yaml>>,
    /// A regular expression that must match the value as text.
    pub matches: Option<String>,
    /// A regular expression that must not match the value as text.
    pub not_matches: Option<String>,
    /// The minimum: a number or a version.
    pub min: Option<Yaml>,
    /// The maximum: a number or a version.
    pub max: Option<Yaml>,
    /// The allowed type or types.
    #[serde(rename = "type")]
    pub kind: Many<DataType>,
    /// `true`: a value must exist.
    pub present: bool,
    /// `true`: no value must exist.
    pub absent: bool,
    /// `true`: no two values at the path are equal.
    pub unique: bool,
    /// Number of items of a list or mapping, or of characters of a string.
    pub count: Option<Limits>,
    /// The only keys allowed in a mapping.
    pub keys: Option<Vec<String>>,
    /// The value must be the path of an existing file, relative to this base.
    pub resolves: Option<PathBase>,
    /// Values at another path to which the value must be equal or otherwise related.
    pub same: Option<SameHeader>,
    /// Tests of values in the same file; the check applies only if these tests pass.
    #[serde(rename = "where")]
    pub conditions: Vec<DataHeader>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DataType {
    /// A string, quoted or plain.
    String,
    /// A number, with or without a fraction.
    Number,
    /// A number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// `null`, in YAML also an empty value.
    Null,
    /// A list (sequence).
    Array,
    /// A mapping (object).
    Object,
}

/// The base of a path in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PathBase {
    /// The directory of the file.
    File,
    /// The root of the project.
    Root,
}

/// Values at another path, with which the values of the test are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SameHeader {
    /// The file, relative to the root. Default: the same file.
    pub file: Option<String>,
    /// The path of the values in that file.
    pub at: String,
    /// The required relation of the two sets of values.
    pub relation: Relation,
}

/// The relation between two sets of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Each value equals the value at the other path.
    #[default]
    Equal,
    /// Each value is one of the values at the other path.
    Subset,
    /// Each value at the other path is one of the values of the test.
    Superset,
}

impl DataHeader {
    pub(super) fn find_error(&self) -> Option<String> {
        if self.file.is_some() {
            return Some(
                "`file` is only allowed in a condition; select the files to check with `files`"
                    .to_owned(),
            );
        }
        self.find_test_error().or_else(|| self.conditions.iter().find_map(Self::find_nested_error))
    }

    fn find_nested_error(&self) -> Option<String> {
        if !self.conditions.is_empty() || self.file.is_some() {
            return Some("a test under `where` cannot have `where` or `file`".to_owned());
        }
        self.find_test_error()
    }

    /// Finds an error in this test, ignoring its nested tests.
    pub(super) fn find_test_error(&self) -> Option<String> {
        if !self.at.starts_with('$') {
            return Some(format!(
                "`at` must start with `$`, the root of the file; found `{}`",
                self.at
            ));
        }
        let tests = [
            self.equals.is_some(),
            self.not_equals.is_some(),
            self.allowed_values.is_some(),
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
            return Some("`data` has no test; set at least one of `equals`, `in`, `matches`, `min`, `max`, `type`, `present`, `absent`, `unique`, `count`, `keys`, `resolves` and `same`".to_owned());
        }
        if self.present && self.absent {
            return Some("a value cannot be both `present` and `absent`".to_owned());
        }
        Limits::find_error(self.count, "count")
    }
}
