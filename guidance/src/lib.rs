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
mod task_model;
pub mod migration;
pub mod suggestions;
pub mod prompts;
pub mod routing;
pub mod scaffold;
pub mod token_budget;
pub mod page_kind;
pub mod session_start;
pub mod task;
#[cfg(test)]
mod tests;
pub mod versions;
mod words;

pub use library::{Library, Origin, Page, TableError, LibraryCache};
pub use page_kind::PageKind;
