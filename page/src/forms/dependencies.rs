//! The form `dependencies`: manifests compared with the imports of the project.

use super::super::values::Many;
use serde::{Deserialize, Serialize};

/// What to report about the dependencies that manifests declare.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DependenciesHeader {
    /// What to report.
    pub report: Option<DependencyReport>,
    /// Names of packages that are never reported.
    pub ignore: Many<String>,
    /// The allowed licences, as SPDX identifiers; only for `licence`.
    pub allow: Many<String>,
}

/// What to report about dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DependencyReport {
    /// Dependencies that no file of the package uses.
    Unused,
    /// Imported packages that no manifest declares.
    Undeclared,
    /// Dependencies whose major version differs between the manifests of the project.
    MajorDrift,
    /// Locked versions that do not satisfy the declared range.
    LockMismatch,
    /// Dependencies without an entry in the lock file.
    NotLocked,
    /// Directories with lock files of several tools.
    SeveralLockFiles,
    /// Versions whose support has ended, according to the knowledge base.
    EndOfLife,
    /// Packages whose licence is not in `allow`.
    Licence,
}

impl DependenciesHeader {
    /// Whether the check needs the imports of all files.
    #[must_use]
    pub fn reads_imports(&self) -> bool {
        matches!(self.report, Some(DependencyReport::Unused | DependencyReport::Undeclared))
    }

    pub(super) fn find_error(&self) -> Option<String> {
        self.report.is_none().then(|| {
            "`dependencies` requires `report`: `unused`, `undeclared`, `major-drift`, \
             `lock-mismatch`, `not-locked`, `several-lock-files`, `end-of-life` or `licence`"
                .to_owned()
        })
    }
}
