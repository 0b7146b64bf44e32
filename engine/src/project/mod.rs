//! Facts about a project: configuration, Git, ignore files, manifests, imports, and the settings of
//! linters.

pub mod advisories;
pub mod config;
pub mod declared;
pub mod git;
pub mod ignored;
pub mod imports;
pub mod linters;
pub mod locked;
pub mod manifest;
mod orders;
pub mod overlay;
pub mod ranges;
pub mod registries;
pub mod stack;
pub mod tasks;
