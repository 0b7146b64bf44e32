//! Guidance for agents: the shipped pages and the project's own pages as one library, and the data
//! read from these pages.

mod commands;
pub mod compatibility;
pub mod decision;
pub mod directives;
pub mod heuristics;
pub mod instructions;
pub mod knowledge;
pub mod legacy;
pub mod library;
pub mod migration;
pub mod page_kind;
pub mod project_page;
pub mod prompts;
pub mod requirements;
pub mod routing;
pub mod scaffold;
pub mod session_start;
pub mod suggestions;
pub mod task;
mod task_model;
#[cfg(test)]
mod tests;
pub mod token_budget;
pub mod versions;
mod words;

pub use library::{Library, LibraryCache, Origin, Page, TableError};
pub use page_kind::PageKind;
