//! What the sessions of agents show, and the changes that follow from it.
//!
//! [`SessionRecord`] holds the figures of one session. Records, the time and the configuration are
//! passed in; the crate never opens the memory and never asks a language model.

pub mod betting;
pub mod models;
pub mod record;
pub mod statistics;

pub use record::SessionRecord;
