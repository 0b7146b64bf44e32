//! Spanned trees: text in, `(tree, syntax errors)` out, never an `Err`.

pub mod assign;
pub mod ini;
pub mod json;
pub mod markdown;
pub mod tree;
pub mod xml;
pub mod yaml;
