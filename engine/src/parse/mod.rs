//! Spanned trees: text in, `(tree, syntax errors)` out, never an `Err`.

pub mod markdown;
