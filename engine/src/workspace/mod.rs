//! The whole project: opened, walked, compared with a base, fixed; its baseline and the examples of
//! its rules.

pub mod baseline;
pub mod commit_checks;
pub mod diff;
pub mod examples;
pub mod fix;
pub mod project;
pub mod project_checks;
pub mod remembered;
pub mod suppress;
pub mod walk;
pub mod weakened;
