//! The form `layers`: which parts of the code can import which.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// Allowed and forbidden imports. Paths are globs relative to the root of the rule's directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LayersHeader {
    /// Layers (groups of paths) from top to bottom: each layer can import itself and the layers
    /// below it. The entries of an inner list cannot import each other.
    pub order: Vec<Many<String>>,
    /// Imports that are not allowed.
    pub forbid: Many<ForbidHeader>,
    /// Files and packages that only some files can import.
    pub only: Many<OnlyHeader>,
    /// Paths with a capture such as `<name>`: files with different captured text must not import
    /// each other.
    pub independent: Many<String>,
    /// Globs of files among which import cycles are not allowed. With a capture, cycles between the
    /// directories that the capture matches are not allowed.
    pub acyclic: Many<String>,
    /// In JavaScript and TypeScript, imports of packages come before imports of the project.
    pub packages_first: bool,
    /// Whether type-only imports are checked. Default: `check`.
    pub types: Option<ImportCheck>,
    /// Whether imports in tests are checked. Default: `skip`.
    pub tests: Option<ImportCheck>,
    /// Whether indirect imports are also checked.
    pub transitive: bool,
}

/// Whether imports of a kind are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ImportCheck {
    /// These imports are skipped.
    Skip,
    /// These imports are checked.
    Check,
}

/// Imports that are not allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ForbidHeader {
    /// Globs of the importing files.
    pub from: Many<String>,
    /// Globs of the files that the importing files must not import, or packages: `npm:lodash`,
    /// `crate:openssl`, `py:requests`, `go:…`, `java:…`.
    pub to: Many<String>,
    /// Exceptions to `to`.
    pub except: Many<String>,
}

/// Files and packages that only some files can import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OnlyHeader {
    /// Globs of the protected files, or packages.
    pub to: Many<String>,
    /// Globs of the files that can import the protected files.
    pub from: Many<String>,
}

impl LayersHeader {
    pub(super) fn find_error(&self) -> Option<String> {
        let has_no_requirement = self.order.is_empty()
            && self.forbid.is_empty()
            && self.only.is_empty()
            && self.independent.is_empty()
            && self.acyclic.is_empty()
            && !self.packages_first;
        if has_no_requirement {
            return Some("`layers` has no requirement; set at least one of `order`, `forbid`, `only`, `independent`, `acyclic` and `packages-first`".to_owned());
        }
        if self.order.len() == 1 && self.order[0].len() < 2 {
            return Some("`order` requires at least two layers".to_owned());
        }
        if self.forbid.iter().any(|rule| rule.from.is_empty() || rule.to.is_empty()) {
            return Some("`forbid` requires both `from` and `to`".to_owned());
        }
        let is_incomplete = |rule: &OnlyHeader| rule.from.is_empty() || rule.to.is_empty();
        self.only
            .iter()
            .any(is_incomplete)
            .then(|| "`only` requires both `to` and `from`".to_owned())
    }
}
