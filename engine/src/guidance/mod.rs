//! What guides an agent: the shipped pages and the project's own as one library, and what is read
//! out of them.

pub mod compatibility;
pub mod decision;
pub mod heuristics;
pub mod knowledge;
pub mod legacy;
pub mod library;
pub mod migration;
pub mod routing;
pub mod shelf;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_knowledge;
pub mod versions;

pub use library::{Library, Origin, Page, Watched};
pub use shelf::Shelf;
