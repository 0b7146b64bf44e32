//! The shipped table of word vectors; `embedding/README.md` tells how it was made.

/// The name of the table. Stored beside every vector: vectors of two names cannot be compared.
pub const NAME: &str = "minilm-128-1";

/// The table. Its form is told by `write` in `embedding/distil.py`.
pub static TABLE: &[u8] = include_bytes!("../embedding/table.bin");
