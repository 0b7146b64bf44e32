//! Guidance for agents: the shipped pages and the project's own pages as one library, and the data
//! read from them.

mod commands;
pub mod compatibility;
pub mod decision;
pub mod demands;
pub mod heuristics;
pub mod knowledge;
pub mod legacy;
pub mod library;
mod meaning;
pub mod migration;
pub mod next;
pub mod prompts;
pub mod routing;
pub mod scaffold;
pub mod sheet;
pub mod shelf;
pub mod start;
pub mod task;
#[cfg(test)]
mod tests;
pub mod versions;
mod words;

pub use library::{Library, Origin, Page, TableError, Watched};
pub use shelf::Shelf;
