//! A project's memory: decisions with their history, mistakes with their fixes, conventions,
//! observations of sessions, and the state of branches.
//!
//! Permanent memory is stored in tracked JSON Lines files ([`aidd_engine::parse::lines`] defines
//! the meaning of a line, `journal` reads and appends lines) and is mirrored in a store (`store`),
//! together with everything that stays in the checkout. [`project::ProjectMemory`] is the entry
//! point. Everything written passes [`privacy::Gate`].

pub mod accept;
pub mod batches;
pub mod branches;
pub mod brief;
mod conflicts;
pub mod diagnose;
mod duplicates;
mod enforced;
pub mod foreign;
pub mod graph;
pub mod health;
pub mod heap;
pub mod intake;
pub mod journal;
pub mod kinds;
pub mod legacy;
pub mod lifecycle;
pub mod local;
pub mod mirror;
mod occurrences;
pub mod outcomes;
pub mod pack_log;
mod pages;
pub mod permanent;
pub mod prepared;
pub mod privacy;
pub mod project;
pub mod project_map;
pub mod prune;
pub mod recall;
pub mod records;
pub mod resolve;
mod revisions;
mod salvage;
pub mod sessions;
mod similarity;
pub mod situation;
pub mod state;
pub mod store;
pub mod times;
mod tracked;
mod unwritable;
pub mod usage;
pub mod work_list;

pub use aidd_engine::parse::lines::{id, log, types, words};
pub use unwritable::READ_ONLY;

#[cfg(test)]
mod tests;

use thiserror::Error;

/// Errors of memory operations.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// The caller's arguments are invalid; the message states what is expected.
    #[error("{0}")]
    Invalid(String),
    /// No item has this id.
    #[error("unknown {item} `{id}`")]
    Unknown {
        /// The kind of item, for example "memory" or "session".
        item: &'static str,
        /// The unknown id.
        id: String,
    },
    /// The store was written by a newer aidd.
    #[error(
        "{path} has schema {found}, but this version of aidd supports up to {known}: update aidd"
    )]
    Newer {
        /// Path of the store's file.
        path: String,
        /// Schema version of the file.
        found: i64,
        /// The newest schema version that this version of aidd supports.
        known: i64,
    },
    /// The store is damaged.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// Path of the file.
        path: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// Nothing can be written in the project: it is read-only, or the disk is full.
    #[error("nothing can be saved in this project: {0}")]
    Unwritable(String),
    /// The store cannot be read or written.
    #[error("cannot access the store: {0}")]
    Store(String),
    /// The JSON does not have the expected structure.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

impl MemoryError {
    /// For `map_err`: converts an I/O error of the file at `path`.
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Io { path, error }
    }
}

/// The shipped rules and validators, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
