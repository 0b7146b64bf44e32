//! The lines of a project's permanent memory: what they say, what they come to, what is wrong with
//! them. Text in, values out; `memory` keeps them and `validators` reports on them.

pub mod id;
pub mod log;
pub mod meaning;
pub mod standing;
pub mod types;
pub mod words;
