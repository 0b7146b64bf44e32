//! Token counts, text embeddings and word lists: a byte-pair encoding and a table of word vectors,
//! both used directly from the binary without loading, and the lists of words and scores that other
//! crates look up; the terms of texts and names.

pub mod embedding;
pub mod tables;
pub mod terms;
pub mod tokens;
