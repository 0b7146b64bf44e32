//! The lines of a project's permanent memory: parsing, combining revisions, and detecting problems.
//! Text in, values out; `memory` stores the lines and `validators` reports on them.

pub mod active_set;
pub mod duplicates;
pub mod id;
pub mod log;
pub mod types;
pub mod words;
