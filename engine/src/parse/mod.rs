//! Spanned trees of the common data formats. Every reader takes any text and gives what it
//! understood; none fails.

pub mod assign;
pub mod ini;
pub mod json;
pub mod tree;
pub mod xml;
pub mod yaml;
