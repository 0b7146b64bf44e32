//! What guides an agent: the shipped pages and the project's own as one library, and what is read
//! out of them.

pub mod library;
pub mod routing;
pub mod shelf;
#[cfg(test)]
mod tests;

pub use library::{Library, Origin, Page, Watched};
pub use shelf::Shelf;
