//! Spanned trees: text in, `(tree, syntax errors)` out, never an `Err`.

pub mod markdown;
pub(crate) mod mermaid;
mod mermaid_fault;
mod mermaid_model;
mod mermaid_strict;
