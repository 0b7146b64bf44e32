//! Operations on a whole project: opening and walking it, comparing it with a base or a baseline,
//! applying fixes, and running the examples of its rules.

pub mod baseline;
pub mod commit_checks;
pub mod diff;
pub mod examples;
pub mod fix;
pub mod memory_checks;
pub mod project;
pub mod project_checks;
pub mod suppress;
pub mod walk;
pub mod weakened;
