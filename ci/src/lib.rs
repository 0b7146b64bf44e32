//! The command line and pull-request door.

pub mod progress;
pub mod report;
