//! Operations on a whole project: opening, walking, comparing with a base and fixing it, its
//! baseline, and the examples of its rules.

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
