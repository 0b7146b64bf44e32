//! Tests that drive the server over a pair of streams, as an editor does.

mod commands;
mod edits;
mod features;
mod lifecycle;
mod project_wide;
mod pull;
mod push;
mod random;
mod support;
mod symbols;
mod uris;
