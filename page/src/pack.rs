//! Packs: pages whose header enables a set of rules.

use super::values::{Many, Yaml};
use super::{PageError, WhenHeader, merge_conflict, parse_yaml, split};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The header of a pack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PackHeader {
    /// Rule ids, or globs over rule ids, to enable.
    #[serde(deserialize_with = "super::values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub rules: Vec<String>,
    /// Rule id or glob → `off`, a severity, or an object with `severity` and `params`, as in the
    /// configuration.
    pub set: BTreeMap<String, Yaml>,
    /// The condition under which the pack applies; if it is a list, at least one condition must be
    /// met.
    pub when: Many<WhenHeader>,
    /// The projects for which `aidd init` proposes the pack; a pack without `fits` is not proposed.
    pub fits: FitsHeader,
}

/// The projects that a pack fits: at least one of the conditions must be met.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FitsHeader {
    /// Globs; a noticeable part of the files must match.
    pub files: Many<String>,
    /// Globs on names of dependencies; a manifest must declare a matching dependency.
    pub dependencies: Many<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    pack: PackHeader,
}

/// Reads the header of a pack's page.
///
/// # Errors
/// When there is no header, or the header has no rules or an unknown key.
pub fn pack(page: &str) -> Result<PackHeader, PageError> {
    if let Some(error) = merge_conflict(page) {
        return Err(error);
    }
    let (range, _) = split(page)?;
    let Page { pack } = parse_yaml(&page[range.clone()], range.start)?;
    if pack.rules.is_empty() {
        let message = "a pack requires `rules`".to_owned();
        return Err(PageError { message, span: range, did_you_mean: None });
    }
    Ok(pack)
}
