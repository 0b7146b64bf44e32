//! Checks written in a page's header, and the judgements on values that they share.

pub mod placeholder;
pub mod shape;
