//! The server, driven over a pair of streams as by an editor.

mod commands;
mod edits;
mod features;
mod lifecycle;
mod project_wide;
mod pull;
mod push;
mod random;
mod support;
mod uris;
