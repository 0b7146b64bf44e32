//! The form `layers`: which parts of the code can import which.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// Allowed and forbidden imports. Paths are globs relative to the root of the rule's directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LayersHeader {
    /// Layers from top to bottom: each can import itself and the layers below it. The entries of an
    /// inner list cannot import each other.
    pub order: Vec<Many<String>>,
    /// Imports that are not allowed.
    pub forbid: Many<ForbidHeader>,
    /// Files and packages that only some files can import.
    pub only: Many<OnlyHeader>,
    /// Paths with a capture: parts with different captures must not import each other.
    pub independent: Many<String>,
    /// Globs within which import cycles are not allowed; with a capture: cycles between the
    /// directories that it matches.
    pub acyclic: Many<String>,
    /// In JavaScript and TypeScript, imports of packages come before imports of the project.
    pub packages_first: bool,
    /// Whether type-only imports count. Default: `check`.
    pub types: Option<ImportCheck>,
    /// Whether imports in tests count. Default: `skip`.
    pub tests: Option<ImportCheck>,
    /// Indirect imports count too.
    pub transitive: bool,
}

/// Whether imports of a kind are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ImportCheck {
    /// They are skipped.
    Skip,
    /// They are checked.
    Check,
}

/// Imports that are not allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ForbidHeader {
    /// Globs of the importing files.
    pub from: Many<String>,
    /// Globs of the files that they must not import, or packages: `npm:lodash`, `crate:openssl`,
    /// `py:requests`, `go:…`, `java:…`.
    pub to: Many<String>,
    /// Exceptions from `to`.
    pub except: Many<String>,
}

/// Files and packages that only some files can import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OnlyHeader {
    /// Globs of the protected files, or packages.
    pub to: Many<String>,
    /// Globs of the files that can import them.
    pub from: Many<String>,
}

impl LayersHeader {
    pub(super) fn shape_error(&self) -> Option<String> {
        let none = self.order.is_empty()
            && self.forbid.is_empty()
            && self.only.is_empty()
            && self.independent.is_empty()
            && self.acyclic.is_empty()
            && !self.packages_first;
        if none {
            return Some("`layers` has no requirement; set at least one of `order`, `forbid`, `only`, `independent`, `acyclic` and `packages-first`".to_owned());
        }
        if self.order.len() == 1 && self.order[0].len() < 2 {
            return Some("`order` requires at least two layers".to_owned());
        }
        if self.forbid.iter().any(|one| one.from.is_empty() || one.to.is_empty()) {
            return Some("`forbid` requires both `from` and `to`".to_owned());
        }
        let halves = |one: &OnlyHeader| one.from.is_empty() || one.to.is_empty();
        self.only.iter().any(halves).then(|| "`only` requires both `to` and `from`".to_owned())
    }
}
