//! What the sessions of agents show, and the changes that follow from it.
//!
//! [`SessionRecord`] holds the figures of one session; [`candidates`] compares sessions and decides
//! what is drafted or applied; [`store`] writes changes so that they are logged, can be reverted and
//! survive an interruption. Records, the time and the configuration are passed in; the crate never
//! opens the memory and never asks a language model.

pub mod betting;
pub mod candidates;
mod comparisons;
pub mod log;
pub mod models;
pub mod record;
pub mod statistics;
pub mod store;
pub mod transaction;

pub use record::SessionRecord;
pub use store::{EvolutionError, Store};

#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = "../benches/worlds.rs"]
mod worlds;
