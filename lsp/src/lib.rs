//! The editor door: the findings of the engine in the Language Server Protocol.

pub mod convert;
pub mod snapshot;
pub mod workspace;
