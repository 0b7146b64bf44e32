//! Text in, findings out. The engine prints nothing, reads no environment, uses no async and knows
//! no protocol; input and output happen in `files`, `git`, `walk`, `memory::store` and
//! `memory::journal` only.

pub mod allow;
pub mod baseline;
pub mod captures;
pub mod check;
pub mod comments;
pub mod commit_checks;
pub mod commit_message;
pub mod config;
pub mod diff;
pub mod embedding;
pub mod examples;
pub mod files;
pub mod finding;
pub mod fix;
pub mod git;
pub mod guidance;
pub mod ignored;
pub mod imports;
pub mod kind;
pub mod lines;
pub mod linters;
pub mod listing;
mod manifest;
pub mod memory;
pub mod packs;
pub mod parse;
pub mod paths;
pub mod patterns;
pub mod project;
pub mod project_checks;
pub mod registry;
pub mod remembered;
pub mod rule;
pub mod rule_import;
pub mod secrets;
pub mod select;
pub mod source;
pub mod stack;
pub mod suggest;
pub mod suppress;
pub mod tokens;
pub mod validators;
mod variants;
pub mod walk;
