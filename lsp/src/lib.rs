//! The editor door: the findings of the engine in the Language Server Protocol.

pub mod actions;
pub mod client;
pub mod completion;
pub mod convert;
pub mod edits;
pub mod hover;
pub mod lens;
pub mod links;
pub mod page;
pub mod snapshot;
pub mod workspace;
