//! Tests of the findings that the real binary reports for changes in real Git repositories.

mod degraded;
mod diff;
mod edited_findings;
mod edits;
mod events;
mod evolution;
mod forks;
mod gate;
mod ignored;
mod moves;
mod openapi;
mod outputs;
mod posting;
mod project_rules;
mod pull_request;
mod runner;
#[expect(dead_code, reason = "these tests only use some functions of the mock server")]
#[path = "../../ci/tests/github/server.rs"]
mod server;
mod settings;
mod shards;
mod simulation;
#[cfg(unix)]
mod smart_http;
pub(crate) mod support;
mod target;
mod weakened;
