//! Rules: their pages, the registry of all rules, packs, and which rules are enabled for a path.

pub mod packs;
pub mod registry;
pub mod rule;
pub mod select;
pub(crate) mod time_limit;
