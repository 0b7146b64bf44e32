//! Source text and the types that findings refer to: positions, findings, edits, paths, files, escaping.

pub mod attributes;
pub mod captures;
pub mod checksum;
pub mod conflict;
pub mod edits;
pub mod escape;
pub mod files;
pub mod finding;
pub mod hidden;
pub mod kind;
pub mod listing;
pub mod nearest;
pub mod paths;
pub mod placeholder;
pub mod published;
pub mod purpose;
pub mod shape;
pub mod source;
pub mod time_limit;
