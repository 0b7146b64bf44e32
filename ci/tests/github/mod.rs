//! Posting to GitHub, against a mock server.

mod queries;
mod failing;
mod fixture;
mod posting;
mod server;
mod suggesting;
