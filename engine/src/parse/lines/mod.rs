//! The lines of a project's permanent memory: parsing, combining revisions, and detecting problems.
//! The input is text and the results are values; the crate `memory` stores the lines, and the crate
//! `validators` reports problems in them.

pub mod active_set;
pub mod duplicates;
pub mod id;
pub mod log;
pub mod types;
pub mod words;
