//! The form `layers`: which parts of the code may import which.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// The direction of imports. Paths are globs from the root of the rule's folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LayersHeader {
    /// From the top: each may import itself and what stands below it. Those of an inner list do not
    /// know each other.
    pub order: Vec<Many<String>>,
    /// What must not be imported.
    pub forbid: Many<ForbidHeader>,
    /// What only some may import.
    pub only: Many<OnlyHeader>,
    /// A path with a capture: parts with different captures do not import each other.
    pub independent: Many<String>,
    /// Globs within which no cycle may be; with a capture: cycles between the folders it stands for.
    pub acyclic: Many<String>,
    /// Whether imports of types alone count; they do unless skipped.
    pub types: Option<Judged>,
    /// Whether imports in tests count; they do not unless checked.
    pub tests: Option<Judged>,
    /// Imports of imports count too.
    pub transitive: bool,
}

/// Whether something is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// It is not.
    Skip,
    /// It is.
    Check,
}

/// Imports that must not be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ForbidHeader {
    /// Globs of the files that must not import.
    pub from: Many<String>,
    /// Globs of what they must not import, or packages: `npm:lodash`, `crate:openssl`, `py:requests`,
    /// `go:…`, `java:…`.
    pub to: Many<String>,
    /// What of it they may.
    pub except: Many<String>,
}

/// What only some may import.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OnlyHeader {
    /// Globs of what is guarded, or packages.
    pub to: Many<String>,
    /// Globs of the files that may import it.
    pub from: Many<String>,
}

impl LayersHeader {
    pub(super) fn misshapen(&self) -> Option<String> {
        let none = self.order.is_empty()
            && self.forbid.is_empty()
            && self.only.is_empty()
            && self.independent.is_empty()
            && self.acyclic.is_empty();
        if none {
            return Some("`layers` demands nothing: name at least one of `order`, `forbid`, `only`, `independent` and `acyclic`".to_owned());
        }
        if self.order.len() == 1 && self.order[0].len() < 2 {
            return Some("`order` has at least two layers".to_owned());
        }
        if self.forbid.iter().any(|one| one.from.is_empty() || one.to.is_empty()) {
            return Some("`forbid` names both `from` and `to`".to_owned());
        }
        let halves = |one: &OnlyHeader| one.from.is_empty() || one.to.is_empty();
        self.only.iter().any(halves).then(|| "`only` names both `to` and `from`".to_owned())
    }
}
