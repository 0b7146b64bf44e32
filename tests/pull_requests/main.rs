//! What a change brought about, told by the real binary on real Git repositories.

mod diff;
mod edits;
mod events;
#[path = "../../ci/tests/support/repository.rs"]
mod repository;
mod runner;
mod scene;
mod support;
mod target;
