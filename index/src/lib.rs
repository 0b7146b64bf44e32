//! The code index of a project: its symbols and the references to them, in a SQLite database that is
//! derived from the files and brought up to date before each answer.

mod accesses;
mod changes;
mod components;
mod effects;
mod error;
mod facts;
mod fields;
pub mod names;
pub mod options;
pub mod outline;
pub mod purity;
pub mod query;
mod resolve;
mod revision;
mod routes;
mod rows;
mod session;
pub mod sql;
pub mod store;
#[cfg(test)]
mod tests;
mod update;

pub use changes::{ChangedLines, base_commit, changed_lines, changed_lines_since};
pub use effects::Effect;
pub use error::IndexError;
pub use facts::{is_indexed, outline_of, routes_of};
pub use revision::{Revision, at_revision};
pub use session::Session;
pub use update::{Update, refresh, refresh_before_exit};
