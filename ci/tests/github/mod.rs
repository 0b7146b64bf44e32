//! Posting to GitHub, against a server that stands in for it.

mod asking;
mod failing;
mod fixture;
mod posting;
mod server;
mod suggesting;
