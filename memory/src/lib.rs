//! What a project remembers: decisions with their history, mistakes with their cures, conventions,
//! what sessions observed, where branches stand.
//!
//! Permanent memory lies in tracked files of JSON lines ([`aidd_engine::parse::lines`] says what a line means,
//! `journal` reads and appends them) and is mirrored in a store (`store`), together with all that stays in
//! the checkout. [`project::ProjectMemory`] is the door to it. Nothing is written but through
//! [`privacy::Gate`].

mod alike;
pub mod branches;
pub mod brief;
mod conflicts;
pub mod diagnose;
mod enforced;
pub mod foreign;
pub mod graph;
pub mod health;
pub mod intake;
pub mod journal;
pub mod kinds;
pub mod legacy;
pub mod lifecycle;
pub mod local;
pub mod mirror;
pub mod outcomes;
pub mod permanent;
pub mod privacy;
pub mod project;
pub mod prune;
pub mod recall;
pub mod records;
mod salvage;
mod same;
pub mod sessions;
pub mod settle;
pub mod situation;
pub mod state;
pub mod store;
pub mod times;
mod tracked;
mod unwritable;

pub use aidd_engine::parse::lines::{id, log, meaning, types, words};

#[cfg(test)]
mod tests;

use thiserror::Error;

/// Why the memory does not do what it was asked.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// The caller's words do not fit; says what would.
    #[error("{0}")]
    Invalid(String),
    /// Nothing has this id.
    #[error("there is no {what} `{id}`")]
    Unknown {
        /// What was looked for: "memory", "session".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// The store was written by a newer aidd.
    #[error("{path} has schema {found}, and this aidd knows up to {known}: update aidd")]
    Newer {
        /// The file.
        path: String,
        /// Its schema.
        found: i64,
        /// The newest one known here.
        known: i64,
    },
    /// The store is damaged.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Nothing can be written where the project lies: it is read-only, or the disk is full.
    #[error("nothing can be saved here: {0}")]
    Unwritable(String),
    /// The store cannot be read or written.
    #[error("the store does not answer: {0}")]
    Store(String),
    /// Not the JSON it should be.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

impl MemoryError {
    /// For `map_err`: an error of the file at `path`.
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Io { path, error }
    }
}

/// What the program ships, for tests.
#[cfg(test)]
static DISTRIBUTION: aidd_engine::check::Distribution =
    aidd_engine::check::Distribution::new(&aidd_content::RULES, aidd_validators::ALL);
