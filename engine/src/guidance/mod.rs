//! What guides an agent: the shipped pages and the project's own as one library, and what is read
//! out of them.

pub mod library;
pub mod routing;
pub mod shelf;

pub use library::{Library, Origin, Page};
pub use shelf::Shelf;
