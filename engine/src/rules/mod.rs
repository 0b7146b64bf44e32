//! Rules: their pages, the registry of all of them, packs, and which are on for a path.

pub mod packs;
pub mod registry;
pub mod rule;
pub mod select;
