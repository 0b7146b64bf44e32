//! What a change brought about, told by the real binary on real Git repositories.

mod diff;
mod edits;
#[path = "../../ci/tests/support/repository.rs"]
mod repository;
mod support;
