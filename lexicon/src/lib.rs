//! How many tokens a text costs a model, and what a text is about: a byte-pair encoding and a table
//! of word vectors, both read where they lie in the binary; and the lists of words and scores that
//! other crates look up.

pub mod embedding;
pub mod tables;
pub mod tokens;
