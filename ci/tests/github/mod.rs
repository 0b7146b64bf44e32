//! Posting to GitHub, against a mock server.

mod asking;
mod failing;
mod fixture;
mod posting;
mod server;
mod suggesting;
