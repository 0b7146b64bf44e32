//! Posting to GitHub, against a mock server.

mod failing;
mod fixture;
mod posting;
mod queries;
mod server;
mod suggesting;
