//! What a change brought about, told by the real binary on real Git repositories.

mod degraded;
mod diff;
mod edits;
mod events;
mod forks;
mod gate;
mod ignored;
mod moves;
mod outputs;
mod posting;
mod runner;
mod scene;
#[expect(dead_code, reason = "these tests need a part of what the stand-in can do")]
#[path = "../../ci/tests/github/server.rs"]
mod server;
mod settings;
mod shards;
mod simulation;
#[cfg(unix)]
mod smart_http;
mod support;
mod target;
mod weakened;
mod whole;
