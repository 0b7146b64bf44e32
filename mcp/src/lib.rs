//! The agent door: the engine's checks and the project's memory over the Model Context Protocol.

pub mod arguments;
pub mod catalog;
pub mod context;
pub mod schema;
pub mod tool;
pub mod tools;
